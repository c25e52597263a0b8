import { ZOD_MESSAGES } from "../../core/json/zod-messages.ts";
import { failure } from "../../core/error.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import {
  evidenceFor,
  type DerivedDraft,
  type EvidenceOptions,
  type VerificationServices,
} from "../verify/verification.ts";
import { PLAN, type Plan } from "../plan/plan.ts";
import { skillCode } from "../codegen/skill-code.ts";
import type { OwnTrace, SourceTrace } from "../recording/recorded-trace.ts";
import type { AnyDraft, Draft, Parent, Provenance, WrittenDraft, WrittenFor } from "./draft.ts";
import type { ModelRound } from "../advice/model-round.ts";
import type { RevisedPlan } from "../edits/revised-plan.ts";
import { draftFiles } from "./draft-files.ts";
import { asLearned, type Drafts, traceDigest } from "./drafts.ts";
import { evidenceFault } from "./gate.ts";
import { evidenceOfCases } from "./case-evidence.ts";

/** Who does something to a draft, and why; with a digest, to exactly the draft that has it. */
export interface DraftAction {
  readonly by: string;
  /** Whether it is a model, or may be one: what it decides is told, and what may write is left to persons. */
  readonly isModel?: boolean | undefined;
  readonly why?: string | undefined;
  readonly digest?: string | undefined;
}

export interface VerifyServices extends Pick<VerificationServices, "runner"> {
  /** Derives the skill from a draft's folder. */
  readonly derive: (folder: string) => Promise<Result<DerivedDraft>>;
}

/** Verifies a draft and keeps the evidence with it. A draft that changes meanwhile gets none. */
export async function verifyDraft(
  drafts: Drafts,
  name: string,
  { runner, derive }: VerifyServices,
  { by, why }: DraftAction,
  options: EvidenceOptions = {},
): Promise<Result<Draft>> {
  const read = await drafts.read(name);
  if (!read.ok) return read;
  const draft = await printedToday(drafts, read.value, by);
  if (!draft.ok) return draft;
  const { plan, code, digest, folder, provenance } = draft.value;
  const verifiable = { plan, code, digest, traces: provenance.traces };
  const evidence = await evidenceFor(verifiable, { runner, derive: () => derive(folder) }, options);
  return asLearned(
    await drafts.change(name, digest, () =>
      ok({ provenance: { evidence }, entry: { kind: "verified", by, why } }),
    ),
  );
}

/** Tries the cases of a draft that was written for a wish, and keeps the evidence with it. */
export async function verifyWritten(
  drafts: Drafts,
  { name, digest, folder, written }: WrittenDraft,
  { runner, derive }: VerifyServices,
  { by, why }: DraftAction,
): Promise<Result<AnyDraft>> {
  const evidence = await evidenceOfCases(
    { digest, tools: written.tools, language: written.language },
    { runner, derive: () => derive(folder) },
  );
  return drafts.change(name, digest, () =>
    ok({ provenance: { evidence }, entry: { kind: "verified", by, why } }),
  );
}

/** Replaces the files of a draft that was written for a wish and is no skill yet. */
export async function rewriteDraft(
  drafts: Drafts,
  name: string,
  { files, written, by, why, digest }: Rewriting,
): Promise<Result<AnyDraft>> {
  return drafts.change(name, digest, (draft) => {
    if (draft.kind !== "written" || draft.state === "promoted")
      return fail(
        failure("ALREADY_EXISTS", `"${name}" is not a written draft that waits: wish for another name`),
      );
    if (draft.isEdited)
      return fail(
        failure("DRAFT_CHANGED", `The files of "${name}" were edited by hand: this would replace them`),
      );
    return ok({ files, provenance: { state: "draft", written }, entry: { kind: "revised", by, why } });
  });
}

interface Rewriting extends DraftAction {
  readonly files: ReadonlyMap<string, string>;
  readonly written: WrittenFor;
}

/** A draft that nobody has written into, printed anew where its plan is printed in another way by now. */
async function printedToday(drafts: Drafts, draft: Draft, by: string): Promise<Result<Draft>> {
  const { name, plan, code, digest, state, isEdited } = draft;
  if (isEdited || state === "promoted" || code === skillCode(plan)) return ok(draft);
  return reviseDraft(drafts, name, plan, { by, digest, why: "plans are printed in another way by now" });
}

export interface Revision extends DraftAction {
  /** The draft's new name; by default it keeps its own. */
  readonly rename?: string | undefined;
  /** What the draft was learned from, where that changes too: for example which calls it makes. */
  readonly traces?: readonly SourceTrace[] | undefined;
  /** Whether what people have written into the files is printed over. */
  readonly replacesEdits?: boolean | undefined;
}

