import { fail, type Result } from "../../core/result.ts";
import { failure } from "../../core/error.ts";
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A folder's files by their paths in it, with `/` between the parts. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** The changes of the file system that are made, one after the other. */
export interface FileSystem {
  readonly mkdir: (path: string) => Promise<unknown>;
  readonly write: (path: string, content: Uint8Array) => Promise<void>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
}

export const FILE_SYSTEM: FileSystem = {
  mkdir: (path) => mkdir(path, { recursive: true }),
  write: (path, content) => writeFile(path, content, { flush: true }),
  rename,
  remove: (path) => rm(path, { recursive: true, force: true }),
};

const MAX_FILES = 100;
const MAX_BYTES = 64 * 2 ** 20;
const TOO_LARGE = `it has more than ${MAX_FILES} files or ${MAX_BYTES} bytes`;

/** Reads a folder as a whole. Symbolic links are not followed: a folder that has one is not read. */
export async function readFolder(folder: string): Promise<Result<Files>> {
  const files = new Map<string, Uint8Array>();
  let bytes = 0;
  const visit = async (within: string): Promise<string | undefined> => {
    for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
      const path = within === "" ? entry.name : `${within}/${entry.name}`;
      if (entry.isDirectory()) {
        const fault =
          path.split("/").length > MAX_LEVELS ? `${path} is nested too deeply` : await visit(path);
        if (fault !== undefined) return fault;
        continue;
      }
      if (!entry.isFile()) return `${path} is no file but a link or something else`;
      bytes += (await lstat(join(folder, path))).size;
      if (files.size >= MAX_FILES || bytes > MAX_BYTES) return TOO_LARGE;
      files.set(path, await readFile(join(folder, path)));
    }
    return undefined;
  };
  if (!(await isFolder(folder))) return fail(failure("DRAFT_NOT_FOUND", `There is no folder ${folder}`));
  const fault = await visit("");
  if (fault !== undefined)
    return fail(failure("DRAFT_INVALID", `The folder ${folder} cannot be read: ${fault}`));
  return { ok: true, value: new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

/** Why files are more than a folder may hold, or nothing. */
export function sizeFault(files: Files): string | undefined {
  const bytes = [...files.values()].reduce((sum, content) => sum + content.byteLength, 0);
  return files.size > MAX_FILES || bytes > MAX_BYTES ? TOO_LARGE : undefined;
}

const MAX_LEVELS = 8;

/** Whether there is a folder itself, not a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  return (await stats(path))?.isDirectory() ?? false;
}

export async function exists(path: string): Promise<boolean> {
  return (await stats(path)) !== undefined;
}

async function stats(path: string): Promise<Awaited<ReturnType<typeof lstat>> | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** In a root, what is being put in place or taken away; the catalog does not look here. */
export const STAGING_FOLDER = ".repertoire";

/**
 * Puts a folder in a root, in place of the one with this name where there is one: it is written beside and renamed. When
 * the process dies on the way, `recoverFolders` brings the earlier folder back, unless the new one is there already.
 */
export async function putFolder(root: string, name: string, files: Files, system: FileSystem): Promise<void> {
  const { target, fresh, old } = placesOf(root, name);
  await system.remove(fresh);
  await system.mkdir(fresh);
  for (const folder of new Set([...files.keys()].map(dirname)))
    if (folder !== ".") await system.mkdir(join(fresh, folder));
  for (const [path, content] of files) await system.write(join(fresh, path), content);
  if (await exists(target)) await system.rename(target, old);
  await system.rename(fresh, target);
  await system.remove(old);
}

/** Takes a folder away, all at once. */
export async function removeFolder(root: string, name: string, system: FileSystem): Promise<void> {
  const { target, fresh, stage } = placesOf(root, name);
  await system.mkdir(stage);
  await system.remove(fresh);
  await system.rename(target, fresh);
  await system.remove(fresh);
}

/** Ends what a process that died has left in a root. */
export async function recoverFolders(root: string, system: FileSystem): Promise<void> {
  const stage = join(root, STAGING_FOLDER);
  if (!(await isFolder(stage))) return;
  for (const entry of await readdir(stage)) {
    const [, name = "", kind] = /^(.+)\.(new|old)$/.exec(entry) ?? [];
    if (!isDraftName(name)) continue;
    const { target, old, fresh } = placesOf(root, name);
    if (kind === "new") await system.remove(fresh);
    else if (await exists(target)) await system.remove(old);
    else await system.rename(old, target);
  }
}

function placesOf(root: string, name: string) {
  if (!isDraftName(name)) throw new Error(`Not the name of a draft: ${name}`);
  const stage = join(root, STAGING_FOLDER);
  return {
    stage,
    target: join(root, name),
    fresh: join(stage, `${name}.new`),
    old: join(stage, `${name}.old`),
  };
}

/** Lower-case words with hyphens between them: nothing else can be a draft's name, or a folder's. */
export function isDraftName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}
