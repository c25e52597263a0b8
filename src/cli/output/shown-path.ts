import { relative } from "node:path";
import { oneLine } from "../../core/text/display-text.ts";

/** A path for people: from the folder they are in, where it is below that. */
export function shownPath(path: string): string {
  const local = relative(process.cwd(), path);
  return oneLine(local.startsWith("..") || local === "" || process.cwd() === "/" ? path : local);
}
