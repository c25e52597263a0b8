import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { Command } from "commander";
import { parse } from "yaml";
import { discoverSkills } from "../../catalog/folders/discover.ts";
import { fieldText, fieldValue, parseFrontmatter, type Frontmatter } from "../../catalog/frontmatter.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { SourceFile } from "../../core/skill.ts";
import { withHangingIndent } from "../../core/text/display-text.ts";
import { findingText } from "../output/finding-text.ts";
import { examples, EXIT, printJson } from "../session.ts";

export function readPropertiesCommand(): Command {
  return new Command("read-properties")
    .description("print what a skill's frontmatter says, as JSON")
    .argument("<path>", "a skill folder or a SKILL.md")
    .addHelpText("after", examples("\nExample:\n  $ repertoire read-properties ./skills/add"))
    .action(async (path: string) => {
      const reading = await readProperties(skillFolderOf(path));
      if (!reading.ok) {
        console.error(`Error: ${withHangingIndent(reading.error)}`);
        process.exitCode = EXIT.failed;
        return;
      }
      for (const repair of reading.value.repairs) console.error(findingText(repair));
      printJson(reading.value.properties);
    });
}

/** The folder that a path means: a SKILL.md means its own. */
export function skillFolderOf(path: string): string {
  return basename(path).toLowerCase() === "skill.md" ? dirname(path) : path;
}

/** The skill folders that a path means: itself, or those below it where it has no SKILL.md. */
export async function skillFoldersAt(path: string): Promise<readonly string[]> {
  const folder = skillFolderOf(path);
  if ((await skillFileIn(folder)).ok) return [folder];
  const { found, diagnostics } = await discoverSkills([folder]);
  for (const each of diagnostics.filter(({ code }) => code === "folder-too-large")) {
    console.error(findingText(each));
    if (each.severity === "error") process.exitCode = EXIT.failed;
  }
  const below = found.map((each) => join(folder, relative(resolve(folder), each.path)));
  return below.length > 0 ? below : [folder];
}

export interface SkillProperties {
  /** The SKILL.md they are from. */
  readonly file: string;
  readonly name: string;
  readonly description: string;
  /** All that the format and the composable-skills proposal define, as far as it is there. */
  readonly properties: JsonObject;
  /** How invalid YAML was read all the same. */
  readonly repairs: readonly Diagnostic[];
}

/** A skill's properties, named and typed as the format's reference implementation prints them; or why there are none. */
export async function readProperties(folder: string): Promise<Result<SkillProperties, string>> {
  const found = await skillFileIn(folder);
  if (!found.ok) return found;
  const { frontmatter, diagnostics } = parseFrontmatter(found.value);
  if (!frontmatter)
    return fail(diagnostics.find(({ severity }) => severity === "error")?.message ?? "No frontmatter");
  const fault = textFault(frontmatter, "name") ?? textFault(frontmatter, "description");
  if (fault !== undefined) return fail(fault);
  const name = fieldText(frontmatter, "name").trim();
  const description = fieldText(frontmatter, "description").trim();
  return ok({
    file: found.value.path,
    name,
    description,
    properties: { name, description, ...formatProperties(frontmatter), ...composableProperties(frontmatter) },
    repairs: diagnostics.filter(({ code }) => code === "yaml-repaired"),
  });
}

/** A folder's SKILL.md, or why it has none that can be read. */
export async function skillFileIn(folder: string): Promise<Result<SourceFile, string>> {
  if (!(await stat(folder).catch(() => undefined))) return fail(`Path does not exist: ${folder}`);
  for (const name of ["SKILL.md", "skill.md"]) {
    const path = join(folder, name);
    const text = await readFile(path, "utf8").catch((error: unknown) => error as NodeJS.ErrnoException);
    if (typeof text === "string") return ok({ path, text });
    if (text.code !== "ENOENT" && text.code !== "ENOTDIR")
      return fail(`${path} cannot be read: ${text.message}`);
  }
  return fail(`SKILL.md not found in ${folder}`);
}

function textFault(frontmatter: Frontmatter, field: string): string | undefined {
  const value = fieldValue(frontmatter, field);
  if (value === undefined) return `Missing required field in frontmatter: ${field}`;
  const isText = typeof value !== "object" && fieldText(frontmatter, field).trim() !== "";
  return isText ? undefined : `Field '${field}' must be a non-empty string`;
}

function formatProperties(frontmatter: Frontmatter): JsonObject {
  const written = asWritten(frontmatter);
  const { license, compatibility, metadata } = written;
  return {
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(written["allowed-tools"] !== undefined && { "allowed-tools": written["allowed-tools"] }),
    ...(!isEmpty(metadata) && { metadata }),
  };
}

function composableProperties(frontmatter: Frontmatter): JsonObject {
  const { level, operation, composes, inputs, outputs } = frontmatter.fields;
  const number = typeof level === "string" && /^\s*[+-]?\d+\s*$/.test(level) ? Number(level) : level;
  return {
    ...(number !== undefined && number !== null && { level: number }),
    ...(operation !== undefined && operation !== null && { operation }),
    ...(!isEmpty(composes) && { composes: Array.isArray(composes) ? composes : [composes] }),
    ...(!isEmpty(inputs) && { inputs: declaredFields(inputs) }),
    ...(!isEmpty(outputs) && { outputs: declaredFields(outputs) }),
  };
}

function isEmpty(value: Json | undefined): value is undefined | null {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Fields of a contract, without what says no more than leaving it out. */
function declaredFields(value: Json): Json {
  return Array.isArray(value) ? (value as readonly Json[]).map(declaredField) : value;
}

function declaredField(member: Json): Json {
  if (!isJsonObject(member)) return member;
  const { name = null, type, required, ...rest } = member;
  const said = Object.entries(rest).filter(([, each]) => each !== null && !isFalse(each));
  const optional = isFalse(required) ? { required: false } : {};
  return { name, type: type ?? "any", ...optional, ...Object.fromEntries(said) };
}

function isFalse(value: Json | undefined): boolean {
  return value === false || (typeof value === "string" && value.toLowerCase() === "false");
}

/** The frontmatter with every scalar as the text that stands there: a version 1.0 is "1.0". */
function asWritten({ yaml, fields }: Frontmatter): JsonObject {
  try {
    const read: unknown = parse(yaml, { schema: "failsafe", uniqueKeys: false, logLevel: "error" });
    if (isJsonObject(read)) return read;
  } catch {
    // YAML that had to be repaired: what it was repaired to is the next best.
  }
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, withTexts(value)]));
}

function withTexts(value: Json): Json {
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTexts(each)]));
  if (Array.isArray(value)) return (value as readonly Json[]).map(withTexts);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : (value ?? "");
}
