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
    try {
      rmSync(temporary, { force: true });
    } catch {
      // It was never there: what should be its folder is none.
    }
    return error instanceof Error ? error.message : String(error);
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
