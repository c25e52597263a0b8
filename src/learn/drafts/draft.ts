import * as z from "zod";
import { jsonFaultText, parseJson } from "../../core/json/parse-json.ts";
import { ZOD_MESSAGES } from "../../core/json/zod-messages.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { EVIDENCE, type Evidence, type RungName } from "../verify/evidence.ts";
import type { OwnTrace, RecordedTrace } from "../recording/recorded-trace.ts";
import type { Plan } from "../plan/plan.ts";
import { MODEL_ROUND, type ModelRound } from "../advice/model-round.ts";
import { type Comparison, CRITERIA, type Estimates, type RunSource, type Spread } from "./best-run.ts";

/** `draft` waits for a review; `reviewed` may be promoted; `promoted` is in the skills folder; `rejected` is not wanted. */
const DRAFT_STATES = ["draft", "reviewed", "promoted", "rejected"] as const;
export type DraftState = (typeof DRAFT_STATES)[number];

/** What happened to a draft, who did it, when, and why. */
export interface HistoryEntry {
  readonly kind: (typeof HISTORY_KINDS)[number];
  readonly by: string;
  readonly at: string;
  readonly why?: string | undefined;
  /** From -1 (bad) to 1 (good). */
  readonly rating?: number | undefined;
  readonly version?: number | undefined;
  /** What a person was asked for and did not want. */
  readonly declined?: (typeof CONSENTS)[number] | undefined;
  /** The draft's digest then. */
  readonly digest?: string | undefined;
}

const HISTORY_KINDS = [
  "created",
  "revised",
  "advised",
  "verified",
  "approved",
  "rejected",
  "declined",
  "feedback",
  "promoted",
  "revoked",
  "rolled-back",
] as const;

export const CONSENTS = ["approve", "reject", "revoke"] as const;

const DECISIONS: ReadonlySet<HistoryEntry["kind"]> = new Set([
  "approved",
  "rejected",
  "promoted",
  "revoked",
  "rolled-back",
]);

/** Whether an entry says what a person, or a policy, has decided of the draft. */
export function isDecision({ kind }: HistoryEntry): boolean {
  return DECISIONS.has(kind);
}

/** How a draft stands: who took a skill out did not reject its draft. */
export function toldState(state: DraftState, history: readonly HistoryEntry[]): DraftState | "revoked" {
  return state === "rejected" && history.findLast(isDecision)?.kind === "revoked" ? "revoked" : state;
}

/** A draft's `provenance.json`: what it was learned from, and what became of it. */
export interface Provenance {
  readonly version: 1;
  /** Stays the same through all versions. */
  readonly id: string;
  readonly traces: readonly OwnTrace[];
  /** Where it was learned from no run: who wrote it, and for what. */
  readonly written?: WrittenFor | undefined;
  /** Why arguments come from where they come from, as synthesis tells it. */
  readonly choices: Json;
  /** Calls that the draft does not make. */
  readonly dropped: Json;
  /** The ids of runs of the same task that went another way: they only tell where the skill stops. */
  readonly contrasts?: readonly string[] | undefined;
  /** Whether nothing tells for sure when to do as its runs did, and when as those that went another way. */
  readonly isUndecided?: boolean | undefined;
  /** The runs, drafts and skills that it came from. */
  readonly parents?: readonly Parent[] | undefined;
  /** Where one of several runs was taken: how they compare. */
  readonly comparison?: Comparison | undefined;
  /** The runs as they were recorded. */
  readonly sources?: readonly RunSource[] | undefined;
  /** What they took. */
  readonly estimates?: Estimates | undefined;
  /** The program that learned it, with its version. */
  readonly extractor?: string | undefined;
  readonly evidence?: Evidence | undefined;
  /** When models were asked to revise it, and what came of that: the last of them. */
  readonly rounds?: readonly ModelRound[] | undefined;
  readonly state: DraftState;
  /** The draft's digest when its state was set; the state does not hold for another. */
  readonly stateOf: string;
  /** The digest of the files as they were printed from the plan. */
  readonly printed: string;
  readonly history: readonly HistoryEntry[];
}

