import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApp } from "../../src/app.ts";
import { type Config, readConfig } from "../../src/config.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import type { Plan, Step } from "../../src/learn/plan/plan.ts";
import { serveHttp } from "../../src/server/transport/serve-http.ts";
import { planWorkflow, workflowPlan } from "../../src/workflow/plan-workflow.ts";
import { readWorkflow } from "../../src/workflow/read-workflow.ts";
import { workflowCode } from "../../src/workflow/workflow-code.ts";
import { skillSet } from "../runner/skill-set.ts";
import { command } from "./in-process.ts";
import { runner } from "../shared-threads.ts";

const PLAN: Plan = {
  version: 1,
  name: "twice",
  description: "Doubles a number. Use it to double.",
  params: [{ name: "number", schema: { type: "number" }, origins: [] }],
  steps: [],
  output: {
    value: {
      kind: "arithmetic",
      operator: "*",
      left: { kind: "param", name: "number" },
      right: { kind: "constant", value: 2 },
    },
    schema: { type: "number" },
  },
};

const folder = mkdtempSync(join(tmpdir(), "export-"));
const code = join(folder, "skills/twice/skill.ts");

beforeAll(() => {
  writeFileSync(join(folder, "mcp.config.json"), JSON.stringify({ data: "data" }));
  mkdirSync(join(folder, "skills/twice"), { recursive: true });
  const head = `---\nname: twice\ndescription: ${PLAN.description}\n---\n`;
  writeFileSync(join(folder, "skills/twice/SKILL.md"), head);
  writeFileSync(join(folder, "skills/twice/provenance.json"), JSON.stringify({ plan: PLAN }));
  writeFileSync(code, skillCode(PLAN));
  for (const name of ["circle-area", "add"])
    cpSync(join(import.meta.dirname, "../../skills", name), join(folder, "skills", name), {
      recursive: true,
    });
  mkdirSync(join(folder, "skills/read"));
  writeFileSync(
    join(folder, "skills/read/SKILL.md"),
    "---\nname: read\ndescription: Reads.\n---\nRead it.\n",
  );
  mkdirSync(join(folder, "skills/shout"));
  writeFileSync(join(folder, "skills/shout/SKILL.md"), "---\nname: shout\ndescription: Shouts.\n---\n");
  const shout = "export default function run(input: { text: string }): string {\n  return input.text;\n}\n";
  writeFileSync(join(folder, "skills/shout/skill.ts"), shout);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function configIn(place: string): Promise<Config> {
  const config = await readConfig({ file: join(place, "mcp.config.json"), skills: [] });
  if (!config.ok) throw new Error(config.error.message);
  return config.value;
}

/** What a document that was exported gives when it is run. */
async function given(text: string, input: JsonObject): Promise<unknown> {
  const { document, findings } = readWorkflow(text, "json");
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  if (!document) throw new Error("no document");
  const skills = skillSet({ exported: workflowCode(document).code });
  const { root } = await runner.run(skills, "exported", input, {});
  return root.outcome.ok ? root.outcome.output : root.outcome.error.message;
}

test("a learned skill is exported as the plan that it was printed from", async () => {
  const { code: exit, stdout } = await command(folder, "export", "twice", "--to", "workflow");
  expect(exit).toBe(0);
  const { document } = readWorkflow(stdout, "json");
  expect(document && workflowPlan(document)).toEqual({ plan: PLAN });
  expect(await given(stdout, { number: 21 })).toBe(42);
  const python = await command(folder, "export", "twice", "--to", "python", "-o", "out");
  expect(python.stdout).toContain(join("out", "twice.py"));
  expect(readFileSync(join(folder, "out/twice.py"), "utf8")).toContain("async def run(given: Given");
  expect((await command(folder, "export", "twice", "--to", "python", "-o", "out")).code).not.toBe(0);
});

test("a skill whose code somebody has changed is exported as this code", async () => {
  const printed = readFileSync(code, "utf8");
  writeFileSync(
    code,
    "export default function run(input: { number: number }): { twice: number } {\n  return { twice: input.number + input.number };\n}\n",
  );
  const { stdout } = await command(folder, "export", "twice", "--to", "workflow");
  writeFileSync(code, printed);
  const { document } = readWorkflow(stdout, "json");
  expect(document && workflowPlan(document)).toEqual({ plan: undefined });
  expect(await given(stdout, { number: 21 })).toEqual({ twice: 42 });
});

test("a skill that somebody has written is exported as one task with its code", async () => {
  const { stdout } = await command(folder, "export", "add", "--to", "workflow");
  expect(await given(stdout, { a: 1, b: 2 })).toEqual({ result: 3 });
});

test("a skill is exported as the part of openapi.json that is about it", async () => {
  const { stdout } = await command(folder, "export", "add", "--to", "openapi");
  const document = JSON.parse(stdout) as JsonObject;
  const app = openApp(await configIn(folder), { watch: false });
  const running = await serveHttp(app.front, 0);
  if (!running.ok) throw new Error(running.error.message);
  const answer = await fetch(new URL("/openapi.json", running.value.url));
  const served = (await answer.json()) as JsonObject;
  await running.value.close();
  await app.close();
  const [path] = Object.keys(document["paths"] as JsonObject);
  expect(path).toBe("/tools/add");
  expect(served).toMatchObject(document);
  expect(await new Validator().validate(document)).toEqual({ valid: true });
});

test("roles of a document's tasks are agents, by the names that it has for them", async () => {
  const call = (name: string, tool: string): Step => ({
    kind: "call",
    name,
    tool,
    args: { kind: "object", fields: [] },
  });
  const made = planWorkflow({
    ...PLAN,
    name: "by-role",
    steps: [call("found", "web.find"), call("sent", "mail.send"), call("filed", "disk.file")],
  });
  if (!made.ok) throw new Error(made.error.message);
  const { skill, ...rest } = made.value;
  const roles = ["researcher", "front desk", undefined];
  const tasks = skill.workflow.tasks.map((task, nth) => ({ ...task, role: roles[nth] }));
  const hints = { ag2: { agent_mapping: { researcher: "ResearcherAgent", disk: "Archivist" } } };
  mkdirSync(join(folder, "skills/by-role"));
  writeFileSync(
    join(folder, "skills/by-role/workflow.json"),
    JSON.stringify({
      ...rest,
      skill: { ...skill, framework_adapters: hints, workflow: { ...skill.workflow, tasks } },
    }),
  );
  for (const form of ["ag2-channel", "ag2-groupchat"]) {
    const { stdout } = await command(folder, "export", "by-role", "--to", form);
    const [, turns = ""] = /^TURNS: .*? = \[\n(.*?)^\]/ms.exec(stdout) ?? [];
    expect([...turns.matchAll(/\("(.*?)", /g)].map(([, agent]) => agent)).toEqual([
      "ResearcherAgent",
      "front_desk",
      "Archivist",
    ]);
  }
});

test("what is no workflow is refused, and why", async () => {
  for (const [name, form, why] of [
    ["nobody", "workflow", "no skill"],
    ["circle-area", "python", "only a plan is printed as Python"],
    ["shout", "workflow", "it gives no object whose fields are known"],
    ["read", "openapi", "is no tool here"],
  ] as const) {
    const { code: exit, stderr, stdout } = await command(folder, "export", name, "--to", form);
    expect([exit, stdout, stderr]).toEqual([1, "", expect.stringContaining(why)]);
  }
});
