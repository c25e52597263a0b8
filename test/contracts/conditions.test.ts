import { expect, test } from "vitest";
import { folderWith } from "../catalog/folders.ts";
import { readFolder } from "../checks/read-folder.ts";
import { compiler } from "../shared-threads.ts";

const CODE = `export default ({ topic }: { topic: string; rows?: { id: number }[] }): { report: string; size: { words: number } } =>
  ({ report: topic, size: { words: 1 } });`;

async function compiled(frontmatter: string) {
  const folder = await folderWith({
    "SKILL.md": `---\nname: report\ndescription: Reports.\n${frontmatter}---\n`,
    "skill.ts": CODE,
  });
  const { skills, diagnostics } = await compiler.compile([readFolder(folder)]);
  return { skill: skills[0], diagnostics };
}

test("conditions stand in the frontmatter, as checks or with whether they are critical", async () => {
  const { skill, diagnostics } = await compiled(
    [
      "preconditions:",
      "  - inputs.topic.length > 0",
      "postconditions:",
      "  - {check: outputs.report.length > 100, critical: false, description: The report says something}",
      "  - outputs.size.words >= 1",
      "",
    ].join("\n"),
  );
  expect(diagnostics).toEqual([]);
  expect(skill).toMatchObject({
    preconditions: [{ check: "inputs.topic.length > 0", critical: true, reads: ["inputs.topic.length"] }],
    postconditions: [
      { check: "outputs.report.length > 100", critical: false, description: "The report says something" },
      { check: "outputs.size.words >= 1", critical: true },
    ],
  });
});

test.each([
  ["preconditions:\n  - inputs.topic.length >\n", "condition-invalid", 5, 26, "unexpected token"],
  ["preconditions:\n  - outputs.report != null\n", "condition-invalid", 5, 5, "no outputs before"],
  ["postconditions:\n  - check: outputs.report = 1\n", "condition-invalid", 5, 12, "not allowed"],
  ["postconditions:\n  - critical: false\n", "condition-invalid", 5, 5, "must have a check"],
  ["postconditions:\n  - check: outputs.report\n    critial: false\n", "condition-invalid", 5, 5, "critical"],
  ["postconditions:\n  - check: outputs.report\n    critical: maybe\n", "condition-invalid", 5, 5, "neither"],
  ["postconditions: outputs.report\n", "condition-invalid", 4, 1, "must be a list"],
  ["postconditions:\n  - 1 < outputs.reprot.length\n", "condition-unknown", 5, 9, 'Did you mean "report"?'],
  ["postconditions:\n  - outputs.size.chars > 1\n", "condition-unknown", 5, 5, '"chars"'],
  ["preconditions:\n  - inputs.subject != null\n", "condition-unknown", 5, 5, '"subject"'],
])("%j is found: %s", async (frontmatter, code, line, column, message) => {
  const { skill, diagnostics } = await compiled(frontmatter);
  expect(diagnostics).toMatchObject([{ code, line, column, message: expect.stringContaining(message) }]);
  if (diagnostics[0]?.severity === "error") expect(skill).toBeUndefined();
});

test("what a skill is for stands in the frontmatter", async () => {
  const { skill } = await compiled(
    'category: writing\ntags: [docs, writing]\nkeywords: [summary]\nexamples:\n  - "Write a report on tea"\n',
  );
  expect(skill?.matching).toEqual({
    category: "writing",
    tags: ["docs", "writing"],
    keywords: ["summary"],
    examples: ["Write a report on tea"],
  });
});

test("what a request must mean is told to those who look for the skill, and is no condition of calling it", async () => {
  const { skill, diagnostics } = await compiled(
    "preconditions:\n  - {type: llm_intent_match, description: A report is wanted, confidence_threshold: 0.7}\n  - inputs.topic.length > 0\n",
  );
  expect(diagnostics).toEqual([]);
  expect(skill?.matching?.intents).toEqual([{ description: "A report is wanted", threshold: 0.7 }]);
  expect(skill?.preconditions?.map(({ check }) => check)).toEqual(["inputs.topic.length > 0"]);
});

test.each([
  "category: [a]\n",
  "tags: docs\n",
  "keywords: [1]\n",
  "examples: [{}]\n",
  "preconditions: [{type: llm_intent_match, description: x, confidence_threshold: 7}]\n",
])("%j is told and left out", async (frontmatter) => {
  const { skill, diagnostics } = await compiled(frontmatter);
  expect(diagnostics).toMatchObject([{ code: "field-invalid", severity: "warning", line: 4 }]);
  expect(skill).toBeDefined();
});
