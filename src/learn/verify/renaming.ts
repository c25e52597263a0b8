import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import {
  identitiesIn,
  isFileName,
  idNumbersIn,
  isProperName,
  MEASURE,
  traceLeaves,
  type TraceLeaves,
} from "./identities.ts";
import type { SeededRandom } from "./seeded-random.ts";

/**
 * Other ids and names for those of a trace, one to one and in the same form: digits for digits, letters for letters,
 * with the prefix kept. It changes the parts of which ids and names consist, so that a text made of parts stays made of
 * the same parts. No new part is the same as one that the trace has.
 */
export class Renaming {
  readonly #parts: ReadonlyMap<string, string>;
  readonly #identities: ReadonlySet<string>;
  readonly #numbers: ReadonlyMap<number, number>;

  /** `quantities`: fields whose numbers say how much. */
  constructor(trace: RecordedTrace, random: SeededRandom, quantities: ReadonlySet<string> = new Set()) {
    const found = traceLeaves(trace);
    const amounts = new Set(found.leaves.flatMap(({ field, value }) => (quantities.has(field) ? value : [])));
    const written = new Set(Array.from(amounts, (each) => String(each).trim()));
    // What is also the name of a field, such as a label of a text, is a word for what is told.
    this.#identities = identitiesIn(found.leaves).difference(found.fields).difference(written);
    const numbers = idNumbersIn(found.leaves).difference(amounts);
    const parts = partsToRename(this.#identities, numbers, found);
    const stems = stemsOf(parts, trace, found);
    const images = new Images(trace, random);
    this.#parts = new Map(
      [...parts].flatMap((part) => {
        const stem = stems.get(part);
        const image = stem?.isWord === true ? undefined : images.of(part);
        if (image === undefined) return [];
        const own = [part, image] as const;
        return stem ? [own, [stem.name.toLowerCase(), stemOf(image).toLowerCase()] as const] : [own];
      }),
    );
    this.#numbers = new Map(
      [...numbers].flatMap((number) => {
        const image = this.#parts.get(String(number));
        return image === undefined ? [] : [[number, Number(image)] as const];
      }),
    );
  }

  get size(): number {
    return this.#parts.size;
  }

  /** The numbers that are ids. */
  get numbers(): ReadonlyMap<number, number> {
    return this.#numbers;
  }

  text(text: string): string {
    return this.#renamed(text, true);
  }

  /** Fields of records keep their names; keys that are ids or names do not. */
  value(value: Json): Json {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return this.#numbers.get(value) ?? value;
    if (Array.isArray(value)) return (value as readonly Json[]).map((each) => this.value(each));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        this.#identities.has(key.trim()) ? this.text(key) : key,
        this.value(each),
      ]),
    );
  }

  /** Whether a text holds an id of the first trace. Names do not count: they may be words that anybody says. */
  isStale(text: string): boolean {
    return this.#renamed(text, false) !== text;
  }

  #renamed(text: string, withNames: boolean): string {
    if (this.#parts.size === 0) return text;
    const words = (part: string): string =>
      part.replaceAll(
        WORD,
        (word) => (ALL_LETTERS.test(word) ? undefined : this.#parts.get(word)) ?? this.#runs(word, withNames),
      );
    let renamed = "";
    let end = 0;
    for (const { index, 0: measure } of text.matchAll(MEASURE)) {
      renamed += words(text.slice(end, index)) + measure;
      end = index + measure.length;
    }
    return renamed + words(text.slice(end));
  }

  /** The runs of a word, or several together that are renamed as a whole: the name of a file behind a number. */
  #runs(word: string, withNames: boolean): string {
    const runs = [...word.matchAll(RUN)];
    const endOf = (nth: number): number => (runs[nth]?.index ?? 0) + (runs[nth]?.[0].length ?? 0);
    let renamed = "";
    let end = 0;
    for (let first = 0; first < runs.length; first++) {
      const start = runs[first]?.index ?? 0;
      let last = Math.min(runs.length, first + MOST_RUNS) - 1;
      while (last > first && !this.#parts.has(word.slice(start, endOf(last)))) last--;
      const own = word.slice(start, endOf(last));
      const image = last > first ? this.#parts.get(own) : this.#run(own, withNames);
      renamed += word.slice(end, start) + (image ?? own);
      end = endOf(last);
      first = last;
    }
    return renamed + word.slice(end);
  }

  #run(run: string, withNames: boolean): string {
    if (ALL_LETTERS.test(run)) return withNames ? this.#name(run) : run;
    const whole = this.#parts.get(run);
    if (whole !== undefined) return whole;
    const [, letters, digits] = PREFIXED.exec(run) ?? [];
    if (letters === undefined || digits === undefined) return run;
    return (withNames ? this.#name(letters) : letters) + (this.#parts.get(digits) ?? digits);
  }

  #name(run: string): string {
    const image = this.#parts.get(run.toLowerCase());
    return image === undefined ? run : inCaseOf(run, image);
  }
}

