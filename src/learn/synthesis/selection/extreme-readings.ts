import type { Json } from "../../../core/json/json.ts";
import { subexpressions } from "../../plan/expression.ts";
import type { CallView, Candidate } from "../flow-candidates.ts";
import { sharedCandidates, type SharedCandidate } from "./shared-candidates.ts";
import { superlativeHint } from "./superlative-words.ts";

/** What the least or the most could mean, the likeliest first. */
export interface ReadExtremes {
  readonly found: readonly [SharedCandidate, ...SharedCandidate[]];
  /** The runs leave only one, and can hardly have it by chance. */
  readonly isSettled: boolean;
  /** The tasks say it of this quantity by its name, and of no other. */
  readonly isSaid: boolean;
}

/** Of a number that is written in a text the text is the better. */
function isCast({ expression }: SharedCandidate): boolean {
  return expression.kind === "cast";
}

/** Whether two take something of the same element, found alike. */
function isSameExtreme(one: SharedCandidate, other: SharedCandidate): boolean {
  const [own, others] = [one, other].map(({ expression }) =>
    JSON.stringify(subexpressions(expression).find(({ kind }) => kind === "extreme")),
  );
  return own === others;
}

/** How much the words of a view's task speak for the least or the most that a candidate has. */
function extremeHint({ extreme }: Candidate, view: CallView | undefined): number {
  return extreme ? superlativeHint(view?.sample.trace.task, extreme) : 0;
}

/** Whether the task names the quantity of which an element has the least or the most. */
export function isNamedExtreme(use: Candidate, view: CallView | undefined): boolean {
  return isNamed(extremeHint(use, view));
}

function isNamed(hint: number): boolean {
  return hint > 2;
}

/** What a view's task asks for by naming the quantity of which it has the least or the most, where nothing else is it. */
export function saidExtreme(
  value: Json,
  candidates: readonly Candidate[],
  view: CallView,
): Candidate | undefined {
  const readings = readExtremes(sharedCandidates([candidates]), [view], [value]);
  return readings?.isSaid === true ? readings.found[0].uses[0] : undefined;
}

/** Whether it is nearest to a limit that the tasks say. */
function isWithinLimit({ uses }: SharedCandidate): boolean {
  return uses.every(({ extreme }) => extreme?.isWithin === true);
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
    Math.min(...uses.map((use, index) => extremeHint(use, views[index])));
  const ranked = candidates
    .map((candidate) => ({ candidate, hint: hintOf(candidate) }))
    .sort(
      (a, b) =>
        b.hint - a.hint ||
        Number(isWithinLimit(b.candidate)) - Number(isWithinLimit(a.candidate)) ||
        Number(isCast(a.candidate)) - Number(isCast(b.candidate)),
    );
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
  // Which of several columns is within a limit, its name does not tell: what leaves is not there yet.
  const isOnlyMeant = others.every(
    ({ candidate, hint }) =>
      (hint < first.hint && !isWithinLimit(candidate)) || isSameExtreme(candidate, first.candidate),
  );
  return {
    isSaid:
      isOnlyMeant && ((!isTime && isNamed(first.hint)) || (isWithinLimit(first.candidate) && first.hint > 0)),
    found: [first.candidate, ...others.map(({ candidate }) => candidate)],
    isSettled: isTold && others.every(({ hint }) => hint === 0 && first.hint > 0),
  };
}
