import type { Tool } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../core/json/json.ts";

/**
 * What the server can do, as a card of A2A 1.0. Its interfaces are those that there are, MCP and plain HTTP: tasks and
 * messages of A2A are not served.
 */
export function agentCard(
  { name, version }: { readonly name: string; readonly version: string },
  tools: readonly Tool[],
  host: string,
): JsonObject {
  return {
    name,
    description:
      "Skills as typed tools: each does one procedure that was checked, from its input to its output.",
    version,
    supportedInterfaces: [
      { url: `http://${host}/mcp`, protocolBinding: "MCP", protocolVersion: "2026-07-28" },
      { url: `http://${host}/openapi.json`, protocolBinding: "OPENAPI", protocolVersion: "3.1" },
    ],
    capabilities: { streaming: false, pushNotifications: false },
    defaultInputModes: ["application/json"],
    defaultOutputModes: ["application/json"],
    skills: tools.map((tool) => ({
      id: tool.name,
      name: tool.title ?? tool.name,
      description: tool.description ?? tool.title ?? tool.name,
      tags: tool.annotations?.readOnlyHint === true ? ["reads"] : ["writes"],
    })),
  };
}
