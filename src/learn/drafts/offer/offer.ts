import type { Json } from "../../../core/json/json.ts";
import { parseJson } from "../../../core/json/parse-json.ts";
import { plainLine } from "../../../core/text/display-text.ts";
import { expressionAt, leavesOfStep, paramsIn } from "../../edits/plan-leaves.ts";
import { namesById } from "../../plan/parameter-slots.ts";
import { refersTo, subexpressions } from "../../plan/expression.ts";
import type { Expression, Param, Plan, Step } from "../../plan/plan.ts";
import { expressionsOf, namedSteps, stepsWithin } from "../../plan/steps.ts";
import { soundsActing } from "../../plan/tool-effects.ts";
import {
  formOf,
  isEntityName,
  isLeaf,
  isOpaqueId,
  isSpecific,
  jsonLeaves,
  leafText,
  TaskText,
} from "../../plan/values.ts";
import { leafTexts } from "../../plan/value-texts.ts";
import type { RecordedTrace } from "../../recording/recorded-trace.ts";
import type { Reason } from "../reasons.ts";
import { fixedNames } from "./fixed-names.ts";
import { laterWishes } from "./later-wishes.ts";
import { untoldExceptions } from "./untold-exceptions.ts";
import { untoldLimits } from "./untold-limits.ts";
import { workObstacles } from "./work-obstacles.ts";

/** Whether a draft is put forward to become a skill, or is only kept as a record of what was done. */
export interface Offer {
  readonly isOffered: boolean;
  /** Why it is not, the gravest first. Where its evidence holds, a person may promote it all the same. */
  readonly obstacles: readonly Obstacle[];
}

/** What makes a plan less than a skill, and what would change that. */
export interface Obstacle {
  readonly reason: Reason;
  readonly text: string;
  readonly remedy: string;
}

/** More values, or groups of values, that the caller decides are no one decision. */
export const MAX_DECISIONS = 10;

/** How many values a caller has to give; what belongs together in one object is one. */
export function askedValues({ params }: Pick<Plan, "params">): number {
  return params.filter(isAsked).length;
}

/**
 * Why the work of a plan is not worth being a skill, by what the plan and its runs show; no replay tells that. The runs
 * are those that it was learned from: parameters stood in the first.
 */
export function planObstacles(plan: Plan, traces: readonly RecordedTrace[]): readonly Obstacle[] {
  const asked = new AskedValues(plan, traces);
  return [
    ...recurringFailures(plan),
    ...programs(plan, traces),
    ...copiedRows(asked),
    ...idsToLookUp(asked),
    ...tooManyDecisions(plan),
    ...callersThinking(plan, asked),
    ...fixedTexts(plan, traces),
    ...untoldPlaces(plan, traces),
    ...untoldExceptions(plan, traces),
    ...fixedNames(plan, traces),
    ...untoldLimits(plan, traces),
    ...laterWishes(plan, traces),
    ...workObstacles(
      plan,
      traces.map(({ task }) => task),
    ),
  ];
}

const MORE_RUNS = "learn from more runs of the same task";

function recurringFailures({ steps }: Plan): readonly Obstacle[] {
  const failing = namedSteps(steps).flatMap((step) =>
    step.kind === "call" && step.fails !== undefined ? [step.name] : [],
  );
  if (failing.length === 0) return [];
  return [
    {
      reason: "must-fail",
      text: `${listed(failing)} failed in its runs and must fail again for it to go on.`,
      remedy: `Learn from a run in which ${failing.length === 1 ? "it succeeds" : "they succeed"} too, or leave out with a "drop" edit what had only gone wrong.`,
    },
  ];
}

/** What its caller gives, or a step always has, is written in a formal language: the work is in writing it. */
function programs(plan: Plan, traces: readonly RecordedTrace[]): readonly Obstacle[] {
  const given = plan.params.filter(
    (param) => isAsked(param) && isRun(param) && leavesOf(param).some(isProgram),
  );
  const fixed = fixedPrograms(plan, traces);
  return [
    ...(given.length === 0
      ? []
      : [
          {
            reason: "given-program" as const,
            text: `Its caller writes the programs that it runs: ${listed(given.map(({ name }) => name))}.`,
            remedy: `Learn from more runs with other values: what is the same in all their programs is kept, and only the values are asked for.`,
          },
        ]),
    ...(fixed.length === 0
      ? []
      : [
          {
            reason: "fixed-text" as const,
            text: `The programs that ${listed(fixed)} runs name what its run was about, so that other work needs others.`,
            remedy: `Learn from more runs with other values: what differs is then asked for.`,
          },
        ]),
  ];
}

