import { hash } from "node:crypto";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { TraceFile } from "../../core/trace-event.ts";
import type { CodeFacts } from "./code-in.ts";
import { filledText } from "../import/reading/fields.ts";
import { toolWords } from "./tool-words.ts";

/** A file that a call shows to have made or changed. */
export interface FoundFile {
  readonly path: string;
  readonly foundBy: "argument" | "text";
  /** The content, where the arguments or the format carry it. */
  readonly content?: string;
  /** Bytes, where the format tells them; the content may be only its beginning. */
  readonly size?: number;
}

const MAX_FILES = 50;
const MAX_TEXT = 1 << 16;
const MAX_PATH = 400;

/** The files that a call that succeeded has made, from its arguments, its code and what its result says. */
export function filesIn(
  tool: string,
  args: Json | undefined,
  result: Json | undefined,
  code: CodeFacts | undefined,
): readonly FoundFile[] {
  const words = toolWords(tool);
  const files = [
    ...argumentFiles(words, args),
    ...patchFiles(args),
    ...(code?.filesWritten ?? []).map((path): FoundFile => ({ path, foundBy: "text" })),
    // A file that is only read may say anything.
    ...(words.some((word) => READS.has(word)) ? [] : textFiles(result)),
  ];
  const byPath = new Map<string, FoundFile>();
  for (const file of files) if (!byPath.has(file.path)) byPath.set(file.path, file);
  return [...byPath.values()].slice(0, MAX_FILES);
}

/** The size in bytes and the sha256 of a file's content, where it is known: the digest where the content is whole. */
export function contentFacts(content: string | undefined, size?: number): Pick<TraceFile, "size" | "sha256"> {
  if (size !== undefined && (content === undefined || Buffer.byteLength(content) !== size)) return { size };
  return content === undefined ? {} : { size: Buffer.byteLength(content), sha256: hash("sha256", content) };
}

const READS: ReadonlySet<string> = new Set([
  ...[
    "read",
    "get",
    "list",
    "ls",
    "search",
    "find",
    "grep",
    "glob",
    "fetch",
    "view",
    "cat",
    "head",
    "tail",
    "show",
  ],
  ...["query", "describe", "stat", "tree", "diff", "status", "log", "open"],
]);

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

function argumentFiles(words: readonly string[], args: Json | undefined): readonly FoundFile[] {
  if (!isJsonObject(args)) return [];
  const writes = words.some((word) => WRITES.has(word)) && args["command"] !== "view";
  const named = camelToSnake(args);
  return [...(writes ? PATHS : []), ...OUTPUTS].flatMap((name) => {
    const path = filledText(named.get(name));
    if (path === undefined || path.length > MAX_PATH || !isPath(path, name)) return [];
    const content = words.includes("append") ? undefined : contentOf(named);
    return [{ path, foundBy: "argument", ...(content === undefined ? {} : { content }) } satisfies FoundFile];
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
  // An edit carries a part, not the whole.
  if (named.has("old_string") || named.has("old_str") || named.has("insert_line")) return undefined;
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

// The seed of these words is what agents' tools print; what follows has to look like a path.
const SAYS_FILE =
  /\b(?:saved (?:to|as|in)|written to|wrote(?: to)?|created file|file created(?: successfully)?(?: at)?|file path|output file|generated(?: file)?|exported to|saved|file)\s{0,5}(?::|\bis\b)?\s{0,5}[("'`]{0,2}([^\s,;"'`<>|(){}[\]]{1,400})/gi;

function textFiles(result: Json | undefined): readonly FoundFile[] {
  const left = { characters: MAX_TEXT };
  const files: FoundFile[] = [];
  for (const said of textsIn(result, left, 6)) {
    for (const match of said.matchAll(SAYS_FILE)) {
      const path = (match[1] ?? "").replace(/[.:!?]+$/, "");
      if (looksLikeFile(path)) files.push({ path, foundBy: "text" });
      if (files.length >= MAX_FILES) return files;
    }
  }
  return files;
}

function looksLikeFile(path: string): boolean {
  return /^(?![a-z]+:\/\/)[^*]*[\w-]\.(?!\d+$)[a-z][a-z0-9]{0,7}$/i.test(path) && !path.startsWith("http");
}

function textsIn(value: Json | undefined, left: { characters: number }, depth: number): readonly string[] {
  if (value === undefined || value === null || left.characters <= 0 || depth === 0) return [];
  if (typeof value === "string") {
    const taken = value.slice(0, left.characters);
    left.characters -= taken.length + 10;
    return [taken];
  }
  if (typeof value !== "object") return [];
  left.characters -= 10;
  const texts: string[] = [];
  for (const each of Object.values(value).slice(0, 1000)) {
    if (left.characters <= 0) break;
    texts.push(...textsIn(each, left, depth - 1));
  }
  return texts;
}
