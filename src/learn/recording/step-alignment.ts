import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { MayWrite } from "../plan/tool-effects.ts";
import type { RecordedTrace } from "./recorded-trace.ts";
import type { Sample } from "./sample.ts";
import { argsOf, type SampleStep, signatureOf } from "./sample-step.ts";

/** A step that every sample has: for each sample, the index of its step. */
export type AlignedStep = readonly number[];

/** The steps that all samples have in the same order, matched by tool and by the names of the arguments. */
export function alignedSteps(samples: readonly Sample[]): readonly AlignedStep[] {
  const [base, ...others] = samples;
  if (!base) return [];
  const matches = others.map((other) => alignment(base, other));
  return base.steps.flatMap((_, index) => {
    const found = matches.map((match) => match.get(index));
    return found.every((each) => each !== undefined) ? [[index, ...found]] : [];
  });
}

/** Needleman and Wunsch's alignment; two steps match only if they call the same tools. */
function alignment(a: Sample, b: Sample): ReadonlyMap<number, number> {
  const rows = a.steps.length;
  const columns = b.steps.length;
  const best = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1));
  const score = (row: number, column: number): number => best[row]?.[column] ?? 0;
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const likeness = stepSimilarity(a, a.steps[row], b, b.steps[column]);
      const both = likeness > 0 ? likeness + score(row + 1, column + 1) : 0;
      const cells = best[row];
      if (cells) cells[column] = Math.max(both, score(row + 1, column), score(row, column + 1));
    }
  }
  const pairs = new Map<number, number>();
  for (let row = 0, column = 0; row < rows && column < columns;) {
    const likeness = stepSimilarity(a, a.steps[row], b, b.steps[column]);
    if (likeness > 0 && score(row, column) === likeness + score(row + 1, column + 1)) {
      pairs.set(row++, column++);
    } else if (score(row, column) === score(row + 1, column)) row++;
    else column++;
  }
  return pairs;
}

function stepSimilarity(
  a: Sample,
  left: SampleStep | undefined,
  b: Sample,
  right: SampleStep | undefined,
): number {
  if (!left || !right || signatureOf(left) !== signatureOf(right)) return 0;
  if (left.kind === "loop" || right.kind === "loop") return 2;
  const names = Object.keys(argsOf(a.trace, left.call));
  const others = new Set(Object.keys(argsOf(b.trace, right.call)));
  const shared = names.filter((name) => others.has(name)).length;
  return 1 + shared / Math.max(1, names.length, others.size);
}

/**
 * The most runs, by their numbers, that give the tools which may write their arguments in one form; of as many, those with
 * the first. Where a tool takes a title as a text and as a list of texts, runs of both have nothing in common there.
 */
export function runsOfOneForm(traces: readonly RecordedTrace[], mayWrite: MayWrite): readonly number[] {
  if (traces.length < 2) return [...traces.keys()];
  const forms = traces.map((trace) => kindsOf(trace, mayWrite));
  const groups: number[][] = [];
  for (const [number, own] of forms.entries()) {
    const group = groups.find((numbers) => numbers.every((other) => areOneForm(own, forms[other] ?? own)));
    if (group) group.push(number);
    else groups.push([number]);
  }
  return groups.reduce((most, group) => (group.length > most.length ? group : most), []);
}

type Kind = "list" | "object" | "value";

/** What stands at each place of the arguments of tools, in any of a run's calls. */
type Kinds = ReadonlyMap<string, ReadonlySet<Kind>>;

function kindsOf({ calls }: RecordedTrace, mayWrite: MayWrite): Kinds {
  const kinds = new Map<string, Set<Kind>>();
  const visit = (value: Json, place: string): void => {
    if (value === null) return;
    const known = kinds.get(place) ?? new Set();
    kinds.set(place, known);
    known.add(Array.isArray(value) ? "list" : isJsonObject(value) ? "object" : "value");
    if (Array.isArray(value)) for (const each of value as readonly Json[]) visit(each, `${place}[]`);
    else if (isJsonObject(value))
      for (const [key, each] of Object.entries(value)) visit(each, `${place}.${JSON.stringify(key)}`);
  };
  for (const { tool, args, error } of calls) if (error === undefined && mayWrite(tool)) visit(args, tool);
  return kinds;
}

function areOneForm(first: Kinds, second: Kinds): boolean {
  return [...first].every(([place, kinds]) => !(second.get(place)?.isDisjointFrom(kinds) ?? false));
}
