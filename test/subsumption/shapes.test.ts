import { expect, test } from "vitest";
import { skillFolder } from "../checks/read-folder.ts";
import { compiler } from "../shared-threads.ts";

const NUMBER = { type: "number" };
const TEXT = { type: "string" };
const closed = (properties: object, required: readonly string[] = Object.keys(properties)): object => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...(required.length > 0 && { required }),
});

test.each<[string, string, object]>([
  [
    "lines that end as on Windows",
    "interface I {\r\n  /**\r\n   * The a.\r\n   * @minimum 1\r\n   */\r\n  a: number;\r\n}\r\nexport default (i: I): null => null;\r\n",
    closed({ a: { ...NUMBER, description: "The a.", minimum: 1 } }),
  ],
  ["a byte order mark", "\uFEFFexport default (i: string): null => null;", TEXT],
  [
    "names of all kinds",
    `export default (i: { __proto__: string; "a-b": string; ü: string }): null => null;`,
    closed({ ["__proto__"]: TEXT, "a-b": TEXT, ü: TEXT }),
  ],
  [
    "keys in a stable order",
    "export default (i: keyof { b: 1; a: 2 }): null => null;",
    { ...TEXT, enum: ["a", "b"] },
  ],
  [
    "literals in their own order, whatever other skills wrote",
    `type A = "z" | "b";\nexport default (i: { a: A; b?: "y" | A }): null => null;`,
    closed({ a: { ...TEXT, enum: ["z", "b"] }, b: { ...TEXT, enum: ["y", "z", "b"] } }, ["a"]),
  ],
  [
    "an enum of numbers and strings",
    "enum E { A = -1, B = 2 ** 3, C = 'x' } export default (i: E): null => null;",
    { type: ["number", "string"], enum: [-1, 8, "x"] },
  ],
  [
    "an enum that is not known before it runs",
    "enum E { A = Math.random() } export default (i: E): null => null;",
    NUMBER,
  ],
  [
    "a circle through a mapped type",
    "interface T { v: string; kids?: Partial<T>[] } export default (i: T): null => null;",
    {
      ...closed({ v: TEXT, kids: { $ref: "#/$defs/Kids" } }, ["v"]),
      $defs: { Kids: { type: "array", items: closed({ v: TEXT, kids: { $ref: "#/$defs/Kids" } }, []) } },
    },
  ],
  [
    "a mapped type that changes the types of its properties",
    "interface T { /** How many @minimum 1 */ a: Integer } export default (i: { [K in keyof T]: string }): null => null;",
    closed({ a: { ...TEXT, description: "How many" } }),
  ],
  [
    "an intersection of unions",
    "type A = { a: string }; export default (i: A & ({ b?: number } | { c: 1 })): null => null;",
    { anyOf: [closed({ a: TEXT, b: NUMBER }, ["a"]), closed({ a: TEXT, c: { ...NUMBER, const: 1 } })] },
  ],
  [
    "two names for one primitive",
    "/** @minLength 3 */ type A = string; /** @pattern ^x */ type B = string; export default (i: A | B | null): null => null;",
    { anyOf: [{ ...TEXT, minLength: 3 }, { ...TEXT, pattern: "^x" }, { type: "null" }] },
  ],
  [
    "a class of plain data",
    "class P { x = 1; constructor(public y: string, private z: number) {} } export default (i: P): null => null;",
    closed({ x: NUMBER, y: TEXT }),
  ],
  [
    "a type parameter",
    "export default function <T extends { a: string }>(i: T): T { return i }",
    closed({ a: TEXT }),
  ],
  ["this", "export default function (this: void, i: string): null { return null }", TEXT],
  ["a renamed export", "const run = (i: string): null => null; export { run as default };", TEXT],
  [
    "a link and an example in a comment",
    'interface I {\n  /** See {@link Other | the other}, a@b.c\n   * @see nothing\n   * @example { "x": 1 }\n   */ a: unknown }\nexport default (i: I): null => null',
    closed({ a: { description: "See the other, a@b.c", examples: [{ x: 1 }] } }),
  ],
  [
    "numbers as keys",
    "export default (i: { [index: number]: string }): null => null;",
    {
      type: "object",
      patternProperties: { [String.raw`^-?\d+(?:\.\d+)?$`]: TEXT },
      additionalProperties: false,
    },
  ],
  [
    "patterns as keys",
    "export default (i: { [key: `x-${string}`]: string; y: 1 }): null => null;",
    {
      type: "object",
      properties: { y: { ...NUMBER, const: 1 } },
      patternProperties: { [String.raw`^x-[\s\S]*$`]: TEXT },
      additionalProperties: false,
      required: ["y"],
    },
  ],
])("in TypeScript: %s", async (_, code, input) => {
  const other = skillFolder(
    "other",
    `export type T = "b" | "a" | "y" | "z"; export default (i: T): null => null;`,
  );
  const { skills, diagnostics } = await compiler.compile([other, skillFolder("skill", code)]);
  expect(diagnostics).toEqual([]);
  expect(skills[1]?.contract.input).toEqual(input);
});

