import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Json, JsonObject } from "./json.ts";
import { fail, ok, type Result } from "../result.ts";
import { isTimeout, runWithTimeout } from "../time/run-with-timeout.ts";
import { linearExpressions } from "../text/linear-expressions.ts";
import type { RE2JS } from "re2js";

/** A JSON Schema 2020-12 object. */
export type JsonSchema = JsonObject;

/** One place where a value does not fit its schema. */
export interface SchemaIssue {
  /** Where in the value, for example `legs[2].from`; empty for the value itself. */
  readonly at: string;
  readonly message: string;
}

/** Checks a value and fills in the schema's defaults, in the value itself: pass one that nobody else holds. */
export interface Validator {
  (value: Json): Result<Json, readonly SchemaIssue[]>;
  /** Whether it ends in time by itself, whatever the value. */
  readonly isTimed?: true;
}

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

let made: Ajv2020 | undefined;

// Not all who load this validate something, and none before something has come in.
function ajv(): Ajv2020 {
  if (made) return made;
  made = new Ajv2020({
    strict: false,
    code: { regExp },
    allErrors: true,
    useDefaults: true,
    ownProperties: true,
    addUsedSchema: false,
    logger: false,
  });
  addFormats.default(made);
  return made;
}

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
  const validate: ValidateFunction = ajv().compile({ $id: OWN_NAME, ...schema });
  const costly = costlyPatterns;
  const check = (value: Json): Result<Json, readonly SchemaIssue[]> => {
    const fits: boolean = validate(value);
    return fits ? ok(value) : fail(issuesOf(validate.errors ?? []));
  };
  if (costly.size === 0) return check;
  const timed = (value: Json): ReturnType<Validator> => {
    try {
      return runWithTimeout(MAX_PATTERN_MS, () => check(value));
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const places = placesOf(schema, costly).slice(0, MAX_ISSUES).join(", ");
      const message = `cannot be checked within ${MAX_PATTERN_MS} ms, as patterns of its schema are costly: ${places}`;
      return fail([{ at: "", message }]);
    }
  };
  return Object.assign(timed, { isTimed: true as const });
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

const MAX_ISSUES = 10;

function issuesOf(errors: readonly ErrorObject[]): readonly SchemaIssue[] {
  const shown = errors.slice(0, MAX_ISSUES);
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

/** A regular expression of JSON Schema: ECMA-262 with the u flag, found anywhere in a text. */
interface Pattern {
  readonly test: (text: string) => boolean;
  /** Whether it takes little time on every text; where not, only a deadline bounds it. */
  readonly isQuick: boolean;
}

/**
 * A pattern that somebody else wrote. One that an engine with backtracking surely tries in few ways is given to that of
 * the language; another to RE2 (Cox, Regular Expression Matching Can Be Simple And Fast, 2007), whose time is linear in
 * the text. What RE2 does not know, such as look-ahead, is left to the engine of the language. Throws where the pattern
 * is not valid.
 */
export function linearPattern(source: string): Pattern {
  const native = new RegExp(source, "u");
  if (hasFewWays(source)) return { test: (text) => native.test(text), isQuick: true };
  const linear = re2Of(source);
  return { test: (text) => (linear ? linear.test(text) : native.test(text)), isQuick: false };
}

/** For each place of a text where a match may begin or a repetition may end, and where there is only one. */
const MAX_WAYS = { manyPlaces: 32, onePlace: 1_000 };

const MAX_CHARACTERS = 500;

const CLASS = String.raw`\[(?:\\.|[^\]\\])*\]`;

const BACK_OR_AROUND = /\\[1-9]|\\k<|\(\?<?[=!]/;

const REPEATED_GROUP = /\)(?:[*+?]|\{)/;

/** Whether it repeats no group, and is tried at one place, or is of a bounded length, in at most so many ways. */
function hasFewWays(source: string): boolean {
  const plain = source.replaceAll(new RegExp(String.raw`\\[pP]\{[^}]*\}|\\u\{[^}]*\}|${CLASS}`, "g"), "_");
  if (BACK_OR_AROUND.test(plain)) return false;
  const signs = plain.replaceAll(/\\./g, "_");
  if (REPEATED_GROUP.test(signs)) return false;
  const unbounded = signs.match(/(?<!\()[*+]|\{\d+,\}/g)?.length ?? 0;
  const isAnchored = signs.startsWith("^") && !signs.includes("|");
  if (unbounded > (isAnchored ? 1 : 0)) return false;
  let ways = signs.split("|").length;
  for (const [, least = "", most = least] of signs.matchAll(/\{(\d+)(?:,(\d+))?\}/g))
    ways *= isAnchored ? Number(most) - Number(least) + 1 : Number(most) + 1;
  for (const _ of signs.matchAll(/(?<![(*+?}])\?/g)) ways *= 2;
  const isOfOnePlace = isAnchored && unbounded === 0;
  return signs.length <= MAX_CHARACTERS && ways <= MAX_WAYS[isOfOnePlace ? "onePlace" : "manyPlaces"];
}

function re2Of(source: string): RE2JS | undefined {
  const translated = withSpelledClasses(source);
  if (translated === undefined) return undefined;
  const re2 = linearExpressions();
  try {
    return re2.compile(re2.translateRegExp(translated));
  } catch {
    return undefined;
  }
}

const SPACES = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;

/** What means another thing to RE2 is spelled out: white space, and the dot. Nothing where that cannot be written. */
function withSpelledClasses(source: string): string | undefined {
  let isInClass = false;
  let isWritable = true;
  const spelled = source.replaceAll(/\\.|[.[\]]/gsu, (sign) => {
    if (sign === "[") isInClass = true;
    if (sign === "]") isInClass = false;
    if (sign === "\\s") return isInClass ? SPACES : `[${SPACES}]`;
    if (sign === "\\S" && isInClass) isWritable = false;
    if (sign === "\\S") return `[^${SPACES}]`;
    return sign === "." && !isInClass ? String.raw`[^\n\r\x{2028}\x{2029}]` : sign;
  });
  return isWritable ? spelled : undefined;
}
