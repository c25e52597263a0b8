import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { failure } from "../../src/core/error.ts";
import { fail, ok, type Result } from "../../src/core/result.ts";
import type { ExportedSkill } from "../../src/export/engine-adapter.ts";
import { ENGINES } from "../../src/export/engines.ts";
import type { Plan } from "../../src/learn/plan/plan.ts";
import { planWorkflow } from "../../src/workflow/plan-workflow.ts";
import type { Workflow } from "../../src/workflow/workflow.ts";
import { conformanceCases } from "../conformance/cases.ts";
import { randomRuns } from "../conformance/random-plans.ts";
import { expectedRun, inPython, randomCase } from "../conformance/runs.ts";
import { CANCEL, MOVE, TOTAL } from "../export/plans.ts";
import { callTexts, EngineShop, enginePython, RUNS, started } from "./engine-shop.ts";

const python = await enginePython("ag2");
const isInstalled = !(python instanceof Error);
if (!isInstalled) console.warn(`AG2 is left out: it cannot be installed: ${python.message}`);

const FORMS = [
  ["ag2", "agent"],
  ["ag2-channel", "channel"],
  ["ag2-groupchat", "groupchat"],
] as const;

/** A document whose steps have roles, which take turns. */
const BY_ROLE = "cancel-by-role";
function byRole(): Workflow {
  const made = planWorkflow({ ...CANCEL, name: BY_ROLE });
  if (!made.ok) throw new Error(made.error.message);
  const { skill, ...rest } = made.value;
  const roles = ["researcher", "ревизор", "researcher", "front desk"];
  const tasks = skill.workflow.tasks.map((task, nth) => ({ ...task, role: roles[nth] }));
  const hints = { ag2: { agent_mapping: { researcher: "ResearcherAgent" } } };
  return {
    ...rest,
    skill: { ...skill, framework_adapters: hints, workflow: { ...skill.workflow, tasks } },
  };
}

type Run = readonly [skill: string, given: JsonObject];
const MADE: readonly Run[] = [
  ...RUNS,
  [BY_ROLE, { email: "bruno@example.org" }],
  [BY_ROLE, { email: "elsa@example.org" }],
];
const isAtOnce = ([skill]: Run): boolean => skill === TOTAL.name;
const [READING, OTHERS] = [MADE.filter(isAtOnce), MADE.filter((each) => !isAtOnce(each))];

let here: EngineShop;
let direct: readonly Json[];
let wanted: readonly string[];

beforeAll(async () => {
  if (!isInstalled) return;
  here = await EngineShop.open({ documents: [byRole()] });
  const ended: Json[] = [];
  for (const [skill, given] of [...OTHERS, ...READING]) ended.push({ ...(await here.direct(skill, given)) });
  direct = ended;
  wanted = callTexts(here.calls);
});
afterAll(async () => {
  await here?.[Symbol.asyncDispose]();
});

function ended(runs: readonly Json[], env: Readonly<Record<string, string>>): Promise<Json> {
  const script = join(import.meta.dirname, "run_ag2.py");
  return started(String(python), [script, JSON.stringify(runs)], env).ended;
}

const moduleOf = (skill: string, noun: string): string => `${skill.replaceAll("-", "_")}_${noun}`;

test.skipIf(!isInstalled).for(FORMS)(
  "skills do the same with %s, with the same calls in their order",
  async ([to, noun]) => {
    await using there = await EngineShop.open({ hasSkills: false });
    const folders = new Map<string, string>();
    for (const [skill] of MADE) if (!folders.has(skill)) folders.set(skill, await here.exported(skill, to));
    const runs = [...OTHERS, ...READING].map(([skill, input]) => [
      folders.get(skill) ?? "",
      moduleOf(skill, noun),
      input,
    ]);
    expect(await ended(runs, { REPERTOIRE_URL: there.url })).toEqual(direct);
    const made = callTexts(there.calls);
    // Rounds that are made at once have no order among them.
    const atOnce = made.findLastIndex((text) => text.startsWith("list_orders"));
    expect(made.slice(0, atOnce)).toEqual(wanted.slice(0, atOnce));
    expect(made.toSorted()).toEqual(wanted.toSorted());
    const writes = there.calls.filter(({ tool }) => /cancel|update/.test(tool));
    expect(writes.length).toBeGreaterThan(1);
    expect(new Set(writes.flatMap(({ key }) => key ?? [])).size).toBe(writes.length);
  },
);

