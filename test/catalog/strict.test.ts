import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { strictFindings } from "../../src/catalog/strict-findings.ts";
import { fixture, folderWith } from "./folders.ts";

const messages = async (folder: string): Promise<readonly string[]> =>
  (await strictFindings(folder)).map(({ message }) => message);

async function said(frontmatter: string, folder = "my-skill"): Promise<readonly string[]> {
  const root = await folderWith({ [`${folder}/SKILL.md`]: `---\n${frontmatter}\n---\n` });
  return messages(join(root, folder));
}

test.each<[string, string, readonly string[]]>([
  ["a valid skill", "name: my-skill\ndescription: Does it.", []],
  [
    "all fields",
    "name: my-skill\ndescription: Does it.\nlicense: MIT\ncompatibility: any\nallowed-tools: Read Write\nmetadata:\n  a: b",
    [],
  ],
  ["no name", "description: Does it.", ["Missing required field in frontmatter: name"]],
  ["no description", "name: my-skill", ["Missing required field in frontmatter: description"]],
  ["an empty name", 'name: ""\ndescription: Does it.', ["Field 'name' must be a non-empty string"]],
  [
    "an empty description",
    "name: my-skill\ndescription:",
    ["Field 'description' must be a non-empty string"],
  ],
  [
    "unexpected fields",
    "name: my-skill\nversion: 1\ndescription: Does it.\nauthor: me",
    [
      "Unexpected fields in frontmatter: author, version. Only ['allowed-tools', 'compatibility', 'description', 'license', 'metadata', 'name'] are allowed.",
    ],
  ],
  [
    "a long description",
    `name: my-skill\ndescription: ${"x".repeat(1025)}`,
    ["Description exceeds 1024 character limit (1025 chars)"],
  ],
  [
    "a long compatibility",
    `name: my-skill\ndescription: x\ncompatibility: ${"x".repeat(501)}`,
    ["Compatibility exceeds 500 character limit (501 chars)"],
  ],
  [
    "a compatibility that is a list",
    "name: my-skill\ndescription: x\ncompatibility:\n  - a",
    ["Field 'compatibility' must be a string"],
  ],
  ["--- in a text", "name: my-skill\ndescription: use --- as separator", []],
  ["a list", "- a", ["SKILL.md frontmatter must be a YAML mapping"]],
])("%s", async (_, frontmatter, expected) => {
  expect(await said(frontmatter)).toEqual(expected);
});

test.each<[string, readonly string[]]>([
  ["pdf-2", []],
  ["技能", []],
  ["навык", []],
  ["ＰＤＦ".toLowerCase(), []],
  ["PDF", ["Skill name 'PDF' must be lowercase"]],
  ["-pdf", ["Skill name cannot start or end with a hyphen"]],
  ["pdf-", ["Skill name cannot start or end with a hyphen"]],
  ["a--b", ["Skill name cannot contain consecutive hyphens"]],
  ["a_b", ["Skill name 'a_b' contains invalid characters. Only letters, digits, and hyphens are allowed."]],
  ["x".repeat(65), [`Skill name '${"x".repeat(65)}' exceeds 64 character limit (65 chars)`]],
])("the name %s", async (name, expected) => {
  expect(await said(`name: ${name}\ndescription: Does it.`, name)).toEqual(expected);
});

test("a name that differs from its folder's", async () => {
  expect(await said("name: other\ndescription: Does it.")).toEqual([
    "Directory name 'my-skill' must match skill name 'other'",
  ]);
});

describe("YAML that the reference validator's reader refuses", () => {
  test.each([
    ["flow style", "name: my-skill\ndescription: x\nallowed-tools: [a]"],
    ["an anchor", "name: &n my-skill\ndescription: x"],
    ["a tag", "name: !!str my-skill\ndescription: x"],
    ["a field twice", "name: my-skill\ndescription: x\ndescription: y"],
    ["an unquoted colon", "name: my-skill\ndescription: Use when: asked"],
  ])("%s", async (_, frontmatter) => {
    expect(await said(frontmatter)).toEqual([expect.stringMatching(/^Invalid YAML in frontmatter: /)]);
  });
});

test("files and folders that are not there", async () => {
  const root = await folderWith({
    "empty/file": "",
    "bom/SKILL.md": "\uFEFF---\nname: bom\ndescription: x\n---\n",
    "small/skill.md": "---\nname: small\ndescription: x\n---\n",
  });
  expect(await messages(join(root, "gone"))).toEqual([`Path does not exist: ${join(root, "gone")}`]);
  expect(await messages(join(root, "empty/file"))).toEqual([`Not a directory: ${join(root, "empty/file")}`]);
  expect(await messages(join(root, "empty"))).toEqual(["Missing required file: SKILL.md"]);
  expect(await messages(join(root, "bom"))).toEqual(["SKILL.md must start with YAML frontmatter (---)"]);
  expect(await messages(join(root, "small"))).toEqual([]);
  expect(await messages(fixture("broken/no-frontmatter"))).toEqual([
    "SKILL.md must start with YAML frontmatter (---)",
  ]);
  expect(await messages(fixture("broken/unclosed"))).toEqual([
    "SKILL.md frontmatter not properly closed with ---",
  ]);
});
