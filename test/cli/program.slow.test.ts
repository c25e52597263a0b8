import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PACKAGE_VERSION } from "../../src/core/package/package-version.ts";
import { ROOT, Workplace } from "../server/connected-client.ts";
import { command } from "./in-process.ts";

const PROGRAM = `node ${join(ROOT, "bin/repertoire.js")}`;

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.create({
    double: `export default ({ n }: { n: number }): number => n * 2`,
    fails: `export default (): number => { throw new Error("no luck"); }`,
  });
  await workplace.write("wrong", `export default (): number => call_skill("doubel", {})`);
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(workplace.folder, name), text);
});
afterAll(async () => workplace[Symbol.asyncDispose]());

const FILES = {
  "five.json": '{"n": 5}',
  "with-mark.json": '\uFEFF{"n": 6}',
  "broken.json": '{\n  "n": 5,\n  "m" 6\n}',
  "broken.config.json": '{"skills": ["skills",\n  "limits": {}}',
  "commented.config.json": '{\n  // where they are\n  "skills": "skills"\n}',
  "wrong.config.json":
    '{"limits": {"wallMs": "5s", "depth": 65, "dept": 1}, "skills": 5, "traces": {"visible": "none"}}',
  "stale.config.json":
    '{"pinned": ["double", "doubel"], "skillLimits": {"gone": {"calls": 3}, "fails": {"calls": 3}}}',
  "twice.config.json": '{"name": "a",\n "name": "b"}',
};

describe("list", () => {
  test("shows each skill on a line of its own, in columns, and where findings are shown", async () => {
    const { code, stdout, stderr } = await command(workplace.folder, "list");
    expect(code).toBe(0);
    expect(stdout).toBe(
      "double  transform     Does double.\nfails   transform     Does fails.\nwrong   transform     (has errors) Does wrong.\n",
    );
    expect(stderr).toMatch(/^2 errors, 0 warnings; "node .*bin\/repertoire\.js check" shows them\n$/);
  });

  test("of a folder that is not there fails, and names it", async () => {
    const { code, stdout, stderr } = await command(workplace.folder, "list", "nowhere");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("nowhere");
  });
});

describe("check", () => {
  test("tells of settings for skills that are not there, unless others are read", async () => {
    const told = async (...folders: readonly string[]) =>
      (await command(workplace.folder, "check", ...folders, "--config", "stale.config.json")).stderr
        .split("\n")
        .filter((line) => line.includes("setting-unknown"))
        .map((line) => /"\w+" names the skill "[^"]+"/.exec(line)?.[0]);
    expect(await told()).toEqual([
      `"pinned" names the skill "doubel"`,
      `"skillLimits" names the skill "gone"`,
    ]);
    expect(await told("skills")).toEqual([]);
  });
});

