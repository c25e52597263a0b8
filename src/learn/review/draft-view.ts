import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { comparisonsIn, subexpressions } from "../plan/expression.ts";
import { descriptionOf } from "../drafts/draft-files.ts";
import type { Draft } from "../drafts/draft.ts";
import { offerOf } from "../drafts/gate.ts";
import type { Evidence, Rung } from "../verify/evidence.ts";
import { type MayWrite, mayWriteBy, recoveriesOf } from "../plan/tool-effects.ts";
import type { ChoiceStep, Expression, Origin, Param, Plan, Step } from "../plan/plan.ts";
import { keptCalls, transientFailures } from "../recording/kept-calls.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { conditionsOf } from "../plan/plan-conditions.ts";
import { idleSteps } from "../plan/idle-steps.ts";
import { lateChoices } from "../edits/choices.ts";
import { Alternatives, valueIn } from "../edits/alternatives.ts";
import { isSame, isSpecific } from "../plan/values.ts";
import { attentionFor } from "./attention.ts";
import { differenceText } from "./difference-text.ts";
import { conditionText, expressionText, pathText, valueText } from "./expression-text.ts";
import { type Leaf, leavesOfPlan, leavesOfStep } from "../edits/plan-leaves.ts";
import { expressionsOf, hasName, isRecording, namedSteps, stepsWithin } from "../plan/steps.ts";
import { plainLine } from "../../core/text/display-text.ts";
import { draftCalls, type RecordedRun } from "../edits/recorded-run.ts";
import { isSameExpression, recordedCalls } from "../edits/translation.ts";
import { confidenceOf } from "./draft-confidence.ts";
import { cutProposal } from "./cut-proposal.ts";
import type { Edit } from "../edits/edits.ts";
import { revisedPlan } from "../edits/revised-plan.ts";
import { fixedProposal } from "./fixed-proposal.ts";
import { idleProposal } from "./idle-proposal.ts";
import { untrustedFlows } from "./untrusted-flows.ts";
import type {
  ArgumentView,
  ConstantView,
  DraftView,
  DroppedCall,
  EvidenceView,
  ParamView,
  ProposedEdits,
  RunView,
  QuestionView,
  StepView,
} from "./view-types.ts";
import {
  firstTrace,
  recordedRuns,
  type RevisionContext,
  revisionContext,
} from "../edits/revision-context.ts";

export { draftText } from "./draft-text.ts";

/** What a draft is and what is known of it, for those who review it. */
export function draftView(draft: Draft): DraftView {
  const { plan, provenance, evidence } = draft;
  const writes = mayWriteBy(plan.effects);
  const work = revisionContext(draft);
  const [run = new Map()] = recordedRuns(work);
  const steps = stepViews(work, run, writes);
  const offer = offerOf(draft);
  const idle = idleProposal(plan, run, firstTrace(work), writes);
  const fixed = fixedProposal(plan, firstTrace(work));
  const view: Omit<DraftView, "attention"> = {
    name: draft.name,
    state: draft.state,
    offer,
    description: descriptionOf(plan),
    digest: draft.digest,
    isStale: draft.isStale,
    isEdited: draft.isEdited,
    isRecording: !draft.isEdited && isRecording(plan.steps),
    ...(evidence ? { evidence: evidenceView(evidence) } : {}),
    params: plan.params.map((param) => paramView(param, firstTrace(work))),
    steps,
    questions: questionViews(plan, steps),
    constants: constantsIn(plan, writes),
    untrusted: untrustedFlows(plan, writes),
    composed: evidence?.flows ?? [],
    confidence: confidenceOf(draft),
    estimates: provenance.estimates,
    ...(plan.matching && { matching: plan.matching }),
    conditions: conditionsOf(plan),
    dropped: droppedCalls(work, writes),
    lateChoices: lateChoices(work).map(({ param, shownBy, writing }) => ({ param, shownBy, writing })),
    idle,
    fixed,
    proposed: proposedEdits(draft, fixed?.edits ?? []),
    cut: cutProposal(plan),
    guards: guardTexts(plan.steps),
    output: expressionText(plan.output.value),
    effects: plan.effects ?? [],
    runs: runViews(provenance),
    recoveries: recoveriesOf(plan),
    parents: provenance.parents ?? [],
    comparison: provenance.comparison,
    history: provenance.history,
  };
  return { ...view, attention: attentionFor(view, draft) };
}

