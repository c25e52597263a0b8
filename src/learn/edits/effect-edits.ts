import { plainLine, quotedLine } from "../../core/text/display-text.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Step } from "../plan/plan.ts";
import { namedSteps, skillsOf, toolsOf, withSideSteps } from "../plan/steps.ts";
import { type MayWrite, mayWriteBy, type ToolEffect } from "../plan/tool-effects.ts";
import type { EditOf } from "./edits.ts";
import { withChoices } from "./choices.ts";
import { withoutUnused } from "./idle-calls.ts";
import { invalidEdit, type RevisionContext } from "./revision-context.ts";

/**
 * The plan with a reviewer's word on what a tool does. Loops in which all tools only read run in parallel, and calls of a
 * tool that only reads go where nothing uses what they give.
 */
export function applyEffect(
  context: RevisionContext,
  { tool, operation }: EditOf<"effect">,
): Result<RevisionContext> {
  const { plan } = context;
  const tools = toolsOf(plan.steps);
  if (skillsOf(plan.steps).includes(tool))
    return invalidEdit(`${quotedLine(tool)} is a skill: its own operation tells what it does`);
  if (!tools.includes(tool))
    return invalidEdit(
      `The draft calls no tool ${quotedLine(tool)}: it calls ${plainLine(tools.join(", "))}.${didYouMean(tool, tools)}`,
    );
  const known = plan.effects?.find((effect) => effect.tool === tool);
  if (known?.by === "server" && known.operation === "WRITE" && operation === "READ")
    return invalidEdit(
      `The server of ${quotedLine(tool)} says that it writes: where that is wrong, say so under "operations" of the server in the configuration`,
    );
  const others = plan.effects?.filter((effect) => effect !== known) ?? [];
  const effects: readonly ToolEffect[] = [...others, { tool, operation, by: "reviewer" }];
  const steps = plan.steps.map((step) => inOrder(step, mayWriteBy(effects)));
  const told: RevisionContext = { ...context, plan: { ...plan, steps, effects } };
  return ok(operation === "READ" ? withoutUnused(withChoices(told), (each) => each === tool) : told);
}

function inOrder(step: Step, mayWrite: MayWrite): Step {
  if (step.kind === "branch" || step.kind === "switch")
    return withSideSteps(step, (steps) => steps.map((inner) => inOrder(inner, mayWrite)));
  if (step.kind !== "loop") return step;
  const steps = step.steps.map((inner) => inOrder(inner, mayWrite));
  const writes = namedSteps(steps).some((inner) => inner.kind === "call" && mayWrite(inner.tool));
  return { ...step, steps, order: writes ? "sequential" : "parallel" };
}
