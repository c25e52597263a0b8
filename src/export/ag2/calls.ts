import { pythonLiteral } from "../../learn/codegen/python-literal.ts";
import { INDENT } from "../../learn/codegen/python-steps.ts";

/** Names that the texts of all forms of AG2 define. */
export const CALLS_NAMES: readonly string[] = "Calls calls given output run tool tool_of".split(" ");

/** Why a credential cannot be a parameter. */
export const SECRET_FAULT =
  "it is a credential, and an agent keeps what it is told and calls: have the tool's own server know it";

/** What stands between steps, which await their calls, and agents, which make them in turns. */
export const CALLS = `class Calls:
    """What steps ask for, until an agent's turn makes it."""

    def __init__(self, place: str, work: Callable[[Calls], Awaitable[Any]]) -> None:
        self.place = place
        self.count = 0
        self.asked: list[dict[str, str]] = []
        self.waiting: dict[str, asyncio.Future[Any]] = {}
        self.called = asyncio.Event()
        self.work = asyncio.ensure_future(work(self))

    async def read(self, name: str, arguments: Any) -> Any:
        return await self.answer(name, {"arguments": arguments})

    async def write(self, name: str, arguments: Any) -> Any:
        """With a key, which is the same where something about the agent makes the call again."""
        return await self.answer(name, {"arguments": arguments, "key": f"{self.place}/{self.count + 1}"})

    async def answer(self, name: str, given: Any) -> Any:
        self.count += 1
        call = {"id": f"{self.place}/{self.count}", "name": name, "arguments": json.dumps(given)}
        self.asked.append(call)
        self.waiting[call["id"]] = asyncio.get_running_loop().create_future()
        self.called.set()
        told = await self.waiting[call["id"]]
        if "answer" not in told:
            raise ToolError(told["message"], told["code"])
        return told["answer"]

    def answered(self, call: str, text: str) -> None:
        """What came of a call, as its tool told it; else why the tool was not called."""
        waiting = self.waiting.pop(call)
        try:
            waiting.set_result(json.loads(text))
        except ValueError:
            waiting.set_exception(SkillError(text))

    async def next(self) -> list[dict[str, str]]:
        """What is called next: all that the steps ask for at once, or nothing where they have ended."""
        called = asyncio.create_task(self.called.wait())
        await asyncio.wait({self.work, called}, return_when=asyncio.FIRST_COMPLETED)
        called.cancel()
        await asyncio.sleep(0)
        self.called.clear()
        asked, self.asked = self.asked, []
        return [] if self.work.done() else asked`;

/** The function that makes a tool of a name; \`decorator\` stands before what calls it. */
export function toolText(hasSkills: boolean, decorator = ""): string {
  const call = hasSkills
    ? "(call_skill if is_skill else call_tool)(name, arguments, key)"
    : "call_tool(name, arguments, key)";
  return `def tool_of(name: str${hasSkills ? ", is_skill: bool = False" : ""}) -> Any:
    """A tool of the agent's: what came of a call, as JSON."""
${decorator === "" ? "" : `\n${INDENT}${decorator}`}
    async def called(arguments: Any, key: str | None = None) -> str:
        try:
            return json.dumps({"answer": await ${call}})
        except ToolError as error:
            return json.dumps({"code": error.code, "message": str(error)})

    return called`;
}

/** What makes tools of names, as an element of a list or a value of a dictionary. */
export function toolMade(name: string, isSkill: boolean): string {
  return `tool_of(${pythonLiteral(name)}${isSkill ? ", is_skill=True" : ""})`;
}

/** From where the texts below have their names. */
export const MODEL_IMPORTS: { readonly [module: string]: readonly string[] } = {
  ag2: ["Agent", "tool"],
  "ag2.config": ["ModelConfig"],
  "ag2.events": ["ModelMessage", "ModelResponse", "ToolCallEvent", "ToolCallsEvent", "ToolResultsEvent"],
};

/** What makes a function a tool of AG2's. */
export const TOOL = '@tool(name=name, description=f"Calls {name}.")';

interface ModelOptions {
  readonly name: string;
  /** What it does. */
  readonly about: string;
  /** The `Calls` that begin with the `text` that an agent is asked. */
  readonly begin: string;
  /** What is said at the end. */
  readonly told: string;
}

/** What says an agent's turns in the place of a model. */
export function modelText({ name, about, begin, told }: ModelOptions): string {
  return `class ${name}(ModelConfig):
    """Stands in the place of a model: ${about}."""

    provider: Any = "repertoire"
    model = "steps"

    def copy(self) -> ${name}:
        return self

    def create(self) -> Any:
        calls: Any = None

        async def turn(messages: Any, context: Any, **_: Any) -> ModelResponse:
            nonlocal calls
            last = messages[-1]
            if isinstance(last, ToolResultsEvent):
                for each in last.results:
                    error = getattr(each, "error", None)
                    calls.answered(each.parent_id, repr(error) if error else each.result.parts[0].content)
            else:
                text = last.parts[-1].content
                calls = ${begin}
            if asked := await calls.next():
                return ModelResponse(tool_calls=ToolCallsEvent([ToolCallEvent(**each) for each in asked]))
            message = ModelMessage(${told})
            await context.send(message)
            return ModelResponse(message)

        return turn`;
}
