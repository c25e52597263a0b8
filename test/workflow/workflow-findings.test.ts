import { relative } from "node:path";
import { expect, test } from "vitest";
import { loadFolders } from "../../src/catalog/folders/load-folders.ts";
import { workflowFindings } from "../../src/checks/workflow-findings.ts";
import type { Diagnostic } from "../../src/core/diagnostic.ts";
import type { JsonSchema } from "../../src/core/json/json-schema.ts";
import { folderWith, skillFile } from "../catalog/folders.ts";
import { compiler } from "../shared-threads.ts";

const stock: JsonSchema = {
  type: "object",
  properties: {
    items: { type: "array", items: { $ref: "#/$defs/item" } },
    note: { type: ["string", "null"] },
  },
  required: ["items"],
  additionalProperties: false,
  $defs: {
    item: {
      type: "object",
      properties: { name: { type: "string" }, count: { type: "integer" } },
      required: ["name", "count"],
      additionalProperties: false,
    },
  },
};
const tools = new Map([
  [
    "stock.list",
    {
      inputSchema: {
        type: "object",
        properties: { shop: { type: "string" }, most: { type: "integer", maximum: 100 } },
        required: ["shop"],
        additionalProperties: false,
      },
      outputSchema: stock,
    },
  ],
]);
const contractOf = (name: string) =>
  name === "order"
    ? {
        input: {
          type: "object",
          properties: { items: stock["properties"], note: { type: "string" } },
          required: ["note"],
          additionalProperties: false,
        } as JsonSchema,
        output: {
          type: "object",
          properties: { id: { type: "string" } },
          required: ["id"],
          additionalProperties: false,
        } as JsonSchema,
      }
    : undefined;

const GOOD = `{
  "skill_schema_version": "1.0",
  "skill": {
    "metadata": {"name": "restock", "description": "Orders what is short."},
    "interface": {
      "inputs": [{"name": "shop", "type": "string"}, {"name": "most", "type": "integer", "validation": {"minimum": 1, "maximum": 50}}],
      "outputs": [{"name": "order", "type": "string", "from": "send.id"}]
    },
    "workflow": {
      "tasks": [
        {
          "task_id": "look",
          "type": "tool_call_task",
          "tools": [{"name": "stock.list"}],
          "inputs": {"from_skill_inputs": ["shop", "most"]}
        },
        {
          "task_id": "send",
          "type": "skill_task",
          "skill": "order",
          "arguments": {"note": {"$text": "for \${inputs.shop}"}},
          "dependencies": ["look"]
        }
      ]
    }
  }
}
`;

async function findingsOf(text: string): Promise<readonly Diagnostic[]> {
  const root = await folderWith({ "restock/workflow.json": text });
  const { folders, diagnostics } = await loadFolders([root]);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const [folder] = folders;
  if (!folder) throw new Error("nothing is loaded");
  return workflowFindings(folder, { contractOf, tools });
}

test("a workflow whose values fit has no findings", async () => {
  expect(await findingsOf(GOOD)).toEqual([]);
});

