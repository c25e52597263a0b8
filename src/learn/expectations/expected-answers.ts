import type { Json } from "../../core/json/json.ts";
import { isAnswered, suppliedNames } from "../codegen/answered.ts";
import {
  elementsOf,
  evaluate,
  type EvaluationScope,
  membersOf,
  tellsNothing,
  type TracedValue,
  valueAtPath,
} from "../edits/evaluate.ts";
import { recordedRun } from "../edits/recorded-run.ts";
import { refsIn } from "../edits/plan-leaves.ts";
import { mapChildren, subexpressions } from "../plan/expression.ts";
import { nameWords } from "../plan/names.ts";
import type { Condition, Expression, GuardStep, Joins, Plan, Step, ValueCondition } from "../plan/plan.ts";
import { expressionsOf, namedSteps, withSideSteps } from "../plan/steps.ts";
import { mayWriteBy } from "../plan/tool-effects.ts";
import { TaskText } from "../plan/values.ts";
import type { SourceTrace } from "../recording/recorded-trace.ts";
import { isNearly, isSignForNothing, joinsIn, nearlyHas } from "./near-texts.ts";
import { commonValueKind, isOfValueKind, onlyKind } from "./value-kind.ts";
import { distinctPlaceGuards } from "./distinct-places.ts";
import { eachOnceGuards } from "./each-once.ts";
import { knownNameGuards } from "./known-names.ts";
import { kindGuards } from "./kinds-of-elements.ts";
import { wholeListGuards } from "./whole-lists.ts";

/**
 * The plan with what answers were like in all of its runs, which has to be so again: of which kind was what goes into
 * calls, that no text was nearly what tells elements of a list from others, and that lists were whole.
 */
export function withExpectations(plan: Plan, sources: readonly SourceTrace[]): Plan {
  const given = suppliedNames(plan);
  const [first] = sources;
  const runs = first ? sources.map((source) => recordedRun(plan, source, first.trace)) : [];
  const scopesOf = (name: string): readonly EvaluationScope[] =>
    runs.flatMap((run) => (run.get(name) ?? []).map(({ scope }) => scope));
  const expectedStep = (step: Step): Step => {
    switch (step.kind) {
      case "call":
        return {
          ...step,
          args: expected(step.args, {
            scopes: scopesOf(step.name),
            given,
            texts,
            words: [],
            isWritten: mayWrite(step.tool),
          }),
        };
      case "loop": {
        const over = expected(step.over, { scopes: scopesOf(step.name), given, texts });
        return { ...step, over, steps: step.steps.map(expectedStep) };
      }
      case "branch":
      case "switch":
        return withSideSteps(step, (steps) => steps.map(expectedStep));
      case "guard":
      case "choice":
        return step;
    }
  };
  const known = new Set(plan.steps.map((step) => JSON.stringify(step)));
  const mayWrite = mayWriteBy(plan.effects);
  const tasks = sources.map(({ trace }) => new TaskText(trace.task));
  const texts = toldByTexts(plan);
  return {
    ...plan,
    steps: plan.steps.flatMap((step): readonly Step[] => {
      const own = step.kind === "call" ? wholeListGuards(plan.steps, step, runs) : [];
      const isNew = (guard: GuardStep): boolean => !known.has(JSON.stringify(guard));
      const made = expectedStep(step);
      const scopes = made.kind === "loop" || made.kind === "call" ? scopesOf(made.name) : [];
      const places = made.kind === "loop" ? distinctPlaceGuards(made, mayWrite, scopes) : [];
      const kinds = made.kind === "loop" ? kindGuards(made, tasks, mayWrite, scopes, plan.params) : [];
      const before = [
        ...places,
        ...kinds,
        ...eachOnceGuards(step, tasks, scopes),
        ...knownNameGuards(step, scopes),
      ];
      return [...before.filter(isNew), made, ...own.filter(isNew)];
    }),
  };
}

/** Where an expression stands. */
interface Site {
  /** What was known there, each time. */
  readonly scopes: readonly EvaluationScope[];
  readonly given: ReadonlySet<string>;
  /** What is known of texts, by its name. */
  readonly texts: ReadonlySet<string>;
  /** Its value goes into a call that may write. */
  readonly isWritten?: boolean | undefined;
  /** What its value is called; undefined: it goes into no call. */
  readonly words?: readonly string[] | undefined;
  /** What it is called by the last of these names alone. */
  readonly called?: readonly string[] | undefined;
  /** What is made of its value. */
  readonly becomes?: "text" | "number" | undefined;
  /** It is all of a text that is made of it. */
  readonly isWhole?: boolean | undefined;
  /** It is a part of what a file or folder is called. */
  readonly isInName?: boolean | undefined;
  /** It stands behind what makes a subject that of a reply. */
  readonly isInReply?: boolean | undefined;
  /** What the field is called by which elements are grouped, by the name of the group. */
  readonly groups?: ReadonlyMap<string, string> | undefined;
}

