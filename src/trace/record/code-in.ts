import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { filledText, items } from "../import/reading/fields.ts";
import { toolWords } from "./tool-words.ts";

/** Code that a call ran, with what its text shows. */
export interface CodeFacts {
  readonly language: string;
  readonly code: string;
  readonly imports: readonly string[];
  readonly filesWritten: readonly string[];
  readonly filesRead: readonly string[];
}

const MAX_CODE = 1 << 16;
const MAX_NAMES = 100;

/** The code in the arguments of a tool that runs code: a shell, an interpreter. */
export function codeIn(tool: string, args: Json | undefined): CodeFacts | undefined {
  const language = languageOf(tool, args);
  const code = language === undefined ? undefined : codeOf(args);
  return language === undefined || code === undefined ? undefined : codeFacts(language, code);
}

export function codeFacts(language: string, code: string): CodeFacts {
  const read = code.slice(0, MAX_CODE);
  const isShell = language === "shell";
  const python = language === "python" || (isShell && /\bpython[\d.]*\b/.test(read)) ? read : "";
  const javaScript = language === "javascript" || (isShell && /\b(?:node|bun|deno)\b/.test(read)) ? read : "";
  return {
    language,
    code,
    imports: names([...pythonImports(python), ...found(javaScript, JAVASCRIPT_IMPORT)]),
    filesWritten: names([
      ...found(python, PYTHON_WRITES),
      ...found(javaScript, JAVASCRIPT_WRITES),
      ...(isShell
        ? found(withoutQuotedSigns(withoutHeredocs(read)), SHELL_WRITES).filter((path) => isShellPath(path))
        : []),
    ]),
    filesRead: names([...found(python, PYTHON_READS), ...found(javaScript, JAVASCRIPT_READS)]),
  };
}

/** What an event tells of its code. */
export function codeMeta({ language, imports, filesWritten, filesRead }: CodeFacts): JsonObject {
  return { language, imports, filesWritten, filesRead };
}

const SHELL =
  /^(?:bash|sh|shell|zsh|terminal|powershell|cmd|local_shell|shell_command|exec_command|container_exec|bash_code_execution)$/;
const RUNS =
  /^(?:execute|run|exec)_(?:code|python|bash|command|shell|javascript|js|script|terminal_cmd|terminal_command|in_terminal|ipython_cell)(?:_\w{1,20})?$/;
const INTERPRETER =
  /^(?:i?python3?|jupyter|repl|node|javascript|js_repl|code_interpreter|code_execution|python_(?:repl|exec|execute|tool|interpreter|repl_ast|code_execution)|ipython_cell)$/;
const PYTHON_WORD = /^(?:i?python3?|jupyter)$/;

function languageOf(tool: string, args: Json | undefined): string | undefined {
  const words = toolWords(tool);
  const name = words.join("_");
  if (!SHELL.test(name) && !RUNS.test(name) && !INTERPRETER.test(name)) return undefined;
  const said = isJsonObject(args) ? filledText(args["language"] ?? args["lang"]) : undefined;
  if (said !== undefined) return languageNamed(said);
  if (words.some((word) => PYTHON_WORD.test(word))) return "python";
  if (words.some((word) => word === "node" || word === "javascript" || word === "js")) return "javascript";
  const isShell =
    SHELL.test(name) || words.some((word) => /^(?:bash|shell|command|cmd|terminal|script)$/.test(word));
  return isShell ? "shell" : "python";
}

export function languageNamed(name: string): string {
  const lower = name.toLowerCase().slice(0, 40);
  if (/^(?:py|python|python3|ipython)$/.test(lower)) return "python";
  if (/^(?:js|javascript|node|nodejs|typescript|ts)$/.test(lower)) return "javascript";
  return /^(?:sh|bash|shell|zsh|console|powershell|pwsh|ps1)$/.test(lower) ? "shell" : lower;
}

function codeOf(args: Json | undefined): string | undefined {
  if (!isJsonObject(args)) return filledText(args);
  for (const key of [
    "command",
    "code",
    "script",
    "cmd",
    "commands",
    "source",
    "python_code",
    "input",
    "query",
    "query_code",
  ]) {
    const value = args[key];
    const code =
      filledText(value) ??
      items(value)
        .filter((part) => typeof part === "string")
        .join(" ");
    if (code !== "") return code;
  }
  return undefined;
}

