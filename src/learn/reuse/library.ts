import { compareTexts } from "../../core/text/compare-texts.ts";
import { allowedTools } from "../../core/tools/allowed-tools.ts";
import type { Skill } from "../../core/skill.ts";
import type { SourceTrace } from "../recording/recorded-trace.ts";
import type { Plan } from "../plan/plan.ts";

/** The skills that there are, and what is known of those that were learned. */
export interface Library {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly learnedSkills?: ReadonlyMap<string, LearnedSkill> | undefined;
}

/** What a promoted skill was made of. */
export interface LearnedSkill {
  readonly plan: Plan;
  /** What it was learned from, where that is kept; parameters stood in the first. */
  readonly traces: readonly SourceTrace[];
}

/** A skill with the tools that it and the skills below it call by name. */
export interface ToolUser {
  readonly skill: Skill;
  readonly tools: ReadonlySet<string>;
  /** Some of what it calls is known only at run time. */
  readonly isDynamic: boolean;
}

/**
 * The skills that may call all these tools: first those that call exactly these by name, then those that call others
 * too, then those whose calls are known only at run time.
 */
export function skillsFor(
  tools: ReadonlySet<string>,
  { skills, learnedSkills }: Library,
): readonly ToolUser[] {
  const rank = ({ skill, tools: own, isDynamic }: ToolUser): number => {
    if (tools.isSubsetOf(own))
      return own.size === tools.size ? (learnedSkills?.has(skill.name) === true ? 0 : 1) : 2;
    return isDynamic && tools.isSubsetOf(own.union(allowedOf(skill, tools))) ? 3 : 4;
  };
  return toolUsers(skills)
    .map((user) => ({ user, rank: rank(user) }))
    .filter((each) => each.rank < 4)
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        a.user.tools.size - b.user.tools.size ||
        compareTexts(a.user.skill.name, b.user.skill.name),
    )
    .map(({ user }) => user);
}

/** Every skill with code and the tools that it calls. */
export function toolUsers(skills: ReadonlyMap<string, Skill>): readonly ToolUser[] {
  return [...skills.values()]
    .filter(({ kind }) => kind !== "instructions")
    .map((skill) => toolUser(skill, skills));
}

function toolUser(skill: Skill, skills: ReadonlyMap<string, Skill>): ToolUser {
  const seen = new Set([skill]);
  for (const { calls } of seen) {
    for (const { callee } of calls.skills) {
      const below = skills.get(callee);
      if (below) seen.add(below);
    }
  }
  const all = [...seen];
  return {
    skill,
    tools: new Set(all.flatMap(({ calls }) => calls.tools)),
    isDynamic: all.some(({ calls }) => calls.dynamic),
  };
}

function allowedOf(skill: Skill, tools: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...tools].filter(allowedTools(skill)));
}
