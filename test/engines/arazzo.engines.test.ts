import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import { validatorOf } from "../../src/core/json/json-schema.ts";
import { ARAZZO } from "../../src/export/documents/arazzo.ts";
import type { ExportFile } from "../../src/export/engine-adapter.ts";
import { canonicalJson } from "../../src/learn/plan/values.ts";
import { planWorkflow } from "../../src/workflow/plan-workflow.ts";
import { type Case, conformanceCases } from "../conformance/cases.ts";
import { evaluated, expectedRun } from "../conformance/runs.ts";
import { SEND, SERVED, skillOf } from "../export/plans.ts";
import { enginePython, engineModules, EngineShop, RUNS, started } from "./engine-shop.ts";
import { type Ended, recordedRuns } from "./recorded-tools.ts";

const python = await enginePython("arazzo");
const isInstalled = typeof python === "string";
if (!isInstalled) console.warn(`Arazzo is left out: its runner cannot be installed: ${python.message}`);
const modules = await engineModules("arazzo-js");
if (typeof modules !== "string")
  console.warn(`The check of Arazzo documents is left out: ${modules.message}`);

let here: EngineShop;
let there: EngineShop;
beforeAll(async () => {
  if (!isInstalled) return;
  const send = planWorkflow(SEND);
  if (!send.ok) throw new Error(send.error.message);
  here = await EngineShop.open({ documents: [send.value] });
  there = await EngineShop.open({ documents: [send.value] });
});
afterAll(async () => {
  await here?.[Symbol.asyncDispose]();
  await there?.[Symbol.asyncDispose]();
});

/** What was exported, with another address of the server, in one process: how each has ended. */
async function ran(
  runs: readonly { readonly files: readonly ExportFile[]; readonly origin: string; readonly input: Json }[],
): Promise<readonly Ended[]> {
  const named = runs.map(({ files, origin, input }, nth) => {
    const folder = join(here.workplace.folder, `runs-${runs.length}`, String(nth));
    mkdirSync(folder, { recursive: true });
    for (const { path, text } of files)
      writeFileSync(join(folder, path), text.replace("http://127.0.0.1:3333", origin));
    return [folder, input];
  });
  const list = join(here.workplace.folder, `runs-${runs.length}.json`);
  writeFileSync(list, JSON.stringify(named));
  const program = join(import.meta.dirname, "run_arazzo.py");
  return (await started(String(python), [program, list], {}).ended) as unknown as Ended[];
}

const to = { street: "Rue Neuve 2", city: "Annecy", postcode: "74000", country: "FR" };
/** Good and bad, for steps of their own and for one that calls the skill. */
const GIVEN: readonly JsonObject[] = [
  { id: "O-1002", shipTo: to },
  { id: "O-1004", shipTo: { ...to, street: "$inputs.id" } },
  { id: "O-1005", shipTo: { ...to, street: "5 {$inputs.id}" } },
  { id: "O-1001", shipTo: to },
  { id: "O-9999", shipTo: to },
  { id: "O-1002", shipTo: { ...to, country: "" } },
  { id: "O-1002", shipTo: { street: 5 } },
  { id: "O-1002" },
  { id: "", shipTo: to },
];

test.skipIf(!isInstalled)("skills do the same on the runner of Jentic", async () => {
  const runs = [
    ...GIVEN.map((input) => ({ skill: SEND.name, input, more: [] as string[] })),
    ...RUNS.map(([skill, input]) => ({ skill, input, more: ["--whole"] })),
    ...GIVEN.map((input) => ({ skill: SEND.name, input, more: ["--whole"] })),
  ];
  const direct: unknown[] = [];
  for (const { skill, input } of runs) direct.push(await here.direct(skill, input));
  expect(direct.filter((each) => JSON.stringify(each).startsWith('{"output"')).length).toBeGreaterThan(6);
  const exported = new Map<string, readonly ExportFile[]>();
  for (const { skill, more } of runs) {
    const key = [skill, ...more].join("");
    if (exported.has(key)) continue;
    const folder = await here.exported(skill, "arazzo", ...more);
    const paths = [`${skill}.arazzo.yaml`, "openapi.json", "run.py"];
    exported.set(
      key,
      paths.map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") })),
    );
  }
  const { origin } = new URL(there.url);
  const ended = await ran(
    runs.map(({ skill, input, more }) => ({
      files: exported.get([skill, ...more].join("")) ?? [],
      origin,
      input,
    })),
  );
  expect(ended.map((each) => ("error" in each ? { error: each.error } : each))).toEqual(direct);
  const made = (shop: EngineShop) => shop.calls.map(({ tool, args }) => `${tool} ${canonicalJson(args)}`);
  expect(made(there)).toEqual(made(here));
  const nobody = await ran([
    { files: exported.get(SEND.name) ?? [], origin: "http://127.0.0.1:9", input: GIVEN[0] ?? null },
  ]);
  expect(nobody).toMatchObject([{ error: "SKILL_THREW", why: expect.stringContaining("get_order: ") }]);
});

const OWN_NAMES = { kind: "served", published: (tool: string) => tool } as const;

