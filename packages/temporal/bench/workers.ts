// How many runs a second 1, 2 and 4 workers make, each beside an upstream server that takes 20 ms for a call and makes one
// at a time: once with runs in which that is most of the time, once with short ones, where the machine is the limit sooner.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { temporalServer } from "../test/temporal-server.ts";
import { Workplace } from "../test/workplace.ts";

const CALL_MS = 20;
/** Runs under way for each worker, so that its upstream server always has work. */
const AT_ONCE = 8;
/** Calls of a run, and how many runs each worker makes. */
const SIZES = [
  { calls: 20, runs: 24 },
  { calls: 4, runs: 80 },
];

const server = await temporalServer();
const place = await Workplace.open(server.address, { eachMs: CALL_MS });
const pids = [process.pid];
const perSecond = new Map<number, number>();
for (const workers of [1, 2, 4]) {
  while (pids.length <= workers) pids.push((await place.worker()).pid ?? 0);
  await runs(AT_ONCE * workers, { calls: 4, workers });
  for (const { calls, runs: each } of SIZES) {
    const count = each * workers;
    const cpu = cpuSeconds();
    const begun = performance.now();
    await runs(count, { calls, workers });
    const seconds = (performance.now() - begun) / 1000;
    const rate = count / seconds;
    if (workers === 1) perSecond.set(calls, rate);
    const bound = (workers * 1000) / (CALL_MS * calls);
    const cores = (cpuSeconds() - cpu) / seconds;
    console.log(
      `${workers} workers, runs of ${calls} calls: ${rate.toFixed(1)} runs/s, ${(rate / (perSecond.get(calls) ?? rate)).toFixed(2)} times one worker's; the upstream servers' own limit is ${bound.toFixed(1)}; the workers and this program took ${cores.toFixed(2)} cores`,
    );
  }
}
await place.close();
await server.close();

async function runs(
  count: number,
  { calls, workers }: { readonly calls: number; readonly workers: number },
): Promise<void> {
  let started = 0;
  const lane = async (): Promise<void> => {
    while (started++ < count) {
      const id = randomUUID();
      await place.start("look-and-put", { text: id, looks: calls - 1 }, id);
      await place.client.workflow.result(id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE * workers }, lane));
}

/** What these processes have used of the processors, as Linux tells; the server's share is not among it. */
function cpuSeconds(): number {
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}
