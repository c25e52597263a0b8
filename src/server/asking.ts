import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

const VERDICT = z.object({
  verdict: z.enum(["approve", "reject"]).describe("Whether it becomes a skill"),
  comment: z.string().max(2000).optional().describe("Why"),
});

/** What a person says to a question; `asking` is the question itself, which the client puts to the person. */
export type Verdict =
  | { readonly kind: "asking"; readonly question: InputRequiredResult }
  | {
      readonly kind: "answered";
      readonly verdict: "approve" | "reject";
      readonly comment?: string | undefined;
    }
  | { readonly kind: "declined" }
  /** The client cannot put questions to a person. */
  | { readonly kind: "nobody" };

/** Puts a question to the person behind a client, in either protocol era. */
export function askedVerdict(mcp: McpServer, { mcpReq }: ServerContext, message: string): Verdict {
  if (!canAsk(mcp, mcpReq.envelope)) return { kind: "nobody" };
  const given = inputResponse(mcpReq.inputResponses, KEY);
  if (given.kind === "missing") {
    const request = inputRequired.elicit({ message, requestedSchema: VERDICT });
    return { kind: "asking", question: inputRequired({ inputRequests: { [KEY]: request } }) };
  }
  const accepted = acceptedContent(mcpReq.inputResponses, KEY, VERDICT);
  return accepted ? { kind: "answered", ...accepted } : { kind: "declined" };
}

const KEY = "verdict";

// Since 2026-07-28 each request tells what its client can do; before, the connection did.
function canAsk(mcp: McpServer, envelope: Readonly<Record<string, unknown>> | undefined): boolean {
  const own = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? mcp.server.getClientCapabilities();
  return typeof own === "object" && own !== null && "elicitation" in own && own.elicitation !== undefined;
}
