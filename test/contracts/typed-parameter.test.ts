import { beforeAll, describe, expect, test } from "vitest";
import type { Diagnostic } from "../../src/core/diagnostic.ts";
import { skillFolder } from "../checks/read-folder.ts";
import { compiler } from "../shared-threads.ts";

const CALLEE = skillFolder(
  "order",
  `interface Line { sku: string; count: number }
interface Input { mode: "fast"; note: string; pair: [number, number]; first: Line; size: "s" | "m" }
export default (input: Partial<Input>): { done: boolean } => ({ done: input !== undefined });`,
);
const SCHEMA = `export const inputSchema = {
  type: "object",
  properties: {
    mode: { enum: ["fast", "slow"] },
    note: { type: ["string", "null"] },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 2, items: false },
    line: { $ref: "#/$defs/Line" },
    size: { enum: ["s", "m"] },
    label: { type: "string" },
    page: { type: "integer", default: 1 },
  },
  required: ["mode", "note", "pair", "line"],
  additionalProperties: false,
  $defs: { Line: { type: "object", properties: { sku: { type: "number" } }, required: ["sku"], additionalProperties: false } },
};
`;
/** The line on which a body's findings stand. */
const LINE = SCHEMA.split("\n").length;

const HEADS = [
  [
    "a function in JavaScript",
    "skill.js",
    (body: string) => `export default async function run(input) { ${body} }`,
  ],
  [
    "an arrow function without brackets",
    "skill.js",
    (body: string) => `export default async input => { ${body} };`,
  ],
  [
    "a function exported by name",
    "skill.js",
    (body: string) => `const run = async (input) => { ${body} }; export { run as default };`,
  ],
  [
    "a function in TypeScript",
    "skill.ts",
    (body: string) => `export default async function run(input): Promise<unknown> { ${body} return 1; }`,
  ],
] as const;

type Found = ReadonlyMap<string, readonly Diagnostic[]>;

async function findingsIn(
  bodies: readonly string[],
  file: string,
  head: (body: string) => string,
): Promise<Found> {
  const folders = bodies.map((body, index) =>
    skillFolder(`probe-${index}`, { [file]: `${SCHEMA}${head(body)}\n` }),
  );
  const { findings, diagnostics } = await compiler.compile([CALLEE, ...folders]);
  const all = [...diagnostics, ...findings].filter(({ severity }) => severity === "error");
  return new Map(
    bodies.map((body, index) => [body, all.filter(({ path }) => path === `/skills/probe-${index}/${file}`)]),
  );
}

const RIGHT = [
  `return await call_skill("order", { note: input.note ?? "" });`,
  `return input.line.sku.toFixed(input.page.toFixed().length);`,
  `if (input.mode === "fast") return await call_skill("order", { mode: input.mode }); return null;`,
  `const { size, ...others } = input; return [size?.toUpperCase(), others.pair[1].toFixed()];`,
  `return (input.label ?? "").trim();`,
  `return call_skill("order", { size: input.size });`,
];

/** What is wrong, the text at which it is found, and the way out. */
const WRONG: readonly (readonly [body: string, at: string, message: RegExp, fix: RegExp])[] = [
  [`return call_skill("order", { mode: input.mode });`, "mode: input", /"slow"/, /^Give "fast"$/],
  [`return call_skill("order", { note: input.note });`, "note: input", /null/, /`input\.note \?\? …`/],
  [`return call_skill("order", { pair: input.pair });`, "pair: input", /string.*number/, /list|Number/],
  [`return call_skill("order", { first: input.line });`, "first: input", /count/, /`count: number`/],
  [
    `return call_skill("order", { note: input.label.trim() });`,
    "input.label",
    /possibly 'undefined'/,
    /`input\.label \?\? …`/,
  ],
  [`return input.lable;`, "lable", /Did you mean 'label'/, /^Write `label`$/],
  [`return input.note.length;`, "input.note", /possibly 'null'/, /\?\?/],
  [`return input.line.count;`, "count", /does not exist/, /^It has `sku`$/],
  [`const { nothing } = input; return nothing;`, "nothing", /does not exist/, /./],
];

describe.each(HEADS)("a literal schema types the parameter of %s", (_, file, head) => {
  let found: Found;
  beforeAll(async () => {
    found = await findingsIn([...RIGHT, ...WRONG.map(([body]) => body)], file, head);
  });

  test.each(RIGHT)("%s is right", (body) => {
    expect(found.get(body)).toEqual([]);
  });

  test.each(WRONG)("%s is wrong", (body, at, message, fix) => {
    const [finding, ...others] = found.get(body) ?? [];
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: "call-type", line: LINE });
    expect(
      head(body)
        .slice((finding?.column ?? 0) - 1)
        .startsWith(at),
    ).toBe(true);
    expect(finding?.message).toMatch(message);
    expect(finding?.fix).toMatch(fix);
  });
});

test("a type that the author gave the parameter stays", async () => {
  const body = `return input.anything;`;
  const typed = await findingsIn(
    [body],
    "skill.js",
    (text) => `/** @param {any} input */\nexport default (input) => { ${text} };`,
  );
  expect(typed.get(body)).toEqual([]);
});

test("frontmatter types a parameter, too", async () => {
  const code = "export default (input) => input.naem;\n";
  const declared = "inputs:\n  - { name: name, type: string }\n";
  const { findings } = await compiler.compile([skillFolder("greet", { "skill.js": code }, declared)]);
  expect(findings).toMatchObject([{ code: "call-type", line: 1, column: 33, fix: "It has `name`" }]);
});
