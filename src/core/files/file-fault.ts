/** Why a file could not be read or written, in words; for what is rare, in those of the system. */
export function fileFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return FAULTS.get(code) ?? error.message;
}

/** The same, with the path that the system names. */
export function placedFault(error: unknown): string {
  const path = error instanceof Error && "path" in error ? error.path : undefined;
  return typeof path === "string" ? `${path}: ${fileFault(error)}` : fileFault(error);
}

const FAULTS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file or folder"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "what should be its folder is a file"],
  ["EEXIST", "what should be its folder is a file"],
  ["EACCES", "permission is denied"],
  ["EPERM", "permission is denied"],
  ["EROFS", "the disk can only be read"],
  ["ENOSPC", "the disk is full"],
  ["ENAMETOOLONG", "its name is too long"],
  ["ELOOP", "its links lead in a circle"],
]);
