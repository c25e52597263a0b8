import { setTimeout as wait } from "node:timers/promises";
import { failure, type Failure } from "../core/error.ts";
import { unchosenText } from "../core/tools/tool-name.ts";
import { isAmong } from "./tools/published-tools.ts";
import type { Json, JsonObject } from "../core/json/json.ts";
import { didYouMean } from "../core/text/nearest.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { CallFault, CallLimits } from "./tools/call-tool.ts";
import type { Connection } from "./connection.ts";
import { LastLines } from "./transport/last-lines.ts";
import { Semaphore } from "./semaphore.ts";
import type { ToolPins } from "./tools/tool-pins.ts";
import type { ToolListing } from "./tools/tool-listing.ts";
import { type OnTexts, textsOf, toolResult } from "./tools/tool-result.ts";
import type { UpstreamServer, UsableTransportConfig } from "./upstream-config.ts";
import type { UpstreamHealth } from "./upstream-health.ts";
import type { UpstreamFinding, UpstreamTool } from "./tools/upstream-tool.ts";

export interface UpstreamOptions {
  /** What servers are told of us. */
  readonly client: { readonly name: string; readonly version: string };
  /** Bytes of a result as JSON text. */
  readonly mostResultBytes: number;
  /** Calls that one server works on at once. */
  readonly mostInFlight: number;
  /** The wait after a first failure; it doubles with each further one. */
  readonly backOffMs: { readonly first: number; readonly most: number };
  /** After so long without a failure the earlier ones are forgotten. */
  readonly healthyMs: number;
  readonly onStderr: (line: string) => void;
  readonly onToolsChange: () => void;
  /** What tools were when they were trusted; without it every tool is called as it is. */
  readonly pins?: ToolPins;
}

type State =
  | { readonly kind: "disabled" }
  | { readonly kind: "idle" }
  | { readonly kind: "connecting"; readonly outcome: Promise<Result<Connection>> }
  | { readonly kind: "ready"; readonly connection: Connection; readonly at: number }
  | { readonly kind: "backing-off"; readonly until: number; readonly over: Promise<void> }
  | { readonly kind: "failed" }
  | { readonly kind: "closed" };

const NO_TOOLS: ToolListing = { tools: new Map(), findings: [] };
const MAX_WAITING = 1_000;
const MAX_FINDINGS = 50;
/** Whoever needs a server that is left alone waits so long at most. */
const PATIENCE_MS = 2_000;
/** It is reached again so often unasked; then only when it is needed. */
const MAX_UNASKED = 5;
const MAX_PING_MS = 5_000;
const REFRESH_MS = 250;

/** One server: reached when it is first needed, reached again when it was lost, left alone for a while when it fails. */
export class Upstream {
  readonly server: UpstreamServer;
  readonly #options: UpstreamOptions;
  readonly #slots: Semaphore;
  readonly #stderr: LastLines;
  readonly #closed = new AbortController();
  #state: State;
  #since = new Date();
  #listing = NO_TOOLS;
  #hasListed = false;
  #findings: readonly UpstreamFinding[] = [];
  #lastError: string | undefined;
  #failures = 0;
  #restarts = 0;
  #wasReady = false;
  #isWanted = false;
  #isLegacy = false;
  #inFlight = 0;
  #isProbing = false;
  /** The end of the last connection that was lost. */
  #ending: Promise<void> = Promise.resolve();
  #listingMs = 0;
  #refreshing: "no" | "soon" | "now" | "again" = "no";
  #relisted = Promise.withResolvers<void>();

  constructor(server: UpstreamServer, options: UpstreamOptions) {
    this.server = server;
    this.#options = options;
    this.#slots = new Semaphore(options.mostInFlight, MAX_WAITING);
    this.#stderr = new LastLines(options.onStderr);
    this.#state = { kind: server.disabled ? "disabled" : server.way.kind === "unusable" ? "failed" : "idle" };
    if (server.way.kind === "unusable") this.#lastError = server.way.error.message;
  }