/** Runs with punctuation between them, found in linear time. */
const WORD = /[\p{L}\p{N}]+(?:[_#@.-]+[\p{L}\p{N}]+)*/gu;

const RUN = /[\p{L}\p{N}]+/gu;

const ALL_LETTERS = /^\p{L}+$/u;

const PREFIXED = /^(\p{L}+)(\d+)$/u;

/** More do not make a name that is renamed as a whole. */
const MOST_RUNS = 8;

const SHORTEST_NUMBER = 3;

/** Runs of digits, names in small letters, and runs or words that are renamed as wholes. */
function partsToRename(
  identities: ReadonlySet<string>,
  numbers: ReadonlySet<number>,
  found: TraceLeaves,
): ReadonlySet<string> {
  const vocabulary = vocabularyOf(identities, found);
  const parts = new Set([...numbers].map(String));
  for (const identity of identities) {
    const plain = withoutLabel(identity.replaceAll(MEASURE, " ").replace(/@.*$/, ""), identity);
    const runs = plain.match(RUN) ?? [];
    const ids = runs.flatMap(idPart);
    const names = nameParts(identity, runs).filter((name) => !vocabulary.has(name));
    for (const part of [...ids, ...names]) parts.add(part);
    // An id with a short number, such as `user_1`, is one part, or else every 1 would be another.
    const isWord = (/\d/.test(plain) || isFileName(plain)) && plain.match(WORD)?.[0] === plain;
    if (isWord && ids.length + names.length === 0) parts.add(plain);
  }
  return parts;
}

interface Stem {
  readonly name: string;
  /** It is also a word that somebody says: then the file keeps its name. */
  readonly isWord: boolean;
}

/** The names of files without their endings, where arguments have them so: they change with their files. */
function stemsOf(
  parts: ReadonlySet<string>,
  { task = "" }: RecordedTrace,
  { leaves, fields }: TraceLeaves,
): ReadonlyMap<string, Stem> {
  const files = [...parts].filter(isFileName);
  if (files.length === 0) return new Map();
  const wordsIn = (text: string): readonly string[] =>
    (text.match(WORD) ?? []).flatMap((word) => (parts.has(word) ? [] : [word].concat(word.match(RUN) ?? [])));
  const textsOf = (at: "args" | "result"): readonly string[] =>
    leaves.flatMap((leaf) => (leaf.at === at && typeof leaf.value === "string" ? [leaf.value] : []));
  const told = [task, ...fields, ...textsOf("result")].flatMap(wordsIn);
  const words = new Set(told.map((word) => word.toLowerCase()));
  const said = new Set(textsOf("args").flatMap(wordsIn));
  return new Map(
    files.flatMap((file) => {
      const name = stemOf(file);
      return said.has(name) ? [[file, { name, isWord: words.has(name.toLowerCase()) }]] : [];
    }),
  );
}

function stemOf(file: string): string {
  return file.slice(0, file.lastIndexOf("."));
}

/** What stands before the `@` of an address, without what introduces it, as in `from:ada@example.org`. */
function withoutLabel(plain: string, identity: string): string {
  return identity.includes("@") ? plain.replace(/^\p{L}+:\s?/u, "") : plain;
}

/** What of a run makes an id: its digits, or all of it where digits and letters are mixed. */
function idPart(run: string): readonly string[] {
  if (ALL_LETTERS.test(run)) return [];
  const digits = PREFIXED.exec(run)?.[2] ?? run;
  if (/^\d+$/.test(digits)) return digits.length >= SHORTEST_NUMBER ? [digits] : [];
  return [run];
}

/** In an e-mail, names are written small; elsewhere, what is written small is a word of the language. */
function nameParts(identity: string, runs: readonly string[]): readonly string[] {
  const isEmail = identity.includes("@");
  if (!isEmail && !isProperName(identity)) return [];
  const letters = runs.flatMap((run) => (ALL_LETTERS.test(run) ? run : (PREFIXED.exec(run)?.[1] ?? [])));
  const isName = (each: string): boolean => (isEmail ? each.length > 3 : /^\p{Lu}\p{Ll}/u.test(each));
  return letters.filter(isName).map((each) => each.toLowerCase());
}

/** Words that mean the same to everybody: fields, and texts in small letters. */
function vocabularyOf(identities: ReadonlySet<string>, { leaves, fields }: TraceLeaves): ReadonlySet<string> {
  const words = new Set<string>();
  const add = (text: string): void => {
    for (const [run] of text.matchAll(RUN)) words.add(run.toLowerCase());
  };
  for (const field of fields) add(field);
  for (const { value } of leaves)
    if (
      typeof value === "string" &&
      value.length <= 40 &&
      value === value.toLowerCase() &&
      !identities.has(value.trim())
    )
      add(value);
  return words;
}

/** New parts, none of which is in the trace or given twice. */
class Images {
  readonly #taken: Set<string>;
  readonly #random: SeededRandom;

  constructor({ task = "", calls }: RecordedTrace, random: SeededRandom) {
    this.#random = random;
    const text = `${task} ${JSON.stringify(calls).replaceAll(/\\[bfnrt]/g, " ")}`.toLowerCase();
    this.#taken = new Set([...text.matchAll(RUN)].map(([run]) => run));
    for (const [run] of text.matchAll(/\d+/g)) this.#taken.add(run);
    for (const [word] of text.matchAll(WORD)) this.#taken.add(word);
  }

  /** Nothing where there is hardly another of the same form. */
  of(part: string): string | undefined {
    const isHex = /^[0-9a-f]+$/i.test(part);
    const end = isFileName(part) ? part.lastIndexOf(".") : part.length;
    const keepsLetters = end === part.length && (PREFIXED.test(part) || !RUN_ALONE.test(part));
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const image = part.replaceAll(/\d|\p{L}/gu, (sign, at: number) => {
        if (at >= end) return sign;
        if (/\d/.test(sign)) return sign === "0" && at === 0 ? "0" : this.#digit(at === 0);
        return keepsLetters ? sign : inCaseOf(sign, this.#letter(isHex));
      });
      if (this.#taken.has(image.toLowerCase())) continue;
      this.#taken.add(image.toLowerCase());
      return image;
    }
    return undefined;
  }

  #digit(isFirst: boolean): string {
    return String(isFirst ? 1 + this.#random.below(9) : this.#random.below(10));
  }

  #letter(isHex: boolean): string {
    const letters = isHex ? "abcdef" : "abcdefghijklmnopqrstuvwxyz";
    return letters[this.#random.below(letters.length)] ?? "a";
  }
}

const RUN_ALONE = /^[\p{L}\p{N}]+$/u;

const MAX_TRIES = 60;

/** Capital letters where the first text has them. */
function inCaseOf(text: string, image: string): string {
  const signs = Array.from(text);
  return Array.from(image, (sign, at) => (/\p{Lu}/u.test(signs[at] ?? "") ? sign.toUpperCase() : sign)).join(
    "",
  );
}
