import type { Json } from "../../../core/json/json.ts";
import type { CallView } from "../flow-candidates.ts";
import type { SharedCandidate } from "./shared-candidates.ts";
import { superlativeHint } from "./superlative-words.ts";

/** What the least or the most could mean, the likeliest first. */
export interface ReadExtremes {
  readonly found: readonly [SharedCandidate, ...SharedCandidate[]];
  /** The runs leave only one, and can hardly have it by chance. */
  readonly isSettled: boolean;
  /** The tasks say it of this quantity by its name, and of no other. */
  readonly isSaid: boolean;
}

/** So many readings an element has that chance alone would give. */
const READINGS = 8;
const MAX_CHANCE = 0.1;

/**
 * Which of the readings the runs and the tasks' words speak for; nothing where neither does: nearly every element of a list
 * is the least or the most in something.
 */
export function readExtremes(
  candidates: readonly SharedCandidate[],
  views: readonly CallView[],
  values: readonly Json[],
): ReadExtremes | undefined {
  const hintOf = ({ uses }: SharedCandidate): number =>
    Math.min(
      ...uses.map(({ extreme }, index) =>
        extreme ? superlativeHint(views[index]?.sample.trace.task, extreme) : 0,
      ),
    );
  const ranked = candidates
    .map((candidate) => ({ candidate, hint: hintOf(candidate) }))
    .sort((a, b) => b.hint - a.hint);
  const [first, ...others] = ranked;
  if (!first) return undefined;
  const runs = new Set(views.map(({ nth }) => nth)).size;
  if (first.hint === 0 && runs < 2) return undefined;
  const chance = first.candidate.uses.reduce(
    (product, { extreme }) => product / (extreme?.among ?? 1),
    READINGS,
  );
  const isTold = runs > 1 && new Set(values).size > 1 && (first.hint > 0 || chance <= MAX_CHANCE);
  const isTime = first.candidate.uses.some(({ extreme }) => extreme?.isTime !== false);
  return {
    isSaid: !isTime && first.hint > 2 && others.every(({ hint }) => hint < first.hint),
    found: [first.candidate, ...others.map(({ candidate }) => candidate)],
    isSettled: isTold && others.every(({ hint }) => hint === 0 && first.hint > 0),
  };
}
