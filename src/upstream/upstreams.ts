import { setTimeout as wait } from "node:timers/promises";
import { unchosenText, qualifiedName } from "../core/tools/tool-name.ts";
import { commandLine } from "../core/text/command-line.ts";
import { failure, type Failure } from "../core/error.ts";
import { isJsonObject, type Json } from "../core/json/json.ts";
import { lookAlikeText, lookAlikeTools } from "../core/tools/look-alike-tools.ts";
import { didYouMean } from "../core/text/nearest.ts";
import { fail, type Result } from "../core/result.ts";
import {
  clientPrefix,
  isAmong,
  isChosen,
  type PublishedTool,
  publishedTools,
  type ToolChoice,
} from "./tools/published-tools.ts";
import type { OnTexts } from "./tools/tool-result.ts";
import type { ToolPins } from "./tools/tool-pins.ts";
import { Upstream, type UpstreamOptions } from "./upstream.ts";
import type { UpstreamServer } from "./upstream-config.ts";
import type { UpstreamHealth } from "./upstream-health.ts";
import type { UpstreamFinding, UpstreamTool } from "./tools/upstream-tool.ts";

export interface UpstreamsOptions extends Partial<Omit<UpstreamOptions, "onStderr" | "onToolsChange">> {
  readonly servers: readonly UpstreamServer[];
  /** Gets each line that a server writes to its stderr; not more than a reader could follow. */
  readonly onStderr?: (server: string, line: string) => void;
  /** Told why a server whose tools are published cannot be reached when they are first wanted. */
  readonly onUnreached?: (failure: Failure) => void;
  /** The tools that servers listed last, maybe in an earlier process. */
  readonly remembered?: () => Promise<readonly UpstreamTool[]>;
}

export interface ToolCallOptions {
  readonly signal?: AbortSignal;
  /** Less or more than the server's own. */
  readonly timeoutMs?: number;
  /** The same for each attempt of the same call; reaches the server in `_meta` as `repertoire/idempotencyKey`. */
  readonly idempotencyKey?: string;
  /** Given the answer as its server has it for people and models, where that is text alone. */
  readonly onTexts?: OnTexts;
}

const MAX_LOOK_ALIKES = 50;

/** The tools that could be had, and why others could not. */
export interface UpstreamTools {
  readonly tools: readonly UpstreamTool[];
  readonly failures: ReadonlyMap<string, string>;
}

/**
 * The tools of other MCP servers. Each server is reached when it is first needed; whatever one does, the others go on.
 */
export class Upstreams {
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  readonly #pins: ToolPins | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #onUnreached: (failure: Failure) => void;
  readonly #remember: () => Promise<readonly UpstreamTool[]>;
  #remembered: readonly UpstreamTool[] = [];
  #opening: Promise<void> | undefined;

