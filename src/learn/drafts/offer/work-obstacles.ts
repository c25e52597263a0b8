import type { Json } from "../../../core/json/json.ts";
import { toolWords } from "../../../trace/record/tool-words.ts";
import { listed } from "../../../core/text/listed.ts";
import { expressionAt, leavesOfPlan, leavesOfStep, paramsIn, refsIn } from "../../edits/plan-leaves.ts";
import { comparisonsIn, mapExpression, subexpressions } from "../../plan/expression.ts";
import type { CallStep, Expression, Plan, Step } from "../../plan/plan.ts";
import { nameWords } from "../../plan/names.ts";
import { lastName, namesById } from "../../plan/parameter-slots.ts";
import { expressionsOf, isRecording, namedSteps, stepNames } from "../../plan/steps.ts";
import { soundsActing } from "../../plan/tool-effects.ts";
import { isEntityName, isLeaf, TaskText } from "../../plan/values.ts";
import { isSecretName } from "../../recording/secrets.ts";
import type { Obstacle } from "./offer.ts";

/**
 * Why what a plan, learned from runs with these tasks, does is no work of its own: its tools do as much, nothing of it is
 * left, or it is several works.
 */
export function workObstacles(plan: Plan, tasks: readonly (string | undefined)[]): readonly Obstacle[] {
  return [
    ...addsNothing(plan, tasks.length),
    ...openLoops(plan),
    ...fixedActs(plan),
    ...givenTexts(plan),
    ...countedPlaces(plan),
    ...mixedNumbers(plan),
    ...fixedNumbers(plan, tasks),
    ...undoneActs(plan),
    ...changedMinds(plan),
    ...unrelatedActs(plan),
  ];
}

/**
 * Calls of which the caller says all, or one tool's for each of a list in one run alone: whoever can say that can make them.
 * What several runs repeat comes again.
 */
function addsNothing(plan: Plan, runs: number): readonly Obstacle[] {
  const { steps, params } = plan;
  if (!isRecording(steps)) return [];
  const given = params.filter(({ optional }) => optional !== true).length;
  const isOneTool = steps.length === 1 && steps.every((step) => isPassingOn(step, runs));
  const isPassedOn = steps.every(({ kind }) => kind === "call") && leavesOfPlan(plan).length < 2 * given;
  if (!isOneTool && !isPassedOn) return [];
  return [
    {
      reason: "adds-nothing",
      text: `It makes ${steps.length === 1 ? "a call" : "calls"} with what its caller gives and does nothing besides, as the ${steps.length === 1 ? "tool itself does" : "tools themselves do"}.`,
      remedy: "Learn from more runs: what is the same in all of them is then no longer asked for.",
    },
  ];
}

/** A call, or one in a loop over what the caller gives, that has what the caller says, or what is fixed, as it is. */
function isPassingOn(step: Step, runs: number): boolean {
  if (step.kind === "loop" && runs > 1) return false;
  const calls = step.kind === "loop" && step.over.kind === "param" ? step.steps : [step];
  const [only] = calls;
  return (
    calls.length === 1 &&
    only?.kind === "call" &&
    subexpressions(only.args).every(({ kind }) => PASSED.has(kind))
  );
}

const PASSED: ReadonlySet<Expression["kind"]> = new Set([
  "param",
  "field",
  "ref",
  "object",
  "list",
  "constant",
]);

const CHOOSE_OR_RUN =
  "Choose a reading where the question has another, or learn from one more run, with other values.";

/** Loops that take away each element of an answer's list of which some alone may have been meant. */
function openLoops({ steps, questions = [] }: Plan): readonly Obstacle[] {
  const loops = namedSteps(steps).flatMap((step) => {
    const isOpen = questions.some(
      ({ kind, step: of, path, decidedBy }) =>
        kind === "element" && of === step.name && path.length === 0 && decidedBy === undefined,
    );
    const takesAway =
      step.kind === "loop" && namedSteps(step.steps).some((each) => each.kind === "call" && undoes(each));
    return isOpen && takesAway && refsIn(step.over).length > 0 ? [step.name] : [];
  });
  if (loops.length === 0) return [];
  return [
    {
      reason: "open-question",
      text: `It is open which of a list ${listed(loops)} is meant for, and what it takes away is lost.`,
      remedy: CHOOSE_OR_RUN,
    },
  ];
}

