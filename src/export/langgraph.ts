import { helperTexts, inputType, pythonType } from "../learn/codegen/python-code.ts";
import { pythonLiteral } from "../learn/codegen/python-literal.ts";
import { INDENT } from "../learn/codegen/python-steps.ts";
import type { Param, Plan } from "../learn/plan/plan.ts";
import { skillsOf } from "../learn/plan/steps.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";
import { secretsOf } from "./export-files.ts";
import { pythonAdapter } from "./python-engine.ts";
import { CLIENT_NAMES, clientTexts, codedHelpers, namesToStore, storingTexts } from "./python-client.ts";
import { langGraphReadme, langGraphRun, langGraphTest } from "./langgraph-files.ts";
import type { Effect, Needs } from "./plan-nodes.ts";
import { plainName, planNodes, type PlanNode } from "./python-nodes.ts";

/**
 * LangGraph, in Python: a graph with a node for each step, in the order of the steps. Before each call that may write the
 * graph waits for a person, with `interrupt`; a node that writes makes each of its calls as a task, whose outcome is kept,
 * so that beginning again repeats none.
 */
export const LANGGRAPH = pythonAdapter({
  name: "langgraph",
  noun: "graph",
  requirement: "langgraph==1.2.22",
  imports: {
    "langgraph.errors": ["GraphBubbleUp"],
    "langgraph.func": ["task"],
    "langgraph.graph": ["END", "START", "StateGraph"],
    "langgraph.runtime": ["Runtime"],
    "langgraph.types": ["RetryPolicy", "interrupt"],
  },
  secretFault: ({ schema }) =>
    schema["type"] === "string"
      ? undefined
      : "a credential that is no text cannot be hidden from what is kept",
  definitions,
  test: langGraphTest,
  run: langGraphRun,
  readme: langGraphReadme,
});

const TAKEN = [
  ...CLIENT_NAMES,
  ..."State Given Secrets Calls made RETRIES state runtime calls begin result graph stored restored task interrupt finish uuid4 write_once read_once hidden kept secretless GraphBubbleUp checkpoint_id checkpoint_ns".split(
    " ",
  ),
];

function definitions(skill: ExportedSkill, access: ToolAccess): readonly string[] {
  const { work } = skill;
  const params = work.kind === "plan" ? work.plan.params : [];
  const secrets = secretsOf(skill);
  const own = params.filter(({ secret }) => secret !== true);
  const { texts, graph, helpers, state, effect } =
    work.kind === "plan" ? planGraph(work.plan, secrets) : callGraph(skill.name, work.mayWrite);
  const hasSkills = work.kind === "call" || skillsOf(work.plan.steps).length > 0;
  return [
    ...clientTexts(skill, access),
    ...helperTexts(helpers, CODED_HELPERS),
    ...storingTexts(texts),
    ...(effect === "reads" ? [RETRIES] : []),
    ...(effect === "writes" ? callsTexts(hasSkills, secrets.length > 0) : []),
    work.kind === "plan" ? inputType(own) : "Given = Any",
    ...(secrets.length > 0 ? [secretsType(secrets), HIDDEN, KEPT] : []),
    state,
    ...(secrets.length > 0 ? [SECRETLESS] : []),
    ...texts,
    graph,
  ];
}

const CODED_HELPERS = codedHelpers();

interface GraphTexts {
  /** The functions. */
  readonly texts: readonly string[];
  readonly state: string;
  readonly graph: string;
  readonly helpers: Iterable<string>;
  readonly effect: Effect;
}

