import type { LanguageModel, ModelAnswer } from "../../core/language-model.ts";
import { quotedLine } from "../../core/text/display-text.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Failure } from "../../core/error.ts";
import type { Draft } from "../drafts/draft.ts";
import type { Edit } from "../edits/edits.ts";
import { type RevisedPlan, revisedPlan } from "../edits/revised-plan.ts";
import { isRecording } from "../plan/steps.ts";
import { differenceText } from "../review/difference-text.ts";
import type { Evidence, Rung } from "../verify/evidence.ts";
import { type AdvisedRun, modelContext } from "./execution-context.ts";
import {
  adviceSchema,
  type Advice,
  INSTRUCTIONS,
  type ModelRound,
  parsedAdvice,
  PROMPT_VERSION,
} from "./model-round.ts";

/** What rounds with a model need of the drafts. */
export interface AdviceServices {
  /** Verifies what the draft would be, and what would be split off, beside it: the draft stays as it is. */
  readonly tryOut: (draft: Draft, revised: RevisedPlan, by: string) => Promise<Result<TriedDrafts>>;
  /** Has the draft be what was tried, or stay as it is, and keeps the round with it. */
  readonly keep: (draft: Draft, round: ModelRound, by: string, tried?: Trial) => Promise<Result<Draft>>;
  readonly now: () => Date;
}

interface TriedDrafts {
  readonly draft: Draft;
  readonly parts: readonly Draft[];
}

export interface AdviceOptions {
  /** The runs that the draft was learned from, with all that was recorded of them. */
  readonly runs: readonly AdvisedRun[];
  readonly signal?: AbortSignal | undefined;
}

/** A draft after rounds with a model. */
export interface AdvisedResult {
  readonly draft: Draft;
  readonly rounds: readonly ModelRound[];
  /** Why there was no further round, where the model failed after one that was kept. */
  readonly stopped?: string | undefined;
}

const MAX_ROUNDS = 3;
/** About twelve thousand tokens. */
const MAX_CONTEXT = 40_000;

/**
 * Has a model revise a draft by edits, in at most three rounds. After each the draft is verified as if by nobody's word:
 * edits with which it does not hold at least as well as before are dropped, and the model is told how it differs. Where the model fails
 * before anything was kept, the draft stays as it was, and its failure is given.
 */
export async function adviseDraft(
  start: Draft,
  model: LanguageModel,
  services: AdviceServices,
  { runs, signal }: AdviceOptions,
): Promise<Result<AdvisedResult>> {
  let draft = start;
  let feedback: string | undefined;
  const rounds: ModelRound[] = [];
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const sent = modelContext(draft, runs, { maxCharacters: MAX_CONTEXT, isDraftTold: true, feedback });
    const answered = await model.answer({
      purpose: "revise-draft",
      instructions: INSTRUCTIONS,
      data: sent,
      schema: adviceSchema(),
      ...(signal ? { signal } : {}),
    });
    if (!answered.ok) {
      const isKept = rounds.some(({ outcome }) => outcome === "kept");
      return isKept ? ok({ draft, rounds, stopped: answered.error.message }) : answered;
    }
    const advice = parsedAdvice(answered.value.value);
    const by = `model ${answered.value.model}`;
    const tried = await triedAdvice(draft, advice, by, services);
    if (!tried.ok) return tried;
    const { outcome, why, refused } = tried.value;
    const done: ModelRound = { ...roundOf(answered.value, sent, services.now()), outcome, why };
    const kept = await services.keep(draft, done, by, tried.value.tried);
    if (!kept.ok) return kept;
    draft = kept.value;
    rounds.push(done);
    const isDone = outcome === "kept" && refused.length === 0 && !hasOpenQuestions(draft);
    if (outcome === "empty" || isDone) break;
    feedback = `Of your last answer: ${why}`;
  }
  return ok({ draft, rounds });
}

interface TriedAdvice {
  readonly outcome: ModelRound["outcome"];
  readonly why: string;
  readonly refused: readonly string[];
  readonly tried?: Trial | undefined;
}

async function triedAdvice(
  draft: Draft,
  { edits, why: reason }: Advice,
  by: string,
  services: AdviceServices,
): Promise<Result<TriedAdvice>> {
  if (edits.length === 0) return ok({ outcome: "empty", why: "It proposes nothing", refused: [] });
  const search = new EditSearch(draft, edits, by, services);
  const fault = await search.add([...edits.keys()]);
  if (fault) return fail(fault);
  const refused = [...search.leftOut]
    .toSorted(([a], [b]) => a - b)
    .map(([index, why]) => `Edit ${index + 1} (${edits[index]?.kind ?? ""}): ${why}`);
  const left = refused.length === 0 ? "" : ` Left out: ${refused.join("; ")}`;
  const { best } = search;
  if (!best) return ok({ outcome: "dropped", why: `Nothing is another than before.${left}`, refused });
  const said = reason === "" ? "" : ` (${quotedLine(reason, MAX_REASON)})`;
  return ok({
    outcome: "kept",
    why: `${edits.length - refused.length} of ${edits.length} edits are done${said}.${left}`,
    refused,
    tried: best,
  });
}

/** What a draft would be after edits, verified. */
interface Trial {
  readonly revised: RevisedPlan;
  readonly draft: Draft;
}

