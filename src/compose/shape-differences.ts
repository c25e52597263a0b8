import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { Effort } from "./effort.ts";
import { isList, partOf, referred, type Part } from "./schema-root.ts";
import type { OpenShape, Point, SchemaShapes, Shape } from "./schema-shapes.ts";
import {
  itemPoint,
  listFacts,
  neededBeside,
  NOTHING,
  numberFacts,
  objectFacts,
  partsWith,
  textFacts,
  type Region,
} from "./shape-facts.ts";
import { firsts, type ShapeValues } from "./shape-values.ts";
import { formatOf, isWithin } from "./text-format.ts";
import { wantedTexts } from "./text-language.ts";
import type { TextPattern } from "./text-pattern.ts";
import type { TextPatterns } from "./text-patterns.ts";
import { isMultiple, joined, textOf, type ValueCheck } from "./value-faults.ts";

/** A place where not all values seem to fit. */
export interface Difference {
  readonly path: string;
  readonly why: string;
  /** Values that may show it. */
  readonly values: () => Iterable<Json>;
}

/** How deep a comparison is: in the values, and all in all. */
interface Spot {
  readonly level: number;
  readonly depth: number;
}

/** That a shape fits a schema: taken for granted while it is shown of what is deeper in the values. */
interface Claim {
  readonly level: number;
  isShown: boolean;
}

/**
 * Compares shapes with a schema, keyword by keyword: where it finds no difference, all values of the shape fit. For
 * schemas that refer to themselves it is coinductive, as in Pierce, Types and Programming Languages, 21.9: a claim that
 * is met again deeper in the values holds if nothing else speaks against it. Differences come one by one, so that
 * whoever only has to know whether there is one asks for the first.
 */
export class ShapeDifferences {
  readonly #shapes: SchemaShapes;
  readonly #values: ShapeValues;
  readonly #check: ValueCheck;
  readonly #patterns: TextPatterns;
  readonly #effort: Effort;
  readonly #claims = new Map<string, Claim>();
  readonly #order: string[] = [];
  readonly #refuted = new Map<string, Difference>();
  #limits = 0;
  readonly #keys = new WeakMap<readonly Json[], ReadonlyMap<string, number>>();

  constructor(
    shapes: SchemaShapes,
    values: ShapeValues,
    check: ValueCheck,
    patterns: TextPatterns,
    effort: Effort,
  ) {
    this.#shapes = shapes;
    this.#values = values;
    this.#check = check;
    this.#patterns = patterns;
    this.#effort = effort;
  }

  *of(point: Point, target: Part, spot: Spot = { level: 0, depth: 0 }): Generator<Difference> {
    const key = this.#shapes.keyOf(target);
    if (point.some((piece) => !("kind" in piece) && this.#shapes.keyOf(piece) === key)) return;
    for (const shape of this.#shapes.of(point)) yield* this.#ofShape(shape, target, spot);
  }

  *#ofShape(shape: Shape, target: Part, { level, depth }: Spot): Generator<Difference> {
    if (target.schema === true) return;
    this.#effort.spend();
    const key = `${shape.id} ${this.#shapes.keyOf(target)}`;
    const claim = this.#claims.get(key);
    if (claim && (claim.isShown || claim.level < level)) return;
    const known = this.#refuted.get(key);
    if (claim || depth > MOST_DEPTH) {
      this.#limits += 1;
      yield unclear("it is nested too deeply");
    } else if (known) yield known;
    else yield* this.#claimed(key, shape, target, { level, depth: depth + 1 });
  }

  *#claimed(key: string, shape: Shape, target: Part, spot: Spot): Generator<Difference> {
    const mark = this.#order.push(key) - 1;
    const claim: Claim = { level: spot.level, isShown: false };
    this.#claims.set(key, claim);
    const limits = this.#limits;
    let isRefuted = false;
    for (const { path, why, values } of this.#found(shape, target, spot)) {
      if (!isRefuted && target.schema !== false && this.#isImpossible(shape, spot)) break;
      const difference = { path, why, values: () => this.#misfits(values(), target) };
      if (!isRefuted) {
        this.#takeBack(mark);
        // From elsewhere it may be seen better.
        if (this.#limits === limits) this.#refuted.set(key, difference);
      }
      isRefuted = true;
      yield difference;
    }
    claim.isShown = !isRefuted;
  }

  *#misfits(values: Iterable<Json>, target: Part): Generator<Json> {
    for (const value of values) {
      const { faults, doubts } = this.#check.verdict(value, target);
      if (faults.length > 0 || doubts.length > 0) yield value;
    }
  }

  /** What was shown on the ground of a claim that does not hold is not shown. */
  #takeBack(mark: number): void {
    for (const key of this.#order.splice(mark)) this.#claims.delete(key);
  }

  #fits(shape: Shape, target: Part, spot: Spot): boolean {
    return this.#ofShape(shape, target, spot).next().done === true;
  }

  #isImpossible(shape: Shape, spot: Spot): boolean {
    return this.#fits(shape, NOTHING, spot);
  }

  #isNowhere(point: Point, spot: Spot): boolean {
    return this.#shapes.of(point).every((shape) => this.#isImpossible(shape, spot));
  }

