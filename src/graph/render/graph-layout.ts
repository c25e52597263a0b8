import { COLUMN_GAP, graphColumns, rowsByName, type GraphColumns } from "./graph-columns.ts";
import { BANDS, graphRows, type BandName, type GraphRows } from "./graph-rows.ts";
import { routesOf, type Box, type Point, type Route } from "./graph-routes.ts";
import type { SkillGraph } from "../skill-graph.ts";

/** How much room a node takes. */
export interface NodeSize {
  readonly width: number;
  /** Room at its right that belongs to it. */
  readonly margin: number;
}

interface Band {
  readonly name: BandName;
  readonly y: number;
  readonly height: number;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly bands: readonly Band[];
  readonly boxes: ReadonlyMap<string, Box>;
  readonly routes: readonly Route[];
}

export const BOX_HEIGHT = 46;

/** Where everything of a graph's picture stands: bands below each other, callers above callees. */
export async function graphLayout(
  graph: SkillGraph,
  sizes: ReadonlyMap<string, NodeSize>,
): Promise<GraphLayout> {
  const spaceOf = (name: string): number => (sizes.get(name)?.width ?? 0) + (sizes.get(name)?.margin ?? 0);
  const rows = graphRows(graph, spaceOf);
  const columns = fromLeft(await graphColumns(rows, spaceOf));
  const blocks = aloneBlocks(rows, columns, spaceOf);
  const heights = heightsOf(rows, columns, blocks);
  const boxes = new Map<string, Box>();
  for (const { name, x, y } of [...joinedCorners(rows, columns, heights), ...aloneCorners(blocks, heights)])
    boxes.set(name, { x, y, width: sizes.get(name)?.width ?? 0, height: BOX_HEIGHT });
  const rights = Array.from(boxes, ([name, { x }]) => x + spaceOf(name));
  const passes = Array.from(columns.passes.values()).flat();
  return {
    width: [...rights, ...passes].reduce((most, x) => Math.max(most, x), 0),
    height: heights.bands.reduce((most, { y, height }) => Math.max(most, y + height), 0),
    bands: heights.bands,
    boxes,
    routes: routesOf(rows, columns, heights, boxes),
  };
}

interface Corner extends Point {
  readonly name: string;
}

function fromLeft({ lefts, passes }: GraphColumns): GraphColumns {
  const all = [...lefts.values(), ...Array.from(passes.values()).flat()];
  const least = all.reduce((min, x) => Math.min(min, x), Number.POSITIVE_INFINITY);
  return {
    lefts: new Map(Array.from(lefts, ([name, x]) => [name, x - least])),
    passes: new Map(Array.from(passes, ([edge, xs]) => [edge, xs.map((x) => x - least)])),
  };
}

// --- nodes without edges: a block at the right of their band

interface AloneBlock {
  readonly band: BandName;
  readonly corners: readonly Corner[];
  readonly height: number;
}

const ALONE_WIDTH = 1000;
const ALONE_GAP = 14;

function aloneBlocks(
  { rows, edges, alone }: GraphRows,
  { lefts, passes }: GraphColumns,
  spaceOf: (name: string) => number,
): readonly AloneBlock[] {
  const rowOf = rowsByName({ rows });
  const rights = rows.map(({ names }) =>
    names.reduce((most, name) => Math.max(most, (lefts.get(name) ?? 0) + spaceOf(name)), 0),
  );
  for (const edge of edges) {
    const [from = 0, to = 0] = [rowOf.get(edge.from), rowOf.get(edge.to)];
    const step = from < to ? 1 : -1;
    passes.get(edge)?.forEach((x, index) => {
      const row = from + step * (index + 1);
      rights[row] = Math.max(rights[row] ?? 0, x);
    });
  }
  const all = rights.reduce((most, right) => Math.max(most, right), 0);
  return BANDS.flatMap((band): readonly AloneBlock[] => {
    const names = alone.get(band) ?? [];
    if (names.length === 0) return [];
    const start = beginOf(band, rows, rights);
    return [{ band, ...blockOf(names, start, Math.max(all, ALONE_WIDTH) - start, spaceOf) }];
  });
}

/** Right of the band's rows; right of all rows where edges go through a band that has none. */
function beginOf(band: BandName, rows: GraphRows["rows"], rights: readonly number[]): number {
  const places = rows.map((row) => BANDS.indexOf(row.band) - BANDS.indexOf(band));
  const isPassed = places.some((place) => place < 0) && places.some((place) => place > 0);
  const meant = rights.filter((_, index) => places[index] === 0);
  const right = (meant.length === 0 && isPassed ? rights : meant).reduce((most, x) => Math.max(most, x), 0);
  return right === 0 ? 0 : right + COLUMN_GAP * 2;
}