/** Acts with a name or a number of their runs, of which nobody has said that it is the same for every caller. */
function fixedActs(plan: Plan): readonly Obstacle[] {
  const open: ReadonlySet<Json> = new Set(
    (plan.questions ?? []).flatMap(({ kind, step, path, decidedBy }) => {
      const fixed = expressionAt(plan, { step, path: [...path] });
      const isOpen = kind === "constant" && decidedBy === undefined && fixed?.kind === "constant";
      return isOpen && isLeaf(fixed.value) && (typeof fixed.value === "number" || isEntityName(fixed.value))
        ? [fixed.value]
        : [];
    }),
  );
  const isAct = soundsActing(plan.effects);
  const acts = new Set(
    namedSteps(plan.steps).flatMap((step) => (step.kind === "call" && isAct(step.tool) ? [step.name] : [])),
  );
  const steps = stepsWith(
    plan,
    (part) => part.kind === "constant" && isLeaf(part.value) && open.has(part.value),
  ).filter((name) => acts.has(name));
  if (steps.length === 0) return [];
  return [
    {
      reason: "open-question",
      text: `It is open whether what ${listed(steps)} has from the runs is the same for every caller.`,
      remedy: CHOOSE_OR_RUN,
    },
  ];
}

/** Acts whose prose the caller writes though an answer may have told what stands in it: the look-up is then for nothing. */
function givenTexts(plan: Plan): readonly Obstacle[] {
  const isAct = soundsActing(plan.effects);
  const prose = new Set(
    plan.params.flatMap(({ name, example }) =>
      typeof example === "string" && PROSE.test(example) ? [name] : [],
    ),
  );
  const steps = (plan.questions ?? []).flatMap(({ kind, step, path, decidedBy }) => {
    const given = expressionAt(plan, { step, path: [...path] });
    const call = namedSteps(plan.steps).find(({ name }) => name === step);
    const isProse = given?.kind === "param" && prose.has(given.name);
    const isOpen = kind === "text" && decidedBy === undefined && isProse;
    return isOpen && call?.kind === "call" && isAct(call.tool) ? [step] : [];
  });
  if (steps.length === 0) return [];
  return [
    {
      reason: "open-question",
      text: `It is open whether the text that ${listed(steps)} has is made of answers: as it is, its caller writes what they tell.`,
      remedy: CHOOSE_OR_RUN,
    },
  ];
}

const PROSE = /\p{L}\s+\S+\s+\S/u;

/** Calls about the second or third of a list: which it was in one run says nothing to callers, who cannot choose either. */
function countedPlaces(plan: Plan): readonly Obstacle[] {
  const steps = stepsWith(plan, (part) => part.kind === "nth" && part.position !== 0 && part.position !== -1);
  if (steps.length === 0) return [];
  return [
    {
      reason: "open-question",
      text: `${listed(steps)} ${steps.length === 1 ? "is" : "are"} about what stands at one place of a list, as in its run, and its caller cannot say which is meant.`,
      remedy: `Make it a parameter with a "flow" edit, or learn from more runs.`,
    },
  ];
}

/** Calls that differ in nothing but what the caller names: for one thing more, or one less, they are wrong. */
function fixedNumbers({ steps, params }: Plan, tasks: readonly (string | undefined)[]): readonly Obstacle[] {
  const calls = steps.flatMap((step) => (step.kind === "call" ? [step] : []));
  const alike = Map.groupBy(calls, ({ tool, args }) => JSON.stringify([tool, withoutNames(args)]));
  const isEachOwn = (each: readonly CallStep[]): boolean =>
    new Set(each.map(({ args }) => paramsIn(args).join(" "))).size === each.length;
  const texts = tasks.map((task) => new TaskText(task));
  const areAll = texts.length > 0 && texts.every((task) => task.speaksOfAll);
  const isUnsaid = (name: string): boolean => {
    const { example } = params.find((param) => param.name === name) ?? {};
    return example !== undefined && texts.every((task) => !task.says(example));
  };
  const isFound = ({ args }: CallStep): boolean => foundBy(args).some(isUnsaid);
  const isList = (each: readonly CallStep[]): boolean =>
    each.length >= LEAST_REPEATED || (areAll && each.length > 1 && each.every(isFound));
  const isOfLabels = (each: readonly CallStep[]): boolean =>
    areAll && each.length >= LEAST_REPEATED && new Set(each.map(labelsRead)).size === each.length;
  const repeated = alike.values().find((each) => (isList(each) && isEachOwn(each)) || isOfLabels(each));
  if (!repeated) return [];
  return [
    {
      reason: "fixed-number",
      text: `${listed(repeated.map(({ name }) => name))} do the same for ${repeated.length} things that ${isEachOwn(repeated) ? "its caller names" : "an answer has under their names"}, and for no other number of them.`,
      remedy: 'Make a loop of them with a "fold" edit, or learn from runs with another number.',
    },
  ];
}

