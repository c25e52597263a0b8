import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../../core/json/json.ts";
import type { EventStatus, Trace, TraceEvent, TraceFile } from "../../core/trace-event.ts";
import { type Attempt, retriedCall } from "../record/retry.ts";
import { boundedValue } from "./reading/bounded-value.ts";
import { type CodeFacts, codeFacts, codeIn, codeMeta } from "../record/code-in.ts";
import { JUDGEMENT, type Judgement } from "../record/judgement.ts";
import { contentFacts, type FoundFile, filesIn } from "../record/files-in.ts";
import type { ImportContext } from "./format.ts";
import { errorMessage } from "./reading/answer-error.ts";

export interface TokenUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cost?: number | undefined;
}

export interface StepTimes {
  /** Milliseconds since 1970, where the format tells them. */
  readonly at?: number | undefined;
  readonly endedAt?: number | undefined;
}

/** What a format says of a step besides its kind. */
export interface StepContext extends StepTimes, TokenUsage {
  /** The step's id in the source, which no other step of the run has. */
  readonly id?: string | undefined;
  /** The step within which it happened. */
  readonly within?: number | undefined;
  /** Where it stood in a workflow. */
  readonly nodeId?: string | undefined;
  readonly stepId?: string | undefined;
  readonly meta?: JsonObject | undefined;
}

export interface NewCall extends StepContext {
  /** `agent`: the tool is another agent, whose own steps are within this one. */
  readonly kind?: "tool" | "agent";
  readonly tool: string;
  /** Nothing: they were not recorded. */
  readonly args?: Json | undefined;
  /** `false`: it is a call of a tool, even if what it is given is code. */
  readonly isCode?: false;
  readonly place: string;
}

export interface StepOutcome extends TokenUsage {
  readonly result?: Json | undefined;
  readonly isFailed?: boolean;
  readonly message?: string | undefined;
  readonly isCancelled?: boolean;
  readonly endedAt?: number | undefined;
  readonly meta?: JsonObject | undefined;
}

interface Step {
  readonly kind: "call" | "agent" | "message" | "error" | "handoff" | "code" | "file";
  readonly name: string;
  readonly about: StepContext;
  readonly inputs?: Json | undefined;
  readonly turn: number;
  outcome?: StepOutcome;
  /** How many steps there were when its outcome came. */
  settledAt?: number;
  file?: FoundFile;
  code?: CodeFacts | undefined;
  isCodeKnown?: boolean;
}

/** One run as a format tells it, step by step, from which the trace is made: the same for every format. */
export class Transcript {
  sourceId: string | undefined;
  sessionId: string | undefined;
  task: string | undefined;
  model: string | undefined;
  /** What was judged of the run. */
  judgement: Judgement | undefined;
  /** What the whole run took, where the format tells only that. */
  usage: TokenUsage & StepTimes = {};
  /** Part of its run was given up, or is only known to have begun elsewhere. */
  status: "completed" | "cancelled" = "completed";
  /** What else is known of the whole run. */
  meta: JsonObject = {};
  /** Sources of other runs that may hold steps with the same ids: of these only one is recorded. */
  related: readonly string[] = [];
  size = 400;
  readonly format: string;
  readonly place: string;
  /** Stands where no time is told. */
  readonly now: number;
  readonly #importing: ImportContext;
  readonly #steps: Step[] = [];
  readonly #turns: string[] = [];

  constructor(format: string, place: string, importing: ImportContext) {
    this.format = format;
    this.place = place;
    this.now = importing.now;
    this.#importing = importing;
  }

  get isEmpty(): boolean {
    return this.#steps.length === 0 && this.#turns.length === 0 && this.task === undefined;
  }

  /** What was to be done, as it is told or as the user said it first. */
  get assignment(): string | undefined {
    return this.task ?? this.#turns[0];
  }

  get steps(): number {
    return this.#steps.length;
  }

