import { isUtf8 } from "node:buffer";
import { readFile as readFileWithCallback, statSync, type Stats } from "node:fs";
import { promisify } from "node:util";
import { fileFault } from "../../core/files/file-fault.ts";
import { fail, ok, type Result } from "../../core/result.ts";

const readFile = promisify(readFileWithCallback);

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

/** Paths, and how their files were found. */
export type FileStamps = readonly (readonly [path: string, stamp: string])[];

/** Reads files and remembers how it found each, to tell later whether reading them again would give the same. */
export class FileLog {
  readonly #stamps: Map<string, string>;
  #settled = true;

  constructor(stamps: FileStamps = []) {
    this.#stamps = new Map(stamps);
  }

  /** How each file was found; nothing where one may have changed since with nothing to show for it. */
  get stamps(): FileStamps | undefined {
    return this.#settled ? [...this.#stamps] : undefined;
  }

  /** Never throws. */
  async read(path: string, mostBytes: number): Promise<Result<ReadFile, ReadFault>> {
    try {
      // Looked at before it is opened: opening a pipe waits for a writer.
      const stats = this.#look(path);
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
        message: `${path} cannot be read: ${fileFault(error)}`,
      });
    }
  }

  /** Whether there is a file. */
  has(path: string): boolean {
    try {
      return this.#look(path)?.isFile() === true;
    } catch {
      this.#settled = false;
      return false;
    }
  }

  /** Whether the file was read, or looked for. */
  names(path: string): boolean {
    return this.#stamps.has(path);
  }

  /** Whether every file is as it was found. */
  isCurrent(): boolean {
    try {
      return (
        this.#settled && this.#stamps.entries().every(([path, stamp]) => stampOf(statOf(path)) === stamp)
      );
    } catch {
      return false;
    }
  }

  #look(path: string): Stats | undefined {
    const stats = statOf(path);
    this.#stamps.set(path, stampOf(stats));
    // Within the grain of a file system's clock a second change may leave the same stamp.
    if (stats && Date.now() - Math.max(stats.mtimeMs, stats.ctimeMs) < CLOCK_GRAIN_MS) this.#settled = false;
    return stats;
  }
}

const CLOCK_GRAIN_MS = 2000;

/** Thousands are asked for, and each is told sooner than a thread can be asked. */
function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function stampOf(stats: Stats | undefined): string {
  // Kept for as long as the skill: a template would keep its parts, which take four times as much memory.
  return stats ? [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(":") : "absent";
}
