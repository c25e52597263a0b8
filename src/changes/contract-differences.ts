import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { OPERATIONS } from "../core/skill.ts";
import type { SkillContract } from "./catalog-contracts.ts";
import { schemaConjuncts, type SchemaConjunct } from "./schema-conjuncts.ts";
import { closedSchema, effectiveSchema } from "./effective-schema.ts";
import { fitOf, type Fit } from "../subsumption/subsumption.ts";

/** One way in which a contract is not what it was. */
export type ContractDifference =
  | {
      readonly side: "input" | "output";
      readonly effect: "breaking";
      readonly why: string;
      /** Where in the value, as in `legs[2].from`; empty for the value itself. */
      readonly path: string;
      /** An input that was valid and is not any more, or an output that may come now and was not promised. */
      readonly counterexample: Json;
    }
  | {
      readonly side: "input" | "output";
      readonly effect: "compatible";
      readonly why: string;
      readonly path: string;
      /** An input or output that shows it, if one was found. */
      readonly example?: Json;
    }
  | { readonly side: "input" | "output"; readonly effect: "unknown"; readonly why: string }
  | { readonly side: "operation" | "kind"; readonly effect: "breaking" | "compatible"; readonly why: string };

/** How two contracts differ; what fits both ways is no difference, however it is written. */
export function contractDifferences(
  before: SkillContract,
  now: SkillContract,
): readonly ContractDifference[] {
  return [
    ...kindDifferences(before, now),
    ...sideDifferences("input", before.input, now.input),
    ...sideDifferences("output", before.output, now.output),
    ...operationDifferences(before, now),
  ];
}

type Side = "input" | "output";

function sideDifferences(side: Side, before: JsonSchema, now: JsonSchema): readonly ContractDifference[] {
  if (isDeepStrictEqual(before, now)) return [];
  const [old, current] = [effectiveSchema(before, side), effectiveSchema(now, side)];
  // Callers give inputs, skills give outputs: all that is given has to be what is expected.
  const [given, expected] = side === "input" ? [old, current] : [current, old];
  const found: Found[] = [];
  const add = (more: readonly Misfit[], meansOf: (part: SchemaConjunct) => Found["means"]): void => {
    const known = new Set(found.map(({ part }) => part.property));
    for (const { fit, part } of more)
      if (!known.has(part.property)) found.push({ means: meansOf(part), fit, part });
  };
  add(misfits(given, expected), () => "broken");
  add(misfits(expected, given), (part) => easing(part, old, current));
  add(misfits(old, closedSchema(current)).filter(isShown), () => "gone");
  add(misfits(current, closedSchema(old)).filter(isShown), () => "new");
  return found.map((each) => differenceOf(side, each, current));
}

interface Misfit {
  readonly fit: Exclude<Fit, { readonly kind: "fits" }>;
  readonly part: SchemaConjunct;
}

interface Found extends Misfit {
  /** `gone`: what was spoken of is not any more; `new`: what is spoken of was not before. Neither breaks anything. */
  readonly means: "broken" | "eased" | "gone" | "new";
}

/** The parts of a schema that not all values of another are known to fit. */
function misfits(source: JsonSchema, target: JsonSchema): readonly Misfit[] {
  return schemaConjuncts(target, source)
    .filter(({ isSame }) => !isSame)
    .flatMap((part) => {
      const fit = fitOf(source, part.schema, { exactSource: true });
      return fit.kind === "fits" ? [] : [{ fit, part }];
    });
}

function isShown({ fit }: Misfit): boolean {
  return fit.kind === "misfit";
}

function easing(
  { property }: SchemaConjunct,
  old: JsonSchema,
  current: JsonSchema,
): "eased" | "gone" | "new" {
  if (property === undefined) return "eased";
  if (!declares(old, property)) return "new";
  return declares(current, property) ? "eased" : "gone";
}

function declares({ properties }: JsonSchema, name: string): boolean {
  return isJsonObject(properties) && Object.hasOwn(properties, name);
}

function differenceOf(side: Side, { means, fit, part }: Found, current: JsonSchema): ContractDifference {
  if (means !== "broken") {
    const path = fit.kind === "misfit" ? fit.path : (part.property ?? "");
    const why = `${named(path)} ${EASED[means][side]}`;
    return {
      side,
      effect: "compatible",
      why,
      path,
      ...(fit.kind === "misfit" && { example: fit.counterexample }),
    };
  }
  if (fit.kind === "unknown") return { side, effect: "unknown", why: fit.why };
  const { path, counterexample } = fit;
  const presence = path === part.property ? presenceFault(side, path, counterexample, current) : undefined;
  const why = presence === undefined ? fit.why : `${named(path)} ${presence}`;
  return { side, effect: "breaking", why, path, counterexample };
}

function named(path: string): string {
  return path === "" ? "it" : `\`${path}\``;
}

/** What is wrong with a property that it is there or not, if that is wrong. */
function presenceFault(
  side: Side,
  name: string,
  counterexample: Json,
  current: JsonSchema,
): string | undefined {
  if (isJsonObject(counterexample) && !Object.hasOwn(counterexample, name))
    return side === "input" ? "is required now" : "may be missing now";
  return side === "input" && !declares(current, name) ? "is not taken any more" : undefined;
}

const EASED = {
  eased: { input: "takes more than before", output: "promises more than before" },
  gone: { input: "is not asked for any more", output: "is not promised any more" },
  new: { input: "can be given now", output: "is given now" },
} as const;

function operationDifferences(before: SkillContract, now: SkillContract): readonly ContractDifference[] {
  if (before.operation === now.operation) return [];
  const isStronger = OPERATIONS.indexOf(now.operation) > OPERATIONS.indexOf(before.operation);
  const why = `${now.operation} now, ${before.operation} before`;
  return [{ side: "operation", effect: isStronger ? "breaking" : "compatible", why }];
}

function kindDifferences(before: SkillContract, now: SkillContract): readonly ContractDifference[] {
  const [could, can] = [before.kind !== "instructions", now.kind !== "instructions"];
  if (could === can) return [];
  return could
    ? [{ side: "kind", effect: "breaking", why: "it has no code any more that could be called" }]
    : [{ side: "kind", effect: "compatible", why: "it has code now and can be called" }];
}
