import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";

/** The version of the format that is read and written. */
export const WORKFLOW_VERSION = "1.0";
export const WORKFLOW_SCHEMA_ID = "https://repertoire.dev/skill/1.0";

/** How a task's failure, or a criterion that does not hold, is met. */
const FAILURE_ACTIONS = ["raise_error", "continue", "skip", "use_default"] as const;

/** What a task can need; `code_execution` and `computation` are always there, the others are those of a model. */
export const OWN_CAPABILITIES: ReadonlySet<string> = new Set(["code_execution", "computation"]);

const MAX_TASKS = 500;
const MAX_LIST = 200;
const MAX_TEXT = 20_000;
const MAX_CODE = 200_000;

// What was parsed is JSON already, whatever its keys are called.
const json = z.custom<Json>((value) => value !== undefined);
const jsonObject = z
  .custom<JsonObject>(isJsonObject, { error: "it must be an object" })
  .meta({ type: "object" });
const line = z.string().min(1).max(1000);
const text = z.string().max(MAX_TEXT);
const list = <Of extends z.ZodType>(of: Of): z.ZodReadonly<z.ZodArray<Of>> =>
  z.array(of).max(MAX_LIST).readonly();
const lines = list(line);
const seconds = z.number().nonnegative();
const usd = z.number().nonnegative();
const fraction = z.number().min(0).max(1);
const attempts = z.int().min(1).max(10);
const milliseconds = z.int().nonnegative().max(300_000);

const identifier = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, {
  error: "it must be a name of letters, digits, _ and -, at most 64, that does not begin with a digit",
});

/** A type's name, a JSON Schema, or a map from the names of properties to types; `type-notation.ts` reads it. */
const typeNotation = z.union([line, jsonObject]);

export type TypeNotation = z.infer<typeof typeNotation>;

const metadata = z.strictObject({
  id: line.optional(),
  name: line.describe("The skill's name"),
  version: line.optional(),
  description: text.min(1).describe("What the skill does and when to use it"),
  category: line.optional(),
  tags: lines.optional(),
  author: line.optional(),
  created_at: line.optional(),
  updated_at: line.optional(),
  license: line.optional(),
  framework_agnostic: z.boolean().optional(),
});

const provenance = z.looseObject({
  source_system: line.optional(),
  source_framework: line.optional(),
  extracted_from_run_id: line.optional(),
  extraction_method: line.optional(),
  extraction_date: line.optional(),
  extraction_confidence: fraction.optional(),
  branches_compared: z.int().nonnegative().optional(),
  selection_criteria: json.optional(),
});

const validation = z.strictObject({
  format: line.optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  min_length: z.int().nonnegative().optional(),
  max_length: z.int().nonnegative().optional(),
  min_items: z.int().nonnegative().optional(),
  max_items: z.int().nonnegative().optional(),
  pattern: line.optional(),
  enum: list(json).optional(),
  extensions: lines.optional().describe("Endings that a file's path must have"),
  exists: z.boolean().optional().describe("Not checked: a sandbox sees no files"),
});

const value = {
  name: identifier,
  type: typeNotation,
  description: text.optional(),
  format: line.optional(),
  item_type: typeNotation.optional().describe("The type of the elements of a list"),
  schema: typeNotation.optional().describe("The properties of an object"),
};
const input = z.strictObject({
  ...value,
  required: z.boolean().optional().describe("True by default, unless there is a default"),
  default: json.optional(),
  validation: validation.optional(),
});
const output = z.strictObject({
  ...value,
  required: z.boolean().optional(),
  from: line.optional().describe("task.output; by default the output of that name, which one task must have"),
});

const skillInterface = z.strictObject({
  inputs: list(input).optional(),
  outputs: list(output).optional(),
  side_effects: z
    .strictObject({
      files_created: lines.optional(),
      files_modified: lines.optional(),
      directories_created: lines.optional(),
      external_apis_called: lines.optional(),
      stateful: z.boolean().optional(),
    })
    .optional(),
});

const tool = z.looseObject({
  name: line.describe("server.tool, as call_tool names it"),
  type: line.optional(),
  description: text.optional(),
  required: z.boolean().optional(),
  openapi_spec: jsonObject.optional(),
});

