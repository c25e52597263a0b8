import type { ProtocolEra, Tool } from "@modelcontextprotocol/server";
import type { SkillWriter } from "../../assistant/skill-writer.ts";
import type { CatalogSnapshot } from "../../catalog/catalog.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { Failure } from "../../core/error.ts";
import { DependencyMemo } from "../../core/dependency-memo.ts";
import { nameKeys } from "../../core/tools/name-keys.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { hasCode, type Operation, type Skill } from "../../core/skill.ts";
import { clientSchema } from "./client-schema.ts";
import { proxiedToolDefinition, type ProxiedTool, type ProxiedTools } from "./proxied-tools.ts";
import type { Learning } from "../../learn/learning.ts";
import { DRAFT_TOOLS } from "./draft-tools.ts";
import { wishTools } from "./wish-tools.ts";
import { type ServedTraces, TRACE_TOOLS } from "./trace-tools.ts";
import { refusalsOf } from "../withheld-skills.ts";
import { RUN_TOOLS } from "./run-tools.ts";
import { type StableTool, STABLE_TOOLS } from "./stable-tools.ts";
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

export interface ToolListOptions {
  /** Above so many skills only the pinned ones have tools of their own. */
  readonly mostTools: number;
  readonly pinned: readonly string[];
  /** Whether skills with errors are listed too. */
  readonly publish: "sound" | "all";
  /** Tools of other servers that are published too. */
  readonly proxied?: ProxiedTools;
  /** What was recorded, for tools that show it. */
  readonly traces?: ServedTraces;
  /** For tools that turn what was recorded into skills. */
  readonly learning?: Learning;
  /** For skills that somebody wishes for. */
  readonly writer?: () => Promise<SkillWriter>;
}

/** How a tool of a skill is called. */
export interface SkillTool {
  readonly skill: Skill;
  readonly inputSchema: JsonSchema;
  readonly inputIn: string | undefined;
  readonly outputIn: string | undefined;
}

/** The tools of a catalog, made once for each of its snapshots. */
export interface ToolList {
  readonly tools: Readonly<Record<ProtocolEra, readonly Tool[]>>;
  /** Tools that are there whatever the catalog holds. */
  readonly byStableTool: ReadonlyMap<string, StableTool>;
  readonly bySkillTool: ReadonlyMap<string, SkillTool>;
  /** Tools of other servers, by the name that clients call them. */
  readonly byProxiedTool: ReadonlyMap<string, ProxiedTool>;
  /** Skills whose errors keep them from being called, with these. */
  readonly withheld: ReadonlyMap<string, readonly Diagnostic[]>;
  /** Why these, and those that do not load, are not run. */
  readonly refusals: ReadonlyMap<string, Failure>;
  /** All other skills: their instructions and files are given to clients. */
  readonly served: ReadonlyMap<string, Skill>;
}

/** Tools for the sound skills that have code, after the tools that are always there; in a stable order. */
export function toolListOf(
  snapshot: CatalogSnapshot,
  options: ToolListOptions,
  { isLoading = false } = {},
): ToolList {
  const withheld = options.publish === "all" ? new Map<string, never>() : snapshot.faulty;
  const served =
    withheld.size === 0
      ? snapshot.skills
      : new Map([...snapshot.skills].filter(([name]) => !withheld.has(name)));
  const runnable = [...served.values()].filter(hasCode);
  const listed =
    runnable.length > options.mostTools
      ? runnable.filter((skill) => options.pinned.includes(skill.name))
      : runnable;
  const always = [
    ...STABLE_TOOLS,
    ...RUN_TOOLS,
    ...(options.traces ? TRACE_TOOLS : []),
    ...(options.learning ? DRAFT_TOOLS : []),
    ...(options.writer ? wishTools(options.writer) : []),
  ];
  // While skills are loading nobody knows yet what there will be no use for.
  const useful = always.filter((tool) => isLoading || tool.isUseful(snapshot));
  const stable = useful.map((tool) => tool.definition(snapshot));
  const stableNames = new Set(always.map((tool) => tool.name));
  // No skill takes the place of a tool that is there without it, nor one that looks like it.
  const proxied = options.proxied?.published(stableNames) ?? [];
  const taken = new Set([...stableNames, ...proxied.map((tool) => tool.name)].flatMap(nameKeys));
  const isTaken = (name: string): boolean => nameKeys(name).some((key) => taken.has(key));
  const bySkillTool = new Map<string, SkillTool>();
  const tools: Record<ProtocolEra, Tool[]> = { legacy: [], modern: [] };
  for (const skill of listed.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = toolName(skill.name, isTaken);
    const made = madeTools.of(skill, [name], () => madeTool(skill, name));
    bySkillTool.set(name, made.call);
    tools.legacy.push(made.legacy);
    tools.modern.push(made.modern);
  }
  return {
    tools: {
      legacy: [...stable, ...tools.legacy, ...proxied.map((tool) => proxiedToolDefinition(tool, "schema"))],
      modern: [...stable, ...tools.modern, ...proxied.map((tool) => proxiedToolDefinition(tool, "whole"))],
    },
    byStableTool: new Map(always.map((tool) => [tool.name, tool])),
    bySkillTool,
    byProxiedTool: new Map(proxied.map((tool) => [tool.name, tool])),
    withheld,
    refusals: refusalsOf(snapshot, options.publish),
    served,
  };
}

