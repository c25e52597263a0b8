import { type Expression, type Node, parseExpressionAt } from "acorn";
import { didYouMean } from "../text/nearest.ts";
import { fail, ok, type Result } from "../result.ts";
import type { ConditionTime } from "./skill-condition.ts";

/** A check taken apart. */
interface ParsedCheck {
  /** What it reads of inputs and outputs, each as it is written and as the names on the way: `outputs`, `report`, `length`. */
  readonly reads: readonly { readonly text: string; readonly path: readonly string[] }[];
  /** Each place where an input is named, from and to which character. */
  readonly inputs: readonly { readonly name: string; readonly start: number; readonly end: number }[];
}

export interface CheckFault {
  readonly message: string;
  /** Where in the check, from 0. */
  readonly offset: number;
}

const MAX_CHECK = 1000;

/** Reads a check, which may be any expression without effects over `inputs` and, afterwards, `outputs`. */
export function parsedCheck(check: string, when: ConditionTime): Result<ParsedCheck, CheckFault> {
  if (check.length > MAX_CHECK)
    return fail({ message: `it has more than ${MAX_CHECK} characters`, offset: MAX_CHECK });
  try {
    const expression = parseExpressionAt(check, 0, {
      ecmaVersion: 2023,
      sourceType: "module",
      preserveParens: true,
    });
    const rest = check.slice(expression.end);
    if (rest.trim() !== "")
      return fail({ message: "the expression ends before this", offset: expression.end + rest.search(/\S/) });
    return ok(new CheckReader(check, when).read(expression));
  } catch (thrown) {
    if (thrown instanceof Forbidden) return fail({ message: thrown.message, offset: thrown.offset });
    if (thrown instanceof SyntaxError) return fail(syntaxFault(thrown));
    if (thrown instanceof RangeError) return fail({ message: "it is nested too deeply", offset: 0 });
    throw thrown;
  }
}

/** A check in which an input has another name, which is an identifier. */
export function checkWithRenamedInput(check: string, when: ConditionTime, from: string, to: string): string {
  const parsed = parsedCheck(check, when);
  if (!parsed.ok) return check;
  return parsed.value.inputs
    .filter(({ name }) => name === from)
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end }) => {
      const isQuoted = /["'`]/.test(text.charAt(start));
      return text.slice(0, start) + (isQuoted ? JSON.stringify(to) : to) + text.slice(end);
    }, check);
}

function syntaxFault(error: SyntaxError): CheckFault {
  const message = error.message.replace(/ \(\d+:\d+\)$/, "");
  const offset = "pos" in error && typeof error.pos === "number" ? error.pos : 0;
  return { message: `${message.charAt(0).toLowerCase()}${message.slice(1)}`, offset };
}

class Forbidden extends Error {
  readonly offset: number;

  constructor(message: string, { start }: Node) {
    super(message);
    this.offset = start;
  }
}

/** Pure functions and values; of `Date` and `Math` not what reads the clock or chance. */
const GLOBALS: ReadonlySet<string> = new Set(
  "Array Boolean Date Infinity JSON Math NaN Number Object String undefined".split(" "),
);
const PURE_OF_DATE: ReadonlySet<string> = new Set(["parse", "UTC"]);
/** What the objects of the language have; the sandbox has some of it before Node has. */
const OBJECTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ Array, Boolean, Date, JSON, Math, Number, Object, String }).map(([name, object]) => [
    name,
    [...Object.getOwnPropertyNames(object), ...(object === Math ? ["f16round", "sumPrecise"] : [])],
  ]),
);
const CALLED: ReadonlySet<string> = new Set(["Boolean", "Number", "String"]);
/** They lead out of what is looked at, to code and to what all values share. */
const HIDDEN: ReadonlySet<string> = new Set(["constructor", "prototype", "__proto__"]);

class CheckReader {
  readonly #check: string;
  readonly #roots: readonly string[];
  readonly #when: ConditionTime;
  readonly #reads = new Map<string, readonly string[]>();
  readonly #inputs: ParsedCheck["inputs"][number][] = [];

  constructor(check: string, when: ConditionTime) {
    this.#check = check;
    this.#when = when;
    this.#roots = when === "pre" ? ["inputs"] : ["inputs", "outputs"];
  }

