import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../../core/json/json.ts";
import { plainLine, quotedLine } from "../../../core/text/display-text.ts";
import { ok, type Result } from "../../../core/result.ts";
import { fieldExpression, mapChildren, mapExpression } from "../../plan/expression.ts";
import { camelCase, plural, singular, UniqueNames } from "../../plan/names.ts";
import type { OpenQuestion } from "../../plan/open-questions.ts";
import { type CallStep, type Expression, isIdentifier, type LoopStep, type Origin } from "../../plan/plan.ts";
import { inferredSchema } from "../../plan/schema-inference.ts";
import { expressionsOf } from "../../plan/steps.ts";
import { mayWriteBy } from "../../plan/tool-effects.ts";
import { isSame, jsonLeaves, type Path, valueAt } from "../../plan/values.ts";
import { roundFields } from "../../recording/sample-step.ts";
import { isSecretName, isSecretText } from "../../recording/secrets.ts";
import { applyOutput } from "../call-edits.ts";
import type { EditOf } from "../edits.ts";
import { elementsOf, evaluate } from "../evaluate.ts";
import { refsIn, takenNames } from "../plan-leaves.ts";
import type { RecordedRun } from "../recorded-run.ts";
import {
  invalidEdit,
  recordedRuns,
  type RevisionContext,
  withInputs,
  withPlan,
} from "../revision-context.ts";

/**
 * Calls that are made again and again become a loop: over a list that an answer gave, whose elements are in their order
 * what changes from round to round; or over a list that the caller gives.
 */
export function applyFold(
  context: RevisionContext,
  { steps: names, over }: EditOf<"fold">,
): Result<RevisionContext> {
  const found = roundsOf(context, names);
  if (!found.ok) return found;
  const rounds = found.value;
  const unified = unifiedRound(rounds);
  if (!unified.ok) return unified;
  const { columns } = unified.value;
  const values = columnValues(context, rounds, columns);
  if (!values.ok) return values;
  const elements = over === "" ? undefined : elementsFor(context, rounds, columns, values.value, over);
  if (elements?.ok === false) return elements;
  return folded(context, rounds, unified.value, values.value, elements?.value);
}

type Rounds = readonly (readonly CallStep[])[];

/** What is another in each round. */
interface Column {
  /** In each round. */
  readonly expressions: readonly Expression[];
  readonly name: string;
  /** Which calls' arguments have it, and whether it is all that stands there. */
  readonly places: readonly { readonly nth: number; readonly path: Path; readonly isWhole: boolean }[];
}

/** For each run and round, what each of the columns is. */
type ColumnValues = readonly (readonly (readonly Json[])[])[];

/** Consecutive steps as rounds of the same calls. */
function roundsOf({ plan }: RevisionContext, names: readonly string[]): Result<Rounds> {
  const wanted = new Set(names);
  const steps = plan.steps.flatMap((step, at) =>
    step.kind === "call" && wanted.has(step.name) ? [{ step, at }] : [],
  );
  const known = new Set(steps.map(({ step }) => step.name));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined)
    return invalidEdit(`${quotedLine(unknown)} is no call that the skill makes once, whatever happens`);
  const [first, last] = [steps[0]?.at ?? 0, steps.at(-1)?.at ?? 0];
  const between = plan.steps.slice(first, last + 1).find((step) => step.kind !== "choice" && !isOneOf(step));
  if (between)
    return invalidEdit(
      `${"name" in between ? quotedLine(between.name) : "A guard"} stands between the calls`,
    );
  const calls = steps.map(({ step }) => step);
  const period = calls.findIndex(
    (_, index) =>
      index > 0 && calls.length % index === 0 && calls.every((call, at) => isAlike(call, calls[at % index])),
  );
  if (period < 1) return invalidEdit("These are not the same calls in each of several rounds");
  const rounds = Array.from({ length: calls.length / period }, (_, round) =>
    calls.slice(round * period, (round + 1) * period),
  );
  for (const [index, round] of rounds.entries()) {
    const others = new Set(rounds.flatMap((other) => (other === round ? [] : other.map(({ name }) => name))));
    if (
      round.some((step) =>
        expressionsOf(step)
          .flatMap(refsIn)
          .some((name) => others.has(name)),
      )
    )
      return invalidEdit(`Round ${index + 1} uses what another round gave`);
  }
  return ok(rounds);

  function isOneOf(step: (typeof plan.steps)[number]): boolean {
    return step.kind === "call" && wanted.has(step.name);
  }
}

