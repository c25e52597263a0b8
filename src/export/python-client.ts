import { IDEMPOTENCY_KEY } from "../core/tools/idempotency-key.ts";
import { layoutText } from "../learn/codegen/layout.ts";
import { PYTHON_HELPERS } from "../learn/codegen/python-helpers.ts";
import { pythonLiteral } from "../learn/codegen/python-literal.ts";
import type { Plan } from "../learn/plan/plan.ts";
import { skillsOf, toolsOf } from "../learn/plan/steps.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";
import { serverVariables } from "./plan-nodes.ts";
import { literalLayout, type PlanNodes } from "./python-nodes.ts";

/** Names that the texts below define or import. */
export const CLIENT_NAMES: readonly string[] = (
  "SkillError ToolError Unreachable unanswered TIMEOUT SERVER PUBLISHED SERVERS INPUT OUTPUT call_tool call_skill answer_of parsed exact " +
  "connected check os shlex contextlib ClientSession McpError StdioServerParameters stdio_client " +
  "streamablehttp_client Draft202012Validator"
).split(" ");

/** From where the names above come. */
export const CLIENT_IMPORTS: { readonly [module: string]: readonly string[] } = {
  jsonschema: ["Draft202012Validator"],
  mcp: ["ClientSession", "McpError", "StdioServerParameters"],
  "mcp.client.stdio": ["stdio_client"],
  "mcp.client.streamable_http": ["streamablehttp_client"],
};

/** What the client takes, as it was tried. */
export const CLIENT_REQUIREMENTS = ["jsonschema==4.26.0", "mcp==1.30.0"] as const;

/** Helpers of plans as they are where failures have codes: only a call that failed is looked at, not what stops a run. */
export function codedHelpers(): { readonly [name: string]: string } {
  const own = Object.entries(PYTHON_HELPERS).flatMap(([name, text]) => {
    const coded = text
      .replace("class PlanError(Exception):", "class PlanError(SkillError):")
      .replace(
        'run the skill again with it."""\n',
        'run the skill again with it."""\n\n    code = "CHOICE_NEEDED"\n',
      )
      .replaceAll("except Exception as error:", "except ToolError as error:");
    return coded === text ? [] : [[name, coded] as const];
  });
  return Object.fromEntries(own);
}

/** The part of a module that calls tools, and checks what the skill takes and gives. */
export function clientTexts(skill: ExportedSkill, access: ToolAccess): readonly string[] {
  const { input, output, work } = skill;
  const plan = work.kind === "plan" ? work.plan : undefined;
  const calls = access.kind === "direct" ? directCalls(skill) : servedCalls(plan, access.published);
  if (!plan) return [ERRORS, ...calls];
  const contract = [
    layoutText(["INPUT: dict[str, Any] = ", literalLayout(input)], ""),
    layoutText(["OUTPUT: dict[str, Any] = ", literalLayout(output)], ""),
  ].join("\n");
  return [ERRORS, ...calls, contract, CHECK];
}

const ERRORS = `class SkillError(Exception):
    """The skill has ended without a result; \`code\` tells why, as it does in Repertoire."""

    code = "SKILL_THREW"

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code or self.code


class ToolError(SkillError):
    """A call has failed: what its tool said."""

    code = "TOOL_FAILED"


class Unreachable(ToolError):
    """Nobody has answered a call: it may have been made, or not."""


TIMEOUT = datetime.timedelta(minutes=10)
"""How long an answer may take."""


def unanswered(tool: str, place: str, error: BaseException) -> Unreachable:
    """That nobody has answered, where, and the first reason of several."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return Unreachable(f"{tool}: nobody has answered {place} ({str(error) or type(error).__name__})")`;

function servedCalls(plan: Plan | undefined, published: (tool: string) => string): readonly string[] {
  const tools = plan ? toolsOf(plan.steps) : [];
  const names = Object.fromEntries(tools.map((tool) => [tool, published(tool)]));
  const skills = plan === undefined || skillsOf(plan.steps).length > 0;
  return [
    [
      'SERVER = os.environ.get("REPERTOIRE_URL", "http://127.0.0.1:3333/mcp")',
      layoutText(["PUBLISHED: dict[str, str] = ", literalLayout(names)], ""),
      '"""What tools of other servers are called there."""',
    ].join("\n"),
    `async def call_tool(tool: str, arguments: Any, key: str | None = None) -> Any:
    """Calls a tool through Repertoire; the key is the same for each attempt of the same call."""
    try:
        way = streamablehttp_client(SERVER, sse_read_timeout=TIMEOUT)
        async with way as (read, write, _), ClientSession(read, write, TIMEOUT) as session:
            await session.initialize()
${callInSession("PUBLISHED.get(tool, tool)", 12)}
    except Exception as error:
        place = f"at REPERTOIRE_URL, {SERVER}, where repertoire serve --http is to run"
        raise unanswered(tool, place, error) from None
    return answer_of(result)`,
    ...(skills
      ? [
          `async def call_skill(skill: str, given: Any, key: str | None = None) -> Any:
    """Runs a skill where it is served."""
    return await call_tool("run_skill", {"name": skill, "input": given}, key)`,
        ]
      : []),
    `def answer_of(result: Any) -> Any:
    """What a call gave; what Repertoire says of a failure."""
    if isinstance(result, ToolError):
        raise result
    about = result.meta or {}
    if result.isError:
        code = about.get("repertoire/error", {}).get("code", "TOOL_FAILED")
        text = "\\n".join(part.text for part in result.content if part.type == "text")
        raise ToolError(text.removeprefix(f"{code}: ").split('\\nIn skill "')[0], code)
    whole = about.get("repertoire/wrappedIn")
    return exact(result.structuredContent if whole is None else result.structuredContent[whole])`,
    EXACT,
  ];
}

