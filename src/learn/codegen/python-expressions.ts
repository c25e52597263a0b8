import { isDayOperator, orderIn } from "../plan/quantities.ts";
import type { Condition, Expression, Param, ValueCondition } from "../plan/plan.ts";
import { chosenFrom, joinedLists } from "../plan/expression.ts";
import { besideOf, isFixedText } from "../plan/text-part.ts";
import { isAnswered } from "./answered.ts";
import { answeredName, collectionName, wantedFields } from "./expression-code.ts";
import { enclosed, type Layout } from "./layout.ts";
import { pythonLiteral } from "./python-literal.ts";

/** What is known while expressions are printed as Python. */
export interface PythonPrinting {
  readonly params: ReadonlyMap<string, Param>;
  /** What is called so is the caller's, or a list that a loop has made: it is there. */
  readonly given: ReadonlySet<string>;
  /** What is called so is a call's answer as it came: all of it is there. */
  readonly answers: ReadonlySet<string>;
  /** The variable of what a step gives, or of an element. */
  readonly variable: (name: string) => string;
  /** A helper by its name, which is noted: the module needs it. */
  readonly helper: (name: string) => string;
}

/** An expression as Python. */
export function pythonExpression(expression: Expression, printing: PythonPrinting): Layout {
  const code = (part: Expression): Layout => pythonExpression(part, printing);
  const call = (helper: string, ...given: readonly Layout[]): Layout =>
    enclosed(`${printing.helper(helper)}(`, given, ")");
  const collection = (part: Expression): string => pythonLiteral(collectionName(part));
  const textPart = (part: Expression, beside: string): Layout => {
    if (part.kind === "join") return code(part);
    if (isFixedText(part)) return pythonLiteral(part.value);
    const said = part.kind === "cast" && part.to === "string" ? part.of : part;
    return call("text_with", code(said), pythonLiteral(beside));
  };
  switch (expression.kind) {
    case "constant":
      return pythonLiteral(expression.value);
    case "param":
      return paramCode(expression.name, printing);
    case "ref":
      return kindCode(printing.variable(expression.name), expression, printing);
    case "or":
      return call("first_given", code(expression.of), ["lambda: ", code(expression.otherwise)]);
    case "field":
      return expression.path.length === 0
        ? code(expression.of)
        : kindCode(
            call("field", code(expression.of), ...expression.path.map(pythonLiteral)),
            expression,
            printing,
          );
    case "find": {
      const fits: Layout = ["lambda each: ", pythonConditions(expression.where, printing)];
      const wanted = pythonWanted(expression.where, printing);
      return call("the_one", code(expression.in), collection(expression.in), fits, ...wanted);
    }
    case "filter":
      return [
        "[each for each in ",
        // Of a single value that an answer was to tell, nothing is no other one.
        call(
          "list_of",
          expression.in.kind === "list" ? requiredCode(expression.in, printing) : code(expression.in),
        ),
        " if ",
        pythonConditions(expression.where, printing),
        "]",
      ];
    case "extreme": {
      const quantity: Layout = ["lambda each: ", elementCode("each", expression.by, printing)];
      const most = pythonLiteral(expression.most);
      return call("the_extreme", code(expression.in), collection(expression.in), quantity, most);
    }
    case "groups": {
      const name: Layout = ["lambda each: ", elementCode("each", expression.by, printing)];
      const what = pythonLiteral(expression.by.join(".") || collectionName(expression.in));
      return call("groups_of", code(expression.in), what, name);
    }
    case "sorted": {
      const quantity: Layout = ["lambda each: ", elementCode("each", expression.by, printing)];
      const strict = expression.isStrict === true ? [pythonLiteral(true)] : [];
      return call("sorted_by", code(expression.in), quantity, pythonLiteral(expression.isFalling), ...strict);
    }
    case "taken": {
      const { count, isLast, by } = expression;
      const quantity: readonly Layout[] = by ? [["lambda each: ", elementCode("each", by, printing)]] : [];
      return call("taken_of", code(expression.in), String(count), pythonLiteral(isLast), ...quantity);
    }
    case "numbered":
      return call("numbered_of", code(expression.in));
    case "only":
      return call("the_only", code(expression.in), collection(expression.in));
    case "nth":
      return call("the_nth", code(expression.in), String(expression.position));
    case "values":
      return call("values_of", code(expression.of));
    case "entries":
      return call("entries_of", code(expression.of));
    case "zip":
      return call("pairs_of", code(expression.left), code(expression.right));
    case "map":
      return mapCode(expression, code(expression.value), printing);
    case "flat": {
      const list =
        expression.path.length === 0 ? "each" : call("field", "each", ...expression.path.map(pythonLiteral));
      return flatCode(code(expression.of), list, printing);
    }
    case "list":
      return enclosed("[", expression.items.map(code), "]");
    case "object":
      return objectCode(expression, code);
    case "template":
      return [
        `"".join(`,
        enclosed(
          "[",
          expression.parts.map((part, at) => {
            if (typeof part === "string") return pythonLiteral(part);
            return textPart(part, besideOf(expression.parts, at));
          }),
          "]",
        ),
        ")",
      ];
    case "slug":
      return call(
        "slug_of",
        code(expression.of),
        pythonLiteral(expression.separator),
        pythonLiteral(expression.isLower),
      );
    case "cased":
      return call("cased_text", code(expression.of), pythonLiteral(expression.isUpper));
    case "part":
      return call(
        expression.is === undefined ? "part_of" : "piece_of",
        code(expression.of),
        pythonLiteral(expression.after),
        pythonLiteral(expression.before),
        ...(expression.is === undefined ? [] : [pythonLiteral(expression.is)]),
      );
    case "rounded":
      return call("rounded_text", code(expression.of), String(expression.decimals));
    case "excerpt":
      return call(
        "excerpt_of",
        code(expression.of),
        textPart(expression.part, ""),
        expression.isLine ? "True" : "False",
      );
    case "replaced":
      return call(
        expression.everywhere === true ? "replaced_all" : "replaced_in",
        code(expression.of),
        textPart(expression.part, ""),
        textPart(expression.by, ""),
      );
    case "cast":
      switch (expression.to) {
        case "string":
          return call("text_with", code(expression.of), `""`);
        case "number":
          return call("number_of", code(expression.of));
        case "integer":
          return ["math.trunc(", call("number_of", code(expression.of)), ")"];
        case "boolean":
          return call("truth_of", code(expression.of), pythonLiteral(answeredName(expression.of)));
      }
    case "arithmetic":
      return call(
        "calculated",
        code(expression.left),
        pythonLiteral(expression.operator),
        code(expression.right),
      );
    case "aggregate": {
      const { operator, of, isOfSome } = expression;
      const list = operator === "sum" && isOfSome !== true ? code(of) : call("list_of", code(of));
      const own = isOfSome === true ? call("must_have_some", list, pythonLiteral(collectionName(of))) : list;
      return operator === "sum" ? call("sum_of", own) : ["len(", own, ")"];
    }
    case "join":
      return call("joined", code(expression.of), pythonLiteral(expression.separator));
    case "date":
      return call("date_of", code(expression.of), String(expression.days), pythonLiteral(expression.format));
  }
}

