import type { Position } from "./error.ts";

/**
 * How a value goes from one place to another, surest first: its text does; it decides which of several values does; or
 * it may, since the code was not followed: by names known only when it runs, by errors, or by code that is not
 * understood.
 */
export const FLOW_KINDS = ["value", "choice", "unfollowed"] as const;
export type FlowKind = (typeof FLOW_KINDS)[number];

/** What one skill's code does with values, its callees left aside. */
export interface CodeFlows {
  readonly calls: readonly FlowCall[];
  readonly flows: readonly CodeFlow[];
}

/** A call of a skill or of an upstream tool, with all the names that it can have; none: only running it tells. */
export interface FlowCall extends Position {
  readonly kind: "skill" | "tool";
  readonly names?: readonly string[];
}

/** From where to where. Calls are indexes into `CodeFlows.calls`; without a property all of the value is meant. */
export interface CodeFlow {
  readonly from: FlowOrigin;
  readonly to: FlowTarget;
  readonly kind: FlowKind;
  /** Where the value arrives. */
  readonly at: Position;
}

export type FlowOrigin =
  | { readonly kind: "input"; readonly property?: string }
  | { readonly kind: "answer"; readonly call: number; readonly property?: string }
  /** The error with which a call failed. */
  | { readonly kind: "failure"; readonly call: number };

type FlowTarget =
  | { readonly kind: "output"; readonly property?: string }
  /** An error that the skill throws. */
  | { readonly kind: "error" }
  | { readonly kind: "argument"; readonly call: number; readonly property?: string };

/** A way from what an untrusted upstream tool has answered into a call that writes. */
export interface ComposedFlow {
  /** The skill in whose code source and write come together. */
  readonly skill: string;
  /** The tool that answered; `?` where only running tells which. */
  readonly source: string;
  /** The tool, or the skill of operation WRITE, that is called with it; `?` where only running tells which. */
  readonly write: string;
  /** The argument of it; absent where it is all of them. */
  readonly argument?: string;
  readonly kind: FlowKind;
  /** From the call of the source to the call that writes. */
  readonly path: readonly FlowStep[];
}

/** One step of a flow, and where it stands. */
export interface FlowStep extends Position {
  readonly skill: string;
  /** Such as `reads feed.latest` or `gives it as "text" to note-save`. */
  readonly text: string;
}

/** A flow as reviewers and clients see it: the skills on the way, no places. */
export type ShownFlow = Pick<ComposedFlow, "source" | "write" | "argument" | "kind"> & {
  readonly through: readonly string[];
};

export function shownFlow({ source, write, argument, kind, path }: ComposedFlow): ShownFlow {
  const through = path.map(({ skill }) => skill).filter((name, index, all) => name !== all[index - 1]);
  return { source, write, ...(argument !== undefined && { argument }), kind, through };
}
