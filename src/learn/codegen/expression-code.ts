import { isDayOperator, orderIn } from "../plan/quantities.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import {
  type Condition,
  type Expression,
  type Field,
  type InnerCondition,
  isIdentifier,
  type Param,
  type ValueCondition,
} from "../plan/plan.ts";
import { besideOf, isFixedText } from "../plan/text-part.ts";
import { isAnswered } from "./answered.ts";
import { chosenFrom, comparisonsIn, joinedLists, subexpressions } from "../plan/expression.ts";
import type { Helper } from "./helpers.ts";
import { chain, enclosed, singleLine, headed, type Layout } from "./layout.ts";
import { fieldAccess, fieldLiteral, literal } from "./literal.ts";

/** What is known while expressions are printed. */
export interface Printing {
  readonly params: ReadonlyMap<string, Param>;
  /** The variables that hold parameters with a default. */
  readonly variables: ReadonlyMap<string, string>;
  /** What is known of the elements of parameters, by the names that maps and loops give them. */
  readonly elements: ReadonlyMap<string, JsonSchema>;
  /** What is called so is the caller's, or a list that a loop has made: it is there. */
  readonly given: ReadonlySet<string>;
  /** The helpers that the code needs so far. */
  readonly helpers: Set<Helper>;
}

/** An expression as code that stands where a whole value does: as an argument, an element or a field. */
export function valueCode(expression: Expression, printing: Printing): Layout {
  return expression.kind === "or"
    ? chain(
        "??",
        possibilities(expression).map((each) => operandCode(each, printing)),
      )
    : operandCode(expression, printing);
}

/** The otherwise of an otherwise is one more. */
function possibilities(expression: Expression): readonly Expression[] {
  return expression.kind === "or" ? [expression.of, ...possibilities(expression.otherwise)] : [expression];
}

/** A list as code, where what is none must not be gone through: a text has characters, and a length. */
export function listCode(expression: Expression, printing: Printing): Layout {
  const isList =
    LISTS.has(expression.kind) || (expression.kind === "ref" && printing.given.has(expression.name));
  if (isList) return operandCode(expression, printing);
  printing.helpers.add("listOf");
  return enclosed("listOf(", [valueCode(expression, printing)], ")");
}

/** Of what the caller gives, its schema tells that it is a list. */
const LISTS: ReadonlySet<Expression["kind"]> = new Set([
  "filter",
  "groups",
  "sorted",
  "taken",
  "numbered",
  "values",
  "entries",
  "zip",
  "map",
  "flat",
  "list",
  "param",
]);

/** The arguments of a call as code: what an answer was to tell is there, or the skill ends. */
export function argumentCode(expression: Expression, printing: Printing): Layout {
  if (
    joinedLists(expression) ||
    expression.kind === "object" ||
    expression.kind === "list" ||
    expression.kind === "map"
  )
    return operandCode(expression, printing, argumentCode);
  if (chosenFrom(expression)) return chosenCode(expression, printing);
  return isAnswered(expression, printing.given)
    ? presentCode(expression, printing)
    : valueCode(expression, printing);
}

/** Elements that are chosen for an argument, or of which there have to be some: none are an error. */
function chosenCode(expression: Expression, printing: Printing): Layout {
  printing.helpers.add("mustHaveSome");
  return enclosed(
    "mustHaveSome(",
    [valueCode(expression, printing), literal(collectionName(expression))],
    ")",
  );
}

/** A value that an answer tells: of another kind than in the runs it is an error. */
function kindCode(
  value: Layout,
  expression: Extract<Expression, { kind: "field" | "ref" }>,
  printing: Printing,
): Layout {
  if (expression.as === undefined) return value;
  printing.helpers.add("ofKind");
  return enclosed("ofKind(", [value, literal(expression.as), literal(answeredName(expression))], ")");
}

function presentCode(expression: Expression, printing: Printing): Layout {
  // What is of a kind is there.
  if ((expression.kind === "field" || expression.kind === "ref") && expression.as)
    return valueCode(expression, printing);
  printing.helpers.add("mustHave");
  return enclosed("mustHave(", [valueCode(expression, printing), literal(answeredName(expression))], ")");
}

/** What is missing, in an error. */
export function answeredName(expression: Expression): string {
  if (expression.kind === "field") return expression.path.join(".");
  return expression.kind === "or" ? answeredName(expression.otherwise) : collectionName(expression);
}