function choiceText({ chosen, in: options, path }: ChoiceStep): string {
  return `${expressionText(chosen)} is none of ${expressionText(options)}${pathText(path)}, from which the person chooses`;
}

function guardTexts(steps: readonly Step[]): readonly string[] {
  return steps.flatMap((step) => {
    switch (step.kind) {
      case "guard":
        return [`${expressionText(step.value)} is not ${expressionText(step.equals)}`];
      case "choice":
        return [choiceText(step)];
      case "call":
        return step.fails === undefined ? [] : [`${step.name} does not fail with ${valueText(step.fails)}`];
      case "loop": {
        const wanted = step.until?.map(conditionText).join(" and ");
        const ends =
          wanted === undefined ? [] : [`nothing of ${expressionText(step.over)} leads to ${wanted}`];
        return [...guardTexts(step.steps), ...ends];
      }
      case "branch":
        return [
          `${step.call.name} fails otherwise than with ${valueText(step.fails)}`,
          ...guardTexts(stepsWithin(step)),
        ];
      case "switch":
        return [
          `${expressionText(step.value)} is none of ${step.cases.map(({ equals }) => valueText(equals)).join(", ")}`,
          ...guardTexts(stepsWithin(step)),
        ];
    }
  });
}

export function evidenceView({ verifiedAt, rungs }: Evidence): EvidenceView {
  return { verifiedAt, rungs: rungs.map(rungView) };
}

function rungView({ counterexample, ...rung }: Rung): EvidenceView["rungs"][number] {
  return {
    ...rung,
    ...(counterexample ? { counterexample: differenceText(counterexample.difference) } : {}),
  };
}

function runViews({ traces, contrasts = [] }: Draft["provenance"]): readonly RunView[] {
  return [
    ...traces.map(({ trace: { id, judgement } }): RunView => ({
      id,
      outcome: judgement === undefined ? "not known" : judgement.isSuccess ? "succeeded" : "failed",
      ...(judgement === undefined ? {} : { by: judgement.by }),
      wentAnotherWay: false,
    })),
    ...contrasts.map((id): RunView => ({ id, outcome: "not known", wentAnotherWay: true })),
  ];
}

const MAX_VALUE = 500;

function shown(value: Json): Json {
  return JSON.stringify(value).length <= MAX_VALUE ? value : valueText(value);
}

function paramView(param: Param, trace: RecordedTrace): ParamView {
  const { name, description, schema, example, optional, secret } = param;
  return {
    name,
    type: typeText(schema),
    ...(description === undefined ? {} : { description }),
    isOptional: optional === true,
    isSecret: secret === true,
    ...(param.default === undefined ? {} : { default: shown(param.default) }),
    ...(example === undefined ? {} : { example: shown(example) }),
    origins: param.origins.slice(0, MAX_ORIGINS).map((origin) => originText(origin, trace)),
  };
}

const MAX_ORIGINS = 20;

function originText({ call, at, path, within = [] }: Origin, { calls }: RecordedTrace): string {
  const what = within.length > 0 ? `${pathText(within)} of it: ` : "";
  const tool = plainLine(calls[call]?.tool ?? "");
  const where = at === "args" ? "argument" : "in the result, at";
  return `${what}call ${call}, ${tool}, ${where} ${pathText(path).replace(/^\./, "") || "all of it"}`;
}

/** A schema as a word or two. */
function typeText(schema: JsonSchema): string {
  const { type, enum: values, items } = schema;
  if (Array.isArray(values)) return values.map((value) => valueText(value)).join(" | ");
  if (Array.isArray(type)) return type.map(String).join(" or ");
  if (type === "array") return isJsonObject(items) ? `list of ${typeText(items)}` : "list";
  return typeof type === "string" ? plainLine(type) : "anything";
}