/** Under which names answers have what a call is given. */
function labelsRead({ args }: CallStep): string {
  const fields = subexpressions(args).flatMap((part) => (part.kind === "field" ? [part.path] : []));
  return JSON.stringify(fields);
}

/** So many calls that are alike are a list; two may be the two sides of something, where no task is about all of some. */
const LEAST_REPEATED = 3;

/** What the caller says by which elements of lists are found. */
function foundBy(args: Expression): readonly string[] {
  return subexpressions(args).flatMap((part) =>
    part.kind === "find"
      ? comparisonsIn(part.where).flatMap(({ equals }) => (equals.kind === "param" ? [equals.name] : []))
      : [],
  );
}

/**
 * What is as in an earlier call unless the caller says otherwise is what the caller says, too, and what an answer says of
 * one thing is what it says of another.
 */
function withoutNames(args: Expression): Expression {
  return mapExpression(args, (part) => {
    if (part.kind === "or" && part.of.kind === "param" && part.otherwise.kind === "param") return part.of;
    if (part.kind === "param") return { ...part, name: "" };
    return (part.kind === "field" || part.kind === "find") && refsIn(part).length > 0 ? answerOf(part) : part;
  });
}

/** The answer in which something stands. */
function answerOf(part: Expression): Expression {
  if (part.kind === "field") return answerOf(part.of);
  return part.kind === "find" ? answerOf(part.in) : part;
}

/** Lists of numbers of which some come from an answer, and its caller has to read the others off it. */
function mixedNumbers(plan: Plan): readonly Obstacle[] {
  const isNumber = new Set(
    plan.params.flatMap(({ name, example }) => (typeof example === "number" ? [name] : [])),
  );
  const isGiven = (item: Expression): boolean => item.kind === "param" && isNumber.has(item.name);
  const steps = stepsWith(
    plan,
    (part) =>
      part.kind === "list" && part.items.some(isGiven) && part.items.some((item) => refsIn(item).length > 0),
  );
  if (steps.length === 0) return [];
  return [
    {
      reason: "callers-thinking",
      text: `Of the numbers that ${listed(steps)} takes some come from an answer, and the others its caller has to say.`,
      remedy: "Learn from a run in which an answer tells all of them.",
    },
  ];
}

/** The names of the steps of which an argument has such a part. */
function stepsWith({ steps }: Plan, fits: (part: Expression) => boolean): readonly string[] {
  return namedSteps(steps).flatMap((step) =>
    step.kind === "call" && subexpressions(step.args).some(fits) ? [step.name] : [],
  );
}

/** Acts that set anew, on what an earlier act has made, what its caller had said for it: who knows it says it at once. */
function changedMinds(plan: Plan): readonly Obstacle[] {
  const isAct = soundsActing(plan.effects);
  const calls = namedSteps(plan.steps).filter((step) => step.kind === "call");
  return calls.flatMap((change, at) => {
    const own = new Set(refsIn(change.args));
    const made = calls.slice(0, at).find((step) => own.has(step.name) && isAct(step.tool));
    if (!made || !isAct(change.tool) || made.tool === change.tool) return [];
    const before = new Set(givenNames(made).map((words) => words.join(" ")));
    const again = givenNames(change).filter((words) => {
      const [first = "", ...others] = words;
      return before.has((ANEW.has(first) ? others : words).join(" "));
    });
    if (again.length === 0 || !CHANGING.has(verbOf(change))) return [];
    return [
      {
        reason: "undone",
        text: `${change.name} sets anew what its caller has said for ${made.name}: ${listed(again.map((words) => words.join("_")))}.`,
        remedy: `Where the run had changed its mind, leave out with a "drop" edit what came of it.`,
      },
    ];
  });
}

const CHANGING: ReadonlySet<string> = new Set(
  "modify change edit update set reschedule move rename amend".split(" "),
);
const ANEW: ReadonlySet<string> = new Set("new updated changed other".split(" "));

/** The words of the names of the arguments that the caller gives as they are, without ids. */
function givenNames(step: CallStep): readonly (readonly string[])[] {
  return leavesOfStep(step).flatMap(({ path, expression }) => {
    const words = nameWords(lastName(path));
    const isGiven = paramsIn(expression).length > 0 && refsIn(expression).length === 0;
    return isGiven && !namesById(path) ? [words] : [];
  });
}

