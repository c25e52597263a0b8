import { basename } from "node:path";
import { loadFolders } from "./catalog/folders/load-folders.ts";
import { skillCases } from "./catalog/skill-cases.ts";
import { stripTypes } from "./core/strip-types.ts";
import type { SkillCompiler } from "./compiler/compile-skills.ts";
import { composedFlows, flowsOfRun } from "./checks/flows/composed-flows.ts";
import type { Config } from "./config.ts";
import { type ShownFlow, shownFlow } from "./core/flow.ts";
import { ok, type Result } from "./core/result.ts";
import type { Skill } from "./core/skill.ts";
import type { DerivedDraft } from "./learn/verify/verification.ts";
import { PACKAGE_VERSION } from "./core/package/package-version.ts";
import { Extraction, type ExtractionOptions, type UpstreamToolInfo } from "./learn/extraction.ts";

/** What extraction needs of the rooms around it, wherever they are: in this thread or in another. */
export interface ExtractionDependencies extends Pick<
  ExtractionOptions,
  "store" | "runner" | "skills" | "tools" | "listTools" | "servers"
> {
  /** Derives drafts, beside the catalog, whose state they are no part of. */
  readonly compiler: SkillCompiler;
}

/** Extraction, wired to the other rooms. */
export function openExtraction(
  { data, drafts }: Pick<Config, "data" | "drafts">,
  { compiler, ...rooms }: ExtractionDependencies,
): Extraction {
  return new Extraction({
    ...rooms,
    data,
    skillsFolder: drafts.folder,
    policy: drafts.policy,
    extractor: `repertoire ${PACKAGE_VERSION}`,
    derive: async (folder) => derivedDraft(folder, compiler, await rooms.skills(), await rooms.tools()),
    stripTypes,
  });
}

const MAX_FLOWS = 100;

/** A draft as a skill among others, with what is wrong with it. */
async function derivedDraft(
  folder: string,
  compiler: SkillCompiler,
  known: ReadonlyMap<string, Skill>,
  tools: readonly UpstreamToolInfo[],
): Promise<Result<DerivedDraft>> {
  const name = basename(folder);
  const { folders, diagnostics } = await loadFolders([folder]);
  const callsSkills = folders.some(({ sources }) => sources.some(({ text }) => text.includes("call_skill")));
  const others = [...known.values()].filter((skill) => skill.name !== name);
  const compiled = await compiler.compile([...folders, ...(callsSkills ? others : [])]);
  const faults = [...diagnostics, ...compiled.diagnostics, ...compiled.findings]
    .filter(({ severity, path }) => severity === "error" && path.startsWith(folder))
    .map(({ message }) => message);
  const skills = new Map(compiled.skills.map((skill) => [skill.name, skill]));
  const flows = callsSkills ? flowsThroughSkills(name, skills, tools) : [];
  return ok({ name, skills, faults, flows, cases: await skillCases(folder) });
}

function flowsThroughSkills(
  name: string,
  skills: ReadonlyMap<string, Skill>,
  tools: readonly UpstreamToolInfo[],
): readonly ShownFlow[] {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const flows = composedFlows(skills, {
    isTrusted: (tool) => known.get(tool)?.isTrusted === true,
    mayWrite: (tool) => known.get(tool)?.isReadOnly !== true,
  });
  return flowsOfRun(name, skills, flows)
    .filter(({ path }) => path.some(({ skill }) => skill !== name))
    .slice(0, MAX_FLOWS)
    .map(shownFlow);
}
