import type { CallView } from "./flow-candidates.ts";
import type { ArgumentDecider, GivenArgument, RoundParting } from "./argument-decider.ts";
import { camelCase, nameWords, type UniqueNames, plural, singular, snakeCase } from "../plan/names.ts";
import { toolWords } from "../../trace/record/tool-words.ts";
import { type MayWrite, soundsReading } from "../plan/tool-effects.ts";
import type { BranchSide, BranchStep, CallStep, Expression, LoopStep, SwitchStep } from "../plan/plan.ts";
import { fieldExpression } from "../plan/expression.ts";
import { isSame } from "../plan/values.ts";
import { ORDINALS } from "./parameter-names.ts";
import { unchangedRetry } from "../recording/kept-calls.ts";
import type { ElementNaming } from "../recording/elements/named-elements.ts";
import { sharedReadings } from "../texts/readings.ts";
import { type GivenLayout, roundFields, type RoundFork, type SampleCall } from "../recording/sample-step.ts";

/** A step as one sample has it. */
export type SampleView = Pick<CallView, "sample" | "nth" | "before" | "names" | "overs">;

/** The plan's step for a step that all samples have. */
export function planStep(
  decider: ArgumentDecider,
  names: UniqueNames,
  site: string,
  views: readonly SampleView[],
  mayWrite: MayWrite,
): CallStep | LoopStep {
  const [first] = views;
  const step = first?.sample.steps[first.before];
  return step?.kind === "loop"
    ? loopStep(decider, names, site, views, step.tools, mayWrite)
    : callStep(decider, names, site, views, step ?? { tool: "" });
}

function callStep(
  decider: ArgumentDecider,
  names: UniqueNames,
  site: string,
  views: readonly SampleView[],
  { tool, fails }: Pick<SampleCall, "tool" | "fails">,
): CallStep {
  const name = names.take(...namesOf(resultName(tool), views));
  const calls = views.map((view): CallView => {
    const step = view.sample.steps[view.before];
    return { ...view, call: step?.kind === "call" ? step.call : 0, scope: [] };
  });
  const args = decider.argumentsOf(name, site, calls);
  return {
    kind: "call",
    name,
    tool,
    args,
    ...(fails === undefined ? {} : { fails }),
    ...readsOf(decider, calls),
    ...retriedOf(calls),
  };
}

function loopStep(
  decider: ArgumentDecider,
  names: UniqueNames,
  site: string,
  views: readonly SampleView[],
  tools: readonly string[],
  mayWrite: MayWrite,
): LoopStep {
  const loops = views.flatMap((view) => {
    const step = view.sample.steps[view.before];
    return step?.kind === "loop" ? [{ view, step }] : [];
  });
  const [first] = loops;
  const collection =
    first?.step.beside === undefined
      ? (first?.step.groupedBy?.at(-1) ?? first?.step.path.findLast((part) => typeof part === "string"))
      : "pairs";
  const [tool = ""] = tools;
  const isSearch = first?.step.until !== undefined;
  const answer = resultName(tools.at(-1) ?? tool);
  const name = names.take(...namesOf(isSearch ? camelCase(`found_${snakeCase(answer)}`) : plural(answer)));
  const layout = first?.step.given;
  const [field, ...others] = layout?.fields ?? [];
  const isSnakeCase = layout?.fields.some(({ name: each }) => each.includes("_")) === true;
  const entity = entityOf(tools);
  const given = others.length === 0 ? field?.name : isSnakeCase ? snakeCase(entity) : camelCase(entity);
  const item = names.take(singular(camelCase(given ?? collection ?? "items")), singular(resultName(tool)));
  const over =
    given === undefined
      ? decider.collection(name, site, loops)
      : decider.givenCollection(name, site, plural(singular(given)), loops);
  const element: Expression = { kind: "ref", name: item };
  const results = tools.map((each) => names.take(...namesOf(singular(resultName(each)))));
  const steps = tools.map((each, nth): CallStep => {
    const calls = loops.flatMap(({ view, step }) =>
      step.rounds.flatMap((round, index): readonly CallView[] => {
        const call = round[nth];
        if (call === undefined) return [];
        const before = round
          .slice(0, nth)
          .flatMap((earlier, place) =>
            earlier === undefined
              ? []
              : [{ name: results[place] ?? "", value: view.sample.trace.calls[earlier]?.result ?? null }],
          );
        return [{ ...view, call, scope: [{ name: item, value: step.elements[index] ?? null }, ...before] }];
      }),
    );
    return {
      kind: "call",
      name: results[nth] ?? "",
      tool: each,
      args: decider.argumentsOf(
        results[nth] ?? "",
        `${site}.${nth}`,
        calls,
        layout ? givenArguments(layout, nth, element, results, first?.view.names ?? []) : [],
      ),
      ...readsOf(decider, calls),
      ...retriedOf(calls),
    };
  });
  const fork = first?.step.fork;
  const parting =
    fork && fork.fails === undefined
      ? decider.roundParting(name, site, loops, steps[fork.at]?.name ?? "")
      : undefined;
  const round = fork ? forkedRound(steps, fork, names, parting) : wholeRound(steps);
  const until = isSearch ? decider.searchEnd(name, site, loops) : undefined;
  return {
    kind: "loop",
    name,
    over,
    item,
    ...round,
    ...(until ? { until } : {}),
    order: until || tools.some(mayWrite) ? "sequential" : "parallel",
  };
}

