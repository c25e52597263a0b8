import { chmod, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { loadFolders } from "../../src/catalog/folders/load-folders.ts";
import type { Diagnostic } from "../../src/core/diagnostic.ts";
import { fixture, folderWith, skillFile, write } from "./folders.ts";

const found = (root: string, diagnostics: readonly Diagnostic[]): readonly string[] =>
  diagnostics.map(
    ({ code, severity, path, line, column }) =>
      `${severity} ${code} ${relative(root, path)}:${line}:${column}`,
  );

describe("a skill folder", () => {
  const root = fixture("skills");

  test("is every folder with a SKILL.md, also within another; none hides another", async () => {
    const { folders } = await loadFolders([root]);
    expect(folders.map(({ name, kind, path }) => [name, kind, relative(root, path)])).toEqual([
      ["add", "code", "add"],
      ["nightly", "instructions", "nightly"],
      ["review", "instructions", "review"],
      ["deep", "instructions", "review/nested/deep"],
      ["small", "instructions", "small"],
      ["twice", "code", "twice"],
    ]);
  });

  test("may be a root itself", async () => {
    const { folders } = await loadFolders([join(root, "add"), join(root, "review/nested")]);
    expect(folders.map(({ name }) => name)).toEqual(["add", "deep"]);
  });

  test("has its entry first, then what it imports, if only for types", async () => {
    const { folders } = await loadFolders([join(root, "add")]);
    expect(folders[0]?.sources.map(({ path }) => relative(join(root, "add"), path))).toEqual([
      "skill.ts",
      "lib/sum.ts",
      "types.ts",
      "lib/plus.js",
    ]);
    expect(folders[0]?.sources[3]?.text).toBe("export const plus = (a, b) => a + b;\n");
  });

  test("tells its frontmatter, its instructions and where its fields are", async () => {
    const { folders } = await loadFolders([join(root, "add")]);
    expect(folders[0]).toMatchObject({
      description: "Adds two numbers.",
      file: join(root, "add/SKILL.md"),
      frontmatter: {
        name: "add",
        description: "Adds two numbers.",
        license: "MIT",
        level: 1,
        operation: "TRANSFORM",
      },
      instructions: "# Add\n\nGive it two numbers.",
    });
    expect(folders[0]?.fieldPositions.get("level")).toEqual({
      path: join(root, "add/SKILL.md"),
      line: 5,
      column: 1,
    });
  });

  test("that has code and no SKILL.md is told, but not within a skill", async () => {
    const code = "export default () => 1;";
    const own = await folderWith({
      "a/skill.ts": code,
      "b/SKILL.md": "---\nname: b\ndescription: Does it.\n---\n",
      "b/assets/skill.js": code,
    });
    const { folders, diagnostics } = await loadFolders([own]);
    expect(folders.map(({ name }) => name)).toEqual(["b"]);
    expect(found(own, diagnostics)).toEqual(["warning file-missing a/skill.ts:1:1"]);
    expect(diagnostics[0]?.fix).toContain("Write SKILL.md beside it");
  });

  test("whose file is named in other capitals is read, and told", async () => {
    const own = await folderWith({ "a/Skill.md": "---\nname: a\ndescription: Does it.\n---\n" });
    const { folders, diagnostics } = await loadFolders([own]);
    expect(folders.map(({ name }) => name)).toEqual(["a"]);
    expect(diagnostics).toMatchObject([
      { code: "file-misnamed", severity: "warning", line: 1, fix: "Rename it: mv Skill.md SKILL.md" },
    ]);
  });

  test.each([
    ["Description: Does it.", "description-missing", 3, 'Did you mean "description"?'],
    ["desciption: Does it.", "description-missing", 3, 'Did you mean "description"?'],
    ["describtion: Does it.\ntags: x", "description-missing", 3, 'Did you mean "description"?'],
    ["description: Does it.\nlicence: MIT", "frontmatter-unexpected", 4, 'Did you mean "license"?'],
    ["description: Does it.\nallowed_tools: x", "frontmatter-unexpected", 4, 'Did you mean "allowed-tools"?'],
    ["description: Does it.\nauthor: x", "frontmatter-unexpected", 4, "Move it below metadata"],
  ])("with the field %j says what was meant", async (fields, code, line, fix) => {
    const own = await folderWith({ "a/SKILL.md": `---\nname: a\n${fields}\n---\n` });
    const { diagnostics } = await loadFolders([own]);
    const finding = diagnostics.find((each) => each.code === code);
    expect(finding).toMatchObject({ line, column: 1 });
    expect(finding?.fix).toContain(fix);
  });

  test("with a name in capitals says what was meant", async () => {
    const own = await folderWith({ "a/SKILL.md": "---\nName: a\ndescription: Does it.\n---\n" });
    const [finding] = (await loadFolders([own])).diagnostics;
    expect(finding).toMatchObject({ code: "name-missing", line: 2 });
    expect(finding?.fix).toContain('Did you mean "name"?');
  });

  test("with several entries or a workflow says what is used", async () => {
    const { diagnostics } = await loadFolders([root]);
    expect(found(root, diagnostics)).toEqual([
      "info workflow-foreign nightly/workflow.yaml:1:1",
      "warning file-misnamed small/skill.md:1:1",
      "warning entry-ambiguous twice/skill.js:1:1",
    ]);
    expect(diagnostics[2]?.message).toBe(
      "The skill has several entries; skill.js is used, not scripts/skill.ts",
    );
  });
});

test("a broken skill is reported where it is broken", async () => {
  const root = fixture("broken");
  const { folders, diagnostics } = await loadFolders([root]);
  expect(folders.map(({ name }) => name)).toEqual(["imports", "syntax"]);
  expect(found(root, diagnostics)).toEqual([
    "error code-import imports/skill.ts:1:26",
    "error code-import imports/skill.ts:2:20",
    "error code-import imports/skill.ts:4:21",
    "error code-import imports/skill.ts:7:20",
    "error code-import imports/skill.ts:8:23",
    "error code-import imports/skill.ts:10:39",
    "error code-import imports/skill.ts:5:22",
    "error code-import imports/skill.ts:6:24",
    "error description-missing no-description/SKILL.md:3:1",
    "error frontmatter-missing no-frontmatter/SKILL.md:1:1",
    "error frontmatter-not-mapping not-mapping/SKILL.md:2:1",
    "error frontmatter-unclosed unclosed/SKILL.md:1:1",
    "error yaml-invalid yaml/SKILL.md:5:1",
  ]);
  expect(
    diagnostics.filter(({ code }) => code === "code-import").map(({ message, fix }) => `${message}. ${fix}`),
  ).toEqual([
    expect.stringContaining('"node:fs/promises": its code has no files, network or processes'),
    expect.stringContaining('the package "lodash"'),
    expect.stringContaining("outside its own folder"),
    expect.stringContaining('not "./data.json"'),
    expect.stringContaining('"https://example.com/x.js": only relative paths'),
    expect.stringContaining("Write the path as a plain string"),
    expect.stringContaining("gone.ts does not exist. Add the file"),
    expect.stringContaining("There is a file helper.ts"),
  ]);
});

describe("a skill that breaks the format's rules", () => {
  const root = fixture("lenient");

  test("loads with warnings", async () => {
    const { folders, diagnostics } = await loadFolders([root]);
    expect(folders.map(({ name, description }) => [name, description.slice(0, 20)])).toEqual([
      ["Bad_Name--", "Its name breaks seve"],
      ["fields", "Has fields with valu"],
      ["nameless", "Has no name."],
      ["123", "2.50"],
      ["strings", "Gives numbers as str"],
    ]);
    expect(
      diagnostics.map(
        ({ severity, code, path, line, message }) =>
          `${severity} ${code} ${relative(root, path)}:${line} ${message}`,
      ),
    ).toEqual([
      "warning name-invalid Bad_Name/SKILL.md:2 Skill name 'Bad_Name--' must be lowercase",
      "warning name-invalid Bad_Name/SKILL.md:2 Skill name cannot start or end with a hyphen",
      "warning name-invalid Bad_Name/SKILL.md:2 Skill name cannot contain consecutive hyphens",
      "warning name-invalid Bad_Name/SKILL.md:2 Skill name 'Bad_Name--' contains invalid characters. Only letters, digits, and hyphens are allowed.",
      "warning name-mismatch Bad_Name/SKILL.md:2 Directory name 'Bad_Name' must match skill name 'Bad_Name--'",
      "warning field-invalid fields/SKILL.md:4 Field 'level' must be 1, 2, or 3 (got 4). 1=Atomic, 2=Composite, 3=Workflow",
      "warning field-invalid fields/SKILL.md:5 Field 'operation' must be one of ['READ', 'TRANSFORM', 'WRITE'], got 'read'",
      "warning field-invalid fields/SKILL.md:6 Field 'composes[1]' cannot be empty",
      "warning field-invalid fields/SKILL.md:9 Field 'inputs[0]' missing required 'name'",
      "warning field-invalid fields/SKILL.md:11 Field 'outputs' must be a list",
      "warning field-invalid fields/SKILL.md:15 Field 'compatibility' must be a string",
      'info frontmatter-unexpected fields/SKILL.md:12 The format does not define the field "color"',
      "warning name-missing nameless/SKILL.md:1 Missing required field in frontmatter: name; the folder's name is used",
      "warning name-mismatch numbers/SKILL.md:2 Directory name 'numbers' must match skill name '123'",
    ]);
    expect(diagnostics[0]?.fix).toBe("Write name: bad-name");
  });

  test("is an error when strict", async () => {
    const { diagnostics } = await loadFolders([root], { strict: true });
    const errors = diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ path, message }) => `${relative(root, path)} ${message}`);
    expect(errors).toContain("Bad_Name/SKILL.md Skill name 'Bad_Name--' must be lowercase");
    expect(errors).toContain("nameless/SKILL.md Missing required field in frontmatter: name");
    expect(diagnostics.filter(({ message }) => message.includes("must be lowercase"))).toHaveLength(1);
  });
});

