import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "../../core/json/json.ts";
import type { TraceStore, Usage, UsageFilter } from "../../trace/trace-store.ts";

/** How skills have fared, by name; empty where the store does not answer soon. */
export async function usageByName(store: TraceStore): Promise<ReadonlyMap<string, JsonObject>> {
  const lines = await usageOf(store, { limit: MAX_LINES });
  return new Map(lines.map((line) => [line.name, usageLine(line)]));
}

/** How a skill has fared, as a whole and by version; nothing where it was not called yet. */
export async function usageOfSkill(
  store: TraceStore,
  { name, digest }: { readonly name: string; readonly digest: string },
): Promise<JsonObject | undefined> {
  const [[whole], versions] = await Promise.all([
    usageOf(store, { name, limit: 1 }),
    usageOf(store, { name, byVersion: true, limit: MAX_VERSIONS }),
  ]);
  if (!whole) return undefined;
  return {
    ...usageLine(whole),
    versions: versions.map((line) => versionLine(line, digest)),
  };
}

const MAX_LINES = 10_000;
const MAX_VERSIONS = 10;
const DIGITS = 12;
const PATIENCE_MS = 1000;

async function usageOf(store: TraceStore, filter: UsageFilter): Promise<readonly Usage[]> {
  const late = new AbortController();
  const answer = await Promise.race([
    store.usage({ kind: "skill", ...filter }),
    pause(PATIENCE_MS, undefined, { ref: false, signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
  return answer?.ok ? answer.value : [];
}

function versionLine(line: Usage, current: string): JsonObject {
  const digest = line.skillDigest?.slice(0, DIGITS) ?? null;
  return { digest, isCurrent: line.skillDigest === current, ...usageLine(line) };
}

function usageLine({ calls, invalid, successRate, p50Ms, p95Ms, lastUsed }: Usage): JsonObject {
  return {
    calls,
    // Mistakes of callers: they do not count in the rate.
    invalid,
    successRate: {
      rate: rounded(successRate.rate),
      low: rounded(successRate.low),
      high: rounded(successRate.high),
    },
    ...(p50Ms === undefined ? {} : { p50Ms }),
    ...(p95Ms === undefined ? {} : { p95Ms }),
    lastUsed: new Date(lastUsed).toISOString(),
  };
}

function rounded(share: number): number {
  return Math.round(share * 1000) / 1000;
}
