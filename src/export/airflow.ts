import type { JsonSchema } from "../core/json/json-schema.ts";
import { isJsonObject } from "../core/json/json.ts";
import { enclosed, type Layout, layoutText } from "../learn/codegen/layout.ts";
import { helperTexts } from "../learn/codegen/python-code.ts";
import { pythonLiteral } from "../learn/codegen/python-literal.ts";
import { INDENT } from "../learn/codegen/python-steps.ts";
import type { Plan } from "../learn/plan/plan.ts";
import { skillsOf } from "../learn/plan/steps.ts";
import { airflowReadme, airflowRun, airflowTest } from "./airflow-files.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";
import { pythonAdapter } from "./python-engine.ts";
import { CLIENT_NAMES, clientTexts, codedHelpers, namesToStore, storingTexts } from "./python-client.ts";
import type { Effect } from "./plan-nodes.ts";
import { type LoopParts, literalLayout, plainName, planNodes, type PlanNode } from "./python-nodes.ts";

/**
 * Airflow, as a DAG of TaskFlow: a task for each step, in the order of the steps, which hand their results on as XComs.
 * Only tasks that merely read are tried again.
 */
export const AIRFLOW = pythonAdapter({
  name: "airflow",
  noun: "dag",
  requirement: "apache-airflow==3.3.2",
  imports: {
    "airflow.sdk": ["Param", "configuration", "dag", "get_current_context", "task"],
    "airflow.sdk.exceptions": ["AirflowFailException"],
  },
  secretFault: () =>
    "it is a credential, and parameters of a DAG are there for all to see: have the tool's own server know it, by a Connection of Airflow's or otherwise",
  definitions,
  test: airflowTest,
  run: airflowRun,
  readme: airflowReadme,
});

const TAKEN = [
  ...CLIENT_NAMES,
  ..."Calls begin result finish made stored restored dag task configuration parts_of join step calls flow Param inspect get_current_context".split(
    " ",
  ),
];

function definitions(skill: ExportedSkill, access: ToolAccess): readonly string[] {
  const { work } = skill;
  const { texts, flow, helpers, effect } =
    work.kind === "plan" ? planTasks(work.plan) : callTask(skill.name, work.mayWrite);
  const hasSkills = work.kind === "call" || skillsOf(work.plan.steps).length > 0;
  return [
    ...clientTexts(skill, access),
    ...helperTexts(helpers, codedHelpers()),
    ...storingTexts(texts),
    STEP,
    ...(effect === "writes" ? [callsText(hasSkills)] : []),
    ...texts,
    dagText(skill, flow),
  ];
}

interface TaskTexts {
  /** The tasks. */
  readonly texts: readonly string[];
  /** The lines of the DAG. */
  readonly flow: readonly string[];
  readonly helpers: Iterable<string>;
  readonly effect: Effect;
}

function planTasks(plan: Plan): TaskTexts {
  const { nodes, output, outputNeeds, helpers, newName } = planNodes(plan, {
    taken: TAKEN,
    indent: INDENT,
    inParts: true,
    callee: ({ isSkill }, effect, ofNode) => {
      const what = isSkill === true ? "skill" : "tool";
      if (ofNode !== "writes" || effect !== "writes") return `call_${what}`;
      return isSkill === true ? "calls.write_skill" : "calls.write";
    },
  });
  const missing = namesToStore({ nodes, helpers });
  const params = ({ names, isGiven }: PlanNode["needs"]): readonly string[] => [
    ...(isGiven ? ["given"] : []),
    ...names,
  ];
  const begun = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => (missing.has(name) ? [`${INDENT}${name} = restored(${name})`] : []));
  const signature = (name: string, given: readonly string[]): string =>
    `async def ${name}(${given.map((each) => `${each}: Any`).join(", ")}) -> Any:`;
  const kept = (value: string, mayMiss: boolean): string => (mayMiss ? `stored(${value})` : value);
  const task = ({ name, gives, needs, effect, lines, parts }: PlanNode): string =>
    [
      `@step(${effect === "reads" ? "retries=3" : ""})`,
      signature(name, [...params(needs), ...(parts ? [parts.part] : [])]),
      ...begun(needs.names),
      ...(parts?.mayMiss === true ? [`${INDENT}${parts.part} = restored(${parts.part})`] : []),
      ...(effect === "writes" ? [`${INDENT}calls = Calls()`] : []),
      ...lines,
      ...(gives === undefined ? [] : [`${INDENT}return ${kept(gives, missing.has(gives))}`]),
    ].join("\n");
  const split = (name: string, { elements, elementsNeed, mayMiss }: LoopParts): string =>
    [
      "@step()",
      signature(name, params(elementsNeed)),
      ...begun(elementsNeed.names),
      elements(INDENT, "elements = "),
      `${INDENT}return parts_of(${kept("elements", mayMiss)})`,
    ].join("\n");
  const placed = nodes.map((node) => {
    const { name, gives, needs, parts } = node;
    // What a task gives is known by the name that the tasks behind it take it by; what gives nothing, by a name of its own.
    const variable = gives ?? newName(`${name}_done`);
    const given = params(needs);
    if (!parts) return { texts: [task(node)], flow: [[variable, `${name}(${given.join(", ")})`]] as const };
    const splitting = newName(`split_${variable}`);
    const [all, rounds] = [newName(`${variable}_parts`), newName(`${variable}_rounds`)];
    const fixed = given.length === 0 ? "" : `.partial(${given.map((each) => `${each}=${each}`).join(", ")})`;
    return {
      texts: [split(splitting, parts), task(node)],
      flow: [
        [all, `${splitting}(${params(parts.elementsNeed).join(", ")})`],
        [rounds, `${name}${fixed}.expand(${parts.part}=${all})`],
        [variable, `join.override(task_id="${variable}")(${rounds})`],
      ] as const,
    };
  });
  const finish = [
    "@step()",
    signature("finish", params(outputNeeds)),
    ...begun(outputNeeds.names),
    output(INDENT, "output = "),
    `${INDENT}check(output, OUTPUT, "OUTPUT_INVALID")`,
    `${INDENT}return output`,
  ].join("\n");
  const flow = [
    ["given", "begin()"],
    ...placed.flatMap((each) => each.flow),
    ["result", `finish(${params(outputNeeds).join(", ")})`],
  ] as const;
  return {
    helpers,
    texts: [
      ...(nodes.some(({ parts }) => parts) ? [PARTS] : []),
      beginText(true),
      ...placed.flatMap(({ texts }) => texts),
      finish,
    ],
    flow: [
      ...flow.map(([variable, made]) => `${variable} = ${made}`),
      flow.map(([variable]) => variable).join(" >> "),
    ],
    effect: nodes.some(({ effect }) => effect === "writes") ? "writes" : "reads",
  };
}

