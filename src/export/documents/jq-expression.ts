import { orderIn } from "../../learn/plan/quantities.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import { isAnswered } from "../../learn/codegen/answered.ts";
import type { ValueKind } from "../../learn/expectations/value-kind.ts";
import type { Condition, Expression, Param, ValueCondition } from "../../learn/plan/plan.ts";
import { chosenFrom, joinedLists } from "../../learn/plan/expression.ts";
import { besideOf, isFixedText } from "../../learn/plan/text-part.ts";
import { withHelpers } from "./jq-helpers.ts";

/** What is known while expressions are printed as jq. */
export interface JqScope {
  readonly params: ReadonlyMap<string, Param>;
  /** What is called so is the caller's, or a list that a loop has made: it is there. */
  readonly given: ReadonlySet<string>;
  /** Where the caller's values are. */
  readonly input: string;
  /** Where it is what a step gives, or an element. */
  readonly ref: (name: string) => JqRef;
}

export interface JqRef {
  readonly code: string;
  /** `option`: a list of it, which is empty where there is nothing; `options`: it is a list of such. */
  readonly holds: "value" | "option" | "options";
}

/** What becomes of an element of a list that is not there, where there is no saying so within a list of jq. */
type Missing = "refused" | "error" | "null";

/** An expression that jq cannot say as it is meant. */
export class NotInJq extends Error {
  override readonly name = "NotInJq";
  /** In which step. */
  step: string | undefined;
}

/**
 * Prints expressions as jq 1.6: what an expression gives is its one output, nothing is none, and what is wrong is an error.
 * Throws `NotInJq` where a list would have to hold nothing.
 */
export class JqPrinter {
  readonly #scope: JqScope;

  constructor(scope: JqScope) {
    this.#scope = scope;
  }

