import { rowsBetween, rowsByName, type GraphColumns } from "./graph-columns.ts";
import type { GraphRows } from "./graph-rows.ts";
import type { GraphEdge } from "../skill-graph.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface Route {
  readonly edge: GraphEdge;
  /** From caller to callee. It comes to each point and leaves it vertically. */
  readonly points: readonly Point[];
}

/** From above to below, where each row begins, and down to where the edges below it go straight. */
export interface RowHeights {
  readonly tops: readonly number[];
  readonly outs: readonly number[];
}

/** The way of each edge: from its caller's lower side to its callee's upper side, or up where the callee is above. */
export function routesOf(
  given: GraphRows,
  { passes }: GraphColumns,
  heights: RowHeights,
  boxes: ReadonlyMap<string, Box>,
): readonly Route[] {
  const rowOf = rowsByName(given);
  const ports = portsOf(given.edges, passes, boxes);
  return given.edges.map((edge) => {
    const [from = 0, to = 0] = [rowOf.get(edge.from), rowOf.get(edge.to)];
    const ends = ports.get(edge);
    const xs = [ends?.get(edge.from) ?? 0, ...(passes.get(edge) ?? []), ends?.get(edge.to) ?? 0];
    const between = xs.length === 2 ? [] : rowsBetween(from, to);
    const stretches = stretchesOf(from, to, between, heights, boxes.get(edge.from)?.height ?? 0);
    const points = straightened(xs).flatMap((x, index) => (stretches[index] ?? []).map((y) => ({ x, y })));
    return { edge, points: withoutRepeats(points) };
  });
}

/** Where the edge goes straight: at its caller, past each row between, and at its callee. */
function stretchesOf(
  from: number,
  to: number,
  between: readonly number[],
  { tops, outs }: RowHeights,
  boxHeight: number,
): readonly (readonly number[])[] {
  const top = (row: number): number => tops[row] ?? 0;
  const out = (row: number): number => outs[row] ?? 0;
  const bottom = (row: number): number => top(row) + boxHeight;
  return from < to
    ? [[bottom(from), out(from)], ...between.map((row) => [top(row), out(row)]), [top(to)]]
    : [[top(from)], ...between.map((row) => [out(row), top(row)]), [out(to), bottom(to)]];
}

const MIN_BEND = 6;

/** Without bends that are too small to be seen as such. */
function straightened(xs: readonly number[]): readonly number[] {
  const straight: number[] = [];
  for (const x of xs) {
    const before = straight.at(-1);
    straight.push(before !== undefined && Math.abs(x - before) < MIN_BEND ? before : x);
  }
  return straight;
}

interface End {
  readonly edge: GraphEdge;
  readonly name: string;
  readonly side: "top" | "bottom";
  /** Where the edge goes next. */
  readonly towards: number;
}

const PORT_GAP = 16;

/** Where edges meet their nodes: side by side around the middle, in the order of where they go. */
function portsOf(
  edges: readonly GraphEdge[],
  passes: GraphColumns["passes"],
  boxes: ReadonlyMap<string, Box>,
): ReadonlyMap<GraphEdge, ReadonlyMap<string, number>> {
  const ports = new Map<GraphEdge, Map<string, number>>(edges.map((edge) => [edge, new Map()]));
  const ends = edges.flatMap((edge) => endsOf(edge, passes.get(edge) ?? [], boxes));
  for (const group of Map.groupBy(ends, ({ name, side }) => `${side} ${name}`).values()) {
    const box = boxes.get(group[0]?.name ?? "");
    const gap = Math.min(PORT_GAP, ((box?.width ?? 0) - 20) / group.length);
    group
      .toSorted((a, b) => a.towards - b.towards)
      .forEach(({ edge, name }, index) => {
        ports.get(edge)?.set(name, middle(box) + (index - (group.length - 1) / 2) * gap);
      });
  }
  return ports;
}

function endsOf(edge: GraphEdge, passes: readonly number[], boxes: ReadonlyMap<string, Box>): readonly End[] {
  const [caller, callee] = [boxes.get(edge.from), boxes.get(edge.to)];
  const isDown = (caller?.y ?? 0) < (callee?.y ?? 0);
  return [
    {
      edge,
      name: edge.from,
      side: isDown ? "bottom" : "top",
      towards: passes[0] ?? middle(callee),
    },
    {
      edge,
      name: edge.to,
      side: isDown ? "top" : "bottom",
      towards: passes.at(-1) ?? middle(caller),
    },
  ];
}

function middle(box: Box | undefined): number {
  return box ? box.x + box.width / 2 : 0;
}

function withoutRepeats(points: readonly Point[]): readonly Point[] {
  return points.filter(({ x, y }, index) => {
    const before = points[index - 1];
    return !before || before.x !== x || before.y !== y;
  });
}
