import { randomUUID } from "node:crypto";
import { readFileSync, renameSync } from "node:fs";
import * as z from "zod";
import { listed } from "../../core/text/listed.ts";
import { qualifiedName, serverOf } from "../../core/tools/tool-name.ts";
import { failure, type Failure } from "../../core/error.ts";
import { fileFault } from "../../core/files/file-fault.ts";
import { markOf, writeWhole } from "../../core/files/whole-file.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { acceptCommand, heldFailure, type ToolChange, toolChangeText } from "../../core/tools/tool-change.ts";
import { visibleText } from "../../core/text/display-text.ts";
import { type Accepts, toolChanges, type ToolDefinition, type ToolChangePolicy } from "./tool-changes.ts";
import type { UpstreamTool } from "./upstream-tool.ts";
import { commandLine } from "../../core/text/command-line.ts";

export interface ToolPinsOptions {
  /** JSON, one entry for each tool, in a stable order: made to be read, compared and kept under version control. */
  readonly file: string;
  readonly policyOf: (server: string) => ToolChangePolicy;
  readonly accepts: Accepts;
  /** Told once of each tool that is pinned at first sight and of each change. */
  readonly onNotice: (message: string) => void;
  /** What the settings say that a tool does. */
  readonly operationOf?: (tool: Pick<UpstreamTool, "server" | "name">) => "READ" | "WRITE" | undefined;
}

/** A tool as it was when it was first used or when a person accepted it. */
export interface PinnedTool extends Omit<UpstreamTool, "server" | "name"> {
  readonly pinnedAt: string;
  readonly by: PinnedBy;
}

type PinnedBy = "first use" | "person" | "policy";

type Named = ToolDefinition & Pick<UpstreamTool, "server" | "name">;

/**
 * What upstream tools were when they were trusted. A tool is pinned when it is first used or published, as a host key
 * is; what its server makes of it later counts only when someone has accepted it.
 */
export class ToolPins {
  readonly #options: ToolPinsOptions;
  readonly #listeners = new Set<() => void>();
  readonly #told = new Set<string>();
  /** By the tool as it is listed now: the pin that it was compared with, and the outcome. */
  readonly #compared = new WeakMap<object, { readonly pin: PinnedTool; readonly change?: ToolChange }>();
  #pins: ReadonlyMap<string, PinnedTool> = new Map();
  #fault: string | undefined;
  #seen: string | undefined;

  constructor(options: ToolPinsOptions) {
    this.#options = options;
  }

  /** What is pinned, by `server.tool`. */
  get pinned(): ReadonlyMap<string, PinnedTool> {
    this.refresh();
    return this.#pins;
  }

