import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLI, ROOT, Workplace } from "../server/connected-client.ts";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function repertoire(cwd: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", CLI, ...args],
      { cwd },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      },
    ).stdin?.end();
  });
}

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.create({
    double: `export default ({ n }: { n: number }): number => n * 2`,
    quad: `export default async ({ n }: { n: number }): Promise<number> => {
  const twice: number = await call_skill("double", { n });
  return call_skill("double", { n: twice });
}`,
  });
});
afterAll(async () => workplace[Symbol.asyncDispose]());

describe("list", () => {
  test("--json prints each skill with its contract", async () => {
    const { code, stdout } = await repertoire(workplace.folder, "list", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        name: "double",
        description: "Does double.",
        kind: "code",
        path: join(workplace.skills, "double"),
        frontmatter: { name: "double", description: "Does double." },
        input: {
          type: "object",
          properties: { n: { type: "number" } },
          required: ["n"],
          additionalProperties: false,
        },
        output: { type: "number" },
      },
      { name: "quad" },
    ]);
  });

  test("takes folders as arguments", async () => {
    const { stdout } = await repertoire(workplace.folder, "list", join(ROOT, "skills"));
    expect(stdout).toContain("compound-formula");
    expect(stdout).not.toContain("quad");
  });

  test("fails for a folder that does not exist, and says which", async () => {
    const { code, stderr } = await repertoire(workplace.folder, "check", "nowhere");
    expect(code).toBe(1);
    expect(stderr).toContain("nowhere");
  });
});

describe("what is no sound skill", () => {
  const broken = {
    half: "export default (): number => ;",
    unfit: `export default (): number => "no";`,
  };

  test("is marked in the list, and run says what it is", async () => {
    await using place = await Workplace.create(broken);
    await mkdir(join(place.skills, "bare"));
    await writeFile(join(place.skills, "bare/skill.ts"), "export default (): number => 1;");
    expect((await repertoire(place.folder, "list")).stdout).toMatch(
      /^unfit .*\(has errors\) Does unfit\.\n$/,
    );
    const half = await repertoire(place.folder, "run", "half");
    expect(half.stderr).toContain('The skill "half" does not load, since its folder has errors');
    expect((await repertoire(place.folder, "run", "bare")).stderr).toContain(
      "no SKILL.md, so it is no skill",
    );
    const gone = await repertoire(place.folder, "run", "gone", "--confirm");
    expect(gone.stderr).toMatch(/^SKILL_NOT_FOUND/);
  });

  test("check finds cases that cannot be read", async () => {
    await using place = await Workplace.create({ one: "export default (): number => 1;" });
    await writeFile(join(place.skills, "one/tests.yaml"), "- output: 1\n  inputs: {}\n");
    const { code, stderr } = await repertoire(place.folder, "check");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /one.tests\.yaml:1:3 error case 1: there is no field "inputs".*\[cases-invalid\]/,
      ),
    ]);
  });

  test("an empty folder's list says how to make one", async () => {
    await using place = await Workplace.create({});
    const { code, stderr } = await repertoire(place.folder, "list");
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^No skills in .*new <name>" makes one/)]);
  });

  test("a graph is not written as what it is not", async () => {
    const { code, stderr } = await repertoire(workplace.folder, "graph", "-o", "graph.png");
    expect([code, stderr]).toEqual([2, expect.stringContaining("name the file .svg")]);
  });
});

describe("run", () => {
  test("shows the tree of calls with times, and the output", async () => {
    const { code, stdout } = await repertoire(workplace.folder, "run", "quad", "--input", '{"n": 3}');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^quad {2}[\d.]+ ms\n├─ double {2}[\d.]+ ms\n└─ double {2}[\d.]+ ms\n12\n$/);
  });

  test("--json prints the run", async () => {
    const { stdout } = await repertoire(workplace.folder, "run", "quad", "-i", '{"n": 3}', "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      root: { outcome: { ok: true, output: 12 }, calls: [{ callPath: "0.0" }, { callPath: "0.1" }] },
    });
  });

  test("takes the input from a file", async () => {
    await writeFile(join(workplace.folder, "input.json"), '{"n": 5}');
    expect((await repertoire(workplace.folder, "run", "double", "--input", "@input.json")).stdout).toContain(
      "10",
    );
  });

  test.each([
    ["wrong arguments", ["double", "--input", '{"m": 1}'], 1, 'lacks the required property "n"'],
    ["an unknown skill", ["doubel"], 1, 'Did you mean "double"?'],
    ["input that is no JSON", ["double", "--input", "{n}"], 2, "What --input gives is not JSON"],
  ])("tells of %s on stderr", async (_, args, code, message) => {
    const ended = await repertoire(workplace.folder, "run", ...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(message);
  });
});

