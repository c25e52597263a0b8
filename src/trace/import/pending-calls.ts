import type { ImportContext } from "./format.ts";
import type { NewCall, StepOutcome, Transcript } from "./transcript.ts";

/** The calls of a transcript by the ids that the format gives them, until they are answered. */
export class PendingCalls {
  readonly #transcript: Transcript;
  readonly #importing: ImportContext;
  readonly #open = new Map<string, number>();
  readonly #tools = new Map<number, string>();
  readonly #early = new Map<string, { readonly outcome: StepOutcome; readonly place: string }>();

  constructor(transcript: Transcript, importing: ImportContext) {
    this.#transcript = transcript;
    this.#importing = importing;
  }

  add(id: string | undefined, call: NewCall): number | undefined {
    if (call.tool.trim() === "") {
      this.#importing.skip("no-name", call.place);
      return undefined;
    }
    const step = this.#transcript.call(call);
    if (step === undefined || id === undefined) return step;
    this.#open.set(id, step);
    this.#tools.set(step, call.tool);
    const early = this.#early.get(id);
    if (early) {
      this.#early.delete(id);
      this.resolve(id, early.outcome, early.place);
    }
    return step;
  }

  /** An answer that comes before its call, as in a log that is not in order, waits for it. */
  resolve(id: string, outcome: StepOutcome, place: string): number | undefined {
    const step = this.#open.get(id);
    if (step === undefined) {
      if (this.#early.size < MAX_EARLY) this.#early.set(id, { outcome, place });
      else this.#importing.skip("no-call", place);
      return undefined;
    }
    this.#open.delete(id);
    this.#tools.delete(step);
    this.#transcript.settle(step, outcome, place);
    return step;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  step(id: string): number | undefined {
    return this.#open.get(id);
  }

  /** A result that names no call: it answers the only call that waits, or the only one of the tool that it names. */
  resolveUnnamed(tool: string | undefined, outcome: StepOutcome, place: string): number | undefined {
    const ofTool = [...this.#open].filter(([, step]) => this.#tools.get(step) === tool);
    const [only, ...others] = ofTool.length > 0 ? ofTool : [...this.#open];
    if (only && others.length === 0) return this.resolve(only[0], outcome, place);
    this.#importing.skip(only ? "unpaired" : "no-call", place);
    return undefined;
  }

  /** No more is to come. */
  end(): void {
    for (const { place } of this.#early.values()) this.#importing.skip("no-call", place);
    this.#early.clear();
  }
}

const MAX_EARLY = 1000;
