import { idleSteps } from "../plan/idle-steps.ts";
import { mapExpression, subexpressions } from "../plan/expression.ts";
import type { CallStep, Expression, Plan, Step } from "../plan/plan.ts";
import { expressionsOf, hasName, namedSteps, withExpressions } from "../plan/steps.ts";
import { type MayWrite, mayWriteBy, soundsActing, type ToolEffect } from "../plan/tool-effects.ts";
import {
  isEntityName,
  isSame,
  isSpecific,
  jsonLeaves,
  type Path,
  TaskText,
  valueAt,
} from "../plan/values.ts";
import { leafTexts } from "../plan/value-texts.ts";
import { plural, singular } from "../plan/names.ts";
import { toolWords } from "../../trace/record/tool-words.ts";
import type { RecordedCall, RecordedTrace, SourceTrace } from "../recording/recorded-trace.ts";
import { isTransientFailure, keptCalls } from "../recording/kept-calls.ts";
import { synthesise } from "../synthesis/synthesise.ts";
import { withChoices } from "./choices.ts";
import { withCalculations } from "./structure/calculations.ts";
import { applyDrop, applyOutput, giving } from "./call-edits.ts";
import { leavesOfStep, mapPlanExpressions, refsIn, withStep } from "./plan-leaves.ts";
import { recordedRuns, type RevisionContext } from "./revision-context.ts";
import { isSameExpression, recordedCalls } from "./translation.ts";

/** A plan, and the runs that it is of. */
export type PlanWithSources = Pick<RevisionContext, "plan" | "sources">;

/**
 * The plan of a new draft: the runs' plan, in which what the user only chose from answers is a choice, without calls that somebody vouches for, that they only read, and that nothing uses, and without reads that
 * ask again what an earlier call was told, with nothing between them that may write. What may write stays.
 */
export function draftPlan(plan: Plan, sources: readonly SourceTrace[]): PlanWithSources {
  const settled = withoutTransient({ plan, sources, resynthesise: () => undefined });
  if (!plan.effects?.some(({ operation }) => operation === "READ")) {
    const given = withAnswersAskedFor(settled);
    return { plan: given.plan, sources: given.sources };
  }
  const start = withoutCalculating(settled);
  const { plan: left, sources: made } = withAnswersAskedFor(
    withoutUnused(
      withActsAsOutput(withoutEchoes(withoutRepeated(withChoices(start)))),
      (tool) => !sources.some(({ trace }) => isAskedFor(tool, trace)),
    ),
  );
  return { plan: left, sources: made };
}

/** The work without the calls that failed as servers do for a while: that they fail again is no condition of it. */
function withoutTransient(context: RevisionContext): RevisionContext {
  const step = namedSteps(context.plan.steps).flatMap((each) =>
    each.kind === "call" && each.fails !== undefined && isTransientFailure(each.fails) ? [each.name] : [],
  );
  const done = applyDrop(context, { kind: "drop", step });
  return step.length > 0 && done.ok ? done.value : context;
}

/** Whether the task asks for what a tool tells, or to check it, whatever comes of it: an answer that nothing else uses. */
export function isAskedFor(tool: string, trace: RecordedTrace): boolean {
  const { task, calls } = trace;
  if (answersTurn(tool, trace)) return true;
  const [verb = "", ...things] = toolWords(tool);
  const words = things.length === 0 ? [verb] : things;
  const said = new TaskText(task);
  const given = calls
    .filter((call) => call.tool === tool)
    .flatMap((call) => Array.from(leafTexts(call.args)));
  if (said.asksAbout(given.filter((text) => isEntityName(text)))) return true;
  // Of `get_flight_cost` the task has to ask for a cost; of `get_order_details` for an order.
  const thing = singular(words.findLast((word) => !OF_ANYTHING.has(singular(word))) ?? "");
  return thing.length > 2 && said.asksFor([thing, plural(thing)]);
}

/** Whether a turn of the user that asks something ended with what a tool told. */
function answersTurn(tool: string, { turns = [], calls }: RecordedTrace): boolean {
  return turns.some(({ text, after }, nth) => {
    const own = calls.slice(after, turns[nth + 1]?.after);
    return own.findLast(({ error }) => error === undefined)?.tool === tool && new TaskText(text).asks;
  });
}

/** What any thing has. */
const OF_ANYTHING: ReadonlySet<string> = new Set(
  "detail info information data result status value record list all by id name".split(" "),
);

/**
 * The work that gives, besides its result, what else the task has asked for: answers that nothing uses, and short ones too
 * that what comes next has, where nothing is done but to look or the user heard them before saying more. Of a long one that
 * is what comes next has of it.
 */
