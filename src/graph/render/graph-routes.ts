import type { GraphEdge } from "../skill-graph.ts";
import type { RowEdge, RowNode } from "./graph-rows.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Route {
  readonly edge: GraphEdge;
  /** From caller to callee. It comes to each point and leaves it vertically. */
  readonly points: readonly Point[];
}

/** The way of each edge: from its caller's lower side to its callee's upper side, or up where the callee is above. */
export function routesOf(edges: readonly RowEdge[], boxHeight: number): readonly Route[] {
  const drawn = edges.map((each) => ({ ...each, ends: endsOf(each) }));
  setPorts(drawn.flatMap(({ ends }) => ends));
  return drawn.map(({ edge, passes, ends: [caller, callee] }) => {
    const isDown = caller.side === "bottom";
    const stretches: readonly Stretch[] = [
      { x: caller.port, ys: isDown ? [caller.node.y + boxHeight, caller.node.row.out] : [caller.node.y] },
      ...passes.map(({ row, x }) => {
        const ys = row.nodes.slice(0, 1).flatMap(({ y }) => [y, row.out]);
        return { x, ys: isDown ? ys : ys.toReversed() };
      }),
      { x: callee.port, ys: isDown ? [callee.node.y] : [callee.node.row.out, callee.node.y + boxHeight] },
    ];
    return { edge, points: withoutRepeats(straightened(stretches)) };
  });
}

/** Where an edge goes straight: at its caller, past each row between, and at its callee. */
interface Stretch {
  readonly x: number;
  readonly ys: readonly number[];
}

const MIN_BEND = 6;

/** Without bends that are too small to be seen as such. */
function straightened(stretches: readonly Stretch[]): readonly Point[] {
  let at = Number.NaN;
  return stretches.flatMap(({ x, ys }) => {
    if (!(Math.abs(x - at) < MIN_BEND)) at = x;
    return ys.map((y) => ({ x: at, y }));
  });
}

interface End {
  readonly node: RowNode;
  readonly side: "top" | "bottom";
  /** Where the edge goes next. */
  readonly towards: number;
  /** Where it meets its node. */
  port: number;
}

function endsOf({ from, to, passes }: RowEdge): readonly [End, End] {
  const isDown = from.row.index < to.row.index;
  const end = (node: RowNode, side: End["side"], next: number | undefined, other: RowNode): End => ({
    node,
    side,
    towards: next ?? middle(other),
    port: 0,
  });
  return [
    end(from, isDown ? "bottom" : "top", passes[0]?.x, to),
    end(to, isDown ? "top" : "bottom", passes.at(-1)?.x, from),
  ];
}

const PORT_GAP = 16;

/** Edges meet their nodes side by side around the middle, in the order of where they go. */
function setPorts(ends: readonly End[]): void {
  for (const [node, own] of Map.groupBy(ends, (end) => end.node))
    for (const group of Map.groupBy(own, ({ side }) => side).values()) {
      const gap = Math.min(PORT_GAP, (node.width - 20) / group.length);
      group
        .toSorted((a, b) => a.towards - b.towards)
        .forEach((end, index) => {
          end.port = middle(node) + (index - (group.length - 1) / 2) * gap;
        });
    }
}

function middle({ x, width }: RowNode): number {
  return x + width / 2;
}

function withoutRepeats(points: readonly Point[]): readonly Point[] {
  return points.filter(({ x, y }, index) => {
    const before = points[index - 1];
    return !before || before.x !== x || before.y !== y;
  });
}
