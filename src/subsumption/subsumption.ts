import type { Json } from "../core/json/json.ts";
import { type JsonSchema, validatorOf, type SchemaIssue, type Validator } from "../core/json/json-schema.ts";
import { schemaRoot, type Part, type SchemaRoot, withoutDefaults } from "./schema-root.ts";
import type { Difference } from "./differences/comparison-context.ts";
import { Effort, Exhausted } from "./effort.ts";
import { canonicalText } from "./values/canonical-text.ts";
import { SchemaShapes } from "./shapes/schema-shapes.ts";
import { ShapeDifferences } from "./differences/shape-differences.ts";
import { ShapeValues } from "./values/shape-values.ts";
import { firsts } from "./values/streams.ts";
import { TextPatterns } from "./text/text-pattern.ts";
import { ValueCheck } from "./values/value-faults.ts";

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

const MAX_STEPS = 20_000;

const MAX_CANDIDATES = 200;

const MAX_SAMPLES = 50;

class Comparison {
  readonly #effort = new Effort(MAX_STEPS);
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
    this.#effort.renew(MAX_STEPS);
    try {
      return work();
    } catch (error) {
      if (error instanceof Exhausted) return undefined;
      throw error;
    }
  }

  /** The first of the values that is accepted by the source and refused by the target. */
  #shown(values: Iterable<Json>): Fit | undefined {
    for (const value of firsts(values, MAX_CANDIDATES)) {
      const text = canonicalText(value);
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
  yield* firsts(first.values(), MAX_SAMPLES);
  for (const { values } of others) yield* firsts(values(), MAX_SAMPLES);
}

function unknown(why: string): Fit {
  return { kind: "unknown", why };
}

/** Asks the validator about two schemas, both as they are and without the defaults that it would fill in. */
class Witness {
  readonly #source: SchemaRoot;
  readonly #target: SchemaRoot;
  #validators: { readonly source: readonly Validator[]; readonly target: readonly Validator[] } | undefined;
  #obstacle: string | undefined;

  constructor(source: SchemaRoot, target: SchemaRoot) {
    this.#source = source;
    this.#target = target;
  }

  /** Why the validator could not be asked. */
  get obstacle(): string | undefined {
    return this.#obstacle;
  }

  /** Why the target refuses a value that the source accepts, if that is so. */
  refusal(value: Json): { readonly path: string; readonly why: string } | undefined {
    try {
      this.#validators ??= this.#compiled();
      const { source, target } = this.#validators ?? {};
      if (!source?.every((validate) => issueOf(validate, value) === undefined)) return undefined;
      const issues = target?.map((validate) => issueOf(validate, value));
      const [issue] = issues ?? [];
      return issue && issues?.every(Boolean) ? { path: issue.at, why: words(issue) } : undefined;
    } catch (error) {
      this.#obstacle = `The validator cannot be asked: ${error instanceof Error ? error.message : String(error)}`;
      return undefined;
    }
  }

  #compiled(): { readonly source: readonly Validator[]; readonly target: readonly Validator[] } | undefined {
    if (this.#obstacle !== undefined) return undefined;
    if (this.#source.positions.size + this.#target.positions.size > MAX_COMPILED) {
      this.#obstacle = "The schemas are too large for a counterexample to be confirmed";
      return undefined;
    }
    return { source: validatorsOf(this.#source), target: validatorsOf(this.#target) };
  }
}

// The validator of a larger schema takes long to compile.
const MAX_COMPILED = 3_000;

const bare = new WeakMap<JsonSchema, JsonSchema>();

function validatorsOf({ schema, hasDefaults }: SchemaRoot): readonly Validator[] {
  if (!hasDefaults) return [validatorOf(schema)];
  const without = bare.get(schema) ?? withoutDefaults(schema);
  bare.set(schema, without);
  return [validatorOf(schema), validatorOf(without)];
}

// A validator may fill in defaults.
function issueOf(validate: Validator, value: Json): SchemaIssue | undefined {
  const result = validate(JSON.parse(JSON.stringify(value)) as Json);
  return result.ok ? undefined : (result.error[0] ?? { at: "", message: "does not fit" });
}

function words({ at, message }: SchemaIssue): string {
  return `${at === "" ? "the value" : `\`${at}\``} ${message}`;
}
