/** An output that may be given again, and what its first call took, so that a reuse gets no other verdict than a run. */
export interface ReusableOutput {
  /** JSON text. */
  readonly text: string;
  /** Levels of calls below it. */
  readonly height: number;
  /** Calls below it, all levels. */
  readonly calls: number;
  /** Digests of the skills below it, by name. */
  readonly callees: ReadonlyMap<string, string>;
}
