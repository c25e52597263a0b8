import type { ImportState, ImportContext } from "./format.ts";

/** Traces whose records come mixed with those of others, by their ids. The one untouched longest is given up early when all hold too much. */
export class OpenTraces<State extends { readonly size: number }> implements ImportState {
  readonly #importing: ImportContext;
  readonly #make: (id: string) => State;
  readonly #give: (state: State) => void;
  readonly #states = new Map<string, State>();
  #size = 0;

  constructor(importing: ImportContext, make: (id: string) => State, give: (state: State) => void) {
    this.#importing = importing;
    this.#make = make;
    this.#give = give;
  }

  /** Lets `change` read a record into the trace with this id. */
  change(id: string, change: (state: State) => void): void {
    const state = this.#states.get(id) ?? this.#make(id);
    const before = this.#states.has(id) ? state.size : 0;
    this.#states.delete(id);
    this.#states.set(id, state);
    change(state);
    // A trace takes memory even where it holds no text.
    this.#size += state.size - before;
    while (
      this.#states.size > 1 &&
      (this.#size > this.#importing.limits.openSize || this.#states.size > 1000)
    )
      this.#close(this.#states.keys().next().value ?? id);
  }

  has(id: string): boolean {
    return this.#states.has(id);
  }

  close(id: string): void {
    if (this.#states.has(id)) this.#close(id);
  }

  end(): void {
    for (const id of [...this.#states.keys()]) this.#close(id);
  }

  #close(id: string): void {
    const state = this.#states.get(id);
    this.#states.delete(id);
    if (!state) return;
    this.#size -= state.size;
    this.#give(state);
  }
}
