import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { init, parse } from "es-module-lexer";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostic.ts";
import type { FileLog, ReadFault, ReadFile } from "./file-log.ts";
import { isPathInside, isReallyInside } from "./is-path-inside.ts";
import { stripTypes } from "../../core/strip-types.ts";

export interface CodeFile {
  readonly path: string;
  readonly text: string;
  readonly bytes: Buffer;
}

export interface CodeReading {
  /** The entry first, then every file that it imports, directly or not, if only for its types. */
  readonly files: readonly CodeFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The entry of a skill and all files of its folder that it imports. What it cannot import is reported. */
export async function readSources(entry: string, folder: string, log: FileLog): Promise<CodeReading> {
  const diagnostics: Diagnostic[] = [];
  const files = new Map<string, CodeFile>();
  const wanted: Wanted[] = [{ path: entry, from: undefined, runs: true }];
  const settled = new Map<string, { runs: boolean }>();
  let bytesLeft = MAX_BYTES;
  for (let next = wanted.shift(); next; next = wanted.shift()) {
    // A file reached for its types alone is looked at again when something runs it.
    const before = settled.get(next.path);
    if (before && (before.runs || !next.runs)) continue;
    settled.set(next.path, { runs: next.runs });
    const known = files.get(next.path);
    const file = known ?? (await readWanted(next, folder, log, diagnostics));
    if (!file) continue;
    if (!known) {
      bytesLeft -= file.bytes.length;
      if (files.size >= MAX_FILES || bytesLeft < 0) {
        const limit = `${MAX_FILES} files and ${MAX_BYTES} bytes`;
        diagnostics.push(
          finding(
            "code-too-large",
            entry,
            `The skill's code is larger than the limit of ${limit}`,
            "Import less, or split the skill into several",
          ),
        );
        break;
      }
      files.set(file.path, file);
    }
    wanted.push(...(await importsOf(file, next.runs, folder, log, diagnostics)));
  }
  return { files: [...files.values()], diagnostics };
}

const MAX_FILES = 64;
const MAX_BYTES = 1024 * 1024;
const CODE_ENDINGS = [".ts", ".js", ".mjs"];

interface Wanted {
  readonly path: string;
  /** Where it is imported; nowhere for the entry and for what only a type names. */
  readonly from: Diagnostic | undefined;
  /** Whether the skill runs it. */
  readonly runs: boolean;
}

async function readWanted(
  wanted: Wanted,
  folder: string,
  log: FileLog,
  diagnostics: Diagnostic[],
): Promise<CodeFile | undefined> {
  const reading = await log.read(wanted.path, MAX_BYTES);
  if (!reading.ok) {
    const fault = faultOf(wanted, reading.error, folder, log);
    if (fault) diagnostics.push(fault);
    return undefined;
  }
  if (!(await isReallyWithin(wanted, folder))) {
    if (wanted.from) diagnostics.push({ ...wanted.from, ...OUTSIDE });
    return undefined;
  }
  if (!reading.value.isUtf8) {
    diagnostics.push({
      ...finding(
        "file-encoding",
        wanted.path,
        `${basename(wanted.path)} is not UTF-8 text`,
        "Save the file as UTF-8",
      ),
      severity: "warning",
    });
  }
  return codeFile(wanted.path, reading.value);
}

function codeFile(path: string, { text, bytes }: ReadFile): CodeFile {
  return { path, text, bytes };
}

function faultOf(wanted: Wanted, fault: ReadFault, folder: string, log: FileLog): Diagnostic | undefined {
  if (!wanted.runs) return undefined;
  if (!wanted.from) {
    const code = fault.kind === "too-large" ? "code-too-large" : "file-unreadable";
    return finding(code, wanted.path, fault.message, "Make the skill's entry a file that can be read");
  }
  const like = fault.kind === "missing" ? likeNamed(wanted.path, log) : undefined;
  const message = `The imported file ${relative(folder, wanted.path)} ${fault.kind === "missing" ? "does not exist" : "cannot be read"}`;
  const fix =
    like === undefined
      ? "Add the file, or correct the path"
      : `There is a file ${basename(like)}: write its name with its ending`;
  return { ...wanted.from, message, fix };
}

/** A file that the author may have meant: imports in skills name the file with its own ending. */
function likeNamed(path: string, log: FileLog): string | undefined {
  const stem = CODE_ENDINGS.includes(extname(path)) ? path.slice(0, -extname(path).length) : path;
  for (const like of [
    ...CODE_ENDINGS.map((ending) => stem + ending),
    join(path, "index.ts"),
    join(path, "index.js"),
  ]) {
    if (like !== path && log.has(like)) return like;
  }
  return undefined;
}

async function isReallyWithin(wanted: Wanted, folder: string): Promise<boolean> {
  // The entry may be a link: whoever arranged the folder chose it. Code may not reach out of the folder by one.
  if (!wanted.from && wanted.runs) return true;
  return isReallyInside(wanted.path, folder);
}

async function importsOf(
  file: CodeFile,
  runs: boolean,
  folder: string,
  log: FileLog,
  diagnostics: Diagnostic[],
): Promise<Wanted[]> {
  // Every import has one of these words, and most skills have none.
  if (!/\bimport\b|\bfrom\b/.test(file.text)) return [];
  const code = file.path.endsWith(".ts") ? stripTypes(file.text) : file.text;
  if (code === undefined) return [];
  const wanted: Wanted[] = [];
  if (runs) {
    const seen = new Set<string>();
    for (const found of await runtimeImports(code)) {
      const name = found.specifier ?? `at ${found.offset}`;
      if (seen.has(name) || seen.size >= MAX_IMPORTS) continue;
      seen.add(name);
      const resolved = resolveImport(found, file, folder);
      if (resolved.ok) wanted.push(resolved.wanted, ...declarationsOf(resolved.wanted, log));
      else diagnostics.push(resolved.finding);
    }
  }
  for (const path of namedPaths(file, folder)) {
    if (!wanted.some((each) => each.path === path) && log.has(path))
      wanted.push({ path, from: undefined, runs: false });
  }
  return wanted;
}

/** The declarations that stand beside a JavaScript file. */
function declarationsOf({ path }: Wanted, log: FileLog): Wanted[] {
  const declarations = path.replace(/\.(m?)js$/, ".d.$1ts");
  return declarations !== path && log.has(declarations)
    ? [{ path: declarations, from: undefined, runs: false }]
    : [];
}

/** Different imports of one file that are looked at. A file that has more is no skill's. */
const MAX_IMPORTS = 200;

interface FoundImport {
  /** Absent where only running the code would tell. */
  readonly specifier: string | undefined;
  readonly offset: number;
}

async function runtimeImports(code: string): Promise<FoundImport[]> {
  await init();
  try {
    const [imports] = parse(code);
    return imports.flatMap((found): FoundImport[] => {
      if (found.type === "import-meta") return [];
      if (found.type === "dynamic")
        return [{ specifier: found.glob ? undefined : found.specifier, offset: found.start }];
      return [{ specifier: found.specifier, offset: found.start - 1 }];
    });
  } catch {
    // What does not parse is reported where the code is compiled.
    return [];
  }
}

type Resolved =
  | { readonly ok: true; readonly wanted: Wanted }
  | { readonly ok: false; readonly finding: Diagnostic };

const OUTSIDE = {
  message: "A skill cannot import a file outside its own folder",
  fix: "Copy the file into the skill's folder, or call the other skill with call_skill",
};

function resolveImport({ specifier, offset }: FoundImport, file: CodeFile, folder: string): Resolved {
  const refused = (message: string, fix: string): Resolved => ({
    ok: false,
    finding: { ...finding("code-import", file.path, message, fix), ...placeIn(file.text, offset) },
  });
  if (specifier === undefined) {
    return refused(
      "An import whose path is made at run time cannot be resolved",
      "Write the path as a plain string",
    );
  }
  if (/^(?:[a-z][a-z\d+.-]+:|\/)/i.test(specifier) && !specifier.startsWith("node:")) {
    return refused(
      `A skill cannot import ${JSON.stringify(specifier)}: only relative paths within its folder`,
      OUTSIDE.fix,
    );
  }
  if (!/^\.\.?\//.test(specifier)) {
    return specifier.startsWith("node:")
      ? refused(
          `A skill cannot import ${JSON.stringify(specifier)}: its code has no files, network or processes`,
          "Remove the import; reach the outside with call_tool",
        )
      : refused(
          `A skill cannot import the package ${JSON.stringify(specifier)}`,
          "Put the code that it needs into the skill's folder and import it by its relative path",
        );
  }
  const path = resolve(dirname(file.path), specifier);
  if (!isPathInside(path, folder)) return refused(OUTSIDE.message, OUTSIDE.fix);
  const ending = extname(path);
  if (ending !== "" && /^\.[a-z]+$/.test(ending) && !CODE_ENDINGS.includes(ending)) {
    return refused(
      `A skill can import .ts, .js and .mjs files, not ${JSON.stringify(specifier)}`,
      "Put its content into a .ts or .js file that exports it",
    );
  }
  return {
    ok: true,
    wanted: {
      path,
      from: { ...finding("code-import", file.path, "", ""), ...placeIn(file.text, offset) },
      runs: true,
    },
  };
}

/** Code files of the folder that the text names as modules anywhere, so also in types and in JSDoc. */
function namedPaths(file: CodeFile, folder: string): string[] {
  const paths = new Set<string>();
  for (const match of file.text.matchAll(/\b(?:from|import)\s*\(?\s*(["'])(\.\.?\/[^"'\n]+)\1/g)) {
    const path = resolve(dirname(file.path), match[2] ?? "");
    if (isPathInside(path, folder) && CODE_ENDINGS.includes(extname(path))) paths.add(path);
  }
  return [...paths];
}

function finding(code: DiagnosticCode, path: string, message: string, fix: string): Diagnostic {
  return { code, severity: "error", path, line: 1, column: 1, message, fix };
}

function placeIn(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}