function stepViews(context: RevisionContext, run: RecordedRun, writes: MayWrite): readonly StepView[] {
  const alternatives = new Alternatives(context, run);
  const leaves = Map.groupBy(leavesOfPlan(context.plan), ({ step }) => step);
  const unused = new Set(idleSteps(context.plan, mayWriteBy(context.plan.effects)));
  const views = (steps: readonly Step[], depth: number): readonly StepView[] =>
    steps.flatMap((step) => {
      if (!hasName(step)) return [];
      const side = (inner: readonly Step[], when: string) =>
        views(inner, depth + 1).map((view): StepView => Object.assign({ when }, view));
      if (step.kind === "branch") {
        return [
          ...views([step.call], depth),
          ...side(step.failed.steps, `${step.call.name} fails with ${valueText(step.fails)}`),
          ...side(step.succeeded.steps, `${step.call.name} succeeds`),
        ];
      }
      if (step.kind === "switch")
        return step.cases.flatMap(({ steps: inner, equals }) =>
          side(inner, `${expressionText(step.value)} is ${valueText(equals)}`),
        );
      const inner = step.kind === "loop" ? views(step.steps, depth + 1) : [];
      const own: StepView = {
        name: step.name,
        depth,
        ...(step.kind === "call" ? { tool: step.tool } : {}),
        writes: step.kind === "call" ? writes(step.tool) : inner.some((each) => each.writes),
        ...(step.kind === "call" && step.fails !== undefined ? { fails: plainLine(step.fails) } : {}),
        isUnused: unused.has(step.name),
        calls: recordedCalls(step, run),
        arguments: (leaves.get(step.name) ?? []).map((leaf) =>
          argumentView(
            leaf,
            alternatives,
            (run.get(leaf.step) ?? []).map((execution) => valueIn(context, leaf, execution)),
          ),
        ),
      };
      return [own, ...inner];
    });
  return views(context.plan.steps, 0);
}

/** A question about an argument that is not in the plan any more is none. */
function questionViews({ questions = [] }: Plan, steps: readonly StepView[]): readonly QuestionView[] {
  return questions.flatMap((question) => {
    const step = steps.find(({ name }) => name === question.step);
    const found = step?.arguments.find(({ path }) => isSame([...path], [...question.path]));
    if (!found) return [];
    const { kind, number, from, alternatives } = found;
    const now = number ?? (kind === "derived" ? undefined : kind);
    return [
      {
        ...question,
        now: { ...(now === undefined ? {} : { choose: now }), from },
        readings: [
          ...alternatives.map((each) => ({ choose: each.number, from: each.from })),
          ...(kind === "parameter" ? [] : [{ choose: "parameter" as const, from: "what the caller gives" }]),
        ],
      },
    ];
  });
}

function argumentView(
  { expression, ...leaf }: Leaf,
  alternatives: Alternatives,
  values: readonly (Json | undefined)[],
): ArgumentView {
  const found = alternatives.of(leaf);
  const now = found.find((each) => isSameExpression(each.expression, expression));
  const kind = kindOf(expression);
  return {
    path: leaf.path,
    kind,
    from: expressionText(expression),
    ...(kind === "derived" ? { flow: flowOf(expression, values) } : {}),
    ...(now === undefined ? {} : { number: now.number }),
    ...(now?.why === undefined ? {} : { why: now.why }),
    alternatives: found
      .filter((each) => each !== now)
      .map(({ number, expression: other }) => ({ number, from: expressionText(other) })),
  };
}

/** Whether the run shows a flow, or it is supposed. */
function flowOf(expression: Expression, values: readonly (Json | undefined)[]): "recorded" | "inferred" {
  const isTaken = subexpressions(expression).every(({ kind }) => kind === "ref" || kind === "field");
  const isTold = values.length > 0 && values.every((value) => typeof value === "string" && isSpecific(value));
  return isTaken && isTold ? "recorded" : "inferred";
}

function kindOf(expression: Expression): ArgumentView["kind"] {
  // A field of what the caller gives is given, too.
  if (expression.kind === "field" && expression.of.kind === "param") return "parameter";
  return expression.kind === "param" ? "parameter" : expression.kind === "constant" ? "constant" : "derived";
}