/** A value that an answer tells: of another kind than in the runs it is an error. */
function kindCode(
  value: Layout,
  expression: Extract<Expression, { kind: "field" | "ref" }>,
  { helper }: PythonPrinting,
): Layout {
  const { as } = expression;
  if (as === undefined) return value;
  const what = pythonLiteral(answeredName(expression));
  return enclosed(`${helper("of_kind")}(`, [value, pythonLiteral(as), what], ")");
}

/** The arguments of a call as Python: what an answer was to tell is there, or the skill ends. */
export function pythonArguments(expression: Expression, printing: PythonPrinting): Layout {
  const code = requiredCode(expression, printing);
  return mayMiss(expression, printing, true) ? enclosed(`${printing.helper("plain")}(`, [code], ")") : code;
}

/** What the lists of a list have, one after the other. */
function flatCode(lists: Layout, list: Layout, { helper }: PythonPrinting): Layout {
  const listOf = (of: Layout): Layout => enclosed(`${helper("list_of")}(`, [of], ")");
  return ["[inner for each in ", listOf(lists), " for inner in ", listOf(list), "]"];
}

function requiredCode(expression: Expression, printing: PythonPrinting): Layout {
  const inner = (part: Expression): Layout => requiredCode(part, printing);
  if (expression.kind === "object") return objectCode(expression, inner);
  if (expression.kind === "list") return enclosed("[", expression.items.map(inner), "]");
  const joined = joinedLists(expression);
  if (joined) return flatCode(inner(joined), "each", printing);
  if (expression.kind === "map")
    return mapCode(expression, inner(expression.value), printing, chosenCode(expression.over, printing));
  if (chosenFrom(expression)) return chosenCode(expression, printing);
  return toldCode(expression, printing);
}

