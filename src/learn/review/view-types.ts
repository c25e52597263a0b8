import type { ConditionTime } from "../../core/conditions/skill-condition.ts";
import type { SkillMatching } from "../../core/skill.ts";
import type { PlanCondition } from "../plan/plan.ts";
import type { ShownFlow } from "../../core/flow.ts";
import type { Json } from "../../core/json/json.ts";
import type { LateChoice } from "../edits/choices.ts";
import type { Comparison, Estimates } from "../drafts/best-run.ts";
import type { DraftConfidence } from "./draft-confidence.ts";
import type { Draft, HistoryEntry, Parent } from "../drafts/draft.ts";
import type { Offer } from "../drafts/offer/offer.ts";
import type { CutProposal } from "./cut-proposal.ts";
import type { Edit } from "../edits/edits.ts";
import type { FixedProposal } from "./fixed-proposal.ts";
import type { IdleProposal } from "./idle-proposal.ts";
import type { OpenQuestion } from "../plan/open-questions.ts";
import type { Recovery, ToolEffect } from "../plan/tool-effects.ts";
import type { Rung } from "../verify/evidence.ts";

/** All that a reviewer needs to know of a draft, as plain JSON. Long values are cut. */
export interface DraftView {
  readonly name: string;
  readonly state: Draft["state"];
  /** Whether it is worth to become a skill, and if not, why, and what would change it. */
  readonly offer: Offer;
  readonly description?: string | undefined;
  readonly digest: string;
  /** It has changed since it was verified. */
  readonly isStale: boolean;
  /** Somebody has written into its files. */
  readonly isEdited: boolean;
  /** Nothing in its calls comes from an answer, and it repeats nothing over a list. */
  readonly isRecording: boolean;
  /** What to look at first. */
  readonly attention: readonly Attention[];
  readonly evidence?: EvidenceView | undefined;
  readonly params: readonly ParamView[];
  readonly steps: readonly StepView[];
  /** What is the same in every run of the skill, whatever its input. */
  readonly constants: readonly ConstantView[];
  /** Where what tools have answered goes into calls that write. */
  readonly untrusted: readonly UntrustedFlow[];
  /** The same through skills that it calls, as far as it was verified. */
  readonly composed: readonly ShownFlow[];
  readonly confidence?: DraftConfidence | undefined;
  /** What the runs took. */
  readonly estimates?: Estimates | undefined;
  readonly matching?: SkillMatching | undefined;
  /** What is checked before and after each run. */
  readonly conditions: readonly (PlanCondition & { readonly when: ConditionTime })[];
  /** Recorded calls that the skill does not make. */
  readonly dropped: readonly DroppedCall[];
  /** What the user of the run only knew from an answer, and callers have to give. */
  readonly lateChoices: readonly Pick<LateChoice, "param" | "shownBy" | "writing">[];
  /** Steps that a person might leave out, and how. */
  readonly idle?: IdleProposal | undefined;
  /** Parameters that a person might make constants, and how. */
  readonly fixed?: FixedProposal | undefined;
  /** All that is proposed, to be taken at once. */
  readonly proposed?: ProposedEdits | undefined;
  /** Where it parts into two skills, if it asks its caller for too much. */
  readonly cut?: CutProposal | undefined;
  /** What its runs leave open: the plan has the safest reading until somebody, or another run, answers. */
  readonly questions: readonly QuestionView[];
  /** When the skill stops. */
  readonly guards: readonly string[];
  /** Calls that the runs have made again. */
  readonly recoveries: readonly Recovery[];
  readonly output: string;
  /** What is known of its tools, and by whose word; all others count as writing. */
  readonly effects: readonly ToolEffect[];
  /** The runs that it was learned from, and those that only tell where it stops. */
  readonly runs: readonly RunView[];
  /** The runs, drafts and skills that it came from. */
  readonly parents: readonly Parent[];
  readonly comparison?: Comparison | undefined;
  readonly history: readonly HistoryEntry[];
}

export interface ProposedEdits {
  /** Constants, then what is left out, then where it parts. */
  readonly edits: readonly Edit[];
  /** Whether it is offered with them; of parts that tells each itself. */
  readonly isOffered: boolean;
}

