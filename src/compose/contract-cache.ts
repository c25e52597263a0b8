import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { CompiledCode } from "./compiled-code.ts";

/**
 * What was compiled before, in memory and in one file that several processes may share. A file that cannot be read or
 * written costs only the time to compile again.
 */
export class ContractCache {
  readonly #file: string | undefined;
  #entries = new Map<string, Entry>();
  #seen = "";
  #unsaved = false;

  constructor(file: string | undefined) {
    this.#file = file;
  }

  /** Takes in what other processes have written since. */
  async refresh(): Promise<void> {
    if (this.#file === undefined) return;
    const seen = await markOf(this.#file);
    if (seen === this.#seen) return;
    this.#seen = seen;
    for (const [key, entry] of Object.entries(await entriesIn(this.#file))) {
      if (!this.#entries.has(key)) this.#entries.set(key, entry);
    }
  }

  get(key: string): CompiledCode | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.used !== today()) {
      this.#entries.set(key, { ...entry, used: today() });
      this.#unsaved = true;
    }
    return entry.code;
  }

  set(key: string, code: CompiledCode): void {
    this.#entries.set(key, { used: today(), code });
    this.#unsaved = true;
  }

  async save(): Promise<void> {
    this.#prune();
    if (this.#file === undefined || !this.#unsaved) return;
    this.#unsaved = false;
    await this.refresh();
    const temporary = `${this.#file}.${process.pid}-${randomUUID().slice(0, 8)}`;
    try {
      await mkdir(path.dirname(this.#file), { recursive: true });
      await writeFile(temporary, JSON.stringify({ entries: Object.fromEntries(this.#entries) }));
      await rename(temporary, this.#file);
      this.#seen = await markOf(this.#file);
    } catch {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  #prune(): void {
    if (this.#entries.size <= MOST_ENTRIES) return;
    const latest = [...this.#entries].toSorted(([, a], [, b]) => b.used - a.used).slice(0, MOST_ENTRIES);
    this.#entries = new Map(latest);
  }
}

interface Entry {
  /** The day of the last use, counted from 1970. */
  readonly used: number;
  readonly code: CompiledCode;
}

const MOST_ENTRIES = 5_000;
const DAY_MS = 86_400_000;

function today(): number {
  return Math.floor(Date.now() / DAY_MS);
}

async function markOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs}-${size}-${ino}`;
  } catch {
    return "";
  }
}

async function entriesIn(file: string): Promise<Readonly<Record<string, Entry>>> {
  try {
    const read: unknown = JSON.parse(await readFile(file, "utf8"));
    const entries = isRecord(read) && isRecord(read["entries"]) ? read["entries"] : {};
    return Object.fromEntries(
      Object.entries(entries).filter((pair): pair is [string, Entry] => isEntry(pair[1])),
    );
  } catch {
    return {};
  }
}

function isEntry(value: unknown): value is Entry {
  if (!isRecord(value) || typeof value["used"] !== "number" || !isRecord(value["code"])) return false;
  const { input, output, scripts, calls, tools, findings } = value["code"];
  return (
    isSide(input) && isSide(output) && [scripts, calls, tools, findings].every((each) => Array.isArray(each))
  );
}

function isSide(value: unknown): boolean {
  if (!isRecord(value)) return false;
  switch (value["source"]) {
    case "literal":
      return isRecord(value["schema"]) && isRecord(value["place"]);
    case "types":
      return isRecord(value["schema"]) && isRecord(value["place"]) && Array.isArray(value["findings"]);
    case "none":
      return isRecord(value["place"]);
    default:
      return value["source"] === "failed";
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
