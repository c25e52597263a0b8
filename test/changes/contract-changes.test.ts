import { describe, expect, test } from "vitest";
import {
  contractsOf,
  readContracts,
  type CatalogContracts,
  type SkillContract,
} from "../../src/changes/catalog-contracts.ts";
import type { CompiledSkills } from "../../src/compiler/compile-skills.ts";
import { contractChanges, type SkillChange } from "../../src/changes/contract-changes.ts";
import { nextVersion } from "../../src/changes/next-version.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { validatorOf, type JsonSchema } from "../../src/core/json/json-schema.ts";
import { skillFolder } from "../checks/read-folder.ts";
import { compiler } from "../shared-threads.ts";

const TEXT: JsonSchema = { type: "string" };
const NUMBER: JsonSchema = { type: "number" };
const INTEGER: JsonSchema = { type: "integer" };

/** An object as types make them for inputs: closed. */
function taken(
  properties: JsonObject,
  required = Object.keys(properties),
  rest: JsonObject = {},
): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false, ...rest };
}

/** An object as types make them for outputs: open. */
function given(
  properties: JsonObject,
  required = Object.keys(properties),
  rest: JsonObject = {},
): JsonSchema {
  return { type: "object", properties, required, ...rest };
}

function listOf(items: JsonSchema, rest: JsonObject = {}): JsonSchema {
  return { type: "array", items, ...rest };
}

function contract(own: Partial<SkillContract> = {}): SkillContract {
  return {
    name: "s",
    kind: "code",
    operation: "READ",
    level: 1,
    calls: [],
    input: {},
    output: {},
    digest: "1",
    ...own,
  };
}

function contracts(...skills: readonly Partial<SkillContract>[]): CatalogContracts {
  return { format: 1, skills: skills.map(contract) };
}

function changeOf(before: Partial<SkillContract>, now: Partial<SkillContract>): SkillChange {
  const [change] = contractChanges(contracts(before), contracts(now)).skills;
  if (!change) throw new Error("no change");
  return change;
}

/** Side, effect, and why of each difference. */
function told(change: SkillChange): readonly (readonly string[])[] {
  return change.kind === "changed"
    ? change.differences.map(({ side, effect, why }) => [side, effect, why])
    : [];
}

type Row = readonly [
  what: string,
  before: JsonSchema,
  now: JsonSchema,
  difference: readonly [effect: string, why: string],
];

const trip = taken({ from: TEXT, to: TEXT });
const recursive = (more: JsonObject = {}): JsonSchema => ({
  ...taken({ title: TEXT, children: listOf({ $ref: "#/$defs/Entry" }) }, ["title"]),
  $defs: { Entry: taken({ title: TEXT, ...more, children: listOf({ $ref: "#/$defs/Entry" }) }, ["title"]) },
});
const odd: JsonSchema = { type: "string", pattern: "^(?<n>a)\\k<n>$" };
const other: JsonSchema = { type: "string", pattern: "^(?<n>b)\\k<n>$" };

