import { basename, dirname, join } from "node:path";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostic.ts";
import type { Position } from "../../core/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { GeneratedCode, SkillFolder } from "../../core/skill.ts";
import { ASK_MODEL } from "../../core/tools/reserved-tools.ts";
import { MAX_WORKFLOW_BYTES, readWorkflow, type WorkflowReading } from "../../workflow/read-workflow.ts";
import type { DocumentPath } from "../../workflow/type-notation.ts";
import { OWN_CAPABILITIES, type Workflow, type WorkflowPrecondition } from "../../workflow/workflow.ts";
import { workflowCode } from "../../workflow/workflow-code.ts";
import { workflowText } from "../../workflow/workflow-text.ts";
import type { FileLog } from "./file-log.ts";
import { isPathInside, isReallyInside } from "./is-path-inside.ts";
import { readSources, type CodeFile } from "./sources.ts";

/** What a workflow document makes of its folder. */
export interface LoadedWorkflow {
  /** What the document says of fields that frontmatter has. */
  readonly fields: JsonObject;
  readonly fieldPositions: ReadonlyMap<string, Position>;
  /** The document in words. */
  readonly instructions: string;
  readonly workflow: JsonObject;
  readonly generated: GeneratedCode;
  /** Tools that it must have, whatever its tasks call. */
  readonly requires: readonly string[];
  /** The document first, then the files of its tasks. */
  readonly files: readonly CodeFile[];
}

export interface WorkflowLoading {
  /** Absent where an error says why, or where the file is no workflow document. */
  readonly loaded: LoadedWorkflow | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a workflow document and the files that its tasks name. Never throws: one document takes no other down. */
export async function loadWorkflow(file: string, log: FileLog): Promise<WorkflowLoading> {
  try {
    return await workflowIn(file, log);
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault);
    return failed(
      file,
      "workflow-invalid",
      `The document cannot be read: ${why}`,
      "Simplify it, or split it",
    );
  }
}

async function workflowIn(file: string, log: FileLog): Promise<WorkflowLoading> {
  const reading = await log.read(file, MAX_WORKFLOW_BYTES);
  if (!reading.ok) {
    const isLarge = reading.error.kind === "too-large";
    return failed(
      file,
      isLarge ? "file-too-large" : "file-unreadable",
      reading.error.message,
      isLarge ? "Split the workflow into several skills" : `Make ${basename(file)} a file that can be read`,
    );
  }
  const { text, bytes, isUtf8 } = reading.value;
  if (!isUtf8)
    return failed(file, "file-encoding", `${basename(file)} is not UTF-8 text`, "Save the file as UTF-8");
  const read = readWorkflow(text, file.endsWith(".json") ? "json" : "yaml");
  const diagnostics: Diagnostic[] = read.findings.map((finding) => ({ ...finding, path: file }));
  if (!read.document) return { loaded: undefined, diagnostics };
  const source = { path: file, text, bytes };
  const tasks = await taskFiles(read.document, file, log, (path, code, message, fix) =>
    diagnostics.push({ code, severity: "error", path: file, ...read.placeOf(path), message, fix }),
  );
  diagnostics.push(...tasks.diagnostics);
  if (diagnostics.some(({ severity }) => severity === "error")) return { loaded: undefined, diagnostics };
  const { fields, fieldPositions } = documentFields(read.document, file, read);
  return {
    loaded: {
      fields,
      fieldPositions,
      instructions: workflowText(read.document),
      workflow: read.document as unknown as JsonObject,
      generated: generatedCode(read.document, file, read, tasks.texts),
      requires: needsModel(read.document) ? [ASK_MODEL] : [],
      files: [source, ...tasks.files],
    },
    diagnostics,
  };
}

/** Whether a critical precondition names a capability that only a model has. */
function needsModel({ skill: { matching = {} } }: Workflow): boolean {
  return (matching.preconditions ?? []).some(
    (each) =>
      each.type === "capability_check" &&
      each.critical !== false &&
      each.required_capabilities.some((capability) => !OWN_CAPABILITIES.has(capability)),
  );
}

