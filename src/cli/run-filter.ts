import { type Command, InvalidArgumentError, Option } from "commander";
import type { EventStatus, TraceSource } from "../core/trace-event.ts";
import type { RunFilter, TraceStore } from "../trace/trace-store.ts";
import { runOrSessionOf } from "./run-or-session.ts";
import { valueOrThrow } from "./session.ts";

export interface FilterOptions {
  readonly status?: EventStatus;
  readonly name?: string;
  readonly source?: TraceSource;
  readonly session?: string;
  readonly since?: number;
  readonly until?: number;
  readonly text?: string;
}

/** Options that tell which runs are meant. */
export function withRunFilters(command: Command): Command {
  return command
    .addOption(
      new Option("--status <status>", "only runs that ended so").choices([
        "running",
        "completed",
        "failed",
        "cancelled",
      ] satisfies EventStatus[]),
    )
    .option("--name <name>", "only runs of this skill or tool; of imported ones the format")
    .addOption(
      new Option("--source <source>", "only runs that came from there").choices([
        "run",
        "session",
        "server",
        "import",
      ] satisfies TraceSource[]),
    )
    .option("--session <id>", "only runs of this session; the beginning of its id is enough")
    .option("--since <time>", "only runs since a date (2026-01-05) or so long ago (30m, 24h, 7d, 2w)", timeOf)
    .option("--until <time>", "only runs before a date, or longer ago", timeOf)
    .option("--text <words>", "only runs in which these words occur");
}

export async function runFilter(store: TraceStore, options: FilterOptions): Promise<RunFilter> {
  const { session, status, name, source, since, until, text } = options;
  const given = { status, name, source, since, until, text };
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (session === undefined) return defined;
  const { id } = valueOrThrow(await runOrSessionOf(store, session, ["session"]));
  return { ...defined, sessionId: id };
}

/** Milliseconds since 1970, of a date in local time or of so long ago. */
export function timeOf(given: string): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(given) ?? [];
  if (amount !== undefined) return Date.now() - Number(amount) * (UNITS[unit] ?? 0);
  const day = given.slice(0, 10);
  const time = given.length === 10 ? "T00:00" : given.slice(10).replace(" ", "T");
  const at = DATE.test(given) && isDay(day) ? Date.parse(day + time) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError(
      'it is neither a date like "2026-01-05" or "2026-01-05T10:00" nor an age like "7d" or "24h"',
    );
  return at;
}

export function positiveInteger(given: string): number {
  const value = Number(given);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError("it is not a whole number from 1 on");
  return value;
}

export function positiveNumber(given: string): number {
  const value = Number(given);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("it is not a number above 0");
  return value;
}

/** How many calls a chain has. */
export function chainLength(given: string): number {
  if (!/^[2-5]$/.test(given)) throw new InvalidArgumentError("a sequence has from 2 to 5 calls");
  return Number(given);
}

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Whether it is in the calendar: `Date` takes February 30 for March 2. */
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;
