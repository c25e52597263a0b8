import { readFile } from "node:fs/promises";
import { stripTypesOrThrow } from "../../catalog/strip-types.ts";

/** The text of `prelude.ts` as JavaScript: an expression whose value is the prelude function. */
export async function preludeSource(): Promise<string> {
  const fromSource = import.meta.url.endsWith(".ts");
  const text = await readFile(new URL(fromSource ? "./prelude.ts" : "./prelude.js", import.meta.url), "utf8");
  // The compiler marks the file as a module, which an expression is not.
  return fromSource ? stripTypesOrThrow(text) : text.replace(/export \{\};\s*$/, "");
}