function constantsIn({ steps }: Plan, writes: MayWrite): readonly ConstantView[] {
  return namedSteps(steps).flatMap((step) => {
    const isWritten = step.kind === "call" && writes(step.tool);
    const tags = new Set(expressionsOf(step).flatMap(subexpressions).flatMap(tagsOf));
    return leavesOfStep(step).flatMap(({ path, expression }) => {
      const choosing = new Set(subexpressions(expression).flatMap(comparedIn));
      return subexpressions(expression)
        .filter((part) => part.kind === "constant")
        .flatMap((part, index) => {
          if (tags.has(part)) return [];
          const isSaid = isWritten && !choosing.has(part);
          return [
            { step: step.name, path, constant: index + 1, value: shown(part.value), isWritten: isSaid },
          ];
        });
    });
  });
}

/** What the elements that are taken are told from others by. */
function comparedIn(expression: Expression): readonly Expression[] {
  return expression.kind === "find" || expression.kind === "filter"
    ? comparisonsIn(expression.where).flatMap(({ equals }) => subexpressions(equals))
    : [];
}

/** The edits, with those that leave out what is then idle and, where it is still not offered, part it. */
function proposedEdits(draft: Draft, constants: readonly Edit[]): ProposedEdits | undefined {
  const made = revisedPlan(draft, constants);
  if (!made.ok) return undefined;
  const work = revisionContext({ ...draft, plan: made.value.plan });
  const [run = new Map()] = recordedRuns(work);
  const writes = mayWriteBy(work.plan.effects);
  const dropping = idleProposal(work.plan, run, firstTrace(work), writes)?.edits ?? [];
  const edits = [...constants, ...dropping];
  const planWith = (all: readonly Edit[]): Plan | undefined => {
    const done = revisedPlan(draft, all);
    return done.ok ? done.value.plan : undefined;
  };
  const plan = planWith(edits);
  if (!plan) return undefined;
  const isOffered = (one: Plan): boolean => offerOf({ ...draft, plan: one }).isOffered;
  const cut = isOffered(plan) ? undefined : cutProposal(plan)?.edit;
  if (cut && planWith([...edits, cut])) return { edits: [...edits, cut], isOffered: false };
  if (edits.length === 0) return undefined;
  // That a value of one run is always so, is a guess: it makes no draft worth more.
  const guessless = planWith(dropping);
  return { edits, isOffered: isOffered(plan) && guessless !== undefined && isOffered(guessless) };
}

/** The constants in an object that say which of its fields has the content. */
function tagsOf(object: Expression): readonly Expression[] {
  if (object.kind !== "object") return [];
  const names = new Set(object.fields.map(({ name }) => name));
  return object.fields.flatMap(({ name, value }) =>
    value.kind === "constant" &&
    typeof value.value === "string" &&
    value.value !== name &&
    names.has(value.value)
      ? [value]
      : [],
  );
}

function droppedCalls({ sources }: RevisionContext, writes: MayWrite): readonly DroppedCall[] {
  return sources.flatMap((each, trace) => {
    const made = new Set(draftCalls(each));
    const refused = new Set(
      keptCalls(each.trace).dropped.flatMap(({ call, reason }) => (reason === "refused" ? call : [])),
    );
    const transient = new Map(transientFailures(each.trace, writes).map((one) => [one.call, one]));
    return each.trace.calls.flatMap(({ tool, retriedBy }, call) => {
      if (made.has(call)) return [];
      const isWrite = writes(tool);
      const reason = (): string => {
        const failed = transient.get(call);
        const open = failed?.isOpen === true ? ": whether the work needs it is for a person to say" : "";
        if (failed) return `it failed for a while (${plainLine(failed.kind)})${open}`;
        if (refused.has(call)) return "it was refused for its form, and its tool took another";
        if (retriedBy !== undefined) return "it failed and was tried again";
        return isWrite ? "left out" : "it only reads, and nothing needs its answer";
      };
      return [{ trace, call, tool, writes: isWrite, reason: reason() }];
    });
  });
}
