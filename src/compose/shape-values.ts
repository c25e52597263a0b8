import { isJsonObject, type Json } from "../core/json.ts";
import type { Effort } from "./effort.ts";
import type { SchemaShapes, OpenShape, Point, Shape } from "./schema-shapes.ts";
import {
  itemPoint,
  listFacts,
  neededBeside,
  numberFacts,
  objectFacts,
  propertyPoint,
  textFacts,
} from "./shape-facts.ts";
import { formatOf } from "./text-format.ts";
import { wantedTexts } from "./text-language.ts";
import type { TextPatterns } from "./text-patterns.ts";
import { textOf, type ValueCheck } from "./value-faults.ts";

/** What an object is to be made of besides what it has to have. */
export interface Wish {
  readonly given?: ReadonlyMap<string, Json>;
  readonly absent?: string;
}

/** Makes values of shapes: few, small, different from each other, and always the same. */
export class ShapeValues {
  readonly #shapes: SchemaShapes;
  readonly #check: ValueCheck;
  readonly #patterns: TextPatterns;
  readonly #effort: Effort;
  readonly #some = new Map<string, readonly Json[]>();
  readonly #sizes = new WeakMap<object, number>();

  constructor(shapes: SchemaShapes, check: ValueCheck, patterns: TextPatterns, effort: Effort) {
    this.#shapes = shapes;
    this.#check = check;
    this.#patterns = patterns;
    this.#effort = effort;
  }

