import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import type { Diagnostic, DiagnosticCode, Severity } from "../../core/diagnostic.ts";
import type { SkillFolder } from "../../core/skill.ts";
import { ENTRY_FILES, isWorkflowFile, WORKFLOW_FILES, type FoundFolder } from "./discover.ts";
import {
  compatibilityFault,
  composableFaults,
  descriptionFault,
  intendedField,
  FORMAT_FIELDS,
  mistypedField,
  nameFaults,
  nameMismatch,
  OWN_FIELDS,
  tidyName,
} from "../field-rules.ts";
import { FileLog } from "./file-log.ts";
import { fieldText, fieldValue, parseFrontmatter, type Frontmatter } from "../frontmatter.ts";
import type { LoadedWorkflow } from "./load-workflow.ts";
import { readSources, type CodeFile } from "./sources.ts";
import { strictTextFindings } from "../strict-findings.ts";

export interface LoadedFolder {
  readonly found: FoundFolder;
  /** Absent where an error says why. */
  readonly folder: SkillFolder | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Which files it was read from. */
  readonly log: FileLog;
}

/** Reads a skill folder, leniently unless `strict`: only what leaves nothing to load is an error. Never throws. */
export async function loadFolder(found: FoundFolder, { strict = false } = {}): Promise<LoadedFolder> {
  const log = new FileLog();
  const diagnostics: Diagnostic[] = [];
  const strictly: Diagnostic[] = [];
  const loaded = (folder?: SkillFolder): LoadedFolder => ({
    found,
    folder,
    diagnostics: merged(strictly, diagnostics),
    log,
  });
  if (isWorkflowFile(found.file)) {
    const { loadWorkflow } = await import("./load-workflow.ts");
    const { loaded: workflow, diagnostics: told } = await loadWorkflow(found.file, log);
    diagnostics.push(...told);
    return loaded(workflow && documentFolder(found, workflow, diagnostics));
  }
  const reading = await log.read(found.file, MAX_FILE);
  if (!reading.ok) {
    const tooLarge = reading.error.kind === "too-large";
    const fix = tooLarge
      ? "Move text from SKILL.md into files of its own that it refers to"
      : "Make SKILL.md a file that can be read";
    diagnostics.push(
      findingAt(
        found.file,
        tooLarge ? "file-too-large" : "file-unreadable",
        "error",
        reading.error.message,
        fix,
      ),
    );
    return loaded();
  }
  const { text, bytes, isUtf8 } = reading.value;
  if (!isUtf8) {
    diagnostics.push(
      findingAt(
        found.file,
        "file-encoding",
        "warning",
        "SKILL.md is not UTF-8 text; what is not is shown as �",
        "Save the file as UTF-8",
      ),
    );
  }
  if (basename(found.file) !== "SKILL.md")
    diagnostics.push(
      findingAt(
        found.file,
        "file-misnamed",
        "warning",
        `The file is named ${basename(found.file)}; readers of the format look for SKILL.md`,
        `Rename it: mv ${basename(found.file)} SKILL.md`,
      ),
    );
  if (strict) strictly.push(...strictTextFindings({ path: found.file, text }));
  const parsed = parseFrontmatter({ path: found.file, text });
  diagnostics.push(...parsed.diagnostics);
  if (!parsed.frontmatter) return loaded();

  const report = reporter(found.file, parsed.frontmatter, diagnostics);
  const name = nameOf(parsed.frontmatter, basename(found.path), report);
  const description = descriptionOf(parsed.frontmatter, report);
  reportFields(parsed.frontmatter, report);
  if (description === undefined) return loaded();

  const entry = entryOf(found, log, diagnostics);
  const own = {
    name,
    description,
    path: found.path,
    file: found.file,
    frontmatter: parsed.frontmatter.fields,
    instructions: parsed.frontmatter.body,
    fieldPositions: parsed.frontmatter.positions,
  };
  if (entry === undefined) {
    const document = WORKFLOW_FILES.find((each) => found.files.has(each));
    const workflow = document && (await workflowBeside(join(found.path, document), log, diagnostics));
    if (workflow === "broken") return loaded();
    if (workflow) {
      const { mergedFields } = await import("./load-workflow.ts");
      const { diagnostics: differing, ...fields } = mergedFields(own, workflow);
      diagnostics.push(...differing);
      return loaded({ ...own, ...fields, ...workflowFolder(found, workflow, bytes) });
    }
  }
  const code =
    entry === undefined ? { files: [], diagnostics: [] } : await readSources(entry, found.path, log);
  diagnostics.push(...code.diagnostics);
  if (entry !== undefined && code.files.length === 0) return loaded();
  return loaded({
    ...own,
    kind: entry === undefined ? "instructions" : "code",
    sources: code.files.map((file) => ({ path: file.path, text: file.text })),
    digest: digestOf(found, bytes, code.files),
  });
}

