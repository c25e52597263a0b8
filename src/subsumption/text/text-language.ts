import { codePoint } from "../../core/text/code-point.ts";
import type { Effort } from "../effort.ts";
import { hasCharacter, LAST_CHARACTER, type CharSet, propertyRanges } from "./character-set.ts";
import type { PatternStep } from "./pattern-steps.ts";
import type { TextPattern } from "./text-pattern.ts";

/** Texts that are wanted: found by each pattern of `inside` and by none of `outside`. Lengths count code points. */
export interface WantedText {
  readonly inside: readonly TextPattern[];
  readonly outside: readonly TextPattern[];
  readonly least: number;
  readonly most: number;
}

/** A text, and what it is like: any character may be replaced by another of its class. */
export interface FoundText {
  readonly text: string;
  readonly classes: readonly CharClass[];
}

/** Characters that no pattern tells apart. */
type CharClass = readonly number[];

/**
 * Wanted texts, shortest first. Returns whether it has looked everywhere: when it says so without having given a text,
 * there is none. Patterns of `inside` that are not regular are left out, so that a text may be one too many.
 */
export function* wantedTexts(wanted: WantedText, effort: Effort): Generator<FoundText, boolean> {
  const regular = wanted.inside.filter(({ isRegular }) => isRegular);
  if (!wanted.outside.every(({ isRegular }) => isRegular)) return false;
  const patterns = [...regular, ...wanted.outside];
  const classes = alphabetOf(patterns, effort);
  if (!classes) return false;
  const machines = patterns.map((pattern) => new StateMachine(pattern, classes));
  return yield* search(machines, classes, wanted, effort);
}

const MAX_STATES = 4_000;

const MAX_WORK = 100_000;

const MAX_SETS = 200;

const MAX_RANGES = 5_000;

const MAX_PROPERTIES = 6;

const STEPS_PER_PROPERTY = 500;

interface Place {
  readonly states: readonly State[];
  readonly length: number;
  readonly before: Place | undefined;
  readonly class: CharClass;
}

function* search(
  machines: readonly StateMachine[],
  classes: readonly CharClass[],
  wanted: WantedText,
  effort: Effort,
): Generator<FoundText, boolean> {
  const insides = machines.length - wanted.outside.length;
  // Beyond this length all lengths are alike.
  const counted = wanted.most === Infinity ? wanted.least : wanted.most;
  const start: Place = {
    states: machines.map((machine) => machine.start),
    length: 0,
    before: undefined,
    class: [],
  };
  const known = new Set([keyOf(start)]);
  const queue: Place[] = [start];
  for (const place of queue) {
    effort.spend();
    const isAccepted = place.states.every((state, index) => state.isAccepted === index < insides);
    if (isAccepted && place.length >= wanted.least) yield found(place);
    if (place.length >= wanted.most) continue;
    for (const [index, each] of classes.entries()) {
      if (machines.some((machine) => machine.isTired)) return false;
      const states = machines.map((machine, at) => machine.next(place.states[at] ?? DEAD, index));
      if (states.some((state, at) => at < insides && state.steps.length === 0)) continue;
      const length = Math.min(place.length + 1, counted);
      const next: Place = { states, length, before: place, class: each };
      const key = keyOf(next);
      if (known.has(key)) continue;
      if (known.size >= MAX_STATES) return false;
      known.add(key);
      queue.push(next);
    }
  }
  return true;
}

function keyOf({ states, length }: Place): string {
  return `${length}:${states.map(({ number }) => number).join()}`;
}

function found(place: Place): FoundText {
  const classes: CharClass[] = [];
  for (let at: Place = place; at.before; at = at.before) classes.push(at.class);
  classes.reverse();
  return { text: String.fromCodePoint(...classes.map(([first]) => first ?? 0)), classes };
}

interface State {
  readonly number: number;
  /** The steps that wait for a character or the end. */
  readonly steps: readonly number[];
  readonly isAccepted: boolean;
  readonly next: Map<number, State>;
}

const DEAD: State = { number: -1, steps: [], isAccepted: false, next: new Map() };

/** The sets of steps that a pattern can be at, found as they are needed. */
class StateMachine {
  readonly #steps: readonly PatternStep[];
  readonly #classes: readonly CharClass[];
  readonly #states = new Map<string, State>();
  readonly start: State;
  #work = 0;

  constructor(pattern: TextPattern, classes: readonly CharClass[]) {
    this.#steps = anywhere(pattern.steps);
    this.#classes = classes;
    this.start = this.#state([0], true);
  }

  get isTired(): boolean {
    return this.#work > MAX_WORK;
  }

