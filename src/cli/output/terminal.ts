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
  readonly columns: number;
  readonly isColoured: boolean;
  readonly paint: Paint;
} {
  const { stdout } = process;
  const isColoured = styleText("red", "x", { stream: stdout }) !== "x";
  return { columns: stdout.columns || 80, isColoured, paint: painter(isColoured) };
}
