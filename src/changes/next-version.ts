/** How far a version has to go, least first. */
export const VERSION_BUMPS = ["none", "patch", "minor", "major"] as const;
export type VersionBump = (typeof VERSION_BUMPS)[number];

export function largestBump(steps: readonly VersionBump[]): VersionBump {
  return VERSION_BUMPS.findLast((step) => steps.includes(step)) ?? "none";
}

/** A semantic version: its numbers, and whether it comes before the release of that name. */
export interface Semver {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  readonly isPrerelease: boolean;
}

export function semverOf(text: string): Semver | undefined {
  const match = SEMVER.exec(text.trim());
  if (!match) return undefined;
  const [, major, minor, patch, prerelease] = match;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    isPrerelease: prerelease !== undefined,
  };
}

const SEMVER =
  /^v?(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(-[\dA-Za-z.-]+)?(?:\+[\dA-Za-z.-]+)?$/;

/**
 * The version after a step, if the given one is a semantic version. Below 1.0.0 a step counts as the one below it, as
 * it does for package managers: they take a new minor version there for one that breaks.
 */
export function nextVersion(version: string, step: Exclude<VersionBump, "none">): string | undefined {
  const semver = semverOf(version);
  if (!semver) return undefined;
  const [major, minor, patch] = semver.numbers;
  const { isPrerelease } = semver;
  switch (major > 0 ? step : BELOW_1[step]) {
    case "major":
      return isPrerelease && minor === 0 && patch === 0 ? `${major}.0.0` : `${major + 1}.0.0`;
    case "minor":
      return isPrerelease && patch === 0 ? `${major}.${minor}.0` : `${major}.${minor + 1}.0`;
    case "patch":
      return `${major}.${minor}.${isPrerelease ? patch : patch + 1}`;
  }
}

const BELOW_1 = { major: "minor", minor: "patch", patch: "patch" } as const;

/** Whether a version is another or comes after it. */
export function isAtLeast(version: string, other: string): boolean {
  const [a, b] = [semverOf(version), semverOf(other)];
  if (!a || !b) return false;
  const differing = a.numbers.findIndex((number, index) => number !== b.numbers[index]);
  if (differing >= 0) return (a.numbers[differing] ?? 0) > (b.numbers[differing] ?? 0);
  return b.isPrerelease || !a.isPrerelease;
}
