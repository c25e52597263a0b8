import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CLI, ROOT, Workplace } from "../server/connected-client.ts";

// Each test starts several processes.
vi.setConfig({ testTimeout: 90_000 });

const run = promisify(execFile);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function repertoire(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", CLI, ...args],
      { cwd, env: { ...process.env, NO_COLOR: "1", ...env } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ).stdin?.end();
  });
}

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const given = ["user.name=Test", "user.email=test@example.org", "commit.gpgsign=false"];
  const { stdout } = await run("git", [...given.flatMap((each) => ["-c", each]), ...args], { cwd });
  return stdout;
}

async function commit(cwd: string, message = "change"): Promise<void> {
  await git(cwd, "add", "-A");
  await git(cwd, "commit", "-q", "--allow-empty", "-m", message);
}

/** What tests share, so that nothing is compiled twice. */
let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "repertoire-data-"));
});
afterAll(async () => rm(data, { recursive: true }));

async function workplace(skills: Readonly<Record<string, string>>, config: object = {}): Promise<Workplace> {
  return Workplace.create(skills, { data, ...config });
}

async function repository(skills: Readonly<Record<string, string>>, config: object = {}): Promise<Workplace> {
  const made = await workplace(skills, config);
  await git(made.folder, "init", "-q", "-b", "main");
  await commit(made.folder, "first");
  return made;
}

async function changesOf(cwd: string, ...args: readonly string[]): Promise<Changes> {
  const { stdout } = await repertoire(cwd, ["check", "--json", ...args]);
  return (JSON.parse(stdout) as { readonly changes: Changes }).changes;
}

interface Changes {
  readonly step: string;
  readonly version?: object;
  readonly skills: readonly { readonly name: string; readonly kind: string }[];
}

const kindsOf = ({ skills }: Changes): readonly string[] => skills.map(({ name, kind }) => `${name} ${kind}`);

const SEARCH = `export default ({ from, to }: { from: string; to: string }): { price: number } =>
  ({ price: from.length * to.length });`;
const SEARCH_WITH_CABIN = `export default ({ from, to }: { from: string; to: string; cabin: "eco" | "first" }): { price: number } =>
  ({ price: from.length * to.length });`;
const PLAN = `export default async ({ to }: { to: string }): Promise<number> =>
  (await call_skill("flight-search", { from: "LHR", to })).price;`;
const ADAPTED = `export default async (): Promise<number> =>
  (await call_skill("flight-search", { from: "LHR", to: "NRT", cabin: "eco" })).price;`;
const ONE = "export default (): number => 1;";

