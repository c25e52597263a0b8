// Works on durable runs in a process of its own, until it has ended or is killed. The shop it calls is in the parent.
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { ok } from "../../src/core/result.ts";
import type { Json } from "../../src/core/json/json.ts";
import { DurableRuns } from "../../src/durable/durable-runs.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "../runner/skill-set.ts";

const [folder = "", runId = ""] = process.argv.slice(2);

const SKILLS = skillSet({
  note: `export default async ({ line }) => call_tool("shop.write", { line })`,
  order: `export default async ({ lines }) => {
    const written = [];
    for (const line of lines) {
      const { price } = await call_tool("shop.read", { line });
      written.push(await call_skill("note", { line: line + " at " + price + " " + Math.random() }));
    }
    const last = await Promise.all([call_tool("shop.write", { end: 1 }), call_tool("shop.read", {}), call_tool("shop.write", { end: 2 })]);
    return { written: written.length + last.length, at: Date.now() };
  }`,
});

const waiting = new Map<number, (answer: Json) => void>();
let next = 0;
process.on("message", ({ id, answer }: { id: number; answer: Json }) => waiting.get(id)?.(answer));

const runner = new Runner({ limits: DEFAULT_LIMITS, workers: 1 });
const runs = new DurableRuns({
  folder,
  runner,
  callTool: async (tool, input, { callPath, runId: of }) => {
    const id = next++;
    const answered = new Promise<Json>((resolve) => waiting.set(id, resolve));
    process.send?.({ kind: "call", id, tool, input, key: `${of}/${callPath}` });
    return ok(await answered);
  },
  policyOf: async (tool) => (tool === "shop.read" ? "read" : "write"),
  skills: async () => ({ skills: SKILLS, refusals: new Map() }),
});
const resumed = runs.show(runId).ok
  ? await runs.resume(runId)
  : ok(
      await runs.run(
        "order",
        { lines: ["a", "b", "c"] },
        { id: runId, confirms: process.argv[4] === "confirms" },
      ),
    );
await runner.close();
await runs.close();
process.send?.({ kind: "ended", outcome: resumed.ok ? resumed.value.root.outcome : resumed }, () =>
  process.exit(),
);