function isAlike(a: CallStep, b: CallStep | undefined): boolean {
  if (!b || a.fails !== undefined || b.fails !== undefined) return false;
  return isDeepStrictEqual([a.tool, a.isSkill, a.reads], [b.tool, b.isSkill, b.reads]);
}

interface UnifiedRound {
  /** With a parameter `:n` where the nth column stands. */
  readonly steps: readonly CallStep[];
  readonly columns: readonly Column[];
}

/** What the rounds have in common, and what is another in each. */
function unifiedRound(rounds: Rounds): Result<UnifiedRound> {
  const [first = []] = rounds;
  const own = new Set(first.map(({ name }) => name));
  const columns: Column[] = [];
  let isUnlike = false;
  const column = (
    expressions: readonly Expression[],
    nth: number,
    path: Path,
    isWhole: boolean,
  ): Expression => {
    if (path.length === 0) isUnlike = true;
    const key = JSON.stringify(expressions);
    const place = { nth, path, isWhole };
    const at = columns.findIndex((each) => JSON.stringify(each.expressions) === key);
    const known = columns[at];
    if (known) columns[at] = { ...known, places: [...known.places, place] };
    else columns.push({ expressions, name: columnName(expressions, path, columns), places: [place] });
    return { kind: "param", name: `:${known ? at : columns.length - 1}` };
  };
  const unify = (
    expressions: readonly Expression[],
    nth: number,
    path: Path,
    isWhole: boolean,
  ): Expression => {
    const [one, ...others] = expressions;
    if (!one || others.every((other) => isDeepStrictEqual(one, other))) return one ?? NOTHING;
    const shell = shellOf(one);
    const isShared =
      one.kind !== "constant" && others.every((each) => isDeepStrictEqual(shellOf(each), shell));
    if (!isShared || childrenOf(one).length === 0) return column(expressions, nth, path, isWhole);
    const children = expressions.map(childrenOf);
    let child = 0;
    return mapChildren(one, () => {
      const at = child++;
      const field = one.kind === "object" ? one.fields[at]?.name : one.kind === "list" ? at : undefined;
      const inner = children.map((each) => each[at] ?? NOTHING);
      return field === undefined || !isWhole
        ? unify(inner, nth, path, false)
        : unify(inner, nth, [...path, field], true);
    });
  };
  const steps = first.map((step, nth): CallStep => {
    const all = rounds.map((round) => {
      const names = new Map(round.map(({ name }, at) => [name, first[at]?.name ?? name]));
      return mapExpression(round[nth]?.args ?? NOTHING, (part) =>
        part.kind === "ref" ? { ...part, name: names.get(part.name) ?? part.name } : part,
      );
    });
    const retried = rounds.flatMap((round) => round[nth]?.retried ?? []);
    const times = Math.max(...retried.map((each) => each.times));
    const kinds = [...new Set(retried.flatMap((each) => each.kinds))].slice(0, MAX_KINDS);
    return Object.assign(
      {},
      step,
      { args: unify(all, nth, [], true) },
      retried.length > 0 ? { retried: { times, kinds } } : {},
    );
  });
  if (isUnlike) return invalidEdit("The rounds' calls do not have the same arguments");
  if (columns.length === 0) return invalidEdit("All rounds do the same: there is nothing to loop over");
  if (columns.some(({ expressions }) => expressions.flatMap(refsIn).some((name) => own.has(name))))
    return invalidEdit("The rounds use what their own calls gave in different ways");
  return ok({ steps, columns });
}

