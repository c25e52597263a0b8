import { recoveryWords } from "../plan/tool-effects.ts";
import { flowLine } from "../../core/text/flow-line.ts";
import type { Estimates } from "../drafts/best-run.ts";
import { pathText, valueText } from "./expression-text.ts";
import { commandLine } from "../../core/text/command-line.ts";
import { toldState } from "../drafts/draft.ts";
import type { Edit } from "../edits/edits.ts";
import { cutToLength, plainLine, quotedLine, wrapToWidth } from "../../core/text/display-text.ts";
import type { ArgumentView, DraftView, ParamView, QuestionView, StepView } from "./view-types.ts";

/** A view as text for people, in lines of at most so many columns. Nothing in it steers a terminal. */
export function draftText(view: DraftView, { columns = 80 }: { readonly columns?: number } = {}): string {
  const sections = [
    headLines(view),
    offerLines(view),
    section(
      "Look at first",
      view.attention.map(({ text }) => `- ${text}`),
    ),
    evidenceLines(view.evidence),
    section("Confidence", view.confidence ? [confidenceLine(view.confidence)] : []),
    section("Input", view.params.flatMap(paramLines)),
    section(
      "Steps",
      view.steps.flatMap((step, index) => stepLines(step, index + 1, view.effects)),
    ),
    section("Open questions, until then the first reading holds", openQuestionLines(view)),
    section(
      "Decided by a model or its client, which no run confirms",
      view.questions.filter(({ decidedBy }) => decidedBy !== undefined).map(questionLine),
    ),
    section(
      "Stops when",
      view.guards.map((guard) => `- ${guard}`),
    ),
    section(
      "Error recovery",
      view.recoveries.map((each) => `- ${each.step} (${plainLine(each.tool)}) ${recoveryWords(each)}`),
    ),
    section("Gives", [view.output]),
    section("Checked before and after it", view.conditions.map(conditionLine)),
    section("Fits", matchingLines(view)),
    section("Constants", view.constants.map(constantLine)),
    section("What its tools do", view.effects.map(effectLine)),
    section(
      "From tools' answers into calls that write",
      view.untrusted.map(
        ({ from, fromTool, step, path }) =>
          `- ${from} (${plainLine(fromTool)}) -> ${path.length === 0 ? `how often ${step} is called` : `${step}${pathText(path)}`}`,
      ),
    ),
    section(
      "The same through skills that it calls",
      view.composed.map((flow) => `- ${flowLine(flow)} (${flow.through.join(" -> ")})`),
    ),
    section("Recorded calls that it does not make", view.dropped.map(droppedLine)),
    section("Runs", view.runs.map(runLine)),
    section("Comes from", view.parents.flatMap(parentLines)),
    estimateLines(view),
    comparisonLines(view),
    section("History", view.history.slice(-MAX_HISTORY).map(historyLine)),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.flatMap((line) => fittedLines(line, columns)).join("\n"))
    .join("\n\n")
    .concat("\n");
}

const MAX_HISTORY = 10;
const MIN_COLUMNS = 30;

/** A line, broken where it is long; what follows stands under the text of its first line. */
export function fittedLines(line: string, columns: number): readonly string[] {
  const [start, space = "", mark = ""] = /^( *)(- |\d+\. )?/.exec(line) ?? [""];
  const rest = " ".repeat(space.length + (mark.length || 2));
  const text = plainLine(line.slice(start.length));
  return wrapToWidth(text, Math.max(columns, MIN_COLUMNS), { first: start, rest });
}

export function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function headLines({
  name,
  state,
  description,
  isStale,
  isEdited,
  isRecording,
  offer,
  history,
}: DraftView): readonly string[] {
  const notes = [
    toldState(state, history),
    ...(state === "draft" && offer.isOffered ? ["offered"] : []),
    ...(isStale ? ["changed since it was verified"] : []),
    ...(isEdited ? ["edited by hand"] : []),
    ...(isRecording ? ["a recording"] : []),
  ];
  return [`${name} (${notes.join(", ")})`, ...(description === undefined ? [] : [description])];
}

/** Nothing is said of a draft of which a person has decided, nor of one that is offered as it is. */
function offerLines({
  name,
  state,
  offer: { isOffered, obstacles },
  proposed,
}: DraftView): readonly string[] {
  if (state === "promoted" || state === "rejected" || (isOffered && !proposed)) return [];
  const taken = `\`${commandLine(`drafts revise ${name} --proposed`)}\` takes what is proposed`;
  const then = isOffered ? "" : proposed?.isOffered === true ? ", with which it is offered" : "";
  return section(isOffered ? "Offered" : "Kept as a record, not offered", [
    ...obstacles.map(({ text, remedy }) => `- ${text} ${remedy}`),
    ...(proposed ? [`- ${taken}${then}, if it is right: ${editsText(proposed.edits)}`] : []),
  ]);
}

function editsText(edits: readonly Edit[]): string {
  const text = JSON.stringify(edits);
  return text.length <= MAX_EDITS_SHOWN ? text : `the edits under \`proposed\` in the JSON of this view`;
}

