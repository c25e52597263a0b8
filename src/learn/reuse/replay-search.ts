import { hash } from "node:crypto";
import type { ErrorCode } from "../../core/error.ts";
import { type Json, type JsonObject, isJsonObject } from "../../core/json/json.ts";
import type { Skill } from "../../core/skill.ts";
import type { Runner } from "../../runner/runner.ts";
import { replay, type Replayable } from "../verify/replay.ts";
import type { Plan } from "../plan/plan.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { skillCode } from "../codegen/skill-code.ts";
import { toolsOf } from "../plan/steps.ts";
import { canonicalJson, isLeaf, isSame, leafText } from "../plan/values.ts";
import type { ReplayDifference } from "../verify/evidence.ts";

/** What plans and skills are tried with, against recorded answers alone. */
export interface ReplayServices {
  readonly runner: Pick<Runner, "run">;
  /** TypeScript as JavaScript, as the catalog makes it. */
  readonly stripTypes: (text: string) => string | undefined;
  /** How long one replay may take; as long as replays may take by default. */
  readonly wallMs?: number | undefined;
}

/** How long an input is searched for. */
export interface SearchLimits {
  /** How long one replay may take. */
  readonly wallMs?: number | undefined;
  /** How many inputs are tried: one by default. */
  readonly most?: number;
  /** No further one after this time on the clock of `performance`. */
  readonly until?: number;
  /** Calls of the trace that only read and that the skill need not make. */
  readonly idle?: readonly number[] | undefined;
}

/** With which input a skill made a trace's calls, and what it then gave. */
export interface ReplayMatch {
  readonly input: JsonObject;
  readonly output: Json;
}

/**
 * The first input with which a skill makes exactly the calls of a trace, but for some that it need not make. Where a replay shows that a recorded argument
 * differs from one that the input holds, the input is tried again with the recorded one.
 */
export async function matchingInput(
  replayable: Replayable,
  trace: RecordedTrace,
  inputs: Iterable<JsonObject>,
  { wallMs, most = 1, until = Infinity, idle }: SearchLimits,
): Promise<ReplayMatch | undefined> {
  const tried = new Set<string>();
  for (const first of inputs) {
    const open = [first];
    for (let input = open.pop(); input; input = open.pop()) {
      const key = canonicalJson(input);
      if (tried.has(key)) continue;
      if (tried.size >= most || performance.now() > until) return undefined;
      tried.add(key);
      const { difference, output = null } = await replay(replayable, trace, { input, wallMs, idle });
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
export function replayablePlan(plan: Plan, { runner, stripTypes }: ReplayServices): Replayable | undefined {
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

const MAX_REPAIRED = 4;

const MAX_SIZE = 2000;

/** What an input would be if the value that a call was given by it were the recorded one. */
function repairedInputs(input: JsonObject, difference: ReplayDifference): readonly JsonObject[] {
  if (difference.kind !== "other-arguments") return [];
  const { expected, got } = difference;
  // Large values are cut in a difference.
  if (expected === undefined || got === undefined || JSON.stringify(expected).length >= MAX_SIZE) return [];
  return [...variants(input, got, expected).take(MAX_REPAIRED)].filter(isJsonObject);
}

/** The value with each of its parts that is, or is told by, what was got made anew; one part at a time. */
function* variants(value: Json, got: Json, expected: Json): Generator<Json> {
  const other = replaced(value, got, expected);
  if (other !== undefined) yield other;
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    for (const [index, each] of list.entries())
      for (const variant of variants(each, got, expected)) yield list.with(index, variant);
  } else if (isJsonObject(value)) {
    for (const [key, each] of Object.entries(value))
      for (const variant of variants(each, got, expected))
        yield Object.fromEntries([...Object.entries(value), [key, variant]]);
  }
}

function replaced(value: Json, got: Json, expected: Json): Json | undefined {
  if (isSame(value, got)) return expected;
  if (!isLeaf(value) || !isLeaf(got) || !isLeaf(expected)) return undefined;
  const text = leafText(value);
  if (text === undefined || text === "") return undefined;
  if (text === leafText(got)) return ofType(value, expected);
  return typeof got === "string" && typeof expected === "string"
    ? partReplaced(text, got, expected)
    : undefined;
}

function ofType(value: Json, expected: Json): Json | undefined {
  if (typeof value === "string") return leafText(expected);
  const number = Number(expected);
  return Number.isFinite(number) ? number : undefined;
}

/** What stands in the expected text where the value stands in the text that was got. */
function partReplaced(value: string, got: string, expected: string): string | undefined {
  const at = got.indexOf(value);
  if (at < 0) return undefined;
  const before = got.slice(0, at);
  const after = got.slice(at + value.length);
  const isLike =
    expected.length > before.length + after.length && expected.startsWith(before) && expected.endsWith(after);
  return isLike ? expected.slice(before.length, expected.length - after.length) : undefined;
}
