import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import {
  Client,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionInfo,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from "@temporalio/client";
import {
  ApplicationFailure,
  CancelledFailure,
  defaultPayloadConverter,
  TerminatedFailure,
  TypedSearchAttributes,
} from "@temporalio/common";
import type {
  CallRecord,
  DurableEngine,
  DurableRun,
  DurableRunOptions,
  DurableRunState,
  DurableRunView,
  Failure,
  Json,
  JournalCall,
  ResumeOptions,
  Result,
  Run,
  RunSteps,
  TemporalSettings,
} from "repertoire";
import { connected, DIGEST, SESSION, SKILL, unreachable } from "./connection.ts";
import {
  type Advanced,
  DECIDE,
  type Decided,
  type Given,
  type Memo,
  RUN_SKILL,
  VIEW,
  type View,
} from "./protocol.ts";

/** Durable runs that workers of Temporal do: a run's id is its workflow's. */
export function temporalRuns(settings: TemporalSettings, steps: RunSteps): DurableEngine {
  return new TemporalRuns(settings, steps);
}

/** Longer than this nothing a worker does in the middle of a run takes: it is killed, or works elsewhere. */
const POLL_MS = [50, 100, 200, 400, 700, 1000] as const;
/** A queue that nobody has asked for so long has no worker; asking takes up to a minute. */
const WORKERLESS_MS = 70_000;
const LOOK_FOR_WORKERS_MS = 5000;
/** A run whose worker dies inside a step goes on elsewhere after so long. */
const TASK_TIMEOUT = "4s";
const DEFAULT_LISTED = 50;
/** Characters of an id that are enough to look for it. */
const MIN_ID = 4;

class TemporalRuns {
  readonly #settings: TemporalSettings;
  readonly #steps: RunSteps;
  #client: Promise<Client> | undefined;
  #hasAttributes = true;
  readonly #closing = new AbortController();

  constructor(settings: TemporalSettings, steps: RunSteps) {
    this.#settings = settings;
    this.#steps = steps;
  }

  /** Which runs are these is the program's to say. */
  takes(): boolean {
    return true;
  }

  async run(skill: string, input: Json, options: DurableRunOptions = {}): Promise<Run> {
    const runId = options.id ?? randomUUID();
    const begun = { runId, skill, input, startedAt: new Date().toISOString() };
    const held = await this.#steps.begun(skill, input);
    if (!held.ok) return recordless(begun, held);
    const { digest, confirms } = held.value;
    const given: Given = { skill, input, digest, confirms: confirms || options.confirms === true };
    const started = await this.#tried(async (client) => this.#start(client, runId, given, options.session));
    return started.ok ? this.#followed(begun, started.value, options.signal) : recordless(begun, started);
  }

  async resume(
    given: string,
    { record = async (_run, work) => work(), signal }: ResumeOptions = {},
  ): Promise<Result<Run>> {
    const found = await this.show(given);
    if (!found.ok) return found;
    const run = found.value;
    if (run.state !== "running" && run.state !== "waiting") return { ok: false, error: stateFailure(run) };
    return this.#tried(async (client) => {
      const handle = client.workflow.getHandle(run.runId);
      const begun = { ...run, startedAt: new Date(run.startedAt).toISOString() };
      return record(run, async () => this.#followed(begun, handle, signal));
    });
  }

  /** They go on by themselves. */
  interrupted(): Result<readonly string[]> {
    return { ok: true, value: [] };
  }

  async list({ state, limit = DEFAULT_LISTED }: Parameters<DurableEngine["list"]>[0] = {}): Promise<
    Result<readonly DurableRun[]>
  > {
    return this.#tried(async (client) => {
      const runs: DurableRun[] = [];
      for await (const info of client.workflow.list({ query: QUERIES[state ?? "any"] })) {
        const run = runOf(info);
        if (state === undefined || run.state === state) runs.push(run);
        if (runs.length >= limit) break;
      }
      return runs;
    });
  }

  async show(given: string): Promise<Result<DurableRunView>> {
    const found = await this.#found(given);
    if (!found.ok) return found;
    return this.#tried(async (client) => {
      const handle = client.workflow.getHandle(found.value.workflowId);
      const run = runOf(found.value);
      const isOpen = run.state === "running" || run.state === "waiting";
      const view = isOpen ? await handle.query<View>(VIEW) : undefined;
      const error = run.state === "failed" ? await errorOf(handle) : undefined;
      const { held: _, digest = run.digest, ...seen } = view ?? { calls: [] };
      return {
        ...run,
        ...seen,
        digest,
        isOwned: true,
        ...(error === undefined ? {} : { error: error.code }),
      };
    });
  }

  async decide(
    given: string,
    decision: Parameters<DurableEngine["decide"]>[1],
    { by, callPath }: Parameters<DurableEngine["decide"]>[2],
  ): Promise<Result<JournalCall>> {
    const found = await this.show(given);
    if (!found.ok) return found;
    const { runId, state, calls } = found.value;
    const call = calls.find((each) => each.callPath === callPath && UNDECIDED.has(each.state));
    if (!call) {
      const message = `The call ${callPath} of the run ${runId}, which is ${state}, does not wait for a decision`;
      return { ok: false, error: { code: "RUN_STATE", message } };
    }
    const change = this.#steps.decide(call, decision, by);
    if (!change.ok) return change;
    return this.#tried(async (client) => {
      const decided: Decided = { callPath, by, ...change.value };
      await client.workflow.getHandle(runId).signal<[Decided]>(DECIDE, decided);
      return { ...call, ...change.value, decidedBy: by };
    });
  }

  async cancel(given: string): Promise<Result<DurableRun>> {
    const found = await this.#found(given);
    if (!found.ok) return found;
    const run = runOf(found.value);
    if (run.state !== "running" && run.state !== "waiting") return { ok: false, error: stateFailure(run) };
    return this.#tried(async (client) => {
      await client.workflow.getHandle(run.runId).cancel();
      return { ...run, state: "cancelled" as const };
    });
  }

  /** Runs go on; who waits for them here is told that they are not waited for any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    const client = await this.#client?.catch(() => undefined);
    await client?.connection.close();
  }

  async #start(
    client: Client,
    runId: string,
    given: Given,
    session: string | undefined,
  ): Promise<WorkflowHandle> {
    const { skill, digest = "" } = given;
    const memo: Memo = { skill, digest, ...(session === undefined ? {} : { session }) };
    const attributes = new TypedSearchAttributes([
      { key: SKILL, value: skill },
      { key: DIGEST, value: digest },
      ...(session === undefined ? [] : [{ key: SESSION, value: session }]),
    ]);
    try {
      return await client.workflow.start(RUN_SKILL, {
        workflowId: runId,
        taskQueue: this.#settings.taskQueue,
        args: [given],
        memo: { ...memo },
        staticSummary: skill,
        workflowTaskTimeout: TASK_TIMEOUT,
        // Whoever starts a run twice has it once.
        workflowIdReusePolicy: "REJECT_DUPLICATE",
        workflowIdConflictPolicy: "USE_EXISTING",
        ...(this.#hasAttributes ? { typedSearchAttributes: attributes } : {}),
      });
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return client.workflow.getHandle(runId);
      if (!this.#hasAttributes || !isWithoutAttributes(error)) throw error;
      this.#hasAttributes = false;
      return this.#start(client, runId, given, session);
    }
  }

  /** Until the run has ended, or waits for a person. */
  async #followed(begun: Begun, handle: WorkflowHandle, signal: AbortSignal | undefined): Promise<Run> {
    const cancel = (): void => void handle.cancel().catch(() => undefined);
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) cancel();
    const stop = new AbortController();
    try {
      const ended = this.#ended(handle, AbortSignal.any([stop.signal, this.#closing.signal])).then(
        async (outcome) => this.#recorded(begun, handle, outcome),
      );
      return await Promise.race([ended, this.#stuck(begun, handle, stop.signal)]);
    } catch (error) {
      return recordless(begun, { ok: false, error: unreachable(this.#settings, faultOf(error)) });
    } finally {
      stop.abort();
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** What is asked of the server is taken back by the signal: it would ask again on a connection that is closed. */
  async #ended(handle: WorkflowHandle, signal: AbortSignal): Promise<CallRecord["outcome"]> {
    for (;;) {
      try {
        const output: unknown = await handle.client.withAbortSignal(signal, async () => handle.result());
        return { ok: true, output: output as Json };
      } catch (error) {
        if (signal.aborted) return { ok: false, error: CLOSED };
        // A server that is away comes back.
        if (isGrpcServiceError(faultOf(error))) await wait(AGAIN_MS);
        else return { ok: false, error: failureOf(error) };
      }
    }
  }

  async #recorded(begun: Begun, handle: WorkflowHandle, outcome: CallRecord["outcome"]): Promise<Run> {
    const { root, ...run } = recordless(begun, outcome);
    const text = await this.#recordOf(handle.workflowId);
    const record =
      text === undefined ? { ...root, omitted: true as const } : (JSON.parse(text) as CallRecord);
    return { ...run, root: { ...record, input: root.input, outcome } };
  }

  /** The last step of a run that has ended stands in its history, as the result of a local activity. */
  async #recordOf(workflowId: string): Promise<string | undefined> {
    const { namespace } = this.#settings;
    const looked = await this.#tried(async ({ workflowService }) => {
      const { history } = await workflowService.getWorkflowExecutionHistoryReverse({
        namespace,
        execution: { workflowId },
        maximumPageSize: 10,
      });
      const marker = history?.events?.find((event) => event.markerRecordedEventAttributes);
      const [payload] = marker?.markerRecordedEventAttributes?.details?.["result"]?.payloads ?? [];
      return payload && defaultPayloadConverter.fromPayload<Advanced>(payload);
    });
    return looked.ok && looked.value?.kind === "ended" ? looked.value.record : undefined;
  }

  /** Resolves once the run waits for a person, or for a worker that is not there. */
  async #stuck(begun: Begun, handle: WorkflowHandle, signal: AbortSignal): Promise<Run> {
    const startedAt = Date.now();
    for (let polls = 0; ; polls++) {
      await wait(POLL_MS[Math.min(polls, POLL_MS.length - 1)], undefined, { signal });
      const isLong = Date.now() - startedAt > LOOK_FOR_WORKERS_MS;
      const looked = await this.#tried(async (client) =>
        this.#obstacle(begun, handle, isLong ? client : undefined),
      );
      if (looked.ok && looked.value) return recordless(begun, { ok: false, error: looked.value });
    }
  }

  /** Why a run does not go on by itself, if so; whether it has workers is asked of `client`. */
  async #obstacle(
    begun: Begun,
    handle: WorkflowHandle,
    client: Client | undefined,
  ): Promise<Failure | undefined> {
    if (stateOf(await handle.describe()) === "waiting") {
      const shown = await this.show(begun.runId);
      const waiting = shown.ok ? shown.value.calls.filter(({ state }) => UNDECIDED.has(state)) : [];
      return waiting.length === 0 ? undefined : waitingFailure(begun, waiting);
    }
    if (!client || (await this.#hasWorkers(client))) return undefined;
    const message = `No worker asks for runs of the queue "${this.#settings.taskQueue}": "repertoire worker" starts one, and the run ${begun.runId} goes on then`;
    return { code: "STORE_UNAVAILABLE", message };
  }

  async #hasWorkers({ workflowService }: Client): Promise<boolean> {
    const { namespace, taskQueue } = this.#settings;
    const { pollers } = await workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: WORKFLOWS,
    });
    return pollers.some(({ lastAccessTime }) => {
      const at = Number(lastAccessTime?.seconds ?? 0) * 1000;
      return at > Date.now() - WORKERLESS_MS;
    });
  }

  /** By its id, or the beginning of it that no other has. */
  async #found(given: string): Promise<Result<WorkflowExecution>> {
    const found = await this.#tried(async (client): Promise<Result<WorkflowExecution>> => {
      const whole = await client.workflow
        .getHandle(given)
        .describe()
        .catch((error: unknown) => {
          if (error instanceof WorkflowNotFoundError) return undefined;
          throw error;
        });
      if (whole) return { ok: true, value: whole };
      const matching: WorkflowExecution[] = [];
      if (given.length >= MIN_ID && /^[\w-]+$/.test(given)) {
        const query = `${QUERIES.any} AND WorkflowId STARTS_WITH "${given}"`;
        for await (const info of client.workflow.list({ query })) matching.push(info);
      }
      const ids = new Set(matching.map(({ workflowId }) => workflowId));
      const [first] = matching;
      if (first && ids.size === 1) return { ok: true, value: first };
      const why =
        ids.size > 1 ? "Several durable runs have ids that begin with" : "No durable run has the id";
      return { ok: false, error: { code: "RUN_NOT_FOUND", message: `${why} ${given}` } };
    });
    return found.ok ? found.value : found;
  }

  async #tried<Value>(work: (client: Client) => Promise<Value>): Promise<Result<Value>> {
    try {
      this.#client ??= this.#connected();
      return { ok: true, value: await work(await this.#client) };
    } catch (error) {
      const fault = faultOf(error);
      if (!isGrpcServiceError(fault) && !isConnectFault(fault)) throw error;
      return { ok: false, error: unreachable(this.#settings, fault) };
    }
  }

  async #connected(): Promise<Client> {
    try {
      const connection = await connected(this.#settings);
      return new Client({ connection, namespace: this.#settings.namespace });
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
  }
}

/** What a list and a description of a workflow have in common. */
type WorkflowExecution = Pick<
  WorkflowExecutionInfo,
  "workflowId" | "startTime" | "closeTime" | "memo" | "status"
>;

/** `TASK_QUEUE_TYPE_WORKFLOW` */
const WORKFLOWS = 1;

const AGAIN_MS = 1000;
const CLOSED: Failure = {
  code: "RUNNER_CLOSED",
  message: "The program ends before the run does, which goes on",
};

interface Begun {
  readonly runId: string;
  readonly skill: string;
  readonly input: Json;
  readonly startedAt: string;
}

const UNDECIDED: ReadonlySet<JournalCall["state"]> = new Set(["unapproved", "uncertain", "asked"]);

const OURS = `WorkflowType = "${RUN_SKILL}"`;
/** Runs that went on in a new history are told once. */
const LAST = `${OURS} AND ExecutionStatus != "ContinuedAsNew"`;
const OPEN = `${OURS} AND ExecutionStatus = "Running"`;
const QUERIES: Readonly<Record<DurableRunState | "any", string>> = {
  any: LAST,
  running: OPEN,
  waiting: OPEN,
  completed: `${OURS} AND ExecutionStatus = "Completed"`,
  failed: `${OURS} AND ExecutionStatus IN ("Failed", "TimedOut")`,
  cancelled: `${OURS} AND ExecutionStatus IN ("Canceled", "Terminated")`,
};

function stateOf({ status, memo }: WorkflowExecution): DurableRunState {
  switch (status.name) {
    case "RUNNING":
    case "CONTINUED_AS_NEW":
    case "PAUSED":
      return (memo as Partial<Memo> | undefined)?.waits === true ? "waiting" : "running";
    case "COMPLETED":
      return "completed";
    case "CANCELLED":
    case "TERMINATED":
      return "cancelled";
    case "FAILED":
    case "TIMED_OUT":
    case "UNSPECIFIED":
    case "UNKNOWN":
      return "failed";
  }
}

function runOf(info: WorkflowExecution): DurableRun {
  const { workflowId, startTime, closeTime, memo } = info;
  const { skill = "", digest = "" } = (memo ?? {}) as Partial<Memo>;
  const startedAt = startTime.getTime();
  return {
    runId: workflowId,
    skill,
    digest,
    input: null,
    seed: 0,
    startedAt,
    changedAt: (closeTime ?? startTime).getTime(),
    state: stateOf(info),
    confirms: false,
    owner: "temporal",
  };
}

function recordless({ runId, skill, input, startedAt }: Begun, outcome: CallRecord["outcome"]): Run {
  const durationMs = Math.max(0, Date.now() - Date.parse(startedAt));
  const root = { kind: "skill" as const, callPath: "0", name: skill, input, outcome, startMs: 0, durationMs };
  return { id: runId, startedAt, root: { ...root, console: [], calls: [] } };
}

function waitingFailure({ runId, skill }: Begun, waiting: readonly JournalCall[]): Failure {
  const isUncertain = waiting.some(({ state }) => state === "uncertain");
  const what = waiting.map(
    ({ callPath, tool, state }) => `"${tool}" (call ${callPath}) ${WHY[state] ?? state}`,
  );
  const message = `The run ${runId} waits: ${what.join("; ")}. "repertoire runs show ${runId}" shows it`;
  const calls = waiting.map(({ callPath, tool, input, state }) => ({
    callPath,
    tool,
    input: JSON.parse(input) as Json,
    state,
  }));
  return {
    code: isUncertain ? "WRITE_UNCERTAIN" : "RUN_WAITING",
    message,
    skill,
    details: { runId, waiting: calls },
  };
}

const WHY: Readonly<Partial<Record<JournalCall["state"], string>>> = {
  uncertain: "was called and did not answer, so that nobody knows what it did",
  unapproved: "writes, and nobody has approved it",
  asked: "asks a model, and none is configured",
};

function stateFailure({ runId, state }: DurableRun): Failure {
  return { code: "RUN_STATE", message: `The run ${runId} is ${state}` };
}

async function errorOf(handle: WorkflowHandle): Promise<Failure | undefined> {
  try {
    await handle.result();
    return undefined;
  } catch (error) {
    return failureOf(error);
  }
}

/** Why a run has failed, as the run says it. */
function failureOf(error: unknown): Failure {
  const cause = error instanceof WorkflowFailedError ? error.cause : error;
  const [said] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  if (said) return said as Failure;
  if (cause instanceof CancelledFailure) return { code: "CANCELLED", message: "The run was cancelled" };
  if (cause instanceof TerminatedFailure)
    return { code: "CANCELLED", message: `The run was terminated: ${cause.message}` };
  const message = cause instanceof Error ? cause.message : String(cause);
  return { code: "RUNNER_LOST", message: `The workflow has failed: ${message}` };
}

/** What lies under what the client says of it. */
function faultOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return isGrpcServiceError(cause) ? cause : error;
}

function isConnectFault(error: unknown): boolean {
  return error instanceof Error && /connect|deadline/i.test(error.message);
}

function isWithoutAttributes(error: unknown): boolean {
  const fault = faultOf(error);
  return isGrpcServiceError(fault) && /search attribute/i.test(fault.details);
}
