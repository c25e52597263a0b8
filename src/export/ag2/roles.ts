import { serverOf } from "../../core/tools/tool-name.ts";
import { enclosed, layoutText } from "../../learn/codegen/layout.ts";
import { helperTexts } from "../../learn/codegen/python-code.ts";
import { pythonLiteral } from "../../learn/codegen/python-literal.ts";
import { INDENT } from "../../learn/codegen/python-steps.ts";
import type { Plan, Step } from "../../learn/plan/plan.ts";
import { skillsOf, toolsOf } from "../../learn/plan/steps.ts";
import type { ExportedSkill, StepRoles, ToolAccess } from "../engine-adapter.ts";
import { CLIENT_NAMES, clientTexts, codedHelpers, namesToStore } from "../python-client.ts";
import type { Needs } from "../plan-nodes.ts";
import { planNodes, type PlanNode } from "../python-nodes.ts";
import { CALLS, CALLS_NAMES, toolMade } from "./calls.ts";

/** An agent that has some of a skill's steps. */
export interface RoleAgent {
  readonly name: string;
  readonly tools: readonly string[];
  readonly skills: readonly string[];
}

/** What a module has, whatever the agents talk in: the steps, and whose turn each is. */
export interface RoleTexts {
  readonly texts: readonly string[];
  readonly agents: readonly RoleAgent[];
}

/** Who steps belong to where nothing tells. */
const OWN_NAME = "repertoire";
/** Who asks the others. */
export const CALLER = "caller";

/** The steps as functions, the turns that agents make of them, and the agents. */
export function roleTexts(
  skill: ExportedSkill,
  access: ToolAccess,
  taken: readonly string[] = [],
): RoleTexts {
  const { work } = skill;
  const { helpers, steps, turns, agents, mayMiss } =
    work.kind === "plan" ? planTurns(work.plan, skill.roles, taken) : callTurn(skill.name, work.mayWrite);
  return {
    agents,
    texts: [
      ...clientTexts(skill, access),
      ...helperTexts(helpers, codedHelpers()),
      CALLS,
      ...steps,
      turnsText(turns),
      ...(mayMiss ? [RESTORED] : []),
      turnText(work.kind === "plan", mayMiss),
    ],
  };
}

interface Turn {
  readonly agent: string;
  /** The functions of its steps. */
  readonly steps: readonly string[];
}

interface Turns {
  readonly helpers: Iterable<string>;
  /** The steps, and `finish`. */
  readonly steps: readonly string[];
  readonly turns: readonly Turn[];
  readonly agents: readonly RoleAgent[];
  /** Whether there may be nothing in what a step gives. */
  readonly mayMiss: boolean;
}

const TAKEN = [
  ...CLIENT_NAMES,
  ...CALLS_NAMES,
  ..."TURNS Step finish results begun made restored turn_of ended caller".split(" "),
];

const SIGNATURE = "(given: Any, results: dict[str, Any], calls: Calls) -> dict[str, Any]:";

function planTurns(plan: Plan, roles: StepRoles | undefined, taken: readonly string[]): Turns {
  const { nodes, output, outputNeeds, helpers } = planNodes(plan, {
    taken: [...TAKEN, ...taken],
    indent: INDENT,
    callee: (_, effect) => (effect === "writes" ? "calls.write" : "calls.read"),
  });
  const begun = ({ names }: Needs): readonly string[] =>
    names.map((name) => `${INDENT}${name} = results["${name}"]`);
  const step = ({ name, gives, needs, lines }: PlanNode): string =>
    [
      `async def ${name}${SIGNATURE}`,
      ...begun(needs),
      ...lines,
      `${INDENT}return {${gives === undefined ? "" : `"${gives}": ${gives}`}}`,
    ].join("\n");
  const finish = [
    "def finish(given: Any, results: dict[str, Any]) -> Any:",
    ...begun(outputNeeds),
    output(INDENT, "output = "),
    `${INDENT}check(output, OUTPUT, "OUTPUT_INVALID")`,
    `${INDENT}return output`,
  ].join("\n");
  const owners = ownersOf(plan.steps, roles);
  return {
    helpers,
    steps: [...nodes.map(step), finish],
    turns: turnsOf(owners, nodes),
    agents: agentsOf(owners, plan.steps),
    mayMiss: namesToStore({ nodes, helpers }).size > 0,
  };
}

/** Who each step belongs to: as its role says, else to its first tool's server; what calls nothing, to whoever comes before it. */
function ownersOf(steps: readonly Step[], roles: StepRoles | undefined): readonly string[] {
  const told = steps.map((step, nth) => {
    const [tool] = toolsOf([step]);
    const [skill] = skillsOf([step]);
    const role = roles?.ofSteps[nth] ?? (tool === undefined ? skill && OWN_NAME : serverOf(tool));
    return role === undefined ? undefined : (roles?.agents.get(role) ?? role);
  });
  let last = told.find((owner) => owner !== undefined) ?? OWN_NAME;
  const owners = told.map((owner) => (last = owner ?? last));
  const names = namesWithout(/[^\p{L}\p{N}_-]/gu, owners, [CALLER]);
  return owners.map((owner) => names.get(owner) ?? owner);
}