/** A list: of elements that are chosen for an argument, none are an error. */
function chosenCode(list: Expression, printing: PythonPrinting): Layout {
  const code = pythonExpression(list, printing);
  if (!chosenFrom(list)) return code;
  return enclosed(`${printing.helper("must_have_some")}(`, [code, pythonLiteral(collectionName(list))], ")");
}

/** What an answer tells, or an error. */
function toldCode(expression: Expression, printing: PythonPrinting): Layout {
  const code = pythonExpression(expression, printing);
  const isOfKind = (expression.kind === "field" || expression.kind === "ref") && expression.as !== undefined;
  if (isOfKind || !isAnswered(expression, printing.given)) return code;
  const what = pythonLiteral(answeredName(expression));
  return enclosed(`${printing.helper("must_have")}(`, [code, what], ")");
}

/** A value that leaves the skill as Python. */
export function pythonOutput(expression: Expression, printing: PythonPrinting): Layout {
  const code = pythonExpression(expression, printing);
  if (!mayMiss(expression, printing, false)) return code;
  const plain = enclosed(`${printing.helper("plain")}(`, [code], ")");
  return expression.kind === "object" || expression.kind === "list" || expression.kind === "map"
    ? plain
    : enclosed(`${printing.helper("first_given")}(`, [plain, "lambda: None"], ")");
}

/** Whether there may be nothing, in the value or in its place. */
export function mayMiss(expression: Expression, printing: PythonPrinting, isArgument: boolean): boolean {
  const inner = (part: Expression): boolean => mayMiss(part, printing, isArgument);
  switch (expression.kind) {
    case "object":
      return expression.fields.some(({ value }) => inner(value));
    case "list":
      return expression.items.some(inner);
    case "map":
      return inner(expression.value);
    case "param": {
      const param = printing.params.get(expression.name);
      return param?.optional === true && param.default === undefined;
    }
    case "or":
      return inner(expression.otherwise);
    case "field":
      return !isArgument || !isAnswered(expression, printing.given) || inner(expression.of);
    case "ref":
      return !printing.answers.has(expression.name);
    case "filter":
    case "find":
    case "only":
    case "nth":
    case "extreme":
    case "groups":
    case "sorted":
    case "taken":
    case "numbered":
      return inner(expression.in);
    case "flat":
    case "values":
    case "entries":
      return inner(expression.of);
    case "zip":
      return inner(expression.left) || inner(expression.right);
    case "constant":
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
      return false;
  }
}

function objectCode(
  { fields }: Extract<Expression, { kind: "object" }>,
  code: (part: Expression) => Layout,
): Layout {
  // Of two fields of one name the last stands, where the first stood.
  const own = new Map(fields.map(({ name, value }) => [name, value]));
  return enclosed(
    "{",
    [...own].map(([name, value]): Layout => [`${pythonLiteral(name)}: `, code(value)]),
    "}",
  );
}

function mapCode(
  { over, item }: Extract<Expression, { kind: "map" }>,
  value: Layout,
  printing: PythonPrinting,
  collection = pythonExpression(over, printing),
): Layout {
  const list = enclosed(`${printing.helper("list_of")}(`, [collection], ")");
  return ["[", value, ` for ${printing.variable(item)} in `, list, "]"];
}

