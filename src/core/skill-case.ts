import type { Json } from "./json/json.ts";

/** A case of a skill's `tests.yaml`: what it gives for an input, or how it fails. */
export interface SkillCase {
  readonly name: string;
  readonly input: Json;
  readonly expected:
    | { readonly kind: "output"; readonly output: Json }
    /** A failure with this code, where one is given, whose message contains this text. */
    | { readonly kind: "error"; readonly code?: string; readonly message?: string };
  /** What upstream tools answer in it, in the order in which they are called; with these no tool is really called. */
  readonly tools?: readonly ToolFixture[];
}

/** The answer of an upstream tool in a case. */
export interface ToolFixture {
  /** As `call_tool` names it. */
  readonly tool: string;
  /** What it must be called with; anything by default. */
  readonly input?: Json;
  readonly answer:
    | { readonly kind: "output"; readonly output: Json }
    | { readonly kind: "error"; readonly message: string };
}
