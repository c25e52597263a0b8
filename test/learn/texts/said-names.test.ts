import { expect, test } from "vitest";
import type { Synthesis } from "../../../src/learn/synthesis/synthesise.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { runner } from "../../shared-threads.ts";

function commit(hash: string, author: string, message: string): string {
  return `Commit: '${hash}'\nAuthor: '${author}'\nDate: 2026-03-02\nMessage: '${message}'\n`;
}

const LOG = `Commit history:\n${commit("a1b2c3d", "Ann Lee", "Fix login for Bo Hu")}`;

function world(log: string): WorldTools {
  return { "git.git_log": () => log, "memory.add_observations": () => "ok" };
}

function noted(task: string, said: string): Synthesis {
  return learned([
    recordedIn(world(LOG), task, (call) => {
      call("git.git_log", { repo_path: "/repo", max_count: 1 });
      call("memory.add_observations", { observations: [{ entityName: "Falcon", contents: [said] }] });
    }),
  ]);
}

const TASK = "Note at the project Falcon who made the last commit in /repo.";

async function written({ plan }: Synthesis, log: string): Promise<string | undefined> {
  const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
  const calls = await callsIn(runner, plan, world(log), input);
  return /"contents":\["([^"]*)"/.exec(calls[1] ?? "")?.[1] ?? calls.at(-1);
}

test.each([
  ["last commit by Ann Lee", "last commit by Eva Moe"],
  ["Last commit made by Ann Lee.", "Last commit made by Eva Moe."],
])("a name that was told stands in the agent's few words, with a question: %s", async (said, other) => {
  const made = noted(TASK, said);
  expect(made.plan.params.map(({ name }) => name)).toEqual(["repo_path", "max_count", "entityName"]);
  expect(made.plan.questions?.map(({ kind }) => kind)).toEqual(["text"]);
  expect(await written(made, `Commit history:\n${commit("f00ba12", "Eva Moe", "Faster")}`)).toBe(other);
  const none = "Commit history:\nCommit: 'f00ba12'\nDate: 2026-03-02\nMessage: 'Faster'\n";
  expect(await written(made, none)).toMatch(/^stops: /);
  const two = `Commit history:\n${commit("f00ba12", "Eva Moe", "Faster")}${commit("f00ba13", "Kim Oda", "More")}`;
  expect(await written(made, two)).toMatch(/^stops: |Eva Moe/);
});

test.each([
  ["has a word of the caller's", TASK, "last commit of falcon by Ann Lee"],
  [
    "has a word that the task has in quotes",
    `${TASK} It is a "weekly" note.`,
    "weekly last commit by Ann Lee",
  ],
  ["has no word of the task", TASK, "approved by Ann Lee"],
  ["has an id", TASK, "last commit is a1b2c3d"],
  ["has a number", TASK, "1 commit by Ann Lee"],
  ["has a name that is not told", TASK, "last commit by Ann Lee from Oslo"],
  [
    "names whom the task names",
    "Note at the project Falcon that Ann Lee made the last commit.",
    "last commit by Ann Lee",
  ],
])("a note that %s is the caller's", (_, task, said) => {
  const { plan } = noted(task, said);
  expect(JSON.stringify(plan.params.map(({ example }) => example))).toContain(said);
});
