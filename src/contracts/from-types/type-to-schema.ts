import ts from "typescript";
import type { Json } from "../../core/json/json.ts";
import { validatorOf, type JsonSchema } from "../../core/json/json-schema.ts";
import { isAuthored, isLibrary, codePositionAt } from "../../compiler/program/ts-program.ts";
import type { CodeFinding, CodePosition } from "../../compiler/program/compiled-code.ts";
import { docsOf, type DocTag, type Docs } from "./doc-comments.ts";
import { fixFor } from "./inexpressible.ts";
import { taggedSchema, tagValue, type SchemaDraft } from "./tagged-schema.ts";
import { templatePattern } from "./template-pattern.ts";
import {
  NO_ENVIRONMENT,
  unionLeaves,
  resolvedNode,
  type ResolvedNode,
  type WrittenType,
} from "./written-type.ts";

/** A type of which the schema is wanted, and where it stands. */
export interface TypeRoot {
  readonly type: ts.Type;
  /** How the author wrote it, where that is known: names of simple types are only there. */
  readonly written: ts.TypeNode | undefined;
  readonly side: "input" | "output";
  readonly at: ts.Node;
}

export interface TypeSchema {
  readonly schema: JsonSchema;
  readonly findings: readonly CodeFinding[];
}

/** The JSON Schema of what a type allows, and a finding for each part that JSON cannot carry. */
export function schemaOfType(checker: ts.TypeChecker, root: TypeRoot): TypeSchema {
  return new TypeReading(checker, root).result();
}

const MAX_NODES = 2_000;
const MAX_DEPTH = 32;
const VALUES_PER_NODE = 10;

const SIMPLE = ts.TypeFlags.StringLike | ts.TypeFlags.Number | ts.TypeFlags.Enum;

/** Where in the contract the reading is. */
interface Spot {
  readonly path: string;
  readonly at: ts.Node;
  readonly depth: number;
}

/** A type that is being read; a name is given to it when it turns out to contain itself. */
interface OpenType {
  readonly type: ts.Type;
  readonly ownName: string | undefined;
  readonly spot: Spot;
  defName?: string;
}

class TypeReading {
  readonly #checker: ts.TypeChecker;
  readonly #root: TypeRoot;
  readonly #findings = new Map<string, CodeFinding>();
  readonly #open: OpenType[] = [];
  readonly #definitions = new Map<string, SchemaDraft>();
  readonly #defNames = new Map<ts.Type, string>();
  readonly #checksToDo: (() => void)[] = [];
  #nodes = 0;
  #exploded = false;

  constructor(checker: ts.TypeChecker, root: TypeRoot) {
    this.#checker = checker;
    this.#root = root;
  }

