import type { DiagnosticCode } from "../../core/diagnostic.ts";
import { basename, dirname } from "node:path";
import type { CatalogSnapshot } from "../../catalog/catalog.ts";
import type { ContractChanges, SkillChange } from "../../changes/contract-changes.ts";

/** Findings about types and contracts: what is wrong with a skill's own, and with how skills fit each other. */
export const CONTRACT_CODES: ReadonlySet<DiagnosticCode> = new Set([
  "field-invalid",
  "code-syntax",
  "code-import",
  "code-no-default",
  "code-signature",
  "code-too-large",
  "type-inexpressible",
  "type-untyped",
  "tag-invalid",
  "schema-not-literal",
  "schema-invalid",
  "contract-disagrees",
  "call-unknown",
  "call-type",
  "call-argument",
  "call-unchecked",
  "composes-unknown",
  "flow-mismatch",
  "flow-missing",
] as const);

/** Skills whose code or declarations do not fit the skills that they call. */
export function unfitNames({ faulty }: CatalogSnapshot): ReadonlySet<string> {
  const unfit = [...faulty].filter(([, findings]) => findings.some(({ code }) => CONTRACT_CODES.has(code)));
  return new Set(unfit.map(([name]) => name));
}

/** Folders that have errors and give no skill; they are named as skills usually are. */
export function brokenNames({ skills, diagnostics }: CatalogSnapshot): ReadonlySet<string> {
  const folders = diagnostics
    .filter(({ severity }) => severity === "error")
    .flatMap(({ path }) => [dirname(path), dirname(dirname(path))].map((folder) => basename(folder)));
  return new Set(folders.filter((name) => !skills.has(name)));
}

/** Changes as `--json` shows them: of each caller, whether it fits. */
export function changesWithCallers(changes: ContractChanges, unfit: ReadonlySet<string>): object {
  return { ...changes, skills: changes.skills.map((change) => withCallers(change, unfit)) };
}

function withCallers(change: SkillChange, unfit: ReadonlySet<string>): object {
  if (!("callers" in change)) return change;
  return { ...change, callers: change.callers.map((name) => ({ name, checks: !unfit.has(name) })) };
}
