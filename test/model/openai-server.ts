import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";

/** What a model says, or what happens in its place. */
export type Reply =
  | { readonly kind: "answer"; readonly value: Json }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refusal"; readonly text: string }
  | { readonly kind: "filtered" }
  | { readonly kind: "truncated"; readonly text: string }
  | {
      readonly kind: "error";
      readonly status: number;
      readonly code?: string;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "body"; readonly body: string; readonly type?: string }
  | { readonly kind: "hang" }
  | { readonly kind: "disconnect" };

/** A request as the server has understood it. */
interface ModelCall {
  /** From 0. */
  readonly index: number;
  readonly path: "/chat/completions" | "/responses";
  readonly form: "json_schema" | "json_object" | "tool" | "text";
  readonly system: string;
  readonly user: string;
  /** Between the fences. */
  readonly data: string;
  /** As it is enforced, where one is. */
  readonly schema: JsonObject | undefined;
  readonly body: JsonObject;
  readonly headers: IncomingMessage["headers"];
}

export interface OpenAiServerOptions {
  /** In order, the last for all that follow, or by what is asked. */
  readonly replies: readonly Reply[] | ((call: ModelCall) => Reply | Promise<Reply>);
  /** Which forms it takes: the others are refused as unknown. All by default. */
  readonly forms?: readonly ModelCall["form"][];
  /** How it answers requests that it does not take; 400 by default. */
  readonly faultStatus?: number;
  readonly key?: string;
  /** Whether it tells the tokens that were taken: 1000 and 100. */
  readonly tellsUsage?: boolean;
  /** The name that it knows the limit of an answer by, or that it knows none. */
  readonly limitName?: "max_tokens" | "max_completion_tokens" | "none";
  /** The vector of a text: of its words by default. Where there is none the request fails. */
  readonly vectorOf?: (text: string) => readonly number[] | undefined;
}

export interface OpenAiServer {
  readonly baseUrl: string;
  readonly calls: readonly ModelCall[];
  /** The texts that vectors were asked of, one list for each request. */
  readonly embedded: readonly (readonly string[])[];
}

export const MODEL = "scripted-1";
export const EMBEDDING_MODEL = "scripted-embedding-1";

/** A server on loopback that speaks OpenAI's protocol, refuses what OpenAI refuses, and ends with the test. */
export async function openAiServer(options: OpenAiServerOptions): Promise<OpenAiServer> {
  const { server, ...rest } = await startOpenAiServer(options);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return rest;
}

async function startOpenAiServer(options: OpenAiServerOptions) {
  const calls: ModelCall[] = [];
  const embedded: (readonly string[])[] = [];
  const server = createServer((request, response) => {
    void answerRequest(request, response, options, calls, embedded);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { server, baseUrl: `http://127.0.0.1:${port}/v1`, calls, embedded };
}

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: OpenAiServerOptions,
  calls: ModelCall[],
  embedded: (readonly string[])[],
): Promise<void> {
  const path = (request.url ?? "").replace(/^\/v1/, "");
  const body = await bodyOf(request);
  const refuse = (
    status: number,
    message: string,
    code: string | null = null,
    param: string | null = null,
  ): void => send(response, status, { error: { message, type: "invalid_request_error", param, code } });
  if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`)
    return refuse(
      401,
      `Incorrect API key provided: ${String(request.headers.authorization)}.`,
      "invalid_api_key",
    );
  if (path === "/embeddings") {
    if (body["model"] !== EMBEDDING_MODEL) return refuse(404, "The model does not exist", "model_not_found");
    const { input } = body;
    const texts = Array.isArray(input) ? input.map(String) : [];
    if (texts.length === 0 || texts.length > 2048 || texts.includes(""))
      return refuse(400, "'$.input' is invalid", null, "input");
    embedded.push(texts);
    const vectors = texts.map(options.vectorOf ?? wordVector);
    if (!vectors.every((vector) => vector !== undefined)) return refuse(400, "There are no vectors today");
    const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
    const usage = { prompt_tokens: 8 * texts.length, total_tokens: 8 * texts.length };
    return send(response, 200, { object: "list", model: EMBEDDING_MODEL, data, usage });
  }
  if (path !== "/chat/completions" && path !== "/responses") return refuse(404, `Invalid URL (POST ${path})`);
  if (body["model"] !== MODEL)
    return refuse(404, `The model \`${textAt(body, "model")}\` does not exist`, "model_not_found", "model");
  if (body["stream"] === true) return refuse(400, "This model does not stream", null, "stream");
  const call = callOf(path, body, request, calls.length);
  const fault = faultOf(call, options);
  if (fault) return refuse(options.faultStatus ?? 400, fault.message, fault.code ?? null, fault.param);
  calls.push(call);
  const { replies } = options;
  const reply =
    typeof replies === "function" ? await replies(call) : replies[Math.min(call.index, replies.length - 1)];
  if (!reply) return refuse(500, "There is no reply");
  switch (reply.kind) {
    case "error": {
      const { status, code = null, message = "It failed", headers } = reply;
      return send(response, status, { error: { message, type: "error", param: null, code } }, headers);
    }
    case "body":
      response.writeHead(200, { "content-type": reply.type ?? "application/json" }).end(reply.body);
      return;
    case "hang":
      return;
    case "disconnect":
      response.destroy();
      return;
    case "answer":
    case "text":
    case "refusal":
    case "filtered":
    case "truncated": {
      const isTold = options.tellsUsage !== false;
      return send(
        response,
        200,
        path === "/responses" ? responseOf(call, reply, isTold) : completionOf(call, reply, isTold),
      );
    }
  }
}

