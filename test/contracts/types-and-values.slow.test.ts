import { createHash } from "node:crypto";
import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";
import { afterAll, expect, test } from "vitest";
import { SkillCompiler } from "../../src/compiler/compile-skills.ts";
import { isJsonObject, type Json } from "../../src/core/json/json.ts";
import { validatorOf } from "../../src/core/json/json-schema.ts";
import { skillFolder } from "../checks/read-folder.ts";

const compiler = new SkillCompiler();
afterAll(() => compiler.close());

/** A type as text, and values that it has and has not. */
interface TypeCase {
  readonly text: string;
  readonly declarations: readonly string[];
  readonly fitting: Arbitrary<Json>;
  readonly unfitting: Arbitrary<Json>;
}

test("values that a type has fit its schema, and values that it has not are refused", async () => {
  const run = types(3).chain((type) =>
    fc.record({
      type: fc.constant(type),
      fitting: fc.array(type.fitting, { minLength: 8, maxLength: 8 }),
      unfitting: fc.array(type.unfitting, { minLength: 8, maxLength: 8 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(run, async ({ type, fitting, unfitting }) => {
      const code = `${PRELUDE}${[...new Set(type.declarations)].join("\n")}\nexport default (input: { value: ${type.text} }): { value: ${type.text} } => input;\n`;
      const { skills, diagnostics } = await compiler.compile([skillFolder("skill", code)]);
      expect({ code, diagnostics }).toEqual({ code, diagnostics: [] });
      const contract = skills[0]?.contract;
      const [input, output] = [validatorOf(contract?.input ?? {}), validatorOf(contract?.output ?? {})];
      for (const value of fitting) {
        expect({ code, value, fits: input({ value }).ok }).toEqual({ code, value, fits: true });
        expect({ code, value, fits: output({ value, more: 1 }).ok }).toEqual({ code, value, fits: true });
      }
      for (const value of unfitting)
        expect({ code, value, fits: input({ value }).ok }).toEqual({ code, value, fits: false });
    }),
    { numRuns: 120 },
  );
}, 30_000);

test("a contract as the callers' types is the type that it was made of", async () => {
  // A template such as `v${number}` becomes a pattern, which no type can say.
  const exact = fc.array(
    types(3).filter(({ text, declarations }) => ![text, ...declarations].some((each) => each.includes("`"))),
    { minLength: 1, maxLength: 10 },
  );
  await fc.assert(
    fc.asyncProperty(exact, async (some) => {
      const folders = some.flatMap(({ text, declarations }, index) => {
        const head = `${PRELUDE}${[...new Set(declarations)].join("\n")}\ntype Of = { value: ${text} };\n`;
        const callee = `${head}export default (input: Of): Of => input;`;
        const caller = `${head}export default async (): Promise<Of> => call_skill("callee-${index}", null as never as Of);`;
        return [skillFolder(`callee-${index}`, callee), skillFolder(`caller-${index}`, caller)];
      });
      const { findings } = await compiler.compile(folders);
      expect({ types: some.map(({ text }) => text), findings }).toMatchObject({ findings: [] });
    }),
    { numRuns: 25 },
  );
}, 60_000);

const PRELUDE = `interface Box<T> { value: T; more?: T[] }\n/** @pattern ^[A-Z]{3}$ */\ntype Iata = string;\ntype Pair<A, B = A> = [first: A, second: B];\n`;

function simple(text: string, fitting: Arbitrary<Json>, unfitting: Arbitrary<Json>): TypeCase {
  return { text, declarations: [], fitting, unfitting };
}

const anyObject: Arbitrary<Json> = fc.constantFrom<Json[]>({}, { a: 1 }, []);
const text: Arbitrary<string> = fc.string();
const number: Arbitrary<Json> = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => (Object.is(value, -0) ? 0 : value));
const boolean: Arbitrary<Json> = fc.boolean();
const nothing: Arbitrary<Json> = fc.constant(null);

const SIMPLE: readonly TypeCase[] = [
  simple("string", text, fc.oneof(number, boolean, nothing, anyObject)),
  simple("number", number, fc.oneof(text, boolean, nothing, anyObject)),
  simple("boolean", boolean, fc.oneof(text, number, nothing, anyObject)),
  simple("null", nothing, fc.oneof(text, number, boolean, anyObject)),
  simple("Integer", fc.integer(), fc.oneof(text, fc.constant(1.5), nothing)),
  simple("Iata", fc.constantFrom("LHR", "JFK"), fc.constantFrom<Json[]>("lhr", "LHRX", "", 1, null)),
  simple('"a" | "b"', fc.constantFrom("a", "b"), fc.constantFrom<Json[]>("c", "", 1, null, ["a"])),
  simple(
    '1 | "one" | true',
    fc.constantFrom<Json[]>(1, "one", true),
    fc.constantFrom<Json[]>(2, "two", false, null),
  ),
  simple(
    "`v${number}-${string}`",
    fc.tuple(fc.nat(), text).map(([major, rest]) => `v${major}-${rest}`),
    fc.constantFrom<Json[]>("v", "v1", "vx-", 1),
  ),
];

function types(depth: number): Arbitrary<TypeCase> {
  const leaf = fc.constantFrom(...SIMPLE);
  if (depth === 0) return leaf;
  const inner = types(depth - 1);
  return fc.oneof(
    { arbitrary: leaf, weight: 2 },
    { arbitrary: inner.map(listOf), weight: 2 },
    { arbitrary: fc.array(inner, { minLength: 1, maxLength: 3 }).map(tupleOf), weight: 1 },
    {
      arbitrary: fc.array(fc.record({ type: inner, optional: fc.boolean() }), { maxLength: 4 }).map(objectOf),
      weight: 3,
    },
    { arbitrary: inner.map(recordOf), weight: 1 },
    { arbitrary: inner.map(nullable), weight: 1 },
    { arbitrary: inner.map(boxOf), weight: 1 },
    { arbitrary: fc.array(inner, { minLength: 2, maxLength: 3 }).map(taggedUnion), weight: 1 },
    { arbitrary: inner.map(named), weight: 2 },
  );
}

function listOf(type: TypeCase): TypeCase {
  return {
    ...type,
    text: type.text.length % 2 === 0 ? `(${type.text})[]` : `ReadonlyArray<${type.text}>`,
    fitting: fc.array(type.fitting, { maxLength: 3 }),
    unfitting: fc.oneof(
      fc
        .tuple(fc.array(type.fitting, { maxLength: 2 }), type.unfitting)
        .map(([good, bad]) => good.concat([bad])),
      fc.constantFrom<Json[]>({}, "", 0, null),
    ),
  };
}

function tupleOf(members: readonly TypeCase[]): TypeCase {
  const fitting = fc.tuple(...members.map((member) => member.fitting));
  const withBad = fc
    .nat(members.length - 1)
    .chain((index) =>
      fc.tuple(...members.map((member, at) => (at === index ? member.unfitting : member.fitting))),
    );
  return {
    text:
      members.length === 2
        ? `Pair<${members.map((member) => member.text).join(", ")}>`
        : `[${members.map((member) => member.text).join(", ")}]`,
    declarations: members.flatMap(({ declarations }) => declarations),
    fitting,
    unfitting: fc.oneof(
      withBad,
      fitting.map((values) => values.slice(1)),
      fitting.map((values) => values.concat([1])),
      nothing,
    ),
  };
}

interface Member {
  readonly type: TypeCase;
  readonly optional: boolean;
}

function objectOf(members: readonly Member[]): TypeCase {
  const name = (index: number): string => `p${index}`;
  const required = members.flatMap(({ optional }, index) => (optional ? [] : [name(index)]));
  const record = (values: (member: Member, index: number) => Arbitrary<Json>): Arbitrary<Json> =>
    fc.record(Object.fromEntries(members.map((member, index) => [name(index), values(member, index)])), {
      requiredKeys: required,
    });
  const fitting = record(({ type }) => type.fitting);
  const wrong: Arbitrary<Json>[] = [
    fitting.map((value) => ({ ...(isJsonObject(value) ? value : {}), surplus: 1 })),
    fc.constantFrom<Json[]>([], "", 1, null),
  ];
  const [first] = required;
  if (first !== undefined) {
    wrong.push(
      fitting.map((value) =>
        Object.fromEntries(Object.entries(isJsonObject(value) ? value : {}).filter(([key]) => key !== first)),
      ),
    );
    wrong.push(record(({ type }, index) => (name(index) === first ? type.unfitting : type.fitting)));
  }
  return {
    text: `{ ${members.map(({ type, optional }, index) => `${name(index)}${optional ? "?" : ""}: ${type.text};`).join(" ")} }`,
    declarations: members.flatMap(({ type }) => type.declarations),
    fitting,
    unfitting: fc.oneof(...wrong),
  };
}

function recordOf(type: TypeCase): TypeCase {
  const key = fc.string({ minLength: 1 }).filter((each) => each !== "__proto__");
  return {
    ...type,
    text: `Record<string, ${type.text}>`,
    fitting: fc.dictionary(key, type.fitting, { maxKeys: 3 }),
    unfitting: fc.oneof(
      fc.tuple(key, type.unfitting).map(([name, bad]) => ({ [name]: bad })),
      nothing,
    ),
  };
}

function nullable(type: TypeCase): TypeCase {
  return {
    ...type,
    text: `${type.text} | null`,
    fitting: fc.oneof(type.fitting, nothing),
    unfitting: type.unfitting.filter((value) => value !== null),
  };
}

function boxOf(type: TypeCase): TypeCase {
  const box = objectOf([{ type, optional: false }]);
  const renamed = (value: Json): Json =>
    isJsonObject(value) && value["p0"] !== undefined ? renamedKeys(value) : value;
  return {
    ...box,
    text: `Box<${type.text}>`,
    fitting: box.fitting.map(renamed),
    unfitting: box.unfitting.map(renamed),
  };
}

function renamedKeys(value: { readonly [key: string]: Json }): Json {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key === "p0" ? "value" : key, member]),
  );
}

function taggedUnion(members: readonly TypeCase[]): TypeCase {
  const tagged = (index: number, value: Json): Json => ({ kind: `k${index}`, value });
  return {
    text: members.map((member, index) => `{ kind: "k${index}"; value: ${member.text} }`).join(" | "),
    declarations: members.flatMap(({ declarations }) => declarations),
    fitting: fc.oneof(...members.map((member, index) => member.fitting.map((value) => tagged(index, value)))),
    unfitting: fc.oneof(
      ...members.map((member, index) => member.unfitting.map((value) => tagged(index, value))),
      ...members.map((member) => member.fitting.map((value) => tagged(members.length, value))),
      nothing,
    ),
  };
}

function named(type: TypeCase): TypeCase {
  const name = `N${createHash("sha256").update(type.text).digest("hex").slice(0, 12)}`;
  const declarations = [...new Set([...type.declarations, `type ${name} = ${type.text};`])];
  return { ...type, text: name, declarations };
}
