import { realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";

/** Whether a path is below a folder, or the folder itself. Both are absolute. */
export function isPathInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The same of what both lead to where links are followed; false where there is nothing. */
export async function isReallyInside(path: string, folder: string): Promise<boolean> {
  try {
    return isPathInside(await realpath(path), await realpath(folder));
  } catch {
    return false;
  }
}
