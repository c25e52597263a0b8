import { lstatSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { watch, type FSWatcher } from "chokidar";
import { SKIPPED_FOLDERS } from "./discover.ts";
import { isPathInside } from "./is-path-inside.ts";
import { pauses } from "../../core/time/pauses.ts";

export interface RootsWatch {
  close(): Promise<void>;
}

/** The only files that may have come, changed or gone; undefined where more may have. */
export type ChangedFiles = ReadonlySet<string> | undefined;

/**
 * Calls `onChange` once things have calmed down after something changed below a root, and once each root is being
 * watched. A root may come, go and come again.
 */
export function watchRoots(
  roots: readonly string[],
  maxLevels: number,
  onChange: (changed: ChangedFiles) => void,
  onError: (error: unknown) => void,
): RootsWatch {
  const watched = roots.map((root): WatchedRoot => ({
    path: resolve(root),
    maxLevels,
    identity: undefined,
    watcher: undefined,
    watchedSince: 0,
    isStale: false,
  }));
  let changed: Set<string> | undefined = new Set();
  const calm = debounced(() => {
    const told = changed;
    changed = new Set();
    onChange(told);
    look();
  });
  const onEvent = (file?: string): void => {
    changed = file === undefined || (changed && changed.size >= MAX_FILES) ? undefined : changed?.add(file);
    calm.call();
  };
  let looking = Promise.resolve();
  let closed = false;
  const lookAfter = async (before: Promise<void>): Promise<void> => {
    await before;
    for (const root of watched) if (!closed) await lookAt(root, onEvent, onError).catch(onError);
  };
  const look = (): void => {
    looking = lookAfter(looking);
  };
  look();
  // The watcher does not tell when a missing root appears, nor when one is replaced.
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return {
    async close() {
      closed = true;
      clearInterval(timer);
      calm.cancel();
      await looking;
      await Promise.all(watched.map(async (root) => root.watcher?.close()));
    },
  };
}

/** After so many changes at once all is read: the system may have lost some. */
const MAX_FILES = 1000;
const LOOK_MS = 500;
const DEBOUNCE_MS = 100;
const MAX_WAIT_MS = 1000;

interface WatchedRoot {
  readonly path: string;
  readonly maxLevels: number;
  identity: string | undefined;
  watcher: FSWatcher | undefined;
  watchedSince: number;
  /** Whether a folder came or went: where one is replaced at once, the watcher may still follow the old one. */
  isStale: boolean;
}

/** Told of a file that may have come, changed or gone; without one, of anything else. */
type OnEvent = (file?: string) => void;

async function lookAt(
  root: WatchedRoot,
  onChange: OnEvent,
  onError: (error: unknown) => void,
): Promise<void> {
  const stats = await stat(root.path).catch(() => undefined);
  const identity = stats?.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` : undefined;
  const isSame = identity === root.identity;
  if (isSame && !(root.isStale && Date.now() - root.watchedSince >= MAX_WAIT_MS)) return;
  await root.watcher?.close();
  root.identity = identity;
  root.isStale = false;
  root.watchedSince = Date.now();
  root.watcher = identity === undefined ? undefined : watchRoot(root, onChange, onError);
  if (identity === undefined && !isSame) onChange();
}

function watchRoot(root: WatchedRoot, onChange: OnEvent, onError: (error: unknown) => void): FSWatcher {
  const watcher = watch(root.path, {
    ignoreInitial: true,
    depth: root.maxLevels,
    ignored: (path, stats) =>
      isSkipped(relative(root.path, path)) || (stats?.isFile() === true && !needsWatch(path, watcher)),
  });
  const isCurrent = (): boolean => root.watcher === watcher;
  const folderChanged = (): void => {
    if (!isCurrent()) return;
    root.isStale = true;
    onChange();
  };
  const fileChanged = (path: string): void => {
    if (isCurrent() && MATTERS.test(path) && !isSkipped(relative(root.path, path))) onChange(path);
  };
  watcher.on("all", (event, path) => (event.endsWith("Dir") ? folderChanged() : fileChanged(path)));
  // What the system tells of a folder names the files in it, and alone tells of a folder that is replaced at once.
  watcher.on("raw", (_event, name: string | null, details) => {
    if (name === null) return folderChanged();
    const path = join(folderOf(details), name);
    isFolder(path).then((is) => (is ? folderChanged() : fileChanged(path)), onError);
  });
  // What changed while the watcher was starting is not told: look once more.
  watcher.on("ready", () => {
    hasNewFolder(root, watcher).then((is) => (is ? folderChanged() : onChange()), onError);
  });
  watcher.on("error", onError);
  return watcher;
}

/**
 * Whether a file is watched by itself: each costs a handle, and their folder tells of most. It does not of what a link
 * leads to, nor where changes are found by looking again and again.
 */
function needsWatch(path: string, { options }: FSWatcher): boolean {
  return (
    MATTERS.test(path) &&
    (options.usePolling || lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
  );
}

function folderOf(details: unknown): string {
  const isKnown = typeof details === "object" && details !== null && "watchedPath" in details;
  return isKnown ? String(details.watchedPath) : "";
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/** Whether entries of a watched folder have changed since the watcher began. */
async function hasNewFolder(root: WatchedRoot, watcher: FSWatcher): Promise<boolean> {
  const pause = pauses();
  for (const folder of Object.keys(watcher.getWatched())) {
    await pause();
    if (!isPathInside(folder, root.path)) continue;
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (!stats || stats.ctimeMs > root.watchedSince - CLOCK_GRAIN_MS) return true;
  }
  return false;
}

const CLOCK_GRAIN_MS = 20;

function isSkipped(way: string): boolean {
  return way.split(sep).some((name) => SKIPPED_FOLDERS.has(name));
}

/** Files of which a catalog is made. */
const MATTERS = /[\\/](?:skill\.md|workflow\.(?:ya?ml|json))$|\.(?:ts|js|mjs|py)$|\.skill\.(?:json|ya?ml)$/i;

/** Calls `act` when it has not been asked for some time, but does not wait for ever. */
function debounced(act: () => void): { readonly call: () => void; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let firstAsked: number | undefined;
  const cancel = (): void => {
    clearTimeout(timer);
    firstAsked = undefined;
  };
  const call = (): void => {
    const asked = firstAsked ?? Date.now();
    cancel();
    firstAsked = asked;
    timer = setTimeout(
      () => {
        firstAsked = undefined;
        act();
      },
      Math.max(0, Math.min(DEBOUNCE_MS, asked + MAX_WAIT_MS - Date.now())),
    );
  };
  return { call, cancel };
}
