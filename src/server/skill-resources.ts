import { createHash } from "node:crypto";
import { basename, extname } from "node:path";
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
} from "@modelcontextprotocol/server";
import {
  type DirectoryResource,
  DIRECTORY_MIME_TYPE,
  type Skill as SkillEntry,
  SKILL_LIMITS,
  SkillsExtension,
  type SkillFrontmatter,
  type SkillReadResult,
  type SkillResourceEntry,
} from "@modelcontextprotocol/server/ext/skills";
import { skillFilePart, skillFiles, type SkillFile } from "../catalog/folders/skill-files.ts";
import type { Result } from "../core/result.ts";
import type { Skill } from "../core/skill.ts";
import type { CatalogSnapshot } from "../catalog/catalog.ts";

/** Skills whose files are given: those that may be used, by name. */
export type ServedSkills = ReadonlyMap<string, Skill>;

/** A larger file is read in parts, by `read_skill_file`: clients refuse messages that are much longer. */
const MAX_RESOURCE_BYTES = 4 * 2 ** 20;

const PAGE = 100;

const SCHEME = "skill://";

/** By this name the extension knows the file that makes a folder a skill. */
const MANIFEST = "SKILL.md";

/** The Skills extension (SEP-2640) for skills that may change from one request to the next. */
export function skillsExtension(given: () => Promise<ServedSkills>): SkillsExtension {
  return new SkillsExtension({
    // What keeps a skill from being listed by the rules of the extension is a finding about it already.
    onWarning: () => undefined,
    source: {
      list: async ({ cursor }) => {
        const { items, nextCursor } = page([...(await given()).values()], ({ name }) => name, cursor);
        return { skills: await Promise.all(items.map(entryOf)), ...nextPage(nextCursor) };
      },
      get: async (uri) => {
        const place = placeOf(uri, await given());
        return place?.path === MANIFEST ? entryOf(place.skill) : undefined;
      },
      read: async (uri) => contentAt(uri, await given()),
      readDirectory: async (uri, { cursor }) => {
        const place = placeOf(uri, await given());
        const children = place && (await childrenOf(place));
        if (!children || children.length === 0) return undefined;
        const { items, nextCursor } = page(children, (child) => child.name, cursor);
        return { resources: [...items], ...nextPage(nextCursor) };
      },
    },
  });
}

/** One page of what there is to read: the findings, then the SKILL.md of each skill. */
export function listedResources(
  given: ServedSkills,
  cursor: string | undefined,
): { readonly resources: Resource[]; readonly nextCursor?: string } {
  const { items, nextCursor } = page([...given.values()], ({ name }) => name, cursor);
  const resources = items.map(({ name, description, file }) => ({
    uri: uriOf(name, MANIFEST),
    name,
    description,
    mimeType: mimeTypeOf(basename(file)),
  }));
  return {
    resources: cursor === undefined ? [FINDINGS_RESOURCE, ...resources] : resources,
    ...nextPage(nextCursor),
  };
}

/** The file that a URI names, whole; nothing where there is none. */
export async function skillFileContent(
  uri: string,
  given: ServedSkills,
): Promise<ReadResourceResult | undefined> {
  const content = await contentAt(uri, given);
  if (!content) return undefined;
  const { mimeType } = content;
  return {
    contents: [
      "text" in content
        ? { uri, mimeType, text: content.text }
        : { uri, mimeType, blob: Buffer.from(content.bytes).toString("base64") },
    ],
  };
}

/** `skill://name/references/a%20file.md`. */
export function uriOf(skill: string, path: string): string {
  return `${SCHEME}${[skill, ...path.split("/")].map((part) => encodeURIComponent(part.toWellFormed())).join("/")}`;
}

/** What a file's name says of its content. */
export function mimeTypeOf(path: string): string {
  return MIME_TYPES[extname(path).slice(1).toLowerCase()] ?? "application/octet-stream";
}

const MIME_TYPES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  md: "text/markdown",
  txt: "text/plain",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  toml: "application/toml",
  py: "text/x-python",
  sh: "application/x-sh",
  js: "text/javascript",
  mjs: "text/javascript",
  cjs: "text/javascript",
  ts: "text/typescript",
  html: "text/html",
  css: "text/css",
  csv: "text/csv",
  xml: "application/xml",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  zip: "application/zip",
});

interface Place {
  readonly skill: Skill;
  /** Within the skill's folder; empty for the folder itself. */
  readonly path: string;
}

