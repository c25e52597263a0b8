import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Catalog, type CatalogSnapshot } from "../../src/catalog/catalog.ts";
import { KeptOwners, OWNERS_FILE } from "../../src/catalog/name-registry.ts";
import { isSameName } from "../../src/core/tools/name-keys.ts";
import { folderWith, skillFile, write } from "./folders.ts";
import { compiler } from "../shared-threads.ts";

async function open(...roots: readonly string[]): Promise<Catalog> {
  return openWith(undefined, ...roots);
}

async function openWith(owners: KeptOwners | undefined, ...roots: readonly string[]): Promise<Catalog> {
  const catalog = await Catalog.open({
    roots,
    compile: (folders) => compiler.compile(folders),
    ...(owners && { owners }),
  });
  onTestFinished(() => catalog.close());
  return catalog;
}

/** The folders of the skills, by name. */
function owners(root: string, { skills }: CatalogSnapshot): object {
  return Object.fromEntries([...skills].map(([name, { path }]) => [name, relative(root, path)]));
}

function told(root: string, { diagnostics }: CatalogSnapshot): readonly string[] {
  return diagnostics
    .filter(({ code }) => code === "name-duplicate" || code === "name-passed")
    .map(({ severity, code, path }) => `${severity} ${code} ${relative(root, path)}`);
}

describe("one name", () => {
  test.each([
    ["another case", "Honest"],
    ["full width", "ｈｏｎｅｓｔ"],
    ["mathematical letters", "𝗵𝗼𝗻𝗲𝘀𝘁"],
    ["a Cyrillic о", "hоnest"],
    ["several Cyrillic letters", "һоnеѕt"],
    ["a Cyrillic capital", "Нonest"],
    ["a Greek omicron", "hοnest"],
    ["an Armenian oh", "hօnest"],
    ["a zero", "h0nest"],
    ["a zero-width space", "hon\u200best"],
    ["a soft hyphen", "hon\u00adest"],
    ["a word joiner", "\u2060honest"],
    ["a bidi override", "\u202ehonest"],
    ["a variation selector", "honest\ufe0f"],
    ["tag characters", "honest\u{e0068}\u{e0069}"],
    ["a combining grapheme joiner", "hone\u034fst"],
    ["a Hangul filler", "honest\u3164"],
    ["an escape", "hon\u001best"],
    ["a thin space", "hon\u2009est"],
    ["a ligature", "honeﬆ"],
  ])("has also %s", (_, name) => {
    expect(isSameName("honest", name)).toBe(true);
    expect(isSameName(name, "honest")).toBe(true);
  });

  test.each([
    ["file-log", "file-1og"],
    ["file-log", "file-Iog"],
    ["file-Info", "file-lnfo"],
    ["café", "cafe\u0301"],
    ["modern", "rnodern"],
    ["a-b", "a\u2010b"],
  ])("is %s as %s", (a, b) => {
    expect(isSameName(a, b)).toBe(true);
  });

  test.each([
    ["honest", "honests"],
    ["honest", "hornest"],
    ["cafe", "café"],
    ["a-b", "ab"],
    ["a-b", "a_b"],
    ["trip-1", "trip-2"],
  ])("is not %s as %s", (a, b) => {
    expect(isSameName(a, b)).toBe(false);
  });
});

