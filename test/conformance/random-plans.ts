import fc from "fast-check";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { mapExpression } from "../../src/learn/plan/expression.ts";
import type { Condition, Expression, Plan, Step } from "../../src/learn/plan/plan.ts";

/** A plan, what its caller gives, and what tools answer, the first to the first call and so on. */
export interface RandomRun {
  readonly plan: Plan;
  readonly input: JsonObject;
  readonly answers: readonly RandomAnswer[];
}

type RandomAnswer = { readonly result: Json } | { readonly error: string };

const number = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(0.1, 0.2, 1.005, 2.5, -0.5, 1e-7, 1e21, 19.99),
);
const text = fc.constantFrom(
  ...'|a|b|A-1|B-22|1|1.0|true|id: 7|2026-03-31|2026-02-28|12:30|é ü|日本|say "hi"|it\'s|../x|x y|\u{1F600}'.split(
    "|",
  ),
);
const leaf: fc.Arbitrary<Json> = fc.oneof(number, text, fc.boolean(), fc.constant(null));
const element = fc.record(
  {
    id: fc.oneof(number, text),
    n: number,
    name: text,
    day: fc.constantFrom("2026-01-31", "2026-02-01"),
    tags: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: ["n", "name"] },
);
const elements = fc.array(element, { maxLength: 4 });
/** As tools answer when plans are learned, and sometimes otherwise. */
const answer: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      {
        id: fc.oneof(number, text),
        n: number,
        name: text,
        day: text,
        list: elements,
        map: fc.dictionary(text, element, { maxKeys: 3 }),
        text,
      },
      { requiredKeys: ["id", "list", "map", "n", "name", "text"] },
    ),
  },
  { weight: 1, arbitrary: leaf },
  { weight: 1, arbitrary: fc.record({ list: leaf, map: elements, n: text }) },
);

const NAMES = ["id", "n", "name", "day", "tags", "text", "list", "map", "class"];
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 2 });

interface Kinds {
  readonly any: Expression;
  readonly list: Expression;
  readonly scalar: Expression;
  readonly condition: Condition;
}

