import * as z from "zod";
import type { Diagnostic, DiagnosticCode, Severity } from "../core/diagnostic.ts";
import { isJsonObject, type Json } from "../core/json/json.ts";

import { ZOD_MESSAGES } from "../core/json/zod-messages.ts";
import { nearest } from "../core/text/nearest.ts";
import { valueAt } from "../learn/plan/values.ts";
import { type DocumentText, parseDocumentText, type TextPlace } from "./document-text.ts";
import { documentPlace } from "./task-arguments.ts";
import { type PlanFault, workflowPlan } from "./plan-workflow.ts";
import type { DocumentPath } from "./type-notation.ts";
import { WORKFLOW, WORKFLOW_VERSION, type Workflow } from "./workflow.ts";
import { workflowFaults } from "./workflow-faults.ts";

/** What is wrong with a document, or to know of it, and how to mend it. */
type WorkflowFinding = Omit<Diagnostic, "path">;

/** Something at a place in a document. */
export interface DocumentFault {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly path: DocumentPath;
  /** Which character of the text at `path` it is, from 0. */
  readonly offset?: number;
  /** Whether it is about the name under which `path` stands. */
  readonly isName?: boolean;
  readonly message: string;
  readonly fix: string;
}

export interface WorkflowReading {
  /** Absent where an error says why. */
  readonly document: Workflow | undefined;
  readonly findings: readonly WorkflowFinding[];
  /** Where a part of the document stands, or a character of its text. */
  placeOf(path: DocumentPath, offset?: number): TextPlace;
}

/** Documents larger than this are not read. */
export const MAX_WORKFLOW_BYTES = 1024 * 1024;
const MAX_FINDINGS = 100;

/** Reads a workflow document strictly. Never throws: whatever the text is, what is wrong with it is told. */
export function readWorkflow(text: string, format: "json" | "yaml"): WorkflowReading {
  if (text.length > MAX_WORKFLOW_BYTES)
    return unread(
      "workflow-invalid",
      START,
      "The document is larger than 1 MB",
      "Split it into several skills",
    );
  const parsed = parseDocumentText(text, format);
  if (!parsed.ok) {
    const { message, ...place } = parsed.error;
    return unread(
      "workflow-syntax",
      place,
      `The document cannot be read: ${message}`,
      "Mend the syntax here",
    );
  }
  const source = parsed.value;
  const told = (faults: readonly DocumentFault[]): readonly WorkflowFinding[] =>
    faults
      .toSorted((a, b) => rank(a) - rank(b))
      .slice(0, MAX_FINDINGS)
      .map((fault) => placed(fault, source));
  const given = (document: Workflow | undefined, faults: readonly DocumentFault[]): WorkflowReading => ({
    document: faults.some(({ severity }) => severity === "error") ? undefined : document,
    findings: told(faults),
    placeOf: (path, offset) => (offset === undefined ? source.placeOf(path) : source.placeIn(path, offset)),
  });

  const other = versionFault(source.value);
  if (other) return given(undefined, [other]);
  const read = WORKFLOW.safeParse(source.value, ZOD_MESSAGES);
  const unexpected = unexpectedFields(WORKFLOW, source.value, []);
  const faults: DocumentFault[] = [
    ...source.repeated.map(({ path }) => repeatedFault(path)),
    ...unexpected.map(unexpectedFault),
    ...(read.error?.issues ?? []).flatMap((issue) => issueFaults(issue, source.value)),
  ];
  if (!read.success) return given(undefined, [...faults, ...furtherFaults(source.value, unexpected)]);
  const plan = workflowPlan(read.data);
  if ("fault" in plan) return given(undefined, [...faults, planFault(plan.fault)]);
  // What the tasks of a plan say is made of it.
  return given(read.data, plan.plan ? faults : [...faults, ...workflowFaults(read.data)]);
}

/** What else is wrong in a document of which parts cannot be read, as far as it does not hang on these. */
function furtherFaults(value: Json, unexpected: readonly UnexpectedField[]): readonly DocumentFault[] {
  const part = readablePart(
    value,
    unexpected.filter(({ isOpen }) => !isOpen),
  );
  if (!part) return [];
  const plan = workflowPlan(part.document);
  if ("fault" in plan || plan.plan) return [];
  return workflowFaults(part.document).flatMap((fault) => {
    const path = part.placeOf(fault.path);
    // It may be gone once all parts can be read.
    const isDoubtful =
      (part.isPartial && (fault.severity !== "error" || fault.code === "workflow-output")) ||
      (part.isNameless && fault.code === "workflow-reference");
    return path && !isDoubtful ? [{ ...fault, path }] : [];
  });
}

