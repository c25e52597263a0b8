import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse } from "yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { ERRORS } from "../src/core/error.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const readme = await readFile(join(ROOT, "README.md"), "utf8");
const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

const blocks = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
const ofLanguage = (language: string): readonly string[] =>
  blocks.filter((block) => block.language === language).map(({ text }) => text);

// A checkout of its own, so that commands of the page may write.
let checkout: string;
beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), "repertoire-readme-"));
  for (const part of ["bin", "src", "skills", "package.json", "mcp.config.json", "docs", "examples"]) {
    await cp(join(ROOT, part), join(checkout, part), { recursive: true });
  }
  await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
});
afterAll(async () => rm(checkout, { recursive: true, force: true }));

async function shell(command: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const node = `exec "${process.execPath}" --disable-warning=ExperimentalWarning`;
  return run("sh", ["-c", command.replace(/^node/, node)], { cwd: checkout });
}

const commands = ofLanguage("sh")
  .flatMap((text) => text.split("\n"))
  .map((line) => line.replace(/\s+#.*$/, "").trim())
  .filter((line) => line !== "");

describe("the README's commands", () => {
  test("are all of a kind that is tried here", () => {
    expect(
      commands.filter(
        (command) =>
          !/^(npm ci && npm (run \w+|test)$|node bin\/repertoire\.js |claude mcp add )/.test(command),
      ),
    ).toEqual([]);
  });

  test("name scripts that there are", () => {
    for (const command of commands) {
      for (const [, script = "test"] of command.matchAll(/npm (?:run (\w+)|test)/g))
        expect(manifest.scripts).toHaveProperty(script);
    }
  });

  test.each(commands.filter((command) => command.startsWith("node ")).map((command) => [command]))(
    "%s",
    async (command) => {
      const { stdout } = await shell(command);
      if (command.includes("compound-formula")) expect(stdout).toContain('"result": 26');
      if (command.includes("run word-count")) expect(stdout).toContain('"words": 6');
      expect(stdout).not.toBe("");
    },
  );
});

test("the README's skill checks clean and runs", async () => {
  const [code = ""] = ofLanguage("ts");
  const path = join(checkout, "skills/trip-price");
  await mkdir(path);
  await writeFile(join(path, "SKILL.md"), "---\nname: trip-price\ndescription: Prices a trip.\n---\n");
  await writeFile(join(path, "skill.ts"), code);
  const { stdout } = await shell("node bin/repertoire.js check --json");
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; severity: string }[] };
  // Some of the skills that come with it need servers which every user has to choose.
  expect(diagnostics.filter(({ code }) => code !== "tool-unserved")).toEqual([]);
  expect(diagnostics.map(({ severity }) => severity)).not.toContain("error");
  const input = JSON.stringify({ origin: "BER", destination: "Lisbon", nights: 3 });
  const ran = await shell(`node bin/repertoire.js run trip-price --json --input '${input}'`);
  expect(JSON.parse(ran.stdout)).toMatchObject({ root: { outcome: { output: { total: 300 } } } });
});

test("the README's cases pass", async () => {
  const [cases = ""] = ofLanguage("yaml");
  expect(parse(cases)).toHaveLength(2);
  await writeFile(join(checkout, "skills/compound-formula/tests.yaml"), cases);
  const { stdout } = await shell("node bin/repertoire.js test --skill compound-formula");
  expect(stdout).toContain("2 passed, 0 failed");
});

test("the README's configuration is valid and shows every setting with its default", async () => {
  const text = ofLanguage("json").find((block) => block.includes('"limits"')) ?? "";
  const file = join(checkout, "shown.config.json");
  await writeFile(file, text);
  const config = await readConfig({ file });
  const defaults = await readConfig({ cwd: join(checkout, "bin") });
  if (!config.ok || !defaults.ok) throw new Error(JSON.stringify([config, defaults]));
  expect(config.value.limits).toEqual(defaults.value.limits);
  for (const setting of Object.keys(JSON.parse(text) as object))
    expect(readme).toContain(`| \`${setting}\` |`);
});

test("the clients' files in the README are those in examples/clients, and name a server that starts", async () => {
  const shown = ofLanguage("json")
    .filter((block) => block.includes("bin/repertoire.js"))
    .map((block) => JSON.parse(block) as unknown);
  const folder = join(ROOT, "examples/clients");
  for (const file of await readdir(folder)) {
    const content: unknown = JSON.parse(await readFile(join(folder, file), "utf8"));
    expect(shown).toContainEqual(content);
  }
  expect(shown).toHaveLength(3);
});

test("every error code and every command is in the README", async () => {
  for (const [code, meaning] of Object.entries(ERRORS))
    expect(readme).toContain(`| \`${code}\` | ${meaning} |`);
  const { stdout } = await shell("node bin/repertoire.js --help");
  const listed = [...stdout.matchAll(/^ {2}([\w-]+) (?:\[|<|.*options)/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== "help");
  expect(listed.length).toBeGreaterThan(4);
  for (const command of listed) expect(readme).toContain(`| \`repertoire ${command}`);
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
