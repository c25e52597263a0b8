import { expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { type JsonSchema, schemaFault, validatorOf } from "../../../src/core/json/json-schema.ts";
import { skillFolder } from "../../checks/read-folder.ts";
import { compiler } from "../../shared-threads.ts";

const TREE: JsonSchema = {
  type: "object",
  properties: { name: { type: "string" }, inner: { type: "array", items: { $ref: "#" } } },
  required: ["name"],
  additionalProperties: false,
};

test.each<[string, JsonSchema]>([
  ["the whole", TREE],
  [
    "the whole, from a part with a name",
    {
      ...TREE,
      properties: { ...propertiesOf(TREE), inner: { $ref: "#/$defs/List" } },
      $defs: { List: { type: "array", items: { $ref: "#" } } },
    },
  ],
  ["the whole, which has an id", { $id: "https://example.org/tree", ...TREE }],
  [
    "itself",
    {
      $ref: "#/$defs/Tree",
      $defs: {
        Tree: {
          ...TREE,
          properties: { ...propertiesOf(TREE), inner: { type: "array", items: { $ref: "#/$defs/Tree" } } },
        },
      },
    },
  ],
])("a schema that refers to %s holds at every depth, however often it is compiled", (_, schema) => {
  expect(schemaFault(schema)).toBeUndefined();
  for (const each of [schema, structuredClone(schema)]) {
    const issues = (value: Json): unknown => {
      const verdict = validatorOf(each)(value);
      return verdict.ok ? [] : verdict.error;
    };
    expect(issues({ name: "a", inner: [{ name: "b", inner: [{ name: "c" }] }] })).toEqual([]);
    expect(issues({ name: "a", inner: [{ name: "b", inner: [{ name: 1 }, {}] }] })).toEqual([
      { at: "inner[0].inner[0].name", message: "must be string" },
      { at: "inner[0].inner[1]", message: 'lacks the required property "name"' },
    ]);
  }
});

function propertiesOf({ properties }: JsonSchema): object {
  return properties as object;
}

test("values written in a call are checked against it", async () => {
  const { findings } = await compiler.compile([
    skillFolder(
      "grow",
      `export const inputSchema = {
  type: "object",
  properties: {
    name: { type: "string", pattern: "^[a-z]+$" },
    twin: { $ref: "#" },
    next: { anyOf: [{ $ref: "#" }, { type: "null" }] },
  },
} as const;
export default (input: any): string => input.name;`,
    ),
    skillFolder(
      "plant",
      `export default async (): Promise<string> => {
  await call_skill("grow", { name: "oak", twin: { name: "ash" }, next: null });
  await call_skill("grow", { name: "oak", next: { name: "elm", next: { name: "Fir" } } });
  return call_skill("grow", { name: "oak", twin: { twin: { name: "Yew" } } });
};`,
    ),
  ]);
  expect(findings.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual([
    "call-argument 3:28",
    "call-argument 4:66",
  ]);
});
