import * as z from "zod";

/** What stands between the names of a path, as people and programs write it. */
export const PATH_MARKS = ["/", " > ", " / ", ".", "::", " » ", " → ", "\\", ":"] as const;
export type PathMark = (typeof PATH_MARKS)[number];
export const PATH_MARK: z.ZodType<PathMark> = z.enum(PATH_MARKS);

/** A line of a tree. */
export interface TreeNode {
  /** Without what draws the tree, a bullet, and a sign at its end that introduces what stands below. */
  readonly said: string;
  /** Up to a colon with something behind it, else all of it. */
  readonly name: string;
  /** What stands behind that colon. */
  readonly value: string | undefined;
  /** The number of the line that it stands below. */
  readonly parent: number | undefined;
}

/** What stands before a line that is drawn as a part of a tree: spaces and lines. */
export const DRAWN: RegExp = /^(?:[ \t\u00A0│├└─┬]|\|(?=[ \t\u00A0]|-- )|[+`](?=-- )|-- )*/u;

/** JSON of names with children as an outline of them; what is none stays. Printed code has the same. */
function outlineOf(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  const lines: string[] = [];
  const add = (nodes: unknown, indent: string): void => {
    for (const { name, children = [] } of nodes as Iterable<{
      readonly name: string;
      readonly children?: unknown;
    }>) {
      if (!/^[^\s:*•+-][^:\n]*$/.test(name)) throw new TypeError(`${name} is no line of an outline`);
      lines.push(indent + name);
      add(children, `${indent}  `);
    }
  };
  try {
    const value: unknown = JSON.parse(text);
    add(Array.isArray(value) ? value : [value], "");
    return lines.join("\n");
  } catch {
    return text;
  }
}

/** The lines of an outline or of a drawn tree, each below the last that is indented less. Printed code has the same. */
export function treeIn(text: string): readonly TreeNode[] {
  const nodes: TreeNode[] = [];
  const open: { readonly indent: number; readonly nth: number }[] = [];
  for (const line of outlineOf(text)
    .split("\n")
    .map((each) => each.trimEnd())) {
    const indent = DRAWN.exec(line)?.[0].length ?? 0;
    const said = line
      .slice(indent)
      .replace(/^(?:[-*•+]|\d+[.)])\s+/, "")
      .replace(/(?<=[^\s:/])[:/]$/, "");
    if (said === "") continue;
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const [, name = said, value] = /^([^:]{1,60}?):\s+(\S.*)$/.exec(said) ?? [];
    nodes.push({ said, name, value, parent: open.at(-1)?.nth });
    open.push({ indent, nth: nodes.length - 1 });
  }
  return nodes;
}

/** A name with a remark behind it, or with an arrow to another: nobody knows how a path has it. */
export const REMARKED_NAME: RegExp = /\s(?:\([^()]*\)|\[[^[\]]*\])$|\s[-=]>\s/;

/** Whether lines are indented by tabs and others by spaces: then it is not told which stands below which. */
export function isIndentedTwice(text: string): boolean {
  return /^\t/m.test(text) && /^ /m.test(text);
}
