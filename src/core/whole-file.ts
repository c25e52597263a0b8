import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file so that no reader ever sees a part of it; gives why it could not. */
export async function writeWhole(file: string, text: string): Promise<string | undefined> {
  const temporary = `${file}.${process.pid}-${randomUUID().slice(0, 8)}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(temporary, text);
    await rename(temporary, file);
    return undefined;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    return error instanceof Error ? error.message : String(error);
  }
}

/** A text that is another one when the file has been written since; empty where there is no file. */
export async function markOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs}-${size}-${ino}`;
  } catch {
    return "";
  }
}
