import type { CallToolResult } from "@modelcontextprotocol/server";
import { neededChoice, type NeededChoice } from "../../core/choice.ts";
import { visibleText } from "../../core/text/display-text.ts";
import type { ErrorCode, Failure, Position } from "../../core/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";

/** A result that clients which read only `content`, or only `structuredContent`, get whole. */
export function answer(structured: JsonObject): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(structured) }], structuredContent: structured };
}

/** A skill's output as a result; a value that is no object travels as the property that the tool's schema names. */
export function outputAnswer(output: Json, wrappedIn: string | undefined): CallToolResult {
  if (wrappedIn === undefined && isJsonObject(output)) return answer(output);
  const property = wrappedIn ?? "result";
  return { _meta: { [WRAPPED_META_KEY]: property }, ...answer({ [property]: output }) };
}

/** Where in `_meta` programs find which property holds the output that is no object, or may be none. */
export const WRAPPED_META_KEY = "repertoire/wrappedIn";

/** Where in `_meta` programs find a failure's code, and the skill and the call that failed. */
export const ERROR_META_KEY = "repertoire/error";

/** A failure as a text from which a model can tell what to do next. */
export function failureAnswer(failed: Failure, inputSchema?: JsonSchema): CallToolResult {
  const lines = [failureText(failed)];
  const isOfRoot = failed.callPath === undefined || failed.callPath === "0";
  const advice =
    isOfRoot || SIZE_AT_FAULT.has(failed.code) ? ADVICE[failed.code] : ADVICE[failed.code] && CODE_AT_FAULT;
  if (advice !== undefined) lines.push(advice);
  if (failed.code === "INPUT_INVALID" && isOfRoot && inputSchema) {
    lines.push(`The input schema is ${JSON.stringify(inputSchema)}`);
  }
  const choice = neededChoice(failed);
  if (choice) {
    lines.push(...optionLines(choice), choiceAdvice(choice));
  }
  const { code, skill, callPath } = failed;
  const error = {
    code,
    ...(skill === undefined ? {} : { skill }),
    ...(callPath === undefined ? {} : { callPath }),
  };
  const told: CallToolResult = {
    _meta: { [ERROR_META_KEY]: error },
    content: [{ type: "text", text: lines.join("\n") }],
    isError: true,
  };
  failures.set(told, failed);
  return told;
}

/** The options, a line each, the first of them; how many more there are. */
export function optionLines({ options }: NeededChoice, most: number = options.length): readonly string[] {
  const lines = options.slice(0, most).map(({ value, about = {} }) => {
    const said = Object.entries(about).map(([field, told]) => `${field} ${JSON.stringify(told)}`);
    const text = `${JSON.stringify(value)}${said.length === 0 ? "" : `: ${said.join(", ")}`}`;
    return `- ${visibleText(text, MAX_OPTION)}`;
  });
  const more = options.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

const MAX_OPTION = 1000;

function choiceAdvice({ parameter }: NeededChoice): string {
  return `Have the person choose where it is theirs to choose, and call it again with the same arguments and the choice as ${JSON.stringify(visibleText(parameter, MAX_OPTION))}.`;
}

const failures = new WeakMap<object, Failure>();

/** The failure that an answer tells. */
export function answeredFailure(told: object): Failure | undefined {
  return failures.get(told);
}

/** What failed, and where. */
export function failureText(failed: Failure): string {
  const place = failed.code === "SKILL_NOT_FOUND" && failed.callPath === "0" ? "" : whereText(failed);
  return [`${failed.code}: ${failed.message}`, place].filter((line) => line !== "").join("\n");
}

/** A smaller input may help with these, wherever in the run they come up. */
const SIZE_AT_FAULT: ReadonlySet<ErrorCode> = new Set(["SKILL_TIMED_OUT", "SKILL_OUT_OF_MEMORY"]);
const CODE_AT_FAULT = "The skill's code must be mended; other arguments may not help.";

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
  CIRCULAR_CALL: CODE_AT_FAULT,
  OUTPUT_INVALID: "The skill's code or its output schema must be mended; the arguments were accepted.",
  PRECONDITION_FAILED: "Nothing was done. Mend the arguments, or what they are about, and call again.",
  POSTCONDITION_FAILED:
    "What it did is done, but the output is not what it promises: see what has changed before calling again.",
  RUN_WAITING: "review_run shows what it waits for, and takes the answer to a question to a model.",
  NOT_JSON: "The skill's code must be mended; the arguments were accepted.",
  SKILL_BROKEN: CODE_AT_FAULT,
  SKILL_TIMED_OUT: "A smaller input may end in time.",
  SKILL_OUT_OF_MEMORY: "A smaller input may need less memory.",
};
