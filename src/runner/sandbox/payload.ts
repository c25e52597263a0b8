import type { Json } from "../../core/json/json.ts";

/** JSON text that crosses the border of a sandbox, as the host has measured and parsed it. */
export type Payload =
  | { readonly kind: "json"; readonly text: string; readonly value: Json }
  /** Its bytes were counted, and not read. */
  | { readonly kind: "too-large"; readonly bytes: number }
  | { readonly kind: "too-deep" };

/** Deeper values overflow the stacks of common JSON writers. */
export const MAX_NESTING = 1000;

/** Throws where the text is not JSON. */
export function payloadOf(text: string): Exclude<Payload, { kind: "too-large" }> {
  if (nesting(text) > MAX_NESTING) return { kind: "too-deep" };
  return { kind: "json", text, value: JSON.parse(text) as Json };
}

// Reading what is too deep would cost more than to count its brackets.
function nesting(text: string): number {
  if (text.length <= 2 * MAX_NESTING) return 0;
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