/** An expression as code that stands anywhere an operand can. */
export function operandCode(
  expression: Expression,
  printing: Printing,
  inner: (part: Expression, printing: Printing) => Layout = valueCode,
): Layout {
  const code = (part: Expression): Layout => operandCode(part, printing);
  const value = (part: Expression): Layout => valueCode(part, printing);
  const given = (part: Expression): Layout => inner(part, printing);
  switch (expression.kind) {
    case "constant":
      return literal(expression.value);
    case "param":
      return paramCode(expression.name, printing);
    case "ref":
      return kindCode(expression.name, expression, printing);
    case "or":
      return chain("??", possibilities(expression).map(code), true);
    case "field": {
      const path = expression.path.map((name) => fieldAccess(name)).join("");
      return kindCode([code(expression.of), path], expression, printing);
    }
    case "find":
      return findCode(expression.in, expression.where, printing);
    case "filter":
      return [
        // Of a single value that an answer was to tell, nothing is no other one.
        expression.in.kind === "list" ? argumentCode(expression.in, printing) : code(expression.in),
        enclosed(".filter(", [conditionsCode(expression.where, printing, ": any")], ")"),
      ];
    case "extreme": {
      printing.helpers.add("theExtreme").add("compares").add("isSame");
      const quantity = `(each) => each${expression.by.map((name, at) => fieldAccess(name, at > 0)).join("")}`;
      const what = literal(collectionName(expression.in));
      return enclosed("theExtreme(", [value(expression.in), what, quantity, String(expression.most)], ")");
    }
    case "groups": {
      printing.helpers.add("groupsOf").add("listOf").add("isIn").add("isSame");
      const name = `(each) => each${expression.by.map((key) => fieldAccess(key)).join("")}`;
      const what = literal(expression.by.join(".") || collectionName(expression.in));
      return enclosed("groupsOf(", [value(expression.in), what, name], ")");
    }
    case "sorted": {
      printing.helpers.add("sortedBy").add("listOf").add("isClearOrder");
      const quantity = `(each) => each${expression.by.map((key) => fieldAccess(key)).join("")}`;
      const orders = [String(expression.isFalling), ...(expression.isStrict === true ? ["true"] : [])];
      return enclosed("sortedBy(", [value(expression.in), quantity, ...orders], ")");
    }
    case "taken": {
      printing.helpers.add("takenOf").add("listOf").add("isSame");
      const { by } = expression;
      const quantity = by ? [`(each) => each${by.map((key) => fieldAccess(key)).join("")}`] : [];
      const which = [String(expression.count), String(expression.isLast), ...quantity];
      return enclosed("takenOf(", [value(expression.in), ...which], ")");
    }
    case "numbered":
      printing.helpers.add("numberedOf").add("listOf");
      return enclosed("numberedOf(", [value(expression.in)], ")");
    case "only":
      printing.helpers.add("theOnly").add("isSame");
      return enclosed("theOnly(", [value(expression.in), literal(collectionName(expression.in))], ")");
    case "nth":
      printing.helpers.add("theNth");
      return enclosed("theNth(", [value(expression.in), String(expression.position)], ")");
    case "values":
      printing.helpers.add("mapOf");
      return enclosed("Object.values<any>(", [enclosed("mapOf(", [value(expression.of)], ")")], ")");
    case "entries":
      printing.helpers.add("mapOf");
      return [
        enclosed("Object.entries<any>(", [enclosed("mapOf(", [value(expression.of)], ")")], ")"),
        ".map(([key, value]) => ({ key, value }))",
      ];
    case "zip":
      printing.helpers.add("pairsOf");
      return enclosed("pairsOf(", [value(expression.left), value(expression.right)], ")");
    case "map": {
      const { over, item, value: made } = expression;
      const type = over.kind === "param" ? "" : ": any";
      const head = `(${item}${type})`;
      const list = inner === argumentCode && chosenFrom(over) ? chosenCode(over, printing) : code(over);
      if (made.kind === "object") return [list, `.map(${head} => (`, given(made), "))"];
      return [list, enclosed(".map(", [headed(`${head} =>`, given(made))], ")")];
    }
    case "flat":
      printing.helpers.add("listOf");
      return [
        joinedLists(expression) ? given(expression.of) : code(expression.of),
        `.flatMap((each: any) => listOf(each${expression.path.map((name) => fieldAccess(name)).join("")}))`,
      ];
    case "list":
      return enclosed("[", expression.items.map(given), "]");
    case "object":
      return enclosed(
        "{",
        expression.fields.map((each) => fieldLayout(each, given(each.value))),
        "}",
        " ",
      );
    case "template":
      return [
        enclosed(
          "[",
          expression.parts.map((part, at) =>
            typeof part === "string"
              ? literal(part)
              : textPartCode(part, besideOf(expression.parts, at), printing),
          ),
          "]",
        ),
        `.join("")`,
      ];
    case "slug":
      printing.helpers.add("slugOf");
      return enclosed(
        "slugOf(",
        [value(expression.of), literal(expression.separator), String(expression.isLower)],
        ")",
      );
    case "cased":
      printing.helpers.add("casedText");
      return enclosed("casedText(", [value(expression.of), String(expression.isUpper)], ")");
    case "part": {
      const helper = expression.is === undefined ? "partOf" : "pieceOf";
      printing.helpers.add(helper);
      return enclosed(
        `${helper}(`,
        [
          value(expression.of),
          ...[expression.after, expression.before, expression.is ?? []].flat().map(literal),
        ],
        ")",
      );
    }
    case "rounded":
      printing.helpers.add("roundedText");
      return enclosed("roundedText(", [value(expression.of), String(expression.decimals)], ")");
    case "excerpt":
      printing.helpers.add("excerptOf").add("replacedIn");
      return enclosed(
        "excerptOf(",
        [value(expression.of), textPartCode(expression.part, "", printing), String(expression.isLine)],
        ")",
      );
    case "replaced": {
      const helper = expression.everywhere === true ? "replacedAll" : "replacedIn";
      printing.helpers.add(helper);
      return enclosed(
        `${helper}(`,
        [
          value(expression.of),
          textPartCode(expression.part, "", printing),
          textPartCode(expression.by, "", printing),
        ],
        ")",
      );
    }
    case "cast":
      return castCode(expression, printing);
    case "arithmetic": {
      const { left, operator, right } = expression;
      printing.helpers.add("calculated");
      return enclosed("calculated(", [value(left), literal(operator), value(right)], ")");
    }
    case "aggregate": {
      const isOfSome = expression.isOfSome === true;
      if (expression.operator === "count")
        return [
          isOfSome ? chosenCode(expression.of, printing) : listCode(expression.of, printing),
          ".length",
        ];
      printing.helpers.add("sumOf").add("calculated");
      return enclosed("sumOf(", [isOfSome ? chosenCode(expression.of, printing) : value(expression.of)], ")");
    }
    case "join":
      printing.helpers.add("joined");
      return enclosed("joined(", [value(expression.of), literal(expression.separator)], ")");
    case "date":
      printing.helpers.add("dateOf");
      return enclosed(
        "dateOf(",
        [value(expression.of), String(expression.days), literal(expression.format)],
        ")",
      );
  }
}

