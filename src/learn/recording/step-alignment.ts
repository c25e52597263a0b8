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
