import type { Json, JsonObject } from "../../src/core/json/json.ts";
import type { Dice } from "./dice.ts";

export const DIFFICULTIES = ["single", "loop", "choice", "text", "fails"] as const;
/** `single`: one path; `choice`: by content; `text`: answers are text; `fails`: a step that fails for some. */
type Difficulty = (typeof DIFFICULTIES)[number];

/** A kind of work in a world whose state is a `State`; `Told` is what whoever wants it done can know and say. */
export interface Job<State, Told extends JsonObject = JsonObject> {
  readonly name: string;
  readonly difficulty: Difficulty;
  /** Changes a state made at random so that there is this work, and says which. */
  given(state: State, dice: Dice): Told;
  task(told: Told): string;
  /** Does it as somebody does who knows how, from nothing but what was told and what the tools answer. */
  agent(told: Told, call: Call): Promise<void>;
  /** Makes a state of it in which something is in the way. */
  hinder(state: State, told: Told, dice: Dice): void;
}

// What tools answer is looked at, not typed: a job that reads it wrongly ends the benchmark.
// oxlint-disable-next-line typescript/no-explicit-any
export type Call = (tool: string, args: JsonObject) => Promise<any>;

/** A call that the server has refused. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Whether the call was refused. */
export async function refused(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return false;
  } catch (error) {
    if (error instanceof Refusal) return true;
    throw error;
  }
}

/** How a server is started. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A world behind a server: a state goes in, and what is there can be looked at. */
export interface World<State> {
  readonly server: Program;
  /** More servers, by names; their tools are called with these: `git.git_log`. */
  readonly others?: Readonly<Record<string, Program>>;
  readonly jobs: readonly Job<State>[];
  stateOf(dice: Dice): State;
  put(state: State): Promise<void>;
  /** All things that there are, each by a name that stays its own. */
  things(): Promise<Things>;
}

export type Things = ReadonlyMap<string, Json>;

/** What is kept as lists of records that have an id. */
export function thingsOf(lists: Readonly<Record<string, readonly { readonly id: string }[]>>): Things {
  return new Map(
    Object.entries(lists).flatMap(([list, records]) =>
      records.map((record) => [`${list}/${record.id}`, record as unknown as Json] as const),
    ),
  );
}
