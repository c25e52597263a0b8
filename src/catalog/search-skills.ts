import MiniSearch from "minisearch";
import type { Skill } from "../core/skill.ts";

const indexes = new WeakMap<ReadonlyMap<string, Skill>, MiniSearch>();

/** The skills that fit a query best, best first. The given set must not change. */
export function searchSkills(
  skills: ReadonlyMap<string, Skill>,
  query: string,
  most: number,
): readonly Skill[] {
  const found = indexOf(skills).search(query, {
    prefix: true,
    fuzzy: 0.2,
    boost: { name: 3, description: 2, keywords: 2, examples: 1.5, tags: 1.5 },
  });
  return found.slice(0, most).flatMap(({ id }) => skills.get(String(id)) ?? []);
}

function indexOf(skills: ReadonlyMap<string, Skill>): MiniSearch {
  const known = indexes.get(skills);
  if (known) return known;
  const made = new MiniSearch({
    fields: ["name", "description", "tags", "keywords", "examples", "instructions"],
  });
  made.addAll(
    [...skills.values()].map(({ name, description, instructions, matching }) => ({
      id: name,
      name: name.replaceAll("-", " "),
      description,
      tags: [matching?.category ?? "", ...(matching?.tags ?? [])].join(" "),
      keywords: (matching?.keywords ?? []).join(" "),
      examples: (matching?.examples ?? []).join(" "),
      instructions: instructions.slice(0, 4000),
    })),
  );
  indexes.set(skills, made);
  return made;
}
