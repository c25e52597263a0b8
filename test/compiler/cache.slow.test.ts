import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { SkillCompiler, type CompiledSkills } from "../../src/compiler/compile-skills.ts";
import { ResultCache } from "../../src/core/files/result-cache.ts";
import type { SkillFolder } from "../../src/core/skill.ts";
import { skillFolder } from "../checks/read-folder.ts";

const CODE = `export default function run(input: { name: string; when: Date }): { greeting: string; free: any } {
  return { greeting: input.name, free: 1 };
}`;
const SOUND = CODE.replace("; when: Date", "");
const FOLDERS = [skillFolder("sound", SOUND), skillFolder("faulty", CODE)];
let cacheFolder: string;
let cacheFile: string;
let first: Awaited<ReturnType<typeof compileOnce>>;
let written: string;

beforeAll(async () => {
  cacheFolder = await mkdtemp(path.join(tmpdir(), "contracts-"));
  first = await compileOnce(FOLDERS);
  const name = (await readdir(cacheFolder)).find((file) => file.startsWith("contracts-")) ?? "";
  cacheFile = path.join(cacheFolder, name);
  written = await readFile(cacheFile, "utf8");
});
beforeEach(() => writeFile(cacheFile, written));
afterAll(() => rm(cacheFolder, { recursive: true }));

test("a second start takes everything from the cache and starts no thread", async () => {
  const second = await compileOnce(FOLDERS);
  expect(first.threads).toBe(1);
  expect(second.threads).toBe(0);
  expect(second.result).toEqual(first.result);
});

test("the main thread never loads the compiler", async () => {
  const loaded = Object.keys((await import("node:module")).createRequire(import.meta.url).cache);
  expect(loaded.filter((file) => file.includes("/typescript/lib/"))).toEqual([]);
});

test("only what has changed is compiled, and a folder that has moved has not changed", async () => {
  const folder = skillFolder("faulty", CODE);
  const moved = {
    ...folder,
    path: "/elsewhere/faulty",
    sources: [{ path: "/elsewhere/faulty/skill.ts", text: CODE }],
  };
  const { result, threads } = await compileOnce([moved]);
  expect(threads).toBe(0);
  expect(result.diagnostics.map(({ path: file, line, column }) => [file, line, column])).toContainEqual([
    "/elsewhere/faulty/skill.ts",
    1,
    52,
  ]);
});

test.each([
  ["nonsense", "{ nonsense"],
  ["another form", '{"entries":{"a":1,"b":{"used":1,"value":{}}}}'],
  ["lines of another form", '{"key":"a"}\n{"key":1,"used":1}\nnull\n'],
  ["the beginning of a line", '{"key":"a","used":1,"value":{}}\n{"key":"b","us'],
  ["an empty file", ""],
])("a cache file that holds %s is ignored and written anew", async (_, text) => {
  await writeFile(cacheFile, text);
  const second = await compileOnce(FOLDERS);
  expect(second.threads).toBe(1);
  expect(second.result).toEqual(first.result);
  expect((await compileOnce(FOLDERS)).threads).toBe(0);
});

test("processes that share the cache keep each other's entries", async () => {
  const [one, other] = [SOUND.replace("run", "one"), SOUND.replace("run", "other")];
  const compilers = [new SkillCompiler({ cacheFolder }), new SkillCompiler({ cacheFolder })] as const;
  await compilers[0].compile(FOLDERS);
  await compilers[1].compile([skillFolder("other", other)]);
  await compilers[0].compile([skillFolder("one", one)]);
  await Promise.all(compilers.map((compiler) => compiler.close()));
  expect(
    (await compileOnce([...FOLDERS, skillFolder("one", one), skillFolder("other", other)])).threads,
  ).toBe(0);
  expect((await readdir(cacheFolder)).length).toBe(2);
});

test("at most 5,000 entries are kept, those used last", async () => {
  const [entry] = linesOf(written);
  const key = entry?.key ?? "";
  const old = Array.from({ length: 5_100 }, (_, index) => ({
    ...entry,
    key: `old-${index}`,
    used: 1 + index,
  }));
  await writeFile(cacheFile, [...old, entry].map((line) => `${JSON.stringify(line)}\n`).join(""));
  await compileOnce([...FOLDERS, skillFolder("new", SOUND.replace("run", "another"))]);
  const kept = linesOf(await readFile(cacheFile, "utf8")).map((line) => line.key);
  expect(kept.length).toBe(5_000);
  expect(kept).toContain(key);
  expect(kept).not.toContain("old-0");
});

test("a new result costs its own line: what the file has stays as it was", async () => {
  await compileOnce([...FOLDERS, skillFolder("new", SOUND.replace("run", "another"))]);
  const text = await readFile(cacheFile, "utf8");
  expect(text.startsWith(written)).toBe(true);
  expect(linesOf(text.slice(written.length))).toHaveLength(1);
});

test("what is in use is kept, however many entries it has", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "repertoire-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const isNumber = (value: unknown): value is number => typeof value === "number";
  const file = path.join(folder, "numbers.json");
  const first = new ResultCache(file, isNumber);
  for (let index = 0; index < 6_000; index += 1) first.set(`key-${index}`, index);
  first.save();
  const second = new ResultCache(file, isNumber);
  second.refresh();
  for (const results of [first, second])
    for (let index = 0; index < 6_000; index += 1) expect(results.get(`key-${index}`)).toBe(index);
  first.set("one more", 1);
  first.save();
  expect(first.get("key-0")).toBe(0);
  first.save();
  // Who has it already does not ask again, and says so.
  first.set("another", 1);
  first.save(() => Array.from({ length: 6_000 }, (_, index) => `key-${index}`));
  const third = new ResultCache(file, isNumber);
  third.refresh();
  expect(["key-0", "key-5999", "another"].map((key) => third.get(key))).toEqual([0, 5999, 1]);
});

test("a cache folder that cannot be written costs nothing but time", async () => {
  const compiler = new SkillCompiler({ cacheFolder: "/dev/null/cache" });
  expect((await compiler.compile([skillFolder("sound", SOUND)])).skills.length).toBe(1);
  await compiler.close();
});

test("an unchanged folder keeps its contract's very objects", async () => {
  const compiler = new SkillCompiler({ cacheFolder });
  const folders = [...FOLDERS, skillFolder("plain", {}, "inputs: [{ name: a, type: string }]\n")];
  const [before, after] = [await compiler.compile(folders), await compiler.compile(folders)];
  await compiler.close();
  expect(after.skills.length).toBe(2);
  for (const [index, skill] of after.skills.entries())
    expect(skill.contract.input).toBe(before.skills[index]?.contract.input);
});

function linesOf(text: string): readonly { readonly key: string }[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly key: string });
}

async function compileOnce(
  folders: readonly SkillFolder[],
): Promise<{ readonly result: CompiledSkills; readonly threads: number }> {
  let threads = 0;
  const onWorker = (): void => void (threads += 1);
  process.on("worker", onWorker);
  const compiler = new SkillCompiler({ cacheFolder });
  const result = await compiler.compile(folders);
  await compiler.close();
  process.off("worker", onWorker);
  return { result, threads };
}
