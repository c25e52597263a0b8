import { toolWords } from "../../trace/record/tool-words.ts";
import type { Plan } from "./plan.ts";
import { namedSteps, skillsOf, toolsOf } from "./steps.ts";

/** What a tool, or a skill that is called like one, does to the world, and by whose word. */
export interface ToolEffect {
  readonly tool: string;
  readonly operation: "READ" | "WRITE";
  /** The server or the configuration; a skill's own operation; or whoever has made or revised the draft. */
  readonly by: "server" | "skill" | "reviewer";
}

/** Whether a call of a tool may change the world. */
export type MayWrite = (tool: string) => boolean;

/** A tool may write unless somebody vouches for it; its name tells nothing. */
export function mayWriteBy(effects: readonly ToolEffect[] = []): MayWrite {
  const reading = new Set(effects.flatMap(({ tool, operation }) => (operation === "READ" ? [tool] : [])));
  return (tool) => !reading.has(tool);
}

/** What is known first, and of other tools what was known besides. */
export function joinedEffects(
  known: readonly ToolEffect[] = [],
  besides: readonly ToolEffect[] = [],
): readonly ToolEffect[] {
  const tools = new Set(known.map(({ tool }) => tool));
  return [...known, ...besides.filter(({ tool }) => !tools.has(tool))];
}

/** The tools of which nobody says what they do. */
export function unknownTools({ steps, effects = [] }: Pick<Plan, "steps" | "effects">): readonly string[] {
  const known = new Set(effects.map(({ tool }) => tool));
  return toolsOf(steps).filter((tool) => !known.has(tool));
}

/** What a skill made of the plan does to the world. */
export function operationOf({ steps, effects }: Pick<Plan, "steps" | "effects">): ToolEffect["operation"] {
  const called = [...toolsOf(steps), ...skillsOf(steps)];
  return called.some(mayWriteBy(effects)) ? "WRITE" : "READ";
}

/** The calls that recorded runs have made again unchanged, and whether the skill does so: only where their tool reads. */
export function recoveriesOf({ steps, effects }: Pick<Plan, "steps" | "effects">): readonly Recovery[] {
  const mayWrite = mayWriteBy(effects);
  return namedSteps(steps).flatMap((step) =>
    step.kind === "call" && step.retried
      ? [{ step: step.name, tool: step.tool, times: step.retried.times, isDone: !mayWrite(step.tool) }]
      : [],
  );
}

/** What is done about it, behind the tool's name. */
export function recoveryWords({ times, isDone }: Recovery): string {
  return isDone
    ? `has failed, and succeeded when it was made again: where it fails as it did then, it is made again, ${times === 1 ? "once" : `up to ${times} times`}.`
    : "has failed, and succeeded when it was made again: since it may write, the skill stops there; look whether it has done anything before it is made again.";
}

/** A call that failed, and succeeded when it was made again. */
export interface Recovery {
  readonly step: string;
  readonly tool: string;
  /** How often at most. */
  readonly times: number;
  /** Whether the skill makes it again, too. */
  readonly isDone: boolean;
}

/** Whether a tool's name sounds as if it only read: good for words, and to ask a person by, never to decide by. */
export function soundsReading(tool: string): boolean {
  const [verb = "", ...rest] = toolWords(tool);
  // What is found and deleted, or got or created, is no reading.
  return READ_VERBS.has(verb) && !rest.some((word) => word === "and" || word === "or");
}

/** Whether a tool acts, by what is known of it or else by its name: good for what is worth it, never to decide by. */
export function soundsActing(effects: readonly ToolEffect[] = []): (tool: string) => boolean {
  const known = new Set(effects.map(({ tool }) => tool));
  const mayWrite = mayWriteBy(effects);
  return (tool) => (known.has(tool) ? mayWrite(tool) : !soundsReading(tool));
}

const READ_VERBS: ReadonlySet<string> = new Set(
  (
    "get find search list read fetch query look lookup show view describe check count calculate compute estimate " +
    "compare forecast diff cat ls grep head tail stat think retrieve validate verify convert mean max min"
  ).split(" "),
);
