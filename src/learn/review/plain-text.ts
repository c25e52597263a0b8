/** Text of a trace on one line, in which what would steer a terminal or hide from a reader can be seen. */
export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\n\r\t\u2028\u2029 ]+/g, " ")
    .replaceAll(STEERING, escaped)
    .trim();
}

/** Plain text in quotation marks, cut where it is long. */
export function quoted(text: string, most = 60): string {
  return `"${cut(plainLine(text), most)}"`;
}

export function cut(text: string, most: number): string {
  const signs = Array.from(text);
  return signs.length <= most ? text : `${signs.slice(0, most - 1).join("")}…`;
}

/** Whether a text holds control characters other than new lines, invisible ones, or ones that turn its direction. */
export function isSteering(text: string): boolean {
  return text.replaceAll(/[\n\r\t]/g, " ").search(STEERING) >= 0 || !text.isWellFormed();
}

// Of private use, unassigned and tag characters, too, nobody can tell what a reader sees.
const STEERING = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|[\ufe00-\ufe0e]/gu;

function escaped(sign: string): string {
  return `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Lines of at most so many columns, broken between words where that is possible: the first begins with an indent, the rest with another. */
export function wrapped(text: string, columns: number, first: string, rest: string): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    const space = isEmpty ? "" : " ";
    if (!isEmpty && widthOf(line + space + word) > columns) {
      lines.push(line);
      line = rest;
    } else line += space;
    let left = word;
    while (widthOf(line + left) > columns) {
      const start = startOf(left, columns - widthOf(line));
      lines.push(line + start);
      left = left.slice(start.length);
      line = rest;
    }
    line += left;
    isEmpty = false;
  }
  return [...lines, line];
}

/** Never less than a terminal takes: whatever is not plain counts for two. */
function widthOf(text: string): number {
  let width = 0;
  for (const sign of text) width += columnsOf(sign);
  return width;
}

function startOf(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const sign of text) {
    width += columnsOf(sign);
    if (width > columns && end > 0) break;
    end += sign.length;
  }
  return text.slice(0, end);
}

function columnsOf(sign: string): number {
  return /[\x20-\x7e\u00a1-\u024f…→–·×]/.test(sign) ? 1 : 2;
}
