import type { CallView } from "./flow-candidates.ts";
import type { ArgumentDecider } from "./argument-decider.ts";
import { camelCase, type UniqueNames, plural, singular, nameWords } from "../plan/names.ts";
import { type MayWrite, soundsReading } from "../plan/tool-effects.ts";
import type { CallStep, Expression, LoopStep } from "../plan/plan.ts";
import { roundFields, type SampleCall } from "../recording/sample-step.ts";

/** A step as one sample has it. */
export type SampleView = Pick<CallView, "sample" | "nth" | "before" | "names">;

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
  const name = names.take(resultName(tool));
  const calls = views.map((view): CallView => {
    const step = view.sample.steps[view.before];
    return { ...view, call: step?.kind === "call" ? step.call : 0, scope: [] };
  });
  const args = decider.argumentsOf(name, site, calls);
  return { kind: "call", name, tool, args, ...(fails === undefined ? {} : { fails }) };
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
  const collection = first?.step.path.findLast((part) => typeof part === "string");
  const [tool = ""] = tools;
  const name = names.take(plural(resultName(tools.at(-1) ?? tool)));
  const item = names.take(singular(camelCase(collection ?? "items")), singular(resultName(tool)));
  const over = decider.collection(name, site, loops);
  const results = tools.map((each) => names.take(singular(resultName(each))));
  const steps = tools.map((each, nth): CallStep => {
    const calls = loops.flatMap(({ view, step }) =>
      step.rounds.map((round, index): CallView => ({
        ...view,
        call: round[nth] ?? 0,
        scope: [
          { name: item, value: step.elements[index] ?? null },
          ...round.slice(0, nth).map((call, earlier) => ({
            name: results[earlier] ?? "",
            value: view.sample.trace.calls[call]?.result ?? null,
          })),
        ],
      })),
    );
    return {
      kind: "call",
      name: results[nth] ?? "",
      tool: each,
      args: decider.argumentsOf(results[nth] ?? "", `${site}.${nth}`, calls),
    };
  });
  const refs = results.map((each): Expression => ({ kind: "ref", name: each }));
  const fields = roundFields(tools).map((field, index) => ({
    name: field,
    value: refs[index] ?? { kind: "constant" as const, value: null },
  }));
  const gives: Expression = refs.length === 1 && refs[0] ? refs[0] : { kind: "object", fields };
  return {
    kind: "loop",
    name,
    over,
    item,
    steps,
    gives,
    order: tools.some(mayWrite) ? "sequential" : "parallel",
  };
}

/** What a tool gives is called by what the tool is called by, without the verb where that sounds like reading. */
function resultName(tool: string): string {
  const [verb, ...rest] = nameWords(tool.slice(tool.lastIndexOf(".") + 1));
  if (verb === undefined) return "result";
  const by = rest.indexOf("by");
  const noun = by > 0 ? rest.slice(0, by) : rest;
  return noun.length > 0 && soundsReading(tool)
    ? camelCase(noun.join("_"))
    : camelCase(`${verb}_${rest.join("_")}_result`);
}
