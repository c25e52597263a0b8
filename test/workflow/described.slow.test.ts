import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "@modelcontextprotocol/client";
import { Workplace } from "../server/connected-client.ts";
import { clientOf, servedApp } from "../server/served-app.ts";
import { codeTask, skillTask, workflowOf } from "./documents.ts";
import { writeSkills } from "./opened-app.ts";

const DOUBLE = codeTask({
  task_id: "double",
  inputs: { from_skill_inputs: ["n"] },
  code: "return { n: 2 * n };",
  outputs: { n: "integer" },
});
const NUMBER = { inputs: [{ name: "n", type: "integer" }], outputs: [{ name: "n", type: "integer" }] };
const METRICS = {
  success_rate: 0.9,
  usage_count: 40,
  avg_execution_time_seconds: 12.5,
  avg_cost_usd: 0.02,
  last_used: "2026-01-02T03:04:05Z",
};
const capable = (critical?: boolean): object => ({
  type: "capability_check",
  required_capabilities: ["code_execution", "knowledge_retrieval"],
  ...(critical === undefined ? {} : { critical }),
});
const preconditions = (...all: readonly object[]) =>
  ({ matching: { preconditions: all } }) as NonNullable<Parameters<typeof workflowOf>[1]>["rest"] & object;

const DOUBLED = JSON.stringify(
  workflowOf([DOUBLE], {
    name: "doubled",
    ...NUMBER,
    rest: {
      provenance: { source_system: "elsewhere" },
      ...preconditions({
        type: "llm_intent_match",
        description: "The request is about twice of a number",
        confidence_threshold: 0.7,
      }),
      quality: {
        performance_metrics: METRICS,
        postconditions: [{ check: "outputs.n < 1000" }],
      },
    },
  }),
  undefined,
  2,
);

let workplace: Workplace;
let served: Awaited<ReturnType<typeof servedApp>>;
let client: Client;
beforeAll(async () => {
  workplace = await Workplace.create({}, { data: "own", traces: { durability: "answered", visible: "all" } });
  const text = (name: string, rest: object) =>
    JSON.stringify(workflowOf([DOUBLE], { name, ...NUMBER, rest }));
  await writeSkills(workplace, {
    "doubled.skill.json": DOUBLED,
    "knowing.skill.json": text("knowing", preconditions(capable())),
    "perhaps.skill.json": text("perhaps", preconditions(capable(false))),
    "waiting.skill.json": text("waiting", {
      ...preconditions(capable()),
      "x-repertoire": { version: 1, durable: true },
    }),
    "outer.skill.json": JSON.stringify(
      workflowOf([skillTask({ task_id: "inner", skill: "knowing", inputs: { from_skill_inputs: ["n"] } })], {
        name: "outer",
        inputs: NUMBER.inputs,
      }),
    ),
  });
  served = await servedApp(workplace);
  client = await clientOf(served.url, "modern");
});
afterAll(async () => {
  await client.close();
  await served[Symbol.asyncDispose]();
  await workplace[Symbol.asyncDispose]();
});

async function told(name: string, input: Record<string, unknown>) {
  const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: input });
  const [first] = content;
  return { isError, structuredContent, text: first?.type === "text" ? first.text : "" };
}

test("how a document says that it has fared stands beside what was measured here, and neither changes the other", async () => {
  for (const n of [1, 2, 3]) expect((await told("doubled", { n })).isError).toBe(false);
  expect((await told("doubled", { n: 600 })).isError).toBe(true);
  const described = async () => (await told("describe_skill", { name: "doubled" })).structuredContent;
  await expect.poll(described, { timeout: 20_000 }).toMatchObject({
    declared: { performance: METRICS, provenance: { source_system: "elsewhere" } },
    usage: {
      calls: 4,
      successRate: { rate: 0.75, low: expect.any(Number), high: expect.any(Number) },
      p50Ms: expect.any(Number),
      lastUsed: expect.stringMatching(/^20\d\d-/),
      versions: [{ isCurrent: true, calls: 4 }],
    },
    intents: [{ description: "The request is about twice of a number", threshold: 0.7 }],
  });
});

test("words of its intent find a skill", async () => {
  const { structuredContent } = await told("search_skills", { query: "twice of a number" });
  expect(JSON.stringify(structuredContent)).toContain('"doubled"');
});

test("a document in a file of its own is read as the file that it is, and as the resource of the skill", async () => {
  const read = (path: string) => told("read_skill_file", { name: "doubled", path });
  expect((await read("doubled.skill.json")).structuredContent).toMatchObject({ content: DOUBLED });
  expect((await read(".")).structuredContent).toMatchObject({ files: [{ path: "doubled.skill.json" }] });
  for (const other of ["knowing.skill.json", "../skills/knowing.skill.json", "../mcp.config.json"])
    expect([other, (await read(other)).isError]).toEqual([other, true]);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toContain("skill://doubled/SKILL.md");
  for (const uri of ["skill://doubled/SKILL.md", "skill://doubled/doubled.skill.json"]) {
    const [content] = (await client.readResource({ uri })).contents;
    expect(content).toMatchObject({ uri, text: DOUBLED, mimeType: "application/json" });
  }
  await expect(client.readResource({ uri: "skill://doubled/knowing.skill.json" })).rejects.toThrow();
});

test("a capability that only a model has is refused before anything runs, unless it is not critical or the run can wait", async () => {
  expect((await told("knowing", { n: 1 })).text).toContain("MODEL_NEEDED");
  expect((await told("outer", { n: 1 })).text).toContain("MODEL_NEEDED");
  expect((await told("perhaps", { n: 1 })).structuredContent).toEqual({ n: 2 });
  expect((await told("waiting", { n: 1 })).structuredContent).toEqual({ n: 2 });
});
