import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { failure, type Failure } from "../../core/error.ts";
import type { Result } from "../../core/result.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { clientSchema } from "./client-schema.ts";
import { failureAnswer, outputAnswer } from "./tool-answer.ts";

/** Tools of other servers that clients may call here. */
export interface ProxiedTools {
  /** Resolves when `published` has what there is to show at first. */
  openPublished(): Promise<void>;
  /** Why a tool that is configured is not published; undefined where none is, or where it is published by now. */
  whyMissing(name: string): Promise<Failure | undefined>;
  published(taken: ReadonlySet<string>): readonly ProxiedTool[];
  call(
    name: string,
    args: Json,
    options: {
      readonly signal: AbortSignal;
      readonly idempotencyKey?: string;
      readonly onTexts?: (texts: readonly string[]) => void;
    },
  ): Promise<Result<Json>>;
  onChange(listener: () => void): void;
}

export interface ProxiedTool {
  readonly name: string;
  /** What `PassedTools.call` calls it. */
  readonly calls: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: NonNullable<Tool["annotations"]>;
}

export function proxiedToolDefinition(
  { name, title, description, annotations, ...schemas }: ProxiedTool,
  form: "schema" | "whole",
): Tool {
  const output = schemas.outputSchema && clientSchema(schemas.outputSchema, "result")[form];
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: { ...clientSchema(schemas.inputSchema, "input")[form], type: "object" },
    ...(output === undefined ? {} : { outputSchema: { ...output, type: "object" } }),
  };
}

export async function callProxiedTool(
  { inputSchema, outputSchema }: ProxiedTool,
  given: JsonObject,
  call: (args: JsonObject, onTexts: (texts: readonly string[]) => void) => Promise<Result<Json>>,
): Promise<CallToolResult> {
  const { wrappedIn } = clientSchema(inputSchema, "input");
  const args = wrappedIn === undefined ? given : given[wrappedIn];
  if (args === undefined || !isJsonObject(args))
    return failureAnswer(failure("INPUT_INVALID", `The input travels as the one property "${wrappedIn}"`));
  let own: readonly string[] = [];
  const result = await call(args, (texts) => (own = texts));
  if (!result.ok) return failureAnswer(result.error);
  const output = outputSchema && clientSchema(outputSchema, "result");
  const told = outputAnswer(result.value, output?.wrappedIn);
  // Whoever reads texts gets those that the server gives everybody.
  return own.length === 0 ? told : { ...told, content: own.map((text) => ({ type: "text", text })) };
}