function blockOf(
  names: readonly string[],
  start: number,
  room: number,
  spaceOf: (name: string) => number,
): Pick<AloneBlock, "corners" | "height"> {
  const cell = names.reduce((most, name) => Math.max(most, spaceOf(name)), 0) + ALONE_GAP;
  const across = Math.max(Math.floor(room / cell), Math.ceil(Math.sqrt(names.length / 2)));
  const corners = names.map((name, index) => ({
    name,
    x: start + (index % across) * cell,
    y: Math.floor(index / across) * (BOX_HEIGHT + ALONE_GAP),
  }));
  return { corners, height: Math.ceil(names.length / across) * (BOX_HEIGHT + ALONE_GAP) - ALONE_GAP };
}

function aloneCorners(blocks: readonly AloneBlock[], { inner }: Heights): readonly Corner[] {
  return blocks.flatMap(({ band, corners }) =>
    corners.map(({ name, x, y }) => ({ name, x, y: (inner.get(band) ?? 0) + y })),
  );
}

function joinedCorners({ rows }: GraphRows, { lefts }: GraphColumns, { tops }: Heights): readonly Corner[] {
  return rows.flatMap(({ names }, row) =>
    names.map((name) => ({ name, x: lefts.get(name) ?? 0, y: tops[row] ?? 0 })),
  );
}

// --- from above to below

interface Heights {
  readonly bands: readonly Band[];
  /** Where each band's first row begins. */
  readonly inner: ReadonlyMap<BandName, number>;
  readonly tops: readonly number[];
  /** Down to where edges below a row go straight: its lower side, or that of its band's nodes. */
  readonly outs: readonly number[];
}

const BAND_PADDING = 24;
const BAND_GAP = 8;

function heightsOf(given: GraphRows, columns: GraphColumns, blocks: readonly AloneBlock[]): Heights {
  const gaps = gapsOf(given, columns);
  const bands: Band[] = [];
  const inner = new Map<BandName, number>();
  const tops: number[] = [];
  const outs: number[] = [];
  let y = 0;
  for (const name of BANDS) {
    const block = blocks.find(({ band }) => band === name);
    const rows = given.rows.flatMap((row, index) => (row.band === name ? [index] : []));
    if (!block && rows.length === 0) continue;
    const top = y + BAND_PADDING;
    inner.set(name, top);
    let bottom = top;
    for (const row of rows) {
      tops[row] = row === rows[0] ? top : bottom + (gaps[row - 1] ?? 0);
      bottom = (tops[row] ?? 0) + BOX_HEIGHT;
      outs[row] = bottom;
    }
    bottom = Math.max(bottom, top + (block?.height ?? 0));
    const last = rows.at(-1);
    if (last !== undefined) outs[last] = bottom;
    const between = BAND_PADDING * 2 + BAND_GAP;
    const more = Math.max(0, (last === undefined ? 0 : (gaps[last] ?? 0)) - between);
    bands.push({ name, y, height: bottom + BAND_PADDING + more - y });
    y = bottom + BAND_PADDING + more + BAND_GAP;
  }
  return { bands, inner, tops, outs };
}

const MIN_GAP = 48;
const MAX_GAP = 120;

/** How far each row is above the next: the farther to the side edges go between them, the more. */
function gapsOf({ rows, edges }: GraphRows, { lefts, passes }: GraphColumns): readonly number[] {
  const rowOf = rowsByName({ rows });
  const gaps = rows.map(() => MIN_GAP);
  for (const edge of edges) {
    const [from = 0, to = 0] = [rowOf.get(edge.from), rowOf.get(edge.to)];
    const xs = [lefts.get(edge.from) ?? 0, ...(passes.get(edge) ?? []), lefts.get(edge.to) ?? 0];
    const step = from < to ? 1 : -1;
    xs.slice(1).forEach((x, index) => {
      const row = from + step * index + (step > 0 ? 0 : -1);
      const wanted = MIN_GAP + Math.abs(x - (xs[index] ?? 0)) / 14;
      gaps[row] = Math.max(gaps[row] ?? 0, Math.min(MAX_GAP, wanted));
    });
  }
  return gaps;
}
