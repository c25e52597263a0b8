import type { Json } from "../../core/json/json.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { ok, type Result } from "../../core/result.ts";
import { mapped, partsOf } from "../synthesis/flow-candidates.ts";
import { camelCase, plural, snakeCase } from "../plan/names.ts";
import { type Expression, isIdentifier, type Param } from "../plan/plan.ts";
import { schemaOf } from "../synthesis/schema-inference.ts";
import { isSecretName } from "../recording/secrets.ts";
import { isSame, valueAt } from "../plan/values.ts";
import { Alternatives, valueIn } from "./alternatives.ts";
import type { EditOf, LeafPlace } from "./edits.ts";
import { expressionText } from "../review/expression-text.ts";
import { foundBy } from "./found-by.ts";
import { expressionAt, leafName, leavesOfPlan, withExpression } from "./plan-leaves.ts";
import { namedSteps } from "../plan/steps.ts";
import { meaningOf, meanings } from "./evaluate.ts";
import { freeName } from "./name-edits.ts";
import { isSecretText } from "./param-edits.ts";
import { plainLine, quoted } from "../review/plain-text.ts";
import { RETURN, type Turn } from "./recorded-run.ts";
import { adopted, firstTrace, refused, revised, runsOf, withInputs, type Work } from "./revision-context.ts";

