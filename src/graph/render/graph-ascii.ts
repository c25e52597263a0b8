import { cycleSteps, edgesByCaller, factsLines, graphFacts, startNames } from "./graph-facts.ts";
import { widthOf, visibleLine } from "../../core/text/display-text.ts";
import type { GraphEdge, GraphNode, SkillGraph } from "../skill-graph.ts";

/** The graph as trees of text for a terminal, one for each skill that nobody calls. Each skill's callees are shown once. */
export function asciiGraph(graph: SkillGraph): string {
  const trees = treesOf(graph);
  const widest = trees
    .flat()
    .reduce((most, { text }) => Math.max(most, Math.min(MAX_BEFORE_NOTE, widthOf(text))), 0);
  const shown = trees.map((tree) => tree.map(({ text, note }) => withNote(text, note, widest)));
  const single = shown.filter((tree) => tree.length === 1).flat();
  const blocks = [...shown.filter((tree) => tree.length > 1), ...(single.length > 0 ? [single] : [])];
  const cycles = graph.cycles.map((cycle) => `cycle: ${cycle.map(visibleLine).join(" → ")}`);
  const last = [...cycles, ...legendOf(trees.flat()), ...factsLines(graphFacts(graph))];
  return [...blocks, last].map((block) => block.join("\n")).join("\n\n");
}

/** Trees are cut where they are deeper; what is cut off has a tree of its own. */
const MAX_DEPTH = 9;
const UNTRUSTED = "!";
const MAX_BEFORE_NOTE = 48;

interface Line {
  readonly text: string;
  readonly note: string;
  readonly kind: GraphEdge["kind"] | undefined;
  readonly isUntrusted: boolean;
  readonly refers: "above" | "below" | undefined;
}

interface Drawing {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly edges: ReadonlyMap<string, readonly GraphEdge[]>;
  readonly isCycleStep: (edge: GraphEdge) => boolean;
  readonly shown: Set<string>;
  /** Names whose trees follow. */
  readonly queue: string[];
}

interface Spot {
  readonly node: GraphNode;
  /** The edge that led here; a tree begins without. */
  readonly edge: GraphEdge | undefined;
  readonly head: string;
  readonly indent: string;
  /** The names from the tree's beginning to this node's caller. */
  readonly chain: readonly string[];
}

function treesOf(graph: SkillGraph): readonly (readonly Line[])[] {
  const drawing: Drawing = {
    nodes: new Map(graph.nodes.map((node) => [node.name, node])),
    edges: edgesByCaller(graph),
    isCycleStep: cycleSteps(graph),
    shown: new Set(),
    queue: [...startNames(graph)],
  };
  const trees: (readonly Line[])[] = [];
  for (const name of drawing.queue) {
    const node = drawing.nodes.get(name);
    if (node && !drawing.shown.has(name))
      trees.push(linesAt({ node, edge: undefined, head: "", indent: "", chain: [] }, drawing));
  }
  return trees;
}

function linesAt(spot: Spot, drawing: Drawing): readonly Line[] {
  const { node, edge, head, indent, chain } = spot;
  const { name } = node;
  const callees = (drawing.edges.get(name) ?? []).filter(({ to }) => to !== name && drawing.nodes.has(to));
  const line = (note: string, refers?: Line["refers"]): Line => ({
    text: `${head}${visibleLine(name)}`,
    note: edge?.isUntrusted ? `${note}  ${UNTRUSTED}` : note,
    kind: edge?.kind,
    isUntrusted: edge?.isUntrusted === true,
    refers,
  });
  if (chain.includes(name)) return [line("↻ cycle")];
  if (drawing.shown.has(name) && callees.length > 0) return [line(`${noteOf(node)}  ↑`, "above")];
  if (chain.length >= MAX_DEPTH && callees.length > 0) {
    drawing.queue.push(name);
    return [line(`${noteOf(node)}  ↓`, "below")];
  }
  drawing.shown.add(name);
  const own = line(`${noteOf(node)}${recursionNote(name, drawing)}`);
  const below = callees.flatMap((callee, index) => {
    const isLast = index === callees.length - 1;
    const calleeNode = drawing.nodes.get(callee.to);
    if (!calleeNode) return [];
    return linesAt(
      {
        node: calleeNode,
        edge: callee,
        head: `${indent}${isLast ? "└" : "├"}${BRANCH[callee.kind]} `,
        indent: `${indent}${isLast ? "   " : "│  "}`,
        chain: [...chain, name],
      },
      drawing,
    );
  });
  return [own, ...below];
}

const BRANCH: Readonly<Record<GraphEdge["kind"], string>> = { call: "─", declared: "╌", dynamic: "┈" };

function noteOf(node: GraphNode): string {
  switch (node.kind) {
    case "skill":
      return `L${node.level} ${node.operation}`;
    case "missing":
      return "✗ missing";
    case "tool":
      return "tool";
    case "any":
      return "chosen at run time";
  }
}

function recursionNote(name: string, { edges, isCycleStep }: Drawing): string {
  const toItself = edges.get(name)?.find(({ to }) => to === name);
  if (!toItself) return "";
  return isCycleStep(toItself) ? "  ✗ calls itself" : "  ↻ calls itself";
}

function withNote(text: string, note: string, column: number): string {
  return `${text}${" ".repeat(Math.max(0, column - widthOf(text)))}  ${note}`;
}

function legendOf(lines: readonly Line[]): readonly string[] {
  const has = (kind: GraphEdge["kind"]): boolean => lines.some((line) => line.kind === kind);
  const parts = [
    ...(has("declared") ? [`${BRANCH.declared} declared only`] : []),
    ...(has("dynamic") ? [`${BRANCH.dynamic} chosen at run time`] : []),
    ...(lines.some(({ isUntrusted }) => isUntrusted)
      ? [`${UNTRUSTED} what untrusted tools answer goes here into a call that writes`]
      : []),
    ...(lines.some(({ refers }) => refers === "above") ? ["↑ its callees are shown above"] : []),
    ...(lines.some(({ refers }) => refers === "below") ? ["↓ its callees are shown below"] : []),
  ];
  return parts.length > 0 ? [parts.join("   ")] : [];
}