const INPUTS: readonly Row[] = [
  [
    "a new required property",
    trip,
    taken({ from: TEXT, to: TEXT, cabin: TEXT }),
    ["breaking", "`cabin` is required now"],
  ],
  [
    "a new optional property",
    trip,
    taken({ from: TEXT, to: TEXT, cabin: TEXT }, ["from", "to"]),
    ["compatible", "`cabin` can be given now"],
  ],
  [
    "a new property with a default",
    trip,
    taken({ from: TEXT, to: TEXT, cabin: { ...TEXT, default: "x" } }),
    ["compatible", "`cabin` can be given now"],
  ],
  ["a removed property", trip, taken({ from: TEXT }), ["breaking", "`to` is not taken any more"]],
  [
    "an optional property that becomes required",
    taken({ a: TEXT }, []),
    taken({ a: TEXT }),
    ["breaking", "`a` is required now"],
  ],
  [
    "a required property that becomes optional",
    taken({ a: TEXT }),
    taken({ a: TEXT }, []),
    ["compatible", "`a` takes more than before"],
  ],
  [
    "a narrower type",
    taken({ n: NUMBER }),
    taken({ n: INTEGER }),
    ["breaking", "`n` is 0.5, but an integer is expected"],
  ],
  ["a wider type", taken({ n: INTEGER }), taken({ n: NUMBER }), ["compatible", "`n` takes more than before"]],
  [
    "another type",
    taken({ n: TEXT }),
    taken({ n: NUMBER }),
    ["breaking", "`n` is a string, but a number is expected"],
  ],
  [
    "fewer choices",
    taken({ c: { enum: ["eco", "first"] } }),
    taken({ c: { enum: ["eco"] } }),
    ["breaking", '`c` is "first", but "eco" is expected'],
  ],
  [
    "more choices",
    taken({ c: { enum: ["eco"] } }),
    taken({ c: { enum: ["eco", "first"] } }),
    ["compatible", "`c` takes more than before"],
  ],
  [
    "null not taken any more",
    taken({ a: { type: ["string", "null"] } }),
    taken({ a: TEXT }),
    ["breaking", "`a` is null, but a string is expected"],
  ],
  [
    "null taken too",
    taken({ a: TEXT }),
    taken({ a: { anyOf: [TEXT, { type: "null" }] } }),
    ["compatible", "`a` takes more than before"],
  ],
  [
    "a tighter bound",
    taken({ n: { type: "integer", minimum: 0 } }),
    taken({ n: { type: "integer", minimum: 1 } }),
    ["breaking", "`n` is 0"],
  ],
  [
    "a shorter list",
    taken({ l: listOf(TEXT) }),
    taken({ l: listOf(TEXT, { maxItems: 2 }) }),
    ["breaking", "`l`"],
  ],
  [
    "a nested property that is required now",
    taken({ legs: listOf(taken({ from: TEXT }, [])) }),
    taken({ legs: listOf(taken({ from: TEXT })) }),
    ["breaking", "`legs[0].from` is missing"],
  ],
  [
    "a nested property that can be given now",
    taken({ a: taken({ b: TEXT }) }),
    taken({ a: taken({ b: TEXT, c: TEXT }, ["b"]) }),
    ["compatible", "`a.c` takes more than before"],
  ],
  [
    "a type that refers to itself and takes more",
    recursive(),
    recursive({ id: TEXT }),
    ["compatible", "takes more than before"],
  ],
  [
    "a property that an open input does not ask for any more",
    given({ a: TEXT, b: TEXT }, ["a"]),
    given({ a: TEXT }),
    ["compatible", "`b` is not asked for any more"],
  ],
  ["a pattern that cannot be compared", taken({ a: odd }), taken({ a: other }), ["unknown", ""]],
  [
    "equal but in another order",
    taken({ a: TEXT, b: NUMBER }),
    { additionalProperties: false, required: ["b", "a"], properties: { b: NUMBER, a: TEXT }, type: "object" },
    ["none", ""],
  ],
  [
    "equal but with a union of types",
    taken({ a: { type: ["string", "null"] } }),
    taken({ a: { anyOf: [{ type: "null" }, TEXT] } }),
    ["none", ""],
  ],
  [
    "equal but with a definition",
    taken({ a: TEXT }),
    { ...taken({ a: { $ref: "#/$defs/A" } }), $defs: { A: TEXT } },
    ["none", ""],
  ],
  [
    "equal but for words",
    taken({ a: TEXT }),
    taken({ a: { ...TEXT, description: "A text", examples: ["x"] } }),
    ["none", ""],
  ],
  [
    "something beside a pattern that cannot be compared",
    taken({ a: odd }),
    taken({ a: odd, b: TEXT }, ["a"]),
    ["compatible", "`b` can be given now"],
  ],
];

