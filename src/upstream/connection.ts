import { setTimeout as wait } from "node:timers/promises";
import {
  type CallToolResult,
  Client,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "../core/json/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type CallFault, type CallLimits, callTool } from "./tools/call-tool.ts";
import { httpTransport } from "./transport/http-transport.ts";
import type { LastLines } from "./transport/last-lines.ts";
import { listTools, type RawTools } from "./tools/tool-listing.ts";
import { faultText } from "./fault-text.ts";
import { StdioTransport } from "./transport/stdio-transport.ts";
import type { UpstreamServer, UsableTransportConfig } from "./upstream-config.ts";
import type { UpstreamTool } from "./tools/upstream-tool.ts";

export interface ConnectOptions {
  readonly client: { readonly name: string; readonly version: string };
  readonly stderr: LastLines;
  readonly mostMessageBytes: number;
  /** What is known from before: a server of the old era need not be asked for the new one again. */
  readonly isLegacy: boolean;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  /** The server says that its tools have changed. May be called very often. */
  readonly onToolsChange: () => void;
}

/** A server that is spoken to. */
export interface Connection {
  readonly protocolVersion: string | undefined;
  readonly isLegacy: boolean;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly pid: number | undefined;
  /** When anything came from it last, on the clock of `performance.now()`. */
  readonly heardAt: () => number;
  /** Settles with the reason, once nothing more will come. */
  readonly ended: Promise<string>;
  /** What it lists, as it says it. */
  list(timeoutMs: number): Promise<Result<RawTools, string>>;
  call(tool: UpstreamTool, args: JsonObject, how: CallLimits): Promise<Result<CallToolResult, CallFault>>;
  /** Whether it answers anything at all. */
  isResponsive(withinMs: number): Promise<boolean>;
  /** Ends it for a reason, or as planned. Resolves when nothing is left of it. */
  close(reason?: string): Promise<void>;
}

const LISTEN_MS = 10_000;
/** How long a server may take to answer the question for the new era: most that do not know it say so at once. */
const MAX_PROBE_MS = 10_000;
/** A child that is silent is asked as one of the old era; should it refuse that, it is given the longer time. */
const MAX_SILENT_MS = 1_500;

/** Reaches a server, in the newest protocol revision that both know. The failure says what to mend. */
export async function connect(
  server: UpstreamServer,
  way: UsableTransportConfig,
  options: ConnectOptions,
): Promise<Result<Connection, string>> {
  const startedAt = performance.now();
  const probeMs = way.kind === "stdio" ? MAX_SILENT_MS : MAX_PROBE_MS;
  const first = await attempt(server, way, options, server.startTimeoutMs, probeMs);
  if (first.ok) return first;
  const leftMs = server.startTimeoutMs - (performance.now() - startedAt);
  const isOfHaste = first.error.kind === "refused" && way.kind === "stdio" && !options.isLegacy && leftMs > 1;
  if (isOfHaste && !options.signal.aborted) {
    const patient = await attempt(server, way, options, leftMs, MAX_PROBE_MS);
    return patient.ok ? patient : fail(connectFaultText(patient.error, server, way, options));
  }
  // Some servers of the old era end when they are asked for the new one.
  const isOfQuestion = first.error.kind === "ended" && !options.isLegacy && leftMs > 1;
  if (!isOfQuestion || options.signal.aborted)
    return fail(connectFaultText(first.error, server, way, options));
  const again = { ...options, isLegacy: true };
  const second = await attempt(server, way, again, leftMs, probeMs);
  return second.ok ? second : fail(connectFaultText(second.error, server, way, again));
}

type Outcome =
  | { readonly kind: "open" }
  /** There is no one at the other end any more. */
  | { readonly kind: "ended"; readonly reason: string }
  | { readonly kind: "refused"; readonly error: unknown }
  | { readonly kind: "late" }
  | { readonly kind: "aborted" };

async function attempt(
  { name, timeoutMs }: UpstreamServer,
  way: UsableTransportConfig,
  { client: own, stderr, mostMessageBytes, isLegacy, signal, onToolsChange }: ConnectOptions,
  startTimeoutMs: number,
  probeMs: number,
): Promise<Result<Connection, Exclude<Outcome, { kind: "open" }>>> {
  const end = Promise.withResolvers<string>();
  const onEnd = end.resolve;
  const transport =
    way.kind === "stdio"
      ? new StdioTransport({ command: way, stderr, mostMessageBytes, onEnd })
      : httpTransport({ address: way, mostMessageBytes, patienceMs: timeoutMs + 1_000, onEnd });
  const probe = { timeoutMs: Math.min(probeMs, Math.ceil(startTimeoutMs / 2)) };
  const client = new Client(own, { versionNegotiation: { mode: "auto", probe } });
  client.onerror = () => undefined;
  client.setNotificationHandler("notifications/tools/list_changed", onToolsChange);
  const close = closing(client, transport, onEnd);

  const connecting = client.connect(transport, {
    timeout: startTimeoutMs,
    ...(isLegacy ? { prior: { kind: "legacy" } } : {}),
  });
  const aftermathMs = way.kind === "stdio" ? AFTERMATH_MS : 0;
  const outcome = await opened(connecting, end.promise, { startTimeoutMs, aftermathMs, signal });
  if (outcome.kind !== "open") {
    await close();
    return fail(outcome);
  }

  let heardAt = performance.now();
  const onMessage = transport.onmessage;
  transport.onmessage = (message: Parameters<NonNullable<Transport["onmessage"]>>[0]) => {
    heardAt = performance.now();
    onMessage?.(message);
  };
  const isOld = client.getProtocolEra() === "legacy";
  if (!isOld) void followChanges(client, end.promise, onToolsChange);
  const info = client.getServerVersion();
  return ok({
    protocolVersion: client.getNegotiatedProtocolVersion(),
    isLegacy: isOld,
    server: info && { name: info.name.slice(0, 200), version: info.version.slice(0, 100) },
    pid: transport instanceof StdioTransport ? transport.pid : undefined,
    heardAt: () => heardAt,
    ended: end.promise,
    list: (listMs) => listTools(client, listMs, way),
    call: (tool, args, how) => callTool({ client, way, ended: end.promise }, name, tool, args, how),
    isResponsive: (withinMs) => isResponsive(client, withinMs),
    close,
  });
}

async function isResponsive(client: Client, withinMs: number): Promise<boolean> {
  const how = { timeout: withinMs, maxTotalTimeout: withinMs };
  try {
    await (client.getProtocolEra() === "legacy" ? client.ping(how) : client.discover(how));
    return true;
  } catch (error) {
    // Any answer shows life, also that it knows no such question.
    return !(SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout);
  }
}

/** What the end of a child makes fail is told as that end, which may come a little later. */
const AFTERMATH_MS = 300;

async function opened(
  connecting: Promise<void>,
  ended: Promise<string>,
  {
    startTimeoutMs,
    aftermathMs,
    signal,
  }: { readonly startTimeoutMs: number; readonly aftermathMs: number; readonly signal: AbortSignal },
): Promise<Outcome> {
  const end = ended.then((reason): Outcome => ({ kind: "ended", reason }));
  const over = new AbortController();
  try {
    return await Promise.race([
      connecting.then(
        (): Outcome => ({ kind: "open" }),
        async (error: unknown): Promise<Outcome> =>
          Promise.race([end, wait<Outcome>(aftermathMs, { kind: "refused", error })]),
      ),
      end,
      wait<Outcome>(startTimeoutMs, { kind: "late" }, { signal: over.signal }),
      aborted(AbortSignal.any([signal, over.signal])),
    ]);
  } finally {
    over.abort();
  }
}

async function aborted(signal: AbortSignal): Promise<Outcome> {
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  return { kind: "aborted" };
}

function connectFaultText(
  outcome: Exclude<Outcome, { kind: "open" }>,
  { startTimeoutMs }: UpstreamServer,
  way: UsableTransportConfig,
  { stderr }: ConnectOptions,
): string {
  switch (outcome.kind) {
    case "ended":
      return outcome.reason;
    case "refused":
      return faultText(outcome.error, way);
    case "late": {
      const words = stderr.lines.slice(-3).join(" / ");
      return `it was not ready within ${startTimeoutMs} ms${words === "" ? "" : `; its last words: ${words}`}`;
    }
    case "aborted":
      return "it has been closed";
  }
}

function closing(
  client: Client,
  transport: ReturnType<typeof httpTransport> | StdioTransport,
  onEnd: (reason: string) => void,
): Connection["close"] {
  return async (reason) => {
    onEnd(reason ?? "it was ended");
    if (!(transport instanceof StdioTransport) && transport.sessionId !== undefined)
      await Promise.race([
        transport.terminateSession().catch(() => undefined),
        wait(1_000, undefined, { ref: false }),
      ]);
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  };
}

/** The new era tells of changes only to whom asks to be told. */
async function followChanges(
  client: Client,
  ended: Promise<string>,
  onToolsChange: () => void,
): Promise<void> {
  if (!client.getServerCapabilities()?.tools?.listChanged) return;
  const over = ended.then(() => "ended" as const);
  for (let delay = 1_000; ; delay = Math.min(60_000, delay * 2)) {
    const followed = await client
      .listen({ toolsListChanged: true }, { timeout: LISTEN_MS })
      .catch(() => undefined);
    const why = followed ? await Promise.race([followed.closed, over]) : "remote";
    if (why === "ended" || why === "local") return;
    if ((await Promise.race([over, wait(delay, "later" as const, { ref: false })])) === "ended") return;
    onToolsChange();
  }
}
