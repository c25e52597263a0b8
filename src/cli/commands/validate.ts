import { Command } from "commander";
import { composableFaults, FORMAT_FIELDS, OWN_FIELDS, type FieldFault } from "../../catalog/field-rules.ts";
import { parseFrontmatter, type Frontmatter } from "../../catalog/frontmatter.ts";
import { strictFindings } from "../../catalog/strict-findings.ts";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostic.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { withHangingIndent, oneLine } from "../../core/text/display-text.ts";
import { findingText } from "../output/finding-text.ts";
import { skillFileIn, skillFoldersAt } from "./read-properties.ts";
import { examples, EXIT, printJson } from "../session.ts";

export function validateCommand(): Command {
  return new Command("validate")
    .description("hold skills to the rules of the format's reference validator, in its words")
    .argument("<paths...>", "skill folders, SKILL.md files, or folders of skills")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      examples(
        "\nA superset of it is valid: the fields of the composable-skills proposal, limits and ttl are allowed and checked too, in flow style as well; where the reference would refuse a skill for them, a note says so.\nExits with 1 when a skill is not valid.\n\nExample:\n  $ repertoire validate ./skills/add",
      ),
    )
    .action(async (paths: string[], options: { json?: boolean }) => {
      const folders = (await Promise.all(paths.map(skillFoldersAt))).flat();
      const validated: Validated[] = [];
      for (const path of folders) validated.push({ path, ...(await findingsIn(path)) });
      if (options.json) printJson(validated.map(shown));
      else for (const each of validated) tell(each);
      if (validated.some(({ errors }) => errors.length > 0)) process.exitCode = EXIT.failed;
    });
}

interface Validated {
  readonly path: string;
  readonly errors: readonly Diagnostic[];
  /** What is valid here, and not to the reference. */
  readonly notes: readonly Diagnostic[];
}

function shown({ path, errors, notes }: Validated): object {
  const told = ({ code, message, line, column, fix }: Diagnostic): object => ({
    code,
    message,
    line,
    column,
    fix,
  });
  return { path, valid: errors.length === 0, errors: errors.map(told), notes: notes.map(told) };
}

function tell({ path, errors, notes }: Validated): void {
  if (errors.length > 0)
    console.error(
      [`Validation failed for ${oneLine(path)}:`, ...errors.map((each) => `  - ${lineOf(each)}`)].join("\n"),
    );
  else {
    console.log(`Valid skill: ${oneLine(path)}`);
    for (const note of notes) console.error(findingText(note));
  }
}

/** The reference says where YAML breaks, and of fields only what is wrong with them. */
function lineOf({ code, message, line, column }: Diagnostic): string {
  return withHangingIndent(code === "yaml-invalid" ? `${message} (line ${line}, column ${column})` : message);
}

async function findingsIn(folder: string): Promise<Omit<Validated, "path">> {
  const strict = await strictFindings(folder, new Set(EXTRA_FIELDS));
  const file = await skillFileIn(folder);
  if (!file.ok || strict.some(({ code }) => !FIELD_CODES.has(code))) return { errors: strict, notes: [] };
  const { frontmatter } = parseFrontmatter(file.value);
  if (!frontmatter) return { errors: strict, notes: [] };
  const errors = [
    ...strict.flatMap((finding) =>
      finding.code === "frontmatter-unexpected" ? unexpected(finding, frontmatter) : [finding],
    ),
    ...composition(frontmatter).map((fault) => placed(fault, file.value.path, frontmatter)),
  ];
  return { errors, notes: extras(frontmatter) };
}

/** Fields that the reference validator refuses, and this one knows. */
const EXTRA_FIELDS: readonly string[] = OWN_FIELDS;

function extras({ fields, positions }: Frontmatter): readonly Diagnostic[] {
  const names = Object.keys(fields).filter((field) => EXTRA_FIELDS.includes(field));
  const [first] = names;
  const position = first === undefined ? undefined : positions.get(first);
  if (!position) return [];
  return [
    {
      code: "frontmatter-unexpected",
      severity: "info",
      ...position,
      message: `The reference validator would refuse ${names.join(", ")}: only Repertoire and the composable-skills proposal define them`,
      fix: "Leave them where the skill is read by Repertoire; take them out, or move them below metadata, where the reference must accept it",
    },
  ];
}

function placed({ field, message, fix }: FieldFault, path: string, { positions }: Frontmatter): Diagnostic {
  const position = positions.get(partIn(message)) ?? positions.get(field) ?? { path, line: 1, column: 1 };
  return { code: "field-invalid", severity: "error", ...position, message, fix };
}

/** Findings about single fields; after any other the reference validator looks no further. */
const FIELD_CODES: ReadonlySet<DiagnosticCode> = new Set([
  "frontmatter-unexpected",
  "name-missing",
  "name-invalid",
  "name-mismatch",
  "description-missing",
  "description-invalid",
  "field-invalid",
] as const);

