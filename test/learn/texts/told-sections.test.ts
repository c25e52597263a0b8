import { expect, test } from "vitest";
import type { Synthesis } from "../../../src/learn/synthesis/synthesise.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { runner } from "../../shared-threads.ts";

const NOTES = "The pump was loud, so we\nleft at 8.\n\n- ask Bo\n- a new seal";

function report(notes: string, ...more: readonly string[]): string {
  return ["# Visit", "## Work", "- pump\n- lamp", "## Notes", notes, ...more].join("\n\n");
}

function desk(text: string): WorldTools {
  return { "desk.read_file": () => text, "desk.write_file": () => "Written" };
}

function copied(task: string, content: string, text = report(NOTES, "## Next", "None.\n")): Synthesis {
  return learned([
    recordedIn(desk(text), task, (call) => {
      call("desk.read_file", { path: "/visit.md" });
      call("desk.write_file", { path: "/notes.md", content });
    }),
  ]);
}

/** What is written where the document is another. */
async function written({ plan }: Synthesis, text: string): Promise<string | undefined> {
  const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
  const calls = await callsIn(runner, plan, desk(text), input);
  return calls[1]?.replace('desk.write_file {"path":"/notes.md","content":', "").replace(/\}$/, "");
}

const SAID = "Copy what stands in /visit.md below Notes to /notes.md.";

test.each([
  ["with a line end", `${NOTES}\n`, "Quiet.\n\n1. all well\n"],
  ["without one", NOTES, "Quiet.\n\n1. all well"],
])("what stands below a heading that the task says is copied %s", async (_, content, other) => {
  const made = copied(SAID, content);
  expect(made.plan.params.map(({ example }) => example)).toEqual(["/visit.md", "/notes.md", "Notes"]);
  expect(made.plan.questions ?? []).toEqual([]);
  expect(await written(made, report("Quiet.\n\n1. all well", "## Last", "x"))).toBe(JSON.stringify(other));
  expect(await written(made, report("Quiet.\n\n1. all well\n"))).toBe(JSON.stringify(other));
});

test("a heading that the task says in other letters is the same where the caller says nothing else", async () => {
  const made = copied("Copy the notes of /visit.md to /notes.md.", `${NOTES}\n`);
  expect(made.plan.questions ?? []).toEqual([]);
  expect(made.plan.params.map(({ default: value }) => value)).toContain("Notes");
  expect(await written(made, report("Quiet.\nYes."))).toBe(JSON.stringify("Quiet.\nYes.\n"));
});

test.each([
  ["has no such heading", "# Visit\n\n## Work\n\n- pump\n\n## Remarks\n\nQuiet.\n"],
  ["has it twice", report("Quiet.", "## Notes", "Loud.")],
  ["has nothing below it", report("", "## Next", "None.")],
  ["has an underlined heading below it", report("Quiet.", "Next\n----", "None.")],
  ["has a heading of HTML below it", report("Quiet.", "<h2>Next</h2>", "None.")],
  ["has a heading within code", report("Do:\n\n```\n## Next\npump --off\n```\n", "## Next", "None.")],
])("a document that %s stops", async (_, text) => {
  for (const content of [NOTES, `${NOTES}\n`])
    expect(await written(copied(SAID, content), text)).toMatch(/^stops: /);
});

test.each([
  ["in other words", "The pump was loud.\nWe left at 8.\n"],
  ["in part", "The pump was loud, so we\nleft at 8.\n"],
])("what stands there %s is the caller's", (_, content) => {
  const { plan } = copied(SAID, content);
  expect(plan.params.map(({ example }) => example)).toContain(content);
});