function expected(expression: Expression, site: Site): Expression {
  const { scopes, words } = site;
  if (scopes.length === 0) return expression;
  const inside = (child: Expression): Expression => expected(child, { ...site, words: undefined });
  const value = (child: Expression, name = ""): Expression =>
    expected(child, {
      ...site,
      words: words && [...words, ...nameWords(name)],
      called: name === "" ? site.called : nameWords(name),
    });
  switch (expression.kind) {
    case "object":
      return {
        ...expression,
        fields: expression.fields.map((each) => ({ ...each, value: value(each.value, each.name) })),
      };
    case "list":
      return mapChildren(expression, (child) => value(child));
    case "template": {
      const { parts } = expression;
      const part = (each: string | Expression, at: number): string | Expression =>
        typeof each === "string"
          ? each
          : expected(each, {
              ...site,
              becomes: "text",
              isWhole: parts.length === 1,
              isInName: isInName(parts, at),
              isInReply: at === 1 && makesReply(parts[0]),
            });
      return { ...expression, parts: parts.map(part) };
    }
    case "join":
      return mapChildren(expression, (child) => expected(child, { ...site, becomes: "text" }));
    case "cast": {
      const becomes =
        expression.to === "string" ? "text" : expression.to === "boolean" ? undefined : "number";
      return mapChildren(expression, (child) => expected(child, { ...site, becomes }));
    }
    case "map": {
      const { over, item } = expression;
      const inner = scopes.flatMap((scope) =>
        elementsOf(evaluate(over, scope)).map((element): EvaluationScope => ({
          params: scope.params,
          refs: new Map([...scope.refs, [item, element]]),
        })),
      );
      return {
        ...expression,
        over: inside(over),
        value: expected(expression.value, { ...site, scopes: inner, groups: groupsIn(expression, site) }),
      };
    }
    case "filter":
      return {
        ...expression,
        in: inside(expression.in),
        where: expression.where.map((condition) => clearCondition(expression.in, condition, scopes)),
      };
    case "field":
    case "ref": {
      const own = mapChildren(expression, inside);
      const as = words && kindOf(expression, site);
      if (!as || (own.kind !== "field" && own.kind !== "ref")) return own;
      const isCell = own.as === "cell" && ["text", "name", "single", "item"].includes(as);
      return isCell ? own : { ...own, as };
    }
    // What may be empty is of no kind.
    case "or":
      return expression;
    case "constant":
    case "param":
    case "find":
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
    case "flat":
    case "part":
    case "slug":
    case "cased":
    case "replaced":
    case "excerpt":
    case "rounded":
    case "arithmetic":
    case "aggregate":
    case "date":
      return mapChildren(expression, inside);
  }
}

/** Whether what stands before a subject makes it that of a reply, as `Re: `. */
function makesReply(begin: string | Expression | undefined): boolean {
  return typeof begin === "string" && begin.length < MAX_PREFIX && !isOfValueKind(begin, "subject");
}

const MAX_PREFIX = 8;

/** Whether a part of a text stands in a path, beside what is called so with it: `/${number}-scan.txt`. */
function isInName(parts: readonly (string | Expression)[], at: number): boolean {
  const before = parts.slice(0, at).map((part) => (typeof part === "string" ? part : "?"));
  const after = parts[at + 1];
  const [, begin = "/"] = /\/([^\s/]*)$/.exec(before.join("")) ?? [];
  return begin !== "/" && (begin !== "" || (typeof after === "string" && /^[^\s/]/.test(after)));
}

function groupsIn({ over, item }: Extract<Expression, { kind: "map" }>, { groups }: Site): Site["groups"] {
  return over.kind === "groups" ? new Map([...(groups ?? []), [item, over.by.at(-1) ?? ""]]) : groups;
}

function kindOf(expression: Extract<Expression, { kind: "field" | "ref" }>, site: Site) {
  const { scopes, given, texts, words = [], becomes, isWritten = false, groups, isInName: isPart } = site;
  if (!isAnswered(expression, given)) return undefined;
  const values = scopes.map((scope) => evaluate(expression, scope)?.value);
  const [path, of] = expression.kind === "field" ? [expression.path, expression.of] : [[], expression];
  const grouped = of.kind === "ref" && path.join() === "name" ? groups?.get(of.name) : undefined;
  const name = grouped ?? path.at(-1) ?? "";
  if (!values.every((value): value is Json => value !== undefined)) return undefined;
  const said = [...words, ...nameWords(name)];
  const kind = commonValueKind(values, said, becomes);
  if (
    isPart === true &&
    (kind === "text" || kind === "name") &&
    values.every((value) => isOfValueKind(value, "file"))
  )
    return "file";
  if (site.isInReply === true && values.every((value) => isOfValueKind(value, "subject"))) return "subject";
  const isToldAlone =
    (becomes === undefined || site.isWhole === true) && refsIn(expression).some((ref) => texts.has(ref));
  // A part of a line is called `text`, whatever it says, and what groups say by their field.
  const argument = site.called ?? words;
  const told = name === "text" ? [] : nameWords(name);
  const called = grouped !== undefined ? nameWords(grouped) : [...argument, ...told];
  // What groups say is one thing, whoever tells it and whatever is made of it.
  const isOne = grouped !== undefined || isToldAlone;
  if (!isOne || called.some((word) => PROSE.has(word))) return kind;
  const isOfSeveral = PLURAL.test(name);
  return isOfSeveral || isWritten ? onlyKind(kind, values, { isOfSeveral }) : kind;
}

