import type { JsonSchema } from "../../core/json/json-schema.ts";
import type { ToolHints } from "../../core/tools/tool-change.ts";

/** A tool of another server, as it may be shown to others: every part has been looked at. */
export interface UpstreamTool {
  readonly server: string;
  /** As the server itself calls it; skills call it `server.name`. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Valid JSON Schema with an object at its root. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations: ToolHints;
}

/** Something wrong with what a server says or does, which did not keep it from being used. */
export interface UpstreamFinding {
  readonly kind:
    | "tool-name"
    | "tool-duplicate"
    | "tool-look-alike"
    | "tool-too-large"
    | "input-schema"
    | "output-schema"
    | "output-mismatch"
    | "list-cut"
    | "list-failed";
  readonly tool?: string;
  readonly message: string;
}
