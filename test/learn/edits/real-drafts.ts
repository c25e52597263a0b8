import { mkdtempSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Result } from "../../../src/core/result.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { Drafts } from "../../../src/learn/drafts/drafts.ts";
import { reviseDraft, verifyDraft } from "../../../src/learn/drafts/draft-operations.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import type { Edit } from "../../../src/learn/edits/edits.ts";
import { type RevisedPlan, revisedPlan } from "../../../src/learn/edits/revised-plan.ts";
import type { Rung } from "../../../src/learn/verify/evidence.ts";
import type { EvidenceOptions } from "../../../src/learn/verify/verification.ts";
import { meansWith } from "../drafts/cancel-draft.ts";
import { learned } from "../learned.ts";
import { runner } from "../../shared-threads.ts";

/** Drafts on disk that are made by synthesis and verified by replay in the sandbox. */
export class RealDrafts {
  readonly #folder = mkdtempSync(join(tmpdir(), "revision-"));
  readonly drafts = new Drafts({ data: this.#folder });

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  async of(traces: readonly RecordedTrace[], rest: { readonly input?: JsonObject } = {}): Promise<Draft> {
    const { plan, from, choices, dropped } = learned(traces);
    const own = from.flatMap((index) => traces[index] ?? []);
    return value(
      await this.drafts.create({
        plan,
        traces: own.map((trace) => ({ trace, input: rest.input })),
        choices: JSON.parse(JSON.stringify(choices)),
        dropped: JSON.parse(JSON.stringify(dropped)),
        by: "test",
      }),
    );
  }

  /** The draft after the edits, verified. */
  async revised(draft: Draft, edits: readonly Edit[], options?: EvidenceOptions): Promise<Draft> {
    const { plan, traces } = value(revisedPlan(draft, edits));
    value(await reviseDraft(this.drafts, draft.name, plan, { by: "test", traces }));
    return this.verified(draft.name, options);
  }

  /** What a file of the draft holds. */
  async text({ folder }: Draft, file: string): Promise<string> {
    return readFile(join(folder, file), "utf8");
  }

  async verified(name: string, options?: EvidenceOptions): Promise<Draft> {
    return value(await verifyDraft(this.drafts, name, meansWith(runner), { by: "test" }, options));
  }
}

/** The rungs that do not hold, with why. */
export function failing({ evidence }: Draft): readonly Rung[] {
  if (!evidence) throw new Error("it was not verified");
  return evidence.rungs.filter(({ passed, of }) => passed < of || of === 0);
}

export function value<Value>(result: Result<Value, { readonly message: string }>): Value {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

export function fault(result: Result<RevisedPlan>): string {
  return result.ok ? "" : result.error.message;
}
