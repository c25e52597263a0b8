import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../src/core/diagnostic.ts";
import { skillFolder } from "./read-folder.ts";
import { compiler } from "../shared-threads.ts";

type Case = readonly [
  what: string,
  code: string,
  findings: readonly (readonly [Diagnostic["code"], Diagnostic["severity"], string, RegExp])[],
];

/** Wraps members of an input; the members begin in line 2. */
const input = (members: string, rest = ""): string =>
  `interface Input {\n${members}\n}\n${rest}export default function run(input: Input): null { return null }`;
const INEXPRESSIBLE = "type-inexpressible";

const TYPES: readonly Case[] = [
  [
    "a Date",
    input("  when: Date;"),
    [[INEXPRESSIBLE, "error", "2:3", /^`input\.when` is a Date, which JSON cannot carry$/]],
  ],
  [
    "a Map in a list",
    input("  legs: { at: Map<string, number> }[];"),
    [[INEXPRESSIBLE, "error", "2:11", /`input\.legs\[\]\.at` is a Map/]],
  ],
  ["a Set", input("  a: Set<string>;"), [[INEXPRESSIBLE, "error", "2:3", /a Set/]]],
  ["a bigint", input("  a: bigint;"), [[INEXPRESSIBLE, "error", "2:3", /a bigint/]]],
  ["a symbol", input("  a: symbol;"), [[INEXPRESSIBLE, "error", "2:3", /a symbol/]]],
  ["a function", input("  a: () => void;"), [[INEXPRESSIBLE, "error", "2:3", /a function/]]],
  [
    "an optional method",
    input("  ok: 1; run?(): void;"),
    [[INEXPRESSIBLE, "error", "2:10", /`input\.run` is a function/]],
  ],
  ["never", input("  a: never;"), [[INEXPRESSIBLE, "error", "2:3", /never/]]],
  ["void", input("  a: void;"), [[INEXPRESSIBLE, "error", "2:3", /void/]]],
  ["a promise", input("  a: Promise<number>;"), [[INEXPRESSIBLE, "error", "2:3", /a Promise/]]],
  ["a regular expression", input("  a: RegExp | null;"), [[INEXPRESSIBLE, "error", "2:3", /a RegExp/]]],
  [
    "undefined in a list",
    input("  a: (string | undefined)[];"),
    [[INEXPRESSIBLE, "error", "2:3", /`input\.a\[\]` is undefined/]],
  ],
  [
    "a class with methods",
    input("  a: Point;", "class Point { x = 1; private y = 2;\n  length() { return this.x + this.y } }\n"),
    [[INEXPRESSIBLE, "error", "5:3", /`input\.a\.length` is a function/]],
  ],
  [
    "a tuple with something after its rest",
    input("  a: [...number[], string];"),
    [[INEXPRESSIBLE, "error", "2:3", /a tuple/]],
  ],
  [
    "a symbol as a name",
    input("  [Symbol.iterator]: string;"),
    [[INEXPRESSIBLE, "error", "2:3", /named by a symbol/]],
  ],
  [
    "several at once",
    input("  a: Date;\n  b: string;\n  c: bigint;"),
    [
      [INEXPRESSIBLE, "error", "2:3", /a Date/],
      [INEXPRESSIBLE, "error", "4:3", /a bigint/],
    ],
  ],
  [
    "an unknown type",
    input("  a: Sting;"),
    [[INEXPRESSIBLE, "error", "2:3", /`input\.a` cannot be worked out/]],
  ],
  [
    "a type that is its own name",
    input("  a: Loop;", "type Loop = Loop;\n"),
    [[INEXPRESSIBLE, "error", "2:3", /in a cycle/]],
  ],
  [
    "generics that never close",
    input("  a: Deep<string>;", "type Deep<T> = { next?: Deep<T[]> };\n"),
    [[INEXPRESSIBLE, "error", "4:18", /too large to be a contract.*deeper than 32/]],
  ],
  [
    "too many parts",
    input(
      "  a: Tree<[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]>;",
      "type Tree<T> = T extends [0, ...infer R] ? { a: Tree<R>; b: Tree<R> } : 0;\n",
    ),
    [[INEXPRESSIBLE, "error", "4:58", /more than 2000 parts/]],
  ],
  [
    "too many values",
    input("  a: `${D}${D}${D}${D}`;", "type D = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12;\n"),
    [[INEXPRESSIBLE, "error", "2:3", /more than 20000 values/]],
  ],
  [
    "a product that is too complex",
    input("  a: `${D}${D}${D}${D}${D}${D}`;", "type D = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;\n"),
    [[INEXPRESSIBLE, "error", "2:3", /too complex/]],
  ],
  [
    "any",
    input("  a: any;\n  b: { c: any };"),
    [
      ["type-untyped", "warning", "2:3", /`input\.a` has the type any/],
      ["type-untyped", "warning", "3:8", /`input\.b\.c`/],
    ],
  ],
  ["any JSON", input("  a: unknown;"), []],
  [
    "an inferred output with an error in it",
    `export default async function run() { return {\n  at: new Date(), ok: 1 } }`,
    [[INEXPRESSIBLE, "error", "2:3", /`output\.at` is a Date/]],
  ],
  [
    "an inferred output of what another skill gives",
    `export default async function run() {\n  return await call_skill("callee") }`,
    [["type-untyped", "warning", "1:31", /^The output has no type/]],
  ],
  [
    "an untyped input",
    `export default function run(\n  input): number { return 1 }`,
    [["type-untyped", "warning", "2:3", /^The input has no type/]],
  ],
];