  /** The tools that may be called, as they were listed last; none before the server was needed. */
  get known(): readonly UpstreamTool[] {
    return [...this.#listing.tools.values()].filter(({ name }) => this.#isAllowed(name));
  }

  /** Whether it has listed its tools in this process. */
  get hasListed(): boolean {
    return this.#hasListed;
  }

  /** The tools that may be called; reaches the server if need be. */
  async tools(): Promise<Result<readonly UpstreamTool[]>> {
    const reached = await this.#reached();
    return reached.ok ? ok(this.known) : reached;
  }

  async call(
    tool: string,
    args: JsonObject,
    {
      signal,
      timeoutMs = this.server.timeoutMs,
      idempotencyKey,
      onTexts,
    }: Partial<CallLimits> & { readonly onTexts?: OnTexts },
  ): Promise<Result<Json>> {
    const name = `${this.server.name}.${tool}`;
    const cancelled = fail(failure("CANCELLED", `The call of "${name}" was cancelled`));
    const until = performance.now() + timeoutMs;
    const late = AbortSignal.timeout(timeoutMs);
    const end = signal ? AbortSignal.any([signal, late]) : late;

    const slot = await this.#slots.acquire(end);
    if (slot !== "taken") {
      if (signal?.aborted) return cancelled;
      const why = slot === "over" ? `no turn came within ${timeoutMs} ms` : "too many calls wait for it";
      return fail(failure("TOOL_FAILED", `The tool "${name}" was not called: ${why}`));
    }
    try {
      const reached = await soonerOf(this.#reached(), end);
      if (reached === undefined) {
        if (signal?.aborted) return cancelled;
        const message = `The tool "${name}" was not called: its server was not ready within ${timeoutMs} ms`;
        return fail(failure("TOOL_FAILED", message));
      }
      if (!reached.ok) return reached;
      if ((await soonerOf(this.#upToDate(), end)) === undefined) {
        if (signal?.aborted) return cancelled;
        const message = `The tool "${name}" was not called: its server did not list its changed tools within ${timeoutMs} ms`;
        return fail(failure("TOOL_FAILED", message));
      }
      const found = this.#trusted(tool);
      if (!found.ok) return found;
      this.#inFlight++;
      const limits = {
        signal: signal ?? new AbortController().signal,
        timeoutMs: Math.max(1, Math.ceil(until - performance.now())),
        idempotencyKey,
      };
      return await this.#callVia(reached.value, found.value, args, limits, onTexts);
    } finally {
      this.#slots.release();
    }
  }

  health(): UpstreamHealth {
    const { name, way } = this.server;
    const state = this.#state;
    const connection = state.kind === "ready" ? state.connection : undefined;
    return {
      name,
      transport: way.kind === "unusable" ? "unknown" : way.kind,
      state: state.kind === "closed" ? "idle" : state.kind,
      since: this.#since.toISOString(),
      ...(state.kind === "backing-off"
        ? { retryAt: new Date(Date.now() + state.until - performance.now()).toISOString() }
        : {}),
      ...(connection?.pid === undefined ? {} : { pid: connection.pid }),
      ...(connection?.protocolVersion === undefined ? {} : { protocolVersion: connection.protocolVersion }),
      ...(connection?.server === undefined ? {} : { server: connection.server }),
      ...(this.#hasListed ? { tools: { allowed: this.known.length, listed: this.#listing.tools.size } } : {}),
      inFlight: this.#inFlight,
      restarts: this.#restarts,
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
      findings: [...this.#findings, ...this.#listing.findings],
      stderr: this.#stderr.lines,
    };
  }

  /** Ends it for good. Resolves when nothing is left of it. */
  async close(): Promise<void> {
    const state = this.#state;
    this.#enter({ kind: "closed" });
    this.#closed.abort();
    if (state.kind === "ready") await state.connection.close();
    if (state.kind === "connecting") await state.outcome;
    await this.#ending;
  }

  #isAllowed(tool: string): boolean {
    return isAmong(tool, this.server);
  }

  /** A tool that may be called, and is what it was when it was trusted; one that is first called is trusted. */
  #trusted(tool: string): Result<UpstreamTool> {
    const { pins } = this.#options;
    const listed = this.#listing.tools.get(tool);
    if (this.#isAllowed(tool)) {
      const refusal = pins?.refusal(`${this.server.name}.${tool}`, listed);
      if (refusal) return fail(refusal);
    }
    const found = this.#find(tool);
    if (found.ok) pins?.pinNew([found.value]);
    return found;
  }

  #find(tool: string): Result<UpstreamTool> {
    const { name } = this.server;
    const found = this.#listing.tools.get(tool);
    if (found && this.#isAllowed(tool)) return ok(found);
    const hint = didYouMean(
      `${name}.${tool}`,
      this.known.map((each) => `${name}.${each.name}`),
    );
    const message = found ? unchosenText(name, tool) : `The server "${name}" has no tool "${tool}".${hint}`;
    return fail(failure("TOOL_NOT_FOUND", message));
  }

  async #callVia(
    connection: Connection,
    tool: UpstreamTool,
    args: JsonObject,
    limits: CallLimits,
    onTexts: OnTexts | undefined,
  ): Promise<Result<Json>> {
    const askedAt = performance.now();
    try {
      const answer = await connection.call(tool, args, limits);
      if (!answer.ok) {
        this.#heed(connection, answer.error, askedAt);
        return fail(answer.error.error);
      }
      const { mostResultBytes: mostBytes } = this.#options;
      const onFinding = (finding: UpstreamFinding): void => this.#note(finding);
      const value = toolResult(tool, answer.value, { mostBytes, onFinding });
      const texts = value.ok && onTexts ? textsOf(answer.value, mostBytes) : [];
      if (texts.length > 0) onTexts?.(texts);
      return value;
    } finally {
      this.#inFlight--;
    }
  }

  #heed(connection: Connection, fault: CallFault, askedAt: number): void {
    switch (fault.kind) {
      case "refused":
        return;
      case "lost":
        void connection.close(fault.reason);
        return;
      case "silent":
        if (connection.pid !== undefined && connection.heardAt() < askedAt) void this.#probe(connection);
    }
  }

  // A slow tool is no reason to end its server; a server that answers nothing at all is.
  async #probe(connection: Connection): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const isAlive = await connection.isResponsive(Math.min(MAX_PING_MS, this.server.timeoutMs));
    this.#isProbing = false;
    if (!isAlive) await connection.close("it let a call time out, and a ping too");
  }

  #note(finding: UpstreamFinding): void {
    const others = this.#findings.filter(({ kind, tool }) => kind !== finding.kind || tool !== finding.tool);
    this.#findings = [finding, ...others].slice(0, MAX_FINDINGS);
  }