test.each([
  {
    what: "an argument that the tool does not take",
    from: `["shop", "most"]`,
    to: `["shop"]}, "arguments": {"mostt": {"$from": "inputs.most"}`,
    found: "error flow-mismatch",
    at: `{"$from": "inputs.most"}`,
    says: `Did you mean "most"?`,
  },
  {
    what: "an argument that the tool requires",
    from: `["shop", "most"]`,
    to: `["most"]`,
    found: "error flow-missing",
    at: `"look",\n          "type"`,
    says: `"shop", which the tool "stock.list" requires`,
  },
  {
    what: "a value of another type",
    from: `{"name": "shop", "type": "string"}`,
    to: `{"name": "shop", "type": "integer"}`,
    found: "error flow-mismatch",
    at: `"shop", "most"]`,
    says: "a string is expected",
  },
  {
    what: "a value that may not fit, with one that does not",
    from: `"maximum": 50`,
    to: `"maximum": 500`,
    found: "warning flow-mismatch",
    at: `"most"]`,
    says: "101",
  },
  {
    what: "a constant that does not fit",
    from: `["shop", "most"]`,
    to: `["shop"]}, "arguments": {"most": 200`,
    found: "error flow-mismatch",
    at: `200`,
    says: "<= 100",
  },
  {
    what: "what a task may give as null",
    from: `{"$text": "for \${inputs.shop}"}`,
    to: `{"$from": "tasks.look.note"}`,
    found: "warning flow-mismatch",
    at: `{"$from": "tasks.look.note"}`,
    says: "null",
  },
  {
    what: "a field that a tool's answer does not have",
    from: `{"$text": "for \${inputs.shop}"}`,
    to: `{"$text": "for \${tasks.look.total}"}`,
    found: "error flow-missing",
    at: `{"$text": "for \${tasks.look.total}"}`,
    says: `There is no "total" in what the task "look" gives`,
  },
  ...[
    "tasks.look.items.length",
    "tasks.look.items.map",
    "tasks.look.items.0.name.length",
    "tasks.look.note.at",
  ].map((path) => ({
    what: `what only code would find, ${path},`,
    from: `{"$text": "for \${inputs.shop}"}`,
    to: `{"$from": "${path}"}`,
    found: "error flow-missing",
    at: `{"$from": "${path}"}`,
    says: `There is no "${path.split(".").at(-1)}" in what the task "look" gives`,
  })),
  {
    what: "an element of another type",
    from: `{"$text": "for \${inputs.shop}"}`,
    to: `{"$from": "tasks.look.items.0.count"}`,
    found: "error flow-mismatch",
    at: `{"$from": "tasks.look.items.0.count"}`,
    says: "a string is expected",
  },
  {
    what: "an output of another type",
    from: `"type": "string", "from"`,
    to: `"type": "integer", "from"`,
    found: "error flow-mismatch",
    at: `"order", "type"`,
    says: `the output "order"`,
  },
  {
    what: "an output that the skill does not give",
    from: `send.id`,
    to: `send.number`,
    found: "error flow-missing",
    at: `"order", "type"`,
    says: `There are id`,
  },
  {
    what: "an output that is declared and that the skill does not give",
    from: `"dependencies": ["look"]`,
    to: `"dependencies": ["look"], "outputs": {"number": "string", "id": "string"}`,
    found: "error flow-missing",
    at: `"string", "id"`,
    says: `There is no "number" in what the task "send" gives`,
  },
])("$what is told in the document", async ({ from, to, found, at, says }) => {
  const text = GOOD.replace(from, () => to);
  const findings = await findingsOf(text);
  const lines = text.slice(0, text.indexOf(at)).split("\n");
  expect(findings.map((each) => `${each.severity} ${each.code} ${each.line}:${each.column}`)).toEqual([
    `${found} ${lines.length}:${(lines.at(-1) ?? "").length + 1}`,
  ]);
  expect(`${findings[0]?.message} ${findings[0]?.fix}`).toContain(says);
});

test("what a skill in code or a tool does not say that it gives is not there, as in code", async () => {
  const output: JsonSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
  const found = async (from: string, to: string, schema = output): Promise<readonly string[]> => {
    const root = await folderWith({ "restock/workflow.json": GOOD.replace(from, to) });
    const [folder] = (await loadFolders([root])).folders;
    const known = { inputSchema: {}, outputSchema: schema };
    const world = {
      contractOf: () => ({ input: {}, output: schema }),
      tools: new Map([["stock.list", known]]),
    };
    return folder ? workflowFindings(folder, world).map(({ message }) => message) : ["not loaded"];
  };
  expect(await found("send.id", "send.id")).toEqual([]);
  expect(await found("send.id", "send.ide")).toEqual([
    'There is no "ide" in what the task "send" gives. Did you mean "id"?',
  ]);
  expect(await found("inputs.shop}", "tasks.look.name}")).toEqual([
    'There is no "name" in what the task "look" gives.',
  ]);
  expect(await found("send.id", "send.ide", { ...output, additionalProperties: true })).toEqual([]);
});