/** Whether a tool is given it as what it should do: what stands deep in a document is what somebody reads. */
function isRun({ origins }: Param): boolean {
  const isNear = ({ path }: Param["origins"][number]): boolean =>
    path.filter((part) => typeof part === "string").length <= MAX_RUN_DEPTH;
  return origins.length === 0 || origins.some(isNear);
}

const MAX_RUN_DEPTH = 3;

/** Steps with a program that names values which the task, or an answer, has told: what one run was about. */
function fixedPrograms(plan: Plan, traces: readonly RecordedTrace[]): readonly string[] {
  if (traces.length > 1) return [];
  const task = new TaskText(traces[0]?.task);
  return stepsWithConstants(plan).flatMap(({ step, texts }) =>
    texts.some((text) => isProgram(text) && literalsOf(text).some((each) => task.mentions(each)))
      ? [step]
      : [],
  );
}

/** Long texts that a step always writes, of one run alone. */
function fixedTexts(plan: Plan, traces: readonly RecordedTrace[]): readonly Obstacle[] {
  if (traces.length > 1) return [];
  const fixed = stepsWithConstants(plan).flatMap(({ step, texts }) =>
    texts.some((text) => text.length > MAX_FIXED && !isProgram(text)) ? [step] : [],
  );
  if (fixed.length === 0) return [];
  return [
    {
      reason: "fixed-text",
      text: `${listed(fixed)} always has the long text of one run.`,
      remedy: `Learn from more runs, or make the text a parameter.`,
    },
  ];
}

const MAX_FIXED = 200;

/** Acts of a run whose task names a folder that no call has: it was there already, and other callers are elsewhere. */
function untoldPlaces({ steps, effects }: Plan, [trace]: readonly RecordedTrace[]): readonly Obstacle[] {
  const isAct = soundsActing(effects);
  if (!trace || !namedSteps(steps).some((step) => step.kind === "call" && isAct(step.tool))) return [];
  const told = trace.calls.flatMap(({ args, result }) => [...leafTexts(args), ...leafTexts(result)]);
  const untold = [...new Set(trace.task?.match(PLACE))].filter((place) => {
    const name = place.split("/").findLast((part) => part !== "") ?? place;
    return !told.some((text) => text.includes(name));
  });
  if (untold.length === 0) return [];
  return [
    {
      reason: "untold-place",
      text: `Its task is about ${listed(untold)}, which no call names: the run was there already, and its callers may be elsewhere.`,
      remedy: "Learn from a run that names the place in a call.",
    },
  ];
}

/** The path of a file or folder, as tasks say it. */
const PLACE = /(?<![\w:/.~])(?:~|\.{0,2})\/[\w.-]*\w(?:\/[\w.-]*\w)*(?![\w/])/g;

function stepsWithConstants({ steps, params }: Plan) {
  const settled = new Map(params.map((param) => [param.name, param.default]));
  return namedSteps(steps).map((step) => ({
    step: step.name,
    texts: leavesOfStep(step)
      .flatMap(({ expression }) => subexpressions(expression))
      .flatMap((part): readonly Json[] => {
        if (part.kind === "constant") return [...jsonLeaves(part.value)].map(([, leaf]) => leaf);
        if (part.kind === "param") return [settled.get(part.name) ?? null];
        if (part.kind !== "template") return [];
        return [part.parts.map((each) => (typeof each === "string" ? each : "")).join("")];
      })
      .filter((value) => typeof value === "string"),
  }));
}

/** What was read decides nothing: what the run did is what its caller says, who therefore has to work it out. */
function callersThinking(plan: Plan, asked: AskedValues): readonly Obstacle[] {
  const { hasReads, isDecided } = flowsIntoActs(plan, asked.trace);
  const values = asked.decisions;
  const own = values.filter(({ isSaid }) => !isSaid).length;
  const isThoughtUp = hasReads && own > 0 && own * 2 >= values.length;
  if (isDecided ? values.length <= MAX_GIVEN_WITH_FLOWS : values.length <= MAX_GIVEN && !isThoughtUp)
    return [];
  const what = isDecided ? "little of what its calls have" : "nothing of what its calls have";
  return [
    {
      reason: "callers-thinking",
      text: `Its caller does the thinking: ${what} comes from an answer, ${values.length} values are left to say.`,
      remedy: `Learn from more runs of the same task: what is the same in all, or can be told from answers, is then no longer asked for.`,
    },
  ];
}

