import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { readWorkflow, type WorkflowReading } from "../../src/workflow/read-workflow.ts";

const GOOD = `{
  "skill_schema_version": "1.0",
  "skill": {
    "metadata": {"name": "restock", "description": "Orders what is short."},
    "interface": {
      "inputs": [
        {"name": "shop", "type": "string"},
        {"name": "least", "type": "integer", "default": 5, "validation": {"minimum": 1}}
      ],
      "outputs": [{"name": "short", "type": "array", "item_type": "string", "from": "pick.short"}]
    },
    "workflow": {
      "tasks": [
        {
          "task_id": "look",
          "type": "tool_call_task",
          "tools": [{"name": "stock.list"}],
          "inputs": {"from_skill_inputs": ["shop"]},
          "outputs": {"items": "array"},
          "success_criteria": [{"check": "outputs.items.length > 0", "on_failure": "retry"}]
        },
        {
          "task_id": "price",
          "type": "tool_call_task",
          "tools": [{"name": "stock.prices"}],
          "parallel_group": "reading",
          "outputs": {"short": "array"},
          "arguments": {"of": {"$from": "inputs.shop"}, "note": {"$text": "for \${inputs.shop}"}}
        },
        {
          "task_id": "pick",
          "type": "code_execution_task",
          "parallel_group": "reading",
          "inputs": {"from_skill_inputs": ["least"], "from_previous_tasks": ["look.items"]},
          "code": "return {short: items.filter((each) => each.count < least)};",
          "error_handling": {"retry_allowed": true, "max_attempts": 2},
          "outputs": {"short": "string[]"}
        }
      ],
      "parallel_groups": {"reading": {"tasks": ["price", "pick"], "execution": "parallel"}}
    }
  }
}
`;

interface Wrong {
  readonly what: string;
  /** What stands in the good document, and what in the wrong one. */
  readonly from: string;
  readonly to: string;
  readonly code: string;
  /** What stands in the wrong document where the finding is. */
  readonly at: string;
  readonly message?: string;
  readonly mend: string;
}

