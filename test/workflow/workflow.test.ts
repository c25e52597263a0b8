import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schemaFault, validatorOf, type JsonSchema } from "../../src/core/json/json-schema.ts";
import { type Json } from "../../src/core/json/json.ts";
import { taskArguments, tasksBefore, type ArgumentValue } from "../../src/workflow/task-arguments.ts";
import { schemaOfNotation, type NotationFault } from "../../src/workflow/type-notation.ts";
import { workflowContract } from "../../src/workflow/workflow-contract.ts";
import { WORKFLOW, WORKFLOW_SCHEMA_ID, workflowSchema } from "../../src/workflow/workflow.ts";
import { ROOT } from "../server/connected-client.ts";
import { agentTask, codeTask, skillTask, toolTask, workflowOf } from "./documents.ts";

function read(notation: Json): { readonly schema: JsonSchema; readonly faults: readonly NotationFault[] } {
  const faults: NotationFault[] = [];
  return { schema: schemaOfNotation(notation, [], faults), faults };
}

test("the published file is the schema", () => {
  const file = join(ROOT, "docs/workflow.schema.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(workflowSchema());
});

test("the published schema is a JSON Schema that says of documents what reading them says", () => {
  const schema = workflowSchema();
  expect(schema).toMatchObject({
    $id: WORKFLOW_SCHEMA_ID,
    $schema: "https://json-schema.org/draft/2020-12/schema",
  });
  expect(schemaFault(schema)).toBeUndefined();
  const good = workflowOf([
    toolTask({ task_id: "look", tools: [{ name: "shop.stock" }], error_handling: { on_failure: "skip" } }),
  ]);
  const bad = workflowOf([
    toolTask({ task_id: "look", error_handling: { on_failure: "skip", on_sunday: "skip" } }),
  ]);
  const validate = validatorOf(schema);
  for (const [document, fits] of [
    [good, true],
    [bad, false],
  ] as const) {
    expect(WORKFLOW.safeParse(document).success).toBe(fits);
    expect(validate(structuredClone(document) as Json).ok).toBe(fits);
  }
});

test.each<[Json, JsonSchema]>([
  ["float", { type: "number" }],
  ["file_path", { type: "string" }],
  ["markdown", { type: "string", contentMediaType: "text/markdown" }],
  ["date-time", { type: "string", format: "date-time" }],
  ["integer[]", { type: "array", items: { type: "integer" } }],
  ["list<string | null>", { type: "array", items: { type: ["string", "null"] } }],
  ["array[list<url>]", { type: "array", items: { type: "array", items: { type: "string", format: "uri" } } }],
  [
    { type: "float", default: 0.95 },
    { type: "number", default: 0.95 },
  ],
  [{ type: ["float", "null"] }, { type: ["number", "null"] }],
  [
    { bin_width: { type: "integer", default: 10 }, title: "string" },
    {
      type: "object",
      properties: { bin_width: { type: "integer", default: 10 }, title: { type: "string" } },
      required: ["title"],
    },
  ],
  [
    { type: "array", items: { title: "string", relevance: "float" } },
    {
      type: "array",
      items: {
        type: "object",
        properties: { title: { type: "string" }, relevance: { type: "number" } },
        required: ["title", "relevance"],
      },
    },
  ],
  [
    { type: "object", properties: { a: { type: "int", required: true }, b: "text" } },
    {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "string" } },
      required: ["a"],
    },
  ],
  [
    { items: "integer[]", enum: "string" },
    {
      type: "object",
      properties: { items: { type: "array", items: { type: "integer" } }, enum: { type: "string" } },
      required: ["items", "enum"],
    },
  ],
  [{ enum: ["a", "b"] }, { enum: ["a", "b"] }],
  [{ $ref: "#/$defs/order" }, { $ref: "#/$defs/order" }],
])("the type %j is %j", (notation, schema) => {
  expect(read(notation)).toEqual({ schema, faults: [] });
});

test("a type that is none is any value, and told with what was meant", () => {
  expect(read({ size: "interger" })).toEqual({
    schema: { type: "object", properties: { size: {} }, required: ["size"] },
    faults: [{ path: ["size"], message: 'there is no type "interger". Did you mean "integer"?' }],
  });
  expect(read(5).faults).toHaveLength(1);
});

