import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { suppliedNames, isAnswered, ownTexts } from "../../src/learn/codegen/answered.ts";
import {
  computedValue,
  type EvaluationScope,
  evaluations,
  fulfils,
  isAbsent,
  listValue,
  tellsNothing,
  type TracedValue,
  valueAtPath,
} from "../../src/learn/edits/evaluate.ts";
import { joinedLists, subexpressions } from "../../src/learn/plan/expression.ts";
import { failureKind } from "../../src/learn/plan/failure-kind.ts";
import type { BranchSide, CallStep, Expression, LoopStep, Plan, Step } from "../../src/learn/plan/plan.ts";
import { mayWriteBy } from "../../src/learn/plan/tool-effects.ts";
import { expressionsOf } from "../../src/learn/plan/steps.ts";
import { isSame } from "../../src/learn/plan/values.ts";
import { answerUses } from "../../src/learn/texts/answer-uses.ts";
import { usedReads } from "../../src/learn/texts/readings.ts";
import { readAnswer } from "../../src/learn/texts/text-form.ts";

/** A tool's answer; it throws what the call fails with. */
export type CallTool = (tool: string, args: Json) => Promise<Json>;

/** The skill ends with what there is to choose from. */
export class ChoiceNeeded extends Error {
  override readonly name = "ChoiceNeeded";
}

/** Does what a plan says step by step, with the evaluator of expressions that learning has. */
export async function interpreted(plan: Plan, input: JsonObject, callTool: CallTool): Promise<Json> {
  const interpreter = new Interpreter(plan, callTool);
  const params = new Map(
    plan.params.map(({ name, default: value }) => [
      name,
      value === undefined ? input[name] : (input[name] ?? value),
    ]),
  );
  const refs = new Map<string, TracedValue>();
  await interpreter.steps(plan.steps, { params, refs });
  const output = interpreter.value(plan.output.value, { params, refs });
  return isAbsent(output) ? null : carried(output);
}

interface Scope {
  readonly params: EvaluationScope["params"];
  readonly refs: Map<string, TracedValue>;
}

class Interpreter {
  readonly #callTool: CallTool;
  readonly #mayWrite: (tool: string) => boolean;
  readonly #given: ReadonlySet<string>;
  readonly #used: ReadonlySet<string>;
  readonly #uses: ReturnType<typeof answerUses>;

  constructor(plan: Plan, callTool: CallTool) {
    this.#callTool = callTool;
    this.#mayWrite = mayWriteBy(plan.effects);
    this.#given = suppliedNames(plan);
    this.#uses = answerUses(plan);
    const parts = [...plan.steps.flatMap(expressionsOf), plan.output.value].flatMap(subexpressions);
    this.#used = new Set(parts.flatMap((part) => (part.kind === "ref" ? [part.name] : [])));
  }

