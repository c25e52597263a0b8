import { styleText } from "node:util";
import type { ContractChanges, SkillChange, VersionChange } from "../../changes/contract-changes.ts";
import type { ContractDifference } from "../../changes/contract-differences.ts";
import { VERSION_BUMPS, type VersionBump } from "../../changes/next-version.ts";
import type { Json } from "../../core/json/json.ts";

export interface ChangesTextOptions {
  /** Callers whose code does not fit what it calls as of now. */
  readonly unfit: ReadonlySet<string>;
  readonly stream: NodeJS.WriteStream;
}

/** Changes for people: the largest first, what is as it was only counted, and at the end the next version. */
export function changesText(changes: ContractChanges, { unfit, stream }: ChangesTextOptions): string {
  const told = changes.skills
    .filter(({ kind }) => kind !== "same")
    .toSorted((a, b) => VERSION_BUMPS.indexOf(b.step) - VERSION_BUMPS.indexOf(a.step));
  const width = Math.max(0, ...told.map(({ name }) => name.length));
  const rows = told.map((change) => {
    const head = `${styleText(COLORS[change.step], change.step, { stream })}  ${change.name.padEnd(width)}  `;
    const indent = " ".repeat(STEP_WIDTH + width + 4);
    return head + linesOf(change, unfit).join(`\n${indent}`);
  });
  return [...rows, ...sameText(changes.skills.length - told.length), versionText(changes)].join("\n");
}

const STEP_WIDTH = 5;

const COLORS = { major: "red", minor: "yellow", patch: "cyan", none: "dim" } as const satisfies Record<
  VersionBump,
  string
>;

function linesOf(change: SkillChange, unfit: ReadonlySet<string>): readonly string[] {
  switch (change.kind) {
    case "removed": {
      const why = change.isBroken ? "broken now: nobody can say what it takes and gives" : "removed";
      return [why, ...callersLines(change.callers, unfit)];
    }
    case "added":
      return ["added"];
    case "changed":
      return [
        ...change.differences.flatMap(differenceLines),
        ...callersLines(change.callers, unfit),
        ...versionLines(change.version),
      ];
    case "code":
      return ["the same contract; its code or text has changed", ...versionLines(change.version)];
    case "same":
      return [];
  }
}

function differenceLines(difference: ContractDifference): readonly string[] {
  const { side, effect, why } = difference;
  const head = `${side}: ${why}`;
  switch (effect) {
    case "breaking": {
      if (!("counterexample" in difference)) return [head];
      const what = side === "input" ? "was valid, is not any more" : "may come now, was not promised";
      return [head, `  ${what}: ${shown(difference.counterexample)}`];
    }
    case "unknown":
      return [`${side}: it cannot be told whether it breaks anything: ${why}`];
    case "compatible":
      return [head];
  }
}

function callersLines(callers: readonly string[], unfit: ReadonlySet<string>): readonly string[] {
  if (callers.length === 0) return [];
  const told = callers.map((name) => `${name} (${unfit.has(name) ? "does not check any more" : "checks"})`);
  return [`callers: ${told.join(", ")}`];
}

function versionLines(version: VersionChange | undefined): readonly string[] {
  return version === undefined ? [] : [`its next version: ${versionStepText(version)}`];
}

function sameText(count: number): readonly string[] {
  if (count === 0) return [];
  return [count === 1 ? "1 skill is as it was" : `${count} skills are as they were`];
}

function versionText({ step, version }: ContractChanges): string {
  if (step === "none") return "Nothing has changed: no new version is needed";
  return `The next version is ${step}${version === undefined ? "" : `: ${versionStepText(version)}`}`;
}

function versionStepText({ before, next, isReached }: VersionChange): string {
  return isReached ? `${next} or later, which it is already (${before} before)` : `${before} → ${next}`;
}

const MAX_SHOWN = 200;

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
