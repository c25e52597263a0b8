/** A tag of a doc comment that says something about the schema; `offset` is where its `@` stands in the file. */
export interface Tag {
  readonly name: TagName;
  readonly value: string;
  readonly offset: number;
}

export interface DocComment {
  readonly description: string;
  readonly tags: readonly Tag[];
}

const TAG_NAMES = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
  "uniqueItems",
  "asType",
  "default",
  "example",
  "examples",
  "deprecated",
  "title",
] as const;
export type TagName = (typeof TAG_NAMES)[number];

/**
 * Reads the part of a doc comment between two offsets of a file. A tag may stand anywhere after white space; its
 * value runs to the next known tag, to a line that begins with `@`, or to the end (tags with a short value: to the
 * end of their line). TypeScript's own parser cannot be used: it breaks values at `@` and `{`.
 */
export function docCommentIn(text: string, start: number, end: number): DocComment {
  const description: string[] = [];
  const tags: { name: TagName; offset: number; lines: string[] }[] = [];
  let lines: string[] | undefined = description;
  for (const line of linesIn(text, start, end)) {
    let from = 0;
    for (const mark of marksIn(line.text)) {
      lines?.push(line.text.slice(from, mark.index));
      from = mark.index + mark.length;
      lines = linesAfter(mark, line.offset, description, tags);
    }
    lines?.push(line.text.slice(from));
    if (lines && tags.at(-1)?.lines === lines && !LONG_VALUES.has(tags.at(-1)?.name ?? ""))
      lines = description;
  }
  return {
    description: withoutLinks(joined(description)),
    tags: tags.map(({ name, offset, lines: value }) => ({ name, offset, value: joined(value) })),
  };
}

/**
 * The text of a JavaScript file with the `@` of every tag known here replaced, at equal length. TypeScript takes types
 * from comments in JavaScript, and would end a `@property` (and lose all that follow) at a tag in its description.
 */
export function withTagsHidden(text: string): string {
  return text.replaceAll(/\/\*\*[\s\S]*?\*\//g, (comment) =>
    comment.replaceAll(KNOWN_TAG, (line) => line.replaceAll("@", "#")),
  );
}

/** Whether a line of a doc comment begins with a tag that this module reads. */
export function isKnownTag(name: string): boolean {
  return (TAG_NAMES as readonly string[]).includes(name);
}

const LONG_VALUES: ReadonlySet<string> = new Set(["default", "example", "examples", "deprecated"]);
const KNOWN_TAG = new RegExp(`(?<=[\\s*])@(?:${TAG_NAMES.join("|")})(?=\\s|\\*/)[^\\n]*`, "g");

interface Mark {
  readonly index: number;
  readonly length: number;
  readonly name: string;
}

function linesAfter(
  mark: Mark,
  lineOffset: number,
  description: string[],
  tags: { name: TagName; offset: number; lines: string[] }[],
): string[] | undefined {
  if (mark.name === "description") return description;
  if (!isKnownTag(mark.name)) return undefined;
  const tag = { name: mark.name as TagName, offset: lineOffset + mark.index, lines: [] };
  tags.push(tag);
  return tag.lines;
}

function marksIn(line: string): readonly Mark[] {
  return [...line.matchAll(/(?<=^|\s)@([A-Za-z]+)(?=\s|$)/g)]
    .map((match) => ({ index: match.index, length: match[0].length, name: match[1] ?? "" }))
    .filter(({ index, name }) => index === 0 || isKnownTag(name));
}

/** The lines without the margin of white space and `*`; `offset` is where what is left begins in the file. */
function linesIn(text: string, start: number, end: number): readonly { text: string; offset: number }[] {
  const found: { text: string; offset: number }[] = [];
  let offset = start;
  for (const raw of text.slice(start, end).split("\n")) {
    const margin = (found.length === 0 ? /^\s*/ : /^\s*\*?\s*/).exec(raw)?.[0].length ?? 0;
    found.push({ text: raw.slice(margin).trimEnd(), offset: offset + margin });
    offset += raw.length + 1;
  }
  return found;
}

function joined(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .join("\n")
    .trim()
    .replaceAll(/\n{3,}/g, "\n\n");
}

function withoutLinks(text: string): string {
  return text.replaceAll(
    /\{@link(?:code|plain)?\s+([^}|\s]+)(?:\s*\|?\s*([^}]*))?\}/g,
    (_all, target: string, label?: string) => label?.trim() || target,
  );
}