describe("the search", () => {
  test("skips what is no part of the skills", async () => {
    const root = await folderWith({
      "a/SKILL.md": skillFile("a"),
      ".git/b/SKILL.md": skillFile("b"),
      "node_modules/c/SKILL.md": skillFile("c"),
      "a/.repertoire/d/SKILL.md": skillFile("d"),
      "1/2/3/4/5/6/7/8/SKILL.md": skillFile("8"),
      "1/2/3/4/5/6/7/8/9/SKILL.md": skillFile("9"),
    });
    const { folders, diagnostics } = await loadFolders([root]);
    expect(folders.map(({ name }) => name)).toEqual(["8", "a"]);
    expect(found(root, diagnostics)).toEqual(["error folder-too-large 1/2/3/4/5/6/7/8/9:1:1"]);
  });

  test("follows links, but not in circles, and finds each folder once", async () => {
    const elsewhere = await folderWith({ "far/SKILL.md": skillFile("far") });
    const root = await folderWith({ "z/near/SKILL.md": skillFile("near") });
    await symlink(elsewhere, join(root, "linked"));
    await symlink(root, join(root, "z/up"));
    await symlink(join(root, "z/near"), join(root, "a"));
    await symlink(join(root, "nowhere"), join(root, "broken"));
    const { folders, diagnostics } = await loadFolders([root, join(root, "z")]);
    expect(folders.map(({ path }) => relative(root, path))).toEqual(["linked/far", "z/near"]);
    expect(diagnostics).toEqual([]);
  });

  test("goes on without a root that is missing or no folder", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("a"), file: "" });
    const { folders, diagnostics } = await loadFolders([
      join(root, "gone"),
      join(root, "file"),
      join(root, "a"),
    ]);
    expect(folders.map(({ name }) => name)).toEqual(["a"]);
    expect(found(root, diagnostics)).toEqual([
      "error folder-missing gone:1:1",
      "error folder-missing file:1:1",
    ]);
    expect(diagnostics.map(({ fix }) => fix)).toEqual([
      "Create the folder, or correct the path on the command line or in the configuration",
      "Correct the path on the command line or in the configuration",
    ]);
  });

  test.skipIf(process.getuid?.() === 0)("goes on without what cannot be read", async () => {
    const root = await folderWith({
      "a/SKILL.md": skillFile("a"),
      "b/SKILL.md": skillFile("b"),
      "c/SKILL.md": skillFile("c"),
    });
    await chmod(join(root, "a"), 0);
    await chmod(join(root, "b/SKILL.md"), 0);
    const { folders, diagnostics } = await loadFolders([root]);
    await chmod(join(root, "a"), 0o755);
    expect(folders.map(({ name }) => name)).toEqual(["c"]);
    expect(found(root, diagnostics)).toEqual([
      "error file-unreadable a:1:1",
      "error file-unreadable b/SKILL.md:1:1",
    ]);
  });

  test("tells in words why a file cannot be read", async () => {
    const root = await folderWith({ "a/notes.md": "" });
    await symlink("SKILL.md", join(root, "a/SKILL.md"));
    const { diagnostics } = await loadFolders([root]);
    expect(diagnostics).toMatchObject([
      {
        code: "file-unreadable",
        message: `${join(root, "a/SKILL.md")} cannot be read: its links lead in a circle`,
        fix: "Make SKILL.md a file that can be read",
      },
    ]);
  });

  test("what a limit leaves out is told with its count and names, whatever order the disk has", async () => {
    const root = await folderWith({
      ...Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`s${n}/SKILL.md`, skillFile(`s${n}`)])),
      "s0/data/rows.csv": "",
    });
    const limits = { maxFolders: 4, maxLevels: 8 };
    const { folders, leftOut, diagnostics } = await loadFolders([root], { limits });
    expect(folders.map(({ name }) => name)).toEqual(["s0", "s1", "s2"]);
    expect(leftOut.map((path) => relative(root, path))).toEqual(
      expect.arrayContaining(["s3", "s4", "s5", "s6", "s7", "s8", "s0/data"]),
    );
    expect(diagnostics).toMatchObject([
      {
        code: "folder-too-large",
        severity: "error",
        path: root,
        message: expect.stringContaining("6 skills are left out: s3, s4, s5, s6, s7 and 1 more"),
        affects: ["s3", "s4", "s5", "s6", "s7", "s8"],
      },
    ]);
  });

  test("a link into what is left out is left out, and told; what another root holds is not left out", async () => {
    const elsewhere = await folderWith({ "SKILL.md": skillFile("linked") });
    const root = await folderWith({
      "a/SKILL.md": skillFile("a"),
      "b/SKILL.md": skillFile("b"),
      "c/SKILL.md": skillFile("c"),
    });
    await symlink(elsewhere, join(root, "linked"));
    const limits = { maxFolders: 2, maxLevels: 8 };
    const { folders, leftOut, diagnostics } = await loadFolders([root, join(root, "b")], { limits });
    expect(folders.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(leftOut.map((path) => relative(root, path))).toEqual(["c", "linked"]);
    expect(diagnostics[0]?.affects).toEqual(["c", "linked"]);
  });

  test("how deep the search goes is a setting; folders of a skill's own that are deeper are no error", async () => {
    const root = await folderWith({
      "a/SKILL.md": skillFile("a"),
      "a/1/2/rows.csv": "",
      "b/c/SKILL.md": skillFile("c"),
    });
    const shallow = await loadFolders([root], { limits: { maxFolders: 100, maxLevels: 1 } });
    expect(shallow.folders.map(({ name }) => name)).toEqual(["a"]);
    expect(shallow.diagnostics).toMatchObject([{ severity: "error", affects: ["c"] }]);
    const deeper = await loadFolders([root], { limits: { maxFolders: 100, maxLevels: 2 } });
    expect(deeper.folders.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(deeper.diagnostics).toMatchObject([
      {
        severity: "warning",
        message: expect.stringContaining("1 folder is left out, which may hold skills"),
      },
    ]);
    expect(deeper.leftOut).toEqual([]);
  });
});