const TAGS: readonly Case[] = [
  [
    "a minimum that is no number",
    input("  /** A number @minimum one */\n  a: number;"),
    [["tag-invalid", "error", "2:16", /@minimum has the value "one"/]],
  ],
  [
    "a minimum without a value",
    input("  /** @minimum */ a: number;"),
    [["tag-invalid", "error", "2:7", /@minimum has no value/]],
  ],
  [
    "a length that is not whole",
    input("  /** @minLength 1.5 */ a: string;"),
    [["tag-invalid", "error", "2:7", /not a whole number/]],
  ],
  [
    "a pattern that is no expression",
    input("  /**\n   * @pattern [a-\n   */\n  a: string;"),
    [["tag-invalid", "error", "3:6", /not a valid regular expression/]],
  ],
  [
    "an unknown type",
    input("  /** @asType int */ a: number;"),
    [["tag-invalid", "error", "2:7", /@asType cannot be "int"/]],
  ],
  [
    "an unknown format",
    input("  /** @format datetime */ a: string;"),
    [["tag-invalid", "error", "2:7", /@format cannot be "datetime"/]],
  ],
  [
    "a default of another type",
    input('  /** @default "two" */ a: number;'),
    [["tag-invalid", "error", "2:7", /@default "two" does not fit/]],
  ],
  [
    "a default that breaks another tag",
    input("  /** @minimum 3 @default 2 */ a: number;"),
    [["tag-invalid", "error", "2:18", /@default 2 does not fit/]],
  ],
  [
    "a default that is not among the values",
    input("  /** @default c */ a: 'a' | 'b';"),
    [["tag-invalid", "error", "2:7", /@default c/]],
  ],
  [
    "a tag where it says nothing",
    input("  /** @minimum 1 */ a: string;"),
    [["tag-invalid", "warning", "2:7", /@minimum says nothing about a value of type string/]],
  ],
  [
    "a tag above a named type",
    input("  a: Iata;\n  b: Iata;", "/** @pattern ( */\ntype Iata = string;\n"),
    [["tag-invalid", "error", "5:5", /regular expression/]],
  ],
  ["an example that does not fit is prose", input("  /** @example see the manual */ a: number;"), []],
];

