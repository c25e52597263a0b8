import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { oneLine } from "../../core/text/display-text.ts";

/**
 * Tells the session of each request on a connection. Over HTTP, revisions since 2026-07-28 have none: requests that
 * carry the same W3C trace id (`_meta.traceparent`) belong together, others stand alone.
 */
export function sessionOn(
  connection: Parameters<McpServerFactory>[0],
): (meta: Readonly<Record<string, unknown>> | undefined) => string | undefined {
  const isStateless = connection.era !== "legacy" && connection.requestInfo !== undefined;
  const own = isStateless ? undefined : randomUUID();
  return (meta) => own ?? traceIdOf(meta?.["traceparent"]);
}

const sockets = new AsyncLocalStorage<Socket>();

/** Tells over which socket the request came that is handled from here on. */
export function enterSocket(socket: Socket): void {
  sockets.enterWith(socket);
}

/**
 * Who calls on a connection: its session, or where there is none the socket. What a request says of itself, such as
 * its trace id, does not count.
 */
export function callerOn(connection: Parameters<McpServerFactory>[0]): string {
  const { remoteAddress = "", remotePort = 0 } = sockets.getStore() ?? {};
  const isStateless = connection.era !== "legacy" && connection.requestInfo !== undefined;
  return isStateless ? `${remoteAddress} ${remotePort}` : randomUUID();
}

/** Name and version of a client, as it tells them of itself. */
export function clientText(info: unknown): string | undefined {
  if (typeof info !== "object" || info === null || !("name" in info) || typeof info.name !== "string")
    return undefined;
  const known = clientTexts.get(info);
  if (known !== undefined) return known;
  const version = "version" in info && typeof info.version === "string" ? ` ${info.version}` : "";
  const text = oneLine(`${info.name}${version}`).slice(0, MAX_CLIENT).trim() || undefined;
  if (text !== undefined) clientTexts.set(info, text);
  return text;
}

/** By what a client tells of itself, once for a connection. */
const clientTexts = new WeakMap<object, string>();

const MAX_CLIENT = 100;

function traceIdOf(traceparent: unknown): string | undefined {
  if (typeof traceparent !== "string") return undefined;
  return /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(traceparent)?.[1];
}
