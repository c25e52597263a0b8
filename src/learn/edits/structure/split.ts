import type { Json } from "../../../core/json/json.ts";
import { quotedLine } from "../../../core/text/display-text.ts";
import { ok, type Result } from "../../../core/result.ts";
import { fieldExpression, mapChildren } from "../../plan/expression.ts";
import { camelCase, UniqueNames } from "../../plan/names.ts";
import { conditionFault } from "../../plan/plan-conditions.ts";
import { type Expression, isIdentifier, type Param, type Plan, type PlanCondition } from "../../plan/plan.ts";
import { inferredSchema } from "../../plan/schema-inference.ts";
import { expressionsOf, hasName, namedSteps, withExpressions } from "../../plan/steps.ts";
import { isSecretName, isSecretText } from "../../recording/secrets.ts";
import type { SourceTrace } from "../../recording/recorded-trace.ts";
import type { EditOf } from "../edits.ts";
import { evaluate } from "../evaluate.ts";
import { toolWords } from "../../../trace/record/tool-words.ts";
import { refsIn } from "../plan-leaves.ts";
import { draftCalls, draftInput, RETURN } from "../recorded-run.ts";
import {
  firstTrace,
  invalidEdit,
  recordedRuns,
  type RevisionContext,
  withPlan,
} from "../revision-context.ts";
import { recordedCalls } from "../translation.ts";

/**
 * The work parted at a step: what is before it stays, what begins with it becomes a skill of its own. What that needs of
 * the first are its parameters, by the names by which the first gives them.
 */
export function applySplit(context: RevisionContext, { step: at }: EditOf<"split">): Result<RevisionContext> {
  const { plan, sources } = context;
  const start = startOf(plan, at);
  if (!start.ok) return start;
  const [before, behind] = [plan.steps.slice(0, start.value), plan.steps.slice(start.value)];
  const given = new Set(before.filter(hasName).map((step) => step.name));
  const isOwn = (part: string): boolean => given.has(part);
  // What the skill gave stays with the part that does it.
  const isGivenBehind = refsIn(plan.output.value).some((part) => !isOwn(part));
  const last = behind.findLast(hasName);
  if (!last) return invalidEdit("There is no step behind it");
  const output: Expression = isGivenBehind ? plan.output.value : { kind: "ref", name: last.name };
  const needs = neededBy([...behind.flatMap(expressionsOf), output], isOwn);
  const runs = recordedRuns(context);
  const valueOf = (expression: Expression): readonly (Json | undefined)[] =>
    runs.map((run) => {
      const [end] = run.get(RETURN) ?? [];
      return end && evaluate(expression, end.scope)?.value;
    });
  const names = new UniqueNames();
  for (const param of plan.params) names.take(param.name);
  const shared: Shared[] = [];
  for (const need of needs) {
    const values = valueOf(need).filter((value) => value !== undefined);
    if (values.length < runs.length)
      return invalidEdit("What the second part needs of the first is not known in each run");
    shared.push({ expression: need, name: names.take(nameOf(need)), values });
  }
  const first = firstPart(context, before, isGivenBehind ? undefined : plan.output, shared, last.name);
  const outputs = valueOf(output).map((value) => value ?? null);
  const second: Plan = {
    version: plan.version,
    name: skillNameOf(behind, plan.name),
    steps: behind.map((step) => withExpressions(step, (each) => taken(each, shared))),
    params: [...plan.params, ...shared.map(paramOf)],
    output: {
      value: taken(output, shared),
      schema: isGivenBehind ? plan.output.schema : inferredSchema(outputs),
    },
    ...(plan.effects && { effects: plan.effects }),
    ...(plan.questions && { questions: plan.questions }),
  };
  const inputs = sources.map((each, run) => ({
    ...draftInput(plan, each, firstTrace(context)),
    ...Object.fromEntries(shared.map((each) => [each.name, each.values[run] ?? null])),
  }));
  const made = sources.map((each, run): SourceTrace => ({
    trace: each.trace,
    calls: callsOf(behind, run),
    input: inputs[run],
    ...(isGivenBehind && each.output !== undefined ? { output: each.output } : {}),
  }));
  const rest = withPlan({ ...context, sources: made }, second);
  const parted = withConditions(context, first, rest, isGivenBehind);
  if (!parted.ok) return parted;
  const [own, other] = parted.value;
  const firsts = own.sources.map((each, run) => ({ ...each, calls: callsOf(before, run) }));
  const part = { plan: other.plan, sources: other.sources };
  return ok({ ...own, sources: firsts, parts: [...(context.parts ?? []), part] });

  function callsOf(steps: Plan["steps"], run: number): readonly number[] {
    const source = sources[run];
    const calls = new Set(steps.flatMap((step) => recordedCalls(step, runs[run] ?? new Map())));
    return source ? draftCalls(source).filter((call) => calls.has(call)) : [];
  }
}

/** As its last call is called. */
function skillNameOf(steps: Plan["steps"], other: string): string {
  const last = namedSteps(steps).findLast((step) => step.kind === "call");
  const name = last?.kind === "call" ? toolWords(last.tool).join("-") : "";
  return name === "" || name === other || name.length > MAX_NAME ? `${other.slice(0, MAX_NAME)}-rest` : name;
}

const MAX_NAME = 50;

/** Something that the first part gives and the second needs. */
interface Shared {
  readonly expression: Expression;
  readonly name: string;
  /** In each run. */
  readonly values: readonly Json[];
}

