import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkoutIn, packed, projectWith } from "./installed-package.ts";
import { newClient, ROOT, textOf } from "./server/connected-client.ts";

const run = promisify(execFile);
const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
  version: string;
  engines: { node: string };
};
const MINIMUM = `${manifest.engines.node.replace(">=", "")}.0`;

interface Installed {
  readonly folder: string;
  /** What `npm pack` has put in. */
  readonly files: readonly string[];
  /** The folder of each Node's program. */
  readonly nodes: ReadonlyMap<string, string>;
}

// A checkout of its own, in which a newcomer has been at work, is packed; the package is installed elsewhere.
const SLOW = { timeout: 240_000 };
let place: string;
let checkout: string;
let installed: Installed;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "repertoire-package-"));
  checkout = await checkoutIn(place);
  await mkdir(join(checkout, "skills/of-mine"));
  await writeFile(
    join(checkout, "skills/of-mine/SKILL.md"),
    "---\nname: of-mine\ndescription: Is not for others.\n---\n",
  );
  const { file, files } = await packed(checkout, place);
  const folder = await projectWith(join(place, "project"), file);
  const nodes = new Map([["24", dirname(process.execPath)]]);
  for (const version of ["22", MINIMUM]) {
    const own = await projectWith(join(place, `node-${version}`), `node@${version}`);
    nodes.set(version, join(own, "node_modules/node/bin"));
  }
  installed = { folder, files, nodes };
}, SLOW.timeout);
afterAll(async () => rm(place, { recursive: true, force: true, maxRetries: 5 }));

test("in a checkout the source runs, whatever was built before", async () => {
  const built = join(checkout, "dist/cli.js");
  expect(await readFile(built, "utf8")).not.toBe("");
  await writeFile(built, 'console.log("built before");');
  const { stdout } = await run(process.execPath, [join(checkout, "bin/repertoire.js"), "--version"]);
  expect(stdout).toBe(`${manifest.version}\n`);
});

test("the package holds the skills that belong to the product, and nothing that lies beside them", async () => {
  const tracked = await run("git", ["ls-files", "skills"], { cwd: ROOT });
  const packed = installed.files.filter((path) => path.startsWith("skills/"));
  expect(packed.toSorted()).toEqual(tracked.stdout.trim().split("\n").toSorted());
});

