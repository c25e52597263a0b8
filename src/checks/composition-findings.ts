import path from "node:path";
import type { Diagnostic, DiagnosticCode, RelatedPlace, Severity } from "../core/diagnostic.ts";
import type { Position } from "../core/error.ts";
import { matchesGlob } from "../core/tools/glob.ts";
import { nearest } from "../core/text/nearest.ts";
import { DependencyMemo } from "../core/dependency-memo.ts";
import { fieldPosition, hasCode, type Level, type Operation, type Skill } from "../core/skill.ts";
import { flowFindings } from "./flow-findings.ts";
import { callCycles, callDepths, calleesOf, placeOfCall, placeOfDeclared } from "../graph/skill-graph.ts";

export interface KnownSkills {
  /** Names of all folders, also of those whose skill is broken. */
  readonly folderNames: ReadonlySet<string>;
  /** Folders that the limits of the search have left out. */
  readonly leftOut: readonly string[];
  /** How deep calls below a skill may be nested when it is the root of a run. */
  readonly depthOf: (name: string) => number;
  /** What a skill does as it says itself, or as its code shows where it says nothing: its callees left aside. */
  readonly saidOperation: (name: string) => Operation;
  /** The strongest of that and of what all that it reaches say so. */
  readonly reachedOperation: (name: string) => Operation;
}

/**
 * What is wrong with how skills call each other and with what they declare about it: cycles, callees that are not
 * there, `composes`, levels and operations.
 */
export function compositionFindings(skills: readonly Skill[], known: KnownSkills): readonly Diagnostic[] {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return [
    ...cycleFindings(byName),
    ...depthFindings(byName, known),
    ...skills.filter(isComposed).flatMap((skill) => findingsAt(skill, byName, known)),
  ];
}

function findingsAt(skill: Skill, byName: Skills, known: KnownSkills): readonly Diagnostic[] {
  return [
    ...calleeFindings(skill, byName, known),
    ...openCallFindings(skill, byName, known),
    ...composesFindings(skill, known),
    ...keptFlowFindings(skill, byName),
    ...levelFindings(skill, byName),
    ...operationFindings(skill, byName, known),
  ];
}

const flows = new DependencyMemo<Skill, readonly Diagnostic[]>();

function keptFlowFindings(skill: Skill, byName: Skills): readonly Diagnostic[] {
  if (hasCode(skill) || skill.composes.length === 0) return [];
  const parts = [...new Set(skill.composes)].flatMap((name) => byName.get(name) ?? []);
  return flows.of(skill, parts, () => flowFindings(skill, parts));
}

/** Whether a skill calls others, or declares something that depends on those: of most there is nothing to find. */
function isComposed({ calls, composes, declared }: Skill): boolean {
  const calling = calls.skills.length + (calls.open?.length ?? 0) + composes.length;
  return calling > 0 || declared.level !== undefined || declared.operation !== undefined;
}

type Skills = ReadonlyMap<string, Skill>;

// --- cycles

function cycleFindings(byName: Skills): readonly Diagnostic[] {
  return callCycles(byName).flatMap((cycle) => {
    const steps = cycle.slice(1).flatMap((callee, index) => {
      const caller = byName.get(cycle[index] ?? "");
      return caller ? [{ caller: caller.name, callee, place: placeOfCall(caller, callee) }] : [];
    });
    const closing = steps.at(-1);
    if (!closing) return [];
    return [
      {
        code: "call-cycle",
        severity: "error",
        ...positionOf(closing.place),
        message: `Circular dependency detected: ${cycle.join(" -> ")}`,
        fix:
          cycle.length > 2
            ? "Remove one of the calls, or move what they share into a skill that both call"
            : "Remove the call, or list the skill in its own `composes` if it is meant to call itself",
        ...related(steps.slice(0, -1).map(({ caller, callee, place }) => calledFrom(place, caller, callee))),
        affects: cycle.slice(1).toSorted(),
      } satisfies Diagnostic,
    ];
  });
}