/** Something that a draft came from. */
export interface Parent {
  readonly kind: (typeof PARENT_KINDS)[number];
  /** Of a run or a draft; a skill's name. */
  readonly id: string;
  /**
   * It was learned from the run; the run was an attempt at the same that was not taken; the run made it more general; it
   * calls the skill; it was split off the draft.
   */
  readonly how: (typeof PARENT_USES)[number];
}

const PARENT_KINDS = ["run", "draft", "skill"] as const;
const PARENT_USES = ["learned", "compared", "merged", "composed", "split"] as const;

/** For what a skill was written, and by whom. */
export interface WrittenFor {
  /** What it should do, in the words of whoever wished for it. */
  readonly wish: string;
  /** The model that wrote it, as its endpoint or its client names it. */
  readonly model: string;
  /** The upstream tools that its code may call. */
  readonly tools: readonly string[];
  /** The recorded run in which an agent wrote and ran it; its case is what it gave there. */
  readonly run?: string | undefined;
  /** The language of the code that is kept beside its instructions: then it has no code of its own, and no cases. */
  readonly language?: string | undefined;
  /** What the model took, where an endpoint tells it; the cost in US dollars. */
  readonly usage?:
    | { readonly inputTokens: number; readonly outputTokens: number; readonly cost?: number | undefined }
    | undefined;
}

/** A draft that was learned from runs, or one that was written for a wish. */
export type AnyDraft = Draft | WrittenDraft;

/** A draft that a model has written, code and all: only its cases were tried, and no plan tells what it does. */
export interface WrittenDraft extends DraftFolder {
  readonly kind: "written";
  readonly written: WrittenFor;
  /** What `SKILL.md` says of it. */
  readonly text: string;
  /** What `tests.yaml` says. */
  readonly cases: string;
  /** The texts of its files in `assets/`, by their paths. */
  readonly assets: ReadonlyMap<string, string>;
}

/** A draft that was learned from runs. */
export interface Draft extends DraftFolder {
  readonly kind: "learned";
  readonly plan: Plan;
}

/** A draft as it is on disk. */
export interface DraftFolder {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  readonly code: string;
  /** `draft` where it has changed since its state was set. */
  readonly state: DraftState;
  /** Of all its files and traces. */
  readonly digest: string;
  /** Of exactly this draft: what was verified of an earlier one does not count. */
  readonly evidence: Evidence | undefined;
  /** Whether there is evidence of an earlier one. */
  readonly isStale: boolean;
  /** Whether its files are no longer those that were printed from the plan. */
  readonly isEdited: boolean;
  /** Tools that it calls and no configured server can have. */
  readonly missingTools: readonly string[];
  readonly provenance: Provenance;
}

/**
 * When a draft may be promoted: after a person's review, or by itself when a rung and all below it hold in runs that
 * Repertoire has recorded itself.
 */
export type PromotionPolicy =
  | { readonly review: "always" }
  | {
      readonly review: "automatic";
      readonly above: Exclude<RungName, "types" | "cases" | "faults">;
      /** For held-out and live runs, the least lower bound. */
      readonly least?: number | undefined;
      /** Whether that holds for drafts that write, too. */
      readonly writes?: boolean | undefined;
    };

