import type { CallToolResult } from "@modelcontextprotocol/client";
import { qualifiedName } from "../../core/tools/tool-name.ts";
import { failure } from "../../core/error.ts";
import { isJsonObject, type Json, type JsonObject, isDeeperThan } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { type JsonSchema, validatorOf } from "../../core/json/json-schema.ts";
import { JsonMeter } from "../../core/json/json-meter.ts";
import { isTimeout, runWithTimeout } from "../../core/time/run-with-timeout.ts";
import type { UpstreamFinding, UpstreamTool } from "./upstream-tool.ts";

const MAX_ERROR_CHARACTERS = 4_000;

const MAX_DEPTH = 200;

const MAX_COMPILE_MS = 1_000;

const MAX_CHECK_MS = 500;

/** A schema whose check did not end is not tried again for so long. */
const REST_MS = 60_000;

const restingUntil = new WeakMap<JsonSchema, number>();

export interface ResultOptions {
  readonly mostBytes: number;
  readonly onFinding: (finding: UpstreamFinding) => void;
}

/**
 * What a tool gave, as a value: its structured content; else its text, parsed where it is a JSON object or list; else
 * its parts as data. Nothing that the server sends can make it throw.
 */
export function toolResult(tool: UpstreamTool, answer: CallToolResult, options: ResultOptions): Result<Json> {
  const name = qualifiedName(tool);
  if (answer.isError === true) {
    const text = textOf(answer).slice(0, MAX_ERROR_CHARACTERS);
    return fail(failure("TOOL_FAILED", text === "" ? `The tool "${name}" failed and did not say why` : text));
  }
  const structured = answer.structuredContent as Json | undefined;
  const excess = structured === undefined ? excessOf(answer, options.mostBytes) : undefined;
  if (excess !== undefined)
    return fail(failure("OUTPUT_TOO_LARGE", `The answer of "${name}", as JSON in a text, ${excess}`));
  const value = structured === undefined ? contentValue(answer.content) : structured;
  const size = sizeOf(value);
  if (size === undefined)
    return fail(failure("TOOL_FAILED", `The answer of "${name}" is nested deeper than ${MAX_DEPTH} levels`));
  if (size > options.mostBytes) {
    const message = `The answer of "${name}" has ${size} bytes, the limit is ${options.mostBytes}`;
    return fail(failure("OUTPUT_TOO_LARGE", message));
  }
  return promised(tool, name, value, structured !== undefined, options.onFinding);
}

function promised(
  tool: UpstreamTool,
  name: string,
  value: Json,
  isStructured: boolean,
  onFinding: ResultOptions["onFinding"],
): Result<Json> {
  const { outputSchema } = tool;
  if (outputSchema === undefined) return ok(value);
  const note = (kind: UpstreamFinding["kind"], message: string): void =>
    onFinding({ kind, tool: tool.name, message });
  try {
    // Checking fills in defaults, but the answer stays the server's.
    const copy = structuredClone(value);
    if (performance.now() < (restingUntil.get(outputSchema) ?? 0)) return unchecked(name, note);
    const validate = runWithTimeout(MAX_COMPILE_MS, () => validatorOf(outputSchema));
    // Of two times, one within the other, either could end first.
    const verdict =
      validate.isTimed === true ? validate(copy) : runWithTimeout(MAX_CHECK_MS, () => validate(copy));
    if (verdict.ok) return ok(value);
    const places = verdict.error.map(({ at, message }) => `${at === "" ? "it" : at} ${message}`).join("; ");
    const fault = isStructured ? places : `it has no structured content, and as for its text, ${places}`;
    const message = `The answer of "${name}" does not fit the tool's outputSchema: ${fault}`;
    note("output-mismatch", message);
    return fail(
      failure("TOOL_FAILED", message, { details: verdict.error.map(({ at, message }) => ({ at, message })) }),
    );
  } catch (error) {
    if (isTimeout(error)) {
      restingUntil.set(outputSchema, performance.now() + REST_MS);
      return unchecked(name, note);
    }
    const why = error instanceof Error ? error.message : String(error);
    note(
      "output-schema",
      `The outputSchema of "${name}" cannot be used, so a result was not checked: ${why}`,
    );
    return ok(value);
  }
}

function unchecked(
  name: string,
  note: (kind: UpstreamFinding["kind"], message: string) => void,
): Result<Json> {
  const message = `The answer of "${name}" could not be checked against the tool's outputSchema (#) within ${MAX_CHECK_MS} ms`;
  note("output-mismatch", message);
  return fail(failure("TOOL_FAILED", message));
}

/** Given the texts of an answer. */
export type OnTexts = (texts: readonly string[]) => void;

/** The texts of an answer that has nothing else in its content; none where they are longer than `mostBytes`. */
export function textsOf({ content }: CallToolResult, mostBytes: number): readonly string[] {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return texts.length === content.length && bytes <= mostBytes ? texts : [];
}

function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

function contentValue(content: CallToolResult["content"]): Json {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length < content.length) return content.map(partValue);
  const [only] = texts;
  if (only === undefined) return null;
  if (texts.length === 1) return parsed(only) ?? only;
  // Some servers send a list as one text for each of its members.
  const members = texts.map(parsed);
  return members.every((member) => member !== undefined) ? members : texts.join("\n");
}

/** What of the JSON in texts is too much to be parsed, or nothing. */
function excessOf({ content }: CallToolResult, maxBytes: number): string | undefined {
  for (const part of content) {
    if (part.type !== "text" || !LOOKS_LIKE_JSON.test(part.text)) continue;
    const excess = new JsonMeter(maxBytes).read(Buffer.from(part.text));
    if (excess !== undefined) return excess;
  }
  return undefined;
}

const LOOKS_LIKE_JSON = /^\s*[[{]/;

// A lone number or word stays text: otherwise an id of digits would be a number, and another id none.
function parsed(text: string): Json | undefined {
  if (!LOOKS_LIKE_JSON.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function partValue(part: CallToolResult["content"][number]): JsonObject {
  const { _meta: _dropped, annotations: _too, ...rest } = part;
  const plain: unknown = JSON.parse(JSON.stringify(rest));
  return isJsonObject(plain) ? plain : {};
}

function sizeOf(value: Json): number | undefined {
  return isDeeperThan(value, MAX_DEPTH) ? undefined : Buffer.byteLength(JSON.stringify(value));
}
