import type { JsonObject } from "../../core/json/json.ts";
import type { Param } from "../../learn/plan/plan.ts";
import { oneLine } from "../../core/text/display-text.ts";
import { commandLine } from "../../core/text/command-line.ts";

/** How a skill is called on a command line. */
export function callText(skill: string, input: JsonObject): string {
  const json = oneLine(JSON.stringify(input));
  return commandLine(`run ${skill} --input '${json.replaceAll("'", String.raw`'\''`)}'`);
}

/** What a skill was called with, so to speak, in the run that it was learned from. */
export function exampleInput(params: readonly Param[]): JsonObject {
  return Object.fromEntries(
    params.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example] as const])),
  );
}
