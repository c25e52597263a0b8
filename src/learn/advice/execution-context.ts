import type { Json, JsonObject } from "../../core/json/json.ts";
import type { Trace, TraceEvent } from "../../core/trace-event.ts";
import { cutToLength } from "../../core/text/display-text.ts";
import { leavesOfPlan, refsIn } from "../edits/plan-leaves.ts";
import type { Plan } from "../plan/plan.ts";
import { namedSteps } from "../plan/steps.ts";
import { type CallTime, callTimes, type RecordedTrace } from "../recording/recorded-trace.ts";
import { expressionText, pathText } from "../review/expression-text.ts";
import { draftView } from "../review/draft-view.ts";
import type { DraftView } from "../review/view-types.ts";
import { redactor } from "../../trace/redact/redaction.ts";
import type { Draft } from "../drafts/draft.ts";

/** A draft, and the runs that it was learned from, as far as they are still recorded. */
interface AdvisedDraft {
  readonly plan: Plan;
  readonly view: DraftView;
  readonly runs: readonly AdvisedRun[];
  /** What came of an earlier answer. */
  readonly feedback?: string | undefined;
}

export interface AdvisedRun {
  readonly recorded: RecordedTrace;
  readonly trace?: Trace | undefined;
}

/** What is known of how the work was done, part by part, from what matters most to what matters least. */
const PARTS = {
  feedback: ({ feedback }) => feedback ?? null,
  task: ({ runs }) => runs.map(taskOf),
  draft: ({ view }) => draftOf(view),
  data_flow: ({ plan }) =>
    leavesOfPlan(plan).map(
      ({ step, path, expression }) => `${step}${pathText(path)} <- ${expressionText(expression)}`,
    ),
  execution_flow: ({ runs }) => runs.map(flowOf),
  decisions_made: ({ runs, view }) => ({
    said_between_calls: runs.map(({ recorded }) => (recorded.turns ?? []).map(turnOf)),
    chosen_from_answers: json(view.lateChoices),
  }),
  errors_and_retries: ({ runs }) => runs.map(errorsOf),
  code_executions: ({ runs }) => runs.map((run) => eventsOf(run, ["code_exec"])),
  tool_usage: ({ runs, view }) => ({ tools: usageOf(runs), effects: json(view.effects) }),
  agent_interactions: ({ runs }) => runs.map((run) => eventsOf(run, ["agent_call", "handoff"])),
  dag_structure: ({ plan, runs }) => dagOf(plan, runs),
  generated_artifacts: ({ runs }) => runs.map(filesOf),
  performance: ({ runs }) => runs.map(performanceOf),
} satisfies Parts;

export interface ContextOptions {
  readonly maxCharacters: number;
  /** Whether the draft itself is a part; otherwise whoever reads the context has it beside. */
  readonly isDraftTold: boolean;
  /** What came of an earlier answer. */
  readonly feedback?: string | undefined;
}

/**
 * The context of a draft as a text of at most so many characters, without credentials: every part is there as whole as
 * that allows, what matters least is cut first, and what was cut or left out is told.
 */
export function modelContext(
  draft: Draft,
  runs: readonly AdvisedRun[],
  { maxCharacters, isDraftTold, feedback }: ContextOptions,
): string {
  const { draft: _, ...others } = PARTS;
  const text = contextText(
    isDraftTold ? PARTS : others,
    { plan: draft.plan, view: draftView(draft), runs, feedback },
    maxCharacters,
  );
  const redact = redactor();
  return redact.ok ? redact.value.text(text) : "";
}

/** The runs of a draft, with those of the traces that tell more of them. */
export function runsOf({ provenance }: Draft, traces: readonly Trace[]): readonly AdvisedRun[] {
  return provenance.traces.map(({ trace: recorded }) => ({
    recorded,
    trace: traces.find(({ runId, sessionId }) => runId === recorded.id || sessionId === recorded.id),
  }));
}

type Parts = Readonly<Record<string, (draft: AdvisedDraft) => Json>>;

function contextText(parts: Parts, draft: AdvisedDraft, maxCharacters: number): string {
  const told = Object.entries(parts).map(([name, of]) => ({ name, whole: of(draft), level: 0 }));
  const isEmpty = (value: Json): boolean =>
    value === null || (typeof value === "object" && Object.values(value).every(isEmpty));
  const kept = told.filter(({ whole }) => !isEmpty(whole));
  const text = (): string => kept.map(partText).join("\n\n");
  // What matters least loses first, and all have lost a little before any is left out.
  for (let level = 1; level <= LEVELS.length; level++) {
    for (const part of kept.toReversed()) {
      if (text().length <= maxCharacters) return text();
      part.level = Math.min(level, DEEPEST_LEVELS.get(part.name) ?? LEVELS.length);
    }
  }
  return cutToLength(text(), maxCharacters);
}

/** How long a text, and how many elements of a list, may be at each level; past the last a part is left out. */
const LEVELS = [
  { characters: 2000, elements: 400 },
  { characters: 500, elements: 100 },
  { characters: 160, elements: 40 },
  { characters: 60, elements: 12 },
] as const;

/** What matters most is never cut further. */
const DEEPEST_LEVELS: ReadonlyMap<string, number> = new Map([
  ["feedback", 1],
  ["task", 1],
  ["draft", 3],
]);