const OUTPUTS: readonly Row[] = [
  [
    "a property less",
    given({ a: TEXT, b: TEXT }),
    given({ a: TEXT }),
    ["breaking", "`b` may be missing now"],
  ],
  ["a property more", given({ a: TEXT }), given({ a: TEXT, b: TEXT }), ["compatible", "`b` is given now"]],
  [
    "an optional property more",
    given({ a: TEXT }),
    given({ a: TEXT, b: TEXT }, ["a"]),
    ["compatible", "`b` is given now"],
  ],
  [
    "an optional property less",
    given({ a: TEXT, b: TEXT }, ["a"]),
    given({ a: TEXT }),
    ["compatible", "`b` is not promised any more"],
  ],
  [
    "a required property that becomes optional",
    given({ a: TEXT }),
    given({ a: TEXT }, []),
    ["breaking", "`a` may be missing now"],
  ],
  [
    "an optional property that becomes required",
    given({ a: TEXT }, []),
    given({ a: TEXT }),
    ["compatible", "`a` promises more than before"],
  ],
  [
    "a wider type",
    given({ n: INTEGER }),
    given({ n: NUMBER }),
    ["breaking", "`n` is 0.5, but an integer is expected"],
  ],
  [
    "a narrower type",
    given({ n: NUMBER }),
    given({ n: INTEGER }),
    ["compatible", "`n` promises more than before"],
  ],
  [
    "more choices",
    given({ c: { enum: ["a"] } }),
    given({ c: { enum: ["a", "b"] } }),
    ["breaking", '`c` is "b", but "a" is expected'],
  ],
  [
    "fewer choices",
    given({ c: { enum: ["a", "b"] } }),
    given({ c: { enum: ["a"] } }),
    ["compatible", "`c` promises more than before"],
  ],
  [
    "null that may come",
    given({ a: TEXT }),
    given({ a: { type: ["string", "null"] } }),
    ["breaking", "`a` is null"],
  ],
  [
    "a nested number that was a text",
    given({ l: listOf(given({ p: TEXT })) }),
    given({ l: listOf(given({ p: NUMBER })) }),
    ["breaking", "`l[0].p` is a number"],
  ],
  ["what had no type has one now", {}, given({ a: TEXT }), ["compatible", "it promises more than before"]],
  ["what had a type has none now", TEXT, {}, ["breaking", "a string is expected"]],
  ["equal but with one alternative", given({ a: TEXT }), { anyOf: [given({ a: TEXT })] }, ["none", ""]],
];

for (const [side, rows] of [
  ["input", INPUTS],
  ["output", OUTPUTS],
] as const) {
  test.each(rows)(`${side}: %s`, (_, before, now, difference) => {
    const change = changeOf({ [side]: before }, { [side]: now });
    const [effect, why] = difference;
    if (effect === "none") expect(change).toEqual({ kind: "same", name: "s", step: "none" });
    else {
      expect(told(change)).toEqual([[side, effect, expect.stringContaining(why)]]);
      expect(change.step).toBe(effect === "compatible" ? "minor" : "major");
    }
  });

  const breaking = rows.filter(([, , , difference]) => difference[0] === "breaking");
  test.each(breaking)(`${side}: %s: the example shows it`, (_, before, now) => {
    const change = changeOf({ [side]: before }, { [side]: now });
    const [difference] = change.kind === "changed" ? change.differences : [];
    const example = difference && "counterexample" in difference ? difference.counterexample : null;
    const [accepting, refusing] = side === "input" ? [before, now] : [now, before];
    expect(validatorOf(accepting)(structuredClone(example)).ok).toBe(true);
    expect(validatorOf(refusing)(structuredClone(example)).ok).toBe(false);
  });
}

test("what has a default need not be given, and always comes", () => {
  const filled = given({ a: { ...TEXT, default: "" } }, []);
  expect(told(changeOf({ output: filled }, { output: given({ a: TEXT }, []) }))).toEqual([
    ["output", "breaking", "`a` may be missing now"],
  ]);
  expect(changeOf({ output: filled }, { output: given({ a: TEXT }) }).kind).toBe("same");
  expect(told(changeOf({ input: filled }, { input: given({ a: TEXT }) }))).toEqual([
    ["input", "breaking", "`a` is required now"],
  ]);
  expect(changeOf({ input: filled }, { input: given({ a: TEXT }, []) }).kind).toBe("same");
});

test("an input that gets a type takes less than any object", () => {
  expect(told(changeOf({ input: { type: "object" } }, { input: taken({ n: NUMBER }) }))).toEqual([
    ["input", "breaking", "`n` is required now"],
    ["input", "breaking", "`extra` is given, but no such property is expected"],
  ]);
});

