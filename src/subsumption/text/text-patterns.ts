import type { Effort } from "../effort.ts";
import { isFound, textPattern, type TextPattern } from "./text-pattern.ts";

/** The patterns of a comparison, each read once. */
export class TextPatterns {
  readonly #read = new Map<string, TextPattern | undefined>();

  get(source: string): TextPattern | undefined {
    if (!this.#read.has(source)) this.#read.set(source, textPattern(source));
    return this.#read.get(source);
  }

  /** Whether the pattern is found in the text, or nothing where that cannot be told in a safe time. */
  isFound(source: string, text: string, effort: Effort): boolean | undefined {
    const pattern = this.get(source);
    return pattern && text.length <= MOST_TEXT ? isFound(pattern, text, effort) : undefined;
  }
}

const MOST_TEXT = 2_000;
