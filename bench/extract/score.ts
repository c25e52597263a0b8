import { isLeaf, leafText, jsonLeaves, type Path } from "../../src/learn/plan/values.ts";
import type { Json } from "../../src/core/json/json.ts";
import type { Plan } from "../../src/learn/plan/plan.ts";
import type { RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import { tells } from "../../test/learn/replay.ts";

/** What one replay counts for. */
export interface Score {
  readonly replays: boolean;
  /** Argument leaves that an earlier output tells and the task does not. */
  readonly derivable: number;
  /** Those of them that no skill could derive: see `isUnderivable`. */
  readonly underivable: number;
  /**
   * Those whose value nobody supplied, where the run replayed. A parameter that is left at its default is not supplied,
   * though the default is a value of the run that was learned from: where the world has changed, it must be supplied.
   */
  readonly autonomous: number;
  /** Those of them that are not told by a default either. */
  readonly derived: number;
  /** How many parameters the skill has, and how many of them were supplied. */
  readonly params: number;
  readonly supplied: number;
}

/** A leaf counts if its text has three signs or more, stood in an earlier output and not in the task. Truth values tell nothing. */
function derivableLeaves(
  run: RecordedTrace,
): readonly { readonly call: number; readonly path: Path; readonly text: string }[] {
  const task = run.task ?? "";
  return run.calls.flatMap(({ args }, call) =>
    [...jsonLeaves(args)].flatMap(([path, leaf]) => {
      const text = leafText(leaf);
      if (text === undefined || text.length < 3 || task.includes(text)) return [];
      return run.calls.slice(0, call).some(({ result }) => tells(result, text)) ? [{ call, path, text }] : [];
    }),
  );
}

/**
 * Whether only the caller can know a value: answers merely repeat what the caller had given first, or it is one element of
 * a bare list, told nowhere else, of which the run has opened no other.
 */
function isUnderivable(
  { calls }: RecordedTrace,
  { call, text }: ReturnType<typeof derivableLeaves>[number],
): boolean {
  const earlier = calls.slice(0, call);
  const told = earlier.findIndex(({ result }) => tells(result, text));
  const given = earlier.findIndex(({ args }) => tells(args, text));
  if (given >= 0 && given <= told) return true;
  const lists = joined(earlier.map(({ result }) => bareListsWith(result, text)));
  const others = lists?.flat().filter((each) => each !== text) ?? [];
  return others.length > 0 && !calls.some(({ args }) => others.some((other) => tells(args, other)));
}

/** The lists of plain values that hold a text; nothing where it stands in another place too. */
function bareListsWith(value: Json, text: string): readonly (readonly string[])[] | undefined {
  if (isLeaf(value)) return leafText(value) === text ? undefined : [];
  if (Array.isArray(value)) {
    const elements = value as readonly Json[];
    if (elements.every(isLeaf)) {
      const texts = elements.map((each) => leafText(each) ?? "");
      return texts.includes(text) ? (texts.length > 1 ? [texts] : undefined) : [];
    }
    return joined(elements.map((each) => bareListsWith(each, text)));
  }
  const entries = Object.entries(value as object) as [string, Json][];
  if (entries.some(([key]) => key === text)) return undefined;
  return joined(entries.map(([, each]) => bareListsWith(each, text)));
}

function joined(
  found: readonly (readonly (readonly string[])[] | undefined)[],
): readonly (readonly string[])[] | undefined {
  return found.every((each) => each !== undefined) ? found.flat() : undefined;
}

export function scoreOf(run: RecordedTrace, plan: Plan | undefined, input: Input, replays: boolean): Score {
  const leaves = derivableLeaves(run);
  const count = (told: readonly Json[]): number => {
    const texts = new Set(told.flatMap((value) => [...jsonLeaves(value)].map(([, leaf]) => leafText(leaf))));
    return replays ? leaves.filter(({ text }) => !texts.has(text)).length : 0;
  };
  const supplied = Object.values(input);
  const params = plan?.params ?? [];
  const defaults = params.flatMap((param) => (Object.hasOwn(input, param.name) ? [] : (param.default ?? [])));
  return {
    replays,
    derivable: leaves.length,
    underivable: leaves.filter((leaf) => isUnderivable(run, leaf)).length,
    autonomous: count(supplied),
    derived: count([...supplied, ...defaults]),
    params: params.length,
    supplied: supplied.length,
  };
}

type Input = Readonly<Record<string, Json>>;

export interface Rates {
  readonly runs: number;
  readonly replay: number;
  /** Wilson's 95 % interval. */
  readonly replayRange: readonly [number, number];
  readonly leaves: number;
  readonly avr: number;
  /** The most that any skill could have, if all replayed. */
  readonly ceiling: number;
  /** Without what defaults tell. */
  readonly avrDerived: number;
  /** On average of the runs. */
  readonly params: number;
  readonly supplied: number;
  /** Bootstrap over runs, 95 %. */
  readonly avrRange: readonly [number, number];
}

export function ratesOf(scores: readonly Score[]): Rates {
  const replayed = scores.filter(({ replays }) => replays).length;
  const leaves = scores.reduce((sum, { derivable }) => sum + derivable, 0);
  return {
    runs: scores.length,
    replay: replayed / Math.max(1, scores.length),
    replayRange: wilson(replayed, scores.length),
    leaves,
    avr: avrOf(scores),
    ceiling: leaves === 0 ? 0 : 1 - scores.reduce((sum, { underivable }) => sum + underivable, 0) / leaves,
    avrDerived: avrOf(scores.map((score) => ({ ...score, autonomous: score.derived }))),
    params: mean(scores.map(({ params }) => params)),
    supplied: mean(scores.map(({ supplied }) => supplied)),
    avrRange: bootstrap(scores),
  };
}

function avrOf(scores: readonly Score[]): number {
  let autonomous = 0;
  let derivable = 0;
  for (const score of scores) {
    autonomous += score.autonomous;
    derivable += score.derivable;
  }
  return derivable === 0 ? 0 : autonomous / derivable;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function wilson(successes: number, trials: number): readonly [number, number] {
  if (trials === 0) return [0, 1];
  const z = 1.96;
  const rate = successes / trials;
  const scale = 1 + (z * z) / trials;
  const middle = rate + (z * z) / (2 * trials);
  const spread = z * Math.sqrt((rate * (1 - rate) + (z * z) / (4 * trials)) / trials);
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
}

const ROUNDS = 1000;

function bootstrap(scores: readonly Score[]): readonly [number, number] {
  if (scores.length === 0) return [0, 1];
  let state = 0x2545f491;
  const random = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const rates = Array.from({ length: ROUNDS }, () =>
    avrOf(scores.flatMap(() => scores[Math.floor(random() * scores.length)] ?? [])),
  ).sort((a, b) => a - b);
  return [rates[Math.floor(ROUNDS * 0.025)] ?? 0, rates[Math.floor(ROUNDS * 0.975)] ?? 1];
}
