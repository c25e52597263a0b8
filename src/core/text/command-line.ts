import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { PACKAGE_FOLDER } from "../package/package-files.ts";

const OWN = join("bin", "repertoire.js");
const PROGRAM = join(PACKAGE_FOLDER, OWN);

/** What a person types here to give this program these arguments: its name where that finds it, else its file. */
export function commandLine(given: string): string {
  const cwd = process.cwd();
  if (known?.cwd !== cwd) known = { cwd, program: programHere(cwd, process.env) };
  return given === "" ? known.program : `${known.program} ${given}`;
}

let known: { readonly cwd: string; readonly program: string } | undefined;

function programHere(cwd: string, env: NodeJS.ProcessEnv): string {
  // npm adds folders of its own to the path, which are not there for whoever reads what is printed.
  const folders = (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "" && !folder.includes("node_modules"));
  if (folders.some((folder) => isProgram(join(folder, "repertoire")))) return "repertoire";
  const isInstalled = PACKAGE_FOLDER.split(sep).includes("node_modules");
  const isByNpx = isInstalled && env["npm_command"] === "exec";
  if (isByNpx || ancestors(cwd).some((folder) => isProgram(join(folder, "node_modules/.bin/repertoire"))))
    return "npx repertoire";
  const shown = join(cwd, OWN) === PROGRAM ? OWN : PROGRAM;
  return `node ${/^[\w./\\:-]+$/.test(shown) ? shown : JSON.stringify(shown)}`;
}

function isProgram(file: string): boolean {
  try {
    return existsSync(file) && realpathSync(file) === realpathSync(PROGRAM);
  } catch {
    return false;
  }
}

function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}
