import type { Skill } from "./skill.ts";

/**
 * The chain of names from a root to the first skill that its calls, as the source text shows them, come back to:
 * `["r", "a", "b", "a"]`. Nothing when there is none. A skill that lists itself in `composes` may call itself.
 */
export function staticCycleFrom(skills: ReadonlyMap<string, Skill>, root: string): readonly string[] | undefined {
  const safe = new Set<string>();
  const path: string[] = [];

  function visit(name: string): readonly string[] | undefined {
    if (safe.has(name)) return undefined;
    if (path.includes(name)) return [...path, name];
    const skill = skills.get(name);
    path.push(name);
    for (const { callee } of skill?.calls.skills ?? []) {
      if (callee === name && skill?.composes.includes(name)) continue;
      const found = visit(callee);
      if (found) return found;
    }
    path.pop();
    safe.add(name);
    return undefined;
  }

  return visit(root);
}
