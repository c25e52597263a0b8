import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { canonicalJson, isMap, isOpaqueId, jsonLeaves, TaskText, valueAt } from "../plan/values.ts";
import { areZipped, pathInAll } from "../recording/elements/zipped-elements.ts";
import { isIdField, pathParts } from "./identities.ts";
import { SeededRandom } from "./seeded-random.ts";
import { leafTexts } from "../plan/value-texts.ts";

/**
 * Another order for the lists of objects and of ids in a trace's results, and for the keys of maps: equal lists get
 * equal orders, and arguments keep theirs. A list keeps its order where the order may mean something: it is sorted by a date, a rank or a score,
 * or an argument goes through all of its elements in the same order. Lists of numbers and words are never changed.
 */
export class Reordering {
  readonly #orders = new Map<string, readonly number[]>();
  readonly #seed: string;
  #changed = 0;

  constructor(trace: RecordedTrace, seed: string) {
    this.#seed = seed;
    const uses = new Uses(trace);
    trace.calls.forEach(({ result }, call) => {
      this.#find(result, (list) => !isSorted(list) && !uses.isUsedInOrder(list, call));
    });
  }

  /** How many lists and maps are in another order. */
  get size(): number {
    return this.#changed;
  }

  /** Of a list, which element stands where. */
  orderOf(list: readonly Json[]): readonly number[] {
    const order = list.length < 2 ? undefined : this.#orders.get(canonicalJson(list));
    return order ?? [...list.keys()];
  }

  value(value: Json): Json {
    if (Array.isArray(value)) {
      const list = value as readonly Json[];
      return this.orderOf(list).map((index) => this.value(list[index] ?? null));
    }
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(([key, each]) => [key, this.value(each)] as const);
    if (!isMap(value) || entries.length < 2) return Object.fromEntries(entries);
    const order = this.#newOrder(Object.keys(value).sort().join("\n"), entries.length);
    return Object.fromEntries(order.flatMap((index) => (entries[index] ? [entries[index]] : [])));
  }

  #find(value: Json, isFree: (list: readonly Json[]) => boolean): void {
    if (Array.isArray(value)) {
      const list = value as readonly Json[];
      if (isCollection(list)) this.#free(list, isFree);
      for (const each of list) this.#find(each, isFree);
    } else if (isJsonObject(value)) {
      if (isMap(value) && Object.keys(value).length > 1) this.#changed++;
      const isFreeHere = typeof value["text"] === "string" ? isFreeInText(value, isFree) : isFree;
      for (const each of Object.values(value)) this.#find(each, isFreeHere);
    }
  }

  // A list that must not be reordered in one place must not be in another.
  #free(list: readonly Json[], isFree: (list: readonly Json[]) => boolean): void {
    const text = canonicalJson(list);
    if (!isFree(list)) this.#orders.set(text, [...list.keys()]);
    else if (!this.#orders.has(text)) {
      this.#orders.set(text, this.#newOrder(text, list.length));
      this.#changed++;
    }
  }

  #newOrder(text: string, length: number): readonly number[] {
    return new SeededRandom(`${this.#seed} ${text}`).order(length);
  }
}

const MAX_ELEMENTS = 5000;

/** Of the lists that are read in one text, one is not free where it has all that another has which is not: its lines are those of the other. */
function isFreeInText(
  value: JsonObject,
  isFree: (list: readonly Json[]) => boolean,
): (list: readonly Json[]) => boolean {
  const lists = Object.values(value).filter(
    (each): each is Json[] => Array.isArray(each) && isCollection(each),
  );
  const bound = lists.filter((list) => !isFree(list)).map((list) => leafTexts(list));
  return (list) => {
    const whole = [...leafTexts(list)].join("\n");
    return !bound.some((texts) => [...texts].every((text) => whole.includes(text))) && isFree(list);
  };
}

function isCollection(list: readonly Json[]): boolean {
  if (list.length < 2 || list.length > MAX_ELEMENTS) return false;
  return (
    list.every(isJsonObject) || (list.every((each) => isOpaqueId(each)) && new Set(list).size === list.length)
  );
}

const RANKED =
  /rank|position|index|sequence|seq|step|line|page|score|relevance|similarity|distance|time|date|_at$|At$/i;
const MIN_RANKED = 3;
const MIN_SORTED = 6;