describe("a skill's change", () => {
  test("tells every property that differs, each with an example of its own", () => {
    const before = taken({ from: TEXT, to: TEXT, cabin: { enum: ["eco", "first"] } });
    const now = taken({ from: TEXT, cabin: { enum: ["eco"] }, seats: INTEGER, note: TEXT }, [
      "from",
      "cabin",
      "seats",
    ]);
    expect(told(changeOf({ input: before }, { input: now }))).toEqual([
      ["input", "breaking", '`cabin` is "first", but "eco" is expected'],
      ["input", "breaking", "`seats` is required now"],
      ["input", "breaking", "`to` is not taken any more"],
      ["input", "compatible", "`note` can be given now"],
    ]);
  });

  test("is as large as its largest difference", () => {
    const change = changeOf(
      { input: trip, output: TEXT },
      { input: taken({ from: TEXT, to: TEXT, x: TEXT }, ["from", "to"]), output: NUMBER },
    );
    expect(told(change).map(([side, effect]) => [side, effect])).toEqual([
      ["input", "compatible"],
      ["output", "breaking"],
    ]);
    expect(change.step).toBe("major");
  });

  test.each([
    ["TRANSFORM", "READ", "breaking", "major"],
    ["READ", "WRITE", "breaking", "major"],
    ["WRITE", "TRANSFORM", "compatible", "minor"],
  ] as const)("from %s to %s is %s", (before, now, effect, step) => {
    const change = changeOf({ operation: before }, { operation: now });
    expect(change.step).toBe(step);
    expect(told(change)).toEqual([["operation", effect, `${now} now, ${before} before`]]);
  });

  test("is breaking where it has no code any more", () => {
    expect(changeOf({ kind: "code" }, { kind: "instructions" }).step).toBe("major");
    expect(changeOf({ kind: "instructions" }, { kind: "code" }).step).toBe("minor");
  });

  test("is a patch where only the code differs", () => {
    expect(changeOf({ digest: "1" }, { digest: "2" })).toEqual({ kind: "code", name: "s", step: "patch" });
  });
});

describe("a catalog's changes", () => {
  const before = contracts(
    { name: "flight-search", input: trip },
    { name: "gone", input: trip },
    { name: "broken" },
    { name: "kept" },
  );
  const now = contracts(
    { name: "flight-search", input: taken({ from: TEXT, to: TEXT, cabin: TEXT }), calls: ["flight-search"] },
    { name: "trip-plan", calls: ["flight-search", "gone"] },
    { name: "daily", calls: ["flight-search", "kept"] },
    { name: "kept" },
  );

  test("are by name, and say who calls what breaks", () => {
    const { step, skills } = contractChanges(before, now, { broken: new Set(["broken"]) });
    expect(step).toBe("major");
    expect(skills).toEqual([
      { kind: "removed", name: "broken", step: "major", isBroken: true, callers: [] },
      { kind: "added", name: "daily", step: "minor" },
      {
        kind: "changed",
        name: "flight-search",
        step: "major",
        callers: ["daily", "trip-plan"],
        differences: [
          {
            side: "input",
            effect: "breaking",
            why: "`cabin` is required now",
            path: "cabin",
            counterexample: { from: "text", to: "text" },
          },
        ],
      },
      { kind: "removed", name: "gone", step: "major", isBroken: false, callers: ["trip-plan"] },
      { kind: "same", name: "kept", step: "none" },
      { kind: "added", name: "trip-plan", step: "minor" },
    ]);
  });

  test("of nothing are none", () => {
    expect(contractChanges(contracts(), contracts())).toEqual({ step: "none", skills: [] });
    expect(contractChanges(now, now).step).toBe("none");
  });
});

describe("the next version", () => {
  test.each([
    ["1.2.3", "major", "2.0.0"],
    ["1.2.3", "minor", "1.3.0"],
    ["1.2.3", "patch", "1.2.4"],
    ["0.3.1", "major", "0.4.0"],
    ["0.3.1", "minor", "0.3.2"],
    ["2.0.0-rc.1", "major", "2.0.0"],
    ["2.1.0-rc.1", "major", "3.0.0"],
    ["1.2.3-rc.1", "patch", "1.2.3"],
    ["v1.0.0+build", "minor", "1.1.0"],
    ["1.0", "major", undefined],
  ] as const)("after %s, for a %s step, is %s", (version, step, next) => {
    expect(nextVersion(version, step)).toBe(next);
  });

  test.each([
    ["1.2.3", "1.2.3", { before: "1.2.3", next: "2.0.0", isReached: false }],
    ["1.2.3", "1.3.0", { before: "1.2.3", next: "2.0.0", isReached: false }],
    ["1.2.3", "2.0.0", { before: "1.2.3", next: "2.0.0", isReached: true }],
    ["1.2.3", "2.0.0-rc.1", { before: "1.2.3", next: "2.0.0", isReached: false }],
    [undefined, "1.0.0", { before: "1.0.0", next: "2.0.0", isReached: false }],
    ["latest", "latest", undefined],
  ])("of a skill that had %s and has %s", (before, now, version) => {
    const change = changeOf({ version: before, input: TEXT }, { version: now, input: NUMBER });
    expect(change).toMatchObject({ kind: "changed", step: "major" });
    expect("version" in change ? change.version : undefined).toEqual(version);
  });
});