/** For each text a name of its own, at most 64 characters long, which has none of some signs. */
export function namesWithout(
  signs: RegExp,
  texts: readonly string[],
  taken: readonly string[] = [],
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const known = new Set(taken);
  for (const text of texts) {
    if (names.has(text)) continue;
    const plain = text.replaceAll(signs, "_").slice(0, 56);
    let name = plain;
    for (let nth = 2; known.has(name); nth++) name = `${plain}_${nth}`;
    known.add(name);
    names.set(text, name);
  }
  return names;
}

/** Steps behind each other that are of one agent are one turn. */
function turnsOf(owners: readonly string[], nodes: readonly PlanNode[]): readonly Turn[] {
  const turns: { agent: string; steps: string[] }[] = [];
  for (const [nth, agent] of owners.entries()) {
    const step = nodes[nth]?.name ?? "";
    const last = turns.at(-1);
    if (last?.agent === agent) last.steps.push(step);
    else turns.push({ agent, steps: [step] });
  }
  return turns.length > 0 ? turns : [{ agent: OWN_NAME, steps: [] }];
}

function agentsOf(owners: readonly string[], steps: readonly Step[]): readonly RoleAgent[] {
  const names = new Set(owners.length > 0 ? owners : [OWN_NAME]);
  return [...names].map((name) => {
    const own = steps.filter((_, nth) => owners[nth] === name);
    return { name, tools: toolsOf(own), skills: skillsOf(own) };
  });
}

/** The agents' tools, by their names, as \`made\` makes them of names. */
export function toolsOfAgent(
  { tools, skills }: RoleAgent,
  named = (tool: string, made: string) => made,
): readonly string[] {
  return [
    ...tools.map((each) => named(each, toolMade(each, false))),
    ...skills.map((each) => named(each, toolMade(each, true))),
  ];
}

function callTurn(skill: string, mayWrite: boolean): Turns {
  const callee = mayWrite ? "calls.write" : "calls.read";
  return {
    helpers: [],
    steps: [
      `async def whole${SIGNATURE}\n${INDENT}return {"output": await ${callee}(${pythonLiteral(skill)}, given)}`,
      `def finish(given: Any, results: dict[str, Any]) -> Any:\n${INDENT}return results["output"]`,
    ],
    turns: [{ agent: OWN_NAME, steps: ["whole"] }],
    agents: [{ name: OWN_NAME, tools: [], skills: [skill] }],
    mayMiss: false,
  };
}

function turnsText(turns: readonly Turn[]): string {
  const rows = turns.map(({ agent, steps }) => [
    `(${pythonLiteral(agent)}, `,
    enclosed("[", steps, "]"),
    ")",
  ]);
  return [
    "Step = Callable[[Any, dict[str, Any], Calls], Awaitable[dict[str, Any]]]",
    layoutText(["TURNS: list[tuple[str, list[Step]]] = ", enclosed("[", rows, "]")], ""),
    '"""Whose turn it is, and which steps it has."""',
  ].join("\n");
}

/** JSON has no word for nothing: in its place stands one that no tool knows. */
const RESTORED = `def restored(value: Any, nothing: str) -> Any:
    """A value that was told, with nothing where the run's word for it stands."""
    if isinstance(value, dict):
        return {key: restored(each, nothing) for key, each in value.items()}
    if isinstance(value, list):
        return [restored(each, nothing) for each in value]
    return MISSING if value == nothing else value`;

function turnText(isChecked: boolean, mayMiss: boolean): string {
  const results = mayMiss ? 'restored(told["results"], told["nothing"])' : 'told["results"]';
  const word = mayMiss ? ', "nothing": uuid4().hex' : "";
  const nothing = mayMiss ? ', default=lambda _: told["nothing"]' : "";
  return `def begun(given: Any) -> str:
    """What the first agent is told."""
${isChecked ? `${INDENT}check(given, INPUT, "INPUT_INVALID")\n` : ""}    return json.dumps({"run": uuid4().hex${word}, "turn": 0, "given": given, "results": {}})


async def made(text: str, calls: Calls) -> str:
    """What an agent says when it has made its turn: to whoever is next; else the output, or why there is none."""
    told = json.loads(text)
    given, results = told["given"], ${results}
    try:
        for step in TURNS[told["turn"]][1]:
            results.update(await step(given, results, calls))
        if told["turn"] + 1 < len(TURNS):
            said = {**told, "turn": told["turn"] + 1, "results": results}
        else:
            said = {"output": finish(given, results)}
    except SkillError as error:
        said = {"error": {"code": error.code, "message": str(error)}}
    return json.dumps(said${nothing})


def turn_of(text: str) -> Calls:
    """An agent's turn, which begins with what it is told."""
    told = json.loads(text)
    return Calls(f"{told['run']}/{told['turn']}", lambda calls: made(text, calls))


def ended(text: str) -> Any:
    """The output, as the last agent told it."""
    told = json.loads(text)
    if "error" in told:
        raise SkillError(told["error"]["message"], told["error"]["code"])
    return told["output"]`;
}