const MAX_KINDS = 20;
const NOTHING: Expression = { kind: "constant", value: null };

/** The expression without those directly in it. */
function shellOf(expression: Expression): Expression {
  return mapChildren(expression, () => NOTHING);
}

function childrenOf(expression: Expression): readonly Expression[] {
  const children: Expression[] = [];
  mapChildren(expression, (child) => {
    children.push(child);
    return child;
  });
  return children;
}

function columnName(expressions: readonly Expression[], path: Path, taken: readonly Column[]): string {
  const [first] = expressions;
  const field = path.findLast((part) => typeof part === "string") ?? "value";
  const isGiven = expressions.every(({ kind }) => kind === "param");
  const wanted = isGiven && first?.kind === "param" ? first.name : field;
  const names = new UniqueNames();
  for (const { name } of taken) names.take(name);
  return names.take(isIdentifier(wanted) ? wanted : camelCase(wanted));
}

function columnValues(
  context: RevisionContext,
  rounds: Rounds,
  columns: readonly Column[],
): Result<ColumnValues> {
  const values: Json[][][] = [];
  for (const run of recordedRuns(context)) {
    const ofRun: Json[][] = [];
    for (const [index, round] of rounds.entries()) {
      const scope = scopeOf(run, round);
      const told = columns.map(({ expressions }) => {
        const expression = expressions[index];
        return scope && expression && evaluate(expression, scope)?.value;
      });
      const known = told.filter((value) => value !== undefined);
      if (known.length < told.length)
        return invalidEdit(`What round ${index + 1} has is not known in each run`);
      ofRun.push(known);
    }
    values.push(ofRun);
  }
  return ok(values);
}

function scopeOf(run: RecordedRun, [first]: readonly CallStep[]) {
  return run.get(first?.name ?? "")?.[0]?.scope;
}

/** A list of an answer, and where in its elements the columns stand. */
interface Elements {
  readonly list: Expression;
  readonly fields: readonly (readonly string[])[];
}

function elementsFor(
  context: RevisionContext,
  rounds: Rounds,
  columns: readonly Column[],
  values: ColumnValues,
  over: string,
): Result<Elements> {
  const [step = "", ...written] = over.split(".");
  const runs = recordedRuns(context);
  const known = scopeOf(runs[0] ?? new Map(), rounds[0] ?? [])?.refs;
  if (!known?.has(step))
    return invalidEdit(
      `${quotedLine(step)} is no step before them: there are ${[...(known?.keys() ?? [])].join(", ")}`,
    );
  const listAt = (depth: number): Expression =>
    fieldExpression({ kind: "ref", name: step }, written.slice(0, depth));
  const depth = [...written.keys(), written.length].find((at) => Array.isArray(valueIn(runs[0], listAt(at))));
  if (depth === undefined) return invalidEdit(`${plainLine([step, ...written].join("."))} is no list`);
  const list = listAt(depth);
  const rest = written.slice(depth);
  const lists = runs
    .map((run) => valueIn(run, list))
    .map((value) => (Array.isArray(value) ? (value as readonly Json[]) : []));
  const other = lists.find(({ length }) => length !== rounds.length);
  if (other)
    return invalidEdit(
      `The list has ${other.length} elements, and there are ${rounds.length} rounds: which are meant is not told. Over nothing, the caller gives them`,
    );
  const fields: (readonly string[])[] = [];
  for (const [nth, { name }] of columns.entries()) {
    const isThere = (field: readonly string[]): boolean =>
      lists.every((elements, run) =>
        elements.every((element, round) => isSame(valueAt(element, field), values[run]?.[round]?.[nth])),
      );
    const places = [...jsonLeaves(lists[0]?.[0] ?? null)]
      .map(([place]) => place)
      .filter((place) => place.every((part) => typeof part === "string"))
      .filter(isThere);
    const field = places.find((place) => places.length === 1 || isDeepStrictEqual(place, rest));
    if (places.length === 0)
      return invalidEdit(
        `What is another in each round (${plainLine(name)}) is not in the elements in their order`,
      );
    if (!field)
      return invalidEdit(
        `The elements have it as ${plainLine(places.map((place) => place.join(".")).join(" and as "))}: write the path on to the one that is meant`,
      );
    fields.push(field);
  }
  return ok({ list, fields });

  function valueIn(run: RecordedRun | undefined, expression: Expression): Json | undefined {
    const scope = run && scopeOf(run, rounds[0] ?? []);
    const found = scope && evaluate(expression, scope);
    return found && Array.isArray(found.value) ? elementsOf(found).map(({ value }) => value) : found?.value;
  }
}

