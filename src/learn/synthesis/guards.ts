import { isJsonObject, type Json } from "../../core/json/json.ts";
import { alignedSteps } from "../recording/step-alignment.ts";
import type { MayWrite } from "../plan/tool-effects.ts";
import type { GuardStep } from "../plan/plan.ts";
import { arePartedByAmount, arePartedByPresence } from "../plan/quantities.ts";
import type { Sample } from "../recording/sample.ts";
import { arePartedByWords, MIN_RUNS } from "../recording/value-forks.ts";
import { signatureOf } from "../recording/sample-step.ts";
import { fieldExpression } from "../plan/expression.ts";
import { isLeaf, isMap, isSpecific, jsonLeaves, type Path, type TaskText, valueAt } from "../plan/values.ts";
import { stateWords } from "../plan/names.ts";
import { toolWords } from "../../trace/record/tool-words.ts";

/** The traces that do the same, and those that went another way, by their numbers. */
export interface TraceGroups {
  readonly same: readonly number[];
  readonly other: readonly number[];
}

/** The largest group of traces that act in the same way; where groups are equally large, that of the earlier trace. */
export function traceGroups(traces: readonly Sample[], mayWrite: MayWrite): TraceGroups {
  const groups = [
    ...Map.groupBy(traces.keys(), (index) => actionSignature(traces[index], mayWrite)).values(),
  ];
  const [same = []] = groups.sort((a, b) => b.length - a.length || (a[0] ?? 0) - (b[0] ?? 0));
  const others = new Set(traces.keys());
  for (const index of same) others.delete(index);
  return { same, other: [...others] };
}

/** The tools that act, and the failures that the run went on from, in their order, each once where it is repeated. */
function actionSignature(trace: Sample | undefined, mayWrite: MayWrite): string {
  const acts = (trace?.steps ?? []).flatMap((step) => {
    if (step.kind === "loop") return step.fork ? [signatureOf(step)] : step.tools.filter(mayWrite);
    return step.fails !== undefined || mayWrite(step.tool) ? [signatureOf(step)] : [];
  });
  return acts.filter((tool, index) => tool !== acts[index - 1]).join("\n");
}

/** A run of which a read is looked at. */
export interface SaidRun {
  readonly task: TaskText;
  /** What the read told. */
  readonly value: Json;
  /** What it was asked for and what the caller gives: that is no condition. */
  readonly given: ReadonlySet<Json>;
}

/**
 * What a read tells where the tasks make it a condition (that an account is active), or of which they speak, where nothing else
 * uses what it tells: it must be so again. Every run has it. What later acts bring about is not what they need (`lock` is for
 * what is not `locked`), and of what may be the contrary, too, the task makes no condition.
 */
export function saidGuards(
  name: string,
  runs: readonly SaidRun[],
  isIdle: boolean,
  acts: readonly string[],
): readonly GuardStep[] {
  const [first] = runs;
  if (!first) return [];
  return [...jsonLeaves(first.value)].flatMap(([path, value]): readonly GuardStep[] => {
    if (path.length === 0 || path.length > MAX_PATH || !isOfRecords(first.value, path)) return [];
    const words = typeof value === "boolean" ? stateWords(String(path.at(-1))) : value;
    if (typeof words !== "string" || !STATE.test(words) || isBroughtAbout(words, acts)) return [];
    const isSaid = runs.every(({ task, given, value: answer }) => {
      return (
        !given.has(value) &&
        valueAt(answer, path) === value &&
        !mentionsContrary(task, words) &&
        (task.provides(words) || (isIdle && words === words.toLowerCase() && task.mentions(words)))
      );
    });
    if (!isSaid) return [];
    const told = fieldExpression({ kind: "ref", name }, path.map(String));
    return [{ kind: "guard", value: told, equals: { kind: "constant", value } }];
  });
}

/** Whether one of the tools makes things so, by its name. */
function isBroughtAbout(state: string, tools: readonly string[]): boolean {
  return tools.flatMap(toolWords).some((verb) => verb.length > 2 && PARTICIPLE.test(behind(verb, state)));
}

/** What a word has behind another that it begins with; all of it where it does not. */
function behind(begin: string, word: string): string {
  return word.toLowerCase().startsWith(begin) ? word.slice(begin.length) : word;
}

