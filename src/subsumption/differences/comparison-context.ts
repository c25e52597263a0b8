import type { Json } from "../../core/json/json.ts";
import type { Effort } from "../effort.ts";
import type { Part } from "../schema-root.ts";
import type { OpenShape, Conjunction, SchemaShapes, Shape } from "../shapes/schema-shapes.ts";
import type { ShapeValues } from "../values/shape-values.ts";
import type { TextPatterns } from "../text/text-pattern.ts";
import type { ValueCheck } from "../values/value-faults.ts";

/** What those who look for differences share. */
export interface ComparisonContext {
  readonly shapes: SchemaShapes;
  readonly values: ShapeValues;
  readonly check: ValueCheck;
  readonly patterns: TextPatterns;
  readonly effort: Effort;
  /** What keeps values that are all of the point from fitting the target; nothing where all of them fit. */
  of(point: Conjunction, target: Part, spot: ComparisonDepth): Generator<Difference>;
  ofShape(shape: Shape, target: Part, spot: ComparisonDepth): Generator<Difference>;
  ofValues(values: readonly Json[], target: Part): Generator<Difference>;
  /** Whether there is surely no such value. */
  isImpossible(shape: Shape, spot: ComparisonDepth): boolean;
  isNowhere(point: Conjunction, spot: ComparisonDepth): boolean;
}

/** A place where not all values seem to fit. */
export interface Difference {
  readonly path: string;
  readonly why: string;
  /** Values that may show it. */
  readonly values: () => Iterable<Json>;
}

/** How deep a comparison is: in the values, and all in all. */
export interface ComparisonDepth {
  readonly level: number;
  readonly depth: number;
}

export interface Bounds {
  readonly least: number;
  readonly most: number;
}

export function deeper({ level, depth }: ComparisonDepth): ComparisonDepth {
  return { level: level + 1, depth };
}

/** A difference of which no value is known. */
export function unclear(why: string): Difference {
  return { path: "", why, values: () => [] };
}

/** A difference that any value of the shape may show, those near the hints most likely. */
export function sampled(
  { values }: ComparisonContext,
  shape: OpenShape,
  why: string,
  hints: readonly number[] = [],
): Difference {
  return { path: "", why, values: () => values.ofShape(shape, undefined, hints) };
}

/** The path of something inside what is at another path. */
export function insidePath(outer: string, inner: string): string {
  return inner === "" || inner.startsWith("[") ? `${outer}${inner}` : `${outer}.${inner}`;
}

/** Whether a search has looked everywhere and found nothing. */
export function isFruitless(search: Generator<string, boolean>): boolean {
  const { value, done } = search.next();
  return done === true && value;
}
