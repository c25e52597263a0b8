import type { Json } from "../../core/json/json.ts";
import type { Payload } from "./payload.ts";

/**
 * The seam between the runner and a JavaScript engine. An engine makes instances; an instance holds one isolated
 * state at a time, and can be set to any image of a state at about the cost of copying it.
 */
export interface Engine {
  /** The base state: built-ins and prelude, no skill. */
  readonly base: Image;
  /** A new instance in the base state. Its memory cannot grow beyond `memoryMb`. */
  instance(memoryMb: number): Promise<Instance>;
}

/** One JavaScript module for an instance; `name` is what stack traces show. */
export interface GuestModule {
  readonly name: string;
  readonly code: string;
}

/** What the code in an instance asks of its host. None of these may call back into the instance. */
export interface Host {
  /** Bytes that an input or output of the guest may have. */
  readonly maxBytes: number;
  /** Asked every few thousand steps; throws to unwind the guest at once. */
  interrupt(): void;
  /** Milliseconds since the epoch, for `Date`. */
  now(): number;
  /** An integer that feeds `Math.random`; asked once in a state, at the first use. */
  seed(): number;
  /** A module's loading ended. */
  loaded(failed: GuestError | undefined): void;
  /** The called function settled; without an output for the value `undefined`. */
  returned(output: Payload | undefined): void;
  failed(error: GuestError): void;
  /** The guest wants a skill or a tool called; answered later through `settle` with the same id. */
  requested(request: GuestRequest): void;
  printed(level: string, text: string): void;
  /** Asked before the instance's memory grows; `false` makes the guest's allocation fail. */
  mayGrow(bytes: number): boolean;
}

/** The host of an instance that runs nothing of a skill's yet. Its clock stands still, so that all boots are alike. */
export const SILENT_HOST: Host = {
  maxBytes: 0,
  interrupt: () => undefined,
  now: () => 0,
  seed: () => 1,
  loaded: () => undefined,
  returned: () => undefined,
  failed: () => undefined,
  requested: () => undefined,
  printed: () => undefined,
  mayGrow: () => true,
};

export interface GuestRequest {
  readonly id: number;
  readonly kind: "skill" | "tool";
  readonly name: string;
  readonly input: Payload;
  /** The guest's stack where the call was made. */
  readonly stack: string;
}

/** Why guest code ended without a result; shaped and cut in the guest. */
export type GuestError =
  | {
      readonly kind: "thrown" | "not-json" | "memory";
      readonly name: string;
      readonly message: string;
      readonly stack: string;
      /** What an error of the name `ChoiceNeeded` says of the choice; of any shape. */
      readonly choice?: Json;
    }
  /** The failure of a request was not caught; `within` is what the code says of where in it that was. */
  | { readonly kind: "passed"; readonly request: number; readonly within?: string };

/** An image of an instance's state. It can be restored on any instance of the same engine. */
export interface Image {
  readonly bytes: number;
}

export interface Instance {
  /** Whom the guest's requests go to; set before each `load` and `call`. */
  host: Host;
  /** Bytes of memory that the instance holds now. */
  readonly memoryBytes: number;
  /** Bytes of it that the guest has been handed. */
  readonly usedBytes: number;
  /** Whether the instance can be restored and used again. */
  readonly reusable: boolean;
  image(): Image;
  restore(image: Image): void;
  /** The same ahead of its use, which is then at once, where the instance's memory has room for it. */
  prepare(image: Image): void;
  /** Evaluates modules, the entry first; its default export is what `call` calls. Ends with `host.loaded`. */
  load(modules: readonly GuestModule[]): void;
  /** Calls the loaded default export with JSON text. */
  call(input: string): void;
  /** Answers a request: JSON text of the result, or of the failure; `mayRepeat` where what was asked has written nothing. */
  settle(id: number, ok: boolean, text: string, mayRepeat: boolean): void;
  /** Runs up to `most` pending jobs; tells whether some are left. */
  pump(most: number): boolean;
}

/** Thrown where a guest says what its prelude never says: code of ours in its memory is no longer what it was. */
export class GuestFault extends Error {
  override readonly name = "GuestFault";
}

/** Thrown by `Host.interrupt` to end guest code that must not go on. */
export class Unwind extends Error {
  override readonly name = "Unwind";
}
