import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { isMap, type TaskText } from "../../plan/values.ts";
import type { SampleStep } from "../../recording/sample-step.ts";
import { CHECKBOX } from "../../texts/text-form.ts";
import type { CallView, SlotValue } from "../flow-candidates.ts";

const MAX_LISTS = 200;
const MAX_DEPTH = 4;

export interface KnownList {
  readonly list: readonly Json[];
  readonly expression: Expression;
  /** Whose answer it is. */
  readonly step?: SampleStep | undefined;
  /** What the caller says of where it stands. */
  readonly said?: readonly SlotValue[] | undefined;
  /** By what the thing is told in which it stands, where that is the caller's. */
  readonly names?: readonly { readonly expression: Expression; readonly value: string }[] | undefined;
}

/**
 * The lists at fixed places of what is known before a call, the latest first, and those below a heading of a text of which the
 * task speaks: then it means no list of the whole text.
 */
export function knownLists(view: CallView, site = ""): readonly KnownList[] {
  const { sample, names, before, scope } = view;
  const found: KnownList[] = [];
  const visit = (value: Json, expression: Expression, depth: number, step?: SampleStep): void => {
    if (found.length >= MAX_LISTS || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) found.push({ list: value as readonly Json[], expression, step });
    else if (isJsonObject(value) && isMap(value))
      found.push({ list: Object.values(value), expression: { kind: "values", of: expression }, step });
    else if (isJsonObject(value)) {
      const below = listsBelow(value, expression, sample.task, site, step);
      found.push(...below);
      for (const [key, each] of Object.entries(value))
        if (key !== "blocks" || below.length === 0)
          visit(each, fieldExpression(expression, [key]), depth + 1, step);
    }
  };
  for (const { name, value } of scope.toReversed()) visit(value, { kind: "ref", name }, 0);
  for (const [index, name] of [...names.slice(0, before).entries()].toReversed())
    if (name !== undefined)
      visit(sample.steps[index]?.value ?? null, { kind: "ref", name }, 0, sample.steps[index]);
  return found;
}

/** The lists below each heading of a text of which the task speaks, which the caller says, or may say where it is no name there. */
function listsBelow(
  { sections }: JsonObject,
  of: Expression,
  task: TaskText,
  site: string,
  step: SampleStep | undefined,
): readonly KnownList[] {
  if (!Array.isArray(sections)) return [];
  const spoken = (sections as readonly Json[]).filter(
    (section) => isJsonObject(section) && task.mentions(section["title"] ?? null),
  );
  return spoken.flatMap((section, nth): readonly KnownList[] => {
    if (!isJsonObject(section)) return [];
    const { title, ...parts } = section;
    if (typeof title !== "string") return [];
    const slot = `${site}~section${nth}`;
    const said: SlotValue = {
      slot,
      field: "section",
      value: title,
      origins: [],
      isOptional: false,
      isHeading: true,
      isDefault: !task.says(title),
    };
    const equals: Expression = { kind: "param", name: slot };
    const one: Expression = {
      kind: "find",
      in: fieldExpression(of, ["sections"]),
      where: [{ path: ["title"], equals }],
    };
    const names = [{ expression: equals, value: title }];
    return Object.entries(parts).flatMap(([key, each]) => {
      const list = Array.isArray(each) ? (each as readonly Json[]) : undefined;
      return list ? [{ list, expression: fieldExpression(one, [key]), step, said: [said], names }] : [];
    });
  });
}

/** Whether a list has only those things to do of a text that have one sign for whether they are done. */
export function isOfOneSign({ expression, step }: KnownList, { sample }: CallView): boolean {
  const as = expression.kind === "field" ? expression.path.at(-1) : undefined;
  const { reads = [] } = sample.trace.calls[step?.kind === "call" ? step.call : -1] ?? {};
  const parts = reads.flatMap(({ forms }) =>
    forms.flatMap((form) => (form.kind === "blocks" ? form.parts : [])),
  );
  return parts.some((part) => part.as === as && CHECKBOX.test(part.start?.begins ?? ""));
}
