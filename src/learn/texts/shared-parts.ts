/** A value that each of several texts may have, as it is written. */
interface WrittenValue {
  /** For each of the texts. */
  readonly texts: readonly string[];
}

const MAX_WAYS = 64;

/** How each of several texts is made of its own values, in the same way; undefined where they are not. */
export function sharedParts<Value extends WrittenValue>(
  lines: readonly string[],
  fields: readonly Value[],
): readonly (string | Value)[] | undefined {
  const [line = ""] = lines;
  let ways: readonly (readonly (string | Value)[])[] = [[]];
  let before = "";
  const add = (part: string | readonly Value[]): void => {
    const next = typeof part === "string" ? [part] : part;
    ways = ways.flatMap((way) => next.map((each) => way.concat([each]))).slice(0, MAX_WAYS);
  };
  for (let at = 0; at < line.length;) {
    const here = fields.filter(({ texts: [text = ""] }) => isWordAt(line, text, at));
    const longest = Math.max(0, ...here.map(({ texts: [text = ""] }) => text.length));
    if (longest === 0) {
      before += line[at] ?? "";
      at++;
      continue;
    }
    if (before !== "") add(before);
    before = "";
    add(here.filter(({ texts: [text = ""] }) => text.length === longest));
    at += longest;
  }
  if (before !== "") add(before);
  const found = ways.find((way) =>
    lines.every(
      (each, nth) => way.map((part) => (typeof part === "string" ? part : part.texts[nth])).join("") === each,
    ),
  );
  const isTold = found?.some(
    (part) => typeof part !== "string" && (lines.length === 1 || new Set(part.texts).size > 1),
  );
  return isTold === true ? found : undefined;
}

/** Whether a text begins at a place, as a whole word. */
function isWordAt(line: string, text: string, at: number): boolean {
  if (text === "" || !line.startsWith(text, at)) return false;
  const isCut = (end: string, next: string): boolean =>
    /[\p{L}\p{N}]/u.test(end) && /[\p{L}\p{N}]/u.test(next);
  return !isCut(line[at - 1] ?? "", text[0] ?? "") && !isCut(text.at(-1) ?? "", line[at + text.length] ?? "");
}
