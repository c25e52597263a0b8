import { failure, type Failure } from "../core/error.ts";
import type { Json } from "../core/json/json.ts";
import { validatorOf } from "../core/json/json-schema.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { answerSchemaOf } from "../core/tools/reserved-tools.ts";
import type { JournalCall } from "./run-journal.ts";

/** What a person says of a call that waits: make it (again), take this as its answer, or let it fail. */
export type CallDecision =
  | { readonly kind: "approve" }
  | { readonly kind: "skip"; readonly result: Json }
  | { readonly kind: "refuse" };

/** What a decision makes of a call that waits; `INPUT_INVALID` for what does not answer the question to a model. */
export function decidedCall(
  call: Pick<JournalCall, "callPath" | "tool" | "input" | "state">,
  decision: CallDecision,
  by: string,
): Result<Pick<JournalCall, "state" | "result">> {
  const refusal = call.state === "asked" ? answerRefusal(call, decision) : undefined;
  if (refusal) return fail(refusal);
  switch (decision.kind) {
    case "approve":
      return ok({ state: "approved" });
    case "skip":
      return ok({ state: "answered", result: ok(decision.result) });
    case "refuse":
      return ok({ state: "answered", result: fail(refusedFailure(call, by)) });
  }
}

function refusedFailure({ tool, state }: Pick<JournalCall, "tool" | "state">, by: string): Failure {
  if (state === "uncertain")
    return failure(
      "WRITE_UNCERTAIN",
      `Whether "${tool}" did what it was called for is not known; ${by} let it be`,
    );
  if (state === "asked") return failure("MODEL_REFUSED", `${by} refused to answer for a model`);
  return failure("RUN_UNAPPROVED", `${by} refused the call of "${tool}"`);
}

/** Why a decision does not settle a question to a model, or nothing. */
function answerRefusal(
  call: Pick<JournalCall, "callPath" | "tool" | "input">,
  decision: CallDecision,
): Failure | undefined {
  const of = `The question to a model (call ${call.callPath})`;
  if (decision.kind === "refuse") return undefined;
  if (decision.kind === "approve") return failure("INPUT_INVALID", `${of} takes an answer, not an approval`);
  const schema = answerSchemaOf(call.tool, JSON.parse(call.input) as Json) ?? {};
  const checked = validatorOf(schema)(structuredClone(decision.result));
  if (checked.ok) return undefined;
  const said = checked.error.map(({ at, message }) => `${at === "" ? "it" : at} ${message}`).join("; ");
  return failure("INPUT_INVALID", `${of} takes an answer that fits its schema: ${said}`);
}
