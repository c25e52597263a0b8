import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApp } from "../../src/app.ts";
import type { App } from "../../src/rooms.ts";
import { readConfig } from "../../src/config.ts";
import type { Json } from "../../src/core/json/json.ts";
import type { Run } from "../../src/core/run.ts";
import { ROOT, Workplace } from "../server/connected-client.ts";
import { writeSkills } from "./opened-app.ts";
import type { ErrorHandling } from "../../src/workflow/workflow.ts";
import { agentTask, codeTask, skillTask, toolTask, workflowOf } from "./documents.ts";
import { fixture } from "../upstream/upstream-fixtures.ts";

const number = (name: string) => ({ name, type: "number" });
const text = (name: string) => ({ name, type: "string" });
const from = (...names: string[]) => ({ from_skill_inputs: names });
const order = toolTask({
  task_id: "order",
  tools: [{ name: "shop.get_order" }],
  inputs: from("id"),
  outputs: { order: "object" },
});
const slow = (id: string) =>
  toolTask({
    task_id: id,
    tools: [{ name: "python.slow" }],
    arguments: { ms: 150 },
    parallel_group: "both",
    outputs: { ms: "number" },
  });
const handled = (given: object) => given as ErrorHandling;
const FLAKY = toolTask({
  task_id: "look",
  tools: [{ name: "python.flaky" }],
  inputs: from("key", "failures"),
  outputs: { tries: "integer" },
  error_handling: handled({ retry_allowed: true, max_attempts: 3, backoff_ms: 20, backoff: "exponential" }),
});

const WORKFLOWS = {
  hypotenuses: workflowOf(
    [
      skillTask({ task_id: "wide", skill: "square", arguments: { x: { $from: "inputs.a" } } }),
      skillTask({ task_id: "high", skill: "square", arguments: { x: { $from: "inputs.b" } } }),
      codeTask({
        task_id: "root",
        arguments: { a: { $from: "tasks.wide.result" }, b: { $from: "tasks.high.result" } },
        file: "./root.js",
        outputs: { c: "number" },
      }),
    ],
    {
      inputs: [number("a"), number("b")],
      outputs: [number("c")],
      rest: {
        quality: {
          postconditions: [{ check: "outputs.c < 100" }, { check: "outputs.c > inputs.a", critical: false }],
        },
        matching: {
          preconditions: [
            { type: "input_validation", check: "inputs.a > 0", description: "Sides are positive" },
          ],
        },
      },
    },
  ),
  "two-at-once": workflowOf([slow("one"), slow("other")], {
    workflow: { parallel_groups: { both: { tasks: ["one", "other"], execution: "parallel" } } },
  }),
  patient: workflowOf([FLAKY], {
    inputs: [text("key"), { name: "failures", type: "integer" }],
    outputs: [{ name: "tries", type: "integer" }],
  }),
  "or-none": workflowOf(
    [{ ...FLAKY, error_handling: handled({ on_failure: "use_default", default_outputs: { tries: 0 } }) }],
    {
      inputs: [text("key"), { name: "failures", type: "integer" }],
      outputs: [{ name: "tries", type: "integer" }],
    },
  ),
  "open-order": workflowOf(
    [
      {
        ...order,
        success_criteria: [
          { check: `outputs.order.status === "paid"`, description: "the order is paid" },
          { check: "outputs.order.lines.length > 99", critical: false },
        ],
      },
    ],
    { inputs: [text("id")], outputs: [{ name: "status", type: "string", from: "order.order.status" }] },
  ),
  median: workflowOf(
    [
      codeTask({
        task_id: "median",
        language: "python",
        code: "import statistics\nprint(json.dumps({'median': statistics.median(inputs['values'])}))",
        tools: [{ name: "python.run" }],
        inputs: from("values"),
        outputs: { median: "number" },
      }),
    ],
    { inputs: [{ name: "values", type: "array", item_type: "number" }], outputs: [number("median")] },
  ),
  "greet-customer": workflowOf(
    [
      order,
      agentTask({
        task_id: "write",
        prompt: "Greet the customer.",
        arguments: { status: { $from: "tasks.order.order.status" } },
        outputs: { greeting: "string" },
        success_criteria: [{ check: "outputs.greeting.length > 2" }],
      }),
    ],
    {
      inputs: [text("id")],
      outputs: [text("greeting")],
      rest: { "x-repertoire": { version: 1, durable: true } },
    },
  ),
  "move-order": workflowOf(
    [
      order,
      toolTask({
        task_id: "move",
        tools: [{ name: "shop.update_order_address" }],
        arguments: {
          id: { $from: "inputs.id" },
          shipTo: {
            street: { $from: "inputs.street" },
            city: { $from: "tasks.order.order.shipTo.city" },
            postcode: { $from: "tasks.order.order.shipTo.postcode" },
            country: { $from: "tasks.order.order.shipTo.country" },
          },
        },
        outputs: { order: "object" },
      }),
    ],
    {
      inputs: [text("id"), text("street")],
      outputs: [{ name: "street", type: "string", from: "move.order.shipTo.street" }],
      rest: { "x-repertoire": { version: 1, durable: "confirm" } },
    },
  ),
  composed: workflowOf(
    [
      skillTask({ task_id: "long", skill: "hypotenuses", arguments: { a: 3, b: { $from: "inputs.b" } } }),
      codeTask({
        task_id: "say",
        arguments: { line: { $text: "It is ${tasks.long.c} long" } },
        code: "return { line };",
        outputs: { line: "string" },
      }),
    ],
    { inputs: [number("b")], outputs: [text("line")] },
  ),
  failing: workflowOf([
    codeTask({ task_id: "crash", code: `throw new Error("it broke");`, outputs: { x: "string" } }),
  ]),
};

