import type { Meaning } from "../catalog/meaning.ts";
import { type FoundSkills, searchSkills } from "../catalog/search-skills.ts";
import { skillCases } from "../catalog/skill-cases.ts";
import { contractTypes } from "../contracts/to-types/contract-types.ts";
import { type CallableTool, type CallableTools, toolTypes } from "../contracts/to-types/tool-types.ts";
import type { JsonObject } from "../core/json/json.ts";
import { hasCode, type Skill } from "../core/skill.ts";

/** What a model may work with. */
export interface WorkCatalog {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly tools: CallableTools;
  /** How skills have fared, by name. */
  readonly usage: ReadonlyMap<string, JsonObject>;
}

/** What of the catalog fits some words, for a model. */
export interface CatalogExcerpt {
  readonly skills: readonly Skill[];
  readonly tools: readonly string[];
  readonly text: string;
  /** Why the skills were searched by text alone, where it should have been by meaning, too. */
  readonly fault?: FoundSkills<Skill>["fault"];
}

export interface ExcerptOptions {
  readonly meaning?: Meaning | undefined;
  /** Only skills that have code. */
  readonly isRunnable?: boolean;
}

/** The skills and tools that fit the words: their types, what they do, an example of each, and how they have fared. */
export async function catalogExcerpt(
  { skills: all, tools: known, usage }: WorkCatalog,
  words: string,
  { meaning, isRunnable = false }: ExcerptOptions = {},
): Promise<CatalogExcerpt> {
  const searched = isRunnable ? runnable(all) : all;
  const { items, intents, fault } = await searchSkills(searched, words, MAX_SKILLS, meaning);
  const isMeant = ({ name }: Skill): boolean => intents?.get(name)?.fits !== false;
  const found = items.filter(isMeant);
  // The words of a task may name its end alone: what leads there is shown as well, as far as there is room.
  const others = isRunnable ? [...searched.values()].filter((skill) => !items.includes(skill)) : [];
  const skills = [...found, ...others].slice(0, Math.max(found.length, isRunnable ? MAX_TASK_SKILLS : 0));
  const named = new Map(
    [...known].map(([name, { description = "" }]) => [
      name,
      { name: name.replaceAll(/[._]/g, " "), description, tool: name },
    ]),
  );
  const tools = isRunnable ? [] : (await searchSkills(named, words, MAX_TOOLS)).items.map(({ tool }) => tool);
  const called = new Map(
    skills
      .filter(hasCode)
      .map((skill) => [skill.name, { ...skill.contract, description: skill.description }]),
  );
  const picked = new Map(
    tools.flatMap((name): [string, CallableTool][] => {
      const tool = known.get(name);
      return tool ? [[name, tool]] : [];
    }),
  );
  const lines: string[] = [];
  for (const skill of skills) lines.push(await skillLine(skill, usage.get(skill.name)));
  const text = [
    "Skills, as they are called by call_skill:",
    called.size === 0 ? "(none fits)" : contractTypes(called),
    ...lines,
    ...(isRunnable
      ? []
      : [
          "Upstream tools, as they are called by call_tool:",
          picked.size === 0 ? "(none fits)" : toolTypes(picked),
        ]),
  ].join("\n\n");
  return { skills, tools, text: text.slice(0, MAX_CHARACTERS), ...(fault ? { fault } : {}) };
}

const MAX_SKILLS = 12;
const MAX_TASK_SKILLS = 24;
const MAX_TOOLS = 20;
const MAX_CHARACTERS = 100_000;
const MAX_EXAMPLE = 1000;

const runnableSkills = new WeakMap<ReadonlyMap<string, Skill>, ReadonlyMap<string, Skill>>();

/** The same set for the same skills, so that its index is made once. */
function runnable(skills: ReadonlyMap<string, Skill>): ReadonlyMap<string, Skill> {
  const made = runnableSkills.get(skills) ?? new Map([...skills].filter(([, skill]) => hasCode(skill)));
  runnableSkills.set(skills, made);
  return made;
}

async function skillLine(skill: Skill, usage: JsonObject | undefined): Promise<string> {
  const cases = await skillCases(skill.path);
  const example = cases.ok ? cases.value.find(({ expected }) => expected.kind === "output") : undefined;
  const shown = example && JSON.stringify({ input: example.input, ...example.expected });
  return [
    `${skill.name} (${skill.kind}, ${skill.operation})`,
    ...(hasCode(skill) ? [] : [`  ${skill.description}`]),
    ...(shown === undefined || shown.length > MAX_EXAMPLE ? [] : [`  example: ${shown}`]),
    ...(usage ? [`  usage: ${JSON.stringify(usage)}`] : []),
  ].join("\n");
}