/** Expressions over what is called by these names. */
function expressions(
  refs: readonly string[],
  params: readonly string[],
  mayMap: boolean,
): fc.LetrecValue<Kinds> {
  const ref = fc.constantFrom(...refs).map((name): Expression => ({ kind: "ref", name }));
  const param = fc.constantFrom(...params).map((name): Expression => ({ kind: "param", name }));
  const constant = leaf.map((value): Expression => ({ kind: "constant", value }));
  const told = fc.record({ kind: fc.constant("field"), of: ref, path });
  const ofAnswer = (...names: readonly string[]): fc.Arbitrary<Expression> =>
    fc
      .constantFrom(...names)
      .map((name): Expression => ({ kind: "field", of: { kind: "ref", name: "one" }, path: [name] }));
  const value = (given: fc.Arbitrary<Json>): fc.Arbitrary<Expression> =>
    given.map((each): Expression => ({ kind: "constant", value: each }));
  return fc.letrec<Kinds>((tie) => {
    const mostly = (usual: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> =>
      fc.oneof(
        { weight: 12, arbitrary: usual },
        { weight: 1, arbitrary: tie("scalar") },
      ) as fc.Arbitrary<Expression>;
    const numeral = mostly(fc.oneof(value(number), ofAnswer("n")));
    const word = mostly(fc.oneof(value(text), ofAnswer("name", "text")));
    const day = mostly(value(fc.constantFrom("2026-01-31", "2028-02-28T10:11:12", "2025-12-31 09:08")));
    const found = fc.record({
      kind: fc.constant("find"),
      in: tie("list"),
      where: fc.array(tie("condition"), { minLength: 1, maxLength: 2 }),
    });
    const groups = fc.record({
      kind: fc.constant("groups"),
      in: tie("list"),
      by: fc.constantFrom([], ["n"], ["name"], ["id"]),
    });
    const taken = fc.record({
      kind: fc.constant("taken"),
      in: tie("list"),
      count: fc.constantFrom(1, 2),
      isLast: fc.boolean(),
      by: fc.constantFrom(undefined, ["n"]),
    });
    const numbered = fc.record({ kind: fc.constant("numbered"), in: tie("list") });
    const most = fc.record({
      kind: fc.constant("extreme"),
      in: tie("list"),
      by: fc.constantFrom(["n"], ["day"]),
      most: fc.boolean(),
    });
    const sums = fc.oneof(
      fc.record({ kind: fc.constant("list"), items: fc.array(numeral, { maxLength: 4 }) }),
      fc.record({
        kind: fc.constant("map"),
        over: ofAnswer("list"),
        item: fc.constant("item"),
        value: fc.constant({ kind: "field", of: { kind: "ref", name: "item" }, path: ["n"] }),
      }),
    );
    return {
      scalar: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        { weight: 16, arbitrary: fc.oneof(constant, ofAnswer("n", "name", "text", "id")) },
        { weight: 1, arbitrary: told },
        param,
        fc.record({
          kind: fc.constant("or"),
          of: fc.oneof(param, ofAnswer("day", "id"), tie("scalar")),
          otherwise: tie("scalar"),
        }),
        fc.record({ kind: fc.constant("aggregate"), operator: fc.constant("count"), of: tie("list") }),
        fc.record({ kind: fc.constant("aggregate"), operator: fc.constant("sum"), of: sums }),
        fc.record({
          kind: fc.constant("arithmetic"),
          operator: fc.constantFrom("+", "-", "*", "/"),
          left: numeral,
          right: numeral,
        }),
        fc.record({
          kind: fc.constant("cast"),
          of: fc.oneof(numeral, word),
          to: fc.constantFrom("string", "boolean"),
        }),
        fc.record({ kind: fc.constant("cast"), of: numeral, to: fc.constantFrom("number", "integer") }),
        fc.record({
          kind: fc.constant("template"),
          parts: fc.array(fc.oneof(fc.constantFrom("a ", "id = ", "'", "/x/", " "), word, numeral), {
            maxLength: 3,
          }),
        }),
        fc.record({ kind: fc.constant("cased"), of: word, isUpper: fc.boolean() }),
        fc.record({
          kind: fc.constant("slug"),
          of: word,
          separator: fc.constantFrom("-", "_"),
          isLower: fc.boolean(),
        }),
        fc.record({
          kind: fc.constant("part"),
          of: word,
          after: fc.constantFrom("", ": ", "-", " "),
          before: fc.constantFrom("", "-", " "),
          is: fc.constantFrom(undefined, undefined, "word" as const, "text" as const),
        }),
        fc.record({
          kind: fc.constant("join"),
          of: fc.record({
            kind: fc.constant("list"),
            items: fc.array(fc.oneof(word, numeral), { maxLength: 3 }),
          }),
          separator: fc.constantFrom("", ", "),
        }),
        fc.record({
          kind: fc.constant("date"),
          of: day,
          days: fc.integer({ min: -400, max: 400 }),
          format: fc.constantFrom("YYYY-MM-DD", "DD.MM.YYYY", "hh:mm"),
        }),
        fc.record({
          kind: fc.constant("field"),
          of: fc.oneof(found, most),
          path: fc.constantFrom(["n"], ["name"], ["day"]),
        }),
      ) as fc.Arbitrary<Expression>,
      list: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.record({ kind: fc.constant("field"), of: ref, path: fc.constant(["list"]) }),
        fc.record({
          kind: fc.constant("values"),
          of: fc.record({ kind: fc.constant("field"), of: ref, path: fc.constant(["map"]) }),
        }),
        fc.record({
          kind: fc.constant("entries"),
          of: fc.record({ kind: fc.constant("field"), of: ref, path: fc.constant(["map"]) }),
        }),
        fc.record({ kind: fc.constant("zip"), left: tie("list"), right: tie("list") }),
        fc.record({
          kind: fc.constant("filter"),
          in: tie("list"),
          where: fc.array(tie("condition"), { minLength: 1, maxLength: 2 }),
        }),
        fc.record({
          kind: fc.constant("flat"),
          of: fc.record({
            kind: fc.constant("list"),
            items: fc.array(fc.oneof(ofAnswer("list"), tie("list")), { maxLength: 2 }),
          }),
          path: fc.constant([]),
        }),
        fc.record({ kind: fc.constant("list"), items: fc.array(tie("scalar"), { maxLength: 3 }) }),
        groups,
        taken,
        numbered,
        ...(mayMap
          ? [
              fc.record({
                kind: fc.constant("map"),
                over: tie("list"),
                item: fc.constant("item"),
                value: expressions([...refs, "item"], params, false).any,
              }),
            ]
          : []),
      ) as fc.Arbitrary<Expression>,
      any: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        tie("scalar"),
        tie("list"),
        ref,
        fc.record({ kind: fc.constant("only"), in: tie("list") }),
        fc.record({ kind: fc.constant("nth"), in: tie("list"), position: fc.integer({ min: -2, max: 2 }) }),
        fc.record({
          kind: fc.constant("object"),
          fields: fc.uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), value: tie("any") }), {
            maxLength: 3,
            selector: ({ name }) => name,
          }),
        }),
      ) as fc.Arbitrary<Expression>,
      condition: fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({
            path: fc.constant(["n"]),
            operator: fc.constantFrom("!=", "<", "<=", ">", ">="),
            equals: numeral,
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            path: fc.constant(["name"]),
            operator: fc.constantFrom("!=", "startsWith", "endsWith", "contains"),
            equals: word,
          }),
        },
        { weight: 2, arbitrary: fc.record({ path: fc.constant(["name"]), equals: word }) },
        fc.record({
          path: fc.constant(["name"]),
          operator: fc.constantFrom("day <", "day <=", "day >", "day >="),
          equals: day,
        }),
        {
          weight: 2,
          arbitrary: fc.record({
            path: fc.constantFrom(["name"], ["n"]),
            operator: fc.constantFrom("in", "not in"),
            equals: tie("list"),
          }),
        },
        fc.record(
          {
            path: fc.constant(["name"]),
            operator: fc.constantFrom("!=", "contains"),
            equals: word,
            isClear: fc.constant(true),
            joins: fc.constantFrom({ before: [" "], after: [" "] }, { before: [], after: ["-"] }),
            isAlone: fc.constant(true),
          },
          { requiredKeys: ["path", "equals", "isClear"] },
        ),
        {
          weight: 2,
          arbitrary: fc.record({ path: fc.constant(["name"]), equals: param, optional: fc.constant(true) }),
        },
        fc.record(
          {
            path,
            operator: fc.constantFrom("!=", "<", "<=", ">", ">=", "startsWith", "endsWith", "contains"),
            equals: tie("scalar"),
            optional: fc.constant(true),
          },
          { requiredKeys: ["path", "equals"] },
        ),
        fc.record({
          path: fc.constant(["tags"]),
          some: fc.array(fc.record({ path: fc.constant([]), equals: word }), { minLength: 1, maxLength: 1 }),
        }),
      ) as fc.Arbitrary<Condition>,
    };
  });
}

