import { expect, test } from "vitest";
import { visibleText } from "../../../src/core/text/visible-text.ts";

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