/** So many values can be said for calls that are made one after the other; more are worked out by whoever says them. */
const MAX_GIVEN = 8;
const MAX_GIVEN_WITH_FLOWS = 20;

/** Whether something was looked at before something was done, and whether anything of what was done comes from an answer. */
function flowsIntoActs(plan: Plan, trace: RecordedTrace | undefined) {
  const isAct = soundsActing(plan.effects);
  const calls = namedSteps(plan.steps).filter((step) => step.kind === "call");
  const acting = calls.filter(({ tool }) => isAct(tool));
  const answers = new Set<string>();
  const isAnswered = (expression: Expression): boolean => refersTo(expression, answers);
  const isDecidedIn = (steps: readonly Step[], isInFork: boolean): boolean => {
    let found = false;
    for (const step of steps) {
      switch (step.kind) {
        case "call":
          found ||= (acting.length === 0 || isAct(step.tool)) && (isInFork || isAnswered(step.args));
          answers.add(step.name);
          break;
        case "loop": {
          const isOverAnswers = isAnswered(step.over);
          if (isOverAnswers) answers.add(step.item);
          found = isDecidedIn(step.steps, isInFork || isOverAnswers) || found;
          answers.add(step.name);
          break;
        }
        case "guard":
        case "choice":
          break;
        case "branch":
        case "switch":
          found = isDecidedIn(stepsWithin(step), true) || found;
          answers.add(step.name);
      }
    }
    return found;
  };
  // What the skill does not look at any more, the agent had looked at to decide.
  const hasReads = trace?.calls.some(({ tool, error }) => error === undefined && !isAct(tool)) === true;
  return { hasReads: acting.length > 0 && hasReads, isDecided: isDecidedIn(plan.steps, false) };
}

/** Values that only an answer told: whoever calls the skill would have to look there first. */
function copiedRows({ rows, names }: AskedValues): readonly Obstacle[] {
  const remedy = `Choose with a "flow" edit where they come from, or ${MORE_RUNS}.`;
  return [
    ...(rows.length === 0
      ? []
      : [
          {
            reason: "copied-rows" as const,
            text: `Its caller has to copy what an answer holds: ${listed(rows)}.`,
            remedy,
          },
        ]),
    ...(names.length === 0
      ? []
      : [
          {
            reason: "unknown-names" as const,
            text: `Only an answer of its run told ${listed(names)}, which callers cannot know.`,
            remedy,
          },
        ]),
  ];
}

/** Ids that neither the task nor an answer has told: to look them up is most of the work. */
function idsToLookUp({ ids }: AskedValues): readonly Obstacle[] {
  if (ids.length === 0) return [];
  return [
    {
      reason: "unknown-names",
      text: `Its caller has to look up ${listed(ids)} first: neither the task nor an answer of its run tells ${ids.length === 1 ? "it" : "them"}.`,
      remedy: "Learn from a run in which a tool tells them.",
    },
  ];
}

/** So many values in one place are no chance. */
const MIN_TOGETHER = 3;

function tooManyDecisions(plan: Plan): readonly Obstacle[] {
  const [asked, open] = [askedValues(plan), plan.questions?.length ?? 0];
  const remedy = `Cut it into two, or ${MORE_RUNS}: what is the same in all is then no longer asked for.`;
  return [
    ...(asked <= MAX_DECISIONS
      ? []
      : [
          {
            reason: "too-many-decisions" as const,
            text: `It asks for ${asked} values, more than ${MAX_DECISIONS}.`,
            remedy,
          },
        ]),
    ...(open <= MAX_OPEN
      ? []
      : [
          {
            reason: "open-question" as const,
            text: `Its runs leave ${open} questions open.`,
            remedy: `Learn from more runs, or answer the questions by choosing readings.`,
          },
        ]),
  ];
}

/** What more is open, nobody answers in a review. */
const MAX_OPEN = 6;

