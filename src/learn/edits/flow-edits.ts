import type { Json } from "../../core/json/json.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { ok, type Result } from "../../core/result.ts";
import { mapExpression, subexpressions } from "../plan/expression.ts";
import { isAbout } from "../plan/open-questions.ts";
import { camelCase, plural, snakeCase } from "../plan/names.ts";
import { type Expression, isIdentifier, type Param, type Plan } from "../plan/plan.ts";
import { inferredSchema } from "../plan/schema-inference.ts";
import { isSecretName, isSecretText } from "../recording/secrets.ts";
import { isSame, valueAt } from "../plan/values.ts";
import { Alternatives, valueIn, selectorParam } from "./alternatives.ts";
import type { EditOf, LeafPlace } from "./edits.ts";
import { expressionText } from "../review/expression-text.ts";
import { isSameExpression } from "./translation.ts";
import { expressionAt, leafName, leavesOfPlan, mapPlanExpressions, withExpression } from "./plan-leaves.ts";
import { namedSteps } from "../plan/steps.ts";
import { evaluate, evaluations } from "./evaluate.ts";
import { newParamName } from "./name-edits.ts";
import { plainLine, quotedLine } from "../../core/text/display-text.ts";
import { RETURN, type StepExecution } from "./recorded-run.ts";
import {
  mergedParams,
  firstTrace,
  invalidEdit,
  withPlan,
  recordedRuns,
  withInputs,
  type RevisionContext,
} from "./revision-context.ts";

/** An argument comes from elsewhere. */
export function applyFlow(
  context: RevisionContext,
  { leaf, choose }: EditOf<"flow">,
): Result<RevisionContext> {
  const now = expressionOf(context, leaf);
  if (!now.ok) return now;
  if (choose === "parameter")
    return now.value.kind === "param" ? ok(context) : leafAsParameter(context, leaf, null);
  if (choose === "constant") return leafAsConstant(context, leaf);
  const [run = new Map<string, readonly StepExecution[]>()] = recordedRuns(context);
  const found = new Alternatives(context, run).of(leaf);
  const chosen = found.find(({ number }) => number === choose);
  if (!chosen) return invalidEdit(noAlternative(leaf, choose, found));
  const { expression, params } = chosen;
  if (expression.kind === "constant" && isCredential(leaf, expression.value))
    return invalidEdit(`${leafName(leaf)} is a credential: it is a parameter`);
  const isAnswer = context.plan.questions?.some((question) => isAbout(question, leaf)) === true;
  const plan = withExpression(context.plan, leaf, expression);
  return ok(withPlan(context, { ...(isAnswer ? withAnswer(plan, now.value, expression) : plan), params }));
}

/** What was found in the same way as what was open is found as the answer says, too. */
function withAnswer(plan: Plan, before: Expression, answer: Expression): Plan {
  if (before.kind !== "field" && before.kind !== "find") return plan;
  return mapPlanExpressions(plan, (part) => (isSameExpression(part, before) ? answer : part));
}

function noAlternative(
  leaf: LeafPlace,
  choose: number,
  found: readonly { readonly number: number; readonly expression: Expression }[],
): string {
  const listed = found.map(({ number, expression }) => `${number} (${expressionText(expression)})`);
  const instead = listed.length === 0 ? "" : `${listed.join(", ")}, `;
  return `${plainLine(leafName(leaf))} has no alternative ${choose}: choose ${instead}"parameter" or "constant"`;
}

/** What stands at a place, or what places there are. */
function expressionOf({ plan }: RevisionContext, leaf: LeafPlace): Result<Expression> {
  const found = expressionAt(plan, leaf);
  if (found) return ok(found);
  if (leaf.step === RETURN)
    return invalidEdit(`What the skill gives is another step's result by an "output" edit`);
  const steps = namedSteps(plan.steps).map(({ name }) => name);
  if (!steps.includes(leaf.step))
    return invalidEdit(
      `There is no step ${quotedLine(leaf.step)}: there are ${steps.join(", ")}.${didYouMean(leaf.step, steps)}`,
    );
  const paths = leavesOfPlan(plan).flatMap(({ step, path }) =>
    step === leaf.step ? [plainLine(JSON.stringify(path))] : [],
  );
  const path = plainLine(JSON.stringify(leaf.path));
  const known = paths.length === 0 ? "it has no arguments" : `there are ${paths.join(", ")}`;
  return invalidEdit(`${leaf.step} has no argument at ${path}: ${known}.${didYouMean(path, paths)}`);
}

/** A constant becomes a parameter: the argument itself, or one of the constants in it. */
export function applyParameter(
  context: RevisionContext,
  { leaf, constant, name }: EditOf<"parameter">,
): Result<RevisionContext> {
  const now = expressionOf(context, leaf);
  if (!now.ok) return now;
  if (name !== null) {
    const free = newParamName(context.plan, name);
    if (!free.ok) return free;
  }
  const isWhole = constant === null || now.value.kind === "constant";
  return isWhole
    ? leafAsParameter(context, leaf, name)
    : innerAsParameter(context, leaf, { of: now.value, nth: constant, name });
}

