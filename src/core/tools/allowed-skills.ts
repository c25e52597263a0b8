import { failure, type Failure } from "../error.ts";
import type { Skill, StaticCalls } from "../skill.ts";
import { matchesGlob } from "./glob.ts";

/** The skills that a skill's code may call. */
export interface AllowedSkills {
  readonly names: readonly string[];
  /** With `*`: further names fit one of these. */
  readonly patterns: readonly string[];
}

/**
 * Which skills a skill may call: those that its source names and those that `composes` lists. Where it lists
 * none but itself, also those that its computed names may mean; nothing is told where these may be any.
 */
export function allowedSkills({
  name,
  calls: { skills, open, dynamic },
  composes,
}: Pick<Skill, "name" | "composes"> & {
  readonly calls: Pick<StaticCalls, "skills" | "open" | "dynamic">;
}): AllowedSkills | undefined {
  const names = [...new Set([...skills.map(({ callee }) => callee), ...composes])];
  if (!dynamic || composes.some((each) => each !== name)) return { names, patterns: [] };
  const patterns: string[] = [];
  // What is dynamic without a place may be anything.
  for (const call of open ?? [ANYWHERE]) {
    if (call.world !== "call_skill") continue;
    if (!call.patterns) return undefined;
    patterns.push(...call.patterns);
  }
  return { names, patterns };
}

const ANYWHERE = { world: "call_skill", patterns: undefined } as const;

/** Why a skill may not call another, or nothing. */
export function skillRefusal(
  caller: string,
  allowed: AllowedSkills | undefined,
  callee: string,
): Failure | undefined {
  if (!allowed || allowed.names.includes(callee) || matchesGlob(callee, allowed.patterns)) return undefined;
  const message = `The skill "${caller}" may not call the skill "${callee}", which its source does not show: write the name as a literal, or list it in its "composes"`;
  return failure("SKILL_NOT_FOUND", message);
}
