import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { entriesOf, isList, listOf, numberOf, stringsOf } from "../schema-keywords.ts";
import { partOf, resolvedReference, type Part } from "../schema-root.ts";
import type { Effort } from "../effort.ts";
import { canonicalText } from "./canonical-text.ts";
import { formatOf } from "../text/text-format.ts";
import type { TextPatterns } from "../text/text-pattern.ts";
import { choiceFault, countFaults, numberFaults, typeFault } from "./value-keywords.ts";
import {
  all,
  anyOf,
  boundText,
  abbreviated,
  doubt,
  fault,
  fits,
  FITS,
  joined,
  missing,
  valueName,
  negated,
  shown,
  type Verdict,
} from "./verdict.ts";

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
    if (schema === false) return fault(path, `${valueName(path)} is given, but nothing is allowed there`);
    if (!isJsonObject(schema)) return FITS;
    this.#effort.spend();
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      this.#isDangerous = true;
      this.#depth -= 1;
      return doubt("it is nested too deeply or refers to itself in a cycle");
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
      : fault(
          path,
          `${valueName(path)} is ${shown(value)}, but a text like /${abbreviated(pattern)}/ is expected`,
        );
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
    const schema = resolvedReference(part.root, reference);
    if (schema !== undefined) return this.verdict(value, partOf(part, schema), path);
    this.#isDangerous = true;
    return doubt(`\`${reference}\` leads to no schema of the same document`);
  }

  #object(value: JsonObject, schema: JsonObject, part: Part, path: string): Verdict {
    const verdicts: Verdict[] = [];
    const given = (name: string): boolean => Object.hasOwn(value, name);
    for (const name of stringsOf(schema["required"])) {
      if (!given(name)) verdicts.push(missing(joined(path, name), "required"));
    }
    for (const [name, others] of entriesOf(schema["dependentRequired"])) {
      for (const other of given(name) ? stringsOf(others) : []) {
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
      verdicts.push(fault(path, `${valueName(path)} is given, but no such property is expected`));
    } else if (others !== undefined && isKnown === false) check(others);
    if (schema["propertyNames"] !== undefined) {
      const { faults, doubts } = this.verdict(name, partOf(part, schema["propertyNames"]));
      const [first] = faults;
      if (first) verdicts.push(fault(path, `the name of ${valueName(path)} is not one that is expected`));
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
    if (schema["uniqueItems"] === true && new Set(value.map(canonicalText)).size < value.length) {
      verdicts.push(fault(path, `${valueName(path)} has an item twice, but each is expected only once`));
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
      return fault(
        path,
        `${valueName(path)} has ${sure} items as in \`contains\`, but ${boundText(sure, least, most)} expected`,
      );
    }
    const isSure = unsure === 0 || (sure >= least && sure + unsure <= most);
    return isSure ? FITS : { faults: [], doubts: verdicts.flatMap(({ doubts }) => doubts) };
  }
}

const MAX_DEPTH = 150;
const MAX_FORMATTED = 1_000;

const UNCLEAR = ["$dynamicRef", "unevaluatedProperties", "unevaluatedItems"];

function conditional(schema: JsonObject, at: (schema: Json) => Verdict): Verdict {
  const [condition, then, otherwise] = ["if", "then", "else"].map((key) => at(schema[key] ?? true));
  if (!condition || !then || !otherwise) return FITS;
  if (condition.faults.length > 0) return otherwise;
  if (condition.doubts.length === 0) return then;
  return fits(then) && fits(otherwise) ? FITS : doubt("`if` could not be decided");
}

function formatVerdict(value: Json, schema: JsonObject, path: string, danger: () => void): Verdict {
  const format = typeof schema["format"] === "string" ? formatOf(schema["format"]) : undefined;
  if (!format || typeof value !== (format.isNumeric ? "number" : "string")) return FITS;
  if (typeof value === "string" && value.length > MAX_FORMATTED) {
    danger();
    return doubt(`a text of ${value.length} characters is not tried for the format ${format.name}`);
  }
  if (format.accepts(value)) return FITS;
  return fault(path, `${valueName(path)} is ${shown(value)}, but a ${format.name} is expected`);
}

function slowPattern(pattern: string): string {
  return `the pattern /${abbreviated(pattern)}/ cannot be tried in a safe time`;
}
