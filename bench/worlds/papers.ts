import type { JsonObject } from "../../src/core/json/json.ts";
import { canonicalJson } from "../../src/learn/plan/values.ts";
import type { Dice } from "./dice.ts";
import { type Call, type Job, Refusal } from "./job.ts";

/** What tools answer, by what they are asked, and what they were asked to do. */
export interface PapersState {
  answers: Record<string, string>;
  /** Why it is refused, by what is asked. */
  refusals: Record<string, string>;
  acts: string[];
}

export interface PapersTool {
  readonly name: string;
  readonly about: string;
  /** Names of arguments; those of numbers end with `#`, those of lists with `[]`, of objects with `{}`. */
  readonly takes: string;
  readonly reads: boolean;
}

/** A kind of work with tools of its own. */
export type PapersJob = Job<PapersState> & { readonly tools: readonly PapersTool[] };

export function noted(tool: string, args: JsonObject): string {
  return `${tool} ${canonicalJson(args)}`;
}

interface Papers<Told extends JsonObject> {
  readonly name: string;
  /** By their names, with what they take. */
  readonly reads: Readonly<Record<string, string>>;
  readonly writes: Readonly<Record<string, string>>;
  /** What is told, and what the tools answer; those that write say "ok" where nothing else is given. */
  readonly given: (dice: Dice) => { readonly told: Told; readonly answers: readonly Answer[] };
  readonly task: (told: Told) => string;
  readonly agent: (told: Told, call: Call) => Promise<void>;
  /** An answer in which what is needed is not there, or why there is none. */
  readonly hindered: (told: Told) => Answer;
}

type Answer = readonly [tool: string, args: JsonObject, text: string, is?: "refused"];

export function papersJob<Told extends JsonObject>(made: Papers<Told>): PapersJob {
  const { name, task, agent } = made;
  const tools = [made.reads, made.writes].flatMap((group) =>
    Object.entries(group).map(([tool, takes]) => ({
      name: tool,
      about: `${tool.replaceAll("_", " ")}.`,
      takes,
      reads: group === made.reads,
    })),
  );
  const put = (state: PapersState, [tool, args, text, is]: Answer): void => {
    state[is === "refused" ? "refusals" : "answers"][noted(tool, args)] = text;
  };
  const job = {
    name,
    difficulty: "text",
    given: (state, dice) => {
      const { told, answers } = made.given(dice);
      for (const each of answers) put(state, each);
      return told;
    },
    task,
    agent,
    hinder: (state, told) => put(state, made.hindered(told)),
  } satisfies Job<PapersState, Told>;
  return { ...(job as Job<PapersState>), tools };
}

/** What stands in each line that has the form. */
export function found(text: string, form: RegExp): readonly (readonly string[])[] {
  return [...text.matchAll(form)].map(([, ...parts]) => parts);
}

/** They, if there are any; otherwise the agent gives up. */
export function atLeastOne<Item>(items: readonly Item[]): readonly Item[] {
  if (items.length === 0) throw new Refusal("There are none");
  return items;
}

/** What stands at the only place that has the form; without one the agent gives up. */
export function only(text: string, form: RegExp): string {
  const [, said] = form.exec(text) ?? [];
  if (said === undefined) throw new Refusal("It is not told");
  return said;
}
