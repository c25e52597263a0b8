import * as z from "zod";
import type { SkillCondition } from "../../core/conditions/skill-condition.ts";
import type { SkillMatching } from "../../core/skill.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { QUESTION_KINDS, type OpenQuestion } from "./open-questions.ts";
import { VALUE_KINDS, type ValueKind } from "../expectations/value-kind.ts";
import { PIECE_KINDS, type PieceKind } from "../texts/text-piece.ts";
import { TEXT_READING, type TextReading } from "../texts/text-form.ts";
import type { ToolEffect } from "./tool-effects.ts";
import { SLUG_SEPARATORS, type SlugSeparator } from "./text-part.ts";

/**
 * A skill as plain data, from which its code, contract and workflow are printed. The names of steps and of the elements
 * of loops and maps are distinct identifiers, and so are those of the parameters among themselves. Text of a trace
 * stands only in constants, paths, marks, kinds of failures and tool names, which are printed as JSON literals.
 */
export interface Plan {
  readonly version: 1;
  /** The skill's name, in kebab-case. */
  readonly name: string;
  /** In words of a person or a model, never of a trace. */
  readonly description?: string | undefined;
  readonly params: readonly Param[];
  readonly steps: readonly Step[];
  readonly output: PlanOutput;
  /** What is known of the tools that the runs call; all others may write. */
  readonly effects?: readonly ToolEffect[] | undefined;
  /** What the runs leave open. */
  readonly questions?: readonly OpenQuestion[] | undefined;
  /** When the skill fits, in words of a person or a model. */
  readonly matching?: SkillMatching | undefined;
  /** What must be true of the input before the skill runs. */
  readonly preconditions?: readonly PlanCondition[] | undefined;
  /** What must be true of the output. */
  readonly postconditions?: readonly PlanCondition[] | undefined;
}

export type PlanCondition = Omit<SkillCondition, "reads">;

/** What whoever calls the skill must supply. */
export interface Param {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema 2020-12. */
  readonly schema: { readonly [key: string]: Json };
  /** Whether it may be left out: then `default` holds. */
  readonly optional?: boolean | undefined;
  readonly default?: Json | undefined;
  /** A credential: neither default nor example. */
  readonly secret?: boolean | undefined;
  /** Its value in the run it was learned from. */
  readonly example?: Json | undefined;
  /** Where its value stood in that run. */
  readonly origins: readonly Origin[];
  /** It is a list with an element for each round of calls of these tools, from this call of that run on. */
  readonly rounds?: { readonly call: number; readonly tools: readonly string[] } | undefined;
  /** The argument that it was equal to in that run, and is equal to wherever it is left out. */
  readonly sameAs?: TracePath | undefined;
}

export interface Origin {
  /** Which call of the first trace, counted from 0. */
  readonly call: number;
  /** `result`: a value by which an element of a result is told from the others, such as an item's name. */
  readonly at: "args" | "result";
  /** Object keys and list indices. */
  readonly path: readonly (string | number)[];
  /** Where in the parameter's value this stands; undefined: it is the value itself. */
  readonly within?: readonly (string | number)[] | undefined;
  /** For `result`: the argument for which the element was chosen. */
  readonly selects?: TracePath | undefined;
}

export interface TracePath {
  readonly call: number;
  readonly path: readonly (string | number)[];
}

export type Step = CallStep | LoopStep | GuardStep | ChoiceStep | BranchStep | SwitchStep;

/** Calls a tool; its result is known by the step's name. */
export interface CallStep {
  readonly kind: "call";
  readonly name: string;
  /** As `call_tool` takes it. */
  readonly tool: string;
  readonly args: Expression;
  /**
   * The kind of failure with which the call failed in every recorded run: it must fail so again, else the skill stops,
   * since what follows was done because of the failure. Its result is null.
   */
  readonly fails?: string | undefined;
  /**
   * In recorded runs it failed, and succeeded when it was made again unchanged. Where its tool only reads, it is made again
   * in the same way; what may write is not.
   */
  readonly retried?: { readonly times: number; readonly kinds: readonly string[] } | undefined;
  /** How texts in its answer are read: under the step's name stands the answer as it is read. */
  readonly reads?: readonly TextReading[] | undefined;
  /** The tool is a skill, by its name. */
  readonly isSkill?: boolean | undefined;
}

