import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isJsonObject, type Json, type JsonObject, isDeeperThan } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { mappedSchema } from "../../core/json/mapped-schema.ts";
import { visibleText } from "../../core/text/display-text.ts";
import type { ToolHints } from "../../core/tools/tool-change.ts";
import type { UpstreamFinding, UpstreamTool } from "./upstream-tool.ts";
import { runWithTimeout } from "../../core/time/run-with-timeout.ts";
import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { fail, ok, type Result } from "../../core/result.ts";
import { faultText } from "../fault-text.ts";
import type { UsableTransportConfig } from "../upstream-config.ts";

/** What a server listed: the tools that can be used, and what is wrong with the rest. */
export interface ToolListing {
  readonly tools: ReadonlyMap<string, UpstreamTool>;
  readonly findings: readonly UpstreamFinding[];
}

const MAX_TOOLS = 2_000;

const MAX_TOOL_CHARACTERS = 256 * 1024;

const MAX_DESCRIPTION_CHARACTERS = 8_192;

const MAX_TITLE_CHARACTERS = 200;

const MAX_DEPTH = 100;

const MAX_FINDINGS = 50;

const CHECK_MS = 1_000;

/** Looks at everything that a server says of its tools. Nothing in there can make it throw. */
export function toolListing(server: string, raw: readonly unknown[]): ToolListing {
  const tools = new Map<string, UpstreamTool>();
  const findings: UpstreamFinding[] = [];
  const note = (finding: UpstreamFinding): void => {
    if (findings.length < MAX_FINDINGS) findings.push(finding);
  };
  // Getting ready takes a while on a busy machine: it does not count against the first tool's schema.
  void grammar.validateSchema({});
  for (const [index, each] of raw.slice(0, MAX_TOOLS).entries()) {
    const tool = isJsonObject(each) ? toolOf(server, each, index, note) : undefined;
    if (!tool) {
      if (!isJsonObject(each)) note({ kind: "tool-name", message: `Tool ${index} is no object` });
    } else if (tools.has(tool.name)) {
      const message = `The tool "${tool.name}" is listed twice; the first counts`;
      note({ kind: "tool-duplicate", tool: tool.name, message });
    } else tools.set(tool.name, tool);
  }
  if (raw.length > MAX_TOOLS)
    note({ kind: "list-cut", message: `It lists ${raw.length} tools; the first ${MAX_TOOLS} count` });
  return { tools, findings };
}

function toolOf(
  server: string,
  raw: JsonObject,
  index: number,
  note: (finding: UpstreamFinding) => void,
): UpstreamTool | undefined {
  const { name, title, description, inputSchema, outputSchema } = raw;
  if (typeof name !== "string" || !/^[^\s\p{C}]{1,128}$/u.test(name)) {
    const shown = JSON.stringify(name ?? null).slice(0, 100);
    note({ kind: "tool-name", message: `Tool ${index} cannot be called, as its name is ${shown}` });
    return undefined;
  }
  if (isDeeperThan(raw, MAX_DEPTH) || JSON.stringify(raw).length > MAX_TOOL_CHARACTERS) {
    const message = `The tool "${name}" is left out: its definition is too large or too deep`;
    note({ kind: "tool-too-large", tool: name, message });
    return undefined;
  }
  const annotations = isJsonObject(raw["annotations"]) ? raw["annotations"] : {};
  const shownTitle = [title, annotations["title"]].find((each) => typeof each === "string" && each !== "");
  const input = checked(inputSchema, "input");
  if (input.fault !== undefined) {
    const message = `The inputSchema of "${name}" is not used: ${input.fault}`;
    note({ kind: "input-schema", tool: name, message });
  }
  const output = outputSchema === undefined ? undefined : checked(outputSchema, "output");
  if (output?.fault !== undefined) {
    const message = `The outputSchema of "${name}" is not used, so its results are not checked: ${output.fault}`;
    note({ kind: "output-schema", tool: name, message });
  }
  return {
    server,
    name,
    ...(typeof shownTitle === "string" ? { title: visibleText(shownTitle, MAX_TITLE_CHARACTERS) } : {}),
    ...(typeof description === "string"
      ? { description: visibleText(description, MAX_DESCRIPTION_CHARACTERS) }
      : {}),
    inputSchema: withVisibleTexts(input.schema ?? { type: "object" }),
    ...(output?.schema === undefined ? {} : { outputSchema: withVisibleTexts(output.schema) }),
    annotations: hintsOf(annotations),
  };
}

