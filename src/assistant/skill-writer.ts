import type { Meaning } from "../catalog/meaning.ts";
import { searchSkills } from "../catalog/search-skills.ts";
import { failure } from "../core/error.ts";
import type { Json } from "../core/json/json.ts";
import { validatorOf } from "../core/json/json-schema.ts";
import { type LanguageModel, type ModelRequest, NO_MODEL } from "../core/language-model.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { hasCode, type Skill } from "../core/skill.ts";
import type { AnyDraft, WrittenDraft, WrittenFor } from "../learn/drafts/draft.ts";
import { rewriteDraft } from "../learn/drafts/draft-operations.ts";
import { evidenceFault } from "../learn/drafts/gate.ts";
import type { Extraction, UpstreamToolInfo } from "../learn/extraction.ts";
import { differenceText } from "../learn/review/difference-text.ts";
import { type CatalogExcerpt, catalogExcerpt, type WorkCatalog } from "./catalog-excerpt.ts";
import { WISH_ANSWER_SCHEMA, wishAnswer, type WrittenSkill, writtenFiles } from "./written-skill.ts";

export interface SkillWriterOptions {
  readonly extraction: Pick<Extraction, "drafts" | "verify">;
  readonly catalog: () => Promise<WorkCatalog>;
  /** The upstream tools, with what their servers say that they do. */
  readonly tools: () => Promise<readonly UpstreamToolInfo[]>;
  /** The model for one piece of work, where one is configured. */
  readonly model?: (() => LanguageModel) | undefined;
  readonly meaning?: Meaning | undefined;
}

/** Something that a skill should do. */
export interface SkillWish {
  readonly text: string;
  /** Who wishes. */
  readonly by: string;
  /** Whether a skill is written even where one does it already. */
  readonly anew?: boolean | undefined;
  /** In kebab-case; the model gives one by default. */
  readonly name?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Which model answers, what it has taken by now, and the draft that its answer mends. */
interface Writing {
  readonly model: string;
  readonly usage?: WrittenFor["usage"];
  readonly draft?: WrittenDraft | undefined;
}

/** What came of a wish. */
export type WishOutcome =
  /** There is what does it: a skill, or a draft that waits. */
  | {
      readonly kind: "existing";
      readonly skill: string;
      readonly isDraft: boolean;
      readonly reason: string;
      readonly input?: Json;
    }
  /** What was written; where something does not hold yet, that. */
  | {
      readonly kind: "draft";
      readonly draft: WrittenDraft;
      readonly attempts: number;
      readonly faults: readonly string[];
      /** Drafts that seem to do the same. */
      readonly similar: readonly string[];
    };

/** What a client's own model needs to answer a wish. */
export type WishRequest = Pick<ModelRequest, "instructions" | "data" | "schema">;

/**
 * Has a model write skills that somebody wishes for. What it writes is a draft: checked by type, run in the sandbox against
 * its cases and no tool, and no skill before a person has approved it.
 */
export class SkillWriter {
  readonly #options: SkillWriterOptions;

  constructor(options: SkillWriterOptions) {
    this.#options = options;
  }

  get hasModel(): boolean {
    return this.#options.model !== undefined;
  }

