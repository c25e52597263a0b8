/**
 * What is under way, by its number or name: a `Map` whose entries come and go all the time. Now and then a `Map` of V8
 * makes a new table, and each table refers to the next: when one has become an old object, whatever stood in later ones
 * lives until old objects are collected, which is all that a busy thread does then.
 */
export class TransientMap<Value> {
  #held: Held<Value> = Object.create(null) as Held<Value>;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: number | string): Value | undefined {
    return this.#held[property(key)];
  }

  set(key: number | string, value: Value): void {
    if (!(property(key) in this.#held)) this.#size++;
    this.#held[property(key)] = value;
  }

  /** Whether it was there. */
  delete(key: number | string): boolean {
    if (!(property(key) in this.#held)) return false;
    this.#size--;
    return delete this.#held[property(key)];
  }

  /** As they are now, those with numbers first and by these: what comes or goes meanwhile does not show. */
  values(): readonly Value[] {
    return Object.values(this.#held);
  }

  clear(): void {
    this.#held = Object.create(null) as Held<Value>;
    this.#size = 0;
  }
}

type Held<Value> = Record<number | string, Value>;

// The text "1" is another key than the number.
function property(key: number | string): number | string {
  return typeof key === "number" ? key : `"${key}`;
}
