import { LRUCache } from "lru-cache";
import { allowedSkills } from "../core/tools/allowed-skills.ts";
import { toolRefusal } from "../core/tools/allowed-tools.ts";
import { failure, type Failure } from "../core/error.ts";
import type { Json } from "../core/json/json.ts";
import { didYouMean } from "../core/text/nearest.ts";
import { fail, type Result } from "../core/result.ts";
import { isoNow } from "../core/time/iso-now.ts";
import { type CallRecord, type ModelUse, newRunId, type Run, type RunEvent } from "../core/run.ts";
import { hasCode, type Skill } from "../core/skill.ts";
import { MIN_MEMORY_MB, type Limits } from "../core/limits.ts";
import { reachableSkills, staticCycleFrom } from "../core/reachable-skills.ts";
import { conditionCode } from "./conditions.ts";
import { Pool, type PoolOptions, type ToolRequest, type ToolResponse } from "./threads/pool.ts";
import { clockMs, type ResumePoint, type SkillPackage } from "./threads/protocol.ts";

/** An upstream tool as skills see it. */
export type CallTool = (name: string, input: Json, context: ToolCallContext) => Promise<Result<Json>>;

export interface ToolCallContext {
  /** The skill whose code calls. */
  readonly skill: string;
  readonly runId: string;
  /** The same for each attempt of the same call. */
  readonly idempotencyKey: string;
  /** Where the call stands in its run. */
  readonly callPath: string;
  readonly signal: AbortSignal;
  /** In a run that goes on: when the call was first made, milliseconds since 1970. */
  readonly begunAt?: number;
  /** Told what a model has taken to answer it. */
  readonly onModelUse?: (use: ModelUse) => void;
  /** Told that the tool is known to only read, so that calling it again does nothing twice. */
  readonly onRead?: () => void;
}

/** What a run's calls are answered from, so that it goes on where it was after whatever ended it. */
export interface ResumableRun {
  readonly from: ResumePoint;
  /** Whether it waits for a person before each call that writes. */
  readonly confirms: boolean;
  /** Answers a call, by what is written down or by making it. `answered` are the calls answered since the call before. */
  readonly call: (
    name: string,
    input: Json,
    context: ToolCallContext & { readonly answered: readonly string[] },
  ) => Promise<JournalledAnswer>;
}

export interface JournalledAnswer {
  readonly result: Result<Json>;
  /** When it was given: milliseconds since 1970. */
  readonly at: number;
  readonly modelUse?: ModelUse | undefined;
  /** Whether the tool is known to only read. */
  readonly isRead?: boolean | undefined;
}

export interface RunnerOptions extends Partial<PoolOptions> {
  readonly limits: Limits;
  /** Limits of single skills, by name; they replace those above. */
  readonly skillLimits?: Readonly<Record<string, Partial<Limits>>>;
  readonly callTool?: CallTool;
  /** Why a skill whose calls reach these tools, as its source shows them, or that requires them, is not run, or nothing. A run can `wait` where it is durable. */
  readonly heldBy?: (
    tools: ReadonlySet<string>,
    run: { readonly canWait: boolean },
  ) => Promise<Failure | undefined>;
}

export interface RunOptions {
  /** The run's id; a new one by default. */
  readonly id?: string;
  /** Stops the run, and the sandbox with it. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  /** Whose run it is, by any text: a skill that has to be stopped is set apart for this caller alone. */
  readonly caller?: string;
  /** By what the keys of its calls of upstream tools begin: the run's id by default. */
  readonly idempotencyKey?: string;
  /** Skills that are not run, or not in the set, with the reason: the same map for the same set. */
  readonly refusals?: ReadonlyMap<string, Failure>;
  /** Answers this run's calls of upstream tools instead of the runner's own. */
  readonly callTool?: CallTool;
  /** Answers them from what is written down; the run's clock and randomness are then the same each time. */
  readonly journal?: ResumableRun;
}

