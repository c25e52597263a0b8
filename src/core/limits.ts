/** What one run may use. Budgets belong to the run: nesting does not multiply them. */
export interface Limits {
  /** Wall time in milliseconds. */
  readonly wallMs: number;
  /** CPU time in milliseconds; waiting costs none. */
  readonly cpuMs: number;
  /** Memory in megabytes (2^20 bytes). */
  readonly memoryMb: number;
  /** Calls nested below the root. */
  readonly depth: number;
  /** Calls in a run, the root not counted. */
  readonly calls: number;
  /** Calls at work at once. */
  readonly inFlight: number;
  /** Bytes of an input or output as JSON text. */
  readonly payloadBytes: number;
  /** Bytes of console output kept with a run. */
  readonly consoleBytes: number;
}

/** What a sandbox holds from its start; no limit can be lower. */
export const MIN_MEMORY_MB = 16;

export const DEFAULT_LIMITS: Limits = {
  wallMs: 30_000,
  cpuMs: 5_000,
  memoryMb: 64,
  depth: 5,
  calls: 256,
  inFlight: 32,
  payloadBytes: 1_048_576,
  consoleBytes: 262_144,
};
