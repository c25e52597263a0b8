import type { JsonSchema } from "../../core/json/json-schema.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { TraceReader } from "../mining/occurrence-traces.ts";
import type { RecordedCall, RecordedTrace } from "./recorded-trace.ts";

/** A tool by the name that `call_tool` has for it. */
export interface QualifiedTool {
  readonly name: string;
  readonly outputSchema?: JsonSchema | undefined;
}

/**
 * A trace with its tools named as `call_tool` names them, where they are known: clients record `shop.get_order` as
 * `mcp__shop__get_order`, and some as `get_order`. What may be another server's stays as it is. Answers are in the shape
 * in which `call_tool` gives them.
 */
export function withQualifiedTools(trace: RecordedTrace, known: readonly QualifiedTool[]): RecordedTrace {
  const toolNames = known.map(({ name }) => name);
  const tools = [...new Set(trace.calls.map(({ tool }) => tool))];
  const names = new Map(tools.map((tool) => [tool, tool]));
  const bare = tools.filter((tool) => !/\.|__/.test(tool));
  const [server, ...others] = serversWith(bare, toolNames);
  if (server !== undefined && others.length === 0)
    for (const tool of bare) names.set(tool, `${server}.${tool}`);
  const prefixed = Map.groupBy(toolNames, prefixedName);
  for (const tool of tools.filter((each) => !toolNames.includes(each))) {
    // Behind a server that passes tools on, its own name comes first.
    const ownNames = [
      tool.replace(/^mcp__/, ""),
      tool.replace(/^mcp__.+?__/, ""),
      tool.replace(/^[^.]+\./, ""),
    ];
    for (const rest of [tool, prefixedName(tool), ...ownNames]) {
      const [name, ...more] = prefixed.get(rest) ?? [];
      if (name !== undefined && more.length === 0) names.set(tool, name);
    }
  }
  const schemas = new Map(known.map(({ name, outputSchema }) => [name, outputSchema]));
  return {
    ...trace,
    calls: trace.calls.map((call) => {
      const tool = names.get(call.tool) ?? call.tool;
      return { ...call, tool, result: declaredResult(call, schemas.get(tool)) };
    }),
  };
}

/**
 * Servers that may answer with any value declare an object with the value in `result`, as structured content has to be an
 * object; transcripts have the bare value, as it stood in the text.
 */
function declaredResult({ result, error }: RecordedCall, schema: JsonSchema | undefined): Json {
  const properties = schema?.["properties"];
  const isWrapped =
    error === undefined && isJsonObject(properties) && Object.keys(properties).join("\n") === "result";
  const isBare = !isJsonObject(result) || Object.keys(result).join("\n") !== "result";
  return isWrapped && isBare ? { result } : result;
}

/** The same of all traces of a source. */
export function readerWithQualifiedTools(source: TraceReader, known: readonly QualifiedTool[]): TraceReader {
  return {
    async *all() {
      for await (const trace of source.all()) yield withQualifiedTools(trace, known);
    },
    one: async (id) => {
      const trace = await source.one(id);
      return trace && withQualifiedTools(trace, known);
    },
  };
}

/** The servers that have every one of these tools. */
function serversWith(tools: readonly string[], toolNames: readonly string[]): readonly string[] {
  const servers = Map.groupBy(toolNames, (name) => name.slice(0, name.indexOf(".")));
  return [...servers.keys()].filter((server) =>
    tools.every((tool) => toolNames.includes(`${server}.${tool}`)),
  );
}

/** `shop.get_order` as `shop__get_order`, with the letters that all clients take. */
function prefixedName(name: string): string {
  return name.replace(".", "__").replaceAll(/[^\w-]/g, "_");
}
