import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SkillCompiler, type CompiledSkills } from "../../src/compiler/compile-skills.ts";
import { schemaFault, validatorOf } from "../../src/core/json/json-schema.ts";
import type { Skill } from "../../src/core/skill.ts";
import { FIXTURES, readFolder } from "../checks/read-folder.ts";

const NAMES = readdirSync(FIXTURES);
const compiler = new SkillCompiler({
  tools: {
    all: async () => Promise.resolve(new Map()),
    onChange: () => () => false,
    doubt: () => undefined,
    isReadOnly: (tool) => tool === "flights.search",
  },
});
let compiled: CompiledSkills;

beforeAll(async () => {
  compiled = await compiler.compile(NAMES.map((name) => readFolder(path.join(FIXTURES, name))));
});
afterAll(() => compiler.close());

test("all fixtures compile, in the order of their folders, without findings", () => {
  expect(compiled.skills.map(({ name }) => name)).toEqual(NAMES);
  expect([...compiled.diagnostics, ...compiled.findings]).toEqual([]);
});

describe("a contract", () => {
  test.each(NAMES)("of %s is exactly as in its contract.json", (name) => {
    const { input, output } = skill(name).contract;
    expect({ input, output }).toEqual(
      JSON.parse(readFileSync(path.join(FIXTURES, name, "contract.json"), "utf8")),
    );
  });

  test.each(NAMES)("of %s is valid JSON Schema", (name) => {
    expect(schemaFault(skill(name).contract.input)).toBeUndefined();
    expect(schemaFault(skill(name).contract.output)).toBeUndefined();
  });

  test.each([
    ["flight-search", "types", "types"],
    ["temperature-convert", "types", "types"],
    ["currency-round", "literal", "literal"],
    ["legacy-summary", "frontmatter", "frontmatter"],
    ["code-review", "frontmatter", "untyped"],
  ])("of %s comes from %s and %s", (name, input, output) => {
    expect(skill(name).contract.source).toEqual({ input, output });
  });

  test("accepts an input with its defaults left out, and fills them in", () => {
    const validate = validatorOf(skill("booking-quote").contract.input);
    const input = { nights: 2, discount: null, seat: "aisle", mixed: [1], one: 1 };
    expect(validate(input)).toEqual({
      ok: true,
      value: { ...input, guests: 2, room: "double", extras: ["wifi"], code: "none", smoking: null },
    });
  });

  test("refuses what recursion, patterns and closed objects do not allow", () => {
    const chart = validatorOf(skill("org-chart").contract.input);
    expect(
      chart({ name: "Ada", reports: [{ name: "Bob", reports: [], extra: { deep: [1, null] } }] }).ok,
    ).toBe(true);
    expect(chart({ name: "Ada", reports: [{ name: "Bob", reports: [{}] }] }).ok).toBe(false);
    const flights = validatorOf(skill("flight-search").contract.input);
    const search = { origin: "LHR", destination: "JFK", day: "2026-01-31", travellers: 1 };
    expect(flights(search).ok).toBe(true);
    expect(flights({ ...search, origin: "lhr" }).ok).toBe(false);
    expect(flights({ ...search, avoid: ["nowhere"] }).ok).toBe(false);
    expect(flights({ ...search, surplus: 1 }).ok).toBe(false);
  });
});

describe("scripts", () => {
  test("keep every position of the author's file where types can be erased", () => {
    const { scripts, sources } = skill("flight-search");
    const [script] = scripts;
    const text = sources[0]?.text ?? "";
    expect(script).toMatchObject({ path: path.join(FIXTURES, "flight-search/skill.ts") });
    expect(script?.map).toBeUndefined();
    expect(script?.code.split("\n").length).toBe(text.split("\n").length);
    expect(script?.code.indexOf("call_tool")).toBe(text.indexOf("call_tool"));
    expect(script?.code).not.toContain("interface");
  });

  test("are the files that run; what is imported for its types alone is left out of them and of the imports", () => {
    const { scripts } = skill("invoice-total");
    expect(scripts.map((script) => path.relative(FIXTURES, script.path))).toEqual([
      "invoice-total/skill.ts",
      "invoice-total/lib/lines.ts",
    ]);
    expect(scripts[0]?.code).not.toContain("invoice.ts");
    expect(scripts[0]?.code).toMatch(/import \{ lineTotal, {6}\} from ".\/lib\/lines.ts"/);
  });

  test("have a source map where enums had to be rewritten", () => {
    const [script] = skill("ticket-priority").scripts;
    expect(script?.code).toContain("Impact[Impact");
    expect(script?.code).not.toContain("sourceMappingURL");
    expect(JSON.parse(script?.map ?? "{}")).toMatchObject({
      version: 3,
      mappings: expect.stringMatching(/./) as string,
    });
  });

  test("of JavaScript are the files as they are", () => {
    const { scripts, sources } = skill("text-slug");
    expect(scripts).toEqual([{ path: sources[0]?.path, code: sources[0]?.text }]);
  });

  test("of instructions are none", () => {
    expect(skill("code-review")).toMatchObject({ scripts: [], composes: ["prime-list"] });
  });
});

test("calls, composes and limits are those of the files", () => {
  const { calls, composes, limits, operation, path: folder } = skill("trip-plan");
  const file = path.join(folder, "skill.ts");
  expect(calls).toEqual({
    skills: [
      { callee: "flight-search", path: file, line: 6, column: 33 },
      { callee: "booking-quote", path: file, line: 6, column: 62 },
      { callee: "prime-list", path: file, line: 7, column: 20 },
    ],
    tools: [],
    dynamic: false,
    repeated: false,
  });
  expect({ composes, limits, operation }).toEqual({
    composes: ["flight-search", "booking-quote", "prime-list"],
    limits: { wallMs: 10_000, calls: 16 },
    operation: "READ",
  });
  expect(skill("flight-search").calls.tools).toEqual(["flights.search"]);
});

function skill(name: string): Skill {
  const found = compiled.skills.find((each) => each.name === name);
  if (!found) throw new Error(`The fixture ${name} has not compiled`);
  return found;
}
