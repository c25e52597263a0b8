import { readFile } from "node:fs/promises";
import { moduleUrl } from "../../core/package/package-files.ts";
import { stripTypesOrThrow } from "../../core/strip-types.ts";

/** The text of `prelude.ts` as JavaScript: an expression whose value is the prelude function. */
export async function preludeSource(): Promise<string> {
  const url = moduleUrl("runner/sandbox/prelude");
  const text = await readFile(url, "utf8");
  return url.pathname.endsWith(".ts") ? stripTypesOrThrow(text) : text;
}
