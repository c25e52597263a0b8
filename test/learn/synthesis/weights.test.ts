import { afterEach, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { isEntityName, isOpaqueId, isSpecific, type Path } from "../../../src/learn/plan/values.ts";
import { derivedValue } from "../../../src/learn/synthesis/derived-value.ts";
import { flowCandidates, isCredible } from "../../../src/learn/synthesis/flow-candidates.ts";
import { selectionPaths } from "../../../src/learn/synthesis/selection/selection-paths.ts";
import { WEIGHTS } from "../../../src/learn/synthesis/weights.ts";
import { brief, viewAfter } from "./views.ts";

type Weight = keyof typeof WEIGHTS;

interface Known {
  readonly given?: readonly Json[];
  readonly mentioned?: readonly Json[];
  readonly actedOn?: readonly Json[];
  readonly withExtremes?: boolean;
}

/** The ways to a place in a result, the cheapest first. */
function waysTo(
  path: Path,
  result: Json,
  { given = [], mentioned = [], actedOn = [], withExtremes = false }: Known = {},
): readonly string[] {
  const known = {
    isGiven: (value: Json) => given.includes(value),
    isMentioned: (value: Json) => mentioned.includes(value),
    isOfRound: () => false,
    isRelated: () => false,
    saidPartsOf: () => [],
    beginningOf: () => undefined,
    isActedOn: (value: Json) => actedOn.includes(value),
    isChosenKey: () => false,
    positions: new Set<number>(),
    positionsInTexts: new Set<number>(),
    limits: [],
    withExtremes,
  };
  const ways = selectionPaths({ kind: "ref", name: "r" }, result, path, false, known, "s").map(
    ({ expression }) => brief(expression),
  );
  return [...new Set(ways)];
}

const nothingDecided = (): undefined => undefined;

function flows(value: Json, argument: string, view: ReturnType<typeof viewAfter>) {
  return flowCandidates(value, view, { call: view.call, path: [argument] }, "s", nothingDecided);
}

/** Where a value could come from, the likeliest first. */
function flowsOf(value: Json, argument: string, view: ReturnType<typeof viewAfter>): readonly string[] {
  return flows(value, argument, view).map(({ expression }) => brief(expression));
}

function areCredible(value: Json, argument: string, ...results: readonly Json[]): readonly boolean[] {
  return flows(value, argument, viewAfter(results)).map((flow) => isCredible(value, flow));
}

function derived(value: Json, ...results: readonly Json[]): string | undefined {
  const view = viewAfter(results);
  const found = derivedValue([value], [view], { call: view.call, path: ["x"] }, nothingDecided);
  return found && brief(found.expression);
}

const NAMED = [
  { name: "Ann", options: { size: "10" }, to: 1 },
  { name: "Bob", options: { size: "20" }, to: 2 },
];
const TIMED = [
  { time: "12:30", options: { size: "10" }, to: 1 },
  { time: "14:00", options: { size: "20" }, to: 2 },
];
const ORDERS = [
  {
    id: "A-10",
    items: [
      { name: "Pen", sku: 71 },
      { name: "Ink", sku: 72 },
    ],
  },
  { id: "A-20", items: [{ name: "Cup", sku: 73 }] },
];

/** For each weight: what synthesis says, and a change of the weight with which it says something else. */
const CASES: Readonly<Record<Weight, readonly [changed: number, says: () => unknown, expected: unknown]>> = {
  costOfGivenId: [
    3,
    () =>
      waysTo(
        [0, "to"],
        [
          { id: "A-10", name: "Ann", to: 1 },
          { id: "A-20", name: "Bob", to: 2 },
        ],
        {
          given: ["A-10"],
          mentioned: ["Ann"],
        },
      ),
    ["r[id=?].to", "r[name=?].to"],
  ],
  costOfMentionedName: [
    9,
    () =>
      waysTo(
        [0, "to"],
        [
          { title: "Boss", name: "Ann", to: 1 },
          { title: "Cook", name: "Bob", to: 2 },
        ],
        {
          mentioned: ["Ann"],
        },
      ),
    ["r[name=?].to", "r[title=?].to"],
  ],
  costOfOtherField: [
    0,
    () =>
      waysTo(
        [0, "to"],
        [
          { note: "Ann", name: "Amy", to: 1 },
          { note: "Bob", name: "Ben", to: 2 },
        ],
        {
          mentioned: ["Ann", "Amy"],
        },
      ),
    ["r[name=?].to", "r[note=?].to"],
  ],
  costOfSameEverywhere: [
    9,
    () =>
      waysTo(
        [0, "city"],
        [
          { name: "Ann", city: "Rome" },
          { name: "Bob", city: "Rome" },
        ],
      ),
    ["r*(each.city)[only]", "r[name=?].city"],
  ],
  costOfOnlyElement: [9, () => waysTo([0, "to"], [{ name: "Ann", to: 1 }]), ["r[only].to", "r[name=?].to"]],
  costOfInnerElement: [
    -1,
    () =>
      waysTo(
        [0, "id"],
        [
          { id: 1, title: "Ann", lines: [{ name: "Pen" }] },
          { id: 2, title: "Bob", lines: [{ name: "Ink" }] },
        ],
        { mentioned: ["Ann", "Pen"] },
      ),
    ["r[title=?].id", "r[lines.some(name=?)].id"],
  ],
  costOfExtreme: [
    1,
    () =>
      waysTo(
        [0, "to"],
        [
          { name: "Ann", size: 3, to: "x" },
          { name: "Bob", size: 5, to: "y" },
        ],
        { withExtremes: true },
      ),
    ["r[name=?].to", "the one of r with the least size.to"],
  ],
  costOfPosition: [
    6,
    () =>
      flowsOf(
        "Red Line",
        "x",
        viewAfter([{ lines: ["Red Line", "Blue Line"], rest: [{ text: "Red Line" }] }], {
          task: "Take the first one",
        }),
      ),
    ["r0.rest[only].text", "r0.lines[0]"],
  ],
  costOfSaidPart: [
    14,
    () =>
      flowsOf(
        "R-17",
        "x",
        viewAfter(
          [
            {
              rows: ["kind/web-3903-a", "kind/app-4711-b"].map((branch, nth) => ({
                name: ["Red Line", "Blue Line"][nth] ?? "",
                branch,
                to: ["R-17", "B-22"][nth] ?? "",
              })),
            },
          ],
          { task: "Take that of 3903" },
        ),
      ),
    ["r0.rows[branch=?].to", "r0.rows[name=?].to", "r0.rows[branch=?].to"],
  ],
  costOfPositionInText: [
    14,
    () =>
      flowsOf(
        "R-17",
        "x",
        viewAfter(
          [
            {
              text: "…",
              lines: ["R-17 Red Line", "B-22 Blue Line"].map((line) => ({
                name: line.slice(5),
                to: line.slice(0, 4),
              })),
            },
          ],
          {
            task: "Take the first one",
          },
        ),
      ),
    ["r0.lines[0].to", "r0.lines[name=?].to", "r0.lines[name=?].to"],
  ],
  costOfUniqueName: [
    13,
    () => waysTo([0, "to"], NAMED),
    ["r[name=? & options=??].to", "r[name=?].to", "r[options=?].to"],
  ],
  costOfUniqueObject: [15, () => waysTo([0, "to"], TIMED), ["r[options=?].to", "r[time=?].to"]],
  costOfUniqueNumerals: [11, () => waysTo([0, "to"], TIMED), ["r[options=?].to", "r[time=?].to"]],
  costOfAnotherCondition: [
    7,
    () =>
      waysTo(
        [0, "to"],
        [
          { place: "Rome", note: "Ann", options: { size: "10" }, to: 1 },
          { place: "Rome", note: "Bob", options: { size: "20" }, to: 2 },
          { place: "Oslo", note: "Ann", options: { size: "30" }, to: 3 },
        ],
        { mentioned: ["Rome", "Ann"] },
      ),
    ["r[place=? & note=?].to", "r[options=?].to"],
  ],
  costOfOptionalDetail: [
    0.5,
    () => waysTo([0, "to"], NAMED),
    ["r[name=? & options=??].to", "r[name=?].to", "r[options=?].to"],
  ],
  costOfFlatList: [
    0,
    () => waysTo([0, "items", 0, "sku"], ORDERS, { given: ["A-10"], mentioned: ["Pen"] })[0],
    "r[id=?].items[name=?].sku",
  ],
  scoreOfFlow: [20, () => areCredible("blue", "x", { colour: "blue" }), [true]],
  scoreOfLikeName: [
    0,
    () => flowsOf("Rome", "city", viewAfter([{ place: "Rome", city: "Rome" }])),
    ["r0.city", "r0.place"],
  ],
  scoreOfRound: [
    0,
    () =>
      flowsOf("Rome", "x", viewAfter([{ y: "Rome" }], { scope: [{ name: "each", value: { y: "Rome" } }] })),
    ["each.y", "r0.y"],
  ],
  scoreOfRecency: [
    0,
    () => flowsOf("Rome", "x", viewAfter([{ y: "Rome" }, { y: "Rome" }])),
    ["r1.y", "r0.y"],
  ],
  scorePerCost: [
    5,
    () => flowsOf("Rome", "city", viewAfter([{ place: "Rome", stops: [{ city: "Rome" }] }])),
    ["r0.stops[only].city", "r0.place"],
  ],
  scorePerDepth: [
    0,
    () => flowsOf("Rome", "x", viewAfter([{ inner: { y: "Rome" }, y: "Rome" }])),
    ["r0.y", "r0.inner.y"],
  ],
  minWord: [2, () => areCredible("EU", "x", { zone: "EU" }), [false]],
  minScoreOfShortWord: [90, () => areCredible("EU", "zone", { zone: "EU" }), [true]],
  minScoreOfWord: [60, () => areCredible("blue", "x", { colour: "blue" }), [true]],
  minSpecificNumber: [1001, () => [isSpecific(1000), isSpecific(999)], [true, false]],
  minSpecificText: [5, () => [isSpecific("AB12"), isSpecific("B12")], [true, false]],
  minSpecificProse: [25, () => [isSpecific("x".repeat(24)), isSpecific("x".repeat(23))], [true, false]],
  minEntityName: [4, () => [isEntityName("Ann"), isEntityName("Al")], [true, false]],
  minOpaqueDigits: [
    6,
    () => [isOpaqueId("abcdefghijklmnopqr12345"), isOpaqueId("abcdefghijklmnopqrs1234")],
    [true, false],
  ],
  minOpaqueFewDigits: [4, () => [isOpaqueId("ORD123"), isOpaqueId("ORDE12")], [true, false]],
  minOpaqueText: [7, () => [isOpaqueId("ORD123"), isOpaqueId("OR123")], [true, false]],
  minOpaqueShare: [0.2, () => [isOpaqueId("ORDERS123"), isOpaqueId("ORDERSX123")], [true, false]],
  minCalculated: [
    4,
    () => [derived(3, { a: 1, b: 2 }), derived(2, { a: 1, b: 1 })],
    ["r0.a + r0.b", undefined],
  ],
  minComposedRun: [4, () => derived("Ann / Bob", { one: "Ann", two: "Bob" }), "<r0.one> / <r0.two>"],
  maxDays: [
    365,
    () => [derived("2025-01-01", { from: "2024-01-01" }), derived("2025-01-02", { from: "2024-01-01" })],
    ["r0.from + 366 days as YYYY-MM-DD", undefined],
  ],
};

const SET = { ...WEIGHTS };
afterEach(() => Object.assign(WEIGHTS, SET));

test.each(Object.entries(CASES))("%s decides what comes out", (weight, [changed, says, expected]) => {
  expect(says()).toEqual(expected);
  Object.assign(WEIGHTS, { [weight]: changed });
  expect(says()).not.toEqual(expected);
});
