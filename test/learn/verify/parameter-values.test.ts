import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { parameterValues, planInput } from "../../../src/learn/verify/parameter-values.ts";
import type { Origin, Param } from "../../../src/learn/plan/plan.ts";
import { learned, traceOf } from "../learned.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";

/** A run in which an item of an order is returned. */
function run(order: string, items: Json, chosen: string, note?: string): RecordedTrace {
  return {
    id: order,
    calls: [
      { tool: "get", args: { order }, result: { items } },
      {
        tool: "return",
        args: { order, ids: [chosen], ...(note === undefined ? {} : { note }) },
        result: null,
      },
    ],
  };
}

const first = run(
  "O-1",
  [
    { name: "Lamp", id: "71" },
    { name: "Chair", id: "72" },
  ],
  "72",
  "Chair is broken",
);

function param(rest: Partial<Param>, ...origins: readonly Origin[]): Param {
  return { name: "p", schema: {}, origins, ...rest };
}

const byName = param(
  { example: "Chair" },
  {
    call: 0,
    at: "result",
    path: ["items", 1, "name"],
    selects: { call: 1, path: ["ids", 0] },
  },
);

describe("in another run a parameter is", () => {
  const filled = (given: Param, other: RecordedTrace): Json | undefined =>
    parameterValues([given], first, other)["p"];

  test("the argument at the same place", () => {
    const order = param({ example: "O-1" }, { call: 1, at: "args", path: ["order"] });
    expect(filled(order, first)).toBe("O-1");
    expect(filled(order, run("O-2", [], "9"))).toBe("O-2");
  });

  test("what one is called in the chosen element: the one that is acted on, or of which the task speaks", () => {
    const shelf = (
      task: string,
      chosen: string,
      ...boxes: readonly (readonly string[])[]
    ): RecordedTrace => ({
      id: task,
      task,
      calls: [
        {
          tool: "list",
          args: {},
          result: boxes.map((names, index) => ({
            box: `BX-${index}`,
            holds: names.map((name) => ({ name, id: `${name}-100` })),
          })),
        },
        { tool: "open", args: { box: chosen }, result: null },
        { tool: "take", args: { ids: [`${boxes.flat()[2]}-100`] }, result: null },
      ],
    });
    const own = shelf("Open the box with the Lamp", "BX-0", ["Rug", "Lamp"], ["Vase"]);
    const inBox = param(
      { example: "Lamp" },
      { call: 0, at: "result", path: [0, "holds", 1, "name"], selects: { call: 1, path: ["box"] } },
    );
    const there = (run: RecordedTrace): Json | undefined => parameterValues([inBox], own, run)["p"];
    expect(there(shelf("Take what is in it", "BX-1", ["Rug"], ["Pot", "Fan"]))).toBe("Fan");
    expect(there(shelf("Open the one with the Cup", "BX-0", ["Pot", "Cup"], ["Fan"]))).toBe("Cup");
  });

  test("what the chosen element is called", () => {
    const items = [
      { name: "Vase", id: "81" },
      { name: "Lamp", id: "82" },
      { name: "Chair", id: "83" },
    ];
    expect(filled(byName, run("O-2", items, "81"))).toBe("Vase");
    expect(filled(byName, run("O-2", items.toReversed(), "83"))).toBe("Chair");
  });

  test("what the chosen element's key is", () => {
    const people = (...entries: readonly (readonly [string, string])[]): JsonObject =>
      Object.fromEntries(entries.map(([name, id]) => [name, { id, mail: `${id}@x.org` }]));
    const from = run("O-1", people(["user 100", "a1"], ["user 200", "b2"]), "b2");
    const to = run("O-2", people(["user 300", "c3"], ["user 400", "d4"]), "d4");
    const key = param(
      { example: "user 200" },
      { call: 0, at: "result", path: ["items", "user 200"], selects: { call: 1, path: ["ids", 0] } },
    );
    expect(parameterValues([key], from, from)).toEqual({ p: "user 200" });
    expect(parameterValues([key], from, to)).toEqual({ p: "user 400" });
  });

  test("the same value where an element has it and nothing tells which was chosen", () => {
    const { origins } = byName;
    const unselected = param(
      { example: "Chair" },
      ...origins.map(({ call, at, path }) => ({ call, at, path })),
    );
    const items = [
      { name: "Vase", id: "81" },
      { name: "Chair", id: "83" },
    ];
    expect(filled(unselected, run("O-2", items, "81"))).toBe("Chair");
  });

  test("what the value has become in arguments, where no element has it", () => {
    const note = param({ example: "Chair is broken" }, { call: 0, at: "result", path: ["items", 1, "name"] });
    expect(filled(note, run("O-2", [{ name: "Vase", id: "81" }], "90", "Vase is broken"))).toBe(
      "Vase is broken",
    );
  });

  test("put together of parts", () => {
    const parts = param(
      { example: { id: "72", order: "O-1" } },
      { call: 1, at: "args", path: ["ids", 0], within: ["id"] },
      { call: 1, at: "args", path: ["order"], within: ["order"] },
    );
    expect(filled(parts, run("O-2", [], "9"))).toEqual({ id: "9", order: "O-2" });
    const { origins } = parts;
    expect(filled(param({}, ...origins), run("O-2", [], "9"))).toEqual({ id: "9", order: "O-2" });
  });

  test("a list as long as the one that it is for", () => {
    const items = ["a", "b", "c"].map((name) => ({ name: name.repeat(4), colour: name, id: `id-${name}` }));
    const listed = (...ids: readonly string[]): RecordedTrace => ({
      id: ids.join(","),
      calls: [
        { tool: "get", args: {}, result: { items } },
        { tool: "return", args: { ids }, result: null },
      ],
    });
    const chosen = { call: 0, at: "result", selects: { call: 1, path: ["ids", 0] } } as const;
    const names = param({ example: ["aaaa"] }, { ...chosen, path: ["items", 0, "name"], within: [0] });
    const records = param(
      { example: [{ name: "aaaa", colour: "a" }] },
      { ...chosen, path: ["items", 0, "name"], within: [0, "name"] },
      { ...chosen, path: ["items", 0, "colour"], within: [0, "colour"] },
    );
    const [from, to] = [listed("id-a"), listed("id-c", "id-b")];
    expect(parameterValues([names], from, to)).toEqual({ p: ["cccc", "bbbb"] });
    expect(parameterValues([names], to, from)).toEqual({ p: ["aaaa"] });
    expect(parameterValues([records], from, to)["p"]).toEqual([
      { name: "cccc", colour: "c" },
      { name: "bbbb", colour: "b" },
    ]);
    const ids = param({ example: ["id-a"] }, { call: 1, at: "args", path: ["ids", 0], within: [0] });
    expect(parameterValues([ids], from, to)).toEqual({ p: ["id-c", "id-b"] });
  });

  test("left out where the other run has no such place", () => {
    const note = param({ example: "Chair is broken" }, { call: 1, at: "args", path: ["note"] });
    expect(parameterValues([note], first, run("O-2", [], "9"))).toEqual({});
  });

  test("looked for in the call that does the same, whatever was done in between", () => {
    const order = param({ example: "O-1" }, { call: 1, at: "args", path: ["order"] });
    const other = run("O-2", [], "9");
    const [get, back] = other.calls;
    if (!get || !back) throw new Error("the run has two calls");
    const failed = { ...get, args: { order: "O-x" }, error: "none", retriedBy: 1 };
    const think = { tool: "think", args: {}, result: null };
    expect(filled(order, { ...other, calls: [failed, get, think, back] })).toBe("O-2");
  });
});

test("what only other runs than the first did is given in a further run as that did it", () => {
  const booking = (order: string, mail?: string): RecordedTrace =>
    traceOf(
      `Send ${order}`,
      [
        ["post.send", { order }, { sent: true }],
        ...(mail === undefined ? [] : ([["post.mail", { to: mail, order }, {}]] as const)),
      ],
      order,
    );
  const runs = [booking("A-101"), booking("B-202", "ann@post.example")];
  const { plan, from } = learned(runs);
  const own = runs[from[0] ?? 0] ?? booking("none");
  expect(plan.params.filter(({ origins }) => origins.length === 0).map(({ name }) => name)).toEqual([
    "mail",
    "to",
  ]);
  expect(planInput(plan, own, booking("D-404", "zoe@post.example"))).toEqual({
    order: "D-404",
    mail: true,
    to: "zoe@post.example",
  });
  expect(planInput(plan, own, booking("D-505"))).toMatchObject({ order: "D-505", mail: false });
});
