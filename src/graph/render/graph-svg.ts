import type { Operation } from "../../core/skill.ts";
import { cycleSteps, factsLines, graphFacts } from "./graph-facts.ts";
import { BOX_HEIGHT, graphLayout, type GraphLayout } from "./graph-layout.ts";
import type { Route } from "./graph-routes.ts";
import type { BandName, NodeSize, PlacedNode } from "./graph-rows.ts";
import { signatureText } from "./graph-signature.ts";
import { STYLE } from "./svg-style.ts";
import { widthOf, cutToWidth, visibleLine } from "../../core/text/display-text.ts";
import type { GraphEdge, GraphNode, SkillGraph, SkillNode } from "../skill-graph.ts";

/** The graph as a picture, an SVG that needs nothing else: levels as layers, operations as colours, contracts on hover. */
export async function svgGraph(graph: SkillGraph): Promise<string> {
  const loops = new Set(graph.edges.filter(({ from, to }) => from === to).map(({ from }) => from));
  const layout = await graphLayout(graph, (node) => sizeOf(node, loops.has(node.name)));
  const facts = factsLines(graphFacts(graph)).join(" · ");
  const legend = legendOf(graph);
  const width = Math.max(MIN_WIDTH, Math.ceil(layout.width + GUTTER + PADDING * 2));
  const legendRows = flowed(legend, width - PADDING * 2);
  const below = HEADER + layout.height + LEGEND_GAP;
  const height = Math.ceil(below + legendRows.length * LEGEND_LINE + PADDING - 8);
  const left = GUTTER + PADDING + Math.max(0, (width - GUTTER - PADDING * 2 - layout.width) / 2);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="rg" role="img" aria-labelledby="rg-title rg-desc" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title id="rg-title">Skill graph</title>`,
    `<desc id="rg-desc">${xml(descriptionOf(graph, facts))}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${width}" height="${height}" rx="12"/>`,
    text("heading", PADDING, 34, "Skill graph"),
    text("facts", PADDING, 54, facts),
    ...bands(layout, graph, width),
    `<g transform="translate(${coordinate(left)} ${HEADER})">`,
    ...edgeLines(graph, layout),
    ...graph.nodes.map((node) => nodeShape(node, layout.nodes.get(node.name))),
    `</g>`,
    ...legendRows.flatMap((row, index) => legendLine(row, below + index * LEGEND_LINE)),
    `</svg>`,
  ].join("\n");
}

const PADDING = 20;
const GUTTER = 118;
const HEADER = 74;
const MIN_WIDTH = 720;
const LEGEND_GAP = 26;
const LEGEND_LINE = 24;

// --- nodes

const CHARACTER_WIDTH = 7.9;
const SMALL_CHARACTER_WIDTH = 7;
const MAX_COLUMNS = 36;
const LOOP_ROOM = 30;

function sizeOf(node: GraphNode, callsItself: boolean): NodeSize {
  const name = Math.min(MAX_COLUMNS, widthOf(visibleLine(node.name))) * CHARACTER_WIDTH;
  const caption = captionOf(node).length * SMALL_CHARACTER_WIDTH;
  const around = node.kind === "tool" ? 40 : 26;
  return {
    width: Math.max(BOX_HEIGHT, Math.ceil(Math.max(name, caption) + around)),
    margin: callsItself ? LOOP_ROOM : 0,
  };
}

function nodeShape(node: GraphNode, placed: PlacedNode | undefined): string {
  if (!placed) return "";
  const { x, y, width } = placed;
  const middle = x + width / 2;
  const name = cutToWidth(visibleLine(node.name), MAX_COLUMNS);
  const isAny = node.kind === "any";
  return [
    `<g class="node ${classOf(node)}"><title>${xml(tooltipOf(node))}</title>`,
    outline(node, placed),
    text("name", middle, isAny ? y + BOX_HEIGHT / 2 + 5 : y + 20, name),
    ...(isAny ? [] : [text("what", middle, y + 35, captionOf(node))]),
    `</g>`,
  ].join("");
}

function classOf(node: GraphNode): string {
  return node.kind === "skill" ? node.operation.toLowerCase() : node.kind;
}

function outline({ kind }: GraphNode, { x, y, width }: PlacedNode): string {
  const height = BOX_HEIGHT;
  switch (kind) {
    case "skill":
    case "missing":
      return `<rect x="${coordinate(x)}" y="${coordinate(y)}" width="${coordinate(width)}" height="${height}" rx="10"/>`;
    case "tool": {
      const [right, bottom, centre] = [x + width, y + height, y + height / 2];
      const corners = [
        [x + 12, y],
        [right - 12, y],
        [right, centre],
        [right - 12, bottom],
        [x + 12, bottom],
        [x, centre],
      ];
      const points = corners.map((corner) => corner.map(coordinate).join(",")).join(" ");
      return `<polygon points="${points}"/>`;
    }
    case "any":
      return `<circle cx="${coordinate(x + width / 2)}" cy="${coordinate(y + height / 2)}" r="${height / 2}"/>`;
  }
}