const text = z.string().max(10_000);
const index = z.int().nonnegative();
// What was parsed is JSON already, whatever its keys are called.
const json = z.custom<Json>((value) => value !== undefined);
const object = z.custom<JsonObject>(isJsonObject);
const recordedTrace: z.ZodType<RecordedTrace> = z
  .strictObject({
    id: z.string(),
    origin: z.literal("own").optional(),
    task: z.string().optional(),
    turns: z.array(z.strictObject({ text: z.string(), after: index })).optional(),
    judgement: z.strictObject({ isSuccess: z.boolean(), by: text }).optional(),
    calls: z.array(
      z
        .strictObject({
          tool: z.string(),
          args: object,
          result: json,
          error: z.string().optional(),
          retriedBy: index.optional(),
        })
        .transform(({ error, retriedBy, ...call }) => ({
          ...call,
          ...(error === undefined ? {} : { error }),
          ...(retriedBy === undefined ? {} : { retriedBy }),
        })),
    ),
  })
  .transform(({ task, turns, origin, judgement, ...trace }) => ({
    ...trace,
    ...(origin === undefined ? {} : { origin }),
    ...(task === undefined ? {} : { task }),
    ...(turns === undefined ? {} : { turns }),
    ...(judgement === undefined ? {} : { judgement }),
  }));

const spread: z.ZodType<Spread> = z.strictObject({ n: index, median: z.number(), p90: z.number() });

const provenance: z.ZodType<Provenance> = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  traces: z
    .array(
      z.strictObject({
        digest: z.string(),
        trace: recordedTrace,
        calls: z.array(index).optional(),
        input: object.optional(),
        output: json.optional(),
      }),
    )
    .max(10_000),
  written: z
    .strictObject({
      wish: text,
      model: text,
      tools: z.array(z.string()),
      run: z.string().optional(),
      language: z.string().max(100).optional(),
      usage: z
        .strictObject({ inputTokens: index, outputTokens: index, cost: z.number().optional() })
        .optional(),
    })
    .optional(),
  choices: json,
  dropped: json,
  contrasts: z.array(z.string()).optional(),
  isUndecided: z.boolean().optional(),
  parents: z
    .array(z.strictObject({ kind: z.enum(PARENT_KINDS), id: z.string(), how: z.enum(PARENT_USES) }))
    .optional(),
  comparison: z
    .strictObject({
      criteria: z.array(z.enum(CRITERIA)),
      best: z.string(),
      branches: z.array(
        z.strictObject({
          id: z.string(),
          success: z.boolean(),
          calls: index,
          writes: index.optional(),
          duration: z.number().optional(),
          toolDuration: z.number().optional(),
          cost: z.number().optional(),
        }),
      ),
    })
    .optional(),
  sources: z
    .array(
      z.strictObject({
        id: z.string(),
        source: z.string(),
        session: z.string().optional(),
        client: z.string().optional(),
        startedAt: z.string(),
      }),
    )
    .optional(),
  estimates: z
    .strictObject({
      runs: index,
      calls: spread,
      writes: spread.optional(),
      duration: spread.optional(),
      toolDuration: spread.optional(),
      cost: spread.optional(),
    })
    .optional(),
  extractor: z.string().optional(),
  evidence: EVIDENCE.optional(),
  rounds: z.array(MODEL_ROUND).optional(),
  state: z.enum(DRAFT_STATES),
  stateOf: z.string(),
  printed: z.string(),
  history: z.array(
    z.strictObject({
      kind: z.enum(HISTORY_KINDS),
      by: text,
      at: z.string(),
      why: text.optional(),
      rating: z.number().min(-1).max(1).optional(),
      version: index.optional(),
      declined: z.enum(CONSENTS).optional(),
      digest: z.string().optional(),
    }),
  ),
});

/** Reads the provenance of a draft, or says what is wrong with it. */
export function parsedProvenance(content: string): Provenance | { readonly fault: string } {
  return parsedFile(content, provenance);
}

/** Reads JSON of a shape, or says what is wrong with it. */
export function parsedFile<Value>(
  content: string,
  shape: z.ZodType<Value>,
): Value | { readonly fault: string } {
  const json = parseJson(content);
  if (!json.ok) return { fault: jsonFaultText(json.error) };
  const result = shape.safeParse(json.value, ZOD_MESSAGES);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  return { fault: `${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? "it is not valid"}` };
}
