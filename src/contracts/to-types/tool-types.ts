import { serverOf } from "../../core/tools/tool-name.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { freeName, pascalCase, schemaDeclarations } from "./schema-declarations.ts";
import { commentOf, indented } from "./schema-to-type.ts";

/** What is known of an upstream tool. */
export interface CallableTool {
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
}

/** Upstream tools by the names that skills call them by: `server.tool`. */
export type CallableTools = ReadonlyMap<string, CallableTool>;

/**
 * TypeScript declarations of the world's `call_tool` in which every tool that is known has its own input and output
 * types. Another name of a server whose tools are known is an error; what other servers have is left open.
 */
export function toolTypes(tools: CallableTools): string {
  const names = new Set<string>();
  const types = [...tools]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, tool]) => typesOf(name, tool, freeName(pascalCase(name), names)));
  const servers = [...new Set([...tools.keys()].map(serverOf))]
    .toSorted()
    .map((name) => JSON.stringify(name));
  return [
    "declare namespace Tools {",
    ...types.flatMap(({ declarations }) => declarations.map(indented)),
    "}",
    "interface ToolMap {",
    ...types.map(({ entry }) => indented(entry)),
    "}",
    `type ToolServer = ${servers.length === 0 ? "never" : servers.join(" | ")};`,
    CALL_TOOL,
  ].join("\n");
}

// As with skills: a pattern counts as known where some tool fits it, and several names take what all of them take.
const CALL_TOOL = `type ToolName = keyof ToolMap;
type KnownToolName<Name extends string> = string extends Name
  ? Name
  : Name extends ToolName
    ? Name
    : Name extends \`\${infer Server}.\${string}\`
      ? Server extends ToolServer
        ? [Extract<ToolName, Name>] extends [never]
          ? Extract<ToolName, \`\${Server}.\${string}\`>
          : Name
        : Name
      : Name;
type ToolInput<Name extends ToolName> = {
  [Each in Name]: (args: ToolMap[Each]["input"]) => void;
}[Name] extends (args: infer Input) => void
  ? Input
  : never;
type ToolArguments<Name extends string> = [Name] extends [ToolName]
  ? {} extends ToolInput<Name>
    ? [args?: ToolInput<Name>]
    : [args: ToolInput<Name>]
  : [args?: unknown];
type ToolOutput<Name extends string> = Name extends ToolName ? ToolMap[Name]["output"] : any;
/** Calls an upstream tool. */
declare function call_tool<Name extends string>(
  name: KnownToolName<Name>,
  ...args: ToolArguments<Name>
): Promise<ToolOutput<Name>>;
`;

/** A tool whose types would be longer takes and gives anything: nobody could read them. */
const MAX_CHARACTERS = 50_000;

interface ToolDeclarations {
  readonly declarations: readonly string[];
  readonly entry: string;
}

function typesOf(
  name: string,
  { description, inputSchema, outputSchema }: CallableTool,
  typeName: string,
): ToolDeclarations {
  const comment = description === undefined ? "" : `${commentOf(description)}\n`;
  const entry = (input: string, output: string): string =>
    `${comment}${JSON.stringify(name)}: { input: ${input}; output: ${output} };`;
  const declarations = [
    ...schemaDeclarations(inputSchema, `${typeName}Input`, "input"),
    ...(outputSchema === undefined ? [] : schemaDeclarations(outputSchema, `${typeName}Output`, "output")),
  ];
  if (declarations.join("").length > MAX_CHARACTERS)
    return { declarations: [], entry: entry("unknown", "any") };
  const output = outputSchema === undefined ? "any" : `Tools.${typeName}Output`;
  return { declarations, entry: entry(`Tools.${typeName}Input`, output) };
}