/** Runs skills and what they call, each call in an isolated state inside worker threads that can be terminated. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #pool: Pool;
  readonly #onWarning: (message: string) => void;
  readonly #libraries = new WeakMap<
    ReadonlyMap<string, Skill>,
    WeakMap<ReadonlyMap<string, Failure>, Library>
  >();
  /**
   * Records, as JSON text, of runs whose outputs a worker gave again since they depend on nothing but the input: in the
   * same set of skills it would give the same once more.
   */
  readonly #reused = new LRUCache<string, string>({
    maxSize: MAX_REUSED_CHARACTERS,
    sizeCalculation: (record, key) => record.length + key.length + 256,
  });
  #isClosed = false;
  #nextLibrary = 1;
  #nextRun = 1;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#onWarning = options.onWarning ?? ((message) => console.error(message));
    this.#pool = new Pool({ ...options, onWarning: this.#onWarning });
  }

  /**
   * Runs a skill of the given set, which must not change. Never throws for what the code does: a failure is the
   * outcome of the run's root.
   */
  async run(
    skills: ReadonlyMap<string, Skill>,
    name: string,
    input: Json,
    options: RunOptions = {},
  ): Promise<Run> {
    const startedAt = isoNow();
    const id = options.id ?? newRunId();
    const root = await this.#root(skills, name, input, { ...options, id });
    return { id, startedAt, root };
  }

  /**
   * Runs a recorded run again: clock, randomness and the answers of tools are those of the record, and answers come in
   * the recorded order. With the same skills it gives the same calls, outputs and failures; the world is not touched.
   */
  async replay(skills: ReadonlyMap<string, Skill>, recorded: Run, options: RunOptions = {}): Promise<Run> {
    const { name, input } = recorded.root;
    const text = jsonText(recorded.root);
    const id = newRunId();
    const root =
      text === undefined
        ? refused(name, null, failure("INPUT_INVALID", "The record is nested too deeply"))
        : await this.#root(skills, name, input, { ...options, id }, text);
    return { id, startedAt: isoNow(), root };
  }

  /** Starts workers ahead of the first run: all, or at most so many. */
  async warm(most = Number.POSITIVE_INFINITY): Promise<void> {
    await this.#pool.warm(most);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.close();
  }

  async #root(
    skills: ReadonlyMap<string, Skill>,
    name: string,
    input: Json,
    options: RunOptions & { readonly id: string },
    replayed?: string,
  ): Promise<CallRecord> {
    const { signal, onEvent, caller = "", refusals = NO_REFUSALS, journal } = options;
    const { callTool = this.#options.callTool } = options;
    const isOfWorld = callTool === this.#options.callTool && replayed === undefined;
    const tell = (event: RunEvent): void => {
      try {
        onEvent?.(event);
      } catch (error) {
        this.#onWarning(`A listener to the run of "${name}" failed: ${messageOf(error)}`);
      }
    };
    const library = this.#libraryOf(skills, refusals);
    const limits = library.limitsOf(name, this.#options.limits);
    const text = jsonText(input);
    if (text === undefined)
      return refused(name, null, failure("INPUT_INVALID", "The input is nested too deeply"));
    const canWait = journal !== undefined;
    const held = isOfWorld ? await this.#held(library.toolsFrom(name), name, canWait) : undefined;
    const refusal = signal?.aborted
      ? failure("CANCELLED", "The run was cancelled")
      : (tooLarge(name, text, limits) ?? library.cycleFrom(name) ?? held);
    if (refusal) return refused(name, input, refusal);
    const askedAt = clockMs();
    const isPlain = isOfWorld && !journal && skills.get(name)?.operation === "TRANSFORM";
    const outputKey =
      isPlain && text.length <= MAX_REUSED_INPUT ? `${library.id} ${name} ${text}` : undefined;
    const known = outputKey === undefined || this.#isClosed ? undefined : this.#reused.get(outputKey);
    if (known !== undefined) {
      for (const told of REUSED_EVENTS) tell({ ...told, name });
      return { ...(JSON.parse(known) as CallRecord), startMs: 0, durationMs: clockMs() - askedAt };
    }

    let ending: AbortController | undefined;
    const modelUses = new Map<string, ModelUse>();
    return new Promise((resolve) => {
      const job = {
        id: this.#nextRun,
        library: library.id,
        name,
        input: text,
        limits,
        events: onEvent !== undefined,
        ...(replayed === undefined ? {} : { replayed }),
        isConfirmed: !isOfWorld || journal?.confirms === true,
        ...(journal === undefined ? {} : { resumable: journal.from }),
      };
      this.#nextRun = (this.#nextRun % 0x7fffffff) + 1;
      const cancel = (): void => this.#pool.cancel(job.id);
      signal?.addEventListener("abort", cancel, { once: true });
      this.#pool.run({
        job,
        caller,
        digest: skills.get(name)?.digest ?? "",
        lookUp: (called) => library.packageOf(called),
        onEvent: tell,
        callTool: async (asked) => {
          const { skill, callPath, answered } = asked;
          const caller = skills.get(skill);
          const refusal = caller && toolRefusal(caller, asked.name);
          if (refusal) return { ok: false, text: JSON.stringify({ skill, ...refusal }) };
          ending ??= new AbortController();
          const onModelUse = (use: ModelUse): unknown => modelUses.set(callPath, use);
          const idempotencyKey = `${options.idempotencyKey ?? options.id}/${callPath}`;
          const place = { skill, runId: options.id, callPath, idempotencyKey };
          let isRead = false;
          const onRead = (): void => {
            isRead = true;
          };
          const context = { ...place, signal: ending.signal, onModelUse, onRead };
          return toolResponse(asked, async (input) => {
            if (!journal) {
              const result = await this.#callTool(callTool, asked.name, input, context);
              return { result, isRead };
            }
            const known = await journal.call(asked.name, input, { ...context, answered });
            if (known.modelUse) onModelUse(known.modelUse);
            return known;
          });
        },
        onDone: (ended) => {
          signal?.removeEventListener("abort", cancel);
          ending?.abort();
          const durationMs = clockMs() - askedAt;
          if ("failed" in ended) resolve(refused(name, input, ended.failed, durationMs));
          else {
            try {
              const root = JSON.parse(ended.root) as CallRecord;
              if (outputKey !== undefined && root.reused) this.#reused.set(outputKey, ended.root);
              resolve(withModelUses(root, modelUses));
            } catch (error) {
              const message = `The record of the run cannot be read: ${messageOf(error)}`;
              this.#onWarning(message);
              resolve(refused(name, input, failure("RUNNER_LOST", message), durationMs));
            }
          }
        },
      });
    });
  }

  async #held(tools: ReadonlySet<string>, name: string, canWait: boolean): Promise<Failure | undefined> {
    const held = tools.size > 0 ? await this.#options.heldBy?.(tools, { canWait }) : undefined;
    return held && { skill: name, ...held };
  }

  async #callTool(
    callTool: CallTool | undefined,
    name: string,
    input: Json,
    context: ToolCallContext,
  ): Promise<Result<Json>> {
    return callTool
      ? callTool(name, input, context)
      : fail(failure("TOOL_NOT_FOUND", `There is no upstream tool "${name}": no server is configured`));
  }

  #libraryOf(skills: ReadonlyMap<string, Skill>, refusals: ReadonlyMap<string, Failure>): Library {
    const libraries = this.#libraries.get(skills) ?? new WeakMap<ReadonlyMap<string, Failure>, Library>();
    this.#libraries.set(skills, libraries);
    const known = libraries.get(refusals);
    if (known) return known;
    const made = new Library(this.#nextLibrary++, skills, refusals, this.#options.skillLimits ?? {});
    libraries.set(refusals, made);
    return made;
  }
}