/** Whether a field goes up or down through the list, other than by chance. */
function isSorted(list: readonly Json[]): boolean {
  const [first] = list;
  if (!isJsonObject(first)) return false;
  return Object.keys(first).some((field) => {
    const least = RANKED.test(field) ? MIN_RANKED : MIN_SORTED;
    if (isIdField(field) || list.length < least) return false;
    const values = list.map((each) => sortable((each as JsonObject)[field]));
    const steps = values.slice(1).map((value, index) => compareValues(values[index], value));
    return steps.every((step) => step > 0) || steps.every((step) => step < 0);
  });
}

function sortable(value: Json | undefined): number | string | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\d{4}-\d{2}/.test(value) ? value : undefined;
}

function compareValues(a: number | string | undefined, b: number | string | undefined): number {
  if (a === undefined || b === undefined || typeof a !== typeof b) return Number.NaN;
  return a < b ? 1 : a > b ? -1 : 0;
}

/** Texts in small letters. */
function small(texts: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return texts.map((own) => own.map((text) => text.toLowerCase()));
}

/** Which lists the arguments of calls go through in their order. */
class Uses {
  readonly #args: readonly string[];
  readonly #results: readonly Json[];
  /** What stands in the results that were looked through: a result may be large, and asked for by many elements. */
  readonly #found = new Map<number, readonly string[]>();
  /** The calls that ask for a text. */
  readonly #askers = new Map<string, number[]>();
  /** Lists in arguments, the text of each element. */
  readonly #argumentLists: { readonly later: number; readonly elements: readonly string[] }[] = [];
  /** Texts of several lines in arguments, or of several parts in one. */
  readonly #argumentLines: { readonly later: number; readonly lines: readonly string[] }[] = [];
  /** Lists that stand in arguments as they are. */
  readonly #lists = new Set<string>();
  /** Of calls that take what stands at the same position of several lists: what each of their arguments is. */
  readonly #zipped: readonly (readonly Json[])[];
  /** Of which the task speaks. */
  readonly #positions: ReadonlySet<number>;
  /** Whether the task speaks of the first or the last so many elements. */
  readonly #takesEnds: boolean;
  /** Whether it asks for other letters than things are written in. */
  readonly #isCased: boolean;
  #work = 0;

