import { createHash } from "node:crypto";
import type { InputRequiredResult } from "@modelcontextprotocol/server";
import { failure, type Failure } from "../core/error.ts";
import type { ComposedFlow } from "../core/flow.ts";
import { flowLine } from "../core/text/flow-line.ts";
import type { Json } from "../core/json/json.ts";
import { digestsBelow } from "../core/reachable-skills.ts";
import type { Skill } from "../core/skill.ts";
import { visibleText } from "../core/text/display-text.ts";
import type { Elicitation, ElicitationOutcome } from "./elicitation.ts";

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

/** Asks for a person's consent to this run of a skill, where its flows need it. The answer holds for this input and these skills alone. */
export async function runConsent(
  skill: Skill,
  input: Json,
  { flows, skills }: { readonly flows: readonly ComposedFlow[]; readonly skills: ReadonlyMap<string, Skill> },
  ask: (question: Elicitation) => Promise<ElicitationOutcome>,
): Promise<RunConsent> {
  if (flows.length === 0) return { kind: "given" };
  const lines = flows.map(flowLine);
  const digest = createHash("sha256")
    .update(JSON.stringify([digestsBelow(skill.name, skills), input, flows]))
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
export function unapprovedFailure(name: string, why: string, flows: readonly string[]): Failure {
  return failure(
    "RUN_UNAPPROVED",
    `"${name}" was not run: what untrusted tools answer goes into calls that write, and ${why}.\n${shownFlows(flows)}`,
    { skill: name },
  );
}

const MAX_FLOWS_SHOWN = 10;
const MAX_FLOW_CHARACTERS = 500;
const MAX_VALUES_SHOWN = 100;
/** Of one object or list. */
const MAX_PARTS_SHOWN = 20;
/** Of a value, and of where it is. */
const MAX_CHARACTERS = 300;

function refused(name: string, why: string, flows: readonly string[]): RunConsent {
  return { kind: "refused", error: unapprovedFailure(name, why, flows) };
}

function questionText(name: string, input: Json, flows: readonly string[]): string {
  return `Shall "${name}" run? What these tools answer was written by others, and goes into calls that write:\n${shownFlows(flows)}\nIts input:\n${shownInput(input)}`;
}

/** Each value by itself, so that none is hidden behind a long one or a long list; those at the top first. */
export function shownInput(input: Json): string {
  const lines: string[] = [];
  let level: (readonly [path: string, value: Json])[] = [["", input]];
  while (level.length > 0) {
    const below: typeof level = [];
    for (const [path, value] of level) {
      const parts = typeof value === "object" && value !== null ? Object.entries(value) : [];
      const more = parts.length - MAX_PARTS_SHOWN;
      if (parts.length === 0)
        lines.push(shownValue(path, visibleText(JSON.stringify(value), MAX_CHARACTERS)));
      if (more > 0) lines.push(shownValue(path, `${more} more values, which are not shown`));
      for (const [key, part] of parts.slice(0, MAX_PARTS_SHOWN))
        below.push([Array.isArray(value) ? `${path}[${key}]` : `${path}${fieldOf(key, path)}`, part]);
    }
    level = below;
  }
  const more = lines.length - MAX_VALUES_SHOWN;
  return [
    ...lines.slice(0, MAX_VALUES_SHOWN),
    ...(more > 0 ? [`and ${more} more values, which are not shown`] : []),
  ].join("\n");
}

function shownValue(path: string, shown: string): string {
  return path === "" ? `- ${shown}` : `- ${visibleText(path, MAX_CHARACTERS)}: ${shown}`;
}

function fieldOf(key: string, path: string): string {
  if (!/^[\w$]+$/.test(key)) return `[${JSON.stringify(key)}]`;
  return path === "" ? key : `.${key}`;
}

function shownFlows(flows: readonly string[]): string {
  const more = flows.length - MAX_FLOWS_SHOWN;
  return [
    ...flows.slice(0, MAX_FLOWS_SHOWN).map((line) => `- ${visibleText(line, MAX_FLOW_CHARACTERS)}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("\n");
}
