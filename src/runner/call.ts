import type { Failure } from "../core/error.ts";
import type { ConsoleLine } from "../core/run.ts";
import type { Script } from "../core/skill.ts";
import type { Instance } from "./engine.ts";
import type { SkillPackage } from "./protocol.ts";
import type { World } from "./world.ts";

export type Outcome =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: Failure };

/** A call that is open or finished. */
export interface Call {
  readonly kind: "skill" | "tool";
  readonly callPath: string;
  readonly name: string;
  /** Names from the root to this call. */
  readonly chain: readonly string[];
  readonly parent: Call | undefined;
  /** The request of the parent's code that this call answers. */
  readonly request: number;
  /** The parent's stack where the call was made. */
  readonly site: string;
  readonly startMs: number;
  readonly calls: Call[];
  readonly console: ConsoleLine[];
  input: string;
  endMs: number;
  outcome: Outcome | undefined;
  skill: SkillPackage | undefined;
  scripts: ReadonlyMap<string, Script>;
  instance: Instance | undefined;
  /** Whether it counts against the calls in flight: it runs, or waits for something outside. */
  working: boolean;
  /** Requests of its code that are not answered yet. */
  open: number;
  /** Requests that were refused without becoming calls. */
  readonly refused: Map<number, Failure>;
  deadline: number;
  cpuLeftMs: number;
  timer: NodeJS.Timeout | undefined;
  readonly world: World;
  /** Whether nothing but its input has had a part in its outcome. */
  isPure: boolean;
  reused: boolean;
  answered: number | undefined;
}

/** Open calls, deepest first. */
export function openCalls(call: Call): readonly Call[] {
  const below = call.calls.flatMap(openCalls);
  return call.outcome ? below : [...below, call];
}

export function callsBelow(call: Call): readonly Call[] {
  return call.calls.flatMap((below) => [below, ...callsBelow(below)]);
}

export function allWell(call: Call): boolean {
  return call.outcome?.ok === true && call.calls.every(allWell);
}