  result(): TypeSchema {
    const { type, written, side, at } = this.#root;
    const schema = this.#readRoot(type, written && { node: written, environment: NO_ENVIRONMENT }, {
      path: side,
      at,
      depth: 0,
    });
    const complete = this.#withDefinitions(schema);
    if (!this.#failed) for (const check of this.#checksToDo) check();
    return { schema: complete, findings: [...this.#findings.values()] };
  }

  // No input is as good as none; no output is null.
  #readRoot(type: ts.Type, written: WrittenType | undefined, spot: Spot): SchemaDraft {
    const present = this.#readPresent(type, written, spot, true);
    if (!present) return { type: "null" };
    return this.#root.side === "output" && includesUndefined(type) ? withNull([present]) : present;
  }

  get #failed(): boolean {
    return [...this.#findings.values()].some((finding) => finding.severity === "error");
  }

  // A root that is only a reference is written out, so that an object's schema says at once that it is an object.
  #withDefinitions(schema: SchemaDraft): SchemaDraft {
    if (this.#definitions.size === 0) return schema;
    const { $ref, ...rest } = schema;
    const target =
      typeof $ref === "string"
        ? this.#definitions.get(decodeURIComponent($ref.slice("#/$defs/".length)))
        : undefined;
    return { ...target, ...(target ? rest : schema), $defs: Object.fromEntries(this.#definitions) };
  }

  #read(type: ts.Type, written: WrittenType | undefined, spot: Spot): SchemaDraft {
    if (this.#exploded) return {};
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) return this.#explode(spot, `it has more than ${MAX_NODES} parts`);
    if (spot.depth > MAX_DEPTH) return this.#explode(spot, `it is nested deeper than ${MAX_DEPTH} levels`);

    const definition = this.#defNames.get(type);
    if (definition !== undefined && this.#definitions.has(definition)) return referenceTo(definition);
    const repeated = this.#repeated(type);
    if (repeated) return referenceTo((repeated.defName ??= this.#newDefName(repeated)));

    const resolved = written && resolvedNode(this.#checker, written);
    if (!isContainer(type)) return this.#documented(this.#bare(type, resolved, spot), type, resolved, spot);

    const open: OpenType = { type, ownName: nameOf(type), spot };
    this.#open.push(open);
    const schema = this.#documented(this.#bare(type, resolved, spot), type, resolved, spot);
    this.#open.pop();
    if (open.defName === undefined) return schema;
    this.#definitions.set(open.defName, schema);
    return referenceTo(open.defName);
  }

  // A cycle through a named type is cut at that type, even when it is first entered at another one.
  #repeated(type: ts.Type): OpenType | undefined {
    const index = this.#open.findIndex((open) => open.type === type);
    const open = this.#open[index];
    if (!open || open.ownName !== undefined) return open;
    return this.#open.slice(index + 1).some(({ ownName }) => ownName !== undefined) ? undefined : open;
  }

  #newDefName(open: OpenType): string {
    const wanted = open.ownName ?? capitalised(/([A-Za-z_$][\w$]*)\W*$/.exec(open.spot.path)?.[1] ?? "Part");
    const taken = new Set(this.#defNames.values());
    let name = wanted;
    for (let number = 2; taken.has(name); number += 1) name = `${wanted}${number}`;
    this.#defNames.set(open.type, name);
    return name;
  }

  #bare(type: ts.Type, resolved: ResolvedNode | undefined, spot: Spot): SchemaDraft {
    const { flags } = type;
    if (flags & ts.TypeFlags.Any) return this.#untyped(type, resolved, spot);
    if (flags & ts.TypeFlags.Unknown) return {};
    if (flags & ts.TypeFlags.Null) return { type: "null" };
    if (flags & ts.TypeFlags.Boolean) return { type: "boolean" };
    if (isLiteral(type)) return this.#literals([type], spot);
    if (type.isUnion()) return this.#union(type.types, resolved, spot);
    if (flags & SIMPLE) return this.#simple(type, resolved, spot);
    if (flags & ts.TypeFlags.NonPrimitive) return { type: "object" };
    if (type.isIntersection()) return this.#intersection(type, resolved, spot);
    if (flags & ts.TypeFlags.Instantiable) return this.#generic(type, resolved, spot);
    if (flags & ts.TypeFlags.Object) return this.#object(type as ts.ObjectType, resolved, spot);
    return this.#inexpressible(type, spot);
  }

  #untyped(type: ts.Type, resolved: ResolvedNode | undefined, spot: Spot): SchemaDraft {
    if (resolved && isErrorType(type)) {
      this.#report(spot, {
        code: "type-inexpressible",
        severity: "error",
        message: `The type of \`${spot.path}\` cannot be worked out: it is not known here, refers to itself in a cycle, or is too complex`,
        fix: "Declare the type in one of the skill's own files, and keep it simple",
      });
    } else {
      this.#report(spot, {
        code: "type-untyped",
        severity: "warning",
        message: `\`${spot.path}\` has the type any, so nothing about it is checked`,
        fix: "Give it a type; `unknown` where any JSON is meant",
      });
    }
    return {};
  }

  #simple(type: ts.Type, resolved: ResolvedNode | undefined, spot: Spot): SchemaDraft {
    // `Iata | Icao`, both of them names for string, is nothing but string to the checker.
    if (resolved && ts.isUnionTypeNode(resolved.node)) {
      const members = unionLeaves(this.#checker, [type], resolved);
      return anyOf(distinct(members.map((member) => this.#read(member.type, member.written, spot))));
    }
    if (type.flags & (ts.TypeFlags.Number | ts.TypeFlags.Enum)) return { type: "number" };
    const pattern = templatePattern(type);
    return pattern === undefined ? { type: "string" } : { type: "string", pattern };
  }

  #literals(types: readonly ts.Type[], spot: Spot, nullable = false): SchemaDraft {
    const values: Json[] = types.map(literalValue);
    this.#nodes += Math.floor(values.length / VALUES_PER_NODE);
    if (this.#nodes > MAX_NODES)
      return this.#explode(spot, `it has more than ${MAX_NODES * VALUES_PER_NODE} values`);
    if (values.some((value) => typeof value === "number" && !Number.isFinite(value))) {
      return this.#refuse(spot, "a number that is not finite", "JSON has no such number; use a string");
    }
    const names = [...new Set([...values.map((value) => typeof value), ...(nullable ? ["null"] : [])])];
    const type: Json = names.length === 1 ? (names[0] ?? "string") : names;
    if (nullable) return { type, enum: [...values, null] };
    const [only] = values;
    return values.length === 1 && only !== undefined ? { type, const: only } : { type, enum: values };
  }

  #union(types: readonly ts.Type[], resolved: ResolvedNode | undefined, spot: Spot): SchemaDraft {
    const members = unionLeaves(this.#checker, types, resolved);
    const nullable = members.some(({ type }) => type.flags & ts.TypeFlags.Null);
    const missing = members.find(({ type }) => type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void));
    if (missing) return this.#inexpressible(missing.type, spot);

    const literals = members.map(({ type }) => type).filter(isLiteral);
    const booleans = literals.filter(({ flags }) => flags & ts.TypeFlags.BooleanLiteral);
    const listed = booleans.length === 2 ? literals.filter((type) => !booleans.includes(type)) : literals;
    const schemas: SchemaDraft[] = [];
    for (const { type, written } of members) {
      if (type.flags & ts.TypeFlags.Null) continue;
      if (booleans.length === 2 && type === booleans[0]) schemas.push({ type: "boolean" });
      else if (type === listed[0])
        schemas.push(this.#literals(listed, spot, nullable && listed.length === members.length - 1));
      else if (!isLiteral(type)) schemas.push(this.#read(type, written, { ...spot, depth: spot.depth + 1 }));
    }
    return nullable ? withNull(distinct(schemas)) : anyOf(distinct(schemas));
  }

  // A primitive among the parts decides: what is added to it is a brand that exists for the checker only.
  #intersection(type: ts.IntersectionType, resolved: ResolvedNode | undefined, spot: Spot): SchemaDraft {
    const primitive = type.types.find(
      (part) =>
        !(part.flags & (ts.TypeFlags.Object | ts.TypeFlags.Instantiable)) ||
        part.flags & ts.TypeFlags.StringLike,
    );
    if (primitive && !(primitive.flags & ts.TypeFlags.NonPrimitive))
      return this.#bare(primitive, undefined, spot);
    const list = type.types.find(
      (part) => this.#checker.isArrayType(part) || this.#checker.isTupleType(part),
    );
    if (list) return this.#bare(list, undefined, spot);
    return this.#properties(type, resolved, spot);
  }

  #generic(type: ts.Type, resolved: ResolvedNode | undefined, spot: Spot): SchemaDraft {
    const constraint = this.#checker.getBaseConstraintOfType(type);
    if (constraint && constraint !== type && !(constraint.flags & ts.TypeFlags.Instantiable)) {
      return this.#bare(constraint, resolved, spot);
    }
    return type.flags & ts.TypeFlags.TypeParameter ? {} : this.#inexpressible(type, spot);
  }

  #object(type: ts.ObjectType, resolved: ResolvedNode | undefined, spot: Spot): SchemaDraft {
    const checker = this.#checker;
    if (checker.isTupleType(type)) return this.#tuple(type as ts.TupleTypeReference, resolved, spot);
    if (checker.isArrayType(type)) return this.#array(type as ts.TypeReference, resolved, spot);
    if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0)
      return this.#inexpressible(type, spot);
    if (this.#isLibraryObject(type)) {
      return type.symbol.name === "Object" ? { type: "object" } : this.#inexpressible(type, spot);
    }
    return this.#properties(type, resolved, spot);
  }

  /** A class or interface of the language's library that does more than carry data: Date, Map, Promise… */
  #isLibraryObject(type: ts.ObjectType): boolean {
    const declarations = type.symbol?.declarations ?? [];
    const named = type.isClassOrInterface() || Boolean(type.objectFlags & ts.ObjectFlags.Reference);
    if (!named || declarations.length === 0 || !declarations.every(isLibrary)) return false;
    return this.#checker
      .getPropertiesOfType(type)
      .some((property) => this.#checker.getTypeOfSymbol(property).getCallSignatures().length > 0);
  }

  #array(type: ts.TypeReference, resolved: ResolvedNode | undefined, spot: Spot): SchemaDraft {
    const [element] = this.#checker.getTypeArguments(type);
    if (!element) return { type: "array" };
    // The type of `[]` in code: no element was ever put in.
    if (element.flags & ts.TypeFlags.Never) return { type: "array", maxItems: 0 };
    const written = elementNode(resolved);
    return {
      type: "array",
      items: this.#read(element, written, { path: `${spot.path}[]`, at: spot.at, depth: spot.depth + 1 }),
    };
  }

  #tuple(type: ts.TupleTypeReference, resolved: ResolvedNode | undefined, spot: Spot): SchemaDraft {
    const { elementFlags, minLength } = type.target;
    const elements = this.#checker.getTypeArguments(type);
    const restAt = elementFlags.findIndex((flag) => flag & ts.ElementFlags.Variable);
    if (restAt >= 0 && restAt < elements.length - 1) {
      return this.#refuse(spot, "a tuple with something after its rest element", "Put the rest element last");
    }
    const nodes = resolved && ts.isTupleTypeNode(resolved.node) ? resolved.node.elements : undefined;
    const schemas = elements.map((element, index) => {
      const optional = Boolean((elementFlags[index] ?? 0) & ts.ElementFlags.Optional);
      const node = nodes?.[index];
      const written = node && resolved && { node: tupleElementNode(node), environment: resolved.environment };
      const place = {
        path: `${spot.path}[${index}]`,
        at: node && isAuthored(node) ? node : spot.at,
        depth: spot.depth + 1,
      };
      return this.#readPresent(element, written, place, optional) ?? { not: {} };
    });
    const rest = restAt >= 0 ? schemas.pop() : undefined;
    if (schemas.length === 0) return rest ? { type: "array", items: rest } : { type: "array", maxItems: 0 };
    return {
      type: "array",
      prefixItems: schemas,
      items: rest ?? false,
      ...(minLength > 0 && { minItems: minLength }),
    };
  }

  #properties(type: ts.Type, resolved: ResolvedNode | undefined, spot: Spot): SchemaDraft {
    const properties: [string, SchemaDraft][] = [];
    const required: string[] = [];
    for (const property of this.#checker.getPropertiesOfType(type).filter(isPublic)) {
      const read = this.#property(property, resolved, spot);
      if (!read) continue;
      properties.push([property.name, read.schema]);
      if (read.required) required.push(property.name);
      if (this.#exploded) break;
    }
    return {
      type: "object",
      ...this.#openness(type, resolved, spot, properties),
      ...(required.length > 0 && { required }),
    };
  }

  #openness(
    type: ts.Type,
    resolved: ResolvedNode | undefined,
    spot: Spot,
    properties: readonly [string, SchemaDraft][],
  ): SchemaDraft {
    const patterns: [string, Json][] = [];
    let others: Json | undefined;
    for (const info of this.#checker.getIndexInfosOfType(type)) {
      const value =
        this.#readPresent(
          info.type,
          indexNode(resolved),
          { path: `${spot.path}[key]`, at: authoredName(info.declaration) ?? spot.at, depth: spot.depth + 1 },
          true,
        ) ?? false;
      if (info.keyType.flags & ts.TypeFlags.Number) patterns.push([String.raw`^-?\d+(?:\.\d+)?$`, value]);
      else if (info.keyType.flags & ts.TypeFlags.String) others = value;
      else {
        const pattern = templatePattern(info.keyType);
        if (pattern !== undefined) patterns.push([pattern, value]);
      }
    }
    if (others === undefined && this.#root.side === "input") others = false;
    return {
      ...((properties.length > 0 || (others === false && patterns.length === 0)) && {
        properties: Object.fromEntries(properties),
      }),
      ...(patterns.length > 0 && { patternProperties: Object.fromEntries(patterns) }),
      ...(others !== undefined && { additionalProperties: others }),
    };
  }

  #property(
    property: ts.Symbol,
    owner: ResolvedNode | undefined,
    spot: Spot,
  ): { readonly schema: SchemaDraft; readonly required: boolean } | undefined {
    const declarations = (property.declarations ?? []).filter(isAuthored);
    const type = this.#checker.getTypeOfSymbol(property);
    const optional = Boolean(property.flags & ts.SymbolFlags.Optional);
    const place: Spot = {
      path: property.name.startsWith("__@") ? `${spot.path}[symbol]` : `${spot.path}.${property.name}`,
      at: declarations.map(authoredName).find(Boolean) ?? spot.at,
      depth: spot.depth + 1,
    };
    const written = this.#writtenProperty(declarations, type, owner);
    const read = property.name.startsWith("__@")
      ? this.#refuse(place, "a property named by a symbol", "Name it by a string")
      : this.#readPresent(type, written.type, place, optional);
    if (!read) return this.#root.side === "input" ? undefined : { schema: { not: {} }, required: false };
    const docs = declarations.map(docsOf);
    const schema = this.#withDocs(read, docs, place, written.changed);
    const given = schema["default"] !== undefined && this.#root.side === "input";
    return { schema, required: !optional && !given && !includesUndefined(type) };
  }

  /** The schema of what is there when something is: undefined left out. Nothing when only undefined is left. */
  #readPresent(
    type: ts.Type,
    written: WrittenType | undefined,
    spot: Spot,
    optional: boolean,
  ): SchemaDraft | undefined {
    if (!includesUndefined(type)) {
      return optional && type.flags & ts.TypeFlags.Never ? undefined : this.#read(type, written, spot);
    }
    if (!type.isUnion()) return undefined;
    const present = type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    const whole = this.#sameAsWritten(present, written);
    const [only] = present;
    if (whole) return this.#read(whole, written, spot);
    if (present.length === 1 && only) return this.#read(only, written, spot);
    const resolved = written && resolvedNode(this.#checker, written);
    return this.#documented(this.#union(present, resolved, spot), type, resolved, spot);
  }

  /** The written type itself where it is the same set: it has kept its name and identity. */
  #sameAsWritten(present: readonly ts.Type[], written: WrittenType | undefined): ts.Type | undefined {
    if (!written) return undefined;
    const type = this.#checker.getTypeFromTypeNode(written.node);
    const members = type.isUnion() ? type.types : [type];
    return members.length === present.length && members.every((member) => present.includes(member))
      ? type
      : undefined;
  }

  // A mapped type keeps the declarations of the properties that it maps, but may give them other types.
  #writtenProperty(
    declarations: readonly ts.Declaration[],
    type: ts.Type,
    owner: ResolvedNode | undefined,
  ): { readonly type: WrittenType | undefined; readonly changed: boolean } {
    const environment = owner?.environment ?? NO_ENVIRONMENT;
    const nodes = declarations.flatMap((declaration) => typeNodeOf(declaration) ?? []);
    if (nodes.length === 0) return { type: undefined, changed: false };
    const node = nodes.find((each) => {
      const written = this.#checker.getTypeFromTypeNode(each);
      return environment.size > 0 || withoutUndefined(written) === withoutUndefined(type);
    });
    return node
      ? { type: { node, environment }, changed: false }
      : { type: undefined, changed: !this.#isGeneric(nodes) };
  }

  #isGeneric(nodes: readonly ts.TypeNode[]): boolean {
    return nodes.some((node) => this.#checker.getTypeFromTypeNode(node).flags & ts.TypeFlags.Instantiable);
  }

  /** With what the author wrote above the type's own declaration and above the names that stand for it. */
  #documented(
    schema: SchemaDraft,
    type: ts.Type,
    resolved: ResolvedNode | undefined,
    spot: Spot,
  ): SchemaDraft {
    const aliases = resolved?.names ?? [];
    const own = [...(type.aliasSymbol?.declarations ?? []), ...namedDeclarations(type)];
    const declarations = [...new Set([...aliases, ...own])].filter((each) => !isLibrary(each));
    return this.#withDocs(schema, declarations.map(docsOf), spot, false);
  }

  #withDocs(schema: SchemaDraft, docs: readonly Docs[], spot: Spot, changedType: boolean): SchemaDraft {
    const description = docs.find((each) => each.description !== "")?.description;
    const described = description === undefined ? schema : { ...schema, description };
    const tags = docs.toReversed().flatMap((each) => each.tags);
    const meant = changedType ? tags.filter(({ name }) => name === "title" || name === "deprecated") : tags;
    return meant.length === 0 ? described : this.#withTags(described, meant, spot);
  }

  #withTags(schema: SchemaDraft, tags: readonly DocTag[], spot: Spot): SchemaDraft {
    const { schema: tagged, faults } = taggedSchema(schema, tags);
    for (const { tag, severity, message, fix } of faults) {
      const place = tags.find((each) => each === tag)?.place;
      if (place)
        this.#add(place, { code: "tag-invalid", severity, message: `\`${spot.path}\`: ${message}`, fix });
    }
    const given = tags.findLast(({ name }) => name === "default");
    if (given) this.#checksToDo.push(() => this.#checkDefault(given, tagged, spot));
    return this.#withFittingExamples(tagged);
  }

  #checkDefault(given: DocTag, schema: SchemaDraft, spot: Spot): void {
    if (this.#fits(tagValue(given), schema)) return;
    this.#add(given.place, {
      code: "tag-invalid",
      severity: "error",
      message: `\`${spot.path}\`: The @default ${given.value} does not fit the type`,
      fix: "Give a default that the type allows; it is read as JSON where it is JSON",
    });
  }

  // Many examples are code or prose for readers, not values.
  #withFittingExamples(schema: SchemaDraft): SchemaDraft {
    const { examples, ...rest } = schema;
    if (!Array.isArray(examples)) return schema;
    const fitting = examples.filter((example: Json) => this.#fits(example, rest));
    return fitting.length > 0 ? { ...rest, examples: fitting } : rest;
  }

  #fits(value: Json, schema: SchemaDraft): boolean {
    try {
      return validatorOf({ ...schema, $defs: Object.fromEntries(this.#definitions) })(value).ok;
    } catch {
      return false;
    }
  }

  #inexpressible(type: ts.Type, spot: Spot): SchemaDraft {
    const { what, fix } = fixFor(this.#checker, type);
    return this.#refuse(spot, what, fix);
  }

  #refuse(spot: Spot, what: string, fix: string): SchemaDraft {
    this.#report(spot, {
      code: "type-inexpressible",
      severity: "error",
      message: `\`${spot.path}\` is ${what}, which JSON cannot carry`,
      fix,
    });
    return {};
  }

  #explode(spot: Spot, why: string): SchemaDraft {
    if (!this.#exploded) {
      this.#report(spot, {
        code: "type-inexpressible",
        severity: "error",
        message: `The type of \`${this.#root.side}\` is too large to be a contract: at \`${shortened(spot.path)}\` ${why}`,
        fix: "Use a smaller type; `unknown` where any JSON is meant",
      });
    }
    this.#exploded = true;
    return {};
  }

  #report(spot: Spot, finding: Omit<CodeFinding, keyof CodePosition>): void {
    this.#add(codePositionAt(spot.at.getSourceFile(), spot.at.getStart()), finding);
  }

  #add(place: CodePosition, finding: Omit<CodeFinding, keyof CodePosition>): void {
    const key = `${place.file}:${place.line}:${place.column}:${finding.code}`;
    if (!this.#findings.has(key)) this.#findings.set(key, { ...finding, ...place });
  }
}

