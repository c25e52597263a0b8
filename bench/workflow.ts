// A workflow document beside the same skill written by hand: the same calls, on the same runner.
import { DEFAULT_LIMITS } from "../src/core/limits.ts";
import type { Json } from "../src/core/json/json.ts";
import { ok } from "../src/core/result.ts";
import { type CallTool, Runner } from "../src/runner/runner.ts";
import { readWorkflow } from "../src/workflow/read-workflow.ts";
import { workflowCode } from "../src/workflow/workflow-code.ts";
import { skillSet } from "../test/runner/skill-set.ts";
import { type Measurement, measured, median } from "./measurement.ts";

const ROUNDS = 400;
const WARM_UP = 100;

const skillTask = (id: string, x: string): object => ({
  task_id: id,
  type: "skill_task",
  skill: "double",
  arguments: { x: { $from: x } },
  parallel_group: "doubles",
});

const DOCUMENT = {
  skill_schema_version: "1.0",
  skill: {
    metadata: { name: "from-document", description: "Reads a price twice and doubles it." },
    interface: {
      inputs: [{ name: "line", type: "string" }],
      outputs: [{ name: "sum", type: "number" }],
    },
    workflow: {
      tasks: [
        ...["one", "other"].map((id) => ({
          task_id: id,
          type: "tool_call_task",
          tools: [{ name: "shop.read" }],
          parallel_group: "reads",
          inputs: { from_skill_inputs: ["line"] },
          outputs: { price: "number" },
          success_criteria: [{ check: "outputs.price > 0" }],
        })),
        skillTask("first", "tasks.one.price"),
        skillTask("second", "tasks.other.price"),
        {
          task_id: "add",
          type: "code_execution_task",
          arguments: { a: { $from: "tasks.first.result" }, b: { $from: "tasks.second.result" } },
          code: "return { sum: a + b };",
          outputs: { sum: "number" },
        },
      ],
    },
  },
};

const BY_HAND = `export default async ({ line }) => {
  const one = async () => {
    const { price } = await call_tool("shop.read", { line });
    if (!(price > 0)) throw new Error("no price");
    return (await call_skill("double", { x: price })).result;
  };
  const [a, b] = await Promise.all([one(), one()]);
  return { sum: a + b };
};`;

export async function workflowMeasurements(): Promise<readonly Measurement[]> {
  const { document, findings } = readWorkflow(JSON.stringify(DOCUMENT), "json");
  if (!document || findings.length > 0) throw new Error(JSON.stringify(findings));
  const skills = skillSet({
    "from-document": workflowCode(document).code,
    "by-hand": BY_HAND,
    double: "export default ({ x }) => ({ result: 2 * x });",
  });
  const callTool: CallTool = async () => Promise.resolve(ok({ price: 3 }));
  const runner = new Runner({ limits: DEFAULT_LIMITS, workers: 1 });
  const times = { "from-document": [] as number[], "by-hand": [] as number[] };
  const timed = async (skill: keyof typeof times, round: number): Promise<void> => {
    // Another input each time, so that no answer is kept.
    const input: Json = { line: `${skill} ${round}` };
    const started = performance.now();
    const { root } = await runner.run(skills, skill, input, { callTool });
    const ms = performance.now() - started;
    if (!root.outcome.ok) throw new Error(root.outcome.error.message);
    if (root.calls.length !== 4) throw new Error(`${skill} made ${root.calls.length} calls`);
    if (round >= WARM_UP) times[skill].push(ms);
  };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const first = round % 2 === 0 ? "from-document" : "by-hand";
      await timed(first, round);
      await timed(first === "by-hand" ? "from-document" : "by-hand", round);
    }
  } finally {
    await runner.close();
  }
  return [
    measured(
      "workflow document of 2 tools, 2 skills and code, p50",
      median(times["from-document"]),
      "ms",
      "the same calls by hand",
      median(times["by-hand"]),
    ),
  ];
}
