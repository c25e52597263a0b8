import { describe, expect, test } from "vitest";
import { clientSchema } from "../../src/server/tools/client-schema.ts";
import type { JsonSchema } from "../../src/core/json/json-schema.ts";

const TEXT = { type: "string" };
const NUMBER = { type: "number" };

describe("every client's form of a contract", () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    [
      "a union of objects lists the properties of all its members",
      {
        anyOf: [
          {
            type: "object",
            properties: { kind: { const: "a" }, x: NUMBER, both: TEXT },
            required: ["kind", "x"],
          },
          { type: "object", properties: { kind: { const: "b" }, y: TEXT, both: NUMBER }, required: ["kind"] },
        ],
      },
      {
        type: "object",
        properties: { kind: { enum: ["a", "b"] }, x: NUMBER, both: { anyOf: [TEXT, NUMBER] }, y: TEXT },
        required: ["kind"],
      },
    ],
    [
      "members that are defined elsewhere count as well, and closed ones close the whole",
      {
        oneOf: [
          { $ref: "#/$defs/a" },
          { type: "object", properties: { y: TEXT }, additionalProperties: false },
        ],
        $defs: { a: { type: "object", properties: { x: TEXT }, additionalProperties: false } },
      },
      {
        type: "object",
        properties: { x: TEXT, y: TEXT },
        additionalProperties: false,
        $defs: { a: { type: "object", properties: { x: TEXT }, additionalProperties: false } },
      },
    ],
    [
      "an object narrowed by others has the properties of all, and asks for what all of them ask for",
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { phone: TEXT, email: TEXT },
        allOf: [
          { anyOf: [{ required: ["phone"] }, { required: ["email"] }] },
          { required: ["name"], properties: { name: TEXT } },
        ],
        if: { required: ["phone"] },
        else: { required: ["name"] },
        additionalProperties: false,
      },
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { name: TEXT, phone: TEXT, email: TEXT },
        if: { required: ["phone"] },
        else: { required: ["name"] },
        required: ["name"],
        additionalProperties: false,
      },
    ],
    [
      "what is no object travels as one property, with its definitions at the root",
      { type: "array", items: { $ref: "#/$defs/a" }, $defs: { a: TEXT } },
      {
        type: "object",
        properties: { input: { type: "array", items: { $ref: "#/$defs/a" } } },
        required: ["input"],
        additionalProperties: false,
        $defs: { a: TEXT },
      },
    ],
    [
      "values are not asked for as headers; a property of that name stays",
      {
        type: "object",
        properties: {
          region: { type: "string", "x-mcp-header": "Region" },
          "x-mcp-header": TEXT,
          fixed: { const: { "x-mcp-header": 1 } },
        },
      },
      {
        type: "object",
        properties: { region: TEXT, "x-mcp-header": TEXT, fixed: { const: { "x-mcp-header": 1 } } },
      },
    ],
  ])("%s", (_, contract, expected) => {
    expect(clientSchema(contract, "input").schema).toEqual(expected);
  });

  test("only what is no object is wrapped", () => {
    expect(clientSchema({ type: "array" }, "input").wrappedIn).toBe("input");
    expect(clientSchema({ anyOf: [TEXT, { type: "object" }] }, "result").wrappedIn).toBe("result");
    expect(clientSchema({ type: "object", allOf: [{ required: ["a"] }] }, "input").wrappedIn).toBeUndefined();
    expect(clientSchema({}, "input").wrappedIn).toBeUndefined();
  });
});

test("since 2026-07-28 a contract that says that it is an object stands as it is, but for headers", () => {
  const contract = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address: { $anchor: "addressDef", type: "object" } },
    properties: { phone: TEXT, home: { $ref: "#/$defs/address" } },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["home"] }] }],
    if: { required: ["phone"] },
    else: { minProperties: 2 },
    additionalProperties: false,
  };
  expect(clientSchema(contract, "input").whole).toEqual(contract);
  const withHeader = { ...contract, properties: { phone: { ...TEXT, "x-mcp-header": "Phone" } } };
  expect(clientSchema(withHeader, "input").whole).toEqual({ ...contract, properties: { phone: TEXT } });
  const union = { anyOf: [{ type: "object" }, { type: "object", properties: { a: TEXT } }] };
  expect(clientSchema(union, "input").whole).toEqual(clientSchema(union, "input").schema);
});