const check = z.string().min(1).max(1000).describe("An expression over inputs and outputs");
const retry = z.strictObject({
  max_attempts: attempts.optional(),
  backoff_ms: milliseconds.optional(),
  with: z.record(identifier, json).optional().describe("Arguments that the next attempts have instead"),
});
const criterion = z.strictObject({
  check,
  critical: z.boolean().optional().describe("True by default: the task fails where it does not hold"),
  description: text.optional(),
  on_failure: z
    .union([z.enum(["retry", "retry_with_more_steps", "fail", "continue"]), z.strictObject({ retry })])
    .optional(),
});

const FAILURE_FIELDS: ReadonlySet<string> = new Set(
  "retry_allowed max_attempts backoff_ms backoff default_outputs on_failure".split(" "),
);
const FAILURE_FIELD = /^on_[a-z0-9_]+_failure$/;

/** Besides these, `on_<what>_failure`. */
const errorHandling = z
  .object({
    retry_allowed: z.boolean().optional(),
    max_attempts: attempts.optional(),
    backoff_ms: milliseconds.optional(),
    backoff: z.enum(["fixed", "exponential"]).optional(),
    on_failure: z.enum(FAILURE_ACTIONS).optional(),
    default_outputs: jsonObject.optional(),
  })
  .catchall(
    z.union([
      z.enum(FAILURE_ACTIONS),
      z.strictObject({
        strategy: line,
        multiplier: z.number().optional(),
        max_retries: z.int().min(0).max(10).optional(),
      }),
    ]),
  )
  .superRefine((handling, context) => {
    const keys = Object.keys(handling).filter((key) => !FAILURE_FIELDS.has(key) && !FAILURE_FIELD.test(key));
    if (keys.length > 0) context.addIssue({ code: "unrecognized_keys", keys, input: handling });
  });

const codeTemplate = z.looseObject({
  language: line.optional(),
  template_type: line.optional(),
  imports: lines.optional(),
  frameworks: lines.optional(),
  logic_description: text.optional(),
  expected_operations: lines.optional(),
  plot_types: lines.optional(),
  parameterized: z.boolean().optional(),
  parameters_from_inputs: lines.optional(),
  parameters: jsonObject.optional(),
});

const taskExtension = z.looseObject({ version: z.literal(1), step: jsonObject.optional() });

const common = {
  task_id: identifier,
  name: line.optional(),
  description: text.optional(),
  role: line.optional(),
  capabilities_required: lines.optional(),
  dependencies: list(identifier).optional().describe("Tasks that must have ended before"),
  parallel_group: identifier.nullish(),
  estimated_duration_seconds: seconds.optional(),
  estimated_cost_usd: usd.optional(),
  compute_requirements: z
    .looseObject({
      memory_mb: z.number().positive().optional(),
      cpu_cores: z.number().positive().optional(),
      gpu: z.boolean().optional(),
    })
    .optional(),
  tools: list(tool).optional(),
  inputs: z
    .strictObject({
      from_skill_inputs: lines.optional().describe("name or name.path"),
      from_previous_tasks: lines.optional().describe("task_id.output or task_id.output.path"),
    })
    .optional(),
  arguments: z
    .record(identifier, json)
    .optional()
    .describe(`JSON with {"$from": "inputs.a"} or {"$text": "…\${tasks.t.b}…"} in it`),
  outputs: z.record(identifier, typeNotation).optional(),
  success_criteria: list(criterion).optional(),
  error_handling: errorHandling.optional(),
  idempotent: z.boolean().optional().describe("May be made again though it writes"),
  "x-repertoire": taskExtension.optional(),
};

const toolTask = z.strictObject({ ...common, type: z.literal("tool_call_task") });
const codeTask = z.strictObject({
  ...common,
  type: z.literal("code_execution_task"),
  language: line.optional(),
  code: z
    .string()
    .min(1)
    .max(MAX_CODE)
    .optional()
    .describe("A function's body, or a module with a default export"),
  file: line.optional().describe("A file of the skill's folder with a default export"),
  code_template: codeTemplate.optional(),
});
const agentTask = z.strictObject({
  ...common,
  type: z.literal("agent_task"),
  prompt: text.optional(),
  code_template: codeTemplate.optional(),
});
const skillTask = z.strictObject({
  ...common,
  type: z.literal("skill_task"),
  skill: line.describe("The name of the skill that it calls"),
});

