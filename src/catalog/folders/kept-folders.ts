import { join } from "node:path";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { Position } from "../../core/error.ts";
import { ResultCache } from "../../core/files/result-cache.ts";
import { removeIfPossible } from "../../core/files/whole-file.ts";
import type { GeneratedCode, SkillFolder } from "../../core/skill.ts";
import { type FoundFolder, listingOf } from "./discover.ts";
import { FileLog, type FileStamps } from "./file-log.ts";
import type { LoadedFolder } from "./load-folder.ts";

/** A folder in which nothing has changed since it was read. */
export interface StandingFolder extends Pick<LoadedFolder, "found" | "log"> {
  readonly load: () => LoadedFolder;
}

/** Skill folders as an earlier start has read them, in a file that several processes share. */
export class KeptFolders {
  readonly #cache: ResultCache<KeptFolder>;
  readonly #keyOf: (path: string) => string;

  /** A folder is another one where it is read strictly. */
  constructor(cacheFolder: string, { strict }: { readonly strict: boolean }) {
    this.#cache = new ResultCache(fileIn(cacheFolder), isKeptFolder);
    this.#cache.refresh();
    this.#keyOf = (path) => (strict ? `strictly ${path}` : path);
  }

  /** Whether nothing is kept here, as at the first start. */
  get isEmpty(): boolean {
    return this.#cache.isEmpty;
  }

  /** The folder, if it is as it was read. */
  get(found: FoundFolder): StandingFolder | undefined {
    const kept = this.#cache.get(this.#keyOf(found.path));
    if (kept?.listing !== listingOf(found)) return undefined;
    const log = new FileLog(kept.stamps);
    return log.isCurrent()
      ? { found, log, load: () => ({ found, log, ...madeIn(kept.made, found) }) }
      : undefined;
  }

  /** Keeps a folder, if whoever looks at it again will see whether it has changed. */
  set({ found, folder, diagnostics, log }: LoadedFolder): void {
    const { stamps } = log;
    if (!stamps) return;
    const asJson = folder && { ...folder, fieldPositions: [...folder.fieldPositions] };
    const made = JSON.stringify({ folder: asJson, diagnostics } satisfies MadeAsJson);
    this.#cache.set(this.#keyOf(found.path), { listing: listingOf(found), stamps, made });
  }

  save(): void {
    this.#cache.save();
  }

  /** Keeps nothing of what is there any more. */
  static discard(cacheFolder: string): void {
    // Where it cannot be, the next start doubts it, too.
    removeIfPossible(fileIn(cacheFolder));
  }
}

function fileIn(cacheFolder: string): string {
  return join(cacheFolder, `folders-${FORMAT}.jsonl`);
}

// Raise it when equal files no longer give equal folders or findings.
const FORMAT = 1;

interface KeptFolder {
  readonly listing: string;
  readonly stamps: FileStamps;
  /** JSON text: most of it is needed later than the rest. */
  readonly made: string;
}

interface MadeAsJson {
  readonly folder: FolderAsJson | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

interface FolderAsJson extends Omit<SkillFolder, "fieldPositions" | "generated"> {
  readonly fieldPositions: readonly (readonly [string, Position])[];
  readonly generated?: Omit<GeneratedCode, "places"> & {
    readonly places: readonly (Position | undefined | null)[];
  };
}

function madeIn(text: string, { path, file }: FoundFolder): Pick<LoadedFolder, "folder" | "diagnostics"> {
  const { folder, diagnostics } = JSON.parse(text) as MadeAsJson;
  if (!folder) return { folder, diagnostics };
  const { fieldPositions, generated, ...same } = folder;
  const places = generated?.places.map((place) => place ?? undefined);
  // One text for each path, however many places are in it.
  const placed = fieldPositions.map(
    ([field, place]) => [field, place.path === file ? { ...place, path: file } : place] as const,
  );
  return {
    folder: {
      ...same,
      path,
      file,
      fieldPositions: new Map(placed),
      ...(generated && places && { generated: { ...generated, places } }),
    },
    diagnostics,
  };
}

/** What stands in the file was written here, whole lines at a time; another form has another name. */
function isKeptFolder(value: unknown): value is KeptFolder {
  const { listing, stamps, made } = (value ?? {}) as Partial<Record<keyof KeptFolder, unknown>>;
  return typeof listing === "string" && Array.isArray(stamps) && typeof made === "string";
}
