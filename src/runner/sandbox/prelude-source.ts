import { readFileSync } from "node:fs";
import { moduleUrl } from "../../core/package/package-files.ts";
import { stripTypesOrThrow } from "../../core/strip-types.ts";

/** The text of `prelude.ts` as JavaScript: an expression whose value is the prelude function. */
export function preludeSource(): string {
  const url = moduleUrl("runner/sandbox/prelude");
  const text = readFileSync(url, "utf8");
  return url.pathname.endsWith(".ts") ? stripTypesOrThrow(text) : text;
}
