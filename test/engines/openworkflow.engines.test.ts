import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { OPEN_WORKFLOW } from "../../src/export/documents/open-workflow.ts";
import { canonicalJson } from "../../src/learn/plan/values.ts";
import { type Case, conformanceCases } from "../conformance/cases.ts";
import { randomRuns } from "../conformance/random-plans.ts";
import { expectedRun, type Ran, randomCase } from "../conformance/runs.ts";
import { EngineShop, RUNS } from "./engine-shop.ts";
import { endedDocuments, openWorkflowRuntime } from "./open-workflow-runtime.ts";
import { type Ended, recordedRuns } from "./recorded-tools.ts";

const classPath = await openWorkflowRuntime();
const isInstalled = !(classPath instanceof Error);
if (!isInstalled)
  console.warn(`Open Workflow is left out: its runtime cannot be installed: ${classPath.message}`);

let here: EngineShop;
let there: EngineShop;
beforeAll(async () => {
  if (!isInstalled) return;
  here = await EngineShop.open();
  there = await EngineShop.open({ hasSkills: false });
});
afterAll(async () => {
  await here?.[Symbol.asyncDispose]();
  await there?.[Symbol.asyncDispose]();
});

function ran(runs: readonly (readonly [text: string, input: Json])[]): Promise<readonly Ended[]> {
  return endedDocuments(String(classPath), join(here.workplace.folder, `documents-${runs.length}`), runs);
}

test.skipIf(!isInstalled)("skills do the same on the reference runtime of Open Workflow", async () => {
  const direct: unknown[] = [];
  for (const [skill, given] of RUNS) direct.push(await here.direct(skill, given));
  const texts = new Map<string, string>();
  for (const [skill] of RUNS)
    if (!texts.has(skill)) {
      const folder = await here.exported(skill, "openworkflow");
      const text = readFileSync(join(folder, `${skill}.workflow.yaml`), "utf8");
      texts.set(skill, text.replace("http://127.0.0.1:3333", new URL(there.url).origin));
    }
  const ended = await ran(RUNS.map(([skill, given]) => [texts.get(skill) ?? "", given]));
  expect(ended.map((each) => ("error" in each ? { error: each.error } : each))).toEqual(direct);
  const made = (shop: EngineShop) => shop.calls.map(({ tool, args }) => `${tool} ${canonicalJson(args)}`);
  expect(made(there)).toEqual(made(here));
  const written = there.calls.filter(({ tool }) => /^(?:cancel|update)_/.test(tool));
  expect(written.length).toBeGreaterThan(2);
  expect(new Set(written.map(({ key }) => key)).size).toBe(written.length);
  expect(written.every(({ key }) => key !== undefined)).toBe(true);
});

/** What plans come to whose calls are answered as they were recorded. */
async function inRuntime(cases: readonly (readonly [Case, string])[]): Promise<readonly Ran[]> {
  return recordedRuns(
    cases.map(([each]) => each),
    async (origins) =>
      ran(
        cases.map(([{ input }, text], nth) => [
          text.replace("http://127.0.0.1:3333", origins[nth] ?? ""),
          input,
        ]),
      ),
  );
}

function documentsOf(cases: readonly Case[]): readonly (readonly [Case, string])[] {
  return cases.flatMap((each) => {
    const { params } = each.plan;
    const required = params.flatMap(({ name, optional }) => (optional === true ? [] : [name]));
    const skill = {
      name: "conforming",
      input: { required },
      output: {},
      cases: [],
      work: { kind: "plan", plan: each.plan },
    } as const;
    const made = OPEN_WORKFLOW.export(skill, { kind: "served", published: (tool) => tool });
    return made.ok ? [[each, made.value[0]?.text ?? ""] as const] : [];
  });
}

test.skipIf(!isInstalled)("documents come to what plans say", async () => {
  const cases = documentsOf(conformanceCases());
  expect(cases.length).toBeGreaterThan(300);
  const came = await inRuntime(cases);
  expect(cases.map(([{ name }], nth) => [name, came[nth]])).toEqual(
    cases.map(([each]) => [each.name, expectedRun(each)]),
  );
});

test.skipIf(!isInstalled)("documents come to what the evaluator says, whatever the plan", async () => {
  const runs = fc.sample(randomRuns, { numRuns: 200, seed: 7 });
  const cases = documentsOf(await Promise.all(runs.map(randomCase)));
  expect(cases.filter(([{ ends }]) => "output" in ends).length).toBeGreaterThan(10);
  const came = await inRuntime(cases);
  expect(cases.map(([{ name }], nth) => [name, came[nth]])).toEqual(
    cases.map(([each]) => [each.name, expectedRun(each)]),
  );
});
