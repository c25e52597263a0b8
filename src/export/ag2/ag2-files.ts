import { layoutText } from "../../learn/codegen/layout.ts";
import type { ExportedSkill, ToolAccess } from "../engine-adapter.ts";
import {
  answeredText,
  casesLiteral,
  exampleLiteral,
  servedOnly,
  startText,
  testBegin,
} from "../python-files.ts";

/** The skill's cases against the agents, whose tools answer with what they tell. */
export function ag2Test(skill: ExportedSkill, module: string): string {
  const isServed = skill.work.kind === "call";
  return `${testBegin(skill)}

import ${module} as skill

${layoutText(["CASES: list[dict[str, Any]] = ", casesLiteral(skill)], "")}


class Cases(unittest.IsolatedAsyncioTestCase):
    async def test_cases(self) -> None:
${servedOnly(skill)}        for case in CASES:
            with self.subTest(case["name"]):
                answers = list(case["tools"])

${answeredText(`if not fits:
                        raise skill.ToolError(f"{tool} is not called with {arguments} in this case")`)}

                expected = case["expected"]
                with mock.patch.object(skill, "call_tool", ${isServed ? "skill.call_tool" : "answered"}):
                    if "output" in expected:
                        self.assertEqual(await skill.run(case["input"]), expected["output"])
                    else:
                        with self.assertRaises(skill.SkillError) as failed:
                            await skill.run(case["input"])
                        self.assertIn(expected["message"], str(failed.exception))
                        self.assertEqual(failed.exception.code, expected.get("code", failed.exception.code))
                self.assertEqual(answers, [], "is not called")


if __name__ == "__main__":
    unittest.main()
`;
}

export function agentReadme(skill: ExportedSkill, access: ToolAccess, module: string): string {
  return readme(skill, access, module, {
    title: "as an agent of AG2",
    about: `\`${module}.py\` has the skill as \`agent\`, which needs no model: in its place stand the skill's steps, whose calls are the agent's turns. It is told the input as JSON, and its last message is the output as JSON; \`run(given)\` does both.

- Each call of a step is a tool call of the agent's, in the order of the steps. What rounds of a loop read at once is called in one turn.`,
  });
}

export function channelReadme(skill: ExportedSkill, access: ToolAccess, module: string): string {
  return readme(skill, access, module, {
    title: "as a workflow of AG2's agents",
    about: `\`${module}.py\` has the skill as agents (\`AGENTS\`) in a workflow channel, each with the tools that its steps call. They need no model: in its place stand the steps. \`TURNS\` tells whose turn it is when, and which steps it has; \`run(given)\` opens a hub and a channel, and gives the output.

- An agent says as JSON what its steps and those before them have found, and whose turn is next; the last one says the output, or one why there is none, which closes the channel. \`opened(hub)\` opens the channel in a hub of yours; it is sent \`begun(given)\`.
- Each call of a step is a tool call of its agent's, in the order of the steps. What rounds of a loop read at once is called in one turn.`,
  });
}

export function groupchatReadme(skill: ExportedSkill, access: ToolAccess, module: string): string {
  return readme(skill, access, module, {
    title: "as a group chat of AG2 Classic",
    about: `\`${module}.py\` has the skill as a \`GroupChat\` of agents, each with the functions that its steps call. They need no model: a reply of theirs is what the steps call, or have found. \`TURNS\` tells whose turn it is when, and which steps it has, and \`next_speaker\` selects by it; \`run(given)\` begins a chat, and gives the output.

- An agent says as JSON what its steps and those before them have found, and whose turn is next; the last one says the output, or one why there is none, and the chat ends. \`group_chat()\` makes the agents and the chat, for a manager of yours; a caller begins it with \`begun(given)\`.
- Each call of a step is a tool call of its agent's, which makes it itself, in the order of the steps. What rounds of a loop read at once is called in one message.`,
  });
}

interface Readme {
  readonly title: string;
  readonly about: string;
}

function readme(skill: ExportedSkill, access: ToolAccess, module: string, { title, about }: Readme): string {
  return `# ${skill.name} ${title}

${about}
- Nothing is tried again. Calls that may write have a key (\`repertoire/idempotencyKey\` in \`_meta\`), which is the same where something of yours makes a call again.
- Nobody is asked before a tool writes.
- What fails raises \`SkillError\`, whose \`code\` is the one that Repertoire has for it.

${startText(skill, access, {
  example: `import asyncio

from ${module} import run

print(asyncio.run(run(${exampleLiteral(skill)})))`,
})}`;
}
