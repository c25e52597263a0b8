import { rename, rm, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadFolders, type LoadedFolders } from "../../src/catalog/folders/load-folders.ts";
import { folderWith, skillFile, write } from "../catalog/folders.ts";
import { codeTask, toolTask, workflowOf } from "./documents.ts";

const look = toolTask({ task_id: "look", tools: [{ name: "stock.list" }], outputs: { items: "array" } });

function documentText(name: string, rest: Parameters<typeof workflowOf>[1] = {}): string {
  return JSON.stringify(workflowOf([look], { name, ...rest }), undefined, 2);
}

function told(root: string, { diagnostics }: LoadedFolders): readonly string[] {
  return diagnostics.map(
    ({ severity, code, path, line, column }) =>
      `${severity} ${code} ${relative(root, path)}:${line}:${column}`,
  );
}

test("a folder with a document is a skill, and so is a file of its own", async () => {
  const root = await folderWith({
    "restock/workflow.json": documentText("restock"),
    "shop/prices.skill.json": documentText("prices"),
    "in-yaml/workflow.yaml":
      "skill_schema_version: '1.0'\nskill:\n  metadata: {name: in-yaml, description: Looks.}\n" +
      "  workflow: {tasks: [{task_id: look, type: tool_call_task, tools: [{name: stock.list}]}]}\n",
  });
  const loaded = await loadFolders([root]);
  expect(told(root, loaded)).toEqual([]);
  expect(
    loaded.folders.map(({ name, kind, path, file }) => [
      name,
      kind,
      relative(root, path),
      relative(root, file),
    ]),
  ).toEqual([
    ["in-yaml", "workflow", "in-yaml", "in-yaml/workflow.yaml"],
    ["restock", "workflow", "restock", "restock/workflow.json"],
    ["prices", "workflow", "shop/prices.skill.json", "shop/prices.skill.json"],
  ]);
  expect(loaded.folders[1]?.description).toBe("Looks at what is in stock.");
  expect(loaded.folders[1]?.instructions).toContain("1. `look` (calls `stock.list`)");
});

test("a document tells what frontmatter can tell, each part at its place in the document", async () => {
  const document = workflowOf([look], {
    name: "restock",
    rest: {
      matching: {
        pattern_signature: { keywords: ["stock"], task_types: ["ordering"], domain: ["retail"] },
        examples: ["Order what is short"],
        preconditions: [
          { type: "llm_intent_match", description: "Ordering goods" },
          { type: "input_validation", check: "inputs.least > 0", critical: true },
        ],
      },
      quality: { postconditions: [{ check: "outputs.items.length > 0", critical: false }] },
      "x-repertoire": { version: 1, durable: "confirm", operation: "WRITE" },
    },
  });
  const root = await folderWith({ "restock/workflow.json": JSON.stringify(document, undefined, 2) });
  const [folder] = (await loadFolders([root])).folders;
  expect(folder?.frontmatter).toEqual({
    name: "restock",
    description: "Looks at what is in stock.",
    keywords: ["stock", "ordering", "retail"],
    examples: ["Order what is short"],
    preconditions: [
      { type: "llm_intent_match", description: "Ordering goods" },
      { check: "inputs.least > 0", critical: true },
    ],
    postconditions: [{ check: "outputs.items.length > 0", critical: false }],
    durable: "confirm",
    operation: "WRITE",
  });
  const lines = JSON.stringify(document, undefined, 2).split("\n");
  const place = folder?.fieldPositions.get("preconditions[1].check");
  expect(place?.path).toBe(join(root, "restock/workflow.json"));
  expect(lines[(place?.line ?? 0) - 1]).toContain(`"check": "inputs.least > 0"`);
});

test("a SKILL.md beside it counts, and where the two differ it holds and is told", async () => {
  const root = await folderWith({
    "restock/SKILL.md":
      "---\nname: restock\ndescription: Orders.\ncategory: sales\npostconditions:\n  - outputs.a\n---\nRead on.\n",
    "restock/workflow.json": JSON.stringify(
      workflowOf([look], {
        name: "restocking",
        rest: { quality: { postconditions: [{ check: "outputs.items" }] } },
      }),
    ),
  });
  const loaded = await loadFolders([root]);
  const [folder] = loaded.folders;
  expect(folder).toMatchObject({
    name: "restock",
    kind: "workflow",
    instructions: "Read on.",
    frontmatter: {
      category: "sales",
      postconditions: ["outputs.a", { check: "outputs.items", critical: true }],
    },
  });
  expect(folder?.fieldPositions.get("postconditions[1].check")?.path).toBe(
    join(root, "restock/workflow.json"),
  );
  expect(told(root, loaded).map((each) => each.replace(/:.*$/, ""))).toEqual([
    "warning workflow-disagrees restock/workflow.json",
  ]);
});

test("code wins over a document, and a document of another format is left alone", async () => {
  const root = await folderWith({
    "a/SKILL.md": skillFile("a"),
    "a/skill.js": "export default () => 1;",
    "a/workflow.json": documentText("a"),
    "b/SKILL.md": skillFile("b"),
    "b/workflow.json": `{"nodes": [], "connections": {}}`,
    "b/assets/workflow.json": documentText("c"),
    "b/assets/x.skill.json": documentText("x"),
  });
  const loaded = await loadFolders([root]);
  expect(loaded.folders.map(({ name, kind }) => [name, kind])).toEqual([
    ["a", "code"],
    ["b", "instructions"],
  ]);
  expect(told(root, loaded)).toEqual([
    "warning entry-ambiguous a/skill.js:1:1",
    "info workflow-foreign b/workflow.json:1:1",
  ]);
});

