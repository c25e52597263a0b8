import { failure, type Failure } from "../../core/error.ts";
import type { Json, JsonObject } from "../../core/json/json.ts";
import { fail, type Result } from "../../core/result.ts";
import type { CallRecord, ModelUse, Run } from "../../core/run.ts";
import type { CallTool } from "../../runner/runner.ts";
import type { ApprovalRequest } from "../engine-adapter.ts";

/** A call that an engine makes: of a tool by its published name, or of `run_skill`. */
export interface EngineCall {
  readonly name: string;
  readonly input: JsonObject;
  readonly key: string | undefined;
}

export interface RunCallsOptions {
  /** The run's id. */
  readonly id: string;
  readonly skill: string;
  /** The tools that it may call, by the names by which they are published. */
  readonly tools: ReadonlyMap<string, string>;
  readonly mostCalls: number;
  readonly callTool: CallTool;
  readonly runSkill: (
    name: string,
    input: Json,
    options: { readonly id: string; readonly signal: AbortSignal; readonly idempotencyKey: string },
  ) => Promise<Run>;
  /** Whether a tool, or a skill, is known to only read. */
  readonly isRead: (name: string, kind: CallRecord["kind"]) => Promise<boolean>;
  readonly approve: ((call: ApprovalRequest) => Promise<boolean>) | undefined;
  readonly signal: AbortSignal;
}

type Beginning = Pick<CallRecord, "kind" | "callPath" | "name" | "input" | "startMs">;
type Ending = Partial<Pick<CallRecord, "digest" | "calls" | "console" | "modelUse" | "isRead">>;

/** The calls that an engine makes in a run, which are made here, and kept as calls of the run. */
export class RunCalls {
  readonly #options: RunCallsOptions;
  readonly #began = performance.now();
  readonly #calls: { readonly begun: Beginning; ended?: CallRecord }[] = [];
  #answers = 0;

  constructor(options: RunCallsOptions) {
    this.#options = options;
  }

  /** Milliseconds since the run began. */
  get nowMs(): number {
    return performance.now() - this.#began;
  }

  /** In call-path order; what is not answered is cancelled. */
  get records(): readonly CallRecord[] {
    const error = failure("CANCELLED", "The call did not end");
    return this.#calls.map(
      ({ begun, ended }) =>
        ended ?? {
          ...begun,
          outcome: { ok: false, error },
          durationMs: this.nowMs - begun.startMs,
          console: [],
          calls: [],
        },
    );
  }

  async answer({ name: called, input, key }: EngineCall): Promise<Result<Json>> {
    const { id, tools, mostCalls, skill } = this.#options;
    const tool = tools.get(called);
    const target =
      tool === undefined ? skillCall(called, input) : { kind: "tool" as const, name: tool, input };
    if (!target) return fail(failure("TOOL_NOT_FOUND", `The skill "${skill}" does not call "${called}"`));
    if (this.#calls.length >= mostCalls) {
      const message = `The run made more than ${mostCalls} calls; "${target.name}" is not called`;
      return fail(failure("TOO_MANY_CALLS", message));
    }
    const callPath = `0.${this.#calls.length}`;
    const call: { begun: Beginning; ended?: CallRecord } = {
      begun: { ...target, callPath, startMs: this.nowMs },
    };
    this.#calls.push(call);
    const [result, ending] = await this.#made(call.begun, `${id}/${key ?? callPath}`);
    call.ended = {
      ...call.begun,
      outcome: result.ok
        ? { ok: true, output: result.value }
        : { ok: false, error: { skill, ...result.error } },
      durationMs: this.nowMs - call.begun.startMs,
      console: [],
      calls: [],
      ...ending,
      answered: this.#answers++,
    };
    return result;
  }

  async #made(call: Beginning, idempotencyKey: string): Promise<readonly [Result<Json>, Ending]> {
    const { id, skill, callTool, runSkill, signal } = this.#options;
    const refusal = await this.#refusal(call);
    if (refusal) return [fail(refusal), {}];
    if (call.kind === "skill") {
      const run = await runSkill(call.name, call.input, {
        id: `${id}/${call.callPath}`,
        signal,
        idempotencyKey,
      });
      const { digest, calls, console, outcome } = this.#placed(run.root, call);
      const result = outcome.ok ? { ok: true as const, value: outcome.output } : outcome;
      return [result, { ...(digest === undefined ? {} : { digest }), calls, console }];
    }
    let modelUse: ModelUse | undefined;
    let isRead = false;
    const result = await callTool(call.name, call.input, {
      skill,
      runId: id,
      callPath: call.callPath,
      idempotencyKey,
      signal,
      onModelUse: (use) => (modelUse = use),
      onRead: () => (isRead = true),
    });
    return [result, { ...(modelUse ? { modelUse } : {}), ...(isRead ? { isRead } : {}) }];
  }

  async #refusal({ kind, name, input, callPath }: Beginning): Promise<Failure | undefined> {
    const { approve, isRead, signal } = this.#options;
    if (signal.aborted) return failure("CANCELLED", `The call of "${name}" was cancelled`);
    if (!approve || (await isRead(name, kind)) || (await approve({ name, input, callPath })))
      return undefined;
    return failure("RUN_UNAPPROVED", `The call of "${name}" was refused`);
  }

  /** A run of its own as it stands in this one. */
  #placed(root: CallRecord, { callPath, startMs }: Beginning): CallRecord {
    const base = this.#answers;
    let most = 0;
    const placed = (call: CallRecord): CallRecord => {
      most = Math.max(most, (call.answered ?? -1) + 1);
      return {
        ...call,
        callPath: callPath + call.callPath.slice(1),
        startMs: startMs + call.startMs,
        ...(call.answered === undefined ? {} : { answered: base + call.answered }),
        calls: call.calls.map(placed),
      };
    };
    const made = placed(root);
    this.#answers += most;
    return made;
  }
}

function skillCall(
  called: string,
  { name, input }: JsonObject,
): { readonly kind: "skill"; readonly name: string; readonly input: Json } | undefined {
  if (called !== "run_skill" || typeof name !== "string") return undefined;
  return { kind: "skill", name, input: input ?? {} };
}
