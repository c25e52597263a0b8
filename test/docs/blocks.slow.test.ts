import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { newClient, ROOT } from "../server/connected-client.ts";
import { QUERIES } from "../trace/documented-queries.ts";
import { type Block, blocksOf, PAGES } from "./pages.ts";

// A page is a script: its blocks are executed in their order, in a checkout of its own, in which they may write.
const run = promisify(execFile);
const CHECKOUT = ["bin", "src", "skills", "package.json", "mcp.config.json", "docs", "examples"];
const CLIENTS = join(ROOT, "examples/clients");
const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};
const clientFiles: readonly unknown[] = await Promise.all(
  (await readdir(CLIENTS)).map(
    async (file) => JSON.parse(await readFile(join(CLIENTS, file), "utf8")) as unknown,
  ),
);

// The library's page is of programs: `library.slow.test.ts` runs them with the package.
const COMMANDED = PAGES.filter(({ file }) => file !== "docs/library.md");

describe.each(COMMANDED.map((page) => [page.file, page] as const))("%s", (_, page) => {
  const blocks = blocksOf(page);
  let checkout: string;
  /** What the commands of the last shell block have printed. */
  let printed = "";

  const shownFile = (block: Block, place: string): void => {
    const following = blocks
      .slice(blocks.indexOf(block) + 1)
      .flatMap((each) => (each.language === "sh" ? commandsOf(each) : []));
    // A check that fails tells what is wrong with the skill. Where none does, nothing is.
    const failing = following.filter(({ command, exitCode }) => exitCode !== 0 && / check\b/.test(command));
    test(`${place}: a file of a skill that a command uses`, async () => {
      const skill = await writtenFile(block, checkout);
      const users = following.filter(({ command }) => command.includes(` ${skill}`));
      expect([...users, ...failing]).not.toEqual([]);
      if (failing.length === 0) expect(await findingsOf(skill, checkout)).toEqual([]);
    });
  };

  /** The tests that execute a block, by its kind. */
  const executors: Readonly<Record<string, (block: Block, place: string) => void>> = {
    sh: (block, place) => {
      for (const [index, { command, exitCode }] of commandsOf(block).entries()) {
        test(`${place}: ${command}`, async () => {
          const { code, stdout, stderr } = await executed(command, checkout);
          printed = `${index === 0 ? "" : printed}${stdout}\n${stderr}\n`;
          expect([code, stdout, stderr]).toEqual([exitCode, expect.stringMatching(/\S/), expect.any(String)]);
        });
      }
    },
    tree: (block, place) => {
      test(`${place}: files that are there`, () => {
        expect(missingFiles(block.text, checkout)).toEqual([]);
      });
    },
    text: (block, place) => {
      test(`${place}: what was printed`, () => {
        expect(block.text).toMatch(/\S/);
        expect([missingLines(block.text, printed), printed]).toEqual([[], printed]);
      });
    },
    client: (block, place) => {
      test(`${place}: a client's file`, async () => {
        const file = JSON.parse(block.text) as ClientFile;
        expect(clientFiles).toContainEqual(file);
        expect(await servedTools(file, checkout)).toContain("compound-formula");
      });
    },
    json: (block, place) => {
      test(`${place}: a configuration, with the default limits`, async () => {
        const file = join(checkout, "shown.config.json");
        await writeFile(file, block.text);
        const config = await readConfig({ file });
        const defaults = await readConfig({ cwd: join(checkout, "bin") });
        if (!config.ok || !defaults.ok) throw new Error(JSON.stringify([config, defaults]));
        expect(config.value.limits).toEqual(defaults.value.limits);
      });
    },
    ts: (block, place) => shownFile(block, place),
    yaml: (block, place) => shownFile(block, place),
    sql: (block, place) => {
      test(`${place}: a query that the tests of the stores ask`, () => {
        expect(QUERIES.map(({ sql }) => sql)).toContain(block.text);
      });
    },
    mermaid: (block, place) => {
      test(`${place}: a flowchart`, () => {
        expect(
          block.text
            .trimEnd()
            .split("\n")
            .filter((line) => !isOfFlowchart(line)),
        ).toEqual([]);
      });
    },
  };

  if (blocks.length > 0) {
    beforeAll(async () => {
      checkout = await mkdtemp(join(tmpdir(), "repertoire-docs-"));
      for (const part of CHECKOUT) await cp(join(ROOT, part), join(checkout, part), { recursive: true });
      await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
    });
    afterAll(async () => rm(checkout, { recursive: true, force: true, maxRetries: 5 }));
  }

  test("has no other blocks than those executed here", () => {
    const fences = [...page.text.matchAll(/^[ \t]*(?:```|~~~).*$/gm)].map(([fence]) => fence);
    expect(fences).toEqual(blocks.flatMap(({ info }) => [`\`\`\`${info}`, "```"]));
    expect(blocks.filter((block) => !(kindOf(block) in executors))).toEqual([]);
  });

  for (const block of blocks) executors[kindOf(block)]?.(block, `line ${block.line}`);
});

/** A block's language, or what is special among those of its language. */
function kindOf({ language, text }: Block): string {
  if (language === "text" && /^\S+\/\n/.test(text)) return "tree";
  return language === "json" && text.includes("bin/repertoire.js") ? "client" : language;
}

interface ShellCommand {
  readonly command: string;
  readonly exitCode: number;
}

