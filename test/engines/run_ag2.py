"""Runs exported agents, one after the other, and prints how each run has ended. It takes a list of [folder, module, input]."""

import asyncio
import importlib
import json
import sys
from typing import Any


async def ended(folder: str, module: str, given: Any) -> dict[str, Any]:
    sys.path.insert(0, folder)
    skill = importlib.import_module(module)
    try:
        return {"output": await skill.run(given)}
    except skill.SkillError as error:
        return {"error": error.code}


async def main() -> list[Any]:
    return [await ended(*each) for each in json.loads(sys.argv[1])]


print(json.dumps(asyncio.run(main())))
