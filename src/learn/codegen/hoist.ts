import { mapChildren, mapConditions } from "../plan/expression.ts";
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

/**
 * The searches that an expression makes whatever there is, the inner ones first, and the expression with their names
 * instead. What is sought for the elements of a list, or where something else is missing, stays where it is.
 */
export function hoist(
  expression: Expression,
  hoisting: Hoisting,
): { readonly found: readonly Search[]; readonly rest: Expression } {
  const found: Search[] = [];
  const rest = hoistPart(expression, hoisting, found, true);
  return { found, rest };
}

function hoistPart(part: Expression, hoisting: Hoisting, found: Search[], isDone: boolean): Expression {
  const inner = (each: Expression): Expression => hoistPart(each, hoisting, found, isDone);
  // Where there are no elements, nothing is searched for them.
  const forEach = (each: Expression): Expression => hoistPart(each, hoisting, found, false);
  switch (part.kind) {
    case "or":
      // What the caller gives is not searched for.
      return { ...part, of: inner(part.of) };
    case "find":
    case "extreme":
    case "only":
    case "nth":
      return hoistSearch(mapChildren(part, inner), part.in, hoisting, found, isDone);
    case "map":
      return { ...part, over: inner(part.over), value: forEach(part.value) };
    case "filter": {
      const where = mapConditions(part.where, (each) => ({ ...each, equals: forEach(each.equals) }));
      return { ...part, in: inner(part.in), where };
    }
    case "constant":
    case "param":
    case "ref":
    case "field":
    case "groups":
    case "sorted":
    case "taken":
    case "numbered":
    case "values":
    case "entries":
    case "zip":
    case "flat":
    case "list":
    case "object":
    case "template":
    case "part":
    case "slug":
    case "cased":
    case "replaced":
    case "excerpt":
    case "rounded":
    case "cast":
    case "arithmetic":
    case "aggregate":
    case "join":
    case "date":
      return mapChildren(part, inner);
  }
}

function hoistSearch(
  search: Expression,
  collection: Expression,
  hoisting: Hoisting,
  found: Search[],
  isDone: boolean,
): Expression {
  const text = JSON.stringify(search);
  const known = hoisting.names.get(text);
  if (known !== undefined) return { kind: "ref", name: known };
  if (!isDone) return search;
  const name = hoisting.newName(collection);
  hoisting.names.set(text, name);
  found.push({ name, search });
  return { kind: "ref", name };
}
