import { dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { SkillFolder } from "../../core/skill.ts";
import { mapWithConcurrency } from "./map-with-concurrency.ts";
import {
  type DiscoveryLimits,
  discoverSkills,
  ENTRY_FILES,
  type FoundFolder,
  WORKFLOW_FILES,
} from "./discover.ts";
import { loadFolder, type LoadedFolder } from "./load-folder.ts";

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
  /** The only files whose contents may have changed since then; any by default. */
  readonly changed?: ReadonlySet<string> | undefined;
}

/** Reads every skill folder in the roots. One that does not load never keeps another from loading. */
export async function loadFolders(
  roots: readonly string[],
  options: LoadOptions = {},
): Promise<LoadedFolders> {
  const { before, changed } = options;
  if (before && changed && areInSkills(changed, before)) {
    const loaded = await mapWithConcurrency(before.loaded, AT_ONCE, async (each) =>
      isMadeOf(each, changed) ? loadOrReuse(each.found, each, options) : each,
    );
    return { ...before, ...joined(loaded, before.discovery) };
  }
  const { found, unsearched, leftOut, diagnostics } = await discoverSkills(roots, options.limits);
  const known = new Map(before?.loaded.map((each) => [each.found.path, each]));
  const loaded = await mapWithConcurrency(found, AT_ONCE, (each) =>
    loadOrReuse(each, known.get(each.path), options),
  );
  return {
    roots: roots.map((root) => resolve(root)),
    unsearched,
    leftOut,
    discovery: diagnostics,
    ...joined(loaded, diagnostics),
  };
}

function joined(
  loaded: readonly LoadedFolder[],
  discovery: readonly Diagnostic[],
): Pick<LoadedFolders, "loaded" | "folders" | "diagnostics"> {
  return {
    loaded,
    folders: loaded.flatMap(({ folder }) => (folder ? [folder] : [])),
    diagnostics: [...discovery, ...loaded.flatMap((each) => each.diagnostics)],
  };
}

/** Whether all files are in folders of skills: what stands in others may decide which skills there are. */
function areInSkills(files: ReadonlySet<string>, { loaded }: LoadedFolders): boolean {
  if (files.size === 0) return true;
  const folders = new Set(loaded.map(({ found }) => found.path));
  const isInSkill = (path: string): boolean =>
    folders.has(path) || (path !== dirname(path) && isInSkill(dirname(path)));
  return files.values().every(isInSkill);
}

function isMadeOf({ log }: LoadedFolder, files: ReadonlySet<string>): boolean {
  return files.values().some((path) => log.names(path));
}

const AT_ONCE = 32;

async function loadOrReuse(
  found: FoundFolder,
  before: LoadedFolder | undefined,
  { strict = false }: LoadOptions,
): Promise<LoadedFolder> {
  if (before && isListedAlike(before.found, found) && (await before.log.isCurrent())) return before;
  const now = await loadFolder(found, { strict });
  // Equal contents keep their identity, so that what was made of them need not be made again.
  return before && isSame(before, now) ? { ...before, found, log: now.log } : now;
}

function isListedAlike(a: FoundFolder, b: FoundFolder): boolean {
  const names = [...ENTRY_FILES, ...WORKFLOW_FILES];
  return (
    a.file === b.file &&
    a.hasScripts === b.hasScripts &&
    names.every((name) => a.files.has(name) === b.files.has(name))
  );
}

function isSame(a: LoadedFolder, b: LoadedFolder): boolean {
  return (
    a.found.file === b.found.file &&
    a.folder?.digest === b.folder?.digest &&
    a.folder?.kind === b.folder?.kind &&
    isDeepStrictEqual(a.diagnostics, b.diagnostics)
  );
}
