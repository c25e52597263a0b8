import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { qualifiedName, serverOf } from "../core/tools/tool-name.ts";
import { isJsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import type { ToolChange, ToolHints } from "../core/tools/tool-change.ts";
import { writeWhole } from "../core/files/whole-file.ts";
import { type CallableTool, type CallableTools } from "../contracts/to-types/tool-types.ts";

/** A tool as its server lists it. */
export interface ListedTool extends CallableTool {
  readonly server: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly annotations?: ToolHints | undefined;
}

/** What tools were when they were trusted, and how they differ from it. */
export interface PinnedTools {
  readonly pinned: ReadonlyMap<string, CallableTool>;
  /** `now` is undefined where the server lists no such tool. */
  changeOf(name: string, now: Omit<ListedTool, "server" | "name"> | undefined): ToolChange | undefined;
  /** Whether a tool only reads; undefined where nobody says. */
  isReadOnly(tool: Pick<ListedTool, "server" | "name" | "annotations">): boolean | undefined;
  onChange(listener: () => void): void;
}

export interface ToolListingCacheOptions {
  /** Where listings are kept from one start to the next. */
  readonly file: string;
  /** The servers that may be asked, with what their tools depend on: other settings, other tools. */
  readonly servers: ReadonlyMap<string, object>;
  /** Reaches a server, whose tools are to be told to `take`; without it no server is asked. */
  readonly ask?: (server: string) => void;
  readonly pins?: PinnedTools;
}

/**
 * The tools of upstream servers, as each server listed them last: in this process or, where it has not been reached
 * yet, in an earlier one. So that nothing has to wait for a server to know the types of its tools.
 */
export class ToolListingCache {
  readonly #file: string;
  readonly #settings: ReadonlyMap<string, string>;
  readonly #ask: ((server: string) => void) | undefined;
  readonly #pins: PinnedTools | undefined;
  readonly #listeners = new Set<() => void>();
  /** Servers that have listed their tools in this process, and those that have been asked to. */
  readonly #heard = new Set<string>();
  readonly #asked = new Set<string>();
  #listings: ReadonlyMap<string, Listing> = new Map();
  #last: Promise<void>;

  constructor({ file, servers, ask, pins }: ToolListingCacheOptions) {
    this.#file = file;
    this.#pins = pins;
    pins?.onChange(() => this.#tell());
    this.#settings = new Map([...servers].map(([name, settings]) => [name, digestOf(settings)]));
    this.#ask = ask;
    this.#last = this.#read();
  }

  /**
   * All that is known by now: a tool that is held as it was when it was pinned, the others as they are listed. Waits for
   * no server.
   */
  async all(): Promise<CallableTools> {
    const listed = (await this.listed()).map((tool) => [qualifiedName(tool), tool] as const);
    const held = [...(this.#pins?.pinned ?? [])].filter(([name]) => this.changeOf(name)?.isHeld);
    return new Map([...listed, ...held].map(([name, tool]) => [name, callable(tool)]));
  }

  /** The tools as their servers listed them last. */
  async listed(): Promise<readonly ListedTool[]> {
    await this.#last;
    return [...this.#listings].flatMap(([server, { tools }]) => tools.map((tool) => ({ server, ...tool })));
  }

  /** How a tool, as its server listed it last, differs from what is pinned; nothing where it was never listed. */
  changeOf(name: string): ToolChange | undefined {
    return this.#listings.has(serverOf(name)) ? this.#pins?.changeOf(name, this.#listed(name)) : undefined;
  }

  /** Whether a tool only reads: as the settings say, else as its server says, as far as it is known. */
  isReadOnly(name: string): boolean | undefined {
    const server = serverOf(name);
    return this.#pins?.isReadOnly({ name: name.slice(server.length + 1), ...this.#listed(name), server });
  }

  /** Takes what the servers that have been reached list now, and keeps it. */
  take(listed: readonly ListedTool[]): void {
    this.#last = this.#last.then(async () => this.#take(listed));
  }

  /** What rests on the tools of these servers looks wrong: those that were not heard in this process are asked. */
  doubt(servers: Iterable<string>): void {
    for (const server of servers) {
      if (this.#heard.has(server) || this.#asked.has(server) || !this.#listings.has(server)) continue;
      this.#asked.add(server);
      this.#ask?.(server);
    }
  }

  /** Calls the listener when other tools are known. Gives what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when all that was taken is kept. */
  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#last;
  }

  #listed(name: string): Listing["tools"][number] | undefined {
    const server = serverOf(name);
    return this.#listings.get(server)?.tools.find((tool) => `${server}.${tool.name}` === name);
  }

  async #read(): Promise<void> {
    this.#listings = new Map(
      [...(await listingsIn(this.#file))].filter(([server, listing]) => this.#isOf(server, listing)),
    );
  }

  async #take(listed: readonly ListedTool[]): Promise<void> {
    const byServer = Map.groupBy(listed, ({ server }) => server);
    for (const server of byServer.keys()) this.#heard.add(server);
    const fresh = new Map(
      [...this.#settings]
        .filter(([server]) => this.#heard.has(server))
        .map(([server, settings]) => [server, { settings, tools: (byServer.get(server) ?? []).map(plain) }]),
    );
    const isSame = [...fresh].every(
      ([server, listing]) => JSON.stringify(this.#listings.get(server)) === JSON.stringify(listing),
    );
    if (isSame) return;
    this.#listings = new Map([...this.#listings, ...fresh]);
    // Another process may have heard other servers meanwhile.
    const kept = new Map([...(await listingsIn(this.#file)), ...fresh]);
    writeWhole(this.#file, JSON.stringify({ servers: Object.fromEntries(kept) }));
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #isOf(server: string, { settings }: Listing): boolean {
    return this.#settings.get(server) === settings;
  }
}

const schema = z.custom<JsonSchema>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);
const listingShape = z.object({
  /** Digest of the settings under which the server was reached. */
  settings: z.string(),
  tools: z.array(
    z.object({
      name: z.string(),
      title: z.string().optional(),
      description: z.string().optional(),
      annotations: z.custom<ToolHints>(isJsonObject),
      inputSchema: schema,
      outputSchema: schema.optional(),
    }),
  ),
});
type Listing = z.infer<typeof listingShape>;

const fileShape = z.object({ servers: z.record(z.string(), listingShape) });

async function listingsIn(file: string): Promise<ReadonlyMap<string, Listing>> {
  try {
    const read = fileShape.safeParse(JSON.parse(await readFile(file, "utf8")));
    return new Map(Object.entries(read.data?.servers ?? {}));
  } catch {
    return new Map();
  }
}

function plain(tool: ListedTool): Listing["tools"][number] {
  const { name, title, description, annotations, inputSchema, outputSchema } = tool;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    annotations: annotations ?? {},
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

function callable({ description, inputSchema, outputSchema }: CallableTool): CallableTool {
  return {
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

function digestOf(settings: object): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex");
}
