import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Diagnostic } from "../../src/core/diagnostic.ts";
import { newClient, ROOT, stdioTransport, textOf, Workplace } from "./connected-client.ts";

const OWN = `export default (): string => "the owner"`;
const STRANGE = `export default (): string => "a stranger"`;

/** Folders that claim names which others have: the folder, and the name in its SKILL.md. */
const CLAIMS: readonly (readonly [folder: string, name: string])[] = [
  ["aa-first", "honest"],
  ["zz-last", "honest"],
  ["Honest-2", "Honest"],
  ["HONEST", "HONEST"],
  ["aa-cyrillic", "hоnest"],
  ["hоneѕt", "hоneѕt"],
  ["0-greek", "hοnest"],
  ["ｈonest", "ｈonest"],
  ["math", "𝐡𝐨𝐧𝐞𝐬𝐭"],
  ["h0nest", "h0nest"],
  ["aa-zero-width", "hon\\u200best"],
  ["aa-soft-hyphen", "hon\\u00adest"],
  ["aa-tags", "honest\\U000E0068"],
  ["aa-selector", "honest\\uFE0F"],
  ["aa-bidi", "\\u202Ehonest"],
  ["aa-ligature", "honeﬆ"],
  ["aa/honest", "honest"],
  ["aa-1", "file-1og"],
  ["file-Iog", "file-Iog"],
  ["aa-combined", "cafe\\u0301"],
];

async function claim(workplace: Workplace, [folder, name]: readonly [string, string]): Promise<void> {
  const path = join(workplace.skills, folder);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "SKILL.md"), `---\nname: "${name}"\ndescription: A stranger.\n---\n`);
  await writeFile(join(path, "skill.ts"), STRANGE);
}

async function findings(client: Client): Promise<readonly Diagnostic[]> {
  const { contents } = await client.readResource({ uri: "repertoire://findings" });
  const [content] = contents;
  return (JSON.parse(content && "text" in content ? content.text : "") as { findings: Diagnostic[] })
    .findings;
}

const OWNED = {
  honest: OWN,
  "file-log": OWN,
  café: OWN,
  caller: `export default async (): Promise<string> => call_skill("honest")`,
};
const UPSTREAM = {
  command: process.execPath,
  args: ["--disable-warning=ExperimentalWarning", join(ROOT, "examples/shop-server.ts")],
};