  /**
   * Has the configured model fulfil a wish; what it has written wrongly it may mend three times. Errors: `MODEL_NEEDED`
   * where no model is configured, other `MODEL_…`, `DRAFT_…`.
   */
  async fulfil(wish: SkillWish): Promise<Result<WishOutcome>> {
    const known = await this.#known(wish);
    if (known) return ok(known);
    const { model: open } = this.#options;
    if (!open) return fail(NO_MODEL);
    const model = open();
    const excerpt = await this.#excerpt(wish);
    const begun = await this.#writtenFor(wish);
    let last: Extract<WishOutcome, { readonly kind: "draft" }> | undefined;
    let usage: NonNullable<WrittenFor["usage"]> = { inputTokens: 0, outputTokens: 0 };
    let faults: readonly string[] = [];
    let before: Json | undefined;
    for (let attempts = 1; attempts <= 1 + MAX_REPAIRS; attempts++) {
      const request = requestOf(wish, excerpt, before === undefined ? undefined : { answer: before, faults });
      const answered = await model.answer({
        purpose: "new-skill",
        ...request,
        ...(wish.signal ? { signal: wish.signal } : {}),
      });
      // What is a draft by now stays one.
      if (!answered.ok)
        return last ? ok({ ...last, faults: [...last.faults, answered.error.message] }) : answered;
      const { value, model: name, inputTokens, outputTokens, cost } = answered.value;
      usage = {
        inputTokens: usage.inputTokens + inputTokens,
        outputTokens: usage.outputTokens + outputTokens,
        ...(cost === undefined ? {} : { cost: (usage.cost ?? 0) + cost }),
      };
      before = value;
      const taken = await this.#take(wish, excerpt, value, {
        model: name,
        usage,
        draft: last?.draft ?? begun,
      });
      if (!taken.ok) return taken;
      if (taken.value.kind === "refused") {
        faults = taken.value.faults;
        continue;
      }
      if (taken.value.kind === "existing") return ok(taken.value);
      last = { ...taken.value, attempts };
      faults = last.faults;
      if (faults.length === 0) return ok(last);
    }
    if (last) return ok(last);
    return fail(failure("MODEL_ANSWER_INVALID", `The model's answers are of no use: ${faults.join("; ")}`));
  }

  /** What a client's own model needs to answer the wish, or what there is already. */
  async request(
    wish: SkillWish,
  ): Promise<{ readonly kind: "request"; readonly request: WishRequest } | WishOutcome> {
    const known = await this.#known(wish);
    return known ?? { kind: "request", request: requestOf(wish, await this.#excerpt(wish)) };
  }

  /** Takes what a client's own model has answered: as a new draft, or in place of the one that waits for the same wish. */
  async accept(wish: SkillWish, answer: Json, model: string): Promise<Result<WishOutcome>> {
    const draft = await this.#writtenFor(wish);
    const taken = await this.#take(wish, await this.#excerpt(wish), answer, { model, draft });
    if (!taken.ok) return taken;
    if (taken.value.kind === "refused")
      return fail(failure("INPUT_INVALID", `The answer is not taken: ${taken.value.faults.join("; ")}`));
    return ok(taken.value);
  }

  async #excerpt({ text }: SkillWish): Promise<CatalogExcerpt> {
    return catalogExcerpt(await this.#options.catalog(), text, { meaning: this.#options.meaning });
  }

  /** What does it without doubt, as its words say: no model has to be asked. */
  async #known({
    text,
    anew = false,
  }: SkillWish): Promise<Extract<WishOutcome, { readonly kind: "existing" }> | undefined> {
    if (anew) return undefined;
    const wanted = plainWords(text);
    const { skills } = await this.#options.catalog();
    for (const { name, description, matching } of skills.values()) {
      const said = [name, description, ...(matching?.examples ?? [])].find(
        (each) => plainWords(each) === wanted,
      );
      if (said !== undefined)
        return { kind: "existing", skill: name, isDraft: false, reason: `It says of itself: ${said}` };
    }
    const draft = await this.#writtenFor({ text });
    if (!draft || evidenceFault(draft)?.code === "DRAFT_UNVERIFIED") return undefined;
    return {
      kind: "existing",
      skill: draft.name,
      isDraft: true,
      reason: "It was written for the same wish, and waits for a review",
    };
  }

  /** The draft that waits for the same wish. */
  async #writtenFor({ text, anew }: Pick<SkillWish, "text" | "anew">): Promise<WrittenDraft | undefined> {
    if (anew === true) return undefined;
    const wanted = plainWords(text);
    const written = (await this.#waiting()).filter((draft) => draft.kind === "written");
    return written.find((draft) => plainWords(draft.written.wish) === wanted);
  }

  async #waiting(): Promise<readonly AnyDraft[]> {
    const listed = await this.#options.extraction.drafts.list();
    const drafts = listed.ok ? listed.value.drafts : [];
    return drafts.filter(({ state }) => state === "draft" || state === "reviewed");
  }

  async #take(
    wish: SkillWish,
    excerpt: CatalogExcerpt,
    answer: Json,
    writing: Writing,
  ): Promise<Result<WishOutcome | { readonly kind: "refused"; readonly faults: readonly string[] }>> {
    const read = wishAnswer(answer);
    if (!read.ok) return ok({ kind: "refused", faults: [read.error] });
    if (read.value.kind === "existing") {
      const { skill: name, reason, input } = read.value;
      const fault =
        wish.anew === true ? "a new skill is wished for" : existingFault(excerpt.skills, name, input);
      return ok(
        fault === undefined
          ? { kind: "existing", skill: name, isDraft: false, reason, input }
          : { kind: "refused", faults: [`existing: ${fault}`] },
      );
    }
    const skill = { ...read.value.skill, name: wish.name ?? read.value.skill.name };
    const known = new Map((await this.#options.tools()).map((tool) => [tool.name, tool]));
    const fault = toolsFault(skill, known);
    if (fault !== undefined) return ok({ kind: "refused", faults: [fault] });
    return this.#draft(wish, skill, known, writing);
  }

  async #draft(
    { text: wish, by }: SkillWish,
    skill: WrittenSkill,
    known: ReadonlyMap<string, UpstreamToolInfo>,
    { model, usage, draft }: Writing,
  ): Promise<Result<WishOutcome>> {
    const { drafts } = this.#options.extraction;
    const written: WrittenFor = { wish, model, tools: skill.tools, ...(usage ? { usage } : {}) };
    const filesOf = (name: string): ReadonlyMap<string, string> =>
      writtenFiles({ ...skill, name }, (tool) => known.get(tool)?.isReadOnly === true);
    const similar = draft ? [] : await this.#similar(skill);
    const kept = draft
      ? await rewriteDraft(drafts, draft.name, {
          files: filesOf(draft.name),
          written,
          by,
          digest: draft.digest,
        })
      : await drafts.write({ name: skill.name, filesOf, written, by });
    if (!kept.ok) return kept;
    const verified = await this.#options.extraction.verify(kept.value.name, { by });
    if (!verified.ok) return verified;
    if (verified.value.kind !== "written") throw new Error("A draft that was written has become another");
    const failing = verified.value.evidence?.rungs.filter(({ passed, of }) => passed < of) ?? [];
    const faults = failing.map(({ name, counterexample }) =>
      counterexample ? differenceText(counterexample.difference) : `its ${name} do not hold`,
    );
    return ok({ kind: "draft", draft: verified.value, attempts: 1, faults, similar });
  }

  /** Drafts that wait and seem to do the same. */
  async #similar({ name, description }: WrittenSkill): Promise<readonly string[]> {
    const waiting = await this.#waiting();
    const described = new Map(
      waiting.map((draft) => {
        const said = draft.kind === "written" ? draft.written.wish : (draft.plan.description ?? "");
        return [draft.name, { name: draft.name, description: said }];
      }),
    );
    const words = `${name.replaceAll("-", " ")} ${description}`;
    const { items } = await searchSkills(described, words, MAX_SIMILAR, this.#options.meaning);
    return items.map((each) => each.name);
  }
}

