import { isJsonObject, type Json } from "../../core/json/json.ts";
import { toolWords } from "../../trace/record/tool-words.ts";
import { camelCase, nameWords, singular, snakeCase } from "../plan/names.ts";
import type { ParameterSlot } from "../plan/parameter-slots.ts";
import { isIdentifier, type Origin } from "../plan/plan.ts";
import { isSame } from "../plan/values.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";

/**
 * For each parameter, which stands for some slots, the names that it may have, the most telling first: the argument's or
 * the selected field's, and where others would be called the same, what tells it from these: where it stands, what is
 * done with it, to what, and which time.
 */
export function parameterNames(
  params: readonly (readonly ParameterSlot[])[],
  trace: Pick<RecordedTrace, "calls"> | undefined,
): readonly (readonly string[])[] {
  const isSnakeCase = params.flat().some(({ field }) => field.includes("_"));
  const known = params.map((group): NamedValue => {
    const slot = group.find(({ origins }) => origins.some(({ at }) => at === "args")) ?? group[0];
    const [origin] = slot?.origins ?? [];
    const call = origin && trace?.calls[origin.call];
    return { base: baseName(slot, origin, call), origin, tool: call?.tool ?? "" };
  });
  const alike = Map.groupBy(known, ({ base }) => base);
  const written = (...words: readonly string[]): string => {
    const [only = "", ...others] = words.filter((word) => word !== "");
    if (others.length === 0) return only;
    return isSnakeCase ? snakeCase(words.join("_")) : camelCase(words.join(" "));
  };
  return known.map((value) => {
    const { base } = value;
    const others = alike.get(base) ?? [];
    if (others.length === 1) return [base];
    const told = QUALIFIERS.map((qualifier) => others.map((each) => qualifier(each, base)));
    const at = others.indexOf(value);
    // Words that tell it from all others, or else from some of them, which then are told apart by their order.
    const best =
      told.find((words) => new Set(words).size === words.length) ??
      told.reduce((most, words) => (new Set(words).size > new Set(most).size ? words : most));
    const word = best[at] ?? "";
    const before = best.slice(0, at).filter((each) => each === word).length;
    return [written(ORDINALS[before] ?? "", word, base), written(word, base), base];
  });
}

interface NamedValue {
  readonly base: string;
  readonly origin: Origin | undefined;
  readonly tool: string;
}

export const ORDINALS = [
  "",
  "second",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
  "tenth",
];

/** What tells a value from others of the same name, the shortest first. */
const QUALIFIERS: readonly ((value: NamedValue, base: string) => string)[] = [
  ({ origin }, base) => parentOf(origin, base),
  ({ tool }) => toolWords(tool)[0] ?? "",
  ({ tool }, base) => withoutBase(singular(toolWords(tool).at(-1) ?? ""), base),
  ({ tool }, base) =>
    toolWords(tool)
      .filter((word) => !base.split("_").includes(word))
      .join("_"),
];

function withoutBase(word: string, base: string): string {
  return nameWords(base).includes(word) ? "" : word;
}

/** The name of what it stands in: `start_date` of `properties.Start Date.type`. */
function parentOf(origin: Origin | undefined, base: string): string {
  const path = origin?.selects?.path ?? origin?.path ?? [];
  const names = path.filter((part) => typeof part === "string");
  const parent = names.at(-2);
  return parent === undefined ? "" : withoutBase(snakeCase(singular(parent)), base);
}

function baseName(
  slot: ParameterSlot | undefined,
  origin: Origin | undefined,
  call: RecordedTrace["calls"][number] | undefined,
): string {
  const { field, values = [] } = slot ?? { field: "value" };
  const name = isIdentifier(field) ? field : snakeCase(field);
  if (!call || origin?.at !== "args") return name;
  const [value] = values;
  if (name === "id") return entityId(call.tool) ?? name;
  if (!VAGUE.has(name) || name === "content" || typeof value !== "string") return name;
  return fieldWith(value, call.result) ?? (EMAIL.test(value) ? "email" : name);
}

/** Names of arguments that tell no more than that there is a value. */
const VAGUE: ReadonlySet<string> = new Set(
  "text query q value input content term search keyword key data param arg argument string s what".split(" "),
);

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** `order_id` for the `id` of `get_order`, where the tool speaks of one thing. */
function entityId(tool: string): string | undefined {
  const [, ...nouns] = toolWords(tool).filter(
    (word) => !/^(?:by|of|for|the|a|details?|info|data)$/.test(word),
  );
  const [only, ...others] = nouns;
  return only === undefined || others.length > 0 ? undefined : `${singular(only)}_id`;
}

/** The one field under which what was found has exactly the value that it was looked for by. */
function fieldWith(value: string, result: Json): string | undefined {
  const found = new Set<string>();
  const open: (readonly [Json, number])[] = [[result, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [each, depth] = next;
    if (depth > MAX_DEPTH) continue;
    if (Array.isArray(each))
      for (const inner of (each as readonly Json[]).slice(0, MAX_LOOKED)) open.push([inner, depth + 1]);
    else if (isJsonObject(each))
      for (const [key, inner] of Object.entries(each)) {
        if (isSame(inner, value)) found.add(key);
        open.push([inner, depth + 1]);
      }
  }
  const [only, ...others] = found;
  return only !== undefined &&
    others.length === 0 &&
    isIdentifier(only) &&
    !nameWords(only).some((word) => VAGUE.has(word))
    ? only
    : undefined;
}

const MAX_DEPTH = 4;
const MAX_LOOKED = 50;
