import { execFile } from "node:child_process";
import { link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLI, newClient, ROOT, stdioTransport, Workplace } from "../server/connected-client.ts";

const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const SKILLS = {
  "flight-search": `interface Input {
  /** IATA code @pattern ^[A-Z]{3}$ */
  from: string;
  cabin?: "economy" | "business";
}
export default (input: Input): { cheapest: number } => ({ cheapest: input.from.length });`,
  trip: `export default async (): Promise<number> => {
  const flight = await call_skill("flight-search", { from: "LHR" });
  return flight.cheapest;
}`,
};

let workplace: Workplace;
let file: string;
beforeEach(async () => {
  workplace = await Workplace.create(SKILLS);
  file = join(workplace.skills, "skills.d.ts");
});
afterEach(async () => workplace[Symbol.asyncDispose]());

async function started(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: workplace.folder }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    }).stdin?.end();
  });
}

const repertoire = async (...args: readonly string[]): ReturnType<typeof started> =>
  started(["--disable-warning=ExperimentalWarning", CLI, ...args]);
const types = async (...args: readonly string[]): ReturnType<typeof started> => repertoire("types", ...args);

describe("types", () => {
  test("writes declarations by which TypeScript alone finds what is wrong", async () => {
    const { code, stdout } = await types();
    expect([code, stdout]).toEqual([
      0,
      "Wrote skills/skills.d.ts, skills/sandbox.d.ts, skills/tsconfig.json\n",
    ]);
    expect(await started([TSC, "-p", workplace.skills])).toMatchObject({ code: 0, stdout: "" });

    await workplace.write(
      "trip",
      SKILLS.trip.replace('{ from: "LHR" }', '{ form: "LHR" }').replace("cheapest", "cheepest"),
    );
    await workplace.write(
      "other",
      `export default async (): Promise<unknown> => call_skill("flight-serach", {});`,
    );
    const { stdout: found } = await started([TSC, "-p", workplace.skills, "--pretty", "false"]);
    expect(found).toMatch(
      /trip\/skill\.ts\(2,54\): error TS2353: .*'form' does not exist in type 'FlightSearchInput'/,
    );
    expect(found).toMatch(/trip\/skill\.ts\(3,17\): error TS2551: .*Did you mean 'cheapest'/);
    expect(found).toMatch(/other\/skill\.ts\(1,57\): error TS2345: .*"flight-serach"/);
  });

  test("know the language as the sandbox has it", async () => {
    await types();
    await workplace.write(
      "modern",
      `export default (): unknown => [Object.groupBy([1], String), RegExp.escape("."), new Set([1]).union(new Set())];`,
    );
    expect(await started([TSC, "-p", workplace.skills])).toMatchObject({ code: 0, stdout: "" });
    await workplace.write(
      "absent",
      `export default (): unknown => [new Intl.Collator(), Array.fromAsync([1])];`,
    );
    const { stdout } = await started([TSC, "-p", workplace.skills, "--pretty", "false"]);
    expect(stdout).toMatch(/absent\/skill\.ts\(1,36\): error TS2304: Cannot find name 'Intl'/);
    expect(stdout).toMatch(/absent\/skill\.ts\(1,59\): error TS2550: Property 'fromAsync' does not exist/);
  });

  test("tell in comments what types cannot say", async () => {
    await types();
    const text = await readFile(file, "utf8");
    expect(text).toContain("* IATA code");
    expect(text).toContain("@pattern ^[A-Z]{3}$");
    expect(text).toContain("/** Does flight-search. */");
  });

  test("leaves a tsconfig.json and a file of the author's own as they are", async () => {
    await writeFile(join(workplace.skills, "tsconfig.json"), "{}");
    await types();
    expect(await readFile(join(workplace.skills, "tsconfig.json"), "utf8")).toBe("{}");
    await writeFile(file, "declare const mine: 1;\n");
    const { code, stderr } = await types();
    expect([code, stderr]).toEqual([1, expect.stringContaining("was not written by this command")]);
    expect(await readFile(file, "utf8")).toBe("declare const mine: 1;\n");
  });

  test("--print and --output say where to", async () => {
    const { stdout } = await types("--print");
    await expect(stat(file)).rejects.toThrow("ENOENT");
    await types("--output", "world.d.ts");
    expect(await readFile(join(workplace.folder, "world.d.ts"), "utf8")).toBe(stdout);
  });
});

