import type { UpstreamFinding } from "./tools/upstream-tool.ts";

/**
 * `idle`: not needed yet. `backing-off`: it failed and is left alone for a while. `failed`: it failed, and is tried
 * again when it is needed, unless it is its settings that are at fault.
 */
type UpstreamState = "idle" | "connecting" | "ready" | "failed" | "backing-off" | "disabled";

/** How a server is. */
export interface UpstreamHealth {
  readonly name: string;
  readonly transport: "stdio" | "http" | "unknown";
  readonly state: UpstreamState;
  /** Since when it is in this state. */
  readonly since: string;
  /** When it may be tried again, while it is left alone. */
  readonly retryAt?: string;
  readonly pid?: number;
  readonly protocolVersion?: string;
  readonly server?: { readonly name: string; readonly version: string };
  /** Tools that may be called, and all that it lists. */
  readonly tools?: { readonly allowed: number; readonly listed: number };
  /** Calls that it works on now. */
  readonly inFlight: number;
  /** How often it was reached again after it had been lost. */
  readonly restarts: number;
  readonly lastError?: string;
  /** What is wrong with what it says and does, the last first. */
  readonly findings: readonly UpstreamFinding[];
  /** The last lines of its stderr. */
  readonly stderr: readonly string[];
}
