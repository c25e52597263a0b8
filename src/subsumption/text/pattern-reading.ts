import { codePoint } from "../../core/text/code-point.ts";
import {
  complement,
  DIGITS,
  LINE_ENDS,
  setOf,
  SPACES,
  WORD_CHARACTERS,
  type CharRange,
  type CharSet,
} from "./character-set.ts";

/** What a pattern is made of. */
export type PatternNode =
  | { readonly kind: "one"; readonly of: CharSet }
  | { readonly kind: "all" | "any"; readonly nodes: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly node: PatternNode;
      readonly least: number;
      readonly most: number;
      readonly greedy: boolean;
    }
  | { readonly kind: "start" | "end" | "word" | "no-word" }
  | { readonly kind: "ahead"; readonly node: PatternNode; readonly negated: boolean };

/** Reads a pattern that is known to be valid; throws `Unreadable` for what a machine of steps does not know. */
export function patternNode(source: string): PatternNode {
  return new PatternReading(source).pattern();
}

export class Unreadable extends Error {}

const MAX_NESTING = 50;

class PatternReading {
  readonly #text: readonly string[];
  #at = 0;
  #nesting = 0;

  constructor(source: string) {
    this.#text = Array.from(source);
  }

  pattern(): PatternNode {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) throw new Unreadable();
    const choices: PatternNode[] = [this.#sequence()];
    while (this.#takes("|")) choices.push(this.#sequence());
    this.#nesting -= 1;
    const [only] = choices;
    return choices.length === 1 && only ? only : { kind: "any", nodes: choices };
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    for (let next = this.#next(); next !== undefined && next !== "|" && next !== ")"; next = this.#next()) {
      nodes.push(this.#repeated(this.#term()));
    }
    return { kind: "all", nodes };
  }

  #term(): PatternNode {
    const character = this.#take();
    switch (character) {
      case "^":
        return { kind: "start" };
      case "$":
        return { kind: "end" };
      case "(":
        return this.#group();
      case ".":
        return { kind: "one", of: { ranges: LINE_ENDS, properties: [], negated: true } };
      case "[":
        return { kind: "one", of: this.#characterClass() };
      case "\\":
        return this.#escaped();
      default:
        return single(character);
    }
  }

  #group(): PatternNode {
    if (!this.#takes("?")) return this.#closed(this.pattern());
    if (this.#takes(":")) return this.#closed(this.pattern());
    if (this.#takes("=")) return { kind: "ahead", node: this.#closed(this.pattern()), negated: false };
    if (this.#takes("!")) return { kind: "ahead", node: this.#closed(this.pattern()), negated: true };
    if (this.#takes("<") && this.#next() !== "=" && this.#next() !== "!") {
      this.#until(">");
      return this.#closed(this.pattern());
    }
    throw new Unreadable();
  }

  #closed(node: PatternNode): PatternNode {
    this.#take();
    return node;
  }

  #repeated(node: PatternNode): PatternNode {
    const times = this.#times();
    return times
      ? { kind: "repeat", node, least: times[0], most: times[1], greedy: !this.#takes("?") }
      : node;
  }

  #times(): readonly [least: number, most: number] | undefined {
    if (this.#takes("*")) return [0, Infinity];
    if (this.#takes("+")) return [1, Infinity];
    if (this.#takes("?")) return [0, 1];
    if (!this.#takes("{")) return undefined;
    const [least = "", most] = this.#until("}").split(",");
    return [Number(least), most === undefined ? Number(least) : most === "" ? Infinity : Number(most)];
  }

  #escaped(): PatternNode {
    const character = this.#take();
    if (character === "b") return { kind: "word" };
    if (character === "B") return { kind: "no-word" };
    if (character === "k" || (character >= "1" && character <= "9")) throw new Unreadable();
    return { kind: "one", of: this.#escape(character) };
  }

  #escape(character: string): CharSet {
    switch (character) {
      case "d":
        return setOf(DIGITS);
      case "D":
        return { ...setOf(DIGITS), negated: true };
      case "w":
        return setOf(WORD_CHARACTERS);
      case "W":
        return { ...setOf(WORD_CHARACTERS), negated: true };
      case "s":
        return setOf(SPACES);
      case "S":
        return { ...setOf(SPACES), negated: true };
      case "p":
      case "P": {
        this.#take();
        const property = RegExp(`^\\${character}{${this.#until("}")}}$`, "u");
        return { ranges: [], properties: [property], negated: false };
      }
      case "c":
        return setOf([codeRange(codePoint(this.#take()) % 32)]);
      case "x":
        return setOf([codeRange(this.#hexadecimal(2))]);
      case "u":
        return setOf([codeRange(this.#unicode())]);
      default:
        return setOf([codeRange(CONTROLS[character] ?? codePoint(character))]);
    }
  }

  #unicode(): number {
    if (this.#takes("{")) return Number.parseInt(this.#until("}"), 16);
    const unit = this.#hexadecimal(4);
    const isPair = unit >= 0xd8_00 && unit <= 0xdb_ff && this.#next() === "\\";
    if (!isPair || this.#text[this.#at + 1] !== "u" || this.#text[this.#at + 2] === "{") return unit;
    const before = this.#at;
    this.#at += 2;
    const second = this.#hexadecimal(4);
    if (second >= 0xdc_00 && second <= 0xdf_ff)
      return (unit - 0xd8_00) * 0x4_00 + (second - 0xdc_00) + 0x1_00_00;
    this.#at = before;
    return unit;
  }

  #hexadecimal(length: number): number {
    const digits = this.#text.slice(this.#at, this.#at + length).join("");
    this.#at += length;
    return Number.parseInt(digits, 16);
  }

  #characterClass(): CharSet {
    const negated = this.#takes("^");
    const ranges: CharRange[] = [];
    const properties: RegExp[] = [];
    while (!this.#takes("]")) {
      const first = this.#member();
      const isRange = this.#next() === "-" && this.#text[this.#at + 1] !== "]";
      if (isRange) {
        this.#at += 1;
        ranges.push([first.ranges[0]?.[0] ?? 0, this.#member().ranges[0]?.[0] ?? 0]);
      } else {
        ranges.push(...(first.negated ? complement(first.ranges) : first.ranges));
        properties.push(...first.properties);
      }
    }
    return { ranges, properties, negated };
  }

  #member(): CharSet {
    const character = this.#take();
    if (character !== "\\") return setOf([codeRange(codePoint(character))]);
    const escaped = this.#take();
    return escaped === "b" ? setOf([codeRange(8)]) : this.#escape(escaped);
  }

  #next(): string | undefined {
    return this.#text[this.#at];
  }

  #take(): string {
    const character = this.#text[this.#at];
    if (character === undefined) throw new Unreadable();
    this.#at += 1;
    return character;
  }

  #takes(character: string): boolean {
    if (this.#next() !== character) return false;
    this.#at += 1;
    return true;
  }

  #until(end: string): string {
    let text = "";
    for (let character = this.#take(); character !== end; character = this.#take()) text += character;
    return text;
  }
}

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, "0": 0 };

function codeRange(code: number): CharRange {
  return [code, code];
}

function single(character: string): PatternNode {
  return { kind: "one", of: setOf([codeRange(codePoint(character))]) };
}
