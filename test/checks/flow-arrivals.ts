import { setTimeout as wait } from "node:timers/promises";
import { composedFlows, flowsOfRun } from "../../src/checks/flows/composed-flows.ts";
import { failure } from "../../src/core/error.ts";
import type { ComposedFlow } from "../../src/core/flow.ts";
import { isJsonObject, type Json } from "../../src/core/json/json.ts";
import { fail, ok } from "../../src/core/result.ts";
import type { CallRecord } from "../../src/core/run.ts";
import { type Skill } from "../../src/core/skill.ts";
import type { FlowProgram } from "./flow-programs.ts";
import { skillFolder } from "./read-folder.ts";
import { compiler, runner } from "../shared-threads.ts";

/** How a tool answers; `late` is after all others. */
type Answer = "usual" | "other" | "failing" | "late";

const MARKS = new Map([
  ["src.one", "MARKEDONE"],
  ["src.two", "MARKEDTWO"],
  ["src.fails", "MARKEDFAILURE"],
]);
/** What else each tool may do, while all others do the usual. */
const CHANGES: readonly (readonly [tool: string, answer: Answer])[] = [
  ...["src.one", "src.two"].flatMap((tool) =>
    (["other", "failing", "late"] as const).map((answer) => [tool, answer] as const),
  ),
  ["src.fails", "other"],
  ["out.one", "failing"],
  ["out.two", "failing"],
];
const trust = { isTrusted: () => false, mayWrite: (tool: string) => tool.startsWith("out.") };

export interface Arrivals {
  /** Texts of tools that came into an argument of a call that writes. */
  readonly arrived: number;
  /** Arguments of calls that write, and such calls, that were others since a tool had done something else. */
  readonly changed: number;
  /** Those of both that the analysis had not told, each with its program. */
  readonly untold: readonly string[];
  /** Programs of which nothing was told. */
  readonly free: number;
  readonly succeeded: number;
}

/**
 * Runs programs with marked answers, and again with one tool that answers something else, fails or is late: where
 * a mark arrives, and what a change changes, must have been told of the code.
 */
export async function arrivalsOf(programs: readonly FlowProgram[]): Promise<Arrivals> {
  let changedTool = "";
  let answer: Answer = "usual";
  const answered = async (tool: string, args: Json) => {
    void args;
    const how = tool === changedTool ? answer : "usual";
    if (how === "late") await wait(15);
    const mark = MARKS.get(tool);
    const fails = (tool === "src.fails") !== (how === "failing" || how === "other");
    if (tool === "src.fails" ? fails : how === "failing")
      return fail(failure("TOOL_FAILED", `it says ${mark}`));
    if (mark === undefined) return ok({ fine: true });
    return how === "other"
      ? ok({ text: `${mark}X`, count: 4, list: [{ v: mark }] })
      : ok({ text: mark, count: 3, list: [{ v: mark }, { v: "plain" }] });
  };
  const { skills } = await compiler.compile(
    programs.flatMap((each) => [...each.skills].map(([name, code]) => skillFolder(name, code))),
  );
  const byName: ReadonlyMap<string, Skill> = new Map(skills.map((skill) => [skill.name, skill]));
  const flows = composedFlows(byName, trust);
  const untold: string[] = [];
  const counts = { arrived: 0, changed: 0, free: 0, succeeded: 0 };
  const run = async (root: string, tool: string, how: Answer): Promise<CallRecord> => {
    changedTool = tool;
    answer = how;
    return (await runner.run(byName, root, { x: "plain" }, { callTool: answered })).root;
  };
  for (const { root, skills: code } of programs) {
    const told = flowsOfRun(root, byName, flows);
    const text = [...code.values()].map((each) => each.slice(each.indexOf("export default"))).join("\n");
    const demand = (source: string, { tool, argument }: Place, why: string): void => {
      if (!isTold(told, source, tool, argument))
        untold.push(`${source} -> ${tool} ${argument ?? ""} (${why})\n${text}`);
    };
    const usual = await run(root, "", "usual");
    if (usual.outcome.ok) counts.succeeded += 1;
    if (told.length === 0) counts.free += 1;
    for (const { tool, args } of writesIn(usual)) {
      for (const [argument, value] of Object.entries(isJsonObject(args) ? args : {})) {
        for (const [source, mark] of MARKS) {
          if (!JSON.stringify({ [argument]: value }).includes(mark)) continue;
          counts.arrived += 1;
          demand(source, { tool, argument }, "arrived");
        }
      }
    }
    const called = new Set(callsIn(usual).map(({ name }) => name));
    for (const [source, how] of CHANGES) {
      if (!called.has(source)) continue;
      for (const place of changesBetween(usual, await run(root, source, how))) {
        counts.changed += 1;
        demand(source, place, how);
      }
    }
  }
  return { ...counts, untold };
}

interface Write {
  readonly tool: string;
  readonly args: Json;
}

/** An argument of a call that writes; without one, the call itself. */
interface Place {
  readonly tool: string;
  readonly argument?: string;
}

function isTold(
  flows: readonly ComposedFlow[],
  source: string,
  tool: string,
  argument: string | undefined,
): boolean {
  return flows.some(
    (flow) =>
      (flow.source === source || flow.source === "?") &&
      (flow.write === tool || flow.write === "?") &&
      (flow.argument === undefined || argument === undefined || flow.argument === argument),
  );
}

function callsIn(call: CallRecord): readonly CallRecord[] {
  return call.calls.flatMap((each) => [each, ...callsIn(each)]);
}

function writesIn(call: CallRecord): readonly Write[] {
  return callsIn(call)
    .filter(({ kind, name }) => kind === "tool" && name.startsWith("out."))
    .map(({ name, input }) => ({ tool: name, args: input }));
}

/** The calls of skills that end as they should, by what a skill that fails leaves undone: that is no flow. */
function isWhole(call: CallRecord): boolean {
  return [call, ...callsIn(call)].every(({ kind, outcome }) => kind === "tool" || outcome.ok);
}

/** What two runs of a program write differently, in whatever order. A run that ends early may leave out the rest. */
function changesBetween(one: CallRecord, other: CallRecord): readonly Place[] {
  const isExact = isWhole(one) && isWhole(other);
  const [left, right] = [writesIn(one), writesIn(other)];
  return ["out.one", "out.two"].flatMap((tool) => {
    const rest = (some: readonly Write[], others: readonly Write[]): Json[] => {
      const open = others.filter((each) => each.tool === tool).map(({ args }) => JSON.stringify(args));
      return some
        .filter((each) => each.tool === tool)
        .flatMap(({ args }) => {
          const at = open.indexOf(JSON.stringify(args));
          if (at === -1) return [args];
          open.splice(at, 1);
          return [];
        });
    };
    const [gone, come] = [rest(left, right), rest(right, left)];
    if (gone.length !== come.length) return isExact ? [{ tool }] : [];
    return gone.flatMap((args, index) =>
      argumentsThatDiffer(args, come[index]).map((argument): Place => ({ tool, argument })),
    );
  });
}

function argumentsThatDiffer(one: Json, other: Json | undefined): readonly string[] {
  const [left, right] = [isJsonObject(one) ? one : {}, other && isJsonObject(other) ? other : {}];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (name) => JSON.stringify(left[name]) !== JSON.stringify(right[name]),
  );
}