/** A request that the server refuses is an answer, and not the end of the session. */
function callInSession(tool: string, indent: number): string {
  return [
    "try:",
    `    about = None if key is None else {"${IDEMPOTENCY_KEY}": key}`,
    `    result = await session.call_tool(${tool}, arguments, meta=about)`,
    "except McpError as error:",
    "    if error.error.code == 408:",
    "        raise",
    '    result = ToolError(str(error), "TOOL_NOT_FOUND" if error.error.code == -32602 else None)',
  ]
    .map((line) => " ".repeat(indent) + line)
    .join("\n");
}

function directCalls(skill: ExportedSkill): readonly string[] {
  const variables = [...serverVariables(skill)].map(
    ([server, variable]) => `${pythonLiteral(server)}: "${variable}"`,
  );
  return [
    [
      `SERVERS = {${variables.join(", ")}}`,
      '"""Which variable of the environment has a server\'s address, or the command that starts it."""',
    ].join("\n"),
    `@contextlib.asynccontextmanager
async def connected(server: str) -> Any:
    """A session with a server; <NAME>_SERVER_AUTHORIZATION is sent to an address as the header of that name."""
    variable = SERVERS[server]
    place = os.environ.get(variable)
    if not place:
        why = f'{variable} is to have the address of the server "{server}", or the command that starts it'
        raise ToolError(f"{why}; it is not set", "CONFIG_INVALID")
    if place.startswith(("http://", "https://")):
        authorization = os.environ.get(f"{variable}_AUTHORIZATION")
        headers = {"Authorization": authorization} if authorization else None
        way = streamablehttp_client(place, headers, sse_read_timeout=TIMEOUT)
        async with way as (read, write, _), ClientSession(read, write, TIMEOUT) as session:
            await session.initialize()
            yield session
        return
    command, *arguments = shlex.split(place)
    process = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
    async with stdio_client(process) as (read, write), ClientSession(read, write, TIMEOUT) as session:
        await session.initialize()
        yield session`,
    `async def call_tool(tool: str, arguments: Any, key: str | None = None) -> Any:
    """Calls a tool of its server; the key is the same for each attempt of the same call."""
    server, name = tool.split(".", 1)
    try:
        async with connected(server) as session:
${callInSession("name", 12)}
            except RuntimeError as error:
                result = ToolError(f"{tool}: {error}")
    except ToolError:
        raise
    except Exception as error:
        raise unanswered(tool, f"at what {SERVERS[server]} names", error) from None
    return answer_of(tool, result)`,
    `def answer_of(tool: str, result: Any) -> Any:
    """What a call gave: its structured content; else its text, parsed where it is a JSON object or list."""
    if isinstance(result, ToolError):
        raise result
    texts = [part.text if part.type == "text" else f"[{part.type}]" for part in result.content]
    if result.isError:
        raise ToolError("\\n".join(texts)[:4000] or f'The tool "{tool}" failed and did not say why')
    if result.structuredContent is not None:
        return exact(result.structuredContent)
    if any(part.type != "text" for part in result.content):
        own = {"meta", "annotations"}
        return [part.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=own) for part in result.content]
    values = [parsed(text) for text in texts]
    if len(texts) < 2:
        return None if not texts else texts[0] if values[0] is None else values[0]
    return "\\n".join(texts) if any(value is None for value in values) else values`,
    `def parsed(text: str) -> Any:
    """The object or list that a text is, if it is one."""
    try:
        return exact(json.loads(text)) if re.match(r"\\s*[\\[{]", text) else None
    except ValueError:
        return None`,
    EXACT,
  ];
}

const EXACT = `def exact(value: Any) -> Any:
    """A JSON value with numbers as Repertoire has them: none is whole beyond what a float tells."""
    if isinstance(value, dict):
        return {key: exact(each) for key, each in value.items()}
    if isinstance(value, list):
        return [exact(each) for each in value]
    return float(value) if isinstance(value, int) and abs(value) > 2**53 else value`;

const CHECK = `def check(value: Any, schema: dict[str, Any], code: str) -> None:
    """What does not fit ends the skill; the message has nothing of the value, which may be a credential."""
    for fault in Draft202012Validator(schema).iter_errors(value):
        raise SkillError(f"{fault.json_path} does not fit the schema's {fault.validator}", code)`;

/** What is stored of nodes' results, since there may be nothing in it; the helper that this takes is among theirs then. */
export function namesToStore({ nodes, helpers }: Pick<PlanNodes, "nodes" | "helpers">): ReadonlySet<string> {
  const names = new Set(
    nodes.flatMap(({ gives, mayMiss }) => (gives !== undefined && mayMiss ? [gives] : [])),
  );
  if (names.size > 0) helpers.add("MISSING");
  return names;
}

/** The functions by which texts store and restore, where they do. */
export function storingTexts(texts: readonly string[]): readonly string[] {
  return texts.some((text) => /\b(?:stored|restored)\(/.test(text)) ? [STORED] : [];
}

/** How values are kept between steps, by whatever keeps JSON and sets. */
const STORED = `def stored(value: Any) -> Any:
    """A value as it is kept between steps: what is not there, for which JSON has no word, as an empty set."""
    if isinstance(value, dict):
        return {key: stored(each) for key, each in value.items()}
    if isinstance(value, list):
        return [stored(each) for each in value]
    return frozenset() if value is MISSING else value


def restored(value: Any) -> Any:
    """A value that was stored."""
    if isinstance(value, dict):
        return {key: restored(each) for key, each in value.items()}
    if isinstance(value, list):
        return [restored(each) for each in value]
    return MISSING if isinstance(value, frozenset) else value`;