/** What a caller of a plan has to say, and what of it the task, or only an answer of the first run, had told. */
class AskedValues {
  /** The values in what is asked for; of a list that a loop goes over those of one element. */
  readonly decisions: readonly { readonly param: string; readonly isSaid: boolean }[];
  /** Parameters that hold several values which stood together in an answer. */
  readonly rows: readonly string[];
  /** Parameters with a name or id of which only an answer told, and where it comes from is no open question. */
  readonly names: readonly string[];
  /** Parameters with an id of which nobody has told. */
  readonly ids: readonly string[];
  /** The first of its runs. */
  readonly trace: RecordedTrace | undefined;

  constructor(plan: Plan, traces: readonly RecordedTrace[]) {
    const [trace] = traces;
    this.trace = trace;
    const hasTask = trace?.task !== undefined;
    const task = new TaskText(trace?.task);
    const chosen = new Set(
      plan.steps.flatMap((step) => (step.kind === "choice" ? paramsIn(step.chosen) : [])),
    );
    const steps = namedSteps(plan.steps);
    const mapped = steps.flatMap(expressionsOf).flatMap(subexpressions);
    const lists = [
      ...steps.flatMap((step) => (step.kind === "loop" ? [step.over] : [])),
      ...mapped.flatMap((part) => (part.kind === "map" ? [part.over] : [])),
    ];
    const looped = new Set(lists.flatMap((over) => (over.kind === "param" ? [over.name] : [])));
    const params = plan.params.filter((param) => isAsked(param) && !chosen.has(param.name));
    const open = new Set(
      plan.questions?.flatMap((question) => {
        const expression = expressionAt(plan, { step: question.step, path: [...question.path] });
        return expression ? givenParts(expression) : [];
      }),
    );
    this.decisions = params.flatMap((param) =>
      decidedValues(param, looped.has(param.name)).map((value) => ({
        param: param.name,
        isSaid: !hasTask || task.mentions(value) || task.says(value) || typeof value === "boolean",
      })),
    );
    const unsaid = params.flatMap((param) => {
      const [origin] = param.origins;
      if (!origin || (origin.at === "result" && !hasTask)) return [];
      // What tells an element from the others stands in the answer by its nature.
      const before = origin.at === "result" ? origin.call + 1 : origin.call;
      return [...jsonLeaves(param.example ?? null)].flatMap(([[field], value]): readonly WantedValue[] => {
        const text = leafText(value);
        const isKey = origin.at === "result" && /\d/.test(text ?? "");
        if (text === undefined || !(isKey || isTelling(value))) return [];
        if (task.mentions(value) || task.says(value)) return [];
        const isOpen = open.has(param.name) || open.has(`${param.name}.${field}`);
        const isId = isOpaqueId(text) && (/\p{L}/u.test(text) || namesById(origin.path));
        return [{ param: param.name, text, before, isOpen, isId, isKey }];
      });
    });
    const told = trace ? valuesTogether(trace, unsaid) : [];
    const together = told.map((values) => new Set(values.map(({ text }) => text)).size);
    const most = told[together.indexOf(Math.max(0, ...together))] ?? [];
    this.rows = Math.max(0, ...together) < MIN_TOGETHER ? [] : [...new Set(most.map(({ param }) => param))];
    const isUnknown = ({ isOpen, isKey, text }: WantedValue): boolean =>
      !isOpen && (isOpaqueId(text) || (hasTask && (isKey || isEntityName(text))));
    const known = new Set(told.flat());
    const isUntold = (each: WantedValue): boolean => hasTask && !each.isOpen && each.isId && !known.has(each);
    this.ids = [...new Set(unsaid.flatMap((each) => (isUntold(each) ? [each.param] : [])))];
    this.names = [...new Set(told.flat().flatMap((each) => (isUnknown(each) ? [each.param] : [])))];
  }
}

interface WantedValue {
  readonly param: string;
  readonly text: string;
  /** Only calls before this one could have told it. */
  readonly before: number;
  /** Where it comes from is a question. */
  readonly isOpen: boolean;
  /** It is an id, by its form and name. */
  readonly isId: boolean;
  /** It is a number or code by which an element of an answer is found. */
  readonly isKey: boolean;
}

