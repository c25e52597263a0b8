import type { Failure } from "../core/error.ts";
import type { Meaning } from "./meaning.ts";
import { type Searchable, WordIndex } from "./word-index.ts";

/** What fits a query, best first. */
export interface FoundSkills<Item> {
  readonly items: readonly Item[];
  /**
   * How near the query is to what requests for a skill must mean, by its name, and whether that is near enough; only where
   * that is known. Those that it does not fit come last.
   */
  readonly intents?: ReadonlyMap<string, IntentFit>;
  /** Why it was searched by text alone, where it should have been by meaning, too. */
  readonly fault?: Failure;
}

interface IntentFit {
  /** From 0 to 1. */
  readonly confidence: number;
  readonly fits: boolean;
}

const index = new WordIndex();

/**
 * The skills that fit a query best, by their words and, where vectors of texts can be had, by meaning: each list ranks, and
 * what stands high in one or both comes first. The given set must not change.
 */
export async function searchSkills<Item extends Searchable>(
  skills: ReadonlyMap<string, Item>,
  query: string,
  most: number,
  meaning?: Meaning,
): Promise<FoundSkills<Item>> {
  const byText = await index.search(skills, query, Math.max(most, MAX_NEAREST));
  const byMeaning =
    skills.size > 0 ? await meaning?.nearness(query, [...skills.values()].map(meaningText)) : undefined;
  const nearest = byMeaning?.ok ? nearestOf([...skills.keys()], byMeaning.value) : [];
  const ranked = nearest.length === 0 ? byText : fusedRanking([byText, nearest]);
  const intents = byMeaning?.ok ? await intentFits(ranked, skills, query, meaning) : undefined;
  const isUnfit = (name: string): boolean => intents?.get(name)?.fits === false;
  const names = [...ranked.filter((name) => !isUnfit(name)), ...ranked.filter(isUnfit)];
  return {
    items: names.slice(0, most).flatMap((name) => skills.get(name) ?? []),
    ...(intents ? { intents } : {}),
    ...(byMeaning?.ok === false ? { fault: byMeaning.error } : {}),
  };
}

/** How well the query fits what requests for skills must mean: all of it, so the least counts. */
async function intentFits(
  names: readonly string[],
  skills: ReadonlyMap<string, Searchable>,
  query: string,
  meaning: Meaning | undefined,
): Promise<ReadonlyMap<string, IntentFit> | undefined> {
  const wanted = names.flatMap((name) =>
    (skills.get(name)?.matching?.intents ?? []).map(({ description, threshold }) => ({
      name,
      description,
      threshold,
    })),
  );
  if (wanted.length === 0) return undefined;
  const near = await meaning?.nearness(
    query,
    wanted.map(({ description }) => description),
  );
  if (!near?.ok) return undefined;
  const fits = new Map<string, IntentFit>();
  for (const [at, { name, threshold }] of wanted.entries()) {
    const told = near.value[at];
    if (told === undefined) continue;
    const confidence = Math.max(0, Math.round(told * 1000) / 1000);
    const before = fits.get(name) ?? { confidence: 1, fits: true };
    fits.set(name, {
      confidence: Math.min(before.confidence, confidence),
      fits: before.fits && confidence >= threshold,
    });
  }
  return fits;
}

/** Those that are clearly nearer than others, nearest first: what near means is another thing for each model. */
function nearestOf(names: readonly string[], nearness: readonly (number | undefined)[]): readonly string[] {
  const known = names
    .flatMap((name, index) => {
      const near = nearness[index];
      return near === undefined ? [] : [{ name, near }];
    })
    .toSorted((a, b) => b.near - a.near);
  const mean = known.reduce((sum, { near }) => sum + near, 0) / known.length;
  const least = ((known[0]?.near ?? 0) + mean) / 2;
  return known
    .filter(({ near }) => near >= least)
    .slice(0, MAX_NEAREST)
    .map(({ name }) => name);
}

const MAX_NEAREST = 50;

/** Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
function fusedRanking(lists: readonly (readonly string[])[]): readonly string[] {
  const scores = new Map<string, number>();
  for (const list of lists)
    for (const [rank, name] of list.entries())
      scores.set(name, (scores.get(name) ?? 0) + 1 / (RANK_OFFSET + rank + 1));
  return [...scores].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
}

const RANK_OFFSET = 60;

/** What of a skill tells its meaning. */
function meaningText({ name, description, matching }: Searchable): string {
  const { category = "", tags = [], keywords = [], examples = [], intents = [] } = matching ?? {};
  const wanted = intents.map((intent) => intent.description);
  const words = [...tags, ...keywords, ...examples, ...wanted];
  const parts = [name.replaceAll("-", " "), description, category, ...words];
  return parts.filter((part) => part !== "").join("\n");
}
