import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import { nearest } from "../core/text/nearest.ts";
import { OPERATIONS } from "../core/skill.ts";

/** The fields that the Agent Skills format defines. */
export const FORMAT_FIELDS = [
  "allowed-tools",
  "compatibility",
  "description",
  "license",
  "metadata",
  "name",
] as const;

/** Fields that are read besides those of the format: the composable-skills proposal's, and those of our own. */
export const OWN_FIELDS = [
  "level",
  "operation",
  "composes",
  "inputs",
  "outputs",
  "limits",
  "ttl",
  "durable",
  "category",
  "tags",
  "keywords",
  "examples",
  "preconditions",
  "postconditions",
] as const;

const ALL_FIELDS: readonly string[] = [...FORMAT_FIELDS, ...OWN_FIELDS];

/** The field that a name which is none most likely means. */
export function intendedField(written: string): string | undefined {
  return ALL_FIELDS.includes(written) ? undefined : nearest(written.trim(), ALL_FIELDS);
}

/** The name of a field that is there and most likely means the one that is not. */
export function mistypedField(field: string, fields: JsonObject): string | undefined {
  return Object.keys(fields).find((written) => intendedField(written) === field);
}

/** What is wrong with a name, in the words of the reference validator. */
export function nameFaults(written: string): readonly string[] {
  if (written.trim() === "") return ["Field 'name' must be a non-empty string"];
  const name = written.trim().normalize("NFKC");
  const faults: string[] = [];
  if (lengthOf(name) > 64)
    faults.push(`Skill name '${name}' exceeds 64 character limit (${lengthOf(name)} chars)`);
  if (name !== name.toLowerCase()) faults.push(`Skill name '${name}' must be lowercase`);
  if (name.startsWith("-") || name.endsWith("-")) faults.push("Skill name cannot start or end with a hyphen");
  if (name.includes("--")) faults.push("Skill name cannot contain consecutive hyphens");
  if (!/^[\p{L}\p{N}-]*$/u.test(name)) {
    faults.push(
      `Skill name '${name}' contains invalid characters. Only letters, digits, and hyphens are allowed.`,
    );
  }
  return faults;
}

/** How the name differs from its folder's, in the words of the reference validator. */
export function nameMismatch(name: string, folderName: string): string | undefined {
  const normal = name.trim().normalize("NFKC");
  return folderName.normalize("NFKC") === normal
    ? undefined
    : `Directory name '${folderName}' must match skill name '${normal}'`;
}

/** A name like this one that keeps the rules; empty where nothing is left. */
export function tidyName(name: string): string {
  const tidy = name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-");
  return Array.from(tidy.replaceAll(/^-|-$/g, "")).slice(0, 64).join("").replace(/-$/, "");
}

/** What is wrong with a description that is not empty, in the words of the reference validator. */
export function descriptionFault(description: string): string | undefined {
  const length = lengthOf(description);
  return length > 1024 ? `Description exceeds 1024 character limit (${length} chars)` : undefined;
}

/** What is wrong with a compatibility field, in the words of the reference validator. */
export function compatibilityFault(value: Json): string | undefined {
  if (typeof value !== "string") return "Field 'compatibility' must be a string";
  const length = lengthOf(value);
  return length > 500 ? `Compatibility exceeds 500 character limit (${length} chars)` : undefined;
}

export interface FieldFault {
  readonly field: string;
  readonly message: string;
  readonly fix: string;
}

/** Values of the composable-skills fields that they cannot have, in the words of that proposal's validator. */
export function composableFaults(fields: JsonObject): readonly FieldFault[] {
  return [
    ...faultsIn(fields, "level", levelFaults, "Write level: 1, level: 2 or level: 3, or leave the field out"),
    ...faultsIn(fields, "operation", operationFaults, `Write one of ${OPERATIONS.join(", ")}, in capitals`),
    ...faultsIn(
      fields,
      "composes",
      composesFaults,
      "Write a list of skill names, such as composes: [flight-search]",
    ),
    ...faultsIn(fields, "inputs", (value) => signatureFaults("inputs", value), SIGNATURE_FIX),
    ...faultsIn(fields, "outputs", (value) => signatureFaults("outputs", value), SIGNATURE_FIX),
  ];
}

const SIGNATURE_FIX =
  "Write a list of fields, each with a name and a type, such as - {name: city, type: string}";

function faultsIn(
  fields: JsonObject,
  field: string,
  faults: (value: Json) => readonly string[],
  fix: string,
): FieldFault[] {
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (value === undefined || value === null) return [];
  return faults(value).map((message) => ({ field, message, fix }));
}

function levelFaults(value: Json): readonly string[] {
  if (typeof value === "string" && !/^\s*[+-]?\d+\s*$/.test(value))
    return [`Field 'level' must be an integer, got string '${value}'`];
  const level = typeof value === "string" ? Number(value) : value;
  if (typeof level !== "number" || !Number.isInteger(level))
    return [`Field 'level' must be an integer, got ${kindOf(level)}`];
  if (level >= 1 && level <= 3) return [];
  return [`Field 'level' must be 1, 2, or 3 (got ${level}). 1=Atomic, 2=Composite, 3=Workflow`];
}

function operationFaults(value: Json): readonly string[] {
  if (typeof value !== "string") return [`Field 'operation' must be a string, got ${kindOf(value)}`];
  if (OPERATIONS.some((operation) => operation === value)) return [];
  const all = OPERATIONS.toSorted().map((operation) => `'${operation}'`);
  return [`Field 'operation' must be one of [${all.join(", ")}], got '${value}'`];
}

function composesFaults(value: Json): readonly string[] {
  if (!Array.isArray(value)) return [`Field 'composes' must be a list, got ${kindOf(value)}`];
  return (value as readonly Json[]).flatMap((name, index) => {
    if (typeof name !== "string") return [`Field 'composes[${index}]' must be a string, got ${kindOf(name)}`];
    return name.trim() === "" ? [`Field 'composes[${index}]' cannot be empty`] : [];
  });
}

function signatureFaults(field: string, value: Json): readonly string[] {
  if (!Array.isArray(value)) return [`Field '${field}' must be a list`];
  return (value as readonly Json[]).flatMap((member, index) => {
    const at = `${field}[${index}]`;
    if (!isJsonObject(member)) return [`Field '${at}' must be a mapping`];
    if (!Object.hasOwn(member, "name")) return [`Field '${at}' missing required 'name'`];
    const name = member["name"];
    return typeof name === "string" && name.trim() !== ""
      ? []
      : [`Field '${at}.name' must be a non-empty string`];
  });
}

function kindOf(value: Json): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "list";
  return typeof value === "object" ? "mapping" : typeof value;
}

/** As the format counts: code points. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}