  read(expression: Expression): ParsedCheck {
    this.#visit(expression, []);
    return { reads: Array.from(this.#reads, ([text, path]) => ({ text, path })), inputs: this.#inputs };
  }

  /** Looks at a part in which the parameters of the functions around it are known. */
  #visit(node: Node, params: readonly string[]): void {
    const part = node as Expression;
    const chain = this.#chain(part, params);
    if (chain) {
      this.#reads.set(this.#check.slice(part.start, part.end), chain);
      return;
    }
    const each = (nodes: readonly (Node | null)[]): void => {
      for (const inner of nodes) if (inner) this.#visit(inner, params);
    };
    switch (part.type) {
      case "Literal":
        return;
      case "Identifier":
        this.#name(part.name, part, params);
        return;
      case "ChainExpression":
      case "ParenthesizedExpression":
        return this.#visit(part.expression, params);
      case "MemberExpression":
        this.#visit(part.object, params);
        return this.#member(part, params);
      case "CallExpression":
        this.#callee(part.callee, params);
        return each(part.arguments.map((given) => (given.type === "SpreadElement" ? given.argument : given)));
      case "UnaryExpression":
        if (part.operator === "delete") break;
        return this.#visit(part.argument, params);
      case "BinaryExpression":
      case "LogicalExpression":
        return each([part.left, part.right]);
      case "ConditionalExpression":
        return each([part.test, part.consequent, part.alternate]);
      case "ArrayExpression":
        return each(part.elements.map((given) => (given?.type === "SpreadElement" ? given.argument : given)));
      case "TemplateLiteral":
        return each(part.expressions);
      case "ArrowFunctionExpression": {
        const names = part.params.map((param) => {
          if (param.type === "Identifier" && !this.#roots.includes(param.name)) return param.name;
          throw new Forbidden("a function takes plain names here, others than those that there are", param);
        });
        if (part.async || part.body.type === "BlockStatement")
          throw new Forbidden("a function is an expression here, without braces", part);
        return this.#visit(part.body, [...params, ...names]);
      }
      case "AssignmentExpression":
      case "AwaitExpression":
      case "ClassExpression":
      case "FunctionExpression":
      case "ImportExpression":
      case "MetaProperty":
      case "NewExpression":
      case "ObjectExpression":
      case "SequenceExpression":
      case "TaggedTemplateExpression":
      case "ThisExpression":
      case "UpdateExpression":
      case "YieldExpression":
        break;
    }
    throw new Forbidden("a check only looks at values: this is not allowed in it", part);
  }

  #name(name: string, node: Node, params: readonly string[]): void {
    if (params.includes(name) || this.#roots.includes(name) || GLOBALS.has(name)) return;
    if (name === "outputs" && this.#when === "pre")
      throw new Forbidden("there are no outputs before the skill has run", node);
    const known = [...this.#roots, ...params];
    throw new Forbidden(
      `there is no ${JSON.stringify(name)} here, only ${known.join(", ")}.${didYouMean(name, known)}`,
      node,
    );
  }

  #member(part: Extract<Expression, { type: "MemberExpression" }>, params: readonly string[]): void {
    if (part.object.type === "Super" || part.property.type === "PrivateIdentifier")
      throw new Forbidden("a check only looks at values: this is not allowed in it", part);
    const name = nameIn(part);
    if (name === undefined) this.#visit(part.property, params);
    else if (HIDDEN.has(name)) throw new Forbidden(`${name} is not to be read in a check`, part.property);
    const of =
      part.object.type === "Identifier" && !params.includes(part.object.name) ? part.object.name : "";
    const isImpure =
      (of === "Date" && (name === undefined || !PURE_OF_DATE.has(name))) ||
      (of === "Math" && (name === undefined || name === "random"));
    if (isImpure)
      throw new Forbidden("a check has no clock and no chance, so that it always says the same", part);
    const members = OBJECTS.get(of);
    if (name !== undefined && members && !members.includes(name))
      throw new Forbidden(`${of} has no ${name}.${didYouMean(name, members)}`, part.property);
  }

  #callee(node: Node, params: readonly string[]): void {
    const callee = node as Expression;
    if (callee.type === "MemberExpression") {
      this.#visit(callee.object, params);
      return this.#member(callee, params);
    }
    if (callee.type === "Identifier" && CALLED.has(callee.name) && !params.includes(callee.name)) return;
    throw new Forbidden("only methods of values can be called in a check", callee);
  }

  /** The names on the way to what a part reads of inputs or outputs, where it does nothing else. */
  #chain(part: Expression, params: readonly string[]): readonly string[] | undefined {
    if (part.type === "ChainExpression") return this.#chain(part.expression, params);
    if (part.type === "Identifier")
      return this.#roots.includes(part.name) && !params.includes(part.name) ? [part.name] : undefined;
    if (part.type !== "MemberExpression" || part.object.type === "Super") return undefined;
    const name = nameIn(part);
    if (name === undefined || HIDDEN.has(name)) return undefined;
    const above = this.#chain(part.object, params);
    if (above?.length === 1 && above[0] === "inputs")
      this.#inputs.push({ name, start: part.property.start, end: part.property.end });
    return above && [...above, name];
  }
}

/** The name of the member that is read, where the text tells it. */
function nameIn({
  computed,
  property,
}: Extract<Expression, { type: "MemberExpression" }>): string | undefined {
  if (!computed) return property.type === "Identifier" ? property.name : undefined;
  if (property.type !== "Literal") return undefined;
  return typeof property.value === "string" || typeof property.value === "number"
    ? String(property.value)
    : undefined;
}
