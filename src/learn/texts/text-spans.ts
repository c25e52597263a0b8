/** A part of a text, with what stands around it. */
export interface TextSpan {
  readonly before: string;
  readonly part: string;
  readonly after: string;
}

const MAX_TOKENS = 120;
/** Of one part of a text that has more. */
const MAX_PART = 40;

/** The parts of a text that begin and end where words and marks do, the longest first, without the whole text. */
export function textSpans(text: string): readonly TextSpan[] {
  const tokens = [...text.matchAll(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu)];
  if (tokens.length > MAX_TOKENS) return [];
  const spans: TextSpan[] = [];
  for (const [first, { index: start }] of tokens.entries())
    for (const last of tokens.slice(first, first + MAX_PART)) {
      const end = last.index + last[0].length;
      const part = text.slice(start, end);
      if (part.length > 1 && part.length < text.length && /[\p{L}\p{N}]/u.test(part))
        spans.push({ before: text.slice(0, start), part, after: text.slice(end) });
    }
  return spans.sort((a, b) => b.part.length - a.part.length);
}

/** A row that is added to a table. */
export interface AddedRow {
  /** The line with the names of the columns, with the one below that sets it apart. */
  readonly head: string;
  readonly columns: readonly string[];
  /** The rows that the table has. */
  readonly rows: readonly (readonly string[])[];
  readonly cells: readonly string[];
  /** What stands before the first cell, between two, and behind the last. */
  readonly marks: readonly [before: string, between: string, after: string];
}

const DELIMITERS = [",", "\t"] as const;
const MAX_CELLS = 20;

/** The row that a line is, below the last of a table with names of columns; undefined where it could be something else. */
export function addedRow(table: string, added: string): AddedRow | undefined {
  const line = added.slice(0, -1);
  if (!table.endsWith("\n") || !added.endsWith("\n") || line.trim() === "" || line.includes("\n"))
    return undefined;
  const lines = table.slice(0, -1).split("\n");
  return line.startsWith("|") ? barredRow(lines, line) : delimitedRow(lines, line);
}

function barredRow(lines: readonly string[], line: string): AddedRow | undefined {
  const start = lines.findLastIndex((each) => !each.startsWith("|")) + 1;
  const [head = "", rule = "", ...rows] = lines.slice(start);
  const cellsIn = (row: string): readonly string[] =>
    row
      .replaceAll(/^\||\|$/g, "")
      .split("|")
      .map((cell) => cell.trim());
  const cells = /^\| .* \|$/.test(line) ? line.slice(2, -2).split(" | ") : [];
  const row = rowOf(`${head}\n${rule}`, cellsIn(head), rows.map(cellsIn), cells, ["| ", " | ", " |\n"]);
  return /^[|\s:-]+-[|\s:-]+$/.test(rule) && row?.cells.every((cell) => !cell.includes("|")) === true
    ? row
    : undefined;
}

function delimitedRow(lines: readonly string[], line: string): AddedRow | undefined {
  if (line.includes('"')) return undefined;
  for (const delimiter of DELIMITERS) {
    const [head = [], ...rows] = lines.map((each) => each.split(delimiter));
    const row = rowOf(lines[0] ?? "", head, rows, line.split(delimiter), ["", delimiter, "\n"]);
    if (row) return row;
  }
  return undefined;
}

function rowOf(
  head: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  cells: readonly string[],
  marks: AddedRow["marks"],
): AddedRow | undefined {
  const isTable =
    columns.length > 1 &&
    columns.length <= MAX_CELLS &&
    [cells, ...rows].every(({ length }) => length === columns.length);
  const areNames =
    new Set(columns).size === columns.length &&
    columns.every((name) => /\p{L}/u.test(name) && !/\d\d|@/.test(name));
  return isTable && areNames && cells.every((cell) => cell === cell.trim())
    ? { head, columns, rows, cells, marks }
    : undefined;
}
