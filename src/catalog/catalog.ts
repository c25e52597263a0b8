import { isDeepStrictEqual } from "node:util";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { Skill } from "../core/skill.ts";
import { assembleSkills, type CompileSkills } from "./assemble.ts";
import { DISCOVERY_LIMITS, type DiscoveryLimits } from "./folders/discover.ts";
import { KeptOwners } from "./name-registry.ts";
import { areAsRead, foldersMark, loadFolders, type LoadedFolders } from "./folders/load-folders.ts";
import type { NameOwner } from "./name-owners.ts";
import { type ChangedFiles, watchRoots, type RootsWatch } from "./folders/watch-roots.ts";

/** The catalog at one moment. It never changes: a change makes another. */
export interface CatalogSnapshot {
  /** Grows by one with each change. */
  readonly version: number;
  /** By name; by root, then by path. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly diagnostics: readonly Diagnostic[];
  /** Errors in how skills fit together, by the names of the skills that have them. */
  readonly faulty: ReadonlyMap<string, readonly Diagnostic[]>;
  /** Folders that the limits of the search have left out. */
  readonly leftOut: readonly string[];
}

export interface CatalogOptions {
  /** Where skill folders are. Of folders that equally deserve a name that nobody has yet, one in the first root gets it. */
  readonly roots: readonly string[];
  readonly compile: CompileSkills;
  /** Whether a skill must keep every rule of the format's reference validator. */
  readonly strict?: boolean;
  /** How far skills are searched for. */
  readonly limits?: DiscoveryLimits;
  /** Whether changes on disk are followed. */
  readonly watch?: boolean;
  /** Where it is kept from one start to the next whose names are; in memory by default. */
  readonly owners?: KeptOwners;
  /** Where it is kept from one start to the next what was read; nowhere by default. */
  readonly cacheFolder?: string;
  /** Told where so many skills are to be read that it takes a while. */
  readonly onMany?: () => void;
  /** Told, with the catalog's mark, where all folders are as they were kept, before skills are made of them; waited for. */
  readonly onUnchanged?: (mark: string) => Promise<void>;
  /** Told of bugs: a listener or `compile` that throws, and a watcher that fails. */
  readonly onError?: (error: unknown) => void;
}

type Listener = (now: CatalogSnapshot, before: CatalogSnapshot) => void;

