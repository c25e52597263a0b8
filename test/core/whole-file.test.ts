import { link, lstat, mkdir, readFile, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeWhole } from "../../src/core/files/whole-file.ts";
import { folderWith, write } from "../catalog/folders.ts";

test("a file is replaced, never cut off, and nothing is left beside it", async () => {
  const folder = await folderWith({ "a.txt": "before" });
  await link(join(folder, "a.txt"), join(folder, "b.txt"));
  expect(writeWhole(join(folder, "a.txt"), "after")).toBeUndefined();
  expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("after");
  expect(await readFile(join(folder, "b.txt"), "utf8")).toBe("before");
  expect((await readdir(folder)).toSorted()).toEqual(["a.txt", "b.txt"]);
});

test("a link stays a link, and what it leads to is written", async () => {
  const folder = await folderWith();
  await write(folder, { "there/a.txt": "before" });
  await symlink("there/a.txt", join(folder, "link.txt"));
  expect(writeWhole(join(folder, "link.txt"), "after")).toBeUndefined();
  expect((await lstat(join(folder, "link.txt"))).isSymbolicLink()).toBe(true);
  expect(await readFile(join(folder, "there/a.txt"), "utf8")).toBe("after");
});

test("what is no file is not replaced, and why a file cannot be written is told in words", async () => {
  const folder = await folderWith({ "a.txt": "" });
  await mkdir(join(folder, "b"));
  expect(writeWhole("/dev/null", "text")).toBeUndefined();
  expect((await lstat("/dev/null")).isCharacterDevice()).toBe(true);
  expect(writeWhole(join(folder, "b"), "text")).toBe("it is a folder");
  expect(writeWhole(join(folder, "a.txt/c"), "text")).toBe("what should be its folder is a file");
});
