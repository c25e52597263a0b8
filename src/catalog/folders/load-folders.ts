import { resolve } from "node:path";
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
}

export interface LoadOptions {
  readonly strict?: boolean;
  readonly limits?: DiscoveryLimits | undefined;
  /** What an earlier call with the same options gave; folders that have not changed since are taken from it. */
  readonly before?: LoadedFolders | undefined;
}

/** Reads every skill folder in the roots. One that does not load never keeps another from loading. */
export async function loadFolders(
  roots: readonly string[],
  options: LoadOptions = {},
): Promise<LoadedFolders> {
  const { found, unsearched, leftOut, diagnostics } = await discoverSkills(roots, options.limits);
  const before = new Map(options.before?.loaded.map((each) => [each.found.path, each]));
  const loaded = await mapWithConcurrency(found, AT_ONCE, (each) =>
    loadOrReuse(each, before.get(each.path), options),
  );
  return {
    roots: roots.map((root) => resolve(root)),
    folders: loaded.flatMap(({ folder }) => (folder ? [folder] : [])),
    diagnostics: [...diagnostics, ...loaded.flatMap((each) => each.diagnostics)],
    loaded,
    unsearched,
    leftOut,
  };
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
