import {
  readdir as readdirWithCallback,
  realpath as realpathWithCallback,
  stat as statWithCallback,
  type Dirent,
} from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Diagnostic, DiagnosticCode, Severity } from "../core/diagnostic.ts";
import { mapBounded } from "./bounded.ts";

const readdir = promisify(readdirWithCallback);
// The native one asks for no right to read the folders above, which the permission model of Node may refuse.
const realpath = promisify(realpathWithCallback.native);
const stat = promisify(statWithCallback);

/** A folder with a SKILL.md. */
export interface FoundFolder {
  readonly path: string;
  /** Its SKILL.md, or else its skill.md. */
  readonly file: string;
  /** The names of the files directly in it. */
  readonly files: ReadonlySet<string>;
  /** Whether it has a folder `scripts`. */
  readonly hasScripts: boolean;
}

export interface Discovery {
  /** By root, then by path. */
  readonly found: readonly FoundFolder[];
  /** Folders that could not be searched: what is in them is not known. */
  readonly unsearched: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Folders that are never searched. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules", ".repertoire"]);

/** How many levels below a root are searched. */
export const MOST_LEVELS = 8;

/** Every skill folder in the roots, which may be skill folders themselves. A folder reached twice is found once. */
export async function discoverSkills(roots: readonly string[]): Promise<Discovery> {
  const search: Search = { seen: new Set(), unsearched: [], diagnostics: [] };
  const found: FoundFolder[] = [];
  for (const root of roots) found.push(...(await searchRoot(resolve(root), search)));
  return { found, unsearched: search.unsearched, diagnostics: search.diagnostics };
}

const MOST_FOLDERS = 5000;
const AT_ONCE = 32;

interface Search {
  /** Real paths of all folders searched. */
  readonly seen: Set<string>;
  readonly unsearched: string[];
  readonly diagnostics: Diagnostic[];
}

interface Folder {
  readonly path: string;
  readonly realPath: string;
  readonly level: number;
}

interface Listing {
  readonly folder: Folder;
  readonly entries: readonly Dirent[];
}

async function searchRoot(root: string, search: Search): Promise<FoundFolder[]> {
  const start = await realFolder(root, 0).catch((error: unknown) => error);
  if (!isFolder(start)) {
    reportRoot(root, start, search);
    return [];
  }
  const found: FoundFolder[] = [];
  let folders: Folder[] = [start];
  let links: Folder[] = [];
  let count = 0;
  let tooDeep: string | undefined;
  // Linked folders come after all real ones, so that a folder reached both ways has its real path.
  while (folders.length > 0 || links.length > 0) {
    if (folders.length === 0) {
      folders = await realFolders(links);
      links = [];
    }
    const unseen = folders.filter(
      (folder) => !search.seen.has(folder.realPath) && search.seen.add(folder.realPath),
    );
    const searchable = unseen.slice(0, MOST_FOLDERS - count);
    count += searchable.length;
    folders = [];
    for (const { folder, entries } of await mapBounded(searchable, AT_ONCE, (each) => list(each, search))) {
      const skill = skillIn(folder, entries);
      if (skill) found.push(skill);
      for (const entry of entries) {
        if (SKIPPED_FOLDERS.has(entry.name) || !(entry.isDirectory() || entry.isSymbolicLink())) continue;
        const below = {
          path: join(folder.path, entry.name),
          realPath: join(folder.realPath, entry.name),
          level: folder.level + 1,
        };
        if (entry.isSymbolicLink()) links.push(below);
        else if (below.level <= MOST_LEVELS) folders.push(below);
        else tooDeep ??= below.path;
      }
    }
    if (searchable.length < unseen.length) {
      report(
        search,
        "folder-too-large",
        "warning",
        root,
        `Only the first ${MOST_FOLDERS} folders in ${root} are searched`,
        "Point to a folder that holds only skills",
      );
      break;
    }
  }
  if (tooDeep !== undefined) {
    report(
      search,
      "folder-too-large",
      "warning",
      tooDeep,
      `Folders more than ${MOST_LEVELS} levels below ${root} are not searched`,
      "Move the skills in it nearer to the root, or list the folder as a root",
    );
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function list(folder: Folder, search: Search): Promise<Listing> {
  try {
    const entries = await readdir(folder.path, { withFileTypes: true });
    return { folder, entries: entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  } catch (error) {
    // A folder that has just been deleted is no fault.
    if (codeOf(error) !== "ENOENT") {
      search.unsearched.push(folder.path);
      report(
        search,
        "file-unreadable",
        "error",
        folder.path,
        `The folder cannot be read: ${messageOf(error)}`,
        "Give this process the right to read it",
      );
    }
    return { folder, entries: [] };
  }
}

function skillIn(folder: Folder, entries: readonly Dirent[]): FoundFolder | undefined {
  const files = new Set(
    entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map((entry) => entry.name),
  );
  const name = ["SKILL.md", "skill.md"].find((each) => files.has(each));
  if (name === undefined) return undefined;
  return {
    path: folder.path,
    file: join(folder.path, name),
    files,
    hasScripts: entries.some((entry) => entry.name === "scripts" && !entry.isFile()),
  };
}

async function realFolders(links: readonly Folder[]): Promise<Folder[]> {
  const folders = await mapBounded(links, AT_ONCE, (link) =>
    realFolder(link.path, link.level).catch(() => undefined),
  );
  return folders.flatMap((folder) => (folder && folder.level <= MOST_LEVELS ? [folder] : []));
}

async function realFolder(path: string, level: number): Promise<Folder> {
  if (!(await stat(path)).isDirectory())
    throw Object.assign(new Error("It is not a folder"), { code: "ENOTDIR" });
  return { path, realPath: await realpath(path), level };
}

function isFolder(value: unknown): value is Folder {
  return typeof value === "object" && value !== null && "realPath" in value;
}

function reportRoot(root: string, error: unknown, search: Search): void {
  if (codeOf(error) === "ENOENT") {
    report(
      search,
      "folder-missing",
      "error",
      root,
      `There is no folder ${root}`,
      "Create the folder, or correct the path in the configuration",
    );
  } else if (codeOf(error) === "ENOTDIR") {
    report(
      search,
      "folder-missing",
      "error",
      root,
      `${root} is not a folder`,
      "Correct the path in the configuration",
    );
  } else {
    search.unsearched.push(root);
    report(
      search,
      "file-unreadable",
      "error",
      root,
      `The folder cannot be read: ${messageOf(error)}`,
      "Give this process the right to read it",
    );
  }
}

function report(
  search: Search,
  code: DiagnosticCode,
  severity: Severity,
  path: string,
  message: string,
  fix: string,
): void {
  search.diagnostics.push({ code, severity, path, line: 1, column: 1, message, fix });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
