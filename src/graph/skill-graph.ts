import { compareTexts } from "../core/text/compare-texts.ts";
import type { Position } from "../core/error.ts";
import type { ComposedFlow } from "../core/flow.ts";
import {
  type Contract,
  fieldPosition,
  hasCode,
  type Level,
  type Operation,
  type Skill,
  type SkillKind,
} from "../core/skill.ts";
import { shortestCycle, stronglyConnectedComponents } from "./cycles.ts";

/** How skills and tools call each other: plain data, in a stable order. */
export interface SkillGraph {
  /** By name. */
  readonly nodes: readonly GraphNode[];
  /** By caller, then by callee. */
  readonly edges: readonly GraphEdge[];
  /** Names from one skill back to it, for each group of skills that call each other in a cycle. */
  readonly cycles: readonly (readonly string[])[];
}

/** A node of the graph; names are unique. */
export type GraphNode =
  | SkillNode
  /** A skill that is called or declared, but is not there. */
  | { readonly kind: "missing"; readonly name: string }
  /** An upstream tool. */
  | { readonly kind: "tool"; readonly name: string }
  /** What a call reaches whose name only running tells; its name is `?`. */
  | { readonly kind: "any"; readonly name: "?" };

export interface SkillNode {
  readonly kind: "skill";
  readonly name: string;
  readonly skillKind: SkillKind;
  readonly description: string;
  readonly level: Level;
  readonly operation: Operation;
  readonly contract: Contract;
  /** Calls on the longest chain of skills below it; cycles are not followed. */
  readonly depth: number;
}

/** A caller and a callee; at most one edge for each pair. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `call`: the code shows it; `declared`: only `composes` tells it; `dynamic`: the name is known only at run time. */
  readonly kind: "call" | "declared" | "dynamic";
  /** Where the calls stand, or the declaration. */
  readonly places: readonly Position[];
  /** What an untrusted tool answers goes this way into a call that writes. */
  readonly isUntrusted?: true;
}

export function skillGraph(skills: readonly Skill[], flows: readonly ComposedFlow[] = []): SkillGraph {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const depths = callDepths(byName);
  const edges = skills.flatMap(edgesOf);
  const others = new Map<string, GraphNode>();
  for (const { skill, edge } of edges) {
    if (byName.has(edge.to) || others.has(edge.to)) continue;
    others.set(edge.to, otherNode(skill, edge.to));
  }
  const nodes = [...skills.map((skill) => nodeOf(skill, depths.get(skill.name) ?? 0)), ...others.values()];
  return {
    nodes: nodes.toSorted((a, b) => compareTexts(a.name, b.name)),
    edges: marked(
      edges.map(({ edge }) => edge),
      flows,
    ).toSorted((a, b) => compareTexts(a.from, b.from) || compareTexts(a.to, b.to)),
    cycles: callCycles(byName),
  };
}

/** The skills that a skill calls, as far as its code tells; as it declares them, where it has no code. */
export function calleesOf(skill: Skill): readonly string[] {
  const called = hasCode(skill) ? skill.calls.skills.map(({ callee }) => callee) : skill.composes;
  return [...new Set(called)];
}

/** Where a skill calls or declares another: the first such place. */
export function placeOfCall(skill: Skill, callee: string): Position {
  return skill.calls.skills.find((call) => call.callee === callee) ?? placeOfDeclared(skill, callee);
}

export function placeOfDeclared(skill: Skill, callee: string): Position {
  return fieldPosition(skill, `composes[${skill.composes.indexOf(callee)}]`, "composes");
}

