import { expect, test } from "vitest";
import {
  fieldExpression,
  mapChildren,
  mapExpression,
  subexpressions,
  substituteSlot,
} from "../../../src/learn/plan/expression.ts";
import type { Expression } from "../../../src/learn/plan/plan.ts";

const P: Expression = { kind: "param", name: "p" };
const Q: Expression = { kind: "param", name: "q" };
const R: Expression = { kind: "ref", name: "r" };

/** One of each kind, with the expressions directly in it. */
const KINDS: { readonly [K in Expression["kind"]]: readonly [Expression & { kind: K }, ...Expression[]] } = {
  constant: [{ kind: "constant", value: { of: [1] } }],
  param: [{ kind: "param", name: "x" }],
  ref: [{ kind: "ref", name: "x" }],
  or: [{ kind: "or", of: P, otherwise: Q }, P, Q],
  field: [{ kind: "field", of: R, path: ["a"] }, R],
  find: [
    {
      kind: "find",
      in: R,
      where: [
        { path: [], equals: P, optional: true },
        { path: ["b"], equals: Q },
      ],
    },
    R,
    P,
    Q,
  ],
  filter: [
    { kind: "filter", in: R, where: [{ path: ["a"], some: [{ path: ["b"], operator: "<", equals: P }] }] },
    R,
    P,
  ],
  extreme: [{ kind: "extreme", in: R, by: ["a"], most: true }, R],
  groups: [{ kind: "groups", in: R, by: ["a"] }, R],
  only: [{ kind: "only", in: R }, R],
  nth: [{ kind: "nth", in: R, position: -1 }, R],
  values: [{ kind: "values", of: R }, R],
  entries: [{ kind: "entries", of: R }, R],
  zip: [{ kind: "zip", left: R, right: P }, R, P],
  map: [{ kind: "map", over: R, item: "each", value: P }, R, P],
  flat: [{ kind: "flat", of: R, path: ["a"] }, R],
  list: [{ kind: "list", items: [P, R] }, P, R],
  object: [
    {
      kind: "object",
      fields: [
        { name: "a", value: P },
        { name: "b", value: R },
      ],
    },
    P,
    R,
  ],
  rounded: [{ kind: "rounded", of: P, decimals: 2 }, P],
  sorted: [{ kind: "sorted", in: P, by: ["x"], isFalling: true }, P],
  taken: [{ kind: "taken", in: R, count: 2, isLast: true, by: ["x"] }, R],
  numbered: [{ kind: "numbered", in: R }, R],
  cased: [{ kind: "cased", of: P, isUpper: true }, P],
  excerpt: [{ kind: "excerpt", of: P, part: Q, isLine: false }, P, Q],
  replaced: [{ kind: "replaced", of: P, part: Q, by: P }, P, Q, P],
  template: [{ kind: "template", parts: ["a ", P, " b ", Q] }, P, Q],
  part: [{ kind: "part", of: P, after: "<", before: ">" }, P],
  slug: [{ kind: "slug", of: P, separator: "-", isLower: true }, P],
  cast: [{ kind: "cast", of: P, to: "string" }, P],
  arithmetic: [{ kind: "arithmetic", operator: "-", left: P, right: Q }, P, Q],
  join: [{ kind: "join", of: R, separator: ", " }, R],
  aggregate: [{ kind: "aggregate", operator: "sum", of: R }, R],
  date: [{ kind: "date", of: P, days: 1, format: "YYYY" }, P],
};

test.each(Object.entries(KINDS))(
  "%s: each child is visited once, in order, and the rest stays",
  (_, [of, ...children]) => {
    const visited: Expression[] = [];
    const changed = mapChildren(of, (child) => {
      visited.push(child);
      return { kind: "nth", in: child, position: 5 };
    });
    expect(visited).toEqual(children);
    expect(subexpressions(of)).toEqual([...children, of]);
    expect(mapExpression(of, (part) => part)).toEqual(of);
    const unwrapped = mapExpression(changed, (part) =>
      part.kind === "nth" && part.position === 5 ? part.in : part,
    );
    expect(unwrapped).toEqual(of);
  },
);

test.each(Object.entries(KINDS))("%s: a parameter is substituted wherever it stands", (_, [of]) => {
  const by: Expression = { kind: "constant", value: 7 };
  const names = (expression: Expression): readonly string[] =>
    subexpressions(expression).flatMap((part) => (part.kind === "param" ? [part.name] : []));
  const substituted = substituteSlot(of, "p", by);
  expect(names(substituted)).toEqual(names(of).filter((name) => name !== "p"));
  expect(subexpressions(substituted).length).toBe(subexpressions(of).length);
});

test("a field of a field is one field", () => {
  const inner = fieldExpression(R, ["a"]);
  expect(fieldExpression(inner, ["b", "c"])).toEqual({ kind: "field", of: R, path: ["a", "b", "c"] });
  expect(fieldExpression(R, [])).toBe(R);
  const nested: Expression = { kind: "field", of: P, path: ["b"] };
  expect(substituteSlot(nested, "p", inner)).toEqual({ kind: "field", of: R, path: ["a", "b"] });
});
