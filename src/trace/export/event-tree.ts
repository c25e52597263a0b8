import type { Trace, TraceEvent } from "../../core/trace-event.ts";

/** An event with those that happened within it. */
export interface EventNode {
  readonly event: TraceEvent;
  readonly children: EventNode[];
}

/** The events of a trace as a tree, in their order. One whose parent is not there stands at the top. */
export function eventTree({ events }: Pick<Trace, "events">): readonly EventNode[] {
  const nodes = new Map<string, EventNode>(events.map((event) => [event.id, { event, children: [] }]));
  const roots: EventNode[] = [];
  const places = new Map(events.map(({ id }, place) => [id, place]));
  for (const node of nodes.values()) {
    const { id, parentEventId } = node.event;
    // A parent comes before its children; what says otherwise would have no top.
    const isAfter = (places.get(parentEventId ?? "") ?? Infinity) < (places.get(id) ?? 0);
    const parent = isAfter ? nodes.get(parentEventId ?? "") : undefined;
    (parent?.children ?? roots).push(node);
  }
  return roots;
}

/** Whether it was called: a tool, a skill, code or another agent. */
export function isCall({ eventType, eventSubtype, parentEventId }: TraceEvent): boolean {
  return eventType === "agent_call"
    ? parentEventId !== undefined && eventSubtype !== "message"
    : eventType === "tool_call" || eventType === "skill_call" || eventType === "code_exec";
}

/** The calls that are within no other call, and what was said between them. */
export function outermost(nodes: readonly EventNode[]): readonly EventNode[] {
  return nodes.flatMap((node) => {
    const isTold = isCall(node.event) || node.event.eventSubtype === "message";
    return isTold
      ? [node, ...(isCall(node.event) ? [] : outermost(node.children))]
      : outermost(node.children);
  });
}

export function nestedCalls(trace: Trace): number {
  const within = (nodes: readonly EventNode[]): number =>
    nodes.reduce((sum, { event, children }) => sum + (isCall(event) ? 1 : 0) + within(children), 0);
  const roots = eventTree(trace);
  const told = outermost(roots).filter(({ event }) => isCall(event));
  return within(roots) - told.length;
}
