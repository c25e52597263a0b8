import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { distance } from "fastest-levenshtein";
import type { Skill } from "../core/skill.ts";
import { soughtWords, wordsOf } from "./text-words.ts";
import { wordStem } from "../core/text/word-stem.ts";

/** What can be found: a skill, or a draft of one. */
export type Searchable = Pick<Skill, "name" | "description"> &
  Partial<Pick<Skill, "instructions" | "matching">>;

interface Row {
  readonly id: number;
  item: Searchable;
  /** The last set of items that had it. */
  seen: number;
}

/**
 * An inverted index in memory of what was searched lately, by BM25F over stemmed words and by how much of the query a text
 * has. One index serves all sets: a set that differs little from the one before costs what differs.
 */
export class WordIndex {
  /** Where each stem stands in the postings. */
  readonly #stems = new Map<string, number>();
  /** Of each stem the rows that have it: a row's id, and in the last eight bits how much of it the row has. */
  readonly #postings: number[][] = [];
  /** By the stems' places, all 0 but while an item is counted. */
  readonly #counts: number[] = [];
  readonly #rows = new Map<string, Row>();
  /** By the rows' ids. */
  readonly #names: (string | undefined)[] = [];
  readonly #freeIds: number[] = [];
  /** How many sets it has taken. */
  #sets = 0;
  #held: ReadonlyMap<string, Searchable> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** The keys of those that fit best, best first. The given set must not change. */
  async search(
    items: ReadonlyMap<string, Searchable>,
    query: string,
    most: number,
  ): Promise<readonly string[]> {
    const found = this.#last.then(async () => {
      await this.#take(items);
      return this.#find(items, query, most);
    });
    this.#last = found.catch(() => undefined);
    return found;
  }

  /** Other work of the process goes on meanwhile. */
  async #take(items: ReadonlyMap<string, Searchable>): Promise<void> {
    if (this.#held === items) return;
    this.#sets += 1;
    const places = new Map<string, number>();
    await inTurns(items, ([name, item]) => {
      const row = this.#rows.get(name);
      if (row && isSameText(row.item, item)) {
        row.item = item;
        row.seen = this.#sets;
        return;
      }
      if (row) this.#remove(name, row, places);
      this.#insert(name, item, places);
    });
    await inTurns([...this.#rows], ([name, row]) => {
      if (row.seen < this.#sets - MAX_UNUSED_SETS) this.#remove(name, row, places);
    });
    this.#held = items;
  }

  #insert(name: string, item: Searchable, places: Map<string, number>): void {
    const id = this.#freeIds.pop() ?? this.#names.length;
    this.#names[id] = name;
    this.#rows.set(name, { id, item, seen: this.#sets });
    for (const { place, strength } of this.#strengthsIn(item, places))
      this.#postings[place]?.push((id << STRENGTH_BITS) | strength);
  }

  #remove(name: string, { id, item }: Row, places: Map<string, number>): void {
    this.#rows.delete(name);
    this.#names[id] = undefined;
    this.#freeIds.push(id);
    for (const { place } of this.#strengthsIn(item, places)) {
      const postings = this.#postings[place] ?? [];
      this.#postings[place] = postings.filter((posting) => posting >>> STRENGTH_BITS !== id);
    }
  }

  /**
   * How much of each stem an item has, from 1 to {@link MAX_STRENGTH}, by the stem's place: how often each field has it, by
   * the field's weight and length (BM25F, Zaragoza et al. 2004; a length counts beside that of a usual field, so that no row
   * depends on others), and less for each time more. `places` keeps those of words.
   */
  #strengthsIn(
    item: Searchable,
    places: Map<string, number>,
  ): readonly { readonly place: number; readonly strength: number }[] {
    const counts = this.#counts;
    const found: number[] = [];
    for (const { text, weight, usual, lengthCounts } of fieldsOf(item)) {
      const words = wordsOf(text);
      const each = weight / Math.max(1, 1 - lengthCounts + (lengthCounts * words.length) / usual);
      for (const word of words) {
        let place = places.get(word);
        if (place === undefined) places.set(word, (place = this.#placeOf(wordStem(word))));
        const before = counts[place] ?? 0;
        if (before === 0) found.push(place);
        counts[place] = before + each;
      }
    }
    return found.map((place) => {
      const count = counts[place] ?? 0;
      counts[place] = 0;
      return { place, strength: Math.max(1, Math.round((MAX_STRENGTH * count) / (count + SATURATION))) };
    });
  }

  #placeOf(stem: string): number {
    const known = this.#stems.get(stem);
    if (known !== undefined) return known;
    this.#stems.set(ownCopy(stem), this.#postings.length);
    return this.#postings.push([]) - 1;
  }

  #postingsOf(stem: string): readonly number[] {
    return this.#postings[this.#stems.get(stem) ?? -1] ?? [];
  }

  #find(items: ReadonlyMap<string, Searchable>, query: string, most: number): readonly string[] {
    const words = soughtWords(query);
    const weights = new Map<string, number>();
    for (const { word, weight } of words) {
      const stem = wordStem(word);
      weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
    }
    const found = this.#ranked(items, weights, most);
    if (found.length > 0) return found;
    const near = [...weights].flatMap(([stem, weight]) =>
      [...this.#continued(stem), ...this.#mistyped(stem)].map((each) => [each, weight] as const),
    );
    return this.#ranked(items, new Map(near), most);
  }

  #ranked(
    items: ReadonlyMap<string, Searchable>,
    weights: ReadonlyMap<string, number>,
    most: number,
  ): readonly string[] {
    const scores = new Float64Array(this.#names.length);
    const shares = new Float64Array(this.#names.length);
    let whole = 0;
    for (const [stem, weight] of weights) {
      const postings = this.#postingsOf(stem);
      if (postings.length === 0) continue;
      const rarity = (this.#rows.size - postings.length + 0.5) / (postings.length + 0.5);
      const tells = weight * Math.log(1 + rarity);
      whole += tells;
      for (const posting of postings) {
        const id = posting >>> STRENGTH_BITS;
        scores[id] = (scores[id] ?? 0) + tells * (posting & MAX_STRENGTH);
        shares[id] = (shares[id] ?? 0) + tells;
      }
    }
    const found: { readonly name: string; readonly score: number }[] = [];
    for (const [id, score] of scores.entries()) {
      const name = this.#names[id];
      if (score === 0 || name === undefined || !items.has(name)) continue;
      found.push({ name, score: score * ((shares[id] ?? 0) / whole) ** SHARE_COUNTS });
    }
    const ranked = found.toSorted((a, b) => b.score - a.score);
    return ranked.slice(0, most).map(({ name }) => name);
  }

  /** Stems of which this is the beginning. */
  #continued(beginning: string): readonly string[] {
    return [...this.#stems.keys()].filter((stem) => stem.startsWith(beginning));
  }

  /** Stems that a mistyped one may mean. */
  #mistyped(stem: string): readonly string[] {
    const [first = ""] = stem;
    if (stem.length < 4) return [];
    const most = stem.length < 6 ? 1 : 2;
    return [...this.#stems.keys()]
      .filter((other) => other.startsWith(first) && Math.abs(other.length - stem.length) <= most)
      .map((other) => ({ other, away: distance(stem, other) }))
      .filter(({ other, away }) => away <= most && this.#postingsOf(other).length > 0)
      .toSorted((a, b) => a.away - b.away)
      .slice(0, MAX_NEAR)
      .map(({ other }) => other);
  }
}

/** How much it counts that a text has all that is asked for: more puts those back that do one of several things. */
const SHARE_COUNTS = 0.2;

/** How many other sets may have been searched since one was, for its items to be kept. */
const MAX_UNUSED_SETS = 32;

const MAX_NEAR = 5;

const STRENGTH_BITS = 8;
const MAX_STRENGTH = 2 ** STRENGTH_BITS - 1;

/** How much of a word is half of all that it can tell. */
const SATURATION = 2.5;

interface Field {
  readonly text: string;
  readonly weight: number;
  /** How many words it usually has. */
  readonly usual: number;
  /** From 0, where words of a long one tell as much as those of a short one, to 1. */
  readonly lengthCounts: number;
}

function fieldsOf({ name, description, instructions = "", matching }: Searchable): readonly Field[] {
  const { category = "", tags = [], keywords = [], examples = [], intents = [] } = matching ?? {};
  const wanted = [...examples, ...intents.map((intent) => intent.description)].join(" ");
  return [
    { text: name, weight: 8, usual: 4, lengthCounts: 0 },
    { text: description, weight: 5, usual: 35, lengthCounts: 0.7 },
    { text: keywords.join(" "), weight: 3, usual: 10, lengthCounts: 0.3 },
    { text: wanted, weight: 2, usual: 20, lengthCounts: 0.3 },
    { text: [category, ...tags].join(" "), weight: 2, usual: 10, lengthCounts: 0.3 },
    { text: instructions.slice(0, MAX_INSTRUCTIONS), weight: 1, usual: 200, lengthCounts: 0.75 },
  ];
}

/** What a skill is for stands at their beginning. */
const MAX_INSTRUCTIONS = 1500;

/** A text that does not keep the one that it was cut out of. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}

function isSameText(a: Searchable, b: Searchable): boolean {
  return (
    a === b ||
    (a.name === b.name &&
      a.description === b.description &&
      a.instructions === b.instructions &&
      isDeepStrictEqual(a.matching, b.matching))
  );
}

/** Does it to each, with a turn of the event loop between those that together take long. */
async function inTurns<Item>(items: Iterable<Item>, deed: (item: Item) => void): Promise<void> {
  let until = 0;
  for (const item of items) {
    if (performance.now() > until) {
      await nextTurn();
      until = performance.now() + TURN_MS;
    }
    deed(item);
  }
}

const TURN_MS = 8;
