import type { Json } from "../../core/json/json.ts";
import type { Condition, Expression, ValueCondition } from "./plan.ts";

/** The expression with each of those directly in it changed, in the order in which they are evaluated. */
export function mapChildren(expression: Expression, change: (child: Expression) => Expression): Expression {
  switch (expression.kind) {
    case "constant":
    case "param":
    case "ref":
      return expression;
    case "or":
      return { ...expression, of: change(expression.of), otherwise: change(expression.otherwise) };
    case "field": {
      const made = fieldExpression(change(expression.of), expression.path);
      return made.kind === "field" && expression.as ? { ...made, as: expression.as } : made;
    }
    case "values":
    case "entries":
    case "flat":
    case "part":
    case "slug":
    case "cased":
    case "cast":
    case "aggregate":
    case "rounded":
    case "join":
    case "date":
      return { ...expression, of: change(expression.of) };
    case "find":
    case "filter":
      return {
        ...expression,
        in: change(expression.in),
        where: mapConditions(expression.where, (each) => ({ ...each, equals: change(each.equals) })),
      };
    case "only":
    case "nth":
    case "extreme":
    case "groups":
    case "sorted":
    case "taken":
    case "numbered":
      return { ...expression, in: change(expression.in) };
    case "map":
      return { ...expression, over: change(expression.over), value: change(expression.value) };
    case "list":
      return { ...expression, items: expression.items.map(change) };
    case "object":
      return {
        ...expression,
        fields: expression.fields.map((each) => ({ ...each, value: change(each.value) })),
      };
    case "template":
      return {
        ...expression,
        parts: expression.parts.map((part) => (typeof part === "string" ? part : change(part))),
      };
    case "replaced":
      return {
        ...expression,
        of: change(expression.of),
        part: change(expression.part),
        by: change(expression.by),
      };
    case "excerpt":
      return { ...expression, of: change(expression.of), part: change(expression.part) };
    case "zip":
    case "arithmetic":
      return { ...expression, left: change(expression.left), right: change(expression.right) };
  }
}

/** The conditions with each comparison in them changed. */
export function mapConditions(
  where: readonly Condition[],
  change: (condition: ValueCondition) => ValueCondition,
): readonly Condition[] {
  return where.map((each) => ("some" in each ? { ...each, some: each.some.map(change) } : change(each)));
}

/** The comparisons in conditions, those of inner elements too. */
export function comparisonsIn(where: readonly Condition[]): readonly ValueCondition[] {
  return where.flatMap((each) => ("some" in each ? each.some : [each]));
}

/** The expression with each part of it changed, from the inside out. */
export function mapExpression(expression: Expression, change: (part: Expression) => Expression): Expression {
  return change(mapChildren(expression, (child) => mapExpression(child, change)));
}

/** The list of which an expression gives those elements for which something holds; nothing where it is no such choice. */
export function chosenFrom(expression: Expression): Expression | undefined {
  if (expression.kind === "filter") return expression.in;
  if (expression.kind !== "flat" || expression.path.length > 0 || expression.of.kind !== "map")
    return undefined;
  const { over, value } = expression.of;
  return value.kind === "map" && value.over.kind === "filter" ? over : undefined;
}

/** The lists that an expression has one after the other; nothing where it is none. */
export function joinedLists(expression: Expression): Extract<Expression, { kind: "list" }> | undefined {
  return expression.kind === "flat" && expression.path.length === 0 && expression.of.kind === "list"
    ? expression.of
    : undefined;
}

/** Every part of the expression, from the inside out; the last is the expression itself. */
export function subexpressions(expression: Expression): readonly Expression[] {
  const parts: Expression[] = [];
  mapExpression(expression, (part) => {
    parts.push(part);
    return part;
  });
  return parts;
}

/** Whether a part of the expression is what one of these steps or items gave. */
export function refersTo(expression: Expression, names: ReadonlySet<string>): boolean {
  return subexpressions(expression).some((part) => part.kind === "ref" && names.has(part.name));
}

/** The expression with another in place of a parameter. */
export function substituteSlot(expression: Expression, slot: string, by: Expression): Expression {
  return mapExpression(expression, (part) => (part.kind === "param" && part.name === slot ? by : part));
}

/** What stands at a path in an expression's value; a field of a field is one. */
export function fieldExpression(of: Expression, path: readonly string[]): Expression {
  if (path.length === 0) return of;
  return of.kind === "field"
    ? { kind: "field", of: of.of, path: [...of.path, ...path] }
    : { kind: "field", of, path };
}

/** An argument that runs had with nothing in it, where an answer said nothing: so it has nothing in it again. */
export function whereEmpty(of: Expression, values: readonly Json[]): Expression {
  const empty = values.find((value) => value === "" || value === null);
  return empty === undefined ? of : { kind: "or", of, otherwise: { kind: "constant", value: empty } };
}