  constructor({ calls, task }: RecordedTrace) {
    const words = new TaskText(task);
    this.#positions = words.positionsInTexts;
    this.#takesEnds = words.takes().some(({ end }) => end !== undefined);
    this.#isCased = words.letters !== undefined;
    this.#args = calls.map(({ args }) => JSON.stringify(args));
    this.#results = calls.map(({ result }) => result);
    this.#zipped = [...Map.groupBy(calls, ({ tool }) => tool).values()].flatMap((alike) => {
      const paths = [...jsonLeaves(alike[0]?.args ?? null)].map(([path]) => path);
      const columns = paths
        .map((path) => alike.map(({ args }) => valueAt(args, path) ?? null))
        .filter((column) => new Set(column).size > 1);
      return columns.length > 1 && areZipped(columns, this.#results) ? columns : [];
    });
    calls.forEach(({ args }, call) => {
      const texts = tellingTexts(args);
      for (const text of [...texts, ...texts.flatMap(pathParts)]) {
        const known = this.#askers.get(text);
        if (known) known.push(call);
        else this.#askers.set(text, [call]);
      }
      for (const text of texts) {
        const lines = text.split(text.includes("\n") ? "\n" : /[,;] /);
        if (lines.length > 1 && lines.length <= MAX_USED)
          this.#argumentLines.push({ later: call, lines: lines.map(asInJson) });
      }
      for (const list of listsIn(args)) {
        this.#lists.add(canonicalJson(list));
        if (list.length > 1 && list.length <= MAX_USED)
          this.#argumentLists.push({ later: call, elements: list.map((each) => JSON.stringify(each)) });
      }
    });
  }

  isUsedInOrder(list: readonly Json[], call: number): boolean {
    if (this.#lists.has(canonicalJson(list)) || this.#takesEnds) return true;
    if (this.#zipped.some((column) => pathInAll(list, column) !== undefined)) return true;
    if (list.length > MAX_USED) return false;
    if (this.#isSearched(list, call) || this.#isTakenByPosition(list, call)) return true;
    const alone = ownTexts(list.map((each) => leafTexts(each)));
    const found = list.map((each) => this.#withLookedUp(each, call));
    const lookedUp = ownTexts(found);
    // What answers to a call that has all elements tells is of none of them.
    const texts = alone.map((own, index) => own.concat(lookedUp[index] ?? []).map(asInJson));
    // Where looking costs too much, the order is taken for meaningful.
    return (
      this.#work > MAX_WORK ||
      this.#args.some((args, later) => later > call && this.#standInOrder(texts, args)) ||
      (this.#isCased &&
        this.#args.some(
          (args, later) => later > call && this.#standInOrder(small(texts), args.toLowerCase()),
        )) ||
      this.#argumentLists.some(({ elements, later }) => later > call && this.#areElements(texts, elements)) ||
      this.#argumentLists.some(({ elements, later }) => later > call && this.#areSome(texts, elements)) ||
      this.#argumentLines.some(
        ({ lines, later }) =>
          later > call &&
          (this.#areLinesOfSome(texts, lines) ||
            this.#areLinesOfGroups(list, lines) ||
            this.#areLinesOfFirsts(found, lines)),
      )
    );
  }

  /** Whether later calls ask for the element at a position of which the task speaks, and what it tells no other does. */
  #isTakenByPosition(list: readonly Json[], call: number): boolean {
    const others = [...this.#positions].map((position) => {
      const own = list.at(position);
      const rest = new Set(list.flatMap((each) => (each === own ? [] : tellingTexts(each))));
      return tellingTexts(own ?? null).filter((text) => !rest.has(text));
    });
    return others.flat().some((text) => this.#askers.get(text)?.some((asker) => asker > call) === true);
  }

  /** Whether later calls ask for the first elements, one after the other, and then for no others. */
  #isSearched(list: readonly Json[], call: number): boolean {
    const askers = list.map((each) =>
      Math.min(
        ...tellingTexts(each).flatMap((text) =>
          (this.#askers.get(text) ?? []).filter((later) => later > call),
        ),
      ),
    );
    const end = askers.findIndex((asker) => asker === Infinity);
    return (
      end > 1 &&
      askers.slice(end).every((asker) => asker === Infinity) &&
      askers.slice(0, end).every((asker, index) => index === 0 || asker > (askers[index - 1] ?? 0))
    );
  }

  /** Whether each element's text stands in the argument's element at the same place. */
  #areElements(elements: readonly (readonly string[])[], listed: readonly string[]): boolean {
    if (elements.length !== listed.length) return false;
    return elements.every((texts, index) => {
      const text = listed[index] ?? "";
      this.#work += texts.length * (text.length + 100);
      return this.#work > MAX_WORK || texts.some((each) => placeIn(text, each) >= 0);
    });
  }

  /** Whether each of the argument's elements has the text of one of some elements, which stand in this order. */
  #areSome(elements: readonly (readonly string[])[], listed: readonly string[]): boolean {
    let next = 0;
    return (
      listed.length < elements.length &&
      listed.every((text) => {
        const at = elements.findIndex((texts, index) => {
          this.#work += index < next ? 0 : texts.length * (text.length + 100);
          return index >= next && texts.some((each) => placeIn(text, each) >= 0);
        });
        next = at + 1;
        return at >= 0;
      })
    );
  }

  /**
   * Whether several lines have the text of one of some elements each, which stand in this order; or those lines that have
   * all of one, where others have a part of what another list tells, too.
   */
  #areLinesOfSome(elements: readonly (readonly string[])[], lines: readonly string[]): boolean {
    const areInOrder = (isOf: (texts: readonly string[], line: string) => boolean): boolean => {
      const own = lines.filter((line) => {
        this.#work += elements.length * (line.length + 100);
        return elements.some((texts) => isOf(texts, line));
      });
      return own.length > 1 && this.#areSome(elements, own);
    };
    return (
      areInOrder((texts, line) => texts.some((each) => placeIn(line, each) >= 0)) ||
      areInOrder((texts, line) => texts.length > 1 && texts.every((each) => placeIn(line, each) >= 0))
    );
  }

  /** Whether there is a line for all elements that say the same, in the order in which each is said first. */
  #areLinesOfGroups(list: readonly Json[], lines: readonly string[]): boolean {
    return [...jsonLeaves(list[0] ?? null)].some(([path]) => {
      const names = [...new Set(list.flatMap((each) => tellingTexts(valueAt(each, path) ?? null)))].map(
        asInJson,
      );
      if (names.length < 2 || names.length === list.length) return false;
      this.#work += names.length * lines.join().length;
      const own = lines.filter((line) => names.some((name) => line.includes(name)));
      return own.length === names.length && names.every((name, nth) => own[nth]?.includes(name));
    });
  }

  /** Whether lines have something that elements tell, or what these say behind a mark, in the order of those that tell it first. */
  #areLinesOfFirsts(elements: readonly ReadonlySet<string>[], lines: readonly string[]): boolean {
    const parts = lines.filter((line) => /[\p{L}\p{N}]/u.test(line));
    const firsts = new Map<string, number>();
    for (const [index, texts] of elements.entries())
      for (const text of texts) if (!firsts.has(asInJson(text))) firsts.set(asInJson(text), index);
    this.#work += 2 * firsts.size * lines.join().length;
    if (parts.length < 2 || this.#work > MAX_WORK) return false;
    const owners = parts.flatMap((part) => {
      const told = [...firsts.keys()];
      const [longest] = told.filter((text) => part.includes(text)).sort((a, b) => b.length - a.length);
      return firsts.get(longest ?? endingAlike(part, told) ?? "") ?? [];
    });
    return (
      new Set(owners).size > 1 && owners.every((owner, nth) => nth === 0 || owner >= (owners[nth - 1] ?? 0))
    );
  }

  /** Whether of each element something stands in the text, later than of the element before. */
  #standInOrder(elements: readonly (readonly string[])[], text: string): boolean {
    let last = -1;
    return elements.every((texts) => {
      this.#work += texts.length * (text.length + 100);
      if (this.#work > MAX_WORK) return true;
      const places = texts.map((each) => placeIn(text, each)).filter((place) => place >= 0);
      const first = places.length === 0 ? -1 : Math.min(...places);
      const isLater = first > last;
      last = first;
      return isLater;
    });
  }

  /** An element's texts, and those of what later calls found by them. */
  #withLookedUp(element: Json, call: number): ReadonlySet<string> {
    const texts = new Set(tellingTexts(element));
    const looked = new Set<number>();
    for (const text of texts) {
      for (const later of this.#askers.get(text) ?? []) {
        if (later <= call || looked.has(later) || looked.size >= MAX_LOOKED_UP) continue;
        if (this.#work > MAX_WORK) return texts;
        looked.add(later);
        const found = this.#found.get(later) ?? tellingTexts(this.#results[later] ?? null);
        this.#found.set(later, found);
        this.#work += found.length * 100;
        for (const each of found) texts.add(each);
      }
    }
    return texts;
  }
}

