import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ERAS, newClient, stdioTransport, textOf, Workplace } from "./connected-client.ts";

const SECRET = "outside the skill";
const BYTES = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
const LONG = "Grüße, 世界 🙂 ".repeat(20_000);
/** What the skill `guide` brings along, by path. */
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  "scripts/run.py": "print('hi')\n",
  "references/deep/er/long.txt": LONG,
  "assets/logo.png": BYTES,
  "assets/empty.bin": "",
  "a name with % and #?.md": "odd",
  "ünïcode/文.md": "文",
};

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.create({
    sound: `export default (): number => 1`,
    faulty: `export default async (): Promise<unknown> => call_skill("nobody")`,
  });
  const folder = await skill("guide");
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await writeFile(join(workplace.folder, "secret.txt"), SECRET);
  await mkdir(join(workplace.folder, "beside"));
  await writeFile(join(workplace.folder, "beside/secret.txt"), SECRET);
  await writeFile(join(folder, ".env"), SECRET);
  await mkdir(join(folder, "node_modules"));
  await writeFile(join(folder, "node_modules/secret.js"), SECRET);
  await symlink(join(workplace.folder, "secret.txt"), join(folder, "link-out.txt"));
  await symlink("../../secret.txt", join(folder, "link-up.txt"));
  await symlink(join(workplace.folder, "beside"), join(folder, "link-folder"));
  await symlink(".env", join(folder, "link-hidden.txt"));
  await symlink("loop", join(folder, "loop"));
  await symlink("scripts/run.py", join(folder, "link-within.py"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await writeFile(join(workplace.skills, "faulty/notes.md"), SECRET);
  const many = await skill("many");
  for (let index = 0; index < 450; index += 1)
    await writeFile(join(many, `file-${String(index).padStart(3, "0")}.txt`), String(index));
});
afterAll(async () => workplace[Symbol.asyncDispose]());

async function skill(name: string): Promise<string> {
  const folder = join(workplace.skills, name);
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "SKILL.md"),
    `---\nname: ${name}\ndescription: Does ${name}.\n---\nRead me.\n`,
  );
  return folder;
}

interface Part {
  readonly content: string;
  readonly encoding: BufferEncoding;
  readonly size: number;
  readonly next?: number;
}