/** How often at most, and after which failures, the runs have made a step's call again. */
function retriedOf(views: readonly CallView[]): Pick<CallStep, "retried"> {
  const all = views.flatMap(({ sample, call }) => unchangedRetry(sample.trace, call) ?? []);
  if (all.length === 0) return {};
  const kinds = [...new Set(all.flatMap((each) => each.kinds))].slice(0, MAX_KINDS);
  return { retried: { times: Math.max(...all.map(({ times }) => times)), kinds } };
}

const MAX_KINDS = 20;

/** How the answers of a step's calls are read. */
function readsOf(decider: ArgumentDecider, views: readonly CallView[]): Pick<CallStep, "reads"> {
  const all = views.map(({ sample, call }) => sample.trace.calls[call]);
  const answered = all.filter((call) => call?.error === undefined);
  // What has failed has told nothing that could be read.
  const calls = answered.length > 0 ? answered : all;
  const reads = sharedReadings(calls);
  if (!reads) for (const call of calls) if (call) decider.unlikeReads.add(call.tool);
  return reads && reads.length > 0 ? { reads } : {};
}

/** A round that makes all its calls, and gives what they give. */
function wholeRound(steps: readonly CallStep[]): Pick<LoopStep, "steps" | "gives"> {
  const fields = roundFields(steps.map(({ tool }) => tool)).map((name, index) => ({
    name,
    value: { kind: "ref" as const, name: steps[index]?.name ?? "" },
  }));
  const [only, ...others] = fields;
  return { steps, gives: only && others.length === 0 ? only.value : { kind: "object", fields } };
}

/** A round in which a call may fail, or that an answer parts from others: what is done then stands behind all others. */
function forkedRound(
  steps: readonly CallStep[],
  { at, fails, failed }: RoundFork,
  names: UniqueNames,
  parting: RoundParting | undefined,
): Pick<LoopStep, "steps" | "gives"> {
  const call = steps[at];
  if (!call) return wholeRound(steps);
  const side = (inner: readonly CallStep[], otherwise: Expression): BranchSide => {
    const last = inner.at(-1);
    return { steps: inner, gives: last ? { kind: "ref", name: last.name } : otherwise };
  };
  const name = names.take("outcome");
  const end = steps.length - failed;
  const answer: Expression = { kind: "ref", name: call.name };
  if (fails === undefined) {
    const first = side(steps.slice(at + 1, end), answer);
    const other = side(steps.slice(end), answer);
    const { value = answer, ways = [] } = parting ?? {};
    const cases = ways.map(({ equals, isFirst }) => Object.assign({ equals }, isFirst ? first : other));
    const parted: SwitchStep = { kind: "switch", name, value, cases };
    return { steps: [...steps.slice(0, at + 1), parted], gives: { kind: "ref", name } };
  }
  const branch: BranchStep = {
    kind: "branch",
    name,
    call,
    fails,
    failed: side(steps.slice(end), { kind: "constant", value: null }),
    succeeded: side(steps.slice(at + 1, end), answer),
  };
  return { steps: [...steps.slice(0, at), branch], gives: { kind: "ref", name } };
}