interface MadeTool extends Readonly<Record<ProtocolEra, Tool>> {
  readonly call: SkillTool;
}

/** A skill that stays as it is keeps its tools. */
const madeTools = new DependencyMemo<Skill, MadeTool>();

function madeTool(skill: Skill, name: string): MadeTool {
  const input = clientSchema(skill.contract.input, "input");
  const output = clientSchema(skill.contract.output, "result");
  const about = {
    name,
    title: titleOf(skill),
    description: skill.description,
    annotations: annotationsOf(skill.operation),
  };
  return {
    call: { skill, inputSchema: input.schema, inputIn: input.wrappedIn, outputIn: output.wrappedIn },
    legacy: withSchemas(about, input.schema, output.schema),
    modern: withSchemas(about, input.whole, output.whole),
  };
}

/** Whether clients are shown the same. */
export function isSameList({ tools: now }: ToolList, { tools: before }: ToolList): boolean {
  return areSame(now.legacy, before.legacy) && areSame(now.modern, before.modern);
}

function areSame(now: readonly Tool[], before: readonly Tool[]): boolean {
  return (
    now.length === before.length &&
    now.every((tool, index) => tool === before[index] || isDeepStrictEqual(tool, before[index]))
  );
}

function withSchemas(
  about: Omit<Tool, "inputSchema" | "outputSchema">,
  input: JsonSchema,
  output: JsonSchema,
): Tool {
  return {
    ...about,
    inputSchema: { ...input, type: "object" },
    outputSchema: { ...output, type: "object" },
  };
}

function titleOf(skill: Skill): string {
  const title = skill.frontmatter["title"];
  if (typeof title === "string" && title !== "") return title;
  const words = skill.name.replaceAll(/[-_]+/g, " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

// The defaults of the four hints are the alarming ones, so all four are always set.
function annotationsOf(operation: Operation): NonNullable<Tool["annotations"]> {
  switch (operation) {
    case "TRANSFORM":
      return { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    case "READ":
      return { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
    case "WRITE":
      return { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  }
}

// Narrower than the specification's rule, on purpose: some clients refuse dots, a leading digit or capitals, some
// cut what is longer than 60 characters together with the server's name, and one bad name can cost a whole session.
const MAX_CHARACTERS = 40;

const SAFE = new RegExp(`^[a-z][a-z0-9_-]{0,${MAX_CHARACTERS - 1}}$`);

/** How a name ends that was made here: no skill has such a one for its own, so none can wait for another's. */
const DIGITS = 16;

const MADE = new RegExp(`-[0-9a-f]{${DIGITS}}$`);

/** A tool name that every client accepts: the skill's own where it is one, else its nearest form and a digest. */
function toolName(skill: string, isTaken: (name: string) => boolean): string {
  if (SAFE.test(skill) && !MADE.test(skill) && !isTaken(skill)) return skill;
  const plain = skill
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replaceAll(/^[^a-z]+|-+$/g, "")
    .slice(0, MAX_CHARACTERS - DIGITS - 1);
  const digest = createHash("sha256").update(skill).digest("hex").slice(0, DIGITS);
  return plain === "" ? `skill-${digest}` : `${plain}-${digest}`;
}
