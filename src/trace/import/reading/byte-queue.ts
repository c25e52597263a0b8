/** Bytes that are written at one end and dropped at the other, in one growing piece of memory. */
export class ByteQueue {
  #memory = Buffer.allocUnsafe(1 << 16);
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** Valid until the next `push`. */
  get bytes(): Buffer {
    return this.#memory.subarray(this.#start, this.#end);
  }

  push(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#memory.length) this.#makeRoom(chunk.length);
    this.#memory.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  drop(count: number): void {
    this.#start += count;
    if (this.#start >= this.#end) this.#start = this.#end = 0;
  }

  #makeRoom(more: number): void {
    const needed = this.length + more;
    const memory =
      needed * 2 > this.#memory.length ? Buffer.allocUnsafe(Math.max(needed * 2, 1 << 16)) : this.#memory;
    this.#memory.copy(memory, 0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    this.#memory = memory;
  }
}