const PARAMS = ["given", "wanted", "usual"];
const KIND = "not found";

/** Expressions in which each map's element has a name of its own. */
function named(plan: Plan): Plan {
  let count = 0;
  const rename = (expression: Expression): Expression =>
    mapExpression(expression, (part) => {
      if (part.kind !== "map") return part;
      const item = `item${++count}`;
      const value = mapExpression(part.value, (inner) =>
        inner.kind === "ref" && inner.name === "item" ? { ...inner, name: item } : inner,
      );
      return { ...part, item, value };
    });
  // Expressions stand wherever something has a kind that no step has.
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    if ("kind" in value && !STEPS.has(String(value.kind))) return rename(value as Expression);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, visit(each)]));
  };
  return visit(plan) as Plan;
}

const STEPS: ReadonlySet<string> = new Set(["call", "loop", "guard", "choice", "branch", "switch"]);

function callOf(name: string, tool: string, args: fc.Arbitrary<Expression>): fc.Arbitrary<Step> {
  const fields = fc.uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), value: args }), {
    maxLength: 3,
    selector: (each) => each.name,
  });
  return fields.map((all): Step => ({ kind: "call", name, tool, args: { kind: "object", fields: all } }));
}

const first = expressions(["one"], PARAMS, true);
const later = expressions(["one", "two"], PARAMS, true);
const inRound = expressions(["one", "each"], PARAMS, true);
const afterCall = expressions(["one", "each", "inner"], PARAMS, true);
const inBranch = expressions(["one", "made"], PARAMS, true);

