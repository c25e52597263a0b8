import type { Json } from "../../core/json/json.ts";
import type { Choice } from "../synthesis/argument-decider.ts";
import type { Expression, Param, Origin, Plan } from "../plan/plan.ts";
import type { Synthesis } from "../synthesis/synthesise.ts";
import { isSame, valueAt } from "../plan/values.ts";
import type { LeafPlace } from "./edits.ts";
import { paramsIn, takenNames } from "./plan-leaves.ts";
import { namedSteps } from "../plan/steps.ts";
import { type EvaluationScope, evaluate, evaluations, type TracedValue } from "./evaluate.ts";
import { recordedRun, type RecordedRun, type StepExecution } from "./recorded-run.ts";
import { type Translation, translationFor, translated, withParamNames } from "./translation.ts";
import { mergedParams, firstTrace, type RevisionContext } from "./revision-context.ts";
import { comparisonsIn, mapExpression, subexpressions } from "../plan/expression.ts";
import { UniqueNames, plural, singular } from "../plan/names.ts";
import { inferredSchema } from "../plan/schema-inference.ts";
import { isSecretName, isSecretValue } from "../recording/secrets.ts";

/** Another way in which an argument could come about. */
export interface Alternative {
  /** Counted from 1, the same through all versions of a draft. */
  readonly number: number;
  readonly expression: Expression;
  /** All parameters that the plan has with it. */
  readonly params: readonly Param[];
  readonly why?: string | undefined;
}

/** What synthesis sees in the runs, in the words of the plan. */
export class Alternatives {
  readonly #context: RevisionContext;
  readonly #run: RecordedRun;
  #fresh:
    | {
        readonly naming: Translation;
        readonly input: EvaluationScope["params"];
        readonly synthesis: Synthesis;
      }
    | undefined;

  constructor(context: RevisionContext, run: RecordedRun) {
    this.#context = context;
    this.#run = run;
  }

  /** The ways to have an argument that gave what the first run had there; what the plan has now is among them. */
  of(leaf: LeafPlace): readonly Alternative[] {
    const fresh = this.#resynthesis();
    const turns = this.#run.get(leaf.step) ?? [];
    const choice = fresh && choiceAt(fresh.synthesis, leaf, turns);
    if (!choice) return [];
    return [choice.chosen, ...choice.alternatives].flatMap((expression, index) => {
      const found = this.#resolve(expression, leaf, turns);
      return found ? [{ ...found, number: index + 1, ...(index === 0 ? { why: choice.why } : {}) }] : [];
    });
  }

