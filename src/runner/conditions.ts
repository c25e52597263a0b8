import { isJsonObject, type Json } from "../core/json/json.ts";
import type { ConditionTime, SkillCondition, UnmetCondition } from "../core/conditions/skill-condition.ts";
import { type Host, type Image, type Instance, SILENT_HOST, Unwind } from "./sandbox/engine.ts";

/** What a worker needs to evaluate a skill's conditions of one time. */
export interface ConditionCode {
  readonly when: ConditionTime;
  readonly conditions: readonly SkillCondition[];
  /** A module whose default export tells of each condition whether it holds. */
  readonly code: string;
}

/** Undefined where there are no conditions. */
export function conditionCode(
  when: ConditionTime,
  conditions: readonly SkillCondition[] = [],
): ConditionCode | undefined {
  if (conditions.length === 0) return undefined;
  const entries = conditions.map(
    ({ check, reads }) =>
      `[() => (${check}\n), [${reads.map((read) => `[${JSON.stringify(read)}, () => (${read}\n)]`).join(", ")}]]`,
  );
  const code = `${TELLING}export default ({ inputs, outputs }) => tellAll([\n${entries.join(",\n")}\n]);\n`;
  return { when, conditions, code };
}

const MAX_VALUE = 200;

const TELLING = `
const said = (thrown) => (thrown instanceof Error ? thrown.name + ": " + thrown.message : "it throws").slice(0, ${MAX_VALUE});
const valueOf = (read) => {
  try {
    const text = String(JSON.stringify(read()));
    return text.length > ${MAX_VALUE} ? text.slice(0, ${MAX_VALUE}) + "…" : text;
  } catch {
    return "not to be had";
  }
};
const tell = ([check, reads]) => {
  let error;
  try {
    if (check()) return { holds: true };
  } catch (thrown) {
    error = said(thrown);
  }
  return { holds: false, error, values: reads.map(([text, read]) => [text, valueOf(read)]) };
};
const tellAll = (checks) => checks.map(tell);
`;

/** Steps of the engine's own counting, so that a check ends at the same place wherever it runs. */
const MAX_INTERRUPTS = 200;

const JOBS_A_SLICE = 100;

export interface ConditionEvaluation {
  /** In its base state or any other; what is in it is lost. */
  readonly instance: Instance;
  readonly base: Image;
  /** The image with the code loaded, where it is known; told when it is made. */
  readonly known: Image | undefined;
  readonly keep: (image: Image) => unknown;
  /** Of the run: its limits hold here, too. */
  readonly host: Pick<Host, "interrupt" | "mayGrow">;
  /** `{"inputs": …, "outputs": …}` as JSON text. */
  readonly values: string;
}

/**
 * The conditions that do not hold. They see no clock, no chance and no tools, so that equal values get equal verdicts;
 * those that take too many steps, or give no verdict for any other reason, do not hold.
 */
export function unmetConditions(
  { when, conditions, code }: ConditionCode,
  { instance, base, known, keep, host, values }: ConditionEvaluation,
): readonly UnmetCondition[] {
  let isLoaded = known !== undefined;
  let told: Json | undefined;
  let interrupts = 0;
  let isOver = false;
  instance.host = {
    ...SILENT_HOST,
    maxBytes: 2 ** 22,
    mayGrow: host.mayGrow,
    interrupt: () => {
      host.interrupt();
      isOver = ++interrupts > MAX_INTERRUPTS;
      if (isOver) throw new Unwind();
    },
    loaded: (failed) => {
      isLoaded = failed === undefined;
    },
    returned: (output) => {
      if (output?.kind === "json") told = output.value;
    },
  };
  try {
    instance.restore(known ?? base);
    if (!known) {
      instance.load([{ name: "conditions", code }]);
      while (!isLoaded && instance.pump(JOBS_A_SLICE)) instance.host.interrupt();
      if (isLoaded) keep(instance.image());
    }
    if (isLoaded) instance.call(values);
  } catch (thrown) {
    if (!(thrown instanceof Unwind) || !isOver) throw thrown;
  }
  const verdicts: readonly Json[] = Array.isArray(told) ? (told as readonly Json[]) : [];
  return conditions.flatMap((condition, index) => {
    const verdict = verdicts[index];
    const why = isOver ? "it takes too long" : "it gives no verdict";
    return unmetOf(condition, when, isJsonObject(verdict) ? verdict : { holds: false, error: why });
  });
}

function unmetOf(
  { check, critical, description }: SkillCondition,
  when: ConditionTime,
  { holds, error, values }: { readonly [key: string]: Json },
): readonly UnmetCondition[] {
  if (holds === true) return [];
  const pairs = Array.isArray(values) ? (values as readonly Json[]) : [];
  const read = pairs.flatMap((pair): readonly (readonly [string, string])[] => {
    const [text, value] = Array.isArray(pair) ? (pair as readonly Json[]) : [];
    return typeof text === "string" && typeof value === "string" ? [[text, value]] : [];
  });
  return [
    {
      when,
      check,
      critical,
      ...(description === undefined ? {} : { description }),
      values: Object.fromEntries(read),
      ...(typeof error === "string" ? { error } : {}),
    },
  ];
}
