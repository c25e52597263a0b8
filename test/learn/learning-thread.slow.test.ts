import { afterEach, beforeEach, expect, test } from "vitest";
import type { Skill } from "../../src/core/skill.ts";
import { LearningThread, type LearningTool } from "../../src/learn/learning-thread.ts";
import { skillSet } from "../runner/skill-set.ts";

let skills: ReadonlyMap<string, Skill>;
let thread: LearningThread;

beforeEach(() => {
  skills = named(["a", "b"]);
  const tools: ReadonlyMap<string, LearningTool> = new Map([
    ["shop.find", { name: "shop.find", inputSchema: {} }],
  ]);
  thread = new LearningThread({
    module: new URL("../fixtures/learning-module.ts", import.meta.url),
    workerData: {},
    catalog: async () => Promise.resolve({ skills, tools }),
    maxMs: 3_000,
    maxMemoryMb: 32,
  });
});

afterEach(async () => thread.close());

function named(names: readonly string[]): ReadonlyMap<string, Skill> {
  return skillSet(Object.fromEntries(names.map((name) => [name, "export default () => 1;"])));
}

async function codeOf(draft: string): Promise<string> {
  const shown = await thread.show(draft);
  return shown.ok ? "ok" : shown.error.code;
}

test.each([
  ["never", "LEARNING_TIMED_OUT"],
  ["memory", "LEARNING_LOST"],
  ["dies", "LEARNING_LOST"],
])("a task that %s fails with %s, and the next is done", async (draft, code) => {
  const [first, second] = await Promise.all([codeOf(draft), codeOf("fine")]);
  expect([first, second]).toEqual([code, "ok"]);
});

test("what learns does not keep those waiting who look at drafts", async () => {
  const learns = thread.verify("never", { by: "test" });
  expect(await codeOf("fine")).toBe("ok");
  expect(await learns).toMatchObject({ error: { code: "LEARNING_TIMED_OUT" } });
});

test("so many tasks wait, and no more", async () => {
  const codes = await Promise.all(Array.from({ length: 30 }, async (_, nth) => codeOf(`${nth}`)));
  expect(codes.slice(0, 17).every((code) => code === "ok")).toBe(true);
  expect(codes.slice(17).every((code) => code === "DRAFT_BUSY")).toBe(true);
  expect(await codeOf("later")).toBe("ok");
});

test("the thread knows the skills that there are now", async () => {
  const known = async (): Promise<unknown> => {
    const shown = await thread.show("fine");
    return shown.ok ? shown.value.view : shown.error;
  };
  expect(await known()).toEqual({ skills: ["a", "b"], tools: ["shop.find"] });
  skills = named(["b", "c"]);
  expect(await known()).toEqual({ skills: ["b", "c"], tools: ["shop.find"] });
  skills = named(Array.from({ length: 100 }, (_, nth) => `skill-${nth}`));
  expect(await known()).toEqual({ skills: [...skills.keys()], tools: ["shop.find"] });
});

test("who waits when the server shuts down is told so", async () => {
  const [works, waits] = [codeOf("never"), codeOf("fine")];
  await thread.close();
  expect(await Promise.all([works, waits])).toEqual(["RUNNER_CLOSED", "RUNNER_CLOSED"]);
});
