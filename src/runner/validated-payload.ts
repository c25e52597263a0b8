import { type JsonSchema, type SchemaIssue, validatorOf } from "../core/json/json-schema.ts";
import { MAX_NESTING, type Payload } from "./sandbox/payload.ts";

/** JSON text with the schema's defaults filled in, or what does not fit. */
type ValidatedPayload =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** Checks what crosses the border of a sandbox against a schema. */
export function validatedPayload(
  payload: Exclude<Payload, { kind: "too-large" }>,
  schema: JsonSchema,
): ValidatedPayload {
  if (payload.kind === "too-deep") {
    return { ok: false, issues: [{ at: "", message: `is nested deeper than ${MAX_NESTING} levels` }] };
  }
  const result = validatorOf(schema)(payload.value);
  if (!result.ok) return { ok: false, issues: result.error };
  return { ok: true, text: hasDefaults(schema) ? JSON.stringify(result.value) : payload.text };
}

const schemasWithDefaults = new WeakMap<JsonSchema, boolean>();

function hasDefaults(schema: JsonSchema): boolean {
  const known = schemasWithDefaults.get(schema);
  if (known !== undefined) return known;
  const found = JSON.stringify(schema).includes('"default"');
  schemasWithDefaults.set(schema, found);
  return found;
}
