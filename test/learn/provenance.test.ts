import { expect, test } from "vitest";
import { WORD_PATTERN } from "../../src/learn/recording/value-index.ts";

test.each([
  ["a-b.c #12, --x- (y_)", ["a-b.c", "#12", "--x", "y_"]],
  ["ada@example.org.", ["ada@example.org"]],
  ["- -- ...", []],
])("the words of %j", (text, words) => {
  expect(text.match(WORD_PATTERN) ?? []).toEqual(words);
});

test("words are found in linear time", () => {
  const started = performance.now();
  for (const signs of ["-", "#@", "a-", "-a"])
    for (const _ of `${signs.repeat(200_000)}!`.matchAll(WORD_PATTERN)) continue;
  // Quadratic, it takes minutes.
  expect(performance.now() - started).toBeLessThan(5_000);
});