function paramCode(name: string, { variables }: Printing): string {
  return variables.get(name) ?? `input.${name}`;
}

function fieldLayout({ name, value: expression }: Field, value: Layout): Layout {
  if (expression.kind === "or") return headed(`${fieldLiteral(name)}:`, value);
  return isIdentifier(name) && singleLine(value) === name ? name : [`${fieldLiteral(name)}: `, value];
}

function castCode({ of, to }: Extract<Expression, { kind: "cast" }>, printing: Printing): Layout {
  const value = isAnswered(of, printing.given) ? presentCode(of, printing) : valueCode(of, printing);
  switch (to) {
    case "string":
      printing.helpers.add("textWith");
      return enclosed("textWith(", [valueCode(of, printing), literal("")], ")");
    case "number":
      printing.helpers.add("numberOf");
      return enclosed("numberOf(", [value], ")");
    case "integer":
      printing.helpers.add("numberOf");
      return ["Math.trunc(", enclosed("numberOf(", [value], ")"), ")"];
    case "boolean":
      return enclosed("Boolean(", [presentCode(of, printing)], ")");
  }
}

function findCode(list: Expression, where: readonly Condition[], printing: Printing): Layout {
  printing.helpers.add("theOne").add("isSame").add("wantedOf");
  const fits = conditionsCode(where, printing);
  const name = collectionName(list);
  // Parts of a text may be written in other forms than the one that is looked for.
  const isSection = name === "sections" && where.some(({ path }) => path[0] !== "title");
  if (isSection) printing.helpers.add("theSection");
  return enclosed(
    isSection ? "theSection(" : "theOne(",
    [valueCode(list, printing), literal(name), fits, ...wantedCode(where, printing)],
    ")",
  );
}

