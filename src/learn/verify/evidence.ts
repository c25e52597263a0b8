import * as z from "zod";
import { FLOW_KINDS, type ShownFlow } from "../../core/flow.ts";
import type { Json } from "../../core/json/json.ts";
import type { JsonDifference } from "./json-difference.ts";

/** Where a replay first differs from its record. `call` counts the calls made, `recorded` those of the trace. */
export type ReplayDifference =
  | { readonly kind: "unexpected-call"; readonly call: number; readonly tool: string; readonly args: Json }
  | ({
      readonly kind: "other-arguments";
      readonly call: number;
      readonly recorded: number;
      readonly tool: string;
    } & JsonDifference)
  /** A value of the recorded call came from a call that had not been made yet. */
  | {
      readonly kind: "too-early";
      readonly call: number;
      readonly recorded: number;
      readonly tool: string;
      readonly needs: number;
    }
  | { readonly kind: "missing-call"; readonly recorded: number; readonly tool: string; readonly args: Json }
  /** The skill's own failure. */
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly callPath?: string | undefined;
    }
  | ({ readonly kind: "other-output" } & JsonDifference)
  /** A case of its `tests.yaml`, by its name, and in words what is not as it says. */
  | { readonly kind: "failed-case"; readonly name: string; readonly message: string }
  /**
   * A recorded call had another outcome than in any run, and the draft made a call that may write all the same, or, where
   * its answer lacked a field, one without an argument.
   */
  | {
      readonly kind: "went-on";
      /** The name of the field that the answer lacked. */
      readonly field?: string | undefined;
      readonly recorded: number;
      readonly tool: string;
      readonly outcome: FaultOutcome;
      readonly next: string;
      readonly args: Json;
    };

/**
 * What a call is made to do that it did in no run: to fail for a reason of its own, to succeed where it had failed, or to
 * answer without a field that every answer had.
 */
export type FaultOutcome = (typeof FAULT_OUTCOMES)[number];
const FAULT_OUTCOMES = ["failed", "succeeded", "lacking"] as const;

/** What can be verified of a draft, from what says least to what says most. */
const RUNGS = ["types", "cases", "own", "twin", "faults", "heldOut", "live"] as const;
export type RungName = (typeof RUNGS)[number];

/** How often a check held. */
export interface Rung {
  readonly name: RungName;
  readonly passed: number;
  readonly of: number;
  /** The lower bound of the share that holds, with 95 % confidence. */
  readonly low: number;
  readonly counterexample?: Counterexample | undefined;
  /** For twins: what was changed in all of them. Where nothing was, they tell nothing. */
  readonly changed?: TwinChanges | undefined;
  /** For twins: how many of those that passed are as their run was, so that they could not fail. */
  readonly unchanged?: number | undefined;
  /** For faults: calls and fields that were given no other outcome, for want of time; most are rounds of loops. */
  readonly untried?: number | undefined;
  /**
   * For twins and held-out runs: how many values in their calls came from answers and are in none of the runs that the
   * draft was learned from. Where there are none, passing tells nothing.
   */
  readonly flows?: number | undefined;
}

export interface Counterexample {
  /** The digest of the trace that was replayed. */
  readonly trace?: string | undefined;
  /** The twin's seed. */
  readonly seed?: number | undefined;
  readonly difference: ReplayDifference;
}

export interface TwinChanges {
  /** Parts of ids and names that have become others. */
  readonly renamed: number;
  /** Lists and maps in another order. */
  readonly reordered: number;
  readonly numbers: number;
}

/** What was verified of a draft, and of exactly which one. */
export interface Evidence {
  /** Of the draft's files and traces. */
  readonly digest: string;
  readonly verifiedAt: string;
  readonly rungs: readonly Rung[];
  /** The digests of the traces that were held out. */
  readonly heldOut: readonly string[];
  /** How many of these are transcripts that somebody gave, not runs that Repertoire has recorded itself. */
  readonly given?: number | undefined;
  /** Ways from answers of untrusted tools into calls that write, through skills that the draft calls. */
  readonly flows?: readonly ShownFlow[] | undefined;
}

const count = z.int().nonnegative();
const place = { path: z.string(), expected: z.json().optional(), got: z.json().optional() };
const difference: z.ZodType<ReplayDifference> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("unexpected-call"), call: count, tool: z.string(), args: z.json() }),
  z.strictObject({
    kind: z.literal("other-arguments"),
    call: count,
    recorded: count,
    tool: z.string(),
    ...place,
  }),
  z.strictObject({
    kind: z.literal("too-early"),
    call: count,
    recorded: count,
    tool: z.string(),
    needs: count,
  }),
  z.strictObject({ kind: z.literal("missing-call"), recorded: count, tool: z.string(), args: z.json() }),
  z.strictObject({
    kind: z.literal("failed"),
    code: z.string(),
    message: z.string(),
    callPath: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal("other-output"), ...place }),
  z.strictObject({ kind: z.literal("failed-case"), name: z.string(), message: z.string() }),
  z.strictObject({
    kind: z.literal("went-on"),
    field: z.string().optional(),
    recorded: count,
    tool: z.string(),
    outcome: z.enum(FAULT_OUTCOMES),
    next: z.string(),
    args: z.json(),
  }),
]);

const flow: z.ZodType<ShownFlow> = z
  .strictObject({
    source: z.string(),
    write: z.string(),
    argument: z.string().optional(),
    kind: z.enum(FLOW_KINDS),
    through: z.array(z.string()),
  })
  .transform(({ argument, ...rest }) => ({ ...rest, ...(argument !== undefined && { argument }) }));

/** Reads evidence that was kept. */
export const EVIDENCE: z.ZodType<Evidence> = z.strictObject({
  digest: z.string(),
  verifiedAt: z.string(),
  heldOut: z.array(z.string()),
  given: count.optional(),
  flows: z.array(flow).optional(),
  rungs: z.array(
    z.strictObject({
      name: z.enum(RUNGS),
      passed: count,
      of: count,
      low: z.number(),
      counterexample: z
        .strictObject({ trace: z.string().optional(), seed: z.int().optional(), difference })
        .optional(),
      changed: z.strictObject({ renamed: count, reordered: count, numbers: count }).optional(),
      unchanged: count.optional(),
      untried: count.optional(),
      flows: count.optional(),
    }),
  ),
});