test("arguments are known by the last part of their path, or by the name that they are given", () => {
  const { args, faults } = taskArguments({
    inputs: { from_skill_inputs: ["order.id"], from_previous_tasks: ["look.stock.count", "look"] },
    arguments: {
      limit: 3,
      note: { $text: "for ${inputs.customer}: $${x} ${tasks.look.stock}" },
      filter: { only: [{ $from: "tasks.look.stock.name" }], all: false },
      total: { $expression: { kind: "param", name: "sum" }, version: 1 },
    },
  });
  expect(faults).toEqual([]);
  const stock = (...path: string[]): ArgumentValue => ({
    kind: "reference",
    reference: { kind: "task", task: "look", path },
  });
  expect(args.map(({ name, value }) => [name, value])).toEqual([
    ["id", { kind: "reference", reference: { kind: "input", name: "order", path: ["id"] } }],
    ["count", stock("stock", "count")],
    ["look", stock()],
    ["limit", { kind: "constant", value: 3 }],
    [
      "note",
      {
        kind: "text",
        parts: [
          "for ",
          { kind: "input", name: "customer", path: [] },
          ": ",
          "${",
          "x} ",
          { kind: "task", task: "look", path: ["stock"] },
        ],
      },
    ],
    [
      "filter",
      {
        kind: "object",
        fields: [
          { name: "only", value: { kind: "list", items: [stock("stock", "name")] } },
          { name: "all", value: { kind: "constant", value: false } },
        ],
      },
    ],
    ["total", { kind: "expression", expression: { kind: "param", name: "sum" } }],
  ]);
});

test("tasks come after those they name and those whose outputs they take, and in order where that is said", () => {
  const tasks = [
    toolTask({ task_id: "a" }),
    skillTask({ task_id: "b", skill: "x", arguments: { v: [{ $text: "${tasks.a.n}" }] } }),
    codeTask({
      task_id: "c",
      dependencies: ["a"],
      arguments: {
        v: { $expression: { kind: "field", of: { kind: "ref", name: "b" }, path: [] }, version: 1 },
      },
    }),
    agentTask({ task_id: "d" }),
  ];
  const before = (document: Parameters<typeof tasksBefore>[0]): readonly (readonly string[])[] =>
    [...tasksBefore(document).values()].map((ids) => Array.from(ids));
  expect(before(workflowOf(tasks))).toEqual([[], ["a"], ["a", "b"], []]);
  const sequential = workflowOf(tasks, { workflow: { execution_model: "sequential" } });
  expect(before(sequential)).toEqual([[], ["a"], ["a", "b"], ["c"]]);
});

test("the contract has what inputs declare, and each output's source", () => {
  const { input, output, outputs, faults } = workflowContract(
    workflowOf(
      [
        toolTask({ task_id: "look", outputs: { stock: "integer" } }),
        toolTask({ task_id: "again", outputs: { twice: "integer" } }),
        toolTask({ task_id: "more", outputs: { twice: "integer" } }),
      ],
      {
        inputs: [
          { name: "path", type: "file_path", validation: { extensions: [".csv", ".tsv"], max_length: 80 } },
          {
            name: "options",
            type: "object",
            default: {},
            schema: { width: { type: "integer", default: 10 } },
          },
        ],
        outputs: [
          { name: "stock", type: "integer" },
          { name: "count", type: "integer", from: "look.stock" },
          { name: "twice", type: "integer", required: false },
          { name: "report", type: "string", format: "markdown" },
        ],
      },
    ),
  );
  expect(faults).toEqual([]);
  expect(input).toEqual({
    type: "object",
    properties: {
      path: { type: "string", maxLength: 80, pattern: String.raw`(?:\.csv|\.tsv)$` },
      options: { type: "object", properties: { width: { type: "integer", default: 10 } }, default: {} },
    },
    required: ["path"],
    additionalProperties: false,
  });
  expect(validatorOf(input)({ path: "a.csv" })).toEqual({
    ok: true,
    value: { path: "a.csv", options: { width: 10 } },
  });
  expect(output).toMatchObject({
    properties: { report: { type: "string", contentMediaType: "text/markdown" } },
    required: ["stock", "count", "report"],
  });
  const stock = { kind: "reference", reference: { kind: "task", task: "look", path: ["stock"] } };
  expect(outputs.map(({ source }) => source)).toEqual([
    stock,
    stock,
    { kind: "several", tasks: ["again", "more"] },
    { kind: "none" },
  ]);
});

test("what no task gives is asked of a model where the workflow asks one already", () => {
  const template = codeTask({ task_id: "plot", code_template: { language: "python" } });
  const { outputs } = workflowContract(
    workflowOf([template], { outputs: [{ name: "report", type: "text" }] }),
  );
  expect(outputs.map(({ source }) => source)).toEqual([{ kind: "model" }]);
});
