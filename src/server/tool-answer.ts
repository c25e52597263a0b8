import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ErrorCode, Failure, Position } from "../core/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { JsonSchema } from "../core/schema.ts";

/** A result that clients which read only `content`, or only `structuredContent`, get whole. */
export function answer(structured: JsonObject): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(structured) }], structuredContent: structured };
}

/** A skill's output as a result; a value that is no object travels as the property that the tool's schema names. */
export function outputAnswer(output: Json, wrappedIn: string | undefined): CallToolResult {
  if (wrappedIn === undefined && isJsonObject(output)) return answer(output);
  return answer({ [wrappedIn ?? "result"]: output });
}

/** A failure as a text from which a model can tell what to do next. */
export function failureAnswer(failed: Failure, inputSchema?: JsonSchema): CallToolResult {
  return { content: [{ type: "text", text: failureText(failed, inputSchema) }], isError: true };
}

export function failureText(failed: Failure, inputSchema?: JsonSchema): string {
  const lines = [`${failed.code}: ${failed.message}`];
  const place = whereText(failed);
  if (place !== "") lines.push(place);
  const advice = ADVICE[failed.code];
  if (advice !== undefined) lines.push(advice);
  if (failed.code === "INPUT_INVALID" && failed.callPath === "0" && inputSchema) {
    lines.push(`The input schema is ${JSON.stringify(inputSchema)}`);
  }
  return lines.join("\n");
}

function whereText({ skill, callPath, positions = [] }: Failure): string {
  const call = callPath === undefined || callPath === "0" ? "" : ` (call ${callPath})`;
  const inSkill = skill === undefined ? "" : `In skill "${skill}"${call}`;
  const at = positions.map(positionText).join(", called from ");
  return [inSkill, at].filter((part) => part !== "").join(" at ");
}

function positionText({ path, line, column }: Position): string {
  return `${path.split(/[\\/]/).slice(-2).join("/")}:${line}:${column}`;
}

const ADVICE: Partial<Record<ErrorCode, string>> = {
  SKILL_NOT_FOUND: "Call search_skills to find the skill's name.",
  SKILL_NOT_RUNNABLE: "Call activate_skill to read its instructions.",
  INPUT_INVALID: "Mend the arguments and call again.",
  INPUT_TOO_LARGE: "Call it with less at a time.",
  CIRCULAR_CALL: "The skills' code must be mended; other arguments will not help.",
  OUTPUT_INVALID: "The skill's code or its output schema must be mended; the arguments were accepted.",
  NOT_JSON: "The skill's code must be mended; the arguments were accepted.",
  SKILL_BROKEN: "The skill's code must be mended; other arguments will not help.",
  SKILL_TIMED_OUT: "A smaller input may end in time.",
  SKILL_OUT_OF_MEMORY: "A smaller input may need less memory.",
};
