import { OWN_TOOL } from "../../core/trace-event.ts";
import { RETRY_WITHIN } from "../record/retry.ts";
import type { DurationRow, EventRow, FileRow, PatternRow, RunRow, UsageRow } from "./tables.ts";

/** What of an event counts. */
export type EventFacts = Pick<
  EventRow,
  | "id"
  | "parent_event_id"
  | "event_type"
  | "event_subtype"
  | "execution_order"
  | "agent_name"
  | "status"
  | "timestamp"
  | "duration_ms"
  | "skill_digest"
  | "input_tokens"
  | "output_tokens"
  | "cost"
  | "imports"
  | "handed_to"
  | "caller"
  | "fault"
  | "retry_of"
>;

export const FACT_COLUMNS = [
  "id",
  "parent_event_id",
  "event_type",
  "event_subtype",
  "execution_order",
  "agent_name",
  "status",
  "timestamp",
  "duration_ms",
  "skill_digest",
  "input_tokens",
  "output_tokens",
  "cost",
  "imports",
  "handed_to",
  "caller",
  "fault",
  "retry_of",
] as const satisfies readonly (keyof EventFacts)[];

export type SessionRun = Pick<RunRow, "run_id" | "started_at" | "chain">;

/** +1 for what is added, -1 for what is taken away. */
export type Sign = 1 | -1;

const MAX_CHAIN = 5;

/** From its first call to its last a chain spans so many calls, those that were tried again with them. */
const MAX_SPAN = MAX_CHAIN + RETRY_WITHIN;

/** A change of a run changes the chains of a session up to so many runs before and after it. */
export const NEIGHBOURS = MAX_SPAN + 2 * RETRY_WITHIN;

/**
 * Changes of the summaries. All of them add up: what a run adds when it is recorded, it takes away when it is deleted,
 * in whatever parts it came.
 */
export class Tally {
  readonly #usage = new Map<string, UsageRow>();
  readonly #durations = new Map<string, DurationRow>();
  readonly #patterns = new Map<string, { -readonly [Key in keyof PatternRow]: PatternRow[Key] }>();

  /** An event that has ended. */
  event(event: EventFacts, sign: Sign): void {
    if (event.status === "running") return;
    const kind = callKind(event);
    if (kind !== undefined) this.#call(kind, event, sign);
    if (event.imports !== null) {
      const pattern = JSON.stringify([event.imports, event.agent_name ?? ""]);
      this.#pattern("code", pattern, 1, sign, event.status === "completed");
    }
  }

  file({ extension, made_by }: Pick<FileRow, "extension" | "made_by">, sign: Sign): void {
    this.#pattern("file", JSON.stringify([extension, made_by]), 1, sign, true);
  }

  /** The sequences within a run that has ended; `events` are all that it has. */
  sequences(events: readonly EventFacts[], sign: Sign): void {
    const ordered = inOrder(events);
    for (const links of callGroups(ordered).values()) {
      const placed = links.map((link) => placedLink(storedLink(link), ""));
      this.#chains(placed, sign, "all");
    }
    for (const [from, to] of handOffs(ordered))
      this.#pattern("handoff", JSON.stringify([from, to]), 2, sign, true);
  }

  /** The sequences across the runs of a session: `runs` are neighbours, before or after a change of one of them. */
  session(runs: readonly SessionRun[], sign: Sign): void {
    const links: Placed[] = runs
      .toSorted((a, b) => a.started_at - b.started_at || (a.run_id < b.run_id ? -1 : 1))
      .flatMap(({ run_id, chain }) =>
        (JSON.parse(chain ?? "[]") as StoredChain).map((link) => link && placedLink(link, run_id)),
      );
    this.#chains(withoutRetried(links), sign, "across runs");
  }

