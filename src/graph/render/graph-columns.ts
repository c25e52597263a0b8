import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import { type GraphRows, type Row, type RowEdge, type RowNode, spaceOf } from "./graph-rows.ts";

/**
 * Places nodes, and edges that pass rows, from left to right, beginning at 0, with few crossings. What would take long
 * to lay out well is laid out simply.
 */
export async function placeColumns(given: GraphRows): Promise<void> {
  if (given.edges.length === 0) return;
  await placeByWork(given);
  const least = Math.min(...leftsOf(given));
  for (const node of nodesOf(given)) node.x -= least;
  for (const edge of given.edges) edge.passes = edge.passes.map(({ row, x }) => ({ row, x: x - least }));
}

async function placeByWork(given: GraphRows): Promise<void> {
  const work = workOf(given);
  if (work > MAX_WORK) {
    placeSimply(given);
    return;
  }
  if (work <= LITTLE_WORK) {
    await placeByElk(given, "BRANDES_KOEPF");
    if (widthIn(given) <= WIDE) return;
  }
  await placeByElk(given, work <= SOME_WORK ? "NETWORK_SIMPLEX" : "LINEAR_SEGMENTS");
}

export const COLUMN_GAP = 26;

// How much of nodes, edges and rows that edges pass ELK lays out symmetrically, compactly, or within a few seconds.
const LITTLE_WORK = 120;
const SOME_WORK = 300;
const MAX_WORK = 1000;

const WIDE = 1500;

function nodesOf({ rows }: Pick<GraphRows, "rows">): readonly RowNode[] {
  return rows.flatMap(({ nodes }) => nodes);
}

function* leftsOf(given: GraphRows): Iterable<number> {
  for (const { x } of nodesOf(given)) yield x;
  for (const { passes } of given.edges) for (const { x } of passes) yield x;
}

function widthIn(given: GraphRows): number {
  const nodes = nodesOf(given);
  const rights = nodes.map((node) => node.x + spaceOf(node));
  return Math.max(...rights) - Math.min(...nodes.map(({ x }) => x));
}

function workOf(given: GraphRows): number {
  return given.edges.reduce(
    (sum, { from, to }) => sum + Math.abs(from.row.index - to.row.index),
    nodesOf(given).length,
  );
}

async function placeByElk(
  given: GraphRows,
  placement: "BRANDES_KOEPF" | "NETWORK_SIMPLEX" | "LINEAR_SEGMENTS",
): Promise<void> {
  const { default: Elk } = await import("elkjs/lib/elk.bundled.js");
  const nodes = nodesOf(given);
  const ids = new Map(nodes.map((node, index) => [`n${index}`, node]));
  const idOf = new Map(Array.from(ids, ([id, node]) => [node, id]));
  const edges = new Map(given.edges.map((edge, index) => [`e${index}`, edge]));
  const endsOf = (node: RowNode): string[] => [idOf.get(node)].filter((id) => id !== undefined);
  const { children = [], edges: drawnEdges } = await new Elk.default().layout({
    id: "graph",
    layoutOptions: { ...OPTIONS, "elk.layered.nodePlacement.strategy": placement },
    children: Array.from(ids, ([id, node]) => ({
      id,
      width: spaceOf(node),
      height: ELK_HEIGHT,
      layoutOptions: { "elk.partitioning.partition": String(node.row.index) },
    })),
    edges: Array.from(edges, ([id, { from, to }]) => ({ id, sources: endsOf(from), targets: endsOf(to) })),
  } satisfies ElkNode);
  for (const { id, x = 0, y = 0 } of children) {
    const node = ids.get(id);
    if (node) [node.x, node.y] = [x, y];
  }
  for (const drawn of drawnEdges) {
    const edge = edges.get(drawn.id);
    if (edge) edge.passes = passesOf(edge, given.rows, drawn);
  }
  for (const { nodes: side } of given.rows) moveApart(side);
}

const ELK_HEIGHT = 40;

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.edgeRouting": "POLYLINE",
  "elk.partitioning.activate": "true",
  "elk.separateConnectedComponents": "false",
  "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
  "elk.spacing.nodeNode": String(COLUMN_GAP),
  "elk.spacing.edgeNode": "16",
  "elk.spacing.edgeEdge": "12",
  "elk.layered.spacing.edgeNodeBetweenLayers": "10",
};

/** Where an edge that ELK drew passes the rows between its ends. */
function passesOf({ from, to }: RowEdge, rows: readonly Row[], drawn: ElkExtendedEdge): RowEdge["passes"] {
  const isDown = from.row.index < to.row.index;
  const [upper, lower] = isDown ? [from.row, to.row] : [to.row, from.row];
  const passes = rows.slice(upper.index + 1, lower.index).flatMap((row) => {
    const [first] = row.nodes;
    return first ? [{ row, x: crossingAt(first.y + ELK_HEIGHT / 2, drawn) }] : [];
  });
  return isDown ? passes : passes.toReversed();
}

/** Where a line that ELK drew is at a height. */
function crossingAt(y: number, edge: ElkExtendedEdge): number {
  const section = edge.sections?.[0];
  if (!section) return 0;
  const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
  for (const [index, after] of points.entries()) {
    const before = points[index - 1];
    if (!before || Math.min(before.y, after.y) > y || Math.max(before.y, after.y) < y) continue;
    const share = after.y === before.y ? 0 : (y - before.y) / (after.y - before.y);
    return before.x + (after.x - before.x) * share;
  }
  return section.endPoint.x;
}

/** A row's nodes in the order of their places, moved to the right where they would meet. */
function moveApart(nodes: readonly RowNode[]): void {
  let free = Number.NEGATIVE_INFINITY;
  for (const node of nodes.toSorted((a, b) => a.x - b.x)) {
    node.x = Math.max(node.x, free);
    free = node.x + spaceOf(node) + COLUMN_GAP;
  }
}

const SWEEPS = 4;

/** Rows in the middle of the picture; nodes below the middle of what they are joined to, as far as that is free. */
function placeSimply({ rows, edges }: GraphRows): void {
  const neighbours = new Map<RowNode, RowNode[]>(nodesOf({ rows }).map((node) => [node, []]));
  for (const { from, to } of edges) {
    neighbours.get(from)?.push(to);
    neighbours.get(to)?.push(from);
  }
  const place = (nodes: readonly RowNode[]): void => {
    const width = nodes.reduce((sum, node) => sum + spaceOf(node) + COLUMN_GAP, -COLUMN_GAP);
    let left = -width / 2;
    for (const node of nodes) {
      node.x = left;
      left += spaceOf(node) + COLUMN_GAP;
    }
  };
  const wish = (near: readonly RowNode[]): number =>
    near.reduce((sum, node) => sum + node.x + spaceOf(node) / 2, 0) / Math.max(1, near.length);
  for (const { nodes } of rows) place(nodes);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1)
    for (const { nodes } of rows) {
      const wishes = nodes
        .toSorted((a, b) => a.x - b.x)
        .map((node) => ({ node, x: wish(neighbours.get(node) ?? []) }));
      place(wishes.sort((a, b) => a.x - b.x).map(({ node }) => node));
    }
}
