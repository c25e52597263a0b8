import type { Json } from "../../core/json/json.ts";
import type { Choice } from "../synthesis/argument-decider.ts";
import type { Expression, Param } from "../plan/plan.ts";
import type { Synthesis } from "../synthesis/synthesise.ts";
import { isSame, valueAt } from "../plan/values.ts";
import type { LeafPlace } from "./edits.ts";
import { eachFound, foundBy, soughtFor } from "./found-by.ts";
import { paramsIn } from "./plan-leaves.ts";
import { namedSteps } from "../plan/steps.ts";
import { type Known, meaningOf } from "./evaluate.ts";
import { recordedRun, type RecordedRun, type Turn } from "./recorded-run.ts";
import { type Naming, namingFor, translated, withParamNames } from "../review/translation.ts";
import { adopted, firstTrace, type Work } from "./revision-context.ts";

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
  readonly #work: Work;
  readonly #run: RecordedRun;
  #fresh:
    | { readonly naming: Naming; readonly input: Known["params"]; readonly synthesis: Synthesis }
    | undefined;

  constructor(work: Work, run: RecordedRun) {
    this.#work = work;
    this.#run = run;
  }

  /** The ways to have an argument that gave what the first run had there; what the plan has now is among them. */
  of(leaf: LeafPlace): readonly Alternative[] {
    const fresh = this.#known();
    const turns = this.#run.get(leaf.step) ?? [];
    const choice = fresh && choiceAt(fresh.synthesis, leaf, turns);
    if (!choice) return [];
    return [choice.chosen, ...choice.alternatives].flatMap((expression, index) => {
      const found = this.#settled(expression, leaf, turns);
      return found ? [{ ...found, number: index + 1, ...(index === 0 ? { why: choice.why } : {}) }] : [];
    });
  }

  #known() {
    const synthesis = this.#work.fresh();
    if (!synthesis || this.#fresh) return this.#fresh;
    const first = firstTrace(this.#work);
    const run = recordedRun(synthesis.plan, { trace: first }, first);
    const naming = namingFor(synthesis.plan, run, this.#work.plan, this.#run);
    const input = [...run.values()][0]?.[0]?.known.params ?? new Map<string, Json | undefined>();
    this.#fresh = { naming, input, synthesis };
    return this.#fresh;
  }

  #settled(expression: Expression, leaf: LeafPlace, turns: readonly Turn[]): Settled | undefined {
    const fresh = this.#known();
    const told = fresh && translated(expression, fresh.naming);
    const [first] = turns;
    if (!told || !first) return undefined;
    const { params } = this.#work.plan;
    const values = turns.map((turn) => valueIn(this.#work, leaf, turn));
    const givesIt = (input: Known["params"]): boolean =>
      turns.every(({ known: { refs } }, index) => {
        const value = meaningOf(told, { params: input, refs })?.value;
        return value !== undefined && isSame(value, values[index]);
      });
    const wanted = new Set(paramsIn(told));
    const own = fresh.synthesis.plan.params.filter(({ name }) => wanted.has(name));
    if (own.length === wanted.size && givesIt(fresh.input)) return withParams(told, params, own);
    const place = { ...leaf, call: first.call };
    for (const sought of soughtFor(told, values[0], first.known.refs)) {
      if (!givesIt(new Map([...sought].map(([name, { value }]) => [name, value])))) continue;
      const found = [...sought].map(([name, each]) => foundBy(name, each, told, place));
      return withParams(told, params, found);
    }
    const list =
      turns.length === 1 ? eachFound(told, values[0], first, { ...place, plan: this.#work.plan }) : undefined;
    return list && withParams(list.expression, params, [list.param]);
  }
}

type Settled = Pick<Alternative, "expression" | "params">;

/** The recorded value of an argument, or of what a loop goes over. */
export function valueIn(work: Work, { step, path }: LeafPlace, { call, known }: Turn): Json | undefined {
  const found = namedSteps(work.plan.steps).find(({ name }) => name === step);
  if (found?.kind === "loop") return meaningOf(found.over, known)?.value;
  return valueAt(firstTrace(work).calls[call ?? -1]?.args, path);
}

function withParams(expression: Expression, params: readonly Param[], wanted: readonly Param[]): Settled {
  const names = new Map<string, string>();
  let all = params;
  for (const param of wanted) {
    const found = adopted(all, param);
    names.set(param.name, found.name);
    all = found.params;
  }
  return { expression: withParamNames(expression, names), params: all };
}

// The element of a map or loop has no argument of its own at its path: only a loop's own place is empty.
function choiceAt(
  { choices, plan }: Synthesis,
  { path }: LeafPlace,
  turns: readonly Turn[],
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