/** Does its steps for each element; known by its name is the list of what `gives` is in each round. */
export interface LoopStep {
  readonly kind: "loop";
  readonly name: string;
  readonly over: Expression;
  /** The element in each round. */
  readonly item: string;
  readonly steps: readonly Step[];
  readonly gives: Expression;
  /**
   * The loop ends with the first round whose `gives` fulfils these, and this is what is known by the loop's name; an error
   * where no round does.
   */
  readonly until?: readonly Condition[] | undefined;
  /** `parallel`: the rounds only read. */
  readonly order: "sequential" | "parallel";
}

/** Stops with a clear error unless both are equal: what would have happened then was never seen. */
export interface GuardStep {
  readonly kind: "guard";
  readonly value: Expression;
  readonly equals: Expression;
}

/**
 * Makes a call that has failed in some runs and succeeded in others, and does what was done then. Known by its name is what
 * the side gives that was taken; what the call gave is known by the call's name on the side of its success.
 */
export interface BranchStep {
  readonly kind: "branch";
  readonly name: string;
  readonly call: CallStep;
  /** The kind of failure for which the one side is; a failure of another kind ends the skill. */
  readonly fails: string;
  readonly failed: BranchSide;
  readonly succeeded: BranchSide;
}

/**
 * Ends the skill with what there is to choose from, unless the caller has chosen one of the elements: by a parameter that
 * the person behind the caller can only know from them.
 */
export interface ChoiceStep {
  readonly kind: "choice";
  /** The parameter. */
  readonly chosen: Expression;
  readonly in: Expression;
  /** Where in an element the parameter's value stands; empty: it is the element. */
  readonly path: readonly string[];
}

/**
 * Does what was done in the runs that had an equal value; one that no run had ends the skill. Known by its name is what
 * the case gives that was taken.
 */
export interface SwitchStep {
  readonly kind: "switch";
  readonly name: string;
  readonly value: Expression;
  readonly cases: readonly SwitchCase[];
}

export interface SwitchCase extends BranchSide {
  readonly equals: Json;
}

export interface BranchSide {
  readonly steps: readonly Step[];
  readonly gives: Expression;
}

export interface PlanOutput {
  readonly value: Expression;
  /** JSON Schema 2020-12. */
  readonly schema: { readonly [key: string]: Json };
}

