import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import { draftView } from "../../../src/learn/review/draft-view.ts";
import { parameterValues } from "../../../src/learn/verify/parameter-values.ts";
import { RealDrafts } from "../edits/real-drafts.ts";
import { learned, type Told, traceOf } from "../learned.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const cancel = (id: string, reason = "no longer needed"): Told => [
  "shop.cancel_order",
  { order_id: id, reason },
  { ok: true },
];
const cancelling = (...ids: readonly string[]) =>
  traceOf(
    `Cancel ${ids.join(", ")}: no longer needed`,
    ids.map((id) => cancel(id)),
    ids.join(),
  );

/** The parameters by name, as the first run had them. */
function inputOf(calls: readonly Told[], task = "Do it."): object {
  const { plan } = learned([traceOf(task, calls)]);
  return Object.fromEntries(plan.params.map(({ name, example }) => [name, example]));
}

test("the same done for several that the caller names is a loop over a list", async () => {
  const draft = await real.of([cancelling("W-1001", "W-1002", "W-1003")]);
  expect(draft.code).toContain("for (const orderId of input.order_ids) {");
  expect(draft.plan.params.map(({ name, example }) => [name, example])).toEqual([
    ["order_ids", ["W-1001", "W-1002", "W-1003"]],
    ["reason", "no longer needed"],
  ]);
  const { evidence } = await real.verified(draft.name);
  expect(evidence?.rungs.every(({ passed, of }) => passed === of)).toBe(true);
  const { steps, isRecording } = draftView(draft);
  expect(steps[0]).toMatchObject({ writes: true, arguments: [{ from: "input.order_ids" }] });
  // What the caller names is repeated, nothing comes from an answer: the replays cannot tell whether that was meant.
  expect(isRecording).toBe(true);
});

test("what differs in several arguments is a list of objects", () => {
  const put = (sku: string, count: number, gift: boolean): Told => [
    "cart.add_item",
    { sku, count, gift, cart: "C-9" },
    null,
  ];
  const calls = [put("S-101", 2, false), put("S-102", 1, true)];
  expect(inputOf(calls)).toEqual({
    items: [
      { sku: "S-101", count: 2, gift: false },
      { sku: "S-102", count: 1, gift: true },
    ],
    cart: "C-9",
  });
  const { plan } = learned([traceOf("Do it.", calls)]);
  expect(skillCode(plan).replaceAll(/\s+/g, " ")).toContain(
    "{ sku: item.sku, count: item.count, gift: item.gift, cart: input.cart, }",
  );
});

test("a value inside an argument, and one in several calls of a round, is given once", () => {
  const round = (id: string): readonly Told[] => [
    ["desk.assign", { ticket: { id, queue: "ops" } }, { done: true }],
    ["desk.close", { ids: [id] }, { done: true }],
  ];
  expect(inputOf([...round("T-901"), ...round("T-902")])).toEqual({ ids: ["T-901", "T-902"], queue: "ops" });
});

test("what is a list in each round is one, of any length, for each element", async () => {
  const giveBack = (order: string, ...lines: readonly string[]): Told => [
    "shop.give_back",
    { order, lines, to: "gift card" },
    { ok: true },
  ];
  const returning = (id: string, calls: readonly Told[], task?: string) =>
    traceOf(task ?? `Give back ${JSON.stringify(calls.map(([, args]) => args))}`, calls, id);
  const run = returning("a", [giveBack("W-1001", "L-71", "L-72"), giveBack("W-1002", "L-93")]);
  const draft = await real.of([run]);
  const [param] = draft.plan.params;
  expect(param?.example).toEqual([
    { order: "W-1001", lines: ["L-71", "L-72"] },
    { order: "W-1002", lines: ["L-93"] },
  ]);
  expect(draft.code).toMatch(/lines: \w+\.lines,/);
  const { evidence } = await real.verified(draft.name);
  expect(evidence?.rungs.filter(({ passed, of }) => passed < of)).toEqual([]);
  const shelves: Told = ["shop.list_lines", {}, { lines: [{ id: "L-71" }, { id: "L-72" }, { id: "L-93" }] }];
  const told = learned([
    returning("b", [shelves, giveBack("W-1001", "L-71", "L-72"), giveBack("W-1002", "L-93")], "Do it."),
  ]);
  expect(told.plan.steps.map(({ kind }) => kind)).not.toContain("loop");
});

