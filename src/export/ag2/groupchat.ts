import { enclosed, layoutText } from "../../learn/codegen/layout.ts";
import { pythonLiteral } from "../../learn/codegen/python-literal.ts";
import type { ExportedSkill, ToolAccess } from "../engine-adapter.ts";
import { pythonAdapter } from "../python-engine.ts";
import { literalLayout } from "../python-nodes.ts";
import { ag2Test, groupchatReadme } from "./ag2-files.ts";
import { SECRET_FAULT, toolText } from "./calls.ts";
import { CALLER, namesWithout, roleTexts, toolsOfAgent } from "./roles.ts";

const IMPORTS = {
  autogen: ["Agent", "ConversableAgent", "GroupChat", "GroupChatManager"],
  "autogen.io": ["IOConsole", "IOStream"],
};

/**
 * AG2 Classic, by role: agents in a group chat, each with the steps of its role, where the steps say who speaks. None
 * needs a model.
 */
export const AG2_GROUPCHAT = pythonAdapter({
  name: "ag2-groupchat",
  noun: "groupchat",
  requirement: "autogen==0.14.1",
  imports: IMPORTS,
  secretFault: () => SECRET_FAULT,
  definitions,
  test: ag2Test,
  readme: groupchatReadme,
});

const TAKEN = [
  ...Object.values(IMPORTS).flat(),
  ..."NAMES Quiet agent_of group_chat next_speaker".split(" "),
];

function definitions(skill: ExportedSkill, access: ToolAccess): readonly string[] {
  const { texts, agents } = roleTexts(skill, access, TAKEN);
  const names = namesWithout(
    /[^\w-]/g,
    agents.flatMap(({ tools, skills }) => [...tools, ...skills]),
  );
  const named = (name: string, made: string): string => `${pythonLiteral(names.get(name) ?? name)}: ${made}`;
  const made = agents.map((agent) => [
    "agent_of(",
    [pythonLiteral(agent.name), ", ", enclosed("{", toolsOfAgent(agent, named), "}")],
    ")",
  ]);
  return [
    ...texts,
    toolText(agents.some(({ skills }) => skills.length > 0)),
    [
      layoutText(["NAMES: dict[str, str] = ", literalLayout(Object.fromEntries(names))], ""),
      '"""What agents call tools, which have no dot in a chat."""',
    ].join("\n"),
    AGENT,
    `def group_chat() -> GroupChat:
    """The agents together."""
${layoutText(["agents = ", enclosed("[", made, "]")], "    ")}
    return GroupChat(agents, messages=[], max_round=sys.maxsize, speaker_selection_method=next_speaker)`,
    RUN,
  ];
}

const AGENT = `def agent_of(name: str, tools: dict[str, Any]) -> ConversableAgent:
    """An agent that makes the calls of its steps when it is its turn, and then says what has come of them."""
    calls: Any = None

    async def reply(agent: Any, messages: Any, sender: Any, config: Any) -> Any:
        nonlocal calls
        last = messages[-1]
        if last.get("tool_calls"):
            return await agent.a_generate_tool_calls_reply(messages)
        if "tool_responses" in last:
            for each in last["tool_responses"]:
                calls.answered(each["tool_call_id"], each["content"])
        else:
            calls = turn_of(last["content"])
        asked = [
            {"id": each.pop("id"), "type": "function", "function": {**each, "name": NAMES[each["name"]]}}
            for each in await calls.next()
        ]
        return True, {"tool_calls": asked} if asked else calls.work.result()

    agent = ConversableAgent(name, llm_config=False, human_input_mode="NEVER")
    agent.register_function(tools)
    agent.register_reply(Agent, reply, remove_other_reply_funcs=True)
    return agent


def next_speaker(last: Agent, chat: GroupChat) -> Agent | None:
    """Whose turn it is; who has asked for calls makes them, and goes on. Nobody, where there is an output, or a failure."""
    message = chat.messages[-1]
    if message.get("tool_calls") or "tool_responses" in message:
        return last
    turn = json.loads(message["content"]).get("turn")
    return None if turn is None else chat.agent_by_name(TURNS[turn][0])`;

const RUN = `class Quiet(IOConsole):
    """Prints nothing: neither whose turn it is, nor what tools answer."""

    def send(self, message: Any) -> None:
        pass


async def run(given: Any) -> Any:
    """What the agents give for an input. What fails raises SkillError."""
    text = begun(given)
    chat = group_chat()
    caller = ConversableAgent("${CALLER}", llm_config=False, human_input_mode="NEVER")
    with IOStream.set_default(Quiet()):
        await caller.a_initiate_chat(GroupChatManager(chat, llm_config=False), message=text)
    return ended(chat.messages[-1]["content"])`;
