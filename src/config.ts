import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { findNodeAtLocation, type JSONPath, type Node, parseTree } from "jsonc-parser";
import * as z from "zod";
import { DISCOVERY_LIMITS, type DiscoveryLimits } from "./catalog/folders/discover.ts";
import { failure, type Failure } from "./core/error.ts";
import { fileFault } from "./core/files/file-fault.ts";
import { parseJson, positionAt } from "./core/json/parse-json.ts";
import { didYouMean } from "./core/text/nearest.ts";
import { fail, ok, type Result } from "./core/result.ts";
import { ZOD_MESSAGES } from "./core/json/zod-messages.ts";
import {
  mcpServersShape,
  upstreamFields,
  type UpstreamServer,
  upstreamServers,
} from "./upstream/upstream-config.ts";
import { expandVariables } from "./upstream/expand-variables.ts";
import { modelFields, type ModelSettings, modelSettings, modelShape } from "./model/model-config.ts";
import type { EngineSettings } from "./export/execution/execution.ts";
import type { TemporalSettings } from "./durable/temporal.ts";
import { TOOL_CHANGE_POLICIES } from "./upstream/tools/tool-changes.ts";
import type { NamedSkill } from "./checks/setting-findings.ts";
import type { PromotionPolicy } from "./learn/drafts/draft.ts";
import { redactor } from "./trace/redact/redaction.ts";
import type { RedactionOptions, Retention } from "./trace/trace-store.ts";
import { DEFAULT_LIMITS, MIN_MEMORY_MB, type Limits } from "./core/limits.ts";

const CONFIG_FILE = "mcp.config.json";

/** The server's own configuration, with every path absolute and every default filled in. */
export interface Config {
  /** The file it was read from, if there is one. */
  readonly file: string | undefined;
  /** The name that the server tells its clients. */
  readonly name: string;
  readonly skills: readonly string[];
  /** How far skills are searched for in each of these folders. */
  readonly discovery: DiscoveryLimits;
  /** Where caches, traces, drafts and versions are kept. */
  readonly data: string;
  /** Whether findings of the reference validator are reported too. */
  readonly strict: boolean;
  readonly limits: Limits;
  readonly skillLimits: Readonly<Record<string, Partial<Limits>>>;
  /** Worker threads; as many as there are cores by default. */
  readonly workers: number | undefined;
  /** Whether threads wait awake for each other while calls come one by one. */
  readonly waitAwake: boolean | undefined;
  /** How long what runs may go on when the server is asked to end, in milliseconds. */
  readonly graceMs: number;
  /** Above so many skills only the pinned ones are listed as tools of their own. */
  readonly mostTools: number;
  readonly pinned: readonly string[];
  /**
   * The skills that `pinned` and `skillLimits` name; none where other folders are read than the configured ones.
   * @internal
   */
  readonly namedSkills: readonly NamedSkill[];
  /** Whether skills that do not fit to those they call are tools all the same. */
  readonly publish: "sound" | "all";
  /** Other MCP servers whose tools skills may call. */
  readonly upstream: readonly UpstreamServer[];
  /** Whether a run that can write what an untrusted tool has answered takes a person's consent. */
  readonly flows: { readonly untrustedIntoWrites: "tell" | "ask" };
  readonly traces: TraceSettings;
  /** When a draft becomes a skill, and where. */
  readonly drafts: DraftSettings;
  /** Where durable runs, and all that may write, are worked on: in this process, or by workers of Temporal. */
  readonly execute: "here" | "temporal";
  readonly temporal: TemporalSettings;
  /** How skills are run on other engines, where somebody asks for that. */
  readonly engines: EngineSettings;
  /** The model that may be asked; nothing works otherwise without one. */
  readonly model: ModelSettings | undefined;
}

export interface DraftSettings {
  readonly policy: PromotionPolicy;
  /** Where promoted skills go, absolute: the first skills folder by default. */
  readonly folder: string;
  /** How long a server may take to learn from runs once, in milliseconds. */
  readonly maxMs: number;
}

/** Whether, where and how what happens is kept. */
export interface TraceSettings {
  readonly record: boolean;
  /** The file of SQLite, absolute, or the connection string of PostgreSQL. */
  readonly store: string;
  readonly maxPayloadBytes?: number;
  /** Whether an answer waits until its run is recorded. */
  readonly durability: "fast" | "answered";
  readonly redaction: RedactionOptions;
  /** What is deleted by itself, oldest first; nothing by default. */
  readonly retention: Retention;
  /** Which runs a client can look at: those of its own session, or those of all. */
  readonly visible: "session" | "all";
}