export type Expression =
  | { readonly kind: "constant"; readonly value: Json }
  | { readonly kind: "param"; readonly name: string }
  /** What a step gave, or the element of a loop, map or search; of another kind than `as` it is an error. */
  | { readonly kind: "ref"; readonly name: string; readonly as?: ValueKind | undefined }
  /** What the caller gives, or something else where the caller leaves it out. */
  | { readonly kind: "or"; readonly of: Expression; readonly otherwise: Expression }
  | {
      readonly kind: "field";
      readonly of: Expression;
      readonly path: readonly string[];
      readonly as?: ValueKind | undefined;
    }
  /** The element of a list for which all conditions hold; an error where there is none, or another one too. */
  | { readonly kind: "find"; readonly in: Expression; readonly where: readonly Condition[] }
  /** All elements of a list for which all conditions hold, in their order. */
  | { readonly kind: "filter"; readonly in: Expression; readonly where: readonly Condition[] }
  /**
   * The element that has the least or the most at a place, all being numbers, or all dates; an error where there is none,
   * or another one with as much.
   */
  | {
      readonly kind: "extreme";
      readonly in: Expression;
      readonly by: readonly string[];
      readonly most: boolean;
    }
  /**
   * The elements that say the same at a place, as `{name, elements}` for each text or number that stands there, in the order
   * in which each stands first; an error where nothing stands there, or something that is written otherwise elsewhere.
   */
  | { readonly kind: "groups"; readonly in: Expression; readonly by: readonly string[] }
  /**
   * The elements in the order of what stands at a place in them, equal ones as they were: of numbers, or of texts. An error
   * where something else stands there, or texts of which people put one or the other first (`Ann` and `ann`, `9` and `10`).
   */
  | {
      readonly kind: "sorted";
      readonly in: Expression;
      readonly by: readonly string[];
      /** The greatest stands first. */
      readonly isFalling: boolean;
      /** It is an error, too, where two say the same there. */
      readonly isStrict?: boolean | undefined;
    }
  /**
   * The first or the last so many elements, in their order; an error where there are fewer. `by`: also where what stands
   * there in the last of these is the same in the next, which might as well be one of them.
   */
  | {
      readonly kind: "taken";
      readonly in: Expression;
      readonly count: number;
      readonly isLast: boolean;
      readonly by?: readonly string[] | undefined;
    }
  /** The elements as `{number, element}`, counted from 1. */
  | { readonly kind: "numbered"; readonly in: Expression }
  /** The only element, or the one value that all elements are equal to; an error where there is none or another. */
  | { readonly kind: "only"; readonly in: Expression }
  /** The element at a position of which the task speaks; negative ones count from the end. */
  | { readonly kind: "nth"; readonly in: Expression; readonly position: number }
  /** A map's values as a list. */
  | { readonly kind: "values"; readonly of: Expression }
  /** A map as a list of `{key, value}`. */
  | { readonly kind: "entries"; readonly of: Expression }
  /** Two lists as one of `{left, right}`, by position; an error where one is longer. */
  | { readonly kind: "zip"; readonly left: Expression; readonly right: Expression }
  /** Each element, as `value` makes it of the element, which is known in it by the name `item`. */
  | { readonly kind: "map"; readonly over: Expression; readonly item: string; readonly value: Expression }
  /** The lists that stand at `path` in each element, as one list. */
  | { readonly kind: "flat"; readonly of: Expression; readonly path: readonly string[] }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly fields: readonly Field[] }
  | { readonly kind: "template"; readonly parts: readonly (string | Expression)[] }
  /**
   * The part of a text between two marks; an empty mark is the text's begin or end. An error where there are several.
   * `is`: the text has each mark once, and what stands there is of this kind, whatever else stands in it.
   */
  | {
      readonly kind: "part";
      readonly of: Expression;
      readonly after: string;
      readonly before: string;
      readonly is?: PieceKind | undefined;
    }
  /**
   * A text with another at the one place where a part of it stands as a whole; an error where it stands at none or several.
   * `everywhere`: at all places; an error where it stands at none, or inside of a longer word, too.
   */
  | {
      readonly kind: "replaced";
      readonly of: Expression;
      readonly part: Expression;
      readonly by: Expression;
      readonly everywhere?: boolean | undefined;
    }
  /**
   * A number as a text with so many decimals; an error where it is half way between two of these, as one rounds it up and
   * another to the even one.
   */
  | { readonly kind: "rounded"; readonly of: Expression; readonly decimals: number }
  /**
   * A part of a text that stands there once and is not inside of a longer word; another one is an error. `isLine`: it is all
   * of its line but for space before it.
   */
  | {
      readonly kind: "excerpt";
      readonly of: Expression;
      readonly part: Expression;
      readonly isLine: boolean;
    }
  | {
      readonly kind: "cast";
      readonly of: Expression;
      readonly to: "string" | "number" | "integer" | "boolean";
    }
  | {
      readonly kind: "arithmetic";
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  /** Of a list: what its numbers add up to, or how many elements it has. */
  | {
      readonly kind: "aggregate";
      readonly operator: "sum" | "count";
      readonly of: Expression;
      /** Where the list has no elements it is an error: there may be some that are called otherwise. */
      readonly isOfSome?: boolean | undefined;
    }
  /** A text in capital or small letters; an error where one of its letters has not one other form alone. */
  | { readonly kind: "cased"; readonly of: Expression; readonly isUpper: boolean }
  /** The texts of a list, one after the other. */
  /** A short text as names of branches and files have it: its words with a sign between, in small letters or as they are. */
  | {
      readonly kind: "slug";
      readonly of: Expression;
      readonly separator: SlugSeparator;
      readonly isLower: boolean;
    }
  | { readonly kind: "join"; readonly of: Expression; readonly separator: string }
  /** A date or time moved by days, in a format of `YYYY MM DD hh mm ss` and other characters. */
  | { readonly kind: "date"; readonly of: Expression; readonly days: number; readonly format: string };

export type Condition = ValueCondition | InnerCondition;

export interface ValueCondition {
  /** Where in the element; empty: the element itself. */
  readonly path: readonly string[];
  /** How the value there compares to `equals`, which of `in` and `not in` is a list; undefined: it is equal. */
  readonly operator?: ComparisonOperator | undefined;
  readonly equals: Expression;
  /** Holds also where the caller leaves the value out. */
  readonly optional?: boolean | undefined;
  /** Of equal texts and others: one that is nearly equal is an error. */
  readonly isClear?: boolean | undefined;
  /** That an element has nothing there is an error. */
  readonly isTold?: boolean | undefined;
  /** Of words in a text: how they are joined to other words where they are meant. */
  readonly joins?: Joins | undefined;
  /** Of words in a text: that they stand elsewhere in the element, and not there, is an error. */
  readonly isAlone?: boolean | undefined;
}

/** What stands between words and the ones before and behind them: ` `, or signs such as `://` and `/` in a link. */
export interface Joins {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** For one of the elements of a list or map in the element, all conditions hold. */
export interface InnerCondition {
  readonly path: readonly string[];
  readonly some: readonly ValueCondition[];
}

const COMPARISON_OPERATORS = [
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "startsWith",
  "endsWith",
  "contains",
  "day <",
  "day <=",
  "day >",
  "day >=",
  "in",
  "not in",
] as const;
/** `day <`: the day in a text, such as the name of a file, compares so to another; a text without a day does not. */
export type ComparisonOperator = (typeof COMPARISON_OPERATORS)[number];

export const ARITHMETIC_OPERATORS = ["+", "-", "*", "/"] as const;
export type ArithmeticOperator = (typeof ARITHMETIC_OPERATORS)[number];

export interface Field {
  readonly name: string;
  readonly value: Expression;
}

/** Words of the language, and names that code printed from plans uses itself. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "arguments async await break case catch class const constructor continue debugger default delete do else enum eval " +
    "export extends false finally for function globalThis if implements import in input instanceof interface let new " +
    "null package private protected prototype public return run static super switch this throw true try typeof " +
    "undefined var void while with yield call_tool call_skill console hasOwnProperty toString valueOf toJSON then " +
    "textWith theOne wantedOf theSection theOnly theNth theExtreme groupsOf compares clear clearPart isIn ofKind sumOf firstThat dayCompares isSame partOf pieceOf dateOf chosenOf slugOf mustFail attempt retried failureKind mustHave mustHaveSome numberOf calculated joined replacedIn replacedAll excerptOf sortedBy isClearOrder takenOf numberedOf casedText roundedText " +
    "listOf mapOf pairsOf partsIn withText jsonOf fieldsOf linesOf rowsOf recordsOf labelledIn labelled recordIn entriesOf linesIn markedLinesIn mayGoOn " +
    "treeOf blocksOf hasForm patternOf literalPattern aroundOf tableIn drawnTable delimitedTable unquoted amountIn dateIn yamlOf sectionsOf sectionsIn"
  ).split(" "),
);

/** Whether code may use it as the name of a variable and of a field. */
export function isIdentifier(name: string): boolean {
  return /^[a-z][A-Za-z0-9_]{0,63}$/.test(name) && !RESERVED.has(name);
}

const identifier = z.string().refine(isIdentifier, "must be an identifier");
const MAX_KIND = 5000;
/** Elements of a list from one of its ends on. */
export const MAX_TAKEN = 1000;
/** Of one call. */
export const MAX_RETRIES = 3;
const toolName = z.string().min(1).max(300);
const place = z.array(z.union([z.string(), z.int().nonnegative()])).max(64);
const fields = z.array(z.string()).max(64);
// What was parsed is JSON already, whatever its keys are called.
const json = z.custom<Json>((value) => value !== undefined);
const schema = z.custom<JsonObject>(isJsonObject);

const valueKind = z.enum(VALUE_KINDS).optional();

const expression: z.ZodType<Expression> = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("constant"), value: json }),
    z.strictObject({ kind: z.literal("param"), name: identifier }),
    z.strictObject({ kind: z.literal("ref"), name: identifier, as: valueKind }),
    z.strictObject({ kind: z.literal("or"), of: expression, otherwise: expression }),
    z.strictObject({ kind: z.literal("field"), of: expression, path: fields, as: valueKind }),
    z.strictObject({ kind: z.literal("find"), in: expression, where: z.array(condition).min(1) }),
    z.strictObject({ kind: z.literal("filter"), in: expression, where: z.array(condition).min(1) }),
    z.strictObject({ kind: z.literal("extreme"), in: expression, by: fields, most: z.boolean() }),
    z.strictObject({ kind: z.literal("groups"), in: expression, by: fields }),
    z.strictObject({
      kind: z.literal("sorted"),
      in: expression,
      by: fields,
      isFalling: z.boolean(),
      isStrict: z.boolean().optional(),
    }),
    z.strictObject({
      kind: z.literal("taken"),
      in: expression,
      count: z.int().min(1).max(MAX_TAKEN),
      isLast: z.boolean(),
      by: fields.optional(),
    }),
    z.strictObject({ kind: z.literal("numbered"), in: expression }),
    z.strictObject({ kind: z.literal("only"), in: expression }),
    z.strictObject({ kind: z.literal("nth"), in: expression, position: z.int().min(-1000).max(1000) }),
    z.strictObject({ kind: z.literal("values"), of: expression }),
    z.strictObject({ kind: z.literal("entries"), of: expression }),
    z.strictObject({ kind: z.literal("zip"), left: expression, right: expression }),
    z.strictObject({ kind: z.literal("map"), over: expression, item: identifier, value: expression }),
    z.strictObject({ kind: z.literal("flat"), of: expression, path: fields }),
    z.strictObject({ kind: z.literal("list"), items: z.array(expression) }),
    z.strictObject({
      kind: z.literal("object"),
      fields: z.array(z.strictObject({ name: z.string(), value: expression })),
    }),
    z.strictObject({ kind: z.literal("template"), parts: z.array(z.union([z.string(), expression])) }),
    z.strictObject({
      kind: z.literal("part"),
      of: expression,
      after: z.string(),
      before: z.string(),
      is: z.enum(PIECE_KINDS).optional(),
    }),
    z.strictObject({
      kind: z.literal("replaced"),
      of: expression,
      part: expression,
      by: expression,
      everywhere: z.boolean().optional(),
    }),
    z.strictObject({
      kind: z.literal("rounded"),
      of: expression,
      decimals: z.number().int().min(0).max(6),
    }),
    z.strictObject({ kind: z.literal("excerpt"), of: expression, part: expression, isLine: z.boolean() }),
    z.strictObject({
      kind: z.literal("cast"),
      of: expression,
      to: z.enum(["string", "number", "integer", "boolean"]),
    }),
    z.strictObject({
      kind: z.literal("arithmetic"),
      operator: z.enum(ARITHMETIC_OPERATORS),
      left: expression,
      right: expression,
    }),
    z.strictObject({
      kind: z.literal("slug"),
      of: expression,
      separator: z.enum(SLUG_SEPARATORS),
      isLower: z.boolean(),
    }),
    z.strictObject({ kind: z.literal("cased"), of: expression, isUpper: z.boolean() }),
    z.strictObject({ kind: z.literal("join"), of: expression, separator: z.string().max(200) }),
    z.strictObject({
      kind: z.literal("aggregate"),
      operator: z.enum(["sum", "count"]),
      of: expression,
      isOfSome: z.boolean().optional(),
    }),
    z.strictObject({ kind: z.literal("date"), of: expression, days: z.int(), format: z.string().max(40) }),
  ]),
);

