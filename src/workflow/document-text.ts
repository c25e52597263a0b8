import { type Node as JsonNode, parseTree } from "jsonc-parser";
import { isAlias, isMap, isScalar, isSeq, type Node as YamlNode, parseDocument } from "yaml";
import { isDeeperThan, type Json } from "../core/json/json.ts";
import { parseJson, positionAt } from "../core/json/parse-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { valueAt } from "../learn/plan/values.ts";
import { documentPlace } from "./task-arguments.ts";
import type { DocumentPath } from "./type-notation.ts";

/** A place in a document's text; both count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export interface TextFault extends TextPlace {
  readonly message: string;
}

/** A document that was parsed, with where each part of it stands. */
export interface DocumentText {
  readonly value: Json;
  /** Names that stand twice in an object; the last one would count. */
  readonly repeated: readonly { readonly path: DocumentPath; readonly place: TextPlace }[];
  /** Where a value stands; where it is missing, what it would stand in. */
  placeOf(path: DocumentPath): TextPlace;
  /** Where the name stands under which a value is. */
  nameOf(path: DocumentPath): TextPlace;
  /** Where a character of a text stands. */
  placeIn(path: DocumentPath, offset: number): TextPlace;
}

const MAX_LEVELS = 64;
const MAX_VALUES = 100_000;
/** What aliases repeat counts each time. */
const MAX_TEXT = 4 * 1024 * 1024;

/** Reads JSON, or YAML 1.2, whose values are taken as JSON. Never throws. */
export function parseDocumentText(text: string, format: "json" | "yaml"): Result<DocumentText, TextFault> {
  const content = text.replace(/^\uFEFF/, "");
  try {
    return format === "json" ? readJson(content) : readYaml(content);
  } catch (thrown) {
    if (thrown instanceof DocumentError) return fail({ message: thrown.message, ...thrown.place });
    if (thrown instanceof RangeError) return fail({ message: TOO_DEEP, line: 1, column: 1 });
    throw thrown;
  }
}

const TOO_DEEP = `it is nested more than ${MAX_LEVELS} levels deep`;

class DocumentError extends Error {
  readonly place: TextPlace;

  constructor(message: string, place: TextPlace) {
    super(message);
    this.place = place;
  }
}