  *#found(shape: Shape, target: Part, spot: Spot): Generator<Difference> {
    const { schema } = target;
    if (shape.kind === "values") yield* this.#ofValues(shape.values, target);
    else if (!isJsonObject(schema)) {
      if (schema === false && !this.#isEmpty(shape, spot))
        yield { path: "", why: "nothing is allowed", values: () => this.#values.ofShape(shape) };
    } else if (!shape.partKeys.has(this.#shapes.keyOf(target))) {
      yield* this.#ofTypes(shape, schema);
      yield* this.#ofChoice(shape, target, schema, spot);
      yield* this.#ofCombination(shape, target, schema, spot);
      yield* this.#ofKind(shape, target, schema, spot);
    }
  }

  *#ofValues(values: readonly Json[], target: Part): Generator<Difference> {
    const plain = isJsonObject(target.schema) ? plainValues(target.schema) : undefined;
    for (const value of values) {
      if (plain?.has(textOf(value))) continue;
      const { faults, doubts } = this.#check.verdict(value, target);
      const [fault] = faults;
      if (fault) yield { ...fault, values: () => [value] };
      else if (doubts[0] !== undefined) yield { path: "", why: doubts[0], values: () => [value] };
    }
  }

  *#ofTypes(shape: OpenShape, { type, nullable }: JsonObject): Generator<Difference> {
    if (type === undefined) return;
    const types = [...(isList(type) ? type : [type]), ...(nullable === true ? ["null"] : [])];
    if (types.includes(shape.kind)) return;
    if (shape.kind === "number" && types.includes("integer")) {
      const { isInteger, least, most } = numberFacts(shape);
      if (isInteger || (least === most && Number.isInteger(least))) return;
      yield this.#sampled(shape, "not every number is an integer", [0.5, 1.5]);
    } else yield this.#sampled(shape, `a value of the type ${shape.kind} is not expected`);
  }

