import { isJsonObject, type Json } from "../../core/json/json.ts";
import { valueTexts } from "../plan/value-texts.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import { leafText, jsonLeaves, TaskText } from "../plan/values.ts";

/** A value with which the run of a trace may have been asked for. */
export interface TraceValue {
  readonly value: Json;
  /** Under which names it stands. */
  readonly names: readonly string[];
  /** How unlikely it is that a caller gave it. */
  readonly cost: number;
}

const MAX = { calls: 200, values: 2000, leaves: 20_000, said: 100, depth: 4, list: 200 };

/** Arguments first of all, lists of the arguments of repeated calls, and what both a result and the task tell. */
export function traceValues(trace: RecordedTrace): readonly TraceValue[] {
  const known = cache.get(trace);
  if (known) return known;
  const calls = keptCalls(trace)
    .kept.slice(0, MAX.calls)
    .flatMap((index) => trace.calls[index] ?? []);
  const found = [...argumentValues(calls), ...taskValues(trace, calls), ...wordsIn(trace.task ?? "")];
  cache.set(trace, found);
  return found;
}

// Each skill that is tried asks for the same.
const cache = new WeakMap<RecordedTrace, readonly TraceValue[]>();

function argumentValues(calls: RecordedTrace["calls"]): readonly TraceValue[] {
  const seen = new Set<string>();
  const values: TraceValue[] = [];
  const lists = new Map<string, { readonly name: string; readonly items: Json[] }>();
  for (const { tool, args, result } of calls) {
    for (const { name, place, value } of argumentFields(args, "", "", 0)) {
      if (values.length >= MAX.values) break;
      const texts = textsWithin(value);
      if (!texts) continue;
      values.push({ value, names: [name], cost: texts.some((text) => seen.has(text)) ? 1 : 0 });
      const list = lists.get(`${tool} ${place}`);
      if (!list) lists.set(`${tool} ${place}`, { name, items: [value] });
      else if (list.items.length < MAX.list) list.items.push(value);
    }
    if (seen.size < MAX.leaves) for (const text of valueTexts(result)) seen.add(text);
  }
  const listed = [...lists.values()].map(({ name, items }) => ({ value: items, names: [name], cost: 1 }));
  return [...values, ...listed];
}

/** The texts of a value's leaves; nothing where they are more than an input is likely to have. */
function textsWithin(value: Json): readonly string[] | undefined {
  const leaves = [...jsonLeaves(value).take(MAX.list + 1)];
  return leaves.length > MAX.list ? undefined : leaves.flatMap(([, leaf]) => leafText(leaf) ?? []);
}

interface ArgumentField {
  readonly name: string;
  readonly place: string;
  readonly value: Json;
}

/** Every field of the arguments and every element of their lists, under the name of the field. */
function* argumentFields(value: Json, name: string, place: string, depth: number): Generator<ArgumentField> {
  if (depth > 0) yield { name, place, value };
  if (depth >= MAX.depth) return;
  if (Array.isArray(value))
    for (const each of value as readonly Json[]) yield* argumentFields(each, name, `${place}/*`, depth + 1);
  else if (isJsonObject(value))
    for (const [key, each] of Object.entries(value))
      yield* argumentFields(each, key, `${place}/${key}`, depth + 1);
}

/** What an element was chosen by is seldom an argument: the task and a result tell it. */
function taskValues(trace: RecordedTrace, calls: RecordedTrace["calls"]): readonly TraceValue[] {
  const task = new TaskText(trace.task);
  const said = new Map<Json, string[]>();
  let leaves = 0;
  for (const { result } of calls) {
    for (const [path, value] of jsonLeaves(result)) {
      if (++leaves > MAX.leaves || said.size >= MAX.said) break;
      if (value === null || typeof value === "boolean" || !task.mentions(value)) continue;
      const names = path.filter((part) => typeof part === "string").slice(-2);
      said.set(value, [...(said.get(value) ?? []), ...names].slice(0, 8));
    }
  }
  return [...said].map(([value, names]) => ({ value, names, cost: 1 }));
}

/** What stands in quotation marks, and numbers. */
function wordsIn(task: string): readonly TraceValue[] {
  const text = task.slice(0, 20_000);
  const quoted = [...text.matchAll(/["“'‘]([^"“”'‘’\n]{1,200})["”'’]/g)].flatMap(([, inner]) => inner ?? []);
  const numbers = [...text.matchAll(/(?<![\w.#-])-?\d{1,12}(?:\.\d{1,6})?(?![\w-])/g)].map(([number]) =>
    Number(number),
  );
  return [...quoted, ...numbers].slice(0, MAX.said).map((value) => ({ value, names: [], cost: 2 }));
}
