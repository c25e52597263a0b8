import type { Json } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { schemaRoot, type Part, type SchemaRoot } from "./schema-root.ts";
import type { Difference } from "./differences/comparing.ts";
import { Effort, Exhausted } from "./effort.ts";
import { textOf } from "./values/equal-text.ts";
import { SchemaShapes } from "./shapes/schema-shapes.ts";
import { ShapeDifferences } from "./differences/shape-differences.ts";
import { ShapeValues } from "./values/shape-values.ts";
import { firsts } from "./values/streams.ts";
import { TextPatterns } from "./text/text-patterns.ts";
import { ValueCheck } from "./values/value-faults.ts";
import { Witness } from "./values/witness.ts";

/** Whether all values of one schema fit another. */
export type Fit =
  | { readonly kind: "fits" }
  | {
      readonly kind: "misfit";
      /** A value that the source accepts and the target refuses, as the validator says. */
      readonly counterexample: Json;
      /** Where in the value, as in `legs[2].from`; of what is missing, where it would be; empty for the value itself. */
      readonly path: string;
      /** In words: "`price` is a string, but a number is expected". */
      readonly why: string;
    }
  | { readonly kind: "unknown"; readonly why: string };

export interface FitOptions {
  /**
   * The source's objects are taken to have no other properties than those that they declare, as a compiler takes the
   * fields of a type, and counterexamples have no others; where `additionalProperties` is written it counts.
   */
  readonly exactSource?: boolean;
}

/**
 * Whether every value that the source accepts fits the target: subsumption of JSON Schema 2020-12, where formats are
 * asserted and defaults are not filled in. "fits" is shown keyword by keyword, as in Habib et al., Finding Data
 * Compatibility Bugs with JSON Subschemas, ISSTA 2021; "misfit" is shown by a value; what is neither is "unknown", also
 * where it would take too long. The answer is always the same.
 */
export function fitOf(source: JsonSchema, target: JsonSchema, { exactSource = false }: FitOptions = {}): Fit {
  if (source === target) return { kind: "fits" };
  try {
    const [from, to] = [schemaRoot(source), schemaRoot(target)];
    if ("fault" in from) return unknown(`The source cannot be compared: ${from.fault}`);
    if ("fault" in to) return unknown(`The target cannot be compared: ${to.fault}`);
    return new Comparison(from, to, exactSource).fit();
  } catch (error) {
    // The limits are meant to be met first; hostile schemas may still find a deeper way.
    if (error instanceof RangeError) return unknown("The schemas are nested too deeply to be compared");
    throw error;
  }
}

const MOST_STEPS = 20_000;
const MOST_CANDIDATES = 200;
const MOST_SAMPLES = 50;

class Comparison {
  readonly #effort = new Effort(MOST_STEPS);
  readonly #patterns = new TextPatterns();
  readonly #source: Part;
  readonly #target: Part;
  readonly #values: ShapeValues;
  readonly #witness: Witness;
  readonly #tried = new Set<string>();
  readonly #differences: ShapeDifferences;

  constructor(source: SchemaRoot, target: SchemaRoot, isExact: boolean) {
    this.#source = { schema: source.schema, root: source, isExact };
    this.#target = { schema: target.schema, root: target, isExact: false };
    this.#witness = new Witness(source, target);
    const check = new ValueCheck(this.#patterns, this.#effort);
    const shapes = new SchemaShapes(check, this.#effort);
    this.#values = new ShapeValues(shapes, check, this.#patterns, this.#effort);
    this.#differences = new ShapeDifferences({
      shapes,
      values: this.#values,
      check,
      patterns: this.#patterns,
      effort: this.#effort,
    });
  }

  fit(): Fit {
    const differences = this.#differences.of([this.#source], this.#target);
    const first = this.#within(() => differences.next());
    if (first?.done) return { kind: "fits" };
    const misfit =
      this.#within(() => this.#shown(candidates(first?.value, differences))) ??
      this.#within(() => this.#shown(this.#values.of([this.#source])));
    if (misfit) return misfit;
    if (this.#witness.obstacle !== undefined) return unknown(this.#witness.obstacle);
    const place = first?.value.path ? `\`${first.value.path}\`: ` : "";
    return unknown(first ? `${place}${first.value.why}` : "The schemas are too large to be compared");
  }

  #within<T>(work: () => T): T | undefined {
    this.#effort.renew(MOST_STEPS);
    try {
      return work();
    } catch (error) {
      if (error instanceof Exhausted) return undefined;
      throw error;
    }
  }

  /** The first of the values that is accepted by the source and refused by the target. */
  #shown(values: Iterable<Json>): Fit | undefined {
    for (const value of firsts(values, MOST_CANDIDATES)) {
      const text = textOf(value);
      if (this.#tried.has(text)) continue;
      this.#tried.add(text);
      const misfit = this.#misfit(value);
      if (misfit) return misfit;
    }
    return undefined;
  }

  #misfit(value: Json): Fit | undefined {
    const check = new ValueCheck(this.#patterns, this.#effort);
    if (check.verdict(value, this.#source).faults.length > 0) return undefined;
    const { faults, doubts } = check.verdict(value, this.#target);
    const mayMisfit = faults.length > 0 || doubts.length > 0;
    if (!mayMisfit || check.isDangerous) return undefined;
    if (this.#source.isExact && !this.#values.isExact(value, [this.#source])) return undefined;
    const issue = this.#witness.refusal(value);
    if (!issue) return undefined;
    const { path, why } = faults[0] ?? issue;
    return { kind: "misfit", counterexample: value, path, why };
  }
}

function* candidates(first: Difference | undefined, others: Iterable<Difference>): Generator<Json> {
  if (!first) return;
  yield* firsts(first.values(), MOST_SAMPLES);
  for (const { values } of others) yield* firsts(values(), MOST_SAMPLES);
}

function unknown(why: string): Fit {
  return { kind: "unknown", why };
}