/** What a call of a round has from what the caller gives for it, and from the round's earlier calls. */
function givenArguments(
  { fields, inner }: GivenLayout,
  nth: number,
  element: Expression,
  results: readonly string[],
  names: CallView["names"],
): readonly GivenArgument[] {
  const said = fields.flatMap(({ name, places, naming }) => {
    const own = fields.length === 1 ? element : fieldExpression(element, [name]);
    const expression = naming ? namedBy(own, naming, names) : own;
    const why = naming ? "the caller names it for each round" : "the caller says it for each round";
    return places.filter((place) => place.nth === nth).map(({ path }) => ({ path, expression, why }));
  });
  const given = inner
    .filter((flow) => flow.nth === nth)
    .map(({ path, source, inside }) => ({
      path,
      expression: fieldExpression({ kind: "ref", name: results[source] ?? "" }, inside),
      why: "an earlier call of the round gave it",
    }));
  return [...said, ...given];
}

/** What stands in the element of an earlier list that has a name. */
function namedBy(
  equals: Expression,
  { step, path, inside, name, inner }: ElementNaming,
  names: CallView["names"],
): Expression {
  const list = fieldExpression({ kind: "ref", name: names[step] ?? "" }, path);
  const where = [inner ? { path: name, some: [{ path: inner, equals }] } : { path: name, equals }];
  return fieldExpression({ kind: "find", in: list, where }, inside);
}

/** What the tools of a round are about: `order` for `cancel_order`. */
function entityOf(tools: readonly string[]): string {
  const tool = tools.at(-1) ?? "";
  const [, ...rest] = toolWords(tool).filter((word) => !/^(?:an?|the)$/.test(word));
  return rest.length === 0 ? "item" : rest.join("_");
}

/**
 * What a step may be called, the most telling first: where another has the name, by what only it is given, by what was done
 * since the same was looked at, or by which of them it is.
 */
function namesOf(name: string, views: readonly SampleView[] = []): readonly string[] {
  const ordinals = ORDINALS.slice(1).map((ordinal) => camelCase(`${ordinal}_${snakeCase(name)}`));
  return [name, ...tellingNames(name, views[0]), ...ordinals];
}

function tellingNames(name: string, view: SampleView | undefined): readonly string[] {
  if (!view) return [];
  const { steps, trace } = view.sample;
  const own = steps[view.before];
  if (own?.kind !== "call") return [];
  const { args = {} } = trace.calls[own.call] ?? {};
  const others = steps
    .slice(0, view.before)
    .flatMap((step, at) => (step.kind === "call" && step.tool === own.tool ? [{ step, at }] : []));
  const given = new Set(others.flatMap(({ step }) => Object.keys(trace.calls[step.call]?.args ?? {})));
  const key = Object.keys(args).find((each) => !given.has(each));
  const same = others.findLast(({ step }) => isSame(trace.calls[step.call]?.args, args));
  const done = same && steps.slice(same.at + 1, view.before).findLast(isAct);
  return [
    ...(key === undefined ? [] : [camelCase(`${snakeCase(name)}_by_${withoutWordsOf(name, key)}`)]),
    ...(done?.kind === "call"
      ? [camelCase(`${snakeCase(name)}_after_${toolWords(done.tool)[0] ?? ""}`)]
      : []),
  ];
}

/** `id` of `user_id` for a `user`. */
function withoutWordsOf(name: string, key: string): string {
  const words = nameWords(key).filter((word) => !nameWords(name).includes(word));
  return snakeCase(words.length === 0 ? key : words.join("_"));
}

function isAct(step: SampleView["sample"]["steps"][number]): boolean {
  return step.kind === "call" && !soundsReading(step.tool);
}

/** What a tool gives is called by what the tool is called by, without the verb where that sounds like reading. */
function resultName(tool: string): string {
  const [verb, ...rest] = toolWords(tool);
  if (verb === undefined) return "result";
  const by = rest.indexOf("by");
  const noun = by > 0 ? rest.slice(0, by) : rest;
  return noun.length > 0 && soundsReading(tool)
    ? camelCase(noun.join("_"))
    : camelCase(`${verb}_${rest.join("_")}_result`);
}
