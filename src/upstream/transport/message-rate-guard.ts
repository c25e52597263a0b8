const WINDOW_MS = 5_000;
const MOST_MESSAGES = 5_000;
const MOST_BYTES = 16 * 2 ** 20;

/** Counts what nobody asked for. */
export class Flood {
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
    return this.#messages > MOST_MESSAGES || this.#bytes > MOST_BYTES;
  }
}

export const FLOOD = `it sent more than ${MOST_MESSAGES} messages or ${MOST_BYTES / 2 ** 20} MB within ${WINDOW_MS / 1000} s that nobody had asked for`;
