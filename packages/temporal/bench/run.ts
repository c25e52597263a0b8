// What a run costs on Temporal beside directly: three reads and a write, alone and 16 at once; and one run of many calls.
// Takes a server as the tests do. `npm run bench -- 3000` says how many calls the long run makes.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { openApp, readConfig } from "../../../src/index.ts";
import { temporalRuns } from "../src/runs.ts";
import { temporalServer } from "../test/temporal-server.ts";
import { Workplace } from "../test/workplace.ts";

const LONG_CALLS = Number(process.argv[2] ?? 1000);
const ALONE = 20;
const AT_ONCE = 16;
const TOGETHER = 96;

const server = await temporalServer();
const place = await Workplace.open(server.address);
const config = await readConfig({ file: join(place.folder, "mcp.config.json") });
if (!config.ok) throw new Error(config.error.message);
const app = openApp({ ...config.value, execute: "here" });
const runs = temporalRuns(config.value.temporal, app.steps);
const worker = await place.worker();

const ways = {
  directly: async (text: string) => app.call("look-and-put", { text }),
  "on Temporal": async (text: string) => runs.run("look-and-put", { text }, { id: randomUUID() }),
};
const once = async (way: keyof typeof ways, text: string): Promise<number> => {
  const begun = performance.now();
  const { root } = await ways[way](text);
  if (!root.outcome.ok) throw new Error(root.outcome.error.message);
  return performance.now() - begun;
};
const names = ["directly", "on Temporal"] as const;
for (const way of names) await once(way, "warm");
// In turns, so that both see the same machine.
const alone = new Map<string, number[]>(names.map((way) => [way, []]));
for (let round = 0; round < ALONE; round++)
  for (const way of names) alone.get(way)?.push(await once(way, `${round}`));
for (const way of names) {
  const begun = performance.now();
  let started = 0;
  const lane = async (): Promise<void> => {
    while (started++ < TOGETHER) await once(way, `t${started}`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const perSecond = TOGETHER / ((performance.now() - begun) / 1000);
  const median = (alone.get(way) ?? []).toSorted((a, b) => a - b)[ALONE / 2] ?? 0;
  console.log(
    `${way}: ${median.toFixed(1)} ms alone (median), ${perSecond.toFixed(0)} runs/s ${AT_ONCE} at once`,
  );
}
const id = randomUUID();
await place.start("look-and-put", { text: "events" }, id);
await place.client.workflow.result(id);
const { events } = await place.client.workflow.getHandle(id).fetchHistory();
console.log(`a run of three reads and a write: ${events?.length ?? 0} events`);
const texts = Array.from({ length: LONG_CALLS }, (_, index) => `text ${index}`);
const begun = performance.now();
await place.start("put-together", { texts, width: 20 }, "long");
await place.client.workflow.result("long");
const seconds = (performance.now() - begun) / 1000;
const keys = new Set(place.of("applied").map(({ key }) => key));
const applied = place.of("applied").filter(({ key = "" }) => key.startsWith("long/")).length;
let histories = 1;
for (let runId: string | undefined | null; ; histories++) {
  const history = await place.client.workflow.getHandle("long", runId ?? undefined).fetchHistory();
  runId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  if (runId === undefined || runId === null || runId === "") break;
}
console.log(
  `a run of ${LONG_CALLS} writes, 20 at once: ${seconds.toFixed(1)} s, ${applied} applied, ${histories} histories`,
);
if (keys.size !== place.of("applied").length) throw new Error("A write was applied twice");
worker.kill();
await runs.close();
await app.close();
await place.close();
await server.close();