const MAX_REUSED_CHARACTERS = 2 * 2 ** 20;
/** To look a longer one up takes as long as to hand it over. */
const MAX_REUSED_INPUT = 16_384;
const REUSED_EVENTS = [
  { kind: "started", callPath: "0" },
  { kind: "finished", callPath: "0", ok: true },
] as const;

const NO_REFUSALS: ReadonlyMap<string, Failure> = new Map();

/** Guessing what a name was meant to be looks at all names: code that makes names up gets so many guesses. */
const MAX_GUESSES = 100;

const MAX_GUESSED_CHARACTERS = 100;

/** An unchanging set of skills, and what was worked out about it. */
class Library {
  readonly id: number;
  readonly #skills: ReadonlyMap<string, Skill>;
  readonly #refusals: ReadonlyMap<string, Failure>;
  readonly #skillLimits: Readonly<Record<string, Partial<Limits>>>;
  #guesses = 0;
  readonly #cycles = new Map<string, Failure | undefined>();
  readonly #tools = new Map<string, ReadonlySet<string>>();
  readonly #limits = new Map<string, Limits>();

  constructor(
    id: number,
    skills: ReadonlyMap<string, Skill>,
    refusals: ReadonlyMap<string, Failure>,
    skillLimits: Readonly<Record<string, Partial<Limits>>>,
  ) {
    this.#refusals = refusals;
    this.id = id;
    this.#skills = skills;
    this.#skillLimits = skillLimits;
  }

