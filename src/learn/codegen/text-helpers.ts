/** What printed code reads texts with: `texts/text-form.ts` reads them in the same way while skills are learned. */
export const TEXT_HELPERS = {
  withText: `/** An answer in which a text stands as what it says. */
function withText(answer: any, path: readonly string[], read: (text: string) => object): any {
  const [key, ...rest] = path;
  if (key !== undefined) return { ...answer, [key]: withText(answer?.[key], rest, read) };
  if (typeof answer !== "string") throw new Error("An answer is no text, as it was when the skill was learned");
  return { text: answer, ...read(answer) };
}`,
  jsonOf: `/** JSON in a text. */
function jsonOf(text: string): { json: any } {
  const json = JSON.parse(text);
  if (typeof json !== "object" || json === null) throw new Error("A text is no JSON object or list");
  return { json };
}`,
  fieldsOf: `/** What labelled lines of a text say. */
function fieldsOf(text: string, mark: string, fields: readonly { label: string; is: string; optional?: boolean }[]): { fields: any } {
  return { fields: labelledIn(linesIn(text), mark, fields) };
}`,
  linesOf: `/** What each line of a text says, but for some lines above and below. */
function linesOf(text: string, head: readonly Template[], line: Template, tail: readonly Template[]): { lines: any[]; around?: any } {
  const all = linesIn(text);
  const end = all.length - tail.length;
  if (end < head.length) throw new Error("A text has fewer lines than when the skill was learned");
  const lines = all.slice(head.length, end).map((each) => recordIn(each, line));
  const above = head.map((each, nth) => recordIn(all[nth] ?? "", each));
  const below = tail.map((each, nth) => recordIn(all[end + nth] ?? "", each));
  const around = Object.assign({}, ...above, ...below);
  return Object.keys(around).length === 0 ? { lines } : { lines, around };
}`,
  rowsOf: `/** The rows of a table in a text. */
function rowsOf(text: string, delimiter: string, fields: readonly { label: string; is: string; optional?: boolean }[]): { rows: any[] } {
  const cells = cellsOf(text, delimiter);
  const [head = [], ...rows] = cells.slice(0, cells.findLastIndex((row) => row.length > 1) + 1);
  const isTable = new Set(head).size === head.length && rows.every((row) => row.length === head.length);
  const missing = fields.find(({ label }) => !head.includes(label));
  if (!isTable || missing) throw new Error(\`A text is not the table that is expected\${missing ? \`: it has no \${missing.label}\` : ""}\`);
  const rowOf = (row: string[]) => fields.map(({ label, is }) => [label, typed(row[head.indexOf(label)] ?? "", is)]);
  return { rows: rows.map((row) => Object.fromEntries(rowOf(row))) };
}`,
  recordsOf: `/** What a text says of one thing after the other, each from its first label on. */
function recordsOf(text: string, mark: string, fields: readonly { label: string; is: string; optional?: boolean }[]): { records: any[] } {
  const all = linesIn(text);
  const starts = [...all.keys()].filter((at) => labelled(all[at] ?? "", mark)?.[0] === fields[0]?.label);
  return { records: starts.map((start, nth) => labelledIn(all.slice(start, starts[nth + 1]), mark, fields)) };
}`,
  cellsOf: String.raw`function cellsOf(text: string, delimiter: string): string[][] {
  if (delimiter === "|")
    return linesIn(text)
      .filter((line) => !/^[\s|:+-]+$/.test(line))
      .map((line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim()));
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp('(?:"((?:[^"]|"")*)"|([^"\\n' + delimiter + "]*))(" + delimiter + "|\\n|$)", "gy");
  for (const [, quoted, plain = "", end] of text.trimEnd().replaceAll("\r\n", "\n").matchAll(cell)) {
    row.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    if (end === delimiter) continue;
    rows.push(row);
    if (end === "") return rows;
    row = [];
  }
  throw new Error("A text is not the table that is expected");
}`,
  labelledIn: String.raw`function labelledIn(lines: readonly string[], mark: string, fields: readonly { label: string; is: string; optional?: boolean }[]): any {
  const found: Record<string, unknown> = {};
  for (const { label, is, optional } of fields) {
    const [said, ...others] = lines.flatMap((line) => labelled(line, mark)?.[0] === label ? [labelled(line, mark)] : []);
    if (said === undefined && optional) continue;
    if (said === undefined || others.length > 0)
      throw new Error("A text says " + (said === undefined ? "no " : "several times ") + label);
    found[label] = typed(said[1], is);
  }
  return found;
}`,
  labelled: String.raw`function labelled(line: string, mark: string): readonly [label: string, text: string] | undefined {
  const plain = line.replaceAll("**", "") + " ";
  const end = plain.indexOf(mark);
  if (end <= 0) return undefined;
  return [plain.slice(0, end).replace(/^[\s>*•-]+/, "").trimEnd(), plain.slice(end + mark.length).trim()];
}`,
  recordIn: String.raw`type Template = readonly (string | { name: string; is: "text" | "word" | "number" })[];

/** What stands in a line where it differs from others of its form. */
function recordIn(line: string, template: Template): any {
  const pattern = (lazy: string) =>
    new RegExp(
      "^" +
        template
          .map((part, nth) => {
            if (typeof part === "string")
              return part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/ {2,}/g, " {2,}");
            if (part.is === "number") return "(-?(?:0|[1-9]\\d{0,14})(?:\\.\\d{1,12})?)";
            if (part.is === "text") return "(.*" + lazy + ")";
            const next = template[nth + 1];
            const behind = typeof next === "string" ? next.slice(0, 1).replace(/[\\\]^-]/, "\\$&") : "";
            return "([^\\s" + behind + "]+" + lazy + ")";
          })
          .join("") +
        "$",
      "u",
    );
  const shortest = pattern("?").exec(line);
  const longest = pattern("").exec(line);
  if (!shortest || !longest || shortest.some((part, nth) => part !== longest[nth]))
    throw new Error("A line does not have the form of those that the skill was learned from: " + line.slice(0, 200));
  const fields = template.filter((part) => typeof part !== "string");
  return Object.fromEntries(fields.map(({ name, is }, nth) => [name, typed(shortest[nth + 1] ?? "", is)]));
}`,
  typed: String.raw`function typed(text: string, is: string): string | number {
  if (is !== "number") return text;
  if (!/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?$/.test(text)) throw new Error("A text is no number: " + text.slice(0, 200));
  return Number(text);
}`,
  linesIn: String.raw`function linesIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
}`,
} as const;

type TextHelper = keyof typeof TEXT_HELPERS;

/** The helpers that a helper calls. */
export const TEXT_HELPER_NEEDS: { readonly [Name in TextHelper]?: readonly TextHelper[] } = {
  fieldsOf: ["labelledIn", "labelled", "typed", "linesIn"],
  linesOf: ["recordIn", "typed", "linesIn"],
  rowsOf: ["cellsOf", "typed", "linesIn"],
  recordsOf: ["labelledIn", "labelled", "typed", "linesIn"],
};
