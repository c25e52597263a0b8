import fc from "fast-check";
import { expect, test } from "vitest";
import type { Plan } from "../../src/learn/plan/plan.ts";
import { planWorkflow, workflowPlan } from "../../src/workflow/plan-workflow.ts";
import { readWorkflow } from "../../src/workflow/read-workflow.ts";
import { workflowCode } from "../../src/workflow/workflow-code.ts";
import type { Workflow } from "../../src/workflow/workflow.ts";
import { conformanceCases } from "../conformance/cases.ts";
import { randomRuns } from "../conformance/random-plans.ts";
import { expectedRun, ranCode } from "../conformance/runs.ts";
import { learned } from "../learn/learned.ts";
import { worldRuns } from "../learn/worlds.ts";
import { runner } from "../shared-threads.ts";

/** The document of a plan, as somebody reads it from its text. */
function written(plan: Plan): Workflow {
  const made = planWorkflow(plan);
  if (!made.ok) throw new Error(made.error.message);
  const { document, findings } = readWorkflow(JSON.stringify(made.value, null, 2), "json");
  expect(findings).toEqual([]);
  if (!document) throw new Error("no document");
  return document;
}

function readBack(plan: Plan): unknown {
  const read = workflowPlan(written(plan));
  return "plan" in read ? read.plan : read.fault;
}

function inJson(plan: Plan): unknown {
  return JSON.parse(JSON.stringify(plan));
}

test("a plan is a workflow document, from which the same plan is read", () => {
  const ofWorlds = worldRuns(12, 5).map(({ trace, twin }) => learned([trace, twin]).plan);
  const plans = [...conformanceCases().map(({ plan }) => plan), ...ofWorlds];
  expect(plans.map(readBack)).toEqual(plans.map(inJson));
});

test("so is any plan", () => {
  const plans = fc.sample(randomRuns, { numRuns: 100, seed: 5 }).map(({ plan }) => plan);
  expect(plans.map(readBack)).toEqual(plans.map(inJson));
});

const PLAN: Plan = {
  version: 1,
  name: "orders-of",
  params: [
    { name: "ids", schema: { type: "array", items: { type: "string" } }, origins: [] },
    { name: "note", schema: {}, optional: true, default: "none", origins: [] },
  ],
  steps: [
    {
      kind: "loop",
      name: "orders",
      over: { kind: "param", name: "ids" },
      item: "id",
      steps: [
        {
          kind: "call",
          name: "order",
          tool: "shop.get_order",
          args: { kind: "object", fields: [{ name: "id", value: { kind: "ref", name: "id" } }] },
        },
      ],
      gives: { kind: "ref", name: "order" },
      order: "parallel",
    },
    {
      kind: "guard",
      value: { kind: "aggregate", operator: "count", of: { kind: "ref", name: "orders" } },
      equals: { kind: "constant", value: 2 },
    },
    {
      kind: "call",
      name: "told",
      tool: "orders-report",
      isSkill: true,
      args: { kind: "object", fields: [{ name: "orders", value: { kind: "ref", name: "orders" } }] },
    },
  ],
  output: {
    value: { kind: "object", fields: [{ name: "told", value: { kind: "ref", name: "told" } }] },
    schema: { type: "object", properties: { told: {} }, required: ["told"] },
  },
};

test("its tasks say what the steps do in the fields of the format", () => {
  const { skill } = written(PLAN);
  expect(
    skill.workflow.tasks.map(({ "x-repertoire": extension, ...task }) => [task, extension?.step?.["kind"]]),
  ).toEqual([
    [
      {
        task_id: "orders",
        type: "tool_call_task",
        tools: [{ name: "shop.get_order" }],
        inputs: { from_skill_inputs: ["ids"] },
      },
      "loop",
    ],
    [{ task_id: "guard_2", type: "code_execution_task", dependencies: ["orders"] }, "guard"],
    [
      {
        task_id: "told",
        type: "skill_task",
        skill: "orders-report",
        dependencies: ["orders", "guard_2"],
      },
      "call",
    ],
  ]);
  expect(skill.interface).toEqual({
    inputs: [
      { name: "ids", type: { type: "array", items: { type: "string" } } },
      { name: "note", type: "any", required: false, default: "none" },
    ],
    outputs: [{ name: "told", type: "any" }],
  });
});

const OTHERWISE: readonly [string, (text: string) => string, number][] = [
  ["another tool", (text) => text.replace('"name": "shop.get_order"', '"name": "shop.cancel"'), 0],
  ["another name", (text) => text.replace('"name": "orders-of"', '"name": "other"'), 0],
  ["an input that may be left out", (text) => text.replace('"required": false,', ""), 0],
  ["another order", (text) => text.replace('"guard_2"\n', '"told"\n'), 0],
  ["no plan", (text) => text.replace('"plan": {', '"planned": {'), 0],
  ["a plan of another form", (text) => text.replace('"kind": "aggregate"', '"kind": "aggregates"'), 0],
];

test.each(OTHERWISE)(
  "a document whose fields disagree with its plan is told at the place: %s",
  (_, change) => {
    const made = planWorkflow(PLAN);
    const text = JSON.stringify(made.ok && made.value, null, 2);
    const changed = change(text);
    expect(changed).not.toBe(text);
    const { document, findings } = readWorkflow(changed, "json");
    expect(document).toBeUndefined();
    expect(findings).toEqual([
      expect.objectContaining({ code: expect.stringMatching(/^workflow-/) as string, severity: "error" }),
    ]);
    expect(findings[0]?.line).toBeGreaterThan(1);
  },
);

test("roles and hints for other engines are nothing of a plan's: a document may have them", () => {
  const { skill, ...rest } = written(PLAN);
  const tasks = skill.workflow.tasks.map((task) => ({ ...task, role: "clerk" }));
  const hints = { ag2: { agent_mapping: { clerk: "ClerkAgent" } } };
  const document = {
    ...rest,
    skill: { ...skill, framework_adapters: hints, workflow: { ...skill.workflow, tasks } },
  };
  const read = readWorkflow(JSON.stringify(document), "json");
  expect(read.findings).toEqual([]);
  expect(read.document && workflowPlan(read.document)).toEqual({ plan: inJson(PLAN) });
});

test("a workflow of a plan makes the same calls and gives the same as its skill", async () => {
  const shown = conformanceCases().filter(
    ({ name }) => /^(?:calls|loops|decisions|dates|readings)/.test(name) && !/called as words/.test(name),
  );
  expect(shown.length).toBeGreaterThan(100);
  for (const each of shown) {
    const { code } = workflowCode(written(each.plan));
    expect(await ranCode(runner, each, code)).toEqual(expectedRun(each));
  }
});
