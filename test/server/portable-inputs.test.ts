import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import { textOf, Workplace } from "./connected-client.ts";
import { clientOf, servedApp } from "./served-app.ts";

const SKILLS = {
  greet: `export default ({ name }: { name: string }): { text: string } => ({ text: "Hello, " + name })`,
  shout: `export default (text: string): string => text.toUpperCase()`,
  total: `export default (numbers: number[]): number => numbers.reduce((sum, each) => sum + each, 0)`,
  half: `export default (number: number): number => number / 2`,
  measure: `export default (what: string | string[]): number => what.length`,
  wrap: `export default ({ input }: { input: string }): string => "<" + input + ">"`,
  count: `export default (words: Record<string, string>): number => Object.keys(words).length`,
  plain: `export default (): number => 7`,
};

let workplace: Workplace;
let served: Awaited<ReturnType<typeof servedApp>>;
let client: Client;
beforeAll(async () => {
  workplace = await Workplace.create(SKILLS);
  served = await servedApp(workplace);
  client = await clientOf(served.url, "legacy");
});
afterAll(async () => {
  await client.close();
  await served[Symbol.asyncDispose]();
  await workplace[Symbol.asyncDispose]();
});

describe("the input of run_skill", () => {
  test.each<[string, unknown, unknown]>([
    ["greet", { name: "Ada" }, { text: "Hello, Ada" }],
    ["greet", '{"name":"Ada"}', { text: "Hello, Ada" }],
    ["greet", { input: '{"name":"Ada"}' }, { text: "Hello, Ada" }],
    ["shout", "hey", { result: "HEY" }],
    ["shout", '{"a":1}', { result: '{"A":1}' }],
    ["shout", { input: "hey" }, { result: "HEY" }],
    ["total", [1, 2], { result: 3 }],
    ["total", "[1, 2]", { result: 3 }],
    ["total", { input: [1, 2] }, { result: 3 }],
    ["total", { input: "[1, 2]" }, { result: 3 }],
    ["half", "5", { result: 2.5 }],
    ["measure", "[1]", { result: 3 }],
    ["wrap", { input: "{}" }, { result: "<{}>" }],
    ["wrap", '{"input":"{}"}', { result: "<{}>" }],
    ["count", { input: "{}" }, { result: 1 }],
    ["plain", null, { result: 7 }],
    ["plain", undefined, { result: 7 }],
    ["plain", "{}", { result: 7 }],
  ])("of %s may be %j", async (name, input, expected) => {
    const result = await client.callTool({ name: "run_skill", arguments: { name, input } });
    expect(result.structuredContent).toEqual(expected);
  });

  test.each<[string, string]>([
    ["greet", "Ada"],
    ["greet", '"Ada"'],
    ["greet", '{"name":'],
    ["half", "five"],
    ["total", '{"a":1}'],
    // More different names than a message may have.
    ["count", JSON.stringify(Object.fromEntries(Array.from({ length: 6000 }, (_, at) => [`k${at}`, ""])))],
  ])("of %s is refused as a text that does not fit", async (name, input) => {
    const result = await client.callTool({ name: "run_skill", arguments: { name, input } });
    expect(textOf(result)).toContain("INPUT_INVALID");
  });

  test("is JSON text in the skill's own tool, too, where that takes one property", async () => {
    const result = await client.callTool({ name: "total", arguments: { input: "[1, 2]" } });
    expect(result.structuredContent).toEqual({ result: 3 });
  });
});

describe("what strict clients send", () => {
  test("null says that an argument is left out", async () => {
    const nothing = { status: null, name: null, text: null, limit: null, after: null };
    const result = await client.callTool({ name: "list_runs", arguments: nothing });
    expect(result.structuredContent).toHaveProperty("runs");
    const required = await client.callTool({ name: "describe_skill", arguments: { name: null } });
    expect(textOf(required)).toContain("INPUT_INVALID");
  });

  test("lists and numbers may come as JSON text", async () => {
    const found = await client.callTool({
      name: "search_skills",
      arguments: { query: "greet", limit: "1" },
    });
    expect(found.structuredContent).toMatchObject({ skills: [{ name: "greet" }] });
    const edits = JSON.stringify([{ kind: "drop", step: "a" }]);
    const revised = await client.callTool({ name: "revise_draft", arguments: { name: "none", edits } });
    expect(textOf(revised)).toContain("DRAFT_NOT_FOUND");
    const wrong = await client.callTool({
      name: "search_skills",
      arguments: { query: "greet", limit: "many" },
    });
    expect(textOf(wrong)).toContain("INPUT_INVALID");
  });
});

