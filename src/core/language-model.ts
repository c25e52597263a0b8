import { failure } from "./error.ts";
import type { Json } from "./json/json.ts";
import type { JsonSchema } from "./json/json-schema.ts";
import type { Result } from "./result.ts";

/** What whoever takes a model answers where there is none. */
export const NO_MODEL = failure(
  "MODEL_NEEDED",
  `No model is configured: set "model" in the configuration, with "baseUrl" and "name"`,
);

/** A model that answers in JSON. What it says is untrusted: whoever asks checks it as it would check a stranger's word. */
export interface LanguageModel {
  readonly name: string;
  /**
   * One answer that fits the request's schema. Errors: `MODEL_UNAVAILABLE`, `MODEL_REJECTED`, `MODEL_RATE_LIMITED`,
   * `MODEL_TIMED_OUT`, `MODEL_REFUSED`, `MODEL_TRUNCATED`, `MODEL_ANSWER_INVALID`, `MODEL_BUDGET_SPENT`, `CANCELLED`,
   * `CONFIG_INVALID`.
   */
  answer(request: ModelRequest): Promise<Result<ModelAnswer>>;
  /** One vector for each text; absent where no embedding model is configured. Errors: as those of `answer`. */
  readonly embed?: (
    texts: readonly string[],
    signal?: AbortSignal,
  ) => Promise<Result<readonly Float32Array[]>>;
}

export interface ModelRequest {
  /** What the answer is for, in kebab-case: `revise-draft`, `new-skill`. */
  readonly purpose: string;
  /** What is to be done, in words of the program alone. */
  readonly instructions: string;
  /** What it is to be done with: told to the model as data, fenced. */
  readonly data: string;
  /** Of the answer, which is an object: JSON Schema 2020-12. */
  readonly schema: JsonSchema;
  readonly signal?: AbortSignal;
}

export interface ModelAnswer {
  /** Fits the request's schema. */
  readonly value: Json;
  /** As the endpoint names it. */
  readonly model: string;
  /** Of all attempts that this answer took; counted by characters where the endpoint does not tell. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars, where prices are configured. */
  readonly cost?: number;
}