describe("new", () => {
  test("writes a skill that checks, runs and passes its own cases", async () => {
    await using fresh = await Workplace.create();
    expect((await repertoire(fresh.folder, "new", "word-count")).code).toBe(0);
    expect(await repertoire(fresh.folder, "check", "--strict")).toMatchObject({
      code: 0,
      stdout: "1 skill, 0 errors, 0 warnings\n",
    });
    expect((await repertoire(fresh.folder, "test")).stdout).toContain("2 passed, 0 failed");
    expect((await repertoire(fresh.folder, "run", "word-count", "-i", '{"text":"a b"}')).stdout).toContain(
      '"words": 2',
    );
  });

  test("refuses a name that is none, and one that is taken", async () => {
    expect(await repertoire(workplace.folder, "new", "Word Count")).toMatchObject({ code: 2 });
    const before = await readFile(join(workplace.skills, "double/skill.ts"), "utf8");
    expect(await repertoire(workplace.folder, "new", "double")).toMatchObject({ code: 1 });
    expect(await readFile(join(workplace.skills, "double/skill.ts"), "utf8")).toBe(before);
  });
});

describe("test", () => {
  test("the skills that come with it pass their cases", async () => {
    const { code, stdout } = await repertoire(ROOT, "test", "--json");
    const results = JSON.parse(stdout) as { skill: string; ok: boolean }[];
    expect(code).toBe(0);
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(new Set(results.map(({ skill }) => skill)).size).toBeGreaterThanOrEqual(15);
  });

  test("nothing to test is no success: a folder or a skill that is not there", async () => {
    expect(await repertoire(workplace.folder, "test", "nowhere")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("test --skill nowhere") as string,
    });
    const typo = await repertoire(workplace.folder, "test", "--skill", "doubel");
    expect(typo.code).toBe(2);
    expect(typo.stderr).toContain('Did you mean "double"?');
  });

  test("a case that fails shows what was expected and what came", async () => {
    await using wrong = await Workplace.create({ one: `export default (): number => 1` });
    await writeFile(join(wrong.skills, "one/tests.yaml"), "- name: is two\n  output: 2\n");
    const { code, stdout, stderr } = await repertoire(wrong.folder, "test");
    expect([code, stdout]).toEqual([1, "0 passed, 1 failed\n"]);
    expect(stderr).toContain("expected 2, got 1");
  });

  test("a case whose output is large shows the lines that differ, whatever the order of keys", async () => {
    const code = `export default (): object => ({ b: [1, 2, 3], a: { y: "new", x: 1 }, z: "1".repeat(9) })`;
    await using wrong = await Workplace.create({ one: code });
    const output = `{ a: { x: 1, y: "old" }, b: [1, 2, 3], z: "111111111" }`;
    await writeFile(join(wrong.skills, "one/tests.yaml"), `- name: is old\n  output: ${output}\n`);
    const { stderr } = await repertoire(wrong.folder, "test");
    expect(stderr).toMatch(/- expected, \+ given\n\s+@@ -1,7 \+1,7 @@\n/);
    expect(stderr.match(/^\s+[-+] {2,}.*$/gm)?.map((line) => line.trim())).toEqual([
      '-    "y": "old"',
      '+    "y": "new"',
    ]);
  });

  test("with a name only that skill's findings are shown, and count", async () => {
    const broken = "export default (): number => nothing;";
    await using mixed = await Workplace.create({ one: `export default (): number => 1`, other: broken });
    await writeFile(join(mixed.skills, "one/tests.yaml"), "- name: is one\n  output: 1\n");
    expect(await repertoire(mixed.folder, "test", "--skill", "one")).toMatchObject({ code: 0, stderr: "" });
    const all = await repertoire(mixed.folder, "test");
    expect([all.code, all.stderr]).toEqual([1, expect.stringContaining("'nothing'")]);
    const other = await repertoire(mixed.folder, "test", "--skill", "other");
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("'nothing'")]);
  });

  test("a file of cases with a mistake is told with its place", async () => {
    await using wrong = await Workplace.create({ one: `export default (): number => 1` });
    await writeFile(join(wrong.skills, "one/tests.yaml"), "- name: nothing expected\n  inptu: {}\n");
    const { code, stderr } = await repertoire(wrong.folder, "test");
    expect(code).toBe(1);
    expect(stderr).toMatch(/tests\.yaml:1:3: .*inptu/);
  });
});

