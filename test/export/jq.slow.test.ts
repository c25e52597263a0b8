import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { JqPrinter, NotInJq } from "../../src/export/documents/jq-expression.ts";
import { suppliedNames } from "../../src/learn/codegen/answered.ts";
import { subexpressions } from "../../src/learn/plan/expression.ts";
import { expressionsOf } from "../../src/learn/plan/steps.ts";
import { type Case, conformanceCases, type Ending } from "../conformance/cases.ts";
import { type RandomRun, randomRuns } from "../conformance/random-plans.ts";
import { randomCase } from "../conformance/runs.ts";

/** What a case's output is as jq; undefined: jq cannot say it. */
function codeOf({ plan }: Case): string | undefined {
  const printer = new JqPrinter({
    params: new Map(plan.params.map((param) => [param.name, param])),
    given: suppliedNames(plan),
    input: "$workflow.input",
    ref: (name) => ({
      code: plan.steps.some((step) => "name" in step && step.name === name) ? `$context.${name}` : `$${name}`,
      holds: "value",
    }),
  });
  try {
    return printer.output(plan.output.value);
  } catch (error) {
    if (error instanceof NotInJq) return undefined;
    throw error;
  }
}

/** How the outputs of plans that make one call end in jq; undefined: there is no jq. */
function inJq(cases: readonly Case[]): readonly Ending[] | undefined {
  const folder = mkdtempSync(join(tmpdir(), "jq-"));
  const file = join(folder, "some.jq");
  const endings: Ending[] = [];
  try {
    // It takes much longer to read a long program than several short ones.
    for (let from = 0; from < cases.length; from += 20) {
      writeFileSync(
        file,
        cases
          .slice(from, from + 20)
          .map(programOf)
          .join(",\n"),
      );
      const { status, stdout, stderr, error } = spawnSync("jq", ["-n", "-c", "-f", file], {
        encoding: "utf8",
      });
      if (error) return undefined;
      if (status !== 0) throw new Error(stderr.slice(0, 4000));
      endings.push(
        ...stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Ending),
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return endings;
}

function programOf(each: Case): string {
  const [step] = each.plan.steps;
  const context = { [step && "name" in step ? step.name : ""]: each.calls[0]?.result ?? null };
  return `(${JSON.stringify(context)} as $context | ${JSON.stringify({ input: each.input })} as $workflow
    | try {output: (${codeOf(each) ?? "null"})} catch {stops: "error"})`;
}

const EXPRESSIONS = conformanceCases().filter(
  ({ plan, calls }) => plan.steps.length === 1 && calls[0]?.tool === "world.ask",
);

test("expressions printed as jq come to what the plan says", ({ skip }) => {
  const cases = EXPRESSIONS.filter((each) => codeOf(each) !== undefined);
  const ran = inJq(cases);
  if (!ran) return skip("there is no jq");
  expect(cases.map(({ name }, nth) => [name, ran[nth]])).toEqual(cases.map(({ name, ends }) => [name, ends]));
});

test("only lists that would have to hold nothing are not jq", () => {
  const refused = EXPRESSIONS.filter((each) => codeOf(each) === undefined).map(({ name }) => name);
  expect(refused).toEqual([]);
});

/** The expressions of a random plan that take what its first call gives, each as the output of a plan. */
function runsOf({ plan, input, answers }: RandomRun): readonly RandomRun[] {
  const [one] = plan.steps;
  const own = [...plan.steps.flatMap(expressionsOf), plan.output.value].filter((expression) =>
    subexpressions(expression).every(
      (part) => part.kind !== "ref" || !/^(?:two|each|inner|made|other|done)$/.test(part.name),
    ),
  );
  return own.map((value) => ({
    plan: { ...plan, steps: one ? [one] : [], output: { value, schema: {} } },
    input,
    answers,
  }));
}

test("random expressions printed as jq come to what the evaluator says", async ({ skip }) => {
  const runs = fc.sample(randomRuns, { numRuns: 100, seed: 5 }).flatMap(runsOf);
  const made = await Promise.all(runs.map(randomCase));
  const cases = made.filter(
    (each) => each.calls.length === 1 && each.calls[0]?.error === undefined && codeOf(each) !== undefined,
  );
  const ran = inJq(cases);
  if (!ran) return skip("there is no jq");
  expect(cases.filter(({ ends }) => "output" in ends).length).toBeGreaterThan(cases.length / 10);
  const others = cases.flatMap((each, nth) =>
    JSON.stringify(ran[nth]) === JSON.stringify(each.ends)
      ? []
      : [[codeOf(each), each.calls, each.input, ran[nth], each.ends]],
  );
  expect(others.slice(0, 4)).toEqual([]);
});