function captionOf(node: GraphNode): string {
  switch (node.kind) {
    case "skill":
      return node.skillKind === "code" ? node.operation : `${node.operation} · ${node.skillKind}`;
    case "missing":
      return "missing";
    case "tool":
      return "upstream tool";
    case "any":
      return "";
  }
}

const MAX_TOOLTIP = 600;

function tooltipOf(node: GraphNode): string {
  const name = visibleLine(node.name);
  switch (node.kind) {
    case "skill":
      return [
        name,
        `level ${node.level}, ${node.operation}`,
        ...[node.description.replaceAll(/\s+/g, " ").trim()].filter((line) => line !== ""),
        signatureText(node.contract),
      ]
        .map((line) => cutToWidth(line, MAX_TOOLTIP))
        .join("\n");
    case "missing":
      return `${name}\nThere is no such skill`;
    case "tool":
      return `${name}\nA tool of another server`;
    case "any":
      return `${name}\nWhatever name is chosen at run time`;
  }
}

// --- edges

function edgeLines(graph: SkillGraph, { routes, nodes }: GraphLayout): readonly string[] {
  const isCycleStep = cycleSteps(graph);
  const classes = (edge: GraphEdge): string =>
    [
      "edge",
      edge.kind,
      ...(edge.isUntrusted ? ["untrusted"] : []),
      ...(isCycleStep(edge) ? ["cycle"] : []),
    ].join(" ");
  const loops = graph.edges.filter(({ from, to }) => from === to);
  // Those of a cycle are drawn last, above the others.
  const drawn = routes.toSorted((a, b) => Number(isCycleStep(a.edge)) - Number(isCycleStep(b.edge)));
  return [
    ...drawn.map((route) => edgeShape(route, classes(route.edge))),
    ...loops.map((edge) => loopShape(edge, classes(edge), nodes.get(edge.from))),
  ];
}

const ARROW = { length: 8, half: 4 } as const;

function edgeShape({ edge, points }: Route, classes: string): string {
  const end = points.at(-1);
  const before = points.at(-2);
  if (!end || !before) return "";
  const back = end.y > before.y ? -ARROW.length : ARROW.length;
  const line = [...points.slice(0, -1), { x: end.x, y: end.y + back * 0.75 }];
  const path = line.map(({ x, y }, index) => {
    const last = line[index - 1];
    if (!last) return `M${at(x, y)}`;
    if (last.x === x) return `L${at(x, y)}`;
    const between = (last.y + y) / 2;
    return `C${at(last.x, between)} ${at(x, between)} ${at(x, y)}`;
  });
  const head = `M${at(end.x, end.y)}L${at(end.x - ARROW.half, end.y + back)}L${at(end.x + ARROW.half, end.y + back)}Z`;
  return edgeGroup(edge, classes, path.join(""), head);
}

function loopShape(edge: GraphEdge, classes: string, node: PlacedNode | undefined): string {
  if (!node) return "";
  const right = node.x + node.width;
  const [upper, lower] = [node.y + 13, node.y + BOX_HEIGHT - 13];
  const out = right + LOOP_ROOM;
  const path = `M${at(right, upper)}C${at(out, upper - 8)} ${at(out, lower + 8)} ${at(right + 6, lower + 1)}`;
  const head = `M${at(right, lower)}L${at(right + 7.5, lower - 4.5)}L${at(right + 8.5, lower + 4)}Z`;
  return edgeGroup(edge, classes, path, head);
}

function edgeGroup(edge: GraphEdge, classes: string, path: string, head: string): string {
  const title = `${visibleLine(edge.from)} → ${visibleLine(edge.to)}${EDGE_NOTES[edge.kind]}${edge.isUntrusted ? ": what untrusted tools answer goes this way into a call that writes" : ""}`;
  return `<g class="${classes}"><title>${xml(title)}</title><path d="${path}"/><path class="head" d="${head}"/></g>`;
}

const EDGE_NOTES: Readonly<Record<GraphEdge["kind"], string>> = {
  call: "",
  declared: " (declared only)",
  dynamic: " (chosen at run time)",
};

// --- bands

const BAND_TEXTS: Readonly<Record<BandName, string>> = {
  workflows: "workflows",
  composites: "composites",
  atomic: "atomic skills",
  outside: "outside",
};

