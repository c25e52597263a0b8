import { ZOD_MESSAGES } from "../../core/json/zod-messages.ts";
import { failure } from "../../core/error.ts";
import { withExpectations } from "../expectations/expected-answers.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Draft } from "../drafts/draft.ts";
import { isAbout, type OpenQuestion } from "../plan/open-questions.ts";
import { conditionFault } from "../plan/plan-conditions.ts";
import { PLAN, type Plan } from "../plan/plan.ts";
import { applyDrop, applyKeep, applyOutput } from "./call-edits.ts";
import { applyEffect } from "./effect-edits.ts";
import type { Edit, LeafPlace } from "./edits.ts";
import { leavesOfPlan, paramsIn } from "./plan-leaves.ts";
import { applyFlow, applyParameter } from "./flow-edits.ts";
import { applyFold } from "./structure/fold.ts";
import { applySplit } from "./structure/split.ts";
import { namedSteps } from "../plan/steps.ts";
import { modelRefusal } from "../advice/model-limits.ts";
import { applyCondition, applyDescription, applyMatching, applyRename } from "./name-edits.ts";
import { applyConstant, applyOptional, applyRequired } from "./param-edits.ts";
import type { SourceTrace } from "../recording/recorded-trace.ts";
import { invalidEdit, type RevisionContext, revisionContext } from "./revision-context.ts";

export interface RevisedPlan {
  readonly plan: Plan;
  /** What the draft was learned from, where that has changed too: which calls it makes, or what its inputs were. */
  readonly traces?: readonly SourceTrace[];
  /** What was split off: plans of drafts of their own, of the same runs. */
  readonly parts?: RevisionContext["parts"];
  /** Edits that were left out, and why. */
  readonly refused: readonly RefusedEdit[];
}

/** An edit that was left out, and why. */
interface RefusedEdit {
  readonly edit: Edit;
  readonly why: string;
}

export interface RevisionOptions {
  /** The model, or the client behind which one may be, by whom it is revised; a person unless told. */
  readonly model?: string | undefined;
  /** Whether edits that do not fit are left out, and the others done; by default none is done then. */
  readonly isPartial?: boolean | undefined;
}

/**
 * The plan of a draft after edits, one after the other: all of them, or none. A plan is never made of anything but what
 * the edits say and what synthesis has found in the draft's own runs.
 */
export function revisedPlan(
  draft: Pick<Draft, "plan" | "provenance">,
  edits: readonly Edit[],
  { model, isPartial = false }: RevisionOptions = {},
): Result<RevisedPlan> {
  const start = revisionContext(draft);
  let work = start;
  const refused: RefusedEdit[] = [];
  for (const [index, edit] of edits.entries()) {
    const refusal = model === undefined ? undefined : modelRefusal(edit, work);
    const done = refusal === undefined ? applyEdit(work, edit) : invalidEdit(refusal);
    if (done.ok) {
      work = withAnswered(done.value, edit, work.plan, model);
      continue;
    }
    const { message } = done.error;
    if (!isPartial) return fail(failure("INPUT_INVALID", `Edit ${index + 1} (${edit.kind}): ${message}`));
    refused.push({ edit, why: message });
  }
  const { error } = PLAN.safeParse(work.plan, ZOD_MESSAGES);
  if (error)
    return fail(failure("INPUT_INVALID", `The plan is not valid: ${error.issues[0]?.message ?? ""}`));
  const { sources } = work;
  const plan = withExpectations(work.plan, sources);
  const parts = work.parts?.map((part) => ({
    plan: withExpectations(part.plan, part.sources),
    sources: part.sources,
  }));
  const fault = conditionFault(plan);
  if (fault !== undefined) return fail(failure("INPUT_INVALID", fault));
  const isSame = sources.every((each, index) => each === start.sources[index]);
  return ok({ plan, refused, ...(isSame ? {} : { traces: sources }), ...(parts ? { parts } : {}) });
}

/**
 * What an edit says of an argument answers what was open of it. What a model says stays open, with its name, until a person
 * says it or runs do: also where nothing was open before.
 */
function withAnswered(
  context: RevisionContext,
  edit: Edit,
  before: Plan,
  model: string | undefined,
): RevisionContext {
  const { questions = [], ...rest } = context.plan;
  const answered = answeredPlaces(edit, before);
  const isAnswered = (question: OpenQuestion): boolean => answered.some((place) => isAbout(question, place));
  const open =
    model === undefined
      ? questions.filter((question) => !isAnswered(question))
      : [
          ...questions.map((question) =>
            isAnswered(question) ? Object.assign({}, question, { decidedBy: model }) : question,
          ),
          ...decidedPlaces(edit, answered, before, context.plan)
            .filter((place) => !questions.some((question) => isAbout(question, place)))
            .map(({ step, path }): OpenQuestion => ({
              kind: edit.kind === "fold" ? "element" : edit.kind === "flow" ? "source" : "constant",
              step,
              path,
              decidedBy: model,
            })),
        ];
  return { ...context, plan: open.length === 0 ? rest : { ...rest, questions: open } };
}

/** Where something is another than before, and not because the caller says it. */
function decidedPlaces(
  edit: Edit,
  answered: readonly LeafPlace[],
  before: Plan,
  after: Plan,
): readonly LeafPlace[] {
  if (edit.kind === "fold" && edit.over !== "") {
    const known = new Set(namedSteps(before.steps).map(({ name }) => name));
    return namedSteps(after.steps)
      .filter(({ kind, name }) => kind === "loop" && !known.has(name))
      .map(({ name }) => ({ step: name, path: [] }));
  }
  const isDecided =
    edit.kind === "constant" ||
    (edit.kind === "flow" && edit.choose !== "parameter") ||
    (edit.kind === "optional" && edit.default !== null);
  return isDecided ? answered : [];
}

function answeredPlaces(edit: Edit, before: Plan): readonly LeafPlace[] {
  switch (edit.kind) {
    case "flow":
    case "parameter":
      return [edit.leaf];
    case "constant":
    case "optional":
    case "required":
      return leavesOfPlan(before).filter(({ expression }) => paramsIn(expression).includes(edit.param));
    case "rename":
    case "describe":
    case "output":
    case "drop":
    case "fold":
    case "split":
    case "keep":
    case "effect":
    case "precondition":
    case "postcondition":
    case "category":
    case "tag":
    case "keyword":
    case "example":
      return [];
  }
}

function applyEdit(context: RevisionContext, edit: Edit): Result<RevisionContext> {
  switch (edit.kind) {
    case "rename":
      return applyRename(context, edit);
    case "describe":
      return applyDescription(context, edit);
    case "flow":
      return applyFlow(context, edit);
    case "parameter":
      return applyParameter(context, edit);
    case "constant":
      return applyConstant(context, edit);
    case "output":
      return applyOutput(context, edit);
    case "drop":
      return applyDrop(context, edit);
    case "fold":
      return applyFold(context, edit);
    case "split":
      return applySplit(context, edit);
    case "keep":
      return applyKeep(context, edit);
    case "optional":
      return applyOptional(context, edit);
    case "required":
      return applyRequired(context, edit);
    case "effect":
      return applyEffect(context, edit);
    case "precondition":
    case "postcondition":
      return applyCondition(context, edit.kind, edit);
    case "category":
    case "tag":
    case "keyword":
    case "example":
      return applyMatching(context, edit.kind, edit);
  }
}
