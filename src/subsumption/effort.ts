/** How much work is left to be done; spending more than there is ends the work. */
export class Effort {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  renew(limit: number): void {
    this.#left = limit;
  }

  spend(amount = 1): void {
    this.#left -= amount;
    if (this.#left < 0) throw new Exhausted();
  }
}

/** Thrown where the work is larger than the effort; whoever has made the effort catches it. */
export class Exhausted extends Error {}