function partText({
  name,
  whole,
  level,
}: {
  readonly name: string;
  readonly whole: Json;
  readonly level: number;
}) {
  const bounds = LEVELS[level];
  return `## ${name}\n${bounds ? JSON.stringify(shortened(whole, bounds)) : "(left out: there is no room for it)"}`;
}

/** The same value in which long texts and lists are cut, and say by how much. */
function shortened(value: Json, bounds: (typeof LEVELS)[number], depth = 0): Json {
  const { characters, elements } = bounds;
  if (typeof value === "string")
    return value.length <= characters
      ? value
      : `${value.slice(0, characters)} … (${value.length - characters} characters left out)`;
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return "… (nested deeper)";
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const inner = list.slice(0, elements).map((each) => shortened(each, bounds, depth + 1));
    return list.length <= elements ? inner : [...inner, `… (${list.length - elements} left out)`];
  }
  const fields = Object.entries(value as JsonObject);
  const inner = fields
    .slice(0, elements)
    .map(([name, each]): [string, Json] => [name, shortened(each, bounds, depth + 1)]);
  const more: [string, Json][] =
    fields.length <= elements ? [] : [["…", `${fields.length - elements} fields left out`]];
  return Object.fromEntries([...inner, ...more]);
}

const MAX_DEPTH = 12;

function json(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}

function draftOf(view: DraftView): Json {
  const { name, description, params, steps, constants, dropped, guards, output, questions, evidence } = view;
  return json({
    name,
    description,
    open_questions: questions,
    parameters: params,
    steps,
    constants,
    calls_left_out: dropped,
    stops_when: guards,
    gives: output,
    evidence: evidence?.rungs.map(({ name: rung, passed, of, counterexample }) => ({
      rung,
      passed,
      of,
      counterexample,
    })),
  });
}

function taskOf({ recorded, trace }: AdvisedRun): Json {
  const { id, task, judgement } = recorded;
  return json({ run: id, description: task, client: trace?.client, judgement });
}

function turnOf({ text, after }: NonNullable<RecordedTrace["turns"]>[number]): Json {
  return { after_call: after, text };
}

function flowOf({ recorded }: AdvisedRun): Json {
  return recorded.calls.map(({ tool, args, result, error }, call) =>
    json({ call, tool, arguments: args, ...(error === undefined ? { answer: result } : { error }) }),
  );
}

function errorsOf({ recorded }: AdvisedRun): Json {
  return recorded.calls.flatMap(({ tool, error, retriedBy }, call) =>
    error === undefined ? [] : [json({ call, tool, error, retried_by_call: retriedBy })],
  );
}

function eventsOf({ trace }: AdvisedRun, types: readonly TraceEvent["eventType"][]): Json {
  const events = trace?.events.filter(({ eventType }) => types.includes(eventType)) ?? [];
  return events.map(({ eventSubtype, agentName, status, inputs, outputs, errorMessage }) =>
    json({ kind: eventSubtype, by: agentName, status, inputs, outputs, error: errorMessage }),
  );
}

function usageOf(runs: readonly AdvisedRun[]): Json {
  const calls = runs.flatMap(({ recorded }) => recorded.calls);
  const byTool = Map.groupBy(calls, ({ tool }) => tool);
  return [...byTool].map(([tool, made]) => ({
    tool,
    calls: made.length,
    failed: made.filter(({ error }) => error !== undefined).length,
  }));
}

function filesOf({ trace }: AdvisedRun): Json {
  return (trace?.files ?? []).map(({ path, size, content }) => json({ path, size, content }));
}

function performanceOf({ trace, recorded }: AdvisedRun): Json {
  const events = trace?.events ?? [];
  const times = trace ? callTimes(trace) : [];
  const total = (of: (event: TraceEvent) => number | undefined): number =>
    events.reduce((sum, event) => sum + (of(event) ?? 0), 0);
  if (!trace) return { calls: recorded.calls.length };
  return {
    calls: recorded.calls.length,
    duration_ms: times.length === 0 ? 0 : Math.max(...times.map(({ endMs }) => endMs)) - trace.startedAt,
    cost_usd: total(({ cost }) => cost),
    tokens: total(({ inputTokens = 0, outputTokens = 0 }) => inputTokens + outputTokens),
  };
}

/** The steps with what each needs of the others, and which calls of the runs went on at once. */
function dagOf(plan: Plan, runs: readonly AdvisedRun[]): Json {
  const steps = namedSteps(plan.steps);
  const names = new Set(steps.map(({ name }) => name));
  const edges = new Set(
    leavesOfPlan(plan).flatMap(({ step, expression }) =>
      refsIn(expression)
        .filter((ref) => names.has(ref))
        .map((ref) => JSON.stringify([ref, step])),
    ),
  );
  return {
    nodes: steps.map((step) =>
      step.kind === "call" ? `${step.name}: ${step.tool}` : `${step.name}: for each`,
    ),
    edges: [...edges].map((edge) => JSON.parse(edge) as Json),
    parallel_groups: runs.map(({ trace }) => (trace ? parallelGroups(callTimes(trace)) : [])),
  };
}

/** The numbers of calls that went on at the same time. */
function parallelGroups(times: readonly CallTime[]): Json {
  const groups: number[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const [call, { startMs, endMs }] of times.entries()) {
    if (startMs < end) groups.at(-1)?.push(call);
    else groups.push([call]);
    end = Math.max(end, endMs);
  }
  return groups.filter(({ length }) => length > 1);
}
