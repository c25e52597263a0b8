import { hash } from "node:crypto";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { TraceFile } from "../../core/trace-event.ts";
import type { CodeFacts } from "./code-in.ts";
import { filledText } from "../import/reading/fields.ts";
import { toolWords } from "./tool-words.ts";

/** A file that a call shows to have made or changed. */
export interface FoundFile {
  readonly path: string;
  readonly foundBy: TraceFile["foundBy"];
  /** The content, where the arguments or the format carry it. */
  readonly content?: string;
  /** Bytes, where the format tells them; the content may be only its beginning. */
  readonly size?: number;
  /** Of the content, where it was read. */
  readonly sha256?: string;
}

const MAX_FILES = 50;
const MAX_TEXT = 1 << 16;
const MAX_PATH = 400;

/** The files that a call that succeeded has made or changed: those whose content, or a part of it, its arguments carry. */
export function filesIn(tool: string, args: Json | undefined): readonly FoundFile[] {
  const byPath = new Map<string, FoundFile>();
  for (const file of [...argumentFiles(toolWords(tool), args), ...patchFiles(args)])
    if (!byPath.has(file.path)) byPath.set(file.path, file);
  return [...byPath.values()].slice(0, MAX_FILES);
}

/** Where a call may have written besides, as its arguments and its code name it: the disk knows whether it has. */
export function pathsNamed(
  tool: string,
  args: Json | undefined,
  code: CodeFacts | undefined,
): readonly string[] {
  const named = isJsonObject(args) ? camelToSnake(args) : new Map<string, Json>();
  const paths = [...writtenPaths(toolWords(tool), named), ...(code?.filesWritten ?? [])];
  return [...new Set(paths)].slice(0, MAX_FILES);
}

/** The size in bytes and the sha256 of a file's content, where it is known: the digest where the content is whole. */
export function contentFacts(content: string | undefined, size?: number): Pick<TraceFile, "size" | "sha256"> {
  if (size !== undefined && (content === undefined || Buffer.byteLength(content) !== size)) return { size };
  return content === undefined ? {} : { size: Buffer.byteLength(content), sha256: hash("sha256", content) };
}

const WRITES: ReadonlySet<string> = new Set([
  ...[
    "write",
    "edit",
    "create",
    "save",
    "append",
    "export",
    "patch",
    "multiedit",
    "notebookedit",
    "replace",
    "insert",
  ],
  ...["touch", "download", "render", "plot", "dump", "update", "overwrite"],
]);

const PATHS = [
  "file_path",
  "filepath",
  "notebook_path",
  "path",
  "filename",
  "file_name",
  "file",
  "target_file",
  "abs_path",
];
/** Named so, an argument is written to whatever the tool is called. */
const OUTPUTS = [
  "output_path",
  "output_file",
  "outfile",
  "out_file",
  "save_path",
  "save_to",
  "destination_path",
];
const CONTENTS = ["content", "contents", "file_text", "text", "data"];
/** An edit carries a part of the file, not the whole. */
const PARTS = [
  ...["old_string", "old_str", "new_string", "new_str", "old_text", "new_text", "insert_line"],
  ...["insert_text", "new_source", "edits", "diff", "patch"],
];

function argumentFiles(words: readonly string[], args: Json | undefined): readonly FoundFile[] {
  if (!isJsonObject(args) || args["command"] === "view") return [];
  const named = camelToSnake(args);
  const content = contentOf(named);
  const isPart = words.includes("append") || PARTS.some((name) => named.has(name));
  if (content === undefined && !isPart) return [];
  return writtenPaths(words, named).map((path) =>
    isPart || content === undefined ? { path, foundBy: "argument" } : { path, foundBy: "argument", content },
  );
}

function writtenPaths(words: readonly string[], named: ReadonlyMap<string, Json>): readonly string[] {
  const writes = words.some((word) => WRITES.has(word));
  return [...(writes ? PATHS : []), ...OUTPUTS].flatMap((name) => {
    const path = filledText(named.get(name));
    return path === undefined || path.length > MAX_PATH || !isPath(path, name) ? [] : path;
  });
}

function camelToSnake(args: { readonly [key: string]: Json }): ReadonlyMap<string, Json> {
  return new Map(
    Object.entries(args)
      .slice(0, 100)
      .map(([key, value]) => [
        key
          .slice(0, 100)
          .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
          .toLowerCase(),
        value,
      ]),
  );
}

function contentOf(named: ReadonlyMap<string, Json>): string | undefined {
  for (const name of CONTENTS) {
    const value = named.get(name);
    if (typeof value === "string") return value;
  }
  return undefined;
}

function isPath(path: string, name: string): boolean {
  if (/[\n\r\0]/.test(path) || /^[a-z]+:\/\//i.test(path)) return false;
  return name !== "path" && name !== "file" ? true : /[./\\]/.test(path);
}

/** The files of a patch as OpenAI's `apply_patch` writes it. */
function patchFiles(args: Json | undefined): readonly FoundFile[] {
  const patch = isJsonObject(args)
    ? (filledText(args["input"]) ?? filledText(args["patch"]))
    : filledText(args);
  if (patch === undefined || !patch.slice(0, 200).includes("*** Begin Patch")) return [];
  return [...patch.slice(0, MAX_TEXT).matchAll(/^\*\*\* (?:Add|Update) File: (.{1,400})$/gm)].map(
    (match) => ({
      path: (match[1] ?? "").trim(),
      foundBy: "argument",
    }),
  );
}