const count = z.int().positive();
/** The longest that a timer of Node can wait. */
const MAX_TIMER_MS = 2_147_483_647;
const milliseconds = count.max(MAX_TIMER_MS);
const limitFields = {
  wallMs: milliseconds,
  cpuMs: milliseconds,
  memoryMb: z.int().min(MIN_MEMORY_MB).max(2048),
  depth: z.int().min(0).max(64),
  calls: z.int().min(0),
  inFlight: count,
  payloadBytes: count.max(64 * 2 ** 20),
  consoleBytes: z.int().min(0),
};
const limits = z.strictObject(limitFields).partial();
const redaction = z
  .strictObject({
    off: z.array(z.string()).optional(),
    rules: z.array(z.strictObject({ name: z.string(), pattern: z.string() })).optional(),
  })
  .superRefine((given, context) => {
    const checked = redactor(given as RedactionOptions);
    if (!checked.ok) context.addIssue({ code: "custom", message: checked.error.message });
  });
const retention = z.strictObject({
  maxAgeDays: z.number().positive().optional(),
  maxRuns: count.optional(),
  maxBytes: count.optional(),
});
const traceFields = {
  record: z.boolean().optional(),
  store: z
    .string()
    .min(1)
    .transform((given, context) => {
      const expanded = expandVariables(given, process.env);
      if (expanded.ok) return expanded.value;
      const message = `the environment variable ${expanded.error.variable} is not set`;
      context.issues.push({ code: "custom", message, input: given });
      return z.NEVER;
    })
    .optional(),
  maxPayloadBytes: count.optional(),
  durability: z.enum(["fast", "answered"]).optional(),
  redaction: redaction.optional(),
  retention: retention.optional(),
  visible: z.enum(["session", "all"]).optional(),
};
const draftFields = {
  review: z.enum(["always", "automatic"]).optional(),
  above: z.enum(["own", "twin", "heldOut", "live"]).optional(),
  least: z.number().min(0).max(1).optional(),
  writes: z.boolean().optional(),
  folder: z.string().min(1).optional(),
  maxMs: count.optional(),
};
const flowFields = { untrustedIntoWrites: z.enum(["tell", "ask"]).optional() };
const discoveryFields = { maxFolders: count.optional(), maxLevels: z.int().min(0).max(64).optional() };
const temporalFields = {
  address: z.string().min(1).optional(),
  namespace: z.string().min(1).optional(),
  taskQueue: z.string().min(1).optional(),
};
const engineFields = { python: z.string().min(1).optional(), timeoutMs: milliseconds.optional() };
/** What `mcp.config.json` may hold. */
export const configShape = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1).optional(),
  skills: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  discovery: z.strictObject(discoveryFields).optional(),
  data: z.string().optional(),
  strict: z.boolean().optional(),
  limits: limits.optional(),
  skillLimits: z.record(z.string(), limits).optional(),
  workers: count.max(64).optional(),
  waitAwake: z.boolean().optional(),
  graceMs: z.int().min(0).max(MAX_TIMER_MS).optional(),
  mostTools: z.int().min(0).optional(),
  pinned: z.array(z.string()).optional(),
  publish: z.enum(["sound", "all"]).optional(),
  mcpServers: mcpServersShape.optional(),
  changes: z.enum(TOOL_CHANGE_POLICIES).optional(),
  flows: z.strictObject(flowFields).optional(),
  traces: z.strictObject(traceFields).optional(),
  drafts: z.strictObject(draftFields).optional(),
  execute: z.enum(["here", "temporal"]).optional(),
  temporal: z.strictObject(temporalFields).optional(),
  engines: z.strictObject(engineFields).optional(),
  model: modelShape.optional(),
});

export interface ConfigOptions {
  /** The configuration file; by default `mcp.config.json` in `cwd`, where there is one. */
  readonly file?: string | undefined;
  /** Skill folders that replace the configuration's. */
  readonly skills?: readonly string[];
  readonly cwd?: string;
}

/**
 * Reads the configuration. Without a file the skills are in `./skills` and the data in the user's data directory. Errors:
 * `CONFIG_INVALID` with line and column of each fault, `PATH_NOT_FOUND` for a file that was named and is not there.
 */
