import { parseJson } from "../../core/json/parse-json.ts";

/** Tells where and why texts are no JSON. Looking takes long, so only the first few are explained, unless they are large. */
export class JsonFaults {
  #left = MAX_EXPLAINED;

  /** The place of the fault in a text that begins with this line, and what it lacks; or `place`, where nothing is told. */
  placeIn(bytes: Buffer, line: number, place: string): string {
    if (this.#left <= 0) return place;
    const text = bytes.toString("utf8");
    // Prose lacks more than can be told.
    if (!/^\s*[[{]/.test(text)) return place;
    this.#left--;
    if (bytes.length > MAX_BYTES) return placeInLarge(text, line) ?? place;
    const read = parseJson(text);
    if (read.ok) return place;
    const { message, line: at, column } = read.error;
    return `line ${line + at - 1}, column ${column}: ${message}`;
  }
}

/** As the engine tells it, which reads fast, but knows less of what is lacking. */
function placeInLarge(text: string, line: number): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const said = error instanceof SyntaxError ? error.message : "";
    const [, message, at] = /^(.+?) in JSON at position (\d+)/s.exec(said) ?? [];
    if (message === undefined) return undefined;
    const before = text.slice(0, Number(at));
    const lines = before.split("\n").length - 1;
    const column = before.length - before.lastIndexOf("\n");
    return `line ${line + lines}, column ${column}: ${message}`;
  }
}

const MAX_EXPLAINED = 10;
const MAX_BYTES = 2 ** 18;