let workplace: Workplace;
let app: App;
const opened = async (): Promise<App> => {
  const config = await readConfig({ cwd: workplace.folder });
  if (!config.ok) throw new Error(config.error.message);
  return openApp(config.value);
};
beforeAll(async () => {
  const shop = {
    command: process.execPath,
    args: ["--disable-warning=ExperimentalWarning", join(ROOT, "examples/shop-server.ts")],
  };
  workplace = await Workplace.create(
    {},
    {
      data: "own",
      traces: { durability: "answered" },
      mcpServers: { shop, python: fixture("python-server") },
    },
  );
  for (const skill of ["square", "multiply"])
    await cp(join(ROOT, "skills", skill), join(workplace.skills, skill), { recursive: true });
  await writeSkills(workplace, {
    ...Object.fromEntries(
      Object.entries(WORKFLOWS).map(([name, document]) => [
        `${name}/workflow.json`,
        JSON.stringify(
          { ...document, skill: { ...document.skill, metadata: { name, description: `Does ${name}.` } } },
          undefined,
          2,
        ),
      ]),
    ),
    "hypotenuses/root.js": "export default ({ a, b }) => ({ c: Math.sqrt(a + b) });",
  });
  app = await opened();
});
afterAll(async () => {
  await app.close();
  await workplace[Symbol.asyncDispose]();
});

function outputOf({ root: { outcome } }: Run): Json {
  return outcome.ok ? outcome.output : `${outcome.error.code}: ${outcome.error.message}`;
}

test("all load and are checked: what they call stands in the graph, and what they do follows from it", async () => {
  const { skills, diagnostics } = (await app.catalog).snapshot;
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const facts = (name: string) => {
    const skill = skills.get(name);
    return [skill?.kind, skill?.operation, skill?.calls.skills.map(({ callee }) => callee), skill?.durable];
  };
  expect(facts("hypotenuses")).toEqual(["workflow", "TRANSFORM", ["square", "square"], undefined]);
  expect(facts("move-order")).toEqual(["workflow", "WRITE", [], "confirms"]);
  expect(facts("composed")).toEqual(["workflow", "TRANSFORM", ["hypotenuses"], undefined]);
  const call = skills.get("hypotenuses")?.calls.skills[0];
  expect([call?.path.endsWith("workflow.json"), (call?.line ?? 0) > 1]).toEqual([true, true]);
});