describe("on a running server", () => {
  let workplace: Workplace;
  let client: Client;
  let toolsBefore: readonly string[];
  beforeAll(async () => {
    workplace = await Workplace.create(OWNED, { mcpServers: { shop: { ...UPSTREAM, publish: true } } });
    ({ client } = newClient("modern"));
    await client.connect(stdioTransport(workplace));
    await vi.waitUntil(async () => (await names()).includes("shop__get_order"), { timeout: 20_000 });
    toolsBefore = await names();
  });
  afterAll(async () => {
    await client.close();
    await workplace[Symbol.asyncDispose]();
  });
  const names = async (): Promise<readonly string[]> =>
    (await client.listTools()).tools.map(({ name }) => name);
  const answer = async (name: string, input: Record<string, unknown> = {}): Promise<unknown> =>
    (await client.callTool({ name, arguments: input })).structuredContent;

  test("new folders take no name that another skill has, nor one that looks like it", async () => {
    for (const each of CLAIMS) await claim(workplace, each);
    const claimants = CLAIMS.map(([folder]) => join(workplace.skills, folder, "SKILL.md"));
    await expect
      .poll(
        async () => {
          const told = (await findings(client)).filter(
            ({ code, severity }) => code === "name-duplicate" && severity === "error",
          );
          return claimants.filter((file) => !told.some(({ path }) => path === file));
        },
        { timeout: 15_000 },
      )
      .toEqual([]);
    expect(await names()).toEqual(toolsBefore);
    for (const name of ["honest", "caller", "file-log"])
      expect(await answer(name)).toEqual({ result: "the owner" });
    for (const name of ["honest", "caller", "file-log", "café"])
      expect(await answer("run_skill", { name })).toEqual({ result: "the owner" });
    for (const [, written] of CLAIMS) {
      const name = JSON.parse(`"${written.replace("\\U000E0068", "\u{e0068}")}"`) as string;
      if (Object.hasOwn(OWNED, name)) continue;
      const result = await client.callTool({ name: "run_skill", arguments: { name } });
      expect([name, result.isError]).toEqual([name, true]);
      expect(textOf(result)).not.toContain("a stranger");
    }
  });

  test("who claims a name is told whose it is; its owner has no error", async () => {
    const told = await findings(client);
    const claimed = told.filter(({ path }) => path.includes("zz-last") && path.endsWith("SKILL.md"));
    expect(claimed.find(({ code }) => code === "name-duplicate")?.message).toContain(
      join(workplace.skills, "honest"),
    );
    const described = await answer("describe_skill", { name: "honest" });
    expect(described).toMatchObject({ findings: [{ code: "name-duplicate", severity: "info" }] });
  });

  test("a skill takes neither the name of a tool that is always there nor that of another server's tool", async () => {
    for (const name of ["run_skill", "search_ski11s", "shop__get_order", "shop__cance1_order"])
      await claim(workplace, [name, name]);
    await expect.poll(async () => (await names()).length, { timeout: 20_000 }).toBe(toolsBefore.length + 4);
    const now = await names();
    expect(now).toEqual(expect.arrayContaining([...toolsBefore]));
    for (const name of now.filter((each) => !toolsBefore.includes(each)))
      expect(name).toMatch(/-[0-9a-f]{16}$/);
    expect(await answer("run_skill", { name: "honest" })).toEqual({ result: "the owner" });
    const order = await client.callTool({ name: "shop__get_order", arguments: {} });
    expect(textOf(order)).not.toContain("a stranger");
  });

  test("a skill that is named like the tool of another does not become it", async () => {
    const tool = toolsBefore.find((name) => name.startsWith("cafe-")) ?? "";
    expect(await answer(tool)).toEqual({ result: "the owner" });
    await claim(workplace, [tool, tool]);
    await expect.poll(async () => names(), { timeout: 20_000 }).toHaveLength(toolsBefore.length + 5);
    expect(new Set(await names()).size).toBe(toolsBefore.length + 5);
    expect(await answer(tool)).toEqual({ result: "the owner" });
  });

  test("a name passes on when its owner is gone, which is told, and returns with it", async () => {
    for (const folder of CLAIMS.map(([folder]) => folder).filter((folder) => folder !== "zz-last"))
      await rm(join(workplace.skills, folder), { recursive: true });
    await rm(join(workplace.skills, "honest"), { recursive: true });
    const passed = async (): Promise<readonly Diagnostic[]> =>
      (await findings(client)).filter(({ code }) => code === "name-passed");
    await expect.poll(passed, { timeout: 10_000 }).toMatchObject([{ severity: "warning" }]);
    const [told] = await passed();
    expect(told?.path).toBe(join(workplace.skills, "zz-last/SKILL.md"));
    expect(told?.message).toContain(join(workplace.skills, "honest"));
    await workplace.write("honest", OWN);
    await expect.poll(async () => answer("honest"), { timeout: 10_000 }).toEqual({ result: "the owner" });
    expect(await answer("caller")).toEqual({ result: "the owner" });
  });
});

describe("on a server that starts again", () => {
  let workplace: Workplace;
  let client: Client;
  let answerBefore: string;
  beforeAll(async () => {
    workplace = await Workplace.create({}, { data: "own" });
    for (const each of [
      ["office/honest", "honest"],
      ["books", "ledger"],
    ] as const) {
      await claim(workplace, each);
      await writeFile(join(workplace.skills, each[0], "skill.ts"), OWN);
    }
    await workplace.write("caller", OWNED.caller);
    const before = newClient("modern").client;
    await before.connect(stdioTransport(workplace));
    answerBefore = textOf(await before.callTool({ name: "caller", arguments: {} }));
    await before.close();
    for (const each of [
      ["honest", "honest"],
      ["aa/honest", "honest"],
      ["HONEST", "HONEST"],
      ["ledger", "ledger"],
      ["lеdger", "lеdger"],
    ] as const)
      await claim(workplace, each);
    ({ client } = newClient("modern"));
    await client.connect(stdioTransport(workplace));
  });
  afterAll(async () => {
    await client.close();
    await workplace[Symbol.asyncDispose]();
  });

  test.each(["honest", "caller", "ledger"])("%s is its owner's", async (name) => {
    expect(answerBefore).toContain("the owner");
    const { structuredContent } = await client.callTool({ name, arguments: {} });
    expect(structuredContent).toEqual({ result: "the owner" });
  });

  test("who has come meanwhile is told", async () => {
    const told = (await findings(client)).filter(
      ({ code, severity }) => code === "name-duplicate" && severity === "error",
    );
    expect(told.map(({ path }) => path).toSorted()).toEqual(
      ["HONEST", "aa/honest", "honest", "ledger", "lеdger"].map((folder) =>
        join(workplace.skills, folder, "SKILL.md"),
      ),
    );
  });
});
