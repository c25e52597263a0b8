import { readFileSync } from "node:fs";
import type { ProtocolEra, Tool } from "@modelcontextprotocol/server";
import { writeWhole } from "../../core/files/whole-file.ts";

/** What clients are shown, as JSON texts of lists of tools. */
export type ListTexts = Readonly<Record<ProtocolEra, string>>;

export function listTexts(tools: Readonly<Record<ProtocolEra, readonly Tool[]>>): ListTexts {
  return { legacy: JSON.stringify(tools.legacy), modern: JSON.stringify(tools.modern) };
}

/** The list of tools as clients were shown it last, in a file, from one start to the next. */
export class KeptList {
  readonly #file: string;
  #written = "";
  #latest: (() => KeyedList | undefined) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** The list that was kept under this key, which names all that it is made of. */
  read(key: string): ListTexts | undefined {
    try {
      const text = readFileSync(this.#file, "utf8");
      const [kept, legacy, modern, end] = text.split("\n");
      if (kept !== key || end === undefined) return undefined;
      this.#written = text;
      return { legacy, modern } as ListTexts;
    } catch {
      return undefined;
    }
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
    const text = `${made.key}\n${made.texts.legacy}\n${made.texts.modern}\n`;
    if (text !== this.#written && writeWhole(this.#file, text) === undefined) this.#written = text;
  }
}

interface KeyedList {
  readonly key: string;
  readonly texts: ListTexts;
}

const CALM_MS = 1000;
