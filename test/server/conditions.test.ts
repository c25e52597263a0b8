import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Workplace } from "./connected-client.ts";
import { clientOf, servedApp } from "./served-app.ts";

const CODE = `export default ({ topic }: { topic: string }): { report: string } => ({ report: "On " + topic })`;

const FRONTMATTER = `name: tea-report
description: Writes it.
category: writing
tags: [prose]
keywords: [infusion]
examples: ["Tell me about oolong"]
preconditions:
  - inputs.topic != ""
postconditions:
  - outputs.report.length < 20
  - {check: outputs.report.length > 5, critical: false, description: It says something}
`;

describe("a skill with conditions", () => {
  let workplace: Workplace;
  let served: Awaited<ReturnType<typeof servedApp>>;
  let client: Client;

  beforeAll(async () => {
    workplace = await Workplace.create({ "tea-report": CODE, other: CODE }, { traces: { visible: "all" } });
    await writeFile(join(workplace.skills, "tea-report", "SKILL.md"), `---\n${FRONTMATTER}---\n`);
    served = await servedApp(workplace);
    client = await clientOf(served.url, "modern");
  });

  afterAll(async () => {
    await client.close();
    await served[Symbol.asyncDispose]();
    await workplace[Symbol.asyncDispose]();
  });

  async function called(name: string, args: Record<string, unknown>) {
    const { content, ...rest } = await client.callTool({ name, arguments: args });
    const [first] = content;
    return { ...rest, text: first?.type === "text" ? first.text : "" };
  }

  test("refuses an input before it runs, with the condition's text and the values", async () => {
    const told = await called("tea-report", { topic: "" });
    expect(told.isError).toBe(true);
    expect(told.text).toContain('PRECONDITION_FAILED: "tea-report" has not run');
    expect(told.text).toContain('inputs.topic != "" (inputs.topic is "")');
  });

  test("fails where its output is not what it promises", async () => {
    const told = await called("tea-report", { topic: "the history of tea" });
    expect(told.isError).toBe(true);
    expect(told.text).toContain("outputs.report.length < 20 (outputs.report.length is 21)");
  });

  test("tells what is not critical in the result's _meta and keeps it in the trace", async () => {
    const told = await called("tea-report", { topic: "?" });
    const unmet = {
      skill: "tea-report",
      callPath: "0",
      when: "post",
      check: "outputs.report.length > 5",
      critical: false,
      description: "It says something",
      values: { "outputs.report.length": "4" },
    };
    expect(told).toMatchObject({
      structuredContent: { report: "On ?" },
      _meta: { "repertoire/unmet": [unmet] },
    });
    const { structuredContent } = await client.callTool({
      name: "list_runs",
      arguments: { name: "tea-report", limit: 1 },
    });
    const { runs } = structuredContent as { runs: { runId: string }[] };
    const run = await called("get_run", { runId: runs[0]?.runId, full: true });
    expect(run.text).toContain("It says something");
  });

  test("is found by its keywords, tags and the requests that it fulfils", async () => {
    for (const query of ["infusion", "prose", "writing", "tell me about oolong"]) {
      const { structuredContent } = await client.callTool({ name: "search_skills", arguments: { query } });
      const { skills } = structuredContent as { skills: readonly object[] };
      const found = { name: "tea-report", category: "writing", tags: ["prose"] };
      expect(skills[0]).toMatchObject({ ...found, examples: ["Tell me about oolong"] });
    }
  });

  test("is described with what it is for and its conditions", async () => {
    expect((await called("describe_skill", { name: "tea-report" })).structuredContent).toMatchObject({
      category: "writing",
      tags: ["prose"],
      keywords: ["infusion"],
      preconditions: [{ check: 'inputs.topic != ""', critical: true }],
      postconditions: [
        { check: "outputs.report.length < 20", critical: true },
        { critical: false, description: "It says something" },
      ],
    });
  });
});
