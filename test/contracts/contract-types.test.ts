import * as fc from "fast-check";
import ts from "typescript";
import { expect, test } from "vitest";
import { type CallableSkill, contractTypes } from "../../src/contracts/to-types/contract-types.ts";
import type { JsonSchema } from "../../src/core/json/json-schema.ts";

const HOSTILE = [
  "*/",
  "/*",
  "`",
  '"',
  "'",
  "\\",
  "\n",
  "\u2028",
  "${x}",
  "__proto__",
  "constructor",
  "}",
  "//",
];
const words = fc
  .array(fc.oneof(fc.string(), fc.constantFrom(...HOSTILE)), { maxLength: 4 })
  .map((parts) => parts.join(""));

const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      type: fc.constantFrom("string", "integer"),
      description: words,
      pattern: words,
      default: words,
    }),
    fc.record({ enum: fc.array(words, { minLength: 1 }) }),
    fc.record({ const: fc.dictionary(words, words) }),
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(words, tie("schema")),
      required: fc.array(words),
      additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
    }),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({ type: fc.constant("array"), prefixItems: fc.array(tie("schema")), items: fc.boolean() }),
    fc.record({ anyOf: fc.array(tie("schema")) }),
    fc.record({ allOf: fc.array(tie("schema")), $ref: words }),
    fc.record({ $ref: fc.constant("#/$defs/a~1b"), $defs: fc.record({ "a/b": tie("schema") }) }),
  ),
}));
const skill: fc.Arbitrary<CallableSkill> = fc.record({ input: schema, output: schema, description: words });

test("whatever names, texts and schemas say, they stay inside their declarations", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(words, skill), { selector: ([name]) => name, maxLength: 4 }),
      (skills) => {
        const text = contractTypes(new Map(skills));
        const file = ts.createSourceFile("skills.d.ts", text, ts.ScriptTarget.ES2023);
        const { parseDiagnostics } = file as unknown as { parseDiagnostics: readonly ts.Diagnostic[] };
        expect(parseDiagnostics.map(({ messageText }) => messageText)).toEqual([]);
        const declared = file.statements.map((statement) =>
          ts.isModuleDeclaration(statement) ||
          ts.isInterfaceDeclaration(statement) ||
          ts.isTypeAliasDeclaration(statement) ||
          ts.isFunctionDeclaration(statement)
            ? statement.name?.text
            : "",
        );
        expect(declared).toEqual([
          "Skills",
          "SkillMap",
          "SkillName",
          "KnownSkillName",
          "SkillInput",
          "SkillArguments",
          "SkillOutput",
          "call_skill",
        ]);
        const map = file.statements[1];
        const names =
          map && ts.isInterfaceDeclaration(map)
            ? map.members.map(({ name }) => name && ts.isStringLiteral(name) && name.text)
            : [];
        expect(names).toEqual(skills.map(([name]) => name));
      },
    ),
    { numRuns: 300 },
  );
});

test("schemas that are nested without end are cut off", () => {
  let deep: JsonSchema = { type: "string" };
  for (let depth = 0; depth < 5_000; depth += 1) deep = { type: "object", properties: { a: deep } };
  expect(contractTypes(new Map([["deep", { input: deep, output: deep }]])).length).toBeLessThan(100_000);
});
