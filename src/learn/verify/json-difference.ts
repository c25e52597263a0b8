import { isJsonObject, type Json } from "../../core/json/json.ts";

/** A place where two values differ; `expected` or `got` is absent where only the other has something there. */
export interface JsonDifference {
  /** A JSON Pointer; empty: the values as wholes. */
  readonly path: string;
  readonly expected?: Json | undefined;
  readonly got?: Json | undefined;
}

/** The first place where the values differ; nothing where they are equal. The order of keys does not matter. */
export function firstDifference(expected: Json, got: Json): JsonDifference | undefined {
  for (const difference of differences(expected, got, "")) return difference;
  return undefined;
}

/** In how many places the values differ, counted up to a limit. */
export function distance(expected: Json, got: Json, limit: number): number {
  let count = 0;
  for (const _ of differences(expected, got, "")) if (++count >= limit) break;
  return count;
}

function* differences(expected: Json, got: Json, path: string): Generator<JsonDifference> {
  if (Array.isArray(expected) && Array.isArray(got)) {
    const [wanted, given] = [expected as readonly Json[], got as readonly Json[]];
    for (let index = 0; index < Math.max(wanted.length, given.length); index++)
      yield* optional(wanted[index], given[index], `${path}/${index}`);
  } else if (isJsonObject(expected) && isJsonObject(got)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      const wanted = Object.hasOwn(expected, key) ? expected[key] : undefined;
      const given = Object.hasOwn(got, key) ? got[key] : undefined;
      yield* optional(wanted, given, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    }
  } else if (expected !== got) {
    yield { path, expected, got };
  }
}

function* optional(
  expected: Json | undefined,
  got: Json | undefined,
  path: string,
): Generator<JsonDifference> {
  if (expected !== undefined && got !== undefined) yield* differences(expected, got, path);
  else if (expected !== got) yield { path, expected, got };
}
