import { setTimeout as wait } from "node:timers/promises";

/** The requests that came in and are not answered yet. */
export class OpenRequests<Key> {
  readonly #open = new Set<Key>();
  #closed = 0;
  #wake: (() => void) | undefined;

  open(key: Key): void {
    this.#open.add(key);
  }

  /** It is answered, or nobody waits for the answer any more. */
  close(key: Key): void {
    if (!this.#open.delete(key)) return;
    this.#closed++;
    this.#wake?.();
  }

  keys(): readonly Key[] {
    return [...this.#open];
  }

  /** Waits until none is open, at most so long: from now on, or from the answer to the latest on. */
  async settled(withinMs: number, from: "now" | "latest" = "now"): Promise<void> {
    let until = performance.now() + withinMs;
    let closed = this.#closed;
    while (this.#open.size > 0) {
      if (from === "latest" && closed !== this.#closed) until = performance.now() + withinMs;
      closed = this.#closed;
      const left = until - performance.now();
      if (left <= 0) return;
      const over = new AbortController();
      const changed = new Promise<void>((resolve) => (this.#wake = resolve));
      await Promise.race([changed, wait(left, undefined, { signal: over.signal }).catch(() => undefined)]);
      over.abort();
    }
  }
}

/** How a server that is asked to end says it of a request that it does not take. */
export const SHUTTING_DOWN = {
  code: -32_000,
  message: "The server is shutting down and takes no more requests",
};

/** How long the answers to what was cancelled may take. */
export const LAST_ANSWERS_MS = 1000;
