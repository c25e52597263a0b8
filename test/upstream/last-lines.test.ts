import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LastLines } from "../../src/upstream/transport/last-lines.ts";

let passedOn: string[];
let lines: LastLines;
beforeEach(() => {
  vi.useFakeTimers({ now: 5_000 });
  passedOn = [];
  lines = new LastLines((line) => passedOn.push(line));
});
afterEach(() => vi.useRealTimers());

test("a line that arrives in pieces is one line, and what has no end yet is shown", () => {
  lines.add("one\ntw");
  expect(lines.lines).toEqual(["one", "tw"]);
  expect(passedOn).toEqual(["one"]);
  lines.add("o\n\n  \nthree");
  lines.end();
  expect(lines.lines).toEqual(["one", "two", "three"]);
  expect(passedOn).toEqual(["one", "two", "three"]);
});

test("the last forty lines are kept, each without colours and cut where it is long", () => {
  lines.add(Array.from({ length: 45 }, (_, at) => `\u001b[31mline\u001b[0m ${at}\u0007\n`).join(""));
  expect(lines.lines).toHaveLength(40);
  expect(lines.lines[0]).toBe("line 5");
  lines.add("x".repeat(5000));
  expect(lines.lines.at(-1)).toHaveLength(1000);
});

test("of more lines in a second than a reader could follow, the number is told in the next", () => {
  lines.add("line\n".repeat(53));
  expect(passedOn).toHaveLength(50);
  vi.advanceTimersByTime(1_000);
  lines.add("later\nand later\n");
  expect(passedOn.slice(50)).toEqual(["… and 3 lines that are left out", "later", "and later"]);
});
