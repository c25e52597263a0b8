// Calls as they stand in a transcript, counted without the importer: by the shapes that formats give them, wherever they
// are in the document. What stands inside a text (a printed history, code) is not counted.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";

export interface SourceCalls {
  readonly calls: number;
  /** Calls whose result is there, too. */
  readonly paired: number;
}

/** Undefined: it is no JSON, or its calls stand in no shape that is known here. */
export function sourceCalls(text: string): SourceCalls | undefined {
  const documents = documentsOf(text);
  if (!documents) return undefined;
  const counter = new Counter();
  for (const document of documents) counter.walk(document);
  return counter.calls === 0 ? undefined : { calls: counter.calls, paired: counter.paired };
}

function documentsOf(text: string): readonly Json[] | undefined {
  try {
    return [JSON.parse(text) as Json];
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const read = lines.flatMap((line) => {
      try {
        return [JSON.parse(line) as Json];
      } catch {
        // A log has words before its JSON.
        const at = line.indexOf("{");
        try {
          return at > 0 ? [JSON.parse(line.slice(at)) as Json] : [];
        } catch {
          return [];
        }
      }
    });
    return read.length === 0 ? undefined : read;
  }
}

class Counter {
  /** By id and content: what is told again is one call. */
  readonly #ids = new Map<string, { isAnswered: boolean }>();
  readonly #byId = new Map<string, { isAnswered: boolean }[]>();
  #nameless = 0;
  #answered = 0;

  get calls(): number {
    return this.#ids.size + this.#nameless;
  }

  get paired(): number {
    return [...this.#ids.values()].filter(({ isAnswered }) => isAnswered).length + this.#answered;
  }

  walk(value: Json): void {
    if (Array.isArray(value)) {
      for (const each of value as readonly Json[]) this.walk(each);
      return;
    }
    if (!isJsonObject(value) || this.#result(value) || this.#call(value)) return;
    const inner = Object.entries(value);
    const { tool_calls: calls, function_call: called } = value;
    if (Array.isArray(calls)) for (const each of calls as readonly Json[]) this.#toolCall(each);
    if (isJsonObject(called) && typeof called["name"] === "string") this.#add(undefined, called);
    for (const [key, each] of inner) if (!OPAQUE.has(key)) this.walk(each);
  }

  #toolCall(each: Json): void {
    if (!isJsonObject(each)) return;
    this.#add(each["id"] ?? each["tool_call_id"] ?? each["toolCallId"], each["function"] ?? each);
  }

  #call(value: JsonObject): boolean {
    const { type, method, tool, functionCall } = value;
    if (typeof type === "string" && CALLS.has(type)) {
      const id = value["call_id"] ?? value["toolCallId"] ?? value["id"];
      const isAnswered = type === "mcp_call" && (value["output"] ?? value["error"] ?? null) !== null;
      this.#add(
        id,
        [value["name"] ?? value["toolName"] ?? null, value["arguments"] ?? value["input"] ?? null],
        isAnswered,
      );
      return true;
    }
    if (method === "tools/call" && isJsonObject(value["params"])) {
      this.#add(value["id"], value["params"]);
      return true;
    }
    if (isJsonObject(functionCall)) {
      this.#add(functionCall["id"], functionCall);
      return true;
    }
    if (typeof tool === "string" && ("args" in value || "result" in value)) {
      this.#add(undefined, value, "result" in value || "error" in value);
      return true;
    }
    if (!isToolSpan(value)) return false;
    const { outputs = null, output = null } = value;
    this.#add(idOfSpan(value), "span", outputs !== null || output !== null || hasResult(value));
    return "child_runs" in value ? false : !("attributes" in value);
  }

  #result(value: JsonObject): boolean {
    const { type, role } = value;
    const isResult =
      (typeof type === "string" && RESULTS.has(type)) || role === "tool" || "functionResponse" in value;
    const id = value["tool_call_id"] ?? value["tool_use_id"] ?? value["call_id"] ?? value["toolCallId"];
    if (typeof id === "string")
      for (const call of isResult || "content" in value ? (this.#byId.get(id) ?? []) : [])
        call.isAnswered = true;
    // JSON-RPC: an answer has its request's id.
    if (value["jsonrpc"] === "2.0" && !("method" in value) && ("result" in value || "error" in value)) {
      for (const call of this.#byId.get(idText(value["id"]) ?? "") ?? []) call.isAnswered = true;
      return true;
    }
    return isResult && !Array.isArray(value["tool_responses"]);
  }

  #add(id: Json | undefined, content: Json, isAnswered = false): void {
    const name = idText(id);
    if (name === undefined) {
      this.#nameless++;
      if (isAnswered) this.#answered++;
      return;
    }
    const key = `${name} ${JSON.stringify(content)}`;
    const known = this.#ids.get(key) ?? { isAnswered: false };
    known.isAnswered ||= isAnswered;
    this.#ids.set(key, known);
    const same = this.#byId.get(name) ?? [];
    if (!same.includes(known)) this.#byId.set(name, [...same, known]);
  }
}

/** What is given to tools, and what they answer, is no part of the conversation. */
const OPAQUE: ReadonlySet<string> = new Set(
  "tool_calls function_call arguments args toolUseResult structuredContent attributes".split(" "),
);
const CALLS: ReadonlySet<string> = new Set(
  "tool_use server_tool_use mcp_tool_use function_call custom_tool_call mcp_call tool-call".split(" "),
);
const RESULTS: ReadonlySet<string> = new Set(
  "tool_result mcp_tool_result function_call_output custom_tool_call_output tool-result".split(" "),
);

function idText(id: Json | undefined): string | undefined {
  return typeof id === "string" ? id : typeof id === "number" ? String(id) : undefined;
}

function isToolSpan(value: JsonObject): boolean {
  if (value["run_type"] === "tool") return true;
  const isObservation = "startTime" in value || "start_time" in value;
  if (value["type"] === "TOOL" && isObservation) return true;
  const attributes = attributesOf(value);
  return (
    attributes.get("gen_ai.operation.name") === "execute_tool" ||
    attributes.get("openinference.span.kind") === "TOOL"
  );
}

function hasResult(value: JsonObject): boolean {
  const attributes = attributesOf(value);
  return attributes.has("gen_ai.tool.call.result") || attributes.has("output.value");
}

function idOfSpan(value: JsonObject): Json | undefined {
  const { context } = value;
  return value["spanId"] ?? value["span_id"] ?? (isJsonObject(context) ? context["span_id"] : value["id"]);
}

/** Of a span, as a list of `{key, value}` or as a map. */
function attributesOf({ attributes }: JsonObject): ReadonlyMap<string, Json> {
  if (isJsonObject(attributes)) return new Map(Object.entries(attributes));
  if (!Array.isArray(attributes)) return new Map();
  return new Map(
    (attributes as readonly Json[]).flatMap((each) => {
      if (!isJsonObject(each) || typeof each["key"] !== "string" || !isJsonObject(each["value"])) return [];
      return [[each["key"], Object.values(each["value"])[0] ?? null] as const];
    }),
  );
}
