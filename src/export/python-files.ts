import { singleLine, type Layout } from "../learn/codegen/layout.ts";
import { pythonLiteral } from "../learn/codegen/python-literal.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";
import { caseValues, NO_SERVER, unplayedText, sampleInput, toolsText } from "./export-files.ts";
import { literalLayout } from "./python-nodes.ts";

/** The skill's cases as a Python literal. */
export function casesLiteral(skill: ExportedSkill): Layout {
  return literalLayout(caseValues(skill));
}

/** How a module of cases begins. Those of a skill that is one call need the server that has it. */
export function testBegin(skill: ExportedSkill): string {
  const isServed = skill.work.kind === "call";
  return `"""The skill's cases: \`python -m unittest\`${isServed ? " runs them against the server at REPERTOIRE_URL" : " runs them, and reaches no server"}.${unplayedText(skill)}"""

from __future__ import annotations

${isServed ? "import os\nimport sys\n" : ""}import unittest
from typing import Any
from unittest import mock`;
}

/** How a test begins that calls a skill where it is served, and so needs the server; else nothing. */
export function servedOnly({ work }: ExportedSkill): string {
  return work.kind === "call"
    ? `        if "REPERTOIRE_URL" not in os.environ:
            # The runner itself tells no reasons.
            print(${pythonLiteral(NO_SERVER)}, file=sys.stderr)
            self.skipTest("REPERTOIRE_URL is not set")
`
    : "";
}

/** The function of a test that answers calls with what the case tells; `unexpected` deals with one that it does not tell. */
export function answeredText(unexpected: string): string {
  return `                async def answered(tool: str, arguments: Any, key: str | None = None) -> Any:
                    fits = [each for each in answers if each["tool"] == tool and each.get("input", arguments) == arguments]
                    ${unexpected}
                    answers.remove(fits[0])
                    if "error" in fits[0]:
                        raise skill.ToolError(fits[0]["error"])
                    return fits[0]["output"]`;
}

/** How a README ends: what is installed, how the tools are reached, and an example in Python. */
export function startText(
  skill: ExportedSkill,
  access: ToolAccess,
  { prepare = [], example }: { readonly prepare?: readonly string[]; readonly example: string },
): string {
  const commands = [
    "python3 -m venv .venv && . .venv/bin/activate",
    "python -m pip install -r requirements.txt",
    ...prepare,
    "python -m unittest",
  ];
  return `## From nothing

Python 3.11 or later:

\`\`\`sh
${commands.join("\n")}
\`\`\`

${toolsText(skill, access)}

\`\`\`python
${example}
\`\`\`
`;
}

/** An input as a Python literal. */
export function exampleLiteral(skill: ExportedSkill): string {
  return singleLine(literalLayout(sampleInput(skill)));
}