function referenceTo(name: string): SchemaDraft {
  return { $ref: `#/$defs/${encodeURIComponent(name)}` };
}

function distinct(schemas: readonly SchemaDraft[]): readonly SchemaDraft[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

function anyOf(schemas: readonly SchemaDraft[]): SchemaDraft {
  const [only] = schemas;
  return schemas.length === 1 && only ? only : { anyOf: [...schemas] };
}

function withNull(schemas: readonly SchemaDraft[]): SchemaDraft {
  const [only] = schemas;
  if (!only) return { type: "null" };
  if (schemas.length > 1) return { anyOf: [...schemas, { type: "null" }] };
  const { type } = only;
  if (Array.isArray(type) && type.includes("null")) return only;
  const simple =
    typeof type === "string" &&
    type !== "object" &&
    type !== "array" &&
    !("const" in only) &&
    !("enum" in only);
  return simple ? { ...only, type: [type, "null"] } : { anyOf: [only, { type: "null" }] };
}

function isLiteral(type: ts.Type): boolean {
  const { flags } = type;
  return Boolean(
    flags & (ts.TypeFlags.StringLiteral | ts.TypeFlags.NumberLiteral | ts.TypeFlags.BooleanLiteral),
  );
}

function literalValue(type: ts.Type): Json {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  return (type as ts.Type & { readonly intrinsicName: string }).intrinsicName === "true";
}

/** Types that can contain themselves. */
function isContainer(type: ts.Type): boolean {
  return (
    Boolean(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) ||
    (type.isUnion() && !type.types.every(isLiteral))
  );
}

function nameOf(type: ts.Type): string | undefined {
  const alias = type.aliasSymbol;
  if (alias?.declarations?.some(isAuthored)) return alias.name;
  return namedDeclarations(type).some(isAuthored) ? type.symbol.name : undefined;
}

function namedDeclarations(type: ts.Type): readonly ts.Declaration[] {
  return (type.symbol?.declarations ?? []).filter(
    (declaration) =>
      ts.isInterfaceDeclaration(declaration) ||
      ts.isClassLike(declaration) ||
      ts.isEnumDeclaration(declaration),
  );
}

/** Whether the checker has given up on a type: its name is not known, it is circular, or too complex. */
// Such a type is an any without a public mark.
export function isErrorType(type: ts.Type): boolean {
  return (
    Boolean(type.flags & ts.TypeFlags.Any) &&
    (type as ts.Type & { readonly intrinsicName?: string }).intrinsicName !== "any"
  );
}

function includesUndefined(type: ts.Type): boolean {
  return (type.isUnion() ? type.types : [type]).some(({ flags }) => flags & ts.TypeFlags.Undefined);
}

/** A mark of a type's set of values, undefined left out. */
function withoutUndefined(type: ts.Type): string {
  return (type.isUnion() ? type.types : [type])
    .filter(({ flags }) => !(flags & ts.TypeFlags.Undefined))
    .map((member) => (member as ts.Type & { readonly id: number }).id)
    .toSorted((a, b) => a - b)
    .join();
}

function isPublic(property: ts.Symbol): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const { valueDeclaration } = property;
  return (
    !property.name.startsWith("__#") &&
    !(valueDeclaration && ts.getCombinedModifierFlags(valueDeclaration) & hidden)
  );
}

