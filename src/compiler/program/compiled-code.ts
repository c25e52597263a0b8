import path from "node:path";
import type { DiagnosticCode, Severity } from "../../core/diagnostic.ts";
import type { Position } from "../../core/error.ts";
import type { SkillFolder } from "../../core/skill.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import type { CodeFlow, CodeFlows } from "../../core/flow.ts";

/** One skill's code as the compiler takes it: the entry first. */
export interface CodeUnit {
  /** Digest of the files; equal code has equal keys wherever it lies. */
  readonly key: string;
  readonly files: readonly CodeFile[];
  /** What the skill takes, where the code's types do not say it: it types a parameter that has no type. */
  readonly input?: JsonSchema;
}

/** A source file; the name is relative to the skill's folder, with `/` between its parts. */
interface CodeFile {
  readonly name: string;
  readonly text: string;
}

/** A place in a code file; line and column count from 1. */
export interface CodePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A diagnostic that does not know yet where the skill's folder lies. */
export interface CodeFinding extends CodePosition {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  readonly fix: string;
}

/** What the code alone tells about one side of the contract. */
export type CodeSide =
  | { readonly source: "literal"; readonly schema: JsonSchema; readonly place: CodePosition }
  /** Inferred where the author wrote no type: what the code does then, rather than what it promises. */
  | {
      readonly source: "types";
      readonly schema: JsonSchema;
      readonly place: CodePosition;
      readonly inferred: boolean;
      /** They count only where this is what the contract is taken from. */
      readonly findings: readonly CodeFinding[];
    }
  /** The code says nothing about it; the place is where it could. */
  | { readonly source: "none"; readonly place: CodePosition }
  /** A finding says why there is none. */
  | { readonly source: "failed" };

export interface CodeScript {
  readonly file: string;
  /** Absent where the file runs as it is. */
  readonly code?: string;
  readonly map?: string;
}

export interface CodeCall extends CodePosition {
  readonly callee: string;
}

/** A call whose callee's name only running tells. */
export interface OpenCall extends CodePosition {
  readonly world: "call_skill" | "call_tool";
  /** Patterns with `*`, of which all its names fit one, where the text tells as much. */
  readonly patterns?: readonly string[] | undefined;
  /** How the name is written. */
  readonly written?: string | undefined;
}

/** All that is derived from a skill's code, with no absolute path in it. */
export interface CompiledCode {
  readonly input: CodeSide;
  readonly output: CodeSide;
  readonly scripts: readonly CodeScript[];
  readonly calls: readonly CodeCall[];
  /** Calls of upstream tools. */
  readonly tools: readonly CodeCall[];
  /** All others. */
  readonly openCalls: readonly OpenCall[];
  readonly dynamic: boolean;
  readonly repeated: boolean;
  /** Whether the code calls upstream tools at all, by whatever name. */
  readonly callsTools: boolean;
  /** Absent where the code could not be compiled. */
  readonly flows?: UnplacedFlows;
  readonly findings: readonly CodeFinding[];
  /** False where the same code may compile another time: the compiler was stopped, or died. */
  readonly isFinal?: false;
}

/** Something in a skill's code with its place on disk; what is in code that was made of a document has its place there. */
export function inFolder<Placed extends CodePosition>(
  { path: folder, generated, sources }: SkillFolder,
  { file, ...rest }: Placed,
): Omit<Placed, "file"> & Pick<Position, "path"> {
  if (generated?.name !== file) return { ...rest, path: pathIn(folder, file, sources) };
  const start = { path: sources[0]?.path ?? folder, line: 1, column: 1 };
  return { ...rest, ...(generated.places[rest.line - 1] ?? start) };
}

/** The text that the source has for its path, where it is one: there are many places in each. */
function pathIn(folder: string, file: string, sources: SkillFolder["sources"]): string {
  const joined = path.join(folder, file);
  return sources.find((source) => source.path === joined)?.path ?? joined;
}

/** The outcome for code that could not be compiled at all. */
export function uncompiled(findings: readonly CodeFinding[]): CompiledCode {
  return {
    input: { source: "failed" },
    output: { source: "failed" },
    scripts: [],
    calls: [],
    tools: [],
    openCalls: [],
    dynamic: true,
    repeated: false,
    callsTools: false,
    findings,
  };
}

/** Whether what was kept from an earlier start still has the shape. */
export function isCompiledCode(value: unknown): value is CompiledCode {
  if (!isRecord(value)) return false;
  const { input, output, scripts, calls, tools, openCalls, findings } = value;
  return (
    isSide(input) &&
    isSide(output) &&
    [scripts, calls, tools, openCalls, findings].every((each) => Array.isArray(each))
  );
}

function isSide(value: unknown): boolean {
  if (!isRecord(value)) return false;
  switch (value["source"]) {
    case "literal":
      return isRecord(value["schema"]) && isRecord(value["place"]);
    case "types":
      return isRecord(value["schema"]) && isRecord(value["place"]) && Array.isArray(value["findings"]);
    case "none":
      return isRecord(value["place"]);
    default:
      return value["source"] === "failed";
  }
}

/** Whether what was kept from an earlier start still has the shape. */
export function isFindings(value: unknown): value is readonly CodeFinding[] {
  return (
    Array.isArray(value) &&
    value.every(
      (each) => isRecord(each) && typeof each["message"] === "string" && typeof each["line"] === "number",
    )
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Flows that do not know yet where the skill's folder lies. */
export interface UnplacedFlows {
  readonly calls: readonly Unplaced<CodeFlows["calls"][number]>[];
  readonly flows: readonly (Omit<CodeFlow, "at"> & { readonly at: CodePosition })[];
}
type Unplaced<Placed> = Omit<Placed, "path"> & CodePosition;