function withAnswersAskedFor(context: RevisionContext): RevisionContext {
  const { plan, sources } = context;
  const { value } = plan.output;
  if (value.kind !== "ref") return context;
  const isAct = soundsActing(plan.effects);
  const expressions = plan.steps.flatMap(expressionsOf);
  const used = new Set(expressions.flatMap(refsIn));
  const isLook = plan.steps.every(
    (step) => step.kind === "call" && (!isAct(step.tool) || step.name === value.name),
  );
  const isShort = (name: string): boolean =>
    recordedRuns(context).every((run, nth) => {
      const [{ call = -1 } = {}] = run.get(name) ?? [];
      return [...jsonLeaves(sources[nth]?.trace.calls[call]?.result ?? null)].length <= MAX_SHORT;
    });
  const given = (name: string, part: Expression = { kind: "ref", name }) => [{ name, value: part }];
  const answerOf = (step: Step): ReturnType<typeof given> => {
    if (step.kind !== "call" || step.fails !== undefined || isAct(step.tool)) return [];
    if (!sources.some(({ trace }) => isAskedFor(step.tool, trace))) return [];
    if (!used.has(step.name)) return given(step.name);
    const isHeard = sources.some(({ trace }) => answersTurn(step.tool, trace));
    if (!isLook && !isHeard) return [];
    if (isShort(step.name)) return given(step.name);
    const [part, ...more] = isHeard ? fieldsOf(step.name, expressions) : [];
    return part && more.length === 0 ? given(step.name, part) : [];
  };
  const fields = plan.steps.flatMap((step) =>
    hasName(step) && step.name === value.name ? given(step.name) : answerOf(step),
  );
  return fields.length < 2 ? context : giving(context, { kind: "object", fields });
}

/** The fields that expressions have of what a step gave. */
function fieldsOf(name: string, expressions: readonly Expression[]): readonly Expression[] {
  const fields = expressions
    .flatMap(subexpressions)
    .filter((part) => part.kind === "field" && part.of.kind === "ref" && part.of.name === name);
  return [...new Map(fields.map((field) => [JSON.stringify(field), field])).values()];
}

const MAX_SHORT = 8;

/** The calls that a draft of the run would leave out, as nothing needs what they read. */
export function idleCalls(trace: RecordedTrace, effects: readonly ToolEffect[]): readonly number[] {
  const { kept } = keptCalls(trace);
  if (effects.length === 0) return [];
  const made = synthesise([trace], { effects });
  if (!made.ok) return [];
  const [source] = draftPlan(made.value.plan, [{ trace, calls: kept }]).sources;
  const needed = new Set(source?.calls ?? kept);
  return kept.filter((call) => !needed.has(call));
}

/** The work without the unused steps of which all tools are these. */
export function withoutUnused(context: RevisionContext, isMeant: (tool: string) => boolean): RevisionContext {
  const mayWrite = mayWriteBy(context.plan.effects);
  const step = idleSteps(context.plan, (tool) => mayWrite(tool) || !isMeant(tool));
  const done = applyDrop(context, { kind: "drop", step: [...step] });
  return done.ok ? done.value : context;
}

/** The work in which the skill calculates what a tool was asked to calculate. */
function withoutCalculating(context: RevisionContext): RevisionContext {
  const runs = recordedRuns(context);
  const plan = withCalculations(context.plan, (step) =>
    runs.flatMap((run, nth) =>
      recordedCalls(step, run).map((call) => context.sources[nth]?.trace.calls[call]),
    ),
  );
  return { ...context, plan };
}

/** The work in which what a read only repeats of what it was asked is taken from where that came from, where it then is idle. */
function withoutEchoes(context: RevisionContext): RevisionContext {
  const mayWrite = mayWriteBy(context.plan.effects);
  const runs = recordedRuns(context);
  const reads = namedSteps(context.plan.steps).flatMap((step) =>
    step.kind === "call" && !mayWrite(step.tool) ? [step] : [],
  );
  // The last first: what is idle then need not be asked for what it was asked with.
  const plan = reads.reduceRight((left, { name }) => {
    const read = namedSteps(left.steps).find((step) => step.name === name);
    const leaves = read ? leavesOfStep(read) : [];
    const calls = context.sources.flatMap(({ trace }, nth) =>
      (runs[nth]?.get(name) ?? []).flatMap(({ call = -1 }) => trace.calls[call] ?? []),
    );
    const isEcho = (inside: Path, path: Path): boolean =>
      calls.every(({ args, result }) => {
        const asked = valueAt(args, path);
        return asked !== undefined && isSpecific(asked) && isSame(asked, valueAt(result, inside));
      });
    let hasEcho = false;
    const asked = mapPlanExpressions(left, (part) => {
      if (part.kind !== "field" || part.of.kind !== "ref" || part.of.name !== name || calls.length === 0)
        return part;
      const leaf = leaves.find(({ path }) => isEcho(part.path, path));
      hasEcho ||= leaf !== undefined;
      return leaf?.expression ?? part;
    });
    return hasEcho && idleSteps(withActsAsOutput({ ...context, plan: asked }).plan, mayWrite).includes(name)
      ? asked
      : left;
  }, context.plan);
  return { ...context, plan };
}

