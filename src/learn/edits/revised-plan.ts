import { IN_WORDS } from "../../core/json/shape-words.ts";
import { failure } from "../../core/error.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Draft } from "../drafts/draft.ts";
import { PLAN, type Plan } from "../plan/plan.ts";
import { dropped, kept, withOutput } from "./call-edits.ts";
import type { Edit } from "./edits.ts";
import { flowed, leafParameter } from "./flow-edits.ts";
import { described, renamed } from "./name-edits.ts";
import { constantInstead, optionalParam, requiredParam } from "./param-edits.ts";
import type { Learned } from "./recorded-run.ts";
import { type Work, workOn } from "./revision-context.ts";

export interface RevisedPlan {
  readonly plan: Plan;
  /** What the draft was learned from, where that has changed too: which calls it makes, or what its inputs were. */
  readonly traces?: readonly Learned[];
}

/**
 * The plan of a draft after edits, one after the other: all of them, or none. A plan is never made of anything but what
 * the edits say and what synthesis has found in the draft's own runs.
 */
export function revisedPlan(
  draft: Pick<Draft, "plan" | "provenance">,
  edits: readonly Edit[],
): Result<RevisedPlan> {
  const start = workOn(draft);
  let work = start;
  for (const [index, edit] of edits.entries()) {
    const done = edited(work, edit);
    if (!done.ok)
      return fail(failure("INPUT_INVALID", `Edit ${index + 1} (${edit.kind}): ${done.error.message}`));
    work = done.value;
  }
  const { error } = PLAN.safeParse(work.plan, IN_WORDS);
  if (error)
    return fail(failure("INPUT_INVALID", `The plan is not valid: ${error.issues[0]?.message ?? ""}`));
  const { plan, learned } = work;
  const isSame = learned.every((each, index) => each === start.learned[index]);
  return ok(isSame ? { plan } : { plan, traces: learned });
}

function edited(work: Work, edit: Edit): Result<Work> {
  switch (edit.kind) {
    case "rename":
      return renamed(work, edit);
    case "describe":
      return described(work, edit);
    case "flow":
      return flowed(work, edit);
    case "parameter":
      return leafParameter(work, edit);
    case "constant":
      return constantInstead(work, edit);
    case "output":
      return withOutput(work, edit);
    case "drop":
      return dropped(work, edit);
    case "keep":
      return kept(work, edit);
    case "optional":
      return optionalParam(work, edit);
    case "required":
      return requiredParam(work, edit);
  }
}
