import type { Json } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { valueAt } from "../../plan/values.ts";
import { pathInAll } from "../../recording/elements/zipped-elements.ts";
import type { SampleLoop } from "../../recording/sample-step.ts";
import type { CallView, Candidate } from "../flow-candidates.ts";
import { knownLists } from "./known-lists.ts";

const MAX_ZIPPED = 3;

/** How what the caller gives for each round stands at the same position of two lists, each from one to its last element. */
export function zippedLists({ elements, given }: SampleLoop, view: CallView): readonly Candidate[] {
  const names = (given?.fields ?? []).map(({ name }) => name);
  if (names.length < 2) return [];
  const pathsIn = (list: readonly Json[]): ReadonlyMap<string, readonly string[]> =>
    new Map(
      names.flatMap((name) => {
        const path = pathInAll(
          list,
          elements.map((element) => valueAt(element, [name]) ?? null),
        );
        return path ? [[name, path] as const] : [];
      }),
    );
  const lists = knownLists(view)
    .map((known) => ({ known, paths: pathsIn(known.list) }))
    .filter(({ paths }) => paths.size > 0);
  const found = lists.flatMap((left, nth) =>
    lists.slice(nth + 1).flatMap((right): readonly Candidate[] => {
      const fields = names.flatMap((name) => {
        const side = left.paths.has(name) ? ("left" as const) : ("right" as const);
        const path = left.paths.get(name) ?? right.paths.get(name);
        return path ? [{ name, value: fieldExpression(PAIR, [side, ...path]), side }] : [];
      });
      if (fields.length < names.length || new Set(fields.map(({ side }) => side)).size < 2) return [];
      const over: Expression = {
        kind: "zip",
        left: left.known.expression,
        right: right.known.expression,
      };
      const value: Expression = {
        kind: "object",
        fields: fields.map((field) => ({ name: field.name, value: field.value })),
      };
      return [
        {
          expression: { kind: "map", over, item: "pair", value },
          slots: [],
          score: 0,
          why: "they stand at the same positions of two lists",
          place: "[]",
          affinity: 0,
          isNear: true,
        },
      ];
    }),
  );
  return found.slice(0, MAX_ZIPPED);
}

const PAIR: Expression = { kind: "ref", name: "pair" };