  value(expression: Expression, scope: Scope): TracedValue {
    for (const { result } of evaluations(expression, this.#evaluation(scope))) return result;
    throw new Error(`${expression.kind} fails`);
  }

  #evaluation({ params, refs }: Scope): EvaluationScope {
    return { params, refs, mustTell: (each) => isAnswered(each, this.#given) };
  }

  async steps(steps: readonly Step[], scope: Scope): Promise<void> {
    for (const step of steps) await this.#step(step, scope);
  }

  async #step(step: Step, scope: Scope): Promise<void> {
    const { refs } = scope;
    switch (step.kind) {
      case "call": {
        const { failed, answer } = await this.#call(step, scope, step.fails);
        if (step.fails !== undefined && !failed) throw new Error("It has succeeded");
        refs.set(step.name, failed ? computedValue(null) : computedValue(answer));
        return;
      }
      case "guard":
        if (!isSameValue(this.value(step.value, scope), this.value(step.equals, scope)))
          throw new Error("Another case");
        return;
      case "choice": {
        const chosen = this.value(step.chosen, scope);
        const options = listOf(this.value(step.in, scope));
        const values = options.flatMap((option) => valueAtPath(option, step.path)?.value ?? []);
        if (!values.some((value) => /string|number/.test(typeof value))) throw new Error("No options");
        if (isAbsent(chosen) || !values.includes(chosen.value)) throw new ChoiceNeeded();
        return;
      }
      case "loop":
        refs.set(step.name, await this.#loop(step, scope));
        return;
      case "branch": {
        const { failed, answer } = await this.#call(step.call, scope, step.fails);
        refs.set(step.call.name, computedValue(answer));
        await this.#side(step.name, failed ? step.failed : step.succeeded, scope);
        return;
      }
      case "switch": {
        const value = this.value(step.value, scope);
        const side = step.cases.find(({ equals }) => isSameValue(value, computedValue(equals)));
        if (!side) throw new Error("Another case");
        await this.#side(step.name, side, scope);
      }
    }
  }

  async #side(name: string, { steps, gives }: BranchSide, scope: Scope): Promise<void> {
    await this.steps(steps, scope);
    if (this.#used.has(name)) scope.refs.set(name, this.value(gives, scope));
  }

  async #call(
    { name, tool, args, reads = [], retried }: CallStep,
    scope: Scope,
    kind: string | undefined,
  ): Promise<{ readonly failed: boolean; readonly answer: Json }> {
    const given = this.value(args, scope);
    if (!this.#isTold(args, scope)) throw new Error("An answer does not tell what an argument needs");
    const texts = ownTexts(args).map((each) => this.value(each, scope).value);
    const again = retried && !this.#mayWrite(tool) ? retried : { times: 0, kinds: [] };
    const attempt = (left: number): Promise<Json> =>
      this.#callTool(tool, carried(given)).catch((error: unknown) => {
        if (left > 0 && again.kinds.includes(failureKind((error as Error).message, texts)))
          return attempt(left - 1);
        throw error;
      });
    let answer: Json;
    try {
      answer = await attempt(again.times);
    } catch (error) {
      if (kind === undefined || kind === "" || failureKind((error as Error).message, texts) !== kind)
        throw error;
      return { failed: true, answer: null };
    }
    if (!this.#used.has(name)) return { failed: false, answer };
    const read = readAnswer(answer, usedReads(reads, this.#uses.get(name) ?? []));
    if (read === undefined) throw new Error("A text does not have its form");
    return { failed: false, answer: read };
  }

  /** Whether answers tell what the arguments of a call need of them. */
  #isTold(args: Expression, scope: Scope): boolean {
    if (args.kind === "object") return args.fields.every(({ value }) => this.#isTold(value, scope));
    if (args.kind === "list") return args.items.every((each) => this.#isTold(each, scope));
    const joined = joinedLists(args);
    if (joined) return this.#isTold(joined, scope);
    const list = args.kind === "map" ? args.over : args;
    if (list.kind === "filter" && listOf(this.value(list, scope)).length === 0) return false;
    if (args.kind === "map")
      return listOf(this.value(args.over, scope)).every((element) =>
        this.#isTold(args.value, { ...scope, refs: new Map([...scope.refs, [args.item, element]]) }),
      );
    return !isAnswered(args, this.#given) || !tellsNothing(this.value(args, scope));
  }

  async #loop(
    { name, over, item, steps, gives, until, order }: LoopStep,
    scope: Scope,
  ): Promise<TracedValue> {
    const elements = listOf(this.value(over, scope));
    const round = async (element: TracedValue): Promise<TracedValue> => {
      const inner = { ...scope, refs: new Map([...scope.refs, [item, element]]) };
      await this.steps(steps, inner);
      const isGiven = this.#used.has(name) || until !== undefined || order === "parallel";
      return isGiven ? this.value(gives, inner) : computedValue(null);
    };
    if (order === "parallel" && !until) return listValue(await Promise.all(elements.map(round)));
    const given: TracedValue[] = [];
    for (const element of elements) {
      const value = await round(element);
      given.push(value);
      const isLast = until && fulfils(value, until, this.#evaluation(scope));
      if (isLast === true) return value;
      if (until && isLast === undefined) throw new Error("It cannot be told whether this is the last round");
    }
    if (until) throw new Error("No round is what is looked for");
    return listValue(given);
  }
}

/** A value that leaves the plan: what is not there has no place in a list. */
function carried(seen: TracedValue): Json {
  const { value } = seen;
  if (isAbsent(seen)) throw new Error("There is nothing to carry");
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  for (const key of keys) {
    const part = seen.part(Array.isArray(value) ? Number(key) : key);
    if (part) carried(part);
  }
  return value;
}

function listOf(seen: TracedValue): readonly TracedValue[] {
  if (!Array.isArray(seen.value)) throw new Error("What is to be a list is none");
  return seen.value.map((value: Json, index) => seen.part(index) ?? computedValue(value));
}

function isSameValue(a: TracedValue, b: TracedValue): boolean {
  return isAbsent(a) || isAbsent(b) ? a === b : isSame(a.value, b.value);
}
