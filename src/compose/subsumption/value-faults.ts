import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { Effort } from "./effort.ts";
import { entriesOf, isList, listOf, numberOf, textsOf } from "../schema-keywords.ts";
import { partOf, referred, type Part } from "../schema-root.ts";
import { formatOf } from "./text-format.ts";
import type { TextPatterns } from "./text-patterns.ts";

/** How a value stands to a schema: it fits where there are neither faults nor doubts. */
export interface Verdict {
  readonly faults: readonly Fault[];
  /** What could not be told, in words. */
  readonly doubts: readonly string[];
}

/** One place where a value does not fit. */
export interface Fault {
  /** As in `legs[2].from`; of what is missing, where it would be; empty for the value itself. */
  readonly path: string;
  readonly why: string;
  /** What is expected instead, where the fault is one of type. */
  readonly types?: readonly string[];
  /** Which values are expected instead, where the fault is one of value. */
  readonly choices?: readonly Json[];
  readonly value?: Json;
}

/**
 * Checks values as the validator does, but tells faults in the words of a reader, and never takes long: what it cannot
 * tell is a doubt. It looks at all that a validator may look at, so that a value without danger is safe for one.
 */
export class ValueCheck {
  readonly #patterns: TextPatterns;
  readonly #effort: Effort;
  #depth = 0;
  #isDangerous = false;

  constructor(patterns: TextPatterns, effort: Effort) {
    this.#patterns = patterns;
    this.#effort = effort;
  }

  /** Whether a validator could take too long for what has been checked. */
  get isDangerous(): boolean {
    return this.#isDangerous;
  }

