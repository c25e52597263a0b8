import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Tells of each process that works on runs whether it still lives: each holds the lock of a file of its own, which the
 * operating system gives back when it dies.
 */
export class ProcessLock {
  readonly #folder: string;
  readonly #id = randomUUID();
  #held: DatabaseSync | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** This process, which lives from now on; throws what the file system throws. */
  get id(): string {
    this.#held ??= locked(this.#file(this.#id));
    return this.#id;
  }

  isAlive(id: string): boolean {
    if (id === this.#id) return true;
    const lock = locked(this.#file(id));
    if (!lock) return true;
    this.#release(lock, id);
    return false;
  }

  close(): void {
    if (this.#held) this.#release(this.#held, this.#id);
    this.#held = undefined;
  }

  #release(lock: DatabaseSync, id: string): void {
    lock.close();
    rmSync(this.#file(id), { force: true });
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.lock`);
  }
}

const BUSY = 5;

/** The lock of an SQLite database in which nothing is ever written; nothing where another process has it. */
function locked(file: string): DatabaseSync | undefined {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("begin immediate");
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === BUSY) return undefined;
    throw error;
  }
}
