import { createHash, randomBytes, randomUUID } from "node:crypto";
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { isJsonObject } from "../core/json/json.ts";
import type { NeededChoice } from "../core/choice.ts";
import type { Consent } from "../learn/drafts/declined-reviews.ts";

/** What a person is asked to agree to. */
export interface Elicitation {
  readonly to: Consent | "run" | "call" | "answer";
  /** The draft or the skill. */
  readonly name: string;
  /** Of what would be agreed to: an answer holds for nothing else. */
  readonly digest: string;
  readonly message: string;
}

/** What a person says to a question; `asking` is the question itself, which the client puts to the person. */
export type ElicitationOutcome =
  | { readonly kind: "asking"; readonly question: InputRequiredResult }
  /** To keep things as they are is what somebody chooses who declines. */
  | { readonly kind: "answered"; readonly choice: Choice; readonly comment?: string | undefined }
  /** The person has closed the question without an answer. */
  | { readonly kind: "dismissed" }
  /** The client cannot put questions to a person. */
  | { readonly kind: "nobody" };

type Choice = Elicitation["to"] | "keep";

/** What a person is asked to choose, so that a run can go on. */
export interface ChoiceQuestion {
  readonly subject: ChoiceSubject;
  readonly message: string;
  readonly needed: NeededChoice;
  /** What was chosen before for the same run, by parameter. */
  readonly choices: Choices;
}

/** Of which call: an answer holds for no other. */
export type ChoiceSubject = Pick<Elicitation, "name" | "digest">;

export type Choices = Readonly<Record<string, string | number>>;

/** Who is asked. */
export interface ElicitationTarget {
  /** What the client can do: as it declared when it connected or, in revisions without connections, in the request. */
  readonly capabilities: unknown;
  readonly sessionId: string | undefined;
  /** Of a request that may bring answers. */
  readonly context: ServerContext | undefined;
}

const ANSWER_SECONDS = 3600;
const MAX_ANSWERED = 10_000;

const FORMS: Readonly<Record<Elicitation["to"], ReturnType<typeof form>>> = {
  run: form(["run", "keep"], '"run": the skill runs, this once, with this input. "keep": it does not.'),
  call: form(
    ["call", "keep"],
    '"call": the tool is called, once, with this input. "keep": the run goes on waiting.',
  ),
  answer: form(
    ["answer", "keep"],
    '"answer": the run goes on with this as what the tool answered. "keep": it goes on waiting.',
  ),
  approve: form(
    ["approve", "reject"],
    '"approve": the draft becomes a skill, and a tool, at once. "reject": it is set aside, and cannot become a skill as it is.',
  ),
  reject: form(
    ["reject", "keep"],
    '"reject": the draft is set aside, and cannot become a skill as it is. "keep": it goes on waiting.',
  ),
  revoke: form(
    ["revoke", "keep"],
    '"revoke": the skill, and its tool, are taken out of use at once. "keep": it stays in use.',
  ),
};

function form(choices: readonly Choice[], meaning: string) {
  const shape = z.object({
    verdict: z.enum(choices).describe(meaning),
    comment: z.string().max(2000).optional().describe("Why"),
  });
  return { meaning, shape };
}

/** Signed, and carried by the client: which question it was, and when it was put. */
interface ElicitationState {
  readonly about: string;
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** What is asked for, whether it is a number, and what was chosen before. */
  readonly choice?: {
    readonly parameter: string;
    readonly isNumber: boolean;
    readonly before: Choices;
  };
}

/**
 * Puts questions to the persons behind clients, in either protocol era. An answer counts once, for exactly the question
 * that was put, in the session in which it was put, and for an hour; anything else is no answer, and the question is
 * put again.
 */
