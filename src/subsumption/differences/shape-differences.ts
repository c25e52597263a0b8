import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import {
  sampled,
  unclear,
  type ComparisonContext,
  type Difference,
  type ComparisonDepth,
} from "./comparison-context.ts";
import type { Effort } from "../effort.ts";
import { canonicalText } from "../values/canonical-text.ts";
import { finiteValues, isSatisfiable } from "../shapes/shape-extent.ts";
import { listDifferences } from "./list-differences.ts";
import { numberDifferences } from "./number-differences.ts";
import { objectDifferences } from "./object-differences.ts";
import { isList, listOf } from "../schema-keywords.ts";
import { partOf, resolvedReference, type Part } from "../schema-root.ts";
import type { OpenShape, Conjunction, SchemaShapes, Shape } from "../shapes/schema-shapes.ts";
import { FALSE_SCHEMA, numberFacts } from "../shapes/shape-facts.ts";
import type { ShapeValues } from "../values/shape-values.ts";
import { textDifferences } from "./text-differences.ts";
import type { TextPatterns } from "../text/text-pattern.ts";
import { unionDifferences } from "./union-differences.ts";
import type { ValueCheck } from "../values/value-faults.ts";

/**
 * Compares shapes with a schema, keyword by keyword: where it finds no difference, all values of the shape fit. For
 * schemas that refer to themselves it is coinductive, as in Pierce, Types and Programming Languages, 21.9: a claim that
 * is met again deeper in the values holds if nothing else speaks against it. Differences come one by one, so that
 * whoever only has to know whether there is one asks for the first.
 */
export class ShapeDifferences implements ComparisonContext {
  readonly shapes: SchemaShapes;
  readonly values: ShapeValues;
  readonly check: ValueCheck;
  readonly patterns: TextPatterns;
  readonly effort: Effort;
  readonly #claims = new Map<string, Claim>();
  readonly #order: string[] = [];
  readonly #refuted = new Map<string, Difference>();
  #limitsMet = 0;

  constructor(shared: Pick<ComparisonContext, "shapes" | "values" | "check" | "patterns" | "effort">) {
    this.shapes = shared.shapes;
    this.values = shared.values;
    this.check = shared.check;
    this.patterns = shared.patterns;
    this.effort = shared.effort;
  }

  *of(
    point: Conjunction,
    target: Part,
    spot: ComparisonDepth = { level: 0, depth: 0 },
  ): Generator<Difference> {
    const key = this.shapes.keyOf(target);
    if (point.some((piece) => !("kind" in piece) && this.shapes.keyOf(piece) === key)) return;
    for (const shape of this.shapes.of(point)) yield* this.ofShape(shape, target, spot);
  }

  *ofShape(shape: Shape, target: Part, { level, depth }: ComparisonDepth): Generator<Difference> {
    if (target.schema === true) return;
    this.effort.spend();
    const key = `${shape.id} ${this.shapes.keyOf(target)}`;
    const claim = this.#claims.get(key);
    if (claim && (claim.isShown ? claim.level <= level : claim.level < level)) return;
    const known = this.#refuted.get(key);
    if ((claim && !claim.isShown) || depth > MAX_DEPTH) {
      this.#limitsMet += 1;
      yield unclear("it is nested too deeply");
    } else if (known) yield known;
    else yield* this.#claimed(key, shape, target, { level, depth: depth + 1 });
  }

  *ofValues(values: readonly Json[], target: Part): Generator<Difference> {
    const plain = isJsonObject(target.schema) ? plainValues(target.schema) : undefined;
    for (const value of values) {
      if (plain?.has(canonicalText(value))) continue;
      const { faults, doubts } = this.check.verdict(value, target);
      const [fault] = faults;
      if (fault) yield { ...fault, values: () => [value] };
      else if (doubts[0] !== undefined) yield { path: "", why: doubts[0], values: () => [value] };
    }
  }

  isImpossible(shape: Shape, spot: ComparisonDepth): boolean {
    return this.ofShape(shape, FALSE_SCHEMA, spot).next().done === true;
  }

  isNowhere(point: Conjunction, spot: ComparisonDepth): boolean {
    return this.shapes.of(point).every((shape) => this.isImpossible(shape, spot));
  }

  *#claimed(key: string, shape: Shape, target: Part, spot: ComparisonDepth): Generator<Difference> {
    const mark = this.#order.push(key) - 1;
    const claim: Claim = { level: spot.level, isShown: false };
    this.#claims.set(key, claim);
    const limitsMet = this.#limitsMet;
    let isRefuted = false;
    for (const { path, why, values } of this.#found(shape, target, spot)) {
      if (!isRefuted && target.schema !== false && this.isImpossible(shape, spot)) break;
      const difference = { path, why, values: () => this.#misfits(values(), target) };
      if (!isRefuted) {
        this.#takeBack(mark);
        // What a limit has cut short may be seen better from elsewhere.
        if (this.#limitsMet === limitsMet) this.#refuted.set(key, difference);
      }
      isRefuted = true;
      yield difference;
    }
    claim.isShown = !isRefuted;
  }

  *#misfits(values: Iterable<Json>, target: Part): Generator<Json> {
    for (const value of values) {
      const { faults, doubts } = this.check.verdict(value, target);
      if (faults.length > 0 || doubts.length > 0) yield value;
    }
  }

  /** What was shown on the ground of a claim that does not hold is not shown. */
  #takeBack(mark: number): void {
    for (const key of this.#order.splice(mark)) this.#claims.delete(key);
  }

