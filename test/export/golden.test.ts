import { join } from "node:path";
import { Classes, validate } from "@serverlessworkflow/sdk";
import { expect, test } from "vitest";
import { validatorOf } from "../../src/core/json/json-schema.ts";
import type { ExportedSkill, StepRoles } from "../../src/export/engine-adapter.ts";
import { ENGINES } from "../../src/export/engines.ts";
import { pythonModule } from "../../src/learn/codegen/python-code.ts";
import { PLAN, type Plan } from "../../src/learn/plan/plan.ts";
import { conformanceCases } from "../conformance/cases.ts";
import { CANCEL, DIRECT, MOVE, PLANS, SEND, SERVED, skillOf, TOTAL } from "./plans.ts";

/** Of the steps of `CANCEL`; what calls nothing is of whoever comes before it. */
const ROLES: StepRoles = {
  ofSteps: ["researcher", undefined, "analyst", "researcher"],
  agents: new Map([["researcher", "ResearcherAgent"]]),
};

const engines = [...ENGINES.values()];
/** They call over plain HTTP, which only our server speaks. */
const SERVED_ONLY: ReadonlySet<string> = new Set(["openworkflow", "arazzo"]);
const called = skillOf(MOVE, { work: { kind: "call", mayWrite: true } });

test.each(
  engines.flatMap((engine) => [
    ...(engine.name === "arazzo"
      ? [SEND]
      : [MOVE, CANCEL, ...(engine.name === "airflow" ? [TOTAL] : [])]
    ).map((plan) => ({ engine, skill: skillOf(plan), access: SERVED, how: "served" })),
    ...(engine.name.startsWith("ag2-")
      ? [{ engine, skill: skillOf(CANCEL, { roles: ROLES }), access: DIRECT, how: "roles" }]
      : []),
    ...(SERVED_ONLY.has(engine.name)
      ? []
      : [{ engine, skill: skillOf(MOVE), access: DIRECT, how: "direct" }]),
    { engine, skill: called, access: SERVED, how: "called" },
  ]),
)("$engine.name writes $skill.name as it did: $how", async ({ engine, skill, access, how }) => {
  const files = engine.export(skill, access);
  if (!files.ok) throw new Error(files.error.message);
  const text = files.value.map((file) => `==> ${file.path} <==\n${file.text}`).join("\n");
  const golden = join(import.meta.dirname, "golden", `${engine.name}.${skill.name}.${how}.txt`);
  await expect(text).toMatchFileSnapshot(golden);
});

test.each([
  ["move-order", "move_order"],
  ["json", "skill_json"],
  ["class", "skill_class"],
  ["3d", "skill_3d"],
])("a module of %s stands in the place of no other, and can be imported", (name, module) => {
  expect(pythonModule(name)).toBe(module);
});

const PYTHON = ["langgraph", "airflow", "ag2"];

test.each(PYTHON)("a pattern is refused by %s, which takes it otherwise", (name) => {
  const input = { type: "object", properties: { email: { pattern: "@" } } };
  const told = ENGINES.get(name)?.canExecute(skillOf(MOVE, { input }), SERVED);
  expect(told).toMatchObject({ ok: false, error: { code: "EXPORT_REFUSED" } });
  expect(told).toHaveProperty("error.message", expect.stringContaining('the keyword "pattern"'));
});

test.each([
  ["langgraph", "asyncio.gather"],
  ["langgraph-js", "Promise.all"],
])("%s finds what a node that writes has called by its order, so none is called at once", (name, atOnce) => {
  const textOf = (plan: Plan): string => {
    const files = ENGINES.get(name)?.export(skillOf(plan), SERVED);
    return files?.ok ? (files.value[0]?.text ?? "") : "";
  };
  const [, , totals] = TOTAL.steps;
  const [, , , move] = MOVE.steps;
  const none = { kind: "constant", value: null } as const;
  const within = {
    kind: "switch",
    name: "kind",
    value: none,
    cases: [null, 1].map((equals) => ({ equals, steps: [totals, move], gives: none })),
  };
  const writing = PLAN.parse({
    ...MOVE,
    steps: [...MOVE.steps.slice(0, 3), within],
    output: { value: none, schema: {} },
  });
  expect(textOf(TOTAL)).toContain(atOnce);
  expect(textOf(writing)).not.toContain(atOnce);
});

test("no name of a plan hides one of the module of LangGraph JS", () => {
  const named = JSON.parse(
    JSON.stringify(TOTAL).replaceAll('"totals"', '"state"').replaceAll('"each"', '"calls"'),
  );
  const files = ENGINES.get("langgraph-js")?.export(skillOf(PLAN.parse(named)), SERVED);
  const text = files?.ok ? (files.value[0]?.text ?? "") : "";
  expect(text).toContain("state2: Annotation<any>");
  expect(text).toContain("const state2 = state.state2;");
  expect(text).toContain(".map(async (calls2: any) => {");
});

