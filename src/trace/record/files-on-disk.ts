import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { FoundFile } from "./files-in.ts";

const MAX_READ = 1 << 20;
/** File systems tell times a little coarser than the clock. */
const COARSE_MS = 20;

/** The files among those that a call names which were written since it began, as the disk shows. */
export function filesOnDisk(paths: readonly string[], since: number): readonly FoundFile[] {
  return paths.flatMap((path): readonly FoundFile[] => {
    try {
      const file = resolve(path);
      const found = statSync(file);
      const { size, mtimeMs } = found;
      if (!found.isFile() || mtimeMs < since - COARSE_MS) return [];
      const digest = size > MAX_READ ? {} : { sha256: hash("sha256", readFileSync(file)) };
      return [{ path, foundBy: "disk", size, ...digest }];
    } catch {
      // It is not there, or not for us.
      return [];
    }
  });
}
