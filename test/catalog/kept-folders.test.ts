import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Skill } from "../../src/core/skill.ts";
import { FileLog } from "../../src/catalog/folders/file-log.ts";
import { areAsRead, loadFolders, type LoadedFolders } from "../../src/catalog/folders/load-folders.ts";
import { fixture, folderWith, skillFile, write } from "./folders.ts";

const SKILLS = join(import.meta.dirname, "../../skills");

let root: string;
let cacheFolder: string;
let marks: string[];

beforeEach(async () => {
  root = await folderWith({
    "a/SKILL.md": skillFile("a"),
    "a/skill.ts": 'import { one } from "./one.ts";\nexport default () => one;',
    "a/one.ts": "export const one = 1;",
    "b/SKILL.md": skillFile("b"),
  });
  cacheFolder = await folderWith();
  marks = [];
});

/** As an own process does it. */
async function start(roots = [root], { strict = false } = {}): Promise<LoadedFolders> {
  const onUnchanged = (mark: string): Promise<void> => Promise.resolve(void marks.push(mark));
  return loadFolders(roots, { cacheFolder, strict, onUnchanged });
}

/** What was written a moment ago may be written again with nothing to show for it, so it is not kept. */
function someTimeLater(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
  onTestFinished(() => void vi.useRealTimers());
}

async function keptFile(): Promise<string> {
  const names = await readdir(cacheFolder);
  return join(cacheFolder, names.find((name) => name.startsWith("folders-")) ?? "");
}

const told = ({ folders }: LoadedFolders): readonly string[] =>
  folders.map(({ description }: Pick<Skill, "description">) => description);

/** What is kept says something else than the files, so that it shows where a folder came from. */
async function withOtherWords(): Promise<void> {
  const file = await keptFile();
  await writeFile(file, (await readFile(file, "utf8")).replaceAll(/Does (.)\./g, "Kept $1."));
}

describe("folders that are kept", () => {
  test("are not read as long as nothing in them has changed", async () => {
    someTimeLater();
    expect(told(await start())).toEqual(["Does a.", "Does b."]);
    await withOtherWords();
    expect(told(await start())).toEqual(["Kept a.", "Kept b."]);
    expect(marks).toHaveLength(1);
  });

  test.each(["a/SKILL.md", "a/one.ts", "a/skill.ts"])("are read again when %s has changed", async (path) => {
    someTimeLater();
    await start();
    await withOtherWords();
    const text = await readFile(join(root, path), "utf8");
    await write(root, { [path]: text.replace("1", "2") });
    someTimeLater();
    expect(told(await start())).toEqual(["Does a.", "Kept b."]);
    expect(marks).toEqual([]);
    expect(told(await start())).toEqual(["Does a.", "Kept b."]);
    expect(marks).toHaveLength(1);
  });

  test("are read again when a file is gone or one decides what they are", async () => {
    someTimeLater();
    await start();
    await withOtherWords();
    await rm(join(root, "a/one.ts"));
    await write(root, { "b/skill.ts": "export default () => 1;" });
    const { folders, diagnostics } = await start();
    expect(folders.map(({ description, kind }) => [description, kind])).toEqual([
      ["Does a.", "code"],
      ["Does b.", "code"],
    ]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["code-import"]);
  });

  test("have another mark when a folder comes or goes", async () => {
    someTimeLater();
    await start();
    await start();
    await rm(join(root, "b"), { recursive: true });
    await start();
    expect(new Set(marks).size).toBe(2);
  });

  test("are not those that were written a moment ago", async () => {
    await start();
    await start();
    expect(await readdir(cacheFolder)).toEqual([]);
    expect(marks).toEqual([]);
  });

  test("are not those of which a file could not be looked at", async () => {
    someTimeLater();
    await write(root, { "b/scripts/other.ts": "" });
    const code = join(root, "b/scripts/skill.ts");
    await symlink("skill.ts", code);
    expect((await start()).folders.map(({ kind }) => kind)).toEqual(["code", "instructions"]);
    await rm(code);
    await write(root, { "b/scripts/skill.ts": "export default () => 1;" });
    expect((await start()).folders.map(({ kind }) => kind)).toEqual(["code", "code"]);
  });

  test("are no matter where they cannot be deleted: what is read anew counts", async () => {
    someTimeLater();
    const before = await start();
    const file = await keptFile();
    await rm(file);
    await mkdir(file);
    await write(root, { "b/SKILL.md": skillFile("b").replace("Does b.", "Now b.") });
    expect(told(await loadFolders([root], { before, cacheFolder, afresh: true }))).toEqual([
      "Does a.",
      "Now b.",
    ]);
  });

  test("are others where they are read strictly", async () => {
    someTimeLater();
    await start();
    await withOtherWords();
    expect(told(await start([root], { strict: true }))).toEqual(["Does a.", "Does b."]);
    expect(told(await start())).toEqual(["Kept a.", "Kept b."]);
  });

  test("are read where the file in which they are kept says something else", async () => {
    someTimeLater();
    await start();
    await writeFile(await keptFile(), '{"key":"x"}\nnonsense\n{"key":"y","used":1,"value":{"stamps":7}}\n');
    expect(told(await start())).toEqual(["Does a.", "Does b."]);
  });

  test("are what reading them gives", async () => {
    someTimeLater();
    const roots = [SKILLS, fixture(".")];
    const read = await start(roots);
    const kept = await start(roots);
    expect(marks).toHaveLength(1);
    expect(kept.loaded.map(({ folder, diagnostics }) => [folder, diagnostics])).toEqual(
      read.loaded.map(({ folder, diagnostics }) => [folder, diagnostics]),
    );
    expect(new Set(kept.folders.map(({ kind }) => kind))).toEqual(
      new Set(["code", "workflow", "instructions"]),
    );
  });
});

describe("a file that has changed without a trace", () => {
  test.each(["a/SKILL.md", "a/skill.ts", "a/one.ts"])("is found by reading %s again", async (path) => {
    const before = await start();
    expect(await areAsRead(before, {})).toBe(true);
    const text = await readFile(join(root, path), "utf8");
    await write(root, { [path]: text.replaceAll("one", "two").replace("Does", "Made") });
    const looks = vi.spyOn(FileLog.prototype, "isCurrent").mockReturnValue(true);
    onTestFinished(() => looks.mockRestore());
    expect(await areAsRead(before, {})).toBe(false);
  });

  test("is none that has left one, which who follows changes has seen", async () => {
    const before = await start();
    await write(root, { "a/SKILL.md": skillFile("a", "Does other things.") });
    expect(await areAsRead(before, {})).toBe(true);
  });
});