describe("files that are no text to read", () => {
  test("a file that is too large", async () => {
    const root = await folderWith({
      "a/SKILL.md": skillFile("a") + "x".repeat(4 * 1024 * 1024),
      "b/SKILL.md": skillFile("b"),
      "b/skill.js": `"${"x".repeat(1024 * 1024)}"`,
    });
    const { folders, diagnostics } = await loadFolders([root]);
    expect(folders).toEqual([]);
    expect(found(root, diagnostics)).toEqual([
      "error file-too-large a/SKILL.md:1:1",
      "error code-too-large b/skill.js:1:1",
    ]);
  });

  test("too many code files", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 70 }, (_, index) => [`a/f${index}.ts`, `import "./f${index + 1}.ts";`]),
    );
    const root = await folderWith({
      ...many,
      "a/f70.ts": "",
      "a/SKILL.md": skillFile("a"),
      "a/skill.ts": 'import "./f0.ts";',
    });
    const { folders, diagnostics } = await loadFolders([root]);
    expect(folders[0]?.sources).toHaveLength(64);
    expect(found(root, diagnostics)).toEqual(["error code-too-large a/skill.ts:1:1"]);
  });

  test("a folder named SKILL.md is no file", async () => {
    const root = await folderWith({ "a/SKILL.md/x": "" });
    expect((await loadFolders([root])).folders).toEqual([]);
  });

  test("what is not UTF-8 loads with a warning", async () => {
    const root = await folderWith({ "a/skill.js": "export default () => 1;" });
    await writeFile(
      join(root, "a/SKILL.md"),
      Buffer.concat([Buffer.from(skillFile("a")), Buffer.from([0xff])]),
    );
    const { folders, diagnostics } = await loadFolders([root]);
    expect(folders.map(({ instructions }) => instructions)).toEqual(["\uFFFD"]);
    expect(found(root, diagnostics)).toEqual(["warning file-encoding a/SKILL.md:1:1"]);
  });

  test("code may not reach out of its folder by a link", async () => {
    const secret = await folderWith({ "secret.ts": "export const secret = 1;" });
    const root = await folderWith({
      "a/SKILL.md": skillFile("a"),
      "a/skill.ts": 'import { secret } from "./secret.ts";\nexport default () => secret;',
    });
    await symlink(join(secret, "secret.ts"), join(root, "a/secret.ts"));
    const { folders, diagnostics } = await loadFolders([root]);
    expect(folders[0]?.sources).toHaveLength(1);
    expect(found(root, diagnostics)).toEqual(["error code-import a/skill.ts:1:24"]);
  });
});

