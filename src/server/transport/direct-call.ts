import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type RequestId,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../../core/json/json.ts";
import { TransientMap } from "../../core/transient-map.ts";
import type { CallParams, DirectCall } from "../mcp-server.ts";

/** A request for a call of a tool. */
export interface CallRequest {
  readonly id: RequestId;
  readonly params: CallParams;
}

/**
 * The call that a message asks for, where it says nothing else, and all as it has to be in every revision with sessions:
 * the SDK's checks would change nothing. All other messages are the SDK's to judge.
 */
export function callRequestIn(message: unknown): CallRequest | undefined {
  if (!isJsonObject(message)) return undefined;
  const { jsonrpc, id, method, params } = message;
  if (method !== "tools/call" || jsonrpc !== "2.0" || !isId(id) || !isJsonObject(params)) return undefined;
  const { name, arguments: input, _meta: meta } = params;
  if (hasOthers(message, MEMBERS) || hasOthers(params, PARAMETERS)) return undefined;
  if (typeof name !== "string" || (input !== undefined && !isPlain(input))) return undefined;
  if (meta !== undefined && !(isPlain(meta) && isForUs(meta))) return undefined;
  return { id, params: { ...params, name } };
}

/** What a call that was made past the SDK gives. */
export type DirectAnswer =
  /** The message of JSON-RPC that answers it. */
  | { readonly kind: "answered"; readonly message: unknown }
  /** It asks for more: the SDK has to be given the request. */
  | { readonly kind: "asking" }
  /** It was cancelled, and is not answered. */
  | { readonly kind: "cancelled" };

/** The calls of a connection that are made past the SDK. */
export class DirectCalls {
  readonly #open = new TransientMap<OpenCall>();

  /** As the SDK does it: what was cancelled is not answered, and what is thrown is an error of the protocol. */
  async answer(id: RequestId, call: DirectCall): Promise<DirectAnswer> {
    const open: OpenCall = { controller: new AbortController(), isCancelled: false };
    this.#open.set(id, open);
    let answer: { readonly result: CallToolResult | InputRequiredResult } | { readonly error: RpcError };
    try {
      answer = { result: await call(id, open.controller) };
    } catch (error) {
      answer = { error: rpcError(error) };
    }
    if (this.#open.get(id) === open) this.#open.delete(id);
    if (open.isCancelled) return { kind: "cancelled" };
    if ("result" in answer && isInputRequiredResult(answer.result)) return { kind: "asking" };
    return { kind: "answered", message: { ...answer, jsonrpc: "2.0", id } };
  }

  /** Cancels the call that a notification is about, if there is one. */
  cancel(params: Readonly<Record<string, unknown>> | undefined): void {
    const open = this.#open.get(params?.["requestId"] as RequestId);
    if (open) abort(open, params?.["reason"]);
  }

  /** The connection is closed. */
  close(): void {
    const reason = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const open of this.#open.values()) abort(open, reason);
  }
}

interface OpenCall {
  readonly controller: AbortController;
  /** Whether nobody waits for its answer any more. */
  isCancelled: boolean;
}

function abort(open: OpenCall, reason: unknown): void {
  open.isCancelled = true;
  open.controller.abort(reason);
}

interface RpcError {
  readonly code: number;
  readonly message: string;
}

function rpcError(thrown: unknown): RpcError {
  const { code, message } = thrown instanceof Error ? (thrown as Error & { code?: unknown }) : {};
  const isOfProtocol = typeof code === "number" && Number.isSafeInteger(code);
  return { code: isOfProtocol ? code : -32_603, message: message ?? "Internal error" };
}

/** What programs say of a call to each other, and not to whatever carries it. */
function isForUs(meta: Readonly<Record<string, unknown>>): boolean {
  const { progressToken } = meta;
  if (progressToken !== undefined && !isId(progressToken)) return false;
  return Object.keys(meta).every((key) => !key.startsWith(PROTOCOLS_OWN));
}

function isId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value) && !Object.hasOwn(value, "__proto__");
}

function hasOthers(value: object, known: ReadonlySet<string>): boolean {
  return Object.keys(value).some((key) => !known.has(key));
}

const MEMBERS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMETERS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
const PROTOCOLS_OWN = "io.modelcontextprotocol/";
