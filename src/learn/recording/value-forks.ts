import type { Json } from "../../core/json/json.ts";
import { type MayWrite, soundsReading } from "../plan/tool-effects.ts";
import { arePartedByAmount, arePartedByPresence } from "../plan/quantities.ts";
import { isSpecific, jsonLeaves, leafText, type Path, valueAt } from "../plan/values.ts";
import { actSignatures, actsOf, alignedPart, type AlikeSamples, type ForkSide } from "./failure-forks.ts";
import type { Sample } from "./sample.ts";
import { argsOf } from "./sample-step.ts";
import type { AlignedStep } from "./step-alignment.ts";

/** Groups of runs that do the same until something in an answer is another thing in each group. */
export interface ValueFork {
  readonly kind: "value";
  /** Of all groups, those of the first group first. */
  readonly samples: readonly Sample[];
  /** The steps before the groups part. */
  readonly before: readonly AlignedStep[];
  /** All in the answers to these steps that is the same within each group and another in each other one. */
  readonly deciding: readonly DecidingPlace[];
  /** Where no answer decides: the tool that the first of two sides calls and the second does not. */
  readonly optional?: string;
  readonly sides: readonly ValueSide[];
}

/** A place in what a step gave: the step is one of those before, by its number. */
interface DecidingPlace {
  readonly step: number;
  readonly path: readonly string[];
}

interface ValueSide extends ForkSide {
  /** What the deciding places hold. */
  readonly values: readonly Json[];
}

/** With more of them there are too few runs to tell what decides. */
const MAX_DECIDING = 4;
/** A word differs by chance in two runs. */
export const MIN_RUNS = 3;

/** Where groups part by what they have read; nothing where nothing tells them apart, or too much does. */
export function valueForkOf(groups: readonly AlikeSamples[], mayWrite: MayWrite): ValueFork | undefined {
  const samples = groups.flatMap((group) => group.samples);
  const numbers = numbersOf(groups);
  const parting = partingActs(samples, mayWrite);
  const all = [...samples.keys()];
  const before = alignedPart(samples, all, (nth) => [0, parting[nth] ?? 0], mayWrite);
  if (!before) return undefined;
  const deciding = decidingPlaces(samples, before, numbers);
  if (deciding.length > MAX_DECIDING) return undefined;
  // Where something else would part them as well, nothing tells which decides.
  if (deciding.length > 0 && (samples.length < MIN_RUNS || areParted(samples, before, numbers)))
    return undefined;
  const optional = deciding.length === 0 ? optionalAct(groups, parting, mayWrite) : undefined;
  if (deciding.length === 0 && !optional) return undefined;
  const ends = samples.map((_, nth) => Math.max(-1, ...before.map((positions) => positions[nth] ?? -1)) + 1);
  const sides = numbers.flatMap((own, group): readonly ValueSide[] => {
    const aligned = alignedPart(samples, own, (nth) => [ends[nth] ?? 0], mayWrite);
    const [first = 0] = own;
    const values = optional
      ? [group === optional.group]
      : deciding.map(({ step, path }) => valueThere(samples, before, step, first, path) ?? null);
    return aligned ? [{ samples: own, aligned, values }] : [];
  });
  if (sides.length < groups.length) return undefined;
  const told = optional ? { optional: optional.tool } : {};
  return { kind: "value", samples, before, deciding, sides, ...told };
}

/** The first act that one of two groups has besides all acts of the other. */
function optionalAct(
  groups: readonly AlikeSamples[],
  parting: readonly number[],
  mayWrite: MayWrite,
): { readonly group: number; readonly tool: string } | undefined {
  const firsts = groups.flatMap(({ samples }) => samples[0] ?? []);
  const acts = firsts.map((sample) => actSignatures(sample, mayWrite));
  const [first = [], second = []] = acts;
  if (groups.length !== 2 || first.length === second.length) return undefined;
  const group = first.length > second.length ? 0 : 1;
  const [longer, shorter] = group === 0 ? [first, second] : [second, first];
  let at = 0;
  for (const act of longer) if (act === shorter[at]) at++;
  const start = parting[group === 0 ? 0 : (groups[0]?.samples.length ?? 0)];
  const step = firsts[group]?.steps[start ?? -1];
  const tool = step?.kind === "loop" ? step.tools[0] : step?.tool;
  // To read more, or to do once more what is done anyway, is how a run went rather than what its caller wanted.
  const isWish = tool !== undefined && !soundsReading(tool) && !shorter.some((act) => act.includes(tool));
  return at === shorter.length && shorter.length > 0 && isWish ? { group, tool } : undefined;
}

