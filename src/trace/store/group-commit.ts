import type { Result } from "../../core/result.ts";

/**
 * Writes what comes in the same tick, and while another write is under way, together. Where a group is refused for a
 * reason that does not pass, each member is tried by itself, so that one cannot take others with it.
 */
export class GroupCommit<Part, Value> {
  readonly #write: (parts: readonly Part[]) => Promise<Result<Value>>;
  readonly #sizeOf: (part: Part) => number;
  #waiting: Member<Part, Value>[] = [];
  #underWay = 0;

  constructor(write: (parts: readonly Part[]) => Promise<Result<Value>>, sizeOf: (part: Part) => number) {
    this.#write = write;
    this.#sizeOf = sizeOf;
  }

  async add(parts: readonly Part[]): Promise<Result<Value>> {
    return new Promise((settle) => {
      this.#waiting.push({ parts, settle });
      if (this.#waiting.length === 1) queueMicrotask(() => this.#go());
    });
  }

  /** Settles when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#underWay > 0 || this.#waiting.length > 0)
      await new Promise((resolve) => void setTimeout(resolve, 1));
  }

  #go(): void {
    while (this.#underWay < MAX_UNDER_WAY && this.#waiting.length > 0) {
      const group = this.#group();
      this.#underWay++;
      void this.#commit(group).then(() => {
        this.#underWay--;
        this.#go();
      });
    }
  }

  #group(): readonly Member<Part, Value>[] {
    let size = 0;
    let count = 0;
    for (const { parts } of this.#waiting) {
      size += parts.reduce((sum, part) => sum + this.#sizeOf(part), 0);
      if (count > 0 && size > MAX_SIZE) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #commit(group: readonly Member<Part, Value>[]): Promise<void> {
    const result = await this.#write(group.flatMap(({ parts }) => parts));
    if (result.ok || group.length === 1 || isTransient(result))
      return group.forEach(({ settle }) => settle(result));
    for (const { parts, settle } of group) settle(await this.#write(parts));
  }
}

/** Whether a failure may pass: the same may work later. */
export function isTransient(result: Result<unknown>): boolean {
  if (result.ok) return false;
  const { details } = result.error;
  return typeof details === "object" && details !== null && "passes" in details && details.passes === true;
}

interface Member<Part, Value> {
  readonly parts: readonly Part[];
  readonly settle: (result: Result<Value>) => void;
}

/** One is written while the next is on its way. */
const MAX_UNDER_WAY = 2;
const MAX_SIZE = 4000;