  usage(): readonly UsageRow[] {
    return sortedByKey(this.#usage).filter(({ calls }) => calls !== 0);
  }

  durations(): readonly DurationRow[] {
    return sortedByKey(this.#durations).filter(({ count }) => count !== 0);
  }

  patterns(): readonly PatternRow[] {
    return sortedByKey(this.#patterns).filter(({ count, completed }) => count !== 0 || completed !== 0);
  }

  #call(kind: "tool" | "skill", event: EventFacts, sign: Sign): void {
    const day = Math.floor(event.timestamp / DAY_MS);
    const name = event.agent_name ?? "";
    const digest = event.skill_digest ?? "";
    const key = JSON.stringify([kind, name, digest, day]);
    const before = this.#usage.get(key) ?? UNUSED;
    this.#usage.set(key, {
      day,
      kind,
      name,
      digest,
      calls: before.calls + sign,
      completed: before.completed + (event.status === "completed" ? sign : 0),
      failed: before.failed + (event.status === "failed" && event.fault === null ? sign : 0),
      invalid: before.invalid + (event.status === "failed" && event.fault !== null ? sign : 0),
      input_tokens: before.input_tokens + sign * (event.input_tokens ?? 0),
      output_tokens: before.output_tokens + sign * (event.output_tokens ?? 0),
      cost: before.cost + sign * (event.cost ?? 0),
      last_used: Math.max(before.last_used, event.timestamp),
    });
    if (event.duration_ms === null) return;
    const bucket = durationBucket(event.duration_ms);
    const bucketKey = JSON.stringify([kind, name, digest, day, bucket]);
    const { count } = this.#durations.get(bucketKey) ?? { count: 0 };
    this.#durations.set(bucketKey, { day, kind, name, digest, bucket, count: count + sign });
  }

  /** All chains that begin with one of the links, or of these those across runs. */
  #chains(links: readonly Placed[], sign: Sign, which: "all" | "across runs"): void {
    links.forEach((first, start) => {
      if (!first || first.isRetried) return;
      let names = first.quotedName;
      let length = 1;
      let isOk = first.ok;
      let counts = which === "all";
      const end = Math.min(links.length, start + MAX_SPAN);
      for (let at = start + 1; at < end && length < MAX_CHAIN; at++) {
        const link = links[at];
        if (!link) break;
        if (link.isRetried) continue;
        names += `,${link.quotedName}`;
        length++;
        isOk &&= link.ok;
        counts ||= link.run !== first.run;
        if (counts) this.#pattern("chain", `[${names}]`, length, sign, isOk);
      }
    });
  }

  #pattern(kind: string, pattern: string, length: number, sign: Sign, ok: boolean): void {
    const key = `${kind}${pattern}`;
    const known = this.#patterns.get(key);
    const row = known ?? { kind, pattern, length, count: 0, completed: 0 };
    if (!known) this.#patterns.set(key, row);
    row.count += sign;
    if (ok) row.completed += sign;
  }
}

const UNUSED: Omit<UsageRow, "day" | "kind" | "name" | "digest"> = {
  ...{ calls: 0, completed: 0, failed: 0, invalid: 0 },
  ...{ input_tokens: 0, output_tokens: 0, cost: 0, last_used: 0 },
};

export const DAY_MS = 86_400_000;

/** How the calls that nothing in the run made are kept with the run; null where it called nothing. */
export function chainText(events: readonly EventFacts[]): string | null {
  const links = callGroups(inOrder(events)).get("");
  if (!links) return null;
  const stored: StoredChain = links.map(storedLink);
  const ends = MAX_SPAN - 1;
  // What is between can be in no chain with another run.
  const kept = stored.length <= 2 * ends ? stored : [...stored.slice(0, ends), null, ...stored.slice(-ends)];
  return JSON.stringify(kept);
}

/** Durations are counted in steps of 10 %, so that a percentile is off by less than 5 %. */
function durationBucket(ms: number): number {
  return ms <= MIN_MS ? 0 : Math.ceil(Math.log(ms / MIN_MS) / Math.log(STEP));
}

/** The middle of a bucket. */
export function bucketMs(bucket: number): number {
  return bucket === 0 ? MIN_MS : MIN_MS * STEP ** (bucket - 0.5);
}

const MIN_MS = 0.01;
const STEP = 1.1;

function callKind(
  event: Pick<EventFacts, "event_type" | "agent_name" | "caller">,
): "tool" | "skill" | undefined {
  switch (event.event_type) {
    case "tool_call":
      return "tool";
    case "code_exec":
      // Code that an agent gave to no tool bears the agent's own name.
      return event.caller !== null && event.caller === event.agent_name ? undefined : "tool";
    case "skill_call":
      return "skill";
    default:
      return undefined;
  }
}

