import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { ExportedSkill, StepRoles, ToolAccess } from "../../src/export/engine-adapter.ts";
import { ENGINES } from "../../src/export/engines.ts";
import type { Plan } from "../../src/learn/plan/plan.ts";
import { conformanceCases } from "../conformance/cases.ts";
import { CANCEL, MOVE, PLANS } from "./plans.ts";

const SERVED: ToolAccess = { kind: "served", published: (tool) => tool.replace(".", "__") };
const DIRECT: ToolAccess = { kind: "direct" };

function skillOf(plan: Plan, rest: Partial<ExportedSkill> = {}): ExportedSkill {
  const { name, description, params, output } = plan;
  const input: JsonObject = {
    type: "object",
    properties: Object.fromEntries(params.map((param) => [param.name, param.schema])),
    required: params.flatMap((param) => (param.optional === true ? [] : [param.name])),
  };
  const cases = [
    { name: "needs email", input: {}, expected: { kind: "error", code: "INPUT_INVALID" } },
  ] as const;
  return { name, description, input, output: output.schema, cases, work: { kind: "plan", plan }, ...rest };
}

/** Of the steps of `CANCEL`; what calls nothing is of whoever comes before it. */
const ROLES: StepRoles = {
  ofSteps: ["researcher", undefined, "analyst", "researcher"],
  agents: new Map([["researcher", "ResearcherAgent"]]),
};

const engines = [...ENGINES.values()];
const called = skillOf(MOVE, { work: { kind: "call", mayWrite: true } });

test.each(
  engines.flatMap((engine) => [
    [engine, skillOf(MOVE), SERVED, "served"] as const,
    [engine, skillOf(CANCEL), SERVED, "served"] as const,
    ...(engine.name.startsWith("ag2-")
      ? [[engine, skillOf(CANCEL, { roles: ROLES }), DIRECT, "roles"] as const]
      : []),
    [engine, skillOf(MOVE), DIRECT, "direct"] as const,
    [engine, called, SERVED, "called"] as const,
  ]),
)("$0.name writes $1.name as it did: $3", async (engine, skill, access, how) => {
  const files = engine.export(skill, access);
  if (!files.ok) throw new Error(files.error.message);
  const text = files.value.map((file) => `==> ${file.path} <==\n${file.text}`).join("\n");
  const golden = join(import.meta.dirname, "golden", `${engine.name}.${skill.name}.${how}.txt`);
  await expect(text).toMatchFileSnapshot(golden);
});

test("what is written as Python is Python, whatever the plan", ({ skip }) => {
  // What expressions are as Python is shown by the conformance suite.
  const ofSteps = conformanceCases().filter(({ name }) => /^(?:calls|decisions|loops): /.test(name));
  const plans = [...PLANS, ...ofSteps.map(({ plan }) => plan)];
  const texts = engines.flatMap((engine) =>
    plans.flatMap((plan) =>
      [SERVED, DIRECT].flatMap((access) => {
        const files = engine.export(skillOf(plan), access);
        return files.ok ? files.value.filter(({ path }) => path.endsWith(".py")).map(({ text }) => text) : [];
      }),
    ),
  );
  expect(texts.length).toBeGreaterThan(50);
  const parse = "import ast, json, sys\nfor each in json.load(sys.stdin): ast.parse(each)";
  const input = JSON.stringify([...new Set(texts)]);
  const { error, status, stderr } = spawnSync("python3", ["-c", parse], { input, encoding: "utf8" });
  if (error) return skip("there is no python3");
  expect([status, stderr]).toEqual([0, ""]);
});

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
    "a pattern",
    skillOf(MOVE, { input: { type: "object", properties: { email: { pattern: "@" } } } }),
    SERVED,
    'the keyword "pattern"',
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

test("a credential stands in no state of LangGraph", () => {
  const files = ENGINES.get("langgraph")?.export(skillOf(secret), SERVED);
  const text = files?.ok ? (files.value[0]?.text ?? "") : "";
  expect(text).toContain('Secrets = TypedDict("Secrets", {"status": str}, total=False)');
  expect(text).toContain('Given = TypedDict("Given", {"email": str, "shipTo": dict[str, Any]})');
  expect(text).toContain("hidden(arguments, self.secrets)");
});

test.each(["airflow", "ag2", "ag2-channel", "ag2-groupchat"])(
  "%s, which shows what it is given, is given no credential",
  (name) => {
    const told = ENGINES.get(name)?.canExecute(skillOf(secret), SERVED);
    expect(told).toMatchObject({ ok: false, error: { code: "EXPORT_REFUSED" } });
    expect(told).toHaveProperty("error.message", expect.stringMatching(/^status: it is a credential/));
  },
);