/** Acts on what an earlier act has made that take it back; what is removed had perhaps been made to be used in between. */
function undoneActs(plan: Plan): readonly Obstacle[] {
  const isAct = soundsActing(plan.effects);
  const calls = namedSteps(plan.steps).filter((step) => step.kind === "call");
  return calls.flatMap((undoing, at) => {
    if (!undoes(undoing)) return [];
    const own = new Set(refsIn(undoing.args));
    const before = calls.slice(0, at);
    const made = before.find((step) => own.has(step.name) && isAct(step.tool) && !undoes(step));
    if (!made) return [];
    const isUsed = before.some((step) => isAct(step.tool) && refsIn(step.args).includes(made.name));
    if (isUsed && !REGRETTING.has(verbOf(undoing))) return [];
    return [
      {
        reason: "undone",
        text: `${undoing.name} takes back what ${made.name} has done.`,
        remedy: `Where the run had changed its mind, leave both out with a "drop" edit.`,
      },
    ];
  });
}

function undoes(step: CallStep): boolean {
  return REGRETTING.has(verbOf(step)) || REMOVING.has(verbOf(step));
}

function verbOf({ tool }: CallStep): string {
  return toolWords(tool)[0] ?? "";
}

const REGRETTING: ReadonlySet<string> = new Set(
  "cancel revoke undo void revert withdraw unpublish".split(" "),
);
const REMOVING: ReadonlySet<string> = new Set("delete remove archive discard".split(" "));

/** Acts that have nothing in common: neither what the caller gives, nor what an answer told, nor a condition. */
function unrelatedActs(plan: Plan): readonly Obstacle[] {
  const parts = relatedActs(plan);
  const [first, ...others] = parts;
  if (!first || others.length === 0) return [];
  return [
    {
      reason: "unrelated-acts",
      text: `It does ${parts.length} things that have nothing to do with one another: ${listed(parts.map((acts) => acts.join(" and ")))}.`,
      remedy: `Part it with a "split" edit, or drop what is not meant.`,
    },
  ];
}

/**
 * The names of steps that act, or whose answer the plan gives, those together that have something in common. What is done
 * the same always is nobody's.
 */
export function relatedActs({ steps, params, effects, output }: Plan): readonly (readonly string[])[] {
  const isActing = soundsActing(effects);
  const given = new Set(refsIn(output.value));
  const isAct = ({ name, tool }: CallStep): boolean => isActing(tool) || given.has(name);
  const secrets = new Set(params.flatMap(({ name, secret }) => (secret === true ? [name] : [])));
  const acting = new Set(steps.flatMap((step) => actsOf(step, isAct)));
  const groups: ActGroup[] = [];
  for (const step of steps) {
    const expressions = expressionsOf(step).map(withoutFallbacks);
    const needs = new Set([
      ...expressions.flatMap(paramsIn).filter((name) => !secrets.has(name)),
      ...expressions.flatMap(refsIn).filter((name) => !isCredential(name, expressions)),
    ]);
    const read = expressions.flatMap(refsIn).filter((name) => !acting.has(name));
    // On a condition all depends that comes after it, but not on whether an act was done.
    const isCondition = (step.kind === "guard" || step.kind === "choice") && read.length > 0;
    const joined = groups.filter((group) => group.isCondition || !group.has.isDisjointFrom(needs));
    const own: ActGroup = {
      has: new Set([...needs, ...stepNames([step])]),
      acts: needs.size === 0 ? [] : actsOf(step, isAct),
      isCondition,
    };
    const merged = [own, ...joined].reduce((all, each) => ({
      has: all.has.union(each.has),
      acts: [...each.acts, ...all.acts],
      isCondition: all.isCondition || each.isCondition,
    }));
    groups.splice(0, groups.length, ...groups.filter((group) => !joined.includes(group)), merged);
  }
  return groups.flatMap(({ acts }) => (acts.length === 0 ? [] : [acts]));
}

/** What the caller may say otherwise was equal only in the run. */
function withoutFallbacks(expression: Expression): Expression {
  return mapExpression(expression, (part) =>
    part.kind === "or" && part.of.kind === "param" ? part.of : part,
  );
}

interface ActGroup {
  /** Parameters and steps. */
  readonly has: ReadonlySet<string>;
  readonly acts: readonly string[];
  readonly isCondition: boolean;
}

function actsOf(step: Step, isAct: (call: CallStep) => boolean): readonly string[] {
  return namedSteps([step]).flatMap((each) => (each.kind === "call" && isAct(each) ? [each.name] : []));
}

/** Whether nothing but a credential is taken from what a step gave: it lets the caller in everywhere. */
function isCredential(name: string, expressions: readonly Expression[]): boolean {
  const uses = expressions.flatMap(subexpressions).flatMap((part) => {
    const isOf = part.kind === "field" && part.of.kind === "ref" && part.of.name === name;
    return isOf ? [part.path.at(-1) ?? ""] : [];
  });
  return uses.length > 0 && uses.every(isSecretName);
}