  /** What the user said. */
  turn(said: string): void {
    if (this.#turns.length >= MAX_TURNS) return;
    this.#turns.push(said.slice(0, MAX_SAID));
    this.size += Math.min(said.length, MAX_SAID);
  }

  /** What an agent said. */
  message(agent: string, said: string | undefined, about: StepContext = {}): number | undefined {
    return this.#add(
      { kind: "message", name: agent, inputs: said?.slice(0, MAX_SAID), about, turn: this.#turn },
      this.place,
    );
  }

  error(name: string, message: string, about: StepContext = {}): void {
    const outcome = { isFailed: true, message: message.slice(0, MAX_SAID) };
    this.#add({ kind: "error", name, about, turn: this.#turn, outcome }, this.place);
  }

  handoff(from: string, to: string, about: StepContext = {}): void {
    this.#add({ kind: "handoff", name: to, inputs: { from, to }, about, turn: this.#turn }, this.place);
  }

  /** A file that the format itself records. */
  file(
    file: FoundFile,
    { by = "", ...about }: StepContext & { readonly by?: string | undefined } = {},
  ): void {
    this.#add({ kind: "file", name: by, about, turn: this.#turn, file }, this.place);
  }

  /** Code that ran without being a tool's. */
  code(
    agent: string,
    language: string,
    code: string,
    {
      facts,
      ...about
    }: StepContext & { readonly outcome?: StepOutcome; readonly facts?: Partial<CodeFacts> } = {},
  ): void {
    const kept = boundedValue({ language, code }, this.#importing.limits);
    const step: Step = {
      kind: "code",
      name: agent,
      inputs: kept.value,
      about,
      turn: this.#turn,
      code: { ...codeFacts(language, code), ...facts },
    };
    const at = this.#add(step, this.place);
    if (at !== undefined && about.outcome) this.settle(at, about.outcome, this.place);
  }

  /** A call, whose number its result is told by. Nothing where the trace is full. */
  call({ kind = "tool", tool, args, place, isCode, ...about }: NewCall): number | undefined {
    const kept = args === undefined ? undefined : this.#kept(args, place);
    return this.#add(
      {
        kind: kind === "agent" ? "agent" : "call",
        name: tool.slice(0, MAX_NAME),
        inputs: kept,
        about,
        turn: this.#turn,
        ...(isCode === false ? { isCodeKnown: true } : {}),
      },
      place,
    );
  }

  settle(step: number | undefined, outcome: StepOutcome, place: string): void {
    const settled = step === undefined ? undefined : this.#steps[step];
    if (!settled) return;
    const { result } = outcome;
    settled.settledAt ??= this.#steps.length;
    settled.outcome = {
      ...settled.outcome,
      ...outcome,
      ...(result === undefined ? {} : { result: this.#kept(result, place) }),
    };
  }

  #kept(value: Json, place: string): Json {
    const { value: kept, size, isCut } = boundedValue(value, this.#importing.limits);
    if (isCut) this.#importing.skip("cut", place);
    this.size += size;
    return kept;
  }

  get #turn(): number {
    return Math.max(0, this.#turns.length - 1);
  }

  #add(step: Step, place: string): number | undefined {
    const { limits } = this.#importing;
    if (this.#steps.length >= limits.steps) {
      this.#importing.skip("too-many-steps", place);
      return undefined;
    }
    if (this.size > limits.traceSize) {
      this.#importing.skip("trace-too-large", place);
      return undefined;
    }
    this.size += 300;
    this.#steps.push(step);
    return this.#steps.length - 1;
  }

  /** The trace. `nth`: how often an equal one came before it in the input. */
  trace(nth: number): Trace {
    const runId = `${this.key}${nth === 0 ? "" : `-${nth + 1}`}`;
    return new TraceWriter(this, this.#steps, this.#turns, runId).trace();
  }

  /** Whether the source tells which step is which, so that parts of a run can come one by one. */
  get hasStepIds(): boolean {
    return this.#steps.some(({ about }) => about.id !== undefined);
  }

  /** The runs that may hold steps of this one. */
  get elsewhere(): readonly string[] {
    return this.related.map((sourceId) => runIdOf(this.format, sourceId));
  }

  /** The same for the same transcript, whenever it is imported. */
  get key(): string {
    if (this.sourceId !== undefined) return runIdOf(this.format, this.sourceId);
    const steps = this.#steps.map(
      ({ kind, name, inputs }) => `\n${kind} ${name} ${JSON.stringify(inputs) ?? ""}`,
    );
    return importId(`${this.format}\n\n${this.task ?? ""}\n${this.#turns.join("\n")}`, ...steps);
  }
}

function runIdOf(format: string, sourceId: string): string {
  return importId(`${format}\n${sourceId}\n`);
}

function importId(...parts: readonly string[]): string {
  const identity = createHash("sha256");
  for (const part of parts) identity.update(part);
  return `import-${identity.digest("hex").slice(0, 24)}`;
}

const MAX_TURNS = 1000;
const MAX_SAID = 20_000;
const MAX_NAME = 300;
const MAX_CONTENT = 1 << 16;

/** Writes the events of one trace, once. */
class TraceWriter {
  readonly #transcript: Transcript;
  readonly #steps: readonly Step[];
  readonly #turns: readonly string[];
  readonly #runId: string;
  readonly #recordsFiles: boolean;
  readonly #events: TraceEvent[] = [];
  readonly #files: TraceFile[] = [];
  readonly #ids = new Map<number, string>();
  readonly #stepIds = new Set<string>();
  #time: number;

  constructor(transcript: Transcript, steps: readonly Step[], turns: readonly string[], runId: string) {
    this.#transcript = transcript;
    this.#steps = steps;
    this.#turns = turns;
    this.#runId = runId;
    this.#recordsFiles = steps.some(({ kind }) => kind === "file");
    this.#time =
      transcript.usage.at ?? steps.find(({ about }) => about.at !== undefined)?.about.at ?? transcript.now;
  }

  trace(): Trace {
    const startedAt = this.#time;
    const { sessionId } = this.#transcript;
    const task = this.#transcript.assignment;
    this.#root(task);
    const retries = this.#retries();
    this.#steps.forEach((step, index) => this.#write(step, index, retries.get(index)));
    return {
      runId: this.#runId,
      ...(sessionId === undefined ? {} : { sessionId }),
      source: "import",
      ...(task === undefined ? {} : { task }),
      startedAt,
      events: this.#events,
      files: this.#files,
    };
  }

  #root(task: string | undefined): void {
    const { format, sourceId, model, usage, status, meta, judgement } = this.#transcript;
    this.#event(this.#rootId, {
      eventType: "agent_call",
      eventSubtype: "transcript",
      agentName: format,
      status,
      timestamp: this.#time,
      ...(task === undefined ? {} : { inputs: { task } }),
      ...duration(usage),
      ...usageOf(usage),
      meta: {
        format,
        ...(sourceId === undefined ? {} : { sourceId }),
        ...(model === undefined ? {} : { model }),
        ...(judgement === undefined ? {} : { [JUDGEMENT]: { ...judgement } }),
        ...(this.#turns.length > 1 ? { turns: this.#turns } : {}),
        ...(this.#hasTimes ? {} : { times: "unknown" }),
        ...meta,
      },
    });
  }

  get #rootId(): string {
    return `${this.#runId}:0`;
  }

