import { expect, test } from "vitest";
import { failure } from "../../src/core/error.ts";
import { fail, ok, type Result } from "../../src/core/result.ts";
import type { Run } from "../../src/core/run.ts";
import type { Skill } from "../../src/core/skill.ts";
import type { JournalCall } from "../../src/durable/run-journal.ts";
import { type KeptRun, runSteps, type RunSteps, type WaitingCall } from "../../src/durable/run-steps.ts";
import { type CallTool } from "../../src/runner/runner.ts";
import { skillSet } from "../runner/skill-set.ts";
import { runner } from "../shared-threads.ts";

const SKILLS = skillSet({
  order: `export default async ({ item }) => {
    const { price } = await call_tool("shop.price", { item });
    const paid = await call_tool("shop.pay", { amount: price, nonce: Math.random() });
    const rounds = [1, 2].map((round) => call_tool("shop.send", { item, round, receipt: paid.receipt }));
    return { first: (await Promise.race(rounds)).round, all: (await Promise.all(rounds)).length };
  }`,
  patient: `export default async () => {
    await call_tool("repertoire.wait", { ms: 5000 });
    return (await call_tool("repertoire.ask_model", { prompt: "?", schema: { type: "object" } })).answer;
  }`,
});

const calls: string[] = [];
const shop: CallTool = async (tool, input, { runId, callPath }) => {
  calls.push(`${tool} ${runId}/${callPath}`);
  if (tool === "repertoire.ask_model") return fail(failure("MODEL_NEEDED", "there is none"));
  return ok({ price: 7, receipt: "r", ...(input as object) });
};

function stepsOf(skills: ReadonlyMap<string, Skill> = SKILLS, callTool = shop): RunSteps {
  return runSteps({
    runner,
    callTool,
    policyOf: async (tool) => (/price|ask/.test(tool) ? "read" : tool.endsWith("wait") ? "timed" : "write"),
    skills: async () => ({ skills, refusals: new Map() }),
  });
}

const RUN: KeptRun = { runId: "r1", skill: "order", input: { item: "lamp" }, seed: 7, startedAt: 1000 };
const NEVER = new AbortController().signal;

function value<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** Plays the engine: what waits is made, of several the last first, and the run advanced after each. */
async function driven(run: KeptRun): Promise<{ run: Run; steps: number; waited: readonly WaitingCall[] }> {
  const kept: { calls: JournalCall[]; answered: string[] } = { calls: [], answered: [] };
  const waited: WaitingCall[] = [];
  for (let steps = 1; ; steps++) {
    // Each step may be another process.
    const step = value(await stepsOf().advance(run, structuredClone(kept), NEVER));
    if (step.kind === "ended") return { run: step.run, steps, waited };
    kept.calls.push(...step.news.calls);
    kept.answered.push(...step.news.answered);
    const next = step.waiting.at(-1);
    if (!next) throw new Error("Nothing waits");
    waited.push(next);
    const made = await stepsOf().call(run, next, NEVER);
    if (made.kind === "unanswered") throw new Error(made.error.message);
    kept.calls.push(made.call);
  }
}

test("a run that others drive makes its reads itself and each write once, under one key, and ends as it would alone", async () => {
  calls.length = 0;
  const { run, waited } = await driven(RUN);
  expect(run).toMatchObject({
    id: "r1",
    root: { outcome: { ok: true, output: { first: 2, all: 2 } } },
  });
  expect(run.root.calls.map(({ callPath }) => callPath)).toEqual(["0.0", "0.1", "0.2", "0.3"]);
  expect(waited.map(({ callPath, needs }) => [callPath, needs])).toEqual([
    ["0.1", "nothing"],
    ["0.3", "nothing"],
    ["0.2", "nothing"],
  ]);
  expect(calls).toEqual(["shop.price r1/0.0", "shop.pay r1/0.1", "shop.send r1/0.3", "shop.send r1/0.2"]);
});

test("where a person has to approve, the step tells it; the decision makes the answer", async () => {
  const steps = stepsOf();
  const step = value(await steps.advance({ ...RUN, confirms: true }, { calls: [], answered: [] }, NEVER));
  if (step.kind !== "waits") throw new Error("It has ended");
  const [call] = step.waiting;
  expect(call).toMatchObject({ tool: "shop.pay", policy: "write", needs: "approval" });
  if (!call) return;
  const { result } = value(steps.decide(call, { kind: "refuse" }, "ada"));
  const refused: JournalCall = { ...call, state: "answered", ...(result ? { result } : {}) };
  const ended = value(
    await steps.advance(RUN, { calls: [...step.news.calls, refused], answered: step.news.answered }, NEVER),
  );
  expect(ended).toMatchObject({
    kind: "ended",
    run: { root: { outcome: { ok: false, error: { code: "RUN_UNAPPROVED" } } } },
  });
});

test("waiting is the engine's, until a moment, and so is a question that no model answers", async () => {
  const steps = stepsOf();
  const run = { ...RUN, skill: "patient" };
  const first = value(await steps.advance(run, { calls: [], answered: [] }, NEVER));
  if (first.kind !== "waits" || !first.waiting[0]) throw new Error("Nothing waits");
  const [wait] = first.waiting;
  expect(wait).toMatchObject({ policy: "timed", needs: "nothing", notBefore: wait.at + 5000 });
  const waited: JournalCall = { ...wait, state: "answered", result: ok({}) };
  const second = value(await steps.advance(run, { calls: [waited], answered: [] }, NEVER));
  expect(second).toMatchObject({ kind: "waits", waiting: [{ callPath: "0.1", needs: "answer" }] });
});

test("a run is advanced only with the skill that it began with, and not after it was stopped", async () => {
  const { digest } = value(await stepsOf().begun("order", {}));
  const none = { calls: [], answered: [] };
  const changed = stepsOf(skillSet({ order: `export default async () => "another"` }));
  const held = await changed.advance({ ...RUN, digest }, none, NEVER);
  expect(held).toMatchObject({ ok: false, error: { code: "RUN_CHANGED" } });
  const stopped = await stepsOf().advance({ ...RUN, digest }, none, AbortSignal.abort());
  expect(stopped).toMatchObject({ ok: false, error: { code: "CANCELLED" } });
});

test("what was not answered tells whether it may be made again", async () => {
  const silent = stepsOf(SKILLS, async () =>
    fail(failure("TOOL_FAILED", "it did not answer", { details: { unanswered: true } })),
  );
  const call = { callPath: "0.1", tool: "shop.pay", input: "{}", at: 0 };
  const made = await silent.call(RUN, call, NEVER);
  expect(made).toMatchObject({ kind: "unanswered", policy: "write", error: { code: "TOOL_FAILED" } });
});