const middle: fc.Arbitrary<Step> = fc.oneof(
  callOf("two", "world.two", first.any),
  fc.record({
    kind: fc.constant("loop"),
    name: fc.constant("two"),
    over: first.list,
    item: fc.constant("each"),
    steps: callOf("inner", "world.inner", inRound.any).map((step) => [step]),
    gives: afterCall.any,
    order: fc.constantFrom("sequential", "parallel"),
  }),
  fc.record({
    kind: fc.constant("loop"),
    name: fc.constant("two"),
    over: first.list,
    item: fc.constant("each"),
    steps: callOf("inner", "world.inner", inRound.any).map((step) => [step]),
    gives: fc.constant({ kind: "ref", name: "inner" }),
    until: fc.array(first.condition, { minLength: 1, maxLength: 1 }),
    order: fc.constant("sequential"),
  }),
  fc.record({
    kind: fc.constant("branch"),
    name: fc.constant("two"),
    call: callOf("made", "world.make", first.scalar),
    fails: fc.constant(KIND),
    failed: fc.record({
      steps: callOf("other", "world.other", first.scalar).map((step) => [step]),
      gives: first.any,
    }),
    succeeded: fc.record({ steps: fc.constant([]), gives: inBranch.any }),
  }),
  fc
    .tuple(
      first.scalar,
      leaf,
      leaf,
      fc.nat(2),
      first.any,
      first.any,
      callOf("done", "world.do", first.scalar),
    )
    .map(([value, a, b, nth, x, y, step]) => ({
      kind: "switch",
      name: "two",
      value: nth === 0 ? value : { kind: "constant", value: nth === 1 ? a : b },
      cases: [
        { equals: a, steps: [step], gives: x },
        { equals: b, steps: [], gives: y },
      ],
    })),
) as fc.Arbitrary<Step>;

/** One that often lets pass. */
const guard = fc
  .tuple(first.scalar, first.scalar, fc.boolean())
  .map(([value, other, isSame]): Step => ({ kind: "guard", value, equals: isSame ? value : other }));

/** Plans whose names are all there where they are used. */
export const randomRuns: fc.Arbitrary<RandomRun> = fc.record({
  plan: fc
    .tuple(
      callOf("one", "world.one", fc.constant({ kind: "param", name: "given" } as const)),
      fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: guard }),
      middle,
      later.any,
    )
    .map(([one, between, two, value]): Plan =>
      named({
        version: 1,
        name: "random",
        params: [
          { name: "given", schema: {}, origins: [] },
          { name: "wanted", schema: {}, optional: true, origins: [] },
          { name: "usual", schema: {}, optional: true, default: "b", origins: [] },
        ],
        steps: [one, ...(between ? [between] : []), two],
        output: { value, schema: {} },
      }),
    ),
  input: fc.record({ given: leaf, wanted: leaf, usual: leaf }, { requiredKeys: ["given"] }),
  answers: fc.array(
    fc.oneof(
      { weight: 16, arbitrary: answer.map((result) => ({ result })) },
      { weight: 1, arbitrary: fc.constantFrom({ error: "Not found" }, { error: "HTTP status 500: broken" }) },
    ),
    { minLength: 1, maxLength: 6 },
  ),
});