test("skills and a file of code are tasks; conditions before and after hold, and what is not critical is told", async () => {
  expect(outputOf(await app.call("hypotenuses", { a: 3, b: 4 }))).toEqual({ c: 5 });
  const refused = await app.call("hypotenuses", { a: -3, b: 4 });
  expect(outputOf(refused)).toContain("PRECONDITION_FAILED");
  expect(refused.root.calls).toEqual([]);
  expect(outputOf(await app.call("hypotenuses", { a: 300, b: 4 }))).toContain("POSTCONDITION_FAILED");
  const told = await app.call("hypotenuses", { a: 3, b: 0 });
  expect([told.root.outcome.ok, told.root.unmet?.map(({ check }) => check)]).toEqual([
    true,
    ["outputs.c > inputs.a"],
  ]);
  expect(outputOf(await app.call("composed", { b: 4 }))).toEqual({ line: "It is 5 long" });
});

test("a parallel group is out at once", async () => {
  const { calls } = (await app.call("two-at-once", {})).root;
  const [one, other] = calls;
  expect(other?.startMs ?? Infinity).toBeLessThan((one?.startMs ?? 0) + (one?.durationMs ?? 0));
});

test("a read that fails is made again after a pause and succeeds, or leaves its default", async () => {
  const run = await app.call("patient", { key: "a", failures: 2 });
  expect(outputOf(run)).toEqual({ tries: 3 });
  expect(run.root.calls.map(({ name }) => name)).toEqual([
    "python.flaky",
    "repertoire.wait",
    "python.flaky",
    "repertoire.wait",
    "python.flaky",
  ]);
  expect(outputOf(await app.call("patient", { key: "b", failures: 9 }))).toContain("TOOL_FAILED: task look:");
  expect(outputOf(await app.call("or-none", { key: "c", failures: 9 }))).toEqual({ tries: 0 });
});

test("a criterion that does not hold fails its task, with what it read; one that is not critical is told", async () => {
  const runs = await Promise.all(
    ["O-1001", "O-1002", "O-1003", "O-1004", "O-1005"].map(async (id) => app.call("open-order", { id })),
  );
  const [paid, others] = [
    runs.filter(({ root }) => root.outcome.ok),
    runs.filter(({ root }) => !root.outcome.ok),
  ];
  expect(Math.min(paid.length, others.length)).toBeGreaterThan(0);
  for (const run of others)
    expect(outputOf(run)).toMatch(
      /^POSTCONDITION_FAILED: task order: .*the order is paid.*outputs.order.status is/,
    );
  for (const run of paid) expect(run.root.console[0]?.text).toContain("outputs.order.lines.length > 99");
});

test("code in Python runs in the server that is named for it", async () => {
  expect(outputOf(await app.call("median", { values: [9, 1, 5] }))).toEqual({ median: 5 });
});

test("code that throws is told by its own place in the document, and that of its task", async () => {
  const run = await app.call("failing", {});
  expect(outputOf(run)).toBe("SKILL_THREW: task crash: it broke");
  expect(run.root.outcome).toMatchObject({
    error: {
      positions: [
        { path: expect.stringMatching(/failing.workflow\.json$/), line: 17, column: 20 },
        { path: expect.stringMatching(/failing.workflow\.json$/), line: 14, column: 9 },
      ],
    },
  });
});

test("what waits for an answer, or for a person, goes on in another process where it was", async () => {
  const asked = await app.call("greet-customer", { id: "O-1002" });
  expect(outputOf(asked)).toContain("RUN_WAITING");
  const moved = await app.call("move-order", { id: "O-1002", street: "Oak Road 9" });
  expect(outputOf(moved)).toContain("RUN_WAITING");
  await app.close();
  app = await opened();
  await app.durable.decide(
    asked.id,
    { kind: "skip", result: { greeting: "Hello Ada" } },
    { by: "ada", callPath: "0.1" },
  );
  const answered = await app.durable.resume(asked.id);
  expect(answered.ok && outputOf(answered.value)).toEqual({ greeting: "Hello Ada" });
  await app.durable.decide(moved.id, { kind: "approve" }, { by: "ada", callPath: "0.1" });
  const done = await app.durable.resume(moved.id);
  expect(done.ok && outputOf(done.value)).toEqual({ street: "Oak Road 9" });
});
