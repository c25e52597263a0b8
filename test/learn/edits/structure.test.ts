import { afterAll, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import type { Edit } from "../../../src/learn/edits/edits.ts";
import { revisedPlan } from "../../../src/learn/edits/revised-plan.ts";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import { callsIn, type WorldTools } from "../live.ts";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import { ok } from "../../../src/core/result.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { type Told, traceOf } from "../learned.ts";
import { failing, fault, RealDrafts, value } from "./real-drafts.ts";
import { runner } from "../../shared-threads.ts";

const real = new RealDrafts();
afterAll(() => real.close());

/** Some of the cameras at a gate are switched off, as the user names them; nothing else tells these from the others. */
const CAMERAS = ["cam-north", "cam-south", "cam-yard", "cam-roof"];
function switchedOff(chosen: readonly string[]): RecordedTrace {
  return traceOf("Switch off those that I told you of at gate 7", [
    ["site.list_cameras", { gate: "gate 7" }, { cameras: CAMERAS.map((id) => ({ id, zoom: 3 })) }],
    ...chosen.map((id): Told => ["site.switch_off", { camera: id }, { off: id }]),
  ]);
}

/** Visitors get badges, the last of them first. */
const VISITORS = [
  { id: "V-501", key: "blue-11", name: "Ines Rocha" },
  { id: "V-502", key: "grey-12", name: "Tomas Berg" },
];
const BADGES = traceOf("Give badges to those with the keys grey-12 and blue-11 in Lund", [
  ["desk.list_today", { site: "Lund" }, { visitors: VISITORS }],
  ...VISITORS.toReversed().map(({ id, name }): Told => [
    "desk.print_badge",
    { visitor: id, name },
    { ok: 1 },
  ]),
]);

/** More is done for each visitor than synthesis looks for in a round. */
const STATIONS = ["greet", "photograph", "brief", "badge", "seat"] as const;
const RECEPTION = traceOf("Receive all visitors of Lund", [
  ["desk.list_today", { site: "Lund" }, { visitors: VISITORS }],
  ...VISITORS.flatMap(({ id }) =>
    STATIONS.map((station): Told => [`desk.${station}`, { visitor: id }, { done: `${station} ${id}` }]),
  ),
]);

const callNames = ({ steps }: Plan, tool: RegExp): string[] =>
  steps.flatMap((step) => (step.kind === "call" && tool.test(step.tool) ? [step.name] : []));

test("calls for what the user names become a loop over a list that callers give, of any length", async () => {
  const draft = await real.of([switchedOff(["cam-south", "cam-roof"])]);
  const steps = callNames(draft.plan, /switch_off/);
  expect(steps).toHaveLength(2);
  const revised = await real.revised(draft, [{ kind: "fold", steps, over: "" }]);
  expect(failing(revised)).toEqual([]);
  expect(revised.plan.params).toMatchObject([
    { name: "gate" },
    {
      name: "cameras",
      schema: { type: "array", items: { type: "string" } },
      example: ["cam-south", "cam-roof"],
    },
  ]);
  const calls = await callsIn(runner, revised.plan, {}, { gate: "gate 2", cameras: ["a", "b", "c"] });
  expect(calls.slice(1)).toEqual(["a", "b", "c"].map((id) => `site.switch_off {"camera":"${id}"}`));
  const held = { heldOut: [{ digest: "three", trace: switchedOff(["cam-yard", "cam-north", "cam-roof"]) }] };
  expect(failing(await real.verified(draft.name, held))).toEqual([]);
});

test("what each round looks up in an answer is looked up in each round of the loop", async () => {
  const draft = await real.of([BADGES]);
  const steps = callNames(draft.plan, /print_badge/);
  const revised = await real.revised(draft, [{ kind: "fold", steps, over: "" }]);
  expect(failing(revised)).toEqual([]);
  expect(revised.plan.params.map(({ name, example }) => [name, example])).toEqual([
    ["site", "Lund"],
    [expect.stringMatching(/s$/), ["grey-12", "blue-11"]],
  ]);
  const today = { visitors: [...VISITORS, { id: "V-601", key: "red-77", name: "Mila Novak" }] };
  const list = revised.plan.params[1]?.name ?? "";
  const calls = await callsIn(
    runner,
    revised.plan,
    { "desk.list_today": () => today },
    {
      site: "Oslo",
      [list]: ["red-77"],
    },
  );
  expect(calls.slice(1)).toEqual(['desk.print_badge {"visitor":"V-601","name":"Mila Novak"}']);
});

test("rounds over all elements of an answer become a loop over that list, whatever it holds", async () => {
  const draft = await real.of([RECEPTION]);
  const steps = callNames(draft.plan, /greet|photo|brief|badge|seat/);
  expect(steps).toHaveLength(10);
  const [list = ""] = callNames(draft.plan, /list_today/);
  const edit: Edit = { kind: "fold", steps, over: `${list}.visitors` };
  const revised = await real.revised(draft, [edit]);
  expect(failing(revised)).toEqual([]);
  expect(revised.plan.params.map(({ name }) => name)).toEqual(["site"]);
  const world: WorldTools = { "desk.list_today": () => ({ visitors: [{ id: "V-9", key: "k", name: "n" }] }) };
  const calls = await callsIn(runner, revised.plan, world, { site: "Oslo" });
  expect(calls.slice(1)).toEqual(STATIONS.map((station) => `desk.${station} {"visitor":"V-9"}`));
  const asked = value(revisedPlan(draft, [edit], { model: "model x" })).plan;
  const [loop] = asked.steps.flatMap((step) => (step.kind === "loop" ? [step.name] : []));
  expect(asked.questions).toMatchObject([{ kind: "element", step: loop, path: [], decidedBy: "model x" }]);
});

test.each<readonly [string, RecordedTrace, (steps: string[]) => Edit, RegExp]>([
  [
    "a list whose elements are in another order",
    BADGES,
    ([list = "", ...steps]) => ({ kind: "fold", steps, over: `${list}.visitors` }),
    /not in the elements in their order/,
  ],
  [
    "a list with more elements than rounds",
    switchedOff(["cam-south", "cam-roof"]),
    ([list = "", ...steps]) => ({ kind: "fold", steps, over: `${list}.cameras` }),
    /4 elements, and there are 2 rounds/,
  ],
  [
    "a field that is no list",
    BADGES,
    ([list = "", ...steps]) => ({ kind: "fold", steps, over: `${list}.site` }),
    /is no list/,
  ],
  [
    "calls of different tools",
    BADGES,
    ([list = "", first = ""]) => ({ kind: "fold", steps: [list, first], over: "" }),
    /not the same calls/,
  ],
  ["no step", BADGES, () => ({ kind: "fold", steps: ["nowhere", "else"], over: "" }), /"nowhere" is no call/],
])("nothing is folded over %s", async (_, trace, edit, message) => {
  const draft = await real.of([trace]);
  expect(fault(revisedPlan(draft, [edit(callNames(draft.plan, /./))]))).toMatch(message);
});

test("what a later call uses of a single round is not folded away", async () => {
  const trace = traceOf("Book the table at Nova and the table at Orion, and pay for that at Orion", [
    ["inn.book", { place: "Nova" }, { code: "B-7001" }],
    ["inn.book", { place: "Orion" }, { code: "B-7002" }],
    ["inn.pay", { code: "B-7002" }, { paid: 1 }],
  ]);
  const draft = await real.of([trace]);
  const edit: Edit = { kind: "fold", steps: callNames(draft.plan, /book/), over: "" };
  expect(fault(revisedPlan(draft, [edit]))).toMatch(/What a single round gave is used by/);
});

/** A customer is made, and then something is sent there. */
const PARCEL = traceOf(
  "Make a customer of Ada Lind in Lund, and send her a desk lamp, wrapped in red paper",
  [
    [
      "shop.create_customer",
      { name: "Ada Lind", city: "Lund" },
      { customer: { id: "C-1001", zone: "north" } },
    ],
    ["shop.greet", { customer: "C-1001" }, { greeted: 1 }],
    ["shop.create_parcel", { customer: "C-1001", item: "desk lamp" }, { parcel_id: "P-2002" }],
    ["shop.wrap", { parcel_id: "P-2002", paper: "red paper" }, { done: 1 }],
    ["shop.send", { parcel_id: "P-2002", zone: "north" }, { sent: "P-2002" }],
  ],
);

test("a draft parts into two at a step: the second takes what it needs of the first, which gives it", async () => {
  const draft = await real.of([PARCEL]);
  const [step = ""] = callNames(draft.plan, /create_parcel/);
  const edit: Edit = { kind: "split", step };
  const { plan, traces, parts = [] } = value(revisedPlan(draft, [edit]));
  const [part] = parts;
  expect(parts).toHaveLength(1);
  const first = await real.revised(draft, [edit]);
  const made = value(
    await real.drafts.create({ plan: part?.plan ?? plan, traces: part?.sources ?? [], by: "test" }),
  );
  const second = await real.verified(made.name);
  expect(second.name).toBe("send");
  expect(traces?.map(({ calls }) => calls)).toEqual([[0, 1]]);
  for (const each of [first, second]) expect(failing(each)).toEqual([]);
  expect(second.evidence?.rungs.map(({ name }) => name)).toContain("twin");
  expect(first.plan.params.map(({ name }) => name)).toEqual(["name", "city"]);
  expect(second.plan.params.map(({ name }) => name).toSorted()).toEqual(["id", "item", "paper", "zone"]);
  const world: WorldTools = {
    "shop.create_customer": () => ({ customer: { id: "C-7", zone: "south" } }),
    "shop.create_parcel": () => ({ parcel_id: "P-8" }),
    "shop.greet": () => ({ greeted: 1 }),
  };
  expect(await given(first.plan, world, { name: "Bo", city: "Oslo" })).toEqual({ id: "C-7", zone: "south" });
  const calls = await callsIn(runner, second.plan, world, {
    id: "C-7",
    zone: "south",
    item: "pen",
    paper: "none",
  });
  expect(calls).toEqual([
    'shop.create_parcel {"customer":"C-7","item":"pen"}',
    'shop.wrap {"parcel_id":"P-8","paper":"none"}',
    'shop.send {"parcel_id":"P-8","zone":"south"}',
  ]);
});

test.each<readonly [string, Edit, RegExp]>([
  ["its first step", { kind: "split", step: "createCustomerResult" }, /nothing before it/],
  ["no step", { kind: "split", step: "nowhere" }, /There is no step "nowhere"/],
])("a draft does not part at %s", async (_, edit, message) => {
  const draft = await real.of([PARCEL]);
  expect(fault(revisedPlan(draft, [edit]))).toMatch(message);
});

test("a draft keeps which runs it was learned from and compared with, and which draft it was split off", async () => {
  const draft = await real.of([PARCEL]);
  const branch = { success: true, calls: 5 };
  const made = value(
    await real.drafts.create({
      plan: draft.plan,
      traces: [{ trace: PARCEL }],
      comparison: {
        criteria: ["calls"],
        best: PARCEL.id,
        branches: [
          { id: PARCEL.id, ...branch },
          { id: "other", ...branch },
        ],
      },
      parents: [{ kind: "draft", id: draft.provenance.id, how: "split" }],
      by: "test",
    }),
  );
  const parents = [
    { kind: "run", id: PARCEL.id, how: "learned" },
    { kind: "run", id: "other", how: "compared" },
    { kind: "draft", id: draft.provenance.id, how: "split" },
  ];
  expect(made.provenance.parents).toEqual(parents);
  expect(draftView(made).parents).toEqual(parents);
  expect(draftText(draftView(made))).toContain(`split off the draft ${draft.provenance.id}`);
});

/** What a plan's code gives in a world. */
async function given(plan: Plan, tools: WorldTools, input: JsonObject): Promise<unknown> {
  const { root } = await runner.run(skillSet({ made: skillCode(plan) }), "made", input, {
    callTool: (tool, args) => Promise.resolve(ok(tools[tool]?.(args as JsonObject) ?? null)),
  });
  return root.outcome.ok ? root.outcome.output : root.outcome.error.message;
}