export async function readConfig(options: ConfigOptions = {}): Promise<Result<Config>> {
  const cwd = options.cwd ?? process.cwd();
  const file = resolve(cwd, options.file ?? CONFIG_FILE);
  const text = await readFile(file, "utf8").catch((error: unknown) => error as NodeJS.ErrnoException);
  if (typeof text !== "string") {
    const absent = text.code === "ENOENT";
    if (absent && options.file === undefined) return ok(configOf({}, undefined, cwd, options.skills));
    const code = absent ? "PATH_NOT_FOUND" : "CONFIG_INVALID";
    return fail(failure(code, `The configuration ${file} cannot be read: ${fileFault(text)}`));
  }
  const parsed = parseConfig(text, file);
  return parsed.ok ? ok(configOf(parsed.value, file, cwd, options.skills)) : parsed;
}

/** The upstream servers that may be reached. */
export function serverNames({ upstream }: Pick<Config, "upstream">): ReadonlySet<string> {
  return new Set(upstream.filter(({ disabled }) => !disabled).map(({ name }) => name));
}

type FileConfig = z.infer<typeof configShape>;

function configOf(
  given: FileConfig,
  file: string | undefined,
  cwd: string,
  skills?: readonly string[],
): Config {
  const base = file === undefined ? cwd : dirname(file);
  const configured = given.skills ?? "skills";
  const folders =
    skills && skills.length > 0
      ? skills.map((folder) => resolve(cwd, folder))
      : [configured].flat().map((folder) => resolve(base, withHome(folder)));
  const ownData = given.data === undefined ? join(base, ".repertoire") : resolve(base, withHome(given.data));
  const data = file === undefined ? userDataFolder() : ownData;
  return {
    file,
    name: given.name ?? "repertoire",
    skills: folders,
    discovery: {
      maxFolders: given.discovery?.maxFolders ?? DISCOVERY_LIMITS.maxFolders,
      maxLevels: given.discovery?.maxLevels ?? DISCOVERY_LIMITS.maxLevels,
    },
    data,
    strict: given.strict ?? false,
    limits: { ...DEFAULT_LIMITS, ...defined(given.limits) },
    skillLimits: Object.fromEntries(
      Object.entries(given.skillLimits ?? {}).map(([name, own]) => [name, defined(own)]),
    ),
    workers: given.workers,
    waitAwake: given.waitAwake,
    graceMs: given.graceMs ?? 5000,
    mostTools: given.mostTools ?? 1000,
    pinned: given.pinned ?? [],
    namedSkills:
      skills && skills.length > 0
        ? []
        : [
            ...(given.pinned ?? []).map((skill) => ({ setting: "pinned", skill })),
            ...Object.keys(given.skillLimits ?? {}).map((skill) => ({ setting: "skillLimits", skill })),
          ],
    publish: given.publish ?? "sound",
    upstream: upstreamServers(given.mcpServers ?? {}, base, process.env, given.changes),
    flows: { untrustedIntoWrites: given.flows?.untrustedIntoWrites ?? "tell" },
    traces: traceSettings(given.traces ?? {}, base, data),
    drafts: draftSettings(given.drafts ?? {}, base, folders),
    execute: given.execute ?? "here",
    temporal: {
      address: given.temporal?.address ?? "127.0.0.1:7233",
      namespace: given.temporal?.namespace ?? "default",
      taskQueue: given.temporal?.taskQueue ?? "repertoire",
    },
    engines: {
      python: interpreter(given.engines?.python ?? "python3", base),
      timeoutMs: given.engines?.timeoutMs ?? 600_000,
    },
    model: given.model && modelSettings(given.model, (text) => expandVariables(text, process.env)),
  };
}

function draftSettings(
  {
    review = "always",
    above = "heldOut",
    least,
    writes,
    folder,
    maxMs = 50_000,
  }: NonNullable<FileConfig["drafts"]>,
  base: string,
  [first = base]: readonly string[],
): DraftSettings {
  return {
    policy: review === "always" ? { review } : { review, above, least, writes },
    folder: folder === undefined ? first : resolve(base, withHome(folder)),
    maxMs,
  };
}

