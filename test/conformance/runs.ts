import { spawnSync } from "node:child_process";
import * as z from "zod";
import { failure } from "../../src/core/error.ts";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { fail, ok, type Result } from "../../src/core/result.ts";
import { pythonCode } from "../../src/learn/codegen/python-code.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import type { Plan } from "../../src/learn/plan/plan.ts";
import { canonicalJson } from "../../src/learn/plan/values.ts";
import type { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "../runner/skill-set.ts";
import type { RandomRun } from "./random-plans.ts";
import type { Case, Ending, RecordedAnswer } from "./cases.ts";
import { ChoiceNeeded, interpreted } from "./interpreter.ts";

/** What a run has come to: the calls that it made, as texts, and how it ended. */
export interface Ran {
  readonly calls: readonly string[];
  readonly ends: Ending;
}

/** What a case says that a run comes to. */
export function expectedRun({ plan, calls, ends }: Case): Ran {
  return { calls: ordered(plan, calls.map(callText)), ends };
}

// The order of calls that are made at once is nobody's promise.
function ordered(plan: Case["plan"] | undefined, calls: readonly string[]): readonly string[] {
  return JSON.stringify(plan?.steps).includes('"order":"parallel"') ? calls.toSorted() : calls;
}

function callText({ tool, args }: { readonly tool: string; readonly args: Json }): string {
  return `${tool} ${canonicalJson(args)}`;
}

/** Answers calls as they were recorded, each once. */
class Answers {
  readonly made: string[] = [];
  readonly #left: RecordedAnswer[];

  constructor(recorded: readonly RecordedAnswer[]) {
    this.#left = [...recorded];
  }

  take(tool: string, args: Json): RecordedAnswer | undefined {
    const text = callText({ tool, args });
    this.made.push(text);
    const found = this.#left.findIndex((each) => callText(each) === text);
    return found < 0 ? undefined : this.#left.splice(found, 1)[0];
  }
}

const UNKNOWN = "There is no such call";

/** The printed TypeScript in the sandbox. */
export async function inSandbox(runner: Pick<Runner, "run">, each: Case): Promise<Ran> {
  return ranCode(runner, each, skillCode(each.plan));
}

/** A module in the sandbox that does what a case is about. */
export async function ranCode(
  runner: Pick<Runner, "run">,
  { plan, input, calls }: Case,
  code: string,
): Promise<Ran> {
  const answers = new Answers(calls);
  const { root } = await runner.run(skillSet({ conforming: code }), "conforming", input, {
    callTool: (tool, args) => {
      const { result = null, error } = answers.take(tool, args) ?? { error: UNKNOWN };
      return Promise.resolve(error === undefined ? ok(result) : fail(failure("TOOL_FAILED", error)));
    },
  });
  const { outcome } = root;
  const ends: Ending = outcome.ok
    ? { output: outcome.output }
    : { stops: outcome.error.code === "CHOICE_NEEDED" ? "choice" : "error" };
  return { calls: ordered(plan, answers.made), ends };
}

/** The plan's steps, one after the other, with the evaluator. */
export async function evaluated({ plan, input, calls }: Case): Promise<Ran> {
  const answers = new Answers(calls);
  const ends = await endOf(
    interpreted(plan, input, async (tool, args) => {
      const { result = null, error } = answers.take(tool, args) ?? { error: UNKNOWN };
      if (error !== undefined) throw new Error(error);
      return Promise.resolve(result);
    }),
  );
  return { calls: ordered(plan, answers.made), ends };
}

interface PythonOptions {
  readonly python?: string;
  /** A module whose `run` is the plan; where it is an engine's, with functions of its own that make calls. */
  readonly printed?: (plan: Plan) => Result<string>;
}

/** The printed Python, all cases in one process; undefined: there is no Python. */
export function inPython(
  cases: readonly Case[],
  { python = "python3", printed = pythonCode }: PythonOptions = {},
): readonly Ran[] | undefined {
  const modules = cases.map((each) => {
    const code = printed(each.plan);
    if (!code.ok) throw new Error(`${each.name}: ${code.error.message}`);
    return { code: code.value, input: each.input, calls: each.calls };
  });
  const { status, stdout, stderr, error } = spawnSync(python, ["-c", DRIVER], {
    input: JSON.stringify(modules),
    encoding: "utf8",
    maxBuffer: 100_000_000,
  });
  if (error) return undefined;
  if (status !== 0) throw new Error(stderr.slice(-4000));
  const ran = z.array(z.strictObject({ made: z.array(json), ends: z.unknown() })).parse(JSON.parse(stdout));
  return ran.map(({ made, ends }, nth) => ({
    calls: ordered(cases[nth]?.plan, made.map(callText)),
    ends: ends as Ending,
  }));
}

const json = z.strictObject({ tool: z.string(), args: z.custom<Json>() });

const DRIVER = String.raw`
import ast, asyncio, json, sys, types

def key(tool, args):
    return tool + json.dumps(args, sort_keys=True)

def normal(value):
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53: return int(value)
    if isinstance(value, list): return [normal(each) for each in value]
    if isinstance(value, dict): return {name: normal(each) for name, each in value.items()}
    return value

def whole(text):
    # Beyond this, JSON that is read in JavaScript has the nearest double.
    return int(text) if abs(int(text)) < 2**53 else float(text)

def run(case):
    made, left = [], [dict(each) for each in case["calls"]]
    async def call_tool(tool, args):
        made.append({"tool": tool, "args": args})
        wanted = key(tool, normal(args))
        for nth, each in enumerate(left):
            if key(each["tool"], normal(each["args"])) == wanted:
                answer = left.pop(nth)
                await asyncio.sleep(0)
                if "error" in answer: raise RuntimeError(answer["error"])
                return answer.get("result")
        raise RuntimeError("There is no such call")
    ast.parse(case["code"])
    sys.modules["conforming"] = types.ModuleType("conforming")
    module = sys.modules["conforming"].__dict__
    exec(compile(case["code"], "conforming.py", "exec"), module)
    async def coded(tool, args, key=None):
        try:
            return await call_tool(tool, args)
        except RuntimeError as error:
            raise module["ToolError"](str(error))
    try:
        if "ToolError" in module:
            module.update(call_tool=coded, call_skill=coded)
            output = asyncio.run(module["run"](case["input"]))
        else:
            skills = [call_tool] if "call_skill: Callable" in case["code"] else []
            output = asyncio.run(module["run"](case["input"], call_tool, *skills))
        return {"made": made, "ends": {"output": output}}
    except Exception as error:
        names = [each.__name__ for each in type(error).__mro__]
        if not {"PlanError", "SkillError"} & set(names) and not isinstance(error, RuntimeError):
            import traceback; traceback.print_exc(); print(case["code"][:3000], file=sys.stderr)
            return {"made": made, "ends": {"stops": "fault " + repr(error)}}
        return {"made": made, "ends": {"stops": "choice" if "ChoiceNeeded" in names or getattr(error, "code", "") == "CHOICE_NEEDED" else "error"}}

print(json.dumps([run(case) for case in json.load(sys.stdin, parse_int=whole)]))
`;

/** A random run as a case: the evaluator tells what calls are made and what comes of it. */
export async function randomCase({ plan, input, answers }: RandomRun): Promise<Case> {
  const calls: RecordedAnswer[] = [];
  const ends = await endOf(
    interpreted(plan, input, async (tool, args) => {
      const answer = answers[calls.length % answers.length] ?? { result: null };
      calls.push({ tool, args: structuredClone(args) as JsonObject, ...answer });
      if ("error" in answer) throw new Error(answer.error);
      return Promise.resolve(answer.result);
    }),
  );
  return { name: JSON.stringify(plan), plan, input, calls, ends };
}

function endOf(output: Promise<Json>): Promise<Ending> {
  return output.then(
    // A number's sign is not carried where it is zero.
    (given): Ending => ({ output: JSON.parse(JSON.stringify(given)) as Json }),
    (error: unknown): Ending => ({ stops: error instanceof ChoiceNeeded ? "choice" : "error" }),
  );
}