const signs = z.array(z.string().min(1).max(20)).max(20);
const valueCondition = z.strictObject({
  path: fields,
  operator: z.enum(COMPARISON_OPERATORS).optional(),
  equals: expression,
  optional: z.boolean().optional(),
  isClear: z.boolean().optional(),
  isTold: z.boolean().optional(),
  joins: z.strictObject({ before: signs, after: signs }).optional(),
  isAlone: z.boolean().optional(),
});
const innerCondition = z.strictObject({ path: fields, some: z.array(valueCondition).min(1) });
const condition: z.ZodType<Condition> = z.union([valueCondition, innerCondition]);

const call: z.ZodType<CallStep> = z.strictObject({
  kind: z.literal("call"),
  name: identifier,
  tool: toolName,
  args: expression,
  fails: z.string().max(MAX_KIND).optional(),
  retried: z
    .strictObject({
      times: z.int().min(1).max(MAX_RETRIES),
      kinds: z.array(z.string().min(1).max(MAX_KIND)).min(1).max(20),
    })
    .optional(),
  reads: z.array(TEXT_READING).max(20).optional(),
  isSkill: z.boolean().optional(),
});

const step: z.ZodType<Step> = z.lazy(() =>
  z.union([
    call,
    z.strictObject({
      kind: z.literal("loop"),
      name: identifier,
      over: expression,
      item: identifier,
      steps: z.array(step),
      gives: expression,
      until: z.array(condition).min(1).optional(),
      order: z.enum(["sequential", "parallel"]),
    }),
    z.strictObject({ kind: z.literal("guard"), value: expression, equals: expression }),
    z.strictObject({ kind: z.literal("choice"), chosen: expression, in: expression, path: fields }),
    z.strictObject({
      kind: z.literal("branch"),
      name: identifier,
      call,
      fails: z.string().max(MAX_KIND),
      failed: branchSide,
      succeeded: branchSide,
    }),
    z.strictObject({
      kind: z.literal("switch"),
      name: identifier,
      value: expression,
      cases: z
        .array(z.strictObject({ equals: json, steps: z.array(step), gives: expression }))
        .min(2)
        .max(50),
    }),
  ]),
);

