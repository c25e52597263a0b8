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
