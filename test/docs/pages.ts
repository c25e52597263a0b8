import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../server/connected-client.ts";

export interface Page {
  /** From the project's root, such as `docs/format.md`. */
  readonly file: string;
  readonly text: string;
}

export interface Block {
  /** What stands behind its first fence. */
  readonly info: string;
  /** The first word of that. */
  readonly language: string;
  readonly text: string;
  /** The line of its first fence, from 1. */
  readonly line: number;
}

export function pageAt(file: string): Page {
  return { file, text: readFileSync(join(ROOT, file), "utf8") };
}

/** The README and every page in `docs/`. */
export const PAGES: readonly Page[] = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].map(pageAt);

/** The fenced blocks of a page, in order. */
export function blocksOf({ text }: Page): readonly Block[] {
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, info = "", inner = ""] = match;
    const line = text.slice(0, match.index).split("\n").length;
    return { info, language: info.split(" ")[0] ?? "", text: inner, line };
  });
}

/** The tables of a page: of each its rows without the head, of each row the text of its cells. */
export function tablesOf({ text }: Page): readonly (readonly (readonly string[])[])[] {
  return [...text.matchAll(/^\|---.*\n((?:\|.*\n?)+)/gm)].map(([, rows = ""]) =>
    rows
      .trimEnd()
      .split("\n")
      .map((row) =>
        row
          .replace(/^\| ?| ?\|$/g, "")
          .split(/ ?\| ?/)
          .map((cell) => cell.trim()),
      ),
  );
}

/** The anchors of a page's headings, as code hosts make them. */
export function anchorsOf({ text }: Page): ReadonlySet<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** What a page links to within the project: a path from the root, and an anchor or nothing. */
export function linksOf({ file, text }: Page): readonly { readonly path: string; readonly anchor: string }[] {
  return [
    ...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g),
  ].map(([, path = "", anchor = ""]) => ({ path: path === "" ? file : join(dirname(file), path), anchor }));
}