const branchSide: z.ZodType<BranchSide> = z.lazy(() =>
  z.strictObject({ steps: z.array(step), gives: expression }),
);

const argument = z.strictObject({ call: z.int().nonnegative(), path: place });

const param: z.ZodType<Param> = z.strictObject({
  name: identifier,
  description: z.string().max(2000).optional(),
  schema,
  optional: z.boolean().optional(),
  default: json.optional(),
  secret: z.boolean().optional(),
  example: json.optional(),
  origins: z.array(
    z.strictObject({
      call: z.int().nonnegative(),
      at: z.enum(["args", "result"]),
      path: place,
      within: place.optional(),
      selects: argument.optional(),
    }),
  ),
  rounds: z.strictObject({ call: z.int().nonnegative(), tools: z.array(toolName).min(1) }).optional(),
  sameAs: argument.optional(),
});

const effect: z.ZodType<ToolEffect> = z.strictObject({
  tool: toolName,
  operation: z.enum(["READ", "WRITE"]),
  by: z.enum(["server", "skill", "reviewer"]),
});

const question: z.ZodType<OpenQuestion> = z.strictObject({
  kind: z.enum(QUESTION_KINDS),
  step: identifier,
  path: place,
  reads: z.array(identifier).max(100).optional(),
  decidedBy: z.string().max(200).optional(),
});

const word = z.string().min(1).max(500);
const matching: z.ZodType<SkillMatching> = z
  .strictObject({
    category: word.optional(),
    tags: z.array(word).max(100),
    keywords: z.array(word).max(100),
    examples: z.array(word).max(100),
  })
  .transform(({ category, ...lists }) => (category === undefined ? lists : { category, ...lists }));
const conditions: z.ZodType<readonly PlanCondition[]> = z
  .array(
    z.strictObject({
      check: z.string(),
      critical: z.boolean(),
      description: z.string().max(1000).optional(),
    }),
  )
  .max(50);

/** Reads a plan that someone else has written or changed. */
export const PLAN: z.ZodType<Plan> = z.strictObject({
  version: z.literal(1),
  name: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    .max(64),
  description: z.string().max(1024).optional(),
  params: z.array(param).max(500),
  steps: z.array(step).max(2000),
  output: z.strictObject({ value: expression, schema }),
  effects: z.array(effect).max(2000).optional(),
  questions: z.array(question).max(5000).optional(),
  matching: matching.optional(),
  preconditions: conditions.optional(),
  postconditions: conditions.optional(),
});