/** All loaded skills, as they are on disk: followed where the app watches, otherwise read again by `reload`. */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();
  readonly #kept: KeptOwners;
  #owners: readonly NameOwner[] = [];
  #sound: ReadonlyMap<string, Skill> = new Map();
  #snapshot: CatalogSnapshot = {
    version: 0,
    skills: new Map(),
    diagnostics: [],
    faulty: new Map(),
    leftOut: [],
  };
  /** What the snapshot was made of. */
  #loaded: LoadedFolders | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #queued: Promise<CatalogSnapshot> | undefined;
  /** What the next reading looks at. */
  #changed: ChangedFiles = new Set();
  #watch: RootsWatch | undefined;
  #closed = false;
  /** Whether the next reading takes nothing for what it was. */
  #isAfresh = false;
  #doubt: NodeJS.Timeout | undefined;
  /** Whether compiling again may find more. */
  #isUnsettled = false;

  private constructor(options: CatalogOptions) {
    this.#options = options;
    this.#kept = options.owners ?? new KeptOwners();
    this.#onError = options.onError ?? ((error) => console.error(error));
  }

  /** Loads all skills. Fails only for what is a bug; a broken skill is a finding. @internal */
  static async open(options: CatalogOptions): Promise<Catalog> {
    const catalog = new Catalog(options);
    await catalog.#read(undefined);
    const { roots, limits = DISCOVERY_LIMITS } = options;
    if (options.watch) {
      catalog.#watch = watchRoots(
        roots,
        limits.maxLevels,
        (changed) => void catalog.#follow(changed),
        catalog.#onError,
      );
      if (options.cacheFolder !== undefined) catalog.#readAfreshLater();
    }
    return catalog;
  }

  /** The skills and findings of now; it never changes, so keep it for as long as a piece of work needs the same skills. */
  get snapshot(): CatalogSnapshot {
    return this.#snapshot;
  }

  /** A text that is another one when a file that the skills were read from has changed; nothing where it might not be. @internal */
  get mark(): string | undefined {
    return this.#loaded && foldersMark(this.#loaded.loaded);
  }

  /** Calls `listener` after each change until the function given back is called. */
  onChange(listener: (now: CatalogSnapshot, before: CatalogSnapshot) => void): () => void {
    // A wrapper of its own, so that a listener added twice is called twice and removed once.
    const added: Listener = (now, before) => listener(now, before);
    this.#listeners.add(added);
    return () => void this.#listeners.delete(added);
  }

  /** Reads the roots again. Where that fails for a bug, `onError` is told and the snapshot stays. */
  reload(): Promise<CatalogSnapshot> {
    return this.#follow(undefined);
  }

  /** A file that has changed without a trace, as on file systems without fine clocks, is found at last. */
  #readAfreshLater(): void {
    this.#doubt = setTimeout(() => {
      this.#readAfresh().catch((error: unknown) => this.#tell(error));
    }, DOUBT_MS).unref();
  }

  // It takes seconds where there are thousands of skills, for which no change of another waits.
  async #readAfresh(): Promise<void> {
    if (!this.#loaded || (await areAsRead(this.#loaded, this.#options))) return;
    this.#isAfresh = true;
    await this.#follow(undefined);
  }

  /** Reads again what may have changed. */
  #follow(changed: ChangedFiles): Promise<CatalogSnapshot> {
    this.#changed = changed && this.#changed?.union(changed);
    // A reading that has begun may have missed the latest change; the next one serves all who ask meanwhile.
    this.#queued ??= this.#running.then(() => {
      this.#queued = undefined;
      const changes = this.#changed;
      this.#changed = new Set();
      const reading = this.#closed
        ? Promise.resolve()
        : this.#read(changes).catch((error: unknown) => {
            // What it should have read is still to be read.
            this.#changed = undefined;
            this.#tell(error);
          });
      this.#running = reading;
      return reading.then(() => this.#snapshot);
    });
    return this.#queued;
  }

  /** Stops following changes; the snapshot stays. @internal */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#doubt);
    this.#listeners.clear();
    await this.#watch?.close();
    await this.#running;
  }

  async #read(changed: ChangedFiles): Promise<void> {
    const { roots, compile, strict = false, limits, cacheFolder, onMany, onUnchanged } = this.#options;
    const afresh = this.#isAfresh;
    this.#isAfresh = false;
    const loaded = await loadFolders(roots, {
      strict,
      limits,
      before: this.#loaded,
      changed,
      afresh,
      cacheFolder,
      onMany,
      onUnchanged,
    });
    const owned = await this.#kept.read();
    const isSame = owned === this.#owners && this.#loaded !== undefined && isSameLoad(loaded, this.#loaded);
    if (!this.#isUnsettled && isSame) {
      this.#loaded = loaded;
      return;
    }
    const before = this.#snapshot;
    const { skills, diagnostics, faulty, sound, owners, pending } = await assembleSkills(
      loaded,
      { skills: before.skills, sound: this.#sound, owners: owned },
      compile,
    );
    this.#sound = sound;
    this.#owners = await this.#kept.keep(owners);
    this.#loaded = loaded;
    this.#isUnsettled = pending !== undefined;
    void pending?.then(async () => this.#follow(new Set())).catch((error: unknown) => this.#tell(error));
    if (
      before.version > 0 &&
      isSameSkills(skills, before.skills) &&
      isDeepStrictEqual(diagnostics, before.diagnostics)
    )
      return;
    this.#snapshot = Object.freeze({
      version: before.version + 1,
      skills,
      diagnostics,
      faulty,
      leftOut: loaded.leftOut,
    });
    for (const listener of Array.from(this.#listeners)) this.#notify(listener, before);
  }

  #notify(listener: Listener, before: CatalogSnapshot): void {
    try {
      listener(this.#snapshot, before);
    } catch (error) {
      this.#tell(error);
    }
  }

  #tell(error: unknown): void {
    try {
      this.#onError(error);
    } catch (second) {
      console.error(second);
    }
  }
}

/** After the first calls, and before anybody has worked long with what might be wrong. */
const DOUBT_MS = 5000;

function isSameLoad(a: LoadedFolders, b: LoadedFolders): boolean {
  return (
    a.loaded.length === b.loaded.length &&
    a.loaded.every(
      ({ folder, diagnostics }, index) =>
        folder === b.loaded[index]?.folder && diagnostics === b.loaded[index]?.diagnostics,
    ) &&
    isDeepStrictEqual(a.diagnostics, b.diagnostics)
  );
}

function isSameSkills(a: ReadonlyMap<string, Skill>, b: ReadonlyMap<string, Skill>): boolean {
  if (a.size !== b.size) return false;
  const others = b.values();
  return [...a.values()].every((skill) => {
    const other = others.next().value;
    return skill === other || isDeepStrictEqual(skill, other);
  });
}
