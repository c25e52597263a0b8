import type { RequestId } from "@modelcontextprotocol/server";
import { isJsonObject } from "../../core/json/json.ts";
import type { CallParams } from "../mcp-server.ts";

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