/** Whether all its files have the contents that they had, whatever the file system tells of them. */
export function hasSameContents({ found, folder }: LoadedFolder): boolean {
  if (!folder) return false;
  try {
    const files = folder.sources.map(({ path }) => ({ path, bytes: readFileSync(path) }));
    const isDocument = files.some(({ path }) => path === found.file);
    return digestOf(found, isDocument ? undefined : readFileSync(found.file), files) === folder.digest;
  } catch {
    return false;
  }
}

/** The workflow document beside a SKILL.md; nothing where the file is another format's, which is told. */
async function workflowBeside(
  file: string,
  log: FileLog,
  diagnostics: Diagnostic[],
): Promise<LoadedWorkflow | "broken" | undefined> {
  const { loadWorkflow } = await import("./load-workflow.ts");
  const { loaded, diagnostics: told } = await loadWorkflow(file, log);
  diagnostics.push(...told);
  if (loaded) return loaded;
  return told.some(({ severity }) => severity === "error") ? "broken" : undefined;
}

function workflowFolder(
  found: FoundFolder,
  { files, workflow, generated, requires }: LoadedWorkflow,
  skillFile: Buffer | undefined,
): Pick<SkillFolder, "kind" | "sources" | "workflow" | "generated" | "requires" | "digest"> {
  return {
    kind: "workflow",
    sources: files.map(({ path, text }) => ({ path, text })),
    workflow,
    requires,
    generated,
    digest: digestOf(found, skillFile, files),
  };
}

/** A workflow without a SKILL.md. */
function documentFolder(
  found: FoundFolder,
  workflow: LoadedWorkflow,
  diagnostics: Diagnostic[],
): SkillFolder | undefined {
  const { fields, fieldPositions, instructions } = workflow;
  const isFile = found.path === found.file;
  const place = basename(found.path).replace(SINGLE_FILE_ENDING, "");
  const report: Report = (code, severity, field, message, fix) => {
    const position = fieldPositions.get(field) ?? { path: found.file, line: 1, column: 1 };
    diagnostics.push({ code, severity, ...position, message, fix });
  };
  const said = typeof fields["name"] === "string" ? fields["name"] : "";
  const name = nameFaults(said).length === 0 ? said.trim() : tidyName(said) || tidyName(place);
  if (name !== said)
    report(
      "name-invalid",
      "warning",
      "name",
      `${nameFaults(said)[0] ?? "The name has space around it"}; the skill is called ${JSON.stringify(name)}`,
      `Write "name": ${JSON.stringify(name)}`,
    );
  const mismatch = isFile ? undefined : nameMismatch(name, place);
  if (mismatch !== undefined)
    report(
      "name-mismatch",
      "warning",
      "name",
      mismatch,
      `Rename the folder, or write "name": ${JSON.stringify(place)}`,
    );
  const description = typeof fields["description"] === "string" ? fields["description"] : "";
  const fault = descriptionFault(description);
  if (fault !== undefined)
    report("description-invalid", "warning", "description", fault, "Shorten it; details belong to the tasks");
  return {
    name,
    description,
    path: found.path,
    file: found.file,
    frontmatter: { ...fields, name, description },
    instructions,
    fieldPositions,
    ...workflowFolder(found, workflow, undefined),
  };
}

const SINGLE_FILE_ENDING = /\.skill\.(?:json|ya?ml)$/i;

const MAX_FILE = 4 * 1024 * 1024;

/** All findings, without the lenient ones of which a strict one says the same. */
function merged(strict: readonly Diagnostic[], lenient: readonly Diagnostic[]): readonly Diagnostic[] {
  const said = new Set(strict.map(({ code, line }) => `${code} ${line}`));
  return [...strict, ...lenient.filter(({ code, line }) => !said.has(`${code} ${line}`))];
}

type Report = (code: DiagnosticCode, severity: Severity, field: string, message: string, fix: string) => void;

function reporter(file: string, frontmatter: Frontmatter, diagnostics: Diagnostic[]): Report {
  return (code, severity, field, message, fix) => {
    const { line, column } = frontmatter.positions.get(field) ?? { line: 1, column: 1 };
    diagnostics.push({ code, severity, path: file, line, column, message, fix });
  };
}

function findingAt(
  path: string,
  code: DiagnosticCode,
  severity: Severity,
  message: string,
  fix: string,
): Diagnostic {
  return { code, severity, path, line: 1, column: 1, message, fix };
}

