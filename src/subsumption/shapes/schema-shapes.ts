import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Effort } from "../effort.ts";
import { canonicalText } from "../values/canonical-text.ts";
import { entriesOf, isList } from "../schema-keywords.ts";
import { conditionOf, partOf, resolvedReference, type Part, type SchemaRoot } from "../schema-root.ts";
import { ANNOTATIONS, SchemaKeys } from "./schema-keys.ts";
import type { ValueCheck } from "../values/value-faults.ts";

/** What values of one basic type have to be like: all of the parts. Values that can be listed are listed. */
export type Shape = ListedShape | OpenShape;

export interface ListedShape {
  readonly kind: "values";
  readonly id: number;
  readonly values: readonly Json[];
}

export interface OpenShape {
  readonly kind: OpenKind;
  readonly id: number;
  /** Schemas as they are written; what they choose among is decided, and the choice is among the parts too. */
  readonly parts: readonly Part[];
  readonly partKeys: ReadonlySet<string>;
  /** What properties and items have to be like besides. */
  readonly inner: ReadonlyMap<string | number, Shape>;
}

export type OpenKind = "number" | "string" | "array" | "object";

/** What a value has to be like: all of it. */
export type Conjunction = readonly (Part | Shape)[];

/**
 * Reads schemas as unions of shapes, each of one basic type: the canonical form of Habib et al., Finding Data
 * Compatibility Bugs with JSON Subschemas, ISSTA 2021, but made one level at a time, for the sake of recursion. All
 * values of a schema have one of its shapes; a shape can have more values, as `not` and that only one of `oneOf` may fit
 * are left to whoever looks at the parts.
 */
export class SchemaShapes {
  readonly #check: ValueCheck;
  readonly #effort: Effort;
  readonly #keys = new SchemaKeys();
  readonly #shapes = new Map<string, Shape>();
  readonly #known = new Map<string, readonly Shape[]>();
  readonly #unions = new Map<JsonObject, readonly Disjunction[]>();
  readonly #exactUnions = new Map<JsonObject, readonly Disjunction[]>();
  readonly #indexes = new Map<readonly Json[], ReadonlyMap<string, number>>();

  constructor(check: ValueCheck, effort: Effort) {
    this.#check = check;
    this.#effort = effort;
  }

