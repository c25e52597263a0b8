import { createHash } from "node:crypto";
import { qualifiedName } from "../../core/tools/tool-name.ts";
import { matchesGlob } from "../../core/tools/glob.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import type { ToolHints } from "../../core/tools/tool-change.ts";
import type { UpstreamTool } from "./upstream-tool.ts";

/** A tool of another server as clients see it. Its schemas still want the form that every client accepts. */
export interface PublishedTool {
  /** Unique, and accepted by every client. */
  readonly name: string;
  /** What `Upstreams.call` calls it. */
  readonly calls: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: Required<ToolHints>;
}

/** Patterns over the names of a server's tools. */
export interface ToolChoice {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Whether a tool is chosen by its server's patterns. */
export function isChosen({ server, name }: UpstreamTool, chosen: ReadonlyMap<string, ToolChoice>): boolean {
  const choice = chosen.get(server);
  return choice !== undefined && isAmong(name, choice);
}

/** Whether the name is allowed, and not denied. */
export function isAmong(name: string, { allow, deny }: ToolChoice): boolean {
  return matchesGlob(name, allow) && !matchesGlob(name, deny);
}

/** The tools that are chosen, by server, in a stable order; what is denied is never among them. */
export function publishedTools(
  tools: readonly UpstreamTool[],
  chosen: ReadonlyMap<string, ToolChoice>,
  taken: ReadonlySet<string> = new Set(),
): readonly PublishedTool[] {
  const names = new Set(taken);
  return tools
    .filter((tool) => isChosen(tool, chosen))
    .toSorted((a, b) => (qualifiedName(a) < qualifiedName(b) ? -1 : 1))
    .map((tool) => {
      const name = clientName(tool, names);
      names.add(name);
      return published(tool, name);
    });
}

function published(tool: UpstreamTool, name: string): PublishedTool {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    calls: qualifiedName(tool),
    title: title ?? tool.name,
    description: description ?? `The tool ${tool.name} of the server ${tool.server}.`,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: withDefaults(annotations),
  };
}

// Clients allow 64 characters, but some count a prefix of their own among them.
const MAX_CHARACTERS = 48;
const DIGITS = 8;

/** How the names of a server's published tools begin. */
export function clientPrefix(server: string): string {
  return plainName(`${server}__`).slice(0, MAX_CHARACTERS - DIGITS - 1);
}

function plainName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

/** What clients call a tool, where none of the names is taken. */
export function clientName(
  tool: Pick<UpstreamTool, "server" | "name">,
  taken: ReadonlySet<string> = new Set(),
): string {
  const wanted = `${tool.server}__${tool.name}`;
  const plain = plainName(wanted);
  if (plain === wanted && plain.length <= MAX_CHARACTERS && !taken.has(plain)) return plain;
  const digest = createHash("sha256").update(qualifiedName(tool)).digest("hex").slice(0, DIGITS);
  return `${plain.slice(0, MAX_CHARACTERS - DIGITS - 1)}-${digest}`;
}

// What a server does not say counts as the specification has it, which is the alarming way.
function withDefaults(hints: ToolHints): Required<ToolHints> {
  const {
    readOnlyHint = false,
    destructiveHint = !readOnlyHint,
    idempotentHint = false,
    openWorldHint = true,
  } = hints;
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
}