// --- depth

/** Chains of calls, as the code shows them, that the limit of nested calls ends: they may depend on conditions. */
function depthFindings(byName: Skills, { depthOf }: KnownSkills): readonly Diagnostic[] {
  const depths = callDepths(byName);
  // Those that call nobody have none.
  const calling = [...depths.keys()].map((name) => byName.get(name)).filter((skill) => skill !== undefined);
  return calling.flatMap((skill): readonly Diagnostic[] => {
    const limit = Math.min(depthOf(skill.name), skill.limits.depth ?? Number.POSITIVE_INFINITY);
    if (!hasCode(skill) || (depths.get(skill.name) ?? 0) <= limit) return [];
    const chain = deepestChain(skill, byName, depths);
    const [, callee] = chain;
    if (callee === undefined || chain.length - 1 <= limit) return [];
    const places = placesOf(chain, byName);
    return [
      {
        ...finding("call-too-deep", "warning", placeOfCall(skill, callee), {
          message: `Calls are nested ${chain.length - 1} deep below ${JSON.stringify(skill.name)}, the limit is ${limit}: ${chain.join(" -> ")}`,
          fix: "Raise `limits.depth` in the configuration, or `skillLimits` for this skill, or call fewer skills in a row",
        }),
        ...related(places.slice(1)),
      },
    ];
  });
}

function deepestChain(from: Skill, byName: Skills, depths: ReadonlyMap<string, number>): readonly string[] {
  const chain = new Set([from.name]);
  for (let skill: Skill | undefined = from; skill;) {
    const callees: readonly string[] = calleesOf(skill).filter(
      (name) => byName.has(name) && !chain.has(name),
    );
    const next = callees.toSorted((a, b) => (depths.get(b) ?? 0) - (depths.get(a) ?? 0))[0];
    if (next !== undefined) chain.add(next);
    skill = next === undefined ? undefined : byName.get(next);
  }
  return [...chain];
}

// --- names that only running tells

function openCallFindings(
  { calls, composes }: Skill,
  byName: Skills,
  { folderNames, leftOut }: KnownSkills,
): readonly Diagnostic[] {
  return (calls.open ?? []).flatMap((call): readonly Diagnostic[] => {
    const { world, patterns, written } = call;
    if (world !== "call_skill") return [];
    if (patterns && leftOut.length === 0) {
      const names = [...folderNames].filter((name) => matchesGlob(name, patterns));
      if (names.length === 0) {
        const message = `No skill has a name of the form ${written}`;
        return [
          finding("call-unknown", "error", call, { message, fix: "Add such a skill, or correct the name" }),
        ];
      }
      const runnable = names.filter((name) => byName.get(name)?.kind !== "instructions");
      if (runnable.length > 0) return [];
    }
    // What it may call is declared.
    if (composes.length > 0) return [];
    const message =
      "Which skill is called here is known only when the code runs: nothing about the call is checked";
    const fix = "Write the name as a literal, or list in `composes` what may be called";
    return [finding("call-dynamic", "info", call, { message, fix })];
  });
}

// --- callees that are not there

function calleeFindings(skill: Skill, byName: Skills, known: KnownSkills): readonly Diagnostic[] {
  return skill.calls.skills.flatMap((call): readonly Diagnostic[] => {
    if (!known.folderNames.has(call.callee)) return [notThere("call-unknown", call.callee, call, known)];
    const callee = byName.get(call.callee);
    if (!callee || hasCode(callee)) return [];
    const message = `The skill ${JSON.stringify(call.callee)} has instructions but no code to run`;
    const fix = "Give it code, or call another skill";
    return [finding("call-unknown", "error", call, { message, fix })];
  });
}

