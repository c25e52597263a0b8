import { parsedCheck } from "../core/conditions/check-expression.ts";
import type { ConditionTime, SkillCondition } from "../core/conditions/skill-condition.ts";
import type { Severity } from "../core/diagnostic.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { didYouMean, nearest } from "../core/text/nearest.ts";
import type { DeclarationFault } from "./frontmatter-contract.ts";
import { isIntentMatch } from "./frontmatter-matching.ts";

export interface ConditionFault extends DeclarationFault {
  readonly code: "condition-invalid" | "condition-unknown";
  readonly severity: Severity;
  /** The part of the frontmatter: `preconditions[0].check`. */
  readonly part: string;
  /** Where in that part's text, from 0. */
  readonly offset: number;
}

const FIELDS = { pre: "preconditions", post: "postconditions" } as const;

const MAX_CONDITIONS = 50;

/**
 * The conditions that the frontmatter declares, each a check or a mapping of a check, whether it is critical, and a
 * description. What is no condition is an error: a skill whose conditions are not enforced must not run.
 */
export function frontmatterConditions(
  frontmatter: JsonObject,
  when: ConditionTime,
  contract: Readonly<Record<"input" | "output", JsonSchema>>,
): { readonly conditions: readonly SkillCondition[]; readonly faults: readonly ConditionFault[] } {
  const field = FIELDS[when];
  const declared = Object.hasOwn(frontmatter, field) ? frontmatter[field] : undefined;
  if (declared === undefined || declared === null) return { conditions: [], faults: [] };
  const invalid = (part: string, message: string, fix: string, offset = 0): ConditionFault => ({
    code: "condition-invalid",
    severity: "error",
    part,
    offset,
    message,
    fix,
  });
  if (!Array.isArray(declared) || declared.length > MAX_CONDITIONS) {
    const message = `Field '${field}' must be a list of at most ${MAX_CONDITIONS} conditions`;
    return { conditions: [], faults: [invalid(field, message, exampleOf(when))] };
  }
  const conditions: SkillCondition[] = [];
  const faults: ConditionFault[] = [];
  for (const [index, given] of (declared as readonly Json[]).entries()) {
    if (when === "pre" && isIntentMatch(given)) continue;
    const part = `${field}[${index}]`;
    const shape = shapeOf(given);
    if ("fault" in shape) {
      faults.push(invalid(part, `Field '${part}' ${shape.fault}`, exampleOf(when)));
      continue;
    }
    const at = isJsonObject(given) ? `${part}.check` : part;
    const parsed = parsedCheck(shape.check, when);
    if (!parsed.ok) {
      const { message, offset } = parsed.error;
      const where = `character ${offset + 1} of ${JSON.stringify(shape.check)}`;
      faults.push(invalid(at, `Field '${at}', ${where}: ${message}`, "Mend the expression", offset));
      continue;
    }
    const { reads } = parsed.value;
    for (const read of reads) {
      const unknown = unknownIn(read.path, contract);
      if (unknown === undefined) continue;
      faults.push({
        code: "condition-unknown",
        severity: unknown.isClosed ? "error" : "warning",
        part: at,
        offset: Math.max(0, shape.check.indexOf(read.text)),
        message: `Field '${at}' reads ${read.text}, but the contract has no field ${JSON.stringify(unknown.name)} there.${didYouMean(unknown.name, unknown.known)}`,
        fix:
          nearest(unknown.name, unknown.known) === undefined
            ? `Its fields are ${unknown.known.join(", ") || "none"}`
            : "Write the field as the contract has it",
      });
    }
    conditions.push({ ...shape, reads: reads.map(({ text }) => text) });
  }
  return { conditions, faults };
}

function exampleOf(when: ConditionTime): string {
  return when === "pre"
    ? "Write conditions as in - inputs.amount > 0, or - {check: inputs.amount > 0, critical: false}"
    : "Write conditions as in - outputs.report.length > 100, or - {check: outputs.report != null, critical: false}";
}

const KEYS: readonly string[] = ["check", "critical", "description"];

function shapeOf(given: Json): Omit<SkillCondition, "reads"> | { readonly fault: string } {
  if (typeof given === "string") return { check: given, critical: true };
  if (!isJsonObject(given)) return { fault: "must be an expression or a mapping with a check" };
  const { check, critical = true, description } = given;
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (typeof check !== "string") return { fault: "must have a check, which is an expression in quotes" };
  if (unknown !== undefined) return { fault: `has no field '${unknown}'.${didYouMean(unknown, KEYS)}` };
  if (typeof critical !== "boolean")
    return { fault: "has a field 'critical' that is neither true nor false" };
  if (description !== undefined && typeof description !== "string")
    return { fault: "has a description that is not a text" };
  return { check, critical, ...(description === undefined ? {} : { description }) };
}

interface UnknownField {
  readonly name: string;
  readonly known: readonly string[];
  /** Whether the contract allows no other fields there. */
  readonly isClosed: boolean;
}

/** The first name on the way that the schema does not have where it says what there is. */
function unknownIn(
  [root, ...names]: readonly string[],
  { input, output }: Readonly<Record<"input" | "output", JsonSchema>>,
): UnknownField | undefined {
  const whole = root === "inputs" ? input : output;
  let schema: Json | undefined = whole;
  for (const name of names) {
    if (isJsonObject(schema) && typeof schema["$ref"] === "string")
      schema = definition(whole, schema["$ref"]);
    if (!isJsonObject(schema) || schema["type"] !== "object" || !isJsonObject(schema["properties"]))
      return undefined;
    const { properties, additionalProperties, patternProperties } = schema;
    if (!Object.hasOwn(properties, name)) {
      if (isJsonObject(additionalProperties) || additionalProperties === true || patternProperties)
        return undefined;
      return { name, known: Object.keys(properties), isClosed: additionalProperties === false };
    }
    schema = properties[name];
  }
  return undefined;
}

function definition({ $defs }: JsonSchema, ref: string): Json | undefined {
  const name = /^#\/\$defs\/([^/]+)$/.exec(ref)?.[1];
  return name !== undefined && isJsonObject($defs) && Object.hasOwn($defs, name) ? $defs[name] : undefined;
}
