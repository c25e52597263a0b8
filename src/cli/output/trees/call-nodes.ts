import { isJsonObject, type Json } from "../../../core/json/json.ts";
import type { Trace, TraceEvent, TraceFile } from "../../../core/trace-event.ts";
import { isCall } from "../../../trace/export/event-tree.ts";
import { cutToWidth, oneLine } from "../../../core/text/display-text.ts";

/** An event with those within it, or several equal ones in a row. */
export interface CallNode {
  /** The first, where it stands for several. */
  readonly event: TraceEvent;
  readonly files: readonly TraceFile[];
  readonly children: readonly CallNode[];
  readonly count: number;
  /** What tells its input from others; of several the first and the last one. */
  readonly about?: string;
  /** How many events are within it. */
  readonly below: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Of all together; absent where none is known. */
  readonly durationMs?: number;
}

/**
 * A trace's events as trees, whatever their parents are: one whose parent is not there is a root, and so is the first of
 * a cycle. Equal siblings in a row are one node, unless all are asked for.
 */
export function callNodes(
  trace: Trace,
  { all = false }: { readonly all?: boolean } = {},
): readonly CallNode[] {
  const { visited, roots } = visit(trace.events);
  const files = Map.groupBy(trace.files, ({ eventId }) => eventId);
  const shapes = new Map<string, number>();
  const shaped = new Map<string, Shaped>();
  // Whoever is visited later is never above, so that children are ready before their parents.
  for (const { event, childIds } of visited.toReversed()) {
    const children = siblings(childIds, shaped, all);
    const key = JSON.stringify([looks(event), children.map(({ shape, node }) => [shape, node.count])]);
    const shape = shapes.get(key) ?? shapes.size;
    shapes.set(key, shape);
    const { timestamp, durationMs } = event;
    const node: CallNode = {
      event,
      files: files.get(event.id) ?? [],
      children: children.map((child) => child.node),
      count: 1,
      below: children.reduce((sum, child) => sum + child.node.count + child.node.below, 0),
      startMs: timestamp,
      endMs: timestamp + (durationMs ?? 0),
      ...(durationMs === undefined ? {} : { durationMs }),
      ...given(isCall(event) ? tellingArgument(event.inputs) : undefined),
    };
    if (all || !isSilent(node)) shaped.set(event.id, { shape, node });
  }
  return siblings(roots, shaped, all).map(({ node }) => node);
}

/** What an agent said. */
export function isMessage({ eventType, eventSubtype }: TraceEvent): boolean {
  return eventType === "agent_call" && eventSubtype === "message";
}

interface Shaped {
  /** Equal for those that look the same with all that is within them. */
  readonly shape: number;
  readonly node: CallNode;
}

const MIN_EQUAL = 4;

function siblings(
  ids: readonly string[],
  shaped: ReadonlyMap<string, Shaped>,
  all: boolean,
): readonly Shaped[] {
  const each = ids.flatMap((id) => shaped.get(id) ?? []);
  if (all) return each;
  const rows: Shaped[][] = [];
  for (const next of each) {
    const row = rows.at(-1);
    if (row?.[0]?.shape === next.shape) row.push(next);
    else rows.push([next]);
  }
  return rows.flatMap((row) => (row.length < MIN_EQUAL ? row : asOne(row)));
}

function asOne(row: readonly Shaped[]): readonly Shaped[] {
  const [first] = row;
  if (!first) return [];
  const nodes = row.map(({ node }) => node);
  const [about, last] = [first.node.about, nodes.at(-1)?.about];
  const durations = nodes.flatMap(({ durationMs }) => durationMs ?? []);
  const node: CallNode = {
    ...first.node,
    count: nodes.length,
    below: sum(nodes.map(({ below }) => below)),
    startMs: nodes.reduce((least, { startMs }) => Math.min(least, startMs), Infinity),
    endMs: nodes.reduce((most, { endMs }) => Math.max(most, endMs), -Infinity),
    ...given(about === last ? about : `${about ?? ""} … ${last ?? ""}`.trim()),
    ...(durations.length === 0 ? {} : { durationMs: sum(durations) }),
  };
  return [{ shape: first.shape, node }];
}

/** What is drawn of an event itself, but for its times and its files. */
function looks(event: TraceEvent): unknown {
  const { eventType, eventSubtype, agentName, status, errorCode, errorMessage, meta } = event;
  const said = isMessage(event) ? event.outputs : eventType === "handoff" ? event.inputs : undefined;
  return [eventType, eventSubtype, agentName, status, errorCode, errorMessage, said, meta?.["reused"]];
}

