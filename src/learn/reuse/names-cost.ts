import { singular, words } from "../plan/names.ts";

/** How unlike a property's name is to the names under which a value was seen: 0 is the same, 5 is nothing in common. */
export function namesCost(property: string, names: readonly string[]): number {
  const own = wordsOf(property);
  return Math.min(5, ...names.map((name) => costOf(own, wordsOf(name))));
}

function wordsOf(name: string): ReadonlySet<string> {
  return new Set(words(name).map(singular));
}

function costOf(own: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = own.intersection(other);
  const telling = [...shared].filter((word) => !COMMON.has(word)).length;
  if (shared.size === own.size && shared.size === other.size) return 0;
  if (telling === 0) return 5;
  return shared.size === own.size || shared.size === other.size ? 1 : 2;
}

/** Words that many names have. */
const COMMON: ReadonlySet<string> = new Set([
  "id",
  "ids",
  "name",
  "value",
  "number",
  "type",
  "code",
  "text",
  "data",
]);
