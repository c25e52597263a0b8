const WINDOW_MS = 5_000;
const MAX_MESSAGES = 5_000;
const MAX_BYTES = 16 * 2 ** 20;

/** Counts what nobody asked for. */
export class MessageRateGuard {
  #since = 0;
  #messages = 0;
  #bytes = 0;

  /** Whether it has become too much. */
  add(bytes: number): boolean {
    const now = performance.now();
    if (now - this.#since > WINDOW_MS) {
      this.#since = now;
      this.#messages = 0;
      this.#bytes = 0;
    }
    this.#messages++;
    this.#bytes += bytes;
    return this.#messages > MAX_MESSAGES || this.#bytes > MAX_BYTES;
  }
}

export const TOO_MANY_MESSAGES = `it sent more than ${MAX_MESSAGES} messages or ${MAX_BYTES / 2 ** 20} MB within ${WINDOW_MS / 1000} s that nobody had asked for`;
