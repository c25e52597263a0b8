import { type FlowKind, FLOW_KINDS } from "../../core/flow.ts";
import { threadCpuMs } from "../../core/time/thread-cpu.ts";

/** A set of what a value can be, as indexes into the heap. It only grows. */
export type AbstractValues = Set<AbstractValue>;

/** Where data comes from: the input, or call number so-and-so. */
export type DataOrigin = "input" | number;

/** What a value can be. Each place of the code that makes objects makes one thing, however often it runs. */
export type AbstractValue = ExternalData | Pending | Allocation;

/** Data from outside: of an origin, all of it or one property. */
export interface ExternalData extends Fields {
  readonly kind: "data";
  readonly origin: DataOrigin;
  /** Whether it is what a call failed with, rather than its answer. */
  readonly isFailure: boolean;
  readonly property: string | undefined;
  readonly how: FlowKind;
}

/** The promise that a call gives. */
export interface Pending extends Fields {
  readonly kind: "pending";
  readonly call: number;
}

/** What the code or the library makes. */
export interface Allocation extends Fields {
  readonly kind:
    | "object"
    | "array"
    | "function"
    /** Made by the library: it stands for all that it was made of, at any depth. */
    | "library"
    /** A value without parts and without anything from outside. */
    | "primitive"
    /** `globalThis`, from which everything can be had. */
    | "global"
    | "call_skill"
    | "call_tool";
}

interface Fields {
  /** What properties with a name hold. */
  readonly fields: Map<string, AbstractValues>;
  /** What other properties, or elements, hold. */
  readonly rest: AbstractValues;
  /** Things whose properties it has too: what was spread into it, its class, its prototype. */
  readonly bases: AbstractValues;
  /** Names that the code itself gives it, so that they do not mean the library's methods. */
  readonly members: Set<string>;
  readonly getters: Map<string | undefined, AbstractValue>;
  readonly setters: Map<string | undefined, AbstractValue>;
}

/** CPU time after which a skill's code counts as not followed. */
const MAX_CPU_MS = 1500;
/** The clock is looked at after so many steps. */
const STEPS_PER_LOOK = 256;

/** The time is over: what the code does with values is not known. */
export class OutOfTime extends Error {}

/** All things of one skill's code, and what they hold. */
export class Heap {
  /** What functions give, for those that look into things: `toJSON` and getters run where nobody calls them. */
  readonly resultsOf: (thing: AbstractValue) => AbstractValues | undefined;
  readonly primitive = allocation("primitive");
  readonly library = allocation("library");
  /** A class of the library, where a key that only running tells may have come to it. */
  readonly builtIn = allocation("primitive");
  /** What makes code of texts, where such a key may have come to it. */
  readonly maker = allocation("primitive");
  readonly global = allocation("global");
  readonly callSkill = allocation("call_skill");
  readonly callTool = allocation("call_tool");
  /** Whether anything has been added since it was set to false. */
  hasGrown = false;
  readonly #until = threadCpuMs() + MAX_CPU_MS;
  #steps = 0;
  readonly #data = new Map<string, ExternalData>();
  readonly #pending = new Map<number, Pending>();
  readonly #byOrigin = new Map<DataOrigin, ExternalData[]>();

  constructor(given: (thing: AbstractValue) => AbstractValues | undefined) {
    this.resultsOf = given;
    this.global.bases.add(this.library);
    this.global.fields.set("call_skill", new Set([this.callSkill]));
    this.global.fields.set("call_tool", new Set([this.callTool]));
    this.global.fields.set("globalThis", new Set([this.global]));
  }

