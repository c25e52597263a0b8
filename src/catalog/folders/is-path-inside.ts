import { isAbsolute, relative, sep } from "node:path";

/** Whether a path is below a folder, or the folder itself. Both are absolute. */
export function isPathInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
