import { createHash } from "node:crypto";
import path from "node:path";
import * as z from "zod";
import { ZOD_MESSAGES } from "../core/json/zod-messages.ts";
import { failure } from "../core/error.ts";
import { isJsonObject, type JsonObject } from "../core/json/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { LEVELS, OPERATIONS, type Level, type Operation, type Skill, type SkillKind } from "../core/skill.ts";
import { semverOf } from "./next-version.ts";

/** What all skills of a catalog promise at one moment: plain data, which can be kept as a file. */
export interface CatalogContracts {
  readonly format: typeof CONTRACTS_FORMAT;
  /** The version of the package that the skills are in, if it has one. */
  readonly version?: string | undefined;
  /** By name. */
  readonly skills: readonly SkillContract[];
}

export interface SkillContract {
  readonly name: string;
  readonly kind: SkillKind;
  /** Its own version, if it has one. */
  readonly version?: string | undefined;
  readonly operation: Operation;
  readonly level: Level;
  /** The skills that it calls or composes, as far as that is told, by name. */
  readonly calls: readonly string[];
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  /** Of all else that it does and says; its version left aside. */
  readonly digest: string;
}

const CONTRACTS_FORMAT = 1;

/** Versions that are told elsewhere than in the skills' frontmatter. */
export interface CatalogVersions {
  readonly package?: string | undefined;
  /** By a skill's name. */
  readonly skills?: ReadonlyMap<string, string>;
}

export function contractsOf(skills: readonly Skill[], versions: CatalogVersions = {}): CatalogContracts {
  return {
    format: CONTRACTS_FORMAT,
    ...(versions.package !== undefined && { version: versions.package }),
    skills: skills
      .map((skill) => contractOf(skill, versions.skills?.get(skill.name)))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Contracts as they were kept in a file, or what is wrong with them and where. */
export function readContracts(value: unknown): Result<CatalogContracts> {
  const format = isJsonObject(value) ? value["format"] : undefined;
  if (typeof format === "number" && format !== CONTRACTS_FORMAT)
    return invalid([`"format": it is ${format}, but only ${CONTRACTS_FORMAT} can be read`]);
  const checked = fileShape.safeParse(value, ZOD_MESSAGES);
  if (!checked.success) return invalid(checked.error.issues.map(faultText));
  const { skills } = checked.data;
  const names = skills.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return invalid([`"skills": ${JSON.stringify(twice)} is there more than once`]);
  return ok(checked.data);
}

function contractOf(skill: Skill, version: string | undefined): SkillContract {
  const { name, kind, operation, level, calls, composes, contract } = skill;
  const own = frontmatterVersion(skill.frontmatter) ?? version;
  return {
    name,
    kind,
    ...(own !== undefined && { version: own }),
    operation,
    level,
    calls: [...new Set([...calls.skills.map(({ callee }) => callee), ...composes])].toSorted(),
    input: contract.input,
    output: contract.output,
    digest: digestOf(skill),
  };
}

function frontmatterVersion({ version, metadata }: JsonObject): string | undefined {
  const told = [isJsonObject(metadata) ? metadata["version"] : undefined, version];
  return told.find((each): each is string => typeof each === "string" && semverOf(each) !== undefined);
}

// Git may change the ends of lines, and a new version is no change of what a skill does.
function digestOf({ frontmatter, instructions, sources, path: folder }: Skill): string {
  const { version: _, metadata, ...fields } = frontmatter;
  const { version: _own, ...others } = isJsonObject(metadata) ? metadata : {};
  const files = sources.map((source) => [
    path.relative(folder, source.path).split(path.sep).join("/"),
    unixLines(source.text),
  ]);
  const said = JSON.stringify([fields, others, unixLines(instructions), files]);
  return createHash("sha256").update(said).digest("hex");
}

function unixLines(text: string): string {
  return text.replaceAll("\r\n", "\n").trimEnd();
}

const schema = z.custom<JsonSchema>(isJsonObject, "must be a JSON Schema object");

const fileShape = z.object({
  format: z.literal(CONTRACTS_FORMAT),
  version: z.string().optional(),
  skills: z.array(
    z.object({
      name: z.string().min(1),
      kind: z.enum(["code", "workflow", "instructions"]),
      version: z.string().optional(),
      operation: z.enum(OPERATIONS),
      level: z.literal(LEVELS),
      calls: z.array(z.string()),
      input: schema,
      output: schema,
      digest: z.string(),
    }),
  ),
});

function faultText({ path: at, message }: z.core.$ZodIssue): string {
  const place = at.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return place === "" ? message : `"${place.replace(/^\./, "")}": ${message}`;
}

const MAX_FAULTS = 5;

function invalid(faults: readonly string[]): {
  readonly ok: false;
  readonly error: ReturnType<typeof failure>;
} {
  const shown = faults.slice(0, MAX_FAULTS);
  const more = faults.length > shown.length ? [`and ${faults.length - shown.length} more`] : [];
  return fail(failure("SNAPSHOT_INVALID", [...shown, ...more].join("; "), { details: faults.slice(0, 100) }));
}
