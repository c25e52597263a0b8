import { resolve } from "node:path";
import * as z from "zod";
import { failure, type Failure } from "../core/error.ts";
import { matchesGlob } from "../core/tools/glob.ts";
import { RESERVED_SERVER } from "../core/tools/reserved-tools.ts";
import { expandVariables } from "./expand-variables.ts";
import { TOOL_CHANGE_POLICIES, type ToolChangePolicy } from "./tools/tool-changes.ts";

const milliseconds = z.int().positive().max(2_147_483_647);
const globs = z.array(z.string().min(1));

/** The settings of one server, by name; for what else may stand there, see `upstreamShape`. */
export const upstreamFields = {
  type: z.enum(["stdio", "http", "streamable-http", "sse"]).optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().optional(),
  url: z.string().min(1).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  tools: z.strictObject({ allow: globs.optional(), deny: globs.optional() }).optional(),
  publish: z.union([z.boolean(), globs]).optional(),
  trusted: globs.optional(),
  operations: z.record(z.string().min(1), z.enum(["READ", "WRITE"])).optional(),
  changes: z.enum(TOOL_CHANGE_POLICIES).optional(),
  timeoutMs: milliseconds.optional(),
  startTimeoutMs: milliseconds.optional(),
  disabled: z.boolean().optional(),
};

const upstreamShape = z.strictObject(upstreamFields).superRefine((given, context) => {
  const ways = [given.command, given.url].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    context.addIssue({ code: "custom", message: `a server has either a "command" or a "url"` });
    return;
  }
  const wrong = given.url === undefined ? (["headers"] as const) : (["args", "env", "cwd"] as const);
  for (const field of wrong) {
    if (given[field] === undefined) continue;
    const has = given.url === undefined ? "command" : "url";
    context.addIssue({ code: "custom", path: [field], message: `does not go with a "${has}"` });
  }
  if (given.type !== undefined && (given.type === "stdio") !== (given.url === undefined)) {
    const message = `"${given.type}" does not go with a "${given.url === undefined ? "command" : "url"}"`;
    context.addIssue({ code: "custom", path: ["type"], message });
  }
});

/** What `mcpServers` in the configuration may hold. Variables are not expanded yet. */
export const mcpServersShape = z.record(z.string(), upstreamShape).superRefine((servers, context) => {
  for (const name of Object.keys(servers)) {
    if (name === RESERVED_SERVER) {
      const message = `the name "${RESERVED_SERVER}" is reserved for this program's own tools: give the server another`;
      context.addIssue({ code: "custom", path: [name], message });
      continue;
    }
    if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) continue;
    const message = "the name of a server consists of up to 64 letters, digits, - and _";
    context.addIssue({ code: "custom", path: [name], message });
  }
});

export type McpServers = z.infer<typeof mcpServersShape>;

/** How a server is reached. */
export type TransportConfig =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly kind: "http"; readonly url: URL; readonly headers: Readonly<Record<string, string>> }
  /** The settings say no way that could be gone; nobody else is concerned. */
  | { readonly kind: "unusable"; readonly error: Failure };

export type UsableTransportConfig = Exclude<TransportConfig, { kind: "unusable" }>;

/** One configured server, every variable expanded and every default filled in. */
export interface UpstreamServer {
  readonly name: string;
  readonly way: TransportConfig;
  readonly disabled: boolean;
  /** Which of its tools skills and clients may call at all; what is denied stays denied. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Which of those are published to clients under names of their own. */
  readonly publish: readonly string[];
  /** Those whose answers count as written by whoever asks: none by default. */
  readonly trusted: readonly string[];
  /** By glob, what its tools do, whatever their annotations say. */
  readonly operations: Readonly<Record<string, "READ" | "WRITE">>;
  /** What follows when its tools are not what they were. */
  readonly changes: ToolChangePolicy;
  readonly timeoutMs: number;
  readonly startTimeoutMs: number;
}

/** The configured servers. A fault in one makes that one unusable. */
export function upstreamServers(
  given: McpServers,
  base: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  changes: ToolChangePolicy = "ask",
): readonly UpstreamServer[] {
  return Object.entries(given).map(([name, one]) => ({
    name,
    way: wayOf(name, one, base, env),
    disabled: one.disabled ?? false,
    allow: one.tools?.allow ?? ["*"],
    deny: one.tools?.deny ?? [],
    publish: Array.isArray(one.publish) ? one.publish : one.publish === true ? ["*"] : [],
    trusted: one.trusted ?? [],
    operations: one.operations ?? {},
    changes: one.changes ?? changes,
    timeoutMs: one.timeoutMs ?? 60_000,
    startTimeoutMs: one.startTimeoutMs ?? 30_000,
  }));
}

/** What the settings say that a tool does; of globs that contradict each other, the one that says WRITE. */
export function configuredOperation(
  { operations }: Pick<UpstreamServer, "operations">,
  tool: string,
): "READ" | "WRITE" | undefined {
  const said = Object.entries(operations).flatMap(([glob, does]) =>
    matchesGlob(tool, [glob]) ? [does] : [],
  );
  return said.includes("WRITE") ? "WRITE" : said[0];
}

function wayOf(
  name: string,
  one: McpServers[string],
  base: string,
  env: Readonly<Record<string, string | undefined>>,
): TransportConfig {
  const { command, args = [], cwd, url, headers = {} } = one;
  const expanded = expandVariables({ command, args, env: one.env ?? {}, cwd, url, headers }, env);
  if (!expanded.ok) {
    const { field, variable } = expanded.error;
    return unusable(name, `"${field}" needs the environment variable ${variable}, which is not set`);
  }
  const ready = expanded.value;
  if (ready.url === undefined) {
    return {
      kind: "stdio",
      command: ready.command ?? "",
      args: ready.args,
      env: ready.env,
      cwd: resolve(base, ready.cwd ?? "."),
    };
  }
  if (one.type === "sse")
    return unusable(name, `"type" is "sse", an old transport that is not spoken; give a Streamable HTTP url`);
  const address = URL.canParse(ready.url) ? new URL(ready.url) : undefined;
  if (!address || !["http:", "https:"].includes(address.protocol))
    return unusable(name, `"url" is not an http or https address`);
  const badHeader = Object.entries(ready.headers).find((header) => !isHeader(header));
  if (badHeader) return unusable(name, `"headers.${badHeader[0]}" cannot be sent as a header`);
  return { kind: "http", url: address, headers: ready.headers };
}

function isHeader([name, value]: readonly [string, string]): boolean {
  try {
    new Headers().set(name, value);
    return true;
  } catch {
    return false;
  }
}

function unusable(server: string, fault: string): TransportConfig {
  return {
    kind: "unusable",
    error: failure("CONFIG_INVALID", `The server "${server}" cannot be used: ${fault}`),
  };
}
