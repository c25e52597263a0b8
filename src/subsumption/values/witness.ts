import type { Json } from "../../core/json/json.ts";
import { validatorOf, type JsonSchema, type SchemaIssue, type Validator } from "../../core/json/json-schema.ts";
import { withoutDefaults, type SchemaRoot } from "../schema-root.ts";

/** Asks the validator about two schemas, both as they are and without the defaults that it would fill in. */
export class Witness {
  readonly #source: SchemaRoot;
  readonly #target: SchemaRoot;
  #validators: { readonly source: readonly Validator[]; readonly target: readonly Validator[] } | undefined;
  #obstacle: string | undefined;

  constructor(source: SchemaRoot, target: SchemaRoot) {
    this.#source = source;
    this.#target = target;
  }

  /** Why the validator could not be asked. */
  get obstacle(): string | undefined {
    return this.#obstacle;
  }

  /** Why the target refuses a value that the source accepts, if that is so. */
  refusal(value: Json): { readonly path: string; readonly why: string } | undefined {
    try {
      this.#validators ??= this.#compiled();
      const { source, target } = this.#validators ?? {};
      if (!source?.every((validate) => issueOf(validate, value) === undefined)) return undefined;
      const issues = target?.map((validate) => issueOf(validate, value));
      const [issue] = issues ?? [];
      return issue && issues?.every(Boolean) ? { path: issue.at, why: words(issue) } : undefined;
    } catch (error) {
      this.#obstacle = `The validator cannot be asked: ${error instanceof Error ? error.message : String(error)}`;
      return undefined;
    }
  }

  #compiled(): { readonly source: readonly Validator[]; readonly target: readonly Validator[] } | undefined {
    if (this.#obstacle !== undefined) return undefined;
    if (this.#source.positions.size + this.#target.positions.size > MOST_COMPILED) {
      this.#obstacle = "The schemas are too large for a counterexample to be confirmed";
      return undefined;
    }
    return { source: validatorsOf(this.#source), target: validatorsOf(this.#target) };
  }
}

// The validator of a larger schema takes long to compile.
const MOST_COMPILED = 3_000;

const bare = new WeakMap<JsonSchema, JsonSchema>();

function validatorsOf({ schema, hasDefaults }: SchemaRoot): readonly Validator[] {
  if (!hasDefaults) return [validatorOf(schema)];
  const without = bare.get(schema) ?? withoutDefaults(schema);
  bare.set(schema, without);
  return [validatorOf(schema), validatorOf(without)];
}

// A validator may fill in defaults.
function issueOf(validate: Validator, value: Json): SchemaIssue | undefined {
  const result = validate(JSON.parse(JSON.stringify(value)) as Json);
  return result.ok ? undefined : (result.error[0] ?? { at: "", message: "does not fit" });
}

function words({ at, message }: SchemaIssue): string {
  return `${at === "" ? "the value" : `\`${at}\``} ${message}`;
}
