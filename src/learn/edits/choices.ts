import { fieldExpression } from "../plan/expression.ts";
import type { CallStep, ChoiceStep, Expression, Param, Plan, Step } from "../plan/plan.ts";
import { nameWords, singular } from "../plan/names.ts";
import { expressionsOf, hasName, namedSteps } from "../plan/steps.ts";
import { mayWriteBy } from "../plan/tool-effects.ts";
import { isMap, isSame, jsonLeaves, type Path, TaskText, valueAt } from "../plan/values.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { answerUses } from "../texts/answer-uses.ts";
import { learnedReadings, rawAnswer, usedReads } from "../texts/readings.ts";
import { readAnswer, type TextReading } from "../texts/text-form.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import { elementsOf, evaluate, valueAtPath } from "./evaluate.ts";
import { paramsIn } from "./plan-leaves.ts";
import { draftCalls, type RecordedRun, RETURN } from "./recorded-run.ts";
import { firstTrace, recordedRuns, type RevisionContext } from "./revision-context.ts";
import { recordedCalls } from "./translation.ts";

/** A parameter that the user of the run told only when an answer had shown what there is. */
export interface LateChoice {
  readonly param: string;
  readonly step: ChoiceStep;
  /** The step whose answer has shown it. */
  readonly shownBy: string;
  /** How texts in that answer are read that the plan does not read so far. */
  readonly reads: readonly TextReading[];
  /** The tools that are called up to then and may write: with one of them the skill cannot stop there and be called again. */
  readonly writing: readonly string[];
}

/**
 * The work in which callers may leave out what the person behind them can only know from what the skill finds: then it
 * ends, before it writes anything, with what there is to choose from.
 */
export function withChoices(context: RevisionContext): RevisionContext {
  const open = lateChoices(context).filter(({ writing }) => writing.length === 0);
  if (open.length === 0) return context;
  const { plan } = context;
  const all = plan.steps.flatMap((step): readonly Step[] => {
    const own = hasName(step) ? open.filter(({ shownBy }) => shownBy === step.name) : [];
    return [step, ...own.map((choice) => choice.step)];
  });
  const uses = answerUses({ steps: all, output: plan.output });
  const withReads = (step: Step): Step => {
    const shown = hasName(step) ? open.find(({ shownBy }) => shownBy === step.name) : undefined;
    if (step.kind !== "call" || !shown) return step;
    const reads = [...(step.reads ?? []), ...usedReads(shown.reads, uses.get(step.name) ?? [])];
    return reads.length === 0 ? step : { ...step, reads };
  };
  const steps = all.map(withReads);
  const chosen = new Set(open.map(({ param }) => param));
  const params = plan.params.map((param) =>
    chosen.has(param.name) ? { ...param, optional: true, description: param.description ?? LEFT_OUT } : param,
  );
  return { ...context, plan: { ...plan, steps, params } };
}

const LEFT_OUT = "Where it is left out, the skill ends with what there is to choose from.";

/** The parameters that are choices by the runs, and no such step yet. */
export function lateChoices(unread: RevisionContext): readonly LateChoice[] {
  const { sources } = unread;
  if (!sources.some(({ trace }) => trace.turns !== undefined)) return [];
  const context = { ...unread, plan: withAllTextsRead(unread) };
  const { plan } = context;
  const runs = recordedRuns(context);
  const known = new Set(plan.steps.flatMap((step) => (step.kind === "choice" ? paramsIn(step.chosen) : [])));
  return plan.params.flatMap((param) => {
    if (known.has(param.name) || param.optional === true || param.secret === true) return [];
    const found = shownOptions(context, unread.plan, param, runs[0] ?? new Map());
    return found && isChosenInAll(context, param, found, runs) ? [found] : [];
  });
}