describe("with upstream servers", () => {
  const CLERK = `export default async (input: { id: string }): Promise<number> => {
  const { order } = await call_tool("shop.get_order", { id: input.id });
  await call_tool("gone.anything", { any: 1 });
  return order.total;
}`;
  async function withShop(): Promise<void> {
    const shop = pathToFileURL(join(ROOT, "examples/shop-server.ts")).href;
    await writeFile(join(workplace.folder, "shop.mjs"), `import ${JSON.stringify(shop)};`);
    const args = ["--disable-warning=ExperimentalWarning", "shop.mjs"];
    const mcpServers = { shop: { command: process.execPath, args }, gone: { command: "no-such-command" } };
    await writeFile(join(workplace.folder, "mcp.config.json"), JSON.stringify({ data: "data", mcpServers }));
    await workplace.write("clerk", CLERK);
  }

  test("types have their tools, and tell which servers cannot be reached", async () => {
    await withShop();
    const { code, stdout, stderr } = await types("--print");
    expect([code, stderr]).toEqual([0, expect.stringContaining('The server "gone" cannot be used')]);
    expect(stdout).toContain(
      '"shop.get_order": { input: Tools.ShopGetOrderInput; output: Tools.ShopGetOrderOutput };',
    );
    expect(stdout).toContain("/** Such as O-1001 */");
    await types();
    expect(await started([TSC, "-p", workplace.skills])).toMatchObject({ code: 0, stdout: "" });

    await workplace.write("clerk", CLERK.replace("{ id: input.id }", "{ id: 7 }").replace("total;", "totl;"));
    await workplace.write(
      "typo",
      `export default async (): Promise<unknown> => call_tool("shop.get_ordr", {});`,
    );
    const { stdout: found } = await started([TSC, "-p", workplace.skills, "--pretty", "false"]);
    expect(found).toMatch(
      /clerk\/skill\.ts\(2,57\): error TS2322: .*'number' is not assignable to type 'string'/,
    );
    expect(found).toMatch(/clerk\/skill\.ts\(4,16\): error TS2551: .*Did you mean 'total'/);
    expect(found).toMatch(/typo\/skill\.ts\(1,56\): error TS2\d+: .*"shop\.get_ordr"/);
  });

  test.each(["check", "typecheck"])(
    "%s knows their tools from then on, also when they are away",
    async (command) => {
      await withShop();
      await workplace.write("clerk", CLERK.replace("{ id: input.id }", "{ id: 7 }"));
      expect(await repertoire(command)).toMatchObject({ code: 0 });
      expect(await repertoire("upstream", "shop")).toMatchObject({ code: 0 });
      await rm(join(workplace.folder, "shop.mjs"));
      const { code, stderr } = await repertoire(command);
      expect(code).toBe(1);
      expect(stderr).toMatch(/clerk\/skill\.ts:2:57.*\n?.*'number' is not assignable to type 'string'/);
    },
  );
});

test.each([
  ["is written by serve --watch", ["--watch"], false],
  ["that is there is kept fresh by serve", [], true],
])("skills.d.ts %s", async (_, args, isThere) => {
  if (isThere) await types();
  const { client } = newClient("modern");
  await client.connect(stdioTransport(workplace, args));
  const text = async (): Promise<string> => readFile(file, "utf8").catch(() => "");
  await expect.poll(text, { timeout: 20_000 }).toContain('"flight-search": {');
  await workplace.write("hotel-search", `export default (): { stars: number } => ({ stars: 3 });`);
  await expect.poll(text, { timeout: 20_000 }).toContain("stars: number;");
  await client.close();
});

test("a server that is ended while it writes leaves a file that the next one writes anew", async () => {
  await types();
  const before = join(workplace.folder, "before");
  await link(file, before);
  const text = await readFile(file, "utf8");
  await workplace.write("hotel-search", "export default (): number => 3;");
  await types();
  // What was there is not cut off: another file takes its place.
  expect(await readFile(before, "utf8")).toBe(text);
  expect(await readFile(file, "utf8")).toContain("hotel-search");

  await writeFile(file, "");
  const { client } = newClient("modern");
  await client.connect(stdioTransport(workplace, ["--watch"]));
  await expect.poll(async () => readFile(file, "utf8"), { timeout: 20_000 }).toContain("hotel-search");
  await client.close();
});

test("serve writes no skills.d.ts where there is none", async () => {
  const { client } = newClient("modern");
  await client.connect(stdioTransport(workplace));
  await client.listTools();
  await client.close();
  await expect(stat(file)).rejects.toThrow("ENOENT");
});
