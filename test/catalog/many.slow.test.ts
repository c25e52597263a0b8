import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLI, newClient, stdioTransport, Workplace } from "../server/connected-client.ts";

const MANY = 10_000;
const CALLER = `export default async ({ n }: { n: number }): Promise<number> => call_skill("thing-${MANY - 1}", { n })`;
const LAST = `export default ({ n }: { n: number }): number => n + 1`;

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.create({ caller: CALLER });
  for (let index = 0; index < MANY - 1; index += 1) {
    const folder = join(workplace.skills, `thing-${index}`);
    await mkdir(folder);
    await writeFile(
      join(folder, "SKILL.md"),
      `---\nname: thing-${index}\ndescription: Thing ${index}.\n---\n`,
    );
  }
  await workplace.write(`thing-${MANY - 1}`, LAST);
});
afterAll(async () => workplace[Symbol.asyncDispose]());

async function repertoire(
  ...args: readonly string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = ["--disable-warning=ExperimentalWarning", CLI, ...args];
  const options = { cwd: workplace.folder, maxBuffer: 2 ** 27 };
  return new Promise((resolve) => {
    execFile(process.execPath, command, options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ).stdin?.end();
  });
}

async function configure(config: object): Promise<void> {
  await writeFile(join(workplace.folder, "mcp.config.json"), JSON.stringify(config));
}

test("10,001 folders in one root load, without a finding", async () => {
  const { code, stdout, stderr } = await repertoire("list", "--json");
  expect((JSON.parse(stdout) as unknown[]).length).toBe(MANY + 1);
  expect([code, stderr]).toEqual([0, ""]);
  const checked = await repertoire("check", "--json");
  expect([checked.code, (JSON.parse(checked.stdout) as { diagnostics: unknown[] }).diagnostics]).toEqual([
    0,
    [],
  ]);
});

test("what a limit leaves out is told by list, check and to clients, and makes no callee unknown", async () => {
  await configure({ discovery: { maxFolders: 5_000 } });
  const listed = await repertoire("list");
  expect(listed.code).toBe(1);
  expect(listed.stderr).toMatch(/5002 skills are left out: thing-\d+, .* and 4997 more/);
  const checked = await repertoire("check", "--json");
  expect(checked.code).toBe(1);
  const { diagnostics } = JSON.parse(checked.stdout) as {
    diagnostics: { code: string; severity: string; affects?: string[] }[];
  };
  expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`).toSorted()).toEqual([
    "error folder-too-large",
    "warning call-left-out",
  ]);
  expect(diagnostics.find(({ code }) => code === "folder-too-large")?.affects).toHaveLength(5_002);

  const { client } = newClient("modern");
  await client.connect(stdioTransport(workplace));
  const found = await client.callTool({ name: "search_skills", arguments: { query: "thing" } });
  expect(found.structuredContent).toMatchObject({
    leftOut: { folders: 5_002, why: [expect.stringContaining("5002 skills are left out")] },
  });
  const run = await client.callTool({
    name: "run_skill",
    arguments: { name: `thing-${MANY - 1}`, input: { n: 1 } },
  });
  expect(JSON.stringify(run.content)).toContain("skills are left out");
  await client.close();
});