test.skipIf(!isInstalled).for(FORMS)("%s does what the evaluator says, whatever the plan", async ([to]) => {
  const random = await Promise.all(fc.sample(randomRuns, { numRuns: 40, seed: 17 }).map(randomCase));
  const printed = (plan: Plan): Result<string> => {
    // Each step is another one's, so that all there is between steps is told.
    const roles = { ofSteps: plan.steps.map((_, nth) => ["first", "second"][nth % 2]), agents: new Map() };
    const about = { name: plan.name, input: {}, output: {}, cases: [] };
    const skill: ExportedSkill = { ...about, work: { kind: "plan", plan }, roles };
    const files = ENGINES.get(to)?.export(skill, { kind: "served", published: (tool) => tool });
    return files?.ok ? ok(files.value[0]?.text ?? "") : (files ?? fail(failure("EXPORT_REFUSED", to)));
  };
  // What expressions are as Python is shown without an engine.
  const ofSteps = conformanceCases().filter(({ name }) => /^(?:calls|decisions|loops): /.test(name));
  const all = [...ofSteps, ...random];
  const cases = all.filter(({ plan }) => printed(plan).ok);
  const ran = inPython(cases, { python: String(python), printed }) ?? [];
  expect(cases.length).toBeGreaterThan(all.length * 0.9);
  expect(ran.map((each, nth) => [cases[nth]?.name, each])).toEqual(
    cases.map((each) => [each.name, expectedRun(each)]),
  );
});

test.skipIf(!isInstalled).for(FORMS)("the skill's cases hold with %s", async ([to]) => {
  const folder = join(here.workplace.folder, to, MOVE.name);
  expect(await started(String(python), ["-c", CASES, folder], {}).ended).toBe(1);
});

const CASES = `import sys, unittest
sys.path.insert(0, sys.argv[1])
result = unittest.TextTestRunner().run(unittest.defaultTestLoader.discover(sys.argv[1]))
print(result.testsRun if result.wasSuccessful() else -1)`;

test.skipIf(!isInstalled).for(FORMS)(
  "%s reaches the tools without Repertoire through --direct",
  { tags: "quick" },
  async ([to, noun]) => {
    const folder = await here.exported(MOVE.name, to, "--direct");
    const [, given] = RUNS[0] ?? [];
    const shop = join(import.meta.dirname, "../../examples/shop-server.ts");
    const told = await ended([[folder, moduleOf(MOVE.name, noun), given ?? {}]], {
      SHOP_SERVER: `${process.execPath} --disable-warning=ExperimentalWarning ${shop}`,
      REPERTOIRE_URL: "http://127.0.0.1:9/mcp",
    });
    expect(told).toMatchObject([{ output: { order: { shipTo: given?.["shipTo"] } } }]);
  },
);

// All exports in Python have the same client.
const TOLD = `import asyncio, datetime, importlib, json, sys
sys.path.insert(0, sys.argv[1])
skill = importlib.import_module(sys.argv[2])
skill.TIMEOUT = datetime.timedelta(seconds=2)
try:
    asyncio.run(skill.run(json.loads(sys.argv[3])))
except skill.SkillError as error:
    print(json.dumps([error.code, str(error)]))`;

test.skipIf(!isInstalled)(
  "where nobody answers, it is told who did not, and what is to be set",
  { tags: "quick" },
  async () => {
    const [, given] = RUNS[0] ?? [];
    const module = moduleOf(MOVE.name, "agent");
    const told = async (folder: string, env: Readonly<Record<string, string>>): Promise<Json> =>
      started(String(python), ["-c", TOLD, folder, module, JSON.stringify(given)], env).ended;
    await using shop = await EngineShop.open();
    const through = await shop.exported(MOVE.name, "ag2");
    const direct = await shop.exported(MOVE.name, "ag2", "--direct");
    expect(await told(through, { REPERTOIRE_URL: "http://127.0.0.1:9/mcp" })).toEqual([
      "TOOL_FAILED",
      "shop.find_customer: nobody has answered at REPERTOIRE_URL, http://127.0.0.1:9/mcp, where repertoire serve --http is to run (All connection attempts failed)",
    ]);
    expect(await told(direct, { SHOP_SERVER: "" })).toEqual([
      "CONFIG_INVALID",
      'SHOP_SERVER is to have the address of the server "shop", or the command that starts it; it is not set',
    ]);
    for (const [command, why] of [
      ["/no/such/program", /No such file or directory/],
      [`${process.execPath} -e 0`, /Connection closed/],
      [`${process.execPath} -e setInterval(()=>{},1000)`, /Timed out/],
    ] as const)
      expect(await told(direct, { SHOP_SERVER: command })).toEqual([
        "TOOL_FAILED",
        expect.stringMatching(
          new RegExp(`^shop.find_customer: nobody has answered at what SHOP_SERVER names \\(.*${why.source}`),
        ),
      ]);
    shop.hold(true);
    expect(await told(through, { REPERTOIRE_URL: shop.url })).toEqual([
      "TOOL_FAILED",
      expect.stringMatching(/^shop.find_customer: nobody has answered at REPERTOIRE_URL.*Timed out/),
    ]);
  },
);