  verdict(value: Json, part: Part, path = ""): Verdict {
    const { schema } = part;
    if (schema === true) return FITS;
    if (schema === false) return fault(path, `${named(path)} is given, but nothing is allowed there`);
    if (!isJsonObject(schema)) return FITS;
    this.#effort.spend();
    this.#depth += 1;
    if (this.#depth > MOST_DEPTH) {
      this.#isDangerous = true;
      this.#depth -= 1;
      return doubt("it is nested too deeply or refers to itself in a circle");
    }
    const verdicts = [
      this.#own(value, schema, path),
      this.#combined(value, schema, part, path),
      ...(isJsonObject(value) ? [this.#object(value, schema, part, path)] : []),
      ...(isList(value) ? [this.#list(value, schema, part, path)] : []),
    ];
    this.#depth -= 1;
    return all(verdicts);
  }

  #own(value: Json, schema: JsonObject, path: string): Verdict {
    const faults = [
      typeFault(value, schema, path),
      choiceFault(value, schema, path),
      ...(typeof value === "number" ? numberFaults(value, schema, path) : []),
      ...countFaults(value, schema, path),
    ].filter((each) => each !== undefined);
    const texts = typeof value === "string" ? [this.#patternVerdict(value, schema, path)] : [];
    return all([
      { faults, doubts: [] },
      formatVerdict(value, schema, path, () => (this.#isDangerous = true)),
      ...texts,
    ]);
  }

  #patternVerdict(value: string, { pattern }: JsonObject, path: string): Verdict {
    if (typeof pattern !== "string") return FITS;
    const isFound = this.#isFound(pattern, value);
    if (isFound === undefined) return doubt(slowPattern(pattern));
    return isFound
      ? FITS
      : fault(path, `${named(path)} is ${shown(value)}, but a text like /${cut(pattern)}/ is expected`);
  }

  #isFound(pattern: string, text: string): boolean | undefined {
    const isFound = this.#patterns.isFound(pattern, text, this.#effort);
    if (isFound === undefined) this.#isDangerous = true;
    return isFound;
  }

  #combined(value: Json, schema: JsonObject, part: Part, path: string): Verdict {
    const at = (inner: Json): Verdict => this.verdict(value, partOf(part, inner), path);
    const verdicts: Verdict[] = listOf(schema["allOf"]).map(at);
    if (typeof schema["$ref"] === "string") verdicts.push(this.#referred(value, schema["$ref"], part, path));
    if (schema["anyOf"] !== undefined)
      verdicts.push(anyOf(value, listOf(schema["anyOf"]).map(at), path, "some"));
    if (schema["oneOf"] !== undefined)
      verdicts.push(anyOf(value, listOf(schema["oneOf"]).map(at), path, "one"));
    if (schema["not"] !== undefined) verdicts.push(negated(at(schema["not"]), schema["not"], value, path));
    if (schema["if"] !== undefined) verdicts.push(conditional(schema, at));
    for (const keyword of UNCLEAR) {
      if (schema[keyword] === undefined) continue;
      if (keyword === "$dynamicRef") this.#isDangerous = true;
      const members = isJsonObject(value) || isList(value) ? (Object.values(value) as readonly Json[]) : [];
      if (isJsonObject(schema[keyword]))
        for (const member of members) this.verdict(member, partOf(part, schema[keyword]), path);
      verdicts.push(doubt(`\`${keyword}\` is not compared`));
    }
    return all(verdicts);
  }

  #referred(value: Json, reference: string, part: Part, path: string): Verdict {
    const schema = referred(part.root, reference);
    if (schema !== undefined) return this.verdict(value, partOf(part, schema), path);
    this.#isDangerous = true;
    return doubt(`\`${reference}\` leads to no schema of the same document`);
  }

  #object(value: JsonObject, schema: JsonObject, part: Part, path: string): Verdict {
    const verdicts: Verdict[] = [];
    const given = (name: string): boolean => Object.hasOwn(value, name);
    for (const name of textsOf(schema["required"])) {
      if (!given(name)) verdicts.push(missing(joined(path, name), "required"));
    }
    for (const [name, others] of entriesOf(schema["dependentRequired"])) {
      for (const other of given(name) ? textsOf(others) : []) {
        if (!given(other)) verdicts.push(missing(joined(path, other), `required beside \`${name}\``));
      }
    }
    for (const [name, inner] of entriesOf(schema["dependentSchemas"])) {
      if (given(name)) verdicts.push(this.verdict(value, partOf(part, inner), path));
    }
    for (const [name, member] of Object.entries(value)) {
      verdicts.push(this.#property(name, member, schema, part, joined(path, name)));
    }
    return all(verdicts);
  }

  #property(name: string, value: Json, schema: JsonObject, part: Part, path: string): Verdict {
    const verdicts: Verdict[] = [];
    const check = (inner: Json): void => {
      verdicts.push(this.verdict(value, partOf(part, inner), path));
    };
    const properties = schema["properties"];
    const declared =
      isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (declared !== undefined) check(declared);
    let isKnown: boolean | undefined = declared !== undefined;
    for (const [pattern, inner] of entriesOf(schema["patternProperties"])) {
      const isFound = this.#isFound(pattern, name);
      if (isFound) check(inner);
      if (isFound === undefined) verdicts.push(doubt(slowPattern(pattern)));
      isKnown = isKnown || isFound ? true : isFound === undefined ? undefined : isKnown;
    }
    const others = schema["additionalProperties"];
    if (others === false && isKnown === false) {
      verdicts.push(fault(path, `${named(path)} is given, but no such property is expected`));
    } else if (others !== undefined && isKnown === false) check(others);
    if (schema["propertyNames"] !== undefined) {
      const { faults, doubts } = this.verdict(name, partOf(part, schema["propertyNames"]));
      const [first] = faults;
      if (first) verdicts.push(fault(path, `the name of ${named(path)} is not one that is expected`));
      verdicts.push({ faults: [], doubts });
    }
    return all(verdicts);
  }

  #list(value: readonly Json[], schema: JsonObject, part: Part, path: string): Verdict {
    const first = listOf(schema["prefixItems"]);
    const verdicts = value.map((item, index) => {
      const inner = first[index] ?? schema["items"];
      return inner === undefined ? FITS : this.verdict(item, partOf(part, inner), `${path}[${index}]`);
    });
    if (schema["uniqueItems"] === true && new Set(value.map(textOf)).size < value.length) {
      verdicts.push(fault(path, `${named(path)} has an item twice, but each is expected only once`));
    }
    if (schema["contains"] !== undefined) verdicts.push(this.#contains(value, schema, part, path));
    return all(verdicts);
  }

  #contains(value: readonly Json[], schema: JsonObject, part: Part, path: string): Verdict {
    const inner = partOf(part, schema["contains"] ?? true);
    const verdicts = value.map((item) => this.verdict(item, inner));
    const sure = verdicts.filter(fits).length;
    const unsure = verdicts.filter(({ faults, doubts }) => faults.length === 0 && doubts.length > 0).length;
    const least = numberOf(schema["minContains"]) ?? 1;
    const most = numberOf(schema["maxContains"]) ?? Infinity;
    if (sure + unsure < least || sure > most) {
      const bound = sure > most ? `at most ${most}` : `at least ${least}`;
      return fault(path, `${named(path)} has ${sure} items as in \`contains\`, but ${bound} expected`);
    }
    const isSure = unsure === 0 || (sure >= least && sure + unsure <= most);
    return isSure ? FITS : { faults: [], doubts: verdicts.flatMap(({ doubts }) => doubts) };
  }
}

/** A value as text that is equal for equal values, whatever the order of their properties. */
export function textOf(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = isJsonObject(value)
    ? `{${Object.keys(value)
        .toSorted()
        .map((name) => `${JSON.stringify(name)}:${textOf(value[name] ?? null)}`)
        .join()}}`
    : `[${value.map(textOf).join()}]`;
  texts.set(value, text);
  return text;
}

const texts = new WeakMap<object, string>();

export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** Whether the validator takes the one number for a multiple of the other. */
export function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return times === Number.parseInt(String(times), 10);
}

