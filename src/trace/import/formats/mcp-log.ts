import { exactJson } from "../../../core/json/exact-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { PendingCalls } from "../pending-calls.ts";
import { filledText, label, member, number, object, text, time } from "../reading/fields.ts";
import type { ImportContext, RecordReader, TraceFormat } from "../format.ts";
import { Transcript } from "../transcript.ts";
import { toolAnswer } from "../reading/unwrap.ts";

/**
 * A log of MCP messages (https://modelcontextprotocol.io/specification): JSON-RPC, one message a line or in a list,
 * bare or within a record that tells the time, the direction, the session or the server.
 */
export const MCP_LOG: TraceFormat = {
  name: "mcp-log",
  likeness: (record) => (messageIn(record) ? 2 : 0),
  open: (importing) => new LogReader(importing),
};

interface Message {
  readonly rpc: JsonObject;
  readonly at: number | undefined;
  /** Who sent it, where the log tells. */
  readonly fromClient: boolean | undefined;
  readonly session: string | undefined;
  readonly server: string | undefined;
}

const WRAPPED = ["message", "msg", "payload", "data", "raw", "body", "rpc", "jsonrpc_message", "content"];

function messageIn(record: JsonObject): Message | undefined {
  const rpc = isRpc(record)
    ? record
    : WRAPPED.map((name) => rpcIn(record[name])).find((found) => found !== undefined);
  if (!rpc) return undefined;
  const wrapper = rpc === record ? {} : record;
  return {
    rpc,
    at: time(member(wrapper, "timestamp", "ts", "time", "at", "datetime")),
    fromClient: fromClient(member(wrapper, "direction", "dir", "from", "source", "sender", "type")),
    session: filledText(
      member(wrapper, "sessionId", "session_id", "session", "mcpSessionId", "mcp-session-id"),
    ),
    server: filledText(member(wrapper, "server", "serverName", "server_name", "logger")),
  };
}

function rpcIn(value: Json | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return isRpc(value) ? value : undefined;
  if (typeof value !== "string" || !value.includes('"jsonrpc"')) return undefined;
  try {
    const parsed: unknown = exactJson(value);
    return isJsonObject(parsed) && isRpc(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isRpc(value: JsonObject): boolean {
  if (value["jsonrpc"] === "2.0") return "method" in value || "result" in value || "error" in value;
  return value["method"] === "tools/call" && isJsonObject(value["params"]);
}

function fromClient(said: Json | undefined): boolean | undefined {
  const word = text(said)?.toLowerCase().slice(0, 60) ?? "";
  if (
    /^(?:client(?:[ _-]?(?:to|2|->|→)[ _-]?server)?|c2s|out(?:going|bound)?|send|sent|request|stdin|-?->|→|>)$/.test(
      word,
    )
  )
    return true;
  if (
    /^(?:server(?:[ _-]?(?:to|2|->|→)[ _-]?client)?|s2c|in(?:coming|bound)?|recv|receive[d]?|response|stdout|<--?|←|<)$/.test(
      word,
    )
  )
    return false;
  return undefined;
}

class LogReader implements RecordReader {
  readonly #importing: ImportContext;
  readonly #sessions = new Map<string, LoggedSession>();

  constructor(importing: ImportContext) {
    this.#importing = importing;
  }

  read(record: JsonObject, place: string): void {
    const message = messageIn(record);
    if (!message) {
      this.#importing.skip("unknown-format", place);
      return;
    }
    const id = message.session ?? "";
    const server = message.server ?? "";
    const open = this.#sessions.get(id);
    const isNew = message.rpc["method"] === "initialize" && open?.hasStarted(server) === true;
    if (open && (isNew || open.transcript.size > this.#importing.limits.traceSize)) {
      open.end();
      this.#sessions.delete(id);
    }
    const session = this.#sessions.get(id) ?? new LoggedSession(message.session, place, this.#importing);
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    session.read(message, place);
    // The session untouched longest is given as it is.
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size <= MAX_SESSIONS || oldest === undefined) return;
    this.#sessions.get(oldest)?.end();
    this.#sessions.delete(oldest);
  }

  close(): void {
    for (const session of this.#sessions.values()) session.end();
    this.#sessions.clear();
  }
}

class LoggedSession {
  readonly transcript: Transcript;
  readonly #importing: ImportContext;
  readonly #calls: PendingCalls;
  /** Requests that call no tool, whose answers are not a tool's. */
  readonly #others = new Set<string>();
  readonly #servers = new Set<string>();

  constructor(id: string | undefined, place: string, importing: ImportContext) {
    this.#importing = importing;
    this.transcript = new Transcript(MCP_LOG.name, place, importing);
    this.transcript.sessionId = id;
    this.transcript.sourceId = id;
    this.#calls = new PendingCalls(this.transcript, importing);
  }

  hasStarted(server: string): boolean {
    return this.#servers.has(server);
  }

  read({ rpc, at, fromClient, server }: Message, place: string): void {
    const { id, method } = rpc;
    const isAnswer = method === undefined;
    // Both sides count their requests: an answer comes from the other one.
    const asker = fromClient === undefined ? "" : String(isAnswer ? !fromClient : fromClient);
    const key = JSON.stringify([server ?? "", asker, id ?? null]);
    if (isAnswer) this.#answer(rpc, key, at, place);
    else if (method === "tools/call") this.#call(rpc, key, at, server, place);
    else if (method === "notifications/cancelled") this.#cancelled(rpc, server, asker, place);
    else {
      if (method === "initialize") this.#servers.add(server ?? "");
      if (id !== undefined && this.#others.size < MAX_OTHERS) this.#others.add(key);
    }
  }

  end(): void {
    this.#calls.end();
    if (!this.transcript.isEmpty) this.#importing.give(this.transcript);
  }

  #call(
    rpc: JsonObject,
    key: string,
    at: number | undefined,
    server: string | undefined,
    place: string,
  ): void {
    const params = object(rpc["params"]) ?? {};
    this.#calls.add(rpc["id"] === undefined ? undefined : key, {
      tool: label(params["name"]),
      args: params["arguments"] ?? {},
      at,
      place,
      meta: server === undefined ? undefined : { server },
    });
  }

  #answer(rpc: JsonObject, key: string, endedAt: number | undefined, place: string): void {
    const result = object(rpc["result"]);
    const isToolResult = Array.isArray(result?.["content"]) || result?.["isError"] !== undefined;
    if (this.#others.has(key) && !(isToolResult && this.#calls.has(key))) {
      this.#others.delete(key);
      return;
    }
    const error = object(rpc["error"]);
    if (error) {
      const message = text(error["message"]);
      const outcome = { result: error["data"] ?? message ?? null, isFailed: true, message, endedAt };
      this.#calls.resolve(key, { ...outcome, meta: { code: number(error["code"]) ?? null } }, place);
    } else if (this.#calls.has(key) || isToolResult) {
      this.#calls.resolve(key, { ...toolAnswer(rpc["result"]), endedAt }, place);
    }
  }

  #cancelled(rpc: JsonObject, server: string | undefined, asker: string, place: string): void {
    const key = JSON.stringify([server ?? "", asker, object(rpc["params"])?.["requestId"] ?? null]);
    if (this.#calls.has(key)) this.#calls.resolve(key, { isCancelled: true }, place);
  }
}

const MAX_OTHERS = 10_000;
const MAX_SESSIONS = 100;
