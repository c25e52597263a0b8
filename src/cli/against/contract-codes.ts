import type { DiagnosticCode } from "../../core/diagnostic.ts";

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