describe("at the start, a name", () => {
  test("that no folder bears is nobody's where several want it", async () => {
    const root = await folderWith({
      "a/SKILL.md": skillFile("x"),
      "b/SKILL.md": skillFile("x"),
      "c/SKILL.md": skillFile("x"),
      "y/SKILL.md": skillFile("y"),
    });
    const { snapshot } = await open(root);
    expect(owners(root, snapshot)).toEqual({ y: "y" });
    expect(told(root, snapshot)).toEqual([
      "error name-duplicate a/SKILL.md",
      "error name-duplicate b/SKILL.md",
      "error name-duplicate c/SKILL.md",
    ]);
    for (const { message, code } of snapshot.diagnostics) {
      if (code !== "name-duplicate") continue;
      for (const folder of ["a", "b", "c"]) expect(message).toContain(join(root, folder));
    }
  });

  test("that two folders of one root bear is nobody's", async () => {
    const root = await folderWith({ "a/x/SKILL.md": skillFile("x"), "x/SKILL.md": skillFile("x") });
    expect(owners(root, (await open(root)).snapshot)).toEqual({});
  });

  test("that only one wants is its own, whatever the folder is called", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("x") });
    const { snapshot } = await open(root);
    expect([owners(root, snapshot), told(root, snapshot)]).toEqual([{ x: "a" }, []]);
  });

  test("of a folder that does not load is nobody else's", async () => {
    const root = await folderWith({ "a/SKILL.md": skillFile("x"), "x/SKILL.md": "# Nothing\n" });
    const { snapshot } = await open(root);
    expect(owners(root, snapshot)).toEqual({});
    expect(told(root, snapshot)).toContain("error name-duplicate a/SKILL.md");
  });

  test("that anybody can type stands before one that looks like it", async () => {
    const root = await folderWith({
      "hоnest/SKILL.md": skillFile("hоnest"),
      "honest/SKILL.md": skillFile("honest"),
    });
    const { snapshot } = await open(root);
    expect(owners(root, snapshot)).toEqual({ honest: "honest" });
  });

  test("is decided alike in every order of folders", async () => {
    const names = ["honest", "Honest", "hоnest", "ｈonest"];
    for (const claimants of [
      ["0", "zz"],
      ["zz", "0"],
    ]) {
      const root = await folderWith({ "honest/SKILL.md": skillFile("honest") });
      for (const [at, name] of names.entries())
        await write(root, { [`${claimants[at % 2]}-${at}/SKILL.md`]: skillFile(name) });
      const { snapshot } = await open(root);
      expect(owners(root, snapshot)).toEqual({ honest: "honest" });
      expect(told(root, snapshot).filter((each) => each.startsWith("error"))).toHaveLength(4);
    }
  });
});