const wrong: readonly Wrong[] = [
  // The text
  {
    what: "a comma is missing",
    from: `"type": "string"},\n`,
    to: `"type": "string"}\n`,
    code: "workflow-syntax",
    at: `{"name": "least"`,
    mend: "Mend the syntax",
  },
  {
    what: "a comment",
    from: `"skill": {`,
    to: `// mine\n  "skill": {`,
    code: "workflow-syntax",
    at: "// mine",
    mend: "Mend the syntax",
  },
  {
    what: "a name that stands twice",
    from: `"task_id": "price",`,
    to: `"task_id": "prices", "task_id": "price",`,
    code: "workflow-syntax",
    at: `"task_id": "price",`,
    mend: "Delete one",
  },
  {
    what: "another version",
    from: `"1.0"`,
    to: `"2.0"`,
    code: "workflow-version",
    at: `"2.0"`,
    mend: `"skill_schema_version": "1.0"`,
  },
  {
    what: "a mistyped version field",
    from: `"skill_schema_version"`,
    to: `"skill_schema_verison"`,
    code: "workflow-version",
    at: `"skill_schema_verison"`,
    mend: `instead of "skill_schema_verison"`,
  },
  // Fields
  {
    what: "a mistyped field",
    from: `"parallel_group": "reading",\n          "outputs": {"short"`,
    to: `"paralel_group": "reading",\n          "outputs": {"short"`,
    code: "workflow-unexpected",
    at: `"paralel_group"`,
    mend: `Did you mean "parallel_group"?`,
  },
  {
    what: "a field of another kind of task",
    from: `"tools": [{"name": "stock.list"}],`,
    to: `"tools": [{"name": "stock.list"}], "code": "return 1",`,
    code: "workflow-unexpected",
    at: `"code": "return 1"`,
    mend: "The fields there are",
  },
  {
    what: "a required field that is missing",
    from: `, "description": "Orders what is short."`,
    to: "",
    code: "workflow-invalid",
    at: `{"name": "restock"}`,
    mend: `Add "description": a text`,
  },
  {
    what: "a number where a text is meant",
    from: `"description": "Orders what is short."`,
    to: `"description": 7`,
    code: "workflow-invalid",
    at: "7}",
    mend: "Write a text in double quotes",
  },
  {
    what: "a text where a list is meant",
    from: `"from_skill_inputs": ["shop"]`,
    to: `"from_skill_inputs": "shop"`,
    code: "workflow-invalid",
    at: `"shop"},\n          "outputs"`,
    mend: "Write a list",
  },
  {
    what: "a kind of task that there is not",
    from: `"type": "code_execution_task"`,
    to: `"type": "code_task"`,
    code: "workflow-invalid",
    at: `"code_task"`,
    message: `must be "tool_call_task", "code_execution_task"`,
    mend: "docs/workflows.md",
  },
  {
    what: "an unknown way to meet a criterion that does not hold",
    from: `"on_failure": "retry"`,
    to: `"on_failure": "pray"`,
    code: "workflow-invalid",
    at: `"pray"`,
    mend: "docs/workflows.md",
  },
  {
    what: "an unknown way to meet a failure",
    from: `"retry_allowed": true`,
    to: `"on_failure": "shrug"`,
    code: "workflow-invalid",
    at: `"shrug"`,
    mend: `Write "raise_error" or "continue"`,
  },
  {
    what: "a failure field that is none",
    from: `"retry_allowed": true`,
    to: `"on_monday": "skip"`,
    code: "workflow-unexpected",
    at: `"on_monday"`,
    mend: "The fields there are",
  },
  {
    what: "too many attempts",
    from: `"max_attempts": 2`,
    to: `"max_attempts": 200`,
    code: "workflow-invalid",
    at: "200}",
    mend: "10 or less",
  },
  {
    what: "no tasks",
    from: GOOD.slice(GOOD.indexOf(`"tasks": [\n`) + 10, GOOD.indexOf(`],\n      "parallel_groups"`)),
    to: "",
    code: "workflow-invalid",
    at: `[],\n      "parallel_groups"`,
    mend: "at least one",
  },
  {
    what: "an id that is no name",
    from: `"task_id": "look"`,
    to: `"task_id": "look up"`,
    code: "workflow-invalid",
    at: `"look up"`,
    mend: "a name of letters",
  },
  // Names
  {
    what: "two tasks of one id",
    from: `"task_id": "price"`,
    to: `"task_id": "look"`,
    code: "workflow-duplicate",
    at: `"look",\n          "type": "tool_call_task",\n          "tools": [{"name": "stock.prices"}]`,
    mend: "a name of its own",
  },
  {
    what: "two inputs of one name",
    from: `{"name": "least"`,
    to: `{"name": "shop"`,
    code: "workflow-duplicate",
    at: `"shop", "type": "integer"`,
    mend: "a name of its own",
  },
  {
    what: "arguments of one name",
    from: `["look.items"]`,
    to: `["look.items", "look.items"]`,
    code: "workflow-duplicate",
    at: `"look.items"]`,
    mend: "another name",
  },
  // References
  {
    what: "a dependency that there is not",
    from: `"task_id": "pick",`,
    to: `"task_id": "pick", "dependencies": ["lok"],`,
    code: "workflow-reference",
    at: `"lok"`,
    message: `Did you mean "look"?`,
    mend: "The tasks are look, price, pick",
  },
  {
    what: "an input that there is not",
    from: `["shop"]`,
    to: `["shopp"]`,
    code: "workflow-reference",
    at: `"shopp"`,
    message: `Did you mean "shop"?`,
    mend: "The inputs are shop, least",
  },
  {
    what: "an output that the task does not have",
    from: `["look.items"]`,
    to: `["look.item"]`,
    code: "workflow-reference",
    at: `"look.item"`,
    message: `Did you mean "items"?`,
    mend: "Its outputs are items",
  },
  {
    what: "a reference that is none",
    from: `{"$from": "inputs.shop"}`,
    to: `{"$from": "shop"}`,
    code: "workflow-invalid",
    at: `"shop"}, "note"`,
    mend: "Write the reference in this form",
  },
  {
    what: "a marker that is none",
    from: `{"$from": "inputs.shop"}`,
    to: `{"$form": "inputs.shop"}`,
    code: "workflow-invalid",
    at: `"inputs.shop"}, "note"`,
    mend: "Write the reference in this form",
  },
  {
    what: "a text that names no input",
    from: "${inputs.shop}",
    to: "${inputs.shops}",
    code: "workflow-reference",
    at: `{"$text": "for \${inputs.shops}"}`,
    message: `Did you mean "shop"?`,
    mend: "The inputs are shop, least",
  },
  {
    what: "an output of the skill from a task that there is not",
    from: `"from": "pick.short"`,
    to: `"from": "pik.short"`,
    code: "workflow-reference",
    at: `"pik.short"`,
    message: `Did you mean "pick"?`,
    mend: "The tasks are",
  },
  {
    what: "an output of the skill that nobody gives",
    from: `"name": "short", "type": "array", "item_type": "string", "from": "pick.short"`,
    to: `"name": "total", "type": "integer"`,
    code: "workflow-output",
    at: `"total"`,
    mend: `"from": "task_id.output"`,
  },
  {
    what: "an output of the skill that two tasks give",
    from: `, "from": "pick.short"`,
    to: "",
    code: "workflow-output",
    at: `"short", "type"`,
    message: "price, pick",
    mend: `"from": "task_id.output"`,
  },
  // Order
  {
    what: "tasks that wait for each other",
    from: `"task_id": "look",`,
    to: `"task_id": "look", "dependencies": ["pick"],`,
    code: "workflow-cycle",
    at: `"look", "dependencies"`,
    message: `"look" waits for "pick" waits for "look"`,
    mend: "Take one of the dependencies",
  },
  {
    what: "a task that takes what it gives",
    from: `["look.items"]`,
    to: `["pick.short"]`,
    code: "workflow-cycle",
    at: `"pick.short"]`,
    mend: "from an earlier task",
  },
  {
    what: "a sequential workflow in which a task needs a later one",
    from: `"workflow": {\n      "tasks"`,
    to: `"workflow": {"execution_model": "sequential",\n      "tasks"`,
    code: "workflow-order",
    at: `"parallel"}}`,
    mend: "parallel_where_possible",
  },
  {
    what: "a parallel group in which one waits for the other",
    from: `["price", "pick"]`,
    to: `["price", "pick", "look"]`,
    code: "workflow-order",
    at: `["price", "pick", "look"]`,
    message: `"pick" waits for "look"`,
    mend: "Take one of them out",
  },
  {
    what: "a group that does not list its task",
    from: `["price", "pick"]`,
    to: `["price"]`,
    code: "workflow-order",
    at: `"reading",\n          "inputs"`,
    mend: "Add it to parallel_groups.reading.tasks",
  },
  {
    what: "a group that waits for one only",
    from: `"execution": "parallel"`,
    to: `"wait_for_all": false`,
    code: "workflow-order",
    at: "false}",
    mend: `"wait_for_all": true`,
  },
  {
    what: "an expression of a plan",
    from: `{"of": {"$from": "inputs.shop"}, "note"`,
    to: `{"of": [{"$expression": {"kind": "param", "name": "shop"}, "version": 1}], "note"`,
    code: "workflow-invalid",
    at: `[{"$expression"`,
    message: `"of" has an $expression`,
    mend: "code_execution_task",
  },
  // Conditions
  {
    what: "a criterion that does not parse",
    from: "outputs.items.length > 0",
    to: "outputs.items.length > > 0",
    code: "condition-invalid",
    at: "> 0",
    mend: "an expression over inputs and outputs",
  },
  {
    what: "a criterion that does something",
    from: "outputs.items.length > 0",
    to: "outputs.items = 1",
    code: "condition-invalid",
    at: "outputs.items = 1",
    mend: "an expression over inputs and outputs",
  },
  {
    what: "a criterion over an output that there is not",
    from: "outputs.items.length > 0",
    to: "1 < outputs.itms.length",
    code: "condition-unknown",
    at: "outputs.itms",
    message: `Did you mean "items"?`,
    mend: "Its outputs are items",
  },
  {
    what: "a retry that changes an argument that there is not",
    from: `"on_failure": "retry"`,
    to: `"on_failure": {"retry": {"with": {"shops": "all"}}}`,
    code: "workflow-reference",
    at: `"all"`,
    message: `Did you mean "shop"?`,
    mend: "Its arguments are shop",
  },
  {
    what: "defaults that there are none of",
    from: `"retry_allowed": true`,
    to: `"on_failure": "use_default"`,
    code: "workflow-invalid",
    at: `"use_default"`,
    mend: `Add "default_outputs"`,
  },
  {
    what: "attempts without retries",
    from: `"retry_allowed": true`,
    to: `"retry_allowed": false`,
    code: "workflow-invalid",
    at: "2}",
    mend: `"retry_allowed": true`,
  },
  // Tasks
  {
    what: "a call without a tool",
    from: `"tools": [{"name": "stock.list"}],`,
    to: "",
    code: "workflow-invalid",
    at: `{\n          "task_id": "look"`,
    mend: `"tools": [{"name": "server.tool"}]`,
  },
  {
    what: "a call of two tools",
    from: `[{"name": "stock.list"}]`,
    to: `[{"name": "stock.list"}, {"name": "stock.all"}]`,
    code: "workflow-invalid",
    at: `[{"name": "stock.list"}`,
    mend: "tasks of their own",
  },
  {
    what: "a tool without a server",
    from: `"stock.prices"`,
    to: `"prices"`,
    code: "workflow-invalid",
    at: `"prices"}`,
    mend: "server's name before it",
  },
  {
    what: "no code",
    from: `"code": "return {short: items.filter((each) => each.count < least)};",`,
    to: "",
    code: "workflow-code",
    at: `{\n          "task_id": "pick"`,
    mend: `"file": "./task.js"`,
  },
  {
    what: "code that does not parse",
    from: `each.count < least)};`,
    to: String.raw`each.count <\n least)};}`,
    code: "workflow-code",
    at: `}",`,
    message: "line 2 of the code",
    mend: "Mend the JavaScript",
  },
  {
    what: "code that exports no default",
    from: `"code": "return`,
    to: `"code": "export const pick = 1;", "description": "return`,
    code: "workflow-code",
    at: `export const`,
    message: "it exports no default",
    mend: "default export",
  },
  {
    what: "code whose default export is a class",
    from: `"code": "return`,
    to: `"code": "export default class {}", "description": "return`,
    code: "workflow-code",
    at: `export default`,
    message: "a class, which cannot be called",
    mend: "default export",
  },
  {
    what: "code that imports",
    from: `"code": "return`,
    to: `"code": "import x from './x.js'; return`,
    code: "workflow-code",
    at: "import x",
    mend: `"file": "./task.js"`,
  },
  {
    what: "code in a language that nothing runs",
    from: `"task_id": "pick",`,
    to: `"task_id": "pick", "language": "python",`,
    code: "workflow-code",
    at: `"python"`,
    mend: "Name the tool of a server that runs it",
  },
  {
    what: "a file outside the folder",
    from: `"code": "return {short: items.filter((each) => each.count < least)};"`,
    to: `"file": "../other/pick.js"`,
    code: "workflow-code",
    at: `"../other/pick.js"`,
    mend: "Copy it into the folder",
  },
  {
    what: "a model's task that gives nothing",
    from: `"tasks": [`,
    to: `"tasks": [{"task_id": "ask", "type": "agent_task"},`,
    code: "workflow-invalid",
    at: `{"task_id": "ask"`,
    mend: `Add "outputs"`,
  },
  {
    what: "a skill that calls itself",
    from: `"type": "tool_call_task",\n          "tools": [{"name": "stock.prices"}],`,
    to: `"type": "skill_task", "skill": "restock",`,
    code: "workflow-cycle",
    at: `"restock",\n          "parallel_group"`,
    mend: "Call another skill",
  },
  // Types
  {
    what: "a type that there is not",
    from: `"type": "integer"`,
    to: `"type": "interger"`,
    code: "workflow-type",
    at: `"interger"`,
    message: `Did you mean "integer"?`,
    mend: "Write a type such as",
  },
  {
    what: "an output's type that there is not",
    from: `{"items": "array"}`,
    to: `{"items": "arry"}`,
    code: "workflow-type",
    at: `"arry"`,
    message: `Did you mean "array"?`,
    mend: "Write a type such as",
  },
  {
    what: "a default that does not fit",
    from: `"default": 5`,
    to: `"default": 0`,
    code: "workflow-invalid",
    at: `0, "validation"`,
    mend: "Write a value that fits",
  },
];