/** Where the second part begins: with the guards and choices that stand right before the step. */
function startOf({ steps }: Plan, name: string): Result<number> {
  let start = steps.findIndex((step) => hasName(step) && step.name === name);
  const others = steps
    .filter(hasName)
    .slice(1)
    .map((step) => step.name);
  if (start < 0)
    return invalidEdit(`There is no step ${quotedLine(name)} to part at: there are ${others.join(", ")}`);
  for (let step = steps[start - 1]; step && !hasName(step); step = steps[start - 1]) start--;
  return start === 0 ? invalidEdit("There is nothing before it") : ok(start);
}

/** What expressions take of steps: as little of each answer as they have in common. */
export function neededBy(
  expressions: readonly Expression[],
  isOwn: (name: string) => boolean,
): readonly Expression[] {
  const paths = new Map<string, (readonly string[])[]>();
  const collect = (part: Expression): Expression => {
    const ref = part.kind === "field" ? part.of : part;
    if (ref.kind === "ref" && isOwn(ref.name)) {
      const path = part.kind === "field" ? part.path : [];
      paths.set(ref.name, [...(paths.get(ref.name) ?? []), path]);
      return part;
    }
    return mapChildren(part, collect);
  };
  expressions.forEach(collect);
  return [...paths].flatMap(([name, all]) => {
    const begins = (short: readonly string[], long: readonly string[]): boolean =>
      short.length < long.length && short.every((part, at) => part === long[at]);
    const least = all.filter((path) => !all.some((other) => begins(other, path)));
    const once = new Map(least.map((path) => [JSON.stringify(path), path]));
    return [...once.values()].map((path) => fieldExpression({ kind: "ref", name }, path));
  });
}

/** The expression, with parameters in place of what the first part gives. */
function taken(expression: Expression, shared: readonly Shared[]): Expression {
  const own = expression.kind === "field" ? expression.path : [];
  const ref = expression.kind === "field" ? expression.of : expression;
  if (ref.kind === "ref")
    for (const each of shared) {
      const path = each.expression.kind === "field" ? each.expression.path : [];
      const base = each.expression.kind === "field" ? each.expression.of : each.expression;
      if (base.kind === "ref" && base.name === ref.name && path.every((part, at) => part === own[at]))
        return fieldExpression({ kind: "param", name: each.name }, own.slice(path.length));
    }
  return mapChildren(expression, (child) => taken(child, shared));
}

function nameOf(need: Expression): string {
  const path = need.kind === "field" ? need.path : [];
  const ref = need.kind === "field" ? need.of : need;
  const name = path.at(-1) ?? (ref.kind === "ref" ? ref.name : "value");
  const word = camelCase(name);
  return isIdentifier(name) ? name : isIdentifier(word) ? word : "value";
}

function paramOf({ name, values }: Shared): Param {
  const [example] = values;
  const isSecret = isSecretName(name) || values.some(isSecretText);
  return {
    name,
    schema: inferredSchema(values),
    ...(isSecret ? { secret: true } : example === undefined ? {} : { example }),
    origins: [],
  };
}

/** What is done before, giving what the second part needs. */
function firstPart(
  context: RevisionContext,
  steps: Plan["steps"],
  output: Plan["output"] | undefined,
  shared: readonly Shared[],
  last: string,
): RevisionContext {
  const { plan, sources } = context;
  const { preconditions: _, postconditions: __, ...rest } = plan;
  const end = steps.findLast(hasName)?.name ?? last;
  const runs = recordedRuns(context);
  const fields = [
    ...shared.map(({ name, expression }) => ({ name, value: expression })),
    ...(output && shared.length > 0 ? [{ name: "result", value: output.value }] : []),
  ];
  const value: Expression =
    fields.length > 0 ? { kind: "object", fields } : (output?.value ?? { kind: "ref", name: end });
  const values = runs.map((run) => {
    const [turn] = run.get(RETURN) ?? [];
    return (turn && evaluate(value, turn.scope)?.value) ?? null;
  });
  const own = sources.map(({ trace, calls, input }, index): SourceTrace => ({
    trace,
    calls,
    input,
    output: values[index],
  }));
  return withPlan(
    { ...context, sources: own },
    { ...rest, steps, output: { value, schema: inferredSchema(values) } },
  );
}

/** Both parts with the conditions that speak of what they have; what neither has refuses the edit. */
function withConditions(
  { plan }: RevisionContext,
  first: RevisionContext,
  second: RevisionContext,
  isGivenBehind: boolean,
): Result<readonly [RevisionContext, RevisionContext]> {
  const { preconditions = [], postconditions = [] } = plan;
  const fits = (part: Plan, field: "preconditions" | "postconditions", each: PlanCondition): boolean =>
    conditionFault({ ...part, [field]: [each] }) === undefined;
  const [giving, other] = isGivenBehind ? [second, first] : [first, second];
  const isFree = (each: PlanCondition): boolean => fits(giving.plan, "postconditions", each);
  const lost =
    preconditions.find((each) => ![first, second].some((part) => fits(part.plan, "preconditions", each))) ??
    postconditions.find((each) => !isFree(each));
  if (lost) return invalidEdit(`The condition ${quotedLine(lost.check)} fits neither part: remove it first`);
  const withOwn = (part: RevisionContext): RevisionContext => {
    const before = preconditions.filter((each) => fits(part.plan, "preconditions", each));
    const after = part === other ? [] : postconditions;
    return {
      ...part,
      plan: {
        ...part.plan,
        ...(before.length > 0 ? { preconditions: before } : {}),
        ...(after.length > 0 ? { postconditions: after } : {}),
      },
    };
  };
  return ok([withOwn(first), withOwn(second)]);
}
