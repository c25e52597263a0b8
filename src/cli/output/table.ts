import { cutToWidth, oneLine, widthOf } from "../../core/text/display-text.ts";
import type { Paint } from "./terminal.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Gives way first where there is too little room, of several the widest. */
  readonly gives?: boolean;
}

export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

/** Lines of at most so many columns of a terminal, titles first. What is empty in all rows is left out. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  paint: Paint,
): string {
  const used = columns
    .map((column, at) =>
      shownColumn(
        column,
        rows.map((row) => row[at]),
      ),
    )
    .filter(({ cells }) => cells.some(({ text }) => text !== ""));
  fit(used, width);
  const blocks = used.map((column, index) => columnLines(column, index === used.length - 1, paint));
  return Array.from({ length: rows.length + 1 }, (_, line) =>
    blocks.map((lines) => lines[line]).join(GAP),
  ).join("\n");
}

const GAP = "  ";
const MIN = 8;

interface ShownColumn extends Column {
  readonly cells: readonly Exclude<Cell, string>[];
  width: number;
}

function shownColumn(column: Column, given: readonly (Cell | undefined)[]): ShownColumn {
  const cells = given.map((cell = "") =>
    typeof cell === "string"
      ? { text: oneLine(cell), paint: (text: string) => text }
      : { text: oneLine(cell.text), paint: cell.paint },
  );
  const width = cells.reduce((most, { text }) => Math.max(most, widthOf(text)), widthOf(column.title));
  return { ...column, cells, width };
}

/** The column's title and cells, padded; nothing stands behind the last one. */
function columnLines(
  { title, align, cells, width }: ShownColumn,
  isLast: boolean,
  paint: Paint,
): readonly string[] {
  const head = { text: title, paint: (text: string) => paint("dim", text) };
  return [head, ...cells].map((cell) => {
    const text = cutToWidth(cell.text, width);
    const space = " ".repeat(width - widthOf(text));
    if (align === "right") return space + cell.paint(text);
    return isLast ? cell.paint(text) : cell.paint(text) + space;
  });
}

function fit(columns: readonly ShownColumn[], width: number): void {
  for (const column of columns) column.width = Math.min(column.width, width);
  let over = columns.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length) - width;
  for (; over > 0; over--) {
    const giving = columns.filter((column) => column.gives && column.width > MIN);
    const [widest] = (giving.length > 0 ? giving : columns).toSorted((a, b) => b.width - a.width);
    if (!widest || widest.width <= 1) break;
    widest.width -= 1;
  }
}