/** What is looked for, as an error tells it: nothing where only answers say it. */
export function wantedCode(where: readonly Condition[], printing: Printing): readonly Layout[] {
  const fields = wantedFields(where).map(({ name, value }): Layout => [
    `${fieldLiteral(name)}: `,
    operandCode(value, printing),
  ]);
  return fields.length === 0 ? [] : [enclosed("{", fields, "}", " ")];
}

/** What conditions want that the code or the caller says, each by its field. */
export function wantedFields(where: readonly Condition[]): readonly Field[] {
  const comparisons = where.flatMap((each) =>
    "some" in each ? each.some.map((inner) => ({ ...inner, path: [...each.path, ...inner.path] })) : [each],
  );
  const fields = comparisons.flatMap(({ path, operator, equals }): readonly Field[] => {
    const value = subexpressions(equals).find(({ kind }) => kind === "param" || kind === "constant");
    const name = [path.join(".") || "value", operator ?? []].flat().join(" ");
    return value ? [{ name, value }] : [];
  });
  return [...new Map(fields.map((each) => [each.name, each])).values()];
}

/** A function that tells whether an element fulfils all conditions. */
export function conditionsCode(
  where: readonly Condition[],
  printing: Printing,
  type: "" | ": any" = "",
): Layout {
  const names = namesIn(where, printing);
  const [each, inner] = [freeName("each", names), freeName("inner", names)];
  const holds = where.map((condition) =>
    "some" in condition
      ? someCode(pathCode(each, condition.path), condition, inner, printing)
      : conditionCode(each, pathCode(each, condition.path), condition, where.length > 1, printing),
  );
  return headed(`(${each}${type}) =>`, chain("&&", holds));
}

