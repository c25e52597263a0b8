import type { ExportedSkill } from "../engine-adapter.ts";
import { sampleInput } from "../export-files.ts";

export const ARAZZO_REQUIREMENTS: readonly [string, string] = ["arazzo-runner==0.9.6", "jsonschema==4.26.0"];

/** A run whose tools are called at another address, with the functions of a `PythonProgram`. */
export const ARAZZO_RUN = `def prepared(kept: pathlib.Path) -> None:
    file = pathlib.Path("openapi.json")
    served = {"url": os.environ["REPERTOIRE_URL"].removesuffix("/mcp")}
    file.write_text(json.dumps({**json.loads(file.read_text()), "servers": [served]}))


def ended(skill: Any, given: Any) -> Any:
    return skill.run(given)`;

/** A program that runs the workflow once, and holds what its runner does not. */
export function arazzoProgram({ name, work }: ExportedSkill): string {
  const isPlan = work.kind === "plan";
  const isWhole = !isPlan || work.plan.output.value.kind !== "object";
  const check = isPlan
    ? `
def check(code: str, schema: dict, value: object) -> None:
    for error in Draft202012Validator(schema).iter_errors(value):
        raise SkillError(code, error.message)

`
    : "";
  const lines = (text: string): string => (isPlan ? `    ${text}\n` : "");
  return `"""Runs the workflow ${name} once: python run.py '{...}'"""

import json
import sys
from pathlib import Path

from arazzo_runner import ArazzoRunner
from arazzo_runner.models import WorkflowExecutionStatus
${isPlan ? "from jsonschema import Draft202012Validator\n" : ""}
DOCUMENT = Path(__file__).parent / ${JSON.stringify(`${name}.arazzo.yaml`)}


class SkillError(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

${check}
def run(given: object) -> object:
    """Gives the output; what fails is a SkillError with its code."""
    runner = ArazzoRunner.from_arazzo_path(str(DOCUMENT))
    [workflow] = runner.arazzo_doc["workflows"]
${lines('check("INPUT_INVALID", workflow["inputs"], given)')}    execution = runner.start_workflow(workflow["workflowId"], ${isPlan ? "given" : '{"input": given}'})
    # The runner's own loop goes on behind a call that nobody answers, and behind one that is to be made again.
    while (result := runner.execute_next_step(execution))["status"] == WorkflowExecutionStatus.STEP_COMPLETE:
        pass
    if result["status"] != WorkflowExecutionStatus.WORKFLOW_COMPLETE:
        told = runner.execution_states[execution].step_outputs or {}
        problem = told.get(result["step_id"], {}).get("runner_error_context", {}).get("http_response")
        if isinstance(problem, dict) and "code" in problem:
            raise SkillError(problem["code"], f"{result['step_id']}: {problem.get('detail')}")
        raise SkillError("SKILL_THREW", f"{result['step_id']}: {result.get('error')}")
    output = result["outputs"]${isWhole ? '["output"]' : ""}
${lines('check("OUTPUT_INVALID", workflow["x-output"], output)')}    return output


if __name__ == "__main__":
    try:
        print(json.dumps(run(json.loads(sys.argv[1]))))
    except SkillError as error:
        sys.exit(f"{error.code}: {error}")
`;
}

/** How a document is run, and what its runner has to heed. */
export function arazzoReadme(skill: ExportedSkill): string {
  const { name, work } = skill;
  const isPlan = work.kind === "plan";
  const steps = isPlan
    ? `- Each step is an operation of \`openapi.json\`, in the order of the skill's steps. What stands in arguments is put there by \`replacements\`, each evaluated once.
- A step succeeds with the status 200, and where the answer tells what the next step, or the output, takes of it.
- \`inputs\` is the schema of the input, and \`x-output\` that of the output; hold both against them where your runner does not, before the first step and behind the last, as \`run.py\` does.`
    : `- It is one step, which calls the skill where it is served. The skill's input is the workflow's input \`input\`, and its output the workflow's output \`output\`.`;
  const given = JSON.stringify(sampleInput(skill)).replaceAll("'", String.raw`'\''`);
  return `# ${name} as an Arazzo workflow

\`${name}.arazzo.yaml\` has the skill as a workflow of the Arazzo Specification 1.0.1, and \`openapi.json\` the operations that it calls.

${steps}
- What merely reads is asked for again, twice, where the server answers 503. What may write is not.
- What fails has Repertoire's problem, with the code, as its response.

## From nothing

The tools are called over plain HTTP, at the address of \`servers\` in \`openapi.json\`: start \`repertoire serve --http 3333\`, or write another address there.${isPlan ? ' In its configuration, a server whose tools are called has `"publish": true`.' : ""}

Any runner takes the document. \`run.py\` is for the one of Jentic, on Python 3.11 or later:

\`\`\`sh
python3 -m venv .venv && . .venv/bin/activate
python -m pip install ${isPlan ? ARAZZO_REQUIREMENTS.join(" ") : ARAZZO_REQUIREMENTS[0]}
python run.py '${given}'
\`\`\`
`;
}