const MAX_EDITS_SHOWN = 1000;

export function evidenceLines(evidence: DraftView["evidence"]): readonly string[] {
  if (!evidence) return section("Evidence", ["none"]);
  const lines = evidence.rungs.flatMap(
    ({ name, passed, of, low, changed, flows, untried, counterexample }) => {
      const least =
        name === "types" || name === "cases" || name === "faults"
          ? ""
          : `, at least ${Math.round(low * 100)} % with 95 % confidence`;
      const twins = changed
        ? `; changed: ${changed.renamed} names, ${changed.reordered} orders, ${changed.numbers} numbers`
        : "";
      const tested = flows === undefined ? "" : `; ${flows} values from answers are others`;
      const left = untried === undefined ? "" : `; ${untried} more calls were not tried`;
      const first = counterexample === undefined ? [] : [`  first difference: ${counterexample}`];
      return [`${RUNGS[name]}: ${passed} of ${of}${least}${twins}${tested}${left}`, ...first];
    },
  );
  return section(`Evidence of ${evidence.verifiedAt.slice(0, 16).replace("T", " ")}`, lines);
}

function conditionLine({ when, check, critical }: DraftView["conditions"][number]): string {
  return `- ${when === "pre" ? "before" : "after"}: ${check}${critical ? "" : " (only told)"}`;
}

function matchingLines({ matching }: DraftView): readonly string[] {
  if (!matching) return [];
  const { category, tags, keywords, examples } = matching;
  return [
    ...(category === undefined ? [] : [`category: ${category}`]),
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(", ")}`]),
    ...(keywords.length === 0 ? [] : [`keywords: ${keywords.join(", ")}`]),
    ...examples.map((example) => `- ${quotedLine(example, 200)}`),
  ];
}

function confidenceLine({ value, runs, twins, questions }: NonNullable<DraftView["confidence"]>): string {
  return `${value}: ${runs.passed} of ${runs.of} runs with different inputs, ${twins.passed} of ${twins.of} twins, ${questions} open questions`;
}

function estimateLines({ estimates }: DraftView): readonly string[] {
  if (!estimates) return [];
  const { runs, calls, writes, duration, toolDuration, cost } = estimates;
  const line = (what: string, spread: Estimates["writes"], unit: (value: number) => string) =>
    spread ? [`${what}: ${unit(spread.median)}, p90 ${unit(spread.p90)} (of ${spread.n})`] : [];
  const count = (value: number): string => `${value}`;
  const seconds = (value: number): string => `${(value / 1000).toFixed(1)} s`;
  return section(`What the runs took, the median of ${runs}`, [
    ...line("calls", calls, count),
    ...line("calls that may write", writes, count),
    ...line("time", duration, seconds),
    ...line("time in tools", toolDuration, seconds),
    ...line("cost", cost, (value) => `$${value}`),
  ]);
}

const RUNGS = {
  types: "types fit",
  cases: "cases hold",
  own: "own runs replayed",
  twin: "twins replayed",
  faults: "stops where a call fails or lacks a field",
  heldOut: "held-out runs replayed",
  live: "live runs succeeded",
} as const;

function paramLines({ name, type, description, isOptional, isSecret, example, origins, ...rest }: ParamView) {
  const notes = [
    type,
    ...(isOptional ? ["may be left out"] : []),
    ...(rest.default === undefined ? [] : [`then ${valueText(rest.default)}`]),
    ...(isSecret ? ["a credential"] : []),
    ...(example === undefined ? [] : [`such as ${valueText(example)}`]),
  ];
  const [first, ...others] = origins;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return [
    `${name}: ${notes.join(", ")}`,
    ...(description === undefined ? [] : [`  ${description}`]),
    ...(first === undefined ? [] : [`  stood in ${first}${more}`]),
  ];
}

function stepLines(step: StepView, number: number, effects: DraftView["effects"]): readonly string[] {
  const indent = "   ".repeat(step.depth);
  const notes = [
    ...(step.writes && step.tool !== undefined
      ? [effects.some(({ tool }) => tool === step.tool) ? "writes" : "may write"]
      : []),
    ...(step.fails === undefined ? [] : ["must fail"]),
    ...(step.when === undefined ? [] : [`where ${step.when}`]),
    ...(step.isUnused ? ["unused"] : []),
  ];
  const does = step.tool === undefined ? "for each" : cutToLength(plainLine(step.tool), 100);
  const said = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  return [
    `${indent}${number}. ${step.name}: ${does}${said}`,
    ...step.arguments.map((argument) => `${indent}   - ${argumentText(argument)}`),
  ];
}

function argumentText({ path, from, flow, why, alternatives }: ArgumentView): string {
  const name = path.length === 0 ? "of" : `${pathText(path).replace(/^\./, "")}:`;
  const count = alternatives.length;
  const notes = [
    ...(flow === undefined ? [] : [flow]),
    ...(why === undefined ? [] : [why]),
    ...(count === 0 ? [] : [`${count} alternative${count === 1 ? "" : "s"}`]),
  ];
  return `${name} ${from}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}

