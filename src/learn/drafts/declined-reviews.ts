import { ok, type Result } from "../../core/result.ts";
import { type AnyDraft, type HistoryEntry, isDecision } from "./draft.ts";
import type { Drafts } from "./drafts.ts";
import type { DraftAction } from "./draft-operations.ts";

/** What takes a person's consent. */
export type Consent = NonNullable<HistoryEntry["declined"]>;

/** The entry that says that a person does not want this of the draft as it is, unless somebody has wanted it since. */
export function refusalOf({ provenance, digest }: AnyDraft, consent: Consent): HistoryEntry | undefined {
  const last = provenance.history.findLast(
    (entry) =>
      entry.digest === digest && (entry.kind === "declined" ? entry.declined === consent : isDecision(entry)),
  );
  const isRefusal = last?.kind === "declined" || (last?.kind === "rejected" && consent === "approve");
  return isRefusal ? last : undefined;
}

/** Keeps with a draft what a person did not want; the draft stays as it is. */
export async function keepRefusal(
  drafts: Drafts,
  name: string,
  consent: Consent,
  { by, why, digest }: DraftAction,
): Promise<Result<AnyDraft>> {
  return drafts.change(name, digest, () => ok({ entry: { kind: "declined", declined: consent, by, why } }));
}
