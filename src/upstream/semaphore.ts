/** Lets so many work at once; the others wait in their order. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #mostWaiting: number;

  constructor(count: number, mostWaiting: number) {
    this.#free = count;
    this.#mostWaiting = mostWaiting;
  }

  /** Whether there is a slot for the caller now, who must free it. Nobody waits longer than the signal lets him. */
  async acquire(signal: AbortSignal): Promise<"taken" | "too many wait" | "over"> {
    if (signal.aborted) return "over";
    if (this.#free > 0) {
      this.#free--;
      return "taken";
    }
    if (this.#waiting.length >= this.#mostWaiting) return "too many wait";
    return new Promise((resolve) => {
      const taken = (): void => {
        signal.removeEventListener("abort", over);
        resolve("taken");
      };
      const over = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(taken), 1);
        resolve("over");
      };
      signal.addEventListener("abort", over, { once: true });
      this.#waiting.push(taken);
    });
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
