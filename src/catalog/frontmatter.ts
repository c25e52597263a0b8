import type { Diagnostic, DiagnosticCode, Severity } from "../core/diagnostic.ts";
import type { Position } from "../core/error.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { SourceFile } from "../core/skill.ts";
import { readYamlFields, type YamlField, type YamlFault } from "./yaml-fields.ts";
import { repairYaml } from "./yaml-repair.ts";

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
  const fields = readFields(parts.yaml, report);
  if (!fields) return { frontmatter: undefined, diagnostics };
  const place = placesIn(parts.yaml);
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

const LARGEST_FRONTMATTER = 256 * 1024;

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

interface Parts {
  readonly yaml: string;
  readonly body: string;
}

function partsOf(text: string, report: Report): Parts | undefined {
  const yamlStart = endOfLine(text, 0);
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
      if (yaml.length <= LARGEST_FRONTMATTER) return { yaml, body: text.slice(end) };
      report(
        "file-too-large",
        "error",
        START,
        `The frontmatter has ${yaml.length} characters; the limit is ${LARGEST_FRONTMATTER}`,
        "Move text from the frontmatter into the instructions below it",
      );
      return undefined;
    }
    start = end;
  }
  report(
    "frontmatter-unclosed",
    "error",
    START,
    "SKILL.md frontmatter not properly closed with ---",
    fixForUnclosed(text),
  );
  return undefined;
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

function readFields(yaml: string, report: Report): readonly YamlField[] | undefined {
  const place = placesIn(yaml);
  const reading = readYamlFields(yaml);
  if (reading.ok) return reading.value;
  const repaired = reading.error.kind === "too-much" ? undefined : repairYaml(yaml);
  if (repaired) {
    for (const repair of repaired.repairs)
      report("yaml-repaired", "warning", place(repair.offset), repair.message, repair.fix);
    return repaired.fields;
  }
  reportFault(reading.error, place(reading.error.offset), report);
  return undefined;
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
function placesIn(yaml: string): (offset: number) => Place {
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
    return { line: low + 2, column: offset - (starts[low] ?? 0) + 1 };
  };
}