describe.each(ERAS)("to a client of the %s era", (era) => {
  let client: Client;
  beforeAll(async () => {
    ({ client } = newClient(era));
    await client.connect(stdioTransport(workplace));
  });
  afterAll(async () => client.close());

  const tool = async (name: string, input: Record<string, unknown>) =>
    client.callTool({ name, arguments: input });
  const activated = async (name: string) =>
    (await tool("activate_skill", { name })).structuredContent as {
      folder: string;
      files: readonly string[];
    };
  const whole = async (path: string, limit?: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const result = await tool("read_skill_file", {
        name: "guide",
        path,
        offset,
        ...(limit === undefined ? {} : { limit }),
      });
      expect([path, result.isError ?? false]).toEqual([path, false]);
      const { content, encoding, next } = result.structuredContent as Part;
      parts.push(Buffer.from(content, encoding));
      offset = next;
    }
    return Buffer.concat(parts);
  };

  test("activate_skill tells the folder and every file that may be read, and how many may not", async () => {
    const answer = await activated("guide");
    expect(answer).toMatchObject({ folder: join(workplace.skills, "guide"), withheld: 8 });
    expect(answer.files).toEqual([...Object.keys(FILES), "link-within.py"].toSorted());
  });

  test("every file is read whole by the tool, in parts of any size, as the bytes that it has", async () => {
    for (const [path, content] of Object.entries(FILES))
      expect([path, Buffer.compare(await whole(path), Buffer.from(content))]).toEqual([path, 0]);
    expect((await whole("references/deep/er/long.txt", 65_521)).toString()).toBe(LONG);
    expect((await whole("assets/logo.png", 17)).equals(BYTES)).toBe(true);
    const read = await tool("read_skill_file", {
      name: "guide",
      path: "references/deep/er/long.txt",
      limit: 18,
    });
    expect(read.structuredContent).toMatchObject({ encoding: "utf8", mimeType: "text/plain", next: 16 });
  });

  test("more files than are listed are listed by folder, page by page", async () => {
    const answer = await activated("many");
    expect(answer).toMatchObject({ omitted: 250 });
    const listed: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { structuredContent } = await tool("read_skill_file", { name: "many", path: ".", offset });
      const page = structuredContent as { files: { path: string }[]; next?: number };
      listed.push(...page.files.map(({ path }) => path));
      offset = page.next;
    }
    expect(listed).toHaveLength(451);
    const below = await tool("read_skill_file", { name: "guide", path: "assets/" });
    expect(below.structuredContent).toMatchObject({
      files: [
        { path: "assets/empty.bin", size: 0 },
        { path: "assets/logo.png", size: 300 },
      ],
    });
  });

  test.each([
    "../../secret.txt",
    "scripts/../../../secret.txt",
    "..",
    "/etc/passwd",
    "//etc/passwd",
    "scripts//run.py",
    "link-out.txt",
    "link-up.txt",
    "link-folder/secret.txt",
    "link-folder",
    "link-hidden.txt",
    "loop",
    "pipe",
    ".env",
    "./.env",
    "node_modules/secret.js",
    "node_modules",
    "SKILL.md/x",
    "SKILL.md\0.png",
    "%2e%2e/%2e%2e/secret.txt",
    String.raw`..\..\secret.txt`,
    "scripts/run.pyc",
    "x".repeat(4000),
  ])("nothing is read at %j", async (path) => {
    const result = await tool("read_skill_file", { name: "guide", path });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^(?:PATH_NOT_FOUND|INPUT_INVALID): /);
    expect(JSON.stringify(result)).not.toContain(SECRET);
    const uris = [
      `skill://guide/${path}`,
      `skill://guide/${encodeURIComponent(path)}`,
      `skill://guide/${path.split("/").map(encodeURIComponent).join("/")}`,
      `skill://guide/${path.replaceAll(".", "%2e").replaceAll("/", "%2F")}`,
      `skill://guide/${path.replaceAll("..", "%2E%2e")}`,
    ];
    for (const uri of uris) {
      const failed = await client.readResource({ uri }).then(
        ({ contents }) => ({ message: JSON.stringify(contents), data: undefined }),
        (error: unknown) => error as { message: string; data?: unknown },
      );
      expect(failed).toMatchObject({ data: { uri } });
      expect(failed.message).not.toContain(SECRET);
    }
  });

  test("a skill that is withheld for its errors gives nothing, and says why", async () => {
    for (const name of ["activate_skill", "read_skill_file"]) {
      const input = name === "activate_skill" ? {} : { path: "notes.md" };
      const result = await tool(name, { name: "faulty", ...input });
      expect(textOf(result)).toMatch(/^SKILL_BROKEN: [\s\S]*There is no skill "nobody"/);
    }
    for (const file of ["SKILL.md", "notes.md"])
      await expect(client.readResource({ uri: `skill://faulty/${file}` })).rejects.toMatchObject({
        data: { uri: `skill://faulty/${file}` },
      });
  });

  test("resources are the SKILL.md of each skill, a template, and every file by it", async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      "repertoire://findings",
      "skill://guide/SKILL.md",
      "skill://many/SKILL.md",
      "skill://sound/SKILL.md",
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["skill://{+path}"]);
    for (const [path, content] of Object.entries(FILES)) {
      const uri = `skill://guide/${path.split("/").map(encodeURIComponent).join("/")}`;
      const { contents } = await client.readResource({ uri });
      const [read] = contents;
      const bytes = read && ("text" in read ? Buffer.from(read.text) : Buffer.from(read.blob, "base64"));
      expect([uri, bytes?.equals(Buffer.from(content))]).toEqual([uri, true]);
    }
  });

  test("the official client of the Skills extension lists, verifies and reads every file", async () => {
    const skills = new SkillsClient(client);
    expect([skills.supported, skills.directoryRead]).toEqual([true, true]);
    const listing = await skills.list();
    expect(listing.invalid ?? []).toEqual([]);
    expect(listing.skills.map(({ frontmatter }) => frontmatter.name)).toEqual(["guide", "many", "sound"]);
    const [guide] = listing.skills;
    if (!guide) throw new Error("There is no guide");
    expect(guide.resources).toHaveLength(Object.keys(FILES).length + 2);
    for (const { uri } of guide.resources === "dynamic" ? [] : guide.resources)
      expect((await skills.read(guide, uri)).verified).toBe(true);
    const { resources } = await skills.readDirectory("skill://guide");
    expect(resources.map(({ name }) => name)).toEqual([
      "SKILL.md",
      "a name with % and #?.md",
      "assets",
      "link-within.py",
      "references",
      "scripts",
      "ünïcode",
    ]);
    await expect(skills.get("skill://faulty/SKILL.md")).rejects.toThrow("skill://faulty/SKILL.md");
  });
});

test("lists come in pages; a new skill is told; a file too long for a resource is read in parts", async () => {
  const own = await Workplace.create();
  const add = async (name: string): Promise<void> => {
    const folder = join(own.skills, name);
    await mkdir(folder);
    await writeFile(join(folder, "SKILL.md"), `---\nname: ${name}\ndescription: Does it.\n---\n`);
    await writeFile(join(folder, "big.bin"), "");
    await truncate(join(folder, "big.bin"), name === "s-0" ? 4 * 2 ** 20 + 1 : 1);
  };
  for (let index = 0; index < 230; index += 1) await add(`s-${index}`);
  const { client } = newClient("legacy");
  await client.connect(stdioTransport(own));
  const told = new Promise<void>((resolve) =>
    client.setNotificationHandler("notifications/resources/list_changed", () => resolve()),
  );
  const request = async (cursor?: string) =>
    client.request({ method: "resources/list", params: cursor === undefined ? {} : { cursor } });
  const uris: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const { resources, nextCursor } = await request(cursor);
    uris.push(...resources.map(({ uri }) => uri));
    sizes.push(resources.length);
    cursor = nextCursor;
  }
  expect(sizes).toEqual([101, 100, 30]);
  expect(new Set(uris).size).toBe(231);
  await expect(request("nonsense")).rejects.toMatchObject({ code: -32_602 });
  expect((await new SkillsClient(client).list()).skills).toHaveLength(230);

  await expect(client.readResource({ uri: "skill://s-0/big.bin" })).rejects.toMatchObject({
    message: expect.stringContaining("read_skill_file"),
    data: { uri: "skill://s-0/big.bin", size: 4 * 2 ** 20 + 1 },
  });
  const part = await client.callTool({
    name: "read_skill_file",
    arguments: { name: "s-0", path: "big.bin", offset: 4 * 2 ** 20 - 9, limit: 16 },
  });
  expect(part.structuredContent).toMatchObject({ encoding: "base64", content: "AAAAAAAAAAAAAA==" });

  await add("s-new");
  await told;
  expect((await client.listResources()).resources).toHaveLength(232);
  await client.close();
  await own[Symbol.asyncDispose]();
});
