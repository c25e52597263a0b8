import type { Position } from "../core/error.ts";
import type { Contract, Operation, SkillKind } from "../core/skill.ts";

/** 1 calls no skill, 2 calls skills, 3 loops over calls, calls itself, or chooses names at run time. */
export type Level = 1 | 2 | 3;

/** How skills and tools call each other: plain data, in a stable order. */
export interface SkillGraph {
  /** By name. */
  readonly nodes: readonly GraphNode[];
  /** By caller, then by callee. */
  readonly edges: readonly GraphEdge[];
  /** Names from one skill back to it, for each group of skills that call each other in a circle. */
  readonly cycles: readonly (readonly string[])[];
}

/** A node of the graph; names are unique. */
export type GraphNode =
  | SkillNode
  /** A skill that is called or declared, but is not there. */
  | { readonly kind: "missing"; readonly name: string }
  /** An upstream tool. */
  | { readonly kind: "tool"; readonly name: string }
  /** What a call reaches whose name only running tells; its name is `?`. */
  | { readonly kind: "any"; readonly name: "?" };

export interface SkillNode {
  readonly kind: "skill";
  readonly name: string;
  readonly skillKind: SkillKind;
  readonly description: string;
  readonly level: Level;
  readonly operation: Operation;
  readonly contract: Contract;
  /** Calls on the longest chain below it; circles are not followed. */
  readonly depth: number;
}

/** A caller and a callee; at most one edge for each pair. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `call`: the code shows it; `declared`: only `composes` tells it; `dynamic`: the name is known only at run time. */
  readonly kind: "call" | "declared" | "dynamic";
  /** Where the calls stand, or the declaration. */
  readonly places: readonly Position[];
}