function failed(path: string, code: DiagnosticCode, message: string, fix: string): WorkflowLoading {
  return {
    loaded: undefined,
    diagnostics: [{ code, severity: "error", path, line: 1, column: 1, message, fix }],
  };
}

const SCRIPT = /\.(?:ts|js|mjs)$/;
const MAX_TASK_FILE = 256 * 1024;

type Report = (path: DocumentPath, code: DiagnosticCode, message: string, fix: string) => void;

/** The module that does what a document says, which stands beside it as if it were a file. */
function generatedCode(
  document: Workflow,
  file: string,
  { placeOf }: Pick<WorkflowReading, "placeOf">,
  texts: ReadonlyMap<string, string>,
): GeneratedCode {
  const { code, places } = workflowCode(document, texts);
  return {
    name: `${basename(file)}.js`,
    text: code,
    places: places.map((place) => place && Object.assign(placeOf(place.path, place.offset), { path: file })),
  };
}

interface TaskFiles {
  readonly files: readonly CodeFile[];
  /** Of those that the sandbox does not run, by the name as it is written. */
  readonly texts: ReadonlyMap<string, string>;
  readonly diagnostics: readonly Diagnostic[];
}

/** The files that tasks name, with all that those import which the sandbox runs. */
async function taskFiles(
  { skill }: Workflow,
  document: string,
  log: FileLog,
  report: Report,
): Promise<TaskFiles> {
  const folder = dirname(document);
  const texts = new Map<string, string>();
  const files = new Map<string, CodeFile>();
  const diagnostics: Diagnostic[] = [];
  for (const [index, task] of skill.workflow.tasks.entries()) {
    if (task.type !== "code_execution_task" || task.file === undefined) continue;
    const path = ["skill", "workflow", "tasks", index, "file"];
    const file = join(folder, task.file);
    if (/\.skill\.\w+$/.test(document))
      report(
        path,
        "workflow-code",
        `The task ${JSON.stringify(task.task_id)} names a file, and a workflow in a single file has no others`,
        `Make a folder of it, with workflow.json and ${basename(file)}`,
      );
    else if (!isPathInside(file, folder) || !(await isReallyInside(file, folder)) || !log.has(file))
      report(
        path,
        "workflow-code",
        `The task ${JSON.stringify(task.task_id)} names the file ${task.file}, which is not in its folder`,
        "Add the file itself, no link that leads out of the folder, or correct its name",
      );
    else if (SCRIPT.test(file)) {
      const sources = await readSources(file, folder, log);
      diagnostics.push(...sources.diagnostics);
      for (const each of sources.files) files.set(each.path, each);
    } else {
      const read = await log.read(file, MAX_TASK_FILE);
      if (read.ok) {
        files.set(file, { path: file, text: read.value.text, bytes: read.value.bytes });
        texts.set(task.file, read.value.text);
      } else report(path, "file-unreadable", read.error.message, "Make it a file that can be read");
    }
  }
  return { files: [...files.values()], texts, diagnostics };
}

