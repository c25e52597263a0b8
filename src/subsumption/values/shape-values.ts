import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { Effort } from "../effort.ts";
import { canonicalText } from "./canonical-text.ts";
import { shapeNumbers, shapeTexts } from "./scalar-values.ts";
import type { OpenShape, Conjunction, SchemaShapes, Shape } from "../shapes/schema-shapes.ts";
import {
  itemConjunction,
  listFacts,
  neededBeside,
  objectFacts,
  propertyConjunction,
  type ObjectFacts,
  type Region,
} from "../shapes/shape-facts.ts";
import { interleaved, firsts } from "./streams.ts";
import type { TextPatterns } from "../text/text-pattern.ts";
import type { ValueCheck } from "./value-faults.ts";

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
  *of(point: Conjunction, fuel = MAX_FUEL): Generator<Json> {
    const [smallest] = this.#smallest(point);
    if (smallest === undefined) return;
    yield smallest;
    const shapes = this.#shapes.of(point);
    this.#effort.spend(1 + shapes.length / SHAPES_PER_STEP);
    yield* interleaved(shapes.map((shape) => this.ofShape(shape, fuel)));
  }

  /** Values of a shape; the hints are numbers or lengths near which others are of interest. */
  *ofShape(shape: Shape, fuel = MAX_FUEL, hints: readonly number[] = []): Generator<Json> {
    if (shape.kind === "values") yield* shape.values;
    else yield* this.#good(this.#made(shape, fuel, hints), shape);
  }

  objects(shape: OpenShape, wish: Wish): Generator<Json> {
    return this.#good(this.#objects(shape, MAX_FUEL, wish), shape);
  }

  lists(shape: OpenShape, given: ReadonlyMap<number, Json>): Generator<Json> {
    return this.#good(this.#lists(shape, MAX_FUEL, [], given), shape);
  }

  /** Names of properties that have no names of their own. */
  *names(shape: OpenShape, { pattern, names }: Region): Generator<string> {
    const known = objectFacts(shape).names;
    const isName = (name: string): boolean =>
      names.every((piece) => "kind" in piece || this.#check.verdict(name, piece).faults.length === 0);
    for (const name of pattern === undefined ? EXTRA_NAMES : [])
      if (!known.has(name) && isName(name)) yield name;
    for (const name of this.of(names, 0))
      if (typeof name === "string" && name !== "" && !known.has(name)) yield name;
  }

  /** Whether a value of the basic type is not ruled out. */
  isOf(value: Json, shape: OpenShape): boolean {
    return shape.parts.every((part) => this.#check.verdict(value, part).faults.length === 0);
  }

  /** Whether the value has no other properties than those that exact parts declare. */
  isExact(value: Json, point: Conjunction): boolean {
    return this.#shapes.of(point).some((shape) => this.#isExactly(value, shape));
  }

  /** What the value of a property has to be like, where it is there. */
  property(shape: OpenShape, name: string): Conjunction {
    return propertyConjunction(shape, name, (pattern, text) =>
      this.#patterns.isFound(pattern, text, this.#effort),
    );
  }

  #isExactly(value: Json, shape: Shape): boolean {
    this.#effort.spend();
    if (shape.kind === "values")
      return shape.values.some((each) => canonicalText(each) === canonicalText(value));
    if (kindOf(value) !== shape.kind || !this.isOf(value, shape)) return false;
    if (isJsonObject(value)) {
      const members = Object.entries(value);
      return members.every(([name, member]) => this.isExact(member, this.property(shape, name)));
    }
    const items: readonly Json[] = Array.isArray(value) ? value : [];
    return items.every((item, index) => this.isExact(item, itemConjunction(shape, index)));
  }

  *#good(values: Iterable<Json>, shape: OpenShape): Generator<Json> {
    for (const value of values) if (this.#sizeOf(value) <= MAX_SIZE && this.isOf(value, shape)) yield value;
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

  /** The first value that needs the least nesting. */
  #smallest(point: Conjunction): readonly Json[] {
    for (let fuel = 0; fuel <= MAX_FUEL; fuel += 1) {
      const found = this.#few(point, fuel, 1);
      if (found.length > 0) return found;
    }
    return [];
  }

  #few(point: Conjunction, fuel: number, count: number): readonly Json[] {
    const key = `${fuel} ${count} ${this.#shapes.pointKey(point)}`;
    const known = this.#some.get(key);
    if (known) return known;
    const shapes = this.#shapes.of(point);
    this.#effort.spend(1 + shapes.length / SHAPES_PER_STEP);
    const possible = fuel < 0 ? shapes.filter(isSimple) : shapes;
    const found = distinct(interleaved(possible.map((shape) => this.ofShape(shape, fuel))), count);
    this.#some.set(key, found);
    return found;
  }

  #made(shape: OpenShape, fuel: number, hints: readonly number[]): Iterable<Json> {
    this.#effort.spend();
    switch (shape.kind) {
      case "number":
        return shapeNumbers(shape, hints);
      case "string":
        return shapeTexts(shape, hints, this.#patterns, this.#effort);
      case "array":
        return this.#lists(shape, fuel, hints, new Map());
      case "object":
        return this.#objects(shape, fuel, {});
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
    const near = hints.flatMap((each) => [each + 1, each]);
    const wanted = [shortest, ...near, shortest + 1, shortest + 2, tail, tail + 1];
    const lengths = wanted.filter((each) => each >= shortest && each <= most && each <= MAX_ITEMS);
    for (const length of new Set(lengths)) {
      const list = this.#list(shape, fuel, length, given);
      if (list) yield* this.#varied(shape, fuel, list, given);
    }
  }

  *#varied(
    shape: OpenShape,
    fuel: number,
    list: readonly Json[],
    given: ReadonlyMap<number, Json>,
  ): Generator<Json> {
    yield list;
    for (let index = 0; index < Math.min(list.length, MAX_VARIED); index += 1) {
      if (given.has(index)) continue;
      for (const value of this.#few(itemConjunction(shape, index), fuel - 1, MAX_CHOICES))
        yield list.with(index, value);
    }
  }

  #list(
    shape: OpenShape,
    fuel: number,
    length: number,
    given: ReadonlyMap<number, Json>,
  ): readonly Json[] | undefined {
    const { isUnique, contained } = listFacts(shape);
    let wanted = contained.flatMap(({ part, least }) => Array.from({ length: least }, () => part));
    const list: Json[] = [];
    const used = new Set([...given.values()].map(canonicalText));
    for (let index = 0; index < length; index += 1) {
      this.#effort.spend();
      const own = given.get(index);
      const count = isUnique ? length + MAX_CHOICES : 1;
      const choices = (more: Conjunction): readonly Json[] =>
        this.#few([...itemConjunction(shape, index), ...more], fuel - 1, count).filter(
          (each) => !isUnique || !used.has(canonicalText(each)),
        );
      const [wish] = own === undefined && wanted[0] ? choices([wanted[0]]) : [];
      if (wish !== undefined) wanted = wanted.slice(1);
      const item = [own, wish, ...(own === undefined && wish === undefined ? choices([]) : [])].find(isGiven);
      if (item === undefined) return undefined;
      if (isUnique) used.add(canonicalText(item));
      list.push(item);
    }
    return list;
  }

  *#objects(shape: OpenShape, fuel: number, wish: Wish): Generator<Json> {
    const facts = objectFacts(shape);
    const base = this.#base(shape, facts, fuel, wish);
    if (!base || base.size > MAX_SIZE) return;
    const made = (more: Iterable<readonly [string, Json]>): Json => {
      this.#effort.spend(Math.ceil(base.size / MEMBERS_PER_STEP));
      return Object.fromEntries([...base, ...more]);
    };
    yield made([]);
    const others = [...facts.names].filter((name) => !base.has(name) && name !== wish.absent);
    const full = others.flatMap((name) =>
      this.#members(shape, name, fuel, 1).map((value) => [name, value] as const),
    );
    if (full.length > 0) yield made(full);
    for (const extra of firsts(this.#extras(shape, fuel, wish), MAX_EXTRAS)) yield made([extra]);
    for (const each of full.length > 1 ? full : []) {
      const isAlone = neededBeside(new Set([each[0]]), facts.dependencies).size === 1;
      yield made(isAlone ? [each] : full);
    }
    for (const name of [...base.keys(), ...others]) {
      if (wish.given?.has(name)) continue;
      for (const value of this.#members(shape, name, fuel, MAX_CHOICES)) yield made([[name, value]]);
    }
    for (const extra of firsts(this.#extras(shape, fuel, wish), 1)) yield made([...full, extra]);
  }

  /** What an object has to have. */
  #base(shape: OpenShape, facts: ObjectFacts, fuel: number, wish: Wish): Map<string, Json> | undefined {
    const base = new Map<string, Json>();
    const { given = NONE } = wish;
    for (const name of neededBeside(new Set([...facts.required, ...given.keys()]), facts.dependencies)) {
      const value = given.has(name) ? given.get(name) : this.#members(shape, name, fuel, 1)[0];
      if (value === undefined || name === wish.absent) return undefined;
      base.set(name, value);
    }
    for (const name of facts.names) {
      if (base.size >= facts.least) return base;
      const [value] = base.has(name) || name === wish.absent ? [] : this.#members(shape, name, fuel, 1);
      if (value !== undefined) base.set(name, value);
    }
    for (const [name, value] of base.size < facts.least ? this.#extras(shape, fuel, wish) : []) {
      if (!base.has(name)) base.set(name, value);
      if (base.size >= facts.least) return base;
    }
    return base;
  }

  #members(shape: OpenShape, name: string, fuel: number, count: number): readonly Json[] {
    return this.#few(this.property(shape, name), fuel - 1, count);
  }

  /** Properties that have no names of their own. */
  *#extras(shape: OpenShape, fuel: number, wish: Wish): Generator<readonly [string, Json]> {
    for (const region of objectFacts(shape).regions) {
      for (const name of firsts(this.names(shape, region), MAX_NAMES)) {
        if (wish.given?.has(name) || wish.absent === name) continue;
        for (const value of this.#members(shape, name, fuel, 2)) yield [name, value];
      }
    }
  }
}

const MAX_FUEL = 8;
const MAX_SIZE = 5_000;
const MAX_ITEMS = 300;
const MAX_CHOICES = 4;
const MAX_VARIED = 4;
const MAX_EXTRAS = 4;
const MAX_NAMES = 70;
const SHAPES_PER_STEP = 50;
const MEMBERS_PER_STEP = 10;

const NONE: ReadonlyMap<string, Json> = new Map();
const EXTRA_NAMES = ["extra", "more", ...Array.from({ length: 62 }, (_, index) => `extra${index + 3}`)];

function isSimple({ kind }: Shape): boolean {
  return kind === "values" || kind === "number" || kind === "string";
}

function isGiven(value: Json | undefined): value is Json {
  return value !== undefined;
}

function kindOf(value: Json): string {
  return Array.isArray(value) ? "array" : typeof value;
}

function distinct(stream: Iterable<Json>, count: number): readonly Json[] {
  const found = new Map<string, Json>();
  for (const value of firsts(stream, count * 4 + 4)) {
    found.set(canonicalText(value), value);
    if (found.size >= count) break;
  }
  return [...found.values()];
}