/** What the caller gives of an expression: parameters, or fields of such as have several. */
function givenParts(expression: Expression): readonly string[] {
  const parts = subexpressions(expression);
  const grouped = parts.flatMap((part) =>
    part.kind === "field" && part.of.kind === "param" ? [[part.of.name, part.path[0] ?? ""] as const] : [],
  );
  const names = new Set(grouped.map(([name]) => name));
  return [
    ...grouped.map((path) => path.join(".")),
    ...paramsIn(expression).filter((name) => !names.has(name)),
  ];
}

/** The wanted values that stand together, as values of one answer or in one line of a text. */
function valuesTogether(
  { calls }: RecordedTrace,
  wanted: readonly WantedValue[],
): readonly (readonly WantedValue[])[] {
  const found: (readonly WantedValue[])[] = [];
  const lookIn = (value: Json, open: readonly WantedValue[]): void => {
    const texts = new Set<string>();
    for (const [, leaf] of jsonLeaves(value)) {
      const text = leafText(leaf);
      if (text === undefined) continue;
      texts.add(text);
      if (text.length < MIN_TEXT || !open.some((each) => text.includes(each.text))) continue;
      const parsed = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
      if (parsed?.ok === true && !isLeaf(parsed.value)) lookIn(parsed.value, open);
      // Rows in texts stand in lines, or as objects one after the other.
      else
        for (const line of text.split(/\n|\\n|\}\s*,/))
          found.push(open.filter((each) => line.includes(each.text)));
    }
    found.push(open.filter(({ text }) => texts.has(text)));
  };
  if (wanted.length > 0)
    for (const [call, { result }] of calls.entries())
      lookIn(
        result,
        wanted.filter(({ before }) => call < before),
      );
  return found;
}

/** Shorter texts are values, not texts that hold some. */
const MIN_TEXT = 12;

function isAsked({ optional }: Param): boolean {
  return optional !== true;
}

function leavesOf({ example }: Param): readonly Json[] {
  return example === undefined ? [] : [...jsonLeaves(example)].map(([, leaf]) => leaf);
}

/** What a caller decides with a parameter: a list of plain values is one decision, and so is each field of alike records. */
function decidedValues(param: Param, isLooped: boolean): readonly Json[] {
  const { example = null } = param;
  if (!Array.isArray(example)) return leavesOf(param);
  const elements = example as readonly Json[];
  if (elements.every(isLeaf)) return elements.slice(0, 1);
  const areRecords = isLooped && elements.every((each) => formOf(each) === formOf(elements[0] ?? null));
  return [...jsonLeaves(areRecords ? (elements[0] ?? null) : example)].map(([, leaf]) => leaf);
}

/** Whether a value is met nowhere by chance. */
function isTelling(value: Json): boolean {
  return isSpecific(value) || (typeof value === "string" && value.trim().length >= MIN_WORD);
}

const MIN_WORD = 4;

/** Whether a text is written in a formal language: a statement of SQL, a query, a script, code. */
function isProgram(value: Json): value is string {
  if (typeof value !== "string" || value.trim().length < MIN_PROGRAM) return false;
  const text = value.replaceAll(/--.*$|\/\*[^]*?\*\//gm, " ").trim();
  if (STATEMENT.test(text)) return true;
  const marks = text.match(/[;{}()[\]=<>&$\\]/g)?.length ?? 0;
  return (
    /\s/.test(text) && /[{};]|=>|\(.*\)/.test(text) && marks >= text.replaceAll(/\s/g, "").length * MARKS
  );
}

const MIN_PROGRAM = 24;
/** More of prose is letters. */
const MARKS = 0.1;
const STATEMENT =
  /^(?:select|insert|update|delete|create|alter|drop|with|grant|revoke|do|begin|truncate|merge|explain|match|call)\b[^]*?\b(?:from|into|table|view|index|policy|function|role|set|values|on|as|where|return|end)\b[^]*(?:[=();,*]|\bfrom\b)/i;

/** The texts in quotes and the numbers in a program. */
function literalsOf(program: string): readonly string[] {
  return (
    program.match(/(?<=')[^'\n]{2,}(?=')|(?<=")[^"\n]{2,}(?=")|(?<![\w.])\d{2,}(?:\.\d+)?(?![\w.])/g) ?? []
  );
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  const shown = names.slice(0, MAX_LISTED).map(plainLine).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const MAX_LISTED = 6;