test.each<[string, Record<string, string>, object]>([
  [
    "a type expression",
    {
      "skill.js":
        "/** @type {(input: { a: Integer }) => string} */\nconst run = (input) => String(input.a);\nexport default run;",
    },
    closed({ a: { type: "integer" } }),
  ],
  [
    "a type of another file",
    {
      "skill.js": `/** @param {import("./t.ts").Input} input */\nexport default (input) => input.a;`,
      "t.ts": "export interface Input { /** @minimum 3 */ a: number }",
    },
    closed({ a: { ...NUMBER, minimum: 3 } }),
  ],
  [
    "an object of which nothing is said",
    { "skill.js": "/** @param {Object} input */\nexport default (input) => 1;" },
    { type: "object" },
  ],
  [
    "properties of properties, and two types in one comment",
    {
      "skill.js":
        "/**\n * @typedef {object} Leg A leg\n * @property {string} from\n *\n * @typedef {object} Input\n * @property {Leg[]} legs - The legs @minItems 1\n * @property {Object} opts\n * @property {boolean} opts.fast - Fast? @default true\n */\n/** @param {Input} input */\nexport default (input) => input.legs.length;",
    },
    closed({
      legs: {
        type: "array",
        items: { ...closed({ from: TEXT }), description: "A leg" },
        description: "The legs",
        minItems: 1,
      },
      opts: closed({ fast: { type: "boolean", description: "Fast?", default: true } }, []),
    }),
  ],
])("in JSDoc: %s", async (_, files, input) => {
  const { skills, diagnostics } = await compiler.compile([skillFolder("skill", files)]);
  expect(diagnostics).toEqual([]);
  expect(skills[0]?.contract.input).toEqual(input);
});

test("types, imports and exports of types are left away in scripts, whether or not they say type", async () => {
  const { skills } = await compiler.compile([
    skillFolder("skill", {
      "skill.ts": `export { default } from "./impl.ts";\nexport type { X } from "./x.ts";\nexport { X as Y, q } from "./x.ts";\nimport "./effect.ts";\nimport { type X as Z } from "./types.ts";\n`,
      "impl.ts": `import { X } from "./types.ts";\nexport default async (x: X): Promise<X> => (await import("./late.ts")).late(x);`,
      "x.ts": "export type X = string;\nexport const q = 1;",
      "effect.ts": "console.log(1 as number);",
      "types.ts": "export type X = string;",
      "late.ts": "export const late = (x: string) => x;",
    }),
  ]);
  expect(
    skills[0]?.scripts.map(({ path, code }) => [path.split("/").at(-1), code.replaceAll(/ +/g, " ").trim()]),
  ).toEqual([
    [
      "skill.ts",
      `export { default } from "./impl.ts";\n \nexport { q } from "./x.ts";\nimport "./effect.ts";`,
    ],
    ["impl.ts", `export default async (x ) => (await import("./late.ts")).late(x);`],
    ["x.ts", "export const q = 1;"],
    ["effect.ts", "console.log(1 );"],
    ["late.ts", "export const late = (x ) => x;"],
  ]);
});
