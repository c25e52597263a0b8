"""Runs an exported graph, whose tools answer what stands last, or fail with a text; prints how each run ended, and whether the credential was kept."""

import asyncio
import importlib
import json
import pathlib
import sys
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

folder, module, given, secret, answers = sys.argv[1:]
sys.path.insert(0, folder)
skill = importlib.import_module(module)


async def ended(answered: Any) -> str:
    left = iter(answered)

    async def call_tool(tool: str, arguments: Any, key: str | None = None) -> Any:
        answer = next(left)
        if isinstance(answer, str):
            raise skill.ToolError(answer)
        return answer

    skill.call_tool = call_tool
    async with AsyncSqliteSaver.from_conn_string(f"{folder}/secret.sqlite") as checkpointer:
        app = skill.graph.compile(checkpointer=checkpointer)
        config: Any = {"configurable": {"thread_id": str(id(answered))}}
        context = json.loads(secret)
        try:
            state = await app.ainvoke({"given": json.loads(given)}, config, context=context, durability="sync")
            while "__interrupt__" in state:
                state = await app.ainvoke(Command(resume=True), config, context=context, durability="sync")
        except skill.SkillError as error:
            return f"{error.code}: {error}"
        return "ended"


async def main() -> list[str]:
    return [await ended(each) for each in json.loads(answers)]


told = asyncio.run(main())
password = next(iter(json.loads(secret).values()))
kept = any(password.encode() in each.read_bytes() for each in pathlib.Path(folder).glob("secret.sqlite*"))
print(json.dumps({"told": told, "isKept": kept}))
