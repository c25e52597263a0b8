import { failure, type Failure } from "../error.ts";
import { matchesGlob } from "./glob.ts";
import { RESERVED_TOOLS } from "./reserved-tools.ts";
import type { Json } from "../json/json.ts";
import type { StaticCalls, Skill } from "../skill.ts";

/**
 * Which upstream tools a skill may call: those that its `allowed-tools` lists, as `server.tool`, `server.*` or
 * `mcp__server__tool`; where it lists none, those that its code calls by literal name. Reserved tools that its code calls
 * by literal name need no entry.
 */
export function allowedTools(
  skill: Pick<Skill, "frontmatter"> & { readonly calls: Pick<StaticCalls, "tools"> },
): (tool: string) => boolean {
  const listed = entriesOf(skill.frontmatter["allowed-tools"] ?? null);
  const plain = listed.filter((entry) => PLAIN.test(entry));
  const prefixed = listed
    .filter((entry) => entry.startsWith("mcp__"))
    .flatMap((entry) => (entry.includes("__", 5) ? [entry] : [entry, `${entry}__*`]));
  if (plain.length + prefixed.length === 0) {
    const literal = new Set(skill.calls.tools);
    return (tool) => literal.has(tool);
  }
  const reserved = new Set(skill.calls.tools.filter((tool) => RESERVED_TOOLS.has(tool)));
  return (tool) =>
    reserved.has(tool) || matchesGlob(tool, plain) || matchesGlob(prefixedName(tool), prefixed);
}

/** The upstream tools that a skill's `allowed-tools` lists by their whole names, as `server.tool`. */
export function listedTools({ frontmatter }: Pick<Skill, "frontmatter">): readonly string[] {
  const names = entriesOf(frontmatter["allowed-tools"] ?? null).map((entry) =>
    entry.replace(/^mcp__(.+?)__/, "$1."),
  );
  return names.filter((name) => PLAIN.test(name) && !name.includes("*"));
}

/** Why a skill may not call an upstream tool, or nothing. */
export function toolRefusal(
  skill: Pick<Skill, "name" | "frontmatter"> & { readonly calls: Pick<StaticCalls, "tools"> },
  tool: string,
): Failure | undefined {
  if (allowedTools(skill)(tool)) return undefined;
  const message = `The skill "${skill.name}" may not call the upstream tool "${tool}": list it in its "allowed-tools"`;
  return failure("TOOL_NOT_FOUND", message);
}

/** `server.tool`, whose second part may hold stars. */
const PLAIN = /^[A-Za-z0-9_-]+\.[^\s()]+$/;

// Entries for other tools look like `Bash(git add:*)`: what stands in brackets belongs to the entry.
function entriesOf(declared: Json): readonly string[] {
  if (typeof declared === "string") return declared.match(/(?:\([^)]*\)|[^\s,(])+/g) ?? [];
  if (!Array.isArray(declared)) return [];
  return (declared as readonly Json[]).filter((entry) => typeof entry === "string");
}

function prefixedName(tool: string): string {
  const dot = tool.indexOf(".");
  const [server, name] = [tool.slice(0, dot), tool.slice(dot + 1)].map((part) =>
    part.replaceAll(/[^A-Za-z0-9_-]/g, "_"),
  );
  return `mcp__${server}__${name}`;
}
