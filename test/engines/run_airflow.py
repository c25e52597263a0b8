"""Runs exported DAGs, one after the other, and prints how each run has ended. It takes a list of [folder, skill, input]."""

import importlib
import json
import sys
from typing import Any

from airflow.sdk.exceptions import ParamValidationError


def ended(folder: str, name: str, given: Any) -> dict[str, Any]:
    sys.path.insert(0, folder)
    skill = importlib.import_module(f"{name}_dag")
    codes: list[str] = []
    known = skill.AirflowFailException

    class Failed(known):
        def __init__(self, message: str) -> None:
            codes.append(message.split(":")[0])
            super().__init__(message)

    skill.AirflowFailException = Failed
    try:
        run = getattr(skill, f"{name}_dag").test(run_conf=given)
    except ParamValidationError:
        return {"error": "INPUT_INVALID"}
    finally:
        skill.AirflowFailException = known
    if codes:
        return {"error": codes[0]}
    instance = run.get_task_instance("finish")
    return {"output": instance.xcom_pull(task_ids="finish", dag_id=run.dag_id)}


told = [ended(*each) for each in json.loads(sys.argv[1])]
print(f"\n{json.dumps(told)}")
