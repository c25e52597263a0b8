import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/server";
import type { Json, JsonObject } from "../../core/json/json.ts";
import type { Result } from "../../core/result.ts";
import { IDEMPOTENCY_KEY } from "../../core/tools/idempotency-key.ts";
import { withPlainErrors } from "../plain-errors.ts";
import { failureAnswer, outputAnswer } from "../tools/tool-answer.ts";
import { type HttpFront, serveHttp } from "./serve-http.ts";

/** A call of a tool as it has come in. */
export interface ServedCall {
  readonly name: string;
  readonly input: JsonObject;
  /** The same for each attempt of the same call, where whoever calls has such a key. */
  readonly key: string | undefined;
}

/**
 * Serves calls of tools, as MCP and as plain HTTP beside it, on the loopback interface, at an address that nobody guesses: who calls there was told it.
 * No tools are listed.
 */
export async function serveCalls(
  about: { readonly name: string; readonly version: string },
  answerTo: (call: ServedCall) => Promise<Result<Json>>,
): Promise<Result<HttpFront>> {
  const factory = (): McpServer => {
    const mcp = new McpServer(about, { capabilities: { tools: {} } });
    const connect = mcp.server.connect.bind(mcp.server);
    mcp.server.connect = async (transport) => connect(withPlainErrors(transport));
    mcp.server.setRequestHandler("tools/list", () => ({ tools: [] }));
    mcp.server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
      const key = mcpReq._meta?.[IDEMPOTENCY_KEY];
      const { name, arguments: input = {} } = params;
      const told = await answerTo({
        name,
        input: input as JsonObject,
        key: typeof key === "string" && key !== "" ? key : undefined,
      });
      return told.ok ? outputAnswer(told.value, undefined) : failureAnswer(told.error);
    });
    return mcp;
  };
  const never = (): void => {};
  const directCall = (): undefined => {};
  const front = { about, factory, directCall, onToolsChange: never, onResourcesChange: never, stop: never };
  return serveHttp(front, 0, `/${randomUUID()}/mcp`);
}
