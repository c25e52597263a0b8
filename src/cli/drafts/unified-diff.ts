import { diff } from "node:util";

/** How a text has become another, in the form of `diff -u`; nothing where they are equal. */
export function unifiedDiff(before: string, after: string, path: string): readonly string[] {
  if (before === after) return [];
  const lines = changes(before, after);
  const hunks = hunksOf(lines);
  return [`--- a/${path}`, `+++ b/${path}`, ...hunks.flatMap((hunk) => hunkLines(lines, hunk))];
}

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** The number of the next line, before and after. */
  readonly old: number;
  readonly new: number;
}

interface Hunk {
  readonly from: number;
  readonly to: number;
}

const CONTEXT = 3;

function changes(before: string, after: string): readonly Line[] {
  let [old, now] = [1, 1];
  // 1 is what only the first text has, -1 what only the second has.
  return diff(linesOf(before), linesOf(after)).map(([where, text]) => {
    const line: Line = { sign: where === 0 ? " " : where > 0 ? "-" : "+", text, old, new: now };
    if (where >= 0) old++;
    if (where <= 0) now++;
    return line;
  });
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

/** Changes with the lines around them; those whose surroundings meet are one. */
function hunksOf(lines: readonly Line[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  for (const [index, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    const [from, to] = [Math.max(0, index - CONTEXT), Math.min(lines.length, index + CONTEXT + 1)];
    const last = hunks.at(-1);
    if (last && from <= last.to) hunks[hunks.length - 1] = { from: last.from, to };
    else hunks.push({ from, to });
  }
  return hunks;
}

function hunkLines(lines: readonly Line[], { from, to }: Hunk): readonly string[] {
  const shown = lines.slice(from, to);
  const [first] = shown;
  const count = (sign: Line["sign"]): number => shown.filter((line) => line.sign !== sign).length;
  const range = (start = 1, length: number): string => `${length === 0 ? start - 1 : start},${length}`;
  return [
    `@@ -${range(first?.old, count("+"))} +${range(first?.new, count("-"))} @@`,
    ...shown.flatMap(({ sign, text }) => `${sign}${text}`.split("\n")),
  ];
}
