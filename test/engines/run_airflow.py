"""
Runs exported DAGs, one after the other, and prints how each run has ended. It takes a list of [folder, skill, input], or
of [folder, skill, input, answers], where calls are answered as they were recorded, and told.
"""

import importlib
import json
import sys
from typing import Any

from airflow.sdk.exceptions import ParamValidationError


def ended(folder: str, name: str, given: Any, answers: list[Any] | None = None) -> dict[str, Any]:
    sys.path.insert(0, folder)
    skill = importlib.import_module(f"{name}_dag")
    codes: list[str] = []
    made: list[Any] = []
    known = skill.AirflowFailException

    class Failed(known):
        def __init__(self, message: str) -> None:
            codes.append(message.split(":")[0])
            super().__init__(message)

    async def answered(tool: str, args: Any, key: str | None = None) -> Any:
        made.append({"tool": tool, "args": args})
        fitting = [each for each in answers or [] if each["tool"] == tool and each["args"] == args]
        if not fitting or "error" in fitting[0]:
            raise skill.ToolError(fitting[0]["error"] if fitting else "There is no such call")
        return fitting[0].get("result")

    skill.AirflowFailException = Failed
    if answers is not None:
        skill.call_tool = answered
    told = {} if answers is None else {"made": made}
    try:
        run = getattr(skill, f"{name}_dag").test(run_conf=given)
    except ParamValidationError:
        return {**told, "error": "INPUT_INVALID"}
    finally:
        skill.AirflowFailException = known
    if codes:
        return {**told, "error": codes[0]}
    instance = run.get_task_instance("finish")
    return {**told, "output": instance.xcom_pull(task_ids="finish", dag_id=run.dag_id)}


told = [ended(*each) for each in json.loads(sys.argv[1])]
print(f"\n{json.dumps(told)}")
