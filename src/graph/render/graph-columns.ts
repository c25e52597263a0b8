import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import type { GraphRows } from "./graph-rows.ts";
import type { GraphEdge } from "../skill-graph.ts";

/** Where nodes and edges stand from left to right. */
export interface GraphColumns {
  /** The left side of each node. */
  readonly lefts: ReadonlyMap<string, number>;
  /** Where an edge passes the rows between its ends, in its direction; none where it passes behind the nodes. */
  readonly passes: ReadonlyMap<GraphEdge, readonly number[]>;
}

export type WidthOf = (name: string) => number;

/** Columns with few crossings. What would take long to lay out well is laid out simply. */
export async function graphColumns(given: GraphRows, widthOf: WidthOf): Promise<GraphColumns> {
  if (given.edges.length === 0) return { lefts: new Map(), passes: new Map() };
  const work = workOf(given);
  if (work <= LITTLE_WORK) {
    const columns = await columnsByElk(given, widthOf, "BRANDES_KOEPF");
    if (widthIn(columns, widthOf) <= WIDE) return columns;
  }
  if (work <= SOME_WORK) return columnsByElk(given, widthOf, "NETWORK_SIMPLEX");
  return work <= MAX_WORK ? columnsByElk(given, widthOf, "LINEAR_SEGMENTS") : simpleColumns(given, widthOf);
}

export const COLUMN_GAP = 26;

// How much of nodes, edges and rows that edges pass ELK lays out symmetrically, compactly, or within a few seconds.
const LITTLE_WORK = 120;
const SOME_WORK = 300;
const MAX_WORK = 1000;

const WIDE = 1500;

function widthIn({ lefts }: GraphColumns, widthOf: WidthOf): number {
  const rights = Array.from(lefts, ([name, left]) => left + widthOf(name));
  return Math.max(...rights) - Math.min(...lefts.values());
}

function workOf({ rows, edges }: GraphRows): number {
  const rowOf = rowsByName({ rows });
  return edges.reduce(
    (sum, { from, to }) => sum + Math.abs((rowOf.get(from) ?? 0) - (rowOf.get(to) ?? 0)),
    rowOf.size,
  );
}

export function rowsByName({ rows }: Pick<GraphRows, "rows">): ReadonlyMap<string, number> {
  return new Map(rows.flatMap(({ names }, row) => names.map((name) => [name, row])));
}

async function columnsByElk(
  given: GraphRows,
  widthOf: WidthOf,
  placement: "BRANDES_KOEPF" | "NETWORK_SIMPLEX" | "LINEAR_SEGMENTS",
): Promise<GraphColumns> {
  const { default: Elk } = await import("elkjs/lib/elk.bundled.js");
  const rowOf = rowsByName(given);
  const names = [...rowOf.keys()];
  const indexes = new Map(names.map((name, index) => [name, index]));
  const idOf = (name: string): string => `n${indexes.get(name) ?? 0}`;
  const { children = [], edges } = await new Elk.default().layout({
    id: "graph",
    layoutOptions: { ...OPTIONS, "elk.layered.nodePlacement.strategy": placement },
    children: names.map((name) => ({
      id: idOf(name),
      width: widthOf(name),
      height: 40,
      layoutOptions: { "elk.partitioning.partition": String(rowOf.get(name) ?? 0) },
    })),
    edges: given.edges.map(({ from, to }, index) => ({
      id: `e${index}`,
      sources: [idOf(from)],
      targets: [idOf(to)],
    })),
  } satisfies ElkNode);
  const placed = new Map(children.map((node, index) => [names[index] ?? "", node]));
  const heights = given.rows.map(({ names: [first = ""] }) => (placed.get(first)?.y ?? 0) + 20);
  return {
    lefts: apart(given, widthOf, (name) => placed.get(name)?.x ?? 0),
    passes: new Map(
      given.edges.map((edge, index) => {
        const between = rowsBetween(rowOf.get(edge.from) ?? 0, rowOf.get(edge.to) ?? 0);
        return [edge, between.map((row) => crossingAt(heights[row] ?? 0, edges[index]))];
      }),
    ),
  };
}

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

/** The rows between two, from the first on. */
export function rowsBetween(from: number, to: number): readonly number[] {
  const step = from < to ? 1 : -1;
  return Array.from(
    { length: Math.max(0, Math.abs(to - from) - 1) },
    (_, index) => from + step * (index + 1),
  );
}

/** Where a line that ELK drew is at a height. */
function crossingAt(y: number, edge: ElkExtendedEdge | undefined): number {
  const section = edge?.sections?.[0];
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

/** Each row's nodes in the order of their wanted places, moved to the right where they would meet. */
function apart({ rows }: GraphRows, widthOf: WidthOf, wanted: (name: string) => number): Map<string, number> {
  const lefts = new Map<string, number>();
  for (const { names } of rows) {
    let free = Number.NEGATIVE_INFINITY;
    for (const name of names.toSorted((a, b) => wanted(a) - wanted(b))) {
      const left = Math.max(wanted(name), free);
      lefts.set(name, left);
      free = left + widthOf(name) + COLUMN_GAP;
    }
  }
  return lefts;
}

const SWEEPS = 4;

/** Rows in the middle of the picture; nodes below the middle of what they are joined to, as far as that is free. */
function simpleColumns(given: GraphRows, widthOf: WidthOf): GraphColumns {
  const neighbours = Map.groupBy(
    given.edges.flatMap(({ from, to }) => [
      { name: from, other: to },
      { name: to, other: from },
    ]),
    ({ name }) => name,
  );
  const centres = new Map<string, number>();
  const place = (names: readonly string[]): void => {
    const width = names.reduce((sum, name) => sum + widthOf(name) + COLUMN_GAP, -COLUMN_GAP);
    let left = -width / 2;
    for (const name of names) {
      centres.set(name, left + widthOf(name) / 2);
      left += widthOf(name) + COLUMN_GAP;
    }
  };
  const wish = (name: string): number => {
    const near = (neighbours.get(name) ?? []).map(({ other }) => centres.get(other) ?? 0);
    return near.reduce((sum, x) => sum + x, 0) / Math.max(1, near.length);
  };
  let ordered = given.rows.map(({ names }) => names);
  for (const names of ordered) place(names);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    ordered = ordered.map((names) => {
      const wishes = new Map(names.map((name) => [name, wish(name)]));
      const better = names.toSorted((a, b) => (wishes.get(a) ?? 0) - (wishes.get(b) ?? 0));
      place(better);
      return better;
    });
  }
  return {
    lefts: new Map(Array.from(centres, ([name, centre]) => [name, centre - widthOf(name) / 2])),
    passes: new Map(),
  };
}
