import { enclosed, layoutText } from "../../learn/codegen/layout.ts";
import { helperTexts } from "../../learn/codegen/python-code.ts";
import { pythonLiteral } from "../../learn/codegen/python-literal.ts";
import { INDENT } from "../../learn/codegen/python-steps.ts";
import type { Plan } from "../../learn/plan/plan.ts";
import { skillsOf, toolsOf } from "../../learn/plan/steps.ts";
import type { ExportedSkill, ToolAccess } from "../engine-adapter.ts";
import { pythonAdapter } from "../python-engine.ts";
import { CLIENT_NAMES, clientTexts, codedHelpers } from "../python-client.ts";
import { planNodes } from "../python-nodes.ts";
import { ag2Test, agentReadme } from "./ag2-files.ts";
import {
  CALLS,
  CALLS_NAMES,
  MODEL_IMPORTS,
  modelText,
  SECRET_FAULT,
  TOOL,
  toolMade,
  toolText,
} from "./calls.ts";

/**
 * AG2: an agent that has the tools, with the skill's steps in the place of a model. Its turns are the calls that the steps
 * ask for, in their order, several in one turn where rounds are made at once.
 */
export const AG2_AGENT = pythonAdapter({
  name: "ag2",
  noun: "agent",
  requirement: "ag2==1.2.1",
  imports: MODEL_IMPORTS,
  secretFault: () => SECRET_FAULT,
  definitions,
  test: ag2Test,
  readme: agentReadme,
});

const TAKEN = [
  ...CLIENT_NAMES,
  ...CALLS_NAMES,
  ...Object.values(MODEL_IMPORTS).flat(),
  ..."Steps agent steps".split(" "),
];

function definitions(skill: ExportedSkill, access: ToolAccess): readonly string[] {
  const { work } = skill;
  const { helpers, steps, tools, skills } =
    work.kind === "plan" ? planSteps(work.plan) : callSteps(skill.name, work.mayWrite);
  return [
    ...clientTexts(skill, access),
    ...helperTexts(helpers, codedHelpers()),
    steps,
    CALLS,
    modelText({
      name: "Steps",
      about: "says which tools are called, and at the end the output as JSON",
      begin: "Calls(uuid4().hex, lambda calls: steps(json.loads(text), calls))",
      told: "json.dumps(calls.work.result())",
    }),
    toolText(skills.length > 0, TOOL),
    agentText(skill, tools, skills),
    RUN,
  ];
}

interface StepsText {
  readonly helpers: Iterable<string>;
  /** The function that has the steps. */
  readonly steps: string;
  readonly tools: readonly string[];
  readonly skills: readonly string[];
}

const SIGNATURE = "async def steps(given: Any, calls: Calls) -> Any:";

function planSteps(plan: Plan): StepsText {
  const { nodes, output, helpers } = planNodes(plan, {
    taken: TAKEN,
    indent: INDENT,
    callee: (_, effect) => (effect === "writes" ? "calls.write" : "calls.read"),
  });
  const lines = [
    SIGNATURE,
    `${INDENT}check(given, INPUT, "INPUT_INVALID")`,
    ...nodes.flatMap((node) => node.lines),
    output(INDENT, "output = "),
    `${INDENT}check(output, OUTPUT, "OUTPUT_INVALID")`,
    `${INDENT}return output`,
  ];
  return { helpers, steps: lines.join("\n"), tools: toolsOf(plan.steps), skills: skillsOf(plan.steps) };
}

function callSteps(skill: string, mayWrite: boolean): StepsText {
  const callee = mayWrite ? "calls.write" : "calls.read";
  const line = `${INDENT}return await ${callee}(${pythonLiteral(skill)}, given)`;
  return { helpers: [], steps: `${SIGNATURE}\n${line}`, tools: [], skills: [skill] };
}

function agentText(
  { name, description = name }: ExportedSkill,
  tools: readonly string[],
  skills: readonly string[],
): string {
  const made = [...tools.map((each) => toolMade(each, false)), ...skills.map((each) => toolMade(each, true))];
  return layoutText(
    [
      "agent = Agent",
      enclosed(
        "(",
        [
          pythonLiteral(name),
          `prompt=${pythonLiteral(description)}`,
          "config=Steps()",
          ["tools=", enclosed("[", made, "]")],
        ],
        ")",
      ),
    ],
    "",
  );
}

const RUN = `async def run(given: Any) -> Any:
    """What the agent gives for an input. What fails raises SkillError."""
    reply = await agent.ask(json.dumps(given))
    return json.loads(reply.body)`;