describe("check --against a commit", () => {
  test("tells what breaks, whom, and the next version", async () => {
    await using place = await repository({
      "flight-search": SEARCH,
      "trip-plan": PLAN,
      "gone-soon": ONE,
      one: ONE,
      same: ONE,
    });
    await writeFile(join(place.folder, "package.json"), JSON.stringify({ version: "1.4.2" }));
    await commit(place.folder);
    await place.write("flight-search", SEARCH_WITH_CABIN);
    await place.write("daily", ADAPTED);
    await place.write("one", `${ONE} // one`);
    await place.remove("gone-soon");
    const { code, stdout, stderr } = await repertoire(place.folder, ["check", "--against", "HEAD"]);
    expect(code).toBe(1);
    expect(stderr).toContain("[call-type]");
    expect(stdout).toBe(`5 skills, 1 error, 0 warnings
major  flight-search  input: \`cabin\` is required now
                        was valid, is not any more: {"from":"text","to":"text"}
                      callers: daily (checks), trip-plan (does not check any more)
major  gone-soon      removed
minor  daily          added
patch  one            the same contract; its code or text has changed
2 skills are as they were
The next version is major: 1.4.2 → 2.0.0
`);
  });

  test("--json has the changes by name, and of each caller whether it checks", async () => {
    await using place = await repository({ "flight-search": SEARCH, "trip-plan": PLAN });
    await place.write("flight-search", SEARCH_WITH_CABIN);
    expect(await changesOf(place.folder, "--against", "main")).toEqual({
      step: "major",
      skills: [
        {
          kind: "changed",
          name: "flight-search",
          step: "major",
          differences: [
            {
              side: "input",
              effect: "breaking",
              why: "`cabin` is required now",
              path: "cabin",
              counterexample: { from: "text", to: "text" },
            },
          ],
          callers: [{ name: "trip-plan", checks: false }],
        },
        { kind: "same", name: "trip-plan", step: "none" },
      ],
    });
  });

  test("finds nothing in a clone that nobody has touched, workflow documents with their files included", async () => {
    await using place = await repository({ one: ONE });
    const skills = join(place.folder, "skills");
    const task = { task_id: "t", type: "code_execution_task", language: "javascript", file: "parts/t.js" };
    const document = (name: string, tasks: readonly object[]): string =>
      JSON.stringify({
        skill_schema_version: "1.0",
        skill: { metadata: { name, description: "It." }, workflow: { tasks } },
      });
    await mkdir(join(skills, "doc/parts"), { recursive: true });
    await writeFile(join(skills, "doc/SKILL.md"), "---\nname: doc\ndescription: It.\n---\n");
    await writeFile(join(skills, "doc/workflow.json"), document("doc", [task]));
    await writeFile(join(skills, "doc/parts/t.js"), "export default () => ({});\n");
    const call = { task_id: "t", type: "tool_call_task", tools: [{ name: "a.b" }] };
    await writeFile(join(skills, "single.skill.json"), document("single", [call]));
    await commit(place.folder);
    const untouched = await changesOf(place.folder, "--against", "HEAD");
    expect(kindsOf(untouched)).toEqual(["doc same", "one same", "single same"]);
    await rm(join(skills, "doc"), { recursive: true });
    await rm(join(skills, "single.skill.json"));
    const gone = await changesOf(place.folder, "--against", "HEAD");
    expect(kindsOf(gone)).toEqual(["doc removed", "one same", "single removed"]);
  });

  test("leaves work tree, index and temporary folders as they are", async () => {
    await using place = await repository({ one: ONE, two: ONE });
    await using temporary = await workplace({});
    await place.write("one", "export default (): number => 2;");
    await place.write("staged", ONE);
    await git(place.folder, "add", "skills/staged");
    const state = async (): Promise<readonly unknown[]> => [
      await git(place.folder, "status", "--porcelain"),
      await readFile(join(place.folder, ".git/index")),
      await readdir(temporary.skills),
    ];
    const before = await state();
    const env = { TMPDIR: temporary.skills, TMP: temporary.skills, TEMP: temporary.skills };
    const { stdout } = await repertoire(place.folder, ["check", "--against", "HEAD"], env);
    expect(stdout).toContain("added");
    expect(await state()).toEqual(before);
  });

  test("takes every name that git has for a commit, also where a hook was started for another index", async () => {
    await using place = await repository({ one: ONE });
    await git(place.folder, "tag", "-m", "first", "v1");
    const first = (await git(place.folder, "rev-parse", "HEAD")).trim();
    await place.write("two", ONE);
    await commit(place.folder);
    for (const ref of ["v1", "HEAD~1", first.slice(0, 10), "main^"])
      expect(kindsOf(await changesOf(place.folder, "--against", ref))).toEqual(["one same", "two added"]);
    const env = { GIT_DIR: "/nowhere", GIT_INDEX_FILE: "/nowhere/index", GIT_WORK_TREE: "/nowhere" };
    const { stdout } = await repertoire(place.folder, ["check", "--against", "v1"], env);
    expect(stdout).toContain("minor  two  added\n1 skill is as it was\nThe next version is minor\n");
  });

  test("keeps roots with the same name, odd folder names and the repository itself as a root apart", async () => {
    await using place = await repository({}, { skills: ["a/skills", "b/skills"] });
    const write = async (folder: string, name: string): Promise<void> => {
      await mkdir(join(place.folder, folder), { recursive: true });
      await writeFile(join(place.folder, folder, "SKILL.md"), `---\nname: ${name}\ndescription: d\n---\n`);
      await writeFile(join(place.folder, folder, "skill.ts"), ONE);
    };
    await write("a/skills/one", "one");
    await write("b/skills/two", "two");
    await write("b/skills/größer *[x]", "three");
    await commit(place.folder);
    await rm(join(place.folder, "b/skills/two"), { recursive: true });
    expect(kindsOf(await changesOf(place.folder, "--against", "HEAD"))).toEqual([
      "one same",
      "three same",
      "two removed",
    ]);
    expect(kindsOf(await changesOf(place.folder, "--against", "HEAD", "."))).toEqual([
      "one same",
      "three same",
      "two removed",
    ]);
    expect(kindsOf(await changesOf(place.folder, "--against", "HEAD", "a/skills/one"))).toEqual(["one same"]);
  });

  test("a root that was not there then has only new skills", async () => {
    await using place = await repository({});
    await place.write("one", ONE);
    const { code, stdout } = await repertoire(place.folder, ["check", "--against", "HEAD"]);
    expect([code, stdout]).toEqual([
      0,
      "1 skill, 0 errors, 0 warnings\nminor  one  added\nThe next version is minor\n",
    ]);
  });

  test("a root that is not there any more has lost its skills", async () => {
    await using place = await repository({ one: ONE });
    await rm(place.skills, { recursive: true });
    expect(kindsOf(await changesOf(place.folder, "--against", "HEAD"))).toEqual(["one removed"]);
  });

  test("symbolic links and submodules are not followed, and that is said", async () => {
    await using place = await repository({ one: ONE });
    await mkdir(join(place.folder, "elsewhere"));
    await place.write("../elsewhere/linked", ONE);
    await writeFile(
      join(place.folder, "elsewhere/linked/SKILL.md"),
      "---\nname: linked\ndescription: d\n---\n",
    );
    await symlink("../elsewhere/linked", join(place.skills, "linked"));
    await git(place.folder, "add", "-A");
    const head = (await git(place.folder, "rev-parse", "HEAD")).trim();
    await git(place.folder, "update-index", "--add", "--cacheinfo", `160000,${head},skills/module`);
    await git(place.folder, "commit", "-q", "-m", "links");
    const { stdout, stderr } = await repertoire(place.folder, ["check", "--against", "HEAD"]);
    expect(stdout).toContain("minor  linked  added");
    expect(stderr).toContain("2 symbolic links and submodules of HEAD are not followed");
  });

  test("a skill that is broken now is told as one", async () => {
    await using place = await repository({ one: ONE, two: ONE });
    await place.write("one", "export const x = 1;");
    const { code, stdout } = await repertoire(place.folder, ["check", "--against", "HEAD"]);
    expect(code).toBe(1);
    expect(stdout).toContain("major  one  broken now: nobody can say what it takes and gives\n");
  });

  test("nothing changed needs no version", async () => {
    await using place = await repository({ one: ONE });
    const { code, stdout } = await repertoire(place.folder, [
      "check",
      "--against",
      "HEAD",
      "--fail-on",
      "patch",
    ]);
    expect([code, stdout]).toEqual([
      0,
      "1 skill, 0 errors, 0 warnings\n1 skill is as it was\nNothing has changed: no new version is needed\n",
    ]);
  });

  test("--fail-on exits with 1 from its step on", async () => {
    await using place = await repository({ one: "export default ({ n }: { n: number }): number => n;" });
    await place.write("one", "export default ({ n = 1 }: { n?: number }): number => n;");
    const codes: number[] = [];
    for (const step of ["major", "minor", "patch"])
      codes.push((await repertoire(place.folder, ["check", "--against", "HEAD", "--fail-on", step])).code);
    expect(codes).toEqual([0, 1, 1]);
  });

  test("without --fail-on breaking changes alone are no failure", async () => {
    await using place = await repository({ one: "export default ({ n }: { n: number }): number => n;" });
    await place.write("one", "export default ({ m }: { m: number }): number => m;");
    const { code, stdout } = await repertoire(place.folder, ["check", "--against", "HEAD"]);
    expect(code).toBe(0);
    expect(stdout).toContain("The next version is major\n");
  });

  test("a skill's own version comes from its frontmatter or its package.json, and may go far enough already", async () => {
    await using place = await repository({
      one: "export default (): number => 1;",
      two: "export default (): string => '';",
    });
    const versions = async (one: string, two: string): Promise<void> => {
      const markdown = `---\nname: one\ndescription: d\nmetadata:\n  version: ${one}\n---\n`;
      await writeFile(join(place.skills, "one/SKILL.md"), markdown);
      await writeFile(join(place.skills, "two/package.json"), JSON.stringify({ version: two }));
    };
    await versions("1.0.0", "0.2.0");
    await commit(place.folder);
    await place.write("one", "export default (): string => '';");
    await place.write("two", "export default (): number => 1;");
    await versions("2.0.0", "0.2.0");
    const { stdout } = await repertoire(place.folder, ["check", "--against", "HEAD"]);
    expect(stdout).toContain("its next version: 2.0.0 or later, which it is already (1.0.0 before)\n");
    expect(stdout).toContain("its next version: 0.2.0 → 0.3.0\n");
  });

  test("with --format sarif the log is on stdout and the changes are on stderr", async () => {
    await using place = await repository({ "flight-search": SEARCH, "trip-plan": PLAN });
    await place.write("flight-search", SEARCH_WITH_CABIN);
    const { code, stdout, stderr } = await repertoire(place.folder, [
      "check",
      "--against",
      "HEAD",
      "--format",
      "sarif",
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      version: "2.1.0",
      runs: [{ results: [{ ruleId: "call-type", level: "error" }] }],
    });
    expect(stderr).toContain("The next version is major\n");
  });
});

