import type { Json } from "../../core/json/json.ts";
import { fieldExpression } from "../plan/expression.ts";
import type { Expression } from "../plan/plan.ts";
import { jsonLeaves, leafText, valueAt } from "../plan/values.ts";
import type { CallView } from "./flow-candidates.ts";
import { knownLists } from "./selection/aggregates.ts";

/** A text in which every element of a list stands, one after the other. */
interface JoinedText {
  readonly expression: Expression;
  /** Nothing is around the elements but what is between them. */
  readonly isCertain: boolean;
  readonly why: string;
}

const MAX_ELEMENTS = 1000;
const MAX_PATHS = 50;

/** How a text is made of all elements of an earlier list, in their order, each written in the same way. */
export function joinedTexts(value: string, view: CallView): readonly JoinedText[] {
  return knownLists(view).flatMap(({ list, expression }): readonly JoinedText[] => {
    const [first] = list;
    if (first === undefined || list.length < 2 || list.length > MAX_ELEMENTS) return [];
    const paths = [...jsonLeaves(first)].map(([path]) => path).slice(0, MAX_PATHS);
    return paths.flatMap((path) => {
      const inside = path.filter((part) => typeof part === "string");
      const texts = list.map((each) => textAt(each, inside));
      return inside.length === path.length && texts.every((text) => text !== undefined)
        ? (joined(value, texts, expression, inside) ?? [])
        : [];
    });
  });
}

function textAt(element: Json, path: readonly string[]): string | undefined {
  const value = valueAt(element, path);
  const text = typeof value === "string" ? value : value === undefined ? undefined : leafText(value);
  return text === "" ? undefined : text;
}

function joined(
  value: string,
  texts: readonly string[],
  list: Expression,
  path: readonly string[],
): JoinedText | undefined {
  const starts: number[] = [];
  let end = 0;
  for (const text of texts) {
    const start = value.indexOf(text, end);
    if (start < 0) return undefined;
    starts.push(start);
    end = start + text.length;
  }
  const between = (nth: number): string =>
    value.slice((starts[nth - 1] ?? 0) + (texts[nth - 1] ?? "").length, starts[nth]);
  const mark = between(1);
  if (!texts.every((_, nth) => nth === 0 || between(nth) === mark)) return undefined;
  const [above, below] = [value.slice(0, starts[0]), value.slice(end)];
  // Where a line ends, an element does.
  const before = commonEnd(above, mark).replace(/^[^]*\n/, "");
  const rest = mark.slice(0, mark.length - before.length);
  const after = commonStart(below, rest).replace(/\n[^]*$/, "");
  const separator = rest.slice(after.length);
  const element = fieldExpression({ kind: "ref", name: EACH }, path);
  const isPlain = before === "" && after === "";
  const each: Expression = isPlain
    ? element
    : { kind: "template", parts: [before, element, after].filter((part) => part !== "") };
  const of: Expression =
    isPlain && path.length === 0 ? list : { kind: "map", over: list, item: EACH, value: each };
  const join: Expression = { kind: "join", of, separator };
  const around = [above.slice(0, above.length - before.length), below.slice(after.length)];
  const parts = [around[0] ?? "", join, around[1] ?? ""].filter((part) => part !== "");
  return {
    expression: parts.length === 1 ? join : { kind: "template", parts },
    isCertain: ![mark, ...around].some((text) => /[\p{L}\p{N}]/u.test(text)),
    why: "it is made of all elements of an earlier list",
  };
}

const EACH = "each";

function commonEnd(a: string, b: string): string {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length === 0 ? "" : b.slice(-length);
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++;
  return b.slice(0, length);
}
