import { isJsonObject, type Json } from "../json/json.ts";
import type { JsonSchema } from "../json/json-schema.ts";

/** The server whose tools this program has itself, for skills alone: no configured server is called so. */
export const RESERVED_SERVER = "repertoire";

/** Puts a question to a language model; gives the answer, which fits the schema that it was asked with. */
export const ASK_MODEL = "repertoire.ask_model";

/** Waits; gives `{}`. */
export const WAIT = "repertoire.wait";

/** The longest that one call of `repertoire.wait` waits. */
const MAX_WAIT_MS = 300_000;

interface ReservedTool {
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

/** The reserved tools, by the names that skills call them by. All of them only read. */
export const RESERVED_TOOLS: ReadonlyMap<string, ReservedTool> = new Map([
  [
    ASK_MODEL,
    {
      description:
        "Asks the configured language model. `prompt` is the instruction; what others have written belongs into `inputs`, which the model gets as data.",
      inputSchema: {
        type: "object",
        properties: {
          task: { type: "string", description: "What the question is known by, in messages" },
          prompt: { type: "string", minLength: 1 },
          inputs: { type: "object" },
          schema: { type: "object", description: "Of the answer, which is an object: JSON Schema 2020-12" },
          criteria: {
            type: "array",
            items: { type: "string" },
            description: "What must be true of the answer",
          },
          refused: { type: "string", description: "What was wrong with an earlier answer" },
        },
        required: ["prompt", "schema"],
        additionalProperties: false,
      },
    },
  ],
  [
    WAIT,
    {
      description: "Waits for so many milliseconds, within the time that the run has.",
      inputSchema: {
        type: "object",
        properties: { ms: { type: "number", minimum: 0, maximum: MAX_WAIT_MS } },
        required: ["ms"],
        additionalProperties: false,
      },
      outputSchema: { type: "object", additionalProperties: false },
    },
  ],
]);

/** The schema that the answer to a question fits, where a call is a question to a model. */
export function answerSchemaOf(tool: string, input: Json): JsonSchema | undefined {
  const schema = tool === ASK_MODEL && isJsonObject(input) ? input["schema"] : undefined;
  return isJsonObject(schema) ? schema : undefined;
}