/** The numbers that the samples of each group have among those of all. */
function numbersOf(groups: readonly AlikeSamples[]): readonly (readonly number[])[] {
  let next = 0;
  return groups.map((group) => group.samples.map(() => next++));
}

/** In each sample, the first act that not all have; where it has none, the end. */
function partingActs(samples: readonly Sample[], mayWrite: MayWrite): readonly number[] {
  const acts = samples.map((sample) => actsOf(sample, mayWrite));
  const signatures = samples.map((sample) => actSignatures(sample, mayWrite));
  const [first = []] = signatures;
  const alike = first.findIndex((signature, at) => signatures.some((each) => each[at] !== signature));
  const common = alike < 0 ? first.length : alike;
  return samples.map(({ steps }, nth) => acts[nth]?.[common] ?? steps.length);
}

function decidingPlaces(
  samples: readonly Sample[],
  before: readonly AlignedStep[],
  numbers: readonly (readonly number[])[],
): readonly DecidingPlace[] {
  const given = samples.map((sample) => givenTexts(sample));
  return before.flatMap((positions, step) => {
    const [base] = samples;
    const value = base?.steps[positions[0] ?? -1]?.value ?? null;
    return [...jsonLeaves(value)].flatMap(([path]): readonly DecidingPlace[] => {
      const names = path.filter((part) => typeof part === "string");
      if (path.length === 0 || names.length < path.length) return [];
      const there = samples.map((_, nth) => valueThere(samples, before, step, nth, path));
      if (!there.every((each, nth) => isPlain(each) && given[nth]?.has(leafText(each) ?? "") !== true))
        return [];
      const found = numbers.map((own) => new Set(own.map((nth) => there[nth])));
      const isConstant = found.every((values) => values.size === 1);
      const isTold = new Set(found.flatMap((values) => Array.from(values))).size === numbers.length;
      return isConstant && isTold ? [{ step, path: names }] : [];
    });
  });
}

/** Whether some amount in the answers, or the words of their tasks, would part the groups as well. */
function areParted(
  samples: readonly Sample[],
  before: readonly AlignedStep[],
  numbers: readonly (readonly number[])[],
): boolean {
  const tasks = numbers.map((own) => own.flatMap((nth) => samples[nth] ?? []));
  return (
    arePartedByWords(tasks) ||
    before.some((_, step) => {
      const answers = numbers.map((own) =>
        own.map((nth) => valueThere(samples, before, step, nth, []) ?? null),
      );
      return arePartedByAmount(answers) || arePartedByPresence(answers);
    })
  );
}

function valueThere(
  samples: readonly Sample[],
  before: readonly AlignedStep[],
  step: number,
  nth: number,
  path: Path,
): Json | undefined {
  return valueAt(samples[nth]?.steps[before[step]?.[nth] ?? -1]?.value, path);
}

/** Whether the tasks of one group have a word that no task of another has, and that is no value of their runs. */
export function arePartedByWords(groups: readonly (readonly Sample[])[]): boolean {
  return groups.some((own) => {
    const shared = own
      .map(({ task }) => task.plainWords())
      .reduce((common, words) => common.intersection(words));
    const values = own.map(({ trace }) =>
      JSON.stringify(trace.calls.map(({ args, result }) => [args, result])).toLowerCase(),
    );
    const words = [...shared].filter((word) => !values.some((text) => text.includes(word)));
    return groups.some((others) =>
      words.some((word) => others.every(({ task }) => !task.plainWords().has(word))),
    );
  });
}

/** States and kinds are short words, and no names of things. */
function isPlain(value: Json | undefined): value is boolean | string {
  return (
    typeof value === "boolean" || (typeof value === "string" && value.length <= 40 && !isSpecific(value))
  );
}

/** What the calls were made with: an answer that has it again tells nothing new. */
function givenTexts({ trace, steps }: Sample): ReadonlySet<string> {
  const calls = steps.flatMap((step) =>
    step.kind === "call" ? [step.call] : step.rounds.flat().filter((call) => call !== undefined),
  );
  return new Set(
    calls.flatMap((call) => [...jsonLeaves(argsOf(trace, call))].flatMap(([, leaf]) => leafText(leaf) ?? [])),
  );
}
