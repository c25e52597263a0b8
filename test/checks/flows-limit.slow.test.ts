import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, expect, test } from "vitest";
import { SkillCompiler } from "../../src/compiler/compile-skills.ts";
import { composedFlows } from "../../src/checks/flows/composed-flows.ts";
import { skillFolder } from "./read-folder.ts";

const compiler = new SkillCompiler();
afterAll(async () => compiler.close());

const library = readFileSync(createRequire(import.meta.url).resolve("papaparse/papaparse.js"), "utf8");
const trust = { isTrusted: () => false, mayWrite: (tool: string) => tool !== "feed.latest" };

test("code that takes too long to follow is published, says so, and counts as giving every answer to every call", async () => {
  const { skills, diagnostics } = await compiler.compile([
    skillFolder("rows-keep", {
      "skill.ts": `import Papa from "./papa.js";
export default async function run({ text }: { text: string }): Promise<{ rows: string[][] }> {
  const { rows } = (Papa as any).parse(text);
  await call_tool("feed.latest", {});
  await call_tool("w.write", { text: "fixed" });
  return { rows };
}`,
      "papa.js": `// @ts-check\n${library}`,
    }),
  ]);
  expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["code-unfollowed", "info"]]);
  expect(diagnostics[0]?.message).toContain("it takes too long to follow");
  const flows = composedFlows(new Map(skills.map((skill) => [skill.name, skill])), trust);
  expect(flows.get("rows-keep")).toContainEqual(
    expect.objectContaining({ source: "feed.latest", write: "w.write", kind: "unfollowed" }),
  );
}, 120_000);

test("a body with thousands of calls is compiled; of the same callees each counts once where it is not followed", async () => {
  const lines = (toolOf: (index: number) => string): string =>
    Array.from(
      { length: 3000 },
      (_, index) => `  const r${index} = await call_tool("${toolOf(index)}", { n: ${index} });`,
    ).join("\n");
  const body = (text: string): string => `export default async (): Promise<void> => {\n${text}\n};`;
  const { skills, diagnostics } = await compiler.compile([
    skillFolder("same", body(lines((index) => `w.write${index % 3}`))),
    skillFolder("other", body(lines((index) => `w.write${index}`))),
  ]);
  expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
    ["code-unfollowed", "info"],
    ["code-unfollowed", "info"],
  ]);
  const [same, other] = skills.map(({ flows }) => flows);
  expect(same?.calls.map(({ names }) => names)).toEqual([["w.write0"], ["w.write1"], ["w.write2"]]);
  expect(other?.calls.map(({ names }) => names?.length)).toEqual([3000]);
  expect([same?.flows.length, other?.flows.length]).toEqual([7 * 5, 3 * 3]);
}, 120_000);
