import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** Paints, or leaves texts as they are. */
export function painter(isColoured: boolean): Paint {
  return (style, text) =>
    isColoured && text !== "" ? styleText(style, text, { validateStream: false }) : text;
}

/** How wide what is printed may be, and whether it may be coloured: `NO_COLOR` and `FORCE_COLOR` are heeded. */
export function terminal(): {
  /** What is drawn or wrapped keeps to. */
  readonly columns: number;
  /** What tables keep to: what is no terminal is given them whole. */
  readonly tableColumns: number;
  readonly isColoured: boolean;
  readonly paint: Paint;
} {
  const { stdout } = process;
  const isColoured = styleText("red", "x", { stream: stdout }) !== "x";
  const columns = stdout.columns || 80;
  const tableColumns = stdout.isTTY ? columns : Infinity;
  return { columns, tableColumns, isColoured, paint: painter(isColoured) };
}