function hintsOf(annotations: JsonObject): ToolHints {
  const names = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = annotations[name];
      return typeof value === "boolean" ? [[name, value] as const] : [];
    }),
  );
}

/** The texts of a schema, which people and models read, as those of the tool itself; its values stay as they are. */
function withVisibleTexts(schema: JsonSchema): JsonSchema {
  if (PLAIN.test(JSON.stringify(schema))) return schema;
  return mappedSchema(schema, visible) as JsonSchema;
}

function visible(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) =>
      OF_TEXT.has(keyword) && typeof value === "string"
        ? [keyword, visibleText(value, MAX_DESCRIPTION_CHARACTERS)]
        : [keyword, value],
    ),
  );
}

const PLAIN = /^(?:[\x20-\x5b\x5d-\x7e]|\\[^u])*$/;

const OF_TEXT: ReadonlySet<string> = new Set(["title", "description", "$comment"]);

const grammar = new Ajv2020({ strict: false, logger: false, validateSchema: false });

addFormats.default(grammar);

function checked(
  raw: Json | undefined,
  side: "input" | "output",
): { readonly schema?: JsonSchema; readonly fault?: string } {
  if (raw === undefined) return { fault: "there is none" };
  if (!isJsonObject(raw)) return { fault: "it is no object" };
  // The dialect is dropped: most name draft-07 and hold nothing that 2020-12 reads in another way.
  const { $schema: _dialect, ...rest } = raw;
  const schema = side === "input" ? { type: "object", ...rest } : rest;
  if (side === "input" && schema["type"] !== "object") return { fault: `its "type" is not "object"` };
  try {
    const fits = runWithTimeout(CHECK_MS, () => grammar.validateSchema(schema));
    if (fits === true) return { schema };
    return { fault: `it is not valid JSON Schema: ${grammar.errorsText(grammar.errors?.slice(0, 3) ?? [])}` };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** What a server lists, not looked at yet. */
export interface RawTools {
  readonly tools: readonly unknown[];
  /** Whether there would have been more than anyone needs. */
  readonly isCut: boolean;
}

const MAX_PAGES = 64;

const MAX_CHARACTERS = 8 * 2 ** 20;

// The SDK would refuse the whole list for one tool that is not as it should be.
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** Every page of a server's tools, as long as they end. */
export async function listTools(
  client: Client,
  timeoutMs: number,
  way: UsableTransportConfig,
): Promise<Result<RawTools, string>> {
  if (!client.getServerCapabilities()?.tools) return ok({ tools: [], isCut: false });
  const until = performance.now() + timeoutMs;
  const tools: unknown[] = [];
  let characters = 0;
  let cursor: string | undefined;
  try {
    for (let count = 0; count < MAX_PAGES; count++) {
      const timeout = Math.max(1, until - performance.now());
      const params = cursor === undefined ? {} : { cursor };
      const more = await client.request({ method: "tools/list", params }, page, {
        timeout,
        maxTotalTimeout: timeout,
      });
      characters += JSON.stringify(more.tools).length;
      if (characters > MAX_CHARACTERS) break;
      tools.push(...more.tools.slice(0, MAX_TOOLS + 1));
      if (more.nextCursor === undefined || more.nextCursor === "") return ok({ tools, isCut: false });
      if (more.nextCursor === cursor || tools.length > MAX_TOOLS) break;
      cursor = more.nextCursor;
    }
    return ok({ tools, isCut: true });
  } catch (error) {
    return fail(`its tools cannot be listed: ${faultText(error, way)}`);
  }
}