/** How often a round may be verified before all that has not been tried is left out. */
const MAX_TRIALS = 20;

/** The most of a round's edits with which nothing holds less than before: those that do not hold are found by halves. */
class EditSearch {
  /** The draft with all edits that hold so far. */
  best: Trial | undefined;
  /** Why edits are left out, by their numbers from 0. */
  readonly leftOut = new Map<number, string>();
  readonly #draft: Draft;
  readonly #edits: readonly Edit[];
  readonly #by: string;
  readonly #services: AdviceServices;
  #held: readonly number[] = [];
  #trials = 0;

  constructor(draft: Draft, edits: readonly Edit[], by: string, services: AdviceServices) {
    this.#draft = draft;
    this.#edits = edits;
    this.#by = by;
    this.#services = services;
  }

  /** Adds of these edits those that hold with those before. A failure: somebody else has changed the draft. */
  async add(numbers: readonly number[]): Promise<Failure | undefined> {
    const together = [...this.#held, ...numbers].toSorted((a, b) => a - b);
    const tried = await this.#try(together);
    if (!tried.ok) return tried.error;
    const { refused, fault, trial } = tried.value;
    if (fault === undefined) {
      if (trial) this.best = trial;
      this.#held = together.filter((number) => !refused.has(number));
      for (const [number, why] of refused) this.leftOut.set(number, why);
      return undefined;
    }
    const [only, ...others] = numbers;
    if (only !== undefined && others.length === 0) this.leftOut.set(only, fault);
    if (others.length === 0) return undefined;
    const half = Math.ceil(numbers.length / 2);
    return (await this.add(numbers.slice(0, half))) ?? this.add(numbers.slice(half));
  }

  async #try(numbers: readonly number[]): Promise<Result<TriedEdits>> {
    const edits = numbers.flatMap((number) => this.#edits[number] ?? []);
    const revised = revisedPlan(this.#draft, edits, { model: this.#by, isPartial: true });
    if (!revised.ok) return ok({ refused: new Map(), fault: revised.error.message });
    const refused = new Map(
      revised.value.refused.map(({ edit, why }) => [this.#edits.indexOf(edit), why] as const),
    );
    const before = this.best?.revised.plan ?? this.#draft.plan;
    if (JSON.stringify(revised.value.plan) === JSON.stringify(before)) return ok({ refused });
    if (++this.#trials > MAX_TRIALS)
      return ok({ refused, fault: `It was not tried: a round is verified ${MAX_TRIALS} times at most` });
    const tried = await this.#services.tryOut(this.#draft, revised.value, this.#by);
    if (tried.ok) {
      const { draft, parts } = tried.value;
      const found = [draft, ...parts].map((each) => whyWorse(this.best?.draft ?? this.#draft, each));
      const fault = found.find((each) => each !== undefined);
      return ok({ refused, fault, trial: { revised: revised.value, draft } });
    }
    // Somebody else has changed it: nothing that is known of it holds.
    const { code, message } = tried.error;
    return code === "DRAFT_CHANGED" || code === "DRAFT_BUSY" ? tried : ok({ refused, fault: message });
  }
}

interface TriedEdits {
  /** Edits that do not fit the plan, by their numbers. */
  readonly refused: ReadonlyMap<number, string>;
  /** Why it is worse than before with them. */
  readonly fault?: string | undefined;
  /** Undefined where nothing is another than before. */
  readonly trial?: Trial;
}

const MAX_REASON = 300;

/** In what a draft that was tried holds less than the one before, or nothing. */
function whyWorse(before: Draft, after: Draft): string | undefined {
  if (!after.evidence) return "It could not be verified";
  if (isRecording(after.plan.steps) && !isRecording(before.plan.steps))
    return "It would take nothing from answers any more";
  const rungs = before.evidence?.rungs ?? [];
  for (const was of rungs.filter(({ name }) => name !== "live")) {
    const is = after.evidence.rungs.find(({ name }) => name === was.name);
    if (!is || shareOf(is) < shareOf(was)) return failureText(was.name, is);
    if ((was.flows ?? 0) > 0 && is.flows === 0)
      return `The ${was.name} replay would show nothing any more: no value comes from answers`;
  }
  return undefined;
}

function shareOf({ passed, of }: Rung): number {
  return of === 0 ? 0 : passed / of;
}

function failureText(name: Rung["name"], rung: Evidence["rungs"][number] | undefined): string {
  const difference = rung?.counterexample && differenceText(rung.counterexample.difference);
  const held = rung ? `${rung.passed} of ${rung.of} hold` : "it was not reached";
  return `It does not pass "${name}" as the draft before did: ${held}${difference === undefined ? "" : `; first difference: ${difference}`}`;
}

function hasOpenQuestions({ plan }: Draft): boolean {
  return plan.questions?.some(({ decidedBy }) => decidedBy === undefined) ?? false;
}

function roundOf(
  { value, model, inputTokens, outputTokens, cost }: ModelAnswer,
  sent: string,
  now: Date,
): Omit<ModelRound, "outcome" | "why"> {
  return {
    at: now.toISOString(),
    model,
    promptVersion: PROMPT_VERSION,
    answer: value,
    sent,
    inputTokens,
    outputTokens,
    ...(cost === undefined ? {} : { cost }),
  };
}