/** Those of the composable-skills proposal, in the order in which the reference validator looks at them. */
const COMPOSABLE_FIELDS = ["level", "operation", "composes", "inputs", "outputs"];
const ALLOWED_FIELDS: readonly string[] = [...FORMAT_FIELDS, ...OWN_FIELDS].toSorted();

function unexpected(finding: Diagnostic, { fields, positions }: Frontmatter): readonly Diagnostic[] {
  const names = Object.keys(fields)
    .filter((field) => !ALLOWED_FIELDS.includes(field))
    .toSorted();
  const [first] = names;
  if (first === undefined) return [];
  const message = `Unexpected fields in frontmatter: ${names.join(", ")}. Only ${quotedList(ALLOWED_FIELDS)} are allowed.`;
  return [{ ...finding, ...positions.get(first), message }];
}

// --- the composable-skills proposal

function composition({ fields }: Frontmatter): readonly FieldFault[] {
  const faults = [
    ...composableFaults(fields),
    ...atomicFaults(fields),
    ...sideFaults(fields, "inputs"),
    ...sideFaults(fields, "outputs"),
  ];
  const rank = ({ field }: FieldFault): number => COMPOSABLE_FIELDS.indexOf(field);
  return faults.toSorted((a, b) => rank(a) - rank(b) || memberIn(a) - memberIn(b));
}

/** The part of a field that a message is about, such as `inputs[0].type`. */
function partIn(message: string): string {
  return /^Field '([^']+)'/.exec(message)?.[1] ?? "";
}

function memberIn({ message }: FieldFault): number {
  return Number(/\[(\d+)\]/.exec(partIn(message))?.[1] ?? Number.MAX_SAFE_INTEGER);
}

function atomicFaults({ level, composes }: JsonObject): readonly FieldFault[] {
  if (Number(level) !== 1 || !Array.isArray(composes) || composes.length === 0) return [];
  return [
    {
      field: "composes",
      message:
        "Level 1 (Atomic) skills should not have 'composes'. Atomic skills wrap primitives, not other skills.",
      fix: "Write level: 2, or remove composes",
    },
  ];
}

function sideFaults(fields: JsonObject, field: "inputs" | "outputs"): readonly FieldFault[] {
  const members = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (!Array.isArray(members)) return [];
  return (members as readonly Json[]).flatMap((member, index) => {
    if (!isJsonObject(member)) return [];
    const at = `${field}[${index}]`;
    return MEMBER_RULES.flatMap(({ key, faultOf, fix }) => {
      const fault = Object.hasOwn(member, key) ? faultOf(member[key] ?? null) : undefined;
      return fault === undefined ? [] : [{ field, message: `Field '${at}.${key}' ${fault}`, fix }];
    });
  });
}

const TYPES = ["any", "boolean", "date", "datetime", "integer", "number", "string"];

interface MemberRule {
  readonly key: string;
  readonly faultOf: (value: Json) => string | undefined;
  readonly fix: string;
}

const MEMBER_RULES: readonly MemberRule[] = [
  { key: "type", faultOf: typeFault, fix: `Write one of ${TYPES.join(", ")}, with [] after it for a list` },
  { key: "requires_source", faultOf: booleanFault, fix: "Write true or false" },
  { key: "requires_rationale", faultOf: booleanFault, fix: "Write true or false" },
  { key: "min_length", faultOf: countFault, fix: "Write a whole number, such as 1" },
  { key: "min_items", faultOf: countFault, fix: "Write a whole number, such as 1" },
  {
    key: "range",
    faultOf: rangeFault,
    fix: "Write the least and the greatest number, each on a line after a hyphen",
  },
];

function typeFault(type: Json): string | undefined {
  if (typeof type === "object" && type !== null) return "must be a string";
  const written = scalarText(type);
  return TYPES.includes(written.replace(/(\[\])+$/, ""))
    ? undefined
    : `unknown type '${written}'. Valid primitives: ${quotedList(TYPES)}`;
}

function booleanFault(value: Json): string | undefined {
  return /^(true|false)$/i.test(scalarText(value)) ? undefined : "must be a boolean";
}

function countFault(value: Json): string | undefined {
  return /^\s*\+?\d+\s*$/.test(scalarText(value)) ? undefined : "must be a non-negative integer";
}

function scalarText(value: Json): string {
  return typeof value === "object" ? "" : String(value);
}

function rangeFault(range: Json): string | undefined {
  if (!Array.isArray(range) || range.length !== 2) return "must be a list of [min, max]";
  const [least = Number.NaN, most = Number.NaN] = (range as readonly Json[]).map(numberOf);
  if (Number.isNaN(least) || Number.isNaN(most)) return "values must be numbers";
  return least > most ? `min (${decimal(least)}) > max (${decimal(most)})` : undefined;
}

function numberOf(value: Json): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
}

/** As Python prints a float. */
function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

/** As Python prints a list of texts. */
function quotedList(texts: readonly string[]): string {
  return `[${texts.map((text) => `'${text}'`).join(", ")}]`;
}
