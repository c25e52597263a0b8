import { failure, type Failure } from "../../core/error.ts";
import type { Evidence, RungName } from "../evidence/evidence.ts";
import type { Draft, Policy } from "./draft.ts";

/** Without these no one can promote a draft. */
const NEEDED: readonly RungName[] = ["types", "own", "twin"];

/** What a draft lacks before anybody could approve it, or nothing. */
export function evidenceFault({ name, evidence, isStale }: Draft): Failure | undefined {
  if (!evidence) {
    const why = isStale ? "has changed since it was verified" : "was never verified";
    return failure("DRAFT_UNVERIFIED", `The draft "${name}" ${why}: verify it`);
  }
  const failing = NEEDED.find((rung) => !holds(evidence, rung));
  if (failing === undefined) return undefined;
  const { passed = 0, of = 0 } = evidence.rungs.find((each) => each.name === failing) ?? {};
  return failure(
    "DRAFT_UNVERIFIED",
    `The draft "${name}" does not pass ${SAID[failing]}: ${passed} of ${of} hold`,
  );
}

/** Why a draft must not be promoted, or nothing. */
export function promotionFault(draft: Draft, policy: Policy): Failure | undefined {
  const { name, state, evidence } = draft;
  if (state === "rejected") return failure("DRAFT_STATE", `The draft "${name}" was rejected`);
  const fault = evidenceFault(draft);
  if (fault || state !== "draft") return fault;
  if (evidence && isAutomatic(evidence, policy)) return undefined;
  return failure("DRAFT_UNREVIEWED", `The draft "${name}" waits for a review`);
}

/** Whether the policy needs no person for this evidence. */
function isAutomatic(evidence: Evidence, policy: Policy): boolean {
  switch (policy.review) {
    case "always":
      return false;
    case "automatic": {
      const needed =
        policy.above === "heldOut" || policy.above === "live" ? [...NEEDED, policy.above] : NEEDED;
      return needed.every((rung) => holds(evidence, rung, policy.least));
    }
  }
}

const SAID: Readonly<Record<RungName, string>> = {
  types: "its types",
  own: "the replay of its own traces",
  twin: "the replay of their twins",
  heldOut: "the replay of held-out traces",
  live: "its live runs",
};

const LEAST = 0.5;

function holds({ rungs }: Evidence, name: RungName, least: number = LEAST): boolean {
  const rung = rungs.find((each) => each.name === name);
  if (!rung || rung.of === 0) return false;
  return NEEDED.includes(name) ? rung.passed === rung.of : rung.low >= least;
}
