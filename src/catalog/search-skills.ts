import type { Failure } from "../core/error.ts";
import type { Meaning } from "./meaning.ts";
import { type Searchable, WordIndex } from "./word-index.ts";

/** What fits a query, best first. */
export interface FoundSkills<Item> {
  readonly items: readonly Item[];
  /** Why it was searched by text alone, where it should have been by meaning, too. */
  readonly fault?: Failure;
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
  const names = nearest.length === 0 ? byText : fusedRanking([byText, nearest]);
  return {
    items: names.slice(0, most).flatMap((name) => skills.get(name) ?? []),
    ...(byMeaning?.ok === false ? { fault: byMeaning.error } : {}),
  };
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
  const { category = "", tags = [], keywords = [], examples = [] } = matching ?? {};
  const parts = [name.replaceAll("-", " "), description, category, ...tags, ...keywords, ...examples];
  return parts.filter((part) => part !== "").join("\n");
}