/** The variables that conditions speak of. */
function namesIn(where: readonly Condition[], { variables }: Printing): ReadonlySet<string> {
  const parts = comparisonsIn(where).flatMap(({ equals }) => subexpressions(equals));
  return new Set(
    parts.flatMap((part) =>
      part.kind === "ref" ? [part.name] : part.kind === "param" ? (variables.get(part.name) ?? []) : [],
    ),
  );
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}One`, taken) : name;
}

function pathCode(of: string, path: readonly string[], isFirstOptional = false): string {
  return `${of}${path.map((name, index) => fieldAccess(name, isFirstOptional || index > 0)).join("")}`;
}

function someCode(value: string, { some }: InnerCondition, inner: string, printing: Printing): Layout {
  printing.helpers.add("partsIn");
  const parts = some.map((each) =>
    conditionCode(inner, pathCode(inner, each.path, true), each, some.length > 1, printing),
  );
  return [`partsIn(${value})`, enclosed(".some(", [headed(`(${inner}) =>`, chain("&&", parts))], ")")];
}

function conditionCode(
  element: string,
  value: string,
  condition: ValueCondition,
  isOneOfSeveral: boolean,
  printing: Printing,
): Layout {
  const holds = comparisonCode(element, value, condition, printing);
  const { equals, optional } = condition;
  if (optional !== true) return holds;
  return chain("||", [[operandCode(equals, printing), " === undefined"], holds], isOneOfSeveral);
}

function comparisonCode(
  element: string,
  value: string,
  condition: ValueCondition,
  printing: Printing,
): Layout {
  const { operator, equals, path, isTold } = condition;
  const wanted = isAnswered(equals, printing.given)
    ? presentCode(equals, printing)
    : operandCode(equals, printing);
  if (operator === "in" || operator === "not in") {
    printing.helpers.add("isIn").add("isSame");
    return [operator === "in" ? "" : "!", enclosed("isIn(", [value, wanted], ")")];
  }
  if (isTold === true) printing.helpers.add("mustHave");
  const found = isTold === true ? `mustHave(${value}, ${literal(path.join("."))})` : value;
  if (operator !== undefined && operator !== "!=") {
    if (isDayOperator(operator)) {
      printing.helpers.add("dayCompares");
      return enclosed("dayCompares(", [found, literal(orderIn(operator)), wanted], ")");
    }
    printing.helpers.add("compares");
    const own =
      condition.isClear === true ? clearPartCode(element, found, wanted, condition, printing) : found;
    return enclosed("compares(", [own, literal(operator), wanted], ")");
  }
  const said = operator === undefined ? found : otherCode(found, condition, printing);
  if (condition.isClear === true) printing.helpers.add("clear");
  const own = condition.isClear === true ? enclosed("clear(", [said, wanted], ")") : said;
  if (isPlain(equals, printing)) return [own, operator === undefined ? " === " : " !== ", wanted];
  printing.helpers.add("isSame");
  return [operator === undefined ? "" : "!", enclosed("isSame(", [own, wanted], ")")];
}

/** In what words are looked for: where it has them otherwise than any run, it is an error. */
function clearPartCode(
  element: string,
  value: string,
  wanted: Layout,
  { joins, isAlone }: ValueCondition,
  printing: Printing,
): Layout {
  printing.helpers.add("clearPart");
  const seen = joins ? literal({ before: joins.before, after: joins.after }) : "undefined";
  const place = isAlone === true ? [seen, element] : joins ? [seen] : [];
  return enclosed("clearPart(", [value, wanted, ...place], ")");
}

/** What is to be another value: what has none there is no other, and nobody has seen what is done with it. */
function otherCode(value: string, { path, equals }: ValueCondition, printing: Printing): Layout {
  if (equals.kind === "constant" && (equals.value === null || equals.value === ""))
    return [`(${value} ?? `, literal(equals.value), ")"];
  printing.helpers.add("mustHave");
  return enclosed("mustHave(", [value, literal(path.join("."))], ")");
}

function textPartCode(part: Expression, beside: string, printing: Printing): Layout {
  // A list may be of nothing.
  if (part.kind === "join") return valueCode(part, printing);
  if (isFixedText(part)) return literal(part.value);
  printing.helpers.add("textWith");
  const said = part.kind === "cast" && part.to === "string" ? part.of : part;
  return enclosed("textWith(", [valueCode(said, printing), literal(beside)], ")");
}

/** Whether an expression is known to give a text, a number or a truth value. */
function isPlain(expression: Expression, printing: Printing): boolean {
  const { params, elements } = printing;
  switch (expression.kind) {
    case "constant":
      return typeof expression.value !== "object" || expression.value === null;
    case "param":
      return isPlainSchema(params.get(expression.name)?.schema);
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
      return true;
    case "or":
      return isPlain(expression.of, printing) && isPlain(expression.otherwise, printing);
    case "ref":
      return isPlainSchema(elements.get(expression.name));
    case "field": {
      const { of, path } = expression;
      const properties = of.kind === "ref" ? elements.get(of.name)?.["properties"] : undefined;
      return path.length === 1 && isJsonObject(properties) && isPlainSchema(properties[path[0] ?? ""]);
    }
    case "find":
    case "filter":
    case "groups":
    case "sorted":
    case "taken":
    case "numbered":
    case "extreme":
    case "only":
    case "nth":
    case "values":
    case "entries":
    case "zip":
    case "map":
    case "flat":
    case "list":
    case "object":
      return false;
  }
}

function isPlainSchema(schema: Json | undefined): boolean {
  if (!isJsonObject(schema)) return false;
  const { type } = schema;
  return type === "string" || type === "number" || type === "integer" || type === "boolean";
}

/** What a collection is called in an error. */
export function collectionName(list: Expression): string {
  const from = chosenFrom(list);
  if (from) return collectionName(from);
  if (list.kind === "field" || list.kind === "flat") return list.path.at(-1) ?? "the list";
  if (list.kind === "values" || list.kind === "entries" || list.kind === "or") return collectionName(list.of);
  if (list.kind === "zip") return collectionName(list.left);
  if (list.kind === "map") return collectionName(list.over);
  if (list.kind === "groups" || list.kind === "sorted") return collectionName(list.in);
  if (list.kind === "taken" || list.kind === "numbered") return collectionName(list.in);
  return list.kind === "ref" || list.kind === "param" ? list.name : "the list";
}
