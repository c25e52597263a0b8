import type { MayWrite } from "../plan/tool-effects.ts";
import type { Sample } from "./sample.ts";
import { type SampleStep, signatureOf } from "./sample-step.ts";
import { type AlignedStep, alignedSteps } from "./step-alignment.ts";

/** Runs that do the same. */
export interface AlikeSamples {
  readonly samples: readonly Sample[];
  readonly aligned: readonly AlignedStep[];
}

/** Runs of two groups that do the same until a call that fails in the one group and succeeds in the other. */
export interface RunFork {
  readonly kind: "failure";
  /** Of both groups, those of the first group first. */
  readonly samples: readonly Sample[];
  /** The steps before the call. */
  readonly before: readonly AlignedStep[];
  readonly call: AlignedStep;
  readonly fails: string;
  readonly failed: ForkSide;
  readonly succeeded: ForkSide;
}

export interface ForkSide {
  /** The samples that have gone this way, by their numbers. */
  readonly samples: readonly number[];
  /** The steps after the call, in the order of these samples. */
  readonly aligned: readonly AlignedStep[];
}

/** Where two groups part by the failure of a call; nothing where they part otherwise, or cannot be aligned before it. */
export function forkOf(first: AlikeSamples, second: AlikeSamples, mayWrite: MayWrite): RunFork | undefined {
  const parting = partingOf(first, second, mayWrite);
  const turned = parting ? undefined : partingOf(second, first, mayWrite);
  const [inFirst, inSecond] = parting ? [parting.failing, parting.other] : [turned?.other, turned?.failing];
  const fails = (parting ?? turned)?.fails;
  if (!inFirst || !inSecond || fails === undefined) return undefined;
  const samples = [...first.samples, ...second.samples];
  const call = [...inFirst, ...inSecond];
  const all = [...samples.keys()];
  const before = alignedPart(samples, all, (nth) => [0, call[nth] ?? 0], mayWrite);
  const sides = [all.slice(0, first.samples.length), all.slice(first.samples.length)].map((numbers) => {
    const aligned = alignedPart(samples, numbers, (nth) => [(call[nth] ?? 0) + 1], mayWrite);
    return aligned && { samples: numbers, aligned };
  });
  const [one, two] = sides;
  if (!before || !one || !two) return undefined;
  const [failed, succeeded] = parting ? [one, two] : [two, one];
  return { kind: "failure", samples, before, call, fails, failed, succeeded };
}

/** The steps that may have changed the world, or have failed: what follows may be due to these. */
export function actsOf({ steps }: Sample, mayWrite: MayWrite): readonly number[] {
  return steps.flatMap((step, at) => {
    const isAct =
      step.kind === "loop"
        ? step.fork !== undefined || step.tools.some(mayWrite)
        : step.fails !== undefined || mayWrite(step.tool);
    return isAct ? [at] : [];
  });
}

/** What each of these does, by which the acts of several runs are told to be the same. */
export function actSignatures(sample: Sample, mayWrite: MayWrite): readonly string[] {
  return actsOf(sample, mayWrite).map((at) => {
    const step = sample.steps[at];
    return step ? signatureOf(step) : "";
  });
}

/** Whether every act of each sample is among the aligned steps. */
export function alignsActs({ samples, aligned }: AlikeSamples, mayWrite: MayWrite): boolean {
  return samples.every((sample, nth) => {
    const inAll = new Set(aligned.map((positions) => positions[nth]));
    return actsOf(sample, mayWrite).every((at) => inAll.has(at));
  });
}

/** The first thing in which the runs differ, if it is a call that fails in the one group and not in the other. */
function partingOf(failing: AlikeSamples, other: AlikeSamples, mayWrite: MayWrite) {
  const [run, otherRun] = [failing.samples[0], other.samples[0]];
  if (!run || !otherRun) return undefined;
  const acts = actsOf(run, mayWrite);
  const otherActs = actsOf(otherRun, mayWrite);
  const nth = acts.findIndex((at, index) => !isAlike(run.steps[at], otherRun.steps[otherActs[index] ?? -1]));
  const at = acts[nth];
  const step = run.steps[at ?? -1];
  if (at === undefined || step?.kind !== "call" || step.fails === undefined) return undefined;
  const from = (otherActs[nth - 1] ?? -1) + 1;
  const to = (otherActs[nth] ?? otherRun.steps.length) + 1;
  const there = otherRun.steps
    .slice(0, to)
    .findIndex(
      (each, index) =>
        index >= from && each.kind === "call" && each.tool === step.tool && each.fails === undefined,
    );
  const positions = failing.aligned.find(([first]) => first === at);
  const others = other.aligned.find(([first]) => first === there);
  return positions && others && { failing: positions, other: others, fails: step.fails };
}

function isAlike(step: SampleStep | undefined, other: SampleStep | undefined): boolean {
  return step !== undefined && other !== undefined && signatureOf(step) === signatureOf(other);
}

/** The steps that these samples have in common within bounds; nothing where one has acted there as another has not. */
export function alignedPart(
  samples: readonly Sample[],
  numbers: readonly number[],
  boundsOf: (nth: number) => readonly [start: number, end?: number],
  mayWrite: MayWrite,
): readonly AlignedStep[] | undefined {
  const parts = numbers.flatMap((nth) => {
    const sample = samples[nth];
    const [start, end] = boundsOf(nth);
    return sample ? [{ start, sample: { ...sample, steps: sample.steps.slice(start, end) } }] : [];
  });
  const sliced = parts.map(({ sample }) => sample);
  const aligned = alignedSteps(sliced);
  if (!alignsActs({ samples: sliced, aligned }, mayWrite)) return undefined;
  return aligned.map((positions) =>
    positions.map((position, column) => position + (parts[column]?.start ?? 0)),
  );
}
