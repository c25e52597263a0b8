"""
Runs exported skills, one after the other, as `run --on` does, and prints how each has ended. It takes a file with a list
of [folder, module, input]; in each folder is the program as `run_once.py`.
"""

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import sys
from pathlib import Path
from typing import Any


def ended(folder: str, module: str, given: Any) -> dict[str, Any]:
    os.chdir(folder)
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location("run_once", "run_once.py")
    once = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(once)
    # One Airflow has all DAGs.
    if "AIRFLOW_HOME" not in os.environ:
        once.prepared(Path(folder))
    skill = importlib.import_module(module)
    try:
        output = once.ended(skill, given)
        return {"output": asyncio.run(output) if inspect.iscoroutine(output) else output}
    except skill.SkillError as error:
        return {"error": error.code}
    finally:
        sys.path.remove(folder)
        del sys.modules[module]


told = [ended(*each) for each in json.loads(Path(sys.argv[1]).read_text())]
print(f"\n{json.dumps(told)}")
