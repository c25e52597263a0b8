// Works on durable runs in a process of its own, until it has ended or is killed. The shop it calls is in the parent.
import { readFile } from "node:fs/promises";
import { asRepeatable, failure } from "../../src/core/error.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { fail, ok } from "../../src/core/result.ts";
import type { Json } from "../../src/core/json/json.ts";
import { WAIT } from "../../src/core/tools/reserved-tools.ts";
import { DurableRuns } from "../../src/durable/durable-runs.ts";
import { Runner } from "../../src/runner/runner.ts";
import { ReservedCalls } from "../../src/workflow/reserved-calls.ts";
import { skillSet } from "../runner/skill-set.ts";

/** `order` is a file of code that is run instead of that below. */
const [folder = "", runId = "", mode = "", order = ""] = process.argv.slice(2);

const ORDER = order === "" ? undefined : await readFile(order, "utf8");
const SKILLS = skillSet({
  note: `export default async ({ line }) => call_tool("shop.write", { line })`,
  order:
    ORDER ??
    `export default async ({ lines }) => {
    const written = [];
    for (const line of lines) {
      const { price } = await call_tool("shop.read", { line });
      written.push(await call_skill("note", { line: line + " at " + price + " " + Math.random() }));
    }
    const last = await Promise.all([call_tool("shop.write", { end: 1 }), call_tool("shop.read", {}), call_tool("shop.write", { end: 2 })]);
    return { written: written.length + last.length, at: Date.now() };
  }`,
});

interface Answer {
  readonly answer?: Json;
  readonly refusal?: string;
}

const waiting = new Map<number, (answer: Answer) => void>();
let next = 0;
process.on("message", ({ id, ...answer }: Answer & { id: number }) => waiting.get(id)?.(answer));

const reserved = new ReservedCalls(undefined);
const runner = new Runner({ limits: DEFAULT_LIMITS, workers: 1 });
const runs = new DurableRuns({
  folder,
  runner,
  callTool: async (tool, input, context) => {
    if (tool.startsWith("repertoire.")) return reserved.call(tool, input, context);
    const id = next++;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    process.send?.({ kind: "call", id, tool, input, key: `${context.runId}/${context.callPath}` });
    const { answer = null, refusal } = await answered;
    return refusal === undefined ? ok(answer) : fail(asRepeatable(failure("TOOL_FAILED", refusal)));
  },
  policyOf: async (tool) => (tool === WAIT ? "timed" : tool.startsWith("shop.write") ? "write" : "read"),
  skills: async () => ({ skills: SKILLS, refusals: new Map() }),
});
const resumed = runs.show(runId).ok
  ? await runs.resume(runId)
  : ok(await runs.run("order", { lines: ["a", "b", "c"] }, { id: runId, confirms: mode === "confirms" }));
await runner.close();
await runs.close();
process.send?.({ kind: "ended", outcome: resumed.ok ? resumed.value.root.outcome : resumed }, () =>
  process.exit(),
);