function nameOf(frontmatter: Frontmatter, folderName: string, report: Report): string {
  const value = fieldValue(frontmatter, "name");
  const name = fieldText(frontmatter, "name").trim();
  if (name === "" || (typeof value === "object" && value !== null)) {
    const message =
      name === "" ? "Missing required field in frontmatter: name" : "Field 'name' must be a non-empty string";
    const mistyped = value === undefined ? mistypedField("name", frontmatter.fields) : undefined;
    report(
      name === "" ? "name-missing" : "name-invalid",
      "warning",
      mistyped ?? "name",
      `${message}; the folder's name is used`,
      mistyped === undefined
        ? `Write name: ${tidyName(folderName)}`
        : `Did you mean "name"? Write it instead of ${JSON.stringify(mistyped)}`,
    );
    return folderName;
  }
  const faults = nameFaults(name);
  for (const fault of faults)
    report("name-invalid", "warning", "name", fault, `Write name: ${tidyName(name) || tidyName(folderName)}`);
  const mismatch = nameMismatch(name, folderName);
  if (mismatch !== undefined)
    report("name-mismatch", "warning", "name", mismatch, `Rename the folder, or write name: ${folderName}`);
  return name;
}

function descriptionOf(frontmatter: Frontmatter, report: Report): string | undefined {
  const value = fieldValue(frontmatter, "description");
  const description = fieldText(frontmatter, "description");
  const fix = "Write description: and in a sentence or two what the skill does and when to use it";
  if (description.trim() === "") {
    const message =
      value === undefined
        ? "Missing required field in frontmatter: description"
        : "Field 'description' must be a non-empty string";
    const mistyped = value === undefined ? mistypedField("description", frontmatter.fields) : undefined;
    report(
      "description-missing",
      "error",
      mistyped ?? "description",
      message,
      mistyped === undefined
        ? fix
        : `Did you mean "description"? Write it instead of ${JSON.stringify(mistyped)}`,
    );
    return undefined;
  }
  if (typeof value === "object") {
    report(
      "description-invalid",
      "warning",
      "description",
      "Field 'description' must be a non-empty string; it is read as the text that it shows",
      "Put the text in double quotes",
    );
  }
  const fault = descriptionFault(description);
  if (fault !== undefined)
    report(
      "description-invalid",
      "warning",
      "description",
      fault,
      "Shorten it; details belong in the instructions below the frontmatter",
    );
  return description;
}

function reportFields(frontmatter: Frontmatter, report: Report): void {
  for (const { field, message, fix } of composableFaults(frontmatter.fields))
    report("field-invalid", "warning", field, message, fix);
  const compatibility = fieldValue(frontmatter, "compatibility");
  const fault = compatibility === undefined ? undefined : compatibilityFault(compatibility);
  if (fault !== undefined) report("field-invalid", "warning", "compatibility", fault, "Write a short text");
  for (const field of Object.keys(frontmatter.fields)) {
    if (KNOWN_FIELDS.has(field)) continue;
    const meant = intendedField(field);
    report(
      "frontmatter-unexpected",
      "info",
      field,
      `The format does not define the field ${JSON.stringify(field)}`,
      meant === undefined
        ? "Move it below metadata if other readers should accept the file"
        : `Did you mean ${JSON.stringify(meant)}? If not, move it below metadata`,
    );
  }
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set([...FORMAT_FIELDS, ...OWN_FIELDS]);

/** The file with the skill's code. Only these names make one: any other file is the author's own affair. */
function entryOf(found: FoundFolder, log: FileLog, diagnostics: Diagnostic[]): string | undefined {
  const entries = ENTRY_FILES.filter((name) => found.files.has(name)).map((name) => join(found.path, name));
  if (found.hasScripts) {
    for (const name of ENTRY_FILES) {
      const path = join(found.path, "scripts", name);
      if (log.has(path)) entries.push(path);
    }
  }
  const [entry, ...others] = entries;
  const names = others.map((other) => relative(found.path, other)).join(", ");
  if (entry !== undefined && others.length > 0) {
    const message = `The skill has several entries; ${relative(found.path, entry)} is used, not ${names}`;
    diagnostics.push(findingAt(entry, "entry-ambiguous", "warning", message, `Delete or rename ${names}`));
  }
  const documents = WORKFLOW_FILES.filter((each) => found.files.has(each));
  const [used, ...unused] = entry === undefined ? documents : [relative(found.path, entry), ...documents];
  if (used !== undefined && unused.length > 0) {
    const message = `The skill has several entries; ${used} is used, not ${unused.join(", ")}`;
    const path = join(found.path, used);
    diagnostics.push(
      findingAt(path, "entry-ambiguous", "warning", message, `Delete or rename ${unused.join(", ")}`),
    );
  }
  return entry;
}

/** Names and lengths go in with the contents, so that no two folders have the same bytes to digest. */
function digestOf(
  found: FoundFolder,
  skillFile: Buffer | undefined,
  files: readonly Pick<CodeFile, "path" | "bytes">[],
): string {
  const hash = createHash("sha256");
  const all = skillFile ? [{ path: found.file, bytes: skillFile }, ...files] : files;
  for (const { path, bytes } of all) {
    const name = relative(found.path, path).split(sep).join("/");
    hash.update(`${JSON.stringify(name)} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}