/** What of a document can be looked at further, though parts of it cannot be read. */
interface ReadablePart {
  readonly document: Workflow;
  /** Whether what is found in it is true of the whole document, and where it stands there. */
  readonly placeOf: (path: DocumentPath) => DocumentPath | undefined;
  /** Whether something stands for a part that could not be read. */
  readonly isPartial: boolean;
  /** Whether a task or an input is among these whose name could not be read either. */
  readonly isNameless: boolean;
}

/** Stands for a task that cannot be read: it may take and give anything. */
const ANY_TASK = { type: "code_execution_task", code: "return {};" };

/**
 * The document without the unexpected fields, or with those that were meant, and with something neutral for each part that
 * cannot be read; nothing where not even its tasks are a list.
 */
function readablePart(value: Json, unexpected: readonly UnexpectedField[]): ReadablePart | undefined {
  const copy = structuredClone(value);
  const renamed = new Map<string, DocumentPath>();
  // The innermost first, as what stands around them may get another name.
  for (const { path, meant } of unexpected.toSorted((a, b) => b.path.length - a.path.length)) {
    const holder = holderOf(copy, path);
    const name = String(path.at(-1));
    if (!holder || !Object.hasOwn(holder, name)) continue;
    const field = holder[name];
    delete holder[name];
    if (meant === undefined || field === undefined || Object.hasOwn(holder, meant)) continue;
    holder[meant] = field;
    renamed.set(keyOf([...path.slice(0, -1), meant]), path);
  }
  const replaced: DocumentPath[] = [];
  for (const { path } of WORKFLOW.safeParse(copy).error?.issues ?? []) {
    const place = replaceUnread(
      copy,
      path.map((part) => (typeof part === "number" ? part : String(part))),
    );
    if (place) replaced.push(place);
  }
  const read = WORKFLOW.safeParse(copy);
  if (!read.success) return undefined;
  return {
    document: read.data,
    isPartial: replaced.length > 0,
    isNameless: JSON.stringify(copy).includes(`:"${UNREAD}`),
    placeOf: (path) =>
      replaced.some((place) => place.every((part, at) => path[at] === part))
        ? undefined
        : path.map((part, at) => renamed.get(keyOf(path.slice(0, at + 1)))?.at(-1) ?? part),
  };
}

/** Puts something neutral where an issue is, and tells where that is. */
function replaceUnread(document: Json, path: DocumentPath): DocumentPath | undefined {
  const [, section, part, index] = path;
  const isElement = typeof index === "number" && ELEMENTS.has(part);
  const place = path.slice(0, isElement ? 4 : 3);
  const holder = holderOf(document, place);
  const name = place.at(-1);
  if (!holder || name === undefined) return undefined;
  const old = holder[name];
  const own = (field: string): Json =>
    isJsonObject(old) && typeof old[field] === "string" ? old[field] : `${UNREAD}${index}`;
  if (!isElement && section === "metadata" && (part === "name" || part === "description"))
    holder[name] = "unread";
  else if (!isElement) delete holder[name];
  else if (part === "tasks") holder[name] = { ...ANY_TASK, task_id: own("task_id") };
  else holder[name] = { name: own("name"), type: "object", required: false };
  return place;
}

const UNREAD = "unread_";
const ELEMENTS: ReadonlySet<unknown> = new Set(["tasks", "inputs", "outputs"]);

/** What the last part of a path is in, to be changed. */
function holderOf(document: Json, path: DocumentPath): Record<string | number, Json> | undefined {
  let at: Json | undefined = document;
  for (const part of path.slice(0, -1)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Readonly<Record<string | number, Json>>)[part];
  }
  return typeof at === "object" && at !== null ? (at as Record<string | number, Json>) : undefined;
}

function keyOf(path: DocumentPath): string {
  return JSON.stringify(path);
}

function planFault({ path, message }: PlanFault): DocumentFault {
  const fix =
    "Export the skill anew, or delete x-repertoire everywhere and say in the format's own fields what is meant";
  return { code: "workflow-invalid", severity: "error", path, message, fix };
}