test("what the code of a task names and calls is checked in the document", async () => {
  const task = (id: string, code: string): string =>
    `{"task_id": "${id}", "type": "code_execution_task", "code": "${code}", "outputs": {"n": "float"}}`;
  const tasks = [
    task("good", "const { n } = await call_skill('twice', { x: 1 }); return { n: Math.sqrt(n) };"),
    task("member", "return { n: Math.sqr(4) };"),
    task("name", "return { n: fetch('x') };"),
    task("argument", "return { n: (await call_skill('twice', { y: 1 })).n };"),
    task("answer", "return { n: (await call_skill('twice', { x: 1 })).m };"),
    task("own", "Math.cbrd = Math.cbrt; return { n: Math.cbrd(8) + (Math.sum?.(1) ?? 0) };"),
  ];
  const root = await folderWith({
    "many.skill.json": `{"skill_schema_version": "1.0", "skill": {
      "metadata": {"name": "many", "description": "Does many things."},
      "interface": {"outputs": [{"name": "n", "type": "float", "from": "good.n"}]},
      "workflow": {"tasks": [\n${tasks.join(",\n")}\n]}}}`,
    "twice/SKILL.md": skillFile("twice"),
    "twice/skill.ts": "export default ({ x }: { x: number }): { n: number } => ({ n: x * 2 });\n",
  });
  const { findings } = await compiler.compile((await loadFolders([root])).folders);
  const errors = findings.filter(({ severity }) => severity === "error");
  expect(errors.map(({ line, message }) => `${line - 4} ${message}`)).toEqual([
    expect.stringContaining("2 Property 'sqr' does not exist on type 'Math'"),
    expect.stringContaining("3 Cannot find name 'fetch'"),
    expect.stringMatching(/^4 .*'y'/),
    expect.stringContaining("5 Property 'm' does not exist"),
  ]);
});

test("a workflow is compiled: contract, calls and conditions, and its faulty calls are found", async () => {
  const document = (argument: string): string =>
    GOOD.replace(
      /"tasks": \[[^]*\]\n/,
      () =>
        `"tasks": [{"task_id": "send", "type": "skill_task", "skill": "twice", "arguments": {"${argument}": {"$from": "inputs.most"}}}]\n`,
    )
      .replace(
        `"order", "type": "string", "from": "send.id"`,
        () => `"order", "type": "number", "from": "send"`,
      )
      .replace(
        `"workflow": {`,
        () => `"quality": {"postconditions": [{"check": "outputs.order > 1"}]}, "workflow": {`,
      );
  const root = await folderWith({
    "restock/workflow.json": document("x"),
    "wrong.skill.json": document("y").replace("restock", "wrong"),
    "twice/SKILL.md": skillFile("twice"),
    "twice/skill.ts": "export default ({ x }: { x: number }): number => x * 2;\n",
  });
  const { skills, diagnostics, findings } = await compiler.compile((await loadFolders([root])).folders);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const restock = skills.find(({ name }) => name === "restock");
  expect(restock).toMatchObject({
    kind: "workflow",
    operation: "TRANSFORM",
    level: 2,
    contract: {
      input: {
        properties: { most: { type: "integer", minimum: 1, maximum: 50 } },
        required: ["shop", "most"],
      },
      output: { properties: { order: { type: "number" } } },
      source: { input: "literal", output: "literal" },
    },
    postconditions: [{ check: "outputs.order > 1", critical: true }],
  });
  expect(restock?.calls.skills.map(({ callee, path }) => [callee, relative(root, path)])).toEqual([
    ["twice", "restock/workflow.json"],
  ]);
  const errors = findings.filter(({ severity }) => severity === "error");
  expect([...new Set(errors.map(({ path }) => relative(root, path)))]).toEqual(["wrong.skill.json"]);
  expect(errors.map(({ code }) => code)).toContain("flow-missing");
});
