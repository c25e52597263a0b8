import { isJsonObject, type JsonObject } from "../core/json/json.ts";
import { validatorOf } from "../core/json/json-schema.ts";
import type { SkillCase } from "../core/skill.ts";
import type { Param, Plan } from "../learn/plan/plan.ts";
import { skillsOf } from "../learn/plan/steps.ts";
import { fitOf } from "../subsumption/subsumption.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";
import { serverVariables } from "./plan-nodes.ts";

/** The skill's cases that hold there, as data: name, input, what calls are answered, and what is expected. */
export function caseValues(skill: ExportedSkill): readonly JsonObject[] {
  return skill.cases
    .filter((each) => holdsThere(each, skill))
    .map(({ name, input, expected, tools = [] }, nth) => ({
      name: name ?? `case ${nth + 1}`,
      input,
      expected:
        expected.kind === "output"
          ? { output: expected.output }
          : {
              ...(expected.code === undefined ? {} : { code: expected.code }),
              message: expected.message ?? "",
            },
      tools: tools.map(({ tool, input: asked, answer }) => ({
        tool,
        ...(asked === undefined ? {} : { input: asked }),
        ...(answer.kind === "output" ? { output: answer.output } : { error: answer.message }),
      })),
    }));
}

/** Skills that are called are not there, nor are tools that their own servers do not answer for. */
function holdsThere({ tools, input }: SkillCase, skill: ExportedSkill): boolean {
  if (skill.work.kind === "call") return tools === undefined;
  const isCalling = skillsOf(skill.work.plan.steps).length > 0;
  return !isCalling || !validatorOf(skill.input)(structuredClone(input)).ok;
}

/** What is said of the skill's cases that are left out, if there are any. */
export function unplayedText(skill: ExportedSkill): string {
  const count = skill.cases.length - caseValues(skill).length;
  const which = skill.work.kind === "call" ? "tell what tools are answered" : "come to skills that it calls";
  return count === 0 ? "" : ` Left out: ${count} that ${which}, which only Repertoire does.`;
}

/**
 * An input that the contract takes, without credentials: that of a case, or with what the run that was learned from had;
 * else the simplest that there is.
 */
export function sampleInput({ cases, work, input }: ExportedSkill): JsonObject {
  const known = cases.find(({ expected }) => expected.kind === "output")?.input;
  const params = work.kind === "plan" ? work.plan.params : [];
  const secrets = new Set(params.flatMap(({ name, secret }) => (secret === true ? [name] : [])));
  const simplest = fitOf(input, { not: {} }, { exactSource: true });
  const filled =
    simplest.kind === "misfit" && isJsonObject(simplest.counterexample) ? simplest.counterexample : {};
  const told = work.kind === "plan" ? examplesOf(work.plan) : (work.examples ?? {});
  const sample = known ?? { ...filled, ...told };
  const shown = validatorOf(input)(structuredClone(sample)).ok ? sample : filled;
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !secrets.has(name)));
}

/** The parameters of its plan that are credentials. */
export function secretsOf({ work }: ExportedSkill): readonly Param[] {
  return work.kind === "plan" ? work.plan.params.filter(({ secret }) => secret === true) : [];
}

/** What the run that a plan was learned from had, by parameter, without credentials. */
export function examplesOf({ params }: Plan): JsonObject {
  return Object.fromEntries(
    params.flatMap(({ name, example, secret }) =>
      example === undefined || secret === true ? [] : [[name, example] as const],
    ),
  );
}

/** What is said where the cases need a server, and none is named. */
export const NO_SERVER =
  "The cases are skipped, since they call the skill where it is served: start `repertoire serve --http 3333` there, and set REPERTOIRE_URL to http://127.0.0.1:3333/mcp";

/** How the tools are reached. */
export function toolsText(skill: ExportedSkill, access: ToolAccess): string {
  if (access.kind === "served")
    return (
      "The tools are called through Repertoire, at `REPERTOIRE_URL` (`http://127.0.0.1:3333/mcp` where it is not set): start it with `repertoire serve --http 3333`." +
      (skill.work.kind === "plan"
        ? ' In its configuration, a server whose tools are called has `"publish": true`.'
        : " The cases are tested only where `REPERTOIRE_URL` is set.") +
      " Then:"
    );
  const lines = [...serverVariables(skill)].map(
    ([server, variable]) =>
      `- \`${variable}\`: the address of the server \`${server.replaceAll(/[`\s]+/g, " ")}\`, or the command that starts it, once for each call; \`${variable}_AUTHORIZATION\`: the header of that name, where its address wants one`,
  );
  return `The tools are called on their own servers. Set in the environment:\n\n${lines.join("\n")}\n\nThen:`;
}
