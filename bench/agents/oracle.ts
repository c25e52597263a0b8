import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import type { LanguageModel, ModelRequest } from "../../src/core/language-model.ts";
import { ok } from "../../src/core/result.ts";
import type { Draft } from "../../src/learn/drafts/draft.ts";
import { evidenceFault } from "../../src/learn/drafts/gate.ts";
import type { Extraction } from "../../src/learn/extraction.ts";

/** How far drafts are, before anybody was asked, and after each round. */
export interface RoundCounts {
  drafts: number;
  "questions that nobody has answered": number;
  "parameters that callers have to give": number;
  "parameters without a description": number;
  "promotable by a person, with no question left": number;
}

/** After no round, one, two, three. */
export const roundCounts: readonly RoundCounts[] = [0, 1, 2, 3].map(() => ({
  drafts: 0,
  "questions that nobody has answered": 0,
  "parameters that callers have to give": 0,
  "parameters without a description": 0,
  "promotable by a person, with no question left": 0,
}));

/**
 * The upper bound of what a model could change: one that describes whatever has no description, and answers each question
 * with the first reading that asks nobody, or, where these do not verify, with the one that the draft has.
 */
export async function countRounds(extraction: Extraction, draft: Draft): Promise<void> {
  let now = draft;
  count(0, now);
  for (let round = 1; round < roundCounts.length; round++) {
    const advised = await extraction.advise(now.name, new OneRound(round > 1));
    if (advised.ok) now = advised.value.draft;
    count(round, now);
  }
}

function count(round: number, draft: Draft): void {
  const counts = roundCounts[round];
  if (!counts) return;
  const { params, questions = [] } = draft.plan;
  const open = questions.filter(({ decidedBy }) => decidedBy === undefined).length;
  counts.drafts++;
  counts["questions that nobody has answered"] += open;
  counts["parameters that callers have to give"] += params.filter(({ optional }) => optional !== true).length;
  counts["parameters without a description"] += params.filter(
    ({ description }) => description === undefined,
  ).length;
  if (open === 0 && !evidenceFault(draft)) counts["promotable by a person, with no question left"]++;
}

/** Answers once, and proposes nothing when it is asked again. */
class OneRound implements LanguageModel {
  readonly name = "oracle";
  readonly #isCareful: boolean;
  #isAsked = false;

  constructor(isCareful: boolean) {
    this.#isCareful = isCareful;
  }

  async answer({ data }: ModelRequest): ReturnType<LanguageModel["answer"]> {
    const edits = this.#isAsked ? [] : editsFor(shownDraft(data), this.#isCareful);
    this.#isAsked = true;
    const value: Json = { edits, why: "" };
    return Promise.resolve(ok({ value, model: this.name, inputTokens: 0, outputTokens: 0 }));
  }
}

function editsFor(draft: JsonObject, isCareful: boolean): readonly JsonObject[] {
  const answers = objectsIn(draft["open_questions"])
    .filter((question) => question["decidedBy"] === undefined)
    .map((question): JsonObject => {
      const { step = "", path = [], now, readings = [] } = question;
      const first = objectsIn(readings).find(({ choose }) => choose !== "parameter");
      const own = isJsonObject(now) ? now["choose"] : undefined;
      const choose = (isCareful ? own : (first?.["choose"] ?? own)) ?? "parameter";
      return { kind: "flow", leaf: { step, path }, choose };
    });
  const words = objectsIn(draft["parameters"])
    .filter(({ description }) => description === undefined)
    .map(({ name = "" }): JsonObject => ({
      kind: "describe",
      target: { kind: "param", name },
      text: `What ${JSON.stringify(name)} is`,
    }));
  return [...answers, ...words].slice(0, MAX_EDITS);
}

const MAX_EDITS = 100;

/** As the model is shown it: what was cut stands in it as texts. */
function shownDraft(data: string): JsonObject {
  const line: unknown = JSON.parse(/^## draft\n(.*)$/m.exec(data)?.[1] ?? "{}");
  return isJsonObject(line) ? line : {};
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((each) => isJsonObject(each)) : [];
}