test("what an earlier call of a round gave is taken from it", () => {
  const round = (path: string, sum: string): readonly Told[] => [
    ["fs.stat", { path }, { sha: sum }],
    ["fs.tag", { path, sha: sum }, null],
  ];
  const { plan } = learned([traceOf("Tag", [...round("/a/x", "sha-10441"), ...round("/a/y", "sha-20993")])]);
  expect(plan.params.map(({ name }) => name)).toEqual(["paths"]);
  expect(skillCode(plan)).toMatch(/sha: ofKind\(stat\w*\.sha/);
});

test("runs with other numbers of them are the same work, one of them alone too", async () => {
  const runs = [
    cancelling("W-1001", "W-1002"),
    cancelling("W-2001", "W-2002", "W-2003"),
    cancelling("W-3001"),
  ];
  const { plan, from } = learned(runs);
  expect(from).toEqual([0, 1, 2]);
  const [first, second, third] = runs;
  if (!first || !second || !third) throw new Error("there are three runs");
  expect(parameterValues(plan.params, first, second)).toMatchObject({
    order_ids: ["W-2001", "W-2002", "W-2003"],
  });
  expect(parameterValues(plan.params, first, third)).toMatchObject({ order_ids: ["W-3001"] });
  const draft = await real.of(runs);
  const { evidence } = await real.verified(draft.name);
  expect(evidence?.rungs.map(({ name, passed, of }) => [name, passed, of])).toContainEqual(["own", 3, 3]);
});

describe("rounds of an odd form", () => {
  const file = (sheet: JsonObject): Told => ["desk.file", sheet, { filed: true, kind: "paper" }];

  test("whose arguments have another order are rounds as well", () => {
    const calls = [file({ title: "Crane 7", tray: "in" }), file({ tray: "in", title: "Lift 9" })];
    expect(inputOf(calls)).toEqual({ titles: ["Crane 7", "Lift 9"], tray: "in" });
  });

  test("have what differs in form as a whole", () => {
    const first = { title: "Crane 7", body: { kind: "note", lines: [{ text: "oil it" }] } };
    const second = { title: "Lift 9", body: { kind: "table", cells: 4 } };
    expect(inputOf([file(first), file(second)])).toEqual({ items: [first, second] });
  });

  test("are none where a credential stands in it", () => {
    const calls = [
      file({ title: "Crane 7", door: { password: "swordfish-1" } }),
      file({ title: "Lift 9", door: {} }),
    ];
    expect(learned([traceOf("Do it.", calls)]).plan.steps).toHaveLength(2);
  });
});

test("a later call that has what an earlier answer had told uses no round", () => {
  const desk: Told = [
    "desk.look",
    { name: "North" },
    { desk: "D-7001", trays: [{ id: "T-1" }, { id: "T-2" }] },
  ];
  const file = (title: string): Told => ["desk.file", { title }, { title, desk: "D-7001", tray: "T-1" }];
  const calls = [desk, file("Crane 7"), file("Lift 9"), ["desk.lock", { desk: "D-7001" }, null] as const];
  expect(inputOf(calls)).toEqual({ name: "North", titles: ["Crane 7", "Lift 9"] });
});

test("what a round's own call repeats was told by no answer", () => {
  const file = (title: string, kind: string): Told => ["desk.file", { title, kind }, { title, kind }];
  expect(inputOf([file("Crane 7", "red"), file("Lift 9", "blue"), file("Cart 3", "red")])).toEqual({
    items: [
      { title: "Crane 7", kind: "red" },
      { title: "Lift 9", kind: "blue" },
      { title: "Cart 3", kind: "red" },
    ],
  });
});

describe("what an answer lists, and the task names,", () => {
  const CAMERAS: Told = ["site.list", {}, { cameras: ["cam-north", "cam-south", "cam-yard", "cam-roof"] }];
  const off = (camera: string): Told => ["site.switch_off", { camera }, { off: camera }];
  const task = "Switch off cam-south and cam-roof";

  test("is a list that the caller gives", () => {
    expect(inputOf([CAMERAS, off("cam-south"), off("cam-roof")], task)).toEqual({
      cameras: ["cam-south", "cam-roof"],
    });
  });

  test("is none where other calls are about one of them, too", () => {
    const look: Told = ["site.look", { camera: "cam-south" }, { camera: "cam-south", dark: true }];
    const { plan } = learned([traceOf(task, [CAMERAS, look, off("cam-south"), off("cam-roof")])]);
    expect(plan.steps.map(({ kind }) => kind)).not.toContain("loop");
  });
});

describe("there is no such loop", () => {
  test.each<readonly [string, readonly Told[]]>([
    [
      "where an answer tells what changes",
      [
        ["shop.get_user", { user: "U-1001" }, { orders: ["W-1001", "W-1002", "W-1003"] }],
        cancel("W-1001"),
        cancel("W-1002"),
      ],
    ],
    [
      "where later calls use what single rounds gave",
      [
        ["air.search", { to: "LUND" }, { best: "HX-10441" }],
        ["air.search", { to: "OSLO" }, { best: "HX-20993" }],
        ["air.book", { there: "HX-10441", back: "HX-20993" }, { ok: true }],
      ],
    ],
    [
      "where what changes is a credential",
      [
        ["vault.put", { name: "a", password: "hunter2-a" }, null],
        ["vault.put", { name: "b", password: "hunter2-b" }, null],
      ],
    ],
    ["where nothing changes", [cancel("W-1001"), cancel("W-1001")]],
    [
      "where the calls have other arguments",
      [
        ["shop.note", { id: "W-1001", text: "a b c" }, null],
        ["shop.note", { id: "W-1002", tag: "late" }, null],
      ],
    ],
  ])("%s", (_, calls) => {
    const { plan } = learned([traceOf("Do it.", calls)]);
    expect(plan.steps.map(({ kind }) => kind)).not.toContain("loop");
  });
});