type Spoken = Extract<Reply, { readonly kind: "answer" | "text" | "refusal" | "filtered" | "truncated" }>;

function textOf(reply: Spoken): string {
  switch (reply.kind) {
    case "answer":
      return JSON.stringify(reply.value);
    case "text":
    case "refusal":
    case "truncated":
      return reply.text;
    case "filtered":
      return "";
  }
}

function completionOf({ form }: ModelCall, reply: Spoken, isTold: boolean): JsonObject {
  const isCall = form === "tool" && (reply.kind === "answer" || reply.kind === "truncated");
  const said = textOf(reply);
  const reasons = { filtered: "content_filter", truncated: "length" } as const;
  const reason = reply.kind === "filtered" || reply.kind === "truncated" ? reasons[reply.kind] : "stop";
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_760_000_000,
    model: MODEL,
    choices: [
      {
        index: 0,
        finish_reason: isCall && reason === "stop" ? "tool_calls" : reason,
        logprobs: null,
        message: {
          role: "assistant",
          content: isCall || reply.kind === "refusal" ? null : said,
          refusal: reply.kind === "refusal" ? said : null,
          ...(isCall
            ? {
                tool_calls: [
                  { id: "call_1", type: "function", function: { name: "answer", arguments: said } },
                ],
              }
            : {}),
        },
      },
    ],
    ...(isTold ? { usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 } } : {}),
  };
}

function responseOf({ form }: ModelCall, reply: Spoken, isTold: boolean): JsonObject {
  const isCall = form === "tool" && reply.kind === "answer";
  const said = textOf(reply);
  const incomplete = { filtered: "content_filter", truncated: "max_output_tokens" } as const;
  const reason = reply.kind === "filtered" || reply.kind === "truncated" ? incomplete[reply.kind] : undefined;
  const message = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: reason === undefined ? "completed" : "incomplete",
    content: [
      reply.kind === "refusal"
        ? { type: "refusal", refusal: said }
        : { type: "output_text", text: said, annotations: [] },
    ],
  };
  return {
    id: "resp_1",
    object: "response",
    created_at: 1_760_000_000,
    model: MODEL,
    status: reason === undefined ? "completed" : "incomplete",
    incomplete_details: reason === undefined ? null : { reason },
    error: null,
    output: [
      { type: "reasoning", id: "rs_1", summary: [] },
      isCall
        ? { type: "function_call", id: "fc_1", call_id: "call_1", name: "answer", arguments: said }
        : message,
    ],
    ...(isTold ? { usage: { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 } } : {}),
  };
}

