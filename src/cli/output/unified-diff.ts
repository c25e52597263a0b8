import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { Json } from "../../core/json/json.ts";

/** How a text has become another, in the form of `diff -u`; nothing where they are equal. */
export function unifiedDiff(before: string, after: string, path: string): readonly string[] {
  if (before === after) return [];
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, options);
  return patch.replace(/\n$/, "").split("\n");
}

/** The lines in which two values differ, written with each part on a line of its own and keys in order. */
export function valueDiff(expected: Json, actual: Json): readonly string[] {
  return unifiedDiff(linesOf(expected), linesOf(actual), "").slice(2);
}

function linesOf(value: Json): string {
  return `${JSON.stringify(sorted(value), undefined, 2)}\n`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}