const CODE: readonly Case[] = [
  [
    "a syntax error",
    `export default function run(\n  input: { a: string }): null {\n  const x = ;\n  return null }`,
    [["code-syntax", "error", "3:13", /^Expression expected/]],
  ],
  [
    "several syntax errors",
    `const x = ;\nconst y = );\nexport default () => 1`,
    [
      ["code-syntax", "error", "1:11", /./],
      ["code-syntax", "error", "2:11", /./],
    ],
  ],
  [
    "an error that only an engine finds",
    `export default function run(): number {\n  await 1;\n  return 1 }`,
    [["code-syntax", "error", "2:3", /await isn't allowed in non-async function/]],
  ],
  [
    "nesting that overflows the compiler",
    `export const x = ${"(".repeat(20_000)}1${")".repeat(20_000)}; export default () => 1`,
    [["code-syntax", "error", "1:1", /nested too deeply/]],
  ],
  [
    "no default export",
    `export function run(): number { return 1 }`,
    [["code-no-default", "error", "1:1", /no default export/]],
  ],
  [
    "a default export that is no function",
    `const a = 1;\nexport default { a };`,
    [["code-no-default", "error", "2:1", /not a function/]],
  ],
  ["a class", `export default class Run {}`, [["code-no-default", "error", "1:1", /not a function/]]],
  [
    "two required parameters",
    `export default function run(a: string,\n  b: number): null { return null }`,
    [["code-signature", "error", "2:3", /more than one argument \(`b`\)/]],
  ],
  [
    "a rest parameter",
    `export default (...all: string[]): null => null`,
    [["code-signature", "error", "1:17", /`all`/]],
  ],
  ["an optional second parameter", `export default (a: string, b = 1, c?: number): null => null`, []],
];

const LITERALS: readonly Case[] = [
  [
    "a call",
    `const own = () => ({});\nexport const inputSchema = { type: "object", properties: own() };\nexport default (input: unknown): null => null`,
    [["schema-not-literal", "error", "2:58", /`inputSchema` cannot be read .*`own\(\)`/]],
  ],
  [
    "a let",
    `export let outputSchema = {};\nexport default (): null => null`,
    [["schema-not-literal", "error", "1:12", /not a const/]],
  ],
  [
    "a reference to a let",
    `let type = "object";\nexport const inputSchema = { type };\nexport default (): null => null`,
    [["schema-not-literal", "error", "2:30", /`type`/]],
  ],
  [
    "a template with something in it",
    "export const inputSchema = { type: `${1}` };\nexport default (): null => null",
    [["schema-not-literal", "error", "1:36", /before the code runs/]],
  ],
  [
    "a circle",
    `const a: object = { ...b };\nconst b: object = { ...a };\nexport const inputSchema = a;\nexport default (): null => null`,
    [["schema-not-literal", "error", "1:19", /./]],
  ],
  [
    "what is no schema",
    `export const inputSchema =\n  { type: "text" };\nexport default (input: unknown): null => null`,
    [["schema-invalid", "error", "2:3", /`inputSchema` is not valid JSON Schema: .*type/]],
  ],
  [
    "a reference to nowhere",
    `export const outputSchema = { $ref: "#/$defs/none" };\nexport default (): unknown => null`,
    [["schema-invalid", "error", "1:29", /none/]],
  ],
  [
    "a type that disagrees",
    `export const inputSchema = { type: "object", properties: { a: { type: "string" } } };\nexport default (input:\n  { a?: number }): null => null`,
    [
      [
        "contract-disagrees",
        "error",
        "2:17",
        /by the exported inputSchema `a` is string, by the type it is number$/,
      ],
    ],
  ],
  [
    "a type that requires less",
    `export const inputSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] } as const;\nexport default (input: { a?: string }): null => null`,
    [["contract-disagrees", "error", "2:17", /`a` is required, by the type it is optional$/]],
  ],
  [
    "a type with more in it",
    `export const outputSchema = { type: "array", items: { type: "object", properties: { a: {} } } };\nexport default (): { a?: Date; b?: string }[] => []`,
    [],
  ],
  [
    "a type with more in a list",
    `export const outputSchema = { type: "array", items: { type: "object", properties: { a: {} } } };\nexport default (): { a?: 1; b?: string }[] => []`,
    [["contract-disagrees", "error", "2:20", /`\[\]\.b` does not exist, by the type it is optional$/]],
  ],
  [
    "an inferred type with more in it",
    `export const outputSchema = { type: "object", properties: { a: { type: "number" } } };\nexport default () => ({ a: 1, b: 2 })`,
    [],
  ],
  [
    "an inferred type that is another",
    `export const outputSchema = { type: "object", properties: { a: { type: "string" } } };\nexport default () => ({ a: 1, b: 2 })`,
    [["contract-disagrees", "error", "2:16", /`a` is string, by the type it is number/]],
  ],
];

describe.each([
  { where: "in types", cases: TYPES },
  { where: "in tags", cases: TAGS },
  { where: "in code", cases: CODE },
  { where: "in exported schemas", cases: LITERALS },
])("$where", ({ cases }) => {
  test.each(cases)("%s", async (_, code, expected) => {
    const { diagnostics, skills } = await compiler.compile([
      skillFolder("skill", code),
      skillFolder("callee", "export default (): null => null"),
    ]);
    expect(diagnostics.map((found) => [found.code, found.severity, `${found.line}:${found.column}`])).toEqual(
      expected.map((each) => each.slice(0, 3)),
    );
    for (const [index, each] of expected.entries()) expect(diagnostics[index]?.message).toMatch(each[3]);
    for (const found of diagnostics)
      expect(found).toMatchObject({
        path: "/skills/skill/skill.ts",
        fix: expect.stringMatching(/^\S.*[^.]$/s) as string,
      });
    expect(skills.some(({ name }) => name === "skill")).toBe(expected.every((each) => each[1] !== "error"));
  });
});

describe("in frontmatter", () => {
  const code = "export default (input: { city: string; days?: number }): unknown => input";
  test.each([
    [
      "another type",
      "level: 1\ninputs: [{ name: city, type: number }, { name: days, type: integer, required: false }]\n",
      "contract-disagrees",
      "error",
      5,
      /by the code's type `city` is string, by the frontmatter it is number/,
    ],
    [
      "another need",
      'inputs: [{ name: city, type: string, required: "false" }, { name: days, type: number, required: false }]\n',
      "contract-disagrees",
      "error",
      4,
      /`city` is required, by the frontmatter it is optional/,
    ],
    [
      "too little",
      "inputs: [{ name: city, type: string }]\n",
      "contract-disagrees",
      "error",
      4,
      /`days` is optional, by the frontmatter it does not exist/,
    ],
    [
      "an unknown type",
      "outputs: [{ name: a, type: DateRange }]\n",
      "field-invalid",
      "warning",
      4,
      /'outputs\.a\.type' has unknown type "DateRange"/,
    ],
    [
      "a range that is none",
      "outputs: [{ name: a, type: number, range: [3, 1] }]\n",
      "field-invalid",
      "warning",
      4,
      /'outputs\.a\.range'/,
    ],
    [
      "a count that is none",
      "outputs: [{ name: a, type: string, min_length: -1 }]\n",
      "field-invalid",
      "warning",
      4,
      /'outputs\.a\.min_length'/,
    ],
    [
      "a key that no field has",
      "outputs: [{ name: a, type: number, minimum: 5 }]\n",
      "field-invalid",
      "warning",
      4,
      /'outputs\.a\.minimum' is not one that is read/,
    ],
    [
      "a time to live that is none",
      "ttl: soon\n",
      "field-invalid",
      "warning",
      4,
      /'ttl' must be a number of seconds above 0/,
    ],
    [
      "an unknown limit",
      "limits: { wall_ms: 10 }\n",
      "field-invalid",
      "warning",
      4,
      /'limits\.wall_ms' is not a limit/,
    ],
    [
      "a limit of nothing",
      "limits: { calls: 0 }\n",
      "field-invalid",
      "warning",
      4,
      /'limits\.calls' must be a number above 0, got 0/,
    ],
    [
      "limits that are no mapping",
      "limits: none\n",
      "field-invalid",
      "warning",
      4,
      /'limits' must be a mapping/,
    ],
  ])("%s", async (_, fields, finding, severity, line, message) => {
    const { diagnostics } = await compiler.compile([skillFolder("skill", code, fields)]);
    expect(diagnostics).toEqual([
      {
        code: finding,
        severity,
        path: "/skills/skill/SKILL.md",
        line,
        column: 1,
        message: expect.stringMatching(message) as string,
        fix: expect.stringMatching(/./) as string,
      },
    ]);
  });

  test.each([
    ["any", "inputs: [{ name: city, type: any }, { name: days, required: false, type: integer }]\n"],
    [
      "what has a default",
      "inputs: [{ name: city, type: string }, { name: days, type: integer, default: 3 }]\n",
    ],
  ])("%s agrees", async (_, fields) => {
    expect((await compiler.compile([skillFolder("skill", code, fields)])).diagnostics).toEqual([]);
  });

  test("a suggestion comes with a limit that is misspelt", async () => {
    const { diagnostics, skills } = await compiler.compile([
      skillFolder("skill", code, "limits: { wall-ms: 10, depth: 2 }\n"),
    ]);
    expect(diagnostics[0]?.fix).toBe("Did you mean wallMs?");
    expect(skills[0]?.limits).toEqual({ depth: 2 });
  });

  test("inputs stand in for an input that has no type, or any", async () => {
    const fields = "inputs: [{ name: city, type: string }]\n";
    for (const parameter of ["input", "input: unknown", "input: any", "{ city }"]) {
      const { skills, diagnostics } = await compiler.compile([
        skillFolder("skill", `export default (${parameter}): null => null`, fields),
      ]);
      expect(diagnostics).toEqual([]);
      expect(skills[0]?.contract.input).toEqual({
        type: "object",
        properties: { city: { type: "string" } },
        additionalProperties: false,
        required: ["city"],
      });
    }
  });
});

test("instructions without inputs and outputs are untyped without a warning", async () => {
  const { skills, diagnostics } = await compiler.compile([skillFolder("guide", {})]);
  expect(diagnostics).toEqual([]);
  expect(skills[0]?.contract).toEqual({
    input: { type: "object" },
    output: {},
    source: { input: "untyped", output: "untyped" },
  });
});

test("a finding in another file of the skill is at its place there", async () => {
  const { diagnostics } = await compiler.compile([
    skillFolder("skill", {
      "skill.ts": `import type { Leg } from "./lib/leg.ts";\nexport default (input: Leg[]): null => null`,
      "lib/leg.ts": "export interface Leg {\n  from: string; at: Date }",
    }),
  ]);
  expect(diagnostics).toMatchObject([
    { path: "/skills/skill/lib/leg.ts", line: 2, column: 17, code: INEXPRESSIBLE },
  ]);
});

test("skills do not see each other, nor what others declare to be global", async () => {
  const { skills, diagnostics } = await compiler.compile([
    skillFolder(
      "loud",
      "declare global { type Integer = string; interface Array<T> { extra: string } }\nexport default (a: Integer[]): Integer => a[0] ?? ''",
    ),
    skillFolder("quiet", "export default (a: Integer[]): null => null"),
    skillFolder(
      "curious",
      `import type { Input } from "../quiet/skill.ts";\nexport default (a: Input): null => null`,
    ),
  ]);
  expect(skills.map(({ name, contract }) => [name, contract.input])).toContainEqual([
    "quiet",
    { type: "array", items: { type: "integer" } },
  ]);
  expect(diagnostics).toMatchObject([
    { code: INEXPRESSIBLE, path: "/skills/curious/skill.ts", line: 2, column: 17 },
  ]);
});

test("a skill has no DOM, no Node and no files of the machine", async () => {
  const folders = ["HTMLElement", "Buffer", "URL"].map((type) =>
    skillFolder(
      type.toLowerCase(),
      `/// <reference lib="dom" />\n/// <reference types="node" />\n/// <reference path="/etc/passwd" />\nexport default (a: ${type}): null => null`,
    ),
  );
  const { diagnostics } = await compiler.compile(folders);
  expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([
    [INEXPRESSIBLE, 4],
    [INEXPRESSIBLE, 4],
    [INEXPRESSIBLE, 4],
  ]);
});
