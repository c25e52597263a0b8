import type { ServerResponse } from "node:http";
import type {
  McpServer,
  RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { DirectCall } from "../mcp-server.ts";
import { type DirectAnswer, DirectCalls } from "./direct-call.ts";

/** How many sessions there can be, and how long one stays that nobody uses. */
const SESSION_LIMITS = {
  sessions: 2000,
  perAddress: 1000,
  /** A session in which nothing goes on is closed then. */
  idleMs: 24 * 3_600_000,
  /** Where there is no room for another, those go first in which nothing has gone on for so long. */
  crowdedIdleMs: 30 * 60_000,
  /** Likewise, those in which nothing has been asked since they were opened. */
  unusedMs: 60_000,
} as const;

/** A session of the 2025 revisions. */
export class HttpSession {
  readonly address: string;
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** The requests that are not answered yet. */
  readonly #running = new Set<RequestId>();
  readonly #calls = new DirectCalls();
  #open = 0;
  #requests = 0;
  #usedAt = Date.now();

  constructor({ address, server, transport }: Pick<HttpSession, "address" | "server" | "transport">) {
    this.address = address;
    this.server = server;
    this.transport = transport;
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      if ("id" in message && !("method" in message) && message.id !== undefined)
        this.#running.delete(message.id);
      return send(message, options);
    };
  }

  async connect(): Promise<void> {
    const { transport } = this;
    transport.onclose = () => this.#calls.close();
    await this.server.connect(transport);
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
      if ("method" in message && message.method === "notifications/cancelled")
        this.#calls.cancel(message.params);
      receive?.(message, extra);
    };
  }

  /** Makes a call past the SDK, of a request that was taken in. */
  async call(id: RequestId, call: DirectCall): Promise<DirectAnswer> {
    const answer = await this.#calls.answer(id, call);
    if (answer.kind !== "asking") this.#running.delete(id);
    return answer;
  }

  /**
   * Takes in requests whose client may go. Then nobody can get their answers any more, and what runs for them is
   * cancelled. Gives the id of one that runs already, and takes nothing in then.
   */
  begin(message: unknown, gone: AbortSignal): RequestId | undefined {
    const ids = requestIds(message);
    const running = ids.find((id, at) => this.#running.has(id) || ids.indexOf(id) < at);
    if (running !== undefined) return running;
    for (const id of ids) this.#running.add(id);
    const end = (): void => {
      for (const requestId of ids) {
        if (!this.#running.delete(requestId)) continue;
        const params = { requestId, reason: "the client has gone" };
        this.transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params });
      }
    };
    if (gone.aborted) end();
    else gone.addEventListener("abort", end, { once: true });
    return undefined;
  }

  /** Something goes on in it until the response, which may be a stream, has ended. */
  use(response: ServerResponse): void {
    this.#requests++;
    if (response.closed) return;
    this.#open++;
    response.once("close", () => {
      this.#open--;
      this.#usedAt = Date.now();
    });
  }

  /** For how long nothing has gone on; 0 where there is an open stream or a running call. */
  get idleMs(): number {
    return this.#open > 0 ? 0 : Date.now() - this.#usedAt;
  }

  get isUnused(): boolean {
    return this.#requests <= 1;
  }
}

/** The ids of the requests in a message, or in a batch of them. */
export function requestIds(message: unknown): readonly RequestId[] {
  const all: readonly unknown[] = Array.isArray(message) ? message : [message];
  return all.flatMap((each) => {
    if (typeof each !== "object" || each === null || !("id" in each) || !("method" in each)) return [];
    return typeof each.id === "string" || typeof each.id === "number" ? [each.id] : [];
  });
}

/** The sessions that there are. One in which something goes on is never closed to make room for others. */
export class HttpSessions {
  readonly #byId = new Map<string, HttpSession>();

  get(id: string): HttpSession | undefined {
    return this.#byId.get(id);
  }

  all(): readonly HttpSession[] {
    return [...this.#byId.values()];
  }

  add(id: string, session: HttpSession): void {
    this.#byId.set(id, session);
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }

  /** Says what there is too much of for another session, after closing what was left behind; or nothing. */
  makeRoom(address: string): "address" | "server" | undefined {
    const own = this.#count(address);
    if (own >= SESSION_LIMITS.perAddress && !this.#closeLeftBehind(address)) return "address";
    if (this.#byId.size >= SESSION_LIMITS.sessions && !this.#closeLeftBehind()) return "server";
    return undefined;
  }

  async closeIdle(): Promise<void> {
    for (const [id, session] of this.#byId)
      if (session.idleMs >= SESSION_LIMITS.idleMs) await this.#close(id, session);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#byId].map(async ([id, session]) => this.#close(id, session)));
  }

  #count(address: string): number {
    let count = 0;
    for (const session of this.#byId.values()) if (session.address === address) count++;
    return count;
  }

  /** Closes the session that has been idle longest, if that is long enough. */
  #closeLeftBehind(address?: string): boolean {
    let found: readonly [string, HttpSession] | undefined;
    for (const [id, session] of this.#byId) {
      const { unusedMs, crowdedIdleMs } = SESSION_LIMITS;
      if (address !== undefined && session.address !== address) continue;
      if (session.idleMs < (session.isUnused ? unusedMs : crowdedIdleMs)) continue;
      if (!found || session.idleMs > found[1].idleMs) found = [id, session];
    }
    if (!found) return false;
    void this.#close(...found);
    return true;
  }

  async #close(id: string, { server }: HttpSession): Promise<void> {
    this.#byId.delete(id);
    await server.close();
  }
}
