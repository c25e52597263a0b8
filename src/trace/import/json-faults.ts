import { parseJson } from "../../core/json/parse-json.ts";

/** Tells where and why texts are no JSON. Looking takes long, so only the first few are explained, unless they are large. */
export class JsonFaults {
  #left = MAX_EXPLAINED;

  /** The place of the fault in a text that begins with this line, and what it lacks; or `place`, where nothing is told. */
  placeIn(bytes: Buffer, line: number, place: string): string {
    if (this.#left <= 0 || bytes.length > MAX_BYTES) return place;
    const text = bytes.toString("utf8");
    // Prose lacks more than can be told.
    if (!/^\s*[[{]/.test(text)) return place;
    this.#left--;
    const read = parseJson(text);
    if (read.ok) return place;
    const { message, line: at, column } = read.error;
    return `line ${line + at - 1}, column ${column}: ${message}`;
  }
}

const MAX_EXPLAINED = 10;
const MAX_BYTES = 2 ** 18;