export class Elicitations {
  readonly #codec = createRequestStateCodec<ElicitationState>({
    key: randomBytes(32),
    ttlSeconds: ANSWER_SECONDS,
  });
  /** When the questions were put that have been answered. */
  readonly #answered = new Map<string, number>();
  /** Of questions up to here it is not known any more whether they have been answered. */
  #forgotten = 0;

  async put(
    question: Elicitation,
    { capabilities, sessionId, context }: ElicitationTarget,
  ): Promise<ElicitationOutcome> {
    if (!canElicit(capabilities)) return { kind: "nobody" };
    const about = subjectOf(question, sessionId);
    const inputResponses = context?.mcpReq.inputResponses;
    const given = inputResponse(inputResponses, KEY);
    if (!context || given.kind !== "elicit" || !(await this.#take(context, about)))
      return this.#ask(question, about);
    switch (given.action) {
      case "decline":
        return { kind: "answered", choice: "keep" };
      case "cancel":
        return { kind: "dismissed" };
      case "accept": {
        const accepted = acceptedContent(inputResponses, KEY, FORMS[question.to].shape);
        if (!accepted) return { kind: "dismissed" };
        return { kind: "answered", choice: accepted.verdict, comment: accepted.comment };
      }
    }
  }

  /** Asks a person to choose; nothing where the client cannot. */
  async askForChoice(
    { subject, message, needed: { parameter, options }, choices }: ChoiceQuestion,
    { capabilities, sessionId }: ElicitationTarget,
  ): Promise<InputRequiredResult | undefined> {
    if (!canElicit(capabilities)) return undefined;
    const values = options.map(({ value }) => String(value));
    const choice = values.length <= MAX_LISTED ? z.enum(values) : z.string().max(MAX_CHOICE);
    const requestedSchema = z.object({ choice: choice.describe(parameter) });
    const request = inputRequired.elicit({ message, requestedSchema });
    const isNumber = options.every(({ value }) => typeof value === "number");
    const requestState = await this.#codec.mint({
      about: subjectOf({ to: "choose", ...subject }, sessionId),
      id: randomUUID(),
      at: Date.now(),
      choice: { parameter, isNumber, before: choices },
    });
    return inputRequired({ inputRequests: { [CHOICE_KEY]: request }, requestState });
  }

  /** What a person has chosen so far for a call; `isDeclined`: the last question was closed without a choice. */
  async choicesFor(
    subject: () => ChoiceSubject,
    { sessionId, context }: ElicitationTarget,
  ): Promise<{ readonly choices: Choices; readonly isDeclined: boolean }> {
    if (!context) return NOTHING_CHOSEN;
    const { inputResponses } = context.mcpReq;
    const given = inputResponse(inputResponses, CHOICE_KEY);
    if (given.kind !== "elicit") return NOTHING_CHOSEN;
    const state = await this.#take(context, subjectOf({ to: "choose", ...subject() }, sessionId));
    if (!state?.choice) return NOTHING_CHOSEN;
    const { parameter, isNumber, before } = state.choice;
    const shape = z.object({ choice: z.string().max(MAX_CHOICE) });
    const accepted =
      given.action === "accept" ? acceptedContent(inputResponses, CHOICE_KEY, shape) : undefined;
    if (!accepted) return { choices: before, isDeclined: true };
    const chosen = isNumber ? Number(accepted.choice) : accepted.choice;
    return { choices: { ...before, [parameter]: chosen }, isDeclined: false };
  }

  async #ask({ to, message }: Elicitation, about: string): Promise<ElicitationOutcome> {
    const { meaning, shape } = FORMS[to];
    const request = inputRequired.elicit({ message: `${message}\n\n${meaning}`, requestedSchema: shape });
    const requestState = await this.#codec.mint({ about, id: randomUUID(), at: Date.now() });
    return { kind: "asking", question: inputRequired({ inputRequests: { [KEY]: request }, requestState }) };
  }

  /** The state of a question of ours about this, with the first answer to it. */
  async #take(context: ServerContext, about: string): Promise<ElicitationState | undefined> {
    const given = context.mcpReq.requestState();
    if (typeof given !== "string" || !isCanonical(given)) return undefined;
    const state = await this.#codec.verify(given, context).catch(() => undefined);
    if (state?.about !== about || state.at <= this.#forgotten || this.#answered.has(state.id))
      return undefined;
    this.#answered.set(state.id, state.at);
    const [oldest] = this.#answered;
    if (oldest && this.#answered.size > MAX_ANSWERED) {
      this.#answered.delete(oldest[0]);
      this.#forgotten = Math.max(this.#forgotten, oldest[1]);
    }
    return state;
  }
}

const NOTHING_CHOSEN = { choices: {}, isDeclined: false } as const;
const KEY = "verdict";
const CHOICE_KEY = "choice";
/** Options that a form lists; of more, any text is taken, and the skill says whether it is one. */
const MAX_LISTED = 50;
const MAX_CHOICE = 1000;
const MAX_STATE = 10_000;

/** Whether the signature is written as we write it: in base64, other last characters can stand for the same bytes. */
function isCanonical(state: string): boolean {
  const signature = state.slice(state.lastIndexOf(".") + 1);
  return state.length <= MAX_STATE && Buffer.from(signature, "base64url").toString("base64url") === signature;
}

function subjectOf(
  { to, name, digest }: ChoiceSubject & { readonly to: string },
  sessionId: string | undefined,
): string {
  return createHash("sha256")
    .update(JSON.stringify([to, name, digest, sessionId ?? null]))
    .digest("base64url");
}

/** Whether the client can show a form to a person; it can where it tells no modes. */
function canElicit(capabilities: unknown): boolean {
  const { elicitation } = isJsonObject(capabilities) ? capabilities : {};
  return isJsonObject(elicitation) && ("form" in elicitation || !("url" in elicitation));
}
