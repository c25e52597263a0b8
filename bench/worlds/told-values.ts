import type { Json } from "../../src/core/json/json.ts";
import type { Param } from "../../src/learn/plan/plan.ts";
import { jsonLeaves, leafText } from "../../src/learn/plan/values.ts";
import type { RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";

/** How many values of a run's arguments texts in earlier answers had told, and those of them that a skill asks for. */
export function toldByTexts(
  params: readonly Param[],
  trace: RecordedTrace | undefined,
): { readonly told: number; readonly asked: readonly string[] } {
  const told = new Set<string>();
  let texts = "";
  for (const { args, result } of trace?.calls ?? []) {
    for (const value of leavesOf(args)) if (isTold(value, texts, trace?.task ?? "")) told.add(value);
    texts += `\n${leavesOf(result).join("\n")}`;
  }
  const asked = new Set(params.flatMap(({ example }) => (example === undefined ? [] : leavesOf(example))));
  return { told: told.size, asked: [...told.intersection(asked)] };
}

/** Whether a value, or a word of it, stands in texts and not in the task. */
function isTold(value: string, texts: string, task: string): boolean {
  const words = [value, ...value.split(/[\s/]+/)].filter((word) => word.length > 2 && !task.includes(word));
  return !task.includes(value) && words.some((word) => wordsOf(texts).includes(wordsOf(word)));
}

function wordsOf(text: string): string {
  return ` ${text.replaceAll(/[^\p{L}\p{N}.]+/gu, " ").trim()} `;
}

function leavesOf(value: Json): readonly string[] {
  return [...jsonLeaves(value)].flatMap(([, leaf]) =>
    typeof leaf === "string" ? [leaf] : (leafText(leaf) ?? []),
  );
}
