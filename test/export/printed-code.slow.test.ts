import { spawnSync } from "node:child_process";
import ts from "typescript";
import { expect, test } from "vitest";
import { ENGINES } from "../../src/export/engines.ts";
import { conformanceCases } from "../conformance/cases.ts";
import { DIRECT, PLANS, SERVED, skillOf } from "./plans.ts";

const engines = [...ENGINES.values()];

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

test("what is written as TypeScript is TypeScript that Node runs as it is, whatever the plan", () => {
  const engines = ["langgraph-js", "temporal"].map((name) => ENGINES.get(name));
  const ofSteps = conformanceCases().filter(({ name }) => /^(?:calls|decisions|loops): /.test(name));
  const texts = [...PLANS, ...ofSteps.map(({ plan }) => plan)].flatMap((plan) =>
    engines.flatMap((engine) => {
      const files = engine?.export(skillOf(plan), DIRECT);
      return files?.ok ? files.value.filter(({ path }) => path.endsWith(".ts")).map(({ text }) => text) : [];
    }),
  );
  expect(texts.length).toBeGreaterThan(50);
  const compilerOptions = {
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    module: ts.ModuleKind.ESNext,
  };
  const faults = [...new Set(texts)].flatMap((text) => {
    const { diagnostics = [] } = ts.transpileModule(text, { compilerOptions, reportDiagnostics: true });
    return diagnostics.map(({ messageText }) => messageText);
  });
  expect(faults).toEqual([]);
});
