import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, skillFile } from "../catalog/folders.ts";
import { ROOT } from "../server/connected-client.ts";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function repertoire(cwd: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", join(ROOT, "bin/repertoire.js"), ...args],
      { cwd, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      },
    ).stdin?.end();
  });
}

const skillsets = resolve(import.meta.dirname, "../../../shared/data/skillsets");
const isAbsent = !existsSync(skillsets);
if (isAbsent) console.log("Skipped: the collections of real skills are not beside this checkout");

const LEVELLED = `---
name: levelled
description: Has what the composable-skills proposal defines.
level: 2
operation: READ
composes:
  - add
inputs:
  - name: city
    type: string[][]
    requires_source: true
    min_length: 1
  - name: nights
    type: integer
    range:
      - 1
      - 30
outputs:
  - name: total
    type: number
---
`;

const FAULTY = `---
name: faulty
description: Breaks the rules.
type: x
level: 1
operation: read
composes:
  - add
inputs:
  - name: dates
    type: DateRange
    requires_source: maybe
    requires_rationale: 1
  - type: string
    min_length: -1
    min_items: many
  - name: nights
    range:
      - 5
      - 1
outputs:
  - name: total
    range:
      - 1
  - name: price
    range:
      - low
      - high
---
`;

const FAULTS = [
  "Unexpected fields in frontmatter: type. Only ['allowed-tools', 'category', 'compatibility', 'composes', 'description', 'durable', 'examples', 'inputs', 'keywords', 'level', 'license', 'limits', 'metadata', 'name', 'operation', 'outputs', 'postconditions', 'preconditions', 'tags', 'ttl'] are allowed.",
  "Field 'operation' must be one of ['READ', 'TRANSFORM', 'WRITE'], got 'read'",
  "Level 1 (Atomic) skills should not have 'composes'. Atomic skills wrap primitives, not other skills.",
  "Field 'inputs[0].type' unknown type 'DateRange'. Valid primitives: ['any', 'boolean', 'date', 'datetime', 'integer', 'number', 'string']",
  "Field 'inputs[0].requires_source' must be a boolean",
  "Field 'inputs[0].requires_rationale' must be a boolean",
  "Field 'inputs[1]' missing required 'name'",
  "Field 'inputs[1].min_length' must be a non-negative integer",
  "Field 'inputs[1].min_items' must be a non-negative integer",
  "Field 'inputs[2].range' min (5.0) > max (1.0)",
  "Field 'outputs[0].range' must be a list of [min, max]",
  "Field 'outputs[1].range' values must be numbers",
];

interface ValidatedJson {
  readonly path: string;
  readonly valid: boolean;
  readonly errors: readonly {
    readonly code: string;
    readonly message: string;
    readonly line: number;
    readonly column: number;
    readonly fix: string;
  }[];
}

