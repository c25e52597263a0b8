import { withUnreadTexts } from "../../learn/texts/readings.ts";
import { literal } from "../../learn/codegen/literal.ts";
import { neededHelpers, SkillSteps } from "../../learn/codegen/skill-code.ts";
import { docComment, inputInterface, outputType } from "../../learn/codegen/type-code.ts";
import { camelCase } from "../../learn/plan/names.ts";
import type { Plan } from "../../learn/plan/plan.ts";
import { skillsOf, toolsOf } from "../../learn/plan/steps.ts";
import { mayWriteBy } from "../../learn/plan/tool-effects.ts";
import type { ExportedSkill } from "../engine-adapter.ts";
import { codedHelper, brokenLiteral } from "../langgraph-js/graph.ts";

const INDENT = "  ";

/** The skill's own code, which is handed how calls are made. */
export function skillModule({ description, input, output }: ExportedSkill, made: Plan): string {
  const plan = withUnreadTexts(made);
  const steps = new SkillSteps(plan);
  const body = [
    ...steps.settings(INDENT),
    ...plan.steps.flatMap((step) => steps.step(step, INDENT)),
    ...steps.output(INDENT, "return "),
  ].join("\n");
  const helpers = neededHelpers(steps.helpers).map(codedHelper);
  const errors = ["SkillError", "ToolError"].filter((name) =>
    helpers.some((text) => new RegExp(`\\b${name}\\b`).test(text)),
  );
  const hasSkills = skillsOf(plan.steps).length > 0;
  const calls = [
    ...(toolsOf(plan.steps).length > 0 ? ["call_tool"] : []),
    ...(hasSkills ? ["call_skill"] : []),
  ];
  return [
    ...(errors.length > 0 ? [`import { ${errors.join(", ")} } from "./values.ts";`] : []),
    inputInterface(plan.params),
    outputType(plan.output.schema),
    `/** What it takes and gives, as JSON Schemas. */
export const INPUT = ${brokenLiteral(input)};
export const OUTPUT = ${brokenLiteral(output)};`,
    `/** How calls are made. */
export interface Calls {
${calls.map((name) => `${INDENT}${name}: (name: string, given: unknown) => Promise<any>;`).join("\n")}
}`,
    `${docComment(description, "")}export async function run(input: Input, { ${calls.join(", ")} }: Calls): Promise<Output> {\n${body}\n}`,
    ...helpers,
  ]
    .join("\n\n")
    .concat("\n");
}

/** The type of the workflow. */
export function workflowName({ name }: Pick<ExportedSkill, "name">): string {
  return camelCase(`${name}-workflow`);
}

/** What it calls that merely reads, and whether it calls anything else. */
export function callsOf({ name, work }: ExportedSkill): {
  readonly reads: readonly string[];
  readonly isWriting: boolean;
} {
  if (work.kind === "call") return { reads: work.mayWrite ? [] : [name], isWriting: work.mayWrite };
  const { steps, effects } = work.plan;
  const called = [...toolsOf(steps), ...skillsOf(steps)];
  const mayWrite = mayWriteBy(effects);
  const reads = called.filter((each) => !mayWrite(each));
  return { reads, isWriting: reads.length < called.length };
}

/** The workflow, its signal and its query. */
export function workflowsModule(skill: ExportedSkill): string {
  const { name, work } = skill;
  const plan = work.kind === "plan" ? work.plan : undefined;
  const { reads, isWriting } = callsOf(skill);
  const given = plan ? "Input" : "any";
  const kinds = plan && skillsOf(plan.steps).length === 0 ? ["tool"] : plan ? ["tool", "skill"] : ["skill"];
  const made = kinds
    .map((kind) => `call_${kind}: (name, given) => calls.make({ kind: "${kind}", name, given })`)
    .join(", ");
  const lines = plan
    ? [
        'const given = await check(input ?? {}, "input");',
        `const output = await run(given, { ${made} });`,
        'return await check(plain(output), "output");',
      ]
    : [`return await calls.make({ kind: "skill", name: ${literal(name)}, given: input ?? {} });`];
  const options = isWriting ? ", options: { confirms?: boolean } = {}" : "";
  return `${importsText(plan !== undefined, isWriting)}

${proxiesText(plan !== undefined, { reads: reads.length > 0, writes: isWriting })}
${isWriting && reads.length > 0 ? `\n/** What only reads; everything else may write. */\nconst READS: readonly string[] = ${literal(reads)};\n` : ""}${isWriting ? `\n${DECISIONS}\n` : ""}
${docComment(isWriting ? `${skill.description ?? name} With \`confirms\` a person agrees to each call that may write.` : (skill.description ?? name), "")}export async function ${workflowName(skill)}(input: ${given}${options}): Promise<${plan ? "Output" : "any"}> {
  try {
    const calls = new Calls(${isWriting ? "options.confirms === true" : ""});
${lines.map((line) => `    ${line}`).join("\n")}
  } catch (error) {
    throw failed(error);
  }
}

