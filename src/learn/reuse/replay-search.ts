import { hash } from "node:crypto";
import type { ErrorCode } from "../../core/error.ts";
import type { Json, JsonObject } from "../../core/json/json.ts";
import type { Skill } from "../../core/skill.ts";
import type { Runner } from "../../runner/runner.ts";
import { replay, type Replayable } from "../verify/replay.ts";
import type { Plan } from "../plan/plan.ts";
import type { RecordedTrace } from "../recording/recorded-call.ts";
import { skillCode } from "../codegen/skill-code.ts";
import { toolsOf } from "../plan/steps.ts";
import { canonical } from "../plan/values.ts";
import { repairedInputs } from "./repair.ts";

/** What plans and skills are tried with, against recorded answers alone. */
export interface Trial {
  readonly runner: Pick<Runner, "run">;
  /** TypeScript as JavaScript, as the catalog makes it. */
  readonly stripTypes: (text: string) => string | undefined;
  /** How long one replay may take; as long as replays may take unless told. */
  readonly wallMs?: number | undefined;
}

/** How long an input is searched for. */
interface Patience {
  /** How long one replay may take. */
  readonly wallMs?: number | undefined;
  /** How many inputs are tried: one unless told. */
  readonly most?: number;
  /** No further one after this time on the clock of `performance`. */
  readonly until?: number;
}

/** With which input a skill made a trace's calls, and what it then gave. */
export interface Found {
  readonly input: JsonObject;
  readonly output: Json;
}

/**
 * The first input with which a skill makes exactly the calls of a trace. Where a replay shows that a recorded argument
 * differs from one that the input holds, the input is tried again with the recorded one.
 */
export async function foundInput(
  replayable: Replayable,
  trace: RecordedTrace,
  inputs: Iterable<JsonObject>,
  { wallMs, most = 1, until = Infinity }: Patience,
): Promise<Found | undefined> {
  const tried = new Set<string>();
  for (const first of inputs) {
    const open = [first];
    for (let input = open.pop(); input; input = open.pop()) {
      const key = canonical(input);
      if (tried.has(key)) continue;
      if (tried.size >= most || performance.now() > until) return undefined;
      tried.add(key);
      const { difference, output = null } = await replay(replayable, trace, { input, wallMs });
      if (!difference) return { input, output };
      if (difference.kind === "failed" && HOPELESS.has(difference.code)) return undefined;
      open.push(...repairedInputs(input, difference).toReversed());
    }
  }
  return undefined;
}

/** Failures that another input would hardly mend, after much time. */
const HOPELESS: ReadonlySet<string> = new Set<ErrorCode>([
  "SKILL_TIMED_OUT",
  "SKILL_OUT_OF_MEMORY",
  "SKILL_BROKEN",
  "TOO_MANY_CALLS",
  "CANCELLED",
  "RUNNER_CLOSED",
  "RUNNER_LOST",
]);

/** A plan's skill, ready to be replayed; nothing where its code is none. */
export function triedPlan(plan: Plan, { runner, stripTypes }: Trial): Replayable | undefined {
  const text = skillCode(plan);
  const code = stripTypes(text);
  if (code === undefined) return undefined;
  const { name } = plan;
  return { runner, name, skills: new Map([[name, skillOf(plan, text, code)]]) };
}

/** With a contract of anything: a replay is what is asked of it. */
function skillOf(plan: Plan, text: string, code: string): Skill {
  const { name, description = "" } = plan;
  const folder = `/plans/${name}`;
  const path = `${folder}/skill.ts`;
  return {
    name,
    kind: "code",
    description,
    path: folder,
    file: `${folder}/SKILL.md`,
    frontmatter: {},
    instructions: "",
    sources: [{ path, text }],
    fieldPositions: new Map(),
    digest: hash("sha256", text),
    contract: { input: { type: "object" }, output: {}, source: { input: "untyped", output: "untyped" } },
    scripts: [{ path, code }],
    calls: { skills: [], tools: toolsOf(plan.steps), dynamic: false, repeated: false },
    operation: "WRITE",
    level: 1,
    declared: {},
    composes: [],
    limits: {},
  };
}
