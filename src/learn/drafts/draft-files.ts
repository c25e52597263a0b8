import { stringify } from "yaml";
import { toolRefusal } from "../../core/tools/allowed-tools.ts";
import type { Param, Plan, Step } from "../plan/plan.ts";
import { skillCode } from "../codegen/skill-code.ts";
import { toolsOf } from "../plan/steps.ts";
import { planDescription, shownTool } from "./plan-description.ts";
import { operationOf, recoveriesOf, recoveryWords } from "../plan/tool-effects.ts";

/**
 * The files of a plan that people read, edit and delete. Their words are the plan's names and descriptions and the tools'
 * names; nothing that a tool has answered stands in them.
 */
export function draftFiles(plan: Plan): ReadonlyMap<string, string> {
  return new Map([
    ["SKILL.md", skillText(plan)],
    ["skill.ts", skillCode(plan)],
    ["tests.yaml", casesText(plan)],
    ["plan.json", `${JSON.stringify(plan, null, 2)}\n`],
  ]);
}

function skillText(plan: Plan): string {
  const tools = toolsOf(plan.steps);
  const listed = listedTools(tools);
  const frontmatter = stringify(
    {
      name: plan.name,
      description: descriptionOf(plan),
      operation: operationOf(plan),
      ...(listed === undefined ? {} : { "allowed-tools": listed }),
      ...matchingFields(plan),
      ...(plan.preconditions && { preconditions: plan.preconditions }),
      ...(plan.postconditions && { postconditions: plan.postconditions }),
    },
    { lineWidth: 0 },
  );
  const params = plan.params.map(paramLine).join("\n");
  return [
    `---\n${frontmatter}---`,
    `# ${plan.name}`,
    descriptionOf(plan),
    ...(params === "" ? [] : [`## Input\n\n${params}`]),
    `## Steps\n\n${stepLines(plan.steps, "").join("\n")}`,
    ...recoveryText(plan),
    `It was learned from recorded runs; \`provenance.json\` tells which, and what was verified.\n`,
  ].join("\n\n");
}

function recoveryText(plan: Plan): readonly string[] {
  const lines = recoveriesOf(plan).map(
    (recovery) => `- \`${shownTool(recovery.tool)}\` ${recoveryWords(recovery)}`,
  );
  return lines.length === 0 ? [] : [`## Error recovery\n\n${lines.join("\n")}`];
}

function matchingFields({ matching }: Plan): object {
  const said = Object.entries(matching ?? {}).filter(([, value]) => value.length > 0);
  return Object.fromEntries(said);
}

/** In words of a person or a model, or else made of the names. */
export function descriptionOf(plan: Plan): string {
  const said = plan.description === undefined ? "" : oneLine(plan.description);
  return (said === "" ? planDescription(plan) : said).slice(0, MAX_DESCRIPTION);
}

const MAX_DESCRIPTION = 1024;

function paramLine({ name, description, optional, secret }: Param): string {
  const notes = [
    ...(optional === true ? ["may be left out"] : []),
    ...(secret === true ? ["a credential"] : []),
  ];
  const said = [...(description === undefined ? [] : [oneLine(description)]), ...notes].join("; ");
  return `- \`${name}\`${said === "" ? "" : `: ${said}`}`;
}

function stepLines(steps: readonly Step[], indent: string): readonly string[] {
  return steps.flatMap((step, index) => {
    const number = `${indent}${index + 1}. `;
    switch (step.kind) {
      case "call":
        return [
          `${number}Call ${step.isSkill === true ? "the skill " : ""}\`${shownTool(step.tool)}\`${step.fails === undefined ? "" : ", which must fail as it did in the recorded runs"}.`,
        ];
      case "loop":
        return [`${number}For each \`${step.item}\`:`, ...stepLines(step.steps, `${indent}   `)];
      case "guard":
        return [`${number}Stop unless things are as they were in the recorded runs.`];
      case "choice":
        return [
          `${number}Unless ${step.chosen.kind === "param" ? `\`${step.chosen.name}\`` : "what is chosen"} is one of what was found, stop with what there is to choose from.`,
        ];
      case "branch": {
        const inner = `${indent}   `;
        return [
          `${number}Call \`${shownTool(step.call.tool)}\`.`,
          `${inner}Where it fails as it did in some of the recorded runs:`,
          ...stepLines(step.failed.steps, inner),
          `${inner}Where it succeeds:`,
          ...stepLines(step.succeeded.steps, inner),
        ];
      }
      case "switch":
        return [
          `${number}Look how things are, and stop where no recorded run had them so.`,
          ...step.cases.flatMap(({ steps }, nth) => [
            `${indent}   As in case ${nth + 1} of ${step.cases.length}:`,
            ...stepLines(steps, `${indent}   `),
          ]),
        ];
    }
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/**
 * The tools as `allowed-tools` lists them. Nothing where a name cannot be listed, or would allow other tools as well:
 * then the skill may call what its code calls by literal name, which are the same tools.
 */
function listedTools(tools: readonly string[]): string | undefined {
  const listed = tools.join(" ");
  const skill = { name: "", frontmatter: { "allowed-tools": listed }, calls: { tools: [] } };
  const isExact = tools.every((tool) => !/[*\s(),]/.test(tool) && toolRefusal(skill, tool) === undefined);
  return isExact && tools.length > 0 && !listed.includes("mcp__") ? listed : undefined;
}

/** Cases that call no tool: what lacks an input that is needed is refused before any code runs. */
function casesText({ params }: Plan): string {
  const needed = params.find(({ optional }) => optional !== true);
  const cases = needed ? [{ name: `needs ${needed.name}`, input: {}, error: "INPUT_INVALID" }] : [];
  return `# What calls upstream tools cannot be a case: it is replayed against the calls in provenance.json.\n${stringify(cases)}`;
}
