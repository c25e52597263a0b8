import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { command } from "../cli/in-process.ts";
import { MODEL, openAiServer, type Reply } from "../model/openai-server.ts";
import { Workplace } from "../server/connected-client.ts";

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.create({}, { data: "own" });
  for (const name of ["square", "add", "multiply", "note-save"]) await workplace.copy(name);
});
afterAll(async () => workplace[Symbol.asyncDispose]());

function run(skill: string, input: Json): Reply {
  return { kind: "answer", value: { run: { skill, input: JSON.stringify(input) } } };
}
function done(text: string): Reply {
  return { kind: "answer", value: { done: { text } } };
}

async function asked(replies: readonly Reply[], task: string, ...more: readonly string[]) {
  const server = await openAiServer({ replies });
  const config = { data: "own", model: { baseUrl: server.baseUrl, name: MODEL } };
  await writeFile(join(workplace.folder, "mcp.config.json"), JSON.stringify(config));
  return { server, ...(await command(workplace.folder, "ask", task, ...more)) };
}

const TASK = "square 3, and add 4 to that number";

test("several skills do a task, each seeing what was given before, as runs of one session", async () => {
  const { stdout, code, server } = await asked(
    [run("square", { number: 3 }), run("square", { x: 3 }), run("add", { a: 9, b: 4 }), done("It is 13.")],
    TASK,
    "--json",
  );
  expect(code).toBe(0);
  const told = JSON.parse(stdout) as {
    readonly kind: string;
    readonly session: string;
    readonly calls: readonly { skill: string }[];
  };
  expect(told).toMatchObject({ kind: "done", text: "It is 13." });
  expect(server.calls[1]?.data).toContain("The call of square was not made: the input does not fit");
  const runs = await command(workplace.folder, "traces", "ls", "--session", told.session, "--json");
  expect(runs.stdout).toContain('"name": "square"');
  expect(runs.stdout).toContain('"name": "add"');
});

test("what may write is not run where nobody can be asked", async () => {
  const input = { title: "Rome", text: "Day one" };
  const { code, stderr } = await asked([run("note-save", input), done("Saved.")], "save a note as a file");
  expect([code, stderr]).toEqual([1, expect.stringContaining("RUN_UNAPPROVED")]);
});

test.each<[string, Reply, number, string]>([
  [
    "an input that is missing is told",
    { kind: "answer", value: { ask: { question: "Which number?" } } },
    2,
    "Which number?",
  ],
  [
    "where no skill fits, one may be written",
    { kind: "answer", value: { missing: { text: "Draw a cube." } } },
    1,
    "new --from",
  ],
  ["a model that comes to no end is stopped", run("no-such-skill", {}), 1, "MODEL_ANSWER_INVALID"],
])("%s", async (_, reply, expected, words) => {
  const { code, stderr } = await asked([reply], TASK);
  expect([code, stderr]).toEqual([expected, expect.stringContaining(words)]);
});