export function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

const MOST_DEPTH = 150;
const MOST_FORMATTED = 256;

const FITS: Verdict = { faults: [], doubts: [] };

const UNCLEAR = ["$dynamicRef", "unevaluatedProperties", "unevaluatedItems"];

function fits({ faults, doubts }: Verdict): boolean {
  return faults.length === 0 && doubts.length === 0;
}

function fault(path: string, why: string): Verdict {
  return { faults: [{ path, why }], doubts: [] };
}

function missing(path: string, need: string): Verdict {
  return fault(path, `${named(path)} is missing, but ${need}`);
}

function doubt(why: string): Verdict {
  return { faults: [], doubts: [why] };
}

function all(verdicts: readonly Verdict[]): Verdict {
  const telling = verdicts.filter((each) => !fits(each));
  const [only] = telling;
  if (!only) return FITS;
  if (telling.length === 1) return only;
  return {
    faults: telling.flatMap(({ faults }) => faults),
    doubts: telling.flatMap(({ doubts }) => doubts),
  };
}

function anyOf(value: Json, verdicts: readonly Verdict[], path: string, howMany: "some" | "one"): Verdict {
  const fitting = verdicts.filter(fits).length;
  if (howMany === "some" ? fitting > 0 : fitting > 1) {
    if (howMany === "some") return FITS;
    return fault(path, `${named(path)} fits ${fitting} alternatives, but exactly one is expected`);
  }
  const doubts = verdicts.flatMap((each) => (each.faults.length === 0 ? each.doubts : []));
  if (doubts.length > 0) return { faults: [], doubts };
  return fitting === 1 ? FITS : { faults: [nearestFault(value, verdicts, path)], doubts: [] };
}

/** The fault of the alternative that was most likely meant. */
function nearestFault(value: Json, verdicts: readonly Verdict[], path: string): Fault {
  const own = verdicts.flatMap(
    ({ faults }) => faults.find((each) => each.path === path && (each.types ?? each.choices)) ?? [],
  );
  if (own.length === verdicts.length) return expected(value, own, path);
  const meant = verdicts.filter(({ faults }) => faults.every((each) => !each.types || each.path !== path));
  const [best] = meant.toSorted((one, other) => distance(one) - distance(other));
  const [first] = best?.faults.toSorted((one, other) => weight(other) - weight(one)) ?? [];
  if (first && (!first.choices || meant.length === 1)) return first;
  const there = meant.flatMap(
    ({ faults }) => faults.find((each) => each.choices && each.path === first?.path) ?? [],
  );
  if (first && there.length === meant.length) return expected(first.value ?? null, there, first.path);
  return {
    path,
    why: `${named(path)} is ${shown(value)}, which fits none of ${verdicts.length} alternatives`,
  };
}

// Alternatives are told apart by listed values, so one that has the right value there was meant.
function distance({ faults }: Verdict): number {
  return faults.reduce((sum, each) => sum + weight(each), 0);
}

function weight({ choices }: Fault): number {
  return choices ? 10 : 1;
}

function negated(verdict: Verdict, schema: Json, value: Json, path: string): Verdict {
  if (verdict.faults.length > 0) return FITS;
  if (verdict.doubts.length > 0) return verdict;
  const isEmpty = schema === true || (isJsonObject(schema) && Object.keys(schema).length === 0);
  return isEmpty
    ? fault(path, `${named(path)} is given, but nothing is allowed there`)
    : fault(path, `${named(path)} is ${shown(value)}, which is excluded`);
}

function conditional(schema: JsonObject, at: (schema: Json) => Verdict): Verdict {
  const [condition, then, otherwise] = ["if", "then", "else"].map((key) => at(schema[key] ?? true));
  if (!condition || !then || !otherwise) return FITS;
  if (condition.faults.length > 0) return otherwise;
  if (condition.doubts.length === 0) return then;
  return fits(then) && fits(otherwise) ? FITS : doubt("`if` could not be decided");
}

function typeFault(value: Json, { type, nullable }: JsonObject, path: string): Fault | undefined {
  if (type === undefined) return undefined;
  const types = [...(isList(type) ? type : [type]).map(String), ...(nullable === true ? ["null"] : [])];
  return types.some((each) => isOfType(value, each)) ? undefined : expected(value, [{ types }], path);
}

function isOfType(value: Json, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeOf(value) === type;
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  return isList(value) ? "array" : typeof value;
}

