import * as z from "zod";
import type { Meaning } from "../catalog/meaning.ts";
import { awaitsPerson, failure } from "../core/error.ts";
import type { Json } from "../core/json/json.ts";
import { validatorOf, type JsonSchema } from "../core/json/json-schema.ts";
import { parseJson } from "../core/json/parse-json.ts";
import { ZOD_MESSAGES } from "../core/json/zod-messages.ts";
import type { LanguageModel } from "../core/language-model.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { CallRecord } from "../core/run.ts";
import type { Skill } from "../core/skill.ts";
import { catalogExcerpt, type WorkCatalog } from "./catalog-excerpt.ts";

export interface TaskOptions {
  readonly catalog: WorkCatalog;
  readonly model: LanguageModel;
  readonly meaning?: Meaning | undefined;
  readonly run: (skill: Skill, input: Json) => Promise<CallRecord["outcome"]>;
  /** Puts a question to the person; a failure where nobody can be asked. */
  readonly ask: (question: string) => Promise<Result<string>>;
  /** Whether a call may be made: a person agrees to what may write; a failure where nobody can be asked. */
  readonly confirm: (skill: Skill, input: Json) => Promise<Result<boolean>>;
  /** What of a value the model is shown. */
  readonly redacted: (value: Json) => Json;
  readonly signal?: AbortSignal;
}

/** What came of a task. */
export interface TaskOutcome {
  /**
   * `done`: by the calls. `no-skill`: nothing there does it. `declined`: the person did not want a call. `waiting`: the last
   * call waits for a person to approve what it writes.
   */
  readonly kind: "done" | "no-skill" | "declined" | "waiting";
  /** The model's own words, or why it went no further. */
  readonly text: string;
  readonly calls: readonly TaskCall[];
}

/** A call of a skill for a task. */
interface TaskCall {
  readonly skill: string;
  readonly input: Json;
  readonly outcome: CallRecord["outcome"];
}

const turnShape = z.strictObject({
  run: z
    .strictObject({
      skill: z.string(),
      input: z.string().max(100_000).describe("The skill's input, as JSON text"),
    })
    .optional(),
  ask: z
    .strictObject({ question: z.string().max(1000) })
    .optional()
    .describe("For an input that neither the task nor an answer tells"),
  done: z
    .strictObject({ text: z.string().max(10_000).describe("The answer, from what the calls gave") })
    .optional(),
  missing: z
    .strictObject({ text: z.string().max(2000).describe("What a skill would have to do") })
    .optional()
    .describe("Where no skill that is shown does it, nor several together"),
});

const TURN_SCHEMA = z.toJSONSchema(turnShape) as JsonSchema;

/** More turns than this are no way to do a task. */
const MAX_TURNS = 12;
const MAX_SHOWN = 20_000;

/**
 * Does a task in words with the skills that there are: a model chooses one call after another, seeing what each gave. It
 * may call what it was shown and nothing else, with inputs that fit; a person agrees to each call that may write. Errors:
 * `MODEL_…`, those of `ask` and `confirm`, and `MODEL_ANSWER_INVALID` for too many turns.
 */
export async function doTask(task: string, options: TaskOptions): Promise<Result<TaskOutcome>> {
  const { catalog, model, meaning, run, ask, confirm, redacted, signal } = options;
  const { skills, text: shown } = await catalogExcerpt(catalog, task, { meaning, isRunnable: true });
  const calls: TaskCall[] = [];
  if (skills.length === 0) return ok({ kind: "no-skill", text: "No skill fits these words", calls });
  const said: string[] = [];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const answered = await model.answer({
      purpose: "do-task",
      instructions: instructionsFor(task),
      data: [shown, "What has happened so far:", ...(said.length === 0 ? ["(nothing)"] : said)].join("\n\n"),
      schema: TURN_SCHEMA,
      ...(signal ? { signal } : {}),
    });
    if (!answered.ok) return answered;
    const read = turnShape.safeParse(answered.value.value, ZOD_MESSAGES);
    const chosen = read.success ? Object.values(read.data).filter((each) => each !== undefined).length : 0;
    if (!read.success || chosen !== 1) {
      said.push("Your answer was not taken: it needs exactly one of `run`, `ask`, `done` and `missing`.");
      continue;
    }
    const { run: call, ask: asked, done, missing } = read.data;
    if (done) return ok({ kind: "done", text: done.text, calls });
    if (missing) return ok({ kind: "no-skill", text: missing.text, calls });
    if (asked) {
      const reply = await ask(asked.question);
      if (!reply.ok) return reply;
      said.push(`Asked: ${asked.question}\nThe person says: ${reply.value}`);
      continue;
    }
    if (!call) continue;
    const taken = inputFor(skills, call);
    if (!taken.ok) {
      said.push(`The call of ${call.skill} was not made: ${taken.error}`);
      continue;
    }
    const { skill, input } = taken.value;
    const agreed = await confirm(skill, input);
    if (!agreed.ok) return agreed;
    if (!agreed.value) return ok({ kind: "declined", text: `"${skill.name}" was not run`, calls });
    const outcome = await run(skill, input);
    calls.push({ skill: skill.name, input, outcome });
    if (!outcome.ok && awaitsPerson(outcome.error))
      return ok({ kind: "waiting", text: outcome.error.message, calls });
    // Before anything is cut: half a credential is not found.
    const given = redacted(JSON.parse(JSON.stringify(outcome)) as Json);
    said.push(
      `Called ${skill.name} with ${JSON.stringify(redacted(input))}. It gave: ${JSON.stringify(given).slice(0, MAX_SHOWN)}`,
    );
  }
  return fail(failure("MODEL_ANSWER_INVALID", `The model did not come to an end in ${MAX_TURNS} turns`));
}

function inputFor(
  skills: readonly Skill[],
  call: { readonly skill: string; readonly input: string },
): Result<{ readonly skill: Skill; readonly input: Json }, string> {
  const skill = skills.find(({ name }) => name === call.skill);
  if (!skill) return fail("it is none of the skills that are shown");
  const read = parseJson(call.input);
  if (!read.ok) return fail(`the input is no JSON text: ${read.error.message}`);
  const checked = validatorOf(skill.contract.input)(structuredClone(read.value));
  if (checked.ok) return ok({ skill, input: read.value });
  return fail(
    `the input does not fit: ${checked.error.map(({ at, message }) => `${at} ${message}`).join("; ")}`,
  );
}

function instructionsFor(task: string): string {
  return [
    "You do a task for a person by calling skills, one at a time.",
    `The task: ${JSON.stringify(task)}`,
    "Take inputs from the task and from what earlier calls gave; ask for what neither tells, and make nothing up. Do no more than the task asks for. Where a skill that is shown gives the answer, call it rather than working it out.",
  ].join("\n\n");
}
