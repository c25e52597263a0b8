import { sharedParts } from "../../texts/shared-parts.ts";

/** A value that each of several things has, as it is written. */
interface BlockValue {
  readonly texts: readonly string[];
}

/** Lines that are written in the same way for each of several things, one after the other, and what stands around them. */
interface WrittenBlocks<Value> {
  readonly parts: readonly (string | Value)[];
  readonly separator: string;
  readonly above: string;
  readonly below: string;
}

const MAX_LINES = 8;

/** How a text has, for each of several things in their order, what stands above one of its values, and this value. */
export function writtenBlocks<Value extends BlockValue>(
  text: string,
  values: readonly Value[],
): WrittenBlocks<Value> | undefined {
  for (const value of values.toSorted((a, b) => lengthOf(b) - lengthOf(a))) {
    const found = blocksOf(text, value, values);
    if (found) return found;
  }
  return undefined;
}

function lengthOf({ texts }: BlockValue): number {
  return texts.reduce((length, each) => length + each.length, 0);
}

function blocksOf<Value extends BlockValue>(
  text: string,
  { texts }: Value,
  values: readonly Value[],
): WrittenBlocks<Value> | undefined {
  const starts = placesInOrder(text, texts);
  if (!starts) return undefined;
  const ends = starts.map((start, nth) => start + (texts[nth] ?? "").length);
  const [above = "", ...between] = starts.map((start, nth) => text.slice(ends[nth - 1] ?? 0, start));
  const below = text.slice(ends.at(-1));
  const [first = ""] = between;
  for (const cut of lineBegins(first)) {
    const separator = first.slice(0, cut);
    if (!between.every((each) => each.startsWith(separator))) continue;
    for (const begin of lineBegins(above)) {
      const heads = [above.slice(begin), ...between.map((each) => each.slice(cut))];
      const blocks = heads.map((head, nth) => head + (texts[nth] ?? ""));
      const parts = blocks.some((block) => block.trimEnd().includes("\n"))
        ? sharedParts(blocks, values)
        : undefined;
      if (!parts) continue;
      // Where a line ends, a block does.
      const after = sharedBegin(below, separator).replace(/\n[^]*$/, "");
      return {
        parts: after === "" ? parts : [...parts, after],
        separator: separator.slice(after.length),
        above: above.slice(0, begin),
        below: below.slice(after.length),
      };
    }
  }
  return undefined;
}

/** Where texts stand in another one, each behind the one before. */
function placesInOrder(text: string, parts: readonly string[]): readonly number[] | undefined {
  const starts: number[] = [];
  let end = 0;
  for (const part of parts) {
    const start = text.indexOf(part, end);
    if (start < 0 || part === "") return undefined;
    starts.push(start);
    end = start + part.length;
  }
  return starts;
}

/** The begin of a text, and where its last lines begin. */
function lineBegins(text: string): readonly number[] {
  const begins = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
  return [0, ...begins].slice(-MAX_LINES);
}

function sharedBegin(a: string, b: string): string {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++;
  return b.slice(0, length);
}
