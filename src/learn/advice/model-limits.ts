import { plainLine } from "../../core/text/display-text.ts";
import type { Edit } from "../edits/edits.ts";
import { firstTrace, type RevisionContext } from "../edits/revision-context.ts";
import { namedSteps } from "../plan/steps.ts";
import { mayWriteBy } from "../plan/tool-effects.ts";

/** Why a model may not make an edit that a person may, or nothing: what may write is left to persons. */
export function modelRefusal(edit: Edit, context: RevisionContext): string | undefined {
  const { steps, effects } = context.plan;
  const mayWrite = mayWriteBy(effects);
  switch (edit.kind) {
    case "drop": {
      const dropped = new Set([edit.step].flat());
      const writing = namedSteps(steps).find(
        (step) =>
          dropped.has(step.name) &&
          namedSteps([step]).some((each) => each.kind === "call" && mayWrite(each.tool)),
      );
      return writing && `"${plainLine(writing.name)}" may write: only a person leaves it out`;
    }
    case "keep": {
      const tool = firstTrace(context).calls[edit.call]?.tool;
      return tool !== undefined && mayWrite(tool)
        ? `"${plainLine(tool)}" may write: only a person has it called once more`
        : undefined;
    }
    case "effect":
      return edit.operation === "READ" && mayWrite(edit.tool)
        ? "Only its server, the configuration or a person says that a tool only reads"
        : undefined;
    case "precondition":
    case "postcondition": {
      const conditions = context.plan[`${edit.kind}s`] ?? [];
      const isWeaker = conditions.some(
        ({ check, critical }) =>
          check === edit.text && (edit.how === "remove" || (critical && edit.how === "warn")),
      );
      return isWeaker ? "Only a person takes a condition out, or has it stop nothing any more" : undefined;
    }
    case "category":
    case "tag":
    case "keyword":
    case "example":
    case "rename":
    case "describe":
    case "flow":
    case "parameter":
    case "constant":
    case "output":
    case "fold":
    case "split":
    case "optional":
    case "required":
      return undefined;
  }
}
