import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** The absolute path of a fixture folder. */
export function fixture(name: string): string {
  return join(import.meta.dirname, "../fixtures/catalog", name);
}

/** A folder of its own for the running test, with these files. */
export async function folderWith(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "repertoire-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await write(folder, files);
  return folder;
}

export async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

export function skillFile(name: string, description = `Does ${name}.`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n`;
}
