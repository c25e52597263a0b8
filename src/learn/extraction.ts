import { cp, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { failure } from "../core/error.ts";
import type { LanguageModel } from "../core/language-model.ts";
import type { JsonObject } from "../core/json/json.ts";
import { matchesGlob } from "../core/tools/glob.ts";
import { isSameName } from "../core/tools/name-keys.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Skill } from "../core/skill.ts";
import type { Trace } from "../core/trace-event.ts";
import type { Runner } from "../runner/runner.ts";
import { sessionTrace } from "../trace/record/session-trace.ts";
import type { TraceStore } from "../trace/trace-store.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { withQualifiedTools, readerWithQualifiedTools } from "./recording/qualified-tools.ts";
import { adviseDraft, type AdvisedResult, type AdviceServices } from "./advice/advise.ts";
import { runsOf } from "./advice/execution-context.ts";
import {
  bestRun,
  type Comparison,
  type Criterion,
  estimatesOf,
  type RunChoice,
  runSource,
  whyNotLearned,
} from "./drafts/best-run.ts";
import { type CodeSkill, codeSkill, codeSkillText } from "./executions/code-skill.ts";
import { type InstructionsSkill, instructionsSkill } from "./executions/instructions-skill.ts";
import type { AnyDraft, Draft, Parent, PromotionPolicy, WrittenDraft } from "./drafts/draft.ts";
import { type Reason, reasonedFailure, reasonOf } from "./drafts/reasons.ts";
import { Drafts, type NewDraft, traceDigest } from "./drafts/drafts.ts";
import { type PromotedSkill, Promotions } from "./drafts/promotions.ts";
import {
  type DraftAction,
  keepRound,
  reviewDraft,
  type Review,
  reviseDraft,
  verifyDraft,
  verifyWritten,
} from "./drafts/draft-operations.ts";
import type { DerivedDraft, EvidenceOptions } from "./verify/verification.ts";
import { planInput } from "./verify/parameter-values.ts";
import { replay, type Replay } from "./verify/replay.ts";
import { type MiningResult, mine, type MiningOptions } from "./mining/mine.ts";
import type { TraceExcerpt, TraceReader } from "./mining/occurrence-traces.ts";
import {
  joinedEffects,
  type MayWrite,
  mayWriteBy,
  operationOf,
  type ToolEffect,
} from "./plan/tool-effects.ts";
import { type RecordedTrace, recordedTrace, subTrace } from "./recording/recorded-trace.ts";
import type { Library } from "./reuse/library.ts";
import { skillCover } from "./reuse/skill-cover.ts";
import { mergeOf } from "./reuse/merge.ts";
import type { Edit } from "./edits/edits.ts";
import { type RevisedPlan, revisedPlan } from "./edits/revised-plan.ts";
import { reuseOf } from "./reuse/reuse.ts";
import type { ReplayServices } from "./reuse/replay-search.ts";
import { type ToolInfo, synthesise, type Synthesis, type SynthesisOptions } from "./synthesis/synthesise.ts";
import { idleCalls, draftPlan } from "./edits/idle-calls.ts";
import { learnedRuns } from "./verify/learned-runs.ts";
import { skillsOf, toolsOf, withSideSteps } from "./plan/steps.ts";
import type { Plan, Step } from "./plan/plan.ts";

export interface ExtractionOptions {
  /** Where drafts and versions are kept. */
  readonly data: string;
  /** Where promoted skills go. */
  readonly skillsFolder: string;
  readonly policy: PromotionPolicy;
  /** This program and its version, for the provenance of drafts. */
  readonly extractor?: string;
  /** The names of the upstream servers that are configured; without them no tool counts as missing. */
  readonly servers?: ReadonlySet<string>;
  readonly store: Pick<TraceStore, "runs" | "trace" | "usage">;
  readonly runner: Pick<Runner, "run">;
  /** The skills that there are. */
  readonly skills: () => Promise<ReadonlyMap<string, Skill>>;
  /** The upstream tools that are known, as `call_tool` names them. */
  readonly tools: () => Promise<readonly UpstreamToolInfo[]>;
  /** Has the servers list the tools of these names, so that they are known. */
  readonly listTools?: (called: ReadonlySet<string>) => Promise<void>;
  /** Derives the skill in a folder, as the catalog and the type checker do. */
  readonly derive: (folder: string) => Promise<Result<DerivedDraft>>;
  readonly stripTypes: ReplayServices["stripTypes"];
}

/** An upstream tool, as far as it is known. */
export interface UpstreamToolInfo extends ToolInfo {
  readonly outputSchema?: JsonSchema | undefined;
  readonly isReadOnly?: boolean | undefined;
  /** Whether its answers count as written by whoever asks. */
  readonly isTrusted?: boolean | undefined;
}

export interface ExtractOptions extends RunChoice {
  /** Whose work it is, for the draft's history. */
  readonly by: string;
  /** The skill's name, in kebab-case; the tools give one by default. */
  readonly name?: string | undefined;
  /** Whether the runs are attempts at the same task, of which only the best is learned from, and by what. */
  readonly best?: boolean | readonly Criterion[] | undefined;
  /** How many of the last runs are not learned from, and tell whether the draft does their work too. */
  readonly holdOut?: number | undefined;
  /** What was asked for, where runs do not tell it: what it says is asked for, and chosen by. */
  readonly task?: string | undefined;
  /** Globs of tools of which the caller says that they only read, where no server says otherwise. */
  readonly reads?: readonly string[] | undefined;
  /** Whether a draft is made even where a skill does the work already. */
  readonly anew?: boolean | undefined;
}

/** What came of runs: a skill that does their work already, or a draft; of a merge, the draft of that skill. */
export type ExtractionResult =
  | { readonly kind: "reuse"; readonly skill: string; readonly inputs: readonly JsonObject[] }
  | { readonly kind: "merge"; readonly skill: string; readonly draft: Draft }
  /** The run's work was code that the agent wrote: that code, with what it gave as its case. */
  | { readonly kind: "written"; readonly draft: WrittenDraft }
  | {
      readonly kind: "draft";
      readonly draft: Draft;
      readonly promoted?: PromotedSkill;
      /** Why the policy, where it is automatic, has not promoted it. */
      readonly waits?: string;
      /** The same as one of the reasons that there are. */
      readonly reason?: Reason;
    };

type SkillProposal = Extract<MiningResult["proposals"][number], { readonly kind: "skill" }>;

/** A replay, and what of. */
export interface SkillReplay extends Replay {
  readonly kind: "draft" | "skill";
  readonly input: JsonObject;
}

/** From recorded runs to skills: what exists is found, what does not is drafted, verified, reviewed and promoted. */
export class Extraction {
  readonly drafts: Drafts;
  readonly promotions: Promotions;
  readonly #options: ExtractionOptions;

  /** @internal */
  constructor(options: ExtractionOptions) {
    const { data, skillsFolder, policy, skills, servers } = options;
    this.#options = options;
    const ownerOf = async (name: string): Promise<string | undefined> =>
      (await skills()).values().find((skill) => isSameName(skill.name, name))?.path;
    const isTaken = async (name: string): Promise<boolean> => (await ownerOf(name)) !== undefined;
    this.drafts = new Drafts({ data, isTaken, servers });
    this.promotions = new Promotions({
      drafts: this.drafts,
      skills: skillsFolder,
      policy,
      ownerOf,
      writes: async (draft) => draft.kind === "written" || this.#writes(draft.plan),
    });
  }

  /** The trace of a run, or of all runs of a session, by its id. Errors: `RUN_NOT_FOUND`, `STORE_UNAVAILABLE`. */
  async trace(id: string): Promise<Result<Trace>> {
    const run = await this.#options.store.trace(id);
    if (!run.ok) return run;
    if (run.value) return ok(run.value);
    const session = await sessionTrace(this.#options.store, id);
    if (!session.ok) return session;
    return session.value
      ? ok(session.value)
      : fail(failure("RUN_NOT_FOUND", `There is no run and no session "${id}"`));
  }

  /**
   * Learns from runs of the same task, as they were recorded or imported: finds the skill that does their work already,
   * or makes a draft and verifies it. No model is asked and no tool is called; servers are asked for the tools they list.
   * Errors: `INPUT_INVALID` (no run, no call in common), `TRACE_UNSUCCESSFUL`, `INPUT_TOO_LARGE`, `DRAFT_BUSY`,
   * `DRAFTS_UNAVAILABLE`.
   */
  async extract(traces: readonly Trace[], options: ExtractOptions): Promise<Result<ExtractionResult>> {
    await this.#options.listTools?.(calledTools(traces));
    const mayWrite = mayWriteBy(effectsOf(await this.#options.tools()));
    const { task: asked } = options;
    const told = traces.map((trace) =>
      asked === undefined || trace.task !== undefined ? trace : Object.assign({}, trace, { task: asked }),
    );
    const taken = selectRuns(told, options, mayWrite);
    if (!taken.ok) return taken;
    const { traces: learned, comparison } = taken.value;
    const { incomplete, failed } = options;
    const about = {
      sources: learned.map(runSource),
      estimates: estimatesOf(learned, { incomplete, failed, mayWrite }),
    };
    const { holdOut = 0, anew = false, by } = options;
    if (holdOut >= learned.length)
      return fail(failure("INPUT_INVALID", `Of ${learned.length} runs fewer than that many can be held out`));
    const [one] = learned;
    const code = one && learned.length === 1 ? codeSkill(one) : undefined;
    if (one && code) return this.#writeCode(code, one, options);
    const text = one && learned.length === 1 ? instructionsSkill(one) : undefined;
    if (one && text) return this.#write(text, one, options);
    const recorded = await this.#withQualifiedTools(learned.map(recordedTrace));
    const known = recorded.slice(0, recorded.length - holdOut);
    const heldOut = recorded.slice(known.length);
    const tools = await this.#options.tools();
    const effects = joinedEffects(effectsOf(tools), toldToRead(recorded, options.reads));
    const synthesis = { tools, effects, ...(options.name === undefined ? {} : { name: options.name }) };
    if (!anew) {
      const library = await this.#library();
      const existing = await this.#reuseOrMerge(recorded, library, synthesis, by);
      if (existing) return existing;
      const composed = await this.#composition(known, library, synthesis);
      if (composed)
        return this.#createDraft(composed.synthesis, {
          known,
          heldOut: [],
          comparison,
          about,
          by,
          ...composed,
        });
    }
    const made = synthesise(known, synthesis);
    if (!made.ok) return made;
    return this.#createDraft(made.value, { known, heldOut, comparison, about, by });
  }

  /** The work that recurs in traces, with the skills that do it or would do it. @internal */
  async mine(
    source: TraceReader,
    options: Pick<MiningOptions, "least" | "limit"> = {},
  ): Promise<MiningResult> {
    const [tools, library] = [await this.#options.tools(), await this.#library()];
    const called = readerWithQualifiedTools(source, tools);
    const { servers } = this.#options;
    return mine(called, this.#options, { ...options, tools, effects: effectsOf(tools), library, servers });
  }

  /** Makes a draft of work that recurs in the traces. @internal */
  async draftOf(
    { synthesis, samples, heldOut }: SkillProposal,
    source: TraceReader,
    by: string,
  ): Promise<Result<ExtractionResult>> {
    const called = readerWithQualifiedTools(source, await this.#options.tools());
    const known = await tracesOf(samples, called);
    if (!known.ok) return known;
    const others = await tracesOf(heldOut, called);
    if (!others.ok) return others;
    return this.#createDraft(synthesis, { known: known.value, heldOut: others.value, by });
  }

  /**
   * Verifies a draft as it is now: its types, its own runs, their twins, runs that were held out, and its live runs; of one
   * that was written for a wish its types and its cases. A draft that does not hold is no error: its `evidence` has a rung for each check, with the first counterexample. Errors:
   * `DRAFT_NOT_FOUND`, `DRAFT_INVALID`, and `DRAFT_CHANGED` where it changes meanwhile.
   */
  async verify(
    name: string,
    action: DraftAction,
    heldOut?: readonly RecordedTrace[],
  ): Promise<Result<AnyDraft>> {
    const read = await this.drafts.readAny(name);
    if (!read.ok || read.value.kind === "learned") return this.#verifyLearned(name, action, heldOut);
    const { runner, derive } = this.#options;
    return verifyWritten(this.drafts, read.value, { runner, derive }, action);
  }

  async #verifyLearned(
    name: string,
    action: DraftAction,
    heldOut?: readonly RecordedTrace[],
  ): Promise<Result<Draft>> {
    const { runner, derive } = this.#options;
    const options = await this.#evidenceOptions(name, heldOut);
    return verifyDraft(this.drafts, name, { runner, derive }, action, options);
  }

  async #evidenceOptions(name: string, heldOut?: readonly RecordedTrace[]): Promise<EvidenceOptions> {
    const live = await this.#live(name);
    const others = heldOut ?? (await this.#heldOut(name));
    const effects = await this.#effects();
    const draft = await this.drafts.read(name);
    const told = draft.ok ? draft.value.plan.effects : undefined;
    return {
      heldOut: (await this.#withQualifiedTools(others)).map((trace) => ({
        digest: trace.id,
        trace,
        idle: idleCalls(trace, joinedEffects(effects, told)),
      })),
      effects,
      ...(live ? { live } : {}),
    };
  }

  /**
   * Changes a draft's plan, all edits or none, prints its files anew, and verifies it. Errors: `INPUT_INVALID` for an edit
   * that does not fit the plan, `DRAFT_CHANGED` for files that were edited by hand, `DRAFT_NOT_FOUND`.
   */
  async revise(name: string, edits: readonly Edit[], action: DraftAction): Promise<Result<Draft>> {
    const draft = await this.drafts.read(name);
    if (!draft.ok) return draft;
    const made = revisedPlan(draft.value, edits, action.isModel === true ? { model: action.by } : {});
    if (!made.ok) return made;
    const { plan, traces, parts = [] } = made.value;
    const split = await this.#createParts(draft.value, parts, action.by);
    if (!split.ok) return split;
    const why = [...(action.why === undefined ? [] : [action.why]), ...split.value.map(splitText)].join("; ");
    const revised = await reviseDraft(this.drafts, name, plan, {
      digest: draft.value.digest,
      ...action,
      ...(why === "" ? {} : { why }),
      rename: plan.name,
      traces,
    });
    // A run that was held out made the calls of all parts.
    return revised.ok
      ? this.#verifyLearned(revised.value.name, action, parts.length > 0 ? [] : undefined)
      : revised;
  }

  /**
   * Has a model revise a draft by edits, in at most three rounds; each is verified as every revision is, and dropped where
   * less holds than before. What was asked and what came of it is kept with the draft. The runs it was learned from are
   * told as they were recorded: `traces` are those that are not in the store. Errors: those of the model, after which the
   * draft is as it was; `DRAFT_STATE`, `DRAFT_CHANGED`, `DRAFT_NOT_FOUND`.
   */
  async advise(
    name: string,
    model: LanguageModel,
    { traces = [], signal }: { readonly traces?: readonly Trace[]; readonly signal?: AbortSignal } = {},
  ): Promise<Result<AdvisedResult>> {
    const read = await this.drafts.read(name);
    if (!read.ok) return read;
    const { state, isEdited, evidence } = read.value;
    if (state === "promoted" || state === "rejected")
      return fail(failure("DRAFT_STATE", `The draft "${name}" is ${state}: no model revises it`));
    if (isEdited)
      return fail(
        failure("DRAFT_CHANGED", `The files of "${name}" were edited by hand: a new plan would replace them`),
      );
    const draft = evidence ? read : await this.#verifyLearned(name, { by: `model ${model.name}` });
    if (!draft.ok) return draft;
    const ids = draft.value.provenance.traces.map(({ trace }) => trace.id);
    const given = new Set(traces.map(({ runId }) => runId));
    const stored = await Promise.all(ids.filter((id) => !given.has(id)).map(async (id) => this.trace(id)));
    const recorded = stored.flatMap((found) => (found.ok ? [found.value] : []));
    const runs = runsOf(draft.value, [...traces, ...recorded]);
    return adviseDraft(
      draft.value,
      model,
      { tryOut: this.#tryOut, keep: this.#keepRound, now: this.drafts.now },
      { runs, signal },
    );
  }

  /** Makes drafts of what is split off another, and verifies them. */
  async #createParts(
    { name, provenance }: Draft,
    parts: NonNullable<RevisedPlan["parts"]>,
    by: string,
  ): Promise<Result<readonly Draft[]>> {
    const { choices, dropped, sources, extractor, id } = provenance;
    const parents: readonly Parent[] = [{ kind: "draft", id, how: "split" }];
    const made: Draft[] = [];
    for (const { plan, sources: traces } of parts) {
      const about = { choices, dropped, sources, extractor, parents, by, why: `split off "${name}"` };
      const draft = await this.drafts.create({ ...about, plan, traces });
      if (!draft.ok) return draft;
      const verified = await this.#verifyLearned(draft.value.name, { by });
      if (!verified.ok) return verified;
      made.push(verified.value);
    }
    return ok(made);
  }

  /** The draft that another plan would make, verified in a folder of its own. */
  readonly #tryOut: AdviceServices["tryOut"] = async (draft, { plan, traces, parts = [] }, by) => {
    const { runner, derive, data } = this.#options;
    const { name, folder, digest } = draft;
    const rename = plan.name;
    const fault = rename === name ? undefined : await this.drafts.renameFault(name, rename);
    if (fault) return fail(fault);
    const options = await this.#evidenceOptions(name, parts.length > 0 ? [] : undefined);
    const trial = await mkdtemp(join(data, "trial-"));
    try {
      const drafts = new Drafts({ data: trial, servers: this.#options.servers });
      await cp(folder, join(drafts.root, name), { recursive: true });
      const revised = await reviseDraft(drafts, name, plan, { by, digest, rename, traces });
      if (!revised.ok) return revised;
      const verified = await verifyDraft(drafts, rename, { runner, derive }, { by }, options);
      if (!verified.ok) return verified;
      const others: Draft[] = [];
      for (const part of parts) {
        const made = await drafts.create({ plan: part.plan, traces: part.sources, by });
        const tried = made.ok
          ? await verifyDraft(drafts, made.value.name, { runner, derive }, { by }, options)
          : made;
        if (!tried.ok) return tried;
        others.push(tried.value);
      }
      return ok({ draft: verified.value, parts: others });
    } finally {
      await rm(trial, { recursive: true, force: true });
    }
  };

  readonly #keepRound: AdviceServices["keep"] = async (draft, round, by, tried) => {
    const split = await this.#createParts(draft, tried?.revised.parts ?? [], by);
    if (!split.ok) return split;
    const why = [round.why, ...split.value.map(splitText)].join(" ");
    return keepRound(this.drafts, draft, { ...round, why }, by, tried);
  };

  /**
   * Keeps a person's verdict on the draft that has the digest: an approved one may be promoted. Errors: `DRAFT_CHANGED`,
   * `DRAFT_UNVERIFIED`, `TOOL_NOT_FOUND` (it calls tools that no configured server has), `DRAFT_STATE`, `DRAFT_NOT_FOUND`.
   */
  async review(name: string, review: Review): Promise<Result<AnyDraft>> {
    return reviewDraft(this.drafts, name, review);
  }

  /**
   * Runs a draft, or a skill where there is no draft that waits, against the recorded answers of a trace. Unless told, its
   * input is what stood there where the draft's parameters come from. That it does another thing than was recorded is no
   * error but the replay's `difference`. Errors: `DRAFT_NOT_FOUND`, `SKILL_BROKEN`, `INPUT_INVALID`.
   */
  async replay(name: string, recorded: RecordedTrace, input?: JsonObject): Promise<Result<SkillReplay>> {
    const [trace = recorded] = await this.#withQualifiedTools([recorded]);
    const { runner, derive } = this.#options;
    const skills = await this.#options.skills();
    const read = await this.drafts.read(name);
    if (!read.ok && !skills.has(name))
      return fail({ ...read.error, message: `${read.error.message}, and no skill of this name` });
    const draft = read.ok ? read.value : undefined;
    const isWaiting = draft?.state === "draft" || draft?.state === "reviewed";
    const derived = draft && (isWaiting || !skills.has(name)) ? await derive(draft.folder) : undefined;
    if (derived?.ok === false) return derived;
    const [fault] = derived?.value.skills.has(name) === false ? derived.value.faults : [];
    if (fault !== undefined) return fail(failure("SKILL_BROKEN", fault));
    const traces = draft?.provenance.traces ?? [];
    const own = traces.find(({ digest }) => digest === traceDigest(trace));
    const found = draft && planInput(draft.plan, traces[0]?.trace ?? trace, trace);
    const given = input ?? own?.input ?? found;
    if (!given)
      return fail(failure("INPUT_INVALID", `"${name}" was not learned from runs: its input has to be given`));
    const replayable = { runner, name, skills: derived?.value.skills ?? skills };
    const idle = own ? [] : idleCalls(trace, joinedEffects(await this.#effects(), draft?.plan.effects));
    const replayed = await replay(replayable, trace, { input: given, calls: own?.calls, idle });
    return ok({ ...replayed, kind: derived ? "draft" : "skill", input: given });
  }

  async #effects(): Promise<readonly ToolEffect[]> {
    return effectsOf(await this.#options.tools());
  }

  async #withQualifiedTools(traces: readonly RecordedTrace[]): Promise<readonly RecordedTrace[]> {
    const known = await this.#options.tools();
    return traces.map((trace) => withQualifiedTools(trace, known));
  }

  async #reuseOrMerge(
    recorded: readonly RecordedTrace[],
    library: Library,
    known: Pick<SynthesisOptions, "tools" | "effects">,
    by: string,
  ): Promise<Result<ExtractionResult> | undefined> {
    const reuse = await reuseOf(recorded, library, this.#options, known.effects);
    if (reuse) return ok(reuse);
    const merge = await mergeOf(recorded, library, this.#options, known);
    if (!merge) return undefined;
    const { skill, synthesis, traces, inputs } = merge;
    // Origins are of the first that the plan was made of.
    const learned = synthesis.from.flatMap((index) => {
      const trace = traces[index];
      return trace ? [{ trace, input: inputs[index] }] : [];
    });
    const { plan, sources } = draftPlan(synthesis.plan, learned);
    const revised = await reviseDraft(this.drafts, skill, plan, {
      by,
      why: "another run does the same in another way: the skill becomes more general",
      traces: sources,
    });
    // A draft that somebody has written into is not replaced: there will be a new one.
    if (!revised.ok) return undefined;
    const verified = await this.#verifyLearned(skill, { by });
    return verified.ok ? ok({ kind: "merge", skill, draft: verified.value }) : verified;
  }

  /** A plan in which parts of the run that skills do already are calls of these. */
  async #composition(
    known: readonly RecordedTrace[],
    library: Library,
    options: SynthesisOptions,
  ): Promise<Composition | undefined> {
    const [trace, ...others] = known;
    if (!trace || others.length > 0) return undefined;
    const found = await skillCover(trace, library, this.#options);
    if (!found) return undefined;
    const skills = new Set(found.covers.map(({ skill }) => skill));
    const effects = joinedEffects(options.effects, skillEffects(skills, library.skills));
    const made = synthesise([found.trace], { ...options, effects });
    if (!made.ok) return undefined;
    const plan = { ...made.value.plan, steps: withSkillCalls(made.value.plan.steps, skills) };
    const input = Object.fromEntries(
      plan.params.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
    );
    return { synthesis: { ...made.value, plan }, input };
  }

  async #createDraft(
    synthesis: Synthesis,
    { known, heldOut, comparison, about, by, input }: DraftSources,
  ): Promise<Result<ExtractionResult>> {
    const found = sourcesOf(synthesis, known, input);
    const { plan, sources: traces } = draftPlan(found.plan, found.traces);
    const { extractor } = this.#options;
    const draft = await this.drafts.create({ ...found, ...about, plan, traces, comparison, by, extractor });
    if (!draft.ok) return draft;
    const verified = await this.#verifyLearned(draft.value.name, { by }, heldOut);
    if (!verified.ok) return verified;
    return this.#promoteIfAllowed(verified.value);
  }

  async #writeCode(
    { code, cases, inputs, failures, task }: CodeSkill,
    trace: Trace,
    options: ExtractOptions,
  ): Promise<Result<ExtractionResult>> {
    const filesOf = (name: string): ReadonlyMap<string, string> =>
      new Map([
        ["SKILL.md", codeSkillText(name, inputs, failures)],
        ["skill.ts", code],
        ["tests.yaml", cases],
      ]);
    return this.#write({ filesOf, task }, trace, options);
  }

  async #write(
    { filesOf, task, language }: Omit<InstructionsSkill, "language"> & { readonly language?: string },
    { runId, client = "an agent" }: Trace,
    { name: wanted = "agent-code", by }: ExtractOptions,
  ): Promise<Result<ExtractionResult>> {
    const written = await this.drafts.write({
      name: wanted,
      filesOf,
      written: { wish: task, model: client, tools: [], run: runId, ...(language ? { language } : {}) },
      by,
    });
    if (!written.ok) return written;
    const verified = await this.verify(written.value.name, { by });
    if (!verified.ok) return verified;
    return ok({ kind: "written", draft: verified.value.kind === "written" ? verified.value : written.value });
  }

  async #promoteIfAllowed(draft: Draft): Promise<Result<ExtractionResult>> {
    const promoted = await this.promotions.promote(draft.name, { by: "policy", digest: draft.digest });
    const read = await this.drafts.read(draft.name);
    if (!read.ok) return read;
    const draftOnly = { kind: "draft", draft: read.value } as const;
    if (promoted.ok) return ok({ ...draftOnly, promoted: promoted.value });
    const reason = reasonOf(promoted.error);
    const waiting = { ...draftOnly, ...(reason === undefined ? {} : { reason }) };
    if (this.#options.policy.review === "always") return ok(waiting);
    return ok({ ...waiting, waits: promoted.error.message });
  }

  /** Whether a plan calls anything that is not known to only look at the world: by its server's word, which nobody else's replaces. */
  async #writes({ steps, effects }: Plan): Promise<boolean> {
    const [tools, skills] = [await this.#options.tools(), await this.#options.skills()];
    const looking = new Set(tools.flatMap(({ name, isReadOnly }) => (isReadOnly === true ? [name] : [])));
    const isLooking =
      operationOf({ steps, effects }) === "READ" &&
      toolsOf(steps).every((name) => looking.has(name)) &&
      skillsOf(steps).every((name) => (skills.get(name)?.operation ?? "WRITE") !== "WRITE");
    return !isLooking;
  }

  async #library(): Promise<Library> {
    const listed = await this.drafts.list();
    const promoted = listed.ok
      ? listed.value.drafts
          .filter((draft) => draft.kind === "learned")
          .filter(({ state }) => state === "promoted")
      : [];
    return {
      skills: await this.#options.skills(),
      learnedSkills: new Map(
        promoted.map(({ name, plan, provenance }) => [name, { plan, traces: provenance.traces }]),
      ),
    };
  }

  /** The runs that were held out when the draft was verified before, as far as they are still recorded. */
  async #heldOut(name: string): Promise<readonly RecordedTrace[]> {
    const draft = await this.drafts.read(name);
    const ids = draft.ok ? (draft.value.provenance.evidence?.heldOut ?? []) : [];
    const found = await Promise.all(ids.map(async (id) => this.trace(id)));
    return found.flatMap((trace) => (trace.ok ? [recordedTrace(trace.value)] : []));
  }

  async #live(name: string): Promise<{ readonly passed: number; readonly of: number } | undefined> {
    const skill = (await this.#options.skills()).get(name);
    const usage = await this.#options.store.usage({ kind: "skill", name, byVersion: true });
    // What another version did says nothing of this one.
    const used = usage.ok ? usage.value.find(({ skillDigest }) => skillDigest === skill?.digest) : undefined;
    return skill && used && used.calls > 0
      ? { passed: used.completed, of: used.completed + used.failed }
      : undefined;
  }
}

