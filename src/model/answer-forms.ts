import { isDeeperThan, type Json } from "../core/json/json.ts";
import { type JsonSchema, validatorOf } from "../core/json/json-schema.ts";
import { jsonFaultText, parseJson } from "../core/json/parse-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { fromStrict } from "./strict-schema.ts";

/**
 * How an endpoint is made to answer in JSON, what binds it most first: a strict schema, any object, the arguments of a
 * tool that it has to call, and words alone.
 */
export const ANSWER_FORMS = ["json_schema", "json_object", "tool", "text"] as const;
export type AnswerForm = (typeof ANSWER_FORMS)[number];

/** What a model said as a value of the schema, or why it is none. */
export function answerValue(said: string, form: AnswerForm, schema: JsonSchema): Result<Json, string> {
  const parsed = jsonIn(said);
  if (!parsed.ok) return parsed;
  if (isDeeperThan(parsed.value, MAX_DEPTH)) return fail("it is nested too deeply");
  const value = form === "json_schema" ? fromStrict(parsed.value, schema) : parsed.value;
  const checked = validatorOf(schema)(structuredClone(value));
  if (checked.ok) return checked;
  return fail(checked.error.map(({ at, message }) => `${at === "" ? "it" : at} ${message}`).join("; "));
}

const MAX_DEPTH = 64;

/** JSON as it stands there, in a fence, or with words around it. */
function jsonIn(said: string): Result<Json, string> {
  const whole = parseJson(said.trim());
  if (whole.ok) return whole;
  const fenced = [...said.matchAll(/```(?:json)?[^\S\n]*\n([\s\S]*?)```/gi)].map(([, inner = ""]) => inner);
  const braces = said.slice(said.indexOf("{"), said.lastIndexOf("}") + 1);
  for (const text of [...fenced.toReversed(), braces]) {
    const parsed = parseJson(text);
    if (parsed.ok) return ok(parsed.value);
  }
  return fail(`it is no JSON: ${jsonFaultText(whole.error)}`);
}