  packageOf(name: string): SkillPackage {
    const skill = this.#skills.get(name);
    const refusal = this.#refusals.get(name) ?? (skill ? undefined : this.#unknown(name));
    if (!skill || refusal)
      return {
        name,
        digest: "",
        callees: undefined,
        recursive: false,
        confirms: false,
        declaresWrite: false,
        reuse: undefined,
        limits: {},
        ...(refusal ? { refusal } : {}),
      };
    const { digest, path: folder, scripts, contract, composes, limits } = skill;
    const { input, output } = contract;
    const preconditions = conditionCode("pre", skill.preconditions);
    const postconditions = conditionCode("post", skill.postconditions);
    const code = { folder, scripts, input, output, preconditions, postconditions };
    return {
      name,
      digest,
      ...(hasCode(skill) ? { code } : {}),
      callees: allowedSkills(skill),
      recursive: composes.includes(name),
      confirms: skill.durable === "confirms",
      declaresWrite: skill.declared.operation === "WRITE",
      reuse: reuseOf(skill),
      limits: { ...this.#skillLimits[name], ...limits },
    };
  }

  #unknown(name: string): Failure {
    const mayGuess = name.length <= MAX_GUESSED_CHARACTERS && this.#guesses++ < MAX_GUESSES;
    const hint = mayGuess ? didYouMean(name, [...this.#skills.keys()]) : "";
    return failure("SKILL_NOT_FOUND", `There is no skill named "${name}"${hint === "" ? "" : `.${hint}`}`);
  }

  /** Of a run of the skill, within the runner's own. */
  limitsOf(name: string, most: Limits): Limits {
    const known = this.#limits.get(name);
    if (known) return known;
    const limits = tightened({ ...most, ...this.#skillLimits[name] }, this.#skills.get(name)?.limits ?? {});
    if (this.#skills.has(name)) this.#limits.set(name, limits);
    return limits;
  }

  /** The upstream tools that a skill and those that it calls call by literal name, or require. */
  toolsFrom(name: string): ReadonlySet<string> {
    const known = this.#tools.get(name);
    if (known) return known;
    const reached = reachableSkills(this.#skills, name);
    const tools = new Set(
      [...reached].flatMap((each) => {
        const { calls, requires = [] } = this.#skills.get(each) ?? {};
        return requires.concat(calls?.tools ?? []);
      }),
    );
    this.#tools.set(name, tools);
    return tools;
  }

  /** The refusal of a root whose calls, as its source shows them, lead into a cycle. */
  cycleFrom(name: string): Failure | undefined {
    if (this.#cycles.has(name)) return this.#cycles.get(name);
    const chain = staticCycleFrom(this.#skills, name);
    const found =
      chain &&
      failure("CIRCULAR_CALL", `Circular dependency detected: ${chain.join(" -> ")}`, { skill: name });
    this.#cycles.set(name, found);
    return found;
  }
}

async function toolResponse(
  { skill, name, input }: ToolRequest,
  call: (input: Json) => Promise<Pick<JournalledAnswer, "result" | "isRead"> & { readonly at?: number }>,
): Promise<ToolResponse> {
  try {
    const { result, at, isRead } = await call(JSON.parse(input) as Json);
    const text = JSON.stringify(result.ok ? (result.value ?? null) : { skill, ...result.error });
    return { ok: result.ok, text, ...(at === undefined ? {} : { at }), ...(isRead ? { isRead } : {}) };
  } catch (error) {
    const failed = failure("TOOL_FAILED", `The tool "${name}" failed: ${messageOf(error)}`, { skill });
    return { ok: false, text: JSON.stringify(failed) };
  }
}

function withModelUses(call: CallRecord, uses: ReadonlyMap<string, ModelUse>): CallRecord {
  if (uses.size === 0) return call;
  const modelUse = uses.get(call.callPath);
  const calls = call.calls.map((below) => withModelUses(below, uses));
  return { ...call, calls, ...(modelUse && { modelUse }) };
}

function reuseOf({ operation, ttlMs }: Skill): SkillPackage["reuse"] {
  switch (operation) {
    case "TRANSFORM":
      return { kind: "pure" };
    case "READ":
      return ttlMs === undefined ? undefined : { kind: "fresh", forMs: ttlMs };
    case "WRITE":
      return undefined;
  }
}

function tightened(limits: Limits, own: Partial<Limits>): Limits {
  const lower = (key: keyof Limits): number => Math.min(limits[key], own[key] ?? Number.POSITIVE_INFINITY);
  return {
    wallMs: lower("wallMs"),
    cpuMs: lower("cpuMs"),
    memoryMb: Math.max(MIN_MEMORY_MB, lower("memoryMb")),
    depth: lower("depth"),
    calls: lower("calls"),
    inFlight: Math.max(1, lower("inFlight")),
    payloadBytes: lower("payloadBytes"),
    consoleBytes: lower("consoleBytes"),
  };
}

function jsonText(input: unknown): string | undefined {
  try {
    return JSON.stringify(input);
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : typeof error === "string" ? error : "no error was thrown";
}

function tooLarge(name: string, text: string, limits: Limits): Failure | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes <= limits.payloadBytes) return undefined;
  return failure(
    "INPUT_TOO_LARGE",
    `The input of "${name}" has ${bytes} bytes, the limit is ${limits.payloadBytes}`,
  );
}

function refused(name: string, input: Json, error: Failure, durationMs = 0): CallRecord {
  const outcome = { ok: false, error: { callPath: "0", ...error } } as const;
  return {
    kind: "skill",
    callPath: "0",
    name,
    input,
    outcome,
    startMs: 0,
    durationMs,
    console: [],
    calls: [],
  };
}
