import type { Contract } from "../../core/skill.ts";
import { freeName, pascalCase, schemaDeclarations } from "./schema-declarations.ts";
import { commentOf, indented } from "./schema-to-type.ts";

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
  const comment = description === undefined ? "" : `${commentOf(description)}\n`;
  return {
    declarations: [
      ...schemaDeclarations(input, `${typeName}Input`, "input"),
      ...schemaDeclarations(output, `${typeName}Output`, "output"),
    ],
    entry: `${comment}${JSON.stringify(name)}: { input: Skills.${typeName}Input; output: Skills.${typeName}Output };`,
  };
}
