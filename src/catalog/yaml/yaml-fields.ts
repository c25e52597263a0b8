import { isAlias, isMap, isPair, isScalar, isSeq, parseDocument, visit, type Node } from "yaml";
import { yamlFaultText } from "./yaml-fault-text.ts";
import type { Json } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";

/** One field of a YAML mapping. */
export interface YamlField {
  readonly key: string;
  readonly value: Json;
  /** The value as it is written; empty where nothing is written. */
  readonly text: string;
  /** Where the key stands in the text that was read. */
  readonly offset: number;
  /** Where the members of a list stand, and the fields of those that are mappings: `[0]`, `[1].type`. */
  readonly parts?: ReadonlyMap<string, number>;
  /** A tag of nobody's before a text, `!like this`: the text as it was meant, with where it begins. */
  readonly tagged?: { readonly text: string; readonly offset: number } | undefined;
  /** A comment behind a text without quotes, on its line; the offset is that of its `#`. */
  readonly comment?: { readonly text: string; readonly offset: number } | undefined;
}

/** Why a text is not a YAML mapping, and where. */
export interface YamlFault {
  readonly kind: "invalid" | "not-mapping" | "too-much";
  readonly offset: number;
  readonly message: string;
}

/** The fields of a YAML 1.2 mapping, in their order. Values are JSON: dates stay strings. Never throws. */
export function readYamlFields(text: string): Result<readonly YamlField[], YamlFault> {
  try {
    return ok(fieldsOf(text));
  } catch (thrown) {
    if (thrown instanceof YamlError) return fail(thrown.fault);
    // The parser is recursive: a text nested thousands of levels deep exhausts the stack.
    if (thrown instanceof RangeError) return fail({ kind: "too-much", offset: 0, message: TOO_DEEP });
    return fail({
      kind: "invalid",
      offset: 0,
      message: thrown instanceof Error ? thrown.message : String(thrown),
    });
  }
}

/**
 * The first construct that StrictYAML, on which the format's reference validator rests, does not allow. Flow style may
 * be let pass in some fields.
 */
export function strictYamlFault(
  text: string,
  flowAllowedIn: ReadonlySet<string> = new Set(),
): YamlFault | undefined {
  let fault: YamlFault | undefined;
  const found = (node: Node, message: string): symbol => {
    fault = { kind: "invalid", offset: offsetOf(node), message };
    return visit.BREAK;
  };
  visit(parseDocument(text, OPTIONS), {
    Node: (_key, node, path) => {
      if (isAlias(node)) return found(node, "aliases are not allowed");
      if (node.anchor !== undefined) return found(node, "anchors are not allowed");
      if (node.tag !== undefined) return found(node, "tags are not allowed");
      const field = path.find(isPair)?.key;
      const isAllowed = isScalar(field) && flowAllowedIn.has(String(field.value));
      return (isMap(node) || isSeq(node)) && node.flow === true && !isAllowed
        ? found(node, "flow style ([] and {}) is not allowed")
        : undefined;
    },
  });
  return fault;
}

// The parser compares each key with every other when it checks uniqueness; `pairsOf` does it with a set. A log level
// of "silent" would hide the error that a second document follows.
const OPTIONS = { schema: "core", uniqueKeys: false, prettyErrors: false, logLevel: "error" } as const;

function fieldsOf(text: string): YamlField[] {
  const document = parseDocument(text, OPTIONS);
  const error = document.errors[0];
  if (error?.code === "RESOURCE_EXHAUSTION") throw new YamlError("too-much", error.pos[0], TOO_DEEP);
  if (error) throw new YamlError("invalid", error.pos[0], yamlFaultText(error));
  const root = document.contents;
  if (!isMap(root))
    throw new YamlError("not-mapping", root?.range?.[0] ?? 0, "The frontmatter is not a mapping");
  const state: Reading = { text, anchors: new Map(), values: 0 };
  anchor(root, state);
  return pairsOf(root.items, state, 1).map(({ key, value, json }) => ({
    key: key.text,
    value: json,
    text: sourceOf(value, text),
    offset: key.offset,
    parts: partsOf(value),
    tagged: taggedText(value, text),
    comment: commentBehind(value, text),
  }));
}

function taggedText(value: unknown, text: string): YamlField["tagged"] {
  if (!isScalar(value) || value.type !== "PLAIN" || !value.range || !/^![^!]/.test(value.tag ?? ""))
    return undefined;
  const [start, end] = value.range;
  const offset = text.lastIndexOf(`${value.tag} `, start);
  return offset === -1 ? undefined : { text: text.slice(offset, end), offset };
}