const PARTICIPLE = /^(?:e?d|[a-z]ed|e?n)$/;

function mentionsContrary(task: TaskText, state: string): boolean {
  return ["un", "in", "dis", "non-", "not ", "not yet ", "never ", "isn't ", "aren't "].some((before) =>
    task.mentions(before + state),
  );
}

const MAX_PATH = 3;

/** Whether no part of a path is an index or an id, which another run would not have. */
function isOfRecords(value: Json, path: Path): boolean {
  return path.every((part, depth) => {
    const record = valueAt(value, path.slice(0, depth));
    return typeof part === "string" && isJsonObject(record) && !isMap(record);
  });
}
const STATE = /^\p{L}[\p{L}_ -]{1,19}$/u;

/** A condition that holds in all runs that went this way, and in none that went another. */
export interface Guard {
  /** Whether nothing else that the runs were told would part them as well. */
  readonly isSure: boolean;
  /** It stands after this step of the first sample. */
  readonly after: number;
  readonly step: GuardStep;
}

/** What tells the samples from those that went another way, in what both had seen before they parted; nothing if nothing does. */
export function guardOf(
  samples: readonly Sample[],
  aligned: readonly (readonly number[])[],
  others: readonly Sample[],
  names: readonly (string | undefined)[],
  mayWrite: MayWrite,
): Guard | undefined {
  const [base] = samples;
  if (!base || others.length === 0) return undefined;
  const matches = others.map((other) => new Map(commonSteps(base, other, mayWrite)));
  const answers = aligned.flatMap((positions): readonly (readonly Json[])[][] => {
    const [first = 0] = positions;
    const seen = matches.map((match, index) => others[index]?.steps[match.get(first) ?? -1]?.value);
    const own = samples.map((sample, nth) => sample.steps[positions[nth] ?? -1]?.value ?? null);
    return seen.every((value) => value !== undefined) ? [[own, seen]] : [];
  });
  const isSure =
    samples.length + others.length >= MIN_RUNS &&
    !arePartedByWords([samples, others]) &&
    !answers.some((each) => arePartedByAmount(each) || arePartedByPresence(each));
  for (const positions of aligned.toReversed()) {
    const [first = 0] = positions;
    const name = names[first];
    const seen = matches.map((match, index) => {
      const position = match.get(first);
      return position === undefined ? undefined : others[index]?.steps[position]?.value;
    });
    if (name === undefined || !seen.every((value) => value !== undefined)) continue;
    const own = samples.map((sample, nth) => sample.steps[positions[nth] ?? -1]?.value ?? null);
    const found = distinguishingValue(own, seen);
    if (!found) continue;
    const value = fieldExpression({ kind: "ref", name }, found.path.map(String));
    return {
      isSure,
      after: first,
      step: { kind: "guard", value, equals: { kind: "constant", value: found.value } },
    };
  }
  return undefined;
}

/** The steps that two samples have in common before one of them acts in another way. */
function commonSteps(
  base: Sample,
  other: Sample,
  mayWrite: MayWrite,
): readonly (readonly [number, number])[] {
  const pairs = alignedSteps([base, other]).map(([a = 0, b = 0]) => [a, b] as const);
  const matched = new Set(pairs.map(([, b]) => b));
  const parting = other.steps.findIndex(
    (step, index) => step.kind === "call" && mayWrite(step.tool) && !matched.has(index),
  );
  return parting < 0 ? pairs : pairs.filter(([, b]) => b < parting);
}

function distinguishingValue(
  own: readonly Json[],
  others: readonly Json[],
): { readonly path: Path; readonly value: Json } | undefined {
  const [first = null] = own;
  for (const [path, value] of jsonLeaves(first)) {
    const isPlain =
      typeof value === "boolean" || (typeof value === "string" && value.length <= 40 && !isSpecific(value));
    if (!isPlain || path.length === 0 || path.some((part) => typeof part === "number")) continue;
    const isOwn = own.every((each) => valueAt(each, path) === value);
    const isTold = others.every((each) => {
      const there = valueAt(each, path);
      return there !== undefined && isLeaf(there) && there !== value;
    });
    if (isOwn && isTold) return { path, value };
  }
  return undefined;
}