  #stepId({ about: { id } }: Step, index: number): string {
    const stepId = id === undefined ? `${this.#runId}:${index + 1}` : sourcedId(this.#runId, id);
    return this.#stepIds.has(stepId) ? `${stepId}~${index + 1}` : stepId;
  }

  get #hasTimes(): boolean {
    return this.#transcript.usage.at !== undefined || this.#steps.some(({ about }) => about.at !== undefined);
  }

  #write(step: Step, index: number, retryOf: number | undefined): void {
    this.#time = step.about.at ?? this.#time;
    const id = this.#stepId(step, index);
    this.#stepIds.add(id);
    this.#event(id, this.#rowOf(step, retryOf));
    this.#ids.set(index, id);
    if (step.file) this.#file(step.file, id);
    if (step.kind !== "call" && step.kind !== "code") return;
    if (step.outcome === undefined || step.outcome.isFailed === true) return;
    // A format that records files needs no guesses.
    if (this.#recordsFiles) return;
    const files = filesIn(step.name, step.inputs);
    files.forEach((file, nth) => this.#foundFile(file, step, id, nth));
  }

  #rowOf(step: Step, retryOf: number | undefined): NewRow {
    const parent = step.about.within === undefined ? undefined : this.#ids.get(step.about.within);
    const base = {
      parentEventId: parent ?? this.#rootId,
      ...(step.about.nodeId === undefined ? {} : { nodeId: step.about.nodeId }),
      ...(step.about.stepId === undefined ? {} : { stepId: step.about.stepId }),
      ...(step.name === "" ? {} : { agentName: step.name }),
      timestamp: this.#time,
      ...duration({ at: step.about.at, endedAt: step.outcome?.endedAt ?? step.about.endedAt }),
      ...usageOf({
        inputTokens: step.outcome?.inputTokens ?? step.about.inputTokens,
        outputTokens: step.outcome?.outputTokens ?? step.about.outputTokens,
        cost: step.outcome?.cost ?? step.about.cost,
      }),
    };
    switch (step.kind) {
      case "message":
        return {
          ...base,
          eventType: "agent_call",
          eventSubtype: "message",
          status: "completed",
          ...(step.inputs === undefined ? {} : { outputs: step.inputs }),
          ...this.#meta(step, {}),
        };
      case "error":
        return { ...base, eventType: "error", ...settled(step), ...this.#meta(step, {}) };
      case "handoff":
        return {
          ...base,
          eventType: "handoff",
          status: "completed",
          inputs: step.inputs ?? null,
          ...this.#meta(step, {}),
        };
      case "file":
        return {
          ...base,
          eventType: "file_gen",
          eventSubtype: "created",
          status: "completed",
          outputs: { path: step.file?.path ?? "" },
          ...this.#meta(step, {}),
        };
      case "code":
      case "call":
      case "agent":
        return { ...base, ...this.#callRow(step, retryOf) };
    }
  }

  #callRow(step: Step, retryOf: number | undefined): Omit<NewRow, "timestamp"> {
    const code = codeOfStep(step);
    const retried = retryOf === undefined ? undefined : this.#ids.get(retryOf);
    const isAgent = step.kind === "agent";
    return {
      eventType: isAgent ? "agent_call" : code ? "code_exec" : "tool_call",
      ...subtype(retried === undefined ? (isAgent ? "subagent" : code?.language) : "retry"),
      ...(step.inputs === undefined ? {} : { inputs: step.inputs }),
      ...(step.outcome?.result === undefined ? {} : { outputs: step.outcome.result }),
      ...settled(step),
      ...this.#meta(step, {
        ...(retried === undefined ? {} : { retryOf: retried }),
        ...(step.inputs === undefined ? { notExtractable: true } : {}),
        ...(step.outcome === undefined ? { noResult: true } : {}),
        ...(code ? codeMeta(code) : {}),
      }),
    };
  }

  #meta(step: Step, more: JsonObject): { readonly meta?: JsonObject } {
    const turn = step.turn > 0 ? { turn: step.turn } : {};
    const meta = { ...turn, ...step.about.meta, ...step.outcome?.meta, ...more };
    return Object.keys(meta).length === 0 ? {} : { meta };
  }

  #foundFile(file: FoundFile, step: Step, parentEventId: string, nth: number): void {
    const id = `${parentEventId}.${nth}`;
    this.#event(id, {
      eventType: "file_gen",
      eventSubtype: "created",
      parentEventId,
      agentName: step.name,
      status: "completed",
      timestamp: this.#time,
      outputs: { path: file.path },
      meta: { tool: step.name, foundBy: file.foundBy },
    });
    this.#file(file, id);
  }

  #file(file: FoundFile, eventId: string): void {
    const { content } = file;
    this.#files.push({
      id: `${eventId}:file`,
      runId: this.#runId,
      eventId,
      path: file.path,
      ...contentFacts(content, file.size),
      ...(content !== undefined && content.length <= MAX_CONTENT ? { content } : {}),
      foundBy: file.foundBy,
    });
  }

  #event(id: string, row: NewRow): void {
    const { sessionId } = this.#transcript;
    this.#events.push({
      id,
      runId: this.#runId,
      ...(sessionId === undefined ? {} : { sessionId }),
      executionOrder: this.#events.length,
      ...row,
    });
  }

  /** For each retry, the call that it tries again. */
  #retries(): ReadonlyMap<number, number> {
    const retries = new Map<number, number>();
    const callers = new Map<number, (Attempt & { readonly index: number; readonly endedBefore: number })[]>();
    this.#steps.forEach(({ kind, name, inputs, about, outcome, settledAt = Infinity }, index) => {
      if (kind !== "call" && kind !== "agent" && kind !== "code") return;
      const within = about.within ?? -1;
      const earlier = callers.get(within) ?? [];
      callers.set(within, earlier);
      // What goes on at the same time is not tried again.
      const ended = earlier.filter(({ endedBefore }) => endedBefore <= index);
      const call = { name, input: inputs, isFailed: outcome?.isFailed === true };
      const retried = retriedCall(ended, call);
      if (retried) retries.set(index, retried.index);
      earlier.push({ ...call, index, endedBefore: settledAt });
      if (earlier.length > MAX_OPEN) earlier.shift();
    });
    return retries;
  }
}