const MAX_USED = 100;
const MAX_LOOKED_UP = 10;
/** Characters that are looked through. */
const MAX_WORK = 500_000_000;
const SHORTEST = 3;

/** A text as it stands in JSON; a short one as a whole one, since it stands inside of others by chance. */
function asInJson(text: string): string {
  const json = JSON.stringify(text);
  return text.length < SHORTEST ? json : json.slice(1, -1);
}

/** Where in JSON something stands as `asInJson` has it, a short name as a word of its own, too; -1: nowhere. */
function placeIn(json: string, text: string): number {
  const place = json.indexOf(text);
  const [, name] = place < 0 ? (SHORT_NAME.exec(text) ?? []) : [];
  if (name === undefined) return place;
  return json.replaceAll("\\n", "  ").search(new RegExp(`(?<![\\p{L}\\p{N}])${name}(?![\\p{L}\\p{N}])`, "u"));
}

const SHORT_NAME = /^"(\p{L}{2})"$/u;

/** The text that ends with the most words with which a line ends. */
function endingAlike(line: string, texts: readonly string[]): string | undefined {
  const shared = texts.map((text) => {
    let length = 0;
    while (length < Math.min(line.length, text.length) && line.at(-1 - length) === text.at(-1 - length))
      length++;
    const end = line.slice(line.length - length);
    const isCut = [line, text].some((each) => /[\p{L}\p{N}]$/u.test(each.slice(0, each.length - length)));
    return isCut ? end.replace(/^[\p{L}\p{N}]+/u, "").trimStart().length : end.length;
  });
  const most = Math.max(...shared);
  return most < SHORTEST ? undefined : texts[shared.indexOf(most)];
}

function* listsIn(value: Json): Generator<readonly Json[]> {
  if (Array.isArray(value)) yield value as readonly Json[];
  if (typeof value === "object" && value !== null)
    for (const each of Object.values(value)) yield* listsIn(each);
}

function tellingTexts(value: Json): readonly string[] {
  return [...leafTexts(value)].filter((text) => text.length >= SHORTEST);
}

/** Of each element's texts those that no other has. */
function ownTexts(elements: readonly ReadonlySet<string>[]): readonly (readonly string[])[] {
  const owners = new Map<string, number>();
  for (const texts of elements) for (const text of texts) owners.set(text, (owners.get(text) ?? 0) + 1);
  return elements.map((texts) => [...texts].filter((text) => owners.get(text) === 1));
}
