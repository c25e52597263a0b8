import { appendFileSync, closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { markOf, writeWhole } from "./whole-file.ts";

/**
 * Results of earlier work by key, in memory and in one file that several processes may share. A file that cannot be
 * read or written costs only the time to do the work again. It has a line of JSON for each result; new ones are added
 * behind the others, so that a result costs its own line, however many there are; of several with one key the last counts.
 */
export class ResultCache<Value> {
  readonly #file: string | undefined;
  readonly #isValue: (value: unknown) => value is Value;
  readonly #entries = new Map<string, Entry<Value>>();
  /** Keys that were asked for or set since the last save: these stay, however many they are. */
  readonly #inUse = new Set<string>();
  /** Keys of what the file does not have. */
  readonly #unsaved = new Set<string>();
  #read: FileState = NOTHING_READ;

  constructor(file: string | undefined, isValue: (value: unknown) => value is Value) {
    this.#file = file;
    this.#isValue = isValue;
  }

  /** Takes in what other processes have written since. */
  refresh(): void {
    if (this.#file === undefined) return;
    const mark = markOf(this.#file);
    if (mark === this.#read.mark) return;
    const { added, ...state } = newLines(this.#file, this.#read);
    this.#read = { mark, ...state };
    const latest = new Map<string, Entry<Value>>();
    for (const line of added) {
      const entry = entryIn(line);
      if (!entry || !this.#isValue(entry.value)) continue;
      const { key, used, value } = entry;
      latest.set(key, { used: Math.max(used, latest.get(key)?.used ?? 0), value });
    }
    // What is known here already stays the same object.
    for (const [key, entry] of latest) {
      const known = this.#entries.get(key);
      this.#entries.set(key, known ? { ...known, used: Math.max(entry.used, known.used) } : entry);
    }
  }

  /** Whether there is nothing, as far as it was read. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#inUse.add(key);
    const now = today();
    if (entry.used !== now) {
      this.#entries.set(key, { ...entry, used: now });
      this.#unsaved.add(key);
    }
    return entry.value;
  }

  set(key: string, value: Value): void {
    this.#inUse.add(key);
    this.#entries.set(key, { used: today(), value });
    this.#unsaved.add(key);
  }

  /** Of the others, those that are still in use stay, too. */
  save(alsoInUse: () => Iterable<string> = () => []): void {
    if (this.#unsaved.size > 0) {
      if (this.#file !== undefined) this.refresh();
      for (const key of alsoInUse()) this.#inUse.add(key);
    }
    const most = Math.max(MAX_ENTRIES, this.#inUse.size);
    const { lines, isRagged } = this.#read;
    const isTooLong = Math.max(lines + this.#unsaved.size, this.#entries.size) > most + MAX_SPARE_LINES;
    if (isTooLong) this.#prune(most);
    if (this.#file !== undefined && this.#unsaved.size > 0) {
      if (isTooLong || isRagged) this.#rewrite(this.#file);
      else this.#append(this.#file);
    }
    this.#unsaved.clear();
    this.#inUse.clear();
  }

  #append(file: string): void {
    const text = this.#textOf(this.#unsaved);
    const { inode, bytes, lines } = this.#read;
    try {
      appendFileSync(file, text);
      const { ino, size } = statSync(file);
      const now = bytes + Buffer.byteLength(text);
      // What others have written meanwhile is still to be read.
      if (ino === inode && size === now)
        this.#read = { ...this.#read, mark: markOf(file), bytes: now, lines: lines + this.#unsaved.size };
    } catch {
      // Then the next start does the work again.
    }
  }

  #rewrite(file: string): void {
    const text = this.#textOf(this.#entries.keys());
    if (writeWhole(file, text) !== undefined) return;
    const { ino: inode, size: bytes } = statSync(file);
    this.#read = { mark: markOf(file), inode, bytes, lines: this.#entries.size, isRagged: false };
  }

  #textOf(keys: Iterable<string>): string {
    return Array.from(keys, (key) => `${JSON.stringify({ key, ...this.#entries.get(key) })}\n`).join("");
  }

  #prune(most: number): void {
    if (this.#entries.size <= most) return;
    const others = [...this.#entries].filter(([key]) => !this.#inUse.has(key));
    const latest = others.toSorted(([, a], [, b]) => b.used - a.used);
    for (const [key] of latest.slice(Math.max(0, most - this.#inUse.size))) this.#entries.delete(key);
  }
}

interface Entry<Value> {
  /** The day of the last use, counted from 1970. */
  readonly used: number;
  readonly value: Value;
}

/** What of the file has been read. */
interface FileState {
  readonly mark: string;
  readonly inode: number;
  readonly bytes: number;
  readonly lines: number;
  /** Whether something stands behind the last whole line. */
  readonly isRagged: boolean;
}

const NOTHING_READ: FileState = { mark: "", inode: -1, bytes: 0, lines: 0, isRagged: true };
const MAX_ENTRIES = 5_000;
/** Lines that the file may have beyond those that are kept. */
const MAX_SPARE_LINES = 100;
const DAY_MS = 86_400_000;

function today(): number {
  return Math.floor(Date.now() / DAY_MS);
}

/** The lines that the file has behind those that were read; all of it, where it is another file. */
function newLines(
  file: string,
  before: FileState,
): Omit<FileState, "mark"> & { readonly added: readonly string[] } {
  let opened: number | undefined;
  try {
    opened = openSync(file, "r");
    const { ino: inode, size } = fstatSync(opened);
    const known = inode === before.inode && size >= before.bytes ? before : NOTHING_READ;
    const buffer = Buffer.allocUnsafe(size - known.bytes);
    const bytesRead = readSync(opened, buffer, 0, buffer.length, known.bytes);
    const end = buffer.subarray(0, bytesRead).lastIndexOf("\n") + 1;
    const added = buffer.toString("utf8", 0, end).split("\n").slice(0, -1);
    const isRagged = end < bytesRead;
    return { inode, bytes: known.bytes + end, lines: known.lines + added.length, isRagged, added };
  } catch {
    return { ...NOTHING_READ, added: [] };
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

function entryIn(line: string): (Entry<unknown> & { readonly key: string }) | undefined {
  try {
    const read: unknown = JSON.parse(line);
    return isEntry(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is Entry<unknown> & { readonly key: string } {
  const { key, used } = (value ?? {}) as { readonly key?: unknown; readonly used?: unknown };
  return typeof key === "string" && typeof used === "number";
}