${isWriting ? writingCalls(reads.length > 0) : READING_CALLS}

${FAILURES}
`;
}

function importsText(hasPlan: boolean, isWriting: boolean): string {
  const names = [
    "ActivityFailure",
    "ApplicationFailure",
    ...(isWriting ? ["condition", "defineQuery", "defineSignal"] : []),
    "isCancellation",
    "proxyActivities",
    ...(hasPlan ? ["proxyLocalActivities"] : []),
    ...(isWriting ? ["setHandler", "workflowInfo"] : []),
  ];
  return [
    `import {\n${names.map((name) => `${INDENT}${name},\n`).join("")}} from "@temporalio/workflow";`,
    'import type * as activities from "./activities.ts";',
    ...(hasPlan ? ['import { type Input, type Output, run } from "./skill.ts";'] : []),
    'import { plain, SkillError, ToolError } from "./values.ts";',
  ].join("\n");
}

function proxiesText(
  hasPlan: boolean,
  { reads, writes }: { readonly reads: boolean; readonly writes: boolean },
): string {
  return [
    `/** A call tells that its worker lives; without a word for so long it is taken for lost. */
const LIMITS = { startToCloseTimeout: "15 minutes", heartbeatTimeout: "5 seconds" } as const;`,
    ...(reads
      ? [
          `/** What only reads is called again where nobody answers. */
const { call: read } = proxyActivities<typeof activities>({ ...LIMITS, retry: { maximumAttempts: 4 } });`,
        ]
      : []),
    ...(writes
      ? [
          `/** What may write is called once. */
const { call: write } = proxyActivities<typeof activities>({ ...LIMITS, retry: { maximumAttempts: 1 } });`,
        ]
      : []),
    ...(hasPlan
      ? [
          `/** In the worker itself, since a workflow cannot compile schemas. */
const { check } = proxyLocalActivities<typeof activities>({ startToCloseTimeout: "1 minute", retry: { maximumAttempts: 3 } });`,
        ]
      : []),
  ].join("\n");
}

const DECISIONS = `/** A call that waits for a person: before it is made, or because nobody has answered it. */
export interface WaitingCall {
  call: number;
  name: string;
  arguments: unknown;
  state: "unapproved" | "uncertain";
}

/** The call is made (again, under the same key), or it is not and this was its answer, or the run ends. */
export type Decision =
  | { call: number; verdict: "make" }
  | { call: number; verdict: "answer"; answer: unknown }
  | { call: number; verdict: "refuse" };

