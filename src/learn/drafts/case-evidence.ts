import { ok } from "../../core/result.ts";
import type { SkillCase } from "../../core/skill.ts";
import { type CaseRun, runCase } from "../../runner/run-case.ts";
import { differenceText } from "../review/difference-text.ts";
import type { Counterexample, Evidence } from "../verify/evidence.ts";
import type { WrittenFor } from "./draft.ts";
import { firstDifference } from "../verify/json-difference.ts";
import { shownDifference } from "../verify/replay.ts";
import { type DerivedDraft, rung, typesRung, type VerificationServices } from "../verify/verification.ts";

/**
 * Verifies a draft that was written for a wish: whether its types fit, and whether it does what its cases say. Upstream
 * tools answer nothing but what a case tells of them.
 */
export async function evidenceOfCases(
  { digest, tools, language }: { readonly digest: string } & Pick<WrittenFor, "tools" | "language">,
  { runner, derive }: VerificationServices,
): Promise<Evidence> {
  const found = await derive();
  const derived = found.ok ? ok(withToolFaults(found.value, tools)) : found;
  const types = typesRung(derived);
  // Instructions have nothing that could be run.
  const isTyped = derived.ok && types.passed === types.of && language === undefined;
  return {
    digest,
    verifiedAt: new Date().toISOString(),
    rungs: [types, ...(isTyped ? [await casesRung(derived.value, runner)] : [])],
    flows: derived.ok ? derived.value.flows : undefined,
    heldOut: [],
  };
}

/** A draft that calls tools which it was not written for is faulty; so is one of which nobody can tell which it calls. */
function withToolFaults(derived: DerivedDraft, tools: readonly string[]): DerivedDraft {
  const { calls } = derived.skills.get(derived.name) ?? {};
  const others = calls?.tools.filter((tool) => !tools.includes(tool)) ?? [];
  const isOpen = calls?.open?.some(({ world }) => world === "call_tool") ?? false;
  const faults = [
    ...derived.faults,
    ...others.map((tool) => `The code calls the upstream tool "${tool}", for which it was not written`),
    ...(isOpen ? ["The code calls upstream tools by names that only running it tells"] : []),
  ];
  // All of them, so that all can be mended at once.
  return { ...derived, faults: faults.length === 0 ? [] : [faults.slice(0, MAX_FAULTS).join("\n")] };
}

const MAX_FAULTS = 10;

/** How long a case may take, in milliseconds. */
const CASE_MS = 10_000;

async function casesRung(
  { name, skills, cases = ok([]) }: DerivedDraft,
  runner: VerificationServices["runner"],
) {
  if (!cases.ok)
    return rung("cases", 0, 1, {
      difference: { kind: "failed-case", name: "tests.yaml", message: cases.error.message },
    });
  // A failure alone shows nothing of what the skill gives.
  if (!cases.value.some(({ expected }) => expected.kind === "output"))
    return rung("cases", 0, 1, {
      difference: { kind: "failed-case", name: "tests.yaml", message: "no case tells what the skill gives" },
    });
  let passed = 0;
  let first: Counterexample | undefined;
  for (const each of cases.value) {
    const run = await runCase(runner, skills, name, each, {
      isClosed: true,
      signal: AbortSignal.timeout(CASE_MS),
    });
    if (!run.fault) passed++;
    else first ??= { difference: { kind: "failed-case", name: each.name, message: faultText(each, run) } };
  }
  return rung("cases", passed, cases.value.length, first);
}

function faultText({ expected }: SkillCase, { record: { outcome }, fault }: CaseRun): string {
  if (fault?.kind === "tool-call") return fault.message;
  if (!outcome.ok) {
    const { code, message } = outcome.error;
    const why = code === "CANCELLED" ? `it took more than ${CASE_MS} ms` : message;
    return `it fails with ${code}: ${why}`;
  }
  if (expected.kind === "error") return `it gives ${JSON.stringify(outcome.output)} instead of failing`;
  const found = firstDifference(expected.output, outcome.output);
  return found
    ? differenceText({ kind: "other-output", ...shownDifference(found) })
    : "it gives another output";
}
