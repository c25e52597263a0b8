import { afterAll, beforeAll, expect, test } from "vitest";
import { parsedCheck } from "../../src/core/conditions/check-expression.ts";
import type { ConditionTime, SkillCondition } from "../../src/core/conditions/skill-condition.ts";
import type { Json } from "../../src/core/json/json.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { type CallRecord, unmetIn } from "../../src/core/run.ts";
import type { Skill } from "../../src/core/skill.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "./skill-set.ts";

let runner: Runner;
const toolCalls: string[] = [];
beforeAll(() => {
  runner = new Runner({
    limits: DEFAULT_LIMITS,
    callTool: (name) => {
      toolCalls.push(name);
      return Promise.resolve({ ok: true, value: { report: "short" } });
    },
  });
});
afterAll(() => runner.close());

function conditions(when: ConditionTime, checks: readonly string[], critical = true): SkillCondition[] {
  return checks.map((check) => {
    const parsed = parsedCheck(check, when);
    if (!parsed.ok) throw new Error(parsed.error.message);
    return { check, critical, reads: parsed.value.reads.map(({ text }) => text) };
  });
}

function reportSkill(rest: Partial<Skill>): ReadonlyMap<string, Skill> {
  return skillSet(
    {
      report: `export default async ({ topic }) => call_tool("docs.write", { topic })`,
      twice: `export default async ({ topic }) => ({ both: [await call_skill("report", { topic })] })`,
    },
    { report: { operation: "WRITE", ...rest } },
  );
}

async function root(skills: ReadonlyMap<string, Skill>, name: string, input: Json): Promise<CallRecord> {
  return (await runner.run(skills, name, input)).root;
}

test("where a precondition does not hold, nothing of the skill runs", async () => {
  const skills = reportSkill({ preconditions: conditions("pre", ["inputs.topic.length > 3"]) });
  toolCalls.length = 0;
  expect((await root(skills, "report", { topic: "tea" })).outcome).toMatchObject({
    ok: false,
    error: {
      code: "PRECONDITION_FAILED",
      skill: "report",
      callPath: "0",
      message:
        '"report" has not run, since this does not hold: inputs.topic.length > 3 (inputs.topic.length is 3)',
      details: [{ when: "pre", check: "inputs.topic.length > 3", values: { "inputs.topic.length": "3" } }],
    },
  });
  expect(toolCalls).toEqual([]);
  expect((await root(skills, "report", { topic: "coffee" })).outcome.ok).toBe(true);
  expect(toolCalls).toEqual(["docs.write"]);
});

test("where a critical postcondition does not hold, the call fails with the values", async () => {
  const skills = reportSkill({
    postconditions: conditions("post", ["outputs.report !== inputs.topic", "outputs.report.length > 100"]),
  });
  const failed = await root(skills, "report", { topic: "tea" });
  expect(failed.outcome).toMatchObject({
    ok: false,
    error: {
      code: "POSTCONDITION_FAILED",
      message:
        '"report" has run, but this does not hold: outputs.report.length > 100 (outputs.report.length is 5)',
    },
  });
  expect(failed.calls).toHaveLength(1);
});

test("a caller of a skill whose condition fails sees the failure as any other", async () => {
  const skills = reportSkill({ postconditions: conditions("post", ["outputs.report.length > 100"]) });
  expect((await root(skills, "twice", { topic: "tea" })).outcome).toMatchObject({
    ok: false,
    error: { code: "POSTCONDITION_FAILED", skill: "report", callPath: "0.0" },
  });
});

test("what is not critical is told in the run, and the run goes on", async () => {
  const skills = reportSkill({
    preconditions: conditions("pre", ["inputs.topic.length > 3"], false),
    postconditions: conditions("post", ["outputs.report.length > 100", "outputs.report != null"], false),
  });
  const done = await root(skills, "twice", { topic: "tea" });
  expect(done.outcome).toEqual({ ok: true, output: { both: [{ report: "short" }] } });
  expect(unmetIn(done)).toEqual([
    {
      skill: "report",
      callPath: "0.0",
      when: "pre",
      check: "inputs.topic.length > 3",
      critical: false,
      values: { "inputs.topic.length": "3" },
    },
    expect.objectContaining({ when: "post", check: "outputs.report.length > 100" }),
  ]);
});

test("a replay gives the same verdicts without the world", async () => {
  const skills = reportSkill({
    preconditions: conditions("pre", ["inputs.topic.length > 3"], false),
    postconditions: conditions("post", ["outputs.report.length > 100"]),
  });
  const run = await runner.run(skills, "report", { topic: "tea" });
  toolCalls.length = 0;
  const again = await runner.replay(skills, run);
  expect(again.root.outcome).toEqual(run.root.outcome);
  expect(again.root.unmet).toEqual(run.root.unmet);
  expect(toolCalls).toEqual([]);
});

test.each([
  ["outputs.missing.length > 1", "TypeError"],
  [
    "'x'.repeat(50).split('').every((a) => 'y'.repeat(1e5).split('').every((b) => outputs.report))",
    "too long",
  ],
])("a check that gives no verdict does not hold: %s", async (check, why) => {
  const skills = reportSkill({ postconditions: conditions("post", [check]) });
  const { outcome } = await root(skills, "report", { topic: "tea" });
  expect(outcome).toMatchObject({
    ok: false,
    error: { code: "POSTCONDITION_FAILED", message: expect.stringContaining(why) },
  });
});

test("a skill cannot change what a check means", async () => {
  const skills = skillSet(
    {
      sly: `Array.prototype.every = () => true; String.prototype.includes = () => true;
        export default () => ({ rows: ["a"] })`,
    },
    { sly: { postconditions: conditions("post", ["outputs.rows.every((row) => row.includes('b'))"]) } },
  );
  expect((await root(skills, "sly", {})).outcome).toMatchObject({
    error: { code: "POSTCONDITION_FAILED", message: expect.stringContaining('outputs.rows is ["a"]') },
  });
});

test("an output that is reused was one whose conditions held", async () => {
  const skills = skillSet(
    { half: `export default ({ n }) => n / 2` },
    { half: { postconditions: conditions("post", ["outputs === Math.floor(outputs)"], false) } },
  );
  for (const _ of [1, 2]) expect((await root(skills, "half", { n: 3 })).unmet).toHaveLength(1);
  await root(skills, "half", { n: 4 });
  expect(await root(skills, "half", { n: 4 })).toMatchObject({ reused: true, outcome: { output: 2 } });
});