function placeOf(text: string, part: string): string {
  const before = text.slice(0, text.indexOf(part)).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

test("the document that the wrong ones are made of is right", () => {
  const reading = readWorkflow(GOOD, "json");
  expect(reading.document).toBeDefined();
  expect(reading.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
});

test("there are at least 40 wrong documents, of each kind of finding one", () => {
  expect(wrong.length).toBeGreaterThanOrEqual(40);
});

test.each(wrong)("$what", ({ from, to, code, at, message = "", mend }) => {
  expect(GOOD).toContain(from);
  const text = GOOD.replace(from, () => to);
  expect(text).toContain(at);
  const { document, findings } = readWorkflow(text, "json");
  expect(document).toBeUndefined();
  const errors = findings.filter(({ severity }) => severity === "error");
  expect(errors.map((each) => ({ code: each.code, place: `${each.line}:${each.column}` }))).toContainEqual({
    code,
    place: placeOf(text, at),
  });
  const found = errors.find(
    (each) => each.code === code && `${each.line}:${each.column}` === placeOf(text, at),
  );
  expect(found?.message).toContain(message);
  expect(found?.fix).toContain(mend);
});

function faultsOf({ findings }: WorkflowReading): readonly string[] {
  return findings.map(({ code, severity, message }) => `${severity} ${code} ${message}`);
}

describe("all that is wrong is told at once", () => {
  const changed = (...changes: readonly (readonly [string, string])[]): string =>
    changes.reduce((text, [from, to]) => {
      expect(text).toContain(from);
      return text.replace(from, () => to);
    }, GOOD);
  const told = (text: string): readonly string[] =>
    readWorkflow(text, "json").findings.flatMap(({ code, severity, line }) =>
      severity === "error" ? [`${code}:${line}`] : [],
    );
  const unknownTask = [`"from": "pick.short"`, `"from": "pack.short"`] as const;
  const wrongCheck = ["outputs.items.length > 0", "outputs.itms"] as const;
  const others = ["workflow-reference:10", "condition-unknown:20"];

  test.each([
    [
      "a field that there is not",
      `"parallel_group": "reading",`,
      `"paralel": "x",`,
      ["workflow-unexpected:26"],
    ],
    [
      "a mistyped field",
      `"dependencies"`,
      `"dependencis"`,
      ["workflow-unexpected:25", "workflow-reference:25"],
    ],
    ["a value of another type", `"max_attempts": 2`, `"max_attempts": "2"`, ["workflow-invalid:36"]],
    ["a type of task that there is not", `"code_execution_task"`, `"code_task"`, ["workflow-invalid:32"]],
    [
      "an input without a type",
      `{"name": "shop", "type": "string"}`,
      `{"name": "shop"}`,
      ["workflow-invalid:7"],
    ],
    ["a description that is missing", `, "description": "Orders what is short."`, "", ["workflow-invalid:4"]],
  ])("beside %s", (_, from, to, own) => {
    const text = changed(
      [
        `"tools": [{"name": "stock.prices"}],`,
        `"tools": [{"name": "stock.prices"}], "dependencies": ["lock"],`,
      ],
      unknownTask,
      wrongCheck,
    );
    const before = told(text);
    expect(before.toSorted()).toEqual([...others, "workflow-reference:25"].toSorted());
    const wrong = told(text.replace(from, () => to));
    expect(wrong).toEqual(expect.arrayContaining([...own, ...others]));
    expect(wrong.length).toBeLessThanOrEqual(before.length + own.length);
  });
});

const inYaml = wrong.filter(({ code }, index) => code !== "workflow-syntax" && index % 3 === 0);
test.each(inYaml)("in YAML it is told alike: $what", ({ from, to }) => {
  const text = GOOD.replace(from, () => to);
  const yaml = stringify(parse(text));
  expect(faultsOf(readWorkflow(yaml, "yaml"))).toEqual(faultsOf(readWorkflow(text, "json")));
});

test.each(["|", "|-", "| # in lines"])(
  "in YAML a fault of code or of a check has its own place in a block of lines that begins with %s",
  (header) => {
    const text = `skill_schema_version: "1.0"
skill:
  metadata: { name: restock, description: Orders what is short. }
  workflow:
    tasks:
      - task_id: pick
        type: code_execution_task
        outputs: { n: integer }
        success_criteria:
          - check: ${header}
              outputs.n >
                > 1
        code: ${header}

          const n = 1;
            return { n: n + };
`;
    const { findings } = readWorkflow(text, "yaml");
    const places = findings.map(({ code, line, column }) => `${code} ${line}:${column}`);
    expect(places.toSorted()).toEqual(["condition-invalid 12:17", "workflow-code 16:29"]);
  },
);

test("what describes and decides nothing may have more, which is told", () => {
  const text = GOOD.replace(`{"name": "stock.list"}`, `{"name": "stock.list", "indices": ["a"]}`);
  const { document, findings } = readWorkflow(text, "json");
  expect(document).toBeDefined();
  expect(findings).toContainEqual(
    expect.objectContaining({ code: "workflow-unexpected", severity: "info", line: 17 }),
  );
});

test("what is to come of one kind of failure is taken for all, which is told", () => {
  const text = GOOD.replace(
    `"success_criteria"`,
    () => `"error_handling": {"on_network_failure": "continue"}, "success_criteria"`,
  );
  expect(readWorkflow(text, "json").findings).toContainEqual(
    expect.objectContaining({
      code: "workflow-unchecked",
      severity: "warning",
      message: expect.stringContaining("every failure") as string,
    }),
  );
});

test("limits of size, depth and number end in findings", () => {
  const deep = "[".repeat(5000) + "]".repeat(5000);
  const wide = GOOD.replace(
    `"default": 5`,
    `"default": 5, "description": ${JSON.stringify("x".repeat(1_100_000))}`,
  );
  const one = `{"task_id": "t", "type": "agent_task"},`;
  const many = GOOD.replace(`"tasks": [\n`, `"tasks": [\n${one.repeat(501)}`);
  const wider = `a: &a [${"x,".repeat(1000)}]\nb: [${"*a,".repeat(1000)}]`;
  const longer = `a: &a ${"x".repeat(300_000)}\nb: [${"*a,".repeat(1000)}]`;
  const typed = (type: string) =>
    GOOD.replace(`"default": 5`, `"default": 5, "schema": ${JSON.stringify({ anyOf: [type] })}`);
  for (const [text, format] of [
    [deep, "json"],
    [deep, "yaml"],
    [wide, "json"],
    [many, "json"],
    [wider, "yaml"],
    [longer, "yaml"],
    [typed(`|${"<".repeat(400_000)}`), "json"],
    [typed(`string${"[]".repeat(100_000)}`), "json"],
    ["", "json"],
    ["", "yaml"],
    ["null", "json"],
  ] as const) {
    const { document, findings } = readWorkflow(text, format);
    expect(document).toBeUndefined();
    expect(findings.length).toBeGreaterThan(0);
    expect(findings.every(({ line, column, fix }) => line >= 1 && column >= 1 && fix !== "")).toBe(true);
  }
});

test("any JSON, and any text, is read without an exception", () => {
  const text = fc.oneof(
    fc.json().map((json) => ["json", json] as const),
    fc.string().map((written) => ["yaml", written] as const),
    // Parts of the good document, replaced by anything.
    fc.tuple(fc.nat(), fc.json()).map(([nth, json]) => {
      const values = [...GOOD.matchAll(/"[^"]*"(?!:)|\[[^\][]*\]/g)];
      const { 0: found, index } = values[nth % values.length] ?? { 0: "", index: 0 };
      return ["json", GOOD.slice(0, index) + json + GOOD.slice(index + found.length)] as const;
    }),
  );
  fc.assert(
    fc.property(text, ([format, written]) => {
      const { document, findings } = readWorkflow(written, format);
      const isTold = findings.some(
        ({ severity, code }) => severity === "error" || code === "workflow-foreign",
      );
      expect(isTold).toBe(document === undefined);
    }),
    { numRuns: 300, seed: 7 },
  );
});
