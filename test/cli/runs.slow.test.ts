import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLI, type Workplace } from "../server/connected-client.ts";
import { command } from "./in-process.ts";
import { shopWorkplace } from "./shop-workplace.ts";

const MOVE = `export default async ({ id, street }: { id: string; street: string }): Promise<{ street: string }> => {
  const { order } = await call_tool("shop.get_order", { id });
  await call_tool("shop.update_order_address", { id, shipTo: { ...order.shipTo, street } });
  return { street };
};
`;

let workplace: Workplace;
beforeAll(async () => {
  workplace = await shopWorkplace();
  await workplace.write("move", MOVE);
  await writeFile(
    join(workplace.skills, "move/SKILL.md"),
    "---\nname: move\ndescription: Sends an order elsewhere.\ndurable: confirm\n---\n",
  );
});
afterAll(async () => workplace[Symbol.asyncDispose]());

const repertoire = async (...args: readonly string[]) => command(workplace.folder, ...args);

test("a run that waits names the call to decide; what is decided and cannot go on says how it goes on later", async () => {
  const input = JSON.stringify({ id: "O-1002", street: "Elm Street 1" });
  const waiting = await repertoire("run", "move", "--input", input);
  expect(waiting.stderr).toContain("RUN_WAITING");
  const id = /The run ([\w-]+) waits/.exec(waiting.stderr)?.[1] ?? "";
  const shown = (await repertoire("runs", "show", id)).stdout;
  const call = /Decide: .* --call ([\d.]+) \[/.exec(shown)?.[1] ?? "";
  expect(shown).toMatch(new RegExp(`${call} +shop.update_order_address`));

  await writeFile(join(workplace.skills, "move/skill.ts"), `${MOVE}// another\n`);
  const approved = await repertoire("runs", "approve", id, "--call", call);
  expect(approved).toMatchObject({ code: 1, stderr: expect.stringContaining(`runs resume ${id}" goes on`) });
  const decided = (await repertoire("runs", "show", id)).stdout;
  expect(decided).toContain(`runs resume ${id}" goes on`);
  expect(decided).not.toContain("Decide:");
});

test("runs resume --json without an id prints one list, of as many runs as were interrupted", async () => {
  expect(await repertoire("runs", "resume", "--json")).toMatchObject({
    code: 0,
    stdout: "[]\n",
    stderr: "No run was interrupted\n",
  });
  await workplace.write(
    "pause",
    `export default async ({ n }: { n: number }): Promise<number> => {
  await call_tool("repertoire.wait", { ms: 2000 });
  return n;
};`,
  );
  const ofPause = async (): Promise<number> => {
    const listed = await repertoire("runs", "ls", "--json", "--state", "running");
    return (JSON.parse(listed.stdout) as readonly { skill: string }[]).filter(
      ({ skill }) => skill === "pause",
    ).length;
  };
  for (const n of [1, 2]) {
    const args = ["--disable-warning=ExperimentalWarning", CLI, "run", "pause", "--durable"];
    const child = spawn(process.execPath, [...args, "--input", `{"n":${n}}`], {
      cwd: workplace.folder,
      stdio: "ignore",
    });
    await expect.poll(ofPause, { timeout: 20_000 }).toBe(n);
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  const { code, stdout } = await repertoire("runs", "resume", "--json");
  const runs = JSON.parse(stdout) as readonly { root: { outcome: { output: number } } }[];
  const outputs = runs.map(({ root }) => root.outcome.output);
  expect([code, outputs]).toEqual([0, expect.arrayContaining([1, 2])]);
  expect(outputs).toHaveLength(2);
});
