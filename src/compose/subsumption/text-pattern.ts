import type { Effort } from "./effort.ts";

/**
 * A regular expression as JSON Schema 2020-12 has it (section 6.3.3: ECMA-262 with the u flag, found anywhere in the
 * text), as the steps of a backtracking machine: Pike and Thompson's machine, as in Cox, Regular Expression Matching:
 * the Virtual Machine Approach.
 */
export interface TextPattern {
  readonly source: string;
  readonly steps: readonly Step[];
  /** Whether it has no word boundaries and no look-ahead, so that sets of steps tell all about it. */
  readonly isRegular: boolean;
}

export type Step =
  | { readonly kind: "one"; readonly of: CharSet }
  /** Goes on at the first, and when that has failed at the second. */
  | { readonly kind: "either"; readonly first: number; readonly second: number }
  | { readonly kind: "jump"; readonly to: number }
  | { readonly kind: "start" | "end" | "word" | "no-word" }
  | { readonly kind: "match" }
  | { readonly kind: "mark"; readonly slot: number }
  | { readonly kind: "moved"; readonly slot: number }
  | { readonly kind: "ahead"; readonly steps: readonly Step[]; readonly negated: boolean };

export interface CharSet {
  readonly ranges: readonly CharRange[];
  /** Unicode properties, each as an expression for one character. */
  readonly properties: readonly RegExp[];
  readonly negated: boolean;
}

export type CharRange = readonly [first: number, last: number];