/** The lines of a shell block; a comment `# exits with 1` tells another exit code than 0. */
function commandsOf({ text }: Block): readonly ShellCommand[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [, command = "", comment = ""] = /^(.*?)(?:\s+#(.*))?$/.exec(line) ?? [];
      return { command, exitCode: Number(/exits with (\d)/.exec(comment)?.[1] ?? 0) };
    });
}

interface Executed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Executes a command. Of npm only the script is looked up, of a client's command the server is started. */
async function executed(command: string, checkout: string): Promise<Executed> {
  const [, script] = /^npm ci && npm (?:run )?(\w+)$/.exec(command) ?? [];
  if (script !== undefined) {
    const text = scripts[script];
    return { code: text === undefined ? 1 : 0, stdout: text ?? "", stderr: "" };
  }
  const [, server] = /^claude mcp add --transport stdio repertoire -- (.*)$/.exec(command) ?? [];
  if (server !== undefined) {
    const [program = "", ...args] = server.split(" ");
    const tools = await servedTools({ mcpServers: { repertoire: { command: program, args } } }, checkout);
    return { code: 0, stdout: tools.join("\n"), stderr: "" };
  }
  if (!command.startsWith("node bin/repertoire.js "))
    throw new Error(`nothing here executes a command such as this: ${command}`);
  const node = `exec "${process.execPath}" --disable-warning=ExperimentalWarning`;
  return run("sh", ["-c", command.replace(/^node/, node)], { cwd: checkout }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as Executed,
  );
}

/** A tree of files: the folder in the first line holds what each other line begins with. Gives those that are not there. */
function missingFiles(tree: string, checkout: string): readonly string[] {
  const [folder = "", ...lines] = tree.trimEnd().split("\n");
  const paths = lines.map((line) => join(folder, line.trim().split(/\s+/)[0] ?? ""));
  return [folder, ...paths].filter((path) => !existsSync(join(checkout, path)));
}

/** The lines that were not printed, or not in this order. */
function missingLines(shown: string, printed: string): readonly string[] {
  const missing: string[] = [];
  let from = 0;
  for (const line of shown.split("\n").map((each) => each.trim())) {
    const found = printed.indexOf(line, from);
    if (found < 0) missing.push(line);
    else from = found + line.length;
  }
  return missing;
}

type ClientFile = Readonly<
  Record<string, Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>>
>;

/** Starts the server that a client's file names, with its paths replaced, and gives the names of its tools. */
async function servedTools(file: ClientFile, checkout: string): Promise<readonly string[]> {
  const server = Object.values(file)[0]?.["repertoire"];
  if (server?.command !== "node") throw new Error(`this names no server: ${JSON.stringify(file)}`);
  const args = server.args.map((arg) =>
    arg.replace("/path/to/repertoire", checkout).replace("/path/to/your", checkout),
  );
  const { client } = newClient("modern");
  try {
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: tmpdir(), stderr: "ignore" }),
    );
    const { tools } = await client.listTools();
    return tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

/** Writes the file of a skill that a block shows, and names in its first line; gives the skill's name. */
async function writtenFile({ text }: Block, checkout: string): Promise<string> {
  const [, path, skill = ""] = /^(?:\/\/|#) (skills\/([\w-]+)\/\S+)\n/.exec(text) ?? [];
  if (path === undefined) throw new Error("the first line names no file");
  const file = join(checkout, path);
  await mkdir(dirname(file), { recursive: true });
  const shown = existsSync(file) ? await readFile(file, "utf8") : undefined;
  await writeFile(file, text);
  const instructions = join(checkout, "skills", skill, "SKILL.md");
  // Of SKILL.md fields of its frontmatter are shown.
  if (file === instructions) {
    const before = shown ?? `---\nname: ${skill}\ndescription: Is shown on a page.\n---\n`;
    await writeFile(file, before.replace(/\n---\n/, `\n${text.trimEnd()}\n---\n`));
  } else if (!existsSync(instructions))
    await writeFile(instructions, `---\nname: ${skill}\ndescription: Is shown on a page.\n---\n`);
  return skill;
}

async function findingsOf(skill: string, checkout: string): Promise<readonly unknown[]> {
  const { stdout } = await executed("node bin/repertoire.js check --json", checkout);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly { readonly path: string }[] };
  return diagnostics.filter(({ path }) => path.includes(`skills/${skill}/`));
}

function isOfFlowchart(line: string): boolean {
  const node = String.raw`\w+(?:\["[^"]*"\]|\[\("[^"]*"\)\])?`;
  const edge = String.raw`(?:-->|<-->)(?:\|[^|]+\|)?`;
  return /^flowchart (?:LR|TD)$/.test(line) || new RegExp(`^  ${node} ${edge} ${node}$`).test(line);
}

test("every file in examples/clients is on a page", () => {
  const shown = PAGES.flatMap(blocksOf).flatMap(({ language, text }): unknown[] =>
    language === "json" ? [JSON.parse(text)] : [],
  );
  expect(clientFiles.length).toBeGreaterThan(2);
  for (const file of clientFiles) expect(shown).toContainEqual(file);
});

test("the project names no registry and no path of the machine it was made on", async () => {
  const files = (await run("git", ["ls-files"], { cwd: ROOT }).catch(() => ({ stdout: "" }))).stdout
    .split("\n")
    .filter((file) => file !== "" && !file.startsWith("package-lock"));
  for (const file of files) {
    const text = await readFile(join(ROOT, file), "utf8").catch(() => "");
    expect([
      file,
      text.includes(["registry", "npmjs", "org"].join(".")) || text.includes(["", "work", "main"].join("/")),
    ]).toEqual([file, false]);
  }
});