const QUESTIONS: Readonly<Record<QuestionView["kind"], string>> = {
  element: "which elements are meant",
  source: "which of several equal values is meant",
  constant: "is it the same for every caller",
  date: "is it counted from an earlier date",
  calculation: "is it calculated from earlier numbers",
  text: "is it made of an earlier text",
};

function openQuestionLines({ name, questions }: DraftView): readonly string[] {
  const open = questions.filter(({ decidedBy }) => decidedBy === undefined);
  const choices = open.flatMap((question) => {
    const choose = question.readings[0]?.choose ?? question.now.choose;
    return choose === undefined ? [] : [flowEdit(question, choose)];
  });
  const [first] = choices;
  if (first === undefined) return open.map(questionLine);
  const command = commandLine(`drafts revise ${name} --edits '${JSON.stringify([first])}'`);
  return [...open.map(questionLine), `Such as: ${command}`];
}

function flowEdit({ step, path }: QuestionView, choose: number | "parameter" | "constant"): Edit {
  return { kind: "flow", leaf: { step, path: [...path] }, choose };
}

function questionLine({ kind, step, path, now, readings, decidedBy }: QuestionView): string {
  const choices = readings.slice(0, MAX_READINGS).map(({ choose, from }) => `${choose}: ${from}`);
  const held = now.choose === undefined ? now.from : `${now.choose}: ${now.from}`;
  const who = decidedBy === undefined ? "Now" : `${cutToLength(plainLine(decidedBy), 60)} says`;
  const others =
    choices.length === 0
      ? "No other reading is known: learn from one more run, with other values"
      : `Or ${choices.join("; or ")}`;
  const isOne = kind === "source" && readings.every(({ choose }) => choose === "parameter");
  const asked = isOne ? "is it this value of an answer, or equal to it by chance" : QUESTIONS[kind];
  return `- ${step}${pathText(path)}: ${asked}? ${who} ${held}. ${others}`;
}

const MAX_READINGS = 4;

function constantLine({ step, path, value, isWritten }: DraftView["constants"][number]): string {
  return `- ${step}${pathText(path)}: ${valueText(value)}${isWritten ? " (written)" : ""}`;
}

function effectLine({ tool, operation, by }: DraftView["effects"][number]): string {
  return `- ${cutToLength(plainLine(tool), 100)} ${operation === "READ" ? "only reads" : "writes"}, as ${SPEAKERS[by]}`;
}

const SPEAKERS = {
  server: "its server or the configuration says",
  skill: "the skill's operation says",
  reviewer: "who made or revised the draft says",
} as const;

function droppedLine({ trace, call, tool, writes, reason }: DraftView["dropped"][number]): string {
  const run = trace === 0 ? "" : ` of run ${trace + 1}`;
  return `- call ${call}${run}, ${cutToLength(plainLine(tool), 100)}${writes ? " (writes)" : ""}: ${reason}`;
}

function runLine({ id, outcome, by, wentAnotherWay }: DraftView["runs"][number]): string {
  const told = outcome === "not known" ? "nobody has told whether it did its task" : outcome;
  const said = by === undefined ? told : `${told} (${cutToLength(plainLine(by), 100)})`;
  return `- ${cutToLength(plainLine(id), 60)}: ${wentAnotherWay ? "went another way" : said}`;
}

/** Runs that were learned from or compared are told of each on its own. */
function parentLines({ kind, id, how }: DraftView["parents"][number]): readonly string[] {
  if (how === "learned" || how === "compared") return [];
  return [`- ${PARENT_TEXTS[how]} the ${kind} ${cutToLength(plainLine(id), 60)}`];
}

const PARENT_TEXTS = { merged: "made more general by", composed: "calls", split: "split off" } as const;

function comparisonLines({ comparison }: DraftView): readonly string[] {
  if (!comparison) return [];
  const { best, branches, criteria } = comparison;
  const lines = branches.map(({ id, success, calls, writes, duration, cost }) => {
    const parts = [
      success ? "succeeded" : "failed",
      `${calls} calls`,
      ...(writes === undefined ? [] : [`${writes} that may write`]),
      ...(duration === undefined ? [] : [`${Math.round(duration)} ms`]),
      ...(cost === undefined ? [] : [`$${cost}`]),
    ];
    return `- ${cutToLength(plainLine(id), 60)}${id === best ? " (taken)" : ""}: ${parts.join(", ")}`;
  });
  return section(`The best of ${branches.length} runs, by ${criteria.join(", ")}`, lines);
}

export function historyLine({ at, kind, by, why, rating, version }: DraftView["history"][number]): string {
  const notes = [
    ...(version === undefined ? [] : [`version ${version}`]),
    ...(rating === undefined ? [] : [`rating ${rating}`]),
    ...(why === undefined ? [] : [cutToLength(plainLine(why), 200)]),
  ];
  return `- ${at.slice(0, 16).replace("T", " ")} ${kind} by ${cutToLength(plainLine(by), 60)}${notes.length === 0 ? "" : `: ${notes.join("; ")}`}`;
}
