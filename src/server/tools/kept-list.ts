import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ProtocolEra, Tool } from "@modelcontextprotocol/server";
import { removeIfPossible, writeWhole } from "../../core/files/whole-file.ts";

/** What clients are shown, as JSON texts of lists of tools. */
export type ListTexts = Readonly<Record<ProtocolEra, string>>;

export function listTexts(tools: Readonly<Record<ProtocolEra, readonly Tool[]>>): ListTexts {
  return { legacy: JSON.stringify(tools.legacy), modern: JSON.stringify(tools.modern) };
}

/**
 * The list of tools as clients were shown it last, from one start to the next: in a file whose first line is the digest
 * of the others, which are the key, the list for each era, and an empty one.
 */
export class KeptList {
  readonly #file: string;
  readonly #onNotice: (message: string) => void;
  #written = "";
  #latest: (() => KeyedList | undefined) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onNotice` is told of a file that is not what was written. */
  constructor(file: string, onNotice: (message: string) => void) {
    this.#file = file;
    this.#onNotice = onNotice;
  }

  /** The list that was kept under this key, which names all that it is made of. A damaged file counts as none, and goes. */
  read(key: string): ListTexts | undefined {
    const text = textIn(this.#file);
    if (text === undefined) return undefined;
    const [digest = "", kept, legacy = "", modern = ""] = text.split("\n");
    if (digest !== digestOf(text.slice(digest.length + 1))) {
      this.#onNotice(`The list of tools that was kept in ${this.#file} is damaged: it is made anew`);
      removeIfPossible(this.#file);
      return undefined;
    }
    if (kept !== key) return undefined;
    this.#written = text;
    return { legacy, modern };
  }

  /** Keeps what is made then, when others that follow at once have come. */
  keep(make: () => KeyedList | undefined): void {
    this.#latest = make;
    this.#timer ??= setTimeout(() => this.save(), CALM_MS).unref();
  }

  /** Writes what is to be kept; where that fails, the next start makes the list anew. */
  save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const made = this.#latest?.();
    this.#latest = undefined;
    if (!made) return;
    const lines = `${made.key}\n${made.texts.legacy}\n${made.texts.modern}\n`;
    const text = `${digestOf(lines)}\n${lines}`;
    if (text !== this.#written && writeWhole(this.#file, text) === undefined) this.#written = text;
  }
}

interface KeyedList {
  readonly key: string;
  readonly texts: ListTexts;
}

const CALM_MS = 1000;

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function digestOf(text: string): string {
  return hash("sha256", text);
}
