/**
 * What must be true before a skill runs, or of what it gives: an expression of JavaScript that can do nothing but look
 * at `inputs` and, afterwards, `outputs`.
 */
export interface SkillCondition {
  readonly check: string;
  /** Whether the call fails where it does not hold; else that is only told. */
  readonly critical: boolean;
  /** What it means, in words. */
  readonly description?: string | undefined;
  /** Its parts that read inputs or outputs, as they are written: what they are is told where it does not hold. */
  readonly reads: readonly string[];
}

/** When conditions are evaluated: before a skill's code, or after it. */
export type ConditionTime = "pre" | "post";

/** A condition that did not hold. */
export interface UnmetCondition extends Omit<SkillCondition, "reads"> {
  readonly when: ConditionTime;
  /** What the parts of the check were, as JSON text, cut where it is long. */
  readonly values: Readonly<Record<string, string>>;
  /** Why it has no value. */
  readonly error?: string | undefined;
}

/** What did not hold and why, in one line. */
export function unmetText({ check, description, values, error }: UnmetCondition): string {
  const read = Object.entries(values).map(([part, value]) => `${part} is ${value}`);
  const why = [...(error === undefined ? [] : [error]), ...read].join(", ");
  const said = description === undefined ? check : `${description}: ${check}`;
  return why === "" ? said : `${said} (${why})`;
}
