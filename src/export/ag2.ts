import { enclosed, layoutText } from "../learn/codegen/layout.ts";
import { helperTexts } from "../learn/codegen/python-code.ts";
import { pythonLiteral } from "../learn/codegen/python-literal.ts";
import { INDENT } from "../learn/codegen/python-steps.ts";
import type { Plan } from "../learn/plan/plan.ts";
import { skillsOf, toolsOf } from "../learn/plan/steps.ts";
import { ag2Readme, ag2Test } from "./ag2-files.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";
import { pythonAdapter } from "./python-engine.ts";
import { CLIENT_NAMES, clientTexts, codedHelpers } from "./python-client.ts";
import { planNodes } from "./python-nodes.ts";

/**
 * AG2: an agent that has the tools, with the skill's steps in the place of a model. Its turns are the calls that the steps
 * ask for, in their order, several in one turn where rounds are made at once.
 */
export const AG2_AGENT = pythonAdapter({
  name: "ag2",
  noun: "agent",
  requirement: "ag2==1.2.1",
  imports: {
    ag2: ["Agent", "tool"],
    "ag2.config": ["ModelConfig"],
    "ag2.events": ["ModelMessage", "ModelResponse", "ToolCallEvent", "ToolCallsEvent", "ToolResultsEvent"],
  },
  secretFault: () =>
    "it is a credential, and an agent keeps what it is told and calls: have the tool's own server know it",
  definitions,
  test: ag2Test,
  readme: ag2Readme,
});

const TAKEN = [
  ...CLIENT_NAMES,
  ...(
    "Agent ModelConfig ModelMessage ModelResponse ToolCallEvent ToolCallsEvent ToolResultsEvent Calls Steps agent calls " +
    "output run steps tool tool_of"
  ).split(" "),
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
    STEPS,
    toolText(skills.length > 0),
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

const CALLS = `class Calls:
    """What the steps ask for, until the agent's next turn makes it."""

    def __init__(self, given: Any) -> None:
        self.run = uuid4().hex
        self.count = 0
        self.asked: list[ToolCallEvent] = []
        self.waiting: dict[str, asyncio.Future[Any]] = {}
        self.called = asyncio.Event()
        self.work = asyncio.create_task(steps(given, self))

    async def read(self, name: str, arguments: Any) -> Any:
        return await self.answer(name, {"arguments": arguments})

    async def write(self, name: str, arguments: Any) -> Any:
        """With a key, which is the same where something about the agent makes the call again."""
        return await self.answer(name, {"arguments": arguments, "key": f"{self.run}/{self.count + 1}"})

    async def answer(self, name: str, given: Any) -> Any:
        self.count += 1
        call = ToolCallEvent(id=f"{self.run}/{self.count}", name=name, arguments=json.dumps(given))
        self.asked.append(call)
        self.waiting[call.id] = asyncio.get_running_loop().create_future()
        self.called.set()
        told = await self.waiting[call.id]
        if "answer" not in told:
            raise ToolError(told["message"], told["code"])
        return told["answer"]

    def answered(self, results: Any) -> None:
        for each in results:
            waiting = self.waiting.pop(each.parent_id)
            error = getattr(each, "error", None)
            if error is None:
                waiting.set_result(json.loads(each.result.parts[0].content))
            else:
                waiting.set_exception(SkillError(f"{each.name}: {error!r}"))

    async def next(self) -> list[ToolCallEvent]:
        """What is called next: all that the steps ask for at once, or nothing where they have ended."""
        called = asyncio.create_task(self.called.wait())
        await asyncio.wait({self.work, called}, return_when=asyncio.FIRST_COMPLETED)
        called.cancel()
        await asyncio.sleep(0)
        self.called.clear()
        asked, self.asked = self.asked, []
        return [] if self.work.done() else asked`;

const STEPS = `class Steps(ModelConfig):
    """Stands in the place of a model: says which tools are called, and at the end the output as JSON."""

    provider: Any = "repertoire"
    model = "steps"

    def copy(self) -> Steps:
        return self

    def create(self) -> Any:
        calls: Any = None

        async def turn(messages: Any, context: Any, **_: Any) -> ModelResponse:
            nonlocal calls
            last = messages[-1]
            if isinstance(last, ToolResultsEvent):
                calls.answered(last.results)
            else:
                calls = Calls(json.loads(last.parts[-1].content))
            asked = await calls.next()
            if asked:
                return ModelResponse(tool_calls=ToolCallsEvent(asked))
            message = ModelMessage(json.dumps(calls.work.result()))
            await context.send(message)
            return ModelResponse(message)

        return turn`;

function toolText(hasSkills: boolean): string {
  const call = hasSkills
    ? "(call_skill if is_skill else call_tool)(name, arguments, key)"
    : "call_tool(name, arguments, key)";
  return `def tool_of(name: str${hasSkills ? ", is_skill: bool = False" : ""}) -> Any:
    """A tool of the agent's: what came of a call, as JSON."""

    @tool(name=name, description=f"Calls {name}.")
    async def called(arguments: Any, key: str | None = None) -> str:
        try:
            return json.dumps({"answer": await ${call}})
        except ToolError as error:
            return json.dumps({"code": error.code, "message": str(error)})

    return called`;
}

function agentText(
  { name, description = name }: ExportedSkill,
  tools: readonly string[],
  skills: readonly string[],
): string {
  const made = [
    ...tools.map((each) => `tool_of(${pythonLiteral(each)})`),
    ...skills.map((each) => `tool_of(${pythonLiteral(each)}, is_skill=True)`),
  ];
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
