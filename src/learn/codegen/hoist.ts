import { partsOf } from "../synthesis/flow-candidates.ts";
import type { Expression } from "../plan/plan.ts";

/** Searches that have a name already, by their text, and how a new one is named after the collection it searches. */
export interface Lifting {
  readonly known: Map<string, string>;
  readonly take: (collection: Expression) => string;
}

interface Search {
  readonly name: string;
  readonly search: Expression;
}

/** The searches in an expression, the inner ones first, and the expression with their names instead. */
export function lifted(
  expression: Expression,
  lifting: Lifting,
): { readonly found: readonly Search[]; readonly rest: Expression } {
  const found: Search[] = [];
  const rest = lift(expression, lifting, found, new Set());
  return { found, rest };
}

function lift(part: Expression, lifting: Lifting, found: Search[], bound: ReadonlySet<string>): Expression {
  const inner = (each: Expression): Expression => lift(each, lifting, found, bound);
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
      return named(
        {
          ...part,
          in: inner(part.in),
          where: part.where.map((each) => ({ ...each, equals: inner(each.equals) })),
        },
        part.in,
        lifting,
        found,
        bound,
      );
    case "only":
    case "nth":
      return named({ ...part, in: inner(part.in) }, part.in, lifting, found, bound);
    case "map": {
      const within = new Set([...bound, part.item]);
      return { ...part, over: inner(part.over), value: lift(part.value, lifting, found, within) };
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

function named(
  search: Expression,
  collection: Expression,
  lifting: Lifting,
  found: Search[],
  bound: ReadonlySet<string>,
): Expression {
  // What depends on a map's element stays where the element is known.
  if (partsOf(search).some((part) => part.kind === "ref" && bound.has(part.name))) return search;
  const text = JSON.stringify(search);
  const known = lifting.known.get(text);
  if (known !== undefined) return { kind: "ref", name: known };
  const name = lifting.take(collection);
  lifting.known.set(text, name);
  found.push({ name, search });
  return { kind: "ref", name };
}
