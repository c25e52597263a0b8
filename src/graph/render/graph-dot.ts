import { LEVELS, type Operation } from "../../core/skill.ts";
import { cycleSteps } from "./graph-facts.ts";
import { visibleLine } from "../../core/text/display-text.ts";
import type { GraphEdge, GraphNode, SkillGraph } from "../skill-graph.ts";

/** The graph in Graphviz's DOT language: levels are ranks, operations are colours. */
export function dotGraph(graph: SkillGraph): string {
  const isCycleStep = cycleSteps(graph);
  const lines = [
    'graph [rankdir=TB, bgcolor="transparent", fontname="Helvetica", nodesep=0.3, ranksep=0.6];',
    'node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11];',
    'edge [color="#6e7781", arrowsize=0.7];',
    ...graph.nodes.map((node) => `${quoted(node.name)} [${attributes(nodeAttributes(node))}];`),
    ...graph.edges.map((edge) => {
      const all = {
        ...EDGE_STYLES[edge.kind],
        ...(edge.isUntrusted ? UNTRUSTED : {}),
        ...(isCycleStep(edge) ? { color: "#d1242f", penwidth: "2" } : {}),
      };
      const list = attributes(all);
      return `${quoted(edge.from)} -> ${quoted(edge.to)}${list === "" ? "" : ` [${list}]`};`;
    }),
    ...LEVELS.toReversed().flatMap((level) => sameRank(graph.nodes, level)),
  ];
  return ["digraph skills {", ...lines.map((line) => `  ${line}`), "}"].join("\n");
}

type Attributes = Readonly<Record<string, string>>;

const COLORS: Readonly<Record<Operation, { readonly fill: string; readonly line: string }>> = {
  TRANSFORM: { fill: "#e3f4ea", line: "#2b8a57" },
  READ: { fill: "#e3effc", line: "#2f74c0" },
  WRITE: { fill: "#fdeedd", line: "#c26a15" },
};

const EDGE_STYLES: Readonly<Record<GraphEdge["kind"], Attributes>> = {
  call: {},
  declared: { style: "dashed" },
  dynamic: { style: "dotted", label: "chosen at run time", fontsize: "9" },
};

const UNTRUSTED: Attributes = {
  color: "#8250df",
  penwidth: "3",
  tooltip: "what untrusted tools answer goes this way into a call that writes",
};

function nodeAttributes(node: GraphNode): Attributes {
  const label = visibleLine(node.name);
  switch (node.kind) {
    case "skill": {
      const { fill, line } = COLORS[node.operation];
      return {
        label: `${label}\nL${node.level} ${node.operation}`,
        fillcolor: fill,
        color: line,
        tooltip: visibleLine(node.description),
      };
    }
    case "missing":
      return { label: `${label}\nmissing`, style: "rounded,dashed", color: "#d1242f", fontcolor: "#d1242f" };
    case "tool":
      return {
        label: `${label}\ntool`,
        shape: "hexagon",
        style: "filled",
        fillcolor: "#f0f1f3",
        color: "#6e7781",
      };
    case "any":
      return { label, shape: "circle", style: "dotted", color: "#6e7781", tooltip: "chosen at run time" };
  }
}

function sameRank(nodes: readonly GraphNode[], level: number): readonly string[] {
  const names = nodes.filter((node) => node.kind === "skill" && node.level === level).map(({ name }) => name);
  return names.length > 1 ? [`{ rank=same; ${names.map((name) => `${quoted(name)};`).join(" ")} }`] : [];
}

function attributes(all: Attributes): string {
  return Object.entries(all)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(", ");
}

/** A text as Graphviz shows it: it reads `\n` as a new line, and entities as what they stand for. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("&", "&amp;")
    .replaceAll("\n", "\\n");
}

/** A node's identifier: other for every name, and without a single backslash before the closing quotation mark. */
function quoted(name: string): string {
  return `"${visibleLine(name.replaceAll("\\", "\\\\")).replaceAll('"', '\\"')}"`;
}
