import { failure } from "../../core/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { fail, type Result } from "../../core/result.ts";
import type { Draft } from "../drafts/draft.ts";
import { planInput } from "../verify/parameter-values.ts";
import { UniqueNames } from "../plan/names.ts";
import type { Origin, Param, Plan, Step } from "../plan/plan.ts";
import { namedSteps } from "../plan/steps.ts";
import { type RecordedTrace, type SourceTrace } from "../recording/recorded-trace.ts";
import { synthesise, type Synthesis } from "../synthesis/synthesise.ts";
import { isSame, isEntityName } from "../plan/values.ts";
import { mapPlanExpressions } from "./plan-leaves.ts";
import { draftInput, recordedRun, type RecordedRun } from "./recorded-run.ts";

/** A draft while it is revised, or looked at. */
export interface RevisionContext {
  readonly plan: Plan;
  /** The runs that it was learned from; parameters stood in the first. */
  readonly sources: readonly SourceTrace[];
  /** What was split off. */
  readonly parts?: readonly Pick<RevisionContext, "plan" | "sources">[] | undefined;
  /** What synthesis makes of the same runs. */
  readonly resynthesise: () => Synthesis | undefined;
}

export function revisionContext({ plan, provenance }: Pick<Draft, "plan" | "provenance">): RevisionContext {
  const sources = provenance.traces.map(({ trace, calls, input, output }) => ({
    trace,
    calls,
    input,
    output,
  }));
  return {
    plan,
    sources,
    resynthesise: freshOf(
      sources.map(({ trace }) => trace),
      plan,
    ),
  };
}

function freshOf(traces: readonly RecordedTrace[], plan: Plan): RevisionContext["resynthesise"] {
  let made: { readonly synthesis: Synthesis | undefined } | undefined;
  return () => {
    made ??= { synthesis: freshSynthesis(traces, plan) };
    return made.synthesis;
  };
}

/** What synthesis makes of the traces of a plan, if it is of the first of them. */
export function freshSynthesis(
  traces: readonly RecordedTrace[],
  { effects = [] }: Pick<Plan, "effects">,
): Synthesis | undefined {
  const made = synthesise(traces, { effects });
  return made.ok && made.value.from[0] === 0 ? made.value : undefined;
}

export function invalidEdit(message: string): Result<never> {
  return fail(failure("INPUT_INVALID", message));
}

export function firstTrace({ sources }: Pick<RevisionContext, "sources">): RecordedTrace {
  return sources[0]?.trace ?? { id: "", calls: [] };
}

/** The plan in each of the runs. */
export function recordedRuns(context: RevisionContext, plan: Plan = context.plan): readonly RecordedRun[] {
  return context.sources.map((each) => recordedRun(plan, each, firstTrace(context)));
}

/** The parameters of a plan; of those whose fields were arguments of their own only the fields that are of use. */
function withUsedFields(plan: Plan): readonly Param[] {
  const uses = new Map<string, { whole: number; readonly fields: Set<string> }>();
  const usesOf = (name: string) => {
    const found = uses.get(name) ?? { whole: 0, fields: new Set<string>() };
    uses.set(name, found);
    return found;
  };
  mapPlanExpressions(plan, (part) => {
    if (part.kind === "param") usesOf(part.name).whole++;
    if (part.kind === "field" && part.of.kind === "param") {
      const found = usesOf(part.of.name);
      found.whole--;
      found.fields.add(part.path[0] ?? "");
    }
    return part;
  });
  return plan.params.map((param) => {
    const { whole, fields } = usesOf(param.name);
    const { properties, required } = param.schema;
    const isOfFields =
      param.origins.length > 0 && param.origins.every(({ within }) => typeof within?.[0] === "string");
    if (whole > 0 || !isOfFields || !isJsonObject(properties) || !Array.isArray(required)) return param;
    const isUsed = (name: unknown): boolean => fields.has(String(name));
    if (Object.keys(properties).every(isUsed)) return param;
    const only = (of: JsonObject): JsonObject =>
      Object.fromEntries(Object.entries(of).filter(([name]) => isUsed(name)));
    return {
      ...param,
      schema: { ...param.schema, properties: only(properties), required: required.filter(isUsed) },
      ...(isJsonObject(param.example) ? { example: only(param.example) } : {}),
      origins: param.origins.filter(({ within }) => isUsed(within?.[0])),
    };
  });
}

