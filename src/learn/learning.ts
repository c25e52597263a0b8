import { modelContext, runsOf } from "./advice/execution-context.ts";
import { failure, type Failure } from "../core/error.ts";
import type { JsonObject } from "../core/json/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Trace } from "../core/trace-event.ts";
import { type Submission, type Submitted, submitTranscript } from "../trace/import/submission.ts";
import type { TraceStore } from "../trace/trace-store.ts";
import { type Consent, keepRefusal, refusalOf } from "./drafts/declined-reviews.ts";
import { type AnyDraft, CONSENTS, type HistoryEntry } from "./drafts/draft.ts";
import { evidenceFault } from "./drafts/gate.ts";
import type { Reason } from "./drafts/reasons.ts";
import type { PromotedSkill } from "./drafts/promotions.ts";
import type { DraftAction, Review } from "./drafts/draft-operations.ts";
import type { ExtractionResult, Extraction, ExtractOptions } from "./extraction.ts";
import { draftReview } from "./review/draft-review.ts";
import type { Edit } from "./edits/edits.ts";
import { commandLine } from "../core/text/command-line.ts";

/** Whose runs a client may learn from: its own session's, or those of all. */
export type RunScope =
  | { readonly kind: "all" }
  | { readonly kind: "session"; readonly id: string | undefined };

/** A draft as it is shown: no more of it than that crosses threads. */
export interface ShownDraft {
  readonly name: string;
  readonly digest: string;
  /** For a model: the view of it, and its code. */
  readonly view: JsonObject;
  /** For a person. */
  readonly text: string;
  /** What it lacks before anybody could approve it. */
  readonly fault?: Failure | undefined;
  /** What a person does not want of it, and why. */
  readonly refusals: Readonly<Partial<Record<Consent, Pick<HistoryEntry, "why">>>>;
}

/** What came of runs, as `ExtractionResult` tells it. */
export type ShownExtract =
  | {
      readonly kind: "reuse";
      readonly skill: string;
      readonly inputs: readonly JsonObject[];
      /** How many more inputs there are: all together they are too large to be shown. */
      readonly omitted: number;
    }
  | { readonly kind: "merge"; readonly skill: string; readonly draft: ShownDraft }
  | { readonly kind: "written"; readonly draft: ShownDraft }
  | {
      readonly kind: "draft";
      readonly draft: ShownDraft;
      /** What was done in the runs, part by part, for a model that may revise the draft. */
      readonly context: string;
      readonly promoted?: PromotedSkill | undefined;
      readonly waits?: string | undefined;
      readonly reason?: Reason | undefined;
    };

/** What a server does with recorded runs and drafts; arguments and answers are plain data of bounded size. */
export interface Learning {
  submit(submission: Submission): Promise<Result<Submitted>>;
  /** Learns from runs or sessions by their ids; one that the reader may not see is as unknown as one that is not there. */
  extract(runs: readonly string[], reader: RunScope, options: ExtractOptions): Promise<Result<ShownExtract>>;
  revise(draft: string, edits: readonly Edit[], deed: DraftAction): Promise<Result<ShownDraft>>;
  verify(draft: string, deed: DraftAction): Promise<Result<ShownDraft>>;
  show(draft: string): Promise<Result<ShownDraft>>;
  review(draft: string, review: Review): Promise<Result<ShownDraft>>;
  refuse(draft: string, consent: Consent, deed: DraftAction): Promise<Result<ShownDraft>>;
  /** The promoted skill of this name. */
  current(skill: string): Promise<Result<PromotedSkill>>;
  promote(draft: string, deed: DraftAction): Promise<Result<PromotedSkill>>;
  /** Takes a promoted skill out of use while it is the one that was asked about. */
  revoke(
    skill: string,
    deed: DraftAction,
    asked: Pick<PromotedSkill, "draft" | "version">,
  ): Promise<Result<PromotedSkill>>;
}