  /** What an expression gives, or nothing. */
  value(expression: Expression): string {
    return whole(this.#any(expression, "refused"));
  }

  /** A value that leaves the plan: null where there is nothing. */
  output(expression: Expression): string {
    const code = this.#any(expression, "error");
    return whole(this.#mayMiss(expression) ? `or_else(${code}; null)` : code);
  }

  /** An argument of a call: what an answer was to tell is there. */
  argument(expression: Expression): string {
    return whole(this.#argument(expression));
  }

  /** Whether an argument may be left out. */
  isOptionalArgument(expression: Expression): boolean {
    return this.#mayMissArgument(expression);
  }

  list(expression: Expression): string {
    return whole(`${operand(this.#solid(expression, "refused"))} | list`);
  }

  /** Whether two values are the same, or whether they are not. */
  compared(a: Expression, operator: "==" | "!=", b: Expression): string {
    const values = [this.#any(a, "refused"), this.#any(b, "refused")] as const;
    const mayMiss = this.isOptional(a) || this.isOptional(b);
    if (!mayMiss) return whole(values.map(operand).join(` ${operator} `));
    return whole(`same(${values.join("; ")})${operator === "==" ? "" : " | not"}`);
  }

  /** A value where it fulfils conditions, in a list, which else is empty. */
  fulfilling(value: Expression, where: readonly Condition[]): string {
    return whole(`[${operand(this.#any(value, "refused"))} | select(${this.#conditions(where)})]`);
  }

  /** What there is to choose from in a list. */
  options(list: Expression, path: readonly string[]): string {
    return whole(this.#options(list, path));
  }

  /** Whether a choice is none of the options. */
  isNoOption(chosen: Expression, list: Expression, path: readonly string[]): string {
    const choice = this.#any(chosen, "refused");
    return whole(`[${this.#options(list, path)}[] | select(same(.; ${choice}))] == []`);
  }

  /** Whether there may be nothing. */
  isOptional(expression: Expression): boolean {
    return this.#mayMiss(expression);
  }

  #options(list: Expression, path: readonly string[]): string {
    const value = path.length === 0 ? "" : ` | lookup(${jqLiteral(path)})`;
    return `[${operand(this.#solid(list, "refused"))} | list | .[]${value} | select(type == "string" or type == "number")]`;
  }

  #any(expression: Expression, missing: Missing): string {
    const solid = (part: Expression): string => operand(this.#solid(part, "refused"));
    switch (expression.kind) {
      case "constant":
        return jqLiteral(expression.value);
      case "param": {
        const { optional, default: value } = this.#scope.params.get(expression.name) ?? {};
        const place = `${this.#scope.input}${keyPath([expression.name])}`;
        if (value !== undefined) return `or_else(${place} | values; ${jqLiteral(value)})`;
        if (optional !== true) return place;
        return `(${this.#scope.input} | if has(${jqLiteral(expression.name)}) then ${keyPath([expression.name])} else empty end)`;
      }
      case "ref": {
        const { code, holds } = this.#scope.ref(expression.name);
        if (holds === "value") return ofKind(code, expression.as);
        if (holds === "option") return ofKind(`${code}[]`, expression.as);
        if (missing === "refused") throw new NotInJq(NOTHING_IN_LIST);
        return missing === "null" ? `(${code} | map(.[0]))` : `(${code} | map(there))`;
      }
      case "or": {
        const of = this.#any(expression.of, missing);
        return `or_else(${of} | values; ${this.#any(expression.otherwise, missing)})`;
      }
      case "field":
        if (expression.path.length === 0) return this.#any(expression.of, missing);
        return ofKind(`(${solid(expression.of)} | at(${jqLiteral(expression.path)}))`, expression.as);
      case "find":
        return `(${solid(expression.in)} | one(${this.#conditions(expression.where)}))`;
      case "filter": {
        const list =
          expression.in.kind === "list"
            ? `[${expression.in.items.map((item) => `(${this.#solid(item, "refused")} | told)`).join(", ")}]`
            : `${solid(expression.in)} | list`;
        return `(${list} | map(select(${this.#conditions(expression.where)})))`;
      }
      case "extreme":
        return `(${solid(expression.in)} | extreme(${jqLiteral(expression.by)}; ${expression.most ? "max" : "min"}))`;
      case "groups":
        return `(${solid(expression.in)} | grouped(${jqLiteral(expression.by)}))`;
      case "sorted":
        return `(${solid(expression.in)} | sorted_by(${jqLiteral(expression.by)}; ${expression.isFalling}; ${expression.isStrict === true}))`;
      case "taken": {
        const by = expression.by ? jqLiteral(expression.by) : "null";
        return `(${solid(expression.in)} | taken(${expression.count}; ${expression.isLast}; ${by}))`;
      }
      case "numbered":
        return `(${solid(expression.in)} | numbered)`;
      case "only":
        return `(${operand(this.#solid(expression.in, "error"))} | one(true))`;
      case "nth":
        return `(${solid(expression.in)} | nth_of(${expression.position}))`;
      case "values":
        return `(${solid(expression.of)} | values_of)`;
      case "entries":
        return `(${solid(expression.of)} | entries_of)`;
      case "zip":
        return `pairs(${solid(expression.left)}; ${solid(expression.right)})`;
      case "map": {
        const item = jqVariable(expression.item);
        const value = this.#element(expression.value, missing);
        return `(${solid(expression.over)} | list | map(. as ${item} | ${value}))`;
      }
      case "flat": {
        const inner =
          expression.path.length === 0 ? "" : `or_else(at(${jqLiteral(expression.path)}); null) | `;
        return `[${solid(expression.of)} | list | .[] | ${inner}list | .[]]`;
      }
      case "list":
        return `[${expression.items.map((item) => operand(this.#element(item, missing))).join(", ")}]`;
      case "object":
        return this.#object(
          expression,
          (part) => this.#any(part, missing),
          (part) => this.#mayMiss(part),
        );
      case "template":
        return this.#template(expression.parts);
      case "part": {
        const marks = `${jqLiteral(expression.after)}; ${jqLiteral(expression.before)}`;
        return expression.is === undefined
          ? `(${solid(expression.of)} | part(${marks}))`
          : `(${solid(expression.of)} | piece(${marks}; ${jqLiteral(expression.is)}))`;
      }
      case "cased":
        return `(${solid(expression.of)} | cased(${expression.isUpper}))`;
      case "slug":
        return `(${solid(expression.of)} | slug(${jqLiteral(expression.separator)}; ${expression.isLower}))`;
      case "replaced":
        return `(${solid(expression.of)} | ${expression.everywhere === true ? "replaced_all" : "replaced"}(${this.#text(expression.part)}; ${this.#text(expression.by)}))`;
      case "rounded":
        return `(${solid(expression.of)} | rounded_text(${expression.decimals}))`;
      case "excerpt":
        return `(${solid(expression.of)} | excerpt(${this.#text(expression.part)}; ${expression.isLine}))`;
      case "cast":
        return `(${solid(expression.of)} | ${CASTS[expression.to]})`;
      case "arithmetic":
        return `${OPERATIONS[expression.operator]}(${solid(expression.left)}; ${solid(expression.right)})`;
      case "aggregate": {
        const some = expression.isOfSome === true ? "not_none | " : "";
        return expression.operator === "sum"
          ? `(${operand(this.#solid(expression.of, "error"))} | ${some}total)`
          : `(${operand(this.#solid(expression.of, "null"))} | ${some}list | length)`;
      }
      case "join":
        return `(${operand(this.#solid(expression.of, "error"))} | joined(${jqLiteral(expression.separator)}))`;
      case "date":
        return `(${solid(expression.of)} | ${timeCheck(expression.format)}moved(${expression.days}) | ${dateText(expression.format)})`;
    }
  }

  /** What is used so that null, and nothing too, are errors: then a path says the same as what asks for each key. */
  #solid(expression: Expression, missing: Missing): string {
    switch (expression.kind) {
      case "param": {
        const { default: value } = this.#scope.params.get(expression.name) ?? {};
        return value === undefined
          ? `${this.#scope.input}${keyPath([expression.name])}`
          : this.#any(expression, missing);
      }
      case "ref": {
        const { code, holds } = this.#scope.ref(expression.name);
        return holds === "option" ? ofKind(`${code}[0]`, expression.as) : this.#any(expression, missing);
      }
      case "field":
        return ofKind(
          `${pathOperand(this.#solid(expression.of, missing))}${keyPath(expression.path)}`,
          expression.as,
        );
      case "or":
        return this.#mayMiss(expression)
          ? `or_else(${this.#any(expression, missing)}; null)`
          : this.#any(expression, missing);
      case "constant":
      case "find":
      case "filter":
      case "extreme":
      case "groups":
      case "sorted":
      case "taken":
      case "numbered":
      case "only":
      case "nth":
      case "values":
      case "entries":
      case "zip":
      case "map":
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
        return this.#any(expression, missing);
    }
  }

  /** An element of a list that is made. */
  #element(expression: Expression, missing: Missing): string {
    if (!this.#mayMiss(expression)) return this.#any(expression, missing);
    if (missing === "refused") throw new NotInJq(NOTHING_IN_LIST);
    const otherwise = missing === "null" ? "null" : `error("An element of a list is missing")`;
    return `or_else(${this.#any(expression, missing)}; ${otherwise})`;
  }

  #argument(expression: Expression): string {
    if (expression.kind === "object")
      return this.#object(
        expression,
        (part) => this.#argument(part),
        (part) => this.#mayMissArgument(part),
      );
    if (expression.kind === "list")
      return `[${expression.items.map((item) => operand(this.#listed(item))).join(", ")}]`;
    const joined = joinedLists(expression);
    if (joined) return `[${this.#argument(joined)} | .[] | list | .[]]`;
    if (expression.kind === "map") {
      const over = operand(this.#solid(expression.over, "refused"));
      const some = chosenFrom(expression.over) ? " | some_of" : "";
      return `(${over} | list${some} | map(. as ${jqVariable(expression.item)} | ${this.#listed(expression.value)}))`;
    }
    if (chosenFrom(expression)) return `(${this.#told(expression, "error")} | some_of)`;
    return this.#told(expression, "error");
  }

  /** An element of a list that is an argument. */
  #listed(expression: Expression): string {
    const code = this.#argument(expression);
    return this.#mayMissArgument(expression)
      ? `or_else(${code}; error("An element of a list is missing"))`
      : code;
  }

  #told(expression: Expression, missing: Missing): string {
    if (!isAnswered(expression, this.#scope.given)) return this.#any(expression, missing);
    return `(${this.#solid(expression, missing)} | told)`;
  }

  #mayMissArgument(expression: Expression): boolean {
    if (expression.kind === "object" || expression.kind === "list" || expression.kind === "map") return false;
    return !isAnswered(expression, this.#scope.given) && this.#mayMiss(expression);
  }

  /** Whether there may be nothing. */
  #mayMiss(expression: Expression): boolean {
    switch (expression.kind) {
      case "param": {
        const param = this.#scope.params.get(expression.name);
        return param?.optional === true && param.default === undefined;
      }
      case "ref":
        return this.#scope.ref(expression.name).holds === "option";
      case "or":
        return this.#mayMiss(expression.otherwise);
      case "field":
        return expression.path.length > 0 || this.#mayMiss(expression.of);
      case "constant":
      case "find":
      case "filter":
      case "extreme":
      case "groups":
      case "sorted":
      case "taken":
      case "numbered":
      case "only":
      case "nth":
      case "values":
      case "entries":
      case "zip":
      case "map":
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
        return false;
    }
  }

  #object(
    { fields }: Extract<Expression, { kind: "object" }>,
    code: (part: Expression) => string,
    mayMiss: (part: Expression) => boolean,
  ): string {
    // Of two fields of one name the last stands, where the first stood.
    const own = [...new Map(fields.map(({ name, value }) => [name, value]))];
    const field = ([name, value]: readonly [string, Expression]): string =>
      `${fieldKey(name)}: ${operand(code(value))}`;
    if (!own.some(([, value]) => mayMiss(value))) return `{${own.map(field).join(", ")}}`;
    // What is not there makes no object, and so has no field in their sum.
    return `([${own.map((each) => `{${field(each)}}`).join(", ")}] | add // {})`;
  }

  #template(parts: readonly (string | Expression)[]): string {
    const texts = parts.map((part, at) => {
      if (typeof part === "string") return jqLiteral(part).slice(1, -1);
      if (part.kind === "join") return `\\(${this.#any(part, "refused")})`;
      return `\\(${this.#text(part, besideOf(parts, at))})`;
    });
    return `"${texts.join("")}"`;
  }