/** An unknown name is an error, unless it may be that of a skill which a limit has left out. */
function notThere(
  code: DiagnosticCode,
  name: string,
  place: Position,
  { folderNames, leftOut }: KnownSkills,
): Diagnostic {
  const quoted = JSON.stringify(name);
  if (leftOut.length > 0) {
    const message = leftOut.some((folder) => path.basename(folder) === name)
      ? `The skill ${quoted} is left out, for a limit of the search: calls of it fail`
      : `There is no skill ${quoted} among those that were read; a limit of the search has left out ${leftOut.length} folders`;
    return finding("call-left-out", "warning", place, { message, fix: RAISE_LIMIT });
  }
  const meant = nearest(name, [...folderNames]);
  const fix =
    meant === undefined ? "Add the skill, or correct the name" : `Did you mean ${JSON.stringify(meant)}?`;
  return finding(code, "error", place, { message: `There is no skill ${quoted}`, fix });
}

const RAISE_LIMIT = "Raise the limit that the finding `folder-too-large` tells";

// --- what `composes` says

function composesFindings(skill: Skill, known: KnownSkills): readonly Diagnostic[] {
  const { folderNames } = known;
  const declared = [...new Set(skill.composes)];
  const called = new Set(skill.calls.skills.map(({ callee }) => callee));
  const unknown = declared.filter((name) => !folderNames.has(name));
  const isTold = hasCode(skill) && !skill.calls.dynamic;
  const unused = isTold ? declared.filter((name) => folderNames.has(name) && !called.has(name)) : [];
  const undeclared = declared.length === 0 ? [] : [...called].filter((name) => !declared.includes(name));
  return [
    ...unknown.map((name) => notThere("composes-unknown", name, placeOfDeclared(skill, name), known)),
    ...unused.map((name) =>
      finding("composes-unused", "warning", placeOfDeclared(skill, name), {
        message: `\`composes\` lists ${JSON.stringify(name)}, but the code does not call it`,
        fix: "Remove it from `composes`, or call it",
      }),
    ),
    ...undeclared.map((name) =>
      finding("composes-undeclared", "warning", placeOfCall(skill, name), {
        message: `The code calls ${JSON.stringify(name)}, but \`composes\` does not list it`,
        fix: "Add it to `composes`, or leave `composes` out: the code tells it anyway",
      }),
    ),
  ];
}

function finding(
  code: DiagnosticCode,
  severity: Severity,
  place: Position,
  words: Pick<Diagnostic, "message" | "fix">,
): Diagnostic {
  return { code, severity, ...positionOf(place), ...words };
}

// --- levels

const LEVEL_WORDS: Readonly<Record<Level, string>> = {
  1: "1 (atomic)",
  2: "2 (composite)",
  3: "3 (workflow)",
};

function levelFindings(skill: Skill, byName: Skills): readonly Diagnostic[] {
  const { declared, level } = skill;
  const findings: Diagnostic[] = [];
  if (declared.level !== undefined && declared.level !== shownLevel(skill)) {
    const shown = shownLevel(skill);
    findings.push({
      code: "level-declared",
      severity: declared.level < shown ? "error" : "warning",
      ...fieldPosition(skill, "level"),
      message: `The skill declares level ${LEVEL_WORDS[declared.level]}, but is of level ${LEVEL_WORDS[shown]}: ${whyLevel(skill)}`,
      fix: `Write level: ${shown}, or leave the field out`,
    });
  }
  // Who declares no level has made no promise about those of its callees.
  const callees = declared.level === undefined ? [] : [...calleesOf(skill), ...skill.composes];
  for (const name of new Set(callees)) {
    const callee = byName.get(name);
    if (!callee || callee.level <= level) continue;
    findings.push({
      code: "level-order",
      severity: "warning",
      ...positionOf(placeOfCall(skill, name)),
      message: `A skill of level ${LEVEL_WORDS[level]} calls ${JSON.stringify(name)}, which is of level ${LEVEL_WORDS[callee.level]}`,
      fix: `Declare level: ${callee.level} if this is meant, or call what ${JSON.stringify(name)} calls`,
    });
  }
  return findings;
}