/** Learning in the caller's own thread. */
export function learningIn(extraction: Extraction, store: Pick<TraceStore, "record" | "trace">): Learning {
  return {
    submit: async (submission) => submitTranscript(store, submission),
    extract: async (runs, reader, options) => {
      const traces: Trace[] = [];
      for (const id of runs) {
        const trace = await visibleTrace(extraction, id, reader);
        if (!trace.ok) return trace;
        traces.push(trace.value);
      }
      const extracted = await extraction.extract(traces, options);
      return extracted.ok ? shownExtract(extracted.value, traces) : extracted;
    },
    revise: async (draft, edits, deed) => shown(await extraction.revise(draft, edits, deed)),
    verify: async (draft, deed) => shown(await extraction.verify(draft, deed)),
    show: async (draft) => shown(await extraction.drafts.readAny(draft)),
    review: async (draft, review) => shown(await extraction.review(draft, review)),
    refuse: async (draft, consent, deed) => shown(await keepRefusal(extraction.drafts, draft, consent, deed)),
    current: async (skill) => extraction.promotions.current(skill),
    promote: async (draft, deed) => extraction.promotions.promote(draft, deed),
    revoke: async (skill, deed, asked) => extraction.promotions.revoke(skill, deed, asked),
  };
}

async function visibleTrace(extraction: Extraction, id: string, reader: RunScope): Promise<Result<Trace>> {
  const trace = await extraction.trace(id);
  if (!trace.ok || reader.kind === "all") return trace;
  return reader.id !== undefined && trace.value.sessionId === reader.id
    ? trace
    : fail(failure("RUN_NOT_FOUND", `There is no run and no session "${id}"`));
}

function shownExtract(extracted: ExtractionResult, traces: readonly Trace[]): Result<ShownExtract> {
  switch (extracted.kind) {
    case "reuse": {
      let size = 0;
      const inputs = extracted.inputs.filter((input) => (size += JSON.stringify(input).length) <= MAX_SHOWN);
      return ok({ ...extracted, inputs, omitted: extracted.inputs.length - inputs.length });
    }
    case "merge": {
      const { kind, skill } = extracted;
      const draft = shown(ok(extracted.draft));
      return draft.ok ? ok({ kind, skill, draft: draft.value }) : draft;
    }
    case "written": {
      const { kind } = extracted;
      const draft = shown(ok(extracted.draft));
      return draft.ok ? ok({ kind, draft: draft.value }) : draft;
    }
    case "draft": {
      const { kind, promoted, waits, reason } = extracted;
      const draft = shown(ok(extracted.draft));
      if (!draft.ok) return draft;
      const context = modelContext(extracted.draft, runsOf(extracted.draft, traces), {
        maxCharacters: MAX_CONTEXT,
        isDraftTold: false,
      });
      return ok({ kind, draft: draft.value, context, promoted, waits, reason });
    }
  }
}

function shown(read: Result<AnyDraft>): Result<ShownDraft> {
  if (!read.ok) return read;
  const { name, digest, code } = read.value;
  const { view, text: review } = draftReview(read.value, { columns: COLUMNS });
  const text = JSON.stringify({ draft: view, code });
  if (text.length > MAX_SHOWN) {
    const message = `The draft "${name}" takes ${text.length} characters to show, the limit is ${MAX_SHOWN}: look at it with "${commandLine(`drafts show ${name}`)}", or learn from shorter runs`;
    return fail(failure("OUTPUT_TOO_LARGE", message));
  }
  return ok({
    name,
    digest,
    view: JSON.parse(text) as JsonObject,
    text: review,
    fault: evidenceFault(read.value),
    refusals: refusalsOf(read.value),
  });
}

function refusalsOf(draft: AnyDraft): ShownDraft["refusals"] {
  const refusals: Partial<Record<Consent, Pick<HistoryEntry, "why">>> = {};
  for (const consent of CONSENTS) {
    const refusal = refusalOf(draft, consent);
    if (refusal) refusals[consent] = { why: refusal.why };
  }
  return refusals;
}

/** Characters of JSON: what a server's thread can write to a client without others having to wait for it. */
const MAX_SHOWN = 1_000_000;
/** Of what is told of runs beside the draft. */
const MAX_CONTEXT = 16_000;
const COLUMNS = 80;