/** Where parts stand, by their paths as text. */
class Places {
  readonly #text: string;
  readonly #values = new Map<string, number>();
  readonly #names = new Map<string, number>();
  readonly repeated: { readonly path: DocumentPath; readonly place: TextPlace }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  value(path: DocumentPath, offset: number): void {
    this.#values.set(documentPlace(path), offset);
    if (this.#values.size > MAX_VALUES)
      throw new DocumentError(`it has more than ${MAX_VALUES} values`, positionAt(this.#text, offset));
  }

  name(path: DocumentPath, offset: number): void {
    const place = documentPlace(path);
    if (this.#names.has(place)) this.repeated.push({ path, place: positionAt(this.#text, offset) });
    this.#names.set(place, offset);
  }

  of(value: Json): DocumentText {
    const at = (path: DocumentPath): number => {
      for (let end = path.length; end >= 0; end--) {
        const offset = this.#values.get(documentPlace(path.slice(0, end)));
        if (offset !== undefined) return offset;
      }
      return 0;
    };
    return {
      value,
      repeated: this.repeated,
      placeOf: (path) => positionAt(this.#text, at(path)),
      nameOf: (path) => positionAt(this.#text, this.#names.get(documentPlace(path)) ?? at(path)),
      placeIn: (path, offset) => {
        const start = at(path);
        const said = valueAt(value, path);
        const length = typeof said === "string" ? writtenLength(this.#text.slice(start), said, offset) : 0;
        return positionAt(this.#text, start + length);
      },
    };
  }
}

/** How many characters of a written text stand before a character of what it says; 0 where its lines are folded. */
function writtenLength(written: string, said: string, offset: number): number {
  const [quote = ""] = written;
  if (quote === "|") return blockLength(written, said.slice(0, offset));
  if (quote !== '"' && quote !== "'") return quote === ">" ? 0 : offset;
  let at = 1;
  for (let left = offset; left > 0 && at < written.length; left--) {
    if (quote === '"' && written[at] === "\\") at += written[at + 1] === "u" ? 6 : 2;
    else at += quote === "'" && written.startsWith("''", at) ? 2 : 1;
  }
  return at;
}

/** A block of lines: each stands in a line of its own, as far in as the first that is not empty. */
function blockLength(written: string, before: string): number {
  const [header = "", ...lines] = written.split("\n");
  if (/^\|[-+]?\d/.test(header)) return 0;
  const indent = lines.find((line) => line.trim() !== "")?.search(/\S/) ?? 0;
  const said = before.split("\n");
  const above = [header, ...lines.slice(0, said.length - 1)];
  return above.join("\n").length + 1 + indent + (said.at(-1) ?? "").length;
}

function readJson(text: string): Result<DocumentText, TextFault> {
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  if (isDeeperThan(parsed.value, MAX_LEVELS)) return fail({ message: TOO_DEEP, line: 1, column: 1 });
  const places = new Places(text);
  const walk = (node: JsonNode, path: DocumentPath): void => {
    places.value(path, node.offset);
    for (const [index, child] of (node.children ?? []).entries()) {
      const [name, value] = child.children ?? [];
      if (node.type === "array") walk(child, [...path, index]);
      else if (name && value) {
        const inner = [...path, String(name.value)];
        places.name(inner, name.offset);
        walk(value, inner);
      }
    }
  };
  const root = parseTree(text);
  if (root) walk(root, []);
  return ok(places.of(parsed.value));
}

function readYaml(text: string): Result<DocumentText, TextFault> {
  const document = parseDocument(text, {
    schema: "core",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
  });
  const [error] = document.errors;
  if (error) return fail({ message: error.message, ...positionAt(text, error.pos[0]) });
  const places = new Places(text);
  const anchors = new Map<string, YamlNode>();
  let values = 0;
  let characters = 0;
  const walk = (node: unknown, path: DocumentPath, level: number, isOriginal: boolean): Json => {
    const offset = offsetOf(node);
    const refuse = (message: string): never => {
      throw new DocumentError(message, positionAt(text, offset));
    };
    if (level > MAX_LEVELS) refuse(TOO_DEEP);
    values += 1;
    if (values > MAX_VALUES) refuse(`it has more than ${MAX_VALUES} values`);
    if (isOriginal) places.value(path, offset);
    if (isAlias(node)) {
      const meant = anchors.get(node.source);
      return meant ? walk(meant, path, level + 1, false) : refuse(`the alias *${node.source} has no anchor`);
    }
    if (isScalar(node) || isMap(node) || isSeq(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    }
    if (isSeq(node))
      return node.items.map((item, index) => walk(item, [...path, index], level + 1, isOriginal));
    if (isMap(node))
      return Object.fromEntries(
        node.items.map((pair) => {
          const name = isScalar(pair.key)
            ? (pair.key.source ?? String(pair.key.value))
            : refuse("a name is a text");
          const inner = [...path, name];
          if (isOriginal) places.name(inner, offsetOf(pair.key));
          return [name, walk(pair.value, inner, level + 1, isOriginal)];
        }),
      );
    if (!isScalar(node)) return null;
    const scalar = scalarOf(node.value, node.source);
    if (typeof scalar === "string") characters += scalar.length;
    if (characters > MAX_TEXT) refuse("with what its aliases repeat it is too large");
    return scalar;
  };
  const value = walk(document.contents, [], 0, true);
  return ok(places.of(value));
}

function scalarOf(value: unknown, source: string | undefined): Json {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  return value === null || value === undefined ? null : (source ?? null);
}

function offsetOf(node: unknown): number {
  const isPlaced = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node);
  return isPlaced ? (node.range?.[0] ?? 0) : 0;
}
