import { setTimeout as wait } from "node:timers/promises";
import {
  type CallToolResult,
  type Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import { failure, type Failure, UNANSWERED } from "../../core/error.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { IDEMPOTENCY_KEY } from "../../core/tools/idempotency-key.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { BROKEN_OFF } from "../transport/http-transport.ts";
import { isLost, isRefusal, faultText } from "../fault-text.ts";
import { TOO_LARGE } from "../transport/stdio-transport.ts";
import type { UsableTransportConfig } from "../upstream-config.ts";
import type { UpstreamTool } from "./upstream-tool.ts";

export interface CallLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The same for each attempt of the same call, by which a server can tell that it has done it already. */
  readonly idempotencyKey?: string | undefined;
}

/** Why a call has no answer. */
export type CallFault =
  | { readonly kind: "refused"; readonly error: Failure }
  /** Nothing was heard in time. */
  | { readonly kind: "silent"; readonly error: Failure }
  /** There is no one at the other end any more. */
  | { readonly kind: "lost"; readonly error: Failure; readonly reason: string };

interface Line {
  readonly client: Client;
  readonly way: UsableTransportConfig;
  readonly ended: Promise<string>;
}

/** What the end of a child makes fail is told as that end, which may come a little later. */
const AFTERMATH_MS = 300;

/** Calls a tool; whoever stops waiting has the server told of it. */
export async function callTool(
  line: Line,
  server: string,
  { name, inputSchema }: UpstreamTool,
  args: JsonObject,
  { signal, timeoutMs, idempotencyKey }: CallLimits,
): Promise<Result<CallToolResult, CallFault>> {
  try {
    const answer = await line.client.callTool(
      {
        name,
        arguments: args,
        ...(idempotencyKey === undefined ? {} : { _meta: { [IDEMPOTENCY_KEY]: idempotencyKey } }),
      },
      {
        signal,
        timeout: timeoutMs,
        maxTotalTimeout: timeoutMs,
        // Results are checked by ourselves; the definition is for the headers that are made of arguments.
        toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
      },
    );
    return ok(answer);
  } catch (error) {
    return fail(await faultOf(error, `${server}.${name}`, line, { signal, timeoutMs }));
  }
}

async function faultOf(
  error: unknown,
  name: string,
  { way, ended }: Line,
  { signal, timeoutMs }: CallLimits,
): Promise<CallFault> {
  const failed = (text: string, rest: Pick<Failure, "details"> = {}): Failure =>
    failure("TOOL_FAILED", `The tool "${name}" failed: ${text}`, rest);
  if (signal.aborted)
    return {
      kind: "refused",
      error: failure("CANCELLED", `The call of "${name}" was cancelled`, UNANSWERED),
    };
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout)
    return { kind: "silent", error: failed(`it did not answer within ${timeoutMs} ms`, UNANSWERED) };
  if (ProtocolError.isInstance(error) && error.code === TOO_LARGE) {
    const message = `The answer of "${name}" is too large: ${error.message}`;
    return { kind: "refused", error: failure("OUTPUT_TOO_LARGE", message) };
  }
  if (ProtocolError.isInstance(error) && error.code === BROKEN_OFF)
    return { kind: "refused", error: failed(error.message, UNANSWERED) };
  const isGone = isLost(error);
  const end = await endWithin(isGone && way.kind === "stdio" ? AFTERMATH_MS : 0, ended);
  if (end !== undefined)
    return { kind: "lost", error: failed(`the server went away: ${end}`, UNANSWERED), reason: end };
  const reason = faultText(error, way);
  // Whatever stands between us and the server may answer in its place.
  const why = failed(reason, isRefusal(error) ? {} : UNANSWERED);
  return isGone ? { kind: "lost", error: why, reason } : { kind: "refused", error: why };
}

async function endWithin(ms: number, ended: Promise<string>): Promise<string | undefined> {
  return Promise.race([ended, wait(ms, undefined, { ref: false })]);
}
