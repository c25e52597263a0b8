import type { Diagnostic } from "../core/diagnostic.ts";
import type { Position } from "../core/error.ts";
import { isJsonObject, type Json } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { fieldPosition, type Skill } from "../core/skill.ts";
import { placeOfDeclared } from "../graph/skill-graph.ts";
import { fitOf } from "../subsumption/subsumption.ts";

/**
 * How values flow between a skill without code and those that it composes: by equal names, as the composable-skills
 * proposal has it. An input of a composed skill comes from the input of the skill or the output of another composed
 * one; an output of the skill comes from a composed one. Where several could supply it, one that fits is enough.
 */
export function flowFindings(skill: Skill, composed: readonly Skill[]): readonly Diagnostic[] {
  const parts = composed.filter(({ name }) => name !== skill.name);
  return [...parts.flatMap((part) => inputFindings(skill, part, parts)), ...outputFindings(skill, parts)];
}

/** A field that may supply another of its name. */
interface Source {
  readonly words: string;
  readonly schema: Json;
  readonly root: JsonSchema;
}

function inputFindings(skill: Skill, part: Skill, parts: readonly Skill[]): readonly Diagnostic[] {
  const { input } = part.contract;
  if (part.contract.source.input === "untyped") return [];
  const needed = new Set(Array.isArray(input["required"]) ? input["required"].map(String) : []);
  return Object.entries(fieldsOf(input)).flatMap(([field, schema]): readonly Diagnostic[] => {
    const sources = [
      ...sourceIn(skill.contract.input, field, `the input \`${field}\` of ${skill.name}`),
      ...parts
        .filter((other) => other !== part)
        .flatMap((other) =>
          sourceIn(other.contract.output, field, `the output \`${field}\` of ${other.name}`),
        ),
    ];
    const target = `the input \`${field}\` of ${part.name}`;
    if (sources.length === 0) {
      const isTold = skill.contract.source.input !== "untyped";
      return needed.has(field) && isTold ? [missing(skill, part, target, field)] : [];
    }
    return mismatch(skill, placeOfDeclared(skill, part.name), sources, {
      words: target,
      schema,
      root: input,
    });
  });
}

function outputFindings(skill: Skill, parts: readonly Skill[]): readonly Diagnostic[] {
  const { output } = skill.contract;
  return Object.entries(fieldsOf(output)).flatMap(([field, schema]) => {
    const sources = parts.flatMap((part) =>
      sourceIn(part.contract.output, field, `the output \`${field}\` of ${part.name}`),
    );
    if (sources.length === 0) return [];
    const words = `the output \`${field}\` of ${skill.name}`;
    return mismatch(skill, outputPosition(skill, field), sources, {
      words,
      schema,
      root: output,
    });
  });
}

function mismatch(
  skill: Skill,
  place: Position,
  sources: readonly Source[],
  target: Source,
): readonly Diagnostic[] {
  const fits = sources.map((source) => ({
    source,
    fit: fitOf(whole(source), whole(target), { exactSource: true }),
  }));
  if (fits.some(({ fit }) => fit.kind !== "misfit")) return [];
  const [first] = fits;
  if (first?.fit.kind !== "misfit") return [];
  const { path, line, column } = place;
  return [
    {
      code: "flow-mismatch",
      severity: "error",
      path,
      line,
      column,
      message: `${capitalised(first.source.words)} does not fit ${target.words}: ${first.fit.why}, as in ${short(first.fit.counterexample)}`,
      fix: `Give both the same type, or give ${skill.name} code that converts the value`,
    },
  ];
}

function missing(skill: Skill, part: Skill, target: string, field: string): Diagnostic {
  const { path, line, column } = placeOfDeclared(skill, part.name);
  return {
    code: "flow-missing",
    severity: "error",
    path,
    line,
    column,
    message: `Nobody supplies ${target}, which is required`,
    fix: `Add an input \`${field}\` to ${skill.name}, or compose a skill that gives it`,
  };
}

function sourceIn(root: JsonSchema, field: string, words: string): readonly Source[] {
  const fields = fieldsOf(root);
  const schema = Object.hasOwn(fields, field) ? fields[field] : undefined;
  return schema === undefined ? [] : [{ words, schema, root }];
}

function fieldsOf(schema: JsonSchema): Readonly<Record<string, Json>> {
  return isJsonObject(schema["properties"]) ? schema["properties"] : {};
}

/** A field's schema as a document of its own. */
function whole({ schema, root }: Source): JsonSchema {
  const own = isJsonObject(schema) ? schema : schema === false ? { not: {} } : {};
  return root["$defs"] === undefined ? own : { ...own, $defs: root["$defs"] };
}

function outputPosition(skill: Skill, field: string): Position {
  const { outputs } = skill.frontmatter;
  const declared = Array.isArray(outputs) ? (outputs as readonly Json[]) : [];
  const index = declared.findIndex((each) => isJsonObject(each) && each["name"] === field);
  return fieldPosition(skill, `outputs[${index}]`, "outputs");
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
