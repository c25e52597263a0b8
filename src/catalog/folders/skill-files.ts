import {
  constants,
  open as openWithCallback,
  readdir as readdirWithCallback,
  read as readWithCallback,
  close as closeWithCallback,
  realpath as realpathWithCallback,
  fstat as fstatWithCallback,
  stat as statWithCallback,
  type Dirent,
} from "node:fs";
import { isUtf8 } from "node:buffer";
import { basename, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { failure } from "../../core/error.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { SkillFolder } from "../../core/skill.ts";
import { isWorkflowFile, SKIPPED_FOLDERS } from "./discover.ts";
import { isPathInside } from "./is-path-inside.ts";

const open = promisify(openWithCallback);
const close = promisify(closeWithCallback);
const read = promisify(readWithCallback);
const readdir = promisify(readdirWithCallback);
const stat = promisify(statWithCallback);
const fstat = promisify(fstatWithCallback);
// The native one asks for no right to read the folders above, which the permission model of Node may refuse.
const realpath = promisify(realpathWithCallback.native);

/** A file that a skill brings along. */
export interface SkillFile {
  /** Within the skill's folder, with `/` between its parts. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

export interface SkillFiles {
  /** By path. */
  readonly files: readonly SkillFile[];
  /** Hidden files and folders, and links that lead out of the folder: they are never given. */
  readonly withheld: number;
  /** Whether there are more than the limit. */
  readonly isCut: boolean;
}

/** A part of a file: all of its bytes follow from all of its parts. */
export interface SkillFilePart extends SkillFile {
  /** Where in the file it begins, in bytes. */
  readonly offset: number;
  /** `utf8` where the bytes are text. */
  readonly encoding: "utf8" | "base64";
  readonly bytes: Buffer;
  /** Where the next part begins; absent at the end of the file. */
  readonly next: number | undefined;
}

type OfSkill = Pick<SkillFolder, "name" | "path">;

const MAX_FILES = 20_000;

/** All files of a skill, as far as they may be given: see `skillFilePart`. */
export async function skillFiles({ path: folder }: Pick<SkillFolder, "path">): Promise<SkillFiles> {
  const root = await realpath(folder).catch(() => folder);
  const single = await stat(root).catch(() => undefined);
  if (single?.isFile())
    return { files: [{ path: basename(folder), size: single.size }], withheld: 0, isCut: false };
  const files: SkillFile[] = [];
  let withheld = 0;
  const open = [""];
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    for (const entry of await entriesOf(join(root, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (isHidden(entry.name)) withheld++;
      else if (entry.isDirectory()) open.push(path);
      else {
        const size = await sizeWithin(root, path, entry);
        if (size === undefined) withheld++;
        else if (files.length < MAX_FILES) files.push({ path, size });
        else return { files: inOrder(files), withheld, isCut: true };
      }
    }
  }
  return { files: inOrder(files), withheld, isCut: false };
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** Of a regular file, or of a link to one in the same folder. */
async function sizeWithin(root: string, path: string, entry: Dirent): Promise<number | undefined> {
  if (!entry.isFile() && !entry.isSymbolicLink()) return undefined;
  const real = entry.isFile() ? join(root, path) : await realpath(join(root, path)).catch(() => undefined);
  if (real === undefined || !isGiven(root, real)) return undefined;
  const found = await stat(real).catch(() => undefined);
  return found?.isFile() ? found.size : undefined;
}

function inOrder(files: readonly SkillFile[]): readonly SkillFile[] {
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** What begins with a dot holds settings and secrets, and folders that are never searched hold no part of the skill. */
function isHidden(name: string): boolean {
  return name.startsWith(".") || SKIPPED_FOLDERS.has(name);
}

/** Whether a real path is one in the folder that may be given. */
function isGiven(root: string, real: string): boolean {
  return isPathInside(real, root) && !relative(root, real).split(sep).some(isHidden);
}

/**
 * A part of a file of a skill. Only regular files within the folder are given, however the path is written and
 * wherever links lead, and none that is hidden.
 */
export async function skillFilePart(
  skill: OfSkill,
  path: string,
  { offset, maxBytes }: { readonly offset: number; readonly maxBytes: number },
): Promise<Result<SkillFilePart>> {
  const segments = path.split("/").filter((segment) => segment !== ".");
  const isPlain = segments.every((segment) => segment !== "" && segment !== ".." && !segment.includes("\0"));
  if (!isPlain)
    return fail(
      failure(
        "INPUT_INVALID",
        `A file of a skill is named by its path within the folder, not ${JSON.stringify(path)}`,
      ),
    );
  const root = await realpath(skill.path).catch(() => undefined);
  const real =
    root === undefined ? undefined : await realpath(join(root, ...segments)).catch(() => undefined);
  if (root !== undefined && path === basename(skill.path) && isWorkflowFile(skill.path))
    return (await partAt(root, { path, offset, maxBytes })) ?? notThere(skill, path);
  if (root === undefined || real === undefined || segments.some(isHidden) || !isGiven(root, real))
    return notThere(skill, path);
  return (await partAt(real, { path: segments.join("/"), offset, maxBytes })) ?? notThere(skill, path);
}

async function notThere(skill: OfSkill, path: string): Promise<Result<never>> {
  const known = (await skillFiles(skill)).files.map((file) => file.path);
  const shown = JSON.stringify(path.slice(0, MAX_SHOWN));
  const hint = didYouMean(path.slice(0, MAX_SHOWN), known);
  return fail(failure("PATH_NOT_FOUND", `The skill "${skill.name}" has no file ${shown}.${hint}`));
}

const MAX_SHOWN = 200;

interface Wanted {
  readonly path: string;
  readonly offset: number;
  readonly maxBytes: number;
}

async function partAt(
  real: string,
  { path, offset, maxBytes }: Wanted,
): Promise<Result<SkillFilePart> | undefined> {
  // Opening a pipe would wait for a writer, and what is a link by now was none a moment ago.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const file = await open(real, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const found = await fstat(file);
    if (!found.isFile()) return undefined;
    const { size } = found;
    const wanted = Buffer.alloc(Math.max(0, Math.min(maxBytes, size - offset)));
    const { bytesRead } = await read(file, wanted, 0, wanted.length, offset);
    const bytes = wanted.subarray(0, bytesRead);
    const isLast = offset + bytesRead >= size || bytesRead === 0;
    const text = isLast ? bytes : wholeCharacters(bytes);
    const isText = isUtf8(text) && !CONTROL.test(text.toString("latin1"));
    const given = isText && text.length > 0 ? text : bytes;
    const next = isLast ? undefined : offset + given.length;
    return ok({ path, size, offset, encoding: isText ? "utf8" : "base64", bytes: given, next });
  } finally {
    await close(file);
  }
}

/** Bytes that stand in no text, and would be long as JSON. */
const CONTROL = /[\0-\x08\x0b\x0e-\x1f\x7f]/; // oxlint-disable-line no-control-regex

/** Without the beginning of a UTF-8 character whose end is not there. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let end = bytes.length - 1; end >= Math.max(0, bytes.length - 4); end--) {
    const byte = bytes[end] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return bytes.length - end < widthOf(byte) ? bytes.subarray(0, end) : bytes;
  }
  return bytes;
}

function widthOf(leading: number): number {
  return leading >= 0xf0 ? 4 : leading >= 0xe0 ? 3 : 2;
}