async function digestOf(files: Readonly<Record<string, string>>): Promise<string | undefined> {
  const root = await folderWith(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`a/${path}`, text])),
  );
  return (await loadFolders([root])).folders[0]?.digest;
}

describe("the digest", () => {
  const files = {
    "SKILL.md": skillFile("a"),
    "skill.ts": 'import "./b.ts";\nexport default 1;',
    "b.ts": "export {};",
  };

  test("is the same wherever the folder is, and differs with every byte that counts", async () => {
    const digest = await digestOf(files);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(await digestOf(files)).toBe(digest);
    expect(await digestOf({ ...files, "notes.md": "no part of it" })).toBe(digest);
    expect(await digestOf({ ...files, "SKILL.md": `${skillFile("a")} ` })).not.toBe(digest);
    expect(await digestOf({ ...files, "b.ts": "export { };" })).not.toBe(digest);
    expect(
      await digestOf({ ...files, "skill.ts": 'import "./c.ts";\nexport default 1;', "c.ts": "export {};" }),
    ).not.toBe(digest);
  });
});

test("folders that have not changed are not made again", async () => {
  const root = await folderWith({
    "a/SKILL.md": skillFile("a"),
    "b/SKILL.md": skillFile("b"),
    "b/skill.ts": 'import "./x.ts";\nexport default 1;',
  });
  const first = await loadFolders([root]);
  await write(root, { "a/SKILL.md": skillFile("a", "Another."), "b/x.ts": "export {};" });
  const second = await loadFolders([root], { before: first });
  const third = await loadFolders([root], { before: second });
  expect(second.folders[0]?.description).toBe("Another.");
  expect([first, second].map(({ diagnostics }) => diagnostics.length)).toEqual([1, 0]);
  expect(third.folders[0]).toBe(second.folders[0]);
  expect(third.folders[1]).toBe(second.folders[1]);
});