describe("bad skills", () => {
  test("each is told with its place, and the good one still loads", async () => {
    await using mixed = await Workplace.create({
      good: `export default (): number => 1`,
      "no-default": `export const x = 1;`,
      syntax: `export default (): number => {`,
      inexpressible: `export default ({ when }: { when: Date }): number => 1`,
    });
    await writeFile(join(mixed.skills, "good/tests.yaml"), "[]");
    await mixed.write("yaml", `export default () => 1`);
    await writeFile(join(mixed.skills, "yaml/SKILL.md"), "---\nname: yaml\n  - [broken\n---\n");
    await mixed.write("disagrees", `export default ({ n }: { n: number }): number => n`);
    await writeFile(
      join(mixed.skills, "disagrees/SKILL.md"),
      "---\nname: disagrees\ndescription: d\ninputs:\n  - name: m\n    type: string\n---\n",
    );
    const { code, stdout } = await repertoire(mixed.folder, "check", "--json");
    const { skills, diagnostics } = JSON.parse(stdout) as {
      skills: { name: string }[];
      diagnostics: {
        code: string;
        severity: string;
        path: string;
        line: number;
        column: number;
        message: string;
        fix: string;
      }[];
    };
    expect(code).toBe(1);
    expect(skills.map(({ name }) => name)).toEqual(["good"]);
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    const byFolder = new Map(errors.map((each) => [each.path.split("/").at(-2), each]));
    expect(byFolder.get("no-default")).toMatchObject({ code: "code-no-default" });
    expect(byFolder.get("syntax")).toMatchObject({ code: "code-syntax", line: 1 });
    expect(byFolder.get("inexpressible")).toMatchObject({ code: "type-inexpressible", line: 1, column: 29 });
    expect(byFolder.get("yaml")?.code).toMatch(/^(yaml-invalid|description-missing)$/);
    expect(byFolder.get("disagrees")).toMatchObject({ code: "contract-disagrees" });
    for (const { line, column, message, fix } of errors) {
      expect(line).toBeGreaterThan(0);
      expect(column).toBeGreaterThan(0);
      expect(message).not.toBe("");
      expect(fix).not.toBe("");
    }
  });

  test("a circle of calls is an error of check, and the skills are still there to be called", async () => {
    await using circle = await Workplace.create({
      ping: `export default async (): Promise<unknown> => call_skill("pong")`,
      pong: `export default async (): Promise<unknown> => call_skill("ping")`,
    });
    const { code, stdout } = await repertoire(circle.folder, "check", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      skills: [{ name: "ping" }, { name: "pong" }],
      diagnostics: [
        { code: "call-cycle", message: "Circular dependency detected: ping -> pong -> ping", line: 1 },
      ],
    });
  });
});

describe("usage", () => {
  test("a configuration with a typo ends every command with code 2 and a suggestion", async () => {
    await using wrong = await Workplace.create({}, { skils: "x" });
    for (const command of ["list", "check", "serve", "test"]) {
      const { code, stdout, stderr } = await repertoire(wrong.folder, command);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain('Did you mean "skills"?');
    }
  });

  test("an unknown command or option ends with code 2", async () => {
    expect(await repertoire(workplace.folder, "lits")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("list") as string,
    });
    expect((await repertoire(workplace.folder, "list", "--jsn")).code).toBe(2);
  });

  test.each(["serve", "list", "check", "run", "test", "new"])(
    "%s --help shows an example",
    async (command) => {
      const { code, stdout } = await repertoire(workplace.folder, command, "--help");
      expect(code).toBe(0);
      expect(stdout).toContain(`bin/repertoire.js ${command}`);
    },
  );
});

test.each([
  ["list"],
  ["list --json"],
  ["check --format json"],
  ["run double --input '{\"n\": 2}' --json"],
  ["traces ls"],
  ["--help"],
])("%s ends quietly when whoever reads it has gone", async (args) => {
  const script = `{ "${process.execPath}" "${join(ROOT, "bin/repertoire.js")}" ${args}; echo "code $?" >&2; } | true`;
  const ended = await new Promise<string>((resolve) => {
    execFile("sh", ["-c", script], { cwd: workplace.folder }, (_error, _stdout, stderr) => resolve(stderr));
  });
  expect(ended).toBe("code 0\n");
});

describe("in a checkout, on a Node that is too old", () => {
  const old = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "node"))
    .find((node) => existsSync(node) && majorOf(node) < 22);

  test.skipIf(old === undefined)(
    "what the configuration starts with node has the checkout's Node",
    async () => {
      const server = join(ROOT, "examples/shop-server.ts");
      const config = { mcpServers: { shop: { command: "node", args: [server] } } };
      await writeFile(join(workplace.folder, "mcp.config.json"), JSON.stringify(config));
      const ended = await new Promise<string>((resolve) => {
        const env = { ...process.env, PATH: `${dirname(old ?? "")}${delimiter}${process.env["PATH"] ?? ""}` };
        execFile(
          old ?? "",
          [join(ROOT, "bin/repertoire.js"), "upstream", "shop"],
          { cwd: workplace.folder, env },
          (_error, stdout) => resolve(stdout),
        ).stdin?.end();
      });
      expect(ended).toContain("find_customer");
    },
  );
});

function majorOf(node: string): number {
  return Number.parseInt(execFileSync(node, ["--version"], { encoding: "utf8" }).slice(1), 10);
}