describe.each(["22", MINIMUM, "24"])("on Node %s the installed package", (version) => {
  const environment = (): Record<string, string> => ({
    ...getDefaultEnvironment(),
    PATH: [installed.nodes.get(version), process.env["PATH"]].join(delimiter),
    XDG_DATA_HOME: join(place, `data-${version}`),
  });
  const program = (): string => join(installed.folder, "node_modules/.bin/repertoire");
  const repertoire = async (...args: readonly string[]) =>
    run(program(), args, { cwd: work(), env: environment() });
  const work = (): string => join(place, `work-${version}`);
  beforeAll(async () => mkdir(work()));

  test("parses in every file", async () => {
    const dist = join(installed.folder, "node_modules/repertoire/dist");
    const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith(".js"));
    expect(files).toContain("cli.js");
    const compile = `
      import { readFileSync } from "node:fs";
      import { SourceTextModule } from "node:vm";
      for (const file of process.argv.slice(1)) {
        try { new SourceTextModule(readFileSync(file, "utf8")); }
        catch (error) { console.log(file + ": " + error.message); }
      }`;
    const { stdout } = await run(
      "node",
      ["--experimental-vm-modules", "--input-type=module", "-e", compile, "--", ...files],
      { cwd: dist, env: environment() },
    );
    expect(stdout).toBe("");
  });

  test("loads little before it serves, and nothing that it does not use", SLOW, async () => {
    const told = join(work(), "loaded.txt");
    const hook = join(work(), "hook.mjs");
    await writeFile(
      hook,
      `import { appendFileSync } from "node:fs";
      import { registerHooks } from "node:module";
      import { isMainThread } from "node:worker_threads";
      const load = (url, context, next) => {
        if (!url.startsWith("node:")) appendFileSync(${JSON.stringify(told)}, url + "\\n");
        return next(url, context);
      };
      if (isMainThread) registerHooks({ load });`,
    );
    const { client } = newClient("modern");
    await client.connect(
      new StdioClientTransport({
        command: "node",
        args: [
          "--import",
          hook,
          await realpath(program()),
          "serve",
          join(installed.folder, "node_modules/repertoire/skills"),
        ],
        cwd: work(),
        env: environment(),
        stderr: "ignore",
      }),
    );
    try {
      await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
    } finally {
      await client.close();
    }
    const loaded = [...new Set((await readFile(told, "utf8")).trim().split("\n"))];
    expect(loaded.some((url) => url.endsWith("/dist/cli.js"))).toBe(true);
    expect(loaded.length).toBeLessThan(70);
    const parts = loaded.map(
      (url) => /\/node_modules\/repertoire\/.*|(?<=\/node_modules\/).*/.exec(url)?.[0] ?? url,
    );
    expect(parts.filter((part) => /^(?:elkjs|openai|pg|re2js|typescript)\//.test(part))).toEqual([]);
  });

  test("tells positions in the source where something is wrong in itself", SLOW, async () => {
    const fault = join(work(), "fault.mjs");
    await writeFile(fault, `process.cwd = () => { throw new Error("no folder"); };`);
    const failed = await run("node", ["--import", fault, await realpath(program()), "list"], {
      cwd: work(),
      env: environment(),
    }).catch((error: { stderr: string }) => error);
    const line = /command-line\.ts:(\d+):\d+\)/.exec(failed.stderr)?.[1];
    const source = await readFile(join(ROOT, "src/core/text/command-line.ts"), "utf8");
    expect(source.split("\n")[Number(line) - 1]).toContain("process.cwd()");
  });

  test("runs every kind of command, and says nothing that is not about the skills", SLOW, async () => {
    expect(await repertoire("--version")).toEqual({ stdout: `${manifest.version}\n`, stderr: "" });
    expect(await repertoire("new", "word-count")).toMatchObject({ stderr: "" });
    expect(await repertoire("list")).toMatchObject({
      stdout: expect.stringMatching(/^word-count .*Counts the words/) as string,
      stderr: "",
    });
    expect(await repertoire("check")).toMatchObject({
      stdout: "1 skill, 0 errors, 0 warnings\n",
      stderr: "",
    });
    expect(await repertoire("test")).toMatchObject({
      stdout: expect.stringContaining("2 passed, 0 failed\n") as string,
      stderr: "",
    });
    const ran = await repertoire("run", "word-count", "--input", '{"text": "to be or not"}');
    expect(ran).toMatchObject({ stdout: expect.stringContaining('"words": 4') as string, stderr: "" });
    const listed = await repertoire("traces", "ls");
    expect(listed).toMatchObject({ stdout: expect.stringContaining("word-count") as string, stderr: "" });
    const own = relative(work(), join(installed.folder, "node_modules/repertoire/skills"));
    const checked = await repertoire("check", own);
    expect(checked.stdout).toBe("33 skills, 0 errors, 0 warnings\n");
  });

  test("serves a client", SLOW, async () => {
    const { client } = newClient("modern");
    const transport = new StdioClientTransport({
      command: program(),
      args: ["serve", join(installed.folder, "node_modules/repertoire/skills")],
      cwd: work(),
      env: environment(),
      stderr: "pipe",
    });
    let stderr = "";
    transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    await client.connect(transport);
    try {
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain("compound-formula");
      const { structuredContent } = await client.callTool({
        name: "compound-formula",
        arguments: { x: 5, y: 3, z: 7 },
      });
      expect(structuredContent).toEqual({ result: 26 });
      await expect
        .poll(async () => textOf(await client.callTool({ name: "list_runs", arguments: {} })), {
          timeout: 20_000,
        })
        .toContain("compound-formula");
    } finally {
      await client.close();
    }
    expect(stderr).toBe("");
  });
});
