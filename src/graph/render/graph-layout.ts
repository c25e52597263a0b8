import { COLUMN_GAP, placeColumns } from "./graph-columns.ts";
import {
  BANDS,
  type BandName,
  graphRows,
  type GraphRows,
  type NodeSize,
  type PlacedNode,
  type Row,
  spaceOf,
} from "./graph-rows.ts";
import { routesOf, type Route } from "./graph-routes.ts";
import type { GraphNode, SkillGraph } from "../skill-graph.ts";

interface Band {
  readonly name: BandName;
  readonly y: number;
  readonly height: number;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly bands: readonly Band[];
  readonly nodes: ReadonlyMap<string, PlacedNode>;
  readonly routes: readonly Route[];
}

export const BOX_HEIGHT = 46;

/** Where everything of a graph's picture stands: bands below each other, callers above callees. */
export async function graphLayout(
  graph: SkillGraph,
  sizeOf: (node: GraphNode) => NodeSize,
): Promise<GraphLayout> {
  const given = graphRows(graph, sizeOf);
  await placeColumns(given);
  setGaps(given);
  const blocks = aloneBlocks(given);
  const bands = placeRows(given.rows, blocks);
  const nodes = [...given.rows.flatMap((row) => row.nodes), ...blocks.flatMap((block) => block.nodes)];
  const rights = nodes.map((node) => node.x + spaceOf(node));
  const passes = given.edges.flatMap((edge) => edge.passes.map(({ x }) => x));
  return {
    width: [...rights, ...passes].reduce((most, x) => Math.max(most, x), 0),
    height: bands.reduce((most, { y, height }) => Math.max(most, y + height), 0),
    bands,
    nodes: new Map(nodes.map((node) => [node.name, node])),
    routes: routesOf(given.edges, BOX_HEIGHT),
  };
}

// --- nodes without edges: a block at the right of their band

interface AloneBlock {
  readonly band: BandName;
  /** Below the beginning of the block, until rows are placed. */
  readonly nodes: readonly PlacedNode[];
  readonly height: number;
}

const ALONE_WIDTH = 1000;
const ALONE_GAP = 14;

function aloneBlocks({ rows, edges, alone }: GraphRows): readonly AloneBlock[] {
  const passes = Map.groupBy(
    edges.flatMap((edge) => edge.passes),
    ({ row }) => row,
  );
  const rights = new Map(
    rows.map((row) => [
      row,
      [
        ...row.nodes.map((node) => node.x + spaceOf(node)),
        ...(passes.get(row) ?? []).map(({ x }) => x),
      ].reduce((most, x) => Math.max(most, x), 0),
    ]),
  );
  const all = Math.max(0, ...rights.values());
  return BANDS.flatMap((band): readonly AloneBlock[] => {
    const nodes = alone.get(band);
    if (!nodes) return [];
    const start = beginOf(band, rights);
    return [{ band, nodes, height: placeBlock(nodes, start, Math.max(all, ALONE_WIDTH) - start) }];
  });
}

/** Right of the band's rows; right of all rows where edges go through a band that has none. */
function beginOf(band: BandName, rights: ReadonlyMap<Row, number>): number {
  const places = Array.from(rights, ([row, right]) => ({
    right,
    place: BANDS.indexOf(row.band) - BANDS.indexOf(band),
  }));
  const isPassed = places.some(({ place }) => place < 0) && places.some(({ place }) => place > 0);
  const meant = places.filter(({ place }) => place === 0);
  const right = (meant.length === 0 && isPassed ? places : meant).reduce(
    (most, each) => Math.max(most, each.right),
    0,
  );
  return right === 0 ? 0 : right + COLUMN_GAP * 2;
}

/** Gives the block's height. */
function placeBlock(nodes: readonly PlacedNode[], start: number, room: number): number {
  const cell = nodes.reduce((most, node) => Math.max(most, spaceOf(node)), 0) + ALONE_GAP;
  const across = Math.max(Math.floor(room / cell), Math.ceil(Math.sqrt(nodes.length / 2)));
  nodes.forEach((node, index) => {
    node.x = start + (index % across) * cell;
    node.y = Math.floor(index / across) * (BOX_HEIGHT + ALONE_GAP);
  });
  return Math.ceil(nodes.length / across) * (BOX_HEIGHT + ALONE_GAP) - ALONE_GAP;
}

// --- from above to below

const BAND_PADDING = 24;
const BAND_GAP = 8;

function placeRows(rows: readonly Row[], blocks: readonly AloneBlock[]): readonly Band[] {
  const bands: Band[] = [];
  let y = 0;
  for (const name of BANDS) {
    const block = blocks.find(({ band }) => band === name);
    const own = rows.filter(({ band }) => band === name);
    if (!block && own.length === 0) continue;
    const top = y + BAND_PADDING;
    let bottom = top;
    let next = top;
    for (const row of own) {
      for (const node of row.nodes) node.y = next;
      bottom = next + BOX_HEIGHT;
      row.out = bottom;
      next = bottom + row.gap;
    }
    if (block) {
      for (const node of block.nodes) node.y += top;
      bottom = Math.max(bottom, top + block.height);
    }
    const last = own.at(-1);
    if (last) last.out = bottom;
    const more = last ? Math.max(0, last.gap - BAND_PADDING * 2 - BAND_GAP) : 0;
    bands.push({ name, y, height: bottom + BAND_PADDING + more - y });
    y = bottom + BAND_PADDING + more + BAND_GAP;
  }
  return bands;
}

const MIN_GAP = 48;
const MAX_GAP = 120;

/** Sets how far each row is above the next: the farther to the side edges go between them, the more. */
function setGaps({ rows, edges }: GraphRows): void {
  for (const row of rows) row.gap = MIN_GAP;
  for (const { from, to, passes } of edges) {
    let before: { readonly row: Row; readonly x: number } = from;
    for (const after of [...passes, to]) {
      const upper = before.row.index < after.row.index ? before.row : after.row;
      upper.gap = Math.max(upper.gap, Math.min(MAX_GAP, MIN_GAP + Math.abs(after.x - before.x) / 14));
      before = after;
    }
  }
}
