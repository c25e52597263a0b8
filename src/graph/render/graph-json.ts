import { graphFacts } from "./graph-facts.ts";
import type { GraphNode, SkillGraph } from "../skill-graph.ts";

/** The graph as JSON text: nodes, edges, cycles, and statistics named as the composable-skills proposal names them. */
export function graphJson(graph: SkillGraph): string {
  const { skills, perLevel, roots, leaves, maxDepth, cycles, missing } = graphFacts(graph);
  const statistics = {
    total_skills: skills,
    levels: perLevel,
    roots,
    leaves,
    max_depth: maxDepth,
    cycles,
    missing_deps: missing.length,
  };
  const shown = { nodes: graph.nodes.map(shownNode), edges: graph.edges, cycles: graph.cycles, statistics };
  return JSON.stringify(shown, undefined, 2);
}

function shownNode(node: GraphNode): object {
  if (node.kind !== "skill") return { name: node.name, kind: node.kind };
  const { name, kind, skillKind, level, operation, depth, description, contract } = node;
  const { input, output } = contract;
  return { name, kind, skillKind, level, operation, depth, description, input, output };
}
