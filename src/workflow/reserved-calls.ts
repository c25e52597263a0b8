import { setTimeout as delay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { failure, type Failure } from "../core/error.ts";
import type { Json, JsonObject } from "../core/json/json.ts";
import { type JsonSchema, schemaFault, validatorOf } from "../core/json/json-schema.ts";
import type { LanguageModel } from "../core/language-model.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { ModelUse } from "../core/run.ts";
import { didYouMean } from "../core/text/nearest.ts";
import { ASK_MODEL, RESERVED_TOOLS, WAIT } from "../core/tools/reserved-tools.ts";

/** Where a reserved tool is called from. */
interface ReservedCallContext {
  readonly runId: string;
  readonly signal: AbortSignal;
  /** When the call was first made, where it is made again in a run that goes on: milliseconds since 1970. */
  readonly begunAt?: number;
  /** Told what a model has taken. */
  readonly onModelUse?: (use: ModelUse) => void;
}

/** What `repertoire.ask_model` is called with. */
interface Question {
  readonly task?: string;
  readonly prompt: string;
  readonly inputs?: JsonObject;
  readonly schema: JsonSchema;
  readonly criteria?: readonly string[];
  readonly refused?: string;
}

/** Answers the calls of reserved tools. What one run asks of the model shares one budget. */
export class ReservedCalls {
  readonly #model: (() => LanguageModel) | undefined;
  readonly #ofRuns = new LRUCache<string, LanguageModel>({ max: MAX_RUNS });
  /** By their text: what compiled them is kept by the object. */
  readonly #schemas = new LRUCache<string, JsonSchema>({ max: MAX_SCHEMAS });

  /** `model` gives the configured model for one piece of work; without one questions fail with `MODEL_NEEDED`. */
  constructor(model: (() => LanguageModel) | undefined) {
    this.#model = model;
  }

  async call(name: string, input: Json, context: ReservedCallContext): Promise<Result<Json>> {
    const tool = RESERVED_TOOLS.get(name);
    if (!tool) {
      const hint = didYouMean(name, [...RESERVED_TOOLS.keys()]);
      return fail(failure("TOOL_NOT_FOUND", `There is no reserved tool "${name}".${hint}`));
    }
    const checked = validatorOf(tool.inputSchema)(structuredClone(input));
    if (!checked.ok) {
      const said = checked.error.map(({ at, message }) => `${at === "" ? "it" : at} ${message}`).join("; ");
      return fail(failure("INPUT_INVALID", `The input of "${name}" is not valid: ${said}`));
    }
    return name === WAIT
      ? this.#wait((checked.value as unknown as { readonly ms: number }).ms, context)
      : this.#ask(checked.value as unknown as Question, context);
  }

  /** Why a run that does not wait for others is not begun, where its source shows that it calls these tools, or it requires them. */
  refusal(tools: ReadonlySet<string>): Failure | undefined {
    return this.#model === undefined && tools.has(ASK_MODEL) ? MODEL_NEEDED : undefined;
  }

  async #wait(ms: number, { signal, begunAt }: ReservedCallContext): Promise<Result<Json>> {
    const left = begunAt === undefined ? ms : Math.min(ms, begunAt + ms - Date.now());
    try {
      await delay(Math.max(0, left), undefined, { signal });
      return ok({});
    } catch {
      return fail(failure("CANCELLED", "The run has ended while it waited"));
    }
  }

  async #ask(
    { task, prompt, inputs = {}, schema, criteria = [], refused }: Question,
    { runId, signal, onModelUse }: ReservedCallContext,
  ): Promise<Result<Json>> {
    const text = JSON.stringify(schema);
    const known = this.#schemas.get(text) ?? schema;
    this.#schemas.set(text, known);
    const fault =
      known["type"] === "object" ? schemaFault(known) : `an answer is an object ("type": "object")`;
    if (fault !== undefined)
      return fail(failure("INPUT_INVALID", `The schema of the answer is not valid: ${fault}`));
    if (!this.#model) return fail(MODEL_NEEDED);
    const model = this.#ofRuns.get(runId) ?? this.#model();
    this.#ofRuns.set(runId, model);
    const answered = await model.answer({
      purpose: "skill-task",
      instructions: [
        "You do one task of a skill that a program runs. Use nothing but what you are given and what you know; make nothing up.",
        `The task: ${prompt}`,
        ...(criteria.length > 0 ? [`What must be true of the answer, as \`outputs\`:`] : []),
        ...criteria.map((each) => `- ${each}`),
      ].join("\n"),
      data: JSON.stringify(refused === undefined ? { inputs } : { inputs, earlierAnswerRefused: refused }),
      schema: known,
      signal,
    });
    if (!answered.ok) {
      const { code, message } = answered.error;
      const of = task === undefined ? "" : ` (${JSON.stringify(task)})`;
      return fail({ ...answered.error, message: code === "CANCELLED" ? message : `${message}${of}` });
    }
    const { value, ...use } = answered.value;
    onModelUse?.(use);
    return ok(value);
  }
}

const MODEL_NEEDED = failure(
  "MODEL_NEEDED",
  `It takes a model ("${ASK_MODEL}"), and none is configured: see "model" in the configuration, or make the run durable, so that it waits for the answer`,
);

/** Budgets that are kept: of an older run that goes on a new one begins. */
const MAX_RUNS = 1000;
const MAX_SCHEMAS = 200;
