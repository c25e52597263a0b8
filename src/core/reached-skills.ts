import type { Skill } from "./skill.ts";

/** A skill and those that it calls by literal name, all levels; also names that no skill has. */
export function reachedFrom(
  skills: ReadonlyMap<string, Pick<Skill, "calls">>,
  name: string,
): ReadonlySet<string> {
  const reached = new Set([name]);
  for (const each of reached)
    for (const { callee } of skills.get(each)?.calls.skills ?? []) reached.add(callee);
  return reached;
}