  #resynthesis() {
    const synthesis = this.#context.resynthesise();
    if (!synthesis || this.#fresh) return this.#fresh;
    const first = firstTrace(this.#context);
    const run = recordedRun(synthesis.plan, { trace: first }, first);
    const naming = translationFor(synthesis.plan, run, this.#context.plan, this.#run);
    const input = [...run.values()][0]?.[0]?.scope.params ?? new Map<string, Json | undefined>();
    this.#fresh = { naming, input, synthesis };
    return this.#fresh;
  }

  #resolve(
    expression: Expression,
    leaf: LeafPlace,
    turns: readonly StepExecution[],
  ): ResolvedExpression | undefined {
    const fresh = this.#resynthesis();
    const told = fresh && translated(expression, fresh.naming);
    const [first] = turns;
    if (!told || !first) return undefined;
    const { params } = this.#context.plan;
    const values = turns.map((turn) => valueIn(this.#context, leaf, turn));
    const givesIt = (input: EvaluationScope["params"]): boolean =>
      turns.every(({ scope: { refs } }, index) => {
        const value = evaluate(told, { params: input, refs })?.value;
        return value !== undefined && isSame(value, values[index]);
      });
    const wanted = new Set(paramsIn(told));
    const own = fresh.synthesis.plan.params.filter(({ name }) => wanted.has(name));
    if (own.length === wanted.size && givesIt(fresh.input)) return withParams(told, params, own);
    const place = { ...leaf, call: first.call };
    for (const sought of bindingsFor(told, values[0], first.scope.refs)) {
      if (!givesIt(new Map([...sought].map(([name, { value }]) => [name, value])))) continue;
      const found = [...sought].map(([name, each]) => selectorParam(name, each, told, place));
      return withParams(told, params, found);
    }
    const list =
      turns.length === 1
        ? selectorListParam(told, values[0], first, { ...place, plan: this.#context.plan })
        : undefined;
    return list && withParams(list.expression, params, [list.param]);
  }
}

type ResolvedExpression = Pick<Alternative, "expression" | "params">;

/** The recorded value of an argument, or of what a loop goes over. */
export function valueIn(
  context: RevisionContext,
  { step, path }: LeafPlace,
  { call, scope }: StepExecution,
): Json | undefined {
  const found = namedSteps(context.plan.steps).find(({ name }) => name === step);
  if (found?.kind === "loop") return evaluate(found.over, scope)?.value;
  return valueAt(firstTrace(context).calls[call ?? -1]?.args, path);
}

function withParams(
  expression: Expression,
  params: readonly Param[],
  wanted: readonly Param[],
): ResolvedExpression {
  const names = new Map<string, string>();
  let all = params;
  for (const param of wanted) {
    const found = mergedParams(all, param);
    names.set(param.name, found.name);
    all = found.params;
  }
  return { expression: withParamNames(expression, names), params: all };
}

// The element of a map or loop has no argument of its own at its path: only a loop's own place is empty.
function choiceAt(
  { choices, plan }: Synthesis,
  { path }: LeafPlace,
  turns: readonly StepExecution[],
): Choice | undefined {
  const [first] = turns;
  if (first?.call === undefined) return undefined;
  const loops = new Set(plan.steps.flatMap((step) => (step.kind === "loop" ? [step.name] : [])));
  const { call } = first;
  return choices.findLast(
    (choice) =>
      choice.calls.includes(call) && isSame(choice.path, path) && (path.length > 0 || loops.has(choice.step)),
  );
}

/** What the parameters of an expression can be for it to give a value: each way by which elements are then found. */
function* bindingsFor(
  expression: Expression,
  value: Json | undefined,
  refs: EvaluationScope["refs"],
): Generator<ReadonlyMap<string, TracedValue>> {
  const count = paramsIn(expression).length;
  let tries = 0;
  for (const { result, bindings } of evaluations(expression, { params: new Map(), refs })) {
    if (++tries > MAX_TRIES) return;
    if (bindings.size === count && isSame(result.value, value)) yield bindings;
  }
}

const MAX_TRIES = 2000;

/** A parameter by whose value an element of a result is found. */
export function selectorParam(
  name: string,
  { value, place }: TracedValue,
  expression: Expression,
  { call, path }: { readonly call?: number | undefined; readonly path: Origin["path"] },
): Param {
  const isSecret = isSecretName(name) || isSecretValue(value);
  const selects = call === undefined ? {} : { selects: { call, path } };
  const isOptional = subexpressions(expression).some(
    (part) =>
      part.kind === "find" &&
      comparisonsIn(part.where).some(
        ({ equals, optional }) => optional === true && equals.kind === "param" && equals.name === name,
      ),
  );
  return {
    name,
    schema: inferredSchema([value]),
    ...(isOptional ? { optional: true } : {}),
    ...(isSecret ? { secret: true } : { example: value }),
    origins: place ? [{ ...place, at: "result", ...selects }] : [],
  };
}

/** A list whose elements are all found in the same way, made of the list of what each is found by. */
function selectorListParam(
  expression: Expression,
  value: Json | undefined,
  { scope: { refs } }: StepExecution,
  {
    call,
    path,
    plan,
  }: { readonly call?: number | undefined; readonly path: Origin["path"]; readonly plan: Plan },
): { readonly expression: Expression; readonly param: Param } | undefined {
  const fields = paramsIn(expression);
  const [field] = fields;
  if (!Array.isArray(value) || value.length === 0 || field === undefined) return undefined;
  const elements = (value as readonly Json[]).map((each) => firstBindings(expression, each, refs));
  if (!elements.every((element) => element !== undefined)) return undefined;
  const names = new UniqueNames();
  for (const name of [...takenNames(plan), ...takenNames(planOf(expression))]) names.take(name);
  const item = names.take(singular(field));
  const isRecord = fields.length > 1;
  const origins = elements.flatMap((element, index) =>
    [...element].flatMap(([name, each]) =>
      selectorParam(name, each, expression, { call, path: [...path, index] }).origins.map((origin) =>
        withinElement(origin, isRecord ? [index, name] : [index]),
      ),
    ),
  );
  const example = elements.map((element) =>
    isRecord
      ? Object.fromEntries([...element].map(([name, each]) => [name, each.value]))
      : (element.get(field)?.value ?? null),
  );
  const element: Expression = { kind: "ref", name: item };
  const found = mapExpression(expression, (part) => {
    if (part.kind !== "param") return part;
    return isRecord ? { kind: "field", of: element, path: [part.name] } : element;
  });
  const name = isRecord ? plural(item) : plural(field);
  return {
    expression: { kind: "map", over: { kind: "param", name }, item, value: found },
    param: { name, schema: inferredSchema([example]), example, origins },
  };
}

function firstBindings(expression: Expression, value: Json, refs: EvaluationScope["refs"]) {
  for (const sought of bindingsFor(expression, value, refs)) {
    const params = new Map([...sought].map(([name, each]) => [name, each.value]));
    const isSecret = [...params].some(([name, each]) => isSecretName(name) || isSecretValue(each));
    if (!isSecret && isSame(evaluate(expression, { params, refs })?.value, value)) return sought;
  }
  return undefined;
}

function withinElement(origin: Origin, within: Origin["path"]): Origin {
  return { ...origin, within };
}

function planOf(value: Expression): Plan {
  return { version: 1, name: "none", params: [], steps: [], output: { value, schema: {} } };
}
