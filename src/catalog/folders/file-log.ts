import { isUtf8 } from "node:buffer";
import { readFile as readFileWithCallback, stat as statWithCallback, type Stats } from "node:fs";
import { promisify } from "node:util";
import { fail, ok, type Result } from "../../core/result.ts";

const readFile = promisify(readFileWithCallback);
const stat = promisify(statWithCallback);

export interface ReadFile {
  readonly bytes: Buffer;
  readonly text: string;
  /** Whether the bytes are UTF-8, so that the text is all that they say. */
  readonly isUtf8: boolean;
}

export interface ReadFault {
  readonly kind: "missing" | "too-large" | "unreadable";
  readonly message: string;
}

/** Reads files and remembers how it found each, to tell later whether reading them again would give the same. */
export class FileLog {
  readonly #stamps = new Map<string, string>();
  #settled = true;

  /** Never throws. */
  async read(path: string, mostBytes: number): Promise<Result<ReadFile, ReadFault>> {
    try {
      // Looked at before it is opened: opening a pipe waits for a writer.
      const stats = await this.#look(path);
      if (!stats) return fail({ kind: "missing", message: `There is no file ${path}` });
      if (!stats.isFile()) return fail({ kind: "unreadable", message: `${path} is not a file` });
      if (stats.size > mostBytes)
        return fail({
          kind: "too-large",
          message: `${path} has ${stats.size} bytes; the limit is ${mostBytes}`,
        });
      // Files that a kernel makes up say that they are empty, and may have no end.
      const bytes = stats.size === 0 ? Buffer.alloc(0) : await readFile(path);
      return ok({ bytes, text: bytes.toString("utf8"), isUtf8: isUtf8(bytes) });
    } catch (error) {
      this.#settled = false;
      return fail({
        kind: "unreadable",
        message: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      });
    }
  }

  /** Whether there is a file. */
  async has(path: string): Promise<boolean> {
    return (await this.#look(path).catch(() => undefined))?.isFile() === true;
  }

  /** Whether the file was read, or looked for. */
  names(path: string): boolean {
    return this.#stamps.has(path);
  }

  /** Whether every file is as it was found. */
  async isCurrent(): Promise<boolean> {
    if (!this.#settled) return false;
    for (const [path, stamp] of this.#stamps) {
      const now = await statOf(path).catch(() => undefined);
      if (stampOf(now) !== stamp) return false;
    }
    return true;
  }

  async #look(path: string): Promise<Stats | undefined> {
    const stats = await statOf(path);
    this.#stamps.set(path, stampOf(stats));
    // Within the grain of a file system's clock a second change may leave the same stamp.
    if (stats && Date.now() - Math.max(stats.mtimeMs, stats.ctimeMs) < CLOCK_GRAIN_MS) this.#settled = false;
    return stats;
  }
}

const CLOCK_GRAIN_MS = 2000;

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw error;
  }
}

function stampOf(stats: Stats | undefined): string {
  return stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}` : "absent";
}
