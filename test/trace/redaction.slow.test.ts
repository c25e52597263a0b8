import { expect, test } from "vitest";
import { CREDENTIALS } from "../../src/trace/redact/credentials.ts";
import { Allowance, redactor } from "../../src/trace/redact/redaction.ts";
import { TEXT_RULES } from "../../src/trace/redact/secret-texts.ts";

const made = redactor();
if (!made.ok) throw new Error(made.error.message);
const redact = made.value;

/** What nearly makes a credential of a mark, in the ways in which they are written. */
const NEAR: readonly ((mark: string) => string)[] = [
  (mark) => `${mark}=`,
  (mark) => `${mark}: `,
  (mark) => `"${mark}": "`,
  (mark) => `${mark} is `,
  (mark) => `${mark} for the `,
  (mark) => `--${mark} `,
  (mark) => `<${mark} `,
  (mark) => `<input name="${mark}" `,
  (mark) => `name="${mark}"\n\n`,
  (mark) => `${mark}: |\n  x\n`,
  (mark) => `${mark}:\n  `,
  (mark) => `a,${mark},b\n`,
  (mark) => `| ${mark} `,
  (mark) => `${mark}("a", "`,
  (mark) => `${mark}%3D`,
  (mark) => `${mark}-`,
  (mark) => `${mark}.`,
  (mark) => `${mark}\\`,
  (mark) => `${mark}${"a".repeat(40)}`,
  (mark) => `\t${mark}\tTRUE\t`,
];

function processorMs(text: string): number {
  const before = process.threadCpuUsage();
  redact.text(text, new Allowance(Number.POSITIVE_INFINITY));
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

// Four times as much takes about four times as long of the processor, where the square would take 16 times.
test(
  "the time for marks without end is a multiple of the text's length: each alone, and nearly a credential, and in pairs",
  { timeout: 240_000 },
  () => {
    const marks = [...new Set([...CREDENTIALS, ...TEXT_RULES].flatMap((rule) => rule.marks))];
    const some = (index: number): string => marks[(index * 7919) % marks.length] ?? "";
    const near = NEAR.flatMap((form, at) =>
      Array.from({ length: 5 }, (_, index) => form(some(at * 31 + index))),
    );
    const pairs = Array.from({ length: 60 }, (_, index) => some(index) + some(index * 13 + 5));
    const nearPairs = near.slice(0, 50).map((each, index) => each + (near[(index * 89) % near.length] ?? ""));
    const slow: string[] = [];
    for (const piece of [...marks, ...near, ...pairs, ...nearPairs]) {
      const long = piece.repeat(Math.ceil(100_000 / piece.length));
      // What is as fast as this is linear already: each of these characters is gone through.
      if (processorMs(long) < 30) continue;
      const short = long.slice(0, 25_000);
      const isSlow = (): boolean => processorMs(long) > 8 * processorMs(short);
      if (isSlow() && isSlow() && isSlow()) slow.push(piece);
    }
    expect(slow).toEqual([]);
    expect(marks.length).toBeGreaterThan(300);
  },
);
