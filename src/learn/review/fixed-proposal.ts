import { isSettingValue, jsonLeaves, TaskText } from "../plan/values.ts";
import type { Edit } from "../edits/edits.ts";
import { comparisonsIn, subexpressions } from "../plan/expression.ts";
import type { Param, Plan } from "../plan/plan.ts";
import { expressionsOf } from "../plan/steps.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";

/** Parameters that look like how the work is done rather than what for: kinds, flags and names of fields. */
export interface FixedProposal {
  readonly params: readonly string[];
  /** They make constants of them. */
  readonly edits: readonly Edit[];
}

/** What a person might make constants, or nothing: what one run has, proves nothing. */
export function fixedProposal(plan: Plan, { task }: RecordedTrace): FixedProposal | undefined {
  const said = new TaskText(task);
  // Without a task nothing tells which of several the run was about, but that it was found by this.
  const subjects = task === undefined ? findingParams(plan) : new Set<string>();
  const names = plan.params
    .filter((param) => looksFixed(param, said) && !subjects.has(param.name))
    .map(({ name }) => name);
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

/** The parameters by which one element of an answer is found. */
function findingParams({ steps, output }: Plan): ReadonlySet<string> {
  const names = [...steps.flatMap(expressionsOf), output.value]
    .flatMap(subexpressions)
    .flatMap((part) => (part.kind === "find" ? comparisonsIn(part.where) : []))
    .flatMap(({ equals }) => subexpressions(equals))
    .flatMap((part) => (part.kind === "param" ? [part.name] : []));
  return new Set(names);
}