function placeOf(uri: string, given: ServedSkills): Place | undefined {
  if (!uri.startsWith(SCHEME) || /[?#]/.test(uri)) return undefined;
  const [name, ...segments] = decoded(uri.slice(SCHEME.length).split("/")) ?? [];
  const skill = name === undefined ? undefined : given.get(name);
  // A slash or a backslash that was encoded is no border between folders, and no file's name has one.
  if (!skill || segments.some((segment) => /[/\\\0]/.test(segment))) return undefined;
  return { skill, path: segments.join("/") };
}

function decoded(segments: readonly string[]): readonly string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** The file of the manifest may be written in small letters. */
function fileOf({ skill, path }: Place): string {
  return path === MANIFEST ? basename(skill.file) : path;
}

async function contentAt(uri: string, given: ServedSkills): Promise<SkillReadResult | undefined> {
  const place = placeOf(uri, given);
  if (!place) return undefined;
  const part = await wholeFile(place.skill, fileOf(place));
  if (!part.ok) return undefined;
  const { size, next, encoding, bytes } = part.value;
  if (next !== undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `The file has ${size} bytes, and a resource at most ${MAX_RESOURCE_BYTES}: read it in parts with read_skill_file`,
      { uri, size },
    );
  const mimeType = mimeTypeOf(fileOf(place));
  return encoding === "utf8" ? { text: bytes.toString("utf8"), mimeType } : { bytes, mimeType };
}

async function wholeFile(skill: Skill, path: string): ReturnType<typeof skillFilePart> {
  return skillFilePart(skill, path, { offset: 0, maxBytes: MAX_RESOURCE_BYTES });
}

/** A skill with the digests of all its files; of one beyond the limits of the extension these are not told. */
async function entryOf(skill: Skill): Promise<SkillEntry> {
  const { files, isCut } = await skillFiles(skill);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const isPublishable =
    !isCut &&
    files.length <= SKILL_LIMITS.files &&
    bytes <= SKILL_LIMITS.bytes &&
    files.every(({ size }) => size <= MAX_RESOURCE_BYTES);
  const resources = isPublishable ? await digestsOf(skill, files) : "dynamic";
  const frontmatter = skill.frontmatter as SkillFrontmatter;
  return { uri: uriOf(skill.name, MANIFEST), frontmatter, resources };
}

async function digestsOf(skill: Skill, files: readonly SkillFile[]): Promise<SkillResourceEntry[]> {
  const entries: SkillResourceEntry[] = [];
  for (const { path } of files) {
    const read: Result<{ readonly bytes: Buffer }> = await wholeFile(skill, path);
    if (!read.ok) continue;
    const { bytes } = read.value;
    const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    const shown = path === basename(skill.file) ? MANIFEST : path;
    entries.push({ uri: uriOf(skill.name, shown), digest, size: bytes.length });
  }
  return entries;
}

/** What stands directly in a folder of a skill, by name. */
async function childrenOf({ skill, path }: Place): Promise<readonly DirectoryResource[]> {
  const below = path === "" ? "" : `${path}/`;
  const children = new Map<string, DirectoryResource>();
  for (const file of (await skillFiles(skill)).files) {
    if (!file.path.startsWith(below)) continue;
    const [name = "", ...rest] = file.path.slice(below.length).split("/");
    const uri = uriOf(skill.name, `${below}${name}`);
    const kind =
      rest.length > 0 ? { mimeType: DIRECTORY_MIME_TYPE } : { mimeType: mimeTypeOf(name), size: file.size };
    children.set(name, { uri, name, ...kind });
  }
  return [...children.values()];
}

// --- pages

function page<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  cursor: string | undefined,
): { readonly items: readonly Item[]; readonly nextCursor: string | undefined } {
  const after = cursor === undefined ? undefined : cursorName(cursor);
  // A cursor is the name before the page, so that it holds whatever comes or goes meanwhile.
  const sorted = items
    .filter((item) => after === undefined || nameOf(item) > after)
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const shown = sorted.slice(0, PAGE);
  const last = shown.at(-1);
  const hasMore = last !== undefined && sorted.length > shown.length;
  return { items: shown, nextCursor: hasMore ? JSON.stringify(nameOf(last)) : undefined };
}

function cursorName(cursor: string): string {
  try {
    const name: unknown = JSON.parse(cursor);
    if (typeof name === "string") return name;
  } catch {
    // Told below.
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The cursor is none that was given here");
}

function nextPage(nextCursor: string | undefined): { readonly nextCursor?: string } {
  return nextCursor === undefined ? {} : { nextCursor };
}

/** All findings about the skills, for people and models that mend them. */
export const FINDINGS_RESOURCE = {
  uri: "repertoire://findings",
  name: "findings",
  title: "Findings about the skills",
  description:
    "What is wrong with the skills, where, and how to mend it; and which are not published for it.",
  mimeType: "application/json",
} satisfies Resource;

export function findingsContent({
  skills,
  diagnostics,
  faulty,
  leftOut,
}: CatalogSnapshot): ReadResourceResult {
  const { uri, mimeType } = FINDINGS_RESOURCE;
  const content = {
    skills: skills.size,
    faulty: [...faulty.keys()].toSorted(),
    leftOut,
    findings: diagnostics,
  };
  return { contents: [{ uri, mimeType, text: JSON.stringify(content, undefined, 2) }] };
}
