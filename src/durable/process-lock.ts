import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type FileLock, fileLock } from "../core/files/file-lock.ts";

/**
 * Tells of each process that works on runs whether it still lives: each holds the lock of a file of its own, which the
 * operating system gives back when it dies.
 */
export class ProcessLock {
  readonly #folder: string;
  readonly #id = randomUUID();
  #held: FileLock | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** This process, which lives from now on; throws what the file system throws. */
  get id(): string {
    this.#held ??= fileLock(this.#file(this.#id));
    return this.#id;
  }

  isAlive(id: string): boolean {
    if (id === this.#id) return true;
    const lock = fileLock(this.#file(id));
    if (!lock) return true;
    this.#release(lock, id);
    return false;
  }

  close(): void {
    if (this.#held) this.#release(this.#held, this.#id);
    this.#held = undefined;
  }

  #release(lock: FileLock, id: string): void {
    lock.close();
    rmSync(this.#file(id), { force: true });
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.lock`);
  }
}