function bands(layout: GraphLayout, graph: SkillGraph, width: number): readonly string[] {
  return layout.bands.map(({ name, y, height }) => {
    const middle = HEADER + y + height / 2;
    return [
      `<rect class="band" x="${PADDING / 2}" y="${coordinate(HEADER + y)}" width="${width - PADDING}" height="${coordinate(height)}" rx="10"/>`,
      text("band-name", PADDING + 4, middle - 2, BAND_TEXTS[name]),
      text("band-note", PADDING + 4, middle + 14, bandNote(name, graph)),
    ].join("");
  });
}

function bandNote(name: BandName, { nodes }: SkillGraph): string {
  switch (name) {
    case "workflows":
      return "level 3";
    case "composites":
      return "level 2";
    case "atomic":
      return "level 1";
    case "outside": {
      const kinds = new Set(nodes.map(({ kind }) => kind));
      return [...(kinds.has("tool") ? ["tools"] : []), ...(kinds.has("missing") ? ["missing"] : [])].join(
        ", ",
      );
    }
  }
}

// --- legend

interface LegendItem {
  readonly label: string;
  readonly swatch: (x: number, y: number) => string;
}

const OPERATION_LABELS: Readonly<Record<Operation, string>> = {
  TRANSFORM: "transform: pure",
  READ: "read: looks at the world",
  WRITE: "write: changes it",
};

function legendOf({ nodes, edges, cycles }: SkillGraph): readonly LegendItem[] {
  const operations = new Set(
    nodes.filter((node): node is SkillNode => node.kind === "skill").map(({ operation }) => operation),
  );
  const box = (kind: string) => (x: number, y: number) =>
    `<g class="node ${kind}"><rect x="${coordinate(x)}" y="${coordinate(y - 11)}" width="22" height="14" rx="4"/></g>`;
  const line = (classes: string) => (x: number, y: number) =>
    `<g class="edge ${classes}"><path d="M${at(x, y - 4)}L${at(x + 18, y - 4)}"/><path class="head" d="M${at(x + 24, y - 4)}L${at(x + 17, y - 8)}L${at(x + 17, y)}Z"/></g>`;
  const has = (kind: GraphEdge["kind"]): boolean => edges.some((edge) => edge.kind === kind);
  return [
    ...(["TRANSFORM", "READ", "WRITE"] as const)
      .filter((operation) => operations.has(operation))
      .map((operation) => ({ label: OPERATION_LABELS[operation], swatch: box(operation.toLowerCase()) })),
    ...(has("call") ? [{ label: "calls", swatch: line("call") }] : []),
    ...(has("declared") ? [{ label: "declared only", swatch: line("declared") }] : []),
    ...(has("dynamic") ? [{ label: "chosen at run time", swatch: line("dynamic") }] : []),
    ...(edges.some(({ isUntrusted }) => isUntrusted)
      ? [{ label: "untrusted answers into writes", swatch: line("call untrusted") }]
      : []),
    ...(cycles.length > 0 ? [{ label: "cycle", swatch: line("call cycle") }] : []),
    ...(nodes.some(({ kind }) => kind === "missing") ? [{ label: "missing", swatch: box("missing") }] : []),
  ];
}

const SWATCH_WIDTH = 30;
const ITEM_GAP = 22;

function itemWidth({ label }: LegendItem): number {
  return SWATCH_WIDTH + label.length * 6.2 + ITEM_GAP;
}

function flowed(items: readonly LegendItem[], width: number): readonly (readonly LegendItem[])[] {
  const rows: LegendItem[][] = [];
  let free = 0;
  for (const item of items) {
    const last = rows.at(-1);
    if (last && itemWidth(item) <= free) last.push(item);
    else {
      rows.push([item]);
      free = width;
    }
    free -= itemWidth(item);
  }
  return rows;
}

function legendLine(items: readonly LegendItem[], y: number): readonly string[] {
  let x = PADDING;
  return items.map((item) => {
    const shown = `${item.swatch(x, y)}${text("legend", x + SWATCH_WIDTH, y, item.label)}`;
    x += itemWidth(item);
    return shown;
  });
}

// --- text

function descriptionOf({ cycles, edges }: SkillGraph, facts: string): string {
  const calls = `${edges.length} ${edges.length === 1 ? "edge" : "edges"} from callers down to callees`;
  const circles = cycles.map((cycle) => `cycle: ${cycle.map(visibleLine).join(" → ")}`);
  return [facts, calls, ...circles].join(". ");
}

function text(classes: string, x: number, y: number, content: string): string {
  return `<text class="${classes}" x="${coordinate(x)}" y="${coordinate(y)}">${xml(content)}</text>`;
}

/** Safe as an element's content and as an attribute; what XML cannot hold is replaced. */
function xml(content: string): string {
  return content
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\u{fffd}")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

function at(x: number, y: number): string {
  return `${coordinate(x)} ${coordinate(y)}`;
}

function coordinate(value: number): string {
  return String(Math.round(value * 10) / 10);
}
