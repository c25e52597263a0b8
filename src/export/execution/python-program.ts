import { pythonLiteral } from "../../learn/codegen/python-literal.ts";

export interface PythonProgram {
  /** The module of the skill. */
  readonly module: string;
  readonly requirements: readonly string[];
  /**
   * The function `ended(skill, given)`, a coroutine function or not, which is given the module and the input: it gives the
   * output, or raises the module's `SkillError`. It may define `prepared(kept)` anew, which is called before the module is
   * loaded with the folder of what is kept. By default the module has a coroutine function `run(given)`.
   */
  readonly run?: string;
}

/** A program that runs an exported module once. */
export function pythonProgram({ module, requirements, run = RUN }: PythonProgram): string {
  const names = requirements.map((each) => pythonLiteral(each.split("==")[0] ?? each));
  return `"""Runs the skill once, with the input on stdin, and writes how it has ended to the file that is named first."""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import inspect
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import Any

BEGAN = time.perf_counter()
REQUIREMENTS = [${names.join(", ")}]


def is_missing(name: str) -> bool:
    try:
        importlib.metadata.version(name)
        return False
    except importlib.metadata.PackageNotFoundError:
        return True


def prepared(kept: pathlib.Path) -> None:
    """What has to be there before the engine is loaded."""


${run}


def end_with_caller() -> None:
    """Where nobody waits any more, nothing goes on."""
    while os.read(0, 1):
        pass
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def told(kept: str) -> dict[str, Any]:
    missing = [name for name in REQUIREMENTS if is_missing(name)]
    if missing:
        return {"missing": missing}
    given = json.loads(sys.stdin.readline())
    threading.Thread(target=end_with_caller, daemon=True).start()
    prepared(pathlib.Path(kept))
    skill = importlib.import_module(${pythonLiteral(module)})
    loaded = time.perf_counter()
    try:
        output = ended(skill, given)
        outcome: dict[str, Any] = {"output": asyncio.run(output) if inspect.iscoroutine(output) else output}
    except skill.SkillError as error:
        outcome = {"error": {"code": error.code, "message": str(error)}}
    times = {"loadMs": (loaded - BEGAN) * 1000, "runMs": (time.perf_counter() - loaded) * 1000}
    return {**outcome, "times": times}


if __name__ == "__main__":
    outcome = told(sys.argv[2])
    pathlib.Path(sys.argv[1]).write_text(json.dumps(outcome))
`;
}

const RUN = `async def ended(skill: Any, given: Any) -> Any:
    return await skill.run(given)`;
