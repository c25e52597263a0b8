import type { JsonSchema } from "../core/schema.ts";

/** A tool of another server, as it may be shown to others: every part has been looked at. */
export interface UpstreamTool {
  readonly server: string;
  /** As the server itself calls it; skills call it `server.name`. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Valid JSON Schema with an object at its root. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** What the server says of it; nothing holds it to that. */
  readonly annotations: ToolHints;
}

export interface ToolHints {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Something wrong with what a server says or does, which did not keep it from being used. */
export interface UpstreamFinding {
  readonly kind:
    | "tool-name"
    | "tool-duplicate"
    | "tool-too-large"
    | "input-schema"
    | "output-schema"
    | "output-mismatch"
    | "list-cut"
    | "list-failed";
  readonly tool?: string;
  readonly message: string;
}
