import { readFile } from "node:fs/promises";
import { markOf, writeWhole } from "./whole-file.ts";

/**
 * Results of earlier work by key, in memory and in one file that several processes may share. A file that cannot be
 * read or written costs only the time to do the work again.
 */
export class ResultCache<Value> {
  readonly #file: string | undefined;
  readonly #isValue: (value: unknown) => value is Value;
  readonly #entries = new Map<string, Entry<Value>>();
  /** Keys that were asked for or set since the last save: these stay, however many they are. */
  readonly #inUse = new Set<string>();
  #seen = "";
  #unsaved = false;

  constructor(file: string | undefined, isValue: (value: unknown) => value is Value) {
    this.#file = file;
    this.#isValue = isValue;
  }

  /** Takes in what other processes have written since. */
  async refresh(): Promise<void> {
    if (this.#file === undefined) return;
    const seen = markOf(this.#file);
    if (seen === this.#seen) return;
    this.#seen = seen;
    for (const [key, entry] of Object.entries(await entriesIn(this.#file))) {
      if (!this.#entries.has(key) && this.#isValue(entry.value))
        this.#entries.set(key, { used: entry.used, value: entry.value });
    }
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#inUse.add(key);
    if (entry.used !== today()) {
      this.#entries.set(key, { ...entry, used: today() });
      this.#unsaved = true;
    }
    return entry.value;
  }

  set(key: string, value: Value): void {
    this.#inUse.add(key);
    this.#entries.set(key, { used: today(), value });
    this.#unsaved = true;
  }

  async save(): Promise<void> {
    this.#prune();
    if (this.#file === undefined || !this.#unsaved) return;
    this.#unsaved = false;
    await this.refresh();
    const text = JSON.stringify({ entries: Object.fromEntries(this.#entries) });
    if (writeWhole(this.#file, text) === undefined) this.#seen = markOf(this.#file);
  }

  #prune(): void {
    const inUse = new Set(this.#inUse);
    this.#inUse.clear();
    if (this.#entries.size <= Math.max(MAX_ENTRIES, inUse.size)) return;
    const others = [...this.#entries].filter(([key]) => !inUse.has(key));
    const latest = others.toSorted(([, a], [, b]) => b.used - a.used);
    for (const [key] of latest.slice(Math.max(0, MAX_ENTRIES - inUse.size))) this.#entries.delete(key);
  }
}

interface Entry<Value> {
  /** The day of the last use, counted from 1970. */
  readonly used: number;
  readonly value: Value;
}

const MAX_ENTRIES = 5_000;
const DAY_MS = 86_400_000;

function today(): number {
  return Math.floor(Date.now() / DAY_MS);
}

async function entriesIn(file: string): Promise<Readonly<Record<string, Entry<unknown>>>> {
  try {
    const read: unknown = JSON.parse(await readFile(file, "utf8"));
    const entries = isRecord(read) && isRecord(read["entries"]) ? read["entries"] : {};
    return Object.fromEntries(
      Object.entries(entries).filter((pair): pair is [string, Entry<unknown>] => isEntry(pair[1])),
    );
  } catch {
    return {};
  }
}

function isEntry(value: unknown): value is Entry<unknown> {
  return isRecord(value) && typeof value["used"] === "number";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
