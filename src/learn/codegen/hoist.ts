import { mapChildren, subexpressions } from "../plan/expression.ts";
import type { Expression } from "../plan/plan.ts";

/** Searches that have a name already, by their text, and how a new one is named after the collection it searches. */
export interface Hoisting {
  readonly names: Map<string, string>;
  readonly newName: (collection: Expression) => string;
}

interface Search {
  readonly name: string;
  readonly search: Expression;
}

/** The searches in an expression, the inner ones first, and the expression with their names instead. */
export function hoist(
  expression: Expression,
  hoisting: Hoisting,
): { readonly found: readonly Search[]; readonly rest: Expression } {
  const found: Search[] = [];
  const rest = hoistPart(expression, hoisting, found, new Set());
  return { found, rest };
}

function hoistPart(
  part: Expression,
  hoisting: Hoisting,
  found: Search[],
  bound: ReadonlySet<string>,
): Expression {
  const inner = (each: Expression): Expression => hoistPart(each, hoisting, found, bound);
  switch (part.kind) {
    case "or":
      // What the caller gives is not searched for.
      return { ...part, of: inner(part.of) };
    case "find":
    case "extreme":
    case "only":
    case "nth":
      return hoistSearch(mapChildren(part, inner), part.in, hoisting, found, bound);
    case "map": {
      const within = new Set([...bound, part.item]);
      return { ...part, over: inner(part.over), value: hoistPart(part.value, hoisting, found, within) };
    }
    case "constant":
    case "param":
    case "ref":
    case "field":
    case "values":
    case "entries":
    case "flat":
    case "list":
    case "object":
    case "template":
    case "part":
    case "cast":
    case "arithmetic":
    case "aggregate":
    case "join":
    case "filter":
    case "date":
      return mapChildren(part, inner);
  }
}

function hoistSearch(
  search: Expression,
  collection: Expression,
  hoisting: Hoisting,
  found: Search[],
  bound: ReadonlySet<string>,
): Expression {
  // What depends on a map's element stays where the element is known.
  if (subexpressions(search).some((part) => part.kind === "ref" && bound.has(part.name))) return search;
  const text = JSON.stringify(search);
  const known = hoisting.names.get(text);
  if (known !== undefined) return { kind: "ref", name: known };
  const name = hoisting.newName(collection);
  hoisting.names.set(text, name);
  found.push({ name, search });
  return { kind: "ref", name };
}
