import { createHook } from "node:async_hooks";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { skillName, writeLibrary, functionCode } from "./library.ts";
import { Catalog, type CatalogSnapshot } from "../../src/catalog/catalog.ts";
import { FileLog } from "../../src/catalog/folders/file-log.ts";
import { CompileThread } from "../../src/compiler/compile-thread.ts";
import { ResultCache } from "../../src/core/files/result-cache.ts";
import { SkillCompiler } from "../../src/compiler/compile-skills.ts";
import { Workplace } from "../server/connected-client.ts";

const SKILLS = 1_000;
/** What an edit may ask of the file system: its own files, those of the data, and what watches looks at. */
const MAX_FILE_REQUESTS = 100;

const reads = vi.spyOn(FileLog.prototype, "read");
const looks = vi.spyOn(FileLog.prototype, "isCurrent");
const asked = vi.spyOn(ResultCache.prototype, "get");
const compiled = vi.spyOn(CompileThread.prototype, "compile");
const checked = vi.spyOn(CompileThread.prototype, "check");
let requests = 0;
const hook = createHook({
  init(_id, type) {
    if (type.startsWith("FSREQ")) requests += 1;
  },
});

let workplace: Workplace;
let compiler: SkillCompiler;
let catalog: Catalog;

beforeAll(async () => {
  workplace = await Workplace.create({});
  await writeLibrary(workplace.skills, SKILLS);
  compiler = new SkillCompiler({ cacheFolder: join(workplace.folder, "cache") });
  catalog = await Catalog.open({
    roots: [workplace.skills],
    compile: async (folders, absent) => compiler.compile(folders, absent),
    watch: true,
  });
  await quiet();
  hook.enable();
});
beforeEach(() => {
  for (const spy of [reads, looks, asked, compiled, checked]) spy.mockClear();
  requests = 0;
});
afterAll(async () => {
  hook.disable();
  vi.restoreAllMocks();
  await catalog.close();
  await compiler.close();
  await workplace[Symbol.asyncDispose]();
});

test("the instructions of one skill are read again, and nothing of the others", async () => {
  const name = skillName(41);
  const { skills } = await changed(async () => appendFile(file(name, "SKILL.md"), "\nOne more word.\n"));
  expect(skills.get(name)?.instructions).toContain("One more word.");
  expect(reads.mock.calls.map(([path]) => path)).toEqual([file(name, "SKILL.md")]);
  expect(looks).toHaveBeenCalledTimes(1);
  expect([units(compiled), units(checked)]).toEqual([[], []]);
  expect(asked).not.toHaveBeenCalled();
  expect(requests).toBeLessThan(MAX_FILE_REQUESTS);
});

test("each folder is watched, and no file by itself", () => {
  const watches = process.getActiveResourcesInfo().filter((each) => each === "FSEventWrap");
  expect(watches).toHaveLength(1 + SKILLS);
});

test("a body that keeps its contract is compiled and checked alone", async () => {
  const name = skillName(56);
  const before = catalog.snapshot.skills;
  const { skills } = await changed(async () =>
    writeFile(file(name, "skill.ts"), functionCode(56, " once more")),
  );
  expect(reads.mock.calls.map(([path]) => path).toSorted()).toEqual([
    file(name, "SKILL.md"),
    file(name, "skill.ts"),
  ]);
  expect([units(compiled).length, units(checked).length]).toEqual([1, 1]);
  expect(requests).toBeLessThan(MAX_FILE_REQUESTS);
  expect([...skills.keys()].filter((each) => skills.get(each) !== before.get(each))).toEqual([name]);
});

test("a contract that changes has its callers checked, and nobody else", async () => {
  const name = skillName(66);
  const callers = [...catalog.snapshot.skills.values()].filter(({ calls }) =>
    calls.skills.some(({ callee }) => callee === name),
  );
  expect(callers.length).toBeGreaterThan(0);
  await changed(async () =>
    writeFile(
      file(name, "skill.ts"),
      functionCode(66).replace("rate: number;", "rate: number; note?: string;"),
    ),
  );
  expect(units(compiled)).toHaveLength(1);
  expect(units(checked)).toHaveLength(1 + callers.length);
  expect(reads).toHaveBeenCalledTimes(2);
  expect(requests).toBeLessThan(MAX_FILE_REQUESTS);
});

function file(name: string, of: string): string {
  return join(workplace.skills, name, of);
}

function units(spy: typeof compiled | typeof checked): readonly unknown[] {
  return spy.mock.calls.flatMap(([each]) => each);
}

/** The catalog after a deed that changes it. */
async function changed(deed: () => Promise<void>): Promise<CatalogSnapshot> {
  const { promise, resolve } = Promise.withResolvers<CatalogSnapshot>();
  const stop = catalog.onChange(resolve);
  await deed();
  const now = await promise;
  stop();
  return now;
}

/** Resolves when the watch has begun, after which all is looked at once, and nothing is read any more. */
async function quiet(): Promise<void> {
  const calls = (): number => reads.mock.calls.length + looks.mock.calls.length;
  await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThanOrEqual(SKILLS), { timeout: 60_000 });
  for (let before = -1; before !== calls(); await delay(1_000)) before = calls();
}