function edgesOf(skill: Skill): readonly { readonly skill: Skill; readonly edge: GraphEdge }[] {
  const { name: from, calls, composes } = skill;
  const places = Map.groupBy(calls.skills, ({ callee }) => callee);
  const edges: GraphEdge[] = [...places].map(([to, at]) => ({
    from,
    to,
    kind: "call",
    places: at.map(({ path, line, column }) => ({ path, line, column })),
  }));
  const untold = [...new Set(composes)].filter((name) => !places.has(name));
  const kind = calls.dynamic ? "dynamic" : "declared";
  for (const to of untold) edges.push({ from, to, kind, places: [placeOfDeclared(skill, to)] });
  if (calls.dynamic && untold.length === 0) edges.push({ from, to: "?", kind: "dynamic", places: [] });
  for (const to of calls.tools) edges.push({ from, to, kind: "call", places: [] });
  return edges.map((edge) => ({ skill, edge }));
}

/** The edges, with those marked that flows of untrusted answers take. */
function marked(edges: readonly GraphEdge[], flows: readonly ComposedFlow[]): readonly GraphEdge[] {
  const taken = new Set<string>();
  const take = (from: string, to: string): void => void taken.add(`${from}\0${to}`);
  for (const { source, write, path } of flows) {
    const skills = path.map(({ skill }) => skill);
    take(skills[0] ?? "", source);
    take(skills.at(-1) ?? "", write);
    skills.forEach((skill, index) => {
      const before = skills[index - 1] ?? skill;
      take(before, skill);
      take(skill, before);
    });
  }
  return edges.map((edge) =>
    taken.has(`${edge.from}\0${edge.to}`) ? Object.assign(edge, { isUntrusted: true as const }) : edge,
  );
}

function otherNode(caller: Skill, name: string): GraphNode {
  if (name === "?") return { kind: "any", name };
  return { kind: caller.calls.tools.includes(name) ? "tool" : "missing", name };
}

function nodeOf(skill: Skill, depth: number): SkillNode {
  const { name, kind, description, level, operation, contract } = skill;
  return { kind: "skill", name, skillKind: kind, description, level, operation, contract, depth };
}

/** Names from one skill back to it, for each group of skills that call each other in a cycle. */
export function callCycles(skills: ReadonlyMap<string, Skill>): readonly (readonly string[])[] {
  const calls = callsOf(skills, (skill) => circularCallees(skills, skill));
  const callees = (name: string): readonly string[] => calls.get(name) ?? [];
  return stronglyConnectedComponents([...calls.keys()], callees)
    .flatMap((component) => [shortestCycle(component, callees) ?? []])
    .filter((cycle) => cycle.length > 0)
    .toSorted((a, b) => compareTexts(a.join(" "), b.join(" ")));
}

/** Callees by which a skill could come back to itself; one that it declares to be itself is allowed. */
function circularCallees(skills: ReadonlyMap<string, Skill>, skill: Skill): readonly string[] {
  const { name } = skill;
  return calleesOf(skill).filter(
    (callee) => skills.has(callee) && !(callee === name && skill.composes.includes(name)),
  );
}

/** The callees of those skills that have some: of many skills few call others. */
function callsOf(
  skills: ReadonlyMap<string, Skill>,
  calleesIn: (skill: Skill) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const calls = new Map<string, readonly string[]>();
  for (const skill of skills.values()) {
    if (skill.calls.skills.length === 0 && skill.composes.length === 0) continue;
    const callees = calleesIn(skill);
    if (callees.length > 0) calls.set(skill.name, callees);
  }
  return calls;
}

/** For each skill that calls others the calls on the longest chain of skills below it; cycles are not followed. */
export function callDepths(skills: ReadonlyMap<string, Skill>): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  const calls = callsOf(skills, (skill) =>
    [...new Set([...calleesOf(skill), ...skill.composes])].filter((each) => skills.has(each)),
  );
  const callees = (name: string): readonly string[] => calls.get(name) ?? [];
  // Components come callees first.
  for (const component of stronglyConnectedComponents([...calls.keys()], callees)) {
    const members = new Set(component);
    const below = component.flatMap((name) =>
      callees(name)
        .filter((callee) => !members.has(callee))
        .map((callee) => (depths.get(callee) ?? 0) + 1),
    );
    const depth = below.reduce((most, each) => Math.max(most, each), 0);
    for (const name of component) depths.set(name, depth);
  }
  return depths;
}