function paramCode(name: string, { params, helper }: PythonPrinting): string {
  const key = pythonLiteral(name);
  const { optional, default: value } = params.get(name) ?? {};
  if (value !== undefined)
    return `${helper("first_given")}(given.get(${key}), lambda: ${pythonLiteral(value)})`;
  return optional === true ? `given.get(${key}, ${helper("MISSING")})` : `given[${key}]`;
}

/** Whether the element that is called `each` fulfils all conditions. */
export function pythonConditions(where: readonly Condition[], printing: PythonPrinting): Layout {
  const holds = where.map((condition): Layout => {
    const value = elementCode("each", condition.path, printing);
    if (!("some" in condition)) return conditionCode("each", value, condition, printing);
    const inner = condition.some.map((each) =>
      conditionCode("inner", innerCode("inner", each.path, printing), each, printing),
    );
    return ["any(", allOf(inner), ` for inner in ${printing.helper("parts_in")}(${value}))`];
  });
  return allOf(holds);
}

/** What is looked for, as an error tells it: nothing where only answers say it. */
export function pythonWanted(where: readonly Condition[], printing: PythonPrinting): readonly Layout[] {
  const fields = wantedFields(where);
  if (fields.length === 0) return [];
  return [objectCode({ kind: "object", fields }, (part) => pythonExpression(part, printing))];
}

function allOf(conditions: readonly Layout[]): Layout {
  return conditions.flatMap((each, nth): Layout[] => (nth === 0 ? [each] : [" and ", each]));
}

function elementCode(element: string, path: readonly string[], printing: PythonPrinting): string {
  const [first, ...rest] = path;
  if (first === undefined) return element;
  return innerCode(`${printing.helper("field")}(${element}, ${pythonLiteral(first)})`, rest, printing);
}

function innerCode(element: string, path: readonly string[], { helper }: PythonPrinting): string {
  return path.length === 0 ? element : `${helper("at")}(${element}, ${path.map(pythonLiteral).join(", ")})`;
}

function conditionCode(
  element: string,
  there: string,
  condition: ValueCondition,
  printing: PythonPrinting,
): Layout {
  const { path, operator, equals, optional, isClear, isTold } = condition;
  const value =
    isTold === true ? `${printing.helper("must_have")}(${there}, ${pythonLiteral(path.join("."))})` : there;
  const wanted = toldCode(equals, printing);
  const helper = (name: string, ...given: readonly Layout[]): Layout =>
    enclosed(`${printing.helper(name)}(`, given, ")");
  const clear = (said: Layout): Layout => {
    if (isClear !== true) return said;
    return operator === "contains"
      ? helper("clear_part", said, wanted, ...seenCode(element, condition))
      : helper("clear", said, wanted);
  };
  const holds: Layout =
    operator === "in"
      ? helper("is_in", value, wanted)
      : operator === "not in"
        ? ["not ", helper("is_in", value, wanted)]
        : operator === undefined
          ? helper("is_same", clear(value), wanted)
          : operator === "!="
            ? ["not ", helper("is_same", clear(otherCode(value, path, equals, printing)), wanted)]
            : isDayOperator(operator)
              ? helper("day_compares", value, pythonLiteral(orderIn(operator)), wanted)
              : helper("compares", clear(value), pythonLiteral(operator), wanted);
  if (optional !== true || !mayMiss(equals, printing, false)) return holds;
  return ["(", pythonExpression(equals, printing), ` is ${printing.helper("MISSING")} or `, holds, ")"];
}

/** How words stood in texts where they were meant. */
function seenCode(element: string, { joins, isAlone }: ValueCondition): readonly string[] {
  const { before, after } = joins ?? {};
  const place = isAlone === true ? [element] : [];
  if (!joins && place.length === 0) return [];
  return [pythonLiteral(before ?? null), pythonLiteral(after ?? null), ...place];
}

/** What is to be another value: what has none there is no other, and nobody has seen what is done with it. */
function otherCode(
  value: string,
  path: readonly string[],
  equals: Expression,
  { helper }: PythonPrinting,
): string {
  return equals.kind === "constant" && (equals.value === null || equals.value === "")
    ? `${helper("first_given")}(${value}, lambda: ${pythonLiteral(equals.value)})`
    : `${helper("must_have")}(${value}, ${pythonLiteral(path.join("."))})`;
}
