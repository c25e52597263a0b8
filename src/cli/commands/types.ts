import { access, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { Command } from "commander";
import type { Rooms } from "../../rooms.ts";
import { failure } from "../../core/error.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { fileFault } from "../../core/files/file-fault.ts";
import { writeWhole } from "../../core/files/whole-file.ts";
import { RESERVED_TOOLS } from "../../core/tools/reserved-tools.ts";
import { withHangingIndent } from "../../core/text/display-text.ts";
import {
  type CommonOptions,
  endWith,
  examples,
  EXIT,
  printJson,
  withApp,
  withCommonOptions,
} from "../session.ts";
import { hasCode, type Skill } from "../../core/skill.ts";
import { contractTypes } from "../../contracts/to-types/contract-types.ts";
import { SANDBOX_GLOBALS } from "../../contracts/to-types/sandbox-globals.ts";
import { type CallableTools, toolTypes } from "../../contracts/to-types/tool-types.ts";

const EDITOR_TYPES_FILE = "skills.d.ts";

/** The language as the sandbox has it, for an editor that follows the settings written beside. */
const LIBRARY_FILE = "sandbox.d.ts";

export function typesCommand(): Command {
  return withCommonOptions(new Command("types"))
    .description(
      "write skills.d.ts, by which an editor knows what each skill and upstream tool takes and gives",
    )
    .argument("[folders...]", "skill folders (default: the configuration's, else ./skills)")
    .option(
      "-o, --output <file>",
      `the file to write (default: ${EDITOR_TYPES_FILE} in the first skill folder)`,
    )
    .option("--print", "print the declarations, write nothing")
    .addHelpText(
      "after",
      examples(
        "\nThe configured MCP servers are reached, so that their tools are in it too. Where there is no tsconfig.json beside it, one is written, and sandbox.d.ts: the language as skills have it. `serve --watch` keeps the file fresh.\n\nExample:\n  $ repertoire types ./skills",
      ),
    )
    .action(async (folders: string[], options: CommonOptions & { output?: string; print?: boolean }) => {
      await withApp(folders, options, async (app) => {
        const { failures } = await app.upstreams.tools();
        for (const each of failures.values()) console.error(withHangingIndent(each));
        const text = await textOf(app);
        if (options.print === true) {
          process.stdout.write(text);
          return;
        }
        const file = options.output === undefined ? typesFileOf(app) : resolve(options.output);
        if (!(await isOurs(file))) {
          const why = `${file} was not written by this command; move it away, or name another file with --output`;
          endWith(failure("ALREADY_EXISTS", why), options.json === true, EXIT.failed);
        }
        // The library that is there may be of another version.
        const written = await writeTypes(file, text, await isThere(join(dirname(file), LIBRARY_FILE)));
        if (!written.ok)
          return endWith(failure("PATH_NOT_FOUND", written.error), options.json === true, EXIT.failed);
        const shown = written.value.map((each) => relative(process.cwd(), each) || each);
        if (options.json) printJson({ written: written.value });
        else console.log(`Wrote ${shown.join(", ")}`);
      });
    });
}

/**
 * Rewrites the declarations with each change of the catalog or of the upstream tools: where they are there already, or
 * from now on.
 */
export async function keepTypesFresh(app: Rooms, { create }: { readonly create: boolean }): Promise<void> {
  const catalog = await app.catalog;
  const file = typesFileOf(app);
  const refresh = async (): Promise<void> => {
    const before = await readFile(file, "utf8").catch(() => undefined);
    if (before === undefined ? !create : !isWrittenHere(before)) return;
    const text = await textOf(app);
    const written = text === before ? undefined : await writeTypes(file, text);
    if (written && !written.ok) console.error(written.error);
  };
  const tell = (bug: unknown): void => console.error(bug);
  let last = refresh().catch(tell);
  const refreshNext = (): void => {
    last = last.then(refresh).catch(tell);
  };
  catalog.onChange(refreshNext);
  app.tools.onChange(refreshNext);
}

function typesFileOf({ config }: Rooms): string {
  return join(config.skills[0] ?? ".", EDITOR_TYPES_FILE);
}

async function textOf({ catalog, tools }: Rooms): Promise<string> {
  const { snapshot } = await catalog;
  const known = new Map([...RESERVED_TOOLS, ...(await tools.all())]);
  return editorTypes([...snapshot.skills.values()], known);
}

async function isOurs(file: string): Promise<boolean> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined || isWrittenHere(text);
}

/** Which files were written: with them the settings, where there are none; or which could not be. */
async function writeTypes(
  file: string,
  text: string,
  isLibraryStale = false,
): Promise<Result<readonly string[], string>> {
  const folder = dirname(file);
  // A mistyped folder is not made.
  const missing = await access(folder).then(() => undefined, fileFault);
  if (missing !== undefined) return fail(`${file} cannot be written: ${missing}`);
  const settings = join(folder, "tsconfig.json");
  const needsSettings = !(await isThere(settings));
  const files: [string, string][] = [[file, text]];
  if (needsSettings || isLibraryStale) {
    // It comes with the compiler, which a server that only serves does not load.
    const { sandboxLibrary } = await import("../../contracts/to-types/sandbox-library.ts");
    files.push([join(folder, LIBRARY_FILE), sandboxLibrary()]);
  }
  // Last, as they tell where the library is, and are never written again.
  if (needsSettings) files.push([settings, `${JSON.stringify(EDITOR_SETTINGS, undefined, 2)}\n`]);
  for (const [path, content] of files) {
    const fault = writeWhole(path, content);
    if (fault !== undefined) return fail(`${path} cannot be written: ${fault}`);
  }
  return ok(files.map(([path]) => path));
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** The first line of each file that is written; a file without it is somebody's own. */
const EDITOR_TYPES_MARK = "// Written by `repertoire types`; changes are overwritten.";

/** An empty file is nobody's: some editors make one before there is anything in it. */
function isWrittenHere(text: string): boolean {
  return text === "" || text.startsWith(EDITOR_TYPES_MARK);
}

/**
 * The world of skill code as ambient declarations for an editor: `call_skill` typed for every skill that has code,
 * `call_tool` for every upstream tool that is known.
 */
export function editorTypes(skills: readonly Skill[], tools: CallableTools = new Map()): string {
  const callable = skills
    .filter(hasCode)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, description, contract }) => [name, { ...contract, description }] as const);
  return `${EDITOR_TYPES_MARK}\n${contractTypes(new Map(callable))}${toolTypes(tools)}${SANDBOX_GLOBALS}\n`;
}

/** Settings under which an editor sees skills as the checks do. */
export const EDITOR_SETTINGS = {
  compilerOptions: {
    target: "ESNext",
    // The language is what the library that is written beside declares.
    noLib: true,
    module: "ESNext",
    moduleResolution: "Bundler",
    moduleDetection: "force",
    types: [],
    strict: true,
    noImplicitAny: false,
    useUnknownInCatchVariables: false,
    allowJs: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ["**/*.ts", "**/skill.js"],
} as const;
