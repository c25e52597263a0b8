import type { JsonObject } from "../../core/json/json.ts";
import type { Skill, SkillKind } from "../../core/skill.ts";

/** A skill as `list --json` and `check --json` show it. */
export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly kind: SkillKind;
  readonly path: string;
  readonly operation: string;
  readonly frontmatter: JsonObject;
  readonly input: JsonObject;
  readonly output: JsonObject;
}

export function listedSkill(skill: Skill): ListedSkill {
  const { name, description, kind, path, operation, frontmatter, contract } = skill;
  return {
    name,
    description,
    kind,
    path,
    operation,
    frontmatter,
    input: contract.input,
    output: contract.output,
  };
}