  /** Takes in what another process has written. */
  refresh(): void {
    const seen = markOf(this.#options.file);
    if (seen === this.#seen) return;
    const isFirst = this.#seen === undefined;
    this.#seen = seen;
    this.#read();
    if (!isFirst) this.#tell();
  }

  /** Pins those that are not pinned yet, and says so. */
  pinNew(tools: Iterable<Named>): void {
    this.refresh();
    if (this.#fault !== undefined) return;
    const fresh = [...tools].filter((tool) => !this.#pins.has(qualifiedName(tool)));
    if (fresh.length === 0) return;
    this.#pin(fresh, "first use");
    for (const [server, own] of Map.groupBy(
      fresh.filter((tool) => this.#options.policyOf(tool.server) !== "allow"),
      (tool) => tool.server,
    )) {
      const names = own.map((tool) => visibleText(tool.name, MAX_NAME_CHARACTERS)).toSorted();
      this.#options.onNotice(
        `Pinned as first seen, tools of the server "${server}": ${listed(names, MAX_NAMES)}`,
      );
    }
  }

  /** Pins these as they are now, and forgets those that are gone. A file that could not be read is set aside. */
  accept(tools: Iterable<Named>, gone: Iterable<string> = []): void {
    this.refresh();
    if (this.#fault !== undefined) {
      renameSync(this.#options.file, `${this.#options.file}.unreadable-${randomUUID().slice(0, 8)}`);
      this.#fault = undefined;
    }
    this.#pin([...tools], "person", new Set(gone));
    this.#tell();
  }

  /** How a tool differs from its pin; `now` is undefined where its server, which has been asked, lists no such tool. */
  changeOf(name: string, now: ToolDefinition | undefined): ToolChange | undefined {
    this.refresh();
    const pin = this.#pins.get(name);
    const policy = this.#options.policyOf(serverOf(name));
    if (!pin || (now === undefined && policy === "allow")) return undefined;
    const change = now === undefined ? goneOf(name, pin, policy) : this.#compare(name, pin, now, policy);
    if (!change) return undefined;
    if (policy === "allow" && now) {
      this.#pin([{ ...now, server: serverOf(name), name: name.slice(serverOf(name).length + 1) }], "policy");
      return undefined;
    }
    this.#notice(change);
    return change;
  }

  /** Why a tool is not to be called, or nothing. */
  refusal(name: string, now: ToolDefinition | undefined): Failure | undefined {
    this.refresh();
    if (this.#fault !== undefined && this.#options.policyOf(serverOf(name)) === "ask") {
      const message =
        `Nobody can tell whether the upstream tool ${JSON.stringify(name)} has changed: ${this.#fault}. ` +
        `Restore the file, or pin the tools as they are now: ${commandLine("upstream --accept")}`;
      return failure("TOOL_CHANGED", message);
    }
    const change = this.changeOf(name, now);
    return change?.isHeld ? heldFailure(change) : undefined;
  }

  /** A tool as clients are shown it: as it was pinned, where a change waits to be accepted. */
  shown(tool: UpstreamTool): UpstreamTool {
    const name = qualifiedName(tool);
    const change = this.changeOf(name, tool);
    const pin = this.#pins.get(name);
    if (!change || !pin || this.#options.policyOf(tool.server) !== "ask") return tool;
    const { pinnedAt: _when, by: _by, ...definition } = pin;
    return { server: tool.server, name: tool.name, ...definition };
  }

  /**
   * Whether a tool only reads: as the settings say, else as its server says now and has said when it was pinned. Undefined:
   * nobody says.
   */
  isReadOnly(tool: Pick<UpstreamTool, "server" | "name"> & Partial<Named>): boolean | undefined {
    const configured = this.#options.operationOf?.(tool);
    if (configured !== undefined) return configured === "READ";
    const readOnlyHint = tool.annotations?.readOnlyHint;
    const pinned = (this.pinned.get(qualifiedName(tool)) ?? tool).annotations?.readOnlyHint;
    return readOnlyHint === undefined ? undefined : readOnlyHint && pinned === true;
  }

  /** Why the pins cannot be read, if they cannot. */
  get fault(): string | undefined {
    this.refresh();
    return this.#fault;
  }

  /** Calls the listener when other tools are pinned. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#listeners.clear();
  }

  #compare(
    name: string,
    pin: PinnedTool,
    now: ToolDefinition,
    policy: ToolChangePolicy,
  ): ToolChange | undefined {
    const known = this.#compared.get(now);
    if (known?.pin === pin) return known.change;
    const found = toolChanges(pin, now, this.#options.accepts);
    // What matters most is told first.
    const fields = found.toSorted((a, b) => Number(b.isStronger) - Number(a.isStronger));
    const change = {
      tool: name,
      pinnedAt: pin.pinnedAt,
      isGone: false,
      fields: fields.slice(0, MAX_FIELDS),
      moreFields: Math.max(0, fields.length - MAX_FIELDS),
      isHeld: policy === "ask" && fields.some(({ isStronger }) => isStronger),
    };
    this.#compared.set(now, { pin, ...(fields.length === 0 ? {} : { change }) });
    return fields.length === 0 ? undefined : change;
  }

  #notice(change: ToolChange): void {
    const text = toolChangeText(change);
    const key = `${change.tool}\n${change.pinnedAt}\n${text}`;
    if (this.#told.has(key) || this.#told.size > MAX_NOTICES) return;
    this.#told.add(key);
    const held = change.isHeld ? " It is held, and so are the skills that use it." : "";
    const name = visibleText(change.tool, MAX_NAME_CHARACTERS);
    this.#options.onNotice(
      `The upstream tool "${name}" is not what it was when it was pinned: ${text}.${held} To accept: ${acceptCommand(change)}`,
    );
  }

  #pin(tools: readonly Named[], by: PinnedBy, gone: ReadonlySet<string> = new Set()): void {
    const pinnedAt = new Date().toISOString();
    const fresh = tools.map((tool) => [qualifiedName(tool), pinOf(tool, pinnedAt, by)] as const);
    const kept = [...this.#pins].filter(([name]) => !gone.has(name));
    const pins = [...new Map([...kept, ...fresh])].toSorted(([a], [b]) => (a < b ? -1 : 1));
    this.#pins = new Map(pins);
    const failed = writeWhole(this.#options.file, fileText(this.#pins));
    if (failed !== undefined)
      this.#options.onNotice(
        `The pins of upstream tools cannot be kept in ${this.#options.file}: ${failed}; they count until the end`,
      );
    this.#seen = markOf(this.#options.file);
  }

  #read(): void {
    this.#fault = undefined;
    const read = pinsIn(this.#options.file);
    if (typeof read === "string") {
      this.#fault = read;
      this.#pins = new Map();
      this.#options.onNotice(`${read}; upstream tools are held`);
      return;
    }
    // A tool whose entry is the same stays the same object, and need not be compared again.
    this.#pins = new Map(
      [...read].map(([name, pin]) => {
        const before = this.#pins.get(name);
        return [name, before && JSON.stringify(before) === JSON.stringify(pin) ? before : pin];
      }),
    );
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

const MAX_FIELDS = 50;

const MAX_NAMES = 20;

const MAX_NAME_CHARACTERS = 200;

/** Changes that are told on their own; a server that changes for ever tells nothing new. */
const MAX_NOTICES = 1_000;

const schema = z.custom<JsonSchema>((value) => isJsonObject(value));

const fileShape = z.object({
  version: z.literal(1),
  tools: z.record(
    z.string(),
    z.object({
      pinnedAt: z.string(),
      by: z.enum(["first use", "person", "policy"]),
      title: z.string().optional(),
      description: z.string().optional(),
      annotations: z
        .object({
          readOnlyHint: z.boolean(),
          destructiveHint: z.boolean(),
          idempotentHint: z.boolean(),
          openWorldHint: z.boolean(),
        })
        .partial(),
      inputSchema: schema,
      outputSchema: schema.optional(),
    }),
  ),
});

/** The pins of a file, none where there is no file; or why it cannot be read. */
function pinsIn(file: string): ReadonlyMap<string, PinnedTool> | string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Map();
    return `The pins of upstream tools in ${file} cannot be read: ${fileFault(error)}`;
  }
  try {
    const { tools } = fileShape.parse(JSON.parse(text));
    return new Map(Object.entries(tools) as [string, PinnedTool][]);
  } catch {
    return `The pins of upstream tools in ${file} cannot be read: it is no JSON of the form that is written there`;
  }
}

function fileText(pins: ReadonlyMap<string, PinnedTool>): string {
  return `${JSON.stringify({ version: 1, tools: Object.fromEntries(pins) }, undefined, 2)}\n`;
}

function pinOf(tool: Named, pinnedAt: string, by: PinnedBy): PinnedTool {
  const { title, description, annotations, inputSchema, outputSchema } = tool;
  return {
    pinnedAt,
    by,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    annotations: annotations ?? {},
    inputSchema: inOrder(inputSchema) as JsonSchema,
    ...(outputSchema === undefined ? {} : { outputSchema: inOrder(outputSchema) as JsonSchema }),
  };
}

// So that a file shows what has changed, and nothing else.
function inOrder(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(inOrder);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, inOrder(value[key] ?? null)]),
  );
}

function goneOf(tool: string, { pinnedAt }: PinnedTool, policy: ToolChangePolicy): ToolChange {
  return { tool, pinnedAt, isGone: true, fields: [], moreFields: 0, isHeld: policy === "ask" };
}