describe("run", () => {
  test.each([
    ["JSON itself", '{"n": 4}', 8],
    ["a file", "@five.json", 10],
    ["a file that begins with a byte order mark", "@with-mark.json", 12],
  ])("takes %s as its input", async (_, input, output) => {
    const { code, stdout } = await command(workplace.folder, "run", "double", "--input", input);
    expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^double .* ms\n${output}\n$`))]);
  });

  test("of a file that is named without @ says how it is read", async () => {
    const { code, stderr } = await command(workplace.folder, "run", "double", "--input", "five.json");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--input @five.json reads it")]);
  });

  test.each([
    ["a file that is not JSON", "@broken.json", "is not JSON: a colon is expected (line 3, column 7)"],
    ["an argument that is not JSON", "{n: 1}", "(line 1, column 2). Put it in single quotes"],
    ["an argument that breaks off", '{"n": [1', "is not JSON: a closing ] is missing (line 1, column 9)"],
    ["nothing", "", "is not JSON: there is nothing"],
    ["a file that is not there", "@nowhere.json", "PATH_NOT_FOUND: The file nowhere.json of --input cannot"],
  ])("says of %s where it is wrong", async (_, input, message) => {
    const { code, stdout, stderr } = await command(workplace.folder, "run", "double", "--input", input);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  test.each([
    ["what a skill throws", ["fails"], "SKILL_THREW", "no luck"],
    ["an input that does not fit", ["double", "-i", "{}"], "INPUT_INVALID", '"n"'],
    ["a name that is nearly one", ["doubel"], "SKILL_NOT_FOUND", 'Did you mean "double"?'],
  ])("fails with %s, on stderr", async (_, args, error, message) => {
    const { code, stderr } = await command(workplace.folder, "run", ...args);
    expect(code).toBe(1);
    expect(stderr).toContain(error);
    expect(stderr).toContain(message);
  });
});

describe("a configuration that is not valid", () => {
  test.each([
    ["broken.config.json", [":2:11: a comma is expected"]],
    ["commented.config.json", [":2:3: JSON has no comments"]],
    ["twice.config.json", [':2:2: "name" is there more than once']],
    [
      "wrong.config.json",
      [
        ':1:23: "limits.wallMs": it must be a number, not "5s"',
        '"limits.depth": it must be at most 64',
        'There is no setting "limits.dept". Did you mean "depth"?',
        '"skills": it must be a string or a list, not 5',
        '"traces.visible": it must be "session" or "all", not "none"',
      ],
    ],
  ])("%s is told with its place, in the words of JSON", async (file, messages) => {
    const { code, stdout, stderr } = await command(workplace.folder, "list", "--config", file);
    expect([code, stdout]).toEqual([2, ""]);
    for (const message of messages) expect(stderr).toContain(message);
  });
});

test.each([
  ["run", "duble"],
  ["run", "duble", "--on", "langgraph"],
  ["test", "--skill", "duble"],
  ["export", "duble", "--to", "workflow"],
])("a skill that is not there is told with near names and where it was looked for: %s", async (...args) => {
  const { stderr } = await command(workplace.folder, ...args);
  expect(stderr).toContain("SKILL_NOT_FOUND: There is no skill");
  expect(stderr).toContain('Did you mean "double"? Looked in skills; the configuration is mcp.config.json');
});

test("a skills folder that is not there is told where a skill of it is asked for", async () => {
  const { stderr } = await command(workplace.folder, "run", "double", "nowhere");
  expect(stderr).toContain("Looked in nowhere (which is not there)");
});

describe("test", () => {
  test("of a skill's name without --skill says how a skill is named", async () => {
    const { code, stderr } = await command(workplace.folder, "test", "double");
    expect([code, stderr]).toEqual([2, expect.stringContaining("test --skill double")]);
  });
});

describe("the program", () => {
  test("calls itself what can be typed here", async () => {
    const inside = await command(ROOT, "--help");
    expect([inside.code, inside.stdout]).toEqual([
      0,
      expect.stringContaining("Usage: node bin/repertoire.js ["),
    ]);
    const outside = await command(workplace.folder, "list", "--help");
    expect(outside.stdout).toContain(`Usage: ${PROGRAM} list`);
    expect(outside.stdout).toContain(`Example:\n  $ ${PROGRAM} list ./skills`);
  });

  test("writes a skill, and what it says to try does what it says", async () => {
    await using fresh = await Workplace.create();
    const { code, stdout } = await command(fresh.folder, "new", "word-count");
    expect(code).toBe(0);
    const [, args = ""] = stdout.split(`Try: ${PROGRAM} `);
    const [tried = "", input = ""] = args.trim().split(" --input ");
    const ran = await command(fresh.folder, ...tried.split(" "), "--input", input.replaceAll("'", ""));
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('"words": 1')]);
  });

  test.each([
    [["--version"], 0, `${PACKAGE_VERSION}\n`, ""],
    [[], 2, "", "Usage: "],
    [["lst"], 2, "", "Did you mean list?"],
    [["frobnicate"], 2, "", "unknown command 'frobnicate'\n--help tells"],
    [["traces", "frobnicate"], 2, "", "unknown command 'frobnicate'\n--help tells"],
    [["list", "--bogus"], 2, "", "unknown option '--bogus'"],
    [["run"], 2, "", "missing required argument 'skill'"],
    [["serve", "nowhere"], 2, "", "There is no skills folder"],
    [["serve", "--http", "99999"], 2, "", "a port is 0 to 65535"],
  ])("%j ends with %i", async (args, code, stdout, stderr) => {
    const ended = await command(workplace.folder, ...args);
    expect([ended.code, ended.stdout]).toEqual([code, stdout]);
    expect(ended.stderr).toContain(stderr);
  });
});
