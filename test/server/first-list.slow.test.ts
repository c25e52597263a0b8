import { hash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { newClient, stdioTransport, textOf, Workplace } from "./connected-client.ts";

const MANY = 400;

test("while many new skills are looked at, the tools that are always there are listed; the others follow", async () => {
  await using workplace = await Workplace.create(
    Object.fromEntries(
      Array.from({ length: MANY }, (_, index) => [
        `plus-${index}`,
        `export default ({ n }: { n: number }): number => n + ${index};`,
      ]),
    ),
    // What others have compiled is not known here.
    { data: "data" },
  );
  const { client, changed } = newClient("legacy");
  await client.connect(stdioTransport(workplace));
  try {
    const names = async (): Promise<readonly string[]> =>
      (await client.listTools()).tools.map(({ name }) => name);
    const first = await names();
    expect(first).toEqual(expect.arrayContaining(["search_skills", "run_skill", "activate_skill"]));
    expect(first.filter((name) => name.startsWith("plus-"))).toEqual([]);
    // A call waits for its skill.
    const called = await client.callTool({
      name: "run_skill",
      arguments: { name: "plus-7", input: { n: 1 } },
    });
    expect(textOf(called)).toContain("8");
    await changed();
    expect((await names()).filter((name) => name.startsWith("plus-"))).toHaveLength(MANY);
  } finally {
    await client.close();
  }
});

async function cacheFile({ folder }: Workplace, start: string): Promise<string> {
  const cache = join(folder, "data/cache");
  const names = await readdir(cache);
  return join(cache, names.find((name) => name.startsWith(start)) ?? "");
}

/** After which a file's times tell whether it has been written since. */
const OLD_MS = 2100;

test("a server that starts again with the same skills lists them as they were listed, then as they are", async () => {
  await using workplace = await Workplace.create(
    { plus: "export default ({ n }: { n: number }): number => n + 1;" },
    { data: "data" },
  );
  const listed = async (): Promise<readonly [string, boolean]> => {
    const { client, changed } = newClient("legacy");
    await client.connect(stdioTransport(workplace));
    try {
      const titleOf = async (): Promise<string> =>
        (await client.listTools()).tools.find(({ name }) => name === "plus")?.title ?? "";
      const first = await titleOf();
      const called = await client.callTool({ name: "plus", arguments: { n: 1 } });
      expect(textOf(called)).toContain("2");
      const isChanged = await Promise.race([changed().then(() => true), delay(500, false)]);
      if (isChanged) expect(await titleOf()).toBe("Plus");
      return [first, isChanged];
    } finally {
      await client.close();
    }
  };
  await delay(OLD_MS);
  expect(await listed()).toEqual(["Plus", false]);
  expect(await listed()).toEqual(["Plus", false]);
  // Where the list comes from shows in another word that nobody wrote into the skill.
  const file = await cacheFile(workplace, "listed-tools");
  const otherWords = async (): Promise<void> => {
    const [, ...lines] = (await readFile(file, "utf8")).split("\n");
    const text = lines.join("\n").replaceAll('"title":"Plus"', '"title":"Kept"');
    await writeFile(file, `${hash("sha256", text)}\n${text}`);
  };
  await otherWords();
  // A client that asks late is shown what there is.
  expect([
    ["Kept", true],
    ["Plus", false],
  ]).toContainEqual(await listed());
  expect(await listed()).toEqual(["Plus", false]);
  // A skill that is another one since is not listed as it was.
  await otherWords();
  await workplace.write("plus", "export default ({ n }: { n: number }): number => 1 + n;", "Adds.");
  expect(await listed()).toEqual(["Plus", false]);
});

test("a skill that was changed without a trace is served as it is after a while", async () => {
  await using workplace = await Workplace.create(
    { plus: "export default ({ n }: { n: number }): number => n + 1;" },
    { data: "data" },
  );
  const start = async (patienceMs = 0): Promise<readonly string[]> => {
    const { client, changed } = newClient("legacy");
    await client.connect(stdioTransport(workplace));
    try {
      const answer = async (): Promise<string> =>
        textOf(await client.callTool({ name: "plus", arguments: { n: 1 } }));
      const first = await answer();
      const isChanged = await Promise.race([changed().then(() => true), delay(patienceMs, false)]);
      return [first, isChanged ? await answer() : first];
    } finally {
      await client.close();
    }
  };
  await delay(OLD_MS);
  expect((await start())[0]).toContain("2");
  const file = await cacheFile(workplace, "folders-");
  const before = await readFile(file, "utf8");
  const stampIn = (text: string): string => /skill\.ts","([^"]+)"/.exec(text)?.[1] ?? "";
  await workplace.write(
    "plus",
    "export default ({ n }: { n: number }): { sum: number } => ({ sum: n + 2 });",
  );
  await delay(OLD_MS);
  await start();
  const stamps = await readFile(file, "utf8");
  expect(stampIn(stamps)).not.toBe("");
  // What is kept is the skill of before, with the times of now.
  const now = [...stamps.matchAll(/"([^"]+)","(\d+:[\d.:]+)"/g)].slice(-2);
  const patched = now.reduce(
    (text, [, path = "", stamp = ""]) =>
      text.replace(new RegExp(`("${path.replaceAll(/[.\\]/g, "\\$&")}",)"[^"]+"`), `$1"${stamp}"`),
    before,
  );
  await writeFile(file, patched);
  const [stale, mended] = await start(20_000);
  expect([stale, mended]).toEqual(['{"result":2}', '{"sum":3}']);
  expect((await start())[0]).toContain("3");
});