/** The level that the code shows; without code the one that `composes` shows. */
export function shownLevel(skill: Pick<Skill, "kind" | "name" | "calls" | "composes" | "declared">): Level {
  const { kind, name, calls, composes, declared } = skill;
  const callees = hasCode({ kind }) ? calls.skills.map(({ callee }) => callee) : composes;
  if (calls.dynamic || calls.repeated || callees.includes(name)) return 3;
  // How often instructions have others called, they do not say.
  if (!hasCode({ kind }) && callees.length > 0 && declared.level === 3) return 3;
  return callees.length > 0 ? 2 : 1;
}

function whyLevel({ kind, name, calls, composes }: Skill): string {
  if (calls.dynamic) return "it chooses what it calls when it runs";
  const callees = hasCode({ kind }) ? calls.skills.map(({ callee }) => callee) : composes;
  if (callees.includes(name)) return "it calls itself";
  if (calls.repeated) return "it calls skills in a loop";
  return callees.length > 0 ? `it calls ${[...new Set(callees)].join(", ")}` : "it calls no skill";
}

// --- operations

function operationFindings(
  skill: Skill,
  byName: Skills,
  { saidOperation, reachedOperation }: KnownSkills,
): readonly Diagnostic[] {
  const { declared, name, calls, composes } = skill;
  if (declared.operation === undefined || declared.operation === "WRITE") return [];
  const operation = reachedOperation(name);
  const callsAny = calls.open?.some(({ world }) => world === "call_skill") === true;
  if (callsAny && !composes.some((each) => each !== name && byName.has(each)))
    return [
      {
        code: "operation-declared",
        severity: "warning",
        ...fieldPosition(skill, "operation"),
        message: `The skill declares ${declared.operation}, but calls skills whose names only running it tells: it counts as one that writes`,
        fix: "List in `composes` what it may call, or write operation: WRITE",
      },
    ];
  if (declared.operation === operation) return [];
  const chain = pathTo(name, byName, (reached) => saidOperation(reached) === operation);
  if (!chain) return [];
  const places = placesOf(chain, byName);
  return [
    {
      code: "operation-declared",
      severity: "error",
      ...fieldPosition(skill, "operation"),
      message: `The skill declares ${declared.operation}, but reaches ${operation}: ${chain.join(" -> ")}`,
      fix: `Write operation: ${operation}, or do not call ${JSON.stringify(chain[1] ?? "")}`,
      ...related(places),
    },
  ];
}

/** The shortest chain of calls from a skill to one that `isEnd` tells. */
function pathTo(
  from: string,
  byName: Skills,
  isEnd: (name: string) => boolean,
): readonly string[] | undefined {
  const paths = new Map<string, readonly string[]>([[from, [from]]]);
  for (const [name, path] of paths) {
    if (name !== from && isEnd(name)) return path;
    const skill = byName.get(name);
    for (const callee of skill ? [...calleesOf(skill), ...skill.composes] : [])
      if (byName.has(callee) && !paths.has(callee)) paths.set(callee, [...path, callee]);
  }
  return undefined;
}

// --- places

/** Where each of a chain of skills calls the next. */
function placesOf(chain: readonly string[], byName: Skills): readonly RelatedPlace[] {
  const callers = chain.map((name) => byName.get(name));
  return chain.slice(1).flatMap((callee, index) => {
    const caller = callers[index];
    return caller ? [calledFrom(placeOfCall(caller, callee), caller.name, callee)] : [];
  });
}

function positionOf({ path, line, column }: Position): Position {
  return { path, line, column };
}

function calledFrom(place: Position, caller: string, callee: string): RelatedPlace {
  return { ...positionOf(place), message: `${caller} calls ${callee}` };
}

function related(places: readonly RelatedPlace[]): Pick<Diagnostic, "related"> {
  return places.length === 0 ? {} : { related: places };
}