/**
 * The work with another plan: parameters that nothing uses are gone, and what was open of steps that are; inputs that were
 * told have the new parameters.
 */
export function withPlan(context: RevisionContext, plan: Plan): RevisionContext {
  const used = new Set<string>();
  const isChoice = ({ kind }: Step): boolean => kind === "choice";
  mapPlanExpressions({ ...plan, steps: plan.steps.filter((step) => !isChoice(step)) }, (part) => {
    if (part.kind === "param") used.add(part.name);
    return part;
  });
  // What nothing uses is no choice, nor is what is known.
  const kept = plan.steps.filter(
    (step) => step.kind !== "choice" || (step.chosen.kind === "param" && used.has(step.chosen.name)),
  );
  const params = withUsedFields({ ...plan, params: plan.params.filter(({ name }) => used.has(name)) });
  const sources = context.sources.map((each) =>
    each.input === undefined
      ? each
      : { ...each, input: inputFor({ ...plan, params }, each.trace, each.input, firstTrace(context)) },
  );
  const { questions, ...rest } = plan;
  const steps = new Set(namedSteps(plan.steps).map(({ name }) => name));
  const open = questions?.filter(({ step }) => steps.has(step)) ?? [];
  return {
    ...context,
    plan: { ...rest, steps: kept, params, ...(open.length === 0 ? {} : { questions: open }) },
    sources,
  };
}

function inputFor(
  plan: Plan,
  trace: RecordedTrace,
  input: { readonly [name: string]: Json },
  first: RecordedTrace,
): { readonly [name: string]: Json } {
  const found = planInput(plan, first, trace);
  return Object.fromEntries(
    plan.params.flatMap(({ name }) => {
      const value = Object.hasOwn(input, name) ? input[name] : found[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** The work in which every run has the parameters' values: where they are not found by where they stood, they are told. */
export function withInputs(
  context: RevisionContext,
  values: ReadonlyMap<string, readonly (Json | undefined)[]>,
): RevisionContext {
  const sources = context.sources.map((each, index) => {
    const found = draftInput(context.plan, each, firstTrace(context));
    const missing = [...values].flatMap(([name, all]) => {
      const value = all[index];
      return value === undefined || isSame(found[name], value) ? [] : [[name, value] as const];
    });
    return missing.length === 0 ? each : { ...each, input: { ...found, ...Object.fromEntries(missing) } };
  });
  return { ...context, sources };
}

/** The parameters with another one, and its name among them: that of the one that is the same thing, if there is one. */
export function mergedParams(
  params: readonly Param[],
  wanted: Param,
): { readonly params: readonly Param[]; readonly name: string } {
  const known = params.find((param) => isSameThing(param, wanted));
  if (known) {
    const missing = wanted.origins.filter((origin) => !hasOrigin(known, origin));
    const joined = { ...known, origins: [...known.origins, ...missing] };
    return { params: params.map((param) => (param === known ? joined : param)), name: known.name };
  }
  const names = new UniqueNames();
  for (const { name } of params) names.take(name);
  const name = names.take(wanted.name);
  return { params: [...params, { ...wanted, name }], name };
}

function isSameThing(a: Param, b: Param): boolean {
  if (b.origins.some((origin) => hasOrigin(a, origin))) return true;
  return a.example !== undefined && isEntityName(a.example) && isSame(a.example, b.example);
}

function hasOrigin({ origins }: Param, { call, at, path, within = [] }: Origin): boolean {
  return origins.some(
    (each) =>
      each.call === call && each.at === at && isSame(each.path, path) && isSame(each.within ?? [], within),
  );
}
