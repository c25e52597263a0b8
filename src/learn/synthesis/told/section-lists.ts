import { isJsonObject } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Expression, Origin } from "../../plan/plan.ts";
import type { CallView, SlotValue } from "../flow-candidates.ts";
import type { KnownList } from "../selection/known-lists.ts";

/** A list below a heading of which the task speaks. */
interface SectionList extends KnownList {
  readonly said: readonly SlotValue[];
  /** The task says the heading in other letters, or as a word for something else. */
  readonly isSpokenOf: boolean;
}

/** The lists of texts that stand below headings of which the task speaks. */
export function sectionLists(
  lists: readonly KnownList[],
  { sample: { task } }: CallView,
  site: string,
): readonly SectionList[] {
  return lists.flatMap(({ list: sections, expression, step }) =>
    sections.flatMap((section, nth): readonly SectionList[] => {
      if (!isJsonObject(section)) return [];
      const { title } = section;
      const isOfText = expression.kind === "field" && expression.path.at(-1) === "sections";
      if (!isOfText || typeof title !== "string" || !task.mentions(title)) return [];
      const slot = `${site}|section`;
      const at: Origin["path"] = [...expression.path, nth, "title"];
      const origins: readonly Origin[] =
        step?.kind === "call" ? [{ call: step.call, at: "result", path: at }] : [];
      const said: SlotValue = {
        slot,
        field: "section",
        value: title,
        origins,
        isOptional: false,
        isHeading: true,
      };
      const found: Expression = {
        kind: "find",
        in: expression,
        where: [{ path: ["title"], equals: { kind: "param", name: slot } }],
      };
      return Object.entries(section).flatMap(([key, list]) =>
        Array.isArray(list)
          ? [
              {
                list,
                expression: fieldExpression(found, [key]),
                step,
                said: [said],
                isSpokenOf: !task.says(title),
              },
            ]
          : [],
      );
    }),
  );
}
