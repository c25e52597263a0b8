import { isJsonObject } from "../core/json.ts";
import type { JsonSchema } from "../core/schema.ts";
import { commentOf, indented, schemaType } from "./schema-type.ts";

/** What is known of an upstream tool. */
export interface CallableTool {
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

/**
 * TypeScript declarations of the world's `call_tool` in which every tool that is known, by `server.tool`, has its own
 * input and output types. Any other name takes and gives anything: its server may not have been asked yet.
 */
export function toolTypes(tools: ReadonlyMap<string, CallableTool>): string {
  const entries = [...tools]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { description, inputSchema, outputSchema }]) => {
      const comment = description === undefined ? "" : `${commentOf(description)}\n`;
      const input = typeText(inputSchema, "input");
      const output = outputSchema === undefined ? "any" : typeText(outputSchema, "output");
      return indented(`${comment}${JSON.stringify(name)}: { input: ${input}; output: ${output} };`);
    });
  return ["interface ToolMap {", ...entries, "}", CALL_TOOL].join("\n");
}

const CALL_TOOL = `type ToolInput<Name extends string> = Name extends keyof ToolMap ? ToolMap[Name]["input"] : unknown;
type ToolArguments<Name extends string> = {} extends ToolInput<Name>
  ? [args?: ToolInput<Name>]
  : unknown extends ToolInput<Name>
    ? [args?: unknown]
    : [args: ToolInput<Name>];
type ToolOutput<Name extends string> = Name extends keyof ToolMap ? ToolMap[Name]["output"] : any;
/** Calls an upstream tool. */
declare function call_tool<Name extends keyof ToolMap | (string & {})>(
  name: Name,
  ...args: ToolArguments<Name>
): Promise<ToolOutput<Name>>;
`;

const MOST_REFERENCES = 3;

// Definitions are written out where they are used; one that holds itself is open from the third level on.
function typeText(schema: JsonSchema, side: "input" | "output"): string {
  const within: string[] = [];
  const reference = (pointer: string): string | undefined => {
    const target = targetOf(schema, pointer);
    if (target === undefined || within.filter((each) => each === pointer).length >= MOST_REFERENCES)
      return undefined;
    if (within.length > 2 * MOST_REFERENCES) return undefined;
    within.push(pointer);
    const text = schemaType(target, { side, reference });
    within.pop();
    return text;
  };
  return schemaType(schema, { side, reference });
}

function targetOf(schema: JsonSchema, pointer: string): JsonSchema | undefined {
  if (pointer === "#") return schema;
  const [, keyword = "", key = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(pointer) ?? [];
  const definitions = schema[keyword];
  const target = isJsonObject(definitions)
    ? definitions[key.replaceAll("~1", "/").replaceAll("~0", "~")]
    : undefined;
  return isJsonObject(target) ? target : undefined;
}
