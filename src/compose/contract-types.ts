import { isJsonObject, type Json } from "../core/json.ts";
import type { JsonSchema } from "../core/schema.ts";
import type { Contract } from "../core/skill.ts";
import { commentOf, indented, schemaType } from "./schema-type.ts";

/** What others may know of a skill: the contract alone. */
export type CallableSkill = Pick<Contract, "input" | "output"> & { readonly description?: string };

/**
 * TypeScript declarations of the world's `call_skill` in which every skill has its own input and output types. A name
 * that is not among them is an error; a name that is known only at run time takes and gives anything.
 */
export function contractTypes(skills: ReadonlyMap<string, CallableSkill>): string {
  const names = new Set<string>();
  const types = [...skills].map(([name, skill]) =>
    skillTypes(name, skill, freeName(pascalCase(name), names)),
  );
  return [
    "declare namespace Skills {",
    ...types.flatMap(({ declarations }) => declarations.map(indented)),
    "}",
    "interface SkillMap {",
    ...types.map(({ entry }) => indented(entry)),
    "}",
    CALL_SKILL,
  ].join("\n");
}

// A pattern such as `x-${string}` counts as known where some skill fits it. Several names at once take what all of
// them take.
const CALL_SKILL = `type SkillName = keyof SkillMap;
type KnownSkillName<Name extends string> = string extends Name
  ? Name
  : Name extends SkillName
    ? Name
    : [Extract<SkillName, Name>] extends [never]
      ? SkillName
      : Name;
type SkillInput<Name extends SkillName> = {
  [Each in Name]: (input: SkillMap[Each]["input"]) => void;
}[Name] extends (input: infer Input) => void
  ? Input
  : never;
type SkillArguments<Name extends string> = [Name] extends [SkillName]
  ? {} extends SkillInput<Name>
    ? [input?: SkillInput<Name>]
    : [input: SkillInput<Name>]
  : [input?: unknown];
type SkillOutput<Name extends string> = Name extends SkillName ? SkillMap[Name]["output"] : any;
/** Calls another skill, in a state of its own. */
declare function call_skill<Name extends string>(
  name: KnownSkillName<Name>,
  ...input: SkillArguments<Name>
): Promise<SkillOutput<Name>>;
`;

interface SkillTypes {
  readonly declarations: readonly string[];
  readonly entry: string;
}

function skillTypes(
  name: string,
  { input, output, description }: CallableSkill,
  typeName: string,
): SkillTypes {
  const definitions = {
    input: definitionNames(input, `${typeName}Input`),
    output: definitionNames(output, `${typeName}Output`),
  };
  const comment = description === undefined ? "" : `${commentOf(description)}\n`;
  return {
    declarations: [
      ...sideTypes(input, `${typeName}Input`, definitions.input, "input"),
      ...sideTypes(output, `${typeName}Output`, definitions.output, "output"),
    ],
    entry: `${comment}${JSON.stringify(name)}: { input: Skills.${typeName}Input; output: Skills.${typeName}Output };`,
  };
}

function sideTypes(
  schema: JsonSchema,
  name: string,
  definitions: ReadonlyMap<string, string>,
  side: "input" | "output",
): readonly string[] {
  const reference = (pointer: string): string | undefined =>
    pointer === "#" ? name : definitions.get(pointer);
  const { $defs } = schema;
  const parts = isJsonObject($defs) ? Object.entries($defs) : [];
  return [
    declared(name, schema, (each) => schemaType(each, { side, reference })),
    ...parts.map(([key, part]) =>
      declared(definitions.get(`#/$defs/${escaped(key)}`) ?? "", part, (each) =>
        schemaType(each, { side, reference }),
      ),
    ),
  ];
}

function declared(name: string, schema: Json, typeOf: (schema: Json) => string): string {
  const text = typeOf(schema);
  // An interface has a name in the compiler's messages, where an alias would be spelt out.
  return text.startsWith("{") && isPlainObject(schema)
    ? `interface ${name} ${text}`
    : `type ${name} = ${text};`;
}

function isPlainObject(schema: Json): boolean {
  return (
    isJsonObject(schema) &&
    schema["type"] === "object" &&
    !["anyOf", "oneOf", "allOf", "enum", "const", "$ref"].some((keyword) => schema[keyword] !== undefined)
  );
}

function definitionNames(schema: JsonSchema, prefix: string): ReadonlyMap<string, string> {
  const { $defs } = schema;
  const taken = new Set<string>();
  const keys = isJsonObject($defs) ? Object.keys($defs) : [];
  return new Map(
    keys.map((key) => [`#/$defs/${escaped(key)}`, freeName(`${prefix}_${pascalCase(key)}`, taken)]),
  );
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
  taken.add(name);
  return name;
}

function pascalCase(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const joined = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  return /^\p{ID_Start}/u.test(joined) ? joined : `_${joined}`;
}
