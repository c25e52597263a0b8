import { expect, test } from "vitest";
import {
  cutToLength,
  cutToWidth,
  hasHidden,
  plainLine,
  visibleLine,
  visibleText,
  widthOf,
  wrapToWidth,
} from "../../../src/core/text/display-text.ts";

test.each([
  ["control characters", "a\u001b[31mb\u0000", "a\\u{1b}[31mb\\u{0}"],
  ["what turns the direction", "\u202eabc\u2066", "\\u{202e}abc\\u{2066}"],
  ["what has no width", "a\u200bb\ufeff\u2060", "a\\u{200b}b\\u{feff}\\u{2060}"],
  ["a message in tags", "ok\u{e0068}\u{e0069}", "ok\\u{e0068}\\u{e0069}"],
  ["variation selectors that carry bytes", "a\u{e0100}\u{fe03}", "a\\u{e0100}\\u{fe03}"],
  ["joiners that join nothing", "a\u200db \u200c", "a\\u{200d}b \\u{200c}"],
  ["blanks that look like none", "\u3164\u2800\u115f", "\\u{3164}\\u{2800}\\u{115f}"],
  ["line separators", "a\u2028b", "a\\u{2028}b"],
])("%s are written out", (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test.each([
  "plain text,\n\twith lines",
  "Grüße, 東京, עברית, العربية",
  "👨\u200d👩\u200d👧 ❤\ufe0f",
  "نمی\u200cخواهم",
])("%j stays as it is", (text) => {
  expect(visibleText(text)).toBe(text);
});

test("what is longer is cut, and says how much is left out", () => {
  expect(visibleText("x".repeat(30), 10)).toBe(`${"x".repeat(10)}… (20 more characters)`);
  expect(visibleText("👍👍", 3)).toBe("👍… (1 more characters)");
  expect(visibleText("x".repeat(10), 10)).toBe("x".repeat(10));
});

const FAMILY = "👨\u200d👩\u200d👧";

test.each([
  ["a\r\n b\tc", "a\\u{d}\\n b\\tc", "a b c"],
  [` ${FAMILY} `, " 👨\\u{200d}👩\\u{200d}👧 ", "👨\\u{200d}👩\\u{200d}👧"],
  ["\ufeff x\u2028y", "\\u{feff} x\\u{2028}y", "\\u{feff} x y"],
  ["\ud800 \u{e0101}", "\\u{d800} \\u{e0101}", "\\u{d800} \\u{e0101}"],
  ["❤\ufe0f", "❤\ufe0f", "❤\ufe0f"],
])("on one line nothing is hidden, joiners neither: %j", (text, name, prose) => {
  expect(visibleLine(text)).toBe(name);
  expect(plainLine(text)).toBe(prose);
});

test.each([
  ["two\n\tlines", false],
  ["東京, Привет ❤\ufe0f", false],
  ["a\u200bb", true],
  ["a\u{e0101}b", true],
  ["\udc00", true],
  [FAMILY, true],
])("%j has hidden characters: %s", (text, expected) => {
  expect(hasHidden(text)).toBe(expected);
});

test.each([
  ["plain", 5],
  ["Привет, Ελλάδα", 14],
  ["東京", 4],
  ["e\u0301", 1],
  [FAMILY, 2],
  ["🇩🇪", 2],
  ["한국어", 6],
  ["├─ ✓ …", 6],
])("%j takes %i columns", (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

test("what is cut by columns or characters fits, and ends with a mark", () => {
  expect(cutToWidth("東京タワー", 6)).toBe("東京…");
  expect(cutToWidth("東京", 4)).toBe("東京");
  expect(cutToWidth("abc", 0)).toBe("");
  expect(cutToLength("👍👍👍", 2)).toBe("👍…");
  expect(cutToLength("👍👍", 2)).toBe("👍👍");
});

test("marks without end on one letter do not pass a limit of columns", () => {
  const cut = cutToWidth(`a${"\u0301".repeat(100_000)}`, 10);
  expect(cut.length).toBeLessThan(1000);
  expect(cut.endsWith("…")).toBe(true);
});

test("lines break between words, by their width, under an indent of their own", () => {
  expect(wrapToWidth("Привет мир, как дела", 13, { first: "- ", rest: "    " })).toEqual([
    "- Привет мир,",
    "    как дела",
  ]);
  expect(wrapToWidth("aaaaaaaa bb", 4)).toEqual(["aaaa", "aaaa", "bb"]);
  expect(wrapToWidth("東京 大阪 京都", 9, { maxLines: 1 })).toEqual(["東京 大…"]);
});