describe("while the catalog is open, a name", () => {
  test("that no folder bears stays with the one that has it", async () => {
    const root = await folderWith({ "m/SKILL.md": skillFile("x") });
    const catalog = await open(root);
    await write(root, { "a/SKILL.md": skillFile("x"), "z/SKILL.md": skillFile("X") });
    const snapshot = await catalog.reload();
    expect(owners(root, snapshot)).toEqual({ x: "m" });
    expect(told(root, snapshot)).toEqual([
      "error name-duplicate a/SKILL.md",
      "info name-duplicate m/SKILL.md",
      "error name-duplicate z/SKILL.md",
    ]);
  });

  test("that two folders of one root bear stays with the one that has it", async () => {
    const root = await folderWith({ "m/x/SKILL.md": skillFile("x") });
    const catalog = await open(root);
    await write(root, { "a/x/SKILL.md": skillFile("x"), "x/SKILL.md": skillFile("x") });
    expect(owners(root, await catalog.reload())).toEqual({ x: "m/x" });
  });

  test("of a skill that breaks is still its own", async () => {
    const root = await folderWith({ "x/SKILL.md": skillFile("x", "Good.") });
    const catalog = await open(root);
    await write(root, { "x/SKILL.md": "# Nothing", "a/SKILL.md": skillFile("x", "Bad.") });
    const { skills } = await catalog.reload();
    expect(skills.get("x")?.description).toBe("Good.");
  });

  test("is not lost to one that renames itself", async () => {
    const root = await folderWith({ "x/SKILL.md": skillFile("x"), "a/SKILL.md": skillFile("a") });
    const catalog = await open(root);
    await write(root, { "a/SKILL.md": skillFile("x") });
    expect(owners(root, await catalog.reload())).toEqual({ x: "x" });
    await write(root, { "a/SKILL.md": skillFile("a") });
    expect(owners(root, await catalog.reload())).toEqual({ a: "a", x: "x" });
  });

  test("passes to another only when its owner is gone, with a warning that stays", async () => {
    const root = await folderWith({
      "a/SKILL.md": skillFile("x", "Another."),
      "x/SKILL.md": skillFile("x", "The owner."),
    });
    const catalog = await open(root);
    expect(owners(root, catalog.snapshot)).toEqual({ x: "x" });
    await rm(join(root, "x"), { recursive: true });
    const passed = await catalog.reload();
    expect([owners(root, passed), told(root, passed)]).toEqual([
      { x: "a" },
      ["warning name-passed a/SKILL.md"],
    ]);
    expect(passed.diagnostics.find(({ code }) => code === "name-passed")?.message).toContain(join(root, "x"));
    await write(root, { "y/SKILL.md": skillFile("y") });
    expect(told(root, await catalog.reload())).toEqual(["warning name-passed a/SKILL.md"]);
    await write(root, { "x/SKILL.md": skillFile("x", "The owner.") });
    const back = await catalog.reload();
    expect(owners(root, back)).toEqual({ x: "x", y: "y" });
    expect(told(root, back)).toContain("error name-duplicate a/SKILL.md");
  });

  test("goes along with a folder that is moved", async () => {
    const root = await folderWith({ "x/SKILL.md": skillFile("x") });
    const catalog = await open(root);
    await rename(join(root, "x"), join(root, "moved"));
    const snapshot = await catalog.reload();
    expect([owners(root, snapshot), told(root, snapshot)]).toEqual([{ x: "moved" }, []]);
  });

  test.each([
    ["a folder of the same name inside another", "a/x", "x"],
    ["a folder that is called otherwise", "a", "x"],
    ["a look-alike in a folder of its name", "X", "X"],
  ])("returns with its owner from %s", async (_, folder, name) => {
    const root = await folderWith({ "x/SKILL.md": skillFile("x", "The owner.") });
    const catalog = await open(root);
    await rename(join(root, "x"), `${root}-away`);
    onTestFinished(async () => rm(`${root}-away`, { recursive: true, force: true }));
    await write(root, { [`${folder}/SKILL.md`]: skillFile(name, "A stranger.") });
    const away = await catalog.reload();
    expect(owners(root, away)).toEqual({ [name]: folder });
    expect(told(root, away)).toEqual([`warning name-passed ${folder}/SKILL.md`]);
    await rename(`${root}-away`, join(root, "x"));
    const back = await catalog.reload();
    expect(owners(root, back)).toEqual({ x: "x" });
    expect(told(root, back).toSorted()).toEqual([
      `error name-duplicate ${folder}/SKILL.md`,
      "info name-duplicate x/SKILL.md",
    ]);
  });

  test("returns with its owner also from a copy, which may have changed since", async () => {
    const root = await folderWith({ "x/SKILL.md": skillFile("x") });
    const catalog = await open(root);
    await rm(join(root, "x"), { recursive: true });
    await write(root, { "a/x/SKILL.md": skillFile("x") });
    expect(owners(root, await catalog.reload())).toEqual({ x: "a/x" });
    await write(root, { "a/x/SKILL.md": skillFile("x", "Another.") });
    const changed = await catalog.reload();
    expect([owners(root, changed), told(root, changed)]).toEqual([{ x: "a/x" }, []]);
    await write(root, { "x/SKILL.md": skillFile("x") });
    expect(owners(root, await catalog.reload())).toEqual({ x: "x" });
  });

  test("in a folder that is called otherwise stays, whoever bears one that looks like it", async () => {
    const root = await folderWith({ "m/SKILL.md": skillFile("honest") });
    const catalog = await open(root);
    await write(root, {
      "hоnest/SKILL.md": skillFile("hоnest"),
      "Honest/SKILL.md": skillFile("Honest"),
      "honest/SKILL.md": skillFile("honest"),
    });
    const snapshot = await catalog.reload();
    expect(owners(root, snapshot)).toEqual({ honest: "m" });
    expect(told(root, snapshot).filter((each) => each.startsWith("error"))).toHaveLength(3);
    expect(told(root, snapshot)).toContain("info name-duplicate m/SKILL.md");
  });

  test("stays also where a folder that comes before claims it", async () => {
    const [first, second] = [await folderWith(), await folderWith({ "x/SKILL.md": skillFile("x") })];
    const catalog = await open(first, second);
    await write(first, { "x/SKILL.md": skillFile("x") });
    expect(owners(second, await catalog.reload())).toEqual({ x: "x" });
  });
});