  async #reached(): Promise<Result<Connection>> {
    const state = this.#state;
    switch (state.kind) {
      case "ready":
        return ok(state.connection);
      case "connecting":
        return state.outcome;
      case "idle":
      case "failed": {
        const { way } = this.server;
        return way.kind === "unusable" ? fail(way.error) : this.#connecting(way);
      }
      case "backing-off": {
        const leftMs = state.until - performance.now();
        if (leftMs > PATIENCE_MS)
          return fail(this.#unusable(`; it is tried again in ${Math.ceil(leftMs / 1000)} s`));
        await state.over;
        return this.#reached();
      }
      case "disabled":
        return fail(
          failure("TOOL_NOT_FOUND", `The server "${this.server.name}" is disabled in the configuration`),
        );
      case "closed":
        return fail(failure("RUNNER_CLOSED", `The server "${this.server.name}" has been closed`));
    }
  }

  #unusable(more = ""): Failure {
    const why = this.#lastError ?? "it is not known why";
    return failure("TOOL_FAILED", `The server "${this.server.name}" cannot be used: ${why}${more}`);
  }

  async #connecting(way: UsableTransportConfig): Promise<Result<Connection>> {
    const outcome = this.#connect(way);
    this.#enter({ kind: "connecting", outcome });
    return outcome;
  }

  async #connect(way: UsableTransportConfig): Promise<Result<Connection>> {
    const { client, mostResultBytes } = this.#options;
    // Who reaches no server starts without what speaks to them.
    const { connect } = await import("./connection.ts");
    const connected = await connect(this.server, way, {
      client,
      stderr: this.#stderr,
      // A result stands there twice, as data and as text with every quote escaped.
      mostMessageBytes: 4 * mostResultBytes,
      isLegacy: this.#isLegacy,
      signal: this.#closed.signal,
      onToolsChange: () => this.#refreshSoon(),
    }).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
    if (!connected.ok) return this.#failed(connected.error);
    const connection = connected.value;
    const listed = await soonerOf(this.#list(connection), this.#closed.signal);
    if (this.#closed.signal.aborted || !listed?.ok) {
      const ended = await Promise.race([connection.ended, wait(0, undefined)]);
      await connection.close();
      return this.#failed(ended ?? (listed?.ok === false ? listed.error : "it has been closed"));
    }
    if (this.#wasReady) this.#restarts++;
    this.#wasReady = true;
    this.#isWanted = true;
    this.#isLegacy = connection.isLegacy;
    this.#enter({ kind: "ready", connection, at: performance.now() });
    void connection.ended.then((reason) => {
      this.#lost(connection, reason);
    });
    return ok(connection);
  }

  #failed(reason: string): Result<Connection> {
    this.#isLegacy = false;
    this.#lastError = reason;
    if (this.#closed.signal.aborted)
      return fail(failure("RUNNER_CLOSED", `The server "${this.server.name}" has been closed`));
    this.#backOff();
    return fail(this.#unusable());
  }

  #lost(connection: Connection, reason: string): void {
    const state = this.#state;
    if (state.kind !== "ready" || state.connection !== connection) return;
    if (performance.now() - state.at > this.#options.healthyMs) this.#failures = 0;
    this.#lastError = reason;
    this.#ending = connection.close();
    this.#backOff();
  }

  #backOff(): void {
    const { first, most } = this.#options.backOffMs;
    const { way } = this.server;
    const longest = Math.min(most, first * 2 ** Math.min(this.#failures, 20));
    const delay = longest * (0.5 + Math.random() / 2);
    this.#failures++;
    if (this.#failures > MAX_UNASKED) this.#isWanted = false;
    // There are never two of it.
    const over = Promise.all([
      wait(delay, undefined, { ref: false, signal: this.#closed.signal }),
      this.#ending,
    ]).then(
      () => {
        this.#enter({ kind: "failed" });
        if (this.#isWanted && way.kind !== "unusable") void this.#connecting(way);
      },
      () => undefined,
    );
    this.#enter({ kind: "backing-off", until: performance.now() + delay, over });
  }

  #enter(state: State): void {
    if (this.#state.kind === "closed") return;
    this.#state = state;
    this.#since = new Date();
  }

  async #list(connection: Connection): Promise<Result<"listed", string>> {
    const listed = await connection.list(this.server.startTimeoutMs);
    if (!listed.ok) return listed;
    const { tools, isCut } = listed.value;
    const { toolListing } = await import("./tools/tool-listing.ts");
    const startedAt = performance.now();
    const made = toolListing(this.server.name, tools);
    this.#listingMs = performance.now() - startedAt;
    const cut = {
      kind: "list-cut",
      message: "Its list of tools does not end; what came first counts",
    } as const;
    const before = this.#listing;
    this.#listing = {
      tools: new Map([...made.tools].map(([name, tool]) => [name, same(before.tools.get(name), tool)])),
      findings: isCut ? [cut, ...made.findings] : made.findings,
    };
    this.#hasListed = true;
    if (!haveSameTools(before, this.#listing)) this.#options.onToolsChange();
    return ok("listed");
  }

  // A server may say at any rate that its tools have changed; it is asked for them now and then.
  #refreshSoon(): void {
    switch (this.#refreshing) {
      case "no":
        this.#refreshing = "soon";
        void this.#refresh();
        return;
      case "now":
        this.#refreshing = "again";
        return;
      case "soon":
      case "again":
    }
  }

  async #refresh(): Promise<void> {
    do {
      // However often it says so, and however long its list, looking at it takes little of our time.
      await wait(Math.max(REFRESH_MS, 20 * this.#listingMs), undefined, { ref: false });
      this.#refreshing = "now";
      const state = this.#state;
      if (state.kind !== "ready") break;
      const listed = await this.#list(state.connection);
      if (!listed.ok) this.#note({ kind: "list-failed", message: listed.error });
      this.#relisted.resolve();
      this.#relisted = Promise.withResolvers();
    } while (this.#isToRefreshAgain());
    this.#refreshing = "no";
    this.#relisted.resolve();
    this.#relisted = Promise.withResolvers();
  }

  /** Waits until what the server has said of its tools by now is known. */
  async #upToDate(): Promise<"listed"> {
    // One listing may be under way that was asked for before the server spoke.
    for (let rounds = this.#isToRefreshAgain() ? 2 : 1; rounds > 0 && this.#refreshing !== "no"; rounds--)
      await this.#relisted.promise;
    return "listed";
  }

  #isToRefreshAgain(): boolean {
    return this.#refreshing === "again";
  }
}

async function soonerOf<Value>(work: Promise<Value>, end: AbortSignal): Promise<Value | undefined> {
  if (end.aborted) return undefined;
  const ended = Promise.withResolvers<undefined>();
  const onEnd = (): void => ended.resolve(undefined);
  end.addEventListener("abort", onEnd, { once: true });
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    end.removeEventListener("abort", onEnd);
  }
}

// A tool that has not changed stays the same object, so that what was made of its schemas can be used again.
function same(before: UpstreamTool | undefined, now: UpstreamTool): UpstreamTool {
  return before && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

function haveSameTools(before: ToolListing, now: ToolListing): boolean {
  return (
    before.tools.size === now.tools.size &&
    [...now.tools].every(([name, tool]) => before.tools.get(name) === tool)
  );
}
