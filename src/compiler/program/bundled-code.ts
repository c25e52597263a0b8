import path from "node:path";

/**
 * Whether a JavaScript file is what a tool made of libraries rather than what an author wrote. Such code runs, but is
 * not type-checked: nobody would mend it. `// @ts-check` and `// @ts-nocheck` at its head decide; else its folder, the
 * marks that bundlers leave, a line that no hand writes, or its length tell.
 */
export function isBundledCode(name: string, text: string): boolean {
  if (!/\.[cm]?js$/.test(name)) return false;
  const said = saidAtHead(text);
  if (said !== undefined) return said === "nocheck";
  return (
    FOLDERS.test(path.posix.dirname(name)) ||
    text.length > MAX_WRITTEN ||
    MARKS.test(text) ||
    text.split("\n").some((line) => line.length > MAX_LINE)
  );
}

/** What the comments before the code say, as TypeScript reads it. */
function saidAtHead(text: string): string | undefined {
  for (const line of text.slice(0, HEAD_CHARACTERS).split("\n")) {
    const said = /^\s*\/\/\s*@ts-(nocheck|check)\b/.exec(line)?.[1];
    if (said !== undefined) return said;
    if (!/^\s*(?:$|\/\/|\/?\*|#!)/.test(line)) return undefined;
  }
  return undefined;
}

const HEAD_CHARACTERS = 10_000;
const FOLDERS = /(?:^|\/)(?:vendor|node_modules)(?:\/|$)/;
/** What esbuild, Rollup and webpack write: the files that went in, and helpers of their own. */
const MARKS =
  /^\/\/ \S*node_modules\/|^var __(?:defProp|getOwnPropNames|commonJS|create)\b|\b__webpack_require__\b|^\/\/# sourceMappingURL=/m;
const MAX_WRITTEN = 50_000;
const MAX_LINE = 5_000;
