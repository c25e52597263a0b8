import { subexpressions } from "../synthesis/flow-candidates.ts";
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
    case "constant":
    case "param":
    case "ref":
      return part;
    case "or":
      // What the caller gives is not searched for.
      return { ...part, of: inner(part.of) };
    case "field":
    case "values":
    case "entries":
    case "flat":
    case "part":
    case "cast":
    case "date":
      return { ...part, of: inner(part.of) };
    case "find":
      return hoistSearch(
        {
          ...part,
          in: inner(part.in),
          where: part.where.map((each) => ({ ...each, equals: inner(each.equals) })),
        },
        part.in,
        hoisting,
        found,
        bound,
      );
    case "only":
    case "nth":
      return hoistSearch({ ...part, in: inner(part.in) }, part.in, hoisting, found, bound);
    case "map": {
      const within = new Set([...bound, part.item]);
      return { ...part, over: inner(part.over), value: hoistPart(part.value, hoisting, found, within) };
    }
    case "list":
      return { ...part, items: part.items.map(inner) };
    case "object":
      return { ...part, fields: part.fields.map((each) => ({ ...each, value: inner(each.value) })) };
    case "template":
      return { ...part, parts: part.parts.map((each) => (typeof each === "string" ? each : inner(each))) };
    case "arithmetic":
      return { ...part, left: inner(part.left), right: inner(part.right) };
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
