/** What an import takes at most; what is beyond is cut or left out, and reported. A transcript is untrusted input. */
export interface ImportLimits {
  /** Bytes of one line, or of one element of a document. */
  readonly valueBytes: number;
  /** Values (objects, lists and their members) in one line or element. */
  readonly values: number;
  /** Nesting of an argument or a result; what lies deeper is cut. */
  readonly depth: number;
  /** Characters of one text within an argument or a result. */
  readonly text: number;
  /** Values in one argument or result. */
  readonly leaves: number;
  /** Calls, messages and errors in one trace. */
  readonly steps: number;
  /** Characters that one trace holds; calls beyond are left out. */
  readonly traceSize: number;
  /** Characters that all unfinished traces hold together; beyond, the one untouched longest is given as it is. */
  readonly openSize: number;
}

export const IMPORT_LIMITS: ImportLimits = {
  valueBytes: 16 << 20,
  values: 1_000_000,
  depth: 64,
  text: 1 << 20,
  leaves: 100_000,
  steps: 10_000,
  traceSize: 24 << 20,
  openSize: 48 << 20,
};

/** Why something of an input was not used. */
export const SKIP_REASONS = {
  "not-json": "It is not JSON",
  "not-utf8": "Bytes that are no UTF-8 were replaced",
  truncated: "The input ends in the middle of a value",
  "too-large": "A line or an element is larger than the limit",
  "too-deep": "A value is nested deeper than the limit",
  cut: "A part of an argument or a result was cut, being larger than the limit",
  "unknown-format": "It is in no format that can be imported",
  "not-extractable": "The call is recorded without its arguments",
  "no-call": "A result that answers no call",
  "no-name": "A call without a tool's name",
  "too-many-steps": "The trace has more calls and messages than the limit",
  "trace-too-large": "The trace holds more text than the limit",
  unpaired: "A result without an id, where several calls wait for one",
  "not-understood": "It was read, and holds nothing that is known",
  nothing: "It holds no call, no message and no task",
  abandoned: "A branch of the conversation that was given up",
  duplicate: "It was in the input before",
  cycle: "It is its own ancestor",
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;
