import * as z from "zod";
import { failure } from "../core/error.ts";
import { fail, ok, type Result } from "../core/result.ts";

const dollars = z.number().min(0);
/** The settings of the model; for what else may stand there, see `modelShape`. */
export const modelFields = {
  baseUrl: z.url({ protocol: /^https?$/ }),
  name: z.string().min(1),
  key: z.string().optional(),
  api: z.enum(["chat", "responses"]).optional(),
  embedding: z.string().min(1).optional(),
  timeoutMs: z.int().positive().max(2_147_483_647).optional(),
  maxTokens: z.int().positive().optional(),
  maxCost: dollars.optional(),
  prices: z.strictObject({ input: dollars, output: dollars }).optional(),
};

/** What `model` in the configuration may hold. */
export const modelShape = z.strictObject(modelFields).superRefine(({ maxCost, prices }, context) => {
  if (maxCost !== undefined && !prices)
    context.addIssue({ code: "custom", path: ["maxCost"], message: `needs "prices" to be counted by` });
});

/** An endpoint that speaks OpenAI's protocol, and what may be asked of it. */
export interface ModelSettings {
  readonly baseUrl: string;
  readonly name: string;
  /** Nothing where the endpoint takes none; a failure where its variable is not set. */
  readonly key: Result<string | undefined>;
  readonly api: "chat" | "responses";
  /** The model that makes vectors of texts. */
  readonly embedding: string | undefined;
  /** How long one answer may take with all its attempts, in milliseconds. */
  readonly timeoutMs: number;
  /** What one piece of work may take, input and output together. */
  readonly maxTokens: number;
  /** What one piece of work may cost, in US dollars. */
  readonly maxCost: number | undefined;
  /** US dollars for a million tokens. */
  readonly prices: { readonly input: number; readonly output: number } | undefined;
}

/** The settings with every default filled in; `expanded` replaces variables, or tells the one that is not set. */
export function modelSettings(
  given: z.infer<typeof modelShape>,
  expanded: (text: string) => Result<string, { readonly variable: string }>,
): ModelSettings {
  const { baseUrl, name, api = "chat", embedding, maxCost, prices } = given;
  const { timeoutMs = 120_000, maxTokens = 200_000 } = given;
  const key = given.key === undefined ? ok(undefined) : expanded(given.key);
  return {
    baseUrl,
    name,
    key: key.ok
      ? key
      : fail(
          failure("CONFIG_INVALID", `"model.key": the environment variable ${key.error.variable} is not set`),
        ),
    api,
    embedding,
    timeoutMs,
    maxTokens,
    maxCost,
    prices,
  };
}