describe("after a new start, a name", () => {
  const NEWCOMERS = {
    "a/x/SKILL.md": skillFile("x", "A stranger."),
    "x/SKILL.md": skillFile("x", "A stranger."),
    "X/SKILL.md": skillFile("X", "A stranger."),
  };

  async function started(files: Readonly<Record<string, string>>) {
    const root = await folderWith(files);
    const data = await folderWith();
    const file = join(data, OWNERS_FILE);
    const notices: string[] = [];
    const start = async (...roots: readonly string[]): Promise<Catalog> =>
      openWith(new KeptOwners({ file, onNotice: (notice) => notices.push(notice) }), ...roots);
    await (await start(root)).close();
    return { root, data, file, notices, start };
  }

  test("is still its owner's, and the others are told", async () => {
    const { root, start } = await started({ "m/SKILL.md": skillFile("x", "The owner.") });
    await write(root, NEWCOMERS);
    const { snapshot } = await start(root);
    expect(owners(root, snapshot)).toEqual({ x: "m" });
    expect(told(root, snapshot).filter((each) => each.startsWith("error"))).toHaveLength(3);
  });

  test("is still its owner's where that does not load now", async () => {
    const { root, start } = await started({ "m/SKILL.md": skillFile("x", "The owner.") });
    await write(root, { ...NEWCOMERS, "m/SKILL.md": "# Nothing\n" });
    expect(owners(root, (await start(root)).snapshot)).toEqual({});
  });

  test("that has passed to another while its owner was away is told so, and returns with it", async () => {
    const { root, start } = await started({ "x/SKILL.md": skillFile("x", "The owner.") });
    await rm(join(root, "x"), { recursive: true });
    await write(root, { "a/x/SKILL.md": skillFile("x", "A stranger.") });
    for (const catalog of [await start(root), await start(root)])
      expect(told(root, catalog.snapshot)).toEqual(["warning name-passed a/x/SKILL.md"]);
    await write(root, { "x/SKILL.md": skillFile("x", "The owner is back.") });
    expect((await start(root)).snapshot.skills.get("x")?.description).toBe("The owner is back.");
  });

  test("is given to another by taking its owner's line out of the file", async () => {
    const files = { "b/SKILL.md": skillFile("b"), "x/SKILL.md": skillFile("x", "The owner.") };
    const { root, file, start } = await started(files);
    await rm(join(root, "x"), { recursive: true });
    await write(root, { "a/x/SKILL.md": skillFile("x", "Another.") });
    await start(root);
    const lines = (await readFile(file, "utf8")).split("\n");
    await writeFile(file, lines.filter((line) => !line.includes('"x"')).join("\n"));
    expect(told(root, (await start(root)).snapshot)).toEqual([]);
    await write(root, files);
    expect(owners(root, (await start(root)).snapshot)).toEqual({ b: "b", x: "a/x" });
  });

  test("goes along with a folder that was moved meanwhile, and with all of them", async () => {
    const { root, start } = await started({ "x/SKILL.md": skillFile("x"), "y/SKILL.md": skillFile("y") });
    await rename(join(root, "x"), join(root, "z"));
    const { snapshot } = await start(root);
    expect([owners(root, snapshot), told(root, snapshot)]).toEqual([{ x: "z", y: "y" }, []]);
  });

  test("in other folders has nothing to do with it", async () => {
    const { start } = await started({ "x/SKILL.md": skillFile("x") });
    const other = await folderWith({ "a/SKILL.md": skillFile("x", "Another.") });
    const { snapshot } = await start(other);
    expect([owners(other, snapshot), told(other, snapshot)]).toEqual([{ x: "a" }, []]);
  });

  test.each(["", "{", "[]", '{"version":2,"owners":[]}', '{"version":1,"owners":[{"name":1}]}'])(
    "belongs to who has it where the file is broken, which is set aside and told: %s",
    async (text) => {
      const { root, data, file, notices, start } = await started({ "x/SKILL.md": skillFile("x") });
      await writeFile(file, text);
      expect(owners(root, (await start(root)).snapshot)).toEqual({ x: "x" });
      expect(notices).toEqual([expect.stringContaining(file)]);
      const aside = (await readdir(data)).find((name) => name.includes(".unreadable-")) ?? "";
      expect(notices[0]).toContain(aside);
      expect(await readFile(join(data, aside), "utf8")).toBe(text);
      await write(root, { "a/x/SKILL.md": skillFile("x") });
      expect(owners(root, (await start(root)).snapshot)).toEqual({ x: "x" });
      expect(notices).toHaveLength(1);
    },
  );

  test("is kept in memory where the file cannot be written, which is told once", async () => {
    const root = await folderWith({ "x/SKILL.md": skillFile("x") });
    const data = await folderWith({ blocked: "" });
    const notices: string[] = [];
    const file = join(data, "blocked", OWNERS_FILE);
    const catalog = await openWith(
      new KeptOwners({ file, onNotice: (notice) => notices.push(notice) }),
      root,
    );
    await write(root, { "a/x/SKILL.md": skillFile("x") });
    expect(owners(root, await catalog.reload())).toEqual({ x: "x" });
    await write(root, { "y/SKILL.md": skillFile("y") });
    await catalog.reload();
    expect(notices).toHaveLength(1);
  });

  test("that another process has given meanwhile stays given", async () => {
    const { root, start } = await started({ "y/SKILL.md": skillFile("y") });
    const [one, other] = [await start(root), await start(root)];
    await write(root, { "m/SKILL.md": skillFile("x") });
    await one.reload();
    await write(root, { "x/SKILL.md": skillFile("x"), "z/SKILL.md": skillFile("z") });
    expect(owners(root, await other.reload())).toEqual({ x: "m", y: "y", z: "z" });
    expect(owners(root, (await start(root)).snapshot)).toEqual({ x: "m", y: "y", z: "z" });
  });
});