const START: TextPlace = { line: 1, column: 1 };

function unread(code: DiagnosticCode, place: TextPlace, message: string, fix: string): WorkflowReading {
  return {
    document: undefined,
    findings: [{ code, severity: "error", ...place, message, fix }],
    placeOf: () => START,
  };
}

/** Errors first, as the first findings are those that are shown. */
function rank({ severity }: DocumentFault): number {
  return severity === "error" ? 0 : severity === "warning" ? 1 : 2;
}

function placed({ path, offset, isName, ...finding }: DocumentFault, source: DocumentText): WorkflowFinding {
  if (offset !== undefined) return { ...finding, ...source.placeIn(path, offset) };
  return { ...finding, ...(isName === true ? source.nameOf(path) : source.placeOf(path)) };
}

function versionFault(value: Json): DocumentFault | undefined {
  const at = { code: "workflow-version", severity: "error" } as const;
  const fix = `Write "skill_schema_version": "${WORKFLOW_VERSION}"`;
  if (!isJsonObject(value))
    return {
      ...at,
      code: "workflow-invalid",
      path: [],
      message: "A workflow document is an object",
      fix: `Begin with {"skill_schema_version": "${WORKFLOW_VERSION}", "skill": {…}}`,
    };
  const version = Object.hasOwn(value, "skill_schema_version") ? value["skill_schema_version"] : undefined;
  if (version === WORKFLOW_VERSION) return undefined;
  if (version !== undefined)
    return {
      ...at,
      path: ["skill_schema_version"],
      message: `The version ${JSON.stringify(version)} of the format is not known; ${JSON.stringify(WORKFLOW_VERSION)} is`,
      fix,
    };
  const written = nearestKey("skill_schema_version", Object.keys(value));
  if (written === undefined && !Object.hasOwn(value, "skill"))
    return {
      code: "workflow-foreign",
      severity: "info",
      path: [],
      message: "This is no workflow document of the skill schema, so it is left alone",
      fix: `If it is to be one, write ${JSON.stringify({ skill_schema_version: WORKFLOW_VERSION, skill: {} })}`,
    };
  return {
    ...at,
    path: written === undefined ? [] : [written],
    isName: true,
    message: "The document does not say which version of the format it has",
    fix: written === undefined ? fix : `${fix} instead of ${JSON.stringify(written)}`,
  };
}

function nearestKey(meant: string, keys: readonly string[]): string | undefined {
  return keys.find((key) => nearest(key, [meant]) !== undefined);
}

function repeatedFault(path: DocumentPath): DocumentFault {
  return {
    code: "workflow-syntax",
    severity: "error",
    path,
    isName: true,
    message: `The name ${JSON.stringify(path.at(-1))} stands twice in ${where(path.slice(0, -1))}`,
    fix: "Delete one of the two",
  };
}

function where(path: DocumentPath): string {
  return path.length === 0 ? "the document" : documentPlace(path);
}

/** A field that the format does not define, where it stands. */
interface UnexpectedField {
  readonly path: DocumentPath;
  /** The field that is meant, where one is near. */
  readonly meant: string | undefined;
  /** The fields that there are. */
  readonly known: readonly string[];
  /** Whether others may be there, too. */
  readonly isOpen: boolean;
}