test.each(["langgraph-js", "temporal", "langgraph"])(
  "cases that only Repertoire can play are left out of what %s has as tests, and counted",
  (name) => {
    const [first, ...rest] = MOVE.steps;
    const steps = [Object.assign({}, first, { tool: "find-somebody", isSkill: true }), ...rest];
    const tools = [{ tool: "shop.find_customer", answer: { kind: "output", output: {} } }] as const;
    const given = { email: "a", status: "b", shipTo: { street: "", city: "", postcode: "", country: "" } };
    const expected = { kind: "error" } as const;
    const cases = [
      { name: "comes to a skill", input: given, expected, tools },
      { name: "comes to nothing", input: {}, expected },
    ];
    const textOf = (skill: ExportedSkill): string => {
      const files = ENGINES.get(name)?.export(skill, SERVED);
      return files?.ok ? files.value.map((file) => file.text).join("\n") : "";
    };
    const calling = textOf(skillOf({ ...MOVE, steps }, { cases }));
    expect(calling).toContain("comes to nothing");
    expect(calling).not.toContain("comes to a skill");
    expect(calling).toContain("Left out: 1 that come to skills that it calls");
    const whole = textOf(skillOf(MOVE, { cases, work: { kind: "call", mayWrite: true } }));
    expect(whole).toContain("comes to nothing");
    expect(whole).toContain("Left out: 1 that tell what tools are answered");
    expect(textOf(skillOf(MOVE, { cases }))).toContain("comes to a skill");
  },
);

test("a contract with nothing that tells of its values has an input in the README that fits it", () => {
  const input = {
    type: "object",
    properties: { zip: { type: "string", pattern: "^[0-9]{5}$" }, count: { type: "integer", minimum: 3 } },
    required: ["zip", "count"],
  };
  const files = ENGINES.get("langgraph-js")?.export(skillOf(TOTAL, { input, cases: [] }), SERVED);
  const text = files?.ok ? (files.value.at(-1)?.text ?? "") : "";
  const [, given = "{}"] = /\{ given: (\{.*?\}) \}/.exec(text) ?? [];
  expect(validatorOf(input)(JSON.parse(given.replaceAll(/(\w+):/g, '"$1":')))).toMatchObject({ ok: true });
});

test.each(["langgraph", "langgraph-js"])(
  "servers whose names differ in signs have variables of their own: %s",
  (name) => {
    const [first, ...rest] = MOVE.steps;
    const steps = [Object.assign({}, first, { tool: "my-shop.find_customer" }), ...rest].map((step, nth) =>
      nth === 1 ? Object.assign({}, step, { tool: "my_shop.list_orders" }) : step,
    );
    const files = ENGINES.get(name)?.export(skillOf({ ...MOVE, steps }), DIRECT);
    const text = files?.ok ? files.value.map((file) => file.text).join("\n") : "";
    for (const variable of ["MY_SHOP_SERVER", "MY_SHOP_2_SERVER", "SHOP_SERVER"])
      expect(text).toContain(`- \`${variable}\`: the address of the server`);
  },
);

const secret: Plan = {
  ...MOVE,
  params: MOVE.params.map((param) => (param.name === "status" ? { ...param, secret: true } : param)),
};

test.each([
  [
    "a condition",
    skillOf({ ...MOVE, preconditions: [{ check: "inputs.email !== ''", critical: true }] }),
    SERVED,
    "its precondition is code",
  ],
  [
    "rounds at once that may write",
    skillOf({
      ...CANCEL,
      steps: CANCEL.steps.map((step) =>
        step.kind === "loop" ? Object.assign({}, step, { order: "parallel" }) : step,
      ),
    }),
    SERVED,
    "cancelled: its rounds run at once, and may write",
  ],
  [
    "a credential in the output",
    skillOf({ ...secret, output: { value: { kind: "param", name: "status" }, schema: {} } }),
    SERVED,
    "credential",
  ],
  ["a skill without its server", called, DIRECT, "which only its own server has"],
  [
    "a credential that a step is given",
    skillOf(MOVE, { work: { kind: "call", mayWrite: true, secrets: ["status"] } }),
    SERVED,
    "status: it is a credential",
  ],
  [
    "a tool of this program",
    skillOf({
      ...MOVE,
      steps: [
        { kind: "call", name: "said", tool: "repertoire.ask_model", args: { kind: "object", fields: [] } },
      ],
      output: { value: { kind: "constant", value: null }, schema: {} },
    }),
    SERVED,
    "said: it calls repertoire.ask_model",
  ],
] as const)("%s is refused, and where", (_, skill, access, why) => {
  for (const engine of engines)
    for (const told of [engine.canExecute(skill, access), engine.export(skill, access)]) {
      const error = told.ok ? undefined : told.error;
      expect(error?.code).toBe("EXPORT_REFUSED");
      expect(error?.message).toContain(why);
    }
});