  /** A value as a text with something in it. */
  #text(part: Expression, beside = ""): string {
    if (isFixedText(part)) return jqLiteral(part.value);
    const said = part.kind === "cast" && part.to === "string" ? part.of : part;
    return `${this.#solid(said, "refused")} | ${saidIn(beside)}`;
  }

  #conditions(where: readonly Condition[]): string {
    return where.map((condition) => operand(this.#condition(condition))).join(" and ");
  }

  #condition(condition: Condition): string {
    const [first, ...rest] = condition.path;
    const element =
      first === undefined
        ? "."
        : [`at([${jqLiteral(first)}])`, ...(rest.length > 0 ? [`lookup(${jqLiteral(rest)})`] : [])].join(
            " | ",
          );
    if (!("some" in condition)) return this.#comparison(element, condition);
    const inner = condition.some.map((each) =>
      operand(this.#comparison(each.path.length === 0 ? "." : `lookup(${jqLiteral(each.path)})`, each)),
    );
    return `${element} | some(${inner.join(" and ")})`;
  }

  #comparison(value: string, condition: ValueCondition): string {
    const { operator, equals, optional, isClear, isTold } = condition;
    const isOfList = operator === "in" || operator === "not in";
    const wanted = this.#told(equals, isOfList ? "null" : "refused");
    const found = isTold === true ? `(or_else(${value}; null) | told)` : value;
    const own = isClear === true ? this.#clear(found, wanted, condition) : found;
    const holds = this.#operation(own, operator, { equals, wanted });
    if (optional !== true || !this.#mayMiss(equals)) return holds;
    return `([${this.#any(equals, "refused")}] == []) or (${holds})`;
  }

  /** What is compared with a text, or in what words are looked for: where it nearly is so, it is an error. */
  #clear(value: string, wanted: string, { operator, joins, isAlone }: ValueCondition): string {
    if (operator !== "contains")
      return `((or_else(${value}; null) | clear(or_else(${wanted}; null)) | empty), ${value})`;
    const seen = jqLiteral(joins ? { before: joins.before, after: joins.after } : null);
    const element = isAlone === true ? "$Element" : "$Value";
    return `(. as $Element | or_else(${value}; null) as $Value | $Value | clear_part(or_else(${wanted}; null); ${seen}; ${element}))`;
  }

  #operation(
    value: string,
    operator: ValueCondition["operator"],
    { equals, wanted }: { readonly equals: Expression; readonly wanted: string },
  ): string {
    switch (operator) {
      case undefined:
        return value === "." && !this.#mayMiss(equals) ? `. == ${wanted}` : `same(${value}; ${wanted})`;
      case "!=": {
        if (equals.kind === "constant" && (equals.value === null || equals.value === ""))
          return `or_else(${value}; null) | . != null and . != ${wanted}`;
        return `same(or_else(${value}; null) | told; ${wanted}) | not`;
      }
      case "startsWith":
        return `begins(${value}; ${wanted})`;
      case "endsWith":
        return `ends(${value}; ${wanted})`;
      case "in":
        return `or_else(${value}; null) | is_in(or_else(${wanted}; null))`;
      case "not in":
        return `or_else(${value}; null) | is_in(or_else(${wanted}; null)) | not`;
      case "contains":
        return `contains_words(${value}; ${wanted})`;
      case "<":
      case "<=":
      case ">":
      case ">=":
        return `pair(${value}; ${wanted}) | .[0] ${operator} .[1]`;
      case "day <":
      case "day <=":
      case "day >":
      case "day >=":
        return `day_pairs(${value}; ${wanted}) | any(.[]; .[0] ${orderIn(operator)} .[1])`;
    }
  }
}