  *#ofChoice(shape: OpenShape, target: Part, schema: JsonObject, spot: Spot): Generator<Difference> {
    if (schema["enum"] === undefined && schema["const"] === undefined) return;
    const values = this.#finite(shape, spot);
    const { enum: choices, const: only } = schema;
    const narrow = {
      ...(choices !== undefined && { enum: choices }),
      ...(only !== undefined && { const: only }),
    };
    if (values) yield* this.#ofValues(values, partOf(target, narrow));
    else yield this.#sampled(shape, "only certain values are expected");
  }

  *#ofCombination(shape: OpenShape, target: Part, schema: JsonObject, spot: Spot): Generator<Difference> {
    if (typeof schema["$ref"] === "string") {
      const inner = referred(target.root, schema["$ref"]);
      if (inner === undefined) yield unclear(`\`${schema["$ref"]}\` leads to no schema of the same document`);
      else yield* this.#ofShape(shape, partOf(target, inner), spot);
    }
    for (const inner of listOf(schema["allOf"])) yield* this.#ofShape(shape, partOf(target, inner), spot);
    for (const [keyword, isOne] of [
      ["anyOf", false],
      ["oneOf", true],
    ] as const) {
      const choices = schema[keyword];
      if (isList(choices)) yield* this.#ofUnion(shape, { target, choices, isOne }, MOST_SPLITS, spot);
    }
    if (schema["if"] !== undefined) yield* this.#ofConditions(shape, target, schema, spot);
    if (schema["not"] !== undefined)
      yield* this.#apart(shape, partOf(target, schema["not"]), "is excluded", spot);
    for (const keyword of UNCLEAR) {
      if (schema[keyword] !== undefined) yield unclear(`\`${keyword}\` is not compared`);
    }
  }

  *#ofConditions(shape: OpenShape, target: Part, schema: JsonObject, spot: Spot): Generator<Difference> {
    const { if: condition = true, then = true, else: otherwise = true } = schema;
    const met = this.#shapes.of([shape, partOf(target, condition)]);
    for (const each of met) yield* this.#ofShape(each, partOf(target, then), spot);
    yield* this.#ofUnion(shape, { target, choices: [condition, otherwise], isOne: false }, MOST_SPLITS, spot);
  }

  /** What the shape shares with a schema. */
  *#apart(shape: Shape, other: Part, why: string, spot: Spot): Generator<Difference> {
    const point: Point = [shape, other];
    if (!this.#isNowhere(point, spot))
      yield { path: "", why: `some of it ${why}`, values: () => this.#values.of(point) };
  }

  *#ofUnion(shape: OpenShape, union: Union, splits: number, spot: Spot): Generator<Difference> {
    const { target, choices, isOne } = union;
    this.#effort.spend();
    const covering = this.#coveringChoice(shape, union, spot);
    if (covering !== undefined) {
      for (const [index, choice] of isOne ? choices.entries() : []) {
        if (index === covering) continue;
        yield* this.#apart(shape, partOf(target, choice), "fits more than one alternative", spot);
      }
      return;
    }
    if (this.#isImpossible(shape, spot)) return;
    const pieces = splits > 0 ? this.#pieces(shape, union, spot) : undefined;
    for (const piece of pieces ?? []) {
      if (piece.kind !== "values") yield* this.#ofUnion(piece, union, splits - 1, spot);
      else yield* this.#ofValues(piece.values, partOf(target, { [isOne ? "oneOf" : "anyOf"]: choices }));
    }
    if (!pieces) {
      yield {
        path: "",
        why: `not all of it was seen to fit one of ${choices.length} alternatives`,
        values: () => this.#betweenChoices(shape, union, spot),
      };
    }
  }

  #coveringChoice(shape: OpenShape, { target, choices }: Union, spot: Spot): number | undefined {
    const keys = this.#keysOf(choices, target);
    for (const key of shape.partKeys) {
      const same = keys.get(key);
      if (same !== undefined) return same;
    }
    const index = choices.findIndex(
      (choice) =>
        this.#shapes.of([partOf(target, choice)]).some(({ kind }) => kind === shape.kind) &&
        this.#fits(shape, partOf(target, choice), spot),
    );
    return index < 0 ? undefined : index;
  }

  #keysOf(choices: readonly Json[], target: Part): ReadonlyMap<string, number> {
    const known = this.#keys.get(choices);
    if (known) return known;
    const keys = new Map(
      choices.map((choice, index) => [this.#shapes.keyOf(partOf(target, choice)), index] as const),
    );
    this.#keys.set(choices, keys);
    return keys;
  }

  *#betweenChoices(shape: OpenShape, { target, choices }: Union, spot: Spot): Generator<Json> {
    for (const choice of choices.slice(0, MOST_SAMPLES)) {
      for (const difference of firsts(this.#ofShape(shape, partOf(target, choice), spot), 2))
        yield* firsts(difference.values(), 4);
    }
    yield* firsts(this.#values.ofShape(shape), MOST_SAMPLES);
  }

  /** The shape cut where the alternatives differ, or nothing where no good cut is known. */
  #pieces(shape: OpenShape, union: Union, spot: Spot): readonly Shape[] | undefined {
    const finite = this.#finite(shape, spot);
    if (finite) return [this.#shapes.listed(finite)];
    const others = union.choices
      .slice(0, MOST_CUTTING)
      .flatMap((choice) => this.#shapes.of([partOf(union.target, choice)]))
      .filter((each): each is OpenShape => each.kind === shape.kind);
    switch (shape.kind) {
      case "number":
        return this.#cutNumbers(shape, others);
      case "string":
        return this.#cutCounts(shape, textFacts(shape), others.map(textFacts), "Length");
      case "array":
        return (
          this.#cutCounts(shape, this.#listBounds(shape, spot), others.map(listFacts), "Items") ??
          this.#cutItems(shape, others, spot)
        );
      case "object":
        return this.#cutProperties(shape, others, spot);
    }
  }

  #cutNumbers(shape: OpenShape, others: readonly OpenShape[]): readonly Shape[] | undefined {
    const { least, most, isAbove, isBelow } = numberFacts(shape);
    for (const other of others.map(numberFacts)) {
      if (
        other.most > -Infinity &&
        (other.most > least || (other.most === least && !isAbove)) &&
        other.most < most
      ) {
        const [low, high] = other.isBelow ? ["exclusiveMaximum", "minimum"] : ["maximum", "exclusiveMinimum"];
        return [low, high].map((keyword) => this.#shapes.narrowed(shape, { [keyword]: other.most }));
      }
      if (
        other.least < Infinity &&
        (other.least < most || (other.least === most && !isBelow)) &&
        other.least > least
      ) {
        const [low, high] = other.isAbove ? ["maximum", "exclusiveMinimum"] : ["exclusiveMaximum", "minimum"];
        return [low, high].map((keyword) => this.#shapes.narrowed(shape, { [keyword]: other.least }));
      }
    }
    return undefined;
  }

  #cutCounts(
    shape: OpenShape,
    { least, most }: Bounds,
    others: readonly Bounds[],
    keyword: "Length" | "Items",
  ): readonly Shape[] | undefined {
    const cuts = others.flatMap((other) => [other.most, other.least - 1]);
    const cut = cuts.find((each) => each >= least && each < most);
    if (cut === undefined) return undefined;
    return [
      this.#shapes.narrowed(shape, { [`max${keyword}`]: cut }),
      this.#shapes.narrowed(shape, { [`min${keyword}`]: cut + 1 }),
    ];
  }

  #cutItems(shape: OpenShape, others: readonly OpenShape[], spot: Spot): readonly Shape[] | undefined {
    const { least, most } = this.#listBounds(shape, spot);
    const places = Math.max(listFacts(shape).tail, ...others.map((other) => listFacts(other).tail));
    for (let index = 0; index < Math.min(places, most, MOST_CUT_ITEMS); index += 1) {
      const groups = this.#groups(
        itemPoint(shape, index),
        others.map((other) => itemPoint(other, index)),
      );
      if (groups.length < 2) continue;
      if (index >= least) {
        return [
          this.#shapes.narrowed(shape, { maxItems: index }),
          this.#shapes.narrowed(shape, { minItems: index + 1 }),
        ];
      }
      return groups.map((group) => this.#shapes.narrowedInside(shape, index, group));
    }
    return undefined;
  }

  #cutProperties(shape: OpenShape, others: readonly OpenShape[], spot: Spot): readonly Shape[] | undefined {
    const { required } = objectFacts(shape);
    for (const name of this.#tellingNames(others)) {
      const point = this.#values.property(shape, name);
      const groups = this.#groups(
        point,
        others.map((other) => this.#values.property(other, name)),
      );
      if (groups.length < (required.has(name) ? 2 : 1) || this.#isNowhere(point, spot)) continue;
      const present = this.#shapes.narrowed(shape, { required: [name] });
      const pieces = groups.map((group) => this.#shapes.narrowedInside(present, name, group));
      if (required.has(name)) return pieces;
      return [this.#shapes.narrowed(shape, { properties: { [name]: false } }), ...pieces];
    }
    return undefined;
  }

  /** Properties by which alternatives are told apart, those with listed values first. */
  #tellingNames(others: readonly OpenShape[]): readonly string[] {
    const weights = new Map<string, number>();
    for (const other of others) {
      const { names, required } = objectFacts(other);
      for (const name of names) {
        const isListed = this.#shapes
          .of(this.#values.property(other, name))
          .every(({ kind }) => kind === "values");
        const weight = (isListed ? 4 : 0) + (required.has(name) ? 1 : 0);
        weights.set(name, (weights.get(name) ?? 0) + weight);
      }
    }
    const ranked = [...weights].toSorted(([, one], [, other]) => other - one);
    return ranked.map(([name]) => name).slice(0, MOST_CUT_NAMES);
  }

  /** The shapes of a point; listed values apart where the alternatives take them apart. */
  #groups(point: Point, others: readonly Point[]): readonly Shape[] {
    return this.#shapes.of(point).flatMap((shape): readonly Shape[] => {
      if (shape.kind !== "values" || shape.values.length < 2) return [shape];
      const groups = new Map<string, Json[]>();
      for (const value of shape.values) {
        const key = others.map((other) => (this.#mayBe(value, other) ? "1" : "0")).join("");
        groups.set(key, [...(groups.get(key) ?? []), value]);
      }
      return [...groups.values()].map((values) => this.#shapes.listed(values));
    });
  }

  #mayBe(value: Json, point: Point): boolean {
    return point.every((piece) => "kind" in piece || this.#check.verdict(value, piece).faults.length === 0);
  }

  *#ofKind(shape: OpenShape, target: Part, schema: JsonObject, spot: Spot): Generator<Difference> {
    switch (shape.kind) {
      case "number":
        return yield* this.#ofNumbers(shape, schema);
      case "string":
        return yield* this.#ofTexts(shape, schema);
      case "array":
        return yield* this.#ofLists(shape, target, schema, spot);
      case "object":
        return yield* this.#ofObjects(shape, target, schema, spot);
    }
  }

  *#ofNumbers(shape: OpenShape, schema: JsonObject): Generator<Difference> {
    const { least, most, isAbove, isBelow, isInteger, multiples, formats } = numberFacts(shape);
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    const near = (bound: number): Difference =>
      this.#sampled(shape, `it may be on the wrong side of ${bound}`, [bound]);
    if (typeof minimum === "number" && least < minimum) yield near(minimum);
    if (typeof maximum === "number" && most > maximum) yield near(maximum);
    if (
      typeof exclusiveMinimum === "number" &&
      (isAbove ? least < exclusiveMinimum : least <= exclusiveMinimum)
    )
      yield near(exclusiveMinimum);
    if (
      typeof exclusiveMaximum === "number" &&
      (isBelow ? most > exclusiveMaximum : most >= exclusiveMaximum)
    )
      yield near(exclusiveMaximum);
    if (typeof multipleOf === "number" && !multiples.includes(multipleOf)) {
      const stray = strayMultiples(multipleOf, isInteger ? [...multiples, 1] : multiples);
      if (stray.length > 0) yield this.#sampled(shape, `it may be no multiple of ${multipleOf}`, stray);
    }
    const format = typeof schema["format"] === "string" ? formatOf(schema["format"]) : undefined;
    if (!format?.isNumeric || formats.some((each) => isWithin(each, format.name))) return;
    const isSmall = least >= -(2 ** 31) && most < 2 ** 31;
    if (!isInteger || (format.name === "int32" && !isSmall))
      yield this.#sampled(shape, `it may be no ${format.name}`, [2 ** 31, 0.5]);
  }

  *#ofTexts(shape: OpenShape, schema: JsonObject): Generator<Difference> {
    const { least, most, formats, patterns } = textFacts(shape);
    const { minLength, maxLength, pattern } = schema;
    if (typeof minLength === "number" && least < minLength)
      yield* this.#ofLanguage(
        shape,
        { most: Math.min(most, minLength - 1) },
        `at least ${minLength} characters`,
      );
    if (typeof maxLength === "number" && most > maxLength)
      yield* this.#ofLanguage(
        shape,
        { least: Math.max(least, maxLength + 1) },
        `at most ${maxLength} characters`,
      );
    if (typeof pattern === "string" && !patterns.includes(pattern))
      yield* this.#ofLanguage(shape, { outside: pattern }, `/${pattern}/`);
    const format = typeof schema["format"] === "string" ? formatOf(schema["format"]) : undefined;
    if (format && !format.isNumeric && !formats.some((each) => isWithin(each, format.name)))
      yield this.#sampled(shape, `it may be no ${format.name}`);
  }

  /** Texts of the shape that are wanted besides. */
  *#ofLanguage(
    shape: OpenShape,
    wanted: { readonly least?: number; readonly most?: number; readonly outside?: string },
    expected: string,
  ): Generator<Difference> {
    const facts = textFacts(shape);
    const [least, most] = [wanted.least ?? facts.least, wanted.most ?? facts.most];
    const search = (): Generator<{ readonly text: string }, boolean> =>
      this.#texts(shape, wanted.outside === undefined ? [] : [wanted.outside], { least, most });
    const { value, done } = search().next();
    if (done && value) return;
    const hints = [wanted.least, wanted.most].filter((each) => each !== undefined);
    const { ofShape } = { ofShape: () => this.#values.ofShape(shape, undefined, hints) };
    yield {
      path: "",
      why: `not every such text was seen to have ${expected}`,
      *values() {
        for (const { text } of firsts(search(), MOST_SAMPLES)) yield text;
        yield* ofShape();
      },
    };
  }

  /** Texts of the shape, between these lengths, that have none of the patterns. */
  *#texts(
    shape: OpenShape,
    outside: readonly string[],
    { least, most }: Bounds = textFacts(shape),
  ): Generator<{ readonly text: string }, boolean> {
    const { patterns, formats } = textFacts(shape);
    const inside = [...patterns, ...formats.flatMap((format) => formatOf(format)?.pattern ?? [])];
    const read = (sources: readonly string[]): readonly TextPattern[] =>
      sources.flatMap((source) => this.#patterns.get(source) ?? []);
    const others = read(outside);
    if (others.length < outside.length) return false;
    const wanted = { inside: read(inside), outside: others, minLength: least, maxLength: most };
    return yield* wantedTexts(wanted, this.#effort);
  }

  *#ofLists(shape: OpenShape, target: Part, schema: JsonObject, spot: Spot): Generator<Difference> {
    const { least, most } = this.#listBounds(shape, spot);
    const facts = listFacts(shape);
    const { minItems, maxItems, items, uniqueItems } = schema;
    if (typeof minItems === "number" && least < minItems)
      yield this.#sampled(shape, `it may have fewer than ${minItems} items`);
    if (typeof maxItems === "number" && most > maxItems)
      yield this.#sampled(shape, `it may have more than ${maxItems} items`, [maxItems]);
    const firstItems = listOf(schema["prefixItems"]);
    for (const [index, inner] of firstItems.entries()) {
      if (index < most) yield* this.#inItem(shape, index, partOf(target, inner), spot);
    }
    if (items !== undefined) {
      for (let index = firstItems.length; index <= Math.max(facts.tail, firstItems.length); index += 1) {
        if (index < most) yield* this.#inItem(shape, index, partOf(target, items), spot);
      }
    }
    if (uniqueItems === true && !facts.isUnique && most > 1)
      yield this.#sampled(shape, "it may have an item twice", [2]);
    if (schema["contains"] !== undefined)
      yield* this.#ofContained(shape, target, schema, { least, most }, spot);
  }

  *#inItem(shape: OpenShape, index: number, target: Part, spot: Spot): Generator<Difference> {
    for (const { path, why, values } of this.of(itemPoint(shape, index), target, deeper(spot))) {
      const lists = (value: Json): Iterable<Json> =>
        firsts(this.#values.lists(shape, new Map([[index, value]])), MOST_WRAPPED);
      yield { path: `[${index}]${inside(path)}`, why, values: () => wrapped(values(), lists) };
    }
  }

  *#ofContained(
    shape: OpenShape,
    target: Part,
    schema: JsonObject,
    { least, most }: Bounds,
    spot: Spot,
  ): Generator<Difference> {
    const part = partOf(target, schema["contains"] ?? true);
    const wanted = numberOf(schema["minContains"]) ?? 1;
    const limit = numberOf(schema["maxContains"]) ?? Infinity;
    const { contained, tail } = listFacts(shape);
    const key = this.#shapes.keyOf(part);
    const same = contained.filter((each) => this.#shapes.keyOf(each.part) === key);
    const places = Array.from({ length: tail + 1 }, (_, index) => itemPoint(shape, index));
    const isAll = (): boolean =>
      places.every((point) => this.of(point, part, deeper(spot)).next().done === true);
    const isNone = (): boolean => places.every((point) => this.#isNowhere([...point, part], deeper(spot)));
    const hasEnough =
      wanted === 0 || same.some((each) => each.least >= wanted) || (least >= wanted && isAll());
    if (!hasEnough) yield this.#sampled(shape, "it may lack items that it has to contain");
    const hasFew = most <= limit || same.some((each) => each.most <= limit) || isNone();
    if (!hasFew) yield this.#sampled(shape, "it may contain too many of some items", [limit + 1]);
  }

  *#ofObjects(shape: OpenShape, target: Part, schema: JsonObject, spot: Spot): Generator<Difference> {
    const facts = objectFacts(shape);
    for (const name of textsOf(schema["required"])) {
      if (facts.required.has(name)) continue;
      yield this.#lacking(shape, name, new Map());
    }
    for (const [name, inner] of entriesOf(schema["properties"])) {
      if (facts.most > 0) yield* this.#inProperty(shape, name, partOf(target, inner), spot);
    }
    yield* this.#ofPatterned(shape, target, schema, spot);
    yield* this.#ofOthers(shape, target, schema, spot);
    yield* this.#ofNames(shape, target, schema, spot);
    yield* this.#ofPropertyCount(shape, schema, spot);
    yield* this.#ofDependencies(shape, target, schema, spot);
  }

  #lacking(shape: OpenShape, name: string, given: ReadonlyMap<string, Json>): Difference {
    return {
      path: name,
      why: "it may be missing, but is required",
      values: () => this.#values.objects(shape, { absent: name, given }),
    };
  }

  *#inProperty(shape: OpenShape, name: string, target: Part, spot: Spot): Generator<Difference> {
    const point = this.#values.property(shape, name);
    for (const { path, why, values } of this.of(point, target, deeper(spot))) {
      if (this.#isForbiddenName(shape, name)) return;
      yield {
        path: joined(name, path).replace(/\.(?=\[)|\.$/, ""),
        why,
        values: () => wrapped(values(), (value) => this.#withProperty(shape, name, value)),
      };
    }
  }

  #withProperty(shape: OpenShape, name: string, value: Json): Iterable<Json> {
    return firsts(this.#values.objects(shape, { given: new Map([[name, value]]) }), MOST_WRAPPED);
  }

  #isForbiddenName(shape: OpenShape, name: string): boolean {
    return partsWith(shape, "propertyNames").some(
      ({ part, value }) => this.#check.verdict(name, partOf(part, value)).faults.length > 0,
    );
  }

  *#ofPatterned(shape: OpenShape, target: Part, schema: JsonObject, spot: Spot): Generator<Difference> {
    const { names, regions } = objectFacts(shape);
    for (const [pattern, inner] of entriesOf(schema["patternProperties"])) {
      const part = partOf(target, inner);
      for (const name of names) {
        if (this.#isFound(pattern, name) !== false) yield* this.#inProperty(shape, name, part, spot);
      }
      for (const region of regions) {
        const shared: Point = [...region.names, { ...NOTHING, schema: { pattern } }];
        if (!this.#areMeant(shared, region.except, []))
          yield* this.#inRegion(shape, { ...region, names: shared }, part, spot);
      }
    }
  }

  *#ofOthers(shape: OpenShape, target: Part, schema: JsonObject, spot: Spot): Generator<Difference> {
    const { additionalProperties } = schema;
    if (additionalProperties === undefined || additionalProperties === true) return;
    const part = partOf(target, additionalProperties);
    const { names, regions } = objectFacts(shape);
    const declared = entriesOf(schema["properties"]).map(([name]) => name);
    const patterns = entriesOf(schema["patternProperties"]).map(([pattern]) => pattern);
    for (const name of names) {
      const isMeant = declared.includes(name) || patterns.some((pattern) => this.#isFound(pattern, name));
      if (!isMeant) yield* this.#inProperty(shape, name, part, spot);
    }
    for (const region of regions) {
      if (!this.#areMeant(region.names, [...patterns, ...region.except], declared))
        yield* this.#inRegion(shape, region, part, spot);
    }
  }

  /** Whether all these names have one of the patterns or are declared. */
  #areMeant(names: Point, patterns: readonly string[], declared: readonly string[]): boolean {
    return this.#shapes.of(names).every((shape) => {
      if (shape.kind !== "string") {
        const values = shape.kind === "values" ? shape.values : [];
        return values.every(
          (name) =>
            typeof name === "string" &&
            (declared.includes(name) || patterns.some((pattern) => this.#isFound(pattern, name))),
        );
      }
      if (textFacts(shape).patterns.some((pattern) => patterns.includes(pattern))) return true;
      const { value, done } = this.#texts(shape, patterns).next();
      return done === true && value;
    });
  }

  *#inRegion(shape: OpenShape, region: Region, target: Part, spot: Spot): Generator<Difference> {
    for (const { path, why, values } of this.of(region.values, target, deeper(spot))) {
      yield { path: `[key]${inside(path)}`, why, values: () => this.#withRegion(shape, region, values) };
    }
  }

  *#withRegion(shape: OpenShape, region: Region, values: () => Iterable<Json>): Generator<Json> {
    const usual = region.names.length === 1 ? ["extra", "more"] : [];
    const names = [...usual, ...firsts(this.#values.of(region.names), MOST_SAMPLES)];
    for (const name of names) {
      if (typeof name !== "string" || objectFacts(shape).names.has(name)) continue;
      for (const value of firsts(values(), 4)) yield* this.#withProperty(shape, name, value);
    }
  }

  *#ofNames(shape: OpenShape, target: Part, schema: JsonObject, spot: Spot): Generator<Difference> {
    if (schema["propertyNames"] === undefined) return;
    const part = partOf(target, schema["propertyNames"]);
    const { names, regions } = objectFacts(shape);
    for (const name of names) {
      const point = this.#values.property(shape, name);
      for (const { why } of this.#ofValues([name], part)) {
        if (this.#isNowhere(point, spot) || this.#isForbiddenName(shape, name)) continue;
        yield {
          path: name,
          why,
          values: () => wrapped(this.#values.of(point), (value) => this.#withProperty(shape, name, value)),
        };
      }
    }
    for (const region of regions) {
      if (this.#isNowhere(region.values, deeper(spot))) continue;
      for (const { why, values } of this.of(region.names, part, deeper(spot))) {
        const objects = (name: Json): Iterable<Json> =>
          wrapped(firsts(this.#values.of(region.values), 2), (value) =>
            this.#withProperty(shape, String(name), value),
          );
        yield { path: "[key]", why, values: () => wrapped(values(), objects) };
      }
    }
  }

  *#ofPropertyCount(shape: OpenShape, schema: JsonObject, spot: Spot): Generator<Difference> {
    const { minProperties, maxProperties } = schema;
    const { least } = objectFacts(shape);
    if (typeof minProperties === "number" && least < minProperties)
      yield this.#sampled(shape, `it may have fewer than ${minProperties} properties`);
    if (typeof maxProperties === "number" && this.#mostProperties(shape, spot) > maxProperties)
      yield this.#sampled(shape, `it may have more than ${maxProperties} properties`);
  }

  *#ofDependencies(shape: OpenShape, target: Part, schema: JsonObject, spot: Spot): Generator<Difference> {
    const { required, dependencies } = objectFacts(shape);
    for (const [name, others] of entriesOf(schema["dependentRequired"])) {
      const needed = neededBeside(new Set([...required, name]), dependencies);
      const missing = textsOf(others).filter((other) => !needed.has(other));
      if (missing.length === 0 || this.#isNowhere(this.#values.property(shape, name), deeper(spot))) continue;
      for (const other of missing) {
        for (const value of firsts(this.#values.of(this.#values.property(shape, name)), 1))
          yield this.#lacking(shape, other, new Map([[name, value]]));
      }
    }
    for (const [name, inner] of entriesOf(schema["dependentSchemas"])) {
      if (this.#isNowhere(this.#values.property(shape, name), deeper(spot))) continue;
      const present = this.#shapes.narrowed(shape, { required: [name] });
      yield* this.#ofShape(present, partOf(target, inner), spot);
    }
  }

  #isEmpty(shape: OpenShape, spot: Spot): boolean {
    return (
      this.#hasNoRoom(shape, spot) ||
      partsWith(shape, "not").some(({ part, value }) =>
        this.#fits(shape, { ...part, schema: value, isExact: false }, spot),
      )
    );
  }

  #hasNoRoom(shape: OpenShape, spot: Spot): boolean {
    switch (shape.kind) {
      case "number": {
        const { least, most, isAbove, isBelow } = numberFacts(shape);
        return least > most || (least === most && (isAbove || isBelow));
      }
      case "string": {
        const { least, most, patterns, formats } = textFacts(shape);
        if (least > most || (patterns.length === 0 && formats.length === 0)) return least > most;
        const { value, done } = this.#texts(shape, []).next();
        return done === true && value;
      }
      case "array": {
        const { least, most } = this.#listBounds(shape, spot);
        const { contained, tail } = listFacts(shape);
        const lacking = contained.some(
          (each) =>
            each.least > each.most ||
            (each.least > 0 &&
              tail === 0 &&
              this.#isNowhere([...itemPoint(shape, 0), each.part], deeper(spot))),
        );
        return least > most || lacking;
      }
      case "object": {
        const { least, required } = objectFacts(shape);
        return (
          least > this.#mostProperties(shape, spot) ||
          [...required].some(
            (name) =>
              this.#isForbiddenName(shape, name) ||
              this.#isNowhere(this.#values.property(shape, name), deeper(spot)),
          )
        );
      }
    }
  }

  #listBounds(shape: OpenShape, spot: Spot): Bounds {
    const { least, most, tail, isUnique } = listFacts(shape);
    for (let index = 0; index <= tail && index < most; index += 1) {
      if (this.#isNowhere(itemPoint(shape, index), deeper(spot))) return { least, most: index };
    }
    const different = isUnique && tail === 0 ? this.#finitePoint(itemPoint(shape, 0), spot, 0) : undefined;
    return { least, most: Math.min(most, different?.length ?? Infinity) };
  }

  #mostProperties(shape: OpenShape, spot: Spot): number {
    const { most, names, regions } = objectFacts(shape);
    const isOpen = regions.some(
      (region) =>
        !this.#isNowhere(region.names, deeper(spot)) && !this.#isNowhere(region.values, deeper(spot)),
    );
    if (isOpen) return most;
    const possible = [...names].filter(
      (name) => !this.#isNowhere(this.#values.property(shape, name), deeper(spot)),
    );
    return Math.min(most, possible.length);
  }

  /** All values of the shape, where they are few. */
  #finite(shape: Shape, spot: Spot, nesting = 0): readonly Json[] | undefined {
    if (shape.kind === "values") return shape.values.length <= MOST_FINITE ? shape.values : undefined;
    this.#effort.spend();
    const values = nesting > MOST_FINITE_DEPTH ? undefined : this.#finiteOf(shape, spot, nesting);
    return values?.filter((value) => this.#values.isOf(value, shape));
  }

  #finiteOf(shape: OpenShape, spot: Spot, nesting: number): readonly Json[] | undefined {
    switch (shape.kind) {
      case "number": {
        const { least, most, isInteger } = numberFacts(shape);
        if (least === most) return [least];
        if (!isInteger || most - least >= MOST_FINITE) return undefined;
        return Array.from({ length: most - least + 1 }, (_, index) => least + index);
      }
      case "string":
        return textFacts(shape).most === 0 ? [""] : undefined;
      case "array":
        return this.#finiteLists(shape, spot, nesting);
      case "object":
        return this.#finiteObjects(shape, spot, nesting);
    }
  }

  #finiteLists(shape: OpenShape, spot: Spot, nesting: number): readonly Json[] | undefined {
    const { least, most } = this.#listBounds(shape, spot);
    if (most > MOST_FINITE) return undefined;
    const lists: (readonly Json[])[] = [];
    let longest: readonly (readonly Json[])[] = [[]];
    for (let length = 0; length <= most; length += 1) {
      if (length >= least) lists.push(...longest);
      if (length === most) break;
      const items = this.#finitePoint(itemPoint(shape, length), spot, nesting);
      if (!items || items.length * longest.length + lists.length > MOST_FINITE) return undefined;
      longest = longest.flatMap((list) => items.map((item) => [...list, item]));
    }
    return lists;
  }

  #finiteObjects(shape: OpenShape, spot: Spot, nesting: number): readonly Json[] | undefined {
    const { required, names, regions } = objectFacts(shape);
    if (regions.length > 0 || names.size > MOST_FINITE) return undefined;
    let objects: readonly JsonObject[] = [{}];
    for (const name of names) {
      const values = this.#finitePoint(this.#values.property(shape, name), spot, nesting);
      if (!values || (values.length + 1) * objects.length > MOST_FINITE) return undefined;
      objects = objects.flatMap((object) => [
        ...(required.has(name) ? [] : [object]),
        ...values.map((value) => Object.fromEntries([...Object.entries(object), [name, value]])),
      ]);
    }
    return objects;
  }

  #finitePoint(point: Point, spot: Spot, nesting: number): readonly Json[] | undefined {
    const all: Json[] = [];
    for (const shape of this.#shapes.of(point)) {
      const values = this.#finite(shape, deeper(spot), nesting + 1);
      if (!values) return undefined;
      all.push(...values);
    }
    return all;
  }

  #isFound(pattern: string, text: string): boolean | undefined {
    return this.#patterns.isFound(pattern, text, this.#effort);
  }

  #sampled(shape: OpenShape, why: string, hints: readonly number[] = []): Difference {
    return { path: "", why, values: () => this.#values.ofShape(shape, undefined, hints) };
  }
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

interface Union {
  readonly target: Part;
  readonly choices: readonly Json[];
  /** Whether exactly one alternative may fit. */
  readonly isOne: boolean;
}

const MOST_DEPTH = 120;
const MOST_SPLITS = 6;
const MOST_CUTTING = 60;
const MOST_CUT_NAMES = 12;
const MOST_CUT_ITEMS = 6;
const MOST_FINITE = 64;
const MOST_FINITE_DEPTH = 4;
const MOST_SAMPLES = 12;
const MOST_WRAPPED = 3;

const UNCLEAR = ["$dynamicRef", "unevaluatedProperties", "unevaluatedItems"];

function unclear(why: string): Difference {
  return { path: "", why, values: () => [] };
}

function deeper({ level, depth }: Spot): Spot {
  return { level: level + 1, depth };
}

function inside(path: string): string {
  return path === "" || path.startsWith("[") ? path : `.${path}`;
}

function* wrapped(values: Iterable<Json>, wrap: (value: Json) => Iterable<Json>): Generator<Json> {
  for (const value of values) yield* wrap(value);
}

/**
 * Whether all that are multiples of one of these are multiples of the number, and else some that are not. They are
 * tried, because the validator's division rounds: 1.1 is a multiple of 0.1, but not one of 0.01.
 */
function strayMultiples(of: number, multiples: readonly number[]): readonly number[] {
  let stray: readonly number[] = [of * 1.5, of / 2];
  for (const each of multiples) {
    const found = TRIED.map((times) => times * each).filter(
      (number) => isMultiple(number, each) && !isMultiple(number, of),
    );
    if (found.length === 0) return [];
    stray = [...stray, ...found.slice(0, 10)];
  }
  return stray;
}

const TRIED = Array.from({ length: 1_000 }, (_, index) => index + 1);

const plainSets = new WeakMap<JsonObject, ReadonlySet<string>>();

/** Values that a union has as alternatives of their own. */
function plainValues(schema: JsonObject): ReadonlySet<string> | undefined {
  const choices = schema["anyOf"];
  if (!isList(choices) || choices.length < 20 || Object.keys(schema).length > 1) return undefined;
  const known = plainSets.get(schema);
  if (known) return known;
  const texts = choices.flatMap((choice) => (isJsonObject(choice) ? plainTexts(choice) : []));
  const set = new Set(texts);
  plainSets.set(schema, set);
  return set;
}

function plainTexts(schema: JsonObject): readonly string[] {
  const keys = Object.keys(schema);
  if (keys.length === 1 && schema["const"] !== undefined) return [textOf(schema["const"])];
  if (keys.length === 1 && isList(schema["enum"])) return schema["enum"].map(textOf);
  const { const: only, type } = schema;
  return keys.length === 2 && typeof only === "string" && type === "string" ? [textOf(only)] : [];
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

function textsOf(value: Json | undefined): readonly string[] {
  return listOf(value).filter((each) => typeof each === "string");
}

function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