test("every stable tool's schema becomes one of OpenAI's strict mode without losing a meaning", async () => {
  const { tools } = await client.listTools();
  const stable = tools.filter(({ name }) => !(name in SKILLS));
  expect(stable.length).toBeGreaterThanOrEqual(10);
  for (const { name, inputSchema } of stable) {
    expect([name, strictFaults(inputSchema as JsonObject)]).toEqual([name, []]);
    expect(Object.keys(inputSchema)).not.toContain("anyOf");
  }
  expect(JSON.stringify(stable).length).toBeLessThan(14_500);
});

test("what the strict mode does not take is found", () => {
  expect(strictFaults({ type: "object", properties: { a: {} } })).toEqual(["#/a: has no type"]);
  expect(strictFaults({ type: "object", properties: { a: { type: "string" } } })).toEqual([
    "#/a: may be left out, but not be null",
  ]);
  expect(strictFaults({ type: ["object", "null"] })).toEqual(["#: a union as type"]);
  expect(strictFaults({ type: "object" })).toEqual(["#: an open object"]);
  expect(strictFaults({ $ref: "#" })).toEqual(["#: $ref", "#: has no type"]);
});

const TAKEN: ReadonlySet<string> = new Set([
  ...["type", "enum", "const", "anyOf", "properties", "required", "additionalProperties", "items"],
  ...["description", "title", "pattern", "format", "minimum", "maximum", "minItems", "maxItems"],
]);

/** What of a schema OpenAI's strict mode refuses, or changes the meaning of. */
function strictFaults(schema: JsonObject, at = "#"): readonly string[] {
  const { type, properties, required, additionalProperties, items, anyOf } = schema;
  const faults = Object.keys(schema).filter((keyword) => !TAKEN.has(keyword));
  if (type === undefined && !Array.isArray(anyOf)) faults.push("has no type");
  if (Array.isArray(type)) faults.push("a union as type");
  if (type === "array" && !isJsonObject(items)) faults.push("a list of anything");
  if (type === "object" && additionalProperties !== false) {
    if (additionalProperties !== undefined || !isJsonObject(properties)) faults.push("an open object");
  }
  const own = Object.entries(isJsonObject(properties) ? properties : {});
  const inner = own.flatMap(([name, each]) => {
    if (!isJsonObject(each)) return [`${at}/${name}: no schema`];
    const found = strictFaults(each, `${at}/${name}`);
    const isOptional = !(Array.isArray(required) && required.includes(name));
    return isOptional && found.length === 0 && !takesNull(each)
      ? [`${at}/${name}: may be left out, but not be null`]
      : found;
  });
  const below = [...(Array.isArray(anyOf) ? anyOf : []), ...(items === undefined ? [] : [items])];
  return [
    ...faults.map((fault) => `${at}: ${fault}`),
    ...inner,
    ...below.flatMap((each: Json) =>
      isJsonObject(each) ? strictFaults(each, `${at}/*`) : [`${at}/*: no schema`],
    ),
  ];
}

function takesNull({ type, anyOf }: JsonObject): boolean {
  return (
    type === "null" || (Array.isArray(anyOf) && anyOf.some((each) => isJsonObject(each) && takesNull(each)))
  );
}

test.each([
  ["search_skills", {}, "query: it is required (a string)"],
  ["search_skills", { query: "a", limit: "many" }, 'limit: it must be a number, not "many"'],
  ["describe_skill", { name: "plain", more: 1 }, 'the input: there is no "more" in it'],
])("%s says what of its input is wrong", async (name, input, message) => {
  const result = await client.callTool({ name, arguments: input });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain(message);
});
