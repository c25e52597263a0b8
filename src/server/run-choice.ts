import { hash } from "node:crypto";
import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import { neededChoice } from "../core/choice.ts";
import type { Failure } from "../core/error.ts";
import { isJsonObject, type Json } from "../core/json/json.ts";
import type { Skill } from "../core/skill.ts";
import { visibleText } from "../core/text/display-text.ts";
import type { ChoiceSubject, Elicitations, ElicitationTarget } from "./elicitation.ts";
import { optionLines } from "./tools/tool-answer.ts";

/** How a run with an input went: its failure, if it is one, and how that or its output is told. */
interface RunOutcome {
  readonly failed: Failure | undefined;
  readonly answer: CallToolResult;
}

/**
 * Runs a skill and, where it ends since something is to be chosen, has the person behind the client choose and runs it
 * again with that. The answer tells the options where nobody can be asked, or nobody chooses.
 */
export async function runWithChoices(
  { name, digest }: Skill,
  input: Json,
  run: (input: Json) => Promise<RunOutcome>,
  questions: Elicitations,
  target: ElicitationTarget,
): Promise<CallToolResult | InputRequiredResult> {
  const subject = (): ChoiceSubject => ({ name, digest: hash("sha256", JSON.stringify([digest, input])) });
  const { choices, isDeclined } = await questions.choicesFor(subject, target);
  const { failed, answer } = await run(isJsonObject(input) ? { ...input, ...choices } : input);
  const needed = failed && neededChoice(failed);
  if (!needed || isDeclined) return answer;
  const lines = optionLines(needed, MAX_OPTIONS_SHOWN);
  const message = `"${name}" goes on with what you choose: ${visibleText(failed.message, MAX_MESSAGE)}\n${lines.join("\n")}`;
  return (await questions.askForChoice({ subject: subject(), message, needed, choices }, target)) ?? answer;
}

const MAX_OPTIONS_SHOWN = 50;
const MAX_MESSAGE = 500;