function callOf(
  path: ModelCall["path"],
  body: JsonObject,
  { headers }: IncomingMessage,
  index: number,
): ModelCall {
  const messages = Array.isArray(body["messages"]) ? (body["messages"] as readonly JsonObject[]) : [];
  const said = (role: string): string =>
    textAt(
      messages.find((each) => each["role"] === role),
      "content",
    );
  const [system, user] =
    path === "/responses"
      ? [textAt(body, "instructions"), textAt(body, "input")]
      : [said("system"), said("user")];
  const text = isJsonObject(body["text"]) ? body["text"] : {};
  const format = path === "/responses" ? text["format"] : body["response_format"];
  const type = isJsonObject(format) ? format["type"] : undefined;
  const inner = isJsonObject(format) ? (path === "/responses" ? format : format["json_schema"]) : undefined;
  const schema = isJsonObject(inner) && isJsonObject(inner["schema"]) ? inner["schema"] : undefined;
  const form =
    type === "json_schema" || type === "json_object" ? type : Array.isArray(body["tools"]) ? "tool" : "text";
  const data = /^<(data-[0-9a-f]+)>\n([\s\S]*)\n<\/\1>$/.exec(user)?.[2] ?? user;
  return { index, path, form, system, user, data, schema, body, headers };
}

function textAt(object: JsonObject | undefined, name: string): string {
  const value = object?.[name];
  return typeof value === "string" ? value : "";
}

interface RequestFault {
  readonly message: string;
  readonly code?: string;
  readonly param: string;
}

function faultOf(call: ModelCall, { forms, limitName }: OpenAiServerOptions): RequestFault | undefined {
  const { form, system, user, schema, body } = call;
  const param = form === "tool" ? "tools" : "response_format";
  if (forms && !forms.includes(form))
    return { message: `'${param}' of type '${form}' is not supported with this model`, param };
  if (form === "json_object" && !/json/i.test(system + user))
    return { message: "'messages' must contain the word 'json' in some form", param: "messages" };
  if (form === "json_schema") {
    const fault = schema === undefined ? "there is none" : strictFault(schema);
    if (fault !== undefined)
      return { message: `Invalid schema for response_format: ${fault}`, code: "invalid_json_schema", param };
  }
  if (limitName === "none" && ("max_tokens" in body || "max_completion_tokens" in body))
    return { message: "'max_tokens' and 'max_completion_tokens' are not supported", param: "max_tokens" };
  const other = limitName === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  if (limitName !== undefined && limitName !== "none" && other in body)
    return {
      message: `Unsupported parameter: '${other}' is not supported with this model. Use '${limitName}' instead.`,
      code: "unsupported_parameter",
      param: other,
    };
  return undefined;
}

const STRICT_KEYWORDS: ReadonlySet<string> = new Set(
  "type description properties required additionalProperties items enum const anyOf $ref $defs".split(" "),
);

/** What a strict endpoint does not take of a schema. */
export function strictFault(schema: JsonObject, at = "root"): string | undefined {
  const unknown = Object.keys(schema).find((keyword) => !STRICT_KEYWORDS.has(keyword));
  if (unknown !== undefined) return `In ${at}, '${unknown}' is not permitted`;
  if (at === "root" && schema["type"] !== "object")
    return "schema must be a JSON Schema of 'type: \"object\"'";
  const { properties, items, anyOf, required, $defs } = schema;
  if (schema["type"] === "object") {
    if (schema["additionalProperties"] !== false) return `In ${at}, 'additionalProperties' must be false`;
    const names = Object.keys(isJsonObject(properties) ? properties : {});
    if (!Array.isArray(required) || names.some((name) => !required.includes(name)))
      return `In ${at}, 'required' must include every key in properties`;
  }
  if (!("type" in schema || "anyOf" in schema || "$ref" in schema || "enum" in schema))
    return `In ${at}, schema must have a 'type' key`;
  if (schema["type"] === "array" && !isJsonObject(items)) return `In ${at}, array schema missing items`;
  const inner: readonly [string, Json][] = [
    ...Object.entries(isJsonObject(properties) ? properties : {}),
    ...Object.entries(isJsonObject($defs) ? $defs : {}),
    ...(isJsonObject(items) ? [["items", items] as [string, Json]] : []),
    ...(Array.isArray(anyOf)
      ? anyOf.map((each, index): [string, Json] => [`anyOf.${index}`, each as Json])
      : []),
  ];
  return inner
    .map(([name, each]) => (isJsonObject(each) ? strictFault(each, `${at}.${name}`) : undefined))
    .find((fault) => fault !== undefined);
}

const DIMENSIONS = 64;

/** Texts with the same words are near each other. */
function wordVector(text: string): readonly number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["-"]) {
    let hash = 7;
    for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
    vector[hash % DIMENSIONS] = (vector[hash % DIMENSIONS] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((each) => each / length);
}

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
  return isJsonObject(parsed) ? parsed : {};
}

function send(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
