import { availableParallelism } from "node:os";
import { afterAll, expect, test } from "vitest";
import { SkillCompiler } from "../../src/compose/compile-skills.ts";
import { composedFlows, flowsOfRun } from "../../src/compose/flows/composed-flows.ts";
import { failure } from "../../src/core/error.ts";
import type { ComposedFlow } from "../../src/core/flow.ts";
import { isJsonObject, type Json } from "../../src/core/json.ts";
import { fail, ok } from "../../src/core/result.ts";
import { DEFAULT_LIMITS } from "../../src/core/skill.ts";
import { Runner } from "../../src/runner/runner.ts";
import { flowPrograms } from "./flow-programs.ts";
import { skillFolder } from "./read-folder.ts";

const MARKS = new Map([
  ["src.one", "MARKEDONE"],
  ["src.two", "MARKEDTWO"],
  ["src.fails", "MARKEDFAILURE"],
]);
const trust = { isTrusted: () => false, mayWrite: (tool: string) => tool.startsWith("out.") };

const compiler = new SkillCompiler();
const programs = flowPrograms(Number(process.env["FLOW_PROGRAMS"] ?? 60), Number(process.env["FLOW_SEED"] ?? 7));
let written: { readonly tool: string; readonly args: Json }[] = [];
const runner = new Runner({
  limits: DEFAULT_LIMITS,
  workers: Math.min(2, availableParallelism()),
  callTool: async (tool, args) => {
    const mark = MARKS.get(tool);
    if (tool === "src.fails") return fail(failure("TOOL_FAILED", `it says ${mark}`));
    if (mark !== undefined) return ok({ text: mark, count: 3, list: [{ v: mark }, { v: "plain" }] });
    written.push({ tool, args });
    return ok({ fine: true });
  },
});
afterAll(async () => Promise.all([compiler.close(), runner.close()]));

test("a text of a tool that arrives in a call that writes was told to be able to, whatever way it went", async () => {
  const folders = programs.flatMap(({ skills }) => [...skills].map(([name, code]) => skillFolder(name, code)));
  const { skills, diagnostics } = await compiler.compile(folders);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const flows = composedFlows(byName, trust);
  let arrived = 0;
  let surely = 0;
  let free = 0;
  let succeeded = 0;
  for (const { root, skills: code } of programs) {
    written = [];
    const { root: call } = await runner.run(byName, root, { x: "plain" });
    succeeded += call.outcome.ok ? 1 : 0;
    if (!call.outcome.ok) console.log(root, JSON.stringify(call.outcome.error).slice(0, 200));
    const told = flowsOfRun(root, byName, flows);
    if (told.length === 0) free += 1;
    for (const { tool, args } of written) {
      for (const [argument, value] of Object.entries(isJsonObject(args) ? args : {})) {
        for (const [source, mark] of MARKS) {
          if (!JSON.stringify({ [argument]: value }).includes(mark)) continue;
          arrived += 1;
          const isTold = told.some(isOf({ source, write: tool, argument }));
          const kinds = told.filter(isOf({ source, write: tool, argument })).map(({ kind }) => kind);
          surely += kinds.includes("value") ? 1 : 0;
          if (!isTold) expect.fail(`${root}: ${source} -> ${tool}.${argument} was not told\n${[...code.values()].join("\n---\n")}`);
        }
      }
    }
  }
  console.log({ programs: programs.length, arrived, surely, free, succeeded });
  // The check is no check where nothing arrives, where everything fails or where everything is told to flow.
  expect(arrived).toBeGreaterThan(programs.length / 2);
  expect(succeeded).toBeGreaterThan(programs.length / 2);
  expect(free).toBeGreaterThan(0);
}, 120_000);

function isOf(wanted: { source: string; write: string; argument: string }): (flow: ComposedFlow) => boolean {
  return ({ source, write, argument }) =>
    (source === wanted.source || source === "?") &&
    (write === wanted.write || write === "?") &&
    (argument === undefined || argument === wanted.argument);
}
