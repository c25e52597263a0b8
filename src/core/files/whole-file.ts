import { randomUUID } from "node:crypto";
import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileFault } from "./file-fault.ts";

/**
 * Writes a file, or what a link leads to, so that no reader ever sees a part of it, also where the process is killed;
 * what is no file, such as a pipe, is written to. Gives why it could not, in words.
 */
export function writeWhole(file: string, text: string): string | undefined {
  let temporary: string | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true });
    const found = statSync(file, { throwIfNoEntry: false });
    if (found && !found.isFile()) {
      writeFileSync(file, text);
      return undefined;
    }
    const target = found ? realpathSync(file) : file;
    temporary = `${target}.${process.pid}-${randomUUID().slice(0, 8)}`;
    writeFileSync(temporary, text);
    renameSync(temporary, target);
    return undefined;
  } catch (error) {
    if (temporary !== undefined) removeIfPossible(temporary);
    return fileFault(error);
  }
}

/** Removes a file; one that is not there, or that nobody may remove, is left. */
export function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // What should be its folder is none, or may not be changed.
  }
}

/** A text that is another one when the file has been written since; empty where there is no file. */
export function markOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found ? `${found.mtimeMs}-${found.size}-${found.ino}` : "";
  } catch (error) {
    return String(error);
  }
}