function planGraph(plan: Plan, secrets: readonly Param[]): GraphTexts {
  const made = planNodes(plan, {
    taken: TAKEN,
    indent: INDENT,
    isReplayed: true,
    callee: ({ isSkill }, effect, ofNode) => {
      const what = isSkill === true ? "skill" : "tool";
      if (ofNode !== "writes") return `call_${what}`;
      const deed = effect === "writes" ? "write" : "read";
      return `calls.${isSkill === true ? `${deed}_skill` : deed}`;
    },
  });
  const { nodes, output, outputNeeds, helpers } = made;
  const missing = namesToStore({ nodes, helpers });
  const [decorator, runtime] =
    secrets.length > 0 ? ["@secretless\n", ", runtime: Runtime[Secrets]"] : ["", ""];
  const begin = (needs: Needs): readonly string[] => [
    ...(needs.isGiven
      ? [`given = ${runtime === "" ? 'state["given"]' : '{**state["given"], **(runtime.context or {})}'}`]
      : []),
    ...needs.names.map(
      (name) => `${name} = ${missing.has(name) ? `restored(state["${name}"])` : `state["${name}"]`}`,
    ),
  ];
  const node = ({ name, gives, needs, effect, lines }: PlanNode): string => {
    const keys = runtime === "" ? "" : ", runtime.context or {}";
    const calls = effect === "writes" ? [`calls = Calls(state["run"], ${pythonLiteral(name)}${keys})`] : [];
    const value = gives !== undefined && missing.has(gives) ? `stored(${gives})` : gives;
    return [
      `${decorator}async def ${name}(state: State${runtime}) -> dict[str, Any]:`,
      ...[...begin(needs), ...calls].map((line) => `${INDENT}${line}`),
      ...lines,
      `${INDENT}return {${gives === undefined ? "" : `"${gives}": ${value}`}}`,
    ].join("\n");
  };
  const finish = [
    `${decorator}async def finish(state: State${runtime}) -> dict[str, Any]:`,
    ...begin(outputNeeds).map((line) => `${INDENT}${line}`),
    output(INDENT, "output = "),
    `${INDENT}check(output, OUTPUT, "OUTPUT_INVALID")`,
    `${INDENT}return {"result": output}`,
  ].join("\n");
  return {
    helpers,
    texts: [beginText(secrets), ...nodes.map(node), finish],
    state: stateType(
      nodes.flatMap(({ gives }) => gives ?? []),
      pythonType(plan.output.schema),
    ),
    graph: graphText([...nodes, { name: "finish", effect: "none" }], secrets.length > 0),
    effect: mostOf(nodes.map(({ effect }) => effect)),
  };
}

function mostOf(effects: readonly Effect[]): Effect {
  return effects.includes("writes") ? "writes" : effects.includes("reads") ? "reads" : "none";
}

function beginText(secrets: readonly Param[]): string {
  if (secrets.length === 0)
    return `async def begin(state: State) -> dict[str, Any]:
    """What the input says is what the skill takes, or nothing is called."""
    check(state.get("given"), INPUT, "INPUT_INVALID")
    return {"run": uuid4().hex}`;
  const names = secrets.map(({ name }) => pythonLiteral(name)).join(", ");
  return `@secretless
async def begin(state: State, runtime: Runtime[Secrets]) -> dict[str, Any]:
    """What the input says is what the skill takes, or nothing is called; credentials come as context, which is not kept."""
    given = state.get("given") or {}
    if not given.keys().isdisjoint([${names}]):
        raise SkillError("A credential is given as context, and not in the input", "INPUT_INVALID")
    check({**given, **(runtime.context or {})}, INPUT, "INPUT_INVALID")
    return {"run": uuid4().hex}`;
}

function secretsType(secrets: readonly Param[]): string {
  const fields = secrets
    .map(({ name, schema }) => `${pythonLiteral(name)}: ${pythonType(schema)}`)
    .join(", ");
  return `Secrets = TypedDict("Secrets", {${fields}}, total=False)\n"""Credentials, which are given as the graph's context."""`;
}

function stateType(keys: readonly string[], result: string): string {
  return [
    "class State(TypedDict, total=False):",
    `${INDENT}given: Given`,
    `${INDENT}run: str`,
    ...keys.map((key) => `${INDENT}${key}: Any`),
    `${INDENT}result: ${result}`,
  ].join("\n");
}

function graphText(nodes: readonly Pick<PlanNode, "name" | "effect">[], hasSecrets: boolean): string {
  const way = ["begin", ...nodes.map(({ name }) => name)];
  const edges = way.slice(1).map((name, nth) => `.add_edge("${way[nth]}", "${name}")`);
  return [
    "graph = (",
    `${INDENT}StateGraph(State${hasSecrets ? ", context_schema=Secrets" : ""})`,
    ...[
      ".add_node(begin)",
      ...nodes.map(
        ({ name, effect }) => `.add_node(${name}${effect === "reads" ? ", retry_policy=RETRIES" : ""})`,
      ),
      '.add_edge(START, "begin")',
      ...edges,
      `.add_edge("${way.at(-1)}", END)`,
    ].map((line) => `${INDENT}${line}`),
    ")",
    '"""To be compiled with a checkpointer of yours."""',
  ].join("\n");
}

