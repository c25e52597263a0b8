import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { NEWEST_VERSION } from "../tables.ts";

/** The file is a database, but not one of traces. */
class ForeignDatabase extends Error {
  constructor() {
    super("it is a database of something else");
  }
}

/** Whether an error says that a file will never be read: not that others have locked it, nor that it is kept from us. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof ForeignDatabase) return true;
  const { errcode, code } = error as { readonly errcode?: unknown; readonly code?: unknown };
  const primary = typeof errcode === "number" ? errcode & 0xff : undefined;
  return primary === CORRUPT || primary === NOT_A_DATABASE || code === "EISDIR";
}

/** Throws where a database is not one of traces. One of a newer version is not looked at. */
export function expectTraces(database: DatabaseSync): void {
  const { user_version } = database.prepare("pragma user_version").get() as { user_version: number };
  if (user_version > NEWEST_VERSION) return;
  const names = database.prepare("select name from sqlite_schema where type = 'table'").all();
  const tables = new Set(names.map(({ name }) => name));
  const isOurs =
    user_version === 0 ? tables.size === 0 : tables.has("runs") && tables.has("execution_events");
  if (!isOurs) throw new ForeignDatabase();
}

/**
 * Renames a store that cannot be read, with what belongs to it, and gives its new name; nothing where it can be read
 * after all, since another process has put a new one there.
 */
export function setStoreAside(path: string): string | undefined {
  const lock = `${path}.setting-aside`;
  if (existsSync(lock) && Date.now() - statSync(lock).mtimeMs > STALE_MS) rmSync(lock, { force: true });
  // One at a time: whoever comes second finds a new store, and must not move that.
  closeSync(openSync(lock, "wx", 0o600));
  try {
    if (!isStillUnreadable(path)) return undefined;
    const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
    const aside = freeName(`${path}${ASIDE}${stamp}`);
    renameSync(path, aside);
    for (const end of ["-wal", "-shm", "-journal"])
      if (existsSync(path + end)) renameSync(path + end, aside + end);
    return basename(aside);
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Stores that lie beside this one since they could not be read. */
export function storesSetAside(path: string): readonly string[] {
  try {
    const start = basename(path) + ASIDE;
    return readdirSync(dirname(path)).filter(
      (name) => name.startsWith(start) && !/-(?:wal|shm|journal)$/.test(name),
    );
  } catch {
    return [];
  }
}

const ASIDE = ".unreadable-";
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
const STALE_MS = 30_000;

function isStillUnreadable(path: string): boolean {
  if (!existsSync(path)) return false;
  // A folder may be there by a mistake in the configuration: only one that bears the name of a database is moved.
  if (statSync(path).isDirectory()) return /\.(?:db|sqlite3?)$/i.test(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 5000 });
    expectTraces(database);
    const [found] = database.prepare("pragma quick_check(1)").all();
    return found !== undefined && found["quick_check"] !== "ok";
  } catch (error) {
    return isUnreadable(error);
  } finally {
    database?.close();
  }
}

function freeName(wanted: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : join(dirname(wanted), `${basename(wanted)}-${number}`);
    if (!existsSync(name)) return name;
  }
}