/** Prints a draft anew from another plan. Files that do not come from a plan stay. */
export async function reviseDraft(
  drafts: Drafts,
  name: string,
  plan: Plan,
  { by, why, digest, traces, rename = name, replacesEdits = false }: Revision,
): Promise<Result<Draft>> {
  const read = PLAN.safeParse({ ...plan, name: rename }, ZOD_MESSAGES);
  if (!read.success)
    return fail(failure("DRAFT_INVALID", `The plan is not valid: ${read.error.issues[0]?.message ?? ""}`));
  const changed = await drafts.change(name, digest, (draft) => {
    const learned = asLearned(ok(draft));
    if (!learned.ok) return learned;
    if (draft.isEdited && !replacesEdits)
      return fail(
        failure("DRAFT_CHANGED", `The files of "${name}" were edited by hand: a new plan would replace them`),
      );
    return ok({
      name: rename,
      files: draftFiles(read.data),
      provenance: {
        state: "draft",
        ...(traces ? { traces: ownTraces(traces), parents: withRuns(draft.provenance, traces) } : {}),
      },
      entry: { kind: "revised", by, why },
    });
  });
  return asLearned(changed);
}

/** What a draft came from, and the runs that have made it more general since. */
function withRuns({ parents, traces }: Provenance, now: readonly SourceTrace[]): readonly Parent[] {
  const before =
    parents ?? traces.map(({ trace }): Parent => ({ kind: "run", id: trace.id, how: "learned" }));
  const known = new Set(before.map(({ id }) => id));
  const more = now.map(({ trace }) => trace.id).filter((id) => !known.has(id));
  return [...before, ...more.map((id): Parent => ({ kind: "run", id, how: "merged" }))];
}

const MAX_ROUNDS_KEPT = 20;

/** Keeps a round with a model. Where it was tried, the draft is what was tried, with the evidence of that. */
export async function keepRound(
  drafts: Drafts,
  { name, digest }: Draft,
  round: ModelRound,
  by: string,
  tried?: { readonly revised: RevisedPlan; readonly draft: Draft },
): Promise<Result<Draft>> {
  const { why } = round;
  const changed = await drafts.change(name, digest, ({ provenance }) => {
    const rounds = [...(provenance.rounds ?? []), round].slice(-MAX_ROUNDS_KEPT);
    if (!tried) return ok({ provenance: { rounds }, entry: { kind: "advised", by, why } });
    const { plan, traces } = tried.revised;
    return ok({
      // As it was printed for the trial: otherwise the evidence would be of another.
      name: plan.name,
      files: draftFiles(PLAN.parse(plan)),
      provenance: {
        rounds,
        state: "draft",
        evidence: tried.draft.evidence,
        ...(traces ? { traces: ownTraces(traces) } : {}),
      },
      entry: { kind: "revised", by, why },
    });
  });
  return asLearned(changed);
}

function ownTraces(traces: readonly SourceTrace[]): readonly OwnTrace[] {
  return traces.map((each) => ({ ...each, digest: traceDigest(each.trace) }));
}

export interface Review extends DraftAction {
  readonly verdict: "approve" | "reject";
  /** Of what was looked at. */
  readonly digest: string;
}

/** Keeps a person's verdict on a draft. It holds for exactly what was looked at. */
export async function reviewDraft(
  drafts: Drafts,
  name: string,
  { verdict, by, why, digest }: Review,
): Promise<Result<AnyDraft>> {
  return drafts.change(name, digest, (draft) => {
    if (draft.state === "promoted")
      return fail(failure("DRAFT_STATE", `The draft "${name}" is promoted already; it can be revoked`));
    if (verdict === "reject")
      return ok({ provenance: { state: "rejected" }, entry: { kind: "rejected", by, why } });
    const fault = evidenceFault(draft);
    if (fault) return fail(fault);
    return ok({ provenance: { state: "reviewed" }, entry: { kind: "approved", by, why } });
  });
}

export interface Feedback {
  readonly by: string;
  /** From -1 (bad) to 1 (good). */
  readonly rating?: number | undefined;
  readonly text?: string | undefined;
}

/** Keeps what somebody says of a draft, for those who review it. */
export async function addFeedback(
  drafts: Drafts,
  name: string,
  { by, rating, text }: Feedback,
): Promise<Result<AnyDraft>> {
  if (rating === undefined && (text ?? "").trim() === "")
    return fail(failure("INPUT_INVALID", "Feedback is a rating or a text"));
  if (rating !== undefined && !(rating >= -1 && rating <= 1))
    return fail(failure("INPUT_INVALID", "A rating is from -1 to 1"));
  return drafts.change(name, undefined, () => ok({ entry: { kind: "feedback", by, why: text, rating } }));
}
