import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { isList } from "../schema-keywords.ts";
import { subschemaForm, type Part, type SchemaRoot } from "../schema-root.ts";
import { canonicalText } from "../values/canonical-text.ts";

/** Keys that are equal for parts that mean the same, as far as their texts tell. */
export class SchemaKeys {
  readonly #contents = new Map<JsonObject, Content>();
  readonly #numbers = new Map<string, number>();
  readonly #roots = new Map<SchemaRoot, number>();

  keyOf({ schema, root }: Part): string {
    if (!isJsonObject(schema)) return JSON.stringify(schema);
    const { number, refers } = this.#content(schema);
    return refers ? `${number}@${this.#rootNumber(root)}` : String(number);
  }

  /** Tells exact parts from others. */
  exactKeyOf(part: Part): string {
    return `${this.keyOf(part)}${part.isExact ? "!" : ""}`;
  }

  #rootNumber(root: SchemaRoot): number {
    const known = this.#roots.get(root) ?? this.#numberOf(`root ${canonicalText(root.referable)}`);
    this.#roots.set(root, known);
    return known;
  }

  #numberOf(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  #content(schema: JsonObject): Content {
    const known = this.#contents.get(schema);
    if (known) return known;
    let refers = false;
    const inner = (each: Json): string => {
      if (!isJsonObject(each)) return JSON.stringify(each);
      const content = this.#content(each);
      refers ||= content.refers;
      return `#${content.number}`;
    };
    const texts = Object.keys(schema)
      .filter((key) => !ANNOTATIONS.has(key))
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${keywordText(key, schema[key] ?? null, inner)}`);
    refers ||= REFERENCES.some((key) => schema[key] !== undefined);
    const content = { number: this.#numberOf(texts.join()), refers };
    this.#contents.set(schema, content);
    return content;
  }
}

interface Content {
  readonly number: number;
  /** Whether what it means depends on its document. */
  readonly refers: boolean;
}

/** Keywords that no value is checked against. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$comment",
  "$schema",
  "$id",
  "$defs",
  "definitions",
]);

const REFERENCES = ["$ref", "$dynamicRef"];

function keywordText(key: string, value: Json, inner: (schema: Json) => string): string {
  switch (subschemaForm(key)) {
    case "schema":
      return inner(value);
    case "list":
      return isList(value) ? value.map(inner).join() : "";
    case "map":
      return isJsonObject(value)
        ? Object.keys(value)
            .toSorted()
            .map((name) => `${JSON.stringify(name)}:${inner(value[name] ?? true)}`)
            .join()
        : "";
    case undefined:
      return canonicalText(value);
  }
}