/** \`waiting\` tells what waits; \`decide\` says what becomes of it. */
export const waiting = defineQuery<readonly WaitingCall[]>("waiting");
export const decide = defineSignal<[Decision]>("decide");`;

const READING_CALLS = `class Calls {
  async make({ kind, name, given }: { kind: "tool" | "skill"; name: string; given: unknown }): Promise<any> {
    return read({ kind, name, given: plain(given) }).catch((error: unknown) => {
      throw told(error);
    });
  }
}`;

const writingCalls = (hasReads: boolean): string => `class Calls {
  readonly #confirms: boolean;
  readonly #run = \`\${workflowInfo().workflowId}/\${workflowInfo().firstExecutionRunId}\`;
  readonly #waiting = new Map<number, WaitingCall>();
  readonly #decided = new Map<number, Decision>();
  #count = 0;

  constructor(confirms: boolean) {
    // Runs of one chain have the same keys, so that what was done is known again.
    if (workflowInfo().cronSchedule) throw new SkillError("A schedule starts this workflow, and not cron");
    this.#confirms = confirms;
    setHandler(waiting, () => [...this.#waiting.values()]);
    setHandler(decide, (decision) => {
      // Of two decisions the first counts.
      if (isDecision(decision) && this.#waiting.has(decision.call) && !this.#decided.has(decision.call))
        this.#decided.set(decision.call, decision);
    });
  }

  async make(asked: { kind: "tool" | "skill"; name: string; given: unknown }): Promise<any> {
    const call = { ...asked, given: plain(asked.given) };
    try {
      return ${hasReads ? "READS.includes(call.name) ? await read(call) : await this.#write(call)" : "await this.#write(call)"};
    } catch (error) {
      throw told(error);
    }
  }

  async #write(call: { kind: "tool" | "skill"; name: string; given: unknown }): Promise<any> {
    const nth = ++this.#count;
    const waits = { call: nth, name: call.name, arguments: call.given };
    if (this.#confirms) {
      const decision = await this.#decision({ ...waits, state: "unapproved" });
      if (decision.verdict === "answer") return decision.answer;
    }
    for (;;) {
      try {
        return await write({ ...call, key: \`\${this.#run}/\${nth}\` });
      } catch (error) {
        if (isCancellation(error) || isAnswered(error)) throw error;
      }
      const decision = await this.#decision({ ...waits, state: "uncertain" });
      if (decision.verdict === "answer") return decision.answer;
    }
  }

  async #decision(waits: WaitingCall): Promise<Exclude<Decision, { verdict: "refuse" }>> {
    this.#waiting.set(waits.call, waits);
    await condition(() => this.#decided.has(waits.call));
    const decision = this.#decided.get(waits.call);
    this.#waiting.delete(waits.call);
    this.#decided.delete(waits.call);
    if (!decision || decision.verdict === "refuse")
      throw new SkillError(\`\${waits.name} was declined\`, "RUN_UNAPPROVED");
    return decision;
  }
}

function isDecision(said: any): said is Decision {
  return ["make", "refuse"].includes(said?.verdict) || (said?.verdict === "answer" && "answer" in said);
}

/** Whether the call has failed by what its tool said: it is known then what it did. */
function isAnswered(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type !== "UNREACHABLE";
}`;

const FAILURES = `/** What an activity says, as the skill's code hears it. */
function told(error: unknown): unknown {
  if (isCancellation(error)) return error;
  // One that is done in the worker itself fails with what it says.
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure)
    return new ToolError(cause.message, cause.type === "UNREACHABLE" ? undefined : (cause.type ?? undefined));
  return error instanceof ActivityFailure ? new ToolError(error.cause?.message ?? error.message) : error;
}

/** How the workflow fails: its type is the code that Repertoire has for it. */
function failed(error: unknown): unknown {
  if (isCancellation(error)) return error;
  const cause = told(error);
  const type = cause instanceof SkillError ? cause.code : "SKILL_THREW";
  const message = cause instanceof Error ? cause.message : String(cause);
  const details = cause instanceof Error && "choice" in cause ? [cause.choice] : [];
  return ApplicationFailure.create({ type, message, nonRetryable: true, details });
}`;

/** What the workflow has done. */
export function activitiesModule({ work }: ExportedSkill): string {
  const plan = work.kind === "plan" ? work.plan : undefined;
  const hasTools = plan !== undefined;
  const hasSkills = plan === undefined || skillsOf(plan.steps).length > 0;
  const made =
    hasTools && hasSkills
      ? '(kind === "skill" ? tools.runSkill : tools.callTool)(name, given, key)'
      : `tools.${hasTools ? "callTool" : "runSkill"}(name, given, key)`;
  const check = plan
    ? `

/** A value that fits what the skill takes or gives. */
export async function check(value: unknown, what: "input" | "output"): Promise<any> {
  try {
    return what === "input" ? tools.check(value, INPUT, "INPUT_INVALID") : tools.check(value, OUTPUT, "OUTPUT_INVALID");
  } catch (error) {
    throw coded(error);
  }
}`
    : "";
  const kind = hasTools && hasSkills ? "kind, " : "";
  return `import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
${plan ? 'import { INPUT, OUTPUT } from "./skill.ts";\n' : ""}import * as tools from "./tools.ts";
import { SkillError, Unreachable } from "./values.ts";

export interface Call {
  kind: "tool" | "skill";
  name: string;
  given: unknown;
  /** The same for each attempt of a call that may write. */
  key?: string;
}

/** Calls a tool, or runs a skill where it is served. */
export async function call({ ${kind}name, given, key }: Call): Promise<any> {
  const { heartbeat, cancelled } = Context.current();
  const beat = setInterval(() => heartbeat(), 1000);
  try {
    return await Promise.race([${made}, cancelled]);
  } catch (error) {
    throw coded(error);
  } finally {
    clearInterval(beat);
  }
}${check}

/** Only what nobody has answered may be tried again. */
function coded(error: unknown): unknown {
  if (!(error instanceof SkillError)) return error;
  const isLost = error instanceof Unreachable;
  return ApplicationFailure.create({ type: isLost ? "UNREACHABLE" : error.code, message: error.message, nonRetryable: !isLost });
}
`;
}
