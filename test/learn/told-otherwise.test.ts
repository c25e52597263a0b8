import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

/** A house of lamps and other things, each as `name kind state room`. */
const house = (...devices: readonly string[]): WorldTools => ({
  "house.get_devices": () => ({
    devices: devices.map((device) => {
      const [name = "", kind = "", state = "", room = ""] = device.split(" ");
      return { name, kind, state, room };
    }),
  }),
  "house.turn_off": () => "ok",
});

const recorded = (world: WorldTools, task: string, ...turnedOff: readonly string[]) =>
  recordedIn(world, task, (call) => {
    call("house.get_devices", {});
    for (const name of turnedOff) call("house.turn_off", { name, kind: "light" });
  });

describe("several things that the task says of elements", () => {
  const ONE = house(
    "A1 light on attic",
    "B2 light on hall",
    "C3 fan on attic",
    "D4 light on attic",
    "E5 light off attic",
  );
  const { plan } = learned([recorded(ONE, "Turn off all lights in the attic that are on", "A1", "D4")]);
  const there = (...devices: readonly string[]) =>
    callsIn(runner, plan, house(...devices), { state: "on", room: "cellar" });

  test("tell them together, and are asked about", () => {
    expect(plan.params.map(({ name, example }) => [name, example])).toEqual([
      ["state", "on"],
      ["room", "attic"],
    ]);
    expect(plan.questions).toMatchObject([{ kind: "element" }, { kind: "constant", path: ["kind"] }]);
  });

  test("leave alone in another house what is not all of them", async () => {
    const made = await there(
      "F6 fan on cellar",
      "G7 light on cellar",
      "H8 light off cellar",
      "I9 light on attic",
    );
    expect(made).toEqual(["house.get_devices {}", 'house.turn_off {"name":"G7","kind":"light"}']);
  });

  test("stop where something is called nearly so", async () => {
    const made = await there("F6 light on cellar", "G7 light on Cellar");
    expect(made.at(-1)).toContain("stops");
    expect(made.some((call) => call.startsWith("house.turn_off"))).toBe(false);
  });
});

describe("a word of which the task has another form", () => {
  const plant = (...parts: readonly (readonly [id: string, fate: string, left: number])[]): WorldTools => ({
    "plant.get_parts": () => ({ parts: parts.map(([id, fate, unread]) => ({ id, fate, unread })) }),
    "plant.keep": () => "ok",
  });
  const ONE = plant(
    ["P-100", "destroyed", 0],
    ["P-200", "created", 3],
    ["P-300", "destroyed", 0],
    ["P-400", "changed", 4],
  );
  const keeping = (task: string, ...kept: readonly string[]) =>
    learned([
      recordedIn(ONE, task, (call) => {
        call("plant.get_parts", {});
        for (const id of kept) call("plant.keep", { id });
      }),
    ]).plan;
  const OTHER = plant(["P-510", "changed", 0], ["P-520", "destroyed", 7]);

  test.each([
    ["Keep what would be lost when they destroy things", ["P-100", "P-300"], "P-520"],
    ["Keep all parts with unread notes", ["P-200", "P-400"], "P-520"],
  ])("%s", async (task, kept, other) => {
    const plan = keeping(task, ...kept);
    expect(plan.params).toEqual([]);
    expect(plan.questions).toMatchObject([{ kind: "element" }]);
    expect((await callsIn(runner, plan, OTHER, {})).slice(1)).toEqual([`plant.keep {"id":"${other}"}`]);
  });

  test("is nothing that a task of other words tells", () => {
    const plan = keeping("Keep the two that Ann likes", "P-100", "P-300");
    expect(plan.params.map(({ example }) => example)).toEqual([["P-100", "P-300"]]);
  });
});

describe("a word that no answer tells and no caller would say", () => {
  const desk: WorldTools = {
    "desk.get_ticket": ({ id = "" }) => ({ id, open: true }),
    "desk.update": () => "ok",
  };
  const updating = (task: string, state: string) =>
    learned([
      recordedIn(desk, task, (call) => {
        call("desk.get_ticket", { id: "T-4711" });
        call("desk.update", { id: "T-4711", state });
      }),
    ]).plan;

  test("is what a thing becomes by what the task tells to do, and is asked about", () => {
    const plan = updating("Close the ticket T-4711", "closed");
    expect(plan.params.map(({ example }) => example)).toEqual(["T-4711"]);
    expect(plan.questions).toMatchObject([{ kind: "constant", path: ["state"] }]);
  });

  test.each([
    ["Look after the ticket T-4711", "closed"],
    ["Close the ticket T-4711 for Readers", "reader"],
    ["Close the tickets T-4711", "ticket"],
  ])("is the caller's otherwise: %s, %s", (task, state) => {
    expect(updating(task, state).params.map(({ example }) => example)).toEqual(["T-4711", state]);
  });
});