function splitText({ name }: Draft): string {
  return `what was split off is the draft "${name}"`;
}

/** As the traces name them. */
function calledTools(traces: readonly Trace[]): ReadonlySet<string> {
  const events = traces.flatMap((trace) => trace.events.filter(({ eventType }) => eventType === "tool_call"));
  return new Set(events.map(({ agentName = "" }) => agentName));
}

interface DraftSources {
  readonly known: readonly RecordedTrace[];
  readonly heldOut: readonly RecordedTrace[];
  readonly comparison?: Comparison | undefined;
  readonly about?: Pick<NewDraft, "sources" | "estimates">;
  readonly by: string;
  /** The draft's input in the run, where its parameters did not all stand there. */
  readonly input?: JsonObject | undefined;
}

interface Composition {
  readonly synthesis: Synthesis;
  readonly input: JsonObject;
}

interface RunSelection {
  readonly traces: readonly Trace[];
  readonly comparison: Comparison | undefined;
}

/** Which runs are learned from: the best, or all; only those that succeeded, and of which nothing is lost unless asked. */
function selectRuns(
  traces: readonly Trace[],
  { best = false, incomplete, failed }: ExtractOptions,
  mayWrite: MayWrite,
): Result<RunSelection> {
  if (best !== false) {
    const criteria = best === true ? undefined : best;
    const chosen = bestRun(traces, criteria, { incomplete, failed, mayWrite });
    return chosen.ok ? ok({ traces: [chosen.value.best], comparison: chosen.value.comparison }) : chosen;
  }
  if (traces.length === 0)
    return fail(
      reasonedFailure("nothing-to-learn", "INPUT_INVALID", "A skill is learned from at least one run"),
    );
  for (const trace of traces) {
    const fault = whyNotLearned(trace, { incomplete, failed });
    if (fault) return fail(fault);
  }
  return ok({ traces, comparison: undefined });
}

