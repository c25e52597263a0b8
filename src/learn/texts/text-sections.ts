import * as z from "zod";

/**
 * How headings are written: `## X` with so many signs, `X` above a line of `=` or `-`, `== X ==` between marks, `[X]`,
 * `**X**`, `X:` on a line of its own above what is indented, listed, or set apart, and (`-`) any line or element of a list
 * above what is indented.
 */
export const HEADING_MARKS = ["[]", "#", "##", "###", "####", "===", "---", "== ==", "**", ":", "-"] as const;
export type HeadingMark = (typeof HEADING_MARKS)[number];
export const HEADING_MARK: z.ZodType<HeadingMark> = z.enum(HEADING_MARKS);

export interface TextSection {
  /** Without the number of elements that some headings tell. */
  readonly title: string;
  readonly count: number | undefined;
  /** What stands below the heading. */
  readonly body: string;
  /** The line of the heading, and the one behind the body. */
  readonly start: number;
  readonly end: number;
}

interface Heading {
  /** Undefined: what ends a section without beginning another. */
  readonly title: string | undefined;
  /** How many lines it has. */
  readonly size: number;
}

/** The parts of a text below its headings of a kind. Printed code has the same as `sectionsIn`. */
export function sectionsIn(text: string, mark: HeadingMark): readonly TextSection[] {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const sections: TextSection[] = [];
  let open: { readonly title: string; readonly start: number; readonly size: number } | undefined;
  const close = (end: number): void => {
    if (!open) return;
    const { title, start, size } = open;
    const [, name = title, one, two] = COUNTED.exec(title) ?? [];
    const told = one ?? two;
    const count = told === undefined ? undefined : Number(told);
    const below = lines.slice(start + size, end);
    const body = (mark === "-" ? outdented(below) : below).join("\n");
    sections.push({ title: name, count, body, start, end });
    open = undefined;
  };
  for (let at = 0; at < lines.length; at++) {
    const heading = headingAt(lines, at, mark);
    if (!heading) continue;
    close(at);
    if (heading.title !== undefined) open = { title: heading.title, start: at, size: heading.size };
    at += heading.size - 1;
  }
  close(lines.length);
  return sections;
}

/** What is indented least begins its line. */
function outdented(lines: readonly string[]): readonly string[] {
  const indents = lines.flatMap((line) => (line === "" ? [] : [/^\s*/.exec(line)?.[0].length ?? 0]));
  return lines.map((line) => line.slice(Math.min(...indents)));
}

/** `Done (3)`, `Done: 3`. */
const COUNTED = /^(.*?\S)\s*(?:[([]\s*(\d{1,9})\s*[)\]]|:\s*(\d{1,9}))$/;

function headingAt(lines: readonly string[], at: number, mark: HeadingMark): Heading | undefined {
  const line = lines[at] ?? "";
  const next = lines[at + 1] ?? "";
  const titled = (title: string | undefined): Heading | undefined =>
    title === undefined ? undefined : { title: title.trim(), size: 1 };
  switch (mark) {
    case "#":
    case "##":
    case "###":
    case "####": {
      const [, signs = "", title] = /^(#{1,6})\s+(\S.*?)(?:\s+#+)?$/.exec(line) ?? [];
      if (title === undefined || signs.length > mark.length) return undefined;
      return { title: signs === mark ? title : undefined, size: 1 };
    }
    case "===":
    case "---": {
      if (!/^(?:={3,}|-{3,})$/.test(next) || !/^\S(?!.*(?:\||\s\s))/.test(line) || /^[=-]{3,}$/.test(line))
        return undefined;
      const isOwn = next.startsWith(mark);
      return isOwn || mark === "---" ? { title: isOwn ? line : undefined, size: 2 } : undefined;
    }
    case "== ==":
      return titled(/^([=*~]{2,}|-{2,})\s+(\S.*?)\s+\1$/.exec(line)?.[2]);
    case "[]":
      return titled(/^\[([^[\]]+)\]$/.exec(line)?.[1]);
    case "**":
      return titled(/^\*\*([^*]+?):?\*\*:?$/.exec(line)?.[1]);
    case ":":
      return colonHeading(lines, at);
    case "-":
      return titled(/^(?:(?:[-*•+]|\d+[.)])\s+)?([^\s|#>].*?):?$/.exec(line)?.[1]);
  }
}

/** A line such as `Done:` introduces what is indented or listed below it, or stands apart from what is above. */
function colonHeading(lines: readonly string[], at: number): Heading | undefined {
  const [, title] = /^([^\s\-*•>|#][^:|]{0,79}):$/.exec(lines[at] ?? "") ?? [];
  const below = lines.slice(at + 1).find((line) => line !== "");
  if (title !== undefined && below !== undefined) {
    const isSet = /^\s|^(?:[-*•+]|\d+[.)])\s/.test(below) || (at > 0 && lines[at - 1] === "");
    return isSet ? { title: title.trim(), size: 1 } : undefined;
  }
  // Behind what is indented, another line is no part of it.
  const above = lines.slice(0, at).findLast((line) => line !== "") ?? "";
  return /^\s/.test(above) && /^\S/.test(lines[at] ?? "") ? { title: undefined, size: 1 } : undefined;
}
