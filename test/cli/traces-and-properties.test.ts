import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Workplace } from "../server/connected-client.ts";
import { FIXTURES } from "../trace/import/imported.ts";
import { command } from "./in-process.ts";

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.create({}, { traces: { store: "traces.db" } });
  const folder = join(workplace.folder, "skills/tell");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "SKILL.md"),
    "---\nname: tell\ndescription: Tells <it>.\nallowed-tools: Read Bash(git:*)\nlicense: MIT\nmetadata:\n  author: me\n---\nTell.\n",
  );
});
afterAll(async () => workplace[Symbol.asyncDispose]());

const run = (...args: readonly string[]) => command(workplace.folder, ...args);

describe("a skill that is read", () => {
  test("has the properties that the format defines", async () => {
    const { code, stdout } = await run("read-properties", "skills/tell");
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        name: "tell",
        description: "Tells <it>.",
        license: "MIT",
        "allowed-tools": "Read Bash(git:*)",
        metadata: { author: "me" },
      },
    ]);
  });

  test("is valid, and stands in the prompt with what could end a tag written otherwise", async () => {
    expect(await run("validate", "skills/tell")).toEqual({
      code: 0,
      stdout: "Valid skill: skills/tell\n",
      stderr: "",
    });
    expect((await run("to-prompt", "skills/tell")).stdout).toContain("Tells &lt;it&gt;.");
  });
});

describe("a transcript that is imported", () => {
  let told: { readonly runIds: readonly string[] };
  let id = "";
  beforeAll(async () => {
    const { stdout } = await run("traces", "import", join(FIXTURES, "openai-chat.orders.json"), "--json");
    told = JSON.parse(stdout) as typeof told;
    [id = ""] = told.runIds;
  });

  test("is counted", () => {
    expect(told).toMatchObject({ traces: 1, events: 7, skipped: [], errors: [] });
  });

  test("is a run that is listed", async () => {
    const { stdout } = await run("traces", "ls", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      runs: [{ runId: id, name: "openai-chat", events: 7, errors: 1 }],
    });
  });

  test("is shown with its task and its calls in their order", async () => {
    const { code, stdout } = await run("traces", "show", id, "--all");
    expect(code).toBe(0);
    expect(stdout).toContain("Look up the order W1 of Olivia Ito");
    const drawn = stdout
      .split("\n")
      .flatMap((line) => /\b(find_user|get_order|write_file)\b/.exec(line)?.[1] ?? []);
    expect(drawn).toEqual(["find_user", "get_order", "get_order", "write_file"]);
  });

  test("counts in what tools are called, and in what is called one after the other", async () => {
    const stats = (await run("traces", "stats")).stdout
      .split("\n")
      .map((line) => line.split(/ {2,}/).slice(0, 3));
    expect(stats.slice(1, 4)).toEqual([
      ["get_order", "2", "50 % (9–91)"],
      ["find_user", "1", "100 % (21–100)"],
      ["write_file", "1", "100 % (21–100)"],
    ]);
    expect((await run("traces", "chains")).stdout).toContain("find_user → get_order → write_file");
  });

  test("is found by the words of its task and its files", async () => {
    const { stdout } = await run("traces", "search", "receipt");
    expect(stdout).toMatch(/file {2}receipts\/W1\.md\n.*task {2}.*receipt/);
  });

  test("says what was searched where nothing is found", async () => {
    const { code, stderr } = await run("traces", "search", "zebra", "--kind", "task", "error");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^No task or error in .* has the words "zebra"; inputs and answers are not/),
    ]);
  });

  test("is drawn with names that can be read where there is little room", async () => {
    const path = `/archive/${"deep/".repeat(20)}report.txt`;
    const call = { name: "read_text_file_of_archive", arguments: JSON.stringify({ path }) };
    const messages = [
      { role: "assistant", tool_calls: [{ id: "1", type: "function", function: call }] },
      { role: "tool", tool_call_id: "1", content: "empty" },
    ];
    await writeFile(join(workplace.folder, "far.json"), JSON.stringify({ messages }));
    const { stdout } = await run("traces", "import", "far.json", "--json");
    const [far = ""] = (JSON.parse(stdout) as typeof told).runIds;
    expect((await run("traces", "show", far)).stdout).toContain("✓ read_text_file_of_archive /archive/deep");
  });

  test("that is not there is told with where those are that there are", async () => {
    const { code, stderr } = await run("traces", "show", "nothing");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^RUN_NOT_FOUND: .*"nothing".* traces ls" shows/),
    ]);
  });
});
