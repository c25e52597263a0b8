import type { Json } from "../../../core/json/json.ts";

const TOKEN =
  /\s*(?:([{}[\](),:])|(True|False|None)\b|(-?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?)|'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)")/y;

/** The value that Python's `repr` of plain data tells, as LangChain writes a tool's arguments; nothing for anything else. */
export function pythonLiteral(source: string): Json | undefined {
  if (source.length > MAX_SOURCE || !/^\s*[{[(]/.test(source)) return undefined;
  const reader = new LiteralReader(source);
  const value = reader.value(0);
  return value !== undefined && reader.isAtEnd ? value : undefined;
}

const MAX_SOURCE = 1 << 20;
const MAX_DEPTH = 64;

class LiteralReader {
  readonly #source: string;
  #at = 0;
  #next: RegExpExecArray | null = null;

  constructor(source: string) {
    this.#source = source;
    this.#advance();
  }

  get isAtEnd(): boolean {
    return this.#next === null && this.#source.slice(this.#at).trim() === "";
  }

  #advance(): void {
    TOKEN.lastIndex = this.#at;
    this.#next = TOKEN.exec(this.#source);
    if (this.#next) this.#at = TOKEN.lastIndex;
  }

  #takes(sign: string): boolean {
    if (this.#next?.[1] !== sign) return false;
    this.#advance();
    return true;
  }

  value(depth: number): Json | undefined {
    const token = this.#next;
    if (!token || depth > MAX_DEPTH) return undefined;
    const [, sign, word, digits, single, double] = token;
    if (sign !== undefined) return this.#collection(sign, depth);
    this.#advance();
    if (word !== undefined) return word === "None" ? null : word === "True";
    if (digits !== undefined) return Number(digits);
    return unescaped(single ?? double ?? "");
  }

  #collection(sign: string, depth: number): Json | undefined {
    const end = sign === "{" ? "}" : sign === "[" ? "]" : sign === "(" ? ")" : undefined;
    if (end === undefined) return undefined;
    this.#advance();
    const entries: [string, Json][] = [];
    const elements: Json[] = [];
    while (!this.#takes(end)) {
      const first = this.value(depth + 1);
      if (first === undefined) return undefined;
      if (sign === "{") {
        const value = this.#takes(":") ? this.value(depth + 1) : undefined;
        if (value === undefined || typeof first === "object") return undefined;
        entries.push([String(first), value]);
      } else elements.push(first);
      if (!this.#takes(",") && this.#next?.[1] !== end) return undefined;
    }
    return sign === "{" ? Object.fromEntries(entries) : elements;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0" };

function unescaped(body: string): string {
  return body.replaceAll(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|([^]))/gi,
    (_, byte?: string, unit?: string, sign?: string) =>
      sign === undefined
        ? String.fromCodePoint(Number.parseInt(byte ?? unit ?? "0", 16))
        : (ESCAPES[sign] ?? sign),
  );
}
