import { basename, dirname } from "node:path";
import type { CatalogSnapshot } from "../catalog/catalog.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { failure, type Failure } from "../core/error.ts";

/** Why skills are not run that have errors, do not load or were left out, by name: who calls one is told. */
export function refusalsOf(
  { skills, diagnostics, faulty }: CatalogSnapshot,
  publish: "sound" | "all",
): ReadonlyMap<string, Failure> {
  const absent = new Map<string, Diagnostic[]>();
  for (const finding of diagnostics) {
    if (finding.severity !== "error") continue;
    for (const name of new Set([basename(dirname(finding.path)), ...(finding.affects ?? [])]))
      if (!skills.has(name)) absent.set(name, [...(absent.get(name) ?? []), finding]);
  }
  const refusals = [...absent].map(
    ([name, findings]) => [name, brokenFailure(name, `The skill "${name}" does not load`, findings)] as const,
  );
  const withheld = publish === "all" ? [] : [...faulty];
  return new Map([
    ...refusals,
    ...withheld.map(([name, faults]) => [name, withheldFailure(name, faults)] as const),
  ]);
}

/** Why a skill that is whole by itself is not run. */
export function withheldFailure(name: string, faults: readonly Diagnostic[]): Failure {
  const cycle = faults.find(({ code }) => code === "call-cycle");
  if (cycle) return failure("CIRCULAR_CALL", cycle.message, { skill: name });
  return brokenFailure(name, `The skill "${name}" has errors and is not run`, faults);
}

export function brokenFailure(name: string, message: string, findings: readonly Diagnostic[]): Failure {
  const lines = findings.map(
    ({ path, line, column, message: what, fix }) => `${path}:${line}:${column} ${what}. ${fix}`,
  );
  return failure("SKILL_BROKEN", `${message}:\n${lines.join("\n")}`, { skill: name });
}