test("a credential stands in no state of LangGraph JS", () => {
  const files = ENGINES.get("langgraph-js")?.export(skillOf(secret), SERVED);
  const text = files?.ok ? (files.value[0]?.text ?? "") : "";
  expect(text).toContain("const Secrets = Annotation.Root({\n  status: Annotation<string>,\n});");
  expect(text).not.toMatch(/export interface Input \{[^}]*status/);
  expect(text).toContain("hidden(plain(given), this.#secrets)");
});

test.each([
  ["default", { properties: { kind: { properties: { size: { default: 5 } } } } }, {}],
  ["patternProperties", { patternProperties: { "^x": {} } }, {}],
  ["dependencies", { allOf: [{ dependencies: { a: ["b"] } }] }, {}],
  ["nullable", { properties: { list: { items: { type: "string", nullable: true } } } }, {}],
  ["default", {}, { default: 5 }],
])("a contract that Python would hold otherwise is refused: %s", (keyword, input, output) => {
  const told = ENGINES.get("langgraph")?.canExecute(skillOf(TOTAL, { input, output }), SERVED);
  expect(told).toMatchObject({ ok: false, error: { code: "EXPORT_REFUSED" } });
  expect(told).toHaveProperty("error.message", expect.stringContaining(`"${keyword}"`));
});

test("a parameter's own default, and a property of such a name, are exported", () => {
  const input = { properties: { pattern: { type: "string", default: "a" } } };
  expect(ENGINES.get("langgraph")?.canExecute(skillOf(TOTAL, { input }), SERVED)).toMatchObject({ ok: true });
});

test("a credential stands in no state of LangGraph", () => {
  const files = ENGINES.get("langgraph")?.export(skillOf(secret), SERVED);
  const text = files?.ok ? (files.value[0]?.text ?? "") : "";
  expect(text).toContain('Secrets = TypedDict("Secrets", {"status": str}, total=False)');
  expect(text).toContain('Given = TypedDict("Given", {"email": str, "shipTo": dict[str, Any]})');
  expect(text).toContain("hidden(arguments, self.secrets)");
});

test.each(["airflow", "temporal", "openworkflow", "ag2", "ag2-channel", "ag2-groupchat"])(
  "%s, which shows what it is given, is given no credential",
  (name) => {
    const told = ENGINES.get(name)?.canExecute(skillOf(secret), SERVED);
    expect(told).toMatchObject({ ok: false, error: { code: "EXPORT_REFUSED" } });
    expect(told).toHaveProperty("error.message", expect.stringMatching(/^status: it is a credential/));
  },
);

test("documents for Open Workflow are valid, whatever the plan", () => {
  const plans = [...PLANS, ...conformanceCases().map(({ plan }) => plan)];
  const texts = plans.flatMap((plan) => {
    const files = ENGINES.get("openworkflow")?.export(skillOf(plan), SERVED);
    return files?.ok ? [files.value[0]?.text ?? ""] : [];
  });
  expect(texts.length).toBeGreaterThan(300);
  for (const text of new Set(texts)) validate("Workflow", Classes.Workflow.deserialize(text));
});

test.each([
  ["a failure's kind", "a branch on success", "way: what it does depends on the kind of a failure"],
  ["a failure that must be", "a call that must fail, and does", "one: it must fail"],
  ["a text that is read", "labels", "said: its answer's text is read"],
])("what jq or its documents cannot say is refused, and where: %s", (_, name, why) => {
  const plan = conformanceCases().find((each) => each.name.endsWith(`: ${name}`))?.plan;
  const told = plan && ENGINES.get("openworkflow")?.canExecute(skillOf(plan), SERVED);
  expect(told).toMatchObject({ ok: false, error: { code: "EXPORT_REFUSED" } });
  expect(told).toHaveProperty("error.message", expect.stringContaining(why));
});

test("a document whose tools are to be called on their own servers is refused", () => {
  const told = ENGINES.get("openworkflow")?.canExecute(skillOf(MOVE), DIRECT);
  expect(told).toHaveProperty("error.message", expect.stringContaining("plain HTTP"));
});