/** An argument comes from elsewhere. */
export function flowed(work: Work, { leaf, choose }: EditOf<"flow">): Result<Work> {
  const now = expressionOf(work, leaf);
  if (!now.ok) return now;
  if (choose === "parameter")
    return now.value.kind === "param" ? ok(work) : leafAsParameter(work, leaf, null);
  if (choose === "constant") return leafAsConstant(work, leaf);
  const [run = new Map<string, readonly Turn[]>()] = runsOf(work);
  const found = new Alternatives(work, run).of(leaf);
  const chosen = found.find(({ number }) => number === choose);
  if (!chosen) return refused(noAlternative(leaf, choose, found));
  const { expression, params } = chosen;
  if (expression.kind === "constant" && isCredential(leaf, expression.value))
    return refused(`${leafName(leaf)} is a credential: it is a parameter`);
  const plan = withExpression(work.plan, leaf, expression);
  return ok(revised(work, { ...plan, params }));
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
function expressionOf({ plan }: Work, leaf: LeafPlace): Result<Expression> {
  const found = expressionAt(plan, leaf);
  if (found) return ok(found);
  if (leaf.step === RETURN)
    return refused(`What the skill gives is another step's result by an "output" edit`);
  const steps = namedSteps(plan.steps).map(({ name }) => name);
  if (!steps.includes(leaf.step))
    return refused(
      `There is no step ${quoted(leaf.step)}: there are ${steps.join(", ")}.${didYouMean(leaf.step, steps)}`,
    );
  const paths = leavesOfPlan(plan).flatMap(({ step, path }) =>
    step === leaf.step ? [plainLine(JSON.stringify(path))] : [],
  );
  const path = plainLine(JSON.stringify(leaf.path));
  const known = paths.length === 0 ? "it has no arguments" : `there are ${paths.join(", ")}`;
  return refused(`${leaf.step} has no argument at ${path}: ${known}.${didYouMean(path, paths)}`);
}

/** A constant becomes a parameter: the argument itself, or one of the constants in it. */
export function leafParameter(work: Work, { leaf, constant, name }: EditOf<"parameter">): Result<Work> {
  const now = expressionOf(work, leaf);
  if (!now.ok) return now;
  if (name !== null) {
    const free = freeName(work.plan, name);
    if (!free.ok) return free;
  }
  const isWhole = constant === null || now.value.kind === "constant";
  return isWhole
    ? leafAsParameter(work, leaf, name)
    : innerAsParameter(work, leaf, { of: now.value, nth: constant, name });
}

function leafAsParameter(work: Work, leaf: LeafPlace, name: string | null): Result<Work> {
  const values = valuesIn(work, leaf);
  if (!values.ok) return values;
  const [value] = values.value;
  const [run] = runsOf(work);
  const calls = (run?.get(leaf.step) ?? []).flatMap(({ call }) => call ?? []);
  const isSecret = isCredential(leaf, value ?? null);
  const present = values.value.filter((each) => each !== undefined);
  const wanted: Param = {
    name: name ?? nameFor(work, leaf),
    schema: schemaOf(present),
    ...(present.length < values.value.length ? { optional: true } : {}),
    ...(isSecret ? { secret: true } : value === undefined ? {} : { example: value }),
    origins:
      leaf.path.length === 0 ? [] : calls.map((call) => ({ call, at: "args" as const, path: leaf.path })),
  };
  const done = withParameter(work, leaf, wanted, name === null, (param) => param);
  const param = expressionAt(done.plan, leaf);
  return ok(param?.kind === "param" ? withInputs(done, new Map([[param.name, values.value]])) : done);
}

/** One of the constants inside an argument, such as that by which an element is found. */
function innerAsParameter(
  work: Work,
  leaf: LeafPlace,
  { of, nth, name }: { readonly of: Expression; readonly nth: number; readonly name: string | null },
): Result<Work> {
  const constants = partsOf(of).filter((part) => part.kind === "constant");
  const chosen = constants[nth - 1];
  if (!chosen)
    return refused(`${leafName(leaf)} has ${constants.length} constants: there is no constant ${nth}`);
  const sought = "the constant";
  const having = withNthConstant(of, nth, { kind: "param", name: sought });
  const [run] = runsOf(work);
  const turns = run?.get(leaf.step) ?? [];
  const [first] = turns;
  const place = first && placeOf(having, sought, chosen.value, first);
  const wanted = foundBy(
    name ?? nameFor(work, place ? { ...leaf, path: [...place.path] } : leaf),
    { value: chosen.value, place, part: () => undefined },
    of,
    { path: leaf.path, call: first?.call },
  );
  return ok(withParameter(work, leaf, wanted, name === null, (param) => withNthConstant(of, nth, param)));
}

/** Where in a result the value stands by which an element is found. */
function placeOf(having: Expression, sought: string, value: Json, { known }: Turn) {
  const params = new Map([...known.params].filter(([name]) => name !== sought));
  const now = meaningOf(having, { ...known, params: new Map([...params, [sought, value]]) })?.value;
  for (const meaning of meanings(having, { ...known, params })) {
    const found = meaning.sought.get(sought);
    if (found && isSame(found.value, value) && isSame(meaning.seen.value, now)) return found.place;
  }
  return undefined;
}

function withNthConstant(of: Expression, nth: number, by: Expression): Expression {
  let count = 0;
  return mapped(of, (part) => (part.kind === "constant" && ++count === nth ? by : part));
}

function withParameter(
  work: Work,
  leaf: LeafPlace,
  wanted: Param,
  mayJoin: boolean,
  give: (param: Expression) => Expression,
): Work {
  const others = revised(work, withExpression(work.plan, leaf, { kind: "constant", value: null })).plan
    .params;
  const { params, name } = mayJoin
    ? adopted(others, wanted)
    : { params: [...others, wanted], name: wanted.name };
  const plan = withExpression(work.plan, leaf, give({ kind: "param", name }));
  return revised(work, { ...plan, params });
}

function leafAsConstant(work: Work, leaf: LeafPlace): Result<Work> {
  const values = valuesIn(work, leaf);
  if (!values.ok) return values;
  const [value, ...others] = values.value;
  if (value === undefined || !others.every((other) => isSame(other, value)))
    return refused(
      `The runs have different values at ${plainLine(leafName(leaf))}: only one that is the same in all is a constant`,
    );
  if (isCredential(leaf, value)) return refused(`${leafName(leaf)} is a credential: it is a parameter`);
  return ok(revised(work, withExpression(work.plan, leaf, { kind: "constant", value })));
}

/** The recorded value at a place in each run; what differs from round to round is neither parameter nor constant. */
function valuesIn(work: Work, leaf: LeafPlace): Result<readonly (Json | undefined)[]> {
  const values: (Json | undefined)[] = [];
  for (const [index, run] of runsOf(work).entries()) {
    const { trace } = work.learned[index] ?? { trace: firstTrace(work) };
    const [first, ...others] = (run.get(leaf.step) ?? []).map((turn) =>
      leaf.path.length === 0
        ? valueIn(work, leaf, turn)
        : valueAt(trace.calls[turn.call ?? -1]?.args, leaf.path),
    );
    if (!others.every((other) => isSame(other, first)))
      return refused(`${plainLine(leafName(leaf))} is another value in each round of its loop`);
    values.push(first);
  }
  return ok(values);
}

function isCredential({ path }: LeafPlace, value: Json): boolean {
  const name = path.findLast((part) => typeof part === "string");
  return (name !== undefined && isSecretName(name)) || isSecretText(value);
}

/** A parameter is called as the argument is: fields are names of the tool, never texts of a run. */
function nameFor({ plan }: Work, { step, path }: LeafPlace): string {
  const field = path.findLast((part) => typeof part === "string");
  const found = namedSteps(plan.steps).find(({ name }) => name === step);
  if (field === undefined) return found?.kind === "loop" ? plural(found.item) : camelCase(step);
  return isIdentifier(field) ? field : snakeCase(field);
}
