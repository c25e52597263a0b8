import type { Json, JsonObject } from "../../core/json/json.ts";
import { camelCase } from "../plan/names.ts";
import type { RecordedTrace } from "./recorded-trace.ts";
import type { ElementNaming } from "./elements/named-elements.ts";
import type { Separation } from "./elements/separations.ts";
import type { TracePath } from "../plan/plan.ts";
import type { Path } from "../plan/values.ts";

/** A call, or several calls that are rounds over a collection. */
export type SampleStep = SampleCall | SampleLoop;

export interface SampleCall {
  readonly kind: "call";
  readonly tool: string;
  /** The index in the trace. */
  readonly call: number;
  /** In which way it failed; undefined: it succeeded. */
  readonly fails?: string;
  readonly value: Json;
}

export interface SampleLoop {
  readonly kind: "loop";
  /** The tools of one round, in their order; behind those of a round in which nothing fails, those after a failure. */
  readonly tools: readonly string[];
  /** In the order of the collection: for each element the calls that it was for. */
  readonly rounds: readonly Round[];
  readonly fork?: RoundFork;
  readonly elements: readonly Json[];
  /** The whole collection, where the elements are some of it. */
  readonly among?: readonly Json[];
  /** Where the collection stands; nowhere where the caller gives it. */
  readonly step: number;
  readonly path: Path;
  /** Which earlier loop is over the collection: an element is one of its elements (`left`) beside what the round gave (`right`). */
  readonly beside?: number;
  /** The elements are those of the collection that say the same at this place, as `{name, elements}`. */
  readonly groupedBy?: readonly string[];
  /** The caller gives the collection. */
  readonly given?: GivenLayout;
  /** Where the names that the caller gives stand in the answers, for each round. */
  readonly namePlaces?: readonly TracePath[] | undefined;
  /** What is true of what the last round gave, and of no round's before: with that it ended. */
  readonly until?: readonly Separation[];
  readonly value: Json;
}

/** The calls of a round, one for each tool; those that it has not made are undefined. */
export type Round = readonly (number | undefined)[];

/** A call that fails in some rounds, or of which the answer parts them: these then do something else than the others. */
export interface RoundFork {
  /** Which call of a round. */
  readonly at: number;
  /** In which way it fails; undefined: it answers, and its answer tells. */
  readonly fails?: string;
  /** What fails only looks at something. */
  readonly isLook?: boolean;
  /** How many of the tools are for the rounds that go the other way, as where the call fails; they are the last. */
  readonly failed: number;
}

/** What the caller gives for each round, and what the rounds' calls have from one another. */
export interface GivenLayout {
  /** An element is an object of these, or the only one's value. */
  readonly fields: readonly GivenField[];
  readonly inner: readonly InnerFlow[];
}

export interface GivenField {
  readonly name: string;
  /** The arguments that have the value: which call of a round, and where in its arguments. */
  readonly places: readonly { readonly nth: number; readonly path: Path }[];
  /** The value is the name of an element of an earlier list, in which the arguments stand. */
  readonly naming?: ElementNaming;
}

/** An argument that is what an earlier call of its round gave. */
export interface InnerFlow {
  /** Which call of a round, and where in its arguments. */
  readonly nth: number;
  readonly path: Path;
  /** Which call of the round gave it, and where in its answer. */
  readonly source: number;
  readonly inside: readonly string[];
}

/** The fields of what a round with several calls gives. */
export function roundFields(tools: readonly string[]): readonly string[] {
  return tools.map((tool, index) =>
    tools.indexOf(tool) === index ? camelCase(tool) : `${camelCase(tool)}${index + 1}`,
  );
}

/** Which repeated calls are loops, by their signature. */
export interface Folding {
  /** Even where there is only one round. */
  readonly looping: ReadonlySet<string>;
  readonly never: ReadonlySet<string>;
  /** What the caller gives for each round, as other runs of several rounds tell it. */
  readonly given?: ReadonlyMap<string, GivenLayout>;
  /** What is called after loops, where runs that loop agree on it. */
  readonly behind?: ReadonlyMap<string, readonly string[]>;
  /** What rounds of loops do after a failure, as other runs tell it. */
  readonly forks?: ReadonlyMap<string, ForkedTools>;
}

/** The tools of rounds of which some fail. */
export interface ForkedTools {
  readonly tools: readonly string[];
  readonly fork: RoundFork;
}

/** By this, steps of several traces are told to be the same. */
export function signatureOf(step: SampleStep): string {
  if (step.kind === "loop") {
    const { fork } = step;
    return fork ? `${roundSignature(step)} or ${JSON.stringify([fork, step.tools])}` : roundSignature(step);
  }
  return step.fails === undefined ? step.tool : `${step.tool} fails: ${step.fails}`;
}

export function searchSignature(tools: readonly string[], until: readonly Separation[]): string {
  return `${loopSignature(tools)} until ${JSON.stringify(until.map(({ path, inner, operator }) => [path, inner, operator]))}`;
}

/** The same for loops whose rounds are alike where nothing fails. */
export function roundSignature({ tools, fork, given, until }: SampleLoop): string {
  if (until) return searchSignature(tools, until);
  return loopSignature(tools.slice(0, tools.length - (fork?.failed ?? 0)), given !== undefined);
}

export function loopSignature(tools: readonly string[], isGiven = false): string {
  const signature = `[${tools.join(" ")}]`;
  return isGiven ? givenSignature(signature) : signature;
}

/** The signature of the same rounds where the caller gives what they are for. */
export function givenSignature(loop: string): string {
  return `${loop} as the caller says`;
}

/** The call and the place in its result that a place in what a step gave comes from. */
export function placeInCalls(
  step: SampleStep,
  path: Path,
): { readonly call: number; readonly path: Path } | undefined {
  if (step.kind === "call") return { call: step.call, path };
  if (step.until) return { call: step.rounds.at(-1)?.[0] ?? 0, path };
  const [round, ...rest] = path;
  const calls = typeof round === "number" ? step.rounds[round] : undefined;
  if (!calls) return undefined;
  if (step.fork) return { call: calls.findLast((each) => each !== undefined) ?? 0, path: rest };
  if (calls.length === 1) return { call: calls[0] ?? 0, path: rest };
  const [name, ...inner] = rest;
  const call = calls[roundFields(step.tools).indexOf(String(name))];
  return call === undefined ? undefined : { call, path: inner };
}

export function argsOf(trace: RecordedTrace, call: number): JsonObject {
  return trace.calls[call]?.args ?? {};
}