function callGraph(skill: string, mayWrite: boolean): GraphTexts {
  const name = `do_${plainName(skill)}`;
  const calls = mayWrite ? `${INDENT}calls = Calls(state["run"], ${pythonLiteral(name)})\n` : "";
  const callee = mayWrite ? "calls.write_skill" : "call_skill";
  const effect = mayWrite ? "writes" : "reads";
  return {
    helpers: [],
    state: stateType([], "Any"),
    effect,
    texts: [
      `async def begin(state: State) -> dict[str, Any]:\n${INDENT}return {"run": uuid4().hex}`,
      `async def ${name}(state: State) -> dict[str, Any]:\n${calls}${INDENT}return {"result": await ${callee}(${pythonLiteral(skill)}, state["given"])}`,
    ],
    graph: graphText([{ name, effect }], false),
  };
}

const RETRIES = "RETRIES = RetryPolicy(max_attempts=3, retry_on=Unreachable)";

function callsTexts(hasSkills: boolean, hasSecrets: boolean): readonly string[] {
  const secrets = hasSecrets ? ", secrets: Secrets" : "";
  const own = hasSecrets ? ", self.secrets" : "";
  const shown = hasSecrets ? "hidden(arguments, self.secrets)" : "arguments";
  const skills = `

    async def read_skill(self, skill: str, given: Any) -> Any:
        return await self.outcome(read_once, call_skill, skill, given)

    async def write_skill(self, skill: str, given: Any) -> Any:
        self.ask(skill, given)
        return await self.outcome(write_once, call_skill, skill, given)`;
  return [
    RETRIES,
    `async def made(call: Callable[..., Awaitable[Any]], name: str, arguments: Any, key: str${secrets}) -> dict[str, Any]:
    """What came of a call, as data: a task's outcome is kept, so a node that begins again does not repeat the call."""
    try:
        return {"answer": ${hasSecrets ? "kept(await call(name, arguments, key), secrets)" : "await call(name, arguments, key)"}}
    except Unreachable:
        raise
    except ToolError as error:
        return {"code": error.code, "message": ${hasSecrets ? "hidden(str(error), secrets)" : "str(error)"}}`,
    `read_once = task(name="read", retry_policy=RETRIES)(made)
write_once = task(name="write")(made)`,
    `class Calls:
    """The calls of a node that may write, each with a key that is the same whenever the node begins again."""

    def __init__(self, run: str, node: str${secrets}) -> None:
        self.place = f"{run}/{node}"
        self.count = 0${hasSecrets ? "\n        self.secrets = secrets" : ""}

    async def read(self, tool: str, arguments: Any) -> Any:
        return await self.outcome(read_once, call_tool, tool, arguments)

    async def write(self, tool: str, arguments: Any) -> Any:
        self.ask(tool, arguments)
        return await self.outcome(write_once, call_tool, tool, arguments)${hasSkills ? skills : ""}

    def ask(self, tool: str, arguments: Any) -> None:
        """A person agrees before anything is written: the graph goes on with Command(resume=True)."""
        if interrupt({"tool": tool, "arguments": ${shown}}) is not True:
            raise SkillError(f"{tool} was declined", "RUN_UNAPPROVED")

    async def outcome(self, once: Any, call: Callable[..., Awaitable[Any]], name: str, arguments: Any) -> Any:
        self.count += 1
        told = await once(call, name, arguments, f"{self.place}/{self.count}"${own})
        if "answer" not in told:
            raise ToolError(told["message"], told["code"])
        return told["answer"]`,
  ];
}

const HIDDEN = `def hidden(value: Any, secrets: Secrets) -> Any:
    """The value without credentials."""
    if isinstance(value, dict):
        return {key: hidden(each, secrets) for key, each in value.items()}
    if isinstance(value, list):
        return [hidden(each, secrets) for each in value]
    if isinstance(value, str):
        for secret in secrets.values():
            value = value.replace(secret, "***") if secret else value
    return value`;

const KEPT = `def kept(value: Any, secrets: Secrets) -> Any:
    """The value, which the checkpointer keeps, unless it repeats a credential."""
    if hidden(value, secrets) != value:
        raise SkillError("An answer, or the input, repeats a credential, which LangGraph would keep")
    return value`;

const SECRETLESS = `def secretless(node: Callable[..., Awaitable[dict[str, Any]]]) -> Any:
    """A node of which neither what it gives nor why it fails repeats a credential."""

    async def decorated(state: State, runtime: Runtime[Secrets]) -> dict[str, Any]:
        secrets = runtime.context or {}
        try:
            return kept(await node(state, runtime), secrets)
        except GraphBubbleUp:
            raise
        except Exception as error:
            error.args = tuple(hidden(list(error.args), secrets))
            raise

    decorated.__name__, decorated.__doc__ = node.__name__, node.__doc__
    return decorated`;