  /** Values that are all of this, the simple ones first. */
  *of(point: Point, fuel = MOST_FUEL): Generator<Json> {
    const [smallest] = this.#smallest(point);
    if (smallest === undefined) return;
    yield smallest;
    yield* alternately(this.#shapes.of(point).map((shape) => this.ofShape(shape, fuel)));
  }

  /** Values of a shape; the hints are numbers or lengths near which others are of interest. */
  *ofShape(shape: Shape, fuel = MOST_FUEL, hints: readonly number[] = []): Generator<Json> {
    if (shape.kind === "values") yield* shape.values;
    else for (const value of this.#made(shape, fuel, hints)) if (this.isOf(value, shape)) yield value;
  }

  *objects(shape: OpenShape, wish: Wish, fuel = MOST_FUEL): Generator<Json> {
    for (const value of this.#objects(shape, fuel, wish)) if (this.isOf(value, shape)) yield value;
  }

  *lists(shape: OpenShape, given: ReadonlyMap<number, Json>, fuel = MOST_FUEL): Generator<Json> {
    for (const value of this.#lists(shape, fuel, [], given)) if (this.isOf(value, shape)) yield value;
  }

  isOf(value: Json, shape: OpenShape): boolean {
    return (
      this.#sizeOf(value) <= MOST_SIZE &&
      shape.parts.every((part) => this.#check.verdict(value, part).faults.length === 0)
    );
  }

  /** How many values are in a value, itself included; those within it are mostly known. */
  #sizeOf(value: Json): number {
    if (typeof value !== "object" || value === null) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    const inner = Object.values(value) as readonly Json[];
    const size = inner.reduce<number>((sum, each) => sum + this.#sizeOf(each), 1);
    this.#sizes.set(value, size);
    return size;
  }

  /** Whether the value has no other properties than those that exact parts declare. */
  isExact(value: Json, point: Point): boolean {
    return this.#shapes.of(point).some((shape) => this.#isExactly(value, shape));
  }

  #isExactly(value: Json, shape: Shape): boolean {
    this.#effort.spend();
    if (shape.kind === "values") return shape.values.some((each) => textOf(each) === textOf(value));
    if (kindOf(value) !== shape.kind || !this.isOf(value, shape)) return false;
    if (Array.isArray(value)) {
      const items: readonly Json[] = value;
      return items.every((item, index) => this.isExact(item, itemPoint(shape, index)));
    }
    return (
      !isJsonObject(value) ||
      Object.entries(value).every(([name, member]) => this.isExact(member, this.property(shape, name)))
    );
  }

  property(shape: OpenShape, name: string): Point {
    return propertyPoint(shape, name, (pattern, text) => this.#patterns.isFound(pattern, text, this.#effort));
  }

  /** The first value that needs the least nesting. */
  #smallest(point: Point): readonly Json[] {
    for (let fuel = 0; fuel <= MOST_FUEL; fuel += 1) {
      const found = this.#few(point, fuel, 1);
      if (found.length > 0) return found;
    }
    return [];
  }

  #few(point: Point, fuel: number, count: number): readonly Json[] {
    if (fuel < 0 && !this.#shapes.of(point).some(isSimple)) return [];
    const key = `${fuel} ${count} ${this.#shapes.pointKey(point)}`;
    const known = this.#some.get(key);
    if (known) return known;
    const shapes = this.#shapes.of(point);
    const streams = (fuel < 0 ? shapes.filter(isSimple) : shapes).map((shape) => this.ofShape(shape, fuel));
    const found = distinct(alternately(streams), count);
    this.#some.set(key, found);
    return found;
  }

  #made(shape: OpenShape, fuel: number, hints: readonly number[]): Iterable<Json> {
    this.#effort.spend();
    switch (shape.kind) {
      case "number":
        return this.#numbers(shape, hints);
      case "string":
        return this.#texts(shape, hints);
      case "array":
        return this.#lists(shape, fuel, hints, new Map());
      case "object":
        return this.#objects(shape, fuel, {});
    }
  }

  #numbers(shape: OpenShape, hints: readonly number[]): Iterable<Json> {
    const { least, most, multiples } = numberFacts(shape);
    const near = [...hints, least, most].filter(Number.isFinite).flatMap(neighbours);
    const middle = Number.isFinite(least) && Number.isFinite(most) ? [(least + most) / 2] : [];
    const times = multiples.flatMap((each) => [
      ...TIMES.map((time) => time * each),
      ...[least, ...hints].flatMap((bound) => [
        Math.ceil(bound / each) * each,
        Math.floor(bound / each + 1) * each,
      ]),
    ]);
    const numbers = [...near.slice(0, hints.length * 3), ...NUMBERS, ...near, ...middle, ...times];
    return new Set(
      numbers
        .filter((each) => Number.isFinite(each) && each >= least && each <= most)
        .map((each) => each + 0),
    );
  }

  *#texts(shape: OpenShape, hints: readonly number[]): Generator<Json> {
    const { least, most, patterns, formats } = textFacts(shape);
    const lengths = [least, most, ...hints.flatMap((each) => [each - 1, each, each + 1])];
    const isFree = patterns.length === 0 && formats.length === 0;
    if (isFree) yield* TEXTS;
    for (const length of lengths) {
      if (isFree && length >= least && length <= most && length <= MOST_TEXT) yield "a".repeat(length);
    }
    for (const format of formats) yield* formatOf(format)?.examples ?? [];
    const sources = [...patterns, ...formats.flatMap((format) => formatOf(format)?.pattern ?? [])];
    const inside = sources.flatMap((source) => this.#patterns.get(source) ?? []);
    if (patterns.length === 0 || least > MOST_TEXT) return;
    yield* TEXTS;
    for (const minLength of new Set([least, ...hints.filter((each) => each > least && each <= most)])) {
      const wanted = { inside, outside: [], minLength, maxLength: most };
      for (const { text, classes } of firsts(wantedTexts(wanted, this.#effort), MOST_WORDS)) {
        yield text;
        yield* variations(text, classes);
      }
    }
  }

  *#lists(
    shape: OpenShape,
    fuel: number,
    hints: readonly number[],
    given: ReadonlyMap<number, Json>,
  ): Generator<Json> {
    const { least, most, tail } = listFacts(shape);
    const shortest = Math.max(least, ...[...given.keys()].map((index) => index + 1));
    const wanted = [
      shortest,
      shortest + 1,
      shortest + 2,
      tail,
      tail + 1,
      ...hints,
      ...hints.map((each) => each + 1),
    ];
    const lengths = new Set(wanted.filter((each) => each >= shortest && each <= most && each <= MOST_ITEMS));
    for (const length of lengths) {
      const list = this.#list(shape, fuel, length, given);
      if (!list) continue;
      yield list;
      for (let index = 0; index < Math.min(length, MOST_VARIED); index += 1) {
        if (given.has(index)) continue;
        for (const value of this.#few(itemPoint(shape, index), fuel - 1, MOST_CHOICES))
          yield list.with(index, value);
      }
    }
  }

  #list(
    shape: OpenShape,
    fuel: number,
    length: number,
    given: ReadonlyMap<number, Json>,
  ): readonly Json[] | undefined {
    const { isUnique, contained } = listFacts(shape);
    const wanted = contained.flatMap(({ part, least }) => Array.from({ length: least }, () => part));
    const list: Json[] = [];
    const used = new Set([...given.values()].map(textOf));
    for (let index = 0; index < length; index += 1) {
      this.#effort.spend();
      const part = given.has(index) ? undefined : wanted.shift();
      const point = [...itemPoint(shape, index), ...(part ? [part] : [])];
      const choices = given.has(index)
        ? [given.get(index) ?? null]
        : this.#few(point, fuel - 1, isUnique ? length + MOST_CHOICES : 1);
      const item = choices.find((each) => given.has(index) || !isUnique || !used.has(textOf(each)));
      if (item === undefined) return undefined;
      if (isUnique) used.add(textOf(item));
      list.push(item);
    }
    return list;
  }

  *#objects(shape: OpenShape, fuel: number, wish: Wish): Generator<Json> {
    const facts = objectFacts(shape);
    const choices = (name: string, count: number): readonly Json[] =>
      this.#few(this.property(shape, name), fuel - 1, count);
    const given = new Map(wish.given);
    const optional = [...facts.names].filter(
      (name) => !facts.required.has(name) && !given.has(name) && name !== wish.absent,
    );
    const base = new Map<string, Json>();
    for (const name of neededBeside(new Set([...facts.required, ...given.keys()]), facts.dependencies)) {
      const value = given.has(name) ? given.get(name) : choices(name, 1)[0];
      if (value === undefined || name === wish.absent) return;
      base.set(name, value);
    }
    const others = optional.filter((name) => !base.has(name));
    const extras = (): Generator<readonly [string, Json]> => this.#extras(shape, fuel, wish);
    for (const name of others) {
      if (base.size >= facts.least) break;
      const [value] = choices(name, 1);
      if (value !== undefined) base.set(name, value);
    }
    for (const [name, value] of base.size < facts.least ? extras() : []) {
      if (!base.has(name)) base.set(name, value);
      if (base.size >= facts.least) break;
    }
    const made = (more: Iterable<readonly [string, Json]>): Json => Object.fromEntries([...base, ...more]);
    yield made([]);
    const full = others.flatMap((name) => choices(name, 1).map((value) => [name, value] as const));
    if (full.length > 0) yield made(full);
    for (const extra of firsts(extras(), MOST_EXTRAS)) yield made([extra]);
    for (const each of full.length > 1 ? full : []) {
      yield made(neededBeside(new Set([each[0]]), facts.dependencies).size > 1 ? full : [each]);
    }
    for (const name of [...base.keys(), ...others]) {
      if (given.has(name)) continue;
      for (const value of choices(name, MOST_CHOICES)) yield made([[name, value]]);
    }
    if (full.length > 0) for (const extra of firsts(extras(), 1)) yield made([...full, extra]);
  }

  /** Properties that have no names of their own. */
  *#extras(shape: OpenShape, fuel: number, wish: Wish): Generator<readonly [string, Json]> {
    const { names, regions } = objectFacts(shape);
    for (const { pattern, names: point } of regions) {
      const usual = pattern === undefined ? EXTRA_NAMES : [];
      for (const name of chained(usual, firsts(this.of(point, 0), MOST_NAMES))) {
        if (typeof name !== "string" || name === "" || names.has(name)) continue;
        if (wish.given?.has(name) || wish.absent === name) continue;
        for (const value of this.#few(this.property(shape, name), fuel - 1, 2)) yield [name, value];
      }
    }
  }
}

const MOST_FUEL = 8;
const MOST_SIZE = 5_000;
const MOST_TEXT = 1_000;
const MOST_ITEMS = 300;
const MOST_CHOICES = 4;
const MOST_VARIED = 4;
const MOST_VARIED_CHARACTERS = 10;
const MOST_EXTRAS = 4;
const MOST_NAMES = 12;
const MOST_WORDS = 12;

const EXTRA_NAMES = ["extra", "more", ...Array.from({ length: 62 }, (_, index) => `extra${index + 3}`)];
const NUMBERS = [0, 1, 0.5, -1, -0.5, 2, 10, 1.5, 100, -100, 1_000_000];
const TIMES = [0, 1, -1, 2, 3, 5, 7, 11, -2, -3];
const TEXTS = [
  "text",
  "",
  "a",
  "A",
  "0",
  " ",
  "other",
  "A b",
  "1.5",
  "2026-01-31",
  "2026-01-31T12:00:00Z",
  "é",
  "漢字",
  "-",
  "_",
];

function neighbours(number: number): readonly number[] {
  return [number, number - 1, number + 1, number - 0.5, number + 0.5, number * 1.5];
}

function* variations(text: string, classes: readonly (readonly number[])[]): Generator<string> {
  const characters = Array.from(text);
  for (const index of classes.keys().take(MOST_VARIED_CHARACTERS)) {
    for (const other of classes[index]?.slice(1) ?? [])
      yield characters.with(index, String.fromCodePoint(other)).join("");
  }
}

function* chained<T>(...streams: readonly Iterable<T>[]): Generator<T> {
  for (const stream of streams) yield* stream;
}

function isSimple({ kind }: Shape): boolean {
  return kind === "values" || kind === "number" || kind === "string";
}

function kindOf(value: Json): string {
  return Array.isArray(value) ? "array" : typeof value;
}

export function* firsts<T>(stream: Iterable<T>, count: number): Generator<T> {
  let left = count;
  if (left <= 0) return;
  for (const each of stream) {
    yield each;
    left -= 1;
    if (left <= 0) return;
  }
}

function distinct(stream: Iterable<Json>, count: number): readonly Json[] {
  const found = new Map<string, Json>();
  for (const value of firsts(stream, count * 4 + 4)) {
    found.set(textOf(value), value);
    if (found.size >= count) break;
  }
  return [...found.values()];
}

/** One of each in turn. */
function* alternately<T>(streams: readonly Iterator<T>[]): Generator<T> {
  let open = streams;
  while (open.length > 0) {
    const next: Iterator<T>[] = [];
    for (const stream of open) {
      const { value, done } = stream.next();
      if (done) continue;
      next.push(stream);
      yield value;
    }
    open = next;
  }
}
