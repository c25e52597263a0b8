import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { SkillFolder } from "../../core/skill.ts";
import { pauses } from "../../core/time/pauses.ts";
import { mapWithConcurrency } from "./map-with-concurrency.ts";
import {
  type DiscoveryLimits,
  discoverSkills,
  type FoundFolder,
  isSkillFile,
  listingOf,
} from "./discover.ts";
import { KeptFolders, type StandingFolder } from "./kept-folders.ts";
import { hasSameContents, loadFolder, type LoadedFolder } from "./load-folder.ts";

export interface LoadedFolders {
  /** Absolute. */
  readonly roots: readonly string[];
  /** The folders that load, by root, then by path. */
  readonly folders: readonly SkillFolder[];
  readonly diagnostics: readonly Diagnostic[];
  /** Every skill folder found, also those that do not load. */
  readonly loaded: readonly LoadedFolder[];
  /** Folders that could not be searched: what is in them is not known. */
  readonly unsearched: readonly string[];
  /** Folders that the limits of the search have left out. */
  readonly leftOut: readonly string[];
  /** What the search for folders has found wrong; also among all diagnostics. */
  readonly discovery: readonly Diagnostic[];
}

export interface LoadOptions {
  readonly strict?: boolean;
  readonly limits?: DiscoveryLimits | undefined;
  /** What an earlier call with the same options gave; folders that have not changed since are taken from it. */
  readonly before?: LoadedFolders | undefined;
  /** The only files that may have come, changed or gone since then; any by default. */
  readonly changed?: ReadonlySet<string> | undefined;
  /** Whether also what seems to be as it was is read, little by little; where it is not, nothing stays kept. */
  readonly afresh?: boolean;
  /** Where folders are kept from one start to the next; where there is nothing from before, they are taken from there. */
  readonly cacheFolder?: string | undefined;
  /** Told where so many are to be read that it takes a while. */
  readonly onMany?: (() => void) | undefined;
  /** Told, with their mark, where all folders are as they were kept, before they are loaded; waited for. */
  readonly onUnchanged?: ((mark: string) => Promise<void>) | undefined;
}

/** Reads every skill folder in the roots. One that does not load never keeps another from loading. */
export async function loadFolders(
  roots: readonly string[],
  options: LoadOptions = {},
): Promise<LoadedFolders> {
  const { before, changed } = options;
  if (before && changed && keepListings(changed, before)) {
    const stale = before.loaded.filter((each) => isMadeOf(each, changed) && !each.log.isCurrent());
    const anew = await mapWithConcurrency(stale, AT_ONCE, async (each) =>
      loadAnew(each.found, each, options),
    );
    const now = new Map(stale.map((each, index) => [each, anew[index] ?? each]));
    const loaded = before.loaded.map((each) => now.get(each) ?? each);
    return { ...before, ...joined(loaded, before.discovery) };
  }
  const { cacheFolder, strict = false, onMany } = options;
  const kept = before || cacheFolder === undefined ? undefined : new KeptFolders(cacheFolder, { strict });
  let unknown = 0;
  const onFound = (): void => {
    if (kept?.isEmpty && ++unknown === MANY) onMany?.();
  };
  const { found, unsearched, leftOut, diagnostics } = await discoverSkills(roots, options.limits, onFound);
  const loaded = await loadAll(found, kept, options);
  return {
    roots: roots.map((root) => resolve(root)),
    unsearched,
    leftOut,
    discovery: diagnostics,
    ...joined(loaded, diagnostics),
  };
}

/** Whether no file has changed without a trace since it was read; all are read again, little by little. */
export async function areAsRead(
  { loaded }: LoadedFolders,
  { strict = false }: Pick<LoadOptions, "strict">,
): Promise<boolean> {
  const pause = pauses(REST_MS);
  for (const each of loaded) {
    await pause();
    // A change that has left a trace is found by that, meanwhile too.
    if (!each.log.isCurrent() || hasSameContents(each)) continue;
    const now = await loadFolder(each.found, { strict });
    if (!isSame(each, now) && each.log.isCurrent()) return false;
  }
  return true;
}

/** Between one hundredth of a second of it and the next: meanwhile there are calls, and edits. */
const REST_MS = 30;