/** The parts of a document that frontmatter has too, by its names for them, with where they stand. */
function documentFields(
  { skill }: Workflow,
  file: string,
  { placeOf }: Pick<WorkflowReading, "placeOf">,
): Pick<LoadedWorkflow, "fields" | "fieldPositions"> {
  const fields: Record<string, Json> = {};
  const fieldPositions = new Map<string, Position>();
  const place = (field: string, path: DocumentPath): void => {
    fieldPositions.set(field, { path: file, ...placeOf(["skill", ...path]) });
  };
  const add = (field: string, value: Json | undefined, path: DocumentPath): void => {
    if (value === undefined) return;
    fields[field] = value;
    place(field, path);
  };
  const { metadata, matching = {}, quality = {}, "x-repertoire": extension } = skill;
  const signature = matching.pattern_signature ?? {};
  add("name", metadata.name, ["metadata", "name"]);
  add("description", metadata.description, ["metadata", "description"]);
  add("license", metadata.license, ["metadata", "license"]);
  add("category", metadata.category, ["metadata", "category"]);
  add("tags", metadata.tags, ["metadata", "tags"]);
  const words = [...(signature.keywords ?? []), ...(signature.task_types ?? []), ...(signature.domain ?? [])];
  if (words.length > 0) add("keywords", [...new Set(words)], ["matching", "pattern_signature"]);
  add("examples", matching.examples, ["matching", "examples"]);
  add("operation", extension?.operation, ["x-repertoire", "operation"]);
  if (extension?.durable !== false) add("durable", extension?.durable, ["x-repertoire", "durable"]);
  const conditions = (field: string, given: readonly Condition[], path: DocumentPath): void => {
    const heard = [...given.entries()].flatMap(([index, condition]) => {
      const value = conditionOf(condition);
      return value === undefined ? [] : [{ index, value }];
    });
    if (heard.length === 0) return;
    add(
      field,
      heard.map(({ value }) => value),
      path,
    );
    for (const [nth, { index }] of heard.entries()) {
      place(`${field}[${nth}]`, [...path, index]);
      place(`${field}[${nth}].check`, [...path, index, "check"]);
    }
  };
  conditions("preconditions", matching.preconditions ?? [], ["matching", "preconditions"]);
  conditions("postconditions", quality.postconditions ?? [], ["quality", "postconditions"]);
  return { fields, fieldPositions };
}

type Condition =
  | WorkflowPrecondition
  | NonNullable<NonNullable<Workflow["skill"]["quality"]>["postconditions"]>[number];

/** A condition as frontmatter has it; nothing for one that no code evaluates and no search hears. */
function conditionOf(condition: Condition): JsonObject | undefined {
  if ("type" in condition && condition.type === "llm_intent_match") {
    const { type, description, confidence_threshold: threshold } = condition;
    return { type, description, ...(threshold === undefined ? {} : { confidence_threshold: threshold }) };
  }
  if (!("check" in condition) || condition.check === undefined) return undefined;
  const { check, critical = true, description } = condition;
  return { check, critical, ...(description === undefined ? {} : { description }) };
}

const LISTS: ReadonlySet<string> = new Set("tags keywords examples preconditions postconditions".split(" "));

/**
 * The frontmatter of a SKILL.md with what the document beside it says. What both say in lists counts together; where they
 * differ else, SKILL.md holds and it is told.
 */
export function mergedFields(
  folder: Pick<SkillFolder, "frontmatter" | "fieldPositions">,
  { fields, fieldPositions }: LoadedWorkflow,
): Pick<SkillFolder, "frontmatter" | "fieldPositions"> & { readonly diagnostics: readonly Diagnostic[] } {
  const frontmatter: Record<string, Json> = { ...folder.frontmatter };
  const positions = new Map([...fieldPositions, ...folder.fieldPositions]);
  const diagnostics: Diagnostic[] = [];
  for (const [field, value] of Object.entries(fields)) {
    const own = Object.hasOwn(frontmatter, field) ? frontmatter[field] : undefined;
    if (own === undefined || own === null) frontmatter[field] = value;
    else if (LISTS.has(field) && Array.isArray(own) && Array.isArray(value)) {
      frontmatter[field] = [...(own as readonly Json[]), ...(value as readonly Json[])];
      for (const [place, position] of fieldPositions) {
        const [, index, rest = ""] = new RegExp(`^${field}\\[(\\d+)\\](.*)$`).exec(place) ?? [];
        if (index !== undefined) positions.set(`${field}[${own.length + Number(index)}]${rest}`, position);
      }
    } else if (field !== "description" && !isAlike(own, value))
      diagnostics.push(disagreementAt(field, fieldPositions.get(field)));
  }
  return { frontmatter, fieldPositions: positions, diagnostics };
}

function isAlike(own: Json, value: Json): boolean {
  return JSON.stringify(own) === JSON.stringify(value) || (isJsonObject(own) && isJsonObject(value));
}

function disagreementAt(field: string, place: Position | undefined): Diagnostic {
  return {
    code: "workflow-disagrees",
    severity: "warning",
    ...(place ?? { path: "", line: 1, column: 1 }),
    message: `The document and SKILL.md say different things of ${JSON.stringify(field)}; SKILL.md holds`,
    fix: "Make them agree, or delete one",
  };
}
