import { expect, test } from "vitest";
import { matchesGlob } from "../../src/core/tools/glob.ts";

test.each([
  ["abc", "abc", true],
  ["abc", "ab", false],
  ["", "*", true],
  ["abc", "*", true],
  ["abc", "a*c", true],
  ["abc", "a*x*c", false],
  ["axbxc", "a*x*c", true],
  ["abc", "a*b*b*c", false],
  ["abbc", "a*b*b*c", true],
  ["ab", "a*b*b", false],
  ["aba", "ab*ba", false],
  ["abba", "ab*ba", true],
  ["a", "a*a", false],
  ["shop__get_order", "shop__get_*", true],
  ["shop__set_order", "shop__get_*", false],
  ["the_shop", "shop*", false],
  ["shops", "*shop", false],
  ["a.c", "a?c", false],
])("whether %j fits %j: %j", (name, pattern, fits) => {
  expect(matchesGlob(name, [pattern])).toBe(fits);
});

test("a name fits several patterns if it fits one", () => {
  expect(matchesGlob("b", ["a*", "b*"])).toBe(true);
  expect(matchesGlob("c", ["a*", "b*"])).toBe(false);
  expect(matchesGlob("c", [])).toBe(false);
});