function folded(
  context: RevisionContext,
  rounds: Rounds,
  { steps, columns }: UnifiedRound,
  values: ColumnValues,
  elements: Elements | undefined,
): Result<RevisionContext> {
  const { plan } = context;
  const own = new Set(rounds.flat().map(({ name }) => name));
  const user = plan.steps.find(
    (step) =>
      !(step.kind === "call" && own.has(step.name)) &&
      expressionsOf(step)
        .flatMap(refsIn)
        .some((name) => own.has(name)),
  );
  if (user)
    return invalidEdit(
      `What a single round gave is used by ${"name" in user ? quotedLine(user.name) : "a guard or choice"}`,
    );
  if (refsIn(plan.output.value).some((name) => own.has(name)) && !isOfAll(plan.output.value, rounds))
    return invalidEdit("The skill gives what a single round gave: have it give something else first");
  const names = new UniqueNames();
  for (const name of takenNames(plan)) names.take(name);
  const [only] = columns;
  const isOne = columns.length === 1;
  const item = names.take(isOne ? singular(camelCase(only?.name ?? "")) : "round");
  const name = names.take(plural(steps[0]?.name ?? "result"));
  const element: Expression = { kind: "ref", name: item };
  const partOf = (nth: number): Expression =>
    elements
      ? fieldExpression(element, elements.fields[nth] ?? [])
      : fieldExpression(element, isOne ? [] : [columns[nth]?.name ?? ""]);
  const inner = steps.map((step): CallStep => ({
    ...step,
    args: mapExpression(step.args, (part) =>
      part.kind === "param" && part.name.startsWith(":") ? partOf(Number(part.name.slice(1))) : part,
    ),
  }));
  const param = elements ? undefined : listParam(context, rounds, columns, values, item);
  if (param?.ok === false) return param;
  const loop: LoopStep = {
    kind: "loop",
    name,
    over: elements?.list ?? { kind: "param", name: param?.value.param.name ?? "" },
    item,
    steps: inner,
    gives: givenBy(inner),
    order: inner.some(({ tool }) => mayWriteBy(plan.effects)(tool)) ? "sequential" : "parallel",
  };
  const [first] = rounds[0] ?? [];
  const [start, end] = [
    plan.steps.findIndex((step) => step === first),
    plan.steps.findLastIndex((step) => step.kind === "call" && own.has(step.name)),
  ];
  const isOutput = refsIn(plan.output.value).some((each) => own.has(each));
  const folding = {
    ...plan,
    params: [...plan.params, ...(param ? [param.value.param] : [])],
    steps: plan.steps.toSpliced(start, end - start + 1, loop),
    ...(isOutput ? { output: { ...plan.output, value: { kind: "ref", name } as const } } : {}),
    ...foldedQuestions(plan.questions ?? [], rounds, columns),
  };
  const made = withPlan(context, folding);
  const given = param ? withInputs(made, new Map([[param.value.param.name, param.value.lists]])) : made;
  return isOutput ? applyOutput(given, { kind: "output", step: name }) : ok(given);
}