describe("validate", () => {
  test("says that a skill is valid: its folder, its SKILL.md, or a folder of skills", async () => {
    const folder = await folderWith({ "one/SKILL.md": skillFile("one"), "levelled/SKILL.md": LEVELLED });
    expect(await repertoire(folder, "validate", "one", "./levelled/SKILL.md", ".")).toMatchObject({
      code: 0,
      stdout: "Valid skill: one\nValid skill: ./levelled\nValid skill: levelled\nValid skill: one\n",
    });
  });

  test("tells what is wrong in the reference validator's words", async () => {
    const folder = await folderWith({ "my-skill/SKILL.md": "---\nname: Other\ndescription: x\n---\n" });
    expect(await repertoire(folder, "validate", "my-skill", "gone")).toEqual({
      code: 1,
      stdout: "",
      stderr: `Validation failed for my-skill:
  - Skill name 'Other' must be lowercase
  - Directory name 'my-skill' must match skill name 'Other'
Validation failed for gone:
  - Path does not exist: ${join(folder, "gone")}
`,
    });
  });

  test("holds the fields of the composable-skills proposal to its rules", async () => {
    const folder = await folderWith({ "faulty/SKILL.md": FAULTY });
    const { code, stderr } = await repertoire(folder, "validate", "faulty");
    expect(code).toBe(1);
    expect(stderr).toBe(`Validation failed for faulty:\n${FAULTS.map((fault) => `  - ${fault}\n`).join("")}`);
  });

  test("--json tells code, place and how to mend it", async () => {
    const folder = await folderWith({ "faulty/SKILL.md": FAULTY, "one/SKILL.md": skillFile("one") });
    const { code, stdout, stderr } = await repertoire(folder, "validate", "--json", "one", "faulty");
    const [one, faulty] = JSON.parse(stdout) as readonly ValidatedJson[];
    expect([code, stderr]).toEqual([1, ""]);
    expect(one).toEqual({ path: "one", valid: true, errors: [], notes: [] });
    expect(faulty).toMatchObject({ path: "faulty", valid: false });
    expect(faulty?.errors.map(({ message }) => message)).toEqual(FAULTS);
    expect(faulty?.errors.slice(0, 2)).toMatchObject([
      { code: "frontmatter-unexpected", line: 4 },
      { code: "field-invalid", line: 6 },
    ]);
    for (const { line, column, fix } of faulty?.errors ?? []) {
      expect(line).toBeGreaterThan(1);
      expect(column).toBeGreaterThan(0);
      expect(fix).not.toBe("");
    }
  });

  test("what only Repertoire and the proposal define is valid, and told", async () => {
    const ours = "composes: [a, b]\ninputs:\n  - { name: x, type: string }\nttl: 1h\nlimits: { wallMs: 5 }\n";
    const text = `---\nname: extended\ndescription: Does it.\n${ours}---\n`;
    const folder = await folderWith({ "extended/SKILL.md": text });
    const { code, stdout, stderr } = await repertoire(folder, "validate", "extended");
    expect([code, stdout]).toEqual([0, "Valid skill: extended\n"]);
    expect(stderr).toMatch(
      /SKILL\.md:4:1 info The reference validator would refuse composes, inputs, ttl, limits: /,
    );
  });

  test("the skills that come with it are valid", async () => {
    const { code, stdout } = await repertoire(ROOT, "validate", "--json", "skills");
    const validated = JSON.parse(stdout) as readonly ValidatedJson[];
    expect(validated.length).toBeGreaterThan(25);
    expect([code, validated.filter(({ valid }) => !valid)]).toEqual([0, []]);
  });

  test("after YAML that cannot be read it looks no further", async () => {
    const folder = await folderWith({
      "flow/SKILL.md": "---\nname: flow\nmetadata: {a: b}\nlevel: 9\n---\n",
    });
    const { stderr } = await repertoire(folder, "validate", "flow");
    expect(stderr).toBe(
      "Validation failed for flow:\n  - Invalid YAML in frontmatter: flow style ([] and {}) is not allowed (line 3, column 11)\n",
    );
  });

  test.skipIf(isAbsent)("the proposal's examples are valid; what some reader rejects is not", async () => {
    const own = await repertoire(skillsets, "validate", "--json", "valid/edu-ap+agentskills");
    const examples = JSON.parse(own.stdout) as readonly ValidatedJson[];
    expect(own.code).toBe(0);
    expect(examples).toHaveLength(16);
    const all = await repertoire(skillsets, "validate", "--json", "malformed");
    const malformed = JSON.parse(all.stdout) as readonly ValidatedJson[];
    expect(malformed.length).toBeGreaterThan(100);
    expect(malformed.filter(({ valid }) => valid)).toEqual([]);
  });
});