describe("check --save", () => {
  test("writes what --against reads, without git", async () => {
    await using place = await workplace({ "flight-search": SEARCH, "trip-plan": PLAN });
    const saved = await repertoire(place.folder, ["check", "--save", "contracts.json"]);
    expect(saved).toMatchObject({ code: 0, stderr: "Wrote the contracts of 2 skills to contracts.json\n" });
    const text = await readFile(join(place.folder, "contracts.json"), "utf8");
    expect(JSON.parse(text)).toMatchObject({
      format: 1,
      skills: [
        { name: "flight-search", calls: [], operation: "TRANSFORM", level: 1, kind: "code" },
        { name: "trip-plan", calls: ["flight-search"], level: 2 },
      ],
    });
    expect((await changesOf(place.folder, "--against", "contracts.json")).step).toBe("none");

    await place.write("flight-search", SEARCH_WITH_CABIN);
    const against = ["--against", "contracts.json", "--save", "contracts.json"];
    expect((await changesOf(place.folder, ...against)).step).toBe("major");
    expect((await changesOf(place.folder, ...against)).step).toBe("none");
  });

  test("tells where it cannot write", async () => {
    await using place = await workplace({ one: ONE });
    const { code, stderr } = await repertoire(place.folder, ["check", "--save", "no/such/folder.json"]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "The contracts cannot be written to no/such/folder.json: there is no such file or folder",
    );
  });
});

