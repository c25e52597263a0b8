import type { Diagnostic, DiagnosticCode, Severity } from "../core/diagnostic.ts";
import type { Position } from "../core/error.ts";
import type { Json, JsonObject } from "../core/json/json.ts";
import type { SourceFile } from "../core/skill.ts";
import { FORMAT_FIELDS } from "./field-rules.ts";
import { readYamlFields, type YamlField, type YamlFault } from "./yaml/yaml-fields.ts";
import { repairYaml } from "./yaml/yaml-repair.ts";

/** A SKILL.md, taken apart. */
export interface Frontmatter {
  readonly fields: JsonObject;
  /** Each field's value as it is written, for those that are meant as text but are something else in YAML. */
  readonly written: ReadonlyMap<string, string>;
  /** Where each field stands, and the parts of lists: `composes`, `composes[0]`, `inputs[1].type`. */
  readonly positions: ReadonlyMap<string, Position>;
  /** What follows the frontmatter, without the space around it. */
  readonly body: string;
  /** What stands between the two lines ---. */
  readonly yaml: string;
  /** Where in the file an offset into `yaml` is. */
  readonly at: (offset: number) => Position;
}

export interface FrontmatterReading {
  /** Absent where an error says why. */
  readonly frontmatter: Frontmatter | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Takes a SKILL.md apart. Invalid YAML is repaired where its meaning is plain, with a warning for each repair. */
export function parseFrontmatter(file: SourceFile): FrontmatterReading {
  const diagnostics: Diagnostic[] = [];
  const report: Report = (code, severity, place, message, fix) => {
    diagnostics.push({ code, severity, path: file.path, ...place, message, fix });
  };
  const text = withoutBom(file.text, report);
  const parts = partsOf(text, report);
  if (!parts) return { frontmatter: undefined, diagnostics };
  const place = placesIn(parts.yaml, parts.line);
  const fields = readFields(withoutControls(parts.yaml, place, report), place, report);
  if (!fields) return { frontmatter: undefined, diagnostics };
  const at = (offset: number): Position => ({ path: file.path, ...place(offset) });
  return {
    frontmatter: {
      fields: Object.fromEntries(fields.map((field) => [field.key, field.value])),
      written: new Map(fields.map((field) => [field.key, field.text])),
      positions: new Map(fields.flatMap((field) => positionsOf(field, at))),
      body: parts.body.trim(),
      yaml: parts.yaml,
      at,
    },
    diagnostics,
  };
}

function positionsOf(
  { key, offset, parts = new Map<string, number>() }: YamlField,
  at: (offset: number) => Position,
): readonly (readonly [string, Position])[] {
  return [
    [key, at(offset)],
    ...Array.from(parts, ([part, partOffset]) => [`${key}${part}`, at(partOffset)] as const),
  ];
}

/** A field that is meant as text: `name: 123` says "123". Empty where nothing is written. */
export function fieldText(frontmatter: Frontmatter, field: string): string {
  const value = fieldValue(frontmatter, field);
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : (frontmatter.written.get(field) ?? "");
}

export function fieldValue(frontmatter: Frontmatter, field: string): Json | undefined {
  return Object.hasOwn(frontmatter.fields, field) ? frontmatter.fields[field] : undefined;
}

const MAX_FRONTMATTER = 256 * 1024;

interface Place {
  readonly line: number;
  readonly column: number;
}

const START: Place = { line: 1, column: 1 };

type Report = (code: DiagnosticCode, severity: Severity, place: Place, message: string, fix: string) => void;

function withoutBom(text: string, report: Report): string {
  if (!text.startsWith("\uFEFF")) return text;
  report(
    "frontmatter-bom",
    "warning",
    START,
    "SKILL.md begins with a byte order mark, which some readers reject",
    "Save the file as UTF-8 without a byte order mark",
  );
  return text.slice(1);
}

/** Characters that YAML does not allow, read as spaces: each keeps its place. */
function withoutControls(yaml: string, place: (offset: number) => Place, report: Report): string {
  const found = new Map<string, number>();
  for (const { 0: character, index } of yaml.matchAll(CONTROLS))
    if (!found.has(character)) found.set(character, index);
  for (const [character, index] of found) {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    const message = `The control character U+${code} is not allowed here; it is read as a space`;
    report("yaml-repaired", "warning", place(index), message, "Delete the character");
  }
  return found.size === 0 ? yaml : yaml.replaceAll(CONTROLS, " ");
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f]/g;

interface Parts {
  readonly yaml: string;
  readonly body: string;
  /** The line of the file on which `yaml` begins. */
  readonly line: number;
}

function partsOf(given: string, report: Report): Parts | undefined {
  const skipped = skippedBefore(given);
  const text = given.slice(skipped);
  const line = given.slice(0, skipped).split("\n").length + 1;
  const yamlStart = endOfLine(text, 0);
  if (skipped > 0)
    report(
      "frontmatter-missing",
      "warning",
      START,
      `SKILL.md must start with YAML frontmatter (---); what stands before line ${line - 1} is skipped`,
      fixForMissing(given),
    );
  if (!isFence(text, 0, yamlStart)) {
    report(
      "frontmatter-missing",
      "error",
      START,
      "SKILL.md must start with YAML frontmatter (---)",
      fixForMissing(text),
    );
    return undefined;
  }
  for (let start = yamlStart; start < text.length;) {
    const end = endOfLine(text, start);
    if (isFence(text, start, end)) {
      const yaml = text.slice(yamlStart, start);
      if (yaml.length <= MAX_FRONTMATTER) return { yaml, body: text.slice(end), line };
      report(
        "file-too-large",
        "error",
        START,
        `The frontmatter has ${yaml.length} characters; the limit is ${MAX_FRONTMATTER}`,
        "Move text from the frontmatter into the instructions below it",
      );
      return undefined;
    }
    start = end;
  }
  const length = unclosedLength(text.slice(yamlStart));
  const message = "SKILL.md frontmatter not properly closed with ---";
  if (length === undefined) {
    report("frontmatter-unclosed", "error", START, message, fixForUnclosed(text));
    return undefined;
  }
  const yaml = text.slice(yamlStart, yamlStart + length);
  const last = line + yaml.trimEnd().split("\n").length;
  report(
    "frontmatter-unclosed",
    "warning",
    START,
    `${message}; it is read as if a line --- stood on line ${last}`,
    `Add a line --- before line ${last}`,
  );
  return { yaml, body: text.slice(yamlStart + length).replace(/^\.\.\.[ \t]*\r?$/m, ""), line };
}

/** How much stands before a frontmatter that is one without doubt: blank lines and comments alone. */
function skippedBefore(text: string): number {
  const [before = ""] =
    /^(?:[ \t]*\r?\n|#[^\n]*\n|<!--(?:(?!-->)[\s\S])*-->[ \t]*\r?\n)+(?=---)/.exec(text) ?? [];
  if (before === "") return 0;
  const start = endOfLine(text, before.length);
  const end = /^---[ \t]*\r?$/m.exec(text.slice(start))?.index;
  return end !== undefined && saysWhatItIs(text.slice(start, start + end)) ? before.length : 0;
}

/** The length of a frontmatter without an end that ends without doubt: at a blank line, a heading or `...`. */
function unclosedLength(text: string): number | undefined {
  const end = /^(?:[ \t]*\r?$|#{1,6} |\.\.\.[ \t]*\r?$)/m.exec(text)?.index ?? text.length;
  const goesOn = FIELD_LINE.test(text.slice(end)) || /---[ \t]*\r?$/m.test(text);
  return !goesOn && end <= MAX_FRONTMATTER && saysWhatItIs(text.slice(0, end)) ? end : undefined;
}

const FIELD_LINE = new RegExp(`^(?:${FORMAT_FIELDS.join("|")}):`, "m");

function saysWhatItIs(yaml: string): boolean {
  const reading = readYamlFields(yaml);
  return (
    reading.ok && ["name", "description"].every((field) => reading.value.some(({ key }) => key === field))
  );
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end + 1;
}

function isFence(text: string, start: number, end: number): boolean {
  return text.startsWith("---", start) && text.slice(start + 3, end).trim() === "";
}

function fixForMissing(text: string): string {
  const lines = text.split("\n", 20);
  const fence = lines.findIndex((line) => line.trim() === "---");
  if (fence < 0) return "Begin the file with a line ---, then name: and description:, then another line ---";
  if (fence > 0) return `Delete what stands before the --- on line ${fence + 1}`;
  return "Delete the space before the --- on line 1";
}

function fixForUnclosed(text: string): string {
  const lines = text.split("\n", 100);
  const glued = lines.findIndex(
    (line, index) => index > 0 && /\S\s*---\s*$/.test(line) && !/^[\s-]*$/.test(line),
  );
  if (glued > 0) return `Put the --- at the end of line ${glued + 1} on a line of its own`;
  const indented = lines.findIndex((line, index) => index > 0 && line.trim() === "---");
  if (indented > 0) return `Delete the space before the --- on line ${indented + 1}`;
  return "Add a line --- after the last field";
}

function readFields(
  yaml: string,
  place: (offset: number) => Place,
  report: Report,
): readonly YamlField[] | undefined {
  const reading = readYamlFields(yaml);
  if (reading.ok) return reading.value.map((field) => withHidden(field, place, report));
  const repaired = reading.error.kind === "too-much" ? undefined : repairYaml(yaml);
  if (repaired) {
    for (const repair of repaired.repairs)
      report("yaml-repaired", "warning", place(repair.offset), repair.message, repair.fix);
    return repaired.fields;
  }
  reportFault(reading.error, place(reading.error.offset), report);
  return undefined;
}

/** A text that begins with a tag is read as it shows; a comment behind it stays one, and is told. */
function withHidden(field: YamlField, place: (offset: number) => Place, report: Report): YamlField {
  const { key, tagged, comment } = field;
  const fix = `Put the text in double quotes: ${key}: "…"`;
  if (comment && key === "description")
    report(
      "yaml-comment",
      "warning",
      place(comment.offset),
      `To YAML a comment begins here: ${JSON.stringify(comment.text)} is not part of the description`,
      fix,
    );
  if (!tagged) return field;
  report(
    "yaml-repaired",
    "warning",
    place(tagged.offset),
    `To YAML a tag begins with !; ${JSON.stringify(key)} is read as the text that it shows`,
    fix,
  );
  return { ...field, value: tagged.text, text: tagged.text };
}

function reportFault(fault: YamlFault, place: Place, report: Report): void {
  if (fault.kind === "not-mapping") {
    report(
      "frontmatter-not-mapping",
      "error",
      place,
      "SKILL.md frontmatter must be a YAML mapping",
      "Write fields, each as a line `name: value`",
    );
  } else {
    report(
      "yaml-invalid",
      "error",
      place,
      `Invalid YAML in frontmatter: ${fault.message}`,
      "Mend the line, or put the value in double quotes",
    );
  }
}

/** From an offset in the frontmatter to a place in the file; the frontmatter begins on line 2. */
function placesIn(yaml: string, firstLine: number): (offset: number) => Place {
  const starts = [0];
  for (let index = yaml.indexOf("\n"); index !== -1; index = yaml.indexOf("\n", index + 1))
    starts.push(index + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + firstLine, column: offset - (starts[low] ?? 0) + 1 };
  };
}
