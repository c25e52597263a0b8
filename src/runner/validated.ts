import type { Json } from "../core/json.ts";
import { type JsonSchema, type SchemaIssue, validatorOf } from "../core/schema.ts";

/** JSON text with the schema's defaults filled in, or what does not fit. */
type Validated =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** Deeper values overflow the stacks of common JSON writers. */
const MOST_NESTING = 1000;

/** Checks JSON text from a sandbox or a client against a schema. Throws where the text is not JSON. */
export function validated(text: string, schema: JsonSchema): Validated {
  if (nesting(text) > MOST_NESTING) {
    return { ok: false, issues: [{ at: "", message: `is nested deeper than ${MOST_NESTING} levels` }] };
  }
  const result = validatorOf(schema)(JSON.parse(text) as Json);
  if (!result.ok) return { ok: false, issues: result.error };
  return { ok: true, text: hasDefaults(schema) ? JSON.stringify(result.value) : text };
}

const schemasWithDefaults = new WeakMap<JsonSchema, boolean>();

function hasDefaults(schema: JsonSchema): boolean {
  const known = schemasWithDefaults.get(schema);
  if (known !== undefined) return known;
  const found = JSON.stringify(schema).includes('"default"');
  schemasWithDefaults.set(schema, found);
  return found;
}

function nesting(text: string): number {
  if (text.length <= 2 * MOST_NESTING) return 0;
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
  }
  return deepest;
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [34, 92, 91, 93, 123, 125];
