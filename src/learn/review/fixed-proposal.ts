import { isSettingValue, jsonLeaves, TaskText } from "../plan/values.ts";
import type { Edit } from "../edits/edits.ts";
import type { Param, Plan } from "../plan/plan.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";

/** Parameters that look like how the work is done rather than what for: kinds, flags and names of fields. */
export interface FixedProposal {
  readonly params: readonly string[];
  /** They make constants of them. */
  readonly edits: readonly Edit[];
}

/** What a person might make constants, or nothing: what one run has, proves nothing. */
export function fixedProposal({ params }: Plan, { task }: RecordedTrace): FixedProposal | undefined {
  const said = new TaskText(task);
  const names = params.filter((param) => looksFixed(param, said)).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { params: names, edits: names.map((param): Edit => ({ kind: "constant", param })) };
}

function looksFixed({ example, optional, secret, rounds }: Param, task: TaskText): boolean {
  if (example === undefined || optional === true || secret === true || rounds || Array.isArray(example))
    return false;
  const leaves = [...jsonLeaves(example)].map(([, leaf]) => leaf);
  return (
    leaves.every(isSettingValue) && leaves.some((leaf) => typeof leaf === "boolean" || !task.mentions(leaf))
  );
}
