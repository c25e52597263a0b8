import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { readWorkflow } from "../../src/workflow/read-workflow.ts";
import { workflowCode } from "../../src/workflow/workflow-code.ts";
import type { ErrorHandling } from "../../src/workflow/workflow.ts";
import { decidableRuns, processOn, type Shop, type ShopAnswer } from "../durable/killed-process.ts";
import { agentTask, codeTask, skillTask, toolTask, workflowOf } from "./documents.ts";

const RETRIES = { retry_allowed: true, max_attempts: 4, backoff_ms: 15, backoff: "exponential" };
const ORDER = workflowOf(
  [
    toolTask({
      task_id: "price",
      tools: [{ name: "shop.read" }],
      arguments: { line: { $from: "inputs.lines" } },
      outputs: { price: "number" },
      error_handling: RETRIES as object as ErrorHandling,
    }),
    codeTask({
      task_id: "number",
      code: "return { number: `${Date.now()}-${Math.random()}` };",
      outputs: { number: "string" },
    }),
    toolTask({
      task_id: "reserve",
      tools: [{ name: "shop.write" }],
      arguments: { price: { $from: "tasks.price.price" }, number: { $from: "tasks.number.number" } },
      outputs: { done: "boolean" },
      success_criteria: [{ check: "outputs.done" }],
    }),
    agentTask({
      task_id: "letter",
      prompt: "Write to the customer.",
      dependencies: ["reserve"],
      inputs: { from_previous_tasks: ["price.price"] },
      outputs: { text: "string" },
    }),
    toolTask({
      task_id: "send",
      tools: [{ name: "shop.write" }],
      arguments: { letter: { $text: "${tasks.letter.text} (${tasks.number.number})" } },
      parallel_group: "end",
      outputs: { done: "boolean" },
    }),
    skillTask({
      task_id: "keep",
      skill: "note",
      arguments: { line: { $from: "tasks.letter.text" } },
      parallel_group: "end",
      outputs: { done: "boolean" },
    }),
  ],
  {
    name: "order",
    inputs: [{ name: "lines", type: "string[]" }],
    outputs: [
      { name: "text", type: "string", from: "letter.text" },
      { name: "kept", type: "boolean", from: "keep.done" },
      { name: "sent", type: "boolean", from: "send.done" },
    ],
    workflow: { parallel_groups: { end: { tasks: ["send", "keep"], execution: "parallel" } } },
  },
);
const WRITES = 3;
const REFUSED_READS = 2;
const LETTER = { text: "Dear Ada" };

/** Its first reads of a run fail, and do again however often they are made; writes are counted. */
class BusyShop implements Shop {
  readonly reads = new Set<string>();
  readonly applied = new Map<string, number>();
  readonly inputs = new Map<string, Set<string>>();

  answer(tool: string, input: Json, key: string): ShopAnswer {
    if (tool === "shop.read") {
      this.reads.add(key);
      const place = [...this.reads].indexOf(key);
      return place < REFUSED_READS ? { refusal: "It is busy" } : { answer: { price: 3 } };
    }
    this.applied.set(key, (this.applied.get(key) ?? 0) + 1);
    this.inputs.set(key, (this.inputs.get(key) ?? new Set()).add(JSON.stringify(input)));
    return { answer: { done: true } };
  }
}

/** Decides as a person would who looks into the shop; gives the states of what waited. */
function decideAll(folder: string, runId: string, shop: BusyShop): readonly string[] {
  const runs = decidableRuns(folder);
  const shown = runs.show(runId);
  if (!shown.ok) throw new Error(shown.error.message);
  const waiting = shown.value.calls.filter(({ state }) => state === "asked" || state === "uncertain");
  for (const { callPath, state } of waiting) {
    const isApplied = shop.applied.has(`${runId}/${callPath}`);
    const decided = runs.decide(
      runId,
      state === "asked"
        ? { kind: "skip", result: LETTER }
        : isApplied
          ? { kind: "skip", result: { done: true } }
          : { kind: "approve" },
      { by: "ada", callPath },
    );
    expect(decided.ok).toBe(true);
  }
  void runs.close();
  return waiting.map(({ state }) => state);
}

const KILLS = 20;

test(
  `a workflow that is killed at ${KILLS} moments applies every write once: its retries, its waiting for a model and its groups go on where they were`,
  { timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "killed-workflow-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { document, findings } = readWorkflow(JSON.stringify(ORDER), "json");
    if (!document) throw new Error(JSON.stringify(findings));
    const code = join(folder, "order.js");
    await writeFile(code, workflowCode(document).code);
    let kills = 0;
    const told = new Map<string, number>();
    let random = 7;
    const chance = (below: number): number => (random = (random * 48_271) % 0x7fffffff) % below;
    const one = async (name: number): Promise<void> => {
      const shop = new BusyShop();
      const runId = `run-${name}`;
      let output: Json | undefined;
      for (let rounds = 0; output === undefined && rounds < 30; rounds++) {
        const kill = kills < KILLS ? { after: 1 + chance(3), isAnswered: chance(2) === 0 } : undefined;
        const ended = await processOn([folder, runId, "", code], shop, kill);
        if (ended.isKilled) kills++;
        // It may have completed in the moment before it was killed.
        else if (ended.message === `The run ${runId} is completed`) output = "completed";
        else if (ended.code === undefined) output = ended.output;
        else {
          expect(ended).toMatchObject({ code: expect.stringMatching(/^(WRITE_UNCERTAIN|RUN_WAITING)$/) });
          for (const state of decideAll(folder, runId, shop)) told.set(state, (told.get(state) ?? 0) + 1);
        }
      }
      if (output !== "completed") expect(output).toEqual({ ...LETTER, kept: true, sent: true });
      expect(shop.reads.size).toBe(REFUSED_READS + 1);
      expect([...shop.applied.values()]).toEqual(Array.from({ length: WRITES }, () => 1));
      // Whatever process makes a call, its input is the same.
      for (const inputs of shop.inputs.values()) expect(inputs.size).toBe(1);
    };
    let runs = 0;
    for (; kills < KILLS; runs += 2) await Promise.all([one(runs), one(runs + 1)]);
    expect(told.get("asked")).toBe(runs);
    expect(told.get("uncertain")).toBeGreaterThan(1);
  },
);
