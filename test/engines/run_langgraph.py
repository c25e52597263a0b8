"""
Runs an exported graph, or goes on with it: prints what it waits for, or how it has ended. Given "to the end" behind the
input, it agrees to whatever it is asked.
"""

import asyncio
import importlib
import json
import sys
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

folder, module, thread, given, *more = sys.argv[1:]
sys.path.insert(0, folder)
skill = importlib.import_module(module)


async def main() -> dict[str, Any]:
    async with AsyncSqliteSaver.from_conn_string(f"{folder}/runs.sqlite") as checkpointer:
        app = skill.graph.compile(checkpointer=checkpointer)
        config: Any = {"configurable": {"thread_id": thread}}
        known = await app.aget_state(config)
        waits = any(each.interrupts for each in known.tasks)
        resumed = Command(resume=given != "no") if waits else None if known.next else {"given": json.loads(given)}
        try:
            state = await app.ainvoke(resumed, config, durability="sync")
            while more and "__interrupt__" in state:
                state = await app.ainvoke(Command(resume=True), config, durability="sync")
        except skill.SkillError as error:
            return {"error": error.code}
        waiting = [each.value for each in state.get("__interrupt__", [])]
        return {"waiting": waiting} if waiting else {"output": state["result"]}


print(json.dumps(asyncio.run(main())))