/** The work that gives, where it gives all that was answered in each round of a loop, only what it needs to read or has done. */
function withActsAsOutput(context: RevisionContext): RevisionContext {
  const { plan } = context;
  const { value } = plan.output;
  const loop = plan.steps.find(
    (step) => step.kind === "loop" && value.kind === "ref" && step.name === value.name,
  );
  if (loop?.kind !== "loop" || loop.gives.kind !== "object") return context;
  const isUsedElsewhere = plan.steps.some((step) =>
    expressionsOf(step).some((expression) => refsIn(expression).includes(loop.name)),
  );
  const mayWrite = mayWriteBy(plan.effects);
  const acts = new Set(
    loop.steps.flatMap((step) => (step.kind === "call" && mayWrite(step.tool) ? [step.name] : [])),
  );
  if (isUsedElsewhere || acts.size === 0) return context;
  const giving = (names: (name: string) => boolean): Plan => {
    const fields = loop.gives.kind === "object" ? loop.gives.fields : [];
    const left = fields.filter((field) => refsIn(field.value).every(names));
    const [only] = left;
    const gives: Expression = left.length === 1 && only ? only.value : { kind: "object", fields: left };
    return withStep(plan, loop.name, (step) => Object.assign({}, step, { gives }));
  };
  const idle = idleSteps(
    giving((name) => acts.has(name)),
    mayWrite,
  );
  if (!loop.steps.some((step) => step.kind === "call" && idle.includes(step.name))) return context;
  const given = giving((name) => !idle.includes(name));
  const done = applyOutput({ ...context, plan: given }, { kind: "output", step: loop.name });
  return done.ok ? done.value : context;
}

/** The work in which the answer to a question is used wherever the run has asked it again. */
function withoutRepeated(context: RevisionContext): RevisionContext {
  const { plan } = context;
  const mayWrite = mayWriteBy(plan.effects);
  const runs = recordedRuns(context);
  const callsOf = (step: CallStep): readonly (readonly number[])[] =>
    runs.map((run) => recordedCalls(step, run));
  const reads = plan.steps.flatMap((step) =>
    step.kind === "call" && step.fails === undefined && !mayWrite(step.tool) ? [step] : [],
  );
  let work = context;
  const kept: CallStep[] = [];
  for (const read of reads) {
    const earlier = kept.find(
      (other) =>
        other.tool === read.tool &&
        isSameQuestion(other, read) &&
        callsOf(read).every((calls, run) =>
          isRepeated(context.sources[run], callsOf(other)[run]?.[0], calls[0], mayWrite),
        ),
    );
    if (!earlier) {
      kept.push(read);
      continue;
    }
    const done = applyDrop(withAnswerOf(work, earlier.name, read.name), { kind: "drop", step: read.name });
    if (done.ok) work = done.value;
  }
  return work;
}

/** Whether two calls ask the same by what the plan says, or what only the caller says of both. */
function isSameQuestion(a: CallStep, b: CallStep): boolean {
  const others = leavesOfStep(b);
  const leaves = leavesOfStep(a);
  const isTold = ({ kind }: Expression): boolean => kind === "param" || kind === "constant";
  return (
    leaves.length === others.length &&
    leaves.every(({ path, expression }) => {
      const other = others.find((each) => isSame([...each.path], [...path]))?.expression;
      return (
        other !== undefined && (isSameExpression(other, expression) || (isTold(other) && isTold(expression)))
      );
    })
  );
}

function isRepeated(
  source: SourceTrace | undefined,
  first: number | undefined,
  again: number | undefined,
  mayWrite: MayWrite,
): boolean {
  const calls: readonly RecordedCall[] = source?.trace.calls ?? [];
  const [one, other] = [calls[first ?? -1], calls[again ?? -1]];
  if (!one || !other || first === undefined || again === undefined || first >= again) return false;
  const isAlike = isSame(one.args, other.args) && isSame(one.result, other.result);
  return isAlike && !calls.slice(first + 1, again).some(({ tool }) => mayWrite(tool));
}

/** The work in which what one step gave stands for what another gave. */
function withAnswerOf(context: RevisionContext, name: string, instead: string): RevisionContext {
  const renamed = (expression: Expression): Expression =>
    mapExpression(expression, (part) =>
      part.kind === "ref" && part.name === instead ? { ...part, name } : part,
    );
  const { plan } = context;
  const steps = plan.steps.map((step) => withExpressions(step, renamed));
  const output = { ...plan.output, value: renamed(plan.output.value) };
  const questions = plan.questions?.map((each) =>
    each.reads ? { ...each, reads: each.reads.map((read) => (read === instead ? name : read)) } : each,
  );
  return { ...context, plan: { ...plan, steps, output, ...(questions ? { questions } : {}) } };
}