async function tracesOf(
  parts: readonly TraceExcerpt[],
  source: TraceReader,
): Promise<Result<readonly RecordedTrace[]>> {
  const traces: RecordedTrace[] = [];
  for (const part of parts) {
    const trace = await source.one(part.trace);
    if (!trace) return fail(failure("RUN_NOT_FOUND", `There is no run "${part.trace}" any more`));
    traces.push(subTrace(trace, part.calls));
  }
  return ok(traces);
}

function sourcesOf(synthesis: Synthesis, traces: readonly RecordedTrace[], input: JsonObject | undefined) {
  const { plan, choices, dropped, contrasts, isUndecided } = synthesis;
  return {
    plan,
    choices: JSON.parse(JSON.stringify(choices)),
    dropped: JSON.parse(JSON.stringify(dropped)),
    contrasts: contrasts.flatMap((index) => traces[index]?.id ?? []),
    isUndecided,
    traces: learnedRuns(synthesis, traces, input),
  };
}

/** What servers and the configuration say of tools. */
function effectsOf(tools: readonly UpstreamToolInfo[]): readonly ToolEffect[] {
  return tools.flatMap(({ name, isReadOnly }) =>
    isReadOnly === undefined
      ? []
      : [
          {
            tool: name,
            operation: isReadOnly ? ("READ" as const) : ("WRITE" as const),
            by: "server" as const,
          },
        ],
  );
}

function toldToRead(traces: readonly RecordedTrace[], globs: readonly string[] = []): readonly ToolEffect[] {
  const called = new Set(traces.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
  return [...called].flatMap((tool) =>
    matchesGlob(tool, globs) ? [{ tool, operation: "READ", by: "reviewer" }] : [],
  );
}

function skillEffects(names: ReadonlySet<string>, skills: ReadonlyMap<string, Skill>): readonly ToolEffect[] {
  return [...names].map((name) => {
    const operation = skills.get(name)?.operation ?? "WRITE";
    return { tool: name, operation: operation === "WRITE" ? "WRITE" : "READ", by: "skill" };
  });
}

/** The steps, of which those that call one of the names call a skill. */
function withSkillCalls(steps: readonly Step[], names: ReadonlySet<string>): readonly Step[] {
  return steps.map((step) => {
    switch (step.kind) {
      case "call":
        return names.has(step.tool) ? Object.assign({}, step, { isSkill: true }) : step;
      case "loop":
        return Object.assign({}, step, { steps: withSkillCalls(step.steps, names) });
      case "guard":
      case "choice":
        return step;
      case "branch":
      case "switch":
        return withSideSteps(step, (inner) => withSkillCalls(inner, names));
    }
  });
}