const NAMES: Readonly<Record<string, string>> = {
  null: "null",
  boolean: "a boolean",
  number: "a number",
  integer: "an integer",
  string: "a string",
  array: "a list",
  object: "an object",
};

function choiceFault(value: Json, schema: JsonObject, path: string): Fault | undefined {
  const { const: only, enum: choices } = schema;
  if (only !== undefined && textOf(only) !== textOf(value))
    return expected(value, [{ choices: [only] }], path);
  if (!isList(choices) || knownTexts(choices).has(textOf(value))) return undefined;
  return expected(value, [{ choices }], path);
}

/** That a value is of the wrong type, or none of the listed ones. */
function expected(value: Json, wanted: readonly Pick<Fault, "types" | "choices">[], path: string): Fault {
  const types = [...new Set(wanted.flatMap((each) => each.types ?? []))];
  const choices = [...new Set(wanted.flatMap((each) => each.choices?.slice(0, MOST_SHOWN + 1) ?? []))];
  const listed = choices.slice(0, MOST_SHOWN).map(shown);
  const names = [
    ...listed,
    ...(choices.length > MOST_SHOWN ? ["…"] : []),
    ...types.map((type) => NAMES[type]),
  ];
  const isPlain = choices.length === 0 && !(typeof value === "number" && types.includes("integer"));
  const oneOf = choices.length > 1 && types.length === 0 ? "one of " : "";
  const all = types.length === 0 ? names.join(", ") : names.join(" or ");
  return {
    path,
    why: `${named(path)} is ${isPlain ? NAMES[typeOf(value)] : shown(value)}, but ${oneOf}${all} is expected`,
    value,
    ...(types.length > 0 ? { types } : { choices }),
  };
}

const enumTexts = new WeakMap<readonly Json[], ReadonlySet<string>>();

function knownTexts(values: readonly Json[]): ReadonlySet<string> {
  const known = enumTexts.get(values) ?? new Set(values.map(textOf));
  enumTexts.set(values, known);
  return known;
}

function numberFaults(value: number, schema: JsonObject, path: string): readonly (Fault | undefined)[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const off = (isWrong: boolean, wanted: string): Fault | undefined =>
    isWrong ? { path, why: `${named(path)} is ${value}, but ${wanted} is expected` } : undefined;
  return [
    off(typeof minimum === "number" && value < minimum, `at least ${shown(minimum)}`),
    off(typeof maximum === "number" && value > maximum, `at most ${shown(maximum)}`),
    off(
      typeof exclusiveMinimum === "number" && value <= exclusiveMinimum,
      `more than ${shown(exclusiveMinimum)}`,
    ),
    off(
      typeof exclusiveMaximum === "number" && value >= exclusiveMaximum,
      `less than ${shown(exclusiveMaximum)}`,
    ),
    off(
      typeof multipleOf === "number" && !isMultiple(value, multipleOf),
      `a multiple of ${shown(multipleOf)}`,
    ),
  ];
}

const COUNTS = [
  ["string", "Length", "characters"],
  ["array", "Items", "items"],
  ["object", "Properties", "properties"],
] as const;

function countFaults(value: Json, schema: JsonObject, path: string): readonly Fault[] {
  return COUNTS.flatMap(([type, keyword, things]) => {
    const [least, most] = [
      numberOf(schema[`min${keyword}`]) ?? 0,
      numberOf(schema[`max${keyword}`]) ?? Infinity,
    ];
    if (typeOf(value) !== type || (least === 0 && most === Infinity)) return [];
    const count = sizeOf(value);
    if (count >= least && count <= most) return [];
    const bound = count < least ? `at least ${least}` : `at most ${most}`;
    return [{ path, why: `${named(path)} has ${count} ${things}, but ${bound} expected` }];
  });
}

function sizeOf(value: Json): number {
  if (typeof value === "string") return lengthOf(value);
  if (isList(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

function formatVerdict(value: Json, schema: JsonObject, path: string, danger: () => void): Verdict {
  const format = typeof schema["format"] === "string" ? formatOf(schema["format"]) : undefined;
  if (!format || typeof value !== (format.isNumeric ? "number" : "string")) return FITS;
  if (typeof value === "string" && value.length > MOST_FORMATTED) {
    danger();
    return doubt(`a text of ${value.length} characters is not tried for the format ${format.name}`);
  }
  if (format.accepts(value)) return FITS;
  return fault(path, `${named(path)} is ${shown(value)}, but a ${format.name} is expected`);
}

function slowPattern(pattern: string): string {
  return `the pattern /${cut(pattern)}/ cannot be tried in a safe time`;
}

function named(path: string): string {
  return path === "" ? "the value" : `\`${cut(path)}\``;
}

const MOST_SHOWN = 5;

function shown(value: Json | undefined): string {
  return cut(JSON.stringify(value) ?? "");
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
