import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";

/**
 * The data that Python's `repr` tells, or nothing for anything else: dicts, lists, tuples and sets of texts, numbers,
 * True, False and None, and what constructors take: `Decimal('1.5')` is its one argument, `Order(id='A-1')` an object
 * of its fields, a date its ISO text.
 */
export function pythonRepr(source: string): Json | undefined {
  return /^\s*(?:[{[(]|[A-Za-z_][\w.]{0,100}\()/.test(source)
    ? read(source, (from) => from.value(0))
    : undefined;
}

/** The fields of an object that Python prints without its name: `meta=None content=[…] isError=False`. */
export function pythonFields(source: string): Json | undefined {
  return /^\s*[a-z_]\w{0,100}=/i.test(source) ? read(source, (from) => from.fields()) : undefined;
}

function read(source: string, valueIn: (reader: ReprReader) => Json | undefined): Json | undefined {
  if (source.length > MAX_SOURCE) return undefined;
  const reader = new ReprReader(source);
  const value = valueIn(reader);
  return value !== undefined && reader.isAtEnd ? value : undefined;
}

const MAX_SOURCE = 1 << 20;
const MAX_DEPTH = 64;

/** A sign, a name, a number, a text in single quotes, one in double quotes. */
const TOKEN =
  /\s*(?:([{}[\](),:=<>])|([A-Za-z_][\w.]{0,200})(?!['"])|(-?\d{1,30}(?:\.\d{0,30})?(?:[eE][+-]?\d{1,3})?)(?![\w.])|'([^'\\]*(?:\\[^][^'\\]*)*)'|"([^"\\]*(?:\\[^][^"\\]*)*)")/y;

const WORDS: Readonly<Record<string, Json>> = {
  ...{ None: null, True: true, False: false },
  "datetime.timezone.utc": "UTC",
};

class ReprReader {
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

  fields(): Json | undefined {
    const fields: [string, Json][] = [];
    while (this.#next) {
      const field = this.#field(0);
      if (!field) return undefined;
      fields.push(field);
    }
    return Object.fromEntries(fields);
  }

  value(depth: number): Json | undefined {
    const token = this.#next;
    if (!token || depth > MAX_DEPTH) return undefined;
    const [, sign, word, digits, single, double] = token;
    this.#advance();
    if (sign !== undefined) return this.#signed(sign, depth);
    if (word !== undefined)
      return Object.hasOwn(WORDS, word)
        ? WORDS[word]
        : this.#takes("(")
          ? this.#made(word, depth)
          : undefined;
    if (digits !== undefined) return exactNumber(digits);
    return unescaped(single ?? double ?? "");
  }

  #signed(sign: string, depth: number): Json | undefined {
    switch (sign) {
      case "{":
        return this.#dictOrSet(depth);
      case "[":
        return this.#elements("]", depth);
      case "(":
        return this.#elements(")", depth);
      case "<":
        return this.#member(depth);
      default:
        return undefined;
    }
  }

  #elements(end: string, depth: number): Json[] | undefined {
    const elements: Json[] = [];
    while (!this.#takes(end)) {
      const element = this.value(depth + 1);
      if (element === undefined || !this.#separates(end)) return undefined;
      elements.push(element);
    }
    return elements;
  }

  #dictOrSet(depth: number): Json | undefined {
    const entries: [string, Json][] = [];
    const elements: Json[] = [];
    while (!this.#takes("}")) {
      const first = this.value(depth + 1);
      if (first === undefined) return undefined;
      if (this.#takes(":")) {
        const value = this.value(depth + 1);
        if (value === undefined || typeof first === "object") return undefined;
        entries.push([String(first), value]);
      } else elements.push(first);
      if (!this.#separates("}") || (entries.length > 0 && elements.length > 0)) return undefined;
    }
    return elements.length > 0 ? elements : Object.fromEntries(entries);
  }

  #separates(end: string): boolean {
    return this.#takes(",") || this.#next?.[1] === end;
  }

  /** `<Status.OPEN: 'open'>` is its value. */
  #member(depth: number): Json | undefined {
    if (this.#next?.[2] === undefined) return undefined;
    this.#advance();
    const value = this.#takes(":") ? this.value(depth + 1) : undefined;
    return this.#takes(">") ? value : undefined;
  }

  #field(depth: number): [string, Json] | undefined {
    const name = this.#next?.[2];
    if (name === undefined) return undefined;
    this.#advance();
    const value = this.#takes("=") ? this.value(depth + 1) : undefined;
    return value === undefined ? undefined : [name, value];
  }

  /** What a constructor makes, whose arguments follow. */
  #made(path: string, depth: number): Json | undefined {
    const positional: Json[] = [];
    const fields: [string, Json][] = [];
    while (!this.#takes(")")) {
      const isField = this.#next?.[2] !== undefined && this.#source[this.#at] === "=";
      const field = isField ? this.#field(depth) : undefined;
      const value = isField ? undefined : this.value(depth + 1);
      if (field) fields.push(field);
      else if (value !== undefined) positional.push(value);
      else return undefined;
      if (!this.#separates(")")) return undefined;
    }
    const name = path.slice(path.lastIndexOf(".") + 1);
    const [only] = positional;
    if (only === undefined) return fields.length === 0 ? undefined : Object.fromEntries(fields);
    if (positional.length > 1) return isoText(name, positional, Object.fromEntries(fields));
    if (fields.length > 0) return undefined;
    if (name === "OrderedDict") return ofPairs(only);
    return name === "Decimal" || name === "mpf" ? Number(only) : only;
  }
}

function ofPairs(pairs: Json): Json | undefined {
  if (!Array.isArray(pairs)) return isJsonObject(pairs) ? pairs : undefined;
  const entries = pairs.flatMap((pair): readonly [string, Json][] => {
    const [key, value] = Array.isArray(pair) ? (pair as readonly Json[]) : [];
    return typeof key === "string" && value !== undefined ? [[key, value]] : [];
  });
  return entries.length === pairs.length ? Object.fromEntries(entries) : undefined;
}

/** Dates and times are printed as what their constructors take. */
function isoText(name: string, parts: readonly Json[], { tzinfo, ...others }: JsonObject): Json | undefined {
  if (!parts.every((part) => typeof part === "number") || Object.keys(others).length > 0) return undefined;
  if (tzinfo !== undefined && tzinfo !== "UTC") return undefined;
  const digits = (from: number, to: number, sign: string): string =>
    Array.from({ length: to - from }, (_, at) =>
      String(parts[from + at] ?? 0).padStart(from + at === 0 && name !== "time" ? 4 : 2, "0"),
    ).join(sign);
  const fraction = (at: number): string =>
    parts[at] === undefined ? "" : `.${String(parts[at]).padStart(6, "0")}`;
  const zone = tzinfo === undefined ? "" : "+00:00";
  switch (name) {
    case "date":
      return digits(0, 3, "-");
    case "datetime":
      return `${digits(0, 3, "-")}T${digits(3, 6, ":")}${fraction(6)}${zone}`;
    case "time":
      return `${digits(0, 3, ":")}${fraction(3)}${zone}`;
    default:
      return undefined;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v", "0": "\0", "\n": "" },
};

function unescaped(body: string): string {
  return body.replaceAll(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(00[01][0-9a-f]{5})|([^]))/gi,
    (whole, byte?: string, unit?: string, point?: string, sign?: string) =>
      sign === undefined ? codePoint(byte ?? unit ?? point, whole) : (ESCAPES[sign] ?? sign),
  );
}

function codePoint(hex: string | undefined, whole: string): string {
  const code = Number.parseInt(hex ?? "", 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** Integers that a double cannot hold stay text. */
function exactNumber(digits: string): number | string {
  const value = Number(digits);
  const isExact = /^-?\d+$/.test(digits) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isExact ? value : digits;
}
