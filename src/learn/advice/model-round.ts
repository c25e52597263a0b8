import * as z from "zod";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import type { Json } from "../../core/json/json.ts";
import { EDITS, type Edit } from "../edits/edits.ts";

/** One time that a model was asked to revise a draft, and what came of it. */
export interface ModelRound {
  readonly at: string;
  /** As its endpoint names it. */
  readonly model: string;
  /** Of the instructions that it was given. */
  readonly promptVersion: number;
  /** `dropped`: nothing of what it proposed is in the draft; `empty`: it proposed nothing. */
  readonly outcome: "kept" | "dropped" | "empty";
  /** What came of it, in words. */
  readonly why: string;
  /** The edits that it proposed, and its reasons. */
  readonly answer: Json;
  /** The data that it was given, without credentials. */
  readonly sent: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars, where prices are configured. */
  readonly cost?: number | undefined;
}

const count = z.number().nonnegative();

/** Reads a round that is kept with a draft. */
export const MODEL_ROUND: z.ZodType<ModelRound> = z.strictObject({
  at: z.string(),
  model: z.string(),
  promptVersion: z.int().nonnegative(),
  outcome: z.enum(["kept", "dropped", "empty"]),
  why: z.string(),
  answer: z.custom<Json>((value) => value !== undefined),
  sent: z.string(),
  inputTokens: count,
  outputTokens: count,
  cost: count.optional(),
});

/** What a model answers. */
export interface Advice {
  readonly edits: readonly Edit[];
  readonly why: string;
}

const advice: z.ZodType<Advice> = z.strictObject({
  edits: EDITS.describe("The changes, in their order; an empty list where nothing gets better"),
  why: z.string().describe("Why, in a sentence or two, for the person who reviews the draft"),
});

/** Of an answer. */
export function adviceSchema(): JsonSchema {
  return z.toJSONSchema(advice, { io: "input" }) as JsonSchema;
}

/** Of the edits in it, for whoever proposes them in another way. */
export function editsSchema(): JsonSchema {
  return z.toJSONSchema(EDITS, { io: "input" }) as JsonSchema;
}

/** Reads an answer that fits the schema. */
export function parsedAdvice(value: Json): Advice {
  return advice.parse(value);
}

/** Of `INSTRUCTIONS`: drafts keep by which they were revised. */
export const PROMPT_VERSION = 2;

export const INSTRUCTIONS = `You revise the draft of a skill. The draft was made from recorded runs by program synthesis; it replays them. What synthesis cannot know is what things mean: which of several readings was meant, what is another value for every caller, what a parameter is called, what the skill is for.

You answer with edits from a closed list. You write no code. Every answer is verified: the changed draft has to replay the recorded runs and variations of them at least as well as before. Edits with which it does not are dropped, the others kept, and you are told how it differs.

- Answer an open question (an edit of the kind "flow", with one of its readings) only where the task, the words of the user or the names and values in the runs tell which was meant. Leave it open otherwise: an open question is better than a wrong answer.
- Call a parameter by what it is for callers. Describe the skill, its parameters and its output for somebody who has to decide whether to use it and with which values. Use no value of a single run.
- A value that another caller would choose otherwise is a parameter; a value that belongs to the way the work is done is none.
- Refer to steps, arguments, parameters and alternatives only as the draft lists them.
- Propose nothing where you are not sure that it gets better.`;