/** The plan in which texts are read, too, of which it uses nothing so far: they may be what the user chose from. */
function withAllTextsRead({ plan, sources }: RevisionContext): Plan {
  const readings = learnedReadings(sources.map(({ trace }) => trace));
  const uses = answerUses(plan);
  const readAll = (step: CallStep): CallStep => {
    const own = uses.get(step.name) ?? [];
    const known = step.reads ?? [];
    const reads = (readings.get(step.tool) ?? []).flatMap(({ path, forms }): readonly TextReading[] => {
      const [form = [], ...others] = forms;
      const before = known.find((read) => isSame([...read.path], [...path]));
      const isUsed = own.some((use) => path.every((key, nth) => use.path[nth] === key));
      return others.length > 0 || before || isUsed ? [] : [{ path, forms: form }];
    });
    return reads.length === 0 ? step : { ...step, reads: [...known, ...reads] };
  };
  return { ...plan, steps: plan.steps.map((step) => (step.kind === "call" ? readAll(step) : step)) };
}

/** Whether the plan reads the text already. */
function isRead({ steps }: Plan, name: string, { path }: TextReading): boolean {
  return steps.some(
    (step) =>
      step.kind === "call" &&
      step.name === name &&
      step.reads?.some((read) => isSame([...read.path], [...path])),
  );
}

/** What a call has answered, as the step reads it. */
function answerAt({ calls }: RecordedTrace, call: number, step: Step): Json {
  const made = calls[call];
  const answer = made ? rawAnswer(made) : null;
  return step.kind === "call" ? (readAnswer(answer, step.reads ?? []) ?? answer) : answer;
}

/** Where the last answer before the user said the parameter's value has it as one of several. */
function shownOptions(
  context: RevisionContext,
  unread: Plan,
  param: Param,
  run: RecordedRun,
): LateChoice | undefined {
  const { plan, sources } = context;
  const trace = firstTrace(context);
  const { example: value } = param;
  if ((typeof value !== "string" && typeof value !== "number") || value === "") return undefined;
  const after = firstSaidAfter(trace, value);
  const [source] = sources;
  const [used = 0] = param.origins
    .map(({ call, selects }) => selects?.call ?? call)
    .toSorted((a, b) => a - b);
  if (after === undefined || after === 0 || after > used || !source) return undefined;
  const field = param.origins
    .find(({ at }) => at === "args")
    ?.path.findLast((part) => typeof part === "string");
  for (const call of draftCalls(source).toReversed()) {
    if (call >= after) continue;
    const index = plan.steps.findIndex((step) => recordedCalls(step, run).includes(call));
    const step = plan.steps[index];
    const isUsedBefore = plan.steps
      .slice(0, index + 1)
      .some((each) => expressionsOf(each).some((expression) => paramsIn(expression).includes(param.name)));
    if (!step || isUsedBefore || (step.kind !== "call" && step.kind !== "loop")) continue;
    const lists = listsWith(answerAt(trace, call, step), value);
    const likely = typeof value === "number" ? lists.filter((each) => isCalled(each, field)) : lists;
    const [list] = likely.toSorted(
      (a, b) => Number(b.path.at(-1) === field) - Number(a.path.at(-1) === field),
    );
    if (!list) continue;
    const from = optionsOf(step, list);
    if (!from) continue;
    const mayWrite = mayWriteBy(plan.effects);
    const tools = namedSteps(plan.steps.slice(0, index + 1)).flatMap((each) =>
      each.kind === "call" && mayWrite(each.tool) ? [each.tool] : [],
    );
    return {
      param: param.name,
      step: { kind: "choice", chosen: { kind: "param", name: param.name }, in: from, path: list.path },
      shownBy: step.name,
      reads:
        step.kind === "call" ? (step.reads ?? []).filter((read) => !isRead(unread, step.name, read)) : [],
      writing: [...new Set(tools)],
    };
  }
  return undefined;
}

/** Whether a list of numbers, or the field in which its elements have them, is called as the argument is: others have some by chance. */
function isCalled({ lists, path }: OptionList, field: string | undefined): boolean {
  const words = new Set(nameWords(field ?? "").map(singular));
  const name = path.at(-1) ?? lists.flat().at(-1) ?? "";
  return nameWords(name).some((word) => words.has(singular(word)));
}

/** How many calls had been made when the user first said the value; nothing where the user never said it. */
function firstSaidAfter({ turns = [] }: RecordedTrace, value: Json): number | undefined {
  return turns.find(({ text }) => {
    const said = new TaskText(text);
    return said.says(value) || said.mentions(value);
  })?.after;
}