function givenBy(steps: readonly CallStep[]): Expression {
  const fields = roundFields(steps.map(({ tool }) => tool)).map((name, index) => ({
    name,
    value: { kind: "ref" as const, name: steps[index]?.name ?? "" },
  }));
  const [only, ...others] = fields;
  return only && others.length === 0 ? only.value : { kind: "object", fields };
}

/** Whether it is what the last call of all gave, or a list of what the last call of each round gave. */
function isOfAll(output: Expression, rounds: Rounds): boolean {
  const lasts = rounds.map((round) => round.at(-1)?.name ?? "");
  if (output.kind === "ref") return output.name === lasts.at(-1);
  const items = output.kind === "list" ? output.items : [];
  const isNext = (item: Expression, at: number): boolean => item.kind === "ref" && item.name === lasts[at];
  return items.length === lasts.length && items.every(isNext) && rounds[0]?.length === 1;
}

/** The list that the caller gives, with what it was in each run. */
function listParam(
  context: RevisionContext,
  rounds: Rounds,
  columns: readonly Column[],
  values: ColumnValues,
  item: string,
) {
  const { params } = context.plan;
  const told = columns.flatMap(({ expressions }) => expressions);
  const isSecret =
    columns.some(({ name }) => isSecretName(name)) ||
    values.flat(2).some(isSecretText) ||
    params.some(
      ({ name, secret }) =>
        secret === true && told.some((each) => each.kind === "param" && each.name === name),
    );
  if (isSecret) return invalidEdit("A credential is in them: it stays a parameter of its own");
  const isOne = columns.length === 1;
  const lists = values.map((ofRun) =>
    ofRun.map((round): Json =>
      isOne
        ? (round[0] ?? null)
        : Object.fromEntries(columns.map(({ name }, nth) => [name, round[nth] ?? null])),
    ),
  );
  const names = new UniqueNames();
  for (const { name } of params) names.take(name);
  const [run] = recordedRuns(context);
  const callOf = (step: CallStep | undefined): number | undefined => run?.get(step?.name ?? "")?.[0]?.call;
  const isWhole = columns.every(({ places }) => places.every((place) => place.isWhole));
  const origins = rounds.flatMap((round, index) =>
    columns.flatMap(({ name, places, expressions }): readonly Origin[] => {
      const within = isOne ? [index] : [index, name];
      const given = expressions[index];
      if (isWhole)
        return places.flatMap(({ nth, path }) => {
          const call = callOf(round[nth]);
          return call === undefined ? [] : [{ call, at: "args" as const, path, within }];
        });
      const own = given?.kind === "param" ? params.find((each) => each.name === given.name) : undefined;
      return (own?.origins ?? []).map((origin) =>
        Object.assign({}, origin, { within: [...within, ...(origin.within ?? [])] }),
      );
    }),
  );
  const [first = []] = rounds;
  const start = callOf(first[0]);
  const param = {
    name: names.take(plural(item)),
    schema: inferredSchema(lists),
    ...(lists[0] === undefined ? {} : { example: lists[0] }),
    origins,
    ...(isWhole && start !== undefined
      ? { rounds: { call: start, tools: first.map(({ tool }) => tool) } }
      : {}),
  };
  return ok({ param, lists });
}

/** What was open of any round is open of all, but what is now an element's. */
function foldedQuestions(questions: readonly OpenQuestion[], rounds: Rounds, columns: readonly Column[]) {
  const [first = []] = rounds;
  const renamed = new Map(
    rounds.flatMap((round) => round.map(({ name }, nth) => [name, first[nth]?.name ?? name])),
  );
  const told = new Set(
    columns.flatMap(({ places }) => places.map(({ nth, path }) => JSON.stringify([first[nth]?.name, path]))),
  );
  const open = new Map<string, OpenQuestion>();
  for (const question of questions) {
    const step = renamed.get(question.step) ?? question.step;
    const place = JSON.stringify([step, question.path]);
    if (!told.has(place) && !open.has(place)) open.set(place, { ...question, step });
  }
  return { questions: [...open.values()] };
}
