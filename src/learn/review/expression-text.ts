import { isDayOperator, orderIn } from "../plan/quantities.ts";
import type { Json } from "../../core/json/json.ts";
import type { Condition, Expression } from "../plan/plan.ts";
import { cutToLength, plainLine } from "../../core/text/display-text.ts";

/** An expression as people read it: `order.items[name = input.name].item_id`. */
export function expressionText(expression: Expression): string {
  switch (expression.kind) {
    case "constant":
      return valueText(expression.value);
    case "param":
      return `input.${expression.name}`;
    case "ref":
      return expression.name;
    case "or":
      return `(${expressionText(expression.of)} or else ${expressionText(expression.otherwise)})`;
    case "field":
      return `${expressionText(expression.of)}${pathText(expression.path)}`;
    case "find":
    case "filter": {
      const conditions = expression.where.map(conditionText).join(" and ");
      return `${expression.kind === "find" ? "" : "all of "}${expressionText(expression.in)}[${conditions}]`;
    }
    case "extreme":
      return `the one of ${expressionText(expression.in)} with the ${expression.most ? "most" : "least"} ${pathText(expression.by).replace(/^\./, "")}`;
    case "groups":
      return `${expressionText(expression.in)} by ${expression.by.length === 0 ? "what each is" : pathText(expression.by).replace(/^\./, "")}`;
    case "sorted": {
      const by = pathText(expression.by).replace(/^\./, "");
      return `${expressionText(expression.in)}, ${by === "" ? "" : `by ${by}, `}${expression.isFalling ? "the greatest" : "the least"} first`;
    }
    case "taken": {
      const by = expression.by ? `, told apart by ${pathText(expression.by).replace(/^\./, "")}` : "";
      return `the ${expression.isLast ? "last" : "first"} ${expression.count} of ${expressionText(expression.in)}${by}`;
    }
    case "numbered":
      return `${expressionText(expression.in)}, numbered`;
    case "only":
      return `the only one of ${expressionText(expression.in)}`;
    case "nth":
      return `${expressionText(expression.in)}[${expression.position}]`;
    case "values":
      return `${expressionText(expression.of)}.*`;
    case "entries":
      return `the entries of ${expressionText(expression.of)}`;
    case "zip":
      return `${expressionText(expression.left)} beside ${expressionText(expression.right)}`;
    case "map":
      return `(${expressionText(expression.value)} for each ${expression.item} of ${expressionText(expression.over)})`;
    case "flat":
      return `${expressionText(expression.of)}[*]${pathText(expression.path)}`;
    case "list":
      return `[${expression.items.map(expressionText).join(", ")}]`;
    case "object":
      return `{ ${expression.fields.map(({ name, value }) => `${nameText(name)}: ${expressionText(value)}`).join(", ")} }`;
    case "template":
      return expression.parts
        .map((part) => (typeof part === "string" ? valueText(part) : expressionText(part)))
        .join(" + ");
    case "slug":
      return `${expressionText(expression.of)} as a name${expression.isLower ? " in small letters" : ""} with ${valueText(expression.separator)} between words`;
    case "cased":
      return `${expressionText(expression.of)} in ${expression.isUpper ? "capital" : "small"} letters`;
    case "part":
      return `the ${expression.is === "number" || expression.is === "word" ? expression.is : "part"} of ${expressionText(expression.of)} between ${markText(expression.after)} and ${markText(expression.before)}`;
    case "replaced":
      if (isSameText(expression.part, expression.by))
        return `${expressionText(expression.of)}, in which stands ${expressionText(expression.part)}`;
      return `${expressionText(expression.of)} with ${expressionText(expression.by)} in place of ${expression.everywhere === true ? "each " : ""}${expressionText(expression.part)}`;
    case "rounded":
      return `${expressionText(expression.of)} rounded to ${expression.decimals} decimal${expression.decimals === 1 ? "" : "s"}`;
    case "excerpt":
      return `${expressionText(expression.part)}, which stands once${expression.isLine ? " as a line" : ""} in ${expressionText(expression.of)}`;
    case "cast":
      return `${expressionText(expression.of)} as ${expression.to}`;
    case "arithmetic":
      return `(${expressionText(expression.left)} ${expression.operator} ${expressionText(expression.right)})`;
    case "join":
      return `${expressionText(expression.of)} joined by ${valueText(expression.separator)}`;
    case "aggregate":
      return `the ${expression.operator === "sum" ? "sum" : "number"} of ${expressionText(expression.of)}${expression.isOfSome === true ? ", of which there are some" : ""}`;
    case "date": {
      const { days, format } = expression;
      const moved = days === 0 ? "" : days > 0 ? ` + ${days} days` : ` - ${-days} days`;
      return `${expressionText(expression.of)}${moved} as ${plainLine(format)}`;
    }
  }
}

export function conditionText(condition: Condition): string {
  const name = condition.path.length === 0 ? "itself" : pathText(condition.path).replace(/^\./, "");
  if ("some" in condition) return `some of ${name}[${condition.some.map(conditionText).join(" and ")}]`;
  const { operator, equals, optional } = condition;
  const compared =
    operator === "startsWith"
      ? "begins with"
      : operator === "endsWith"
        ? "ends with"
        : operator === "contains"
          ? "has"
          : operator === "in"
            ? "is one of"
            : operator === "not in"
              ? "is none of"
              : isDayOperator(operator)
                ? `with its day ${orderIn(operator)}`
                : (operator ?? "=");
  return `${name} ${compared} ${expressionText(equals)}${optional === true ? " if given" : ""}`;
}

const MAX_VALUE = 120;

/** A value as JSON in plain text. */
export function valueText(value: Json): string {
  return cutToLength(plainLine(JSON.stringify(value)), MAX_VALUE);
}

export function pathText(path: readonly (string | number)[]): string {
  return path.map((part) => (typeof part === "number" ? `[${part}]` : `.${nameText(part)}`)).join("");
}

function nameText(name: string): string {
  return /^[A-Za-z_$][\w$-]{0,63}$/.test(name) ? name : valueText(name);
}

function markText(mark: string): string {
  return mark === "" ? "its end" : valueText(mark);
}

function isSameText(a: Expression, b: Expression): boolean {
  return a.kind === "constant" && b.kind === "constant" && a.value === b.value;
}