const MAX_REPAIRS = 3;
const MAX_SIMILAR = 3;

/** A yes counts only of what was found, and with an input that it takes: whoever says yes to all has none. */
function existingFault(skills: readonly Skill[], name: string, input: Json): string | undefined {
  const skill = skills.find((each) => each.name === name);
  if (!skill) return `"${name}" is none of the skills that were shown`;
  if (!hasCode(skill)) return undefined;
  const checked = validatorOf(skill.contract.input)(structuredClone(input));
  return checked.ok
    ? undefined
    : `the input does not fit "${name}": ${checked.error.map(({ at, message }) => `${at} ${message}`).join("; ")}`;
}

function toolsFault(
  { tools }: WrittenSkill,
  known: ReadonlyMap<string, UpstreamToolInfo>,
): string | undefined {
  const unlisted = tools.find((tool) => /[*\s(),]/.test(tool) || !tool.includes("."));
  if (unlisted !== undefined) return `written.tools: "${unlisted}" is no name of one tool`;
  const unknown = tools.find((tool) => !known.has(tool));
  return unknown === undefined ? undefined : `written.tools: there is no upstream tool "${unknown}"`;
}

function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

interface Refused {
  readonly answer: Json;
  readonly faults: readonly string[];
}

function requestOf(
  { text, anew = false, name }: SkillWish,
  { text: shown }: CatalogExcerpt,
  refused?: Refused,
): WishRequest {
  const earlier = refused
    ? `\n\nYour earlier answer:\n${JSON.stringify(refused.answer)}\n\nWhat is wrong with it:\n${refused.faults.join("\n")}`
    : "";
  const instructions = [
    "You write skills: small TypeScript modules that run in a sandbox, called by others through their types.",
    `Somebody wishes for a skill. The wish: ${JSON.stringify(text)}`,
    anew
      ? "Write a new skill, even where one of those shown does it."
      : "If one of the skills shown does all of it, answer with `existing` and nothing else. A skill that does a part of it, or something near it, is no answer: call it from a new one.",
    ...(name === undefined ? [] : [`Its name is ${name}.`]),
    RULES,
    ...(refused
      ? [
          "Your earlier answer was not taken. What was wrong with it stands in the data. Answer anew, with the whole skill.",
        ]
      : []),
  ].join("\n\n");
  return { instructions, data: `${shown}${earlier}`, schema: WISH_ANSWER_SCHEMA };
}

const RULES = `The rules of skill.ts:
- export interface Input and export interface Output say what it takes and gives; both are objects. Doc comments become descriptions; tags such as @minimum 1, @pattern ^[A-Z]+$ and @default 0 are checked. Integer is a whole number.
- export default async function takes an Input and gives an Output. All code stands in this one file; there is nothing to import.
- The language is ECMAScript 2025 without Intl. There are no network, no files, no timers and no process.
- await call_skill("name", input) calls another skill, await call_tool("server.tool", args) an upstream tool; names are written as literals. Call what is shown where it fits, rather than doing it again. Call no tool that the wish does not need.
- Bad input that types cannot refuse is refused by throwing an Error that says what is wrong.
The cases are run against the code. In them no tool is really called: tell the answer of each call under \`tools\`. Values stand in them as JSON text.`;
