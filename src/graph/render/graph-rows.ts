import { stronglyConnectedComponents } from "../cycles.ts";
import { edgesByCaller } from "./graph-facts.ts";
import type { GraphEdge, GraphNode, SkillGraph } from "../skill-graph.ts";

/** The layers of the picture, from above: one for each level, and one for what is no skill that is there. */
export const BANDS = ["workflows", "composites", "atomic", "outside"] as const;
export type BandName = (typeof BANDS)[number];

/** Nodes side by side. */
interface Row {
  readonly band: BandName;
  readonly names: readonly string[];
}

export interface GraphRows {
  /** From above; an edge never stays in its row. */
  readonly rows: readonly Row[];
  /** Edges between different nodes of the graph. */
  readonly edges: readonly GraphEdge[];
  /** Nodes without such edges. */
  readonly alone: ReadonlyMap<BandName, readonly string[]>;
}

/** Which nodes stand side by side: callers above callees within a band, and no row much wider than the others. */
export function graphRows(graph: SkillGraph, widthOf: (name: string) => number): GraphRows {
  const bands = new Map(graph.nodes.map((node) => [node.name, bandOf(node)]));
  const edges = graph.edges.filter(({ from, to }) => from !== to && bands.has(from) && bands.has(to));
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const namesIn = (band: BandName, isJoined: boolean): readonly string[] =>
    graph.nodes
      .map(({ name }) => name)
      .filter((name) => bands.get(name) === band && joined.has(name) === isJoined);
  const most = widestRow([...joined], widthOf);
  const callers = new Map(edges.toReversed().map(({ from, to }) => [to, from]));
  const rows = BANDS.flatMap((band) =>
    layersOf(namesIn(band, true), graph)
      .map((layer) =>
        layer.toSorted((a, b) => order(callers.get(a) ?? "", callers.get(b) ?? "") || order(a, b)),
      )
      .flatMap((layer) => wrapped(layer, most, widthOf))
      .map((names): Row => ({ band, names })),
  );
  return { rows, edges, alone: new Map(BANDS.map((band) => [band, namesIn(band, false)])) };
}

function bandOf(node: GraphNode): BandName {
  if (node.kind !== "skill") return "outside";
  switch (node.level) {
    case 3:
      return "workflows";
    case 2:
      return "composites";
    case 1:
      return "atomic";
  }
}

/** Each name below those of these names that lead to it; those of a cycle one below the other. */
function layersOf(names: readonly string[], graph: SkillGraph): readonly (readonly string[])[] {
  const known = new Set(names);
  const byCaller = edgesByCaller(graph);
  const callees = (name: string): readonly string[] =>
    (byCaller.get(name) ?? []).map(({ to }) => to).filter((to) => known.has(to));
  const depths = new Map<string, number>();
  const layers: string[][] = [];
  // Components come callees first.
  for (const component of stronglyConnectedComponents(names, callees).toReversed()) {
    const top = component.reduce((most, name) => Math.max(most, depths.get(name) ?? 0), 0);
    inCallOrder(component, callees).forEach((name, index) => {
      (layers[top + index] ??= []).push(name);
      for (const callee of callees(name))
        depths.set(callee, Math.max(depths.get(callee) ?? 0, top + index + 1));
    });
  }
  return layers;
}

function inCallOrder(
  component: readonly string[],
  callees: (name: string) => readonly string[],
): Iterable<string> & readonly string[] {
  const members = new Set(component);
  const [first] = component.toSorted();
  const reached = new Set(first === undefined ? [] : [first]);
  for (const name of reached)
    for (const callee of callees(name)) if (members.has(callee)) reached.add(callee);
  return [...reached];
}

const MIN_WIDEST = 1100;
const HEIGHT_OF_ROW = 110;

// A picture about twice as wide as it is high.
function widestRow(names: readonly string[], widthOf: (name: string) => number): number {
  const width = names.reduce((sum, name) => sum + widthOf(name), 0);
  return Math.max(MIN_WIDEST, Math.sqrt(width * HEIGHT_OF_ROW * 2));
}

function wrapped(
  names: readonly string[],
  most: number,
  widthOf: (name: string) => number,
): readonly (readonly string[])[] {
  const width = names.reduce((sum, name) => sum + widthOf(name), 0);
  const count = Math.max(1, Math.ceil(width / most));
  const length = Math.ceil(names.length / count);
  return Array.from({ length: count }, (_, index) =>
    names.slice(index * length, (index + 1) * length),
  ).filter((row) => row.length > 0);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
