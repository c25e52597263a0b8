import path from "node:path";
import { fieldPosition } from "../core/skill.ts";
import type { SkillCondition } from "../core/conditions/skill-condition.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { CodeFlows } from "../core/flow.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import {
  LEVELS,
  OPERATIONS,
  type StaticCalls,
  type Contract,
  type Durability,
  type ContractSource,
  type Script,
  type Skill,
  type SkillFolder,
} from "../core/skill.ts";
import {
  inFolder,
  type CodeSide,
  type CodeUnit,
  type CompiledCode,
  type CodePosition,
  type UnplacedFlows,
} from "../compiler/program/compiled-code.ts";
import { generatedScript } from "./generated-script.ts";
import { disagreement } from "./disagreement.ts";
import { frontmatterSide, type DeclarationFault } from "./frontmatter-contract.ts";
import { type ConditionFault, frontmatterConditions } from "./frontmatter-conditions.ts";
import { frontmatterMatching } from "./frontmatter-matching.ts";
import { frontmatterDurability, frontmatterLimits, frontmatterTtl } from "./frontmatter-limits.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";

/** What is known of one folder before looking at the others. */
export interface DerivedSkill {
  readonly folder: SkillFolder;
  readonly unit: CodeUnit | undefined;
  readonly code: CompiledCode | undefined;
  readonly isSound: boolean;
  readonly contract: Contract;
  readonly scripts: readonly Script[];
  readonly calls: StaticCalls;
  readonly flows: CodeFlows | undefined;
  /** Where the code calls upstream tools. */
  readonly toolCalls: StaticCalls["skills"];
  /** What the frontmatter says. */
  readonly declared: Skill["declared"];
  readonly composes: readonly string[];
  readonly limits: Skill["limits"];
  readonly ttlMs: number | undefined;
  readonly matching: Skill["matching"];
  readonly preconditions: readonly SkillCondition[];
  readonly postconditions: readonly SkillCondition[];
  readonly durable: Durability | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** A skill's code and what the compiler made of it. */
export interface UnitCode {
  readonly unit: CodeUnit;
  readonly code: CompiledCode;
}

/** Contract, scripts and calls of one folder, from its code's results and its frontmatter. */
export function derivedSkill(folder: SkillFolder, { unit, code }: Partial<UnitCode> = {}): DerivedSkill {
  const made = code ?? NO_CODE;
  const input = sideOf(folder, code?.input, "input");
  const output = sideOf(folder, code?.output, "output");
  const { limits, faults } = frontmatterLimits(folder.frontmatter);
  const ttl = frontmatterTtl(folder.frontmatter);
  const schemas = { input: input.schema, output: output.schema };
  const pre = frontmatterConditions(folder.frontmatter, "pre", schemas);
  const post = frontmatterConditions(folder.frontmatter, "post", schemas);
  const { matching, faults: matchingFaults } = frontmatterMatching(folder.frontmatter);
  const durability = frontmatterDurability(folder.frontmatter);
  const diagnostics = [
    ...made.findings
      // What was made of a document is checked as a document.
      .filter((each) => each.code !== "code-unchecked" || each.file !== folder.generated?.name)
      .map((finding) => inFolder(folder, finding)),
    ...input.diagnostics,
    ...output.diagnostics,
    ...fieldDiagnostics(folder, "limits", faults),
    ...fieldDiagnostics(folder, "ttl", ttl.faults),
    ...matchingFaults.flatMap(({ field, ...fault }) => fieldDiagnostics(folder, field, [fault])),
    ...[...pre.faults, ...post.faults].map((fault) => conditionDiagnostic(folder, fault)),
    ...fieldDiagnostics(folder, "durable", durability.faults),
  ];
  return {
    folder,
    unit,
    code,
    isSound: diagnostics.every(({ severity }) => severity !== "error"),
    contract: {
      ...schemas,
      source: { input: input.source, output: output.source },
    },
    scripts: scriptsOf(folder, made),
    calls: callsOf(folder, made),
    flows: code?.flows && placedFlows(folder, code.flows),
    toolCalls: made.tools.map((call) => inFolder(folder, call)),
    declared: declaredOf(folder),
    composes: composesOf(folder),
    limits,
    ttlMs: ttl.ttlMs,
    matching,
    preconditions: pre.conditions,
    postconditions: post.conditions,
    durable: durability.durable,
    diagnostics,
  };
}

type MadeOfCode = Pick<
  CompiledCode,
  "scripts" | "calls" | "tools" | "openCalls" | "dynamic" | "repeated" | "findings"
>;

const NO_CODE: MadeOfCode = {
  ...{ scripts: [], calls: [], tools: [], openCalls: [], findings: [] },
  ...{ dynamic: false, repeated: false },
};

interface DerivedSide {
  readonly schema: JsonSchema;
  readonly source: ContractSource;
  readonly diagnostics: readonly Diagnostic[];
}

/** One side of the contract from the strongest source that says something about it. */
function sideOf(folder: SkillFolder, fromCode: CodeSide | undefined, side: "input" | "output"): DerivedSide {
  const { schema: declared, faults } = frontmatterSide(folder.frontmatter, side);
  const diagnostics = [...fieldDiagnostics(folder, `${side}s`, faults)];
  if (fromCode?.source === "literal" || fromCode?.source === "types") {
    const { schema, source } = fromCode;
    if (declared && saysLittle(fromCode, side))
      return { schema: declared, source: "frontmatter", diagnostics };
    if (source === "types")
      diagnostics.push(...fromCode.findings.map((finding) => inFolder(folder, finding)));
    if (!declared) return { schema, source, diagnostics };
    return {
      schema: tightenedSchema(schema, declared),
      source,
      diagnostics: [...diagnostics, ...disagreements(folder, side, fromCode, declared)],
    };
  }
  if (declared) return { schema: declared, source: "frontmatter", diagnostics };
  if (fromCode?.source === "none") diagnostics.push(untyped(folder, side, fromCode.place));
  return { schema: UNTYPED[side], source: "untyped", diagnostics };
}

// `unknown` leaves it to others to say more; so does an input that is only taken apart, without a type.
function saysLittle(code: CodeSide & { readonly schema: JsonSchema }, side: "input" | "output"): boolean {
  return (
    code.source === "types" && (Object.keys(code.schema).length === 0 || (side === "input" && code.inferred))
  );
}

const UNTYPED = { input: { type: "object" }, output: {} } satisfies Record<string, JsonSchema>;

function disagreements(
  folder: SkillFolder,
  side: "input" | "output",
  strong: CodeSide & { readonly schema: JsonSchema },
  declared: JsonSchema,
): readonly Diagnostic[] {
  const name = strong.source === "literal" ? `the exported ${side}Schema` : "the code's type";
  const field = `${side}s`;
  const differs = disagreement(
    { name, schema: strong.schema },
    { name: "the frontmatter", schema: declared },
    { ignoreNull: true, onlyTypes: strong.source === "types" && strong.inferred },
  );
  if (differs === undefined) return [];
  return [
    {
      code: "contract-disagrees",
      severity: "error",
      ...fieldPosition(folder, field),
      message: `Two sources of the ${side} contract disagree: ${differs}`,
      fix: `Make them agree, or remove \`${field}\` from the frontmatter`,
    },
  ];
}

function untyped(folder: SkillFolder, side: "input" | "output", place: CodePosition): Diagnostic {
  return {
    code: "type-untyped",
    severity: "warning",
    ...inFolder(folder, place),
    message:
      side === "input"
        ? "The input has no type, so any object is accepted"
        : "The output has no type, so nothing about it is checked",
    fix: `Give it a type in TypeScript or JSDoc, export a literal \`${side}Schema\`, or declare \`${side}s\` in the frontmatter`,
  };
}

function fieldDiagnostics(
  folder: SkillFolder,
  field: string,
  faults: readonly DeclarationFault[],
): readonly Diagnostic[] {
  return faults.map((fault) => ({
    code: "field-invalid",
    severity: "warning",
    ...fieldPosition(folder, field),
    ...fault,
  }));
}

function conditionDiagnostic(folder: SkillFolder, { part, offset, ...fault }: ConditionFault): Diagnostic {
  const place = folder.fieldPositions.get(part);
  const position = place
    ? { ...place, column: place.column + offset }
    : fieldPosition(folder, part.replace(/\[.*$/, ""));
  return { ...position, ...fault };
}

function scriptsOf(
  { path: folder, generated, sources }: SkillFolder,
  { scripts }: MadeOfCode,
): readonly Script[] {
  const texts = new Map(sources.map((source) => [source.path, source.text]));
  return scripts.map(({ file, code: made, map }) => {
    if (generated?.name === file) return generatedScript(generated, made, sources);
    const source = path.join(folder, file);
    const script = { path: source, code: made ?? texts.get(source) ?? "" };
    return map === undefined ? script : Object.assign(script, { map });
  });
}

function callsOf(folder: SkillFolder, code: MadeOfCode): StaticCalls {
  const open = code.openCalls.map((call) => inFolder(folder, call));
  return {
    skills: code.calls.map((call) => inFolder(folder, call)),
    tools: [...new Set(code.tools.map(({ callee }) => callee))],
    ...(open.length > 0 ? { open } : {}),
    dynamic: code.dynamic,
    repeated: code.repeated,
  };
}

function placedFlows(folder: SkillFolder, { calls, flows }: UnplacedFlows): CodeFlows {
  return {
    calls: calls.map((call) => inFolder(folder, call)),
    flows: flows.map(({ at, ...flow }) => ({ ...flow, at: inFolder(folder, at) })),
  };
}

function composesOf({ frontmatter }: SkillFolder): readonly string[] {
  const { composes } = frontmatter;
  return Array.isArray(composes) ? composes.filter((name): name is string => typeof name === "string") : [];
}

function declaredOf({ frontmatter }: SkillFolder): Skill["declared"] {
  const operation = OPERATIONS.find((each) => each === frontmatter["operation"]);
  const level = LEVELS.find((each) => each === Number(frontmatter["level"] ?? undefined));
  return { ...(operation && { operation }), ...(level && { level }) };
}

/** Bounds that a declaration can add to a type, and which of two is the stricter. */
const BOUNDS = {
  minimum: Math.max,
  maximum: Math.min,
  minLength: Math.max,
  maxLength: Math.min,
  minItems: Math.max,
  maxItems: Math.min,
} as const;

/**
 * A contract with what the frontmatter declares beyond it: bounds of fields, and texts that must stand beside a field.
 * What both tell is the stricter of the two, so that nothing that is declared stays without effect.
 */
function tightenedSchema(schema: JsonSchema, declared: JsonSchema): JsonSchema {
  const { properties, dependentRequired } = declared;
  const own = schema["properties"];
  if (!isJsonObject(properties) || !isJsonObject(own)) return schema;
  const changed = Object.entries(own).map(
    ([name, property]) =>
      [
        name,
        Object.hasOwn(properties, name) ? tightenedField(property, properties[name]) : property,
      ] as const,
  );
  return {
    ...schema,
    ...(changed.some(([name, property]) => property !== own[name]) && {
      properties: Object.fromEntries(changed),
    }),
    ...(isJsonObject(dependentRequired) && {
      dependentRequired: { ...(schema["dependentRequired"] as JsonObject | undefined), ...dependentRequired },
    }),
  };
}

function tightenedField(own: Json, declared: Json | undefined): Json {
  if (!isJsonObject(own) || !isJsonObject(declared)) return own;
  const bounds: [string, number][] = [];
  for (const [keyword, stricter] of Object.entries(BOUNDS)) {
    const [mine, theirs] = [own[keyword], declared[keyword]];
    if (typeof theirs !== "number" || mine === theirs) continue;
    bounds.push([keyword, typeof mine === "number" ? stricter(mine, theirs) : theirs]);
  }
  return bounds.length === 0 ? own : { ...own, ...Object.fromEntries(bounds) };
}
