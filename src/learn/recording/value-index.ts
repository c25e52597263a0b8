import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { canonicalJson, DATE_PREFIX, isLeaf, leafText, type Path } from "../plan/values.ts";

/** Where a value occurs in what a step gave. */
export interface ValueOccurrence {
  /** The step's index. */
  readonly step: number;
  readonly path: Path;
  /** It is the last key of the path, not what stands there. */
  readonly isKey: boolean;
}

/** A leaf that can be calculated with. */
export interface Quantity {
  readonly step: number;
  readonly path: Path;
  readonly value: Json;
}

const MAX_OCCURRENCES = 40;
const MAX_QUANTITIES = 80;
const MAX_NODES = 400_000;
const MAX_TEXT = 2000;

/** Where every value that steps gave occurs: leaves and keys by their text, lists and objects as wholes. */
export class ValueIndex {
  readonly #places = new Map<string, ValueOccurrence[]>();
  readonly #words = new Map<string, ValueOccurrence[]>();
  /** Dates and numbers at fixed places, the latest last. */
  readonly quantities: Quantity[] = [];
  #nodes = 0;

  /** Steps are added in their order. */
  add(step: number, value: Json): void {
    this.#visit(step, value, []);
  }

  of(value: Json): readonly ValueOccurrence[] {
    const text = keyOf(value);
    return text === undefined ? [] : (this.#places.get(text) ?? []);
  }

  /** The latest step but one that gave a value at a place that no list is on the way to. */
  fixedPlace(value: Json, except: number): ValueOccurrence | undefined {
    return this.of(value).findLast(
      ({ step, path, isKey }) => step !== except && !isKey && path.every((part) => typeof part === "string"),
    );
  }

  /** Texts in which the word stands among other words. */
  texts(word: string): readonly ValueOccurrence[] {
    return this.#words.get(word) ?? [];
  }

  #visit(step: number, value: Json, path: Path): void {
    if (this.#nodes++ > MAX_NODES || path.length > 24) return;
    if (isLeaf(value)) {
      const text = leafText(value);
      if (text !== undefined && text !== "")
        this.#put(this.#places, `leaf ${text}`, { step, path, isKey: false });
      if (typeof value === "string") this.#visitWords(step, value, path);
      const isFixed = path.every((part) => typeof part === "string");
      if (isFixed && (typeof value === "number" || (typeof value === "string" && DATE_PREFIX.test(value)))) {
        this.quantities.push({ step, path, value });
        if (this.quantities.length > MAX_QUANTITIES) this.quantities.shift();
      }
      return;
    }
    const whole = keyOf(value);
    if (whole !== undefined) this.#put(this.#places, whole, { step, path, isKey: false });
    if (Array.isArray(value)) {
      for (const [index, each] of (value as readonly Json[]).entries())
        this.#visit(step, each, [...path, index]);
      return;
    }
    for (const [key, each] of Object.entries(value as JsonObject)) {
      const text = leafText(key);
      if (text !== undefined)
        this.#put(this.#places, `leaf ${text}`, { step, path: [...path, key], isKey: true });
      this.#visit(step, each, [...path, key]);
    }
  }

  #visitWords(step: number, text: string, path: Path): void {
    if (text.length > MAX_TEXT) return;
    const words = text.match(WORD_PATTERN) ?? [];
    if (words.length < 2) return;
    for (const word of new Set(words))
      if (word.length >= 3) this.#put(this.#words, word, { step, path, isKey: false });
  }

  // Of very many places, the first ones and the latest are kept.
  #put(places: Map<string, ValueOccurrence[]>, key: string, place: ValueOccurrence): void {
    const known = places.get(key);
    if (!known) places.set(key, [place]);
    else if (known.length < MAX_OCCURRENCES) known.push(place);
    else known[MAX_OCCURRENCES - 1] = place;
  }
}

/** A run of characters without spaces and brackets, in which ids and names stand. */
export const WORD_PATTERN: RegExp = /(?<![#@.-])[#@.-]*[\p{L}\p{N}_]+(?:[#@.-]+[\p{L}\p{N}_]+)*/gu;

function keyOf(value: Json): string | undefined {
  if (isLeaf(value)) {
    const text = leafText(value);
    return text === undefined || text === "" ? undefined : `leaf ${text}`;
  }
  const isSmall = Array.isArray(value)
    ? value.length > 0
    : isJsonObject(value) && Object.keys(value).length > 0;
  if (!isSmall) return undefined;
  const text = canonicalJson(value);
  return text.length > 20_000 ? undefined : `whole ${text}`;
}