/** Which events are calls of a kind, as `callKind` tells it. */
export const CALLS_IN_SQL: Readonly<Record<"tool" | "skill", string>> = {
  tool: "(event_type = 'tool_call' or event_type = 'code_exec' and coalesce(caller, '') <> coalesce(agent_name, ''))",
  skill: "event_type = 'skill_call'",
};

interface Link {
  readonly name: string;
  readonly ok: boolean;
  /** Of its event. */
  readonly id: string;
  /** The event of the failed call that it tries again. */
  readonly retryOf: string | null;
}

/** null where calls are left out. */
type Placed =
  | (Omit<Link, "name"> & { readonly quotedName: string; readonly run: string; readonly isRetried: boolean })
  | null;

/** The id stands there for a call that failed, the other for one that tries another again. */
type StoredLink = readonly [name: string, ok: 0 | 1, id?: string | null, retryOf?: string | null];
type StoredChain = readonly (StoredLink | null)[];

function storedLink({ name, ok, id, retryOf }: Link): StoredLink {
  if (retryOf !== null) return [name, ok ? 1 : 0, ok ? null : id, retryOf];
  return ok ? [name, 1] : [name, 0, id];
}

function placedLink([name, ok, id = null, retryOf = null]: StoredLink, run: string): Placed {
  return { quotedName: JSON.stringify(name), ok: ok === 1, id: id ?? "", retryOf, run, isRetried: false };
}

/** Marks the calls that were tried again: their retries stand for them. */
function withoutRetried(links: readonly Placed[]): readonly Placed[] {
  return links.map((link, index) => {
    if (!link || link.ok) return link;
    const later = links.slice(index + 1, index + 1 + RETRY_WITHIN);
    return later.some((each) => each?.retryOf === link.id) ? { ...link, isRetried: true } : link;
  });
}

/**
 * The calls made by the same caller, in order; under "" those that no call made. Of calls that were tried again the last
 * one stands; the server's own tools are no part of the work.
 */
function callGroups(ordered: readonly EventFacts[]): ReadonlyMap<string, Link[]> {
  const byId = new Map(ordered.map((event) => [event.id, event]));
  const groups = new Map<string, Link[]>();
  const retried = new Set(ordered.map(({ retry_of }) => retry_of));
  for (const event of ordered) {
    if (callKind(event) === undefined || event.status === "running") continue;
    if (retried.has(event.id) || event.event_subtype === OWN_TOOL) continue;
    const caller = callerOf(event, byId);
    const { id, retry_of } = event;
    const link = {
      name: event.agent_name ?? "",
      ok: event.status === "completed",
      id,
      retryOf: retry_of !== null && byId.has(retry_of) ? null : retry_of,
    };
    const group = groups.get(caller);
    if (group) group.push(link);
    else groups.set(caller, [link]);
  }
  return groups;
}

function callerOf(event: EventFacts, byId: ReadonlyMap<string, EventFacts>): string {
  const seen = new Set<string>();
  let parent = event.parent_event_id;
  while (parent !== null && !seen.has(parent)) {
    seen.add(parent);
    const found = byId.get(parent);
    if (!found) return "";
    if (callKind(found) !== undefined) return found.id;
    parent = found.parent_event_id;
  }
  return "";
}

// A hand-off that is told and one that shows as the next agent's turn are one.
function handOffs(ordered: readonly EventFacts[]): readonly (readonly [string, string])[] {
  const turns = ordered.flatMap(({ event_type, event_subtype, agent_name, handed_to }) =>
    (event_type === "agent_call" && event_subtype !== "transcript") || event_type === "handoff"
      ? [agent_name, handed_to].filter((name) => name !== null)
      : [],
  );
  return turns.flatMap((to, index) => {
    const from = turns[index - 1];
    return from === undefined || from === to ? [] : [[from, to] as const];
  });
}

function inOrder(events: readonly EventFacts[]): readonly EventFacts[] {
  return events.toSorted(
    (a, b) => a.execution_order - b.execution_order || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
  );
}

// Always in the same order, so that two writers never wait for each other's rows.
function sortedByKey<Row>(rows: ReadonlyMap<string, Row>): readonly Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