const NOTHING_IN_LIST = "a list in which there may be nothing for an element is used as a list";

const CASTS = { string: "said", number: "number", integer: "integer", boolean: "truth" } as const;
const OPERATIONS = { "+": "plus", "-": "minus", "*": "times", "/": "over" } as const;

/** What makes a value a part of a text, which must not end what stands around it. */
function saidIn(beside: string): string {
  if (beside === "") return "said";
  if (beside === "/") return `said_in(${jqLiteral(String.raw`(?:\A|[\\/])\.\.(?:[\\/]|\z)`)})`;
  if (beside === "=")
    return `said_in(${jqLiteral("[\\t-\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff;'\"`()]")})`;
  return `said_in(${jqLiteral(`[${beside}\\\\]`)})`;
}

/** What is written with a time must have one; midnight is that of a day alone. */
function timeCheck(format: string): string {
  if (!format.includes("hh")) return "";
  return format.includes("YYYY") ? "dated | " : "timed | ";
}

/** A date's parts in a format, as a text. */
function dateText(format: string): string {
  const parts = format.split(/(YYYY|MM|DD|hh|mm|ss)/);
  return `"${parts.map((part, nth) => (nth % 2 === 0 ? jqLiteral(part).slice(1, -1) : `\\(.${part})`)).join("")}"`;
}