function traceSettings(
  {
    record,
    store,
    maxPayloadBytes,
    durability,
    redaction: redacted,
    retention: kept,
    visible,
  }: NonNullable<FileConfig["traces"]>,
  base: string,
  data: string,
): TraceSettings {
  const at = store ?? join(data, "traces.db");
  return {
    record: record ?? true,
    store: /^[a-z][a-z0-9+.-]+:\/\//.test(at) ? at : resolve(base, withHome(at)),
    ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }),
    durability: durability ?? "fast",
    redaction: (redacted ?? {}) as RedactionOptions,
    retention: (kept ?? {}) as Retention,
    visible: visible ?? "session",
  };
}

function defined(given: z.infer<typeof limits> | undefined): Partial<Limits> {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined));
}

/** A program of the PATH, or the file that a path names. */
function interpreter(given: string, base: string): string {
  return /[\\/]/.test(given) ? resolve(base, withHome(given)) : given;
}

function withHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}

function userDataFolder(): string {
  const { env, platform } = process;
  if (platform === "win32")
    return join(env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"), "repertoire");
  if (platform === "darwin") return join(homedir(), "Library", "Application Support", "repertoire");
  return join(env["XDG_DATA_HOME"] ?? join(homedir(), ".local", "share"), "repertoire");
}

function parseConfig(text: string, file: string): Result<FileConfig> {
  const json = parseJson(text);
  if (!json.ok) {
    const { line, column, message } = json.error;
    return fail(failure("CONFIG_INVALID", `${file}:${line}:${column}: ${message}`));
  }
  const root = parseTree(text);
  const placed = (node: Node | undefined, message: string): string => {
    const { line, column } = positionAt(text, node?.offset ?? 0);
    return `${file}:${line}:${column}: ${message}`;
  };
  const twice = repeatedNames(root).map((node) => placed(node, `"${node.value}" is there more than once`));
  if (twice.length > 0) return fail(invalidConfig(twice));
  const checked = configShape.safeParse(json.value, ZOD_MESSAGES);
  if (checked.success) return ok(checked.data);
  const messages = checked.error.issues
    .flatMap((issue) => messagesOf(issue))
    .map(({ path, message }) => placed(nodeAt(root, path), message));
  return fail(invalidConfig(messages));
}

/** The value at a path, or the closest that there is above it. */
function nodeAt(root: Node | undefined, path: readonly PropertyKey[]): Node | undefined {
  if (!root || path.length === 0) return root;
  return findNodeAtLocation(root, path as JSONPath) ?? nodeAt(root, path.slice(0, -1));
}

/** Names that an object has already; JSON itself would take the last in silence. */
function repeatedNames(node: Node | undefined): readonly Node[] {
  const children = node?.children ?? [];
  const names = new Set<unknown>();
  const own: Node[] = [];
  for (const { type, children: [name] = [] } of children) {
    if (type !== "property" || !name) continue;
    if (names.has(name.value)) own.push(name);
    names.add(name.value);
  }
  return [...own, ...children.flatMap(repeatedNames)];
}

function invalidConfig(messages: readonly string[]): Failure {
  return failure("CONFIG_INVALID", messages.join("\n"), { details: messages });
}

function messagesOf(
  issue: z.core.$ZodIssue,
): readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] {
  const at = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") {
    return [
      { path: issue.path, message: `${at === "" ? "the configuration" : `"${at}"`}: ${issue.message}` },
    ];
  }
  const known = knownIn(issue.path);
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    message:
      issue.path.length === 0 && key === "engine"
        ? `The setting "engine" is gone: skills always run in QuickJS. Delete this line.`
        : `There is no setting "${[...issue.path, key].map(String).join(".")}".${didYouMean(key, known)}`,
  }));
}

function knownIn([first, second, third]: readonly PropertyKey[]): readonly string[] {
  if (first === undefined) return Object.keys(configShape.shape);
  if (first === "temporal") return Object.keys(temporalFields);
  if (first === "engines") return Object.keys(engineFields);
  if (first === "flows") return Object.keys(flowFields);
  if (first === "discovery") return Object.keys(discoveryFields);
  if (first === "drafts") return Object.keys(draftFields);
  if (first === "model") return second === "prices" ? ["input", "output"] : Object.keys(modelFields);
  if (first === "traces") {
    if (second === "retention") return Object.keys(retention.shape);
    return second === "redaction" ? ["off", "rules"] : Object.keys(traceFields);
  }
  if (first !== "mcpServers") return Object.keys(limitFields);
  return third === "tools" ? ["allow", "deny"] : Object.keys(upstreamFields);
}
