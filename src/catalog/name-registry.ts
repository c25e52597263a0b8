import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import * as z from "zod";
import type { NameOwner } from "./name-owners.ts";
import { fileFault } from "../core/files/file-fault.ts";
import { markOf, writeWhole } from "../core/files/whole-file.ts";

export const OWNERS_FILE = "name-owners.json";

export interface KeptOwnersOptions {
  /** JSON, a line for each name and folder, made to be read and edited; without it they are kept in memory. */
  readonly file?: string | undefined;
  /** Told of a file that cannot be read or written. */
  readonly onNotice?: (message: string) => void;
}

/** Who was given names, the earliest first, from one start to the next. */
export class KeptOwners {
  readonly #file: string | undefined;
  readonly #onNotice: (message: string) => void;
  #owners: readonly NameOwner[] = [];
  readonly #lines = new WeakMap<NameOwner, string>();
  #seen = "";
  #unsaved = false;
  #hasFailed = false;

  constructor({ file, onNotice = (message) => console.error(message) }: KeptOwnersOptions = {}) {
    this.#file = file;
    this.#onNotice = onNotice;
  }

  /** With what other processes, or people, have written since. The same array for as long as nothing has changed. */
  async read(): Promise<readonly NameOwner[]> {
    const file = this.#file;
    if (file === undefined) return this.#owners;
    const seen = markOf(file);
    if (seen === this.#seen) return this.#owners;
    this.#seen = seen;
    const read = ownersIn(file);
    if (typeof read !== "string") this.#owners = read;
    else await this.#setAside(file, read);
    return this.#owners;
  }

  async keep(owners: readonly NameOwner[]): Promise<readonly NameOwner[]> {
    const file = this.#file;
    if (isSame(owners, this.#owners) && !this.#unsaved) return this.#owners;
    const before = this.#owners;
    const now = await this.read();
    // What another process has written meanwhile stands.
    const others = now === before ? [] : now.filter((each) => !owners.some((own) => isOfSame(own, each)));
    this.#owners = [...owners, ...others];
    this.#unsaved = false;
    if (file === undefined) return this.#owners;
    const failed = writeWhole(
      file,
      fileText(this.#owners, (owner) => this.#lineOf(owner, dirname(file))),
    );
    if (failed !== undefined && !this.#hasFailed)
      this.#onNotice(
        `Whose names are cannot be kept in ${file}: ${failed}; what is known of it counts until the end`,
      );
    this.#hasFailed = failed !== undefined;
    this.#seen = markOf(file);
    return this.#owners;
  }

  #lineOf(owner: NameOwner, from: string): string {
    const known = this.#lines.get(owner);
    if (known !== undefined) return known;
    const { name, path, digest } = owner;
    const line = `    ${JSON.stringify({ name, folder: relative(from, path), digest })}`;
    this.#lines.set(owner, line);
    return line;
  }

  async #setAside(file: string, why: string): Promise<void> {
    const aside = `${file}.unreadable-${randomUUID().slice(0, 8)}`;
    try {
      await rename(file, aside);
      this.#onNotice(
        `Whose names are cannot be read from ${file}: ${why}. It is set aside as ${aside}, and a new one is begun: names belong to who has them now`,
      );
      this.#unsaved = true;
    } catch {
      this.#onNotice(`Whose names are cannot be read from ${file}: ${why}`);
    }
  }
}

const fileShape = z.object({
  version: z.literal(1),
  owners: z.array(z.object({ name: z.string(), folder: z.string(), digest: z.string() })),
});

/** The owners of a file, none where there is no file; or why it cannot be read. */
function ownersIn(file: string): readonly NameOwner[] | string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    return fileFault(error);
  }
  try {
    // Who takes the last line out leaves a comma.
    return fileShape
      .parse(JSON.parse(text.replace(/,(?=\s*\]\s*\}\s*$)/, "")))
      .owners.map(({ name, folder, digest }) => {
        return { name, path: resolve(dirname(file), folder), digest };
      });
  } catch {
    return "it is no JSON of the form that is written there";
  }
}

/** With folders as seen from the file, so that both can be moved together. */
function fileText(owners: readonly NameOwner[], lineOf: (owner: NameOwner) => string): string {
  const lines = owners.map(lineOf);
  return `{\n  "version": 1,\n  "owners": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

function isOfSame(a: NameOwner, b: NameOwner): boolean {
  return a.name === b.name && a.path === b.path;
}

function isSame(a: readonly NameOwner[], b: readonly NameOwner[]): boolean {
  return a.length === b.length && a.every((owner, index) => owner === b[index]);
}
