import { layoutText } from "../learn/codegen/layout.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";
import { secretsOf } from "./export-files.ts";
import {
  answeredText,
  casesLiteral,
  exampleLiteral,
  servedOnly,
  startText,
  testBegin,
} from "./python-files.ts";

/** The skill's cases against the graph, whose calls are answered with what they tell. */
export function langGraphTest(skill: ExportedSkill, module: string): string {
  const isServed = skill.work.kind === "call";
  const cases = casesLiteral(skill);
  return `${testBegin(skill)}

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import ${module} as skill

${layoutText(["CASES: list[dict[str, Any]] = ", cases], "")}
${secretsText(skill)}


class Cases(unittest.IsolatedAsyncioTestCase):
    def test_graph_compiles(self) -> None:
        skill.graph.compile(checkpointer=InMemorySaver())

    async def test_cases(self) -> None:
${servedOnly(skill)}        for case in CASES:
            with self.subTest(case["name"]):
                answers = list(case["tools"])

${answeredText(`self.assertTrue(fits, f"{tool} is called with {arguments}")`)}

                with mock.patch.object(skill, "call_tool", ${isServed ? "skill.call_tool" : "answered"}):
                    self.assertEqual(await self.ended(case["input"], case["expected"]), case["expected"])
                self.assertEqual(answers, [], "is not called")

    async def ended(self, given: Any, expected: dict[str, Any]) -> dict[str, Any]:
        """How a run ends in which a person agrees to everything, as a case tells it."""
        app = skill.graph.compile(checkpointer=InMemorySaver())
        thread: Any = {"configurable": {"thread_id": "case"}}
        secrets = {name: given[name] for name in SECRETS if name in given}
        own = {name: each for name, each in given.items() if name not in SECRETS} if secrets else given
        context: Any = {"context": secrets} if SECRETS else {}
        try:
            state = await app.ainvoke({"given": own}, thread, **context)
            while "__interrupt__" in state:
                state = await app.ainvoke(Command(resume=True), thread, **context)
        except skill.SkillError as error:
            said = expected.get("message", "")
            told = {"code": error.code} if "code" in expected else {}
            return {**told, "message": said} if said in str(error) else {**told, "message": str(error)}
        return {"output": state["result"]}


if __name__ == "__main__":
    unittest.main()
`;
}

export function langGraphReadme(skill: ExportedSkill, access: ToolAccess, module: string): string {
  const { work } = skill;
  const secrets = secretsOf(skill);
  const context =
    secrets.length > 0
      ? `, context={${secrets.map(({ name }) => `"${name}": os.environ["..."]`).join(", ")}}`
      : "";
  return `# ${skill.name} as a LangGraph graph

\`${module}.py\` has the skill as \`graph\`, a \`StateGraph\` that is not compiled: the checkpointer is yours. ${work.kind === "plan" ? "Each step is a node, in the order of the skill's steps." : "The skill is one node, which calls it where it is served."}

- Before each call that may write the graph stops with an \`interrupt\` of \`{"tool", "arguments"}\`. \`Command(resume=True)\` goes on; anything else ends the run with \`RUN_UNAPPROVED\`.
- Calls that only read are made again where nobody answers. Calls that may write are not.
- The calls of a node that writes are tasks: what came of each is kept by the checkpointer, and not done again when the node begins again. After a crash between a call and its checkpoint the call is repeated with the same key (\`repertoire/idempotencyKey\` in \`_meta\`), which a server that heeds it recognises. Compile and invoke with \`durability="sync"\`.
- What fails raises \`SkillError\`, whose \`code\` is the one that Repertoire has for it.
${secrets.length > 0 ? "- Credentials are given as the graph's context, which no checkpointer keeps, each time it is invoked.\n" : ""}
${startText(skill, access, {
  prepare: ["python -m pip install langgraph-checkpoint-sqlite==3.1.2"],
  example: `import asyncio
${secrets.length > 0 ? "import os\n" : ""}
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from ${module} import graph


async def main() -> None:
    async with AsyncSqliteSaver.from_conn_string("runs.sqlite") as checkpointer:
        app = graph.compile(checkpointer=checkpointer)
        thread = {"configurable": {"thread_id": "1"}}
        given = ${exampleLiteral(skill)}
        state = await app.ainvoke({"given": given}, thread${context}, durability="sync")
        while waiting := state.get("__interrupt__"):
            agreed = input(f"{waiting[0].value}: go on? ") == "yes"
            state = await app.ainvoke(Command(resume=agreed), thread${context}, durability="sync")
        print(state["result"])


asyncio.run(main())`,
})}`;
}

/** The names of what is given as context. */
function secretsText(skill: ExportedSkill): string {
  const secrets = secretsOf(skill);
  return `SECRETS: list[str] = [${secrets.map(({ name }) => `"${name}"`).join(", ")}]`;
}

/** A run in which all that is asked is agreed to: who serves the tools has asked. */
export function langGraphRun(skill: ExportedSkill): string {
  return `${secretsText(skill)}


async def ended(skill: Any, given: Any) -> Any:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    app = skill.graph.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "run"}, "recursion_limit": 10_000}
    secrets = {name: given.pop(name) for name in SECRETS if name in given}
    context: Any = {"context": secrets} if SECRETS else {}
    state = await app.ainvoke({"given": given}, config, **context)
    while "__interrupt__" in state:
        state = await app.ainvoke(Command(resume=True), config, **context)
    return state["result"]`;
}
