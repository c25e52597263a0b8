import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linearPattern, schemaFault, validatorOf } from "../../../src/core/json/json-schema.ts";

describe("a pattern that takes an engine with backtracking for ever", () => {
  test.each([
    ["^(a+)+$", "a", "b"],
    ["^(a|a)*$", "a", "b"],
    ["(.*a){12}x", "a", "b"],
    ["^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*$", "a", "!"],
    ["^(\\s*\\w*)*$", "a", "!"],
    ["a*a*a*a*b$", "a", "c"],
    ["\\s+$", " ", "x"],
    ["^[a-z]+[a-z0-9]*[a-z]+$", "a", "!"],
    ["(?:x?){50}y", "x", "z"],
  ])("%s is tried in linear time", (source, part, end) => {
    const pattern = linearPattern(source);
    expect(pattern.isQuick).toBe(false);
    const started = performance.now();
    pattern.test(part.repeat(50_000) + end);
    expect(performance.now() - started).toBeLessThan(5_000);
    for (const text of ["", part, part + part, part + end])
      expect(pattern.test(text)).toBe(new RegExp(source, "u").test(text));
  });

  test("that RE2 does not know does not fit when the time is over, and the answer says where it stands", () => {
    const schema = {
      type: "object",
      properties: { "a/b": { type: "string", pattern: "^(?=x?)(a+)+$" } },
      patternProperties: { "^(?!y)(b+)+$": {} },
    };
    expect(schemaFault(schema)).toBeUndefined();
    const validate = validatorOf(schema);
    expect(validate({ "a/b": "aaa" }).ok).toBe(true);
    for (const value of [{ "a/b": `${"a".repeat(60)}!` }, { [`${"b".repeat(60)}!`]: 1 }]) {
      const checked = validate(value);
      expect(!checked.ok && checked.error[0]?.message).toContain(
        "#/properties/a~1b/pattern, #/patternProperties/^(?!y)(b+)+$",
      );
    }
  });
});

test.each(["^[a-z][a-z0-9-]{0,62}$", "^\\d{4}-\\d{2}-\\d{2}$", "^\\S+$", "^(?:red)$", "@"])(
  "%s is quick as it is",
  (source) => {
    expect(linearPattern(source).isQuick).toBe(true);
  },
);

test("what a pattern finds is what the language finds", () => {
  const text = fc.string({
    unit: fc.constantFrom(
      "a",
      "b",
      "é",
      "1",
      " ",
      "\n",
      "\r",
      "\u00a0",
      "\u2028",
      "\ufeff",
      "_",
      "-",
      "😀",
      "[",
    ),
    maxLength: 8,
  });
  const sources = [
    "^(\\s*)+$",
    "(?:.)*a$",
    "(\\S)+1",
    "^([\\s\\d])+$",
    "(\\w|-)+$",
    "(?:\\b_)+",
    "^(?:[^a])*$",
    "(\\p{L})+😀",
    "([\\[.])+",
    "^(?:\\u{1F600}|\\n)+$",
    "(a|b)*$",
    "(\\D)+\\d",
    "^(?:.|\\n)*$",
    "([^\\s])+-",
  ];
  fc.assert(
    fc.property(fc.constantFrom(...sources), text, (source, value) => {
      expect(linearPattern(source).test(value)).toBe(new RegExp(source, "u").test(value));
    }),
    { numRuns: 3_000 },
  );
});