  constructor({
    servers,
    onStderr,
    onUnreached = () => undefined,
    remembered = async () => [],
    ...options
  }: UpstreamsOptions) {
    this.#onUnreached = onUnreached;
    this.#remember = remembered;
    this.#pins = options.pins;
    this.#pins?.onChange(() => this.#tell());
    this.#upstreams = new Map(
      servers.map((server) => [
        server.name,
        new Upstream(server, {
          client: { name: "repertoire", version: "0" },
          mostResultBytes: 4 * 2 ** 20,
          mostInFlight: 8,
          backOffMs: { first: 250, most: 30_000 },
          healthyMs: 10_000,
          ...options,
          onStderr: (line) => onStderr?.(server.name, line),
          onToolsChange: () => this.#tell(),
        }),
      ]),
    );
  }

  /** Calls `server.tool`. Never throws for what the server does: that comes back as a failed `Result`. */
  async call(name: string, args: Json, options: ToolCallOptions = {}): Promise<Result<Json>> {
    const dot = name.indexOf(".");
    const upstream = this.#upstreams.get(dot === -1 ? name : name.slice(0, dot));
    if (!upstream || dot === -1) return fail(failure("TOOL_NOT_FOUND", this.#notFound(name)));
    if (options.signal?.aborted) return fail(failure("CANCELLED", `The call of "${name}" was cancelled`));
    if (args !== null && !isJsonObject(args))
      return fail(failure("INPUT_INVALID", `The tool "${name}" takes an object of arguments`));
    return upstream.call(name.slice(dot + 1), args ?? {}, options);
  }

  /** The tools of all servers, or of one; reaches those that have not been reached yet. */
  async tools(server?: string): Promise<UpstreamTools> {
    const asked = [...this.#upstreams.values()].filter(
      (each) => !each.server.disabled && (server === undefined || each.server.name === server),
    );
    const found = await Promise.all(
      asked.map(async (each) => ({ name: each.server.name, outcome: await each.tools() })),
    );
    return {
      tools: found.flatMap(({ outcome }) => (outcome.ok ? outcome.value : [])),
      failures: new Map(
        found.flatMap(({ name, outcome }) => (outcome.ok ? [] : [[name, outcome.error.message]])),
      ),
    };
  }

  /** The tools that servers have listed so far. */
  known(): readonly UpstreamTool[] {
    return [...this.#upstreams.values()].flatMap((each) => each.known);
  }

  /**
   * Reaches the servers whose tools are to be published. Resolves when `published` has what each of them lists, or
   * listed last; a server of which nothing is known yet is waited for, but not for long.
   */
  async openPublished(): Promise<void> {
    this.#opening ??= this.#openPublished();
    return this.#opening;
  }

  /** What of the tools that servers list, or listed last, is published to clients, in a stable order. */
  published(taken: ReadonlySet<string> = new Set()): readonly PublishedTool[] {
    const chosen = this.#chosen();
    const listed = this.known().filter((tool) => isChosen(tool, chosen));
    this.#pins?.pinNew(listed);
    const remembered = this.#remembered.filter(
      (tool) => isChosen(tool, chosen) && this.#upstreams.get(tool.server)?.hasListed === false,
    );
    return publishedTools(
      [...listed, ...remembered].map((tool) => this.#pins?.shown(tool) ?? tool),
      chosen,
      taken,
    );
  }

  /**
   * Why there is no published tool of a name that begins like those of a configured server; undefined where it is of
   * none, or where it is there once its server has been reached, which this does.
   */
  async whyMissing(name: string): Promise<Failure | undefined> {
    const [upstream] = [...this.#upstreams.values()]
      .filter(({ server }) => name.startsWith(clientPrefix(server.name)))
      .toSorted((a, b) => b.server.name.length - a.server.name.length);
    if (!upstream) return undefined;
    const { server } = upstream;
    const wanted = `The tool "${name.slice(0, MAX_NAME_CHARACTERS)}" cannot be called`;
    const refused = (why: string): Failure => failure("TOOL_NOT_FOUND", `${wanted}: ${why}`);
    if (server.disabled) return refused(`the server "${server.name}" is disabled in the configuration`);
    if (server.publish.length === 0)
      return refused(
        `the server "${server.name}" publishes no tools: "publish": true in its configuration does, or a list of those that clients may call`,
      );
    const reached = await upstream.tools();
    if (!reached.ok)
      return failure(
        reached.error.code,
        `${wanted} now: ${reached.error.message}. "${commandLine("upstream")}" shows how the server is`,
      );
    const published = this.published().filter(({ calls }) => calls.startsWith(`${server.name}.`));
    if (published.some((tool) => tool.name === name)) return undefined;
    const plain = name.slice(clientPrefix(server.name).length);
    if (!isAmong(plain, server)) return refused(unchosenText(server.name, plain));
    const isListed = upstream.known.some((tool) => tool.name === plain);
    const hint = didYouMean(
      name,
      published.map((tool) => tool.name),
    );
    return refused(
      isListed
        ? `the server "${server.name}" has it, but its "publish" does not name it`
        : `the server "${server.name}" lists no such tool now.${hint}`,
    );
  }

  /** Calls the listener when the tools of some server have become others. Gives what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  health(): readonly UpstreamHealth[] {
    const alike = lookAlikeTools(this.known().map(qualifiedName));
    return [...this.#upstreams.values()].map((each) => {
      const health = each.health();
      const own = [...alike].filter(([tool]) => tool.startsWith(`${health.name}.`));
      const findings = own.slice(0, MAX_LOOK_ALIKES).map(([tool, others]): UpstreamFinding => {
        const name = tool.slice(health.name.length + 1);
        return { kind: "tool-look-alike", tool: name, message: lookAlikeText(tool, others) };
      });
      return Object.assign(health, { findings: [...health.findings, ...findings] });
    });
  }

  /** Ends every server that was started. Resolves when none is left. */
  async close(): Promise<void> {
    this.#listeners.clear();
    await Promise.all([...this.#upstreams.values()].map((each) => each.close()));
  }

  #chosen(): ReadonlyMap<string, ToolChoice> {
    return new Map(
      [...this.#upstreams].map(([name, { server }]) => [name, { allow: server.publish, deny: server.deny }]),
    );
  }

  async #openPublished(): Promise<void> {
    const asked = [...this.#upstreams.values()].filter(({ server }) => isPublished(server));
    if (asked.length === 0) return;
    const reached = new Map(asked.map((each) => [each.server.name, this.#firstTools(each)]));
    this.#remembered = await this.#remember();
    if (this.#remembered.length > 0) this.#tell();
    for (const { server } of this.#remembered) reached.delete(server);
    await Promise.race([Promise.all(reached.values()), wait(PATIENCE_MS, undefined, { ref: false })]);
  }

  async #firstTools(upstream: Upstream): Promise<void> {
    const tools = await upstream.tools();
    if (!tools.ok && tools.error.code !== "RUNNER_CLOSED") this.#onUnreached(tools.error);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #notFound(name: string): string {
    const servers = [...this.#upstreams.keys()];
    if (servers.length === 0) return `There is no upstream tool "${name}": no server is configured`;
    const [server = ""] = name.split(".");
    const known = this.known().map(qualifiedName);
    if (this.#upstreams.has(server)) return `"${name}" is a server; a tool is named "${name}.tool"`;
    const hint = didYouMean(name, known) || didYouMean(server, servers);
    return `There is no upstream server "${server}" for the tool "${name}".${hint}`;
  }
}

/** So long the first list of tools waits for servers of which nothing is known. */
const PATIENCE_MS = 3_000;
const MAX_NAME_CHARACTERS = 100;

function isPublished({ disabled, publish }: UpstreamServer): boolean {
  return !disabled && publish.length > 0;
}
