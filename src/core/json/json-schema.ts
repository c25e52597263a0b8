import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Json, JsonObject } from "./json.ts";
import { linearPattern } from "./linear-pattern.ts";
import { fail, ok, type Result } from "../result.ts";
import { isOutOfTime, within } from "../run-with-timeout.ts";

/** A JSON Schema 2020-12 object. */
export type JsonSchema = JsonObject;

/** One place where a value does not fit its schema. */
export interface SchemaIssue {
  /** Where in the value, for example `legs[2].from`; empty for the value itself. */
  readonly at: string;
  readonly message: string;
}

/** Checks a value and fills in the schema's defaults, in the value itself: pass one that nobody else holds. */
export type Validator = (value: Json) => Result<Json, readonly SchemaIssue[]>;

/** Patterns of the schema that is compiled which are not surely quick. */
let costlyPatterns = new Set<string>();

const regExp = Object.assign(
  (source: string) => {
    const { test, isQuick } = linearPattern(source);
    if (!isQuick) costlyPatterns.add(source);
    // Ajv keeps patterns by their text.
    return { test, toString: () => source };
  },
  { code: "linearPattern" },
);

const ajv = new Ajv2020({
  strict: false,
  code: { regExp },
  allErrors: true,
  useDefaults: true,
  ownProperties: true,
  addUsedSchema: false,
  logger: false,
});
addFormats.default(ajv);

const validators = new WeakMap<JsonSchema, Validator>();

/** The validator of a schema, compiled once per schema object. Throws for what `schemaFault` reports. */
export function validatorOf(schema: JsonSchema): Validator {
  const known = validators.get(schema);
  if (known) return known;
  const made = compile(schema);
  validators.set(schema, made);
  return made;
}

/** What is wrong with a schema, or nothing. */
export function schemaFault(schema: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    return "a schema must be an object";
  try {
    new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

// To a schema without a name of its own Ajv would find no way back: a `$ref` to `#` fails.
const OWN_NAME = "schema:root";

function compile(schema: JsonSchema): Validator {
  costlyPatterns = new Set();
  const validate: ValidateFunction = ajv.compile({ $id: OWN_NAME, ...schema });
  const costly = costlyPatterns;
  const check = (value: Json): Result<Json, readonly SchemaIssue[]> => {
    const fits: boolean = validate(value);
    return fits ? ok(value) : fail(issuesOf(validate.errors ?? []));
  };
  if (costly.size === 0) return check;
  return (value) => {
    try {
      return within(MAX_PATTERN_MS, () => check(value));
    } catch (error) {
      if (!isOutOfTime(error)) throw error;
      const places = placesOf(schema, costly).slice(0, MOST_ISSUES).join(", ");
      const message = `cannot be checked within ${MAX_PATTERN_MS} ms, as patterns of its schema are costly: ${places}`;
      return fail([{ at: "", message }]);
    }
  };
}

/** A value whose patterns take longer does not fit. */
const MAX_PATTERN_MS = 400;

/** Where in a schema these patterns stand, as JSON pointers. */
function placesOf(schema: Json, patterns: ReadonlySet<string>, at = "#"): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, Json]) => {
    const place = `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const isHere =
      (key === "pattern" && typeof value === "string" && patterns.has(value)) ||
      (at.endsWith("/patternProperties") && patterns.has(key));
    return (isHere ? [place] : []).concat(placesOf(value, patterns, place));
  });
}

const MOST_ISSUES = 10;

function issuesOf(errors: readonly ErrorObject[]): readonly SchemaIssue[] {
  const shown = errors.slice(0, MOST_ISSUES);
  const issues = shown.map((error) => ({ at: placeOf(error.instancePath), message: messageOf(error) }));
  const more = errors.length - shown.length;
  return more > 0 ? [...issues, { at: "", message: `has ${more} more faults` }] : issues;
}

function placeOf(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join("");
}

function messageOf(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "additionalProperties":
      return `has an unknown property ${JSON.stringify(params["additionalProperty"])}`;
    case "required":
      return `lacks the required property ${JSON.stringify(params["missingProperty"])}`;
    case "enum":
      return `must be one of ${JSON.stringify(params["allowedValues"])}`;
    case "const":
      return `must be ${JSON.stringify(params["allowedValue"])}`;
    default:
      return error.message ?? `breaks the rule "${error.keyword}"`;
  }
}