describe("check --against what is not there", () => {
  let place: Workplace;
  beforeAll(async () => {
    place = await repository({ one: ONE });
    await writeFile(join(place.folder, "broken.json"), "{");
    await writeFile(join(place.folder, "other.json"), '{"format": 1, "skills": [{"name": "one"}]}');
  });
  afterAll(async () => place[Symbol.asyncDispose]());

  test.each([
    ["an unknown ref", ["nope"], "GIT_FAILED", '"nope" is no file, and no commit of'],
    ["what looks like an option", ["--all"], "GIT_FAILED", '"--all" is no file, and no commit of'],
    ["a file that is no JSON", ["broken.json"], "SNAPSHOT_INVALID", "broken.json holds no saved contracts: "],
    ["another file", ["other.json"], "SNAPSHOT_INVALID", '"skills[0].kind": '],
  ])("%s", async (_, [against = ""], errorCode, message) => {
    const { code, stdout, stderr } = await repertoire(place.folder, ["check", `--against=${against}`]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(new RegExp(`^${errorCode}: `));
    expect(stderr).toContain(message);
  });

  test("a folder without a repository", async () => {
    await using plain = await workplace({ one: ONE });
    const { code, stdout, stderr } = await repertoire(plain.folder, ["check", "--against", "HEAD", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "GIT_FAILED" } });
    expect(stderr).toMatch(/"HEAD" is no file, and git knows no history of .*: not a git repository/);
  });

  test("a root in another repository, or in none", async () => {
    await using other = await repository({ two: ONE });
    await using plain = await workplace({ three: ONE });
    for (const { skills } of [other, plain]) {
      const { code, stderr } = await repertoire(place.folder, [
        "check",
        "skills",
        skills,
        "--against",
        "HEAD",
      ]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^GIT_FAILED: .*(?:is not in the repository|git knows no history of)/);
    }
  });

  test("git that is not installed", async () => {
    const { code, stderr } = await repertoire(place.folder, ["check", "--against", "HEAD"], {
      PATH: [dirname(process.execPath), place.folder].join(delimiter),
    });
    expect(code).toBe(2);
    expect(stderr).toContain("git is not installed, or not in the PATH");
  });

  test("a file wins over a ref of the same name", async () => {
    await writeFile(join(place.folder, "main"), "{}");
    const { stderr } = await repertoire(place.folder, ["check", "--against", "main"]);
    await rm(join(place.folder, "main"));
    expect(stderr).toMatch(/^SNAPSHOT_INVALID/);
  });

  test("--fail-on without --against is a mistake", async () => {
    const { code, stderr } = await repertoire(place.folder, ["check", "--fail-on", "major"]);
    expect(code).toBe(2);
    expect(stderr).toContain("needs '--against <ref or file>'");
  });
});