function typeNodeOf(declaration: ts.Declaration): ts.TypeNode | undefined {
  if (
    ts.isPropertySignature(declaration) ||
    ts.isPropertyDeclaration(declaration) ||
    ts.isParameter(declaration)
  ) {
    return declaration.type ?? ts.getJSDocType(declaration);
  }
  if (ts.isJSDocPropertyTag(declaration) || ts.isJSDocParameterTag(declaration))
    return declaration.typeExpression?.type;
  return undefined;
}

function elementNode(resolved: ResolvedNode | undefined): WrittenType | undefined {
  if (!resolved) return undefined;
  const { node, environment } = resolved;
  if (ts.isArrayTypeNode(node)) return { node: node.elementType, environment };
  const [argument] = ts.isTypeReferenceNode(node) ? (node.typeArguments ?? []) : [];
  return argument && { node: argument, environment };
}

function indexNode(resolved: ResolvedNode | undefined): WrittenType | undefined {
  if (!resolved) return undefined;
  const { node, environment } = resolved;
  if (ts.isTypeReferenceNode(node) && node.typeName.getText() === "Record" && node.typeArguments?.[1]) {
    return { node: node.typeArguments[1], environment };
  }
  const members: readonly ts.TypeElement[] = ts.isTypeLiteralNode(node) ? node.members : [];
  const type = members.find(ts.isIndexSignatureDeclaration)?.type;
  return type && { node: type, environment };
}

function tupleElementNode(node: ts.TypeNode): ts.TypeNode {
  if (ts.isNamedTupleMember(node) || ts.isOptionalTypeNode(node)) return node.type;
  if (ts.isRestTypeNode(node) && ts.isArrayTypeNode(node.type)) return node.type.elementType;
  return node;
}

function authoredName(declaration: ts.Node | undefined): ts.Node | undefined {
  if (!declaration || !isAuthored(declaration)) return undefined;
  return ts.getNameOfDeclaration(declaration as ts.Declaration) ?? declaration;
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function shortened(path: string): string {
  return path.length > 80 ? `${path.slice(0, 77)}...` : path;
}
