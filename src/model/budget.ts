import { failure } from "../core/error.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { ModelSettings } from "./model-config.ts";

/** Tokens that one request takes. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What one piece of work may take of a model. What is asked for at the same time counts as if it took the most. */
export class Budget {
  readonly #settings: Pick<ModelSettings, "maxTokens" | "maxCost" | "prices">;
  #tokens = 0;
  #cost = 0;

  constructor(settings: Pick<ModelSettings, "maxTokens" | "maxCost" | "prices">) {
    this.#settings = settings;
  }

  /** Sets aside what a request may take at most, with as much output as is left. Errors: `MODEL_BUDGET_SPENT`. */
  reserve(inputTokens: number): Result<ModelUsage> {
    const { maxTokens, maxCost, prices } = this.#settings;
    const byTokens = maxTokens - this.#tokens - inputTokens;
    const dollars =
      (maxCost ?? Number.POSITIVE_INFINITY) - this.#cost - (this.cost({ inputTokens, outputTokens: 0 }) ?? 0);
    const byCost = prices && prices.output > 0 ? Math.floor((dollars / prices.output) * MILLION) : byTokens;
    const outputTokens = Math.min(MAX_OUTPUT_TOKENS, byTokens, dollars < 0 ? 0 : byCost);
    if (outputTokens < MIN_OUTPUT_TOKENS) {
      const spent = `${this.#tokens} of ${maxTokens} tokens${maxCost === undefined ? "" : `, $${this.#cost.toFixed(4)} of $${maxCost}`}`;
      const message = `About ${inputTokens} more tokens and an answer would take more than the model may: taken are ${spent} ("model.maxTokens", "model.maxCost")`;
      return fail(failure("MODEL_BUDGET_SPENT", message));
    }
    const reserved = { inputTokens, outputTokens };
    this.#add(reserved, 1);
    return ok(reserved);
  }

  /** Counts what a request has taken in place of what was set aside for it. */
  settle(reserved: ModelUsage, taken: ModelUsage): void {
    this.#add(reserved, -1);
    this.#add(taken, 1);
  }

  /** In US dollars; nothing where no prices are known. */
  cost({ inputTokens, outputTokens }: ModelUsage): number | undefined {
    const { prices } = this.#settings;
    return prices && (inputTokens * prices.input + outputTokens * prices.output) / MILLION;
  }

  #add(usage: ModelUsage, sign: 1 | -1): void {
    this.#tokens += sign * (usage.inputTokens + usage.outputTokens);
    this.#cost += sign * (this.cost(usage) ?? 0);
  }
}

const MILLION = 1_000_000;
const MAX_OUTPUT_TOKENS = 8192;
/** With fewer no answer is whole. */
const MIN_OUTPUT_TOKENS = 256;