/** A list in an answer, by the lists that it stands in, and where in its elements a value stands. */
interface OptionList {
  /** The path to the first list, and from the elements of each to the next. */
  readonly lists: readonly (readonly string[])[];
  /** The list is the entries of a map. */
  readonly isMap: boolean;
  readonly path: readonly string[];
}

/** The lists, and maps, that have the value as one of several. */
function listsWith(answer: Json, value: Json): readonly OptionList[] {
  const found: OptionList[] = [];
  for (const [path, leaf] of jsonLeaves(answer)) {
    if (!isSame(leaf, value)) continue;
    const last = path.findLastIndex((part) => typeof part === "number");
    const list = last < 0 ? undefined : listAt(path.slice(0, last + 1));
    const inner = path.slice(last + 1).map(String);
    if (list && hasOthers(elementsAt([answer], list), inner, value))
      found.push({ lists: list, isMap: false, path: inner });
  }
  if (typeof value === "string") found.push(...mapsWith(answer, value, []));
  return found;
}

/** The elements of the last of the lists in lists; none where some on the way have no such list. */
function elementsAt(
  values: readonly Json[],
  [path, ...others]: readonly (readonly string[])[],
): readonly Json[] {
  if (path === undefined) return values;
  const lists = values.map((value) => valueAt(value, path));
  return lists.every((list) => Array.isArray(list)) ? elementsAt(lists.flat(), others) : [];
}

function mapsWith(answer: Json, key: string, path: Path): readonly OptionList[] {
  if (Array.isArray(answer))
    return (answer as readonly Json[]).flatMap((each, index) => mapsWith(each, key, [...path, index]));
  if (!isJsonObject(answer)) return [];
  const inner = Object.entries(answer).flatMap(([name, each]) => mapsWith(each, key, [...path, name]));
  const isOwn =
    Object.hasOwn(answer, key) &&
    isMap(answer) &&
    Object.keys(answer).length > 1 &&
    path.every((part) => typeof part === "string");
  return isOwn ? [...inner, { lists: [path.map(String)], isMap: true, path: ["key"] }] : inner;
}

/** The paths between the lists of a path that ends in one. */
function listAt(path: Path): readonly (readonly string[])[] {
  const lists: string[][] = [[]];
  for (const part of path.slice(0, -1)) {
    if (typeof part === "number") lists.push([]);
    else lists.at(-1)?.push(part);
  }
  return lists;
}

function hasOthers(options: readonly Json[], path: Path, value: Json): boolean {
  return options.some((element) => {
    const other = valueAt(element, path);
    return typeof other === typeof value && !isSame(other, value);
  });
}

/** The options as an expression over what the step gives. */
function optionsOf(
  step: Extract<Step, { readonly kind: "call" | "loop" }>,
  { lists: [first = [], ...others], isMap: isOfMap }: OptionList,
): Expression | undefined {
  const ref: Expression = { kind: "ref", name: step.name };
  if (step.kind === "call") {
    const list = flatOf(fieldExpression(ref, first), others);
    return isOfMap ? { kind: "entries", of: list } : list;
  }
  if (isOfMap || step.gives.kind !== "ref") return undefined;
  return flatOf({ kind: "flat", of: ref, path: first }, others);
}

function flatOf(list: Expression, paths: readonly (readonly string[])[]): Expression {
  return paths.reduce<Expression>((of, path) => ({ kind: "flat", of, path }), list);
}

/** Whether each of the runs has chosen one of the options. */
function isChosenInAll(
  { plan, sources }: RevisionContext,
  { name }: Param,
  { step, shownBy }: LateChoice,
  runs: readonly RecordedRun[],
): boolean {
  return sources.every((_, nth) => {
    const [end] = runs[nth]?.get(RETURN) ?? [];
    const value = end?.scope.params.get(name);
    const options = end && evaluate(step.in, end.scope);
    return (
      value !== undefined &&
      options !== undefined &&
      plan.steps.some((each) => hasName(each) && each.name === shownBy) &&
      elementsOf(options).some((option) => isSame(valueAtPath(option, step.path)?.value, value))
    );
  });
}
