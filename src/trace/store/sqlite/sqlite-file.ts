import type { Failure } from "../../../core/error.ts";
import { fileFault, placedFault } from "../../../core/files/file-fault.ts";
import { type Database, type Transaction, unavailableFailure } from "../database.ts";
import { isUnreadable, setStoreAside } from "./set-aside.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

export interface SqliteFileOptions {
  readonly path: string;
  readonly lockMs: number;
  readonly mostPages?: number;
}

/** A file of SQLite that is opened when it is first used, and anew after it failed; one that cannot be read is set aside. */
export class SqliteFile implements Database {
  readonly #options: SqliteFileOptions;
  readonly #onNotice: (notice: string) => void;
  #database: SqliteDatabase | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SqliteFileOptions, onNotice: (notice: string) => void) {
    this.#options = options;
    this.#onNotice = onNotice;
  }

  async read<Row>(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.#opened()).query(sql, parameters) as unknown as readonly Row[];
  }

  /** One after the other: the file is locked as a whole, by whatever names. */
  async transaction<Value>(
    _locks: readonly string[],
    work: (transaction: Transaction) => Promise<Value>,
  ): Promise<Value> {
    const done = this.#last.then(async () => (await this.#opened()).transaction(work));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async shrink(): Promise<void> {
    (await this.#opened()).shrink();
  }

  failureOf(error: unknown): Failure {
    const { errcode, code } = error as { readonly errcode?: unknown; readonly code?: unknown };
    const primary = typeof errcode === "number" ? errcode & 0xff : undefined;
    if (primary !== undefined && !LEAVE_OPEN.has(primary)) {
      try {
        this.#database?.close();
      } catch {
        // It is given up in any case.
      }
      this.#database = undefined;
      if (isUnreadable(error)) this.#setAside(error);
    }
    const passes =
      primary === undefined ? typeof code === "string" && /^E[A-Z]+$/.test(code) : PASSING.has(primary);
    return unavailableFailure(placedFault(error), passes);
  }

  async close(): Promise<void> {
    await this.#last;
    this.#database?.close();
    this.#database = undefined;
  }

  async #opened(): Promise<SqliteDatabase> {
    if (this.#database) return this.#database;
    try {
      this.#database = await SqliteDatabase.open(this.#options.path, this.#options);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#setAside(error);
      this.#database = await SqliteDatabase.open(this.#options.path, this.#options);
    }
    return this.#database;
  }

  /** Puts a store that cannot be read out of the way; others may have done so already. */
  #setAside(error: unknown): void {
    const { path } = this.#options;
    const name = setStoreAside(path);
    if (name === undefined) return;
    const why = fileFault(error);
    this.#onNotice(
      `The store of traces ${path} cannot be read (${why}): it is set aside as ${name}, and a new one is begun`,
    );
  }
}

/** Busy, locked, full: the connection is as good as before. */
const LEAVE_OPEN: ReadonlySet<number> = new Set([5, 6, 13]);
/** These and the causes in the file system pass, or somebody mends them. */
const PASSING: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 10, 11, 13, 14, 26]);
