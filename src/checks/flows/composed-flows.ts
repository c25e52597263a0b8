import {
  FLOW_KINDS,
  type CodeFlows,
  type ComposedFlow,
  type FlowCall,
  type FlowKind,
  type FlowOrigin,
  type FlowStep,
} from "../../core/flow.ts";
import type { Position } from "../../core/error.ts";
import { hasCode, type Skill } from "../../core/skill.ts";

/** What the configuration and the servers say of upstream tools. */
export interface ToolTrust {
  /** Whether what it answers counts as written by whoever asks. */
  readonly isTrusted: (tool: string) => boolean;
  /** Whether it may change the world: true where nobody knows. */
  readonly mayWrite: (tool: string) => boolean;
}

/**
 * The flows from answers of untrusted tools into calls that write, across all calls of skills, by the skill in whose
 * code the two come together.
 */
export function composedFlows(
  skills: ReadonlyMap<string, Skill>,
  trust: ToolTrust,
): ReadonlyMap<string, readonly ComposedFlow[]> {
  return new Composition(skills, trust).flows();
}

/** The flows that a run of a skill can take: those in its own code and in that of all that it reaches. */
export function flowsOfRun(
  name: string,
  skills: ReadonlyMap<string, Skill>,
  flows: ReadonlyMap<string, readonly ComposedFlow[]>,
): readonly ComposedFlow[] {
  const reached = new Set([name]);
  for (const each of reached) {
    for (const { kind, names = skills.keys() } of callsOf(skills.get(each)))
      if (kind === "skill") for (const callee of names) reached.add(callee);
  }
  return [...reached].flatMap((each) => flows.get(each) ?? []);
}

/** Where a value comes from, as one skill sees it: from its own input, or from a tool. */
interface Reached {
  readonly origin:
    | { readonly kind: "input"; readonly part: string }
    | { readonly kind: "source"; readonly tool: string };
  readonly kind: FlowKind;
  readonly steps: readonly FlowStep[];
}

/** By what tells the origins apart; of equal ones the surest stays. */
type Origins = Map<string, Reached>;

interface Write {
  readonly name: string;
  readonly argument: string | undefined;
  readonly kind: FlowKind;
  readonly steps: readonly FlowStep[];
}

/**
 * What callers need to know of a skill. Parts: `""` all of it, `.name` a property, `!` the error, `()` whether it is
 * called at all.
 */
interface Summary {
  readonly gives: Map<string, Origins>;
  /** By the part of the input that goes there. */
  readonly writes: Map<string, Map<string, Write>>;
}

const WHOLE = "";
const ERROR = "!";
const CALLED = "()";
const ANY = "?";

class Composition {
  readonly #skills: ReadonlyMap<string, Skill>;
  readonly #trust: ToolTrust;
  readonly #summaries = new Map<string, Summary>();
  readonly #found = new Map<string, Map<string, ComposedFlow>>();
  #hasChanged = false;

  constructor(skills: ReadonlyMap<string, Skill>, trust: ToolTrust) {
    this.#skills = skills;
    this.#trust = trust;
  }

