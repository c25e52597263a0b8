import {
  readdirSync,
  realpath as realpathWithCallback,
  stat as statWithCallback,
  type Dirent,
} from "node:fs";
import { basename, join, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { listed } from "../../core/text/listed.ts";
import type { Diagnostic, DiagnosticCode, Severity } from "../../core/diagnostic.ts";
import { fileFault } from "../../core/files/file-fault.ts";
import { pauses } from "../../core/time/pauses.ts";
import { mapWithConcurrency } from "./map-with-concurrency.ts";

// The native one asks for no right to read the folders above, which the permission model of Node may refuse.
const realpath = promisify(realpathWithCallback.native);
const stat = promisify(statWithCallback);

/** A folder with a SKILL.md or a workflow document, or a workflow in a single file. */
export interface FoundFolder {
  /** The folder; of a single file that file. */
  readonly path: string;
  /** Its SKILL.md, or else what differs from that name in its capitals; without one its workflow document. */
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
  /** Folders that the limits have left out, which may be skills or hold some. */
  readonly leftOut: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** How far the search goes. */
export interface DiscoveryLimits {
  /** Folders searched in one root. */
  readonly maxFolders: number;
  /** Levels searched below a root. */
  readonly maxLevels: number;
}

export const DISCOVERY_LIMITS: DiscoveryLimits = { maxFolders: 100_000, maxLevels: 8 };

/** Folders that are never searched. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules", ".repertoire"]);

/**
 * Every skill folder in the roots, which may be skill folders themselves. A folder reached twice is found once. Each is told
 * as soon as it is found.
 */
export async function discoverSkills(
  roots: readonly string[],
  limits: DiscoveryLimits = DISCOVERY_LIMITS,
  onFound: () => void = () => {},
): Promise<Discovery> {
  const search: Search = {
    limits,
    seen: new Set(),
    unsearched: [],
    stops: [],
    diagnostics: [],
    pause: pauses(),
    onFound,
  };
  const found: FoundFolder[] = [];
  for (const root of roots) found.push(...(await searchRoot(resolve(root), search)));
  const leftOut: Folder[] = [];
  for (const stop of search.stops) leftOut.push(...(await leftOutBy(stop, search)));
  const { unsearched, diagnostics } = search;
  return { found, unsearched, leftOut: leftOut.map(({ path }) => path), diagnostics };
}

/** The files that a skill's code begins in. */
export const ENTRY_FILES = ["skill.ts", "skill.js"];

/** The document that makes a folder a workflow. */
export const WORKFLOW_FILES = ["workflow.json", "workflow.yaml", "workflow.yml"];

/** Whether a file is a skill of its own. */
const SINGLE_FILE = /.\.skill\.(?:json|ya?ml)$/i;

/** Whether it is a workflow document, by its name. */
export function isWorkflowFile(path: string): boolean {
  return WORKFLOW_FILES.includes(basename(path)) || SINGLE_FILE.test(basename(path));
}

/** What of a folder's listing decides how it is read, as a text that is the same for as long as that is. */
export function listingOf({ file, files, hasScripts }: FoundFolder): string {
  return JSON.stringify([file, hasScripts, ...READ_BY_NAME.filter((name) => files.has(name))]);
}

const READ_BY_NAME = [...ENTRY_FILES, ...WORKFLOW_FILES];

/** The file that makes a folder a skill; the first wins, then any that differs in its capitals. */
const SKILL_FILES = ["SKILL.md", "skill.md"];

/** Whether a file makes its folder a skill, by its name. */
export function isSkillFile(path: string): boolean {
  return basename(path).toLowerCase() === "skill.md";
}

const AT_ONCE = 32;

interface Search {
  readonly limits: DiscoveryLimits;
  /** Real paths of all folders searched. */
  readonly seen: Set<string>;
  readonly unsearched: string[];
  readonly stops: Stop[];
  readonly diagnostics: Diagnostic[];
  readonly pause: () => Promise<void>;
  readonly onFound: () => void;
}

interface Folder {
  readonly path: string;
  readonly realPath: string;
  readonly level: number;
  /** Whether it lies in a skill's folder. */
  readonly isWithin: boolean;
}

interface Listing {
  readonly folder: Folder;
  readonly entries: readonly Dirent[];
  readonly skill: FoundFolder | undefined;
}

async function searchRoot(root: string, search: Search): Promise<FoundFolder[]> {
  const start = await realFolder({ path: root, level: 0, isWithin: false }).catch((error: unknown) => error);
  if (!isFolder(start)) {
    reportRoot(root, start, search);
    return [];
  }
  const { maxFolders, maxLevels } = search.limits;
  const found: FoundFolder[] = [];
  let folders: Folder[] = [start];
  let links: Folder[] = [];
  let count = 0;
  const tooMany: Folder[] = [];
  const tooDeep: Folder[] = [];
  // Linked folders come after all real ones, so that a folder reached both ways has its real path.
  while (folders.length > 0 || links.length > 0) {
    if (folders.length === 0) {
      folders = await realFolders(links);
      links = [];
    }
    tooDeep.push(...folders.filter(({ level }) => level > maxLevels));
    const unseen = folders.filter(({ level, realPath }) => level <= maxLevels && !search.seen.has(realPath));
    const searchable = unseen
      .slice(0, maxFolders - count)
      .filter(({ realPath }) => isFirst(realPath, search));
    tooMany.push(...unseen.slice(maxFolders - count));
    count += searchable.length;
    folders = [];
    for (const { folder, entries, skill } of await mapWithConcurrency(searchable, AT_ONCE, (each) =>
      list(each, search),
    )) {
      if (skill) found.push(skill);
      else if (!folder.isWithin) {
        found.push(...singleFiles(folder, entries));
        reportOnlyCode(folder, entries, search);
      }
      for (const entry of entries) {
        if (SKIPPED_FOLDERS.has(entry.name) || !(entry.isDirectory() || entry.isSymbolicLink())) continue;
        const below = {
          path: within(folder.path, entry.name),
          realPath: within(folder.realPath, entry.name),
          level: folder.level + 1,
          isWithin: folder.isWithin || skill !== undefined,
        };
        if (entry.isSymbolicLink()) links.push(below);
        else folders.push(below);
      }
    }
  }
  search.stops.push({ limit: "maxFolders", root, folders: tooMany });
  search.stops.push({ limit: "maxLevels", root, folders: tooDeep });
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function isFirst(realPath: string, { seen }: Search): boolean {
  return !seen.has(realPath) && Boolean(seen.add(realPath));
}

/** Where a limit has stopped the search. */
interface Stop {
  readonly limit: keyof DiscoveryLimits;
  readonly root: string;
  readonly folders: readonly Folder[];
}

/** Tells which skills a limit has left out, or how many folders that may hold some. Gives those folders. */
async function leftOutBy({ limit, root, folders }: Stop, search: Search): Promise<readonly Folder[]> {
  const { maxFolders, maxLevels } = search.limits;
  // What one root's limit leaves out, another root may hold.
  const unseen = folders.filter(({ realPath }) => !search.seen.has(realPath));
  const [first] = unseen;
  if (!first) return [];
  const isSkill = await mapWithConcurrency(unseen, AT_ONCE, async (folder) => isFolderOfSkill(folder));
  const skills = unseen.filter((_, index) => isSkill[index]);
  const isTooMany = limit === "maxFolders";
  const why = isTooMany
    ? `Only ${maxFolders} folders in ${root} are searched (\`discovery.maxFolders\`)`
    : `Folders more than ${maxLevels} levels below ${root} are not searched (\`discovery.maxLevels\`)`;
  const what =
    skills.length > 0
      ? `${skills.length} ${skills.length === 1 ? "skill is" : "skills are"} left out: ${listed(skills.map(nameOf), MAX_LISTED)}`
      : `${unseen.length} ${unseen.length === 1 ? "folder is" : "folders are"} left out, which may hold skills: ${listed(
          unseen.map(({ path }) => path),
          MAX_LISTED,
        )}`;
  search.diagnostics.push({
    code: "folder-too-large",
    severity: skills.length > 0 ? "error" : "warning",
    path: isTooMany ? root : first.path,
    line: 1,
    column: 1,
    message: `${why}: ${what}`,
    fix: "Raise the limit in the configuration, or point to the folder that holds the skills",
    ...(skills.length > 0 ? { affects: skills.map(nameOf) } : {}),
  });
  // Far below a root there is mostly the material of skills; beside the first many folders there are more skills.
  return isTooMany ? unseen : skills;
}

function nameOf({ path }: Folder): string {
  return basename(path);
}

async function isFolderOfSkill({ path }: Folder): Promise<boolean> {
  for (const name of [...SKILL_FILES, ...WORKFLOW_FILES])
    if (
      await stat(join(path, name)).then(
        (found) => found.isFile(),
        () => false,
      )
    )
      return true;
  return false;
}

async function list(folder: Folder, search: Search): Promise<Listing> {
  await search.pause();
  try {
    // Thousands of small questions: each by itself is answered sooner than a thread can be asked.
    const entries = readdirSync(folder.path, { withFileTypes: true });
    const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const skill = skillIn(folder, sorted);
    if (skill) search.onFound();
    return { folder, entries: sorted, skill };
  } catch (error) {
    // A folder that has just been deleted is no fault.
    if (codeOf(error) !== "ENOENT") {
      search.unsearched.push(folder.path);
      report(
        search,
        "file-unreadable",
        "error",
        folder.path,
        `The folder cannot be read: ${fileFault(error)}`,
        "Give this process the right to read it",
      );
    }
    return { folder, entries: [], skill: undefined };
  }
}

/** Within a skill a workflow document is the author's own affair. */
function skillIn(folder: Folder, entries: readonly Dirent[]): FoundFolder | undefined {
  const files = new Set(
    entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map((entry) => entry.name),
  );
  const name =
    SKILL_FILES.find((each) => files.has(each)) ??
    [...files].toSorted().find(isSkillFile) ??
    (folder.isWithin || ENTRY_FILES.some((each) => files.has(each))
      ? undefined
      : WORKFLOW_FILES.find((each) => files.has(each)));
  if (name === undefined) return undefined;
  return {
    path: folder.path,
    file: within(folder.path, name),
    files,
    hasScripts: entries.some((entry) => entry.name === "scripts" && !entry.isFile()),
  };
}

/** As `join` gives it for a name of a listing, much faster, and as one text without the parts it was put together of. */
function within(folder: string, name: string): string {
  return (folder.endsWith(sep) ? [folder, name] : [folder, sep, name]).join("");
}

/** Workflows that are files of their own in a folder that is no skill. */
function singleFiles({ path }: Folder, entries: readonly Dirent[]): readonly FoundFolder[] {
  return entries
    .filter((entry) => !entry.isDirectory() && SINGLE_FILE.test(entry.name))
    .map(({ name }) => {
      const file = join(path, name);
      return { path: file, file, files: new Set<string>(), hasScripts: false };
    });
}

/** Code without a SKILL.md is most likely a skill that is not finished. */
function reportOnlyCode({ path }: Folder, entries: readonly Dirent[], search: Search): void {
  const code = entries.find((entry) => entry.isFile() && ENTRY_FILES.includes(entry.name));
  if (!code) return;
  const fix = "Write SKILL.md beside it, with a name and a description in its frontmatter";
  const message = `The folder has ${code.name} and no SKILL.md, so it is no skill`;
  report(search, "file-missing", "warning", join(path, code.name), message, fix);
}

async function realFolders(links: readonly Folder[]): Promise<Folder[]> {
  const folders = await mapWithConcurrency(links, AT_ONCE, (link) => realFolder(link).catch(() => undefined));
  return folders.flatMap((folder) => folder ?? []);
}

async function realFolder(folder: Omit<Folder, "realPath">): Promise<Folder> {
  if (!(await stat(folder.path)).isDirectory())
    throw Object.assign(new Error("It is not a folder"), { code: "ENOTDIR" });
  return { ...folder, realPath: await realpath(folder.path) };
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
      "Create the folder, or correct the path on the command line or in the configuration",
    );
  } else if (codeOf(error) === "ENOTDIR") {
    report(
      search,
      "folder-missing",
      "error",
      root,
      `${root} is not a folder`,
      "Correct the path on the command line or in the configuration",
    );
  } else {
    search.unsearched.push(root);
    report(
      search,
      "file-unreadable",
      "error",
      root,
      `The folder cannot be read: ${fileFault(error)}`,
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

const MAX_LISTED = 5;