export type ToolTask = z.infer<typeof toolTask>;
export type CodeTask = z.infer<typeof codeTask>;
export type AgentTask = z.infer<typeof agentTask>;
export type SkillTask = z.infer<typeof skillTask>;
export type WorkflowTask = ToolTask | CodeTask | AgentTask | SkillTask;
export type SuccessCriterion = z.infer<typeof criterion>;
export type ErrorHandling = z.infer<typeof errorHandling>;
export type WorkflowInput = z.infer<typeof input>;
export type WorkflowOutput = z.infer<typeof output>;

const parallelGroup = z.strictObject({
  tasks: list(identifier),
  execution: z.enum(["parallel", "sequential"]).optional(),
  wait_for_all: z.boolean().optional(),
});

const workflow = z.strictObject({
  type: z.literal("dag").optional(),
  execution_model: z.enum(["parallel_where_possible", "sequential"]).optional(),
  dependencies: z.literal("defined_per_task").optional(),
  tasks: z
    .array(z.discriminatedUnion("type", [toolTask, codeTask, agentTask, skillTask]))
    .min(1)
    .max(MAX_TASKS)
    .readonly(),
  parallel_groups: z
    .record(identifier, parallelGroup)
    .refine((groups) => Object.keys(groups).length <= MAX_LIST, {
      error: `there are at most ${MAX_LIST} parallel groups`,
    })
    .optional(),
});

const precondition = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("llm_intent_match"),
    description: text,
    confidence_threshold: fraction.optional(),
    critical: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal("input_validation"),
    description: text.optional(),
    check: check.optional(),
    critical: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal("capability_check"),
    description: text.optional(),
    required_capabilities: lines,
    critical: z.boolean().optional(),
  }),
]);

export type WorkflowPrecondition = z.infer<typeof precondition>;

const matching = z.strictObject({
  pattern_signature: z
    .strictObject({
      task_types: lines.optional(),
      domain: lines.optional(),
      keywords: lines.optional(),
      input_characteristics: z
        .looseObject({
          file_formats: lines.optional(),
          data_structure: line.optional(),
          size_range_mb: list(z.number()).optional(),
        })
        .optional(),
      complexity: line.optional(),
      computational_intensity: line.optional(),
    })
    .optional(),
  examples: lines.optional().describe("Requests that the skill fulfils, in words"),
  preconditions: list(precondition).optional(),
  embedding_vector: z.union([z.string(), z.array(z.number()).max(10_000).readonly()]).optional(),
});

const quality = z.strictObject({
  performance_metrics: z
    .looseObject({
      success_rate: fraction.optional(),
      usage_count: z.int().nonnegative().optional(),
      avg_execution_time_seconds: seconds.optional(),
      avg_cost_usd: usd.optional(),
      last_used: line.optional(),
      estimated_execution_time_seconds: seconds.optional(),
      estimated_cost_usd: usd.optional(),
      actual: jsonObject.optional(),
    })
    .optional(),
  postconditions: list(
    z.strictObject({ check, critical: z.boolean().optional(), description: text.optional() }),
  ).optional(),
});

const skill = z.strictObject({
  metadata,
  provenance: provenance.optional(),
  interface: skillInterface.optional(),
  workflow,
  matching: matching.optional(),
  quality: quality.optional(),
  framework_adapters: z.record(line, jsonObject).optional(),
  "x-repertoire": z
    .looseObject({
      version: z.literal(1),
      durable: z.union([z.boolean(), z.literal("confirm")]).optional(),
      operation: z.enum(["TRANSFORM", "READ", "WRITE"]).optional(),
    })
    .optional(),
});

/** A skill as data, which any engine can run. */
export const WORKFLOW = z.strictObject({
  $schema: line.optional(),
  skill_schema_version: z.literal(WORKFLOW_VERSION),
  skill,
});
export type Workflow = z.infer<typeof WORKFLOW>;

/** The published JSON Schema of the format, 2020-12. */
export function workflowSchema(): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(WORKFLOW, {
    unrepresentable: "any",
    reused: "ref",
    override: ({ zodSchema, jsonSchema }) => {
      delete jsonSchema.readOnly;
      const { additionalProperties } = jsonSchema;
      if (zodSchema !== errorHandling || additionalProperties === undefined) return;
      jsonSchema.patternProperties = { [FAILURE_FIELD.source]: additionalProperties };
      jsonSchema.additionalProperties = false;
    },
  });
  const schema = { $schema, $id: WORKFLOW_SCHEMA_ID, title: "A skill as a workflow", ...rest };
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
