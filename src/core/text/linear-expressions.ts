import { createRequire } from "node:module";
import type { RE2JS } from "re2js";

let loaded: typeof RE2JS | undefined;

/** RE2: regular expressions whose time is linear. It takes long to load, and few need it. */
export function linearExpressions(): typeof RE2JS {
  loaded ??= (createRequire(import.meta.url)("re2js") as { readonly RE2JS: typeof RE2JS }).RE2JS;
  return loaded;
}