test("files of tasks belong to the skill, and one that is not there is told where it is named", async () => {
  const pick = codeTask({ task_id: "pick", file: "./pick.js", outputs: { short: "array" } });
  const text = JSON.stringify(workflowOf([look, pick], { name: "pick" }), undefined, 2);
  const root = await folderWith({
    "pick/workflow.json": text,
    "pick/pick.js": `import { less } from "./less.js";\nexport default ({ items }) => ({ short: items.filter(less) });\n`,
    "pick/less.js": "export const less = ({ count }) => count < 5;\n",
  });
  const before = await loadFolders([root]);
  expect(told(root, before)).toEqual([]);
  expect(before.folders[0]?.sources.map(({ path }) => relative(root, path))).toEqual([
    "pick/workflow.json",
    "pick/pick.js",
    "pick/less.js",
  ]);
  await write(root, { "pick/less.js": "export const less = ({ count }) => count < 6;\n" });
  const now = await loadFolders([root], { before });
  expect(now.folders[0]?.digest).not.toBe(before.folders[0]?.digest);
  await rm(join(root, "pick/pick.js"));
  const without = await loadFolders([root], { before: now });
  const lines = text.slice(0, text.indexOf(`"./pick.js"`)).split("\n");
  const place = `${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
  expect(told(root, without)).toEqual([`error workflow-code pick/workflow.json:${place}`]);
  await write(root, { "one.skill.json": text.replace(`"name": "pick"`, `"name": "one"`) });
  expect(told(root, await loadFolders([root]))).toContain(`error workflow-code one.skill.json:${place}`);
});

test("names that break a rule are mended and told", async () => {
  const root = await folderWith({ "stock-check/workflow.json": documentText("Stock_Check") });
  const loaded = await loadFolders([root]);
  expect(loaded.folders[0]?.name).toBe("stock-check");
  expect(told(root, loaded)).toEqual(["warning name-invalid stock-check/workflow.json:5:15"]);
});

test("a change, a removal and another name of the file are seen when folders are read again", async () => {
  const root = await folderWith({
    "one.skill.json": documentText("one"),
    "two/workflow.json": documentText("two"),
  });
  const before = await loadFolders([root]);
  expect((await loadFolders([root], { before })).folders[0]).toBe(before.folders[0]);
  await rename(join(root, "one.skill.json"), join(root, "first.skill.json"));
  await write(root, { "two/SKILL.md": skillFile("two", "Does two things.") });
  const now = await loadFolders([root], { before });
  expect(now.folders.map(({ name, file }) => [name, relative(root, file)])).toEqual([
    ["one", "first.skill.json"],
    ["two", "two/SKILL.md"],
  ]);
  expect(now.folders[1]?.digest).not.toBe(before.folders[1]?.digest);
  await rm(join(root, "first.skill.json"));
  expect((await loadFolders([root], { before: now })).folders.map(({ name }) => name)).toEqual(["two"]);
});

test("whatever is in a document, the skill beside it loads", async () => {
  const root = await folderWith({ "good/SKILL.md": skillFile("good") });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc
          .json()
          .map((json) => documentText("bad").replace(/"tasks": \[[^]*?\]\n/, () => `"tasks": ${json}`)),
        fc.json().map((json) => `{"skill_schema_version": "1.0", "skill": ${json}}`),
      ),
      async (text) => {
        await write(root, { "bad/workflow.json": text, "worse.skill.yaml": text });
        const { folders } = await loadFolders([root]);
        expect(folders.map(({ name }) => name)).toContain("good");
      },
    ),
    { numRuns: 60, seed: 3 },
  );
});

test("a task's file that leads out of the folder is not read", async () => {
  const root = await folderWith({
    "secret.txt": "not for others",
    "leak/workflow.json": JSON.stringify(
      workflowOf(
        [codeTask({ task_id: "t", language: "python", file: "s.py", tools: [{ name: "runner.run" }] })],
        {
          name: "leak",
        },
      ),
    ),
  });
  await symlink(join(root, "secret.txt"), join(root, "leak/s.py"));
  const loaded = await loadFolders([root]);
  expect(loaded.folders).toEqual([]);
  expect(loaded.diagnostics.map(({ message }) => message)).toEqual([
    expect.stringContaining("s.py, which is not in its folder"),
  ]);
});

test.each([
  ["workflow.yaml", (code: string) => `|\n${code.replaceAll(/^/gm, " ".repeat(10))}`],
  ["workflow.json", (code: string) => JSON.stringify(code)],
] as const)("each line of a task's code is known by its own place in %s", async (file, written) => {
  const code = "const n = 1;\n  throw new Error(n);";
  const yaml = `skill_schema_version: "1.0"
skill:
  metadata: { name: places, description: It is tried. }
  workflow:
    tasks:
      - task_id: a
        type: code_execution_task
        code: `;
  const json = `{"skill_schema_version": "1.0",
"skill": {
"metadata": {"name": "places", "description": "It is tried."},
"workflow": {
"tasks": [
{"task_id": "a", "type": "code_execution_task",
"code": `;
  const isJson = file.endsWith("json");
  const text = isJson ? `${json}${written(code)}}]}}}` : `${yaml}${written(code)}\n`;
  const root = await folderWith({ [`places/${file}`]: text });
  const { folders, diagnostics } = await loadFolders([root]);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const { generated } = folders[0] ?? {};
  const line = generated?.text.split("\n").findIndex((each) => each.includes("throw new Error(n)")) ?? -1;
  const place = generated?.places[line];
  const before = text.slice(0, text.indexOf("throw new")).split("\n");
  // The line begins with the two characters before.
  expect(place).toMatchObject({ line: before.length, column: (before.at(-1) ?? "").length - 1 });
});
