import { relative } from "node:path";
import type { ComposedFlow } from "../../core/flow.ts";
import { flowLine } from "../../core/text/flow-text.ts";
import { oneLine } from "../../core/text/terminal-text.ts";

/** Flows for people: each with its steps, from the call of the source to the call that writes. */
export function flowsText(flows: readonly ComposedFlow[]): string {
  if (flows.length === 0) return "No answer of an untrusted tool goes into a call that writes.";
  return flows.map(flowText).join("\n");
}

function flowText(flow: ComposedFlow): string {
  const steps = flow.path.map(
    ({ skill, text, path, line, column }) =>
      `    ${shown(path)}:${line}:${column} ${oneLine(`${skill} ${text}`)}`,
  );
  return [oneLine(`${flow.skill}: ${flowLine(flow)}`), ...steps].join("\n");
}

function shown(path: string): string {
  const local = relative(process.cwd(), path);
  return oneLine(local.startsWith("..") || local === "" ? path : local);
}