/** A message without words tells only of tokens. */
function isSilent({ event, children }: CallNode): boolean {
  return isMessage(event) && children.length === 0 && (event.outputs === undefined || event.outputs === "");
}

function given(about: string | undefined): { readonly about?: string } {
  return about === undefined ? {} : { about };
}

/** The argument that most likely says what a call is about: a name or a place before a longer text. */
function tellingArgument(inputs: Json | undefined): string | undefined {
  if (!isJsonObject(inputs)) return undefined;
  const texts = Object.entries(inputs).flatMap(([key, value]) => {
    const [first] = Array.isArray(value) ? value : [value];
    const isName = TELLING.test(key);
    const text = typeof first === "number" && isName ? String(first) : first;
    if (typeof text !== "string" || text.trim() === "") return [];
    return [{ text, rank: isName ? 0 : text.length <= MAX_ABOUT ? 1 : 2 }];
  });
  const [best] = texts.toSorted((a, b) => a.rank - b.rank);
  return best && cutToWidth(oneLine(best.text.slice(0, MAX_SHOWN)), MAX_ABOUT);
}

/** How arguments are called that name what a call is about. */
const TELLING =
  /(?:^|_|[a-z](?=[A-Z]))(?:id|ids|name|path|file|url|uri|query|email|title|key|number|command)s?$/i;
const MAX_ABOUT = 40;
const MAX_SHOWN = 200;

interface Visited {
  readonly event: TraceEvent;
  readonly childIds: string[];
}

function visit(events: readonly TraceEvent[]): {
  readonly visited: readonly Visited[];
  readonly roots: readonly string[];
} {
  const known = new Set(events.map(({ id }) => id));
  const within = Map.groupBy(events, ({ parentEventId }) =>
    parentEventId !== undefined && known.has(parentEventId) ? parentEventId : undefined,
  );
  const reached = new Set<string>();
  const visited: Visited[] = [];
  const roots: string[] = [];
  const follow = (root: TraceEvent): void => {
    const left: { readonly event: TraceEvent; readonly parent: Visited | undefined }[] = [
      { event: root, parent: undefined },
    ];
    for (let next = left.pop(); next; next = left.pop()) {
      const { event, parent } = next;
      if (reached.has(event.id)) continue;
      reached.add(event.id);
      const own: Visited = { event, childIds: [] };
      visited.push(own);
      (parent?.childIds ?? roots).push(event.id);
      for (const child of (within.get(event.id) ?? []).toReversed()) left.push({ event: child, parent: own });
    }
  };
  for (const root of within.get(undefined) ?? []) follow(root);
  for (const event of events) if (!reached.has(event.id)) follow(event);
  return { visited, roots };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Where a file was written, as the event or its files tell it. */
export function pathOf({ event, files }: CallNode): string {
  const { outputs, agentName } = event;
  const told = isJsonObject(outputs) ? outputs["path"] : undefined;
  return files[0]?.path ?? (typeof told === "string" ? told : (agentName ?? "a file"));
}

/** A time in which nothing happened, in milliseconds since 1970. */
export interface IdleTime {
  readonly from: number;
  readonly to: number;
}

/** Where for a minute or more nothing went on: nobody called, said or wrote anything. */
export function idleTimes(roots: readonly CallNode[]): readonly IdleTime[] {
  const busy: IdleTime[] = [];
  const left = [...roots];
  for (let node = left.pop(); node; node = left.pop()) {
    // An agent that called something was there all the time, but need not have done anything.
    const isAround = node.event.eventType === "agent_call" && node.children.length > 0;
    if (!isAround) busy.push({ from: node.startMs, to: node.endMs });
    left.push(...node.children);
  }
  const idle: IdleTime[] = [];
  let until = Infinity;
  for (const { from, to } of busy.sort((a, b) => a.from - b.from)) {
    if (from - until >= MIN_IDLE_MS) idle.push({ from: until, to: from });
    until = until === Infinity ? to : Math.max(until, to);
  }
  return idle;
}

const MIN_IDLE_MS = 60_000;

/** How long it is from one time to another, without the times in which nothing happened. */
export function workedMs(from: number, to: number, idle: readonly IdleTime[]): number {
  const folded = idle.reduce(
    (sum, gap) => sum + Math.max(0, Math.min(gap.to, to) - Math.max(gap.from, from)),
    0,
  );
  return Math.max(0, to - from - folded);
}
