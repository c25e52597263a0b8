/** What printed code may use of its own, each as it is written into the skill that needs it. */
export const HELPERS = {
  theOne: `/** The element that fits: none, or several different ones, is an error. */
function theOne(list: any[], what: string, fits: (element: any) => boolean): any {
  const [found, ...others] = list?.filter?.(fits) ?? [];
  if (found === undefined) throw new Error(\`Nothing in \${what} is what the input asks for\`);
  if (others.some((other) => !isSame(other, found)))
    throw new Error(\`Several in \${what} are what the input asks for\`);
  return found;
}`,
  theOnly: `/** The value that the list is of: more than one is a question that the skill cannot answer. */
function theOnly(list: any[], what: string): any {
  const [first, ...others] = list ?? [];
  if (first === undefined) throw new Error(\`There is nothing in \${what}\`);
  if (others.some((other) => !isSame(other, first))) throw new Error(\`There are several in \${what}\`);
  return first;
}`,
  theNth: `/** The element at a position; negative ones count from the end. */
function theNth(list: any[], position: number): any {
  const found = list?.at?.(position);
  if (found === undefined) throw new Error("There are fewer elements than the input speaks of");
  return found;
}`,
  partOf: String.raw`/** What stands in a text between two marks: one of several things of the same form would be a guess. */
function partOf(text: string, after: string, before: string): string {
  const start = after === "" ? 0 : text.indexOf(after) + after.length;
  const end = before === "" ? text.length : text.indexOf(before, start);
  if (start < after.length || end < start) throw new Error("A text does not have the expected form");
  const part = text.slice(start, end);
  if (!/[\p{L}\p{N}]/u.test(part)) return part;
  const form = part
    .replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    .replace(/\p{L}+/gu, "\\p{L}+")
    .replace(/\p{N}+/gu, "\\p{N}+");
  const alike = new RegExp("(?<![\\p{L}\\p{N}])" + form + "(?![\\p{L}\\p{N}])", "gu");
  const labelAt = (at: number) =>
    /([\p{L}\p{N}_-]+)["']?\s?[:=]\s?["']?$/u.exec(text.slice(Math.max(0, at - 60), at))?.[1];
  const own = labelAt(start);
  for (const other of text.matchAll(alike)) {
    const label = labelAt(other.index);
    const isLabelled = own !== undefined && label !== undefined && label !== own;
    if (other[0] !== part && !isLabelled)
      throw new Error("A text has several parts of the form that is looked for");
  }
  return part;
}`,
  dateOf: `/** A date, moved by days, in a format. */
function dateOf(text: string, days: number, format: string): string {
  const parts = text.match(/^(\\d{4})-(\\d{2})-(\\d{2})(?:[T ](\\d{2}):(\\d{2})(?::(\\d{2}))?)?/);
  if (!parts) throw new Error("A date does not have the expected form");
  const [year, month, day, hour = 0, minute = 0, second = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, (day ?? 1) + days, hour, minute, second));
  const iso = date.toISOString();
  const signs = {
    YYYY: iso.slice(0, 4),
    MM: iso.slice(5, 7),
    DD: iso.slice(8, 10),
    hh: iso.slice(11, 13),
    mm: iso.slice(14, 16),
    ss: iso.slice(17, 19),
  };
  return format.replace(/YYYY|MM|DD|hh|mm|ss/g, (sign) => signs[sign as keyof typeof signs]);
}`,
  isSame: `/** Whether two values are equal, whatever the order of their keys. */
function isSame(a: any, b: any): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  );
}`,
} as const;

export type Helper = keyof typeof HELPERS;
