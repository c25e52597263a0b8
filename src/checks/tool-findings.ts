import { toolRefusal } from "../core/tools/allowed-tools.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { Position } from "../core/error.ts";
import { matchesGlob } from "../core/tools/glob.ts";
import { lookAlikeText, lookAlikeTools } from "../core/tools/look-alike-tools.ts";
import { listed } from "../core/text/listed.ts";
import { nearest } from "../core/text/nearest.ts";
import { acceptCommand, type ToolChange, toolChangeText } from "../core/tools/tool-change.ts";
import { fieldPosition, type SkillFolder } from "../core/skill.ts";
import type { DerivedSkill } from "../contracts/derived-skill.ts";
import { type CallableTools } from "../contracts/to-types/tool-types.ts";
import { unchosenText, serverOf } from "../core/tools/tool-name.ts";
import { commandLine } from "../core/text/command-line.ts";

export interface ToolWorld {
  readonly known: CallableTools;
  /** The names of the servers that are configured; without them no server counts as missing. */
  readonly servers: ReadonlySet<string> | undefined;
  /** Whether the configuration leaves a tool of a configured server out. */
  readonly isLeftOut: (tool: string) => boolean;
  readonly changeOf: (tool: string) => ToolChange | undefined;
  /** Whether a tool is known to only read. */
  readonly isReading: (tool: string) => boolean;
  /** Where the servers are configured: there it is told what is wrong with their tools, whoever calls them. */
  readonly configFile: string | undefined;
}

/**
 * Calls of upstream tools that cannot come to anything: of a tool whose server is not configured or does not have
 * it, as far as the server's tools are known, or that the skill may not call. And those of tools that are not what they were.
 */
export function toolFindings(derived: readonly DerivedSkill[], world: ToolWorld): readonly Diagnostic[] {
  const { known, changeOf } = world;
  const names = Map.groupBy(known.keys(), serverOf);
  const sound = derived.filter(({ isSound }) => isSound);
  const concerned = sound.filter(({ calls, declared, toolCalls }) => {
    return toolCalls.length > 0 || calls.open !== undefined || declared.operation !== undefined;
  });
  const alike = lookAlikeTools(known.keys());
  const ofSkills = concerned.flatMap((skill) =>
    findingsIn(skill, world, names).concat(
      lookAlikesIn(skill, alike),
      openCallsIn(skill, world, names),
      changesIn(skill, changeOf, () => callersOf(skill.folder.name, sound)),
      weakDeclarationIn(skill, world),
    ),
  );
  if (world.configFile === undefined) return ofSkills;
  const place = { path: world.configFile, line: 1, column: 1 };
  return [...alike]
    .slice(0, MAX_LOOK_ALIKES)
    .map(([tool, others]) => lookAlikeFinding(tool, others, place))
    .concat(ofSkills);
}

function lookAlikesIn(
  { toolCalls }: DerivedSkill,
  alike: ReadonlyMap<string, readonly string[]>,
): readonly Diagnostic[] {
  return toolCalls.flatMap(({ callee, ...place }) => {
    const others = alike.get(callee);
    return others ? [lookAlikeFinding(callee, others, place)] : [];
  });
}

function lookAlikeFinding(tool: string, others: readonly string[], place: Position): Diagnostic {
  return {
    code: "tool-look-alike",
    severity: "warning",
    ...place,
    message: lookAlikeText(tool, others),
    fix: "See which of them is meant, and allow no other in `tools` of its server's settings",
  };
}

const MAX_LOOK_ALIKES = 100;

function changesIn(
  { toolCalls }: DerivedSkill,
  changeOf: (tool: string) => ToolChange | undefined,
  callers: () => readonly string[],
): readonly Diagnostic[] {
  return toolCalls.flatMap(({ callee, ...place }): readonly Diagnostic[] => {
    const change = changeOf(callee);
    if (!change) return [];
    const held = change.isHeld ? "; the skill is not run until someone accepts it" : "";
    const message = `The upstream tool ${JSON.stringify(callee)} is not what it was when it was pinned, ${change.pinnedAt}: ${toolChangeText(change)}${held}`;
    const severity = change.isHeld ? "error" : "warning";
    const fix = `Look whether the skill may go on with it, then \`${acceptCommand(change)}\``;
    const affects = change.isHeld ? callers() : [];
    return [
      { code: "tool-changed", severity, ...place, message, fix, ...(affects.length > 0 ? { affects } : {}) },
    ];
  });
}

/** A declared operation that is weaker than what the called tools may do, as far as it is known of them. */
function weakDeclarationIn(
  { folder, declared: { operation }, toolCalls, calls }: DerivedSkill,
  { isReading, servers }: ToolWorld,
): readonly Diagnostic[] {
  if (operation === undefined || operation === "WRITE") return [];
  // That a server is not there is told already.
  const called = new Set(
    toolCalls.map(({ callee }) => callee).filter((tool) => servers?.has(serverOf(tool)) !== false),
  );
  const writing = [...called].filter((tool) => !isReading(tool));
  const isOpen = calls.open?.some(({ world }) => world === "call_tool") === true;
  const at = {
    code: "operation-declared",
    severity: "warning",
    ...fieldPosition(folder, "operation"),
  } as const;
  if (writing.length > 0 || isOpen) {
    const what =
      writing.length > 0
        ? `calls ${listed(writing.map((tool) => JSON.stringify(tool)))}, of which nobody says that it only reads`
        : "calls upstream tools whose names only running it tells";
    const message = `The skill declares ${operation}, but ${what}: it counts as one that writes`;
    const fix = `Write operation: WRITE; or, where they do only read, ${SAY_READ}`;
    return [{ ...at, message, fix }];
  }
  if (operation === "READ" || called.size === 0) return [];
  const message = "The skill declares TRANSFORM, but calls upstream tools, which look at the world";
  return [{ ...at, message, fix: "Write operation: READ" }];
}