/** Extensions of a task or skill are read by others. */
function unexpectedFields(schema: z.ZodType, value: unknown, path: DocumentPath): readonly UnexpectedField[] {
  const of = meantSchema(schema, value);
  if (of instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((item: unknown, index) =>
      unexpectedFields(of.element as z.ZodType, item, [...path, index]),
    );
  if (!isJsonObject(value)) return [];
  if (of instanceof z.ZodRecord)
    return Object.entries(value).flatMap(([key, item]) =>
      unexpectedFields(of.valueType as z.ZodType, item, [...path, key]),
    );
  if (!(of instanceof z.ZodObject) || path.at(-1) === "x-repertoire") return [];
  const shape = of.shape as Readonly<Record<string, z.ZodType>>;
  const rest = of.def.catchall;
  return Object.entries(value).flatMap(([key, item]) => {
    const own = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (own) return unexpectedFields(own, item, [...path, key]);
    const isOther = rest !== undefined && !(rest instanceof z.ZodNever) && !(rest instanceof z.ZodUnknown);
    if (isOther && /^on_[a-z0-9_]+_failure$/.test(key)) return [];
    const known = Object.keys(shape);
    return [
      { path: [...path, key], meant: nearest(key, known), known, isOpen: rest instanceof z.ZodUnknown },
    ];
  });
}

function unexpectedFault({ path, meant, known, isOpen }: UnexpectedField): DocumentFault {
  const message = `The format does not define the field ${JSON.stringify(path.at(-1))} in ${where(path.slice(0, -1))}`;
  return {
    code: "workflow-unexpected",
    severity: isOpen ? "info" : "error",
    path,
    isName: true,
    message: isOpen ? `${message}; it is kept and does nothing` : message,
    fix:
      meant === undefined
        ? `The fields there are ${known.join(", ")}`
        : `Did you mean ${JSON.stringify(meant)}? Write it instead`,
  };
}

/** The schema that says what a value is to be, taken out of what wraps it; of several the one that is meant. */
function meantSchema(schema: z.ZodType, value: unknown): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodReadonly)
    return meantSchema(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = schema.def;
    const options = schema.options as readonly z.ZodObject[];
    const given = isJsonObject(value) ? value[discriminator] : undefined;
    const meant = options.find((option) => option.shape[discriminator]?.safeParse(given).success === true);
    return meant ?? schema;
  }
  if (schema instanceof z.ZodUnion && isJsonObject(value))
    return (schema.options as readonly z.ZodType[]).find((option) => option instanceof z.ZodObject) ?? schema;
  return schema;
}

function issueFaults(issue: z.core.$ZodIssue, document: Json): readonly DocumentFault[] {
  // They are told one by one, with what was meant.
  if (issue.code === "unrecognized_keys") return [];
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  const isKey = issue.code === "invalid_key";
  const value = valueAt(document, path);
  const key = path.at(-1);
  const parent = valueAt(document, path.slice(0, -1));
  const siblings = isJsonObject(parent) ? Object.keys(parent) : [];
  const mistyped = value === undefined && typeof key === "string" ? nearestKey(key, siblings) : undefined;
  if (mistyped !== undefined && key !== undefined && isUnexpected(mistyped, path)) return [];
  const name = path.length === 0 ? "The document" : documentPlace(path);
  return [
    {
      code: "workflow-invalid",
      severity: "error",
      path,
      isName: isKey,
      message: `${name}: ${issue.message}`,
      fix: mendOf(issue, path, value),
    },
  ];
}

/** A field that is missing since it is mistyped is told as the mistyped one. */
function isUnexpected(written: string, path: DocumentPath): boolean {
  return written !== path.at(-1);
}

const FORMS: Readonly<Record<string, string>> = {
  string: "a text in double quotes",
  number: "a number, without quotes",
  int: "a whole number, without quotes",
  boolean: "true or false, without quotes",
  array: "a list: […]",
  object: "an object: {…}",
  record: "an object: {…}",
};

function mendOf(issue: z.core.$ZodIssue, path: DocumentPath, value: Json | undefined): string {
  const key = path.at(-1);
  if (value === undefined && typeof key === "string") {
    const form = issue.code === "invalid_type" ? FORMS[issue.expected] : undefined;
    return `Add ${JSON.stringify(key)}${form === undefined ? "" : `: ${form}`}`;
  }
  switch (issue.code) {
    case "invalid_type":
      return `Write ${FORMS[issue.expected] ?? `a ${issue.expected}`}`;
    case "invalid_value":
      return `Write ${issue.values.map((each) => JSON.stringify(each)).join(" or ")}`;
    case "too_big":
      return `Write ${issue.origin === "string" ? "a shorter text" : issue.origin === "array" ? "fewer" : `${issue.maximum} or less`}`;
    case "too_small":
      return `Write ${issue.origin === "string" ? "a text" : issue.origin === "array" ? "at least one" : `${issue.minimum} or more`}`;
    case "invalid_format":
    case "invalid_key":
      return "Write a name of letters, digits, _ and -, such as check_stock";
    case "not_multiple_of":
    case "invalid_union":
    case "invalid_element":
    case "unrecognized_keys":
    case "custom":
      return `Write ${documentPlace(path)} as docs/workflows.md shows`;
  }
}