describe("contracts", () => {
  test("of skills are plain data that can be kept and read again", async () => {
    const { skills } = await compiled({
      double: "export default ({ n }: { n: number }): number => n * 2",
      quad: 'export default async ({ n }: { n: number }): Promise<number> => call_skill("double", { n })',
    });
    const kept = contractsOf(skills, { package: "0.1.0", skills: new Map([["double", "3.0.0"]]) });
    expect(kept).toMatchObject({
      format: 1,
      version: "0.1.0",
      skills: [
        { name: "double", version: "3.0.0", calls: [], level: 1, operation: "TRANSFORM", output: NUMBER },
        { name: "quad", calls: ["double"], level: 2, input: taken({ n: NUMBER }) },
      ],
    });
    const read = readContracts(JSON.parse(JSON.stringify(kept)));
    expect(read).toEqual({ ok: true, value: JSON.parse(JSON.stringify(kept)) as unknown });
    expect(read.ok && contractChanges(read.value, kept).step).toBe("none");
  });

  test("have a digest that neither a version nor the ends of lines change", async () => {
    const code = "// doubles\nexport default ({ n }: { n: number }): number => n * 2\n";
    const digestOf = async (text: string, frontmatter = ""): Promise<string | undefined> => {
      const { skills } = await compiler.compile([skillFolder("double", text, frontmatter)]);
      return contractsOf(skills).skills[0]?.digest;
    };
    const digest = await digestOf(code);
    expect(await digestOf(code.replaceAll("\n", "\r\n"))).toBe(digest);
    expect(await digestOf(code, "metadata:\n  version: 1.2.0\n")).toBe(digest);
    expect(await digestOf(code, "license: MIT\n")).not.toBe(digest);
    expect(await digestOf(code.replace("doubles", "twice"))).not.toBe(digest);
  });

  test("take a skill's version from its frontmatter, if it is a semantic version", async () => {
    const code = "export default (): number => 1";
    const { skills } = await compiler.compile([
      skillFolder("a", code, "metadata:\n  version: 1.2.0\n"),
      skillFolder("b", code, "version: 2.0.0\n"),
      skillFolder("c", code, 'version: "1.0"\n'),
    ]);
    expect(contractsOf(skills).skills.map(({ version }) => version)).toEqual(["1.2.0", "2.0.0", undefined]);
  });

  const good = contract();
  test.each([
    ["no object", 3, "must be an object, not 3"],
    ["another format", { format: 2, skills: [] }, '"format": it is 2, but only 1 can be read'],
    ["no skills", { format: 1 }, '"skills":'],
    [
      "a wrong operation",
      { format: 1, skills: [{ ...good, operation: "DELETE" }] },
      '"skills[0].operation":',
    ],
    [
      "a schema that is none",
      { format: 1, skills: [{ ...good, input: [] }] },
      '"skills[0].input": must be a JSON Schema object',
    ],
    ["a skill that is there twice", { format: 1, skills: [good, good] }, '"s" is there more than once'],
    ["many faults", { format: 1, skills: Array.from({ length: 9 }, () => ({})) }, "and 67 more"],
  ])("with %s are refused, and it is said where", (_, value, message) => {
    const read = readContracts(value);
    expect(read).toMatchObject({ ok: false, error: { code: "SNAPSHOT_INVALID" } });
    expect(read.ok ? "" : read.error.message).toContain(message);
  });
});

async function compiled(codes: Readonly<Record<string, string>>): Promise<CompiledSkills> {
  return compiler.compile(Object.entries(codes).map(([name, code]) => skillFolder(name, code)));
}
