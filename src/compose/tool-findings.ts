import { toolRefusal } from "../core/allowed-tools.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { nearest } from "../core/nearest.ts";
import type { DerivedSkill } from "./derived-skill.ts";
import { serverOf, type CallableTools } from "./tool-types.ts";

/**
 * Calls of upstream tools that cannot come to anything: of a tool that its server does not have, as far as the server's
 * tools are known, or that the skill may not call.
 */
export function toolFindings(derived: readonly DerivedSkill[], known: CallableTools): readonly Diagnostic[] {
  const names = Map.groupBy(known.keys(), serverOf);
  return derived.filter(({ isSound }) => isSound).flatMap((skill) => findingsIn(skill, known, names));
}

function findingsIn(
  { folder, calls, toolCalls }: DerivedSkill,
  known: CallableTools,
  names: ReadonlyMap<string, readonly string[]>,
): readonly Diagnostic[] {
  return toolCalls.flatMap(({ callee: tool, ...place }): readonly Diagnostic[] => {
    const at = { code: "call-unknown", severity: "error", ...place } as const;
    const server = serverOf(tool);
    const others = known.has(tool) ? undefined : names.get(server);
    if (others) {
      const meant = nearest(tool, others);
      const name = JSON.stringify(tool.slice(server.length + 1));
      const message =
        tool === server
          ? `"${server}" is a server; a tool is named "${server}.tool"`
          : `The server "${server}" has no tool ${name}`;
      const fix = meant === undefined ? CHECK_NAME : `Did you mean ${JSON.stringify(meant)}?`;
      return [{ ...at, message, fix }];
    }
    const refusal = toolRefusal({ name: folder.name, frontmatter: folder.frontmatter, calls }, tool);
    if (!refusal) return [];
    const message = `The skill may not call the upstream tool ${JSON.stringify(tool)}: its \`allowed-tools\` does not list it`;
    return [{ ...at, message, fix: "List it in `allowed-tools`, or do not call it" }];
  });
}

const CHECK_NAME =
  "Correct the name, or allow the tool in the configuration; `repertoire upstream` asks the servers again";
