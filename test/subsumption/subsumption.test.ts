import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { describe, expect, test } from "vitest";
import { fitOf, type Fit, type FitOptions } from "../../src/subsumption/subsumption.ts";
import type { Json } from "../../src/core/json/json.ts";
import { validatorOf, type JsonSchema } from "../../src/core/json/json-schema.ts";
import { FIXTURES } from "../checks/read-folder.ts";
import { schemas, valuesFor, widened } from "./subsumption-schemas.ts";

const text: JsonSchema = { type: "string" };
const number: JsonSchema = { type: "number" };
const integer: JsonSchema = { type: "integer" };
const nothing: JsonSchema = { type: "null" };

function object(properties: JsonSchema, more: JsonSchema = {}): JsonSchema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  };
}

function open(properties: JsonSchema, required: readonly string[] = Object.keys(properties)): JsonSchema {
  return { type: "object", properties, required };
}

function list(items: Json, more: JsonSchema = {}): JsonSchema {
  return { type: "array", items, ...more };
}

function tuple(prefixItems: readonly Json[], least = prefixItems.length): JsonSchema {
  return { type: "array", prefixItems, items: false, minItems: least };
}

function when(condition: Json, met: Json, otherwise: Json): JsonSchema {
  const entries: readonly [string, Json][] = [
    ["if", condition],
    ["then", met],
  ];
  return Object.fromEntries(entries.concat([["else", otherwise]]));
}

function oneOfKind(kind: string, properties: JsonSchema = {}): JsonSchema {
  return object({ kind: { type: "string", const: kind }, ...properties });
}

function linked(value: JsonSchema, name = "Node"): JsonSchema {
  const $ref = `#/$defs/${name}`;
  return { $ref, $defs: { [name]: object({ value, next: { anyOf: [{ $ref }, nothing] } }) } };
}

function tree(value: JsonSchema): JsonSchema {
  const $ref = "#/$defs/Tree";
  return { $ref, $defs: { Tree: object({ value, children: list({ $ref }) }) } };
}

const anyJson = { $ref: "#/$defs/Json" };
const json: JsonSchema = {
  ...anyJson,
  $defs: {
    Json: {
      anyOf: [
        { type: ["string", "number", "boolean"] },
        list(anyJson),
        { type: "object", additionalProperties: anyJson },
        nothing,
      ],
    },
  },
};

/** Whatever is called a misfit is one, as the validator says. */
function checked(source: JsonSchema, target: JsonSchema, options?: FitOptions): Fit {
  const fit = fitOf(source, target, options);
  expect(fitOf(source, target, options)).toEqual(fit);
  if (fit.kind === "misfit") {
    const { counterexample } = fit;
    const accepted = { source: accepts(source, counterexample), target: accepts(target, counterexample) };
    expect({ source, target, counterexample, accepted }).toMatchObject({
      accepted: { source: true, target: false },
    });
  }
  return fit;
}

function accepts(schema: JsonSchema, value: Json): boolean {
  return validatorOf(schema)(structuredClone(value)).ok;
}

type Case = readonly [name: string, source: JsonSchema, target: JsonSchema];

