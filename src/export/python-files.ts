import type { Json, JsonObject } from "../core/json/json.ts";
import { singleLine, type Layout } from "../learn/codegen/layout.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";
import { serversOf, serverVariable } from "./python-client.ts";
import { literalLayout } from "./python-nodes.ts";

/** The skill's cases as a Python literal: name, input, what calls are answered, and what is expected. */
export function casesLiteral({ cases }: ExportedSkill): Layout {
  return literalLayout(
    cases.map(({ name, input, expected, tools = [] }, nth): JsonObject => ({
      name: name ?? `case ${nth + 1}`,
      input,
      expected:
        expected.kind === "output"
          ? { output: expected.output }
          : {
              ...(expected.code === undefined ? {} : { code: expected.code }),
              message: expected.message ?? "",
            },
      tools: tools.map(({ tool, input: asked, answer }): JsonObject => ({
        tool,
        ...(asked === undefined ? {} : { input: asked }),
        ...(answer.kind === "output" ? { output: answer.output } : { error: answer.message }),
      })),
    })),
  );
}

/** How a module of cases begins. Those of a skill that is one call need the server that has it. */
export function testBegin({ work }: ExportedSkill): string {
  const isServed = work.kind === "call";
  return `"""The skill's cases: \`python -m unittest\`${isServed ? " runs them against the server at REPERTOIRE_URL" : " runs them, and reaches no server"}."""

from __future__ import annotations

${isServed ? "import os\n" : ""}import unittest
from typing import Any
from unittest import mock`;
}

/** What stands before a test that calls a skill where it is served, and so needs the server; else nothing. */
export function servedOnly({ work }: ExportedSkill): string {
  return work.kind === "call"
    ? '    @unittest.skipUnless("REPERTOIRE_URL" in os.environ, "no server is named")\n'
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

/** The begin of a block of commands. */
export function installText(): string {
  return `Python 3.11 or later:

\`\`\`sh
uv venv && . .venv/bin/activate
uv pip install -r requirements.txt`;
}

/** An input as a Python literal, with what the run that was learned from had, where that may be told. */
export function exampleLiteral({ work, cases }: ExportedSkill): string {
  const fromPlan = (): Json =>
    work.kind === "plan"
      ? Object.fromEntries(
          work.plan.params.flatMap(({ name, secret, optional, example }) =>
            secret === true || (optional === true && example === undefined) ? [] : [[name, example ?? "..."]],
          ),
        )
      : {};
  return singleLine(
    literalLayout(cases.find(({ expected }) => expected.kind === "output")?.input ?? fromPlan()),
  );
}

/** How the tools are reached. */
export function toolsText({ work }: ExportedSkill, access: ToolAccess): string {
  if (access.kind === "served")
    return 'The tools are called through Repertoire, at `REPERTOIRE_URL` (`http://127.0.0.1:3333/mcp` where it is not set): start it with `repertoire serve --http 3333`. In its configuration, a server whose tools are called has `"publish": true`. Then:';
  const servers = work.kind === "plan" ? serversOf(work.plan) : [];
  const lines = servers.map(
    (server) =>
      `- \`${serverVariable(server)}\`: the address of the server \`${server}\`, or the command that starts it, once for each call; \`${serverVariable(server)}_AUTHORIZATION\`: the header of that name, where its address wants one`,
  );
  return `The tools are called on their own servers. Set in the environment:\n\n${lines.join("\n")}\n\nThen:`;
}
