import { createHash } from "node:crypto";
import type { InputRequiredResult } from "@modelcontextprotocol/server";
import { failure, type Failure } from "../core/error.ts";
import type { ComposedFlow } from "../core/flow.ts";
import { flowLine } from "../core/flow-text.ts";
import type { Json } from "../core/json.ts";
import type { Skill } from "../core/skill.ts";
import type { Question, Verdict } from "./asking.ts";

/** What the server may know of flows of untrusted answers into calls that write. */
export interface ServedFlows {
  /** Those that a run of the skill can take, as far as is known by now. */
  readonly ofRun: (name: string, skills: ReadonlyMap<string, Skill>) => readonly ComposedFlow[];
  /** Those for which a run takes a person's consent; nothing where the configuration wants none. */
  readonly inNeedOfConsent?: (
    name: string,
    skills: ReadonlyMap<string, Skill>,
  ) => Promise<readonly ComposedFlow[]>;
}

export type RunConsent =
  | { readonly kind: "given" }
  | { readonly kind: "asking"; readonly question: InputRequiredResult }
  | { readonly kind: "refused"; readonly error: Failure };

/** Asks for a person's consent to this run of a skill, where its flows need it. The answer holds for this input alone. */
export async function runConsent(
  skill: Skill,
  input: Json,
  flows: readonly ComposedFlow[],
  ask: (question: Question) => Promise<Verdict>,
): Promise<RunConsent> {
  if (flows.length === 0) return { kind: "given" };
  const lines = flows.map(flowLine);
  const digest = createHash("sha256")
    .update(JSON.stringify([skill.digest, input, flows]))
    .digest("hex");
  const verdict = await ask({
    to: "run",
    name: skill.name,
    digest,
    message: questionText(skill.name, input, lines),
  });
  switch (verdict.kind) {
    case "asking":
      return verdict;
    case "answered":
      return verdict.choice === "run" ? { kind: "given" } : refused(skill.name, "the person declined", lines);
    case "dismissed":
      return refused(skill.name, "the person did not answer", lines);
    case "nobody":
      return refused(skill.name, "this client cannot ask a person", lines);
  }
}

/** Why a run does not begin. */
export function unapproved(name: string, why: string, flows: readonly string[]): Failure {
  return failure(
    "RUN_UNAPPROVED",
    `"${name}" was not run: what untrusted tools answer goes into calls that write, and ${why}.\n${shownFlows(flows)}`,
    { skill: name },
  );
}

const MAX_FLOWS_SHOWN = 10;
const MAX_INPUT_SHOWN = 500;

function refused(name: string, why: string, flows: readonly string[]): RunConsent {
  return { kind: "refused", error: unapproved(name, why, flows) };
}

function questionText(name: string, input: Json, flows: readonly string[]): string {
  const given = JSON.stringify(input);
  const shown = given.length > MAX_INPUT_SHOWN ? `${given.slice(0, MAX_INPUT_SHOWN)}…` : given;
  return `Shall "${name}" run? What these tools answer was written by others, and goes into calls that write:\n${shownFlows(flows)}\nIts input: ${shown}`;
}

function shownFlows(flows: readonly string[]): string {
  const more = flows.length - MAX_FLOWS_SHOWN;
  return [
    ...flows.slice(0, MAX_FLOWS_SHOWN).map((line) => `- ${line}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("\n");
}
