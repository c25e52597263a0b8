import { type Json, type JsonObject } from "../../src/core/json/json.ts";
import type { Param } from "../../src/learn/plan/plan.ts";
import { isLeaf, isSame, jsonLeaves, leafText, type Path, valueAt } from "../../src/learn/plan/values.ts";

/** What whoever wants work done knows and says. */
export interface Wish {
  readonly told: JsonObject;
  readonly task: string;
}

export interface Filled {
  readonly input: JsonObject;
  /** Parameters that have to be given, and of which the caller knows nothing. */
  readonly unknown: readonly string[];
}

/**
 * With what a caller calls a skill that was learned from the runs of wishes so that another is fulfilled. The example of a
 * parameter tells what it is: what was told in one of these, a text made of such, or words of the task; nothing else is known.
 */
export function filledParams(params: readonly Param[], learned: readonly Wish[], wanted: Wish): Filled {
  const input: Record<string, Json> = {};
  const unknown: string[] = [];
  for (const { name, example, optional } of params) {
    const value =
      example === undefined
        ? undefined
        : learned.map((wish) => counterpart(example, wish, wanted, name)).find((each) => each !== undefined);
    if (value !== undefined) input[name] = value;
    else if (optional !== true) unknown.push(name);
  }
  return { input, unknown };
}

function counterpart(example: Json, learned: Wish, wanted: Wish, name: string): Json | undefined {
  const whole = Object.entries(learned.told).find(([, value]) => !isLeaf(value) && isSame(value, example));
  if (whole) return wanted.told[whole[0]];
  if (isLeaf(example)) return ofLeaf(example, learned, wanted, name);
  if (Array.isArray(example)) return ofList(example as readonly Json[], learned, wanted, name);
  const fields = Object.entries(example as JsonObject).map(
    ([field, value]) => [field, counterpart(value, learned, wanted, field)] as const,
  );
  return fields.every((field): field is readonly [string, Json] => field[1] !== undefined)
    ? Object.fromEntries(fields)
    : undefined;
}

function ofLeaf(example: Json, learned: Wish, wanted: Wish, name: string): Json | undefined {
  const text = leafText(example);
  if (text === undefined) return undefined;
  const places = [...jsonLeaves(learned.told)].filter(([, leaf]) => leafText(leaf) === text);
  const [path] = places.find((place) => place[0].at(-1) === name) ?? places[0] ?? [];
  if (path) return asKindOf(example, valueAt(wanted.told, path));
  const other = retold(text, learned.told, wanted.told);
  return isSaid(text, learned.task) && other !== undefined && isSaid(other, wanted.task)
    ? asKindOf(example, other)
    : undefined;
}

function asKindOf(example: Json, value: Json | undefined): Json | undefined {
  const text = value === undefined ? undefined : leafText(value);
  if (text === undefined) return undefined;
  if (typeof example === "string") return text;
  if (typeof example !== "number") return value;
  return Number.isNaN(Number(text)) ? undefined : Number(text);
}

/** A list of which each element is made, in the same way, of an element of a list that was told. */
function ofList(example: readonly Json[], learned: Wish, wanted: Wish, name: string): Json | undefined {
  const [template] = example;
  if (template === undefined) return undefined;
  for (const [key, list] of Object.entries(learned.told)) {
    const others = wanted.told[key];
    if (!Array.isArray(list) || !Array.isArray(others) || list.length !== example.length) continue;
    const withItem = ({ told, task }: Wish, item: Json): Wish => ({
      told: { item, ...told, [key]: [] },
      task,
    });
    const [first = null] = list as readonly Json[];
    const made = (item: Json, by: Wish): Json | undefined =>
      counterpart(template, withItem(learned, first), withItem(by, item), name);
    const isMade = example.every((each, index) => isSame(made(list[index] as Json, learned), each));
    if (isMade) return allKnown((others as readonly Json[]).map((item) => made(item, wanted)));
  }
  return allKnown(example.map((each) => counterpart(each, learned, wanted, name)));
}

function allKnown(values: readonly (Json | undefined)[]): Json | undefined {
  return values.every((value) => value !== undefined) ? values : undefined;
}

/** The text with the values that were told in place of those that were told before. */
function retold(text: string, before: JsonObject, after: JsonObject): string | undefined {
  const found = [...jsonLeaves(before)]
    .map(([path, leaf]): readonly [string, Path] => [leafText(leaf) ?? "", path])
    .filter(([value]) => value.length > 1 && text.includes(value))
    .toSorted(([a], [b]) => b.length - a.length);
  let other = text;
  for (const [value, path] of found) {
    const now = valueAt(after, path);
    const said = now === undefined ? undefined : leafText(now);
    if (said === undefined) return undefined;
    other = other.replaceAll(value, said);
  }
  return other;
}

/** Whether a text stands in another, and not as a part of a word. */
function isSaid(text: string, task: string): boolean {
  if (text === "") return false;
  for (let at = task.indexOf(text); at >= 0; at = task.indexOf(text, at + 1)) {
    const around = [task[at - 1] ?? " ", task[at + text.length] ?? " "];
    if (around.every((character) => !/[\p{L}\p{N}]/u.test(character))) return true;
  }
  return false;
}