describe("fits", () => {
  test.each<Case>([
    ["anything in what is open", json, {}],
    ["nothing at all in anything", { not: {} }, text],
    ["a contradiction in anything", { type: "string", enum: [1, 2] }, nothing],
    ["an impossible range in anything", { type: "number", minimum: 2, maximum: 1 }, text],
    [
      "an integer below and above in anything",
      { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 2 },
      text,
    ],
    ["an object that needs what it must not have", object({ a: { not: {} } }), text],
    [
      "an endless list of links",
      { $ref: "#/$defs/A", $defs: { A: object({ next: { $ref: "#/$defs/A" } }) } },
      text,
    ],
    ["an integer in a number", integer, number],
    ["one type in several", text, { type: ["string", "null"] }],
    ["several types in alternatives", { type: ["string", "null"] }, { anyOf: [nothing, text] }],
    ["alternatives in several types", { anyOf: [text, nothing] }, { type: ["null", "string"] }],
    ["nullable as OpenAPI has it", { type: "string", nullable: true }, { type: ["string", "null"] }],
    ["a constant in a list of values", { const: "a" }, { enum: ["a", "b"] }],
    ["some values in more values", { enum: ["a", "b"] }, { enum: ["b", "c", "a"] }],
    ["objects as values, whatever their order", { const: { a: 1, b: [2] } }, { enum: [{ b: [2], a: 1 }] }],
    [
      "values that are as wanted",
      { enum: ["a", "bc"] },
      { type: "string", pattern: "^[a-z]+$", maxLength: 2 },
    ],
    ["both booleans in a list of them", { type: "boolean" }, { enum: [true, false] }],
    ["few integers in a list of them", { type: "integer", minimum: 1, maximum: 3 }, { enum: [3, 2, 1, 0] }],
    [
      "a range in a wider one",
      { type: "number", minimum: 1, maximum: 9 },
      { type: "number", minimum: 0, maximum: 9 },
    ],
    [
      "an open bound in a closed one",
      { type: "number", exclusiveMinimum: 0 },
      { type: "number", minimum: 0 },
    ],
    [
      "integers from one in numbers above zero",
      { type: "integer", minimum: 1 },
      { type: "number", exclusiveMinimum: 0 },
    ],
    [
      "integers above zero in those from one",
      { type: "integer", exclusiveMinimum: 0 },
      { type: "integer", minimum: 1 },
    ],
    [
      "multiples of four in multiples of two",
      { type: "integer", multipleOf: 4 },
      { type: "number", multipleOf: 2 },
    ],
    ["integers in multiples of a hundredth", integer, { type: "number", multipleOf: 0.01 }],
    ["multiples of an integer in integers", { type: "number", multipleOf: 5 }, integer],
    ["32 bits in 64", { type: "number", format: "int32" }, { type: "integer", format: "int64" }],
    [
      "a range cut in two",
      integer,
      {
        anyOf: [
          { type: "integer", minimum: 0 },
          { type: "integer", maximum: -1 },
        ],
      },
    ],
    [
      "lengths in wider ones",
      { type: "string", minLength: 2, maxLength: 3 },
      { type: "string", minLength: 1, maxLength: 3 },
    ],
    [
      "lengths cut in two",
      text,
      {
        anyOf: [
          { type: "string", maxLength: 3 },
          { type: "string", minLength: 4 },
        ],
      },
    ],
    ["the same pattern", { type: "string", pattern: "^a+$" }, { type: "string", pattern: "^a+$" }],
    [
      "a pattern in a wider one",
      { type: "string", pattern: "^[A-Z]{3}$" },
      { type: "string", pattern: "^[A-Z]+$" },
    ],
    [
      "a pattern in one written otherwise",
      { type: "string", pattern: "^a(b|c)$" },
      { type: "string", pattern: "^(ab|ac)$" },
    ],
    [
      "a pattern in its lengths",
      { type: "string", pattern: "^[A-Z]{3}$" },
      { type: "string", minLength: 3, maxLength: 3 },
    ],
    [
      "two patterns in the third that they make",
      { pattern: "^a", allOf: [{ pattern: "b$" }], type: "string" },
      { type: "string", pattern: "^a[\\s\\S]*b$" },
    ],
    [
      "patterns with properties of Unicode",
      { type: "string", pattern: "^[A-Z]+$" },
      { type: "string", pattern: "^\\P{Ll}*$" },
    ],
    ["the same format", { type: "string", format: "date" }, { type: "string", format: "date" }],
    [
      "a format in one that is wider",
      { type: "string", format: "date-time" },
      { type: "string", format: "iso-date-time" },
    ],
    [
      "a format in its form",
      { type: "string", format: "date" },
      { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\d$", minLength: 10 },
    ],
    ["any text in a format that nobody knows", text, { type: "string", format: "airport" }],
    ["a required property in an optional one", object({ a: text }), object({ a: text }, { required: [] })],
    [
      "fewer properties in more optional ones",
      object({ a: text }),
      object({ a: text, b: text }, { required: ["a"] }),
    ],
    ["a closed object in an open one", object({ a: text }), open({ a: text })],
    [
      "a record in a wider one",
      { type: "object", additionalProperties: integer },
      { type: "object", additionalProperties: number },
    ],
    [
      "an object in a record",
      object({ a: integer, b: integer }),
      { type: "object", additionalProperties: number },
    ],
    [
      "names by a pattern in a record",
      { type: "object", patternProperties: { "^x-": integer }, additionalProperties: false },
      { type: "object", additionalProperties: number },
    ],
    [
      "declared names in those by a pattern",
      object({ "x-a": integer }),
      { type: "object", patternProperties: { "^x-": number }, additionalProperties: false },
    ],
    [
      "a pattern of names in a wider one",
      { type: "object", patternProperties: { "^x-a": integer }, additionalProperties: false },
      { type: "object", patternProperties: { "^x": number }, additionalProperties: false },
    ],
    [
      "names that are listed in declared ones",
      { type: "object", propertyNames: { enum: ["a", "b"] }, additionalProperties: text },
      object({ a: text, b: text }, { required: [] }),
    ],
    [
      "names in names",
      { type: "object", propertyNames: { pattern: "^[a-c]$" } },
      { type: "object", propertyNames: { maxLength: 1 } },
    ],
    [
      "a closed object in how many properties it has",
      object({ a: text, b: text }, { required: ["a"] }),
      { type: "object", minProperties: 1, maxProperties: 2 },
    ],
    [
      "what is needed together where both are required",
      object({ a: text, b: text }),
      { dependentRequired: { a: ["b"] } },
    ],
    [
      "what is needed together through a third",
      { type: "object", dependentRequired: { a: ["b"], b: ["c"] } },
      { type: "object", dependentRequired: { a: ["c"] } },
    ],
    [
      "what a property asks of the whole",
      object({ a: text, b: text }),
      { dependentSchemas: { a: { required: ["b"] } } },
    ],
    ["a list in a wider one", list(integer, { minItems: 1, maxItems: 3 }), list(number, { minItems: 1 })],
    ["a list without items in any list", list(text, { maxItems: 0 }), list(number)],
    ["a list of what is not in a list without items", list({ not: {} }), { type: "array", maxItems: 0 }],
    ["a tuple in a list", tuple([integer, integer]), list(number, { minItems: 2, maxItems: 2 })],
    [
      "a tuple in one with a rest",
      tuple([text, integer]),
      { type: "array", prefixItems: [text], items: number },
    ],
    ["a tuple in one whose end is optional", tuple([text, integer]), tuple([text, number, text], 1)],
    ["lists without repetition in lists", list(text, { uniqueItems: true }), list(text)],
    ["one item in a list without repetition", list(text, { maxItems: 1 }), list(text, { uniqueItems: true })],
    [
      "items that all are as wanted in a list that has one",
      list(integer, { minItems: 1 }),
      { type: "array", contains: number },
    ],
    [
      "the same wanted item",
      { type: "array", contains: text, minContains: 2 },
      { type: "array", contains: text },
    ],
    ["an alternative in its union", oneOfKind("a"), { anyOf: [oneOfKind("a"), oneOfKind("b")] }],
    ["a union in a larger one", { anyOf: [text, nothing] }, { anyOf: [number, nothing, text] }],
    ["a union in what all of it is", { anyOf: [{ const: 1 }, { const: 2.5 }] }, number],
    [
      "a property of two values in alternatives",
      open({ kind: { enum: ["a", "b"] } }),
      { anyOf: [open({ kind: { const: "a" } }), open({ kind: { const: "b" } })] },
    ],
    [
      "a union inside in a union outside",
      object({ v: { anyOf: [text, number] } }),
      { anyOf: [object({ v: text }), object({ v: number })] },
    ],
    [
      "an optional property in there or not there",
      object({ v: text }, { required: [] }),
      { anyOf: [object({ v: text }), object({})] },
    ],
    [
      "an item of two kinds in alternatives",
      tuple([{ enum: [1, 2] }]),
      { anyOf: [tuple([{ const: 1 }]), tuple([{ const: 2 }])] },
    ],
    [
      "two properties, each of two values, in all four",
      object({ a: { type: "boolean" }, b: { type: "boolean" } }),
      {
        anyOf: [true, false].flatMap((a) =>
          [true, false].map((b) => object({ a: { const: a }, b: { const: b } })),
        ),
      },
    ],
    ["alternatives of which exactly one fits", oneOfKind("b"), { oneOf: [oneOfKind("a"), oneOfKind("b")] }],
    ["all of several", { allOf: [open({ a: text }), open({ b: integer })] }, open({ a: text, b: number })],
    [
      "in all of several",
      object({ a: text, b: integer }),
      { allOf: [open({ a: text }), open({ b: number })] },
    ],
    ["what is not excluded", { enum: ["a", "b"] }, { not: { const: "c" } }],
    ["another type than what is excluded", text, { not: { type: ["number", "null"] } }],
    [
      "what excludes more",
      { type: "string", not: { enum: ["a", "b"] } },
      { type: "string", not: { const: "a" } },
    ],
    ["either way of a condition", integer, when({ minimum: 0 }, number, { maximum: -1 })],
    ["a list of links in one of the same kind", linked(integer), linked(number, "Other")],
    ["a tree in a wider one", tree(integer), tree(number)],
    ["a tree in any JSON", tree(integer), json],
    ["anything in any JSON", {}, json],
    [
      "types that refer to each other",
      {
        $ref: "#/$defs/A",
        $defs: {
          A: object({ b: list({ $ref: "#/$defs/B" }) }),
          B: object({ a: { anyOf: [{ $ref: "#/$defs/A" }, nothing] }, n: integer }),
        },
      },
      {
        $ref: "#/$defs/B",
        $defs: {
          B: object({ b: list({ $ref: "#/$defs/A" }) }),
          A: object({ a: { anyOf: [nothing, { $ref: "#/$defs/B" }] }, n: number }),
        },
      },
    ],
    [
      "whatever is only said about it",
      { ...text, default: "a", description: "A." },
      { ...text, title: "T", examples: ["b"] },
    ],
    [
      "names that every object has",
      object({ constructor: text, toString: text }),
      open({ constructor: text }),
    ],
    [
      "itself, whatever it uses",
      {
        $defs: { a: text },
        type: "object",
        unevaluatedProperties: false,
        patternProperties: { "(?<=a)b": { $ref: "#/$defs/a" } },
      },
      {
        type: "object",
        patternProperties: { "(?<=a)b": { $ref: "#/$defs/a" } },
        unevaluatedProperties: false,
        $defs: { a: text },
      },
    ],
  ])("%s", (_, source, target) => {
    expect(checked(source, target)).toEqual({ kind: "fits" });
  });
});

describe("a misfit is told with a value, where it is, and in words:", () => {
  test.each<readonly [...Case, counterexample: Json, path: string, why: string]>([
    [
      "another type",
      object({ price: text }),
      object({ price: number }),
      { price: "text" },
      "price",
      "`price` is a string, but a number is expected",
    ],
    ["a number that is no integer", number, integer, 0.5, "", "the value is 0.5, but an integer is expected"],
    ["null", { type: ["string", "null"] }, text, null, "", "the value is null, but a string is expected"],
    [
      "one value too many",
      { enum: ["a", "b", "c"] },
      { enum: ["a", "b"] },
      "c",
      "",
      'the value is "c", but one of "a", "b" is expected',
    ],
    [
      "a value among many",
      { type: "string" },
      { const: "a" },
      "text",
      "",
      'the value is "text", but "a" is expected',
    ],
    [
      "below the least",
      { type: "integer", minimum: 0 },
      { type: "integer", minimum: 1 },
      0,
      "",
      "the value is 0, but at least 1 is expected",
    ],
    [
      "the bound itself",
      { type: "number", maximum: 1 },
      { type: "number", exclusiveMaximum: 1 },
      1,
      "",
      "the value is 1, but less than 1 is expected",
    ],
    [
      "no multiple",
      { type: "integer", multipleOf: 3 },
      { type: "integer", multipleOf: 2 },
      3,
      "",
      "the value is 3, but a multiple of 2 is expected",
    ],
    [
      "a text that is too short",
      text,
      { type: "string", minLength: 1 },
      "",
      "",
      "the value has 0 characters, but at least 1 is expected",
    ],
    [
      "characters, not code units",
      { const: "😀" },
      { type: "string", minLength: 2 },
      "😀",
      "",
      "the value has 1 character, but at least 2 are expected",
    ],
    [
      "a text of another form",
      { type: "string", pattern: "^[A-Z]+$" },
      { type: "string", pattern: "^[A-Z]{3}$" },
      "A",
      "",
      'the value is "A", but a text like /^[A-Z]{3}$/ is expected',
    ],
    [
      "a date where a moment is wanted",
      { type: "string", format: "date" },
      { type: "string", format: "date-time" },
      "2026-01-31",
      "",
      'the value is "2026-01-31", but a date-time is expected',
    ],
    [
      "a moment where a date is wanted",
      { type: "string", format: "date-time" },
      { type: "string", format: "date" },
      "2026-01-31T12:00:00Z",
      "",
      'the value is "2026-01-31T12:00:00Z", but a date is expected',
    ],
    [
      "the form of a date that is none",
      { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\d$" },
      { type: "string", format: "date" },
      "0000-00-00",
      "",
      'the value is "0000-00-00", but a date is expected',
    ],
    [
      "an optional property that is required",
      object({ a: text }, { required: [] }),
      object({ a: text }),
      {},
      "a",
      "`a` is missing, but required",
    ],
    [
      "a property of an item that is missing",
      object({ legs: list(open({}), { minItems: 1 }) }),
      object({ legs: list(open({ from: text })) }),
      { legs: [{}] },
      "legs[0].from",
      "`legs[0].from` is missing, but required",
    ],
    [
      "a property that nobody expects",
      object({ a: text, b: text }),
      object({ a: text }),
      { a: "text", b: "text" },
      "b",
      "`b` is given, but no such property is expected",
    ],
    [
      "what an open object may have",
      open({ a: text }),
      object({ a: text }),
      { a: "text", extra: null },
      "extra",
      "`extra` is given, but no such property is expected",
    ],
    [
      "a property that must not be",
      object({ a: text }),
      open({ a: { not: {} } }, []),
      { a: "text" },
      "a",
      "`a` is given, but nothing is allowed there",
    ],
    [
      "what a record holds",
      { type: "object", additionalProperties: text },
      { type: "object", additionalProperties: number },
      { extra: "text" },
      "extra",
      "`extra` is a string, but a number is expected",
    ],
    [
      "a name of another form",
      { type: "object", additionalProperties: text },
      { type: "object", propertyNames: { maxLength: 2 } },
      { aaa: "text" },
      "aaa",
      "the name of `aaa` is not one that is expected",
    ],
    [
      "too few properties",
      object({ a: text }, { required: [] }),
      { type: "object", minProperties: 1 },
      {},
      "",
      "the value has 0 properties, but at least 1 is expected",
    ],
    [
      "one without the other",
      object({ a: text, b: text }, { required: ["a"] }),
      { dependentRequired: { a: ["b"] } },
      { a: "text" },
      "b",
      "`b` is missing, but required beside `a`",
    ],
    [
      "another item",
      tuple([text, text]),
      tuple([text, number]),
      ["text", "text"],
      "[1]",
      "`[1]` is a string, but a number is expected",
    ],
    [
      "an end that is optional",
      tuple([text, text], 1),
      tuple([text, text]),
      ["text"],
      "",
      "the value has 1 item, but at least 2 are expected",
    ],
    [
      "too many items",
      list(nothing),
      list(nothing, { maxItems: 2 }),
      [null, null, null],
      "",
      "the value has 3 items, but at most 2 are expected",
    ],
    [
      "an item twice",
      list(nothing, { maxItems: 2 }),
      list(nothing, { uniqueItems: true }),
      [null, null],
      "",
      "the value has an item twice, but each is expected only once",
    ],
    [
      "an item that is lacking",
      list(number, { maxItems: 1 }),
      { type: "array", contains: text },
      [],
      "",
      "the value has 0 items as in `contains`, but at least 1 is expected",
    ],
    [
      "lists that are mixed",
      list({ anyOf: [text, nothing] }),
      { anyOf: [list(text), list(nothing)] },
      ["text", null],
      "[1]",
      "`[1]` is null, but a string is expected",
    ],
    [
      "an alternative too many",
      { anyOf: [oneOfKind("a"), oneOfKind("b")] },
      { anyOf: [oneOfKind("a"), oneOfKind("c")] },
      { kind: "b" },
      "kind",
      '`kind` is "b", but one of "a", "c" is expected',
    ],
    [
      "a place in the alternative that is meant",
      { anyOf: [oneOfKind("a", { v: text }), oneOfKind("b")] },
      { anyOf: [oneOfKind("a", { v: number }), oneOfKind("b")] },
      { kind: "a", v: "text" },
      "v",
      "`v` is a string, but a number is expected",
    ],
    [
      "a type that is none of several",
      { type: "boolean" },
      { anyOf: [text, nothing, integer] },
      false,
      "",
      "the value is a boolean, but a string or null or an integer is expected",
    ],
    [
      "one of two properties",
      object({ a: { enum: [1, 2] }, b: { enum: [1, 2] } }),
      { anyOf: [open({ a: { const: 1 } }), open({ b: { const: 1 } })] },
      { a: 2, b: 2 },
      "",
      'the value is {"a":2,"b":2}, which fits none of 2 alternatives',
    ],
    [
      "two alternatives at once",
      integer,
      { oneOf: [integer, { minimum: 10 }] },
      10,
      "",
      "the value fits 2 alternatives, but exactly one is expected",
    ],
    [
      "what is excluded",
      { enum: ["a", "b"] },
      { not: { const: "b" } },
      "b",
      "",
      'the value is "b", which is excluded',
    ],
    [
      "a condition that is met",
      text,
      when({ minLength: 1 }, { maxLength: 3 }, {}),
      "aaaa",
      "",
      "the value has 4 characters, but at most 3 are expected",
    ],
    [
      "a list of links",
      linked(number),
      linked(integer),
      { value: 0.5, next: null },
      "value",
      "`value` is 0.5, but an integer is expected",
    ],
    [
      "a tree",
      tree({ type: ["integer", "null"] }),
      tree(integer),
      { value: null, children: [] },
      "value",
      "`value` is null, but an integer is expected",
    ],
    [
      "what is not all JSON",
      {},
      { anyOf: [{ type: ["string", "number", "boolean"] }, list({}), { type: "object" }] },
      null,
      "",
      "the value is null, but a string or a number or a boolean or a list or an object is expected",
    ],
    [
      "a name that every object has",
      open({}),
      open({ constructor: text }),
      {},
      "constructor",
      "`constructor` is missing, but required",
    ],
    [
      "a name that changes prototypes",
      open({}),
      open({}, ["__proto__"]),
      {},
      "__proto__",
      "`__proto__` is missing, but required",
    ],
    [
      "decimals as the validator divides them",
      { type: "number", multipleOf: 0.1 },
      { type: "number", multipleOf: 0.01 },
      1.7000000000000002,
      "",
      "the value is 1.7000000000000002, but a multiple of 0.01 is expected",
    ],
    [
      "what the validator alone can tell",
      open({}),
      { ...open({}), unevaluatedProperties: false },
      { extra: null },
      "",
      "the value must NOT have unevaluated properties",
    ],
  ])("%s", (_, source, target, counterexample, path, why) => {
    expect(checked(source, target)).toEqual({ kind: "misfit", counterexample, path, why });
  });

  test.each(
    Object.keys(fullFormats).filter((name) => !["password", "binary", "float", "double"].includes(name)),
  )("a text or number without the format %s; one with it is known too", (format) => {
    const type = format.startsWith("int") ? "number" : "string";
    expect(checked({ type }, { type, format }).kind).toBe("misfit");
    expect(checked({ type, format }, nothing).kind).toBe("misfit");
    expect(checked({ type, format }, { type, format }).kind).toBe("fits");
  });
});

describe("an exact source", () => {
  const exact = { exactSource: true };

  test.each<readonly [...Case, kind: Fit["kind"]]>([
    ["has no other properties than its own", open({ a: text }), object({ a: text }), "fits"],
    ["has its own properties still", open({ a: text, b: text }), object({ a: text }), "misfit"],
    [
      "does not meet optional properties by chance",
      open({ a: text }),
      open({ a: text, b: number }, ["a"]),
      "fits",
    ],
    [
      "is exact inside too",
      open({ a: list(open({ b: text })) }),
      object({ a: list(object({ b: text })) }),
      "fits",
    ],
    [
      "is exact in each alternative",
      { anyOf: [open({ a: text }), open({ b: text })] },
      { anyOf: [object({ a: text }), object({ b: text })] },
      "fits",
    ],
    [
      "is exact in definitions",
      { $ref: "#/$defs/A", $defs: { A: open({ a: { $ref: "#/$defs/A" } }, []) } },
      object({ a: { type: "object", maxProperties: 1 } }, { required: [] }),
      "fits",
    ],
    [
      "has the properties of all its parts",
      { allOf: [open({ a: text }), open({ b: text })] },
      object({ a: text, b: text }),
      "fits",
    ],
    [
      "has what it requires, declared or not",
      { ...open({ a: text }), required: ["b"] },
      object({ a: text }, { required: [] }),
      "misfit",
    ],
    [
      "has names of its patterns",
      { type: "object", patternProperties: { "^x-": text } },
      object({}),
      "misfit",
    ],
    [
      "stays open where it says so",
      { ...open({ a: text }), additionalProperties: true },
      object({ a: text }),
      "misfit",
    ],
    ["stays a record", { type: "object", additionalProperties: text }, object({}), "misfit"],
    ["stays any object where it declares nothing", { type: "object" }, object({}), "misfit"],
    ["stays anything where it says nothing", {}, object({}), "misfit"],
    [
      "does not count conditions as declarations",
      { type: "object", if: { properties: { a: text } } },
      { type: "object", maxProperties: 1 },
      "misfit",
    ],
  ])("%s", (_, source, target, kind) => {
    expect(checked(source, target, exact).kind).toBe(kind);
  });

  test("shows no properties that it does not declare", () => {
    const source = { anyOf: [open({ a: text }), open({ b: text }, [])] };
    expect(checked(source, open({ a: text }), exact)).toMatchObject({ counterexample: {}, path: "a" });
    expect(checked(source, { type: "object", maxProperties: 0 }, exact)).toMatchObject({
      counterexample: { a: "text" },
    });
  });

  test("is not taken so without the option", () => {
    expect(checked(open({ a: text }), object({ a: text })).kind).toBe("misfit");
  });
});

describe("it is unknown", () => {
  test.each<readonly [...Case, why: string]>([
    [
      "where a reference leads nowhere",
      text,
      { $ref: "#/$defs/none" },
      "The target cannot be compared: `#/$defs/none` leads to no schema in it",
    ],
    [
      "where it leads to another document",
      { $ref: "https://example.com/a" },
      text,
      "The source cannot be compared: `https://example.com/a` leads to no schema in it",
    ],
    [
      "where it leads out of the schema's own names",
      text,
      { $ref: "#/constructor" },
      "The target cannot be compared: `#/constructor` leads to no schema in it",
    ],
    [
      "where a schema is only itself",
      { $ref: "#" },
      text,
      "The source cannot be compared: a schema in it is nothing but a reference to itself",
    ],
    [
      "where it is so in an alternative",
      text,
      { anyOf: [number, { $ref: "#" }] },
      "The target cannot be compared: a schema in it is nothing but a reference to itself",
    ],
    [
      "where a keyword is malformed",
      { type: "string", minLength: "1" },
      text,
      "The source cannot be compared: its `minLength` is malformed",
    ],
    ["where a reference is dynamic", text, { $dynamicRef: "#a" }, "`$dynamicRef` is not compared"],
    [
      "where what is left over counts",
      object({ a: text }),
      { ...open({ a: text }), unevaluatedProperties: false },
      "`unevaluatedProperties` is not compared",
    ],
    [
      "where a pattern looks behind",
      { type: "string", pattern: "^aa$" },
      { type: "string", pattern: "(?<=a)a" },
      "not every such text was seen to be like /(?<=a)a/",
    ],
    [
      "where a missing property has a default",
      object({}),
      open({ a: { type: "string", default: "" } }),
      "`a`: it may be missing, but is required",
    ],
    [
      "where a counterexample would be too long",
      { type: "string", minLength: 1e6 },
      { type: "string", maxLength: 10 },
      "not every such text was seen to be short enough",
    ],
    [
      "where prototypes are declared",
      text,
      JSON.parse('{"properties":{"__proto__":{}}}') as JsonSchema,
      "The target cannot be compared: its `properties` is malformed",
    ],
  ])("%s", (_, source, target, why) => {
    expect(checked(source, target)).toEqual({ kind: "unknown", why });
  });
});

describe("hostile schemas end", () => {
  const count = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);
  const kinds = (length: number): readonly JsonSchema[] =>
    count(length).map((each) => open({ kind: { const: each } }));
  const nested = (depth: number, leaf: JsonSchema): JsonSchema => {
    let schema = leaf;
    for (let level = 0; level < depth; level += 1) schema = open({ a: schema });
    return schema;
  };
  const chain = (length: number, step: (next: JsonSchema) => JsonSchema, end: JsonSchema): JsonSchema => ({
    $ref: "#/$defs/d0",
    $defs: Object.fromEntries(
      count(length + 1).map((each) => [
        `d${each}`,
        each === length ? end : step({ $ref: `#/$defs/d${each + 1}` }),
      ]),
    ),
  });
  const twice = (keyword: string) => (next: JsonSchema) => ({
    [keyword]: [next, { ...next, title: "Again" }],
  });
  const members = (next: JsonSchema): JsonSchema => open({ a: next, b: next });
  const choices = (parts: number, values: number): JsonSchema => ({
    allOf: count(parts).map((part) => ({
      anyOf: count(values).map((each) => open({ [`p${part}`]: { const: each } })),
    })),
  });
  const circular = list(text) as { items: Json };
  circular.items = circular;

  test.each<readonly [...Case, kind: Fit["kind"]]>([
    ["10,000 alternatives, the same", { anyOf: kinds(10_000) }, { anyOf: kinds(10_000) }, "fits"],
    [
      "5,000 alternatives, in another order",
      { anyOf: kinds(5_000) },
      { anyOf: kinds(5_000).toReversed() },
      "fits",
    ],
    [
      "10,000 values",
      { enum: count(10_000) },
      { anyOf: count(10_000).map((each) => ({ const: each })) },
      "fits",
    ],
    ["10,000 values, one of them too many", { enum: count(10_000) }, { enum: count(9_999) }, "misfit"],
    [
      "500 properties, the last one wrong",
      object(Object.fromEntries(count(500).map((each) => [`p${each}`, text]))),
      object(Object.fromEntries(count(500).map((each) => [`p${each}`, each === 499 ? number : text]))),
      "misfit",
    ],
    ["5,000 levels", nested(5_000, number), nested(5_000, integer), "unknown"],
    ["90 levels, the last one wrong", nested(90, number), nested(90, integer), "misfit"],
    ["60 negations", chain(60, (not) => ({ not }), text), text, "fits"],
    [
      "a constant of 5,000 levels",
      { const: count(5_000).reduce<Json>((inner) => [inner], 1) },
      text,
      "unknown",
    ],
    ["all of two, forty times", chain(40, twice("allOf"), text), number, "unknown"],
    ["any of two, forty times", text, chain(40, twice("anyOf"), text), "fits"],
    ["one of two, forty times", chain(40, twice("oneOf"), text), number, "unknown"],
    ["2 to the 30th members, all fitting", chain(30, members, integer), chain(30, members, number), "fits"],
    ["2 to the 30th members", chain(30, members, number), chain(30, members, integer), "unknown"],
    ["10 to the 8th choices", choices(8, 10), choices(8, 9), "unknown"],
    [
      "20 booleans in 20 alternatives",
      open(Object.fromEntries(count(20).map((each) => [`p${each}`, { type: "boolean" }]))),
      { anyOf: count(20).map((each) => open({ [`p${each}`]: { const: true } })) },
      "misfit",
    ],
    [
      "lists of 300 lists of 300 lists of 300",
      list(list(list({}, { minItems: 300 }), { minItems: 300 }), { minItems: 300 }),
      text,
      "unknown",
    ],
    [
      "a billion properties",
      { type: "object", minProperties: 1e9 },
      { type: "object", maxProperties: 10 },
      "unknown",
    ],
    ["a schema that holds itself", circular, list({}), "unknown"],
    [
      "a pattern that tries too much",
      { const: `${"a".repeat(60)}!` },
      { type: "string", pattern: "^(a+)+$" },
      "unknown",
    ],
    [
      "a pattern that tries too much without a text",
      text,
      { type: "string", pattern: "(|){30}b" },
      "unknown",
    ],
    [
      "patterns of names that try too much",
      { type: "object", patternProperties: { "^(a|a)*b$": text } },
      { type: "object", patternProperties: { "^(a|a)*b$": number } },
      "misfit",
    ],
    [
      "patterns with a million states",
      { type: "string", pattern: "^(?:a|b)*a(?:a|b){20}$" },
      { type: "string", pattern: "^(?:b|a)*a(?:a|b){20}$" },
      "unknown",
    ],
    [
      "a pattern of a million steps",
      { type: "string", pattern: "^(?:(?:a{100}){100}){100}$" },
      { type: "string", maxLength: 5 },
      "unknown",
    ],
    [
      "a text of 100,000 characters",
      { const: "a".repeat(100_000) },
      { type: "string", format: "url" },
      "unknown",
    ],
  ])("%s", (_, source, target, kind) => {
    const fit = fitOf(source, target);
    expect({ ...fit, why: "" }).toMatchObject({ kind });
  });
});

describe("for all schemas", () => {
  const pair = fc.record({ one: schemas(), other: schemas(), seed: fc.integer() });
  const widePair = fc.record({ one: schemas("wide"), other: schemas("wide"), seed: fc.integer() });

  test.each([
    ["of contracts", pair, 12],
    ["of any kind", widePair, 12],
  ])("%s: what fits is never refuted, and what misfits is shown to", (_, pairs, numRuns) => {
    fc.assert(
      fc.property(pairs, ({ one, other, seed }) => {
        const fit = checked(one, other);
        fc.pre(fit.kind === "fits");
        const values = [...valuesFor(one, seed, 20), ...valuesFor(other, seed + 1, 10)];
        const refuting = values.find((value) => accepts(one, value) && !accepts(other, value));
        expect({ one, other, refuting }).toMatchObject({ refuting: undefined });
      }),
      { numRuns },
    );
  });

  test("a schema fits itself, and its union with another", () => {
    fc.assert(
      fc.property(widePair, ({ one, other }) => {
        const { $defs = {}, ...rest } = one;
        const open = { anyOf: [JSON.stringify(other).includes("$ref") ? text : other, rest], $defs };
        expect(fitOf(one, structuredClone(one))).toEqual({ kind: "fits" });
        expect({ one, open, fit: fitOf(one, open) }).toMatchObject({ fit: { kind: "fits" } });
      }),
      { numRuns: 100 },
    );
  });

  test("a schema fits a wider one; the wider one is mostly seen not to fit", () => {
    const counts = { fits: 0, misfit: 0, unknown: 0 };
    fc.assert(
      fc.property(schemas(), fc.nat(), (schema, choice) => {
        const wider = widened(schema, choice);
        fc.pre(wider !== undefined);
        expect({ schema, wider, fit: fitOf(schema, wider) }).toMatchObject({ fit: { kind: "fits" } });
        counts[checked(wider, schema).kind] += 1;
      }),
      { numRuns: 100 },
    );
    expect(counts.misfit).toBeGreaterThan(counts.fits);
    expect(counts.unknown).toBeLessThanOrEqual(4);
  });

  test("what fits what fits is no misfit", () => {
    const family = schemas().chain((schema) =>
      fc.tuple(...[0, 1, 2].map(() => fc.nat().map((choice) => widened(schema, choice) ?? schema))),
    );
    fc.assert(
      fc.property(fc.oneof(family, fc.tuple(schemas(), schemas(), schemas())), (triple) => {
        const [one = {}, two = {}, three = {}] = triple;
        fc.pre(fitOf(one, two).kind === "fits" && fitOf(two, three).kind === "fits");
        expect({ one, two, three, fit: fitOf(one, three) }).not.toMatchObject({ fit: { kind: "misfit" } });
      }),
      { numRuns: 15 },
    );
  });

  test("an exact source fits whatever it fits as it is", () => {
    fc.assert(
      fc.property(pair, ({ one, other }) => {
        fc.pre(fitOf(one, other).kind === "fits");
        const fit = checked(one, other, { exactSource: true });
        expect({ one, other, fit }).toMatchObject({ fit: { kind: "fits" } });
      }),
      { numRuns: 15 },
    );
  });

  test("patterns fit as JavaScript finds them", () => {
    const atoms = [
      "a",
      "b",
      "[ab]",
      "[^a]",
      "\\d",
      "\\w",
      ".",
      "\\p{Lu}",
      "^",
      "$",
      "\\b",
      "(?:a|bc)",
      "(?=a)",
      "é",
      "😀",
    ];
    const atom = fc.tuple(
      fc.constantFrom(...atoms),
      fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,2}"),
    );
    const pattern = fc
      .array(atom, { maxLength: 4 })
      .map((parts) =>
        parts.map(([part, times]) => (/^(?:\^|\$|\\b|\(\?=)/.test(part) ? part : part + times)).join(""),
      );
    const texts = fc.array(
      fc.string({ unit: fc.constantFrom("a", "b", "c", "A", "1", " ", "é", "😀"), maxLength: 5 }),
      {
        minLength: 40,
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(pattern, pattern, texts, (one, other, some) => {
        const fit = checked({ type: "string", pattern: one }, { type: "string", pattern: other });
        const [inside, outside] = [RegExp(one, "u"), RegExp(other, "u")];
        const found = some.find((each) => inside.test(each) && !outside.test(each));
        expect({ one, other, found: fit.kind === "fits" ? found : undefined }).toEqual({ one, other });
      }),
      { numRuns: 80 },
    );
  });
});

test("the contracts of skills are compared with each other, and nearly always decided", () => {
  const contracts = readdirSync(FIXTURES).map(
    (name) => JSON.parse(readFileSync(path.join(FIXTURES, name, "contract.json"), "utf8")) as Contract,
  );
  const counts = { fits: 0, misfit: 0, unknown: 0 };
  for (const { output } of contracts) {
    for (const other of contracts) {
      counts[fitOf(output, other.input, { exactSource: true }).kind] += 1;
      counts[fitOf(output, other.output, { exactSource: true }).kind] += 1;
    }
  }
  expect(counts.fits).toBeGreaterThanOrEqual(contracts.length);
  expect(counts.unknown).toBe(0);
});

interface Contract {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}
