import type { CharSet } from "./character-set.ts";
import { Unreadable, type PatternNode } from "./pattern-reading.ts";

/** A step of a backtracking machine, as in Cox, Regular Expression Matching: the Virtual Machine Approach. */
export type PatternStep =
  | { readonly kind: "one"; readonly of: CharSet }
  /** Goes on at the first, and when that has failed at the second. */
  | { readonly kind: "either"; readonly first: number; readonly second: number }
  | { readonly kind: "jump"; readonly to: number }
  | { readonly kind: "start" | "end" | "word" | "no-word" }
  | { readonly kind: "match" }
  | { readonly kind: "mark"; readonly slot: number }
  | { readonly kind: "moved"; readonly slot: number }
  | { readonly kind: "ahead"; readonly steps: readonly PatternStep[]; readonly negated: boolean };

export function patternSteps(node: PatternNode): readonly PatternStep[] {
  return new StepWriting({ left: MAX_STEPS }).steps(node);
}

const MAX_STEPS = 2_000;

class StepWriting {
  readonly #steps: PatternStep[] = [];
  readonly #budget: { left: number };
  #slots = 0;

  constructor(budget: { left: number }) {
    this.#budget = budget;
  }

  steps(node: PatternNode): readonly PatternStep[] {
    this.#write(node);
    this.#add({ kind: "match" });
    return this.#steps;
  }

  #add(step: PatternStep): number {
    return this.#steps.push(step) - 1;
  }

  #write(node: PatternNode): void {
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

  #ahead({ node, negated }: PatternNode & { readonly kind: "ahead" }): void {
    this.#add({ kind: "ahead", steps: new StepWriting(this.#budget).steps(node), negated });
  }

  #choice(nodes: readonly PatternNode[]): void {
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

  #repeat({ node, least, most, greedy }: PatternNode & { readonly kind: "repeat" }): void {
    if (least > MAX_STEPS || (most !== Infinity && most > MAX_STEPS)) throw new Unreadable();
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
  #loop(node: PatternNode, greedy: boolean): void {
    const fork = this.#add({ kind: "jump", to: 0 });
    const slot = mayTakeNothing(node) ? this.#slots++ : undefined;
    if (slot !== undefined) this.#add({ kind: "mark", slot });
    this.#write(node);
    if (slot !== undefined) this.#add({ kind: "moved", slot });
    this.#add({ kind: "jump", to: fork });
    this.#steps[fork] = either(fork + 1, this.#steps.length, greedy);
  }
}

function either(body: number, after: number, greedy: boolean): PatternStep {
  return greedy
    ? { kind: "either", first: body, second: after }
    : { kind: "either", first: after, second: body };
}

function mayTakeNothing(node: PatternNode): boolean {
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
