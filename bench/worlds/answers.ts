import { readFileSync, writeFileSync } from "node:fs";
import type { CallToolResult } from "@modelcontextprotocol/server";

export const READS = { readOnlyHint: true, openWorldHint: false };
export const WRITES = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };

/** The state of a world is a file that others may have written since: it is read for every call. */
export class StateFile<State> {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  read(): State {
    return JSON.parse(readFileSync(this.#file, "utf8")) as State;
  }

  /** Keeps what a change makes of the state, unless the change is refused. */
  change(make: (state: State) => CallToolResult): CallToolResult {
    const state = this.read();
    const result = make(state);
    if (result.isError !== true) this.write(state);
    return result;
  }

  write(state: State): void {
    writeFileSync(this.#file, JSON.stringify(state));
  }
}

export function data(structuredContent: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

export function text(content: string): CallToolResult {
  return { content: [{ type: "text", text: content }] };
}

export function refusal(why: string): CallToolResult {
  return { content: [{ type: "text", text: why }], isError: true };
}
