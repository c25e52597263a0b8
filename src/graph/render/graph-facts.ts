import type { Level } from "../../core/skill.ts";
import { stronglyConnectedComponents } from "../cycles.ts";
import type { GraphEdge, SkillGraph, SkillNode } from "../skill-graph.ts";

/** What one counts in a graph. Names are in the graph's order. */
export interface GraphFacts {
  readonly skills: number;
  readonly perLevel: Readonly<Record<Level, number>>;
  /** Skills that no other skill calls. */
  readonly roots: readonly string[];
  /** Skills that call no other skill. */
  readonly leaves: readonly string[];
  /** Calls on the longest chain. */
  readonly maxDepth: number;
  readonly cycles: number;
  /** Skills that are called or declared, but are not there. */
  readonly missing: readonly string[];
}

export function graphFacts({ nodes, edges, cycles }: SkillGraph): GraphFacts {
  const skills = nodes.filter((node): node is SkillNode => node.kind === "skill");
  const tools = new Set(nodes.filter(({ kind }) => kind === "tool").map(({ name }) => name));
  const between = edges.filter(({ from, to }) => from !== to && !tools.has(to));
  const called = new Set(between.map(({ to }) => to));
  const calling = new Set(between.map(({ from }) => from));
  const countOf = (level: Level): number => skills.filter((skill) => skill.level === level).length;
  return {
    skills: skills.length,
    perLevel: { 1: countOf(1), 2: countOf(2), 3: countOf(3) },
    roots: skills.filter(({ name }) => !called.has(name)).map(({ name }) => name),
    leaves: skills.filter(({ name }) => !calling.has(name)).map(({ name }) => name),
    maxDepth: skills.reduce((most, { depth }) => Math.max(most, depth), 0),
    cycles: cycles.length,
    missing: nodes.filter(({ kind }) => kind === "missing").map(({ name }) => name),
  };
}

/** The facts as two lines, such as `3 skills: 2 atomic, 1 composite` and `1 root · 2 leaves · depth 1 · no cycles`. */
export function factsLines(facts: GraphFacts): readonly string[] {
  const { skills, perLevel, roots, leaves, maxDepth, cycles, missing } = facts;
  if (skills === 0) return ["no skills"];
  const levels = [
    ...(perLevel[1] > 0 ? [`${perLevel[1]} atomic`] : []),
    ...(perLevel[2] > 0 ? [`${perLevel[2]} composite`] : []),
    ...(perLevel[3] > 0 ? [counted(perLevel[3], "workflow")] : []),
  ];
  const shape = [
    counted(roots.length, "root"),
    counted(leaves.length, "leaf", "leaves"),
    `depth ${maxDepth}`,
    cycles === 0 ? "no cycles" : counted(cycles, "cycle"),
    ...(missing.length > 0 ? [`${missing.length} missing`] : []),
  ];
  return [`${counted(skills, "skill")}: ${levels.join(", ")}`, shape.join(" · ")];
}

/** Whether an edge is a step of a cycle that the graph names. */
export function cycleSteps({ cycles }: SkillGraph): (edge: Pick<GraphEdge, "from" | "to">) => boolean {
  const steps = new Map<string, Set<string>>();
  for (const cycle of cycles) {
    cycle.slice(1).forEach((to, index) => {
      const from = cycle[index] ?? "";
      steps.set(from, (steps.get(from) ?? new Set()).add(to));
    });
  }
  return ({ from, to }) => steps.get(from)?.has(to) ?? false;
}

/** The edges of each caller, in the graph's order. */
export function edgesByCaller({ edges }: SkillGraph): ReadonlyMap<string, readonly GraphEdge[]> {
  return Map.groupBy(edges, ({ from }) => from);
}

/** As few names as reach all nodes: what nobody calls, and a name for each group that only itself calls. */
export function startNames(graph: SkillGraph): readonly string[] {
  const byCaller = edgesByCaller(graph);
  const names = graph.nodes.map(({ name }) => name);
  const known = new Set(names);
  const callees = (name: string): readonly string[] =>
    (byCaller.get(name) ?? []).map(({ to }) => to).filter((to) => known.has(to));
  const reached = new Set<string>();
  const starts: string[] = [];
  // Components come callees first, so from the end their callers have come before.
  for (const component of stronglyConnectedComponents(names, callees).toReversed()) {
    const [first] = component.toSorted();
    if (first !== undefined && !component.some((name) => reached.has(name))) starts.push(first);
    for (const callee of component.flatMap(callees)) reached.add(callee);
    for (const name of component) reached.add(name);
  }
  const order = new Map(names.map((name, index) => [name, index]));
  return starts.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