// Every pattern is linear: bounded repeats of classes that cannot overlap with what follows.
const JAVASCRIPT_IMPORT =
  /(?:\bfrom\s{0,10}|\bimport\s{0,10}\(?\s{0,10}|\brequire\s{0,10}\(\s{0,10})["']([^"'\n]{1,200})["']/g;
const PYTHON_WRITES =
  /(?:\bopen\(\s{0,10}[rfbu]{0,2}["']([^"'\n]{1,300})["']\s{0,10},\s{0,10}(?:mode\s{0,5}=\s{0,5})?["'][rbt]{0,2}[wax]|\.(?:to_(?:csv|json|excel|parquet|pickle|html|hdf|feather)|savefig|savetxt|savez?|save|write_image|write_html|imsave|imwrite|dump_to)\(\s{0,10}[rf]?["']([^"'\n]{1,300})["']|\bPath\(\s{0,10}["']([^"'\n]{1,300})["']\s{0,10}\)\.write_(?:text|bytes))/g;
const PYTHON_READS =
  /(?:\bopen\(\s{0,10}[rfbu]{0,2}["']([^"'\n]{1,300})["']\s{0,10}(?:\)|,\s{0,10}(?:encoding|["']r))|\.(?:read_(?:csv|json|excel|parquet|pickle|html|hdf|feather|table)|loadtxt|genfromtxt|imread)\(\s{0,10}[rf]?["']([^"'\n]{1,300})["']|\bPath\(\s{0,10}["']([^"'\n]{1,300})["']\s{0,10}\)\.read_(?:text|bytes))/g;
const JAVASCRIPT_WRITES =
  /\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream)\(\s{0,10}["'`]([^"'`\n]{1,300})["'`]/g;
const JAVASCRIPT_READS = /\b(?:readFile|readFileSync|createReadStream)\(\s{0,10}["'`]([^"'`\n]{1,300})["'`]/g;
const SHELL_WRITES =
  /(?:(?<![-=<>&\d])[12&]?>{1,2}\s{0,10}|\btee\s{1,10}(?:-a\s{1,10})?|\s(?:-o|--output)[ =])(?:"([^"\n$`]{1,300})"|'([^'\n]{1,300})'|([^\s"'`;|&<>()$]{1,300}))/g;

function found(code: string, pattern: RegExp): readonly string[] {
  if (code === "") return [];
  return [...code.matchAll(pattern)]
    .slice(0, MAX_NAMES)
    .map((match) => match.slice(1).find((group) => group !== undefined) ?? "");
}

/** A `>` in quotes redirects nothing. */
function withoutQuotedSigns(code: string): string {
  return code.replaceAll(/"(?:[^"\\]|\\[^])*"|'[^']*'/g, (quoted) => quoted.replaceAll(">", " "));
}

function isShellPath(path: string): boolean {
  return /^(?!-|\/dev\/)[\w ./~@%+:-]*[a-z_][\w ./~@%+:-]*$/i.test(path);
}

function pythonImports(code: string): readonly string[] {
  const imports: string[] = [];
  for (const line of code === "" ? [] : code.split(/[\n;]|-c ["']/)) {
    const statement = line.trimStart().slice(0, 500);
    const from = /^from\s{1,10}([\w.]{1,200})\s{1,10}import\b/.exec(statement)?.[1];
    if (from !== undefined && !from.startsWith(".")) imports.push(from);
    const several = /^import\s{1,10}([\w., ]{1,400})/.exec(statement)?.[1];
    for (const each of several?.split(",") ?? []) imports.push(each.trim().split(" ")[0] ?? "");
  }
  return imports;
}

function withoutHeredocs(code: string): string {
  const lines: string[] = [];
  let end: string | undefined;
  for (const line of code.split("\n")) {
    if (end !== undefined) {
      if (line.trim() === end) end = undefined;
      continue;
    }
    end = /<<-?\s{0,5}["']?(\w{1,40})["']?/.exec(line)?.[1];
    lines.push(line);
  }
  return lines.join("\n");
}

function names(all: readonly string[]): readonly string[] {
  return [...new Set(all.filter((name) => name !== ""))].slice(0, MAX_NAMES);
}
