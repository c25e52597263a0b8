import { layoutText } from "../learn/codegen/layout.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";
import {
  answeredText,
  casesLiteral,
  exampleLiteral,
  servedOnly,
  startText,
  testBegin,
} from "./python-files.ts";
import { plainName } from "./python-nodes.ts";

/** The skill's cases against the DAG, whose calls are answered with what they tell. */
export function airflowTest(skill: ExportedSkill, module: string): string {
  const isServed = skill.work.kind === "call";
  return `${testBegin(skill)}

from airflow.sdk.exceptions import ParamValidationError

import ${module} as skill

${layoutText(["CASES: list[dict[str, Any]] = ", casesLiteral(skill)], "")}


class Cases(unittest.TestCase):
    def test_cases(self) -> None:
${servedOnly(skill)}        for case in CASES:
            with self.subTest(case["name"]):
                answers = list(case["tools"])
                failures: list[str] = []

${answeredText(`self.assertTrue(fits, f"{tool} is called with {arguments}")`)}

                class Failed(skill.AirflowFailException):
                    def __init__(self, message: str) -> None:
                        failures.append(message)
                        super().__init__(message)

                with (
                    mock.patch.object(skill, "call_tool", ${isServed ? "skill.call_tool" : "answered"}),
                    mock.patch.object(skill, "AirflowFailException", Failed),
                ):
                    try:
                        run = skill.${plainName(skill.name)}_dag.test(run_conf=case["input"])
                    except ParamValidationError as error:
                        failures.append(f"INPUT_INVALID: {error}")
                expected = case["expected"]
                if "output" in expected:
                    self.assertEqual(failures, [])
                    instance = run.get_task_instance("finish")
                    self.assertEqual(instance.xcom_pull(task_ids="finish", dag_id=run.dag_id), expected["output"])
                else:
                    self.assertEqual(len(failures), 1)
                    self.assertIn(expected.get("code", ""), failures[0])
                    self.assertIn(expected["message"], failures[0])
                self.assertEqual(answers, [], "is not called")


if __name__ == "__main__":
    unittest.main()
`;
}

export function airflowReadme(skill: ExportedSkill, access: ToolAccess, module: string): string {
  const isPlan = skill.work.kind === "plan";
  return `# ${skill.name} as a DAG of Airflow

\`${module}.py\` has the skill as a DAG of TaskFlow: ${isPlan ? "a task for each of its steps, in the order of the steps" : "a task that calls it where it is served"}. The last one, \`finish\`, gives the output.

- A run is started with the input as its configuration, which Airflow holds against the parameters' schemas, and the first task against the skill's whole contract.
- Tasks that merely read are tried again, three times, where nobody answers. Tasks that may write are not; each of their calls has a key (\`repertoire/idempotencyKey\` in \`_meta\`), which is the same where somebody clears the task and has it made again.
- What a try would not mend fails its task at once; its message begins with the code that Repertoire has for it.
${isPlan ? "- A loop whose rounds merely read, and do not depend on each other, is a mapped task: a round each, or several where there are more than `core.max_map_length`. Without elements it is skipped, and the tasks behind it are not. Any other loop is one task.\n" : ""}- Nobody is asked before a task writes. What the run is given and gives is there for all to see who may look at the DAG.

${startText(skill, access, {
  prepare: [
    "export AIRFLOW_HOME=$PWD/airflow AIRFLOW__CORE__DAGS_FOLDER=$PWD AIRFLOW__CORE__LOAD_EXAMPLES=False",
    "airflow db migrate",
  ],
  example: `from ${module} import ${plainName(skill.name)}_dag

run = ${plainName(skill.name)}_dag.test(run_conf=${exampleLiteral(skill)})
print(run.state)`,
})}
With \`airflow standalone\` the DAG \`${skill.name}\` is there to be triggered, from the page or over REST.
`;
}

/** A run of the DAG in this process, on an Airflow that is made for it: what is configured elsewhere is let be. */
export function airflowRun({ name }: ExportedSkill): string {
  return `def prepared(kept: pathlib.Path) -> None:
    here = pathlib.Path.cwd()
    home = here / "airflow"
    home.mkdir()
    for each in [each for each in os.environ if each.startswith("AIRFLOW_")]:
        del os.environ[each]
    os.environ["AIRFLOW_HOME"] = str(home)
    os.environ["AIRFLOW__CORE__DAGS_FOLDER"] = str(here)
    os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"
    database = kept / f"airflow-{importlib.metadata.version('apache-airflow')}.db"
    if not database.exists():
        migrate = [sys.executable, "-m", "airflow", "db", "migrate"]
        subprocess.run(migrate, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        kept.mkdir(parents=True, exist_ok=True)
        made = shutil.copy(home / "airflow.db", kept / f"{os.getpid()}.db")
        os.replace(made, database)
    shutil.copy(database, home / "airflow.db")


def ended(skill: Any, given: Any) -> Any:
    from airflow.sdk.exceptions import ParamValidationError

    failures: list[str] = []

    class Failed(skill.AirflowFailException):
        def __init__(self, message: str) -> None:
            failures.append(message)
            super().__init__(message)

    skill.AirflowFailException = Failed
    try:
        run = skill.${plainName(name)}_dag.test(run_conf=given)
    except ParamValidationError as error:
        raise skill.SkillError(str(error), "INPUT_INVALID") from error
    if failures:
        code, _, message = failures[0].partition(": ")
        raise skill.SkillError(message, code)
    if run.state != "success":
        raise RuntimeError(f"the run of the DAG is {run.state}")
    return run.get_task_instance("finish").xcom_pull(task_ids="finish", dag_id=run.dag_id)`;
}
