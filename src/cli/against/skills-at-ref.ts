import { mkdir, mkdtemp, rm, writeFile, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix, resolve } from "node:path";
import { mapWithConcurrency } from "../../catalog/folders/map-with-concurrency.ts";
import { Catalog } from "../../catalog/catalog.ts";
import { isWorkflowFile, SKIPPED_FOLDERS, WORKFLOW_FILES } from "../../catalog/folders/discover.ts";
import { isPathInside } from "../../catalog/folders/is-path-inside.ts";
import { contractsOf, type CatalogContracts, readContracts } from "../../changes/catalog-contracts.ts";
import { SkillCompiler } from "../../compiler/compile-skills.ts";
import type { Config } from "../../config.ts";
import { failure } from "../../core/error.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { commitOf, contentsOf, filesAt, type GitCommit, type GitFile } from "./git-files.ts";
import { catalogVersions } from "./catalog-versions.ts";
import { jsonFaultText, parseJson } from "../../core/json/parse-json.ts";

export interface ContractsAtRef {
  readonly contracts: CatalogContracts;
  /** Symbolic links and submodules among the skills of that commit, which are not followed. */
  readonly links: readonly string[];
}

/** The contracts of the configured skills at a commit. Work tree and index stay as they are. */
async function contractsAtRef(ref: string, config: Config): Promise<Result<ContractsAtRef>> {
  const commit = await commitOf(ref, config.skills);
  if (!commit.ok) return commit;
  const { folders } = commit.value;
  const packages = packagesAbove(folders);
  const listing = await filesAt(commit.value, [...folders, ...packages]);
  if (!listing.ok) return listing;
  const files = filesOfUse(listing.value.files, new Set(packages));
  const most = excessOf(files, commit.value);
  if (most !== undefined) return fail(failure("GIT_FAILED", most));
  const contents = await contentsOf(commit.value, files);
  if (!contents.ok) return contents;

  const top = await mkdtemp(join(tmpdir(), "repertoire-ref-"));
  try {
    await writeFiles(top, files, contents.value);
    return ok({ contracts: await contractsIn(top, folders, config), links: listing.value.links });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail(failure("GIT_FAILED", `The files of ${ref} cannot be written to ${top}: ${why}`));
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

/** Larger files are none of a skill's. */
const MAX_FILE = 4 * 2 ** 20;

const MAX_FILES = 20_000;

const MAX_BYTES = 128 * 2 ** 20;

const AT_ONCE = 16;

function packagesAbove(folders: readonly string[]): readonly string[] {
  const packages = new Set<string>();
  for (const folder of folders) {
    for (let at = folder; at !== "."; at = posix.dirname(at)) packages.add(posix.join(at, "package.json"));
    packages.add("package.json");
  }
  return [...packages];
}

/** The files that the catalog may read, and those that tell the package's version. */
function filesOfUse(files: readonly GitFile[], packages: ReadonlySet<string>): readonly GitFile[] {
  const found = files.filter(
    ({ path, bytes }) =>
      bytes <= MAX_FILE && !path.split("/").some((part) => SKIPPED_FOLDERS.has(part) || part === ".."),
  );
  const isInSkill = isBelow(found, (path) => SKILL_FILE.test(posix.basename(path)));
  const isInWorkflow = isBelow(found, (path) => WORKFLOW_FILES.includes(posix.basename(path)));
  return found.filter(
    ({ path }) =>
      packages.has(path) ||
      isWorkflowFile(path) ||
      // A document's tasks name files of any kind.
      isInWorkflow(path) ||
      (USEFUL.test(posix.basename(path)) && isInSkill(path)),
  );
}

/** Whether a path is in a folder that has such a file, or below it. */
function isBelow(files: readonly GitFile[], isSuch: (path: string) => boolean): (path: string) => boolean {
  const folders = new Set(files.filter(({ path }) => isSuch(path)).map(({ path }) => posix.dirname(path)));
  return (path) => {
    for (let at = posix.dirname(path); ; at = posix.dirname(at)) {
      if (folders.has(at)) return true;
      if (at === ".") return false;
    }
  };
}

const SKILL_FILE = /^skill\.md$/i;

const USEFUL = /^(?:skill\.md|package\.json|.+\.(?:ts|js|mjs))$/i;

function excessOf(files: readonly GitFile[], { id, top }: GitCommit): string | undefined {
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  if (files.length <= MAX_FILES && bytes <= MAX_BYTES) return undefined;
  const found = `${files.length} files and ${bytes} bytes`;
  return `The skill folders of ${top} hold ${found} at ${id}, more than the limit of ${MAX_FILES} and ${MAX_BYTES}`;
}

async function writeFiles(
  top: string,
  files: readonly GitFile[],
  contents: readonly Buffer[],
): Promise<void> {
  const entries = [...files.entries()];
  await mapWithConcurrency(entries, AT_ONCE, async ([index, { path }]) => {
    const file = join(top, ...path.split("/"));
    if (!isPathInside(file, top)) return;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, contents[index] ?? "");
  });
}

async function contractsIn(
  top: string,
  folders: readonly string[],
  { data, strict }: Config,
): Promise<CatalogContracts> {
  const roots = folders.map((folder) => join(top, folder));
  const compiler = new SkillCompiler({ cacheFolder: join(data, "cache") });
  try {
    const catalog = await Catalog.open({ roots, strict, compile: (found) => compiler.compile(found) });
    const skills = [...catalog.snapshot.skills.values()];
    await catalog.close();
    return contractsOf(skills, await catalogVersions(skills, roots, top));
  } finally {
    await compiler.close();
  }
}

/** Contracts of an earlier time: of a file that was saved, if there is one of that name, else of a commit in git. */
export async function contractsBefore(against: string, config: Config): Promise<Result<ContractsAtRef>> {
  const file = resolve(against);
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile ? savedContracts(file) : contractsAtRef(against, config);
}

async function savedContracts(file: string): Promise<Result<ContractsAtRef>> {
  const value = await readFile(file, "utf8")
    .then(parseJson)
    .then(
      (json) => (json.ok ? json : fail(failure("SNAPSHOT_INVALID", jsonFaultText(json.error)))),
      (error: Error) => fail(failure("SNAPSHOT_INVALID", error.message)),
    );
  const contracts = value.ok ? readContracts(value.value) : value;
  if (contracts.ok) return ok({ contracts: contracts.value, links: [] });
  const { message, ...rest } = contracts.error;
  return fail({ ...rest, message: `${file} holds no saved contracts: ${message}` });
}