/** The pattern, or nothing where it is no valid one, has back references or look-behind, or is too large. */
export function textPattern(source: string): TextPattern | undefined {
  if (source.length > MOST_SOURCE || !isValid(source)) return undefined;
  try {
    const node = new PatternReading(source).pattern();
    const steps = new StepWriting({ left: MOST_STEPS }).steps(node);
    return { source, steps, isRegular: !steps.some(({ kind }) => IRREGULAR.has(kind)) };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/**
 * Whether the pattern is found in the text, or nothing where that takes more tries than is safe: the machine tries in
 * the order of ECMA-262, so what it finishes an engine with backtracking finishes too.
 */
export function isFound(pattern: TextPattern, text: string, effort: Effort): boolean | undefined {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const budget = { left: MOST_TRIES };
  let found: boolean | undefined = false;
  for (let start = 0; found === false && start <= characters.length; start += 1) {
    found = matchesAt(pattern.steps, characters, start, budget);
  }
  effort.spend(Math.ceil((MOST_TRIES - budget.left) / TRIES_PER_STEP));
  return found;
}

export function hasCharacter({ ranges, properties, negated }: CharSet, character: number): boolean {
  const isListed =
    ranges.some(([first, last]) => first <= character && character <= last) ||
    properties.some((property) => property.test(String.fromCodePoint(character)));
  return isListed !== negated;
}

const MOST_SOURCE = 2_000;
const MOST_STEPS = 2_000;
const MOST_NESTING = 50;
const MOST_TRIES = 10_000;
const TRIES_PER_STEP = 50;

const IRREGULAR: ReadonlySet<Step["kind"]> = new Set(["word", "no-word", "ahead"]);

class Unreadable extends Error {}

function isValid(source: string): boolean {
  try {
    RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
}

interface Thread {
  readonly step: number;
  readonly at: number;
  readonly marks: readonly number[];
}

function matchesAt(
  steps: readonly Step[],
  text: readonly number[],
  start: number,
  budget: { left: number },
): boolean | undefined {
  const waiting: Thread[] = [{ step: 0, at: start, marks: [] }];
  for (let thread = waiting.pop(); thread; thread = waiting.pop()) {
    let { step, at, marks } = thread;
    for (;;) {
      budget.left -= 1;
      if (budget.left < 0) return undefined;
      const current = steps[step];
      if (!current || current.kind === "match") return true;
      if (current.kind === "jump") step = current.to;
      else if (current.kind === "either") {
        waiting.push({ step: current.second, at, marks });
        step = current.first;
      } else if (current.kind === "mark") {
        marks = Object.assign([...marks], { [current.slot]: at });
        step += 1;
      } else {
        const passed = passes(current, text, at, marks, budget);
        if (passed === undefined) return undefined;
        if (!passed) break;
        if (current.kind === "one") at += 1;
        step += 1;
      }
    }
  }
  return false;
}

function passes(
  step: Exclude<Step, { readonly kind: "jump" | "either" | "mark" | "match" }>,
  text: readonly number[],
  at: number,
  marks: readonly number[],
  budget: { left: number },
): boolean | undefined {
  switch (step.kind) {
    case "one": {
      const character = text[at];
      return character !== undefined && hasCharacter(step.of, character);
    }
    case "start":
      return at === 0;
    case "end":
      return at === text.length;
    case "word":
      return isWord(text[at - 1]) !== isWord(text[at]);
    case "no-word":
      return isWord(text[at - 1]) === isWord(text[at]);
    case "moved":
      return marks[step.slot] !== at;
    case "ahead": {
      const found = matchesAt(step.steps, text, at, budget);
      return found === undefined ? undefined : found !== step.negated;
    }
  }
}

function isWord(character: number | undefined): boolean {
  return character !== undefined && hasCharacter(setOf(WORD), character);
}

type Node =
  | { readonly kind: "one"; readonly of: CharSet }
  | { readonly kind: "all" | "any"; readonly nodes: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly least: number;
      readonly most: number;
      readonly greedy: boolean;
    }
  | { readonly kind: "start" | "end" | "word" | "no-word" }
  | { readonly kind: "ahead"; readonly node: Node; readonly negated: boolean };

/** Reads a pattern that is known to be valid. */
class PatternReading {
  readonly #text: readonly string[];
  #at = 0;
  #nesting = 0;

  constructor(source: string) {
    this.#text = Array.from(source);
  }

  pattern(): Node {
    this.#nesting += 1;
    if (this.#nesting > MOST_NESTING) throw new Unreadable();
    const choices: Node[] = [this.#sequence()];
    while (this.#takes("|")) choices.push(this.#sequence());
    this.#nesting -= 1;
    const [only] = choices;
    return choices.length === 1 && only ? only : { kind: "any", nodes: choices };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    for (let next = this.#next(); next !== undefined && next !== "|" && next !== ")"; next = this.#next()) {
      nodes.push(this.#repeated(this.#term()));
    }
    return { kind: "all", nodes };
  }

  #term(): Node {
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

  #group(): Node {
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

  #closed(node: Node): Node {
    this.#take();
    return node;
  }

  #repeated(node: Node): Node {
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

  #escaped(): Node {
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
        return setOf(WORD);
      case "W":
        return { ...setOf(WORD), negated: true };
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
        return setOf([codeRange((this.#take().codePointAt(0) ?? 0) % 32)]);
      case "x":
        return setOf([codeRange(this.#hexadecimal(2))]);
      case "u":
        return setOf([codeRange(this.#unicode())]);
      default:
        return setOf([codeRange(CONTROLS[character] ?? character.codePointAt(0) ?? 0)]);
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
    if (character !== "\\") return setOf([codeRange(character.codePointAt(0) ?? 0)]);
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

class StepWriting {
  readonly #steps: Step[] = [];
  readonly #budget: { left: number };
  #slots = 0;

  constructor(budget: { left: number }) {
    this.#budget = budget;
  }

  steps(node: Node): readonly Step[] {
    this.#write(node);
    this.#add({ kind: "match" });
    return this.#steps;
  }

  #add(step: Step): number {
    return this.#steps.push(step) - 1;
  }

  #write(node: Node): void {
    this.#budget.left -= 1;
    if (this.#budget.left < 0) throw new Unreadable();
    switch (node.kind) {
      case "all":
        for (const each of node.nodes) this.#write(each);
        return;
      case "any":
        return this.#choice(node.nodes);
      case "repeat":
        return this.#repeat(node);
      case "ahead":
        return this.#ahead(node);
      case "one":
      case "start":
      case "end":
      case "word":
      case "no-word":
        this.#add(node);
    }
  }

  #ahead({ node, negated }: Node & { readonly kind: "ahead" }): void {
    this.#add({ kind: "ahead", steps: new StepWriting(this.#budget).steps(node), negated });
  }

  #choice(nodes: readonly Node[]): void {
    const ends: number[] = [];
    for (const [index, node] of nodes.entries()) {
      if (index === nodes.length - 1) this.#write(node);
      else {
        const fork = this.#add({ kind: "jump", to: 0 });
        this.#write(node);
        ends.push(this.#add({ kind: "jump", to: 0 }));
        this.#steps[fork] = { kind: "either", first: fork + 1, second: this.#steps.length };
      }
    }
    for (const end of ends) this.#steps[end] = { kind: "jump", to: this.#steps.length };
  }

  #repeat({ node, least, most, greedy }: Node & { readonly kind: "repeat" }): void {
    if (least > MOST_STEPS || (most !== Infinity && most > MOST_STEPS)) throw new Unreadable();
    for (let time = 0; time < least; time += 1) this.#write(node);
    if (most === Infinity) return this.#loop(node, greedy);
    const forks: number[] = [];
    for (let time = least; time < most; time += 1) {
      forks.push(this.#add({ kind: "jump", to: 0 }));
      this.#write(node);
    }
    for (const fork of forks) this.#steps[fork] = either(fork + 1, this.#steps.length, greedy);
  }

  // A round that has taken nothing ends the loop, as in ECMA-262.
  #loop(node: Node, greedy: boolean): void {
    const fork = this.#add({ kind: "jump", to: 0 });
    const slot = mayTakeNothing(node) ? this.#slots++ : undefined;
    if (slot !== undefined) this.#add({ kind: "mark", slot });
    this.#write(node);
    if (slot !== undefined) this.#add({ kind: "moved", slot });
    this.#add({ kind: "jump", to: fork });
    this.#steps[fork] = either(fork + 1, this.#steps.length, greedy);
  }
}

function either(body: number, after: number, greedy: boolean): Step {
  return greedy
    ? { kind: "either", first: body, second: after }
    : { kind: "either", first: after, second: body };
}

function mayTakeNothing(node: Node): boolean {
  switch (node.kind) {
    case "one":
      return false;
    case "all":
      return node.nodes.every(mayTakeNothing);
    case "any":
      return node.nodes.some(mayTakeNothing);
    case "repeat":
      return node.least === 0 || mayTakeNothing(node.node);
    case "start":
    case "end":
    case "word":
    case "no-word":
    case "ahead":
      return true;
  }
}

const DIGITS: readonly CharRange[] = [[48, 57]];
const WORD: readonly CharRange[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const LINE_ENDS: readonly CharRange[] = [
  [10, 10],
  [13, 13],
  [0x20_28, 0x20_29],
];
const SPACES: readonly CharRange[] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x16_80, 0x16_80],
  [0x20_00, 0x20_0a],
  [0x20_28, 0x20_29],
  [0x20_2f, 0x20_2f],
  [0x20_5f, 0x20_5f],
  [0x30_00, 0x30_00],
  [0xfe_ff, 0xfe_ff],
];
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, "0": 0 };

/** The last code point. */
export const LAST_CHARACTER = 0x10_ff_ff;

function setOf(ranges: readonly CharRange[]): CharSet {
  return { ranges, properties: [], negated: false };
}

function codeRange(code: number): CharRange {
  return [code, code];
}

function single(character: string): Node {
  return { kind: "one", of: setOf([codeRange(character.codePointAt(0) ?? 0)]) };
}

function complement(ranges: readonly CharRange[]): readonly CharRange[] {
  const gaps: CharRange[] = [];
  let next = 0;
  for (const [first, last] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (first > next) gaps.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  return next <= LAST_CHARACTER ? [...gaps, [next, LAST_CHARACTER]] : gaps;
}
