import type { CatalogContracts, SkillContract } from "./catalog-contracts.ts";
import { contractDifferences, type ContractDifference } from "./contract-differences.ts";
import { isAtLeast, largestBump, nextVersion, type VersionBump } from "./next-version.ts";

/** What has become of a catalog's contracts, and how far its version has to go for it. */
export interface ContractChanges {
  /** The largest of all skills. */
  readonly step: VersionBump;
  /** Of the package that the skills are in. */
  readonly version?: VersionChange;
  /** By name; every skill that was or is there. */
  readonly skills: readonly SkillChange[];
}

export type SkillChange =
  | {
      readonly kind: "removed";
      readonly name: string;
      readonly step: "major";
      /** Whether its folder is there, but has errors, so that nobody can say what it promises. */
      readonly isBroken: boolean;
      /** Skills that call it as of now, by name. */
      readonly callers: readonly string[];
    }
  | { readonly kind: "added"; readonly name: string; readonly step: "minor" }
  | {
      readonly kind: "changed";
      readonly name: string;
      readonly step: "major" | "minor";
      readonly differences: readonly ContractDifference[];
      /** Skills that call it as of now, by name; nobody where nothing breaks. */
      readonly callers: readonly string[];
      readonly version?: VersionChange;
    }
  | {
      /** The same contract, but what it does or says is not the same. */
      readonly kind: "code";
      readonly name: string;
      readonly step: "patch";
      readonly version?: VersionChange;
    }
  | { readonly kind: "same"; readonly name: string; readonly step: "none" };

export interface VersionChange {
  readonly before: string;
  readonly next: string;
  /** Whether the version of now goes as far already. */
  readonly isReached: boolean;
}

/** Compares contracts: what was valid before has to be valid, and what comes now has to have been promised before. */
export function contractChanges(
  before: CatalogContracts,
  now: CatalogContracts,
  { broken = new Set() }: { readonly broken?: ReadonlySet<string> } = {},
): ContractChanges {
  const [then, today] = [byName(before), byName(now)];
  const callers = callersIn(now);
  const names = [...new Set([...then.keys(), ...today.keys()])].toSorted();
  const skills = names.flatMap((name): readonly SkillChange[] => {
    const [old, current] = [then.get(name), today.get(name)];
    const calling = callers.get(name) ?? [];
    if (old && current) return [changeOf(old, current, calling)];
    if (current) return [{ kind: "added", name, step: "minor" }];
    return [{ kind: "removed", name, step: "major", isBroken: broken.has(name), callers: calling }];
  });
  const step = largestBump(skills.map((each) => each.step));
  return { step, ...versionChange(before.version, now.version, step), skills };
}

function changeOf(before: SkillContract, now: SkillContract, callers: readonly string[]): SkillChange {
  const { name } = now;
  const differences = contractDifferences(before, now);
  if (differences.length > 0) {
    const step = differences.some(({ effect }) => effect !== "compatible") ? "major" : "minor";
    return {
      kind: "changed",
      name,
      step,
      differences,
      callers: step === "major" ? callers : [],
      ...versionChange(before.version, now.version, step),
    };
  }
  if (before.digest === now.digest) return { kind: "same", name, step: "none" };
  return { kind: "code", name, step: "patch", ...versionChange(before.version, now.version, "patch") };
}

function versionChange(
  before: string | undefined,
  now: string | undefined,
  step: VersionBump,
): { readonly version?: VersionChange } {
  const from = before ?? now;
  const next = from === undefined || step === "none" ? undefined : nextVersion(from, step);
  if (from === undefined || next === undefined) return {};
  return { version: { before: from, next, isReached: now !== undefined && isAtLeast(now, next) } };
}

function byName({ skills }: CatalogContracts): ReadonlyMap<string, SkillContract> {
  return new Map(skills.map((skill) => [skill.name, skill]));
}

/** Who calls each skill, by name; what calls itself is not told. */
function callersIn({ skills }: CatalogContracts): ReadonlyMap<string, readonly string[]> {
  const callers = new Map<string, string[]>();
  for (const { name, calls } of skills.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    for (const callee of calls) {
      if (callee !== name) callers.set(callee, [...(callers.get(callee) ?? []), name]);
    }
  }
  return callers;
}