describe("a word for how something is done, of which the task says nothing", () => {
  const shop: WorldTools = {
    "shop.list_orders": () => ({ orders: [{ id: "A-4411", way: "replace" }] }),
    "shop.tag": () => "ok",
  };
  const tagging = (task: string, args: JsonObject) =>
    learned([
      recordedIn(shop, task, (call) => {
        call("shop.list_orders", { type: "parcel", limit: 20 });
        call("shop.tag", { id: "A-4411", tag: "ferry-12", ...args });
      }),
    ]).plan;
  const TASK = 'Give the order A-4411 the tag "ferry-12"';

  test("is the same for all where an act has it, which is asked, and may be said where a look has it", () => {
    const plan = tagging(TASK, { action: "add" });
    expect(plan.params.map(({ example, default: usual }) => [example, usual])).toEqual([
      ["parcel", "parcel"],
      [20, 20],
      ["A-4411", undefined],
      ["ferry-12", undefined],
    ]);
    expect(plan.questions).toMatchObject([{ kind: "constant", path: ["action"] }]);
  });

  test.each<readonly [why: string, args: JsonObject, task: string]>([
    ["the task says it", { action: "add" }, `${TASK}: add it`],
    ["an answer has told it", { mode: "replace" }, TASK],
    ["it tells what a thing becomes", { state: "gone" }, TASK],
    ["it is an amount", { mode: 2 }, TASK],
    ["it is an id", { type: "gid-88412390" }, TASK],
    ["nobody knows a task", { action: "add" }, ""],
  ])("is not the same for all where %s", (_, args, task) => {
    const { params, questions = [] } = tagging(task, args);
    expect(questions.filter(({ kind }) => kind === "constant")).toEqual([]);
    const [value = null] = Object.values(args);
    const asked = params.filter(({ example }) => example === value);
    expect(asked.map(({ default: usual }) => usual)).toEqual(value === "replace" ? [] : [undefined]);
  });
});

describe("the best of what a task names", () => {
  const map = (
    ...places: readonly (readonly [name: string, rating: number | null, stairs: number])[]
  ): WorldTools => ({
    "map.search": () => ({ places: places.map(([name, rating, stairs]) => ({ name, rating, stairs })) }),
    "map.save": () => "ok",
  });
  const ONE = map(["Alder & Co", 3.5, 4], ["Birch Ltd", 4.5, 1], ["Cedar AB", 2.5, 9]);
  const saving = (task: string) =>
    learned([
      recordedIn(ONE, task, (call) => {
        call("map.search", { query: "bakery" });
        call("map.save", { name: "Birch Ltd" });
      }),
    ]).plan;

  test("has the most of it, and is asked about", async () => {
    const plan = saving('Search for "bakery" and save the place with the best rating');
    expect(plan.params.map(({ example }) => example)).toEqual(["bakery"]);
    expect(plan.questions).toMatchObject([{ kind: "element", path: ["name"] }]);
    const other = map(["Elm GmbH", 1.5, 1], ["Fir Oy", 3.5, 7]);
    expect((await callsIn(runner, plan, other, { query: "mill" })).slice(1)).toEqual([
      'map.save {"name":"Fir Oy"}',
    ]);
    for (const [rating, why] of [
      [3.5, "Several"],
      [null, "cannot be compared"],
    ] as const)
      expect(
        (
          await callsIn(runner, plan, map(["Elm GmbH", rating, 1], ["Fir Oy", 3.5, 7]), { query: "mill" })
        ).slice(1),
      ).toEqual([expect.stringContaining(why)]);
  });

  test("is the caller's where the task names no quantity", () => {
    const plan = saving('Search for "bakery" and save the best place');
    expect(plan.params.map(({ example }) => example)).toEqual(["bakery", "Birch Ltd"]);
  });
});

test("who relates to somebody is asked about where nothing says in which way", () => {
  const relations = (...all: readonly string[]): WorldTools => ({
    "graph.read": () => ({
      relations: all.map((each) => {
        const [from = "", type = "", to = ""] = each.split(" ");
        return { from: `${from}@example.org`, relationType: type, to: `${to}@example.org` };
      }),
    }),
    "mail.send": () => "ok",
  });
  const { plan } = learned([
    recordedIn(
      relations("carl manages ann", "dora mentors bob", "carl likes dora"),
      "Tell the manager of ann@example.org that it is done",
      (call) => {
        call("graph.read", {});
        call("mail.send", { to: "carl@example.org", text: "it is done" });
      },
    ),
  ]);
  expect(plan.questions).toMatchObject([{ kind: "element", path: ["to"] }]);
});

describe("a sentence of which the task leaves a gap open", () => {
  const desk: WorldTools = {
    "desk.get_ticket": ({ id = "" }) => ({ id, title: "No mail came" }),
    "desk.file": () => ({ bug: { key: "WEB-4712", state: "new" } }),
    "desk.comment": () => "ok",
  };
  const commenting = (task: string, comment: string) =>
    learned([
      recordedIn(desk, task, (call) => {
        call("desk.get_ticket", { id: "T-8101" });
        call("desk.file", { title: "No mail came" });
        call("desk.comment", { id: "T-8101", comment });
      }),
    ]).plan;

  test.each([
    ["File T-8101 as a bug, and comment: “We look at it as ….”", "We look at it as WEB-4712."],
    ["File T-8101 as a bug, and say on it <key> is where we look", "WEB-4712 is where we look"],
  ])("has there what an answer told, which is asked about: %s", async (task, comment) => {
    const plan = commenting(task, comment);
    expect(plan.params.map(({ example }) => example)).toEqual(["T-8101"]);
    expect(plan.questions).toMatchObject([{ kind: "text", path: ["comment"] }]);
    const there = { ...desk, "desk.file": () => ({ bug: { key: "APP-7", state: "new" } }) };
    const made = await callsIn(runner, plan, there, { id: "T-1" });
    expect(made.at(-1)).toContain(
      JSON.stringify({ comment: comment.replace("WEB-4712", "APP-7") }).slice(0, -1),
    );
  });

  test.each([
    ["File T-8101 as a bug, and comment where we look", "We look at it as WEB-4712."],
    ["File T-8101 as a bug, and comment: “We looked at … there.”", "We look at it as WEB-4712."],
  ])("is the caller's where the task says other words: %s", (task, comment) => {
    expect(commenting(task, comment).params.map(({ example }) => example)).toEqual(["T-8101", comment]);
  });
});
