import type { OpenAI } from "openai";
import * as z from "zod";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { FailureError, failure } from "../core/error.ts";
import type { AnswerForm } from "./answer-forms.ts";
import { strictSchema } from "./strict-schema.ts";

/** One request to an endpoint, whichever of its protocols it goes by. */
interface ExchangeRequest {
  readonly model: string;
  /** What is told in the program's own name. */
  readonly system: string;
  readonly user: string;
  readonly form: AnswerForm;
  readonly purpose: string;
  readonly schema: JsonSchema;
  readonly maxOutputTokens: number;
  /** By which name the endpoint knows the limit. */
  readonly limitName: LimitName;
}

export const LIMIT_NAMES = ["max_completion_tokens", "max_tokens"] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** What a model said: all of it, a part, or that it will not. */
export interface Said {
  readonly kind: "said" | "refused" | "truncated";
  readonly text: string;
  readonly model: string;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export type Exchange = (client: OpenAI, request: ExchangeRequest, signal: AbortSignal) => Promise<Said>;

const count = z.number().nonnegative().nullish();
const said = z.string().nullish();
const completion = z.looseObject({
  model: said,
  choices: z
    .array(
      z.looseObject({
        finish_reason: said,
        message: z.looseObject({
          content: said,
          refusal: said,
          tool_calls: z
            .array(z.looseObject({ function: z.looseObject({ arguments: z.string() }).optional() }))
            .nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.looseObject({ prompt_tokens: count, completion_tokens: count }).nullish(),
});

/** By Chat Completions. */
export const chatExchange: Exchange = async (client, request, signal) => {
  const { model, system, user, limitName, maxOutputTokens } = request;
  const answer: unknown = await client.chat.completions.create(
    {
      model,
      messages: [
        { role: "system", content: system },
        { role: "user", content: user },
      ],
      [limitName]: maxOutputTokens,
      ...chatForm(request),
    },
    { signal },
  );
  const { choices, usage, ...rest } = validated(completion, answer);
  const [{ finish_reason: reason, message } = { message: { content: "" } }] = choices;
  const call = message.tool_calls?.[0]?.function?.arguments;
  const isRefused = reason === "content_filter" || (message.refusal ?? "") !== "";
  return {
    kind: isRefused ? "refused" : reason === "length" ? "truncated" : "said",
    text: (isRefused ? message.refusal : (call ?? message.content)) ?? "",
    model: rest.model ?? model,
    inputTokens: usage?.prompt_tokens ?? undefined,
    outputTokens: usage?.completion_tokens ?? undefined,
  };
};

type ChatForm = Pick<
  OpenAI.ChatCompletionCreateParamsNonStreaming,
  "response_format" | "tools" | "tool_choice"
>;

function chatForm({ form, purpose, schema }: ExchangeRequest): ChatForm {
  switch (form) {
    case "json_schema":
      return {
        response_format: {
          type: "json_schema",
          json_schema: { name: nameOf(purpose), strict: true, schema: strictSchema(schema) },
        },
      };
    case "json_object":
      return { response_format: { type: "json_object" } };
    case "tool":
      return {
        tools: [{ type: "function", function: { name: TOOL, parameters: schema } }],
        tool_choice: { type: "function", function: { name: TOOL } },
      };
    case "text":
      return {};
  }
}

const response = z.looseObject({
  model: said,
  status: said,
  incomplete_details: z.looseObject({ reason: said }).nullish(),
  error: z.looseObject({ code: said, message: said }).nullish(),
  output: z.array(
    z.looseObject({
      type: z.string(),
      arguments: said,
      content: z.array(z.looseObject({ type: z.string(), text: said, refusal: said })).nullish(),
    }),
  ),
  usage: z.looseObject({ input_tokens: count, output_tokens: count }).nullish(),
});

/** By Responses, of which the endpoint keeps none. */
export const responsesExchange: Exchange = async (client, request, signal) => {
  const { model, system, user, maxOutputTokens } = request;
  const answer: unknown = await client.responses.create(
    {
      model,
      instructions: system,
      input: user,
      store: false,
      max_output_tokens: maxOutputTokens,
      ...responsesForm(request),
    },
    { signal },
  );
  const {
    output,
    usage,
    status,
    incomplete_details: incomplete,
    error,
    ...rest
  } = validated(response, answer);
  if (status === "failed")
    throw new FailureError(
      failure("MODEL_UNAVAILABLE", `The model failed: ${error?.message ?? "no reason"}`),
    );
  const parts = output.flatMap(({ content }) => content ?? []);
  const refusals = parts.flatMap(({ refusal }) => refusal ?? []);
  const isRefused = refusals.length > 0 || incomplete?.reason === "content_filter";
  const call = output.find(({ type }) => type === "function_call")?.arguments;
  return {
    kind: isRefused ? "refused" : status === "incomplete" ? "truncated" : "said",
    text: isRefused ? refusals.join(" ") : (call ?? parts.map(({ text }) => text ?? "").join("")),
    model: rest.model ?? model,
    inputTokens: usage?.input_tokens ?? undefined,
    outputTokens: usage?.output_tokens ?? undefined,
  };
};

type ResponsesForm = Pick<
  OpenAI.Responses.ResponseCreateParamsNonStreaming,
  "text" | "tools" | "tool_choice"
>;

function responsesForm({ form, purpose, schema }: ExchangeRequest): ResponsesForm {
  switch (form) {
    case "json_schema":
      return {
        text: {
          format: { type: form, name: nameOf(purpose), strict: true, schema: strictSchema(schema) },
        },
      };
    case "json_object":
      return { text: { format: { type: form } } };
    case "tool":
      return {
        tools: [{ type: "function", name: TOOL, parameters: schema, strict: false }],
        tool_choice: { type: "function", name: TOOL },
      };
    case "text":
      return {};
  }
}

/** The name of the only tool of a model that has to answer by calling it. */
const TOOL = "answer";

function nameOf(purpose: string): string {
  return purpose.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
}

function validated<Value>(shape: z.ZodType<Value>, answer: unknown): Value {
  const checked = shape.safeParse(answer);
  if (checked.success) return checked.data;
  const message = `The endpoint answers in no form of OpenAI's protocol: look at "model.baseUrl" and "model.api"`;
  throw new FailureError(failure("MODEL_UNAVAILABLE", message));
}
