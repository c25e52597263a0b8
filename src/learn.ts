/** From traces to skills: `App.extraction` keeps drafts in folders, `synthesise` and `skillCode` need no folder at all. */
export type { ComposedFlow, FlowKind, FlowStep, ShownFlow } from "./core/flow.ts";
export type { LanguageModel, ModelAnswer, ModelRequest } from "./core/language-model.ts";
export type { AdvisedResult } from "./learn/advice/advise.ts";
export type { ModelRound } from "./learn/advice/model-round.ts";
export { skillCode } from "./learn/codegen/skill-code.ts";
export type {
  Branch,
  Comparison,
  Criterion,
  Estimates,
  RunChoice,
  RunSource,
  Spread,
} from "./learn/drafts/best-run.ts";
export type { DraftAction, Review } from "./learn/drafts/draft-operations.ts";
export type {
  AnyDraft,
  Draft,
  DraftFolder,
  DraftState,
  HistoryEntry,
  PromotionPolicy,
  Parent,
  Provenance,
  WrittenDraft,
  WrittenFor,
} from "./learn/drafts/draft.ts";
export type { DraftList, Drafts } from "./learn/drafts/drafts.ts";
export type { PromotedSkill, Promotions } from "./learn/drafts/promotions.ts";
export type { LateChoice } from "./learn/edits/choices.ts";
export type { Obstacle, Offer } from "./learn/drafts/offer/offer.ts";
export type { Edit } from "./learn/edits/edits.ts";
export type { ExtractionResult, Extraction, ExtractOptions, SkillReplay } from "./learn/extraction.ts";
export type {
  BranchSide,
  BranchStep,
  SwitchCase,
  SwitchStep,
  CallStep,
  ChoiceStep,
  ComparisonOperator,
  Condition,
  InnerCondition,
  ValueCondition,
  Joins,
  Expression,
  Field,
  GuardStep,
  LoopStep,
  Origin,
  PlanOutput,
  Param,
  ArithmeticOperator,
  Plan,
  PlanCondition,
  Step,
  TracePath,
} from "./learn/plan/plan.ts";
export type { ValueKind } from "./learn/expectations/value-kind.ts";
export type { Path } from "./learn/plan/values.ts";
export type { OpenQuestion } from "./learn/plan/open-questions.ts";
export type { MayWrite, Recovery, ToolEffect } from "./learn/plan/tool-effects.ts";
export { type Reason, reasonOf, REASONS } from "./learn/drafts/reasons.ts";
export type { OmittedCall } from "./learn/recording/kept-calls.ts";
export {
  type OwnTrace,
  type RecordedCall,
  type RecordedTrace,
  recordedTrace,
  type SourceTrace,
  type Turn,
} from "./learn/recording/recorded-trace.ts";
export type { CutProposal } from "./learn/review/cut-proposal.ts";
export type { FixedProposal } from "./learn/review/fixed-proposal.ts";
export type { IdleProposal, IdleStep } from "./learn/review/idle-proposal.ts";
export { type DraftReview, draftReview } from "./learn/review/draft-review.ts";
export type { DraftConfidence } from "./learn/review/draft-confidence.ts";
export { draftText, draftView } from "./learn/review/draft-view.ts";
export type { WrittenView } from "./learn/review/written-view.ts";
export type {
  ArgumentView,
  Attention,
  ConstantView,
  DraftView,
  DroppedCall,
  EvidenceView,
  ParamView,
  ProposedEdits,
  QuestionView,
  RunView,
  StepView,
  UntrustedFlow,
} from "./learn/review/view-types.ts";
export type { Choice } from "./learn/synthesis/argument-decider.ts";
export {
  type Synthesis,
  synthesise,
  type SynthesisLimits,
  type SynthesisOptions,
  type ToolInfo,
} from "./learn/synthesis/synthesise.ts";
export type {
  Counterexample,
  Evidence,
  FaultOutcome,
  ReplayDifference,
  Rung,
  RungName,
  TwinChanges,
} from "./learn/verify/evidence.ts";
export type {
  BlockPart,
  Delimiter,
  KnownLine,
  Surroundings,
  LabelledField,
  ListMark,
  Template,
  TemplateField,
  SectionPart,
  TextForm,
  TextReading,
  LastMark,
} from "./learn/texts/text-form.ts";
export type { PieceKind } from "./learn/texts/text-piece.ts";
export type { SlugSeparator } from "./learn/plan/text-part.ts";
export type { HeadingMark } from "./learn/texts/text-sections.ts";
export type { PathMark } from "./learn/texts/text-tree.ts";
export type { AmountForm } from "./learn/texts/written-values.ts";
export type { JsonDifference } from "./learn/verify/json-difference.ts";
export type { Replay, ReplayedCall } from "./learn/verify/replay.ts";