function beginText(isChecked: boolean): string {
  const [about, check] = isChecked
    ? [" is what the skill takes, or nothing is called", '\n    check(given, INPUT, "INPUT_INVALID")']
    : ["", ""];
  return `@step()
async def begin() -> Any:
    """What the run was started with${about}."""
    given = get_current_context()["dag_run"].conf or {}${check}
    return given`;
}

function callTask(skill: string, mayWrite: boolean): TaskTexts {
  const lines = mayWrite
    ? [`${INDENT}return await Calls().write_skill(${pythonLiteral(skill)}, given)`]
    : [`${INDENT}return await call_skill(${pythonLiteral(skill)}, given)`];
  return {
    helpers: [],
    texts: [
      beginText(false),
      [`@step(${mayWrite ? "" : "retries=3"})`, "async def finish(given: Any) -> Any:", ...lines].join("\n"),
    ],
    flow: ["given = begin()", "result = finish(given)", "given >> result"],
    effect: mayWrite ? "writes" : "reads",
  };
}

function dagText(skill: ExportedSkill, flow: readonly string[]): string {
  const name = plainName(skill.name);
  const params = skill.work.kind === "plan" ? paramsLayout(skill.input) : "{}";
  return [
    layoutText(
      [
        "@dag",
        enclosed(
          "(",
          [
            `dag_id=${pythonLiteral(skill.name)}`,
            "schedule=None",
            "catchup=False",
            'tags=["repertoire"]',
            ["params=", params],
          ],
          ")",
        ),
      ],
      "",
    ),
    "def flow() -> None:",
    ...flow.map((line) => `${INDENT}${line}`),
    "",
    "",
    `${name}_dag = flow()`,
  ].join("\n");
}

/** What a form asks for, and what is refused before a run begins; null stands for what is left out. */
function paramsLayout(input: JsonSchema): Layout {
  const { properties, required } = input;
  const needed = Array.isArray(required) ? required : [];
  const fields = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]): Layout => {
    const own = isJsonObject(schema) ? schema : {};
    const given = needed.includes(name) ? [] : ["None"];
    const shape = needed.includes(name) ? own : { anyOf: [{ type: "null" }, own] };
    return [`${pythonLiteral(name)}: Param`, enclosed("(", [...given, ["**", literalLayout(shape)]], ")")];
  });
  return enclosed("{", fields, "}");
}

/** Rounds in tasks of their own: a list of parts, so that a round may give null, which would be no result of a task. */
const PARTS = `def parts_of(elements: list[Any]) -> list[list[Any]]:
    """The elements, each by itself for a task of its own; several together where there are more than Airflow's tasks."""
    size = max(1, math.ceil(len(elements) / configuration.conf.getint("core", "max_map_length", fallback=1024)))
    return [elements[begin : begin + size] for begin in range(0, len(elements), size)]


@step(trigger_rule="none_failed")
async def join(parts: Any) -> Any:
    """What the parts give, in their order; without elements the tasks are skipped, and this one is not."""
    return [each for part in parts[:] for each in part]`;

const STEP = `def step(retries: int = 0, trigger_rule: str = "all_success") -> Any:
    """A task of a coroutine function: only what nobody has answered is tried again, and only where a call reads."""

    def decorated(work: Callable[..., Awaitable[Any]]) -> Any:
        def made(*args: Any, **named: Any) -> Any:
            try:
                return asyncio.run(work(*args, **named))
            except SkillError as error:
                about = get_current_context()["ti"]
                if isinstance(error, Unreachable) and about.try_number <= about.max_tries:
                    raise
                raise AirflowFailException(f"{error.code}: {error}") from error

        # As its own function, and not as a coroutine function, which Airflow would await itself.
        made.__name__, made.__doc__ = work.__name__, work.__doc__
        made.__signature__ = inspect.signature(work)
        delay = datetime.timedelta(seconds=1)
        return task(retries=retries, retry_delay=delay, trigger_rule=trigger_rule, multiple_outputs=False)(made)

    return decorated`;

function callsText(hasSkills: boolean): string {
  const skills = `

    async def write_skill(self, skill: str, given: Any) -> Any:
        return await call_skill(skill, given, self.key())`;
  return `class Calls:
    """The calls of a task that may write, each with a key that is the same whenever the task is made again."""

    def __init__(self) -> None:
        about = get_current_context()["ti"]
        self.place = f"{about.dag_id}/{about.run_id}/{about.task_id}"
        self.count = 0

    def key(self) -> str:
        self.count += 1
        return f"{self.place}/{self.count}"

    async def write(self, tool: str, arguments: Any) -> Any:
        return await call_tool(tool, arguments, self.key())${hasSkills ? skills : ""}`;
}