/** Code that is an expression of its own. */
function whole(code: string): string {
  return withHelpers(code, operand(code));
}

/** What an answer tells: of another kind than in the runs it is an error. */
function ofKind(code: string, kind: ValueKind | undefined): string {
  return kind === undefined ? code : `(${code} | of_kind("${kind}"))`;
}

/** What stands within another expression: in parentheses where it has operators of its own. */
function operand(code: string): string {
  return isClosed(code) ? code : `(${code})`;
}

/** Behind what a path may stand. */
function pathOperand(code: string): string {
  return /^[$\w.[\]"]+$/.test(code) || (code.startsWith("(") && isClosed(code)) ? code : `(${code})`;
}

/** Whether nothing that stands around a text of code would take a part of it. */
function isClosed(code: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < code.length; at++) {
    const sign = code[at] ?? "";
    if (isText) {
      if (sign === "\\" && code[at + 1] !== "(") at++;
      else if (sign === "\\") {
        // A part within a text is closed in itself.
        at = closingOf(code, at + 1);
      } else if (sign === '"') isText = false;
    } else if (sign === '"') isText = true;
    else if ("([{".includes(sign)) depth++;
    else if (")]}".includes(sign)) depth--;
    else if (depth === 0 && /[\s|,;=<>]/.test(sign)) return false;
  }
  return !code.startsWith("-");
}

/** Where a parenthesis ends that begins at a place, whatever texts are in it. */
function closingOf(code: string, from: number): number {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    const sign = code[at];
    if (sign === '"') {
      for (at++; at < code.length && code[at] !== '"'; at++)
        if (code[at] === "\\") at = code[at + 1] === "(" ? closingOf(code, at + 1) : at + 1;
    } else if (sign === "(") depth++;
    else if (sign === ")" && --depth === 0) return at;
  }
  return code.length;
}

const WORDS: ReadonlySet<string> = new Set(
  "def if then elif else end as reduce foreach try catch label import include and or not __loc__".split(" "),
);
/** What a workflow's expressions are given by these names. */
const GIVEN: ReadonlySet<string> = new Set(
  "context input output secrets authorization task workflow runtime error".split(" "),
);

/** The variable of an element. */
export function jqVariable(name: string): string {
  return WORDS.has(name) || GIVEN.has(name) ? `$${name}_` : `$${name}`;
}

export function keyPath(path: readonly string[]): string {
  return path.map((key) => (isPlainKey(key) ? `.${key}` : `.${JSON.stringify(key)}`)).join("");
}

function fieldKey(name: string): string {
  return isPlainKey(name) ? name : JSON.stringify(name);
}

function isPlainKey(key: string): boolean {
  return /^[A-Za-z_]\w*$/.test(key) && !WORDS.has(key);
}

/** A value as jq; whole numbers that some implementations do not read are written with an exponent. */
export function jqLiteral(value: Json): string {
  if (typeof value === "number")
    return Number.isInteger(value) && !Number.isSafeInteger(value)
      ? value.toExponential()
      : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jqLiteral).join(", ")}]`;
  if (!isJsonObject(value)) return plainText(JSON.stringify(value));
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}: ${jqLiteral(each)}`)
    .join(", ")}}`;
}

/** A text without what readers of documents take otherwise, or do not show. */
function plainText(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu, (sign) =>
    Array.from(
      { length: sign.length },
      (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
