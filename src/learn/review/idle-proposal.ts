import type { Edit } from "../edits/edits.ts";
import type { RecordedRun } from "../edits/recorded-run.ts";
import { isAskedFor } from "../edits/idle-calls.ts";
import { recordedCalls } from "../edits/translation.ts";
import { idleSteps } from "../plan/idle-steps.ts";
import { nameWords } from "../plan/names.ts";
import type { CallStep, Expression, Plan } from "../plan/plan.ts";
import { hasName, namedSteps } from "../plan/steps.ts";
import { type MayWrite, soundsReading } from "../plan/tool-effects.ts";
import { leafTexts } from "../plan/value-texts.ts";
import type { RecordedCall, RecordedTrace } from "../recording/recorded-trace.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { withStep } from "../edits/plan-leaves.ts";
import { jsonLeaves } from "../plan/values.ts";

/**
 * Steps that nothing uses and that look as if they changed nothing, though nobody says so of their tools. Names prove
 * nothing, so that a person leaves them out, or nobody.
 */
export interface IdleProposal {
  readonly steps: readonly IdleStep[];
  /** They leave out all of the steps. */
  readonly edits: readonly Edit[];
}

export interface IdleStep {
  readonly name: string;
  /**
   * `reading`: by its name; `asking`: by the statements that it ran; `thinking`: it only takes down the agent's thoughts,
   * which nothing else has; `ending`: the last call, which gave the work to a person or said that it was done; `mistaken`:
   * it was refused for how it was written, and its tool then did the work.
   */
  readonly looksLike: "reading" | "asking" | "thinking" | "ending" | "mistaken";
}

/** What might be left out of a plan, or nothing. */
export function idleProposal(
  plan: Plan,
  run: RecordedRun,
  trace: RecordedTrace,
  mayWrite: MayWrite,
): IdleProposal | undefined {
  const last = plan.steps.findLast(hasName);
  const callsOf = (step: CallStep): readonly RecordedCall[] =>
    recordedCalls(step, run).flatMap((call) => trace.calls[call] ?? []);
  const looks = new Map<string, IdleStep["looksLike"]>();
  for (const step of namedSteps(plan.steps)) {
    if (step.kind !== "call" || !mayWrite(step.tool)) continue;
    const look =
      step.fails !== undefined
        ? isMistaken(recordedCalls(step, run), trace)
          ? "mistaken"
          : undefined
        : isAskedFor(step.tool, trace)
          ? undefined
          : looksLike(step, step === last, callsOf(step), () => isThought(trace, recordedCalls(step, run)));
    if (look !== undefined) looks.set(step.name, look);
  }
  const output = outputBefore(plan, looks);
  const value: Expression = output === undefined ? plan.output.value : { kind: "ref", name: output };
  const mistaken = [...looks].flatMap(([name, look]) => (look === "mistaken" ? [name] : []));
  const without = mistaken.reduce((left, name) => withStep(left, name, () => undefined), plan);
  const idle = new Set([
    ...mistaken,
    ...idleSteps(
      { ...without, output: { ...plan.output, value } },
      (tool, { name }) => mayWrite(tool) && !looks.has(name),
    ),
  ]);
  const known = new Set(idleSteps(plan, mayWrite));
  const steps = namedSteps(plan.steps)
    .filter(({ name }) => idle.has(name) && !known.has(name))
    .map(({ name }): IdleStep => ({ name, looksLike: looks.get(name) ?? "reading" }));
  if (steps.length === 0) return undefined;
  const drop: Edit = { kind: "drop", step: steps.map(({ name }) => name) };
  return { steps, edits: output === undefined ? [drop] : [{ kind: "output", step: output }, drop] };
}

function looksLike(
  { tool }: CallStep,
  isLast: boolean,
  calls: readonly RecordedCall[],
  isTakingDown: () => boolean,
): IdleStep["looksLike"] | undefined {
  const name = tool.slice(tool.lastIndexOf(".") + 1);
  if (isLast && ENDING.test(nameWords(name).join(" "))) return "ending";
  if (THOUGHT.test(name) && isTakingDown()) return "thinking";
  if (soundsReading(tool)) return "reading";
  return calls.length > 0 && calls.every(({ args }) => isAsking(args)) ? "asking" : undefined;
}