/** Reads those that are not as they were. */
async function loadAll(
  found: readonly FoundFolder[],
  kept: KeptFolders | undefined,
  options: LoadOptions,
): Promise<readonly LoadedFolder[]> {
  const { before, cacheFolder, afresh = false, onMany, onUnchanged } = options;
  const known = new Map(before?.loaded.map((each) => [each.found.path, each]));
  const pause = pauses();
  const standing = new Map<FoundFolder, StandingFolder>();
  for (const each of found) {
    const stands = afresh ? undefined : (kept?.get(each) ?? standingIn(known.get(each.path), each));
    if (stands) standing.set(each, stands);
    await pause();
  }
  if (!before && found.length - standing.size >= MANY) onMany?.();
  const mark = standing.size === found.length ? foldersMark([...standing.values()]) : undefined;
  if (kept && mark !== undefined) await onUnchanged?.(mark);
  const loaded = await mapWithConcurrency(found, afresh ? 1 : AT_ONCE, async (each) => {
    const stands = standing.get(each);
    if (stands) return stands.load();
    const now = await loadAnew(each, known.get(each.path), options);
    kept?.set(now);
    return now;
  });
  kept?.save();
  const isOther = ({ found: { path }, folder }: LoadedFolder): boolean => known.get(path)?.folder !== folder;
  if (afresh && cacheFolder !== undefined && loaded.some(isOther)) KeptFolders.discard(cacheFolder);
  return loaded;
}

/** A text that is another one when any of their files has been written since; nothing where that might not show. */
export function foldersMark(folders: readonly Pick<LoadedFolder, "found" | "log">[]): string | undefined {
  const hash = createHash("sha256");
  for (const { found, log } of folders) {
    if (!log.stamps) return undefined;
    hash.update(JSON.stringify([listingOf(found), log.stamps]));
  }
  return hash.digest("hex");
}

function joined(
  loaded: readonly LoadedFolder[],
  discovery: readonly Diagnostic[],
): Pick<LoadedFolders, "loaded" | "folders" | "diagnostics"> {
  return {
    loaded,
    folders: loaded.map(({ folder }) => folder).filter((folder) => folder !== undefined),
    diagnostics: [...discovery, ...loaded.flatMap((each) => each.diagnostics)],
  };
}

/** Whether every folder has, with these files, the listing that it had: any other file may make another skill. */
function keepListings(files: ReadonlySet<string>, { loaded }: LoadedFolders): boolean {
  const around = new Set(files.values().flatMap(withFolders));
  const skills = new Map<string, FoundFolder>();
  for (const { found } of loaded) if (around.has(found.path)) skills.set(found.path, found);
  return files.values().every((path) => {
    const isThere = existsSync(path);
    if (skills.has(path)) return isThere;
    const listing = skills.get(dirname(path))?.files;
    if (listing) return listing.has(basename(path)) === isThere;
    return !isSkillFile(path) && withFolders(path).some((each) => skills.has(each));
  });
}

/** A path, and those of all folders that it is in. */
function withFolders(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [path] : [path, ...withFolders(folder)];
}

function isMadeOf({ log }: LoadedFolder, files: ReadonlySet<string>): boolean {
  return files.values().some((path) => log.names(path));
}

const AT_ONCE = 32;
/** Most of so many are new, and take seconds to be read and compiled. */
const MANY = 200;

function standingIn(before: LoadedFolder | undefined, now: FoundFolder): StandingFolder | undefined {
  if (!before || listingOf(before.found) !== listingOf(now) || !before.log.isCurrent()) return undefined;
  return { found: now, log: before.log, load: () => before };
}

async function loadAnew(
  found: FoundFolder,
  before: LoadedFolder | undefined,
  { strict = false }: LoadOptions,
): Promise<LoadedFolder> {
  const now = await loadFolder(found, { strict });
  // Equal contents keep their identity, so that what was made of them need not be made again.
  return before && isSame(before, now) ? { ...before, found, log: now.log } : now;
}

function isSame(a: LoadedFolder, b: LoadedFolder): boolean {
  return (
    a.found.file === b.found.file &&
    a.folder?.digest === b.folder?.digest &&
    a.folder?.kind === b.folder?.kind &&
    isDeepStrictEqual(a.diagnostics, b.diagnostics)
  );
}
