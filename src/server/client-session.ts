import { randomUUID } from "node:crypto";
import type { McpServerFactory, ServerContext } from "@modelcontextprotocol/server";

/**
 * Tells the session of each request on a connection. Over HTTP, revisions since 2026-07-28 have none: requests that
 * carry the same W3C trace id (`_meta.traceparent`) belong together, others stand alone.
 */
export function sessionOn(
  connection: Parameters<McpServerFactory>[0],
): (context: ServerContext) => string | undefined {
  const isStateless = connection.era !== "legacy" && connection.requestInfo !== undefined;
  const own = isStateless ? undefined : randomUUID();
  return ({ mcpReq }) => own ?? traceIdOf(mcpReq._meta?.["traceparent"]);
}

function traceIdOf(traceparent: unknown): string | undefined {
  if (typeof traceparent !== "string") return undefined;
  return /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(traceparent)?.[1];
}
