import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

// What is published has its code in few files: this one is in a folder of dist, whatever else is in the file.
const isSource = import.meta.url.endsWith(".ts");
/** Where the code lies: `src`, or what was made of it. */
export const MODULES = new URL(isSource ? "../../" : "../", import.meta.url);

/** This package's folder, absolute. */
export const PACKAGE_FOLDER = fileURLToPath(new URL("..", MODULES));

/** A file of this package that is loaded by its place: a thread's first, by its path below `src` without an ending. */
export function moduleUrl(path: string): URL {
  return new URL(`${path}${isSource ? ".ts" : ".js"}`, MODULES);
}

/** The environment of a thread: what this one keeps of compiled code is its own, too. */
export function threadEnvironment(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  return folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) };
}