  flows(): ReadonlyMap<string, readonly ComposedFlow[]> {
    const callers = this.#callers();
    const open = new Set([...this.#skills.keys(), ANY]);
    for (const name of open) {
      open.delete(name);
      this.#hasChanged = false;
      const skill = this.#skills.get(name);
      if (name === ANY && !skill) this.#any();
      else if (skill) this.#skill(skill);
      if (!this.#hasChanged) continue;
      for (const caller of callers.get(name) ?? []) open.add(caller);
      if (name !== ANY && callers.has(ANY)) open.add(ANY);
    }
    return new Map([...this.#found].map(([name, flows]) => [name, [...flows.values()]]));
  }

  #callers(): ReadonlyMap<string, ReadonlySet<string>> {
    const callers = new Map<string, Set<string>>();
    for (const skill of this.#skills.values()) {
      for (const { kind, names = [ANY] } of callsOf(skill)) {
        if (kind === "tool") continue;
        for (const callee of names) callers.set(callee, (callers.get(callee) ?? new Set()).add(skill.name));
      }
    }
    return callers;
  }

  /** A skill of which nothing is known but that it is one of these. */
  #any(): void {
    const any = this.#summaryOf(ANY);
    this.#give(
      any,
      WHOLE,
      { origin: { kind: "input", part: WHOLE }, kind: "value", steps: [] },
      "unfollowed",
    );
    for (const [name, { gives, writes }] of this.#summaries) {
      if (name === ANY) continue;
      for (const origins of gives.values())
        for (const reached of origins.values())
          if (reached.origin.kind === "source") this.#give(any, WHOLE, reached, "unfollowed");
      for (const [part, each] of writes)
        for (const write of each.values())
          this.#write(any, part === CALLED ? CALLED : WHOLE, { ...write, kind: "unfollowed" });
    }
  }

  #skill(skill: Skill): void {
    const summary = this.#summaryOf(skill.name);
    if (!hasCode(skill)) return;
    const { calls, flows } = skill.flows ?? unknownCode(skill);
    const given = calls.map((): Map<string, Origins> => new Map());
    let resolved = this.#resolving(skill, calls, given);
    // What a call answers can depend on what it is given, and that on what others answer.
    for (let isOpen = true; isOpen;) {
      isOpen = false;
      for (const { from, to, kind, at } of flows) {
        if (to.kind !== "argument") continue;
        const call = calls[to.call];
        const into = given[to.call];
        if (!call || !into) continue;
        const part = partOf(to.property);
        const origins = into.get(part) ?? new Map<string, Reached>();
        into.set(part, origins);
        const step = stepAt(skill.name, at, `gives it ${asPart(to.property)}to ${nameOf(call)}`);
        for (const reached of resolved(from)) isOpen = keep(origins, reached, kind, step) || isOpen;
      }
      resolved = this.#resolving(skill, calls, given);
    }
    calls.forEach((call, index) => {
      for (const [part, origins] of given[index] ?? []) this.#writesOf(skill, call, part, origins);
      for (const write of this.#writesInto(call, CALLED))
        this.#write(summary, CALLED, { ...write, kind: weaker(write.kind, "choice") });
    });
    for (const { from, to, kind, at } of flows) {
      if (to.kind === "argument") continue;
      const part = to.kind === "error" ? ERROR : partOf(to.property);
      const text = to.kind === "error" ? "may tell it in an error" : `gives it ${asPart(to.property)}back`;
      const step = stepAt(skill.name, at, text);
      const origins = summary.gives.get(part) ?? new Map<string, Reached>();
      summary.gives.set(part, origins);
      for (const reached of resolved(from)) if (keep(origins, reached, kind, step)) this.#hasChanged = true;
    }
  }

  /** Each origin is looked up once, as long as nothing changes. */
  #resolving(
    skill: Skill,
    calls: readonly FlowCall[],
    given: readonly ReadonlyMap<string, Origins>[],
  ): (from: FlowOrigin) => readonly Reached[] {
    const known = new Map<string, readonly Reached[]>();
    return (from) => {
      const key = JSON.stringify(from);
      const found = known.get(key) ?? this.#resolved(skill, calls, given, from);
      known.set(key, found);
      return found;
    };
  }

  #resolved(
    skill: Skill,
    calls: readonly FlowCall[],
    given: readonly ReadonlyMap<string, Origins>[],
    from: FlowOrigin,
  ): readonly Reached[] {
    if (from.kind === "input")
      return [{ origin: { kind: "input", part: partOf(from.property) }, kind: "value", steps: [] }];
    const call = calls[from.call];
    if (!call) return [];
    const place = (text: string): FlowStep => stepAt(skill.name, call, text);
    if (call.kind === "tool") {
      const { names = [ANY] } = call;
      const isDynamic = call.names === undefined;
      return names
        .filter((tool) => isDynamic || !this.#trust.isTrusted(tool))
        .map((tool) => ({
          origin: { kind: "source", tool },
          kind: isDynamic ? "unfollowed" : "value",
          steps: [place(`takes what ${tool === ANY ? "a tool" : tool} answers`)],
        }));
    }
    const found: Origins = new Map();
    const how: FlowKind = call.names === undefined ? "unfollowed" : "value";
    const wanted = from.kind === "failure" ? ERROR : partOf(from.property);
    const { names = [ANY] } = call;
    for (const name of names) {
      const taken = place(`takes what ${name === ANY ? "a skill" : name} gives`);
      for (const [part, origins] of this.#summaryOf(name).gives) {
        if (!answers(wanted, part)) continue;
        for (const through of origins.values()) {
          const { origin, kind, steps } = through;
          if (origin.kind === "source") {
            keep(found, through, how, taken);
            continue;
          }
          for (const [into, ones] of given[from.call] ?? []) {
            if (!meets(into, origin.part)) continue;
            for (const one of ones.values())
              if (isSurer({ kind: weaker(one.kind, weaker(kind, how)) }, found.get(keyOf(one.origin))))
                keep(found, { ...one, steps: [...one.steps, ...steps] }, weaker(kind, how), taken);
          }
        }
      }
    }
    return [...found.values()];
  }

  #writesOf(skill: Skill, call: FlowCall, part: string, origins: Origins): void {
    for (const { origin, kind, steps } of origins.values()) {
      // What decides whether a skill is called decides over all that it writes.
      const isDecisive = part === WHOLE && call.kind === "skill";
      const decided = isDecisive ? this.#writesInto(call, CALLED) : [];
      for (const write of [...this.#writesInto(call, part), ...decided]) {
        const flow = { ...write, kind: weaker(kind, write.kind), steps: [...steps, ...write.steps] };
        if (origin.kind === "input") this.#write(this.#summaryOf(skill.name), origin.part, flow);
        else this.#find(skill.name, origin.tool, flow);
      }
    }
  }

  /** The writes that a part of what a call is given goes into. */
  #writesInto({ kind, names: known }: FlowCall, part: string): readonly Write[] {
    const names = known ?? [ANY];
    const how: FlowKind = known === undefined ? "unfollowed" : "value";
    const argument = part === WHOLE || part === CALLED ? undefined : part.slice(1);
    if (kind === "tool")
      return names
        .filter((tool) => known === undefined || this.#trust.mayWrite(tool))
        .map((name) => ({ name, argument, kind: how, steps: [] }));
    const found: Write[] = [];
    for (const name of names) {
      for (const [into, writes] of this.#summaryOf(name).writes) {
        if (!meets(part, into)) continue;
        for (const write of writes.values()) found.push({ ...write, kind: weaker(write.kind, how) });
      }
      // It says that it writes, though its code does not show where.
      const callee = this.#skills.get(name);
      if (callee?.declared.operation === "WRITE" && !this.#reachesWrite(callee))
        found.push({ name, argument, kind: how, steps: [] });
    }
    return found;
  }

  /** Whether the calls of a skill, and of those that it calls, show a write. */
  #reachesWrite(skill: Skill): boolean {
    const reached = new Set([skill.name]);
    for (const name of reached) {
      for (const { kind, names } of callsOf(this.#skills.get(name))) {
        if (kind === "skill") for (const callee of names ?? this.#skills.keys()) reached.add(callee);
        else if (names === undefined || names.some((tool) => this.#trust.mayWrite(tool))) return true;
      }
    }
    return false;
  }

  #summaryOf(name: string): Summary {
    const known = this.#summaries.get(name);
    if (known) return known;
    const fresh: Summary = { gives: new Map(), writes: new Map() };
    this.#summaries.set(name, fresh);
    return fresh;
  }

  #give({ gives }: Summary, part: string, reached: Reached, how: FlowKind): void {
    const origins = gives.get(part) ?? new Map<string, Reached>();
    gives.set(part, origins);
    if (keep(origins, reached, how)) this.#hasChanged = true;
  }

  #write({ writes }: Summary, part: string, write: Write): void {
    const known = writes.get(part) ?? new Map<string, Write>();
    writes.set(part, known);
    const key = `${write.name}\0${write.argument ?? ""}`;
    if (!isSurer(write, known.get(key))) return;
    known.set(key, write);
    this.#hasChanged = true;
  }

  #find(skill: string, source: string, { name, argument, kind, steps }: Write): void {
    const flows = this.#found.get(skill) ?? new Map<string, ComposedFlow>();
    this.#found.set(skill, flows);
    const key = `${source}\0${name}\0${argument ?? ""}`;
    if (!isSurer({ kind }, flows.get(key))) return;
    flows.set(key, {
      skill,
      source,
      write: name,
      ...(argument !== undefined && { argument }),
      kind,
      path: steps,
    });
  }
}

/** None of code that was not followed. */
function callsOf(skill: Skill | undefined): readonly FlowCall[] {
  return skill?.flows?.calls ?? [];
}

/** Takes what has come one step further, unless the same origin is known as surely. */
function keep(origins: Origins, { origin, ...reached }: Reached, how: FlowKind, step?: FlowStep): boolean {
  const key = keyOf(origin);
  const kind = weaker(reached.kind, how);
  if (!isSurer({ kind }, origins.get(key))) return false;
  origins.set(key, { origin, kind, steps: step ? [...reached.steps, step] : reached.steps });
  return true;
}

function keyOf(origin: Reached["origin"]): string {
  return origin.kind === "input" ? `input ${origin.part}` : `source ${origin.tool}`;
}

function isSurer(
  { kind }: { readonly kind: FlowKind },
  known: { readonly kind: FlowKind } | undefined,
): boolean {
  return !known || FLOW_KINDS.indexOf(kind) < FLOW_KINDS.indexOf(known.kind);
}

function weaker(one: FlowKind, other: FlowKind): FlowKind {
  return FLOW_KINDS.indexOf(one) > FLOW_KINDS.indexOf(other) ? one : other;
}

/** Whether a part that is asked for can hold something of a part that is given. */
function answers(wanted: string, given: string): boolean {
  if (wanted === ERROR || given === ERROR) return wanted === given;
  return meets(wanted, given);
}

function meets(one: string, other: string): boolean {
  if (one === CALLED || other === CALLED) return one === other;
  return one === WHOLE || other === WHOLE || one === other;
}

function partOf(property: string | undefined): string {
  return property === undefined ? WHOLE : `.${property}`;
}

function asPart(property: string | undefined): string {
  return property === undefined ? "" : `as \`${property}\` `;
}

function nameOf({ kind, names }: FlowCall): string {
  return names?.join(" or ") ?? `a ${kind} that only running tells`;
}

function stepAt(skill: string, { path, line, column }: Position, text: string): FlowStep {
  return { skill, text, path, line, column };
}

/** Of code that was not compiled nothing is known: it may call anything, with anything. */
function unknownCode({ file }: Skill): CodeFlows {
  const at = { path: file, line: 1, column: 1 };
  const kind = "unfollowed";
  const from = [
    { kind: "input" as const },
    { kind: "answer" as const, call: 0 },
    { kind: "answer" as const, call: 1 },
  ];
  const to = [
    { kind: "output" as const },
    { kind: "error" as const },
    { kind: "argument" as const, call: 0 },
    { kind: "argument" as const, call: 1 },
  ];
  return {
    calls: [
      { kind: "tool", ...at },
      { kind: "skill", ...at },
    ],
    flows: from.flatMap((each) => to.map((into) => ({ from: each, to: into, kind, at }))),
  };
}