  *#found(shape: Shape, target: Part, spot: ComparisonDepth): Generator<Difference> {
    const { schema } = target;
    if (shape.kind === "values") yield* this.ofValues(shape.values, target);
    else if (schema === false) {
      if (isSatisfiable(this, shape, spot)) yield sampled(this, shape, "nothing is allowed");
    } else if (isJsonObject(schema) && !shape.partKeys.has(this.shapes.keyOf(target))) {
      yield* this.#ofTypes(shape, schema);
      yield* this.#ofChoice(shape, target, schema, spot);
      yield* this.#ofOthers(shape, target, schema, spot);
      yield* this.#ofKind(shape, target, schema, spot);
    }
  }

  *#ofTypes(shape: OpenShape, { type, nullable }: JsonObject): Generator<Difference> {
    if (type === undefined) return;
    const types = new Set([...(isList(type) ? type : [type]), nullable === true && "null"]);
    if (types.has(shape.kind)) return;
    if (shape.kind === "number" && types.has("integer")) {
      const { isInteger, least, most } = numberFacts(shape);
      if (isInteger || (least === most && Number.isInteger(least))) return;
      yield sampled(this, shape, "not every number is an integer", [0.5, 1.5]);
    } else yield sampled(this, shape, `a value of the type ${shape.kind} is not expected`);
  }

  *#ofChoice(
    shape: OpenShape,
    target: Part,
    schema: JsonObject,
    spot: ComparisonDepth,
  ): Generator<Difference> {
    const { enum: choices, const: only } = schema;
    if (choices === undefined && only === undefined) return;
    const values = finiteValues(this, shape, spot);
    const narrow = {
      ...(choices !== undefined && { enum: choices }),
      ...(only !== undefined && { const: only }),
    };
    if (values) yield* this.ofValues(values, partOf(target, narrow));
    else yield sampled(this, shape, "only certain values are expected");
  }

  /** What other schemas ask of the same value. */
  *#ofOthers(
    shape: OpenShape,
    target: Part,
    schema: JsonObject,
    spot: ComparisonDepth,
  ): Generator<Difference> {
    const { $ref, allOf, anyOf, oneOf, not } = schema;
    if (typeof $ref === "string") {
      const inner = resolvedReference(target.root, $ref);
      if (inner === undefined) yield unclear(`\`${$ref}\` leads to no schema of the same document`);
      else yield* this.ofShape(shape, partOf(target, inner), spot);
    }
    for (const inner of listOf(allOf)) yield* this.ofShape(shape, partOf(target, inner), spot);
    if (isList(anyOf)) yield* unionDifferences(this, shape, { target, choices: anyOf, isOne: false }, spot);
    if (isList(oneOf)) yield* unionDifferences(this, shape, { target, choices: oneOf, isOne: true }, spot);
    if (schema["if"] !== undefined) yield* this.#ofConditions(shape, target, schema, spot);
    const shared: Conjunction = [shape, partOf(target, not ?? false)];
    if (not !== undefined && !this.isNowhere(shared, spot))
      yield { path: "", why: "some of it is excluded", values: () => this.values.of(shared) };
    for (const keyword of UNCLEAR)
      if (schema[keyword] !== undefined) yield unclear(`\`${keyword}\` is not compared`);
  }

  *#ofConditions(
    shape: OpenShape,
    target: Part,
    schema: JsonObject,
    spot: ComparisonDepth,
  ): Generator<Difference> {
    const { if: condition = true, then = true, else: otherwise = true } = schema;
    const met = this.shapes.of([shape, partOf(target, condition)]);
    for (const each of met) yield* this.ofShape(each, partOf(target, then), spot);
    yield* unionDifferences(this, shape, { target, choices: [condition, otherwise], isOne: false }, spot);
  }

  #ofKind(shape: OpenShape, target: Part, schema: JsonObject, spot: ComparisonDepth): Generator<Difference> {
    switch (shape.kind) {
      case "number":
        return numberDifferences(this, shape, schema);
      case "string":
        return textDifferences(this, shape, schema);
      case "array":
        return listDifferences(this, shape, { ...target, schema }, spot);
      case "object":
        return objectDifferences(this, shape, { ...target, schema }, spot);
    }
  }
}

/**
 * That a shape fits a schema. While it is shown it is taken for granted of what is deeper in the values; once it is
 * shown, at the same level and deeper, for what it rests on may still be taken for granted higher up.
 */
interface Claim {
  readonly level: number;
  isShown: boolean;
}

const MAX_DEPTH = 120;

const UNCLEAR = ["$dynamicRef", "unevaluatedProperties", "unevaluatedItems"];

const FEW = 20;

const plainSets = new WeakMap<JsonObject, ReadonlySet<string>>();

/** Values that a large union has as alternatives of their own. */
function plainValues(schema: JsonObject): ReadonlySet<string> | undefined {
  const choices = schema["anyOf"];
  if (!isList(choices) || choices.length < FEW || Object.keys(schema).length > 1) return undefined;
  const known = plainSets.get(schema);
  if (known) return known;
  const plain = new Set(choices.flatMap((choice) => (isJsonObject(choice) ? plainTexts(choice) : [])));
  plainSets.set(schema, plain);
  return plain;
}

function plainTexts(schema: JsonObject): readonly string[] {
  const { const: only, enum: choices, type, ...rest } = schema;
  if (Object.keys(rest).length > 0) return [];
  const values = only !== undefined && choices === undefined ? [only] : listOf(choices);
  if (only !== undefined && choices !== undefined) return [];
  return values.filter((value) => type === undefined || typeof value === type).map(canonicalText);
}
