import type { Diagnostic } from "../core/diagnostic.ts";
import { didYouMean } from "../core/text/nearest.ts";

/** A skill's name that a setting has. */
export interface NamedSkill {
  readonly setting: string;
  readonly skill: string;
}

/** Settings of skills that are not there, which change nothing. */
export function settingFindings(
  named: readonly NamedSkill[],
  names: ReadonlySet<string>,
  configFile: string,
): readonly Diagnostic[] {
  return named
    .filter(({ skill }) => !names.has(skill))
    .map(({ setting, skill }) => ({
      code: "setting-unknown",
      severity: "warning",
      path: configFile,
      line: 1,
      column: 1,
      message: `"${setting}" names the skill ${JSON.stringify(skill)}, which is not there`,
      fix: didYouMean(skill, [...names]).trim() || "Correct the name, or take it out",
    }));
}