describe("typecheck", () => {
  test("passes where everything fits, and with -v shows contracts and calls", async () => {
    await using place = await workplace({ "flight-search": SEARCH, "trip-plan": PLAN });
    expect(await repertoire(place.folder, ["typecheck"])).toEqual({
      code: 0,
      stdout: "Type check passed: 2 skills, 1 of which calls others\n",
      stderr: "",
    });
    const { stdout } = await repertoire(place.folder, ["typecheck", "-v"]);
    expect(stdout).toBe(`flight-search: { from: string; to: string } → { price: number }

trip-plan: { to: string } → number
  calls flight-search (skill.ts:2:21)

Type check passed: 2 skills, 1 of which calls others
`);
  });

  test("tells what does not fit, and nothing but that", async () => {
    await using place = await workplace({
      "flight-search": SEARCH_WITH_CABIN,
      "trip-plan": PLAN,
      "bad-name": ONE,
    });
    await writeFile(join(place.skills, "bad-name/SKILL.md"), "---\nname: Bad Name\ndescription: d\n---\n");
    const { code, stdout, stderr } = await repertoire(place.folder, ["typecheck"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^skills.trip-plan.skill\.ts:2:\d+ error .*\[call-type\]\n/);
    expect(stderr).toMatch(/\nType check failed: 1 error in 1 file\n$/);
    expect(stderr).not.toContain("name-invalid");
  });

  test("--json tells whether it has passed, contracts, calls and findings", async () => {
    await using place = await workplace({ "flight-search": SEARCH, "trip-plan": PLAN });
    const { code, stdout } = await repertoire(place.folder, ["typecheck", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      passed: true,
      skills: [
        { name: "flight-search", output: { type: "object" }, calls: [] },
        { name: "trip-plan", output: { type: "number" }, calls: [{ callee: "flight-search", line: 2 }] },
      ],
      diagnostics: [],
    });
  });

  test("fails where there is nothing to check, or where a skill does not load", async () => {
    await using place = await workplace({});
    const { code, stderr } = await repertoire(place.folder, ["typecheck"]);
    expect([code, stderr]).toEqual([1, "No skills found in the provided paths.\n"]);
    await place.write("one", ONE);
    await writeFile(join(place.skills, "one/SKILL.md"), "no frontmatter");
    expect(await repertoire(place.folder, ["typecheck"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Type check failed: 1 error in 1 file") as string,
    });
  });

  test("the skills that come with it pass", async () => {
    expect(await stat(join(ROOT, "skills")).then((found) => found.isDirectory())).toBe(true);
    const { code, stdout } = await repertoire(ROOT, ["typecheck", "skills"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Type check passed: \d+ skills, \d+ of which call others\n$/);
  });

  test.each(["check", "typecheck"])("%s --help shows an example", async (command) => {
    const { code, stdout } = await repertoire(ROOT, [command, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`bin/repertoire.js ${command}`);
  });
});
