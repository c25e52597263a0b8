import { isDeepStrictEqual } from "node:util";
import { type Json, isJsonObject } from "../../core/json/json.ts";
import type { ToldCall, ToldCalls, ToldResult } from "./reading/told-calls.ts";

/** A span whose messages tell calls. */
interface ToldSpan {
  readonly id: string;
  readonly kind: string;
  readonly at: number | undefined;
  readonly endedAt: number | undefined;
  readonly told?: ToldCalls | undefined;
}

/** A call that models' messages tell, and what a later one tells that it gave. */
export interface ModelCall {
  readonly call: ToldCall;
  readonly spanId: string;
  readonly at: number | undefined;
  result: ToldResult | undefined;
  endedAt: number | undefined;
  isClaimed: boolean;
}

/** The calls that the models of a trace asked for. A tool's own span claims the one that it ran; what is left has no span. */
export class ModelCalls {
  readonly #calls: ModelCall[] = [];
  readonly #bySpan = new Map<string, ModelCall[]>();
  readonly #byId = new Map<string, ModelCall[]>();
  readonly #byName = new Map<string, ModelCall[]>();

  /** `hasHistory`: what earlier messages tell happened in this trace, too. The spans are in their order. */
  constructor(spans: readonly ToldSpan[], hasHistory: boolean) {
    const known = new Map<string, number>();
    for (const span of spans) {
      if (span.kind !== "model" || !span.told) continue;
      const before = new Map<string, number>();
      for (const call of hasHistory ? span.told.before : []) {
        const key = keyOf(call);
        const nth = (before.get(key) ?? 0) + 1;
        before.set(key, nth);
        if (nth > (known.get(key) ?? 0)) this.#add(call, span, span.at, known);
      }
      for (const call of span.told.asked) this.#add(call, span, span.endedAt ?? span.at, known);
    }
    // What was before, and what agents tell of what they did, only says more of what has a span.
    for (const { at, told } of spans)
      for (const call of told ? [...told.before, ...told.asked] : [])
        if (!known.has(keyOf(call))) this.#add(call, { id: "" }, at, known);
    this.#answer(spans);
  }

  #add(
    call: ToldCall,
    { id }: Pick<ToldSpan, "id">,
    at: number | undefined,
    known: Map<string, number>,
  ): void {
    const told = { call, spanId: id, at, result: undefined, endedAt: undefined, isClaimed: false };
    this.#calls.push(told);
    push(this.#bySpan, id, told);
    if (call.id !== undefined) push(this.#byId, call.id, told);
    push(this.#byName, plainName(call.name), told);
    const key = keyOf(call);
    known.set(key, (known.get(key) ?? 0) + 1);
  }

  /** Messages are told again with each answer: a call's result is the one in the first that has it. */
  #answer(spans: readonly ToldSpan[]): void {
    for (const { told, at } of spans) {
      const counts = new Map<string, number>();
      for (const result of told?.results ?? []) {
        if (result.id === undefined) continue;
        const nth = counts.get(result.id) ?? 0;
        counts.set(result.id, nth + 1);
        const call = this.#byId.get(result.id)?.[nth];
        if (!call || call.result) continue;
        call.result = result;
        call.endedAt = at;
      }
    }
  }

  /** The call that a tool's span ran: by its id; else one of the tool with these arguments, or the first of the tool. */
  claim(id: string | undefined, name: string, args: Json | undefined): ModelCall | undefined {
    const byId = id === undefined ? [] : (this.#byId.get(id) ?? []);
    const open = (byId.length > 0 ? byId : (this.#byName.get(plainName(name)) ?? [])).filter(
      ({ isClaimed }) => !isClaimed,
    );
    const claimed = open.find(({ call }) => isSameInput(call.args, args)) ?? open[0];
    if (claimed) claimed.isClaimed = true;
    return claimed;
  }

  /** What the model of this span asked for, and no tool's span tells. */
  left(spanId: string): readonly ModelCall[] {
    return (this.#bySpan.get(spanId) ?? []).filter(({ isClaimed }) => !isClaimed);
  }
}

function push(calls: Map<string, ModelCall[]>, key: string, call: ModelCall): void {
  const list = calls.get(key);
  if (list) list.push(call);
  else calls.set(key, [call]);
}

export function keyOf({ id, name, args }: ToldCall): string {
  return JSON.stringify([id ?? "", name, args]);
}

/** Tracing may put a server or a module before the name. */
function plainName(name: string): string {
  return name.split(/[./:]|__/).at(-1) ?? name;
}

/** Some tracing writes the only argument without its name. */
function isSameInput(told: Json, args: Json | undefined): boolean {
  if (isDeepStrictEqual(told, args)) return true;
  const values = isJsonObject(told) && !isJsonObject(args) ? Object.values(told) : [];
  const [only] = values;
  return values.length === 1 && (only === args || (typeof only !== "object" && String(only) === args));
}