export interface RunView {
  readonly id: string;
  /** Whether it did what it was to do, as somebody has judged. */
  readonly outcome: "succeeded" | "failed" | "not known";
  /** By which judgement: `reward 0`. */
  readonly by?: string | undefined;
  readonly wentAnotherWay: boolean;
}

export interface Attention {
  readonly kind:
    | "missing-tool"
    | "unverified"
    | "written"
    | "failing"
    | "edited"
    | "hidden-text"
    | "untrusted-flow"
    | "failed-task"
    | "another-way"
    | "unknown-outcome"
    | "unknown-effect"
    | "told-to-read"
    | "constant-written"
    | "not-written"
    | "looks-like-id"
    | "must-fail"
    | "unused"
    | "looks-unused"
    | "looks-fixed"
    | "late-choice"
    | "too-many-decisions"
    | "unrelated-acts"
    | "recording"
    | "open-question"
    | "decided-by-model"
    | "no-held-out"
    | "weak-twins"
    | "no-description"
    | "bad-feedback";
  readonly text: string;
}

export interface EvidenceView {
  readonly verifiedAt: string;
  readonly rungs: readonly (Pick<Rung, "name" | "passed" | "of" | "low" | "changed" | "flows" | "untried"> & {
    /** How the first replay that failed differs. */
    readonly counterexample?: string | undefined;
  })[];
}

export interface ParamView {
  readonly name: string;
  readonly type: string;
  readonly description?: string | undefined;
  readonly isOptional: boolean;
  readonly default?: Json | undefined;
  readonly isSecret: boolean;
  readonly example?: Json | undefined;
  /** Where its value stood in the first run. */
  readonly origins: readonly string[];
}

export interface StepView {
  readonly name: string;
  /** How many loops it is in. */
  readonly depth: number;
  /** Nothing: it is a loop. */
  readonly tool?: string | undefined;
  /** Whether it may change the world: it does not only where somebody vouches for its tool, or for all in a loop. */
  readonly writes: boolean;
  /** What the call before must come to for this to be done. */
  readonly when?: string | undefined;
  /** In which way it must fail for the skill to go on. */
  readonly fails?: string | undefined;
  /** Nothing that the skill gives or writes depends on it. */
  readonly isUnused: boolean;
  /** The recorded calls that it is in the first run. */
  readonly calls: readonly number[];
  readonly arguments: readonly ArgumentView[];
}

export interface ArgumentView {
  /** With the step's name what an edit calls it by; empty: what a loop goes over. */
  readonly path: readonly (string | number)[];
  readonly kind: "parameter" | "constant" | "derived";
  readonly from: string;
  /**
   * For `derived`: `recorded` where exactly this value, which identifies something, was an earlier answer's, and the plan
   * takes it from there as it is; `inferred` where the plan also supposes which element was meant, how the value was made,
   * or that equal values are no chance.
   */
  readonly flow?: "recorded" | "inferred" | undefined;
  /** By which edits choose it, where it is one of those that synthesis sees. */
  readonly number?: number | undefined;
  readonly why?: string | undefined;
  readonly alternatives: readonly { readonly number: number; readonly from: string }[];
}

export interface QuestionView extends OpenQuestion {
  /** What the plan has; choosing it answers the question, too. */
  readonly now: { readonly choose?: number | "parameter" | "constant" | undefined; readonly from: string };
  /** What an edit of the kind `flow` may choose instead. */
  readonly readings: readonly { readonly choose: number | "parameter" | "constant"; readonly from: string }[];
}

export interface ConstantView {
  readonly step: string;
  readonly path: readonly (string | number)[];
  /** Which of the constants in the argument. */
  readonly constant: number;
  readonly value: Json;
  /** It goes into a call that writes. */
  readonly isWritten: boolean;
}

export interface UntrustedFlow {
  /** The step whose answer it is. */
  readonly from: string;
  readonly fromTool: string;
  readonly step: string;
  readonly tool: string;
  /** Empty: how often the call is made. */
  readonly path: readonly (string | number)[];
}

export interface DroppedCall {
  /** Counted from 0. */
  readonly trace: number;
  readonly call: number;
  readonly tool: string;
  readonly writes: boolean;
  readonly reason: string;
}