/** A step that its source names is the same step wherever it is imported; others are told by their place in the run. */
function sourcedId(runId: string, id: string): string {
  return `${runId}/${id.length <= MAX_ID ? id : importId(id)}`;
}

const MAX_ID = 200;

/** Calls of one caller among which a failed one is looked for. */
const MAX_OPEN = 50;

type NewRow = Omit<TraceEvent, "id" | "runId" | "sessionId" | "executionOrder">;

function settled({ kind, outcome }: Step): Pick<TraceEvent, "status" | "errorCode" | "errorMessage"> {
  if (outcome?.isFailed !== true) {
    const status: EventStatus =
      outcome === undefined ? "running" : outcome.isCancelled === true ? "cancelled" : "completed";
    return { status, ...(outcome?.message === undefined ? {} : { errorMessage: outcome.message }) };
  }
  const message = outcome.message ?? errorMessage(outcome.result);
  return {
    status: "failed",
    ...(kind === "error" ? {} : { errorCode: "TOOL_FAILED" }),
    ...(message === undefined ? {} : { errorMessage: message }),
  };
}

function subtype(name: string | undefined): { readonly eventSubtype?: string } {
  return name === undefined ? {} : { eventSubtype: name };
}

function codeOfStep(step: Step): CodeFacts | undefined {
  if (step.kind === "call" && !step.isCodeKnown) {
    step.code = codeIn(step.name, step.inputs);
    step.isCodeKnown = true;
  }
  return step.code;
}

function duration({ at, endedAt }: StepTimes): { readonly durationMs?: number } {
  return at === undefined || endedAt === undefined ? {} : { durationMs: Math.max(0, endedAt - at) };
}

function usageOf({
  inputTokens,
  outputTokens,
  cost,
}: TokenUsage): Pick<TraceEvent, "inputTokens" | "outputTokens" | "cost"> {
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(cost === undefined ? {} : { cost }),
  };
}
