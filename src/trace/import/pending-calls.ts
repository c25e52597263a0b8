import type { ImportContext } from "./format.ts";
import type { NewCall, StepOutcome, Transcript } from "./transcript.ts";

/** The calls of a transcript by the ids that the format gives them, until they are answered. */
export class PendingCalls {
  readonly #transcript: Transcript;
  readonly #importing: ImportContext;
  readonly #open = new Map<string, number>();
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
    this.#transcript.settle(step, outcome, place);
    return step;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  step(id: string): number | undefined {
    return this.#open.get(id);
  }

  /** The id of the call that was made first and is not answered. */
  first(): string | undefined {
    return this.#open.keys().next().value;
  }

  /** No more is to come. */
  end(): void {
    for (const { place } of this.#early.values()) this.#importing.skip("no-call", place);
    this.#early.clear();
  }
}

const MAX_EARLY = 1000;