function leafAsParameter(
  context: RevisionContext,
  leaf: LeafPlace,
  name: string | null,
): Result<RevisionContext> {
  const values = valuesIn(context, leaf);
  if (!values.ok) return values;
  const [value] = values.value;
  const [run] = recordedRuns(context);
  const calls = (run?.get(leaf.step) ?? []).flatMap(({ call }) => call ?? []);
  const isSecret = isCredential(leaf, value ?? null);
  const present = values.value.filter((each) => each !== undefined);
  const wanted: Param = {
    name: name ?? nameFor(context, leaf),
    schema: inferredSchema(present),
    ...(present.length < values.value.length ? { optional: true } : {}),
    ...(isSecret ? { secret: true } : value === undefined ? {} : { example: value }),
    origins:
      leaf.path.length === 0 ? [] : calls.map((call) => ({ call, at: "args" as const, path: leaf.path })),
  };
  const done = withParameter(context, leaf, wanted, name === null, (param) => param);
  const param = expressionAt(done.plan, leaf);
  return ok(param?.kind === "param" ? withInputs(done, new Map([[param.name, values.value]])) : done);
}

/** One of the constants inside an argument, such as that by which an element is found. */
function innerAsParameter(
  context: RevisionContext,
  leaf: LeafPlace,
  { of, nth, name }: { readonly of: Expression; readonly nth: number; readonly name: string | null },
): Result<RevisionContext> {
  const constants = subexpressions(of).filter((part) => part.kind === "constant");
  const chosen = constants[nth - 1];
  if (!chosen)
    return invalidEdit(`${leafName(leaf)} has ${constants.length} constants: there is no constant ${nth}`);
  const sought = "the constant";
  const having = withNthConstant(of, nth, { kind: "param", name: sought });
  const [run] = recordedRuns(context);
  const turns = run?.get(leaf.step) ?? [];
  const [first] = turns;
  const place = first && placeOf(having, sought, chosen.value, first);
  const wanted = selectorParam(
    name ?? nameFor(context, place ? { ...leaf, path: [...place.path] } : leaf),
    { value: chosen.value, place, part: () => undefined },
    of,
    { path: leaf.path, call: first?.call },
  );
  return ok(withParameter(context, leaf, wanted, name === null, (param) => withNthConstant(of, nth, param)));
}

/** Where in a result the value stands by which an element is found. */
function placeOf(having: Expression, sought: string, value: Json, { scope }: StepExecution) {
  const params = new Map([...scope.params].filter(([name]) => name !== sought));
  const now = evaluate(having, { ...scope, params: new Map([...params, [sought, value]]) })?.value;
  for (const meaning of evaluations(having, { ...scope, params })) {
    const found = meaning.bindings.get(sought);
    if (found && isSame(found.value, value) && isSame(meaning.result.value, now)) return found.place;
  }
  return undefined;
}

function withNthConstant(of: Expression, nth: number, by: Expression): Expression {
  let count = 0;
  return mapExpression(of, (part) => (part.kind === "constant" && ++count === nth ? by : part));
}

function withParameter(
  context: RevisionContext,
  leaf: LeafPlace,
  wanted: Param,
  mayJoin: boolean,
  give: (param: Expression) => Expression,
): RevisionContext {
  const others = withPlan(context, withExpression(context.plan, leaf, { kind: "constant", value: null })).plan
    .params;
  const { params, name } = mayJoin
    ? mergedParams(others, wanted)
    : { params: [...others, wanted], name: wanted.name };
  const plan = withExpression(context.plan, leaf, give({ kind: "param", name }));
  return withPlan(context, { ...plan, params });
}

function leafAsConstant(context: RevisionContext, leaf: LeafPlace): Result<RevisionContext> {
  const values = valuesIn(context, leaf);
  if (!values.ok) return values;
  const [value, ...others] = values.value;
  if (value === undefined || !others.every((other) => isSame(other, value)))
    return invalidEdit(
      `The runs have different values at ${plainLine(leafName(leaf))}: only one that is the same in all is a constant`,
    );
  if (isCredential(leaf, value)) return invalidEdit(`${leafName(leaf)} is a credential: it is a parameter`);
  return ok(withPlan(context, withExpression(context.plan, leaf, { kind: "constant", value })));
}

/** The recorded value at a place in each run; what differs from round to round is neither parameter nor constant. */
function valuesIn(context: RevisionContext, leaf: LeafPlace): Result<readonly (Json | undefined)[]> {
  const values: (Json | undefined)[] = [];
  for (const [index, run] of recordedRuns(context).entries()) {
    const { trace } = context.sources[index] ?? { trace: firstTrace(context) };
    const [first, ...others] = (run.get(leaf.step) ?? []).map((turn) =>
      leaf.path.length === 0
        ? valueIn(context, leaf, turn)
        : valueAt(trace.calls[turn.call ?? -1]?.args, leaf.path),
    );
    if (!others.every((other) => isSame(other, first)))
      return invalidEdit(`${plainLine(leafName(leaf))} is another value in each round of its loop`);
    values.push(first);
  }
  return ok(values);
}

function isCredential({ path }: LeafPlace, value: Json): boolean {
  const name = path.findLast((part) => typeof part === "string");
  return (name !== undefined && isSecretName(name)) || isSecretText(value);
}

/** A parameter is called as the argument is: fields are names of the tool, never texts of a run. */
function nameFor({ plan }: RevisionContext, { step, path }: LeafPlace): string {
  const field = path.findLast((part) => typeof part === "string");
  const found = namedSteps(plan.steps).find(({ name }) => name === step);
  if (field === undefined) return found?.kind === "loop" ? plural(found.item) : camelCase(step);
  return isIdentifier(field) ? field : snakeCase(field);
}
