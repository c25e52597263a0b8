import { SkillCompiler } from "../../src/compose/compile-skills.ts";
import { composedFlows, flowsOfRun } from "../../src/compose/flows/composed-flows.ts";
import { failure } from "../../src/core/error.ts";
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

export interface Arrivals {
  /** Texts of tools that came into an argument of a call that writes. */
  readonly arrived: number;
  /** Those of them that the analysis had not told, each with its program. */
  readonly untold: readonly string[];
  /** Programs of which nothing was told. */
  readonly free: number;
  readonly succeeded: number;
}

/** Runs random programs with marked answers, and compares where the marks arrive with what was told of the code. */
export async function arrivalsOf(count: number, seed: number): Promise<Arrivals> {
  const programs = flowPrograms(count, seed);
  const written: { readonly tool: string; readonly args: Json }[] = [];
  const compiler = new SkillCompiler();
  const runner = new Runner({
    limits: DEFAULT_LIMITS,
    workers: 1,
    callTool: async (tool, args) => {
      const mark = MARKS.get(tool);
      if (tool === "src.fails") return fail(failure("TOOL_FAILED", `it says ${mark}`));
      if (mark !== undefined) return ok({ text: mark, count: 3, list: [{ v: mark }, { v: "plain" }] });
      written.push({ tool, args });
      return ok({ fine: true });
    },
  });
  try {
    const { skills } = await compiler.compile(
      programs.flatMap((each) => [...each.skills].map(([name, code]) => skillFolder(name, code))),
    );
    const byName = new Map(skills.map((skill) => [skill.name, skill]));
    const flows = composedFlows(byName, trust);
    const untold: string[] = [];
    const counts = { arrived: 0, free: 0, succeeded: 0 };
    for (const { root, skills: code } of programs) {
      written.length = 0;
      const run = await runner.run(byName, root, { x: "plain" });
      if (run.root.outcome.ok) counts.succeeded += 1;
      const told = flowsOfRun(root, byName, flows);
      if (told.length === 0) counts.free += 1;
      for (const { tool, args } of written) {
        for (const [argument, value] of Object.entries(isJsonObject(args) ? args : {})) {
          for (const [source, mark] of MARKS) {
            if (!JSON.stringify({ [argument]: value }).includes(mark)) continue;
            counts.arrived += 1;
            const isTold = told.some(
              (flow) =>
                flow.source === source &&
                flow.write === tool &&
                (flow.argument === undefined || flow.argument === argument),
            );
            if (!isTold) untold.push(`${source} -> ${tool} ${argument}\n${[...code.values()].join("\n")}`);
          }
        }
      }
    }
    return { ...counts, untold };
  } finally {
    await Promise.all([compiler.close(), runner.close()]);
  }
}
