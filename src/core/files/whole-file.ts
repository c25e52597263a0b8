import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file so that no reader ever sees a part of it; gives why it could not. */
export function writeWhole(file: string, text: string): string | undefined {
  const temporary = `${file}.${process.pid}-${randomUUID().slice(0, 8)}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(temporary, text);
    renameSync(temporary, file);
    return undefined;
  } catch (error) {
    removeIfPossible(temporary);
    return error instanceof Error ? error.message : String(error);
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
