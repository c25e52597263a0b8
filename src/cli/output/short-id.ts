/** What imported runs' ids begin with, which is not asked for where an id is. */
export const IMPORTED = "import-";

/** The beginning of an id that most likely no other has. */
export function shortId(id: string, length = 8): string {
  const own = id.startsWith(IMPORTED) ? id.slice(IMPORTED.length) : id;
  return own.length <= length + 4 ? own : own.slice(0, length);
}

/** Gives the beginning of each of these ids that tells it from the others. */
export function shortIdAmong(ids: readonly string[]): (id: string) => string {
  const longest = ids.reduce((most, id) => Math.max(most, id.length), 0);
  for (let length = 8; length < longest; length += 4) {
    const short = new Set(ids.map((id) => shortId(id, length)));
    if (short.size === new Set(ids).size) return (id) => shortId(id, length);
  }
  return (id) => id;
}
