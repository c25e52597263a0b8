import { codePoint } from "../../core/text/code-point.ts";
import { hasCharacter, setOf, WORD_CHARACTERS } from "./character-set.ts";
import type { Effort } from "../effort.ts";
import { patternNode, Unreadable } from "./pattern-reading.ts";
import { patternSteps, type PatternStep } from "./pattern-steps.ts";

/**
 * A regular expression as JSON Schema 2020-12 has it (validation vocabulary, 6.3.3: ECMA-262 with the u flag, found
 * anywhere in the text), as the steps of a machine.
 */
export interface TextPattern {
  readonly source: string;
  readonly steps: readonly PatternStep[];
  /** Whether it has no word boundaries and no look-ahead, so that sets of steps tell all about it. */
  readonly isRegular: boolean;
}

/** The pattern, or nothing where it is no valid one, has back references or look-behind, or is too large. */
function textPattern(source: string): TextPattern | undefined {
  if (source.length > MAX_SOURCE || !isValid(source)) return undefined;
  try {
    const steps = patternSteps(patternNode(source));
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
function isFound(pattern: TextPattern, text: string, effort: Effort): boolean | undefined {
  const characters = Array.from(text, codePoint);
  // Engines look for what has no width between the halves of a character too.
  if (!pattern.isRegular && characters.length < text.length) return undefined;
  const budget = { left: MAX_TRIES };
  let found: boolean | undefined = false;
  for (let start = 0; found === false && start <= characters.length; start += 1) {
    found = matchesAt(pattern.steps, characters, start, budget);
  }
  effort.spend(Math.ceil((MAX_TRIES - budget.left) / TRIES_PER_STEP));
  return found;
}

const MAX_SOURCE = 2_000;

const MAX_TRIES = 10_000;

const TRIES_PER_STEP = 50;

const IRREGULAR: ReadonlySet<PatternStep["kind"]> = new Set(["word", "no-word", "ahead"]);

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
  steps: readonly PatternStep[],
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
  step: Exclude<PatternStep, { readonly kind: "jump" | "either" | "mark" | "match" }>,
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
  return character !== undefined && hasCharacter(setOf(WORD_CHARACTERS), character);
}

/** The patterns of a comparison, each read once. */
export class TextPatterns {
  readonly #read = new Map<string, TextPattern | undefined>();

  get(source: string): TextPattern | undefined {
    if (!this.#read.has(source)) this.#read.set(source, textPattern(source));
    return this.#read.get(source);
  }

  /** Those of the sources that can be read. */
  all(sources: readonly string[]): readonly TextPattern[] {
    return sources.flatMap((source) => this.get(source) ?? []);
  }

  /** Whether the pattern is found in the text, or nothing where that cannot be told in a safe time. */
  isFound(source: string, text: string, effort: Effort): boolean | undefined {
    const pattern = this.get(source);
    return pattern && text.length <= MAX_TEXT ? isFound(pattern, text, effort) : undefined;
  }
}

const MAX_TEXT = 2_000;
