import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import { didYouMean } from "../core/text/nearest.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";

export interface FrontmatterSide {
  /** Absent where the frontmatter does not declare this side. */
  readonly schema?: JsonSchema;
  readonly faults: readonly DeclarationFault[];
}

export interface DeclarationFault {
  readonly message: string;
  readonly fix: string;
}

/**
 * The schema that `inputs` or `outputs` declares, as in the composable-skills proposal. A field that requires a source
 * or a rationale, `price` say, has a text beside it that gives it: `price_source`, `price_rationale`. A part that makes
 * no sense is left open and reported; whether there is a list of named fields at all is the catalog's to report.
 */
export function frontmatterSide(frontmatter: JsonObject, side: "input" | "output"): FrontmatterSide {
  const field = side === "input" ? "inputs" : "outputs";
  const list = Object.hasOwn(frontmatter, field) ? frontmatter[field] : undefined;
  if (!Array.isArray(list)) return { faults: [] };
  const declared = (list as readonly Json[])
    .filter(isJsonObject)
    .filter((each) => nameOf(each) !== undefined);
  const own = declared.map((each) => declaredField(each, field));
  const grounds = declared
    .flatMap((each, index) => groundsOf(each, own[index]?.isRequired ?? false))
    .filter(({ name }) => !own.some((each) => each.name === name));
  const fields = [...own, ...grounds];
  const dependent = dependentGrounds(declared, own);
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      ...(side === "input" && { additionalProperties: false }),
      ...(required.length > 0 && { required }),
      ...(Object.keys(dependent).length > 0 && { dependentRequired: dependent }),
    },
    faults: fields.flatMap(({ faults }) => faults),
  };
}

function nameOf({ name }: JsonObject): string | undefined {
  return typeof name === "string" && name.trim() !== "" ? name : undefined;
}

/** What a field may require to stand beside it. */
const GROUNDS = {
  requires_source: { suffix: "_source", description: "Where it comes from" },
  requires_rationale: { suffix: "_rationale", description: "Why it is so" },
} as const;

function groundNames(
  declared: JsonObject,
): readonly { readonly name: string; readonly description: string }[] {
  const field = nameOf(declared) ?? "";
  return Object.entries(GROUNDS)
    .filter(([key]) => booleanOf(declared[key]) === true)
    .map(([, { suffix, description }]) => ({
      name: `${field}${suffix}`,
      description: `${description}: the ${suffix.slice(1)} of \`${field}\``,
    }));
}

function groundsOf(declared: JsonObject, isRequired: boolean): readonly DeclaredField[] {
  return groundNames(declared).map(({ name, description }) => ({
    name,
    schema: { type: "string", minLength: 1, description },
    isRequired,
    faults: [],
  }));
}

function dependentGrounds(
  declared: readonly JsonObject[],
  own: readonly DeclaredField[],
): Readonly<Record<string, readonly string[]>> {
  const names = declared.map(
    (each, index) => [own[index]?.name ?? "", groundNames(each).map(({ name }) => name)] as const,
  );
  return Object.fromEntries(names.filter(([, grounds]) => grounds.length > 0));
}

interface DeclaredField {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly faults: readonly DeclarationFault[];
}

function declaredField(declared: JsonObject, field: string): DeclaredField {
  const name = nameOf(declared) ?? "";
  const at = `${field}.${name}`;
  const faults: DeclarationFault[] = [];
  const schema: JsonSchema = {
    ...typeSchema(declared["type"], at, faults),
    ...(typeof declared["description"] === "string" && { description: declared["description"].trim() }),
    ...rangeKeywords(declared["range"], at, faults),
    ...countKeywords(declared, at, faults),
    ...(declared["default"] !== undefined &&
      declared["default"] !== null && { default: declared["default"] }),
  };
  for (const key of Object.keys(declared)) {
    if (FIELDS.includes(key)) continue;
    faults.push({
      message: `Field '${at}.${key}' is not one that is read${didYouMean(key, FIELDS)}`,
      fix: `The fields are ${FIELDS.join(", ")}; write the contract as types in skill.ts for more`,
    });
  }
  const isRequired =
    booleanOf(declared["required"]) ?? (schema["default"] === undefined || field === "outputs");
  return { name, schema, isRequired, faults };
}

const FIELDS = [
  "name",
  "type",
  "required",
  "description",
  "default",
  "requires_source",
  "requires_rationale",
  "range",
  "min_length",
  "max_length",
  "min_items",
  "max_items",
];

const TYPES: Readonly<Record<string, JsonSchema>> = {
  string: { type: "string" },
  number: { type: "number" },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  date: { type: "string", format: "date" },
  datetime: { type: "string", format: "date-time" },
  any: {},
};

function typeSchema(type: Json | undefined, at: string, faults: DeclarationFault[]): JsonSchema {
  if (type === undefined || type === null) return {};
  const written = typeof type === "string" ? type.trim() : "";
  if (written.endsWith("[]")) return { type: "array", items: typeSchema(written.slice(0, -2), at, faults) };
  if (Object.hasOwn(TYPES, written)) return TYPES[written] ?? {};
  const names = Object.keys(TYPES).join(", ");
  faults.push({
    message: `Field '${at}.type' has unknown type ${JSON.stringify(type)}`,
    fix: `Use one of ${names}, each with [] for a list; for more than these give the code types`,
  });
  return {};
}

function rangeKeywords(range: Json | undefined, at: string, faults: DeclarationFault[]): JsonSchema {
  if (range === undefined || range === null) return {};
  const [minimum, maximum] = Array.isArray(range) ? (range as readonly Json[]) : [];
  const bounds = [minimum, maximum].every((bound) => typeof bound === "number" || bound === null);
  if (
    !bounds ||
    (Array.isArray(range) && range.length !== 2) ||
    (typeof minimum === "number" && typeof maximum === "number" && minimum > maximum)
  ) {
    faults.push({
      message: `Field '${at}.range' must be a list of a least and a greatest number`,
      fix: "Write it as range: [1, 30]",
    });
    return {};
  }
  return { ...(typeof minimum === "number" && { minimum }), ...(typeof maximum === "number" && { maximum }) };
}

const COUNTS = {
  min_length: "minLength",
  max_length: "maxLength",
  min_items: "minItems",
  max_items: "maxItems",
} as const;

function countKeywords(declared: JsonObject, at: string, faults: DeclarationFault[]): JsonSchema {
  const keywords: Record<string, Json> = {};
  for (const [name, keyword] of Object.entries(COUNTS)) {
    const count = declared[name];
    if (typeof count === "number" && Number.isInteger(count) && count >= 0) keywords[keyword] = count;
    else if (count !== undefined && count !== null) {
      faults.push({
        message: `Field '${at}.${name}' must be a non-negative integer`,
        fix: `Write it as ${name}: 1`,
      });
    }
  }
  return keywords;
}

function booleanOf(value: Json | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return undefined;
  const text = value.trim().toLowerCase();
  return text === "true" ? true : text === "false" ? false : undefined;
}
