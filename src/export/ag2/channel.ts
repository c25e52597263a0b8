import { enclosed, layoutText } from "../../learn/codegen/layout.ts";
import { pythonLiteral } from "../../learn/codegen/python-literal.ts";
import type { ExportedSkill, ToolAccess } from "../engine-adapter.ts";
import { pythonAdapter } from "../python-engine.ts";
import { ag2Test, channelReadme } from "./ag2-files.ts";
import { MODEL_IMPORTS, modelText, SECRET_FAULT, TOOL, toolText } from "./calls.ts";
import { CALLER, roleTexts, toolsOfAgent } from "./roles.ts";

const IMPORTS = {
  ...MODEL_IMPORTS,
  "ag2.knowledge": ["MemoryKnowledgeStore"],
  "ag2.network": ["BaseHubListener", "Hub", "TransitionDecision", "TransitionGraph", "register_target"],
};

/**
 * AG2, by role: agents in a workflow channel, each with the steps of its role, which hand on what they have found. None
 * needs a model.
 */
export const AG2_CHANNEL = pythonAdapter({
  name: "ag2-channel",
  noun: "channel",
  requirement: "ag2==1.2.1",
  imports: IMPORTS,
  secretFault: () => SECRET_FAULT,
  definitions,
  test: ag2Test,
  readme: channelReadme,
});

const TAKEN = [...Object.values(IMPORTS).flat(), ..."Turns NextTurn End AGENTS opened text_in".split(" ")];

function definitions(skill: ExportedSkill, access: ToolAccess): readonly string[] {
  const { texts, agents } = roleTexts(skill, access, TAKEN);
  const made = agents.map((agent) => [
    "Agent",
    enclosed(
      "(",
      [pythonLiteral(agent.name), "config=Turns()", ["tools=", enclosed("[", toolsOfAgent(agent), "]")]],
      ")",
    ),
  ]);
  return [
    ...texts,
    modelText({
      name: "Turns",
      about: "an agent's turn makes the calls of its steps, and says what has come of them",
      // Whoever speaks in a channel is named before what is said.
      begin: 'turn_of(text[text.index("]: {") + 3 :])',
      told: "calls.work.result()",
    }),
    toolText(
      agents.some(({ skills }) => skills.length > 0),
      TOOL,
    ),
    layoutText(["AGENTS = ", enclosed("[", made, "]")], ""),
    CHANNEL,
  ];
}

const CHANNEL = `def text_in(envelope: Any) -> str | None:
    """What an agent has said."""
    return envelope.event_data.get("body") or envelope.event_data.get("text")


@dataclasses.dataclass
class NextTurn:
    """Where the channel goes: to whose turn it is, until one has the output, or fails."""

    agents: list[str]
    name: ClassVar[str] = "next_turn"

    def resolve(self, state: Any, envelope: Any) -> TransitionDecision:
        turn = json.loads(text_in(envelope) or "{}").get("turn")
        return TransitionDecision(None, "ended") if turn is None else TransitionDecision(self.agents[turn])


register_target(NextTurn)


class End(BaseHubListener):
    """What is said last in a channel."""

    def __init__(self) -> None:
        self.text = asyncio.get_running_loop().create_future()
        self.last = ""

    async def on_envelope_posted(self, envelope: Any, metadata: Any) -> None:
        self.last = text_in(envelope) or self.last

    async def on_channel_event(self, channel_id: str, kind: str, payload: Any) -> None:
        if kind == "closed":
            self.text.set_result(self.last)

    async def on_turn_failed(self, channel_id: str, agent_id: str, envelope_id: str, exc: BaseException) -> None:
        self.text.set_exception(exc)


async def opened(hub: Hub) -> Any:
    """A channel with all agents; what \`begun\` says of an input is sent to it."""
    caller = await hub.register(Agent("${CALLER}"), attach_plugin=False)
    ids = {agent.name: (await hub.register(agent, attach_plugin=False)).agent_id for agent in AGENTS}
    graph = TransitionGraph(caller.agent_id, default_target=NextTurn([ids[agent] for agent, _ in TURNS]))
    return await caller.open(type="workflow", target=list(ids.values()), knobs={"graph": graph.to_dict()})


async def run(given: Any) -> Any:
    """What the agents give for an input. What fails raises SkillError."""
    text = begun(given)
    hub = await Hub.open(MemoryKnowledgeStore(), ttl_sweep_interval=0, expectation_sweep_interval=0)
    try:
        end = End()
        hub.register_listener(end)
        channel = await opened(hub)
        await channel.send(text)
        return ended(await end.text)
    finally:
        await hub.close()`;