  step(): void {
    this.#steps += 1;
    if (this.#steps % STEPS_PER_LOOK === 0 && threadCpuMs() > this.#until) throw new OutOfTime();
  }

  data(origin: DataOrigin, property?: string, how: FlowKind = "value", isFailure = false): ExternalData {
    const key = `${origin} ${isFailure} ${how} ${property === undefined ? "" : `.${property}`}`;
    const known = this.#data.get(key);
    if (known) return known;
    const fresh: ExternalData = { kind: "data", origin, isFailure, property, how, ...fieldsOf() };
    this.#data.set(key, fresh);
    const siblings = this.#byOrigin.get(origin);
    if (siblings) siblings.push(fresh);
    else this.#byOrigin.set(origin, [fresh]);
    return fresh;
  }

  pending(call: number): Pending {
    const known = this.#pending.get(call);
    if (known) return known;
    const fresh: Pending = { kind: "pending", call, ...fieldsOf() };
    this.#pending.set(call, fresh);
    return fresh;
  }

  add(to: AbstractValues, values: Iterable<AbstractValue>): void {
    for (const value of values) {
      this.step();
      if (to.has(value)) continue;
      to.add(value);
      this.hasGrown = true;
    }
  }

  field(thing: AbstractValue, name: string): AbstractValues {
    const known = thing.fields.get(name);
    if (known) return known;
    const fresh: AbstractValues = new Set();
    thing.fields.set(name, fresh);
    return fresh;
  }

  /** What a property can be; without a name, what any property can be. */
  read(owners: AbstractValues, name: string | undefined): AbstractValues {
    const found: AbstractValues = new Set();
    const seen: AbstractValues = new Set();
    const open = [...owners];
    for (let owner = open.pop(); owner; owner = open.pop()) {
      this.step();
      if (seen.has(owner)) continue;
      seen.add(owner);
      if (owner.kind === "data") found.add(this.#propertyOf(owner, name));
      if (owner.kind === "library" || owner.kind === "pending") found.add(owner);
      // What the library has made stands for all that is in it, at any depth.
      if (owner.kind === "library" && owner !== this.library) continue;
      if (name === undefined) for (const values of owner.fields.values()) addAll(found, values);
      else addAll(found, owner.fields.get(name) ?? []);
      addAll(found, owner.rest);
      for (const [own, getter] of owner.getters)
        if (name === undefined || own === undefined || own === name)
          addAll(found, this.resultsOf(getter) ?? []);
      if (owner.kind !== "data" && !this.#hasOwn(owner, name)) {
        // What its prototype has: the library's own, and what the code may have put there.
        found.add(this.library);
        addAll(found, this.library.rest);
      }
      open.push(...owner.bases);
    }
    return found;
  }

  /** Whether the code itself gives a thing a property of this name, so that no method of the library is meant. */
  hasMember(thing: AbstractValue, name: string): boolean {
    const seen: AbstractValues = new Set([thing]);
    for (const each of seen) {
      if (each.members.has(name)) return true;
      for (const base of each.bases) seen.add(base);
    }
    return false;
  }

  /** All that can be reached from values, themselves among it; with what functions among it give, if so told. */
  reach(values: Iterable<AbstractValue>, isCalled = false): AbstractValues {
    const reached: AbstractValues = new Set(values);
    for (const thing of reached) {
      this.step();
      if (thing.kind === "primitive") continue;
      if (thing.fields.size > 0) for (const each of thing.fields.values()) addAll(reached, each);
      addAll(reached, thing.rest);
      if (thing.bases.size > 0) addAll(reached, thing.bases);
      if (thing.getters.size > 0)
        for (const getter of thing.getters.values()) addAll(reached, this.resultsOf(getter) ?? []);
      if (thing.kind === "pending") reached.add(this.data(thing.call));
      if (isCalled && thing.kind === "function") addAll(reached, this.resultsOf(thing) ?? []);
      if (thing.kind === "data" && thing.property === undefined)
        for (const sibling of this.#byOrigin.get(thing.origin) ?? [])
          if (sibling.rest.size + sibling.fields.size > 0) reached.add(sibling);
    }
    return reached;
  }

  /** The data that a text made of the values can hold. */
  dataIn(values: Iterable<AbstractValue>): Set<ExternalData> {
    const found = new Set<ExternalData>();
    for (const thing of this.reach(values, true)) if (thing.kind === "data") found.add(thing);
    return found;
  }

  /** The data that decides, where these values decide. */
  choice(values: Iterable<AbstractValue>): AbstractValues {
    return new Set([...this.dataIn(values)].map((data) => this.weaker(data, "choice")));
  }

  weaker(data: ExternalData, how: FlowKind): ExternalData {
    const weakest = FLOW_KINDS.indexOf(data.how) > FLOW_KINDS.indexOf(how) ? data.how : how;
    return this.data(data.origin, data.property, weakest, data.isFailure);
  }

  #hasOwn(owner: AbstractValue, name: string | undefined): boolean {
    if (name === undefined) return owner.kind === "object" || owner.kind === "array";
    return (owner.kind === "array" && /^\d+$/.test(name)) || this.hasMember(owner, name);
  }

  // Of an element nobody could say which property of the whole it is, nor of what decides.
  #propertyOf(data: ExternalData, name: string | undefined): ExternalData {
    const isWhole = data.property === undefined && data.how === "value" && !data.isFailure;
    return isWhole && name !== undefined && !/^\d+$/.test(name) ? this.data(data.origin, name) : data;
  }
}

export function allocation(kind: Allocation["kind"]): Allocation {
  return { kind, ...fieldsOf() };
}

function fieldsOf(): Fields {
  return {
    fields: new Map(),
    rest: new Set(),
    bases: new Set(),
    members: new Set(),
    getters: new Map(),
    setters: new Map(),
  };
}

function addAll(to: AbstractValues, values: Iterable<AbstractValue>): void {
  for (const value of values) to.add(value);
}
