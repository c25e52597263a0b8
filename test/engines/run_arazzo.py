"""Runs exported workflows, each a folder with its input: how each has ended, as one line of JSON."""

import json
import runpy
import sys
from pathlib import Path

ended = []
for folder, given in json.loads(Path(sys.argv[1]).read_text()):
    program = runpy.run_path(str(Path(folder) / "run.py"))
    try:
        ended.append({"output": program["run"](given)})
    except program["SkillError"] as error:
        ended.append({"error": error.code, "why": str(error)})
print(json.dumps(ended))
