import { basename, relative } from "node:path";
import type { CallToolResult, InputRequiredResult, Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { CatalogSnapshot } from "../../catalog/catalog.ts";
import type { Meaning } from "../../catalog/meaning.ts";
import { searchSkills } from "../../catalog/search-skills.ts";
import { skillFilePart, skillFiles } from "../../catalog/folders/skill-files.ts";
import type { SkillCondition } from "../../core/conditions/skill-condition.ts";
import { isDeeperThan, isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { ZOD_MESSAGES } from "../../core/json/zod-messages.ts";
import { failure } from "../../core/error.ts";
import { type ComposedFlow, shownFlow } from "../../core/flow.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { hasCode, type Skill } from "../../core/skill.ts";
import type { Learning } from "../../learn/learning.ts";
import type { Elicitation, ElicitationOutcome } from "../elicitation.ts";
import type { ServedRuns } from "./run-tools.ts";
import type { ServedTraces } from "./trace-tools.ts";
import type { ServedFlows } from "../run-consent.ts";
import { repairedArguments, skillInput } from "./tool-input.ts";
import { anyJson, portableSchema } from "./portable-schema.ts";
import { usageByName, usageOfSkill } from "./skill-usage.ts";
import { mimeTypeOf, uriOf } from "../skill-resources.ts";
import { brokenFailure, withheldFailure } from "../withheld-skills.ts";
import { answer, failureAnswer } from "./tool-answer.ts";

/** What a stable tool may use. */
export interface StableToolContext {
  readonly snapshot: CatalogSnapshot;
  /** Reads the skills anew, so that what was changed on disk is told to clients before the answer is. */
  readonly reload: () => Promise<CatalogSnapshot>;
  /** Skills whose errors keep them from being called. */
  readonly withheld: ReadonlyMap<string, readonly Diagnostic[]>;
  /** Runs a skill as its own tool would. */
  readonly run: (skill: Skill, input: Json) => Promise<CallToolResult | InputRequiredResult>;
  readonly flows: ServedFlows | undefined;
  readonly traces: ServedTraces | undefined;
  /** The client's, where it has one. */
  readonly sessionId: string | undefined;
  /** Name and version of the client, where it tells them. */
  readonly client: string | undefined;
  readonly learning: Learning | undefined;
  /** Where search by meaning is configured. */
  readonly meaning: Meaning | undefined;
  readonly durable: ServedRuns | undefined;
  /** Puts a question to the person behind the client. */
  readonly ask: (question: Elicitation) => Promise<ElicitationOutcome>;
}

/** Who does something over MCP: whether a model is behind it, a client does not say. */
export function clientOf({ client = "a client", sessionId }: StableToolContext): string {
  return sessionId === undefined ? client : `${client} (session ${sessionId.slice(0, 8)})`;
}

/** Who has answered a question that was put to the person behind the client. */
export function personOf(context: StableToolContext): string {
  return `the person behind ${clientOf(context)}`;
}

/** A tool that is there whatever the catalog holds, for clients that do not follow changes of the list. */
export interface StableTool {
  readonly name: string;
  readonly isUseful: (snapshot: CatalogSnapshot) => boolean;
  /** Whether its calls are part of the session's trace. */
  readonly isRecorded: boolean;
  readonly definition: (snapshot: CatalogSnapshot) => Tool;
  readonly call: (
    input: unknown,
    context: StableToolContext,
  ) => Promise<CallToolResult | InputRequiredResult>;
}

const MAX_FOUND = 20;

const MAX_NAMES_IN_ENUM = 200;

const MAX_FILES = 200;

const DEFAULT_PART_BYTES = 2 ** 16;

const MAX_PART_BYTES = 2 ** 20;

const MAX_FLOWS = 20;

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const searchInput = z.strictObject({
  query: z.string().min(1).max(1000).describe("What the skill should do, in a few words"),
  limit: z.int().min(1).max(MAX_FOUND).default(10).describe("The most skills to return"),
});

const nameInput = z.strictObject({ name: z.string().max(200).describe("The skill's name") });

const fileInput = z.strictObject({
  name: z.string().max(200).describe("The skill's name"),
  path: z.string().max(4096).describe("The file, by its path in the skill's folder, or a folder to list"),
  offset: z.int().min(0).default(0).describe("Where to begin: `next` of the part before"),
  limit: z.int().min(16).max(MAX_PART_BYTES).default(DEFAULT_PART_BYTES).describe("The most bytes to return"),
});

const runInput = z.strictObject({
  name: z.string().max(200).describe("The skill's name"),
  input: anyJson("input", "The skill's input, or its JSON text").default({}),
});

export const STABLE_TOOLS: readonly StableTool[] = [
  stableTool({
    name: "search_skills",
    title: "Search skills",
    description: "Finds skills by what they do. Use it before working a procedure out anew.",
    input: searchInput,
    annotations: reads,
    call: async ({ query, limit }, { snapshot, traces, meaning }) => {
      const { items, intents, fault } = await searchSkills(snapshot.skills, query, limit, meaning);
      const usage = traces && items.length > 0 ? await usageByName(traces.store) : undefined;
      const skills = items.map((skill) => {
        const intent = intents?.get(skill.name);
        const found = foundSkill(skill, usage?.get(skill.name));
        return intent ? Object.assign(found, { intent }) : found;
      });
      const byText = fault ? { byTextAlone: `${fault.code}: ${fault.message}` } : {};
      return answer({ skills, ...byText, ...leftOutView(snapshot) });
    },
  }),
  stableTool({
    name: "describe_skill",
    title: "Describe a skill",
    description:
      "Tells what a skill does, takes, gives and calls, which answers of untrusted tools it writes, what is wrong with it, and how it has fared.",
    input: nameInput,
    annotations: reads,
    call: async ({ name }, { snapshot, traces, flows }) => {
      const skill = snapshot.skills.get(name);
      if (!skill) return unknownSkill(name, snapshot);
      const usage = traces && (await usageOfSkill(traces.store, skill));
      const told = flows && describedFlows(flows.ofRun(name, snapshot.skills));
      return answer({ ...description(skill, snapshot), ...told, ...(usage ? { usage } : {}) });
    },
  }),
  stableTool({
    name: "run_skill",
    title: "Run a skill",
    description: "Runs a skill that has code, by name. Prefer the skill's own tool where it is listed.",
    input: runInput,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    isUseful: ({ skills }) => skills.values().some(hasCode),
    call: async ({ name, input }, { snapshot, withheld, run }) => {
      const skill = snapshot.skills.get(name);
      if (!skill) return unknownSkill(name, snapshot);
      const faults = withheld.get(name);
      return faults
        ? failureAnswer(withheldFailure(name, faults))
        : run(skill, skillInput(skill, input as Json));
    },
  }),
  stableTool({
    name: "activate_skill",
    title: "Read a skill's instructions",
    description:
      "Gives the full instructions of a skill and the files beside them. Use it when a task fits the skill.",
    input: nameInput,
    annotations: reads,
    isUseful: (snapshot) => snapshot.skills.size > 0,
    inputSchema: (snapshot) => {
      const names = [...snapshot.skills.keys()].toSorted();
      if (names.length === 0 || names.length > MAX_NAMES_IN_ENUM) return undefined;
      return z.strictObject({ name: z.enum(names).describe("The skill's name") });
    },
    call: async ({ name }, context) => withServedSkill(name, context, activation),
  }),
  stableTool({
    name: "read_skill_file",
    title: "Read a file of a skill",
    description:
      "Gives a file beside a skill's instructions, as text or in base64; a long one in parts. Lists a folder.",
    input: fileInput,
    annotations: reads,
    isUseful: (snapshot) => snapshot.skills.size > 0,
    call: async (wanted, context) =>
      withServedSkill(wanted.name, context, async (skill) => readFileOf(skill, wanted)),
  }),
];

/** What a skill with errors tells a model to do is no more given than its code is run. */
async function withServedSkill(
  name: string,
  { snapshot, withheld }: StableToolContext,
  give: (skill: Skill) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const skill = snapshot.skills.get(name);
  if (!skill) return unknownSkill(name, snapshot);
  const faults = withheld.get(name);
  return faults ? failureAnswer(withheldFailure(name, faults)) : give(skill);
}

interface StableToolParts<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly inputSchema?: (snapshot: CatalogSnapshot) => z.ZodType | undefined;
  readonly annotations: NonNullable<Tool["annotations"]>;
  readonly isUseful?: (snapshot: CatalogSnapshot) => boolean;
  /** Unless told, they are. */
  readonly isRecorded?: false;
  readonly call: (
    input: z.output<Input>,
    context: StableToolContext,
  ) => Promise<CallToolResult | InputRequiredResult>;
}

export function stableTool<Input extends z.ZodObject>(parts: StableToolParts<Input>): StableTool {
  const { name, title, description: text, input, annotations } = parts;
  return {
    name,
    isUseful: parts.isUseful ?? (() => true),
    isRecorded: parts.isRecorded ?? true,
    definition: (snapshot) => ({
      name,
      title,
      description: text,
      inputSchema: { ...portableSchema(parts.inputSchema?.(snapshot) ?? input), type: "object" },
      annotations,
    }),
    call: async (given, context) => {
      if (isDeeperThan(given, MAX_DEPTH))
        return failureAnswer(failure("INPUT_INVALID", `The input of "${name}" is nested too deeply`));
      const exact = input.safeParse(given, ZOD_MESSAGES);
      const checked = exact.success
        ? exact
        : input.safeParse(repairedArguments(input.shape, given), ZOD_MESSAGES);
      if (checked.success) return parts.call(checked.data, context);
      const issues = checked.error.issues.map(
        (issue) => `${issue.path.map(String).join(".") || "the input"}: ${issue.message}`,
      );
      return failureAnswer(
        failure("INPUT_INVALID", `The input of "${name}" is not valid: ${issues.join("; ")}`),
      );
    },
  };
}

/** What reads inputs can follow so many levels. */
const MAX_DEPTH = 512;

function unknownSkill(name: string, snapshot: CatalogSnapshot): CallToolResult {
  const broken = snapshot.diagnostics.filter(
    ({ severity, path, affects = [] }) =>
      severity === "error" && (path.split(/[\\/]/).includes(name) || affects.includes(name)),
  );
  if (broken.length > 0) {
    return failureAnswer(brokenFailure(name, `The skill "${name}" does not load`, broken));
  }
  const hint = didYouMean(name, [...snapshot.skills.keys()]);
  return failureAnswer(failure("SKILL_NOT_FOUND", `There is no skill named "${name}".${hint}`));
}

function foundSkill(skill: Skill, usage: JsonObject | undefined): JsonObject {
  const { name, kind, description: text } = skill;
  return { name, kind, description: text, ...matchingView(skill), ...(usage ? { usage } : {}) };
}

/** What its author says of when to use it, of that which there is. */
function matchingView({ matching }: Skill): JsonObject {
  if (!matching) return {};
  const said = Object.entries(matching).filter(([, value]) => value.length > 0);
  return Object.fromEntries(said);
}

/** What a workflow document says of where the skill is from and how it has fared elsewhere: nothing that was measured here. */
function declaredView({ workflow }: Skill): JsonObject {
  if (!isJsonObject(workflow) || !isJsonObject(workflow["skill"])) return {};
  const { provenance, quality } = workflow["skill"];
  const metrics = isJsonObject(quality) ? quality["performance_metrics"] : undefined;
  if (provenance === undefined && metrics === undefined) return {};
  return {
    declared: {
      ...(provenance === undefined ? {} : { provenance }),
      ...(metrics === undefined ? {} : { performance: metrics }),
    },
  };
}

function conditionsView({ preconditions, postconditions }: Skill): JsonObject {
  const shown = (conditions: readonly SkillCondition[]): Json =>
    conditions.map(({ check, critical, description: text }) => ({
      check,
      critical,
      ...(text === undefined ? {} : { description: text }),
    }));
  return {
    ...(preconditions ? { preconditions: shown(preconditions) } : {}),
    ...(postconditions ? { postconditions: shown(postconditions) } : {}),
  };
}

/** What a search cannot find, for a limit of the folders read. */
function leftOutView({ leftOut, diagnostics }: CatalogSnapshot): JsonObject {
  if (leftOut.length === 0) return {};
  const findings = diagnostics.filter(({ code }) => code === "folder-too-large");
  return { leftOut: { folders: leftOut.length, why: findings.map(({ message }) => message) } };
}

function description(skill: Skill, snapshot: CatalogSnapshot): JsonObject {
  const { name, kind, operation, level, contract, calls } = skill;
  const findings = snapshot.diagnostics
    .filter(
      ({ path, affects }) =>
        path === skill.path || path.startsWith(`${skill.path}/`) || affects?.includes(name),
    )
    .map(({ code, severity, path, line, column, message, fix }) => ({
      file: relative(skill.path, path) || basename(path),
      code,
      severity,
      line,
      column,
      message,
      fix,
    }));
  return {
    name,
    kind,
    description: skill.description,
    ...matchingView(skill),
    ...declaredView(skill),
    level,
    operation,
    input: contract.input,
    output: contract.output,
    ...conditionsView(skill),
    calls: [...new Set([...calls.skills.map(({ callee }) => callee), ...skill.composes])],
    findings,
  };
}

/** What untrusted tools answer and where in a run it is written, with the skills on the way. */
function describedFlows(flows: readonly ComposedFlow[]): JsonObject {
  const shown = flows.slice(0, MAX_FLOWS).map(shownFlow);
  return { flows: shown, ...(flows.length > MAX_FLOWS ? { moreFlows: flows.length - MAX_FLOWS } : {}) };
}

async function activation(skill: Skill): Promise<CallToolResult> {
  const { name, instructions, path: folder } = skill;
  const { files, withheld, isCut } = await skillFiles(skill);
  const beside = files.map(({ path }) => path).filter((path) => path !== basename(skill.file));
  const shown = beside.slice(0, MAX_FILES);
  const omitted = beside.length - shown.length;
  const lines = [`<skill_content name=${JSON.stringify(name)}>\n${instructions.trim()}\n</skill_content>`];
  if (shown.length > 0)
    lines.push(`Files beside it, in ${folder} (or read them with read_skill_file):`, ...shown);
  if (omitted > 0)
    lines.push(`… and ${isCut ? "more than " : ""}${omitted} more: read_skill_file lists a folder`);
  if (withheld > 0) lines.push(`${withheld} hidden or outside the folder are left out`);
  return {
    content: [{ type: "text", text: lines.join("\n") }],
    // The server listens on this machine alone, so that the client can read the folder itself.
    structuredContent: {
      name,
      instructions,
      folder,
      files: shown,
      ...(omitted === 0 ? {} : { omitted }),
      ...(withheld === 0 ? {} : { withheld }),
    },
  };
}

async function readFileOf(
  skill: Skill,
  { path, offset, limit }: z.output<typeof fileInput>,
): Promise<CallToolResult> {
  const folder = path.replace(/\/+$/, "");
  const below = folder === "" || folder === "." ? "" : `${folder}/`;
  const part = below === "" ? undefined : await skillFilePart(skill, folder, { offset, maxBytes: limit });
  if (!part?.ok) {
    const inFolder = (await skillFiles(skill)).files.filter((file) => file.path.startsWith(below));
    if (part && inFolder.length === 0) return failureAnswer(part.error);
    const files = inFolder.slice(offset, offset + MAX_FILES);
    const next = offset + files.length < inFolder.length ? { next: offset + files.length } : {};
    return answer({
      name: skill.name,
      path: folder,
      files: files.map(({ path: at, size }) => ({ path: at, size })),
      ...next,
    });
  }
  const { bytes, encoding, next, size } = part.value;
  return answer({
    name: skill.name,
    path: part.value.path,
    uri: uriOf(skill.name, part.value.path),
    mimeType: mimeTypeOf(part.value.path),
    size,
    offset,
    encoding,
    content: bytes.toString(encoding),
    ...(next === undefined ? {} : { next }),
  });
}
