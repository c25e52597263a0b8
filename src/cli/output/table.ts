import { cutToWidth, oneLine, widthOf } from "../../core/text/display-text.ts";
import type { Paint } from "./terminal.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Gives way first where there is too little room. */
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
  const texts = rows.map((row) => row.map((cell) => oneLine(typeof cell === "string" ? cell : cell.text)));
  const used = columns
    .keys()
    .filter((at) => texts.some((row) => row[at] !== ""))
    .toArray();
  const widths = fitted(columns, texts, used, width);
  const line = (content: (at: number) => string, painted: (text: string, at: number) => string): string =>
    used
      .map((at, index) => {
        const room = widths.get(at) ?? 0;
        const text = cutToWidth(content(at), room);
        const isLast = index === used.length - 1;
        const shown = painted(text, at);
        const space = " ".repeat(room - widthOf(text));
        if (columns[at]?.align === "right") return space + shown;
        return isLast ? shown : shown + space;
      })
      .join(GAP);
  const titles = line(
    (at) => columns[at]?.title ?? "",
    (text) => paint("dim", text),
  );
  const lines = rows.map((row, index) =>
    line(
      (at) => texts[index]?.[at] ?? "",
      (text, at) => {
        const cell = row[at];
        return typeof cell === "object" ? cell.paint(text) : text;
      },
    ),
  );
  return [titles, ...lines].join("\n");
}

const GAP = "  ";
const MIN = 8;

function fitted(
  columns: readonly Column[],
  texts: readonly (readonly string[])[],
  used: readonly number[],
  width: number,
): ReadonlyMap<number, number> {
  const widths = new Map(
    used.map((at) => [
      at,
      texts.reduce((most, row) => Math.max(most, widthOf(row[at] ?? "")), widthOf(columns[at]?.title ?? "")),
    ]),
  );
  let over = widths.values().reduce((sum, each) => sum + each + GAP.length, -GAP.length) - width;
  for (const at of used.filter((each) => columns[each]?.gives)) {
    const own = widths.get(at) ?? 0;
    const less = Math.max(0, Math.min(over, own - MIN));
    widths.set(at, own - less);
    over -= less;
  }
  for (; over > 0; over--) {
    const [at, most] = [...widths].reduce((widest, each) => (each[1] > widest[1] ? each : widest), [0, 1]);
    if (most <= 1) break;
    widths.set(at, most - 1);
  }
  return widths;
}
