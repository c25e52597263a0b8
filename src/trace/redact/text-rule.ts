/** Where a secret stands in a text: what is replaced, and with which kind. */
export interface Found {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** Further ones behind it that the same mark tells of, in their order. */
  readonly more?: readonly Found[];
}

/**
 * A way of writing secrets that is known by its surroundings. It looks at a bounded number of characters before and after
 * the mark, and at more only of what it then takes: the time of a whole text is a multiple of its length.
 */
export interface TextRule {
  readonly kinds: readonly string[];
  readonly marks: readonly string[];
  /** `from`: what stands before is taken already. */
  readonly find: (text: string, at: number, from: number, reading: Reading) => Found | undefined;
}

/** What is known while one text is gone through. */
export interface Reading {
  /** Takes so many looks from an allowance, for what is read beside a mark, and throws where none is left. */
  readonly spend: (looks: number) => void;
  /** Where the name ends that was looked at last: further marks in it tell nothing new. */
  nameEnd: number;
  /** Where the table or document ends that was gone through last. */
  readTo: number;
}

/** What it costs to read a value, and to judge its beginning, as looks; a short one belongs to the look itself. */
export function costOf(length: number): number {
  return length <= 32 ? 0 : length / 64 + Math.min(length, 256) / 16;
}

export function lineBefore(text: string, at: number, from: number): string {
  const before = text.slice(Math.max(from, at - 300), at);
  return before.slice(
    Math.max(before.lastIndexOf("\n"), before.lastIndexOf(";"), before.lastIndexOf("&&")) + 1,
  );
}

export function isAlphanumeric(text: string, at: number): boolean {
  return at >= 0 && /[A-Za-z0-9]/.test(text.charAt(at));
}

/** Where the groups of a pattern that take part stand, the last of them: the pattern has the flags `d` and `y`. */
export function groupAt(pattern: RegExp, text: string, at: number): readonly [number, number] | undefined {
  pattern.lastIndex = at;
  return pattern
    .exec(text)
    ?.indices?.slice(1)
    .findLast((each) => each !== undefined);
}

/** What a pattern with the flag `y` takes there; empty where it takes nothing. */
export function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** The last line of a text, also where line ends are escaped. */
export function lastLine(text: string): string {
  return text.replace(/^.*(?:[\r\n]|\\n)/s, "");
}