describe("read-properties", () => {
  test("prints what the format defines, as it is written, and what the proposal defines, as it is meant", async () => {
    const folder = await folderWith({
      "full/SKILL.md": `---
name: full
license: MIT
description: |
  Two
  lines.
allowed-tools: Read Write
metadata:
  version: 1.0
  stable: true
level: "3"
operation: WRITE
composes: add
inputs:
  - {name: city, type: string, required: false, requires_source: false}
  - name: nights
outputs: []
ttl: 5
---
`,
    });
    const { code, stdout } = await repertoire(folder, "read-properties", "full/SKILL.md");
    expect(code).toBe(0);
    expect(stdout).toBe(
      `${JSON.stringify(
        {
          name: "full",
          description: "Two\nlines.",
          license: "MIT",
          "allowed-tools": "Read Write",
          metadata: { version: "1.0", stable: "true" },
          level: 3,
          operation: "WRITE",
          composes: ["add"],
          inputs: [
            { name: "city", type: "string", required: false },
            { name: "nights", type: "any" },
          ],
        },
        undefined,
        2,
      )}\n`,
    );
  });

  test("reads YAML whose meaning is plain, and says what is wrong with it", async () => {
    const folder = await folderWith({
      "colon/SKILL.md": "---\nname: colon\ndescription: Use when: asked\nmetadata:\n  version: 2\n---\n",
    });
    const { code, stdout, stderr } = await repertoire(folder, "read-properties", "colon");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      name: "colon",
      description: "Use when: asked",
      metadata: { version: "2" },
    });
    expect(stderr).toMatch(/^colon\/SKILL\.md:3:\d+ warning /);
  });

  test.each([
    ["a folder without SKILL.md", ".", "SKILL.md not found in ."],
    ["nothing there", "gone", "Path does not exist: gone"],
    ["no name", "nameless", "Missing required field in frontmatter: name"],
    ["an empty description", "silent", "Field 'description' must be a non-empty string"],
    ["no frontmatter", "bare", "SKILL.md must start with YAML frontmatter (---)"],
  ])("fails for %s", async (_, path, message) => {
    const folder = await folderWith({
      "nameless/SKILL.md": "---\ndescription: x\n---\n",
      "silent/SKILL.md": "---\nname: silent\ndescription:\n---\n",
      "bare/SKILL.md": "# Bare\n",
    });
    expect(await repertoire(folder, "read-properties", path)).toEqual({
      code: 1,
      stdout: "",
      stderr: `Error: ${message}\n`,
    });
  });
});

describe("to-prompt", () => {
  test("prints the block as the reference implementation does", async () => {
    const folder = await folderWith({
      "b/one/SKILL.md": skillFile("one", `Says "it's" <b>&</b>.`),
      "a/SKILL.md": skillFile("a"),
    });
    const { code, stdout } = await repertoire(folder, "to-prompt", "b", "a/SKILL.md");
    expect(code).toBe(0);
    expect(stdout).toBe(`<available_skills>
<skill>
<name>
one
</name>
<description>
Says &quot;it&#x27;s&quot; &lt;b&gt;&amp;&lt;/b&gt;.
</description>
<location>
${folder}/b/one/SKILL.md
</location>
</skill>
<skill>
<name>
a
</name>
<description>
Does a.
</description>
<location>
${folder}/a/SKILL.md
</location>
</skill>
</available_skills>
`);
  });

  test("prints nothing when one of the skills cannot be read", async () => {
    const folder = await folderWith({ "a/SKILL.md": skillFile("a"), "b/SKILL.md": "# b\n" });
    expect(await repertoire(folder, "to-prompt", "a", "b")).toEqual({
      code: 1,
      stdout: "",
      stderr: "Error: SKILL.md must start with YAML frontmatter (---)\n",
    });
  });

  test("tells of every skill that comes with it", async () => {
    const { code, stdout } = await repertoire(ROOT, "to-prompt", "skills");
    expect(code).toBe(0);
    const names = [...stdout.matchAll(/^<name>\n(.*)\n<\/name>$/gm)].map(([, name]) => name);
    expect(names).toContain("compound-formula");
    expect(new Set(names).size).toBe(names.length);
  });
});

test.each(["validate", "read-properties", "to-prompt"])("%s --help shows an example", async (command) => {
  const { code, stdout } = await repertoire(ROOT, command, "--help");
  expect(code).toBe(0);
  expect(stdout).toContain(`bin/repertoire.js ${command}`);
});
