import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Diagnostic, DiagnosticCode } from "../core/diagnostic.ts";
import type { SourceFile } from "../core/skill.ts";
import {
  compatibilityFault,
  descriptionFault,
  intendedField,
  FORMAT_FIELDS,
  nameFaults,
  nameMismatch,
  tidyName,
} from "./field-rules.ts";
import { FileLog } from "./folders/file-log.ts";
import { fieldText, fieldValue, parseFrontmatter, type Frontmatter } from "./frontmatter.ts";
import { strictYamlFault } from "./yaml/yaml-fields.ts";

/**
 * What the format's reference validator says about a folder, in its words. None where the folder is valid. Flow style,
 * which it does not read, may be let pass in some fields.
 */
export async function strictFindings(
  path: string,
  flowAllowedIn?: ReadonlySet<string>,
): Promise<readonly Diagnostic[]> {
  const folder = resolve(path);
  const stats = await stat(folder).catch(() => undefined);
  if (!stats) return [at(folder, "folder-missing", `Path does not exist: ${folder}`, "Correct the path")];
  if (!stats.isDirectory())
    return [
      at(folder, "folder-missing", `Not a directory: ${folder}`, "Give the folder that holds SKILL.md"),
    ];
  for (const name of ["SKILL.md", "skill.md"]) {
    const file = join(folder, name);
    const reading = await new FileLog().read(file, MAX_FILE);
    if (reading.ok) return strictTextFindings({ path: file, text: reading.value.text }, flowAllowedIn);
    if (reading.error.kind !== "missing")
      return [at(file, "file-unreadable", reading.error.message, "Make it a file that can be read")];
  }
  const like = (await readdir(folder)).find((name) => name.toLowerCase() === "skill.md");
  const fix = like === undefined ? "Add a SKILL.md" : `Rename ${like} to SKILL.md`;
  return [at(join(folder, "SKILL.md"), "file-unreadable", "Missing required file: SKILL.md", fix)];
}

/** The same for the text of a SKILL.md; its folder's name counts. */
export function strictTextFindings(
  file: SourceFile,
  flowAllowedIn?: ReadonlySet<string>,
): readonly Diagnostic[] {
  const { frontmatter, diagnostics } = parseFrontmatter(file);
  for (const { code, message } of UNREAD) {
    const found = diagnostics.find(
      (each) => each.code === code || (each.code === "frontmatter-bom" && code === "frontmatter-missing"),
    );
    if (found) return [{ ...found, code, severity: "error", message }];
  }
  if (!frontmatter) return diagnostics.filter(({ severity }) => severity === "error");
  const repaired = diagnostics.find(({ code }) => code === "yaml-repaired");
  if (repaired)
    return [
      {
        ...repaired,
        code: "yaml-invalid",
        severity: "error",
        message: `Invalid YAML in frontmatter: ${repaired.message}`,
      },
    ];
  const fault = strictYamlFault(frontmatter.yaml, flowAllowedIn);
  if (fault) {
    const message = `Invalid YAML in frontmatter: ${fault.message}`;
    return [
      {
        ...at(file.path, "yaml-invalid", message, "Write plain block style: one value on each line"),
        ...frontmatter.at(fault.offset),
      },
    ];
  }
  return fieldFindings(file, frontmatter);
}

/** What the reference validator does not read past, and others do. */
const UNREAD = [
  { code: "frontmatter-missing", message: "SKILL.md must start with YAML frontmatter (---)" },
  { code: "frontmatter-unclosed", message: "SKILL.md frontmatter not properly closed with ---" },
] as const;

const MAX_FILE = 4 * 1024 * 1024;

function fieldFindings(file: SourceFile, frontmatter: Frontmatter): readonly Diagnostic[] {
  const findings: Diagnostic[] = [];
  const report = (code: DiagnosticCode, field: string, message: string, fix: string): void => {
    findings.push({ ...at(file.path, code, message, fix), ...frontmatter.positions.get(field) });
  };
  reportUnexpected(frontmatter, report);
  reportName(frontmatter, basename(dirname(file.path)), report);
  reportDescription(frontmatter, report);
  const compatibility = fieldValue(frontmatter, "compatibility");
  if (compatibility !== undefined) {
    // To StrictYAML every scalar is a string.
    const isText = typeof compatibility !== "object" || compatibility === null;
    const message = compatibilityFault(isText ? fieldText(frontmatter, "compatibility") : compatibility);
    if (message !== undefined) report("field-invalid", "compatibility", message, "Write a short text");
  }
  return findings;
}

type Report = (code: DiagnosticCode, field: string, message: string, fix: string) => void;

function reportUnexpected(frontmatter: Frontmatter, report: Report): void {
  const unexpected = Object.keys(frontmatter.fields)
    .filter((field) => !FORMAT_FIELDS.some((known) => known === field))
    .toSorted();
  const [first] = unexpected;
  if (first === undefined) return;
  const meant = unexpected.flatMap(
    (field) => intendedField(field)?.replace(/^/, `${field}: did you mean `) ?? [],
  );
  const allowed = FORMAT_FIELDS.map((field) => `'${field}'`).join(", ");
  const message = `Unexpected fields in frontmatter: ${unexpected.join(", ")}. Only [${allowed}] are allowed.`;
  report("frontmatter-unexpected", first, message, ["Move them below metadata", ...meant].join("; "));
}

function reportName(frontmatter: Frontmatter, folderName: string, report: Report): void {
  const value = fieldValue(frontmatter, "name");
  const fix = `Write name: ${tidyName(folderName)}`;
  if (value === undefined)
    return report("name-missing", "name", "Missing required field in frontmatter: name", fix);
  if (typeof value === "object" && value !== null)
    return report("name-invalid", "name", "Field 'name' must be a non-empty string", fix);
  const name = fieldText(frontmatter, "name");
  for (const fault of nameFaults(name))
    report("name-invalid", "name", fault, `Write name: ${tidyName(name) || tidyName(folderName)}`);
  const mismatch = name.trim() === "" ? undefined : nameMismatch(name, folderName);
  if (mismatch !== undefined)
    report("name-mismatch", "name", mismatch, `Rename the folder, or write name: ${folderName}`);
}

function reportDescription(frontmatter: Frontmatter, report: Report): void {
  const value = fieldValue(frontmatter, "description");
  const fix = "Write description: and in a sentence or two what the skill does and when to use it";
  if (value === undefined)
    return report(
      "description-missing",
      "description",
      "Missing required field in frontmatter: description",
      fix,
    );
  const description = fieldText(frontmatter, "description");
  if (description.trim() === "" || (typeof value === "object" && value !== null)) {
    return report(
      "description-missing",
      "description",
      "Field 'description' must be a non-empty string",
      fix,
    );
  }
  const fault = descriptionFault(description);
  if (fault !== undefined)
    report(
      "description-invalid",
      "description",
      fault,
      "Shorten it; details belong in the instructions below the frontmatter",
    );
}

function at(path: string, code: DiagnosticCode, message: string, fix: string): Diagnostic {
  return { code, severity: "error", path, line: 1, column: 1, message, fix };
}