/** Those that call a skill, directly or not. */
function callersOf(name: string, derived: readonly DerivedSkill[]): readonly string[] {
  const found = new Set([name]);
  for (const callee of found) {
    for (const { folder, calls } of derived)
      if (calls.skills.some((call) => call.callee === callee)) found.add(folder.name);
  }
  found.delete(name);
  return [...found].toSorted();
}

function findingsIn(
  { folder, calls, toolCalls }: DerivedSkill,
  { known, servers, isLeftOut, configFile }: ToolWorld,
  names: ReadonlyMap<string, readonly string[]>,
): readonly Diagnostic[] {
  return toolCalls.flatMap(({ callee: tool, ...place }): readonly Diagnostic[] => {
    const at = { code: "call-unknown", severity: "error", ...place } as const;
    const server = serverOf(tool);
    if (isLeftOut(tool)) {
      const message = unchosenText(server, tool.slice(server.length + 1));
      const where = configFile === undefined ? "" : ` in ${configFile}`;
      return [{ ...at, message, fix: `Choose it there${where}, or do not call it` }];
    }
    const others = known.has(tool) ? undefined : names.get(server);
    if (others) {
      const meant = nearest(tool, others);
      const name = JSON.stringify(tool.slice(server.length + 1));
      const message =
        tool === server
          ? `"${server}" is a server; a tool is named "${server}.tool"`
          : `The server "${server}" has no tool ${name}`;
      const fix = meant === undefined ? CHECK_NAME : `Did you mean ${JSON.stringify(meant)}?`;
      return [{ ...at, message, fix }];
    }
    if (servers?.has(server) === false) {
      const meant = nearest(server, [...servers]);
      return [
        {
          ...at,
          code: "tool-unserved",
          // Nothing is wrong with the skill: elsewhere there may be such a server. Where it says so itself, no one need be told.
          severity: needsOpenly(folder, server) ? "info" : "warning",
          message: `No configured server has the upstream tool ${JSON.stringify(tool)}: there is no server ${JSON.stringify(server)}`,
          fix:
            meant === undefined
              ? ADD_SERVER
              : `Did you mean ${JSON.stringify(meant + tool.slice(server.length))}?`,
        },
      ];
    }
    const refusal = toolRefusal({ name: folder.name, frontmatter: folder.frontmatter, calls }, tool);
    if (!refusal) return [];
    const message = `The skill may not call the upstream tool ${JSON.stringify(tool)}: its \`allowed-tools\` does not list it`;
    return [{ ...at, message, fix: "List it in `allowed-tools`, or do not call it" }];
  });
}

/** Whether the skill's `compatibility` names the server, as that of a skill which is handed on does. */
function needsOpenly({ frontmatter }: SkillFolder, server: string): boolean {
  const { compatibility } = frontmatter;
  return typeof compatibility === "string" && compatibility.split(/[^\w-]+/).includes(server);
}

/** Calls of tools whose names only running tells, of which the text may tell enough. */
function openCallsIn(
  { calls }: DerivedSkill,
  { servers }: ToolWorld,
  names: ReadonlyMap<string, readonly string[]>,
): readonly Diagnostic[] {
  return (calls.open ?? []).flatMap(({ world, patterns, written, ...place }): readonly Diagnostic[] => {
    if (world !== "call_tool") return [];
    const message = `No configured server has an upstream tool with a name of the form ${written}`;
    if (patterns && servers) {
      const reached = [...servers].filter((server) => patterns.some((each) => mayBeOf(server, each)));
      if (reached.length === 0)
        return [{ code: "tool-unserved", severity: "warning", ...place, message, fix: ADD_SERVER }];
      // Of a server that was never asked, any tool may be there.
      if (reached.every((server) => names.get(server)?.some((name) => matchesGlob(name, patterns)) === false))
        return [{ code: "call-unknown", severity: "error", ...place, message, fix: CHECK_NAME }];
    }
    return [
      {
        code: "call-dynamic",
        severity: "info",
        ...place,
        message:
          "Which upstream tool is called here is known only when the code runs: its answer is not typed",
        fix: "Write the name as a literal, or see that `allowed-tools` lists what may be called",
      },
    ];
  });
}

/** Whether a name of this form can be that of a server's tool. */
function mayBeOf(server: string, pattern: string): boolean {
  const [known = ""] = pattern.split("*", 1);
  return known.startsWith(`${server}.`) || (pattern !== known && `${server}.`.startsWith(known));
}

const SAY_READ = '"operations": {"tool": "READ"} in the settings of their server';
const ADD_SERVER = "Add the server to `mcpServers` in the configuration, or do not call it";
const CHECK_NAME = `Correct the name, or allow the tool in the configuration; \`${commandLine("upstream")}\` asks the servers again`;