function commentBehind(value: unknown, text: string): YamlField["comment"] {
  if (!isScalar(value) || value.type !== "PLAIN" || !value.range) return undefined;
  const [, end] = value.range;
  const comment = /^[ \t]+#.*/.exec(text.slice(end))?.[0];
  return comment === undefined ? undefined : { text: comment.trim(), offset: end + comment.indexOf("#") };
}

function partsOf(value: unknown): ReadonlyMap<string, number> {
  const parts = new Map<string, number>();
  if (!isSeq(value)) return parts;
  for (const [index, item] of value.items.entries()) {
    parts.set(`[${index}]`, offsetOf(item));
    for (const pair of isMap(item) ? item.items : [])
      if (isScalar(pair.key))
        parts.set(`[${index}].${String(pair.key.value)}`, offsetOf(pair.value ?? pair.key));
  }
  return parts;
}

const MAX_LEVELS = 64;
const MAX_VALUES = 100_000;
const TOO_DEEP = `Values are nested more than ${MAX_LEVELS} levels deep`;

interface Reading {
  readonly text: string;
  readonly anchors: Map<string, Node>;
  values: number;
}

class YamlError extends Error {
  readonly fault: YamlFault;

  constructor(kind: YamlFault["kind"], offset: number, message: string) {
    super(message);
    this.fault = { kind, offset, message };
  }
}

function jsonOf(value: unknown, state: Reading, level: number): Json {
  state.values += 1;
  if (isAlias(value)) {
    const offset = value.range?.[0] ?? 0;
    const node = state.anchors.get(value.source);
    if (!node) throw new YamlError("invalid", offset, `The alias *${value.source} has no anchor before it`);
    return jsonOf(node, state, level + 1);
  }
  const offset = offsetOf(value);
  if (level > MAX_LEVELS) throw new YamlError("too-much", offset, TOO_DEEP);
  if (state.values > MAX_VALUES)
    throw new YamlError("too-much", offset, `The frontmatter has more than ${MAX_VALUES} values`);
  if (isScalar(value)) {
    anchor(value, state);
    return jsonOfScalar(value.value, value.source);
  }
  if (isSeq(value)) {
    anchor(value, state);
    return value.items.map((item) => jsonOf(item, state, level + 1));
  }
  if (isMap(value)) {
    anchor(value, state);
    // `fromEntries` defines own properties: a key `__proto__` is data like any other.
    return Object.fromEntries(pairsOf(value.items, state, level).map(({ key, json }) => [key.text, json]));
  }
  return null;
}

function jsonOfScalar(value: unknown, source: string | undefined): Json {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  return value === null || value === undefined ? null : (source ?? null);
}

interface PairReading {
  readonly key: { readonly text: string; readonly offset: number };
  readonly value: unknown;
  readonly json: Json;
}

function pairsOf(
  items: readonly { readonly key: unknown; readonly value: unknown }[],
  state: Reading,
  level: number,
): PairReading[] {
  const keys = new Set<string>();
  return items.map((pair) => {
    const key = { text: keyOf(pair.key, state, level), offset: offsetOf(pair.key) };
    if (keys.has(key.text)) {
      throw new YamlError(
        "invalid",
        key.offset,
        `Map keys must be unique: ${JSON.stringify(key.text)} stands twice`,
      );
    }
    keys.add(key.text);
    return { key, value: pair.value, json: jsonOf(pair.value, state, level + 1) };
  });
}

function keyOf(key: unknown, state: Reading, level: number): string {
  const json = jsonOf(key, state, level + 1);
  if (typeof json === "string") return json;
  if (isScalar(key)) return key.source ?? "";
  return JSON.stringify(json);
}

function anchor(node: Node & { anchor?: string }, state: Reading): void {
  if (node.anchor !== undefined) state.anchors.set(node.anchor, node);
}

function offsetOf(node: unknown): number {
  return rangeOf(node)?.[0] ?? 0;
}

function sourceOf(node: unknown, text: string): string {
  const range = rangeOf(node);
  return range ? text.slice(range[0], range[1]).trim() : "";
}

function rangeOf(node: unknown): readonly [number, number, number] | undefined {
  if (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) return node.range ?? undefined;
  return undefined;
}
