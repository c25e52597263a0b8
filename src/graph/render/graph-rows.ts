import { compareTexts } from "../../core/text/compare-texts.ts";
import { stronglyConnectedComponents } from "../cycles.ts";
import { edgesByCaller } from "./graph-facts.ts";
import type { GraphEdge, GraphNode, SkillGraph } from "../skill-graph.ts";

/** The layers of the picture, from above: one for each level, and one for what is no skill that is there. */
export const BANDS = ["workflows", "composites", "atomic", "outside"] as const;
export type BandName = (typeof BANDS)[number];

/** How much room a node takes. */
export interface NodeSize {
  readonly width: number;
  /** Room at its right that belongs to it. */
  readonly margin: number;
}

/** A node of the picture; `x` and `y` are of its upper left corner, 0 until they are worked out. */
export interface PlacedNode extends NodeSize {
  readonly name: string;
  x: number;
  y: number;
}

/** Nodes side by side. */
export interface Row {
  /** From above. */
  readonly index: number;
  readonly band: BandName;
  readonly nodes: readonly RowNode[];
  /** Down to where the edges below it go straight: its lower side, or that of its band's nodes. */
  out: number;
  /** How far it is above the next. */
  gap: number;
}

export interface RowNode extends PlacedNode {
  readonly row: Row;
}

/** An edge between two nodes, which never stand in the same row. */
export interface RowEdge {
  readonly edge: GraphEdge;
  readonly from: RowNode;
  readonly to: RowNode;
  /** Where it passes the rows between its ends, in its direction; none where it passes behind the nodes. */
  passes: readonly { readonly row: Row; readonly x: number }[];
}

export interface GraphRows {
  /** From above. */
  readonly rows: readonly Row[];
  readonly edges: readonly RowEdge[];
  /** Nodes without edges to others. */
  readonly alone: ReadonlyMap<BandName, readonly PlacedNode[]>;
}

/** Which nodes stand side by side: callers above callees within a band, and no row much wider than the others. */
export function graphRows(graph: SkillGraph, sizeOf: (node: GraphNode) => NodeSize): GraphRows {
  const names = new Set(graph.nodes.map(({ name }) => name));
  const edges = graph.edges.filter(({ from, to }) => from !== to && names.has(from) && names.has(to));
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const nodes = graph.nodes.map((node) => ({
    ...sizeOf(node),
    band: bandOf(node),
    name: node.name,
    x: 0,
    y: 0,
  }));
  const most = widestRow(nodes.filter(({ name }) => joined.has(name)));
  const callers = new Map(edges.toReversed().map(({ from, to }) => [to, from]));
  const callerOf = (name: string): string => callers.get(name) ?? "";
  const rows = BANDS.flatMap((band) => {
    const own = nodes.filter((node) => node.band === band && joined.has(node.name));
    return layersOf(own, graph)
      .map((layer) =>
        layer.toSorted(
          (a, b) => compareTexts(callerOf(a.name), callerOf(b.name)) || compareTexts(a.name, b.name),
        ),
      )
      .flatMap((layer) => wrapped(layer, most))
      .map((layer) => ({ band, layer }));
  }).map(({ band, layer }, index) => rowOf(band, index, layer));
  const placed = new Map(rows.flatMap((row) => row.nodes).map((node) => [node.name, node]));
  return {
    rows,
    edges: edges.flatMap((edge): readonly RowEdge[] => {
      const [from, to] = [placed.get(edge.from), placed.get(edge.to)];
      return from && to ? [{ edge, from, to, passes: [] }] : [];
    }),
    alone: Map.groupBy(
      nodes.filter(({ name }) => !joined.has(name)),
      ({ band }) => band,
    ),
  };
}

function rowOf(band: BandName, index: number, sized: readonly SizedNode[]): Row {
  const nodes: RowNode[] = [];
  const row: Row = { index, band, nodes, out: 0, gap: 0 };
  for (const { name, width, margin } of sized) nodes.push({ name, width, margin, row, x: 0, y: 0 });
  return row;
}

type SizedNode = NodeSize & Pick<PlacedNode, "name">;

/** The room that a node takes with all that belongs to it. */
export function spaceOf({ width, margin }: NodeSize): number {
  return width + margin;
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

/** Each node below those of these nodes that lead to it; those of a cycle one below the other. */
function layersOf(nodes: readonly SizedNode[], graph: SkillGraph): readonly (readonly SizedNode[])[] {
  const known = new Map(nodes.map((node) => [node.name, node]));
  const byCaller = edgesByCaller(graph);
  const callees = (name: string): readonly string[] =>
    (byCaller.get(name) ?? []).map(({ to }) => to).filter((to) => known.has(to));
  const depths = new Map<string, number>();
  const layers: SizedNode[][] = [];
  // Components come callees first.
  for (const component of stronglyConnectedComponents([...known.keys()], callees).toReversed()) {
    const top = component.reduce((most, name) => Math.max(most, depths.get(name) ?? 0), 0);
    inCallOrder(component, callees).forEach((name, index) => {
      const node = known.get(name);
      if (node) (layers[top + index] ??= []).push(node);
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
function widestRow(nodes: readonly SizedNode[]): number {
  return Math.max(MIN_WIDEST, Math.sqrt(widthOf(nodes) * HEIGHT_OF_ROW * 2));
}

function wrapped(nodes: readonly SizedNode[], most: number): readonly (readonly SizedNode[])[] {
  const count = Math.max(1, Math.ceil(widthOf(nodes) / most));
  const length = Math.ceil(nodes.length / count);
  return Array.from({ length: count }, (_, index) =>
    nodes.slice(index * length, (index + 1) * length),
  ).filter((row) => row.length > 0);
}

function widthOf(nodes: readonly SizedNode[]): number {
  return nodes.reduce((sum, node) => sum + spaceOf(node), 0);
}
