import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { isList, numberOf } from "../schema-keywords.ts";
import { canonicalText } from "./canonical-text.ts";
import { boundText, expected, valueName, shown, typeOf, type Fault } from "./verdict.ts";

export function typeFault(value: Json, { type, nullable }: JsonObject, path: string): Fault | undefined {
  if (type === undefined) return undefined;
  const types = [...(isList(type) ? type : [type]).map(String), ...(nullable === true ? ["null"] : [])];
  return types.some((each) => isOfType(value, each)) ? undefined : expected(value, [{ types }], path);
}

function isOfType(value: Json, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeOf(value) === type;
}

export function choiceFault(value: Json, schema: JsonObject, path: string): Fault | undefined {
  const { const: only, enum: choices } = schema;
  if (only !== undefined && canonicalText(only) !== canonicalText(value))
    return expected(value, [{ choices: [only] }], path);
  if (!isList(choices) || knownTexts(choices).has(canonicalText(value))) return undefined;
  return expected(value, [{ choices }], path);
}

const enumTexts = new WeakMap<readonly Json[], ReadonlySet<string>>();

function knownTexts(values: readonly Json[]): ReadonlySet<string> {
  const known = enumTexts.get(values) ?? new Set(values.map(canonicalText));
  enumTexts.set(values, known);
  return known;
}

export function numberFaults(
  value: number,
  schema: JsonObject,
  path: string,
): readonly (Fault | undefined)[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const off = (isWrong: boolean, wanted: string): Fault | undefined =>
    isWrong ? { path, why: `${valueName(path)} is ${value}, but ${wanted} is expected` } : undefined;
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
  ["string", "Length", "character", "characters"],
  ["array", "Items", "item", "items"],
  ["object", "Properties", "property", "properties"],
] as const;

export function countFaults(value: Json, schema: JsonObject, path: string): readonly Fault[] {
  return COUNTS.flatMap(([type, keyword, thing, things]) => {
    const [least, most] = [
      numberOf(schema[`min${keyword}`]) ?? 0,
      numberOf(schema[`max${keyword}`]) ?? Infinity,
    ];
    if (typeOf(value) !== type || (least === 0 && most === Infinity)) return [];
    const count = sizeOf(value);
    if (count >= least && count <= most) return [];
    const has = `${valueName(path)} has ${count} ${count === 1 ? thing : things}`;
    return [{ path, why: `${has}, but ${boundText(count, least, most)} expected` }];
  });
}

function sizeOf(value: Json): number {
  if (typeof value === "string") return Array.from(value).length;
  if (isList(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

/** Whether the validator takes the one number for a multiple of the other. */
export function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return times === Number.parseInt(String(times), 10);
}
