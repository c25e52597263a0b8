import { codePoint } from "../../core/text/code-point.ts";
import { cycleSteps } from "./graph-facts.ts";
import { visibleLine } from "../../core/text/display-text.ts";
import type { GraphEdge, GraphNode, SkillGraph } from "../skill-graph.ts";

/** The graph as a Mermaid flowchart, coloured by level as in the composable-skills proposal. */
export function mermaidGraph(graph: SkillGraph): string {
  const ids = idsOf(graph.nodes);
  const edges = graph.edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  const isCycleStep = cycleSteps(graph);
  const lines = [
    ...graph.nodes.map((node) => `${ids.get(node.name) ?? ""}${shapeOf(node)}:::${classOf(node)}`),
    ...edges.map(({ from, to, kind }) => `${ids.get(from) ?? ""} ${ARROWS[kind]} ${ids.get(to) ?? ""}`),
    ...(edges.some(({ isUntrusted }) => isUntrusted) ? [LEGEND] : []),
    ...CLASSES,
    ...linkStyle(edges, ({ kind }) => kind === "declared", "stroke-dasharray:6 4"),
    ...linkStyle(edges, ({ kind }) => kind === "dynamic", "stroke-dasharray:2 4"),
    ...linkStyle(edges, ({ isUntrusted }) => isUntrusted === true, "stroke:#8250df,stroke-width:3px"),
    ...linkStyle(edges, isCycleStep, "stroke:#d1242f,stroke-width:2px"),
  ];
  return ["graph TD", ...lines.map((line) => `  ${line}`)].join("\n");
}

const CLASSES = [
  "classDef level1 fill:#e8f5e9,stroke:#4c8c4a,color:#1f2328",
  "classDef level2 fill:#fff3e0,stroke:#c77700,color:#1f2328",
  "classDef level3 fill:#e1f5fe,stroke:#0277bd,color:#1f2328",
  "classDef missing fill:#ffebee,stroke:#d1242f,color:#1f2328,stroke-dasharray:5 4",
  "classDef tool fill:#f3f4f6,stroke:#6e7781,color:#1f2328",
  "classDef any fill:#ffffff,stroke:#6e7781,color:#1f2328,stroke-dasharray:2 3",
];

const LEGEND = "%% thick and violet: what untrusted tools answer goes this way into a call that writes";

const ARROWS: Readonly<Record<GraphEdge["kind"], string>> = {
  call: "-->",
  declared: "-.->",
  dynamic: '-. "chosen at run time" .->',
};

// A prefix keeps names that are words of Mermaid, such as `end`, from being read as such.
function idsOf(nodes: readonly GraphNode[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    nodes.map(({ name }) => {
      const wanted = `s_${name.replaceAll(/[^a-zA-Z0-9]+/g, "_").slice(0, 64)}`;
      let id = wanted;
      for (let count = 2; taken.has(id); count += 1) id = `${wanted}_${count}`;
      taken.add(id);
      return [name, id];
    }),
  );
}

function shapeOf(node: GraphNode): string {
  const label = escaped(visibleLine(node.name));
  switch (node.kind) {
    case "skill":
      return `["${label}<br/>L${node.level} ${node.operation}"]`;
    case "missing":
      return `["${label}<br/>missing"]`;
    case "tool":
      return `{{"${label}<br/>tool"}}`;
    case "any":
      return `(("${label}"))`;
  }
}

function classOf(node: GraphNode): string {
  return node.kind === "skill" ? `level${node.level}` : node.kind;
}

/** What could be markup, a directive or a part of the grammar as Mermaid's entities: `#` and a code point. */
function escaped(label: string): string {
  return label.replaceAll(/[^\p{L}\p{M}\p{N} ._/,?!+*=~()-]/gu, (character) => `#${codePoint(character)};`);
}

function linkStyle(
  edges: readonly GraphEdge[],
  isMeant: (edge: GraphEdge) => boolean,
  style: string,
): readonly string[] {
  const indexes = edges.flatMap((edge, index) => (isMeant(edge) ? [index] : []));
  return indexes.length > 0 ? [`linkStyle ${indexes.join(",")} ${style}`] : [];
}
