/** What imported runs' ids begin with, which is not asked for where an id is. */
export const IMPORTED = "import-";

/** The beginning of an id that most likely no other has. */
export function shortId(id: string, length = 8): string {
  const own = id.startsWith(IMPORTED) ? id.slice(IMPORTED.length) : id;
  return own.length <= length + 4 ? own : own.slice(0, length);
}

/** Beginnings that tell these ids from each other. */
export function shortIds(ids: readonly string[]): readonly string[] {
  const longest = ids.reduce((most, id) => Math.max(most, id.length), 0);
  for (let length = 8; length < longest; length += 4) {
    const short = ids.map((id) => shortId(id, length));
    if (new Set(short).size === new Set(ids).size) return short;
  }
  return ids;
}
