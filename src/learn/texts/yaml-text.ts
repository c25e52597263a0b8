import type { Json, JsonObject } from "../../core/json/json.ts";

/**
 * What YAML by indentation says: mappings and lists in one another, and plain or quoted texts, numbers, `true`, `false` and
 * nothing; numbers only where they are written as they are counted (`1.20` stays a text). Undefined where it is none, or has
 * anything else (anchors, tags, texts of several lines). Printed code has the same as `yamlOf`.
 */
export function yamlIn(text: string): Json | undefined {
  const lines = text.split("\n").flatMap((line): readonly YamlLine[] => {
    const [, spaces = "", said = ""] = /^( *)(.*?)\s*$/.exec(line) ?? [];
    return said === "" || said.startsWith("#") ? [] : [{ indent: spaces.length, said }];
  });
  const [first] = lines;
  const reader = new YamlReader(first?.said === "---" && first.indent === 0 ? lines.slice(1) : lines);
  try {
    return reader.whole();
  } catch (error) {
    if (error instanceof NoYaml) return undefined;
    throw error;
  }
}

class NoYaml extends Error {
  override readonly name = "NoYaml";
}

interface YamlLine {
  readonly indent: number;
  readonly said: string;
}

const MAX_DEPTH = 20;
const KEY = /^("[^"\\]*"|'[^']*'|[^\s"'#&*!|>%@`{}[\],?:-][^:#]*?|-[^\s:#][^:#]*?):(?:\s+(.*))?$/;

class YamlReader {
  readonly #lines: YamlLine[];
  #at = 0;

  constructor(lines: readonly YamlLine[]) {
    this.#lines = [...lines];
  }

  whole(): Json {
    const value = this.#block(0, 0);
    if (this.#at < this.#lines.length) throw new NoYaml();
    return value;
  }

  #block(indent: number, depth: number): Json {
    const line = this.#lines[this.#at];
    if (!line || line.indent !== indent || depth > MAX_DEPTH) throw new NoYaml();
    return isItem(line) ? this.#list(indent, depth) : this.#mapping(indent, depth);
  }

  #list(indent: number, depth: number): Json {
    const items: Json[] = [];
    for (
      let line = this.#lines[this.#at];
      line?.indent === indent && isItem(line);
      line = this.#lines[this.#at]
    ) {
      const [, space = "", rest = ""] = /^-(\s*)(.*)$/.exec(line.said) ?? [];
      if (rest !== "" && (KEY.test(rest) || isItem({ indent, said: rest }))) {
        // What follows the mark stands as if on a line of its own.
        this.#lines[this.#at] = { indent: indent + 1 + space.length, said: rest };
        items.push(this.#block(indent + 1 + space.length, depth + 1));
      } else {
        this.#at++;
        items.push(this.#value(rest, indent, depth, false));
      }
    }
    return items;
  }

  #mapping(indent: number, depth: number): Json {
    const fields = new Map<string, Json>();
    for (
      let line = this.#lines[this.#at];
      line?.indent === indent && !isItem(line);
      line = this.#lines[this.#at]
    ) {
      const [, key, rest = ""] = KEY.exec(line.said) ?? [];
      const name = key?.replace(/^(["'])(.*)\1$/, "$2").trimEnd();
      if (name === undefined || fields.has(name)) throw new NoYaml();
      this.#at++;
      fields.set(name, this.#value(rest, indent, depth, true));
    }
    return Object.fromEntries(fields) satisfies JsonObject;
  }

  /** What stands behind a mark, or on the lines below it. */
  #value(said: string, indent: number, depth: number, isField: boolean): Json {
    const next = this.#lines[this.#at];
    const isDeeper = next !== undefined && next.indent > indent;
    if (said !== "" && !said.startsWith("#")) {
      if (isDeeper) throw new NoYaml();
      return yamlScalar(said);
    }
    if (isDeeper) return this.#block(next.indent, depth + 1);
    return isField && next?.indent === indent && isItem(next) ? this.#list(indent, depth + 1) : null;
  }
}

function isItem({ said }: YamlLine): boolean {
  return /^-(?:\s|$)/.test(said);
}

function yamlScalar(said: string): Json {
  const quoted = /^(?:"([^"\\]*)"|'((?:[^']|'')*)')(?:\s+#.*)?$/.exec(said);
  if (quoted) return quoted[1] ?? (quoted[2] ?? "").replaceAll("''", "'");
  const plain = said.replace(/\s+#.*$/, "");
  if (plain === "[]") return [];
  if (plain === "{}") return {};
  const [, inner] = /^\[([^[\]{}"'#]+)\]$/.exec(plain) ?? [];
  if (inner !== undefined) return inner.split(",").map((each) => yamlScalar(each.trim()));
  if (/^[&*!|>%@`{}[\],?"'#]|^[?:-](?:\s|$)|:(?:\s|$)/.test(plain) || plain === "") throw new NoYaml();
  if (/^(?:null|Null|NULL|~)$/.test(plain)) return null;
  if (/^(?:true|True|TRUE)$/.test(plain)) return true;
  if (/^(?:false|False|FALSE)$/.test(plain)) return false;
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?$/.test(plain) && String(Number(plain)) === plain
    ? Number(plain)
    : plain;
}