  /** The shapes of the values that are all of this; none where there is no such value. */
  of(point: Conjunction): readonly Shape[] {
    const key = this.pointKey(point);
    const known = this.#known.get(key);
    if (known) return known;
    const listed = new Map<string, Json>();
    const open = new Map<number, Shape>();
    for (const draft of this.#drafts(point)) {
      for (const value of this.#listed(draft)) listed.set(canonicalText(value), value);
      if (draft.values) continue;
      for (const kind of OPEN_KINDS) {
        if (!(draft.kinds & KINDS[kind])) continue;
        const shape = this.#open(kind, draft.parts, draft.inner);
        open.set(shape.id, shape);
      }
    }
    const shapes = [...(listed.size > 0 ? [this.listed([...listed.values()])] : []), ...open.values()];
    this.#known.set(key, shapes);
    return shapes;
  }

  listed(values: readonly Json[]): ListedShape {
    const key = `values ${values.map(canonicalText).join()}`;
    const known = this.#shapes.get(key);
    if (known?.kind === "values") return known;
    const shape: ListedShape = { kind: "values", id: this.#shapes.size, values };
    this.#shapes.set(key, shape);
    return shape;
  }

  /** The shape with a further part, which chooses nothing. */
  narrowed(shape: OpenShape, schema: JsonObject): OpenShape {
    const parts = new Map(
      [...shape.parts, unwritten(schema)].map((each) => [this.#keys.exactKeyOf(each), each]),
    );
    return this.#open(shape.kind, parts, shape.inner);
  }

  /** The shape with one of its properties or items narrowed. */
  narrowedInside(shape: OpenShape, at: string | number, inner: Shape): OpenShape {
    const parts = new Map(shape.parts.map((each) => [this.#keys.exactKeyOf(each), each]));
    return this.#open(shape.kind, parts, new Map([...shape.inner, [at, inner]]));
  }

  pointKey(point: Conjunction): string {
    const keys = point.map((piece) => ("kind" in piece ? `#${piece.id}` : this.#keys.exactKeyOf(piece)));
    return [...new Set(keys)].toSorted().join();
  }

  /** The place of an alternative that is a part of the shape already. */
  indexOf(choices: readonly Json[], target: Part, shape: OpenShape): number | undefined {
    const known = this.#indexes.get(choices);
    const indexes =
      known ??
      new Map(choices.map((each, index) => [this.#keys.keyOf(partOf(target, each)), index] as const));
    if (!known) this.#indexes.set(choices, indexes);
    for (const key of shape.partKeys) {
      const index = indexes.get(key);
      if (index !== undefined) return index;
    }
    return undefined;
  }

  /** Equal for parts that mean the same, as far as their texts tell. */
  keyOf(part: Part): string {
    return this.#keys.keyOf(part);
  }

  #open(
    kind: OpenKind,
    parts: ReadonlyMap<string, Part>,
    inner: ReadonlyMap<string | number, Shape>,
  ): OpenShape {
    const insides = [...inner].map(([at, shape]) => `${JSON.stringify(at)}=${shape.id}`);
    const key = `${kind} ${[...parts.keys()].toSorted().join()} ${insides.toSorted().join()}`;
    const known = this.#shapes.get(key);
    if (known && known.kind !== "values") return known;
    const all = [...parts.values()];
    const shape: OpenShape = {
      kind,
      id: this.#shapes.size,
      parts: all,
      partKeys: new Set(all.map((part) => this.#keys.keyOf(part))),
      inner,
    };
    this.#shapes.set(key, shape);
    return shape;
  }

  *#drafts(point: Conjunction): Generator<Draft> {
    const waiting: { readonly draft: Draft; readonly todo: Conjunction }[] = [
      { draft: NO_DRAFT, todo: point },
    ];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const settled = this.#settled(next.draft, next.todo);
      if (!settled) continue;
      const [choices, ...unions] = settled.unions;
      if (!choices) yield settled;
      for (const choice of choices?.toReversed() ?? [])
        waiting.push({ draft: { ...settled, unions }, todo: choice });
    }
  }

  #settled(before: Draft, todo: Conjunction): Draft | undefined {
    const draft = {
      kinds: before.kinds,
      values: before.values,
      parts: new Map(before.parts),
      inner: new Map(before.inner),
      unions: [...before.unions],
    };
    this.#effort.spend(before.parts.size / PARTS_PER_STEP);
    const waiting = todo.toReversed();
    for (let piece = waiting.pop(); piece; piece = waiting.pop()) {
      this.#effort.spend();
      if ("kind" in piece) this.#addShape(piece, draft);
      else if (piece.schema === false) return undefined;
      else if (isJsonObject(piece.schema)) this.#addPart(piece, piece.schema, draft, waiting);
      if (draft.kinds === 0 || draft.values?.size === 0) return undefined;
    }
    return draft;
  }

  #addShape(shape: Shape, draft: MutableDraft): void {
    if (shape.kind === "values") {
      draft.values = shared(draft.values, shape.values);
      return;
    }
    draft.kinds &= KINDS[shape.kind];
    for (const part of shape.parts) draft.parts.set(this.#keys.exactKeyOf(part), part);
    for (const [at, inner] of shape.inner) {
      const other = draft.inner.get(at);
      const both = other && other !== inner ? this.#both(inner, other) : inner;
      draft.inner.set(at, both);
    }
  }

  // Where two narrowings meet, their union would be a point and not a shape; the first alone says less, but is right.
  #both(one: Shape, other: Shape): Shape {
    const shapes = this.of([one, other]);
    const [only] = shapes;
    return shapes.length === 1 && only ? only : shapes.length === 0 ? this.listed([]) : one;
  }

  #addPart(part: Part, schema: JsonObject, draft: MutableDraft, waiting: (Part | Shape)[]): void {
    const key = this.#keys.exactKeyOf(part);
    if (draft.parts.has(key)) return;
    draft.parts.set(key, part);
    if (schema["type"] !== undefined) draft.kinds &= kindsOf(schema);
    if (schema["const"] !== undefined) draft.values = shared(draft.values, [schema["const"]]);
    if (isList(schema["enum"])) draft.values = shared(draft.values, schema["enum"]);
    if (typeof schema["$ref"] === "string") {
      const target = resolvedReference(part.root, schema["$ref"]);
      if (target !== undefined) waiting.push(partOf(part, target));
    }
    if (isList(schema["allOf"])) waiting.push(...schema["allOf"].map((each) => partOf(part, each)));
    draft.unions.push(...this.#unionsOf(part, schema));
  }

  #unionsOf(part: Part, schema: JsonObject): readonly Disjunction[] {
    const known = part.isExact ? this.#exactUnions : this.#unions;
    const unions = known.get(schema) ?? unionsOf(part, schema).map((choices) => this.#different(choices));
    known.set(schema, unions);
    return unions;
  }

  #different(choices: Disjunction): Disjunction {
    return [...new Map(choices.map((choice) => [this.pointKey(choice), choice])).values()];
  }

  #listed({ values, kinds, parts }: Draft): readonly Json[] {
    const possible = values
      ? [...values.values()].filter((value) => kinds & kindOf(value))
      : [...(kinds & KINDS.null ? [null] : []), ...(kinds & KINDS.boolean ? [false, true] : [])];
    const telling = [...parts.values()].filter(({ schema }) => saysMoreThanValues(schema));
    return possible.filter((value) =>
      telling.every((part) => this.#check.verdict(value, part).faults.length === 0),
    );
  }
}

/** A part that stands in no document; it refers to nothing. */
export function unwritten(schema: Json): Part {
  return { schema, root: NOWHERE, isExact: false };
}

/** Points of which a value is one. */
type Disjunction = readonly Conjunction[];

/** An alternative while it is read. */
interface Draft {
  readonly kinds: number;
  readonly values: ReadonlyMap<string, Json> | undefined;
  readonly parts: ReadonlyMap<string, Part>;
  readonly inner: ReadonlyMap<string | number, Shape>;
  readonly unions: readonly Disjunction[];
}

interface MutableDraft {
  kinds: number;
  values: ReadonlyMap<string, Json> | undefined;
  readonly parts: Map<string, Part>;
  readonly inner: Map<string | number, Shape>;
  readonly unions: Disjunction[];
}

const PARTS_PER_STEP = 10;

const KINDS = { null: 1, boolean: 2, number: 4, string: 8, array: 16, object: 32 } as const;
const OPEN_KINDS: readonly OpenKind[] = ["number", "string", "array", "object"];

const NO_DRAFT: Draft = { kinds: 63, values: undefined, parts: new Map(), inner: new Map(), unions: [] };

const NOWHERE: SchemaRoot = { schema: {}, positions: new Set(), referable: {}, hasDefaults: false };

/** What a schema chooses among: a value is as one of each. Only what a value may have declares its properties. */
function unionsOf(part: Part, schema: JsonObject): readonly Disjunction[] {
  const { anyOf, oneOf, if: condition, then = true, else: otherwise = true, dependentSchemas } = schema;
  return [
    ...[anyOf, oneOf].filter(isList).map((choices) => choices.map((each) => [partOf(part, each)])),
    ...(condition === undefined
      ? []
      : [[[conditionOf(part, condition), partOf(part, then)], [partOf(part, otherwise)]]]),
    ...entriesOf(dependentSchemas).map(([name, inner]) => [
      [conditionOf(part, { properties: { [name]: false } })],
      [conditionOf(part, { required: [name] }), partOf(part, inner)],
    ]),
  ];
}

function kindsOf({ type, nullable }: JsonObject): number {
  const types = isList(type) ? type : [type];
  return types.reduce<number>(
    (kinds, each) => kinds | (each === "integer" ? KINDS.number : KINDS[each as keyof typeof KINDS]),
    nullable === true ? KINDS.null : 0,
  );
}

function kindOf(value: Json): number {
  if (value === null) return KINDS.null;
  if (isList(value)) return KINDS.array;
  return KINDS[typeof value as "boolean" | "number" | "string" | "object"];
}

function shared(
  one: ReadonlyMap<string, Json> | undefined,
  other: readonly Json[],
): ReadonlyMap<string, Json> {
  const entries = other.map((value): [string, Json] => [canonicalText(value), value]);
  return new Map(one ? entries.filter(([text]) => one.has(text)) : entries);
}

const MAX_EXCLUSIVE = 50;

// What a value has to be by these is among the values and the parts already.
const SETTLED: ReadonlySet<string> = new Set(["enum", "const", "nullable", "allOf", "anyOf", "$ref"]);

/** Whether a part says more of a listed value than its basic type, and that it is listed. */
function saysMoreThanValues(schema: Json): boolean {
  return (
    isJsonObject(schema) &&
    Object.entries(schema).some(([key, value]) => {
      if (key === "type") return value === "integer" || (isList(value) && value.includes("integer"));
      if (key === "oneOf") return isList(value) && value.length <= MAX_EXCLUSIVE;
      return !ANNOTATIONS.has(key) && !SETTLED.has(key);
    })
  );
}
