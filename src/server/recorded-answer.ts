import { hash } from "node:crypto";
import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { CutValue } from "../trace/trace-store.ts";
import { answeredFailure } from "./tools/tool-answer.ts";

/** What is recorded of the input of one of our own tools: members that are long, such as a transcript, are left out. */
export function recordedInput(input: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(input)
      .slice(0, MAX_MEMBERS)
      .map(([name, value]) => [name.slice(0, MAX_NAME), isLong(value) ? LEFT_OUT : value]),
  );
}

/** What is recorded of its answer: the failure itself, of a long answer its size and digest. */
export function recordedAnswer(told: CallToolResult | InputRequiredResult): Result<Json> {
  const failed = answeredFailure(told);
  if (failed) return fail(failed);
  const { content, structuredContent } = told as Partial<CallToolResult>;
  if (!isJsonObject(structuredContent)) return ok(null);
  const [block] = content ?? [];
  const text = block?.type === "text" ? block.text : "";
  if (text.length <= MAX_LENGTH) return ok(structuredContent);
  const cut = { bytes: Buffer.byteLength(text), sha256: hash("sha256", text), start: "" };
  return ok({ "[cut]": cut } satisfies CutValue);
}

const MAX_MEMBERS = 20;
const MAX_NAME = 100;
/** Characters. */
const MAX_LENGTH = 16_384;
const LEFT_OUT = `[left out: longer than ${MAX_LENGTH} characters]`;

// Without recursion, and no further than needed: what a client sends may be nested deeply.
function isLong(value: Json): boolean {
  const left: Json[] = [value];
  for (let length = 0; left.length > 0;) {
    const each = left.pop() ?? null;
    length += 2;
    if (typeof each === "string") length += each.length;
    else if (typeof each === "object" && each !== null)
      for (const [name, inner] of Object.entries(each)) {
        length += name.length;
        left.push(inner);
      }
    if (length + left.length > MAX_LENGTH) return true;
  }
  return false;
}