  next(state: State, index: number): State {
    const known = state.next.get(index);
    if (known) return known;
    const [character = 0] = this.#classes[index] ?? [];
    const after = state.steps.flatMap((at) => {
      const step = this.#steps[at];
      this.#work += 1;
      if (step?.kind === "match") return [at];
      return step?.kind === "one" && hasCharacter(step.of, character) ? [at + 1] : [];
    });
    const next = this.#state(after, false);
    state.next.set(index, next);
    return next;
  }

  #state(from: readonly number[], isStart: boolean): State {
    const waiting = this.#reached(from, isStart, false);
    // What has matched matches whatever follows.
    const matched = waiting.find((at) => this.#steps[at]?.kind === "match");
    const steps = matched === undefined ? waiting : [matched];
    const key = `${isStart ? "^" : ""}${steps.join()}`;
    const known = this.#states.get(key);
    if (known) return known;
    const atEnd = this.#reached(steps, isStart, true);
    const state: State = {
      number: this.#states.size,
      steps,
      isAccepted: atEnd.some((at) => this.#steps[at]?.kind === "match"),
      next: new Map(),
    };
    this.#states.set(key, state);
    return state;
  }

  #reached(from: readonly number[], isStart: boolean, isEnd: boolean): readonly number[] {
    const seen = new Set<number>();
    const open = [...from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      this.#work += 1;
      open.push(...this.#free(at, isStart, isEnd));
    }
    return [...seen].filter((at) => WAITING.has(this.#steps[at]?.kind ?? "jump")).toSorted((a, b) => a - b);
  }

  /** Where a step leads without a character. */
  #free(at: number, isStart: boolean, isEnd: boolean): readonly number[] {
    const step = this.#steps[at];
    if (!step) return [];
    switch (step.kind) {
      case "jump":
        return [step.to];
      case "either":
        return [step.first, step.second];
      case "start":
        return isStart ? [at + 1] : [];
      case "end":
        return isEnd ? [at + 1] : [];
      case "mark":
      case "moved":
        return [at + 1];
      case "one":
      case "match":
      case "word":
      case "no-word":
      case "ahead":
        return [];
    }
  }
}

const WAITING: ReadonlySet<PatternStep["kind"]> = new Set(["one", "end", "match"]);

/** The steps of a pattern that begins wherever it likes. */
function anywhere(steps: readonly PatternStep[]): readonly PatternStep[] {
  const any: CharSet = { ranges: [], properties: [], negated: true };
  const moved = steps.map((step): PatternStep => {
    if (step.kind === "jump") return { ...step, to: step.to + 3 };
    return step.kind === "either" ? { ...step, first: step.first + 3, second: step.second + 3 } : step;
  });
  return [
    { kind: "either", first: 3, second: 1 },
    { kind: "one", of: any },
    { kind: "jump", to: 0 },
    ...moved,
  ];
}

/** The classes of characters that the patterns take apart; nothing where there are too many. */
function alphabetOf(patterns: readonly TextPattern[], effort: Effort): readonly CharClass[] | undefined {
  const written = patterns.flatMap(({ steps }) => steps.flatMap(setsIn));
  const sets = [...new Map(written.map((set) => [textOf(set), set])).values()];
  const properties = sets.flatMap((set) => set.properties);
  if (sets.length > MAX_SETS || properties.length > MAX_PROPERTIES) return undefined;
  effort.spend(sets.length + STEPS_PER_PROPERTY * properties.length);
  const ranges = [...sets.flatMap((set) => set.ranges), ...properties.flatMap(propertyRanges)];
  if (ranges.length > MAX_RANGES) return undefined;
  const classes = new Map<string, Set<number>>();
  const add = (characters: readonly number[]): void => {
    const [first = 0] = characters;
    const key = sets.map((set) => (hasCharacter(set, first) ? "1" : "0")).join("");
    const members = classes.get(key) ?? new Set();
    for (const character of characters) if (members.size < MAX_MEMBERS) members.add(character);
    classes.set(key, members);
  };
  for (const character of PLAIN) add([character]);
  const firsts = new Set([0, ...ranges.flatMap(([first, last]) => [first, last + 1])]);
  const bounds = [...firsts].toSorted((one, other) => one - other);
  for (const [index, first] of bounds.entries()) {
    const last = (bounds[index + 1] ?? LAST_CHARACTER + 1) - 1;
    if (first <= LAST_CHARACTER) add([first, Math.min(first + 1, last), last]);
  }
  return [...classes.values()].map((members) => Array.from(members));
}

const MAX_MEMBERS = 8;

// Characters that people know stand for their class where they can.
const PLAIN: readonly number[] = Array.from("aA0bB1cC2xz9 -_./@:,é漢", codePoint);

function setsIn(step: PatternStep): readonly CharSet[] {
  return step.kind === "one" ? [step.of] : [];
}

function textOf({ ranges, properties, negated }: CharSet): string {
  return `${negated ? "^" : ""}${ranges.join(";")}${properties.map(({ source }) => source).join("")}`;
}