/** How a field is called that may have several things. */
const PLURAL = /(?:[^aiuos]|[^u]o)s$|people$/i;

/** What a text or argument is called in which there may be commas, though it is about one thing. */
const PROSE: ReadonlySet<string> = new Set(
  (
    "text content contents body message messages comment comments note notes description details summary title subject " +
    "headline heading caption remark remarks observation observations reason topic address street place location venue " +
    "city region country company firm organisation organization supplier vendor seller manufacturer maker brand " +
    "publisher customer client employer"
  ).split(" "),
);

/** What texts say, under the names of the steps that read them, and of the elements of loops and maps over it. */
function toldByTexts(plan: Plan): ReadonlySet<string> {
  const told = new Set<string>();
  const visitOver = (over: Expression, item: string): void => {
    if (refsIn(over).some((ref) => told.has(ref))) told.add(item);
  };
  for (const step of namedSteps(plan.steps)) {
    if (step.kind === "call" && (step.reads ?? []).length > 0) told.add(step.name);
    if (step.kind === "loop") visitOver(step.over, step.item);
    for (const expression of expressionsOf(step))
      for (const part of subexpressions(expression)) if (part.kind === "map") visitOver(part.over, part.item);
  }
  return told;
}

/** A condition about a text, which stops where a text is what no element had: nearly that text, or its words otherwise. */
function clearCondition(
  list: Expression,
  condition: Condition,
  scopes: readonly EvaluationScope[],
): Condition {
  const elements = scopes.map((scope) => elementsOf(evaluate(list, scope)));
  if (!("some" in condition)) {
    const clear = clearComparison(elements, condition, scopes);
    return isToldByRounds(list, condition, elements) ? { ...clear, isTold: true } : clear;
  }
  // Of several, the first may tell which member the others are about.
  const [only, ...others] = condition.some;
  if (!only || others.length > 0) return condition;
  const members = elements.map((each) =>
    each.flatMap((element) => membersOf(valueAtPath(element, condition.path))),
  );
  return { ...condition, some: [clearComparison(members, only, scopes)] };
}

/** Whether a condition is about what rounds gave, and all of them have told it. */
function isToldByRounds(
  list: Expression,
  { path }: ValueCondition,
  elements: readonly (readonly TracedValue[])[],
): boolean {
  return (
    list.kind === "zip" &&
    path[0] === "right" &&
    elements.flat().every((element) => {
      const told = valueAtPath(element, path);
      return told !== undefined && !tellsNothing(told);
    })
  );
}

function clearComparison(
  elements: readonly (readonly TracedValue[])[],
  condition: ValueCondition,
  scopes: readonly EvaluationScope[],
): ValueCondition {
  const { operator, path, equals } = condition;
  if (operator !== undefined && operator !== "!=" && operator !== "contains") return condition;
  const compared = scopes.flatMap((scope, nth): readonly Compared[] => {
    const wanted = evaluate(equals, scope)?.value;
    return (elements[nth] ?? []).map((element) => ({
      element: element.value,
      value: valueAtPath(element, path)?.value,
      wanted,
    }));
  });
  const tells = operator === "contains" ? /[\p{L}\p{N}]/u : /\p{L}/u;
  const isWord = (wanted: Json | undefined): boolean =>
    typeof wanted === "boolean" ||
    (isSignForNothing(wanted) && operator === undefined) ||
    (typeof wanted === "string" && tells.test(wanted));
  if (!compared.every(({ wanted }) => isWord(wanted))) return condition;
  if (operator !== "contains")
    return compared.some(({ value, wanted }) => isNearly(value, wanted))
      ? condition
      : { ...condition, isClear: true };
  const joins = seenJoins(compared);
  const clear = [{ joins, isAlone: true }, { joins }].find((seen) =>
    compared.every(({ element, value, wanted }) => !nearlyHas(value, wanted, seen, element)),
  );
  return clear ? { ...condition, isClear: true, ...clear } : condition;
}

/** How words were joined to others in texts: what stood beside another word on one side may do so on the other. */
function seenJoins(compared: readonly Compared[]): Joins {
  const found = compared.flatMap(({ value, wanted }) =>
    typeof value === "string" && typeof wanted === "string" ? joinsIn(value, wanted) : [],
  );
  const isBeside = found.some(({ before, after }) => before === " " || after === " ");
  const seen = (signs: readonly (string | undefined)[]): readonly string[] =>
    [...new Set(signs.flatMap((sign) => sign || []).concat(isBeside ? " " : []))].sort();
  return { before: seen(found.map(({ before }) => before)), after: seen(found.map(({ after }) => after)) };
}

interface Compared {
  readonly element: Json;
  readonly value: Json | undefined;
  readonly wanted: Json | undefined;
}