/** Whether what a call is given is a statement of SQL that only asks, as far as its words tell. */
function isAsking(args: JsonObject): boolean {
  const texts = [...jsonLeaves(args)].flatMap(([, leaf]) => (typeof leaf === "string" ? [leaf] : []));
  const statements = texts.map((text) => text.replaceAll(/--.*$|\/\*[^]*?\*\//gm, " ").trim());
  const asked = statements.filter((text) => ASKING.test(text));
  return (
    asked.length > 0 && !statements.some((text) => CHANGING.test(text.replaceAll(/'(?:[^']|'')*'/g, "''")))
  );
}

const ASKING = /^(?:select\b[^]*|with\b[^]*\bselect\b[^]*|explain\b[^]*|show\s[^]*|describe\s[^]*)$/i;
const CHANGING =
  /\b(?:insert|update|delete|merge|upsert|replace\s+into|create|alter|drop|truncate|grant|revoke|call|exec(?:ute)?|do|copy|into|vacuum|refresh|reindex|lock|nextval|setval|set)\b/i;

/** Whether calls were refused for how they were written, before they did anything, and their tool succeeded later. */
function isMistaken(own: readonly number[], { calls }: RecordedTrace): boolean {
  return (
    own.length > 0 &&
    own.every((index) => {
      const { tool, error = "" } = calls[index] ?? {};
      const isRepaired = calls
        .slice(index + 1)
        .some((later) => later.tool === tool && later.error === undefined);
      return isRepaired && REFUSED.test(error);
    })
  );
}

/** Errors about how a call is written: nothing was done. */
const REFUSED =
  /\b(?:invalid[_ ](?:arguments?|params?|parameters?|input|json|request[_ ](?:url|body))|validation[_ ]?(?:failed|error)?|syntax error|malformed|(?:missing|unknown|unexpected|required) (?:arguments?|params?|parameters?|propert(?:y|ies)|fields?|keys?|options?)|should be (?:defined|an?|one of|not present)|must be (?:an?|one of|of type)|is (?:required|not of type)|field required)\b|-32602/i;

const THOUGHT = /think|thought|scratch|reason|reflect|brainstorm|ponder|deliberat/i;

const ENDING =
  /^(?:transfer|hand|route|refer|forward|pass|give) .*\b(?:humans?|agents?|person|people|operators?|support|staff|supervisors?|representatives?)\b|^(?:handoff|handover|hand off|hand over|escalate)\b|^(?:finish|done|claim done|end (?:task|turn|conversation|session)|(?:finish|complete|end) task|task (?:done|complete|completed|finished)|submit (?:answer|result|final answer))$/;

/** Whether the calls only take down texts that no other call has, and their answers tell nothing besides. */
function isThought({ calls }: RecordedTrace, own: readonly number[]): boolean {
  const others = new Set(
    calls.flatMap(({ args, result }, index) =>
      own.includes(index) ? [] : [...leafTexts(args), ...leafTexts(result)],
    ),
  );
  return own.every((index) => {
    const { args = {}, result = null } = calls[index] ?? {};
    const said = [...leafTexts(args)].filter((text) => text.includes(" "));
    const answered = [...leafTexts(result)].filter((text) => /[^\d\s.]/.test(text));
    const isEcho = answered.every(
      (text) => text.length <= MAX_RECEIPT || said.some((each) => text.includes(each)),
    );
    return said.length > 0 && said.every((text) => !others.has(text)) && isEcho;
  });
}

/** As long as the answer is to something that is only taken down: "Your thought has been logged." */
const MAX_RECEIPT = 80;

/** The step whose result the skill would give if it now gives what a thought, or the end, has answered. */
function outputBefore(
  { steps, output: { value } }: Plan,
  looks: ReadonlyMap<string, IdleStep["looksLike"]>,
): string | undefined {
  const isNoResult = (name: string): boolean =>
    looks.get(name) === "thinking" || looks.get(name) === "ending";
  if (value.kind !== "ref" || !isNoResult(value.name)) return undefined;
  const before = steps.filter(hasName).findLast((step) => !isNoResult(step.name));
  return before?.name;
}