/** The cases of which Arazzo can say the plan. */
function exportedCases(): readonly (readonly [Case, readonly ExportFile[]])[] {
  return conformanceCases().flatMap((each) => {
    const { params } = each.plan;
    const required = params.flatMap(({ name, optional }) => (optional === true ? [] : [name]));
    const skill = { name: "conforming", input: { required }, output: each.plan.output.schema, cases: [] };
    const made = ARAZZO.export({ ...skill, work: { kind: "plan", plan: each.plan } }, OWN_NAMES);
    return made.ok ? [[each, made.value] as const] : [];
  });
}

const ORDER: JsonObject = { id: "O-1", customerId: "C-1", status: "pending" };
/** What the first call answers, and the last. */
const ANSWERS: readonly (readonly [Json, Json])[] = [
  [{ order: ORDER }, { order: {} }],
  [{ order: { ...ORDER, id: "$inputs.id", status: "{$inputs.id}" } }, { order: { note: "$inputs.id" } }],
  [{ order: { ...ORDER, id: 7, status: false, customerId: ["C-1", null] } }, { order: {} }],
  [{ order: { ...ORDER, id: 0, status: "null", customerId: {} } }, { order: {} }],
  ...[null, "", undefined].flatMap((nothing): (readonly [Json, Json])[] => {
    const { id: _id, ...others } = ORDER;
    const { status: _status, ...more } = ORDER;
    return nothing === undefined
      ? [
          [{ order: others }, { order: {} }],
          [{ order: more }, { order: {} }],
        ]
      : [
          [{ order: { ...ORDER, id: nothing } }, { order: {} }],
          [{ order: { ...ORDER, status: nothing } }, { order: {} }],
        ];
  }),
  [{ order: null }, { order: {} }],
  [{ order: [ORDER] }, { order: {} }],
  [{ order: "O-1" }, { order: {} }],
  [{}, { order: {} }],
  ["O-1", { order: {} }],
  [null, { order: {} }],
  [{ order: ORDER }, { order: null }],
  [{ order: ORDER }, { order: "" }],
  [{ order: ORDER }, {}],
  [{ order: ORDER }, "done"],
  [{ order: ORDER }, null],
];

/** Answers that tell what is needed, and that do not; with what the evaluator says of them. */
async function answeredCases(): Promise<readonly (readonly [Case, readonly ExportFile[]])[]> {
  const made = ARAZZO.export(skillOf(SEND), OWN_NAMES);
  if (!made.ok) throw new Error(made.error.message);
  const fits = validatorOf(SEND.output.schema);
  const cases = ANSWERS.map(async ([first, last], nth) => {
    const order = isJsonObject(first) && isJsonObject(first["order"]) ? first["order"] : {};
    const { id = null, customerId = null, status = null } = order;
    const input = { id: "O-1", shipTo: to };
    const calls = [
      { tool: "shop.get_order", args: { id: "O-1" }, result: first },
      { tool: "shop.list_orders", args: { customerId, status }, result: { orders: [] } },
      { tool: "shop.update_order_address", args: { id, shipTo: to }, result: last },
    ];
    const each = { name: `answers ${nth}`, plan: SEND, input, calls, ends: { output: null } } as const;
    const run = await evaluated(each);
    const isFit = "output" in run.ends && fits(structuredClone(run.ends.output)).ok;
    const ends = "output" in run.ends && !isFit ? ({ stops: "error" } as const) : run.ends;
    return [{ ...each, calls: calls.slice(0, run.calls.length), ends }, made.value] as const;
  });
  return Promise.all(cases);
}

test.skipIf(!isInstalled)("workflows come to what plans say, whatever is answered", async () => {
  const cases = [...exportedCases(), ...(await answeredCases())];
  const stopped = cases.filter(([{ ends }]) => "stops" in ends);
  expect([stopped.length > 10, cases.length - stopped.length > 4]).toEqual([true, true]);
  const came = await recordedRuns(
    cases.map(([each]) => each),
    async (origins) =>
      ran(cases.map(([{ input }, files], nth) => ({ files, origin: origins[nth] ?? "", input }))),
  );
  expect(cases.map(([{ name }], nth) => [name, came[nth]])).toEqual(
    cases.map(([each]) => [each.name, expectedRun(each)]),
  );
});

test.skipIf(typeof modules !== "string")("workflows are valid", async () => {
  const core = join(String(modules), "@redocly/openapi-core/lib/index.js");
  const { createConfig, lintFromString } = (await import(pathToFileURL(core).href)) as {
    readonly createConfig: (config: Json) => Promise<unknown>;
    readonly lintFromString: (options: {
      readonly source: string;
      readonly config: unknown;
    }) => Promise<readonly { readonly message: string }[]>;
  };
  const config = await createConfig({ extends: ["spec"] });
  const faults = async (source: string): Promise<readonly string[]> =>
    (await lintFromString({ source, config })).map(({ message }) => message);
  const skills = [SEND, ...exportedCases().map(([{ plan }]) => plan)].map((plan) => skillOf(plan));
  const whole = skillOf(SEND, { work: { kind: "call", mayWrite: true } });
  const documents = [...skills, whole].flatMap((skill) => {
    const files = ARAZZO.export(skill, SERVED);
    return files.ok ? files.value.filter(({ path }) => /\.(?:yaml|json)$/.test(path)) : [];
  });
  expect(documents.length).toBeGreaterThan(5);
  for (const { text } of documents) expect(await faults(text)).toEqual([]);
  const [{ text } = { text: "" }] = documents;
  expect(await faults(text.replace("stepId: get_order", "name: get_order"))).not.toEqual([]);
});
