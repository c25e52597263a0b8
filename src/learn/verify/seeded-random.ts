import { hash } from "node:crypto";

/** Numbers from 0 to 1 that look random and are always the same for the same seed. */
export class SeededRandom {
  #state: number;

  constructor(seed: string) {
    this.#state = Number.parseInt(hash("sha256", seed).slice(0, 8), 16);
  }

  /** Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From 0 to below the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** An order of so many things that is not the one they are in, where there is another. */
  order(length: number): readonly number[] {
    const order = Array.from({ length }, (_, index) => index);
    for (let last = length - 1; last > 0; last--) {
      const chosen = this.below(last + 1);
      [order[last], order[chosen]] = [order[chosen] ?? 0, order[last] ?? 0];
    }
    return order.every((place, index) => place === index) ? [...order.slice(1), 0].slice(0, length) : order;
  }
}
