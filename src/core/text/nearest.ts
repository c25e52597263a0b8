import { distance } from "fastest-levenshtein";

/** The known name that a mistyped one most likely means, if any is near enough. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((name) => ({ name, away: distance(given.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.away - b.away);
  const [best] = ranked;
  return best && best.away <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined;
}

/** ` Did you mean "…"?`, or nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  const found = nearest(given, known);
  return found === undefined ? "" : ` Did you mean "${found}"?`;
}
