import type { Expression, TracePath } from "../../plan/plan.ts";
import { subexpressions } from "../../plan/expression.ts";
import { lastName } from "../../plan/parameter-slots.ts";
import type { TaskText } from "../../plan/values.ts";
import { replacedText, textPart } from "../../plan/text-part.ts";
import {
  type Candidate,
  type CallView,
  type DecisionLookup,
  flowCandidates,
  isCredible,
  type SlotValue,
} from "../flow-candidates.ts";
import { composedTexts } from "../composed-text.ts";
import { framedText } from "../made/framed-text.ts";
import type { KnownText } from "../told/known-texts.ts";
import { placesOf } from "../../texts/block-learning.ts";
import { isFilledIn, nameInLabel, onlyLabel } from "./placeholders.ts";

/** An earlier text of which one part is another. */
export interface ChangedText {
  readonly expression: Expression;
  readonly isCertain: boolean;
  readonly isLikely: true;
  readonly said: readonly SlotValue[];
  readonly why: string;
}

/** Whether a text is an earlier one with something in place of what was not known yet. */
export function isFilledInText(value: string, texts: readonly KnownText[], task: TaskText): boolean {
  return texts.some(({ text }) =>
    WIDTHS.some((width) => {
      const { before, after } = differingParts(text, value, width);
      return text !== value && after.length <= MAX_PART && isFilledIn(before, after, task);
    }),
  );
}

/** What answers tell, or what is made of that. */
function toldBy(
  after: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): Pick<ChangedText, "expression" | "said" | "isCertain"> | undefined {
  const told = toldOf(after, view, place, decisionFor, site);
  if (told) return { expression: told, said: [], isCertain: true };
  const [made] = composedTexts(after, view, place, decisionFor, site);
  return made && { expression: made.expression, said: made.said ?? [], isCertain: made.isCertain };
}

/** How something stands behind the only label of a text behind which nothing stood that was known. */
function filledIn(
  before: string,
  { text, expression }: KnownText,
  by: Pick<ChangedText, "expression" | "said" | "isCertain">,
  task: TaskText,
): ChangedText | undefined {
  const [at, ...others] = placesOf(text, before);
  const begin = text.slice(text.lastIndexOf("\n", at) + 1, at);
  const label = others.length === 0 && at !== undefined ? onlyLabel(begin, text) : undefined;
  if (label === undefined || nameInLabel(label, task) !== undefined) return undefined;
  return {
    ...by,
    expression: {
      kind: "replaced",
      of: expression,
      part: constant(label + before),
      by: { kind: "template", parts: [label, by.expression] },
    },
    isLikely: true,
    why: "it is an earlier text with what the caller says where nothing was known",
  };
}

/** How far a part that is another goes: words, with the signs of numbers and names, up to spaces, the line. */
export const WIDTHS: readonly RegExp[] = [
  /[\p{L}\p{N}_]/u,
  /[\p{L}\p{N}_.-]/u,
  /[\p{L}\p{N}_.:-]/u,
  /\S/u,
  /[^\n()[\]<>"|]/,
];

/** How a text is an earlier one in which something of the caller's stands in place of what an answer told, or a mark of another. */
export function changedTexts(
  value: string,
  texts: readonly KnownText[],
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): readonly ChangedText[] {
  return texts.flatMap(({ text, expression }): readonly ChangedText[] => {
    for (const width of text === value ? [] : WIDTHS) {
      const { before, after } = differingParts(text, value, width);
      if (after.length > MAX_PART || replacedText(text, before, after) !== value) continue;
      // Where no word is left of the earlier text, nothing says that it is the same.
      if (!/[\p{L}\p{N}]{2}/u.test(replacedText(text, before, "") ?? "")) continue;
      if (isFilledIn(before, after, view.sample.task)) {
        const made =
          toldBy(after, view, place, decisionFor, site) ?? saidOf(after, view, place, decisionFor, site);
        const filled = made && filledIn(before, { text, expression }, made, view.sample.task);
        if (filled) return [filled];
        continue;
      }
      const by = saidOf(after, view, place, decisionFor, site);
      const part = by && (partIn(before, text, expression) ?? toldOf(before, view, place, decisionFor, site));
      if (by && part)
        return [
          {
            ...by,
            expression: { kind: "replaced", of: expression, part, by: by.expression },
            // What another answer tells may stand in the text by chance.
            isCertain: by.isCertain && isOf(expression, part),
            isLikely: true,
            why: "it is an earlier text with what the caller says in one place",
          },
        ];
      const isMark = [before, after].every((each) => MARK.test(each));
      if (isMark)
        return [
          {
            expression: { kind: "replaced", of: expression, part: constant(before), by: constant(after) },
            isCertain: false,
            isLikely: true,
            said: [],
            why: "it is an earlier text with another mark",
          },
        ];
    }
    return [];
  });
}

const MAX_PART = 300;
/** A box that is ticked or not. */
const MARK = /^\[[ xX~-]?\]$|^[☐☑✓✗✔✘]$/u;

function constant(value: string): Expression {
  return { kind: "constant", value };
}

/** Where two texts differ, as far as what stands there goes. */
function differingParts(
  text: string,
  other: string,
  width: RegExp,
): { readonly before: string; readonly after: string } {
  let begin = 0;
  const most = Math.min(text.length, other.length);
  while (begin < most && text[begin] === other[begin]) begin++;
  let end = 0;
  while (end < most - begin && text.at(-1 - end) === other.at(-1 - end)) end++;
  while (begin > 0 && width.test(text[begin - 1] ?? "")) begin--;
  while (end > 0 && width.test(text.at(-end) ?? "")) end--;
  const trimmed = /^\s*/.exec(text.slice(begin, text.length - end))?.[0] ?? "";
  if (other.startsWith(trimmed, begin)) begin += trimmed.length;
  return { before: text.slice(begin, text.length - end), after: other.slice(begin, other.length - end) };
}

/** What the caller says, with its form. */
function saidOf(
  text: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): Pick<ChangedText, "expression" | "said" | "isCertain"> | undefined {
  const known = decisionFor(view, text);
  if (known) return { expression: known, said: [], isCertain: true };
  if (view.sample.task.saysPath(text) && /[\p{L}\p{N}]/u.test(text)) {
    const slot = `${site}~changed`;
    return {
      expression: { kind: "param", name: slot },
      said: [{ slot, field: lastName(place.path), value: text, origins: [], isOptional: false }],
      isCertain: true,
    };
  }
  const framed = framedText(text, view, place, decisionFor, site);
  return (
    framed && {
      expression: { kind: "template", parts: framed.parts },
      said: framed.said,
      isCertain: framed.isBare,
    }
  );
}

/** Whether an expression, or what it is a part of, is one of those of which another is made. */
function isOf(made: Expression, part: Expression): boolean {
  const inner = new Set(subexpressions(made).map((each) => JSON.stringify(each)));
  return inner.has(JSON.stringify(part.kind === "part" ? part.of : part));
}

/** A part of the only value in a text that is made: all of it, or what stands behind a sign in it. */
function partIn(part: string, text: string, made: Expression): Expression | undefined {
  const parts = made.kind === "template" ? made.parts : [];
  const at = parts.findIndex((each) => typeof each !== "string");
  const [own, ...others] = parts.filter((each) => typeof each !== "string");
  if (!own || others.length > 0) return undefined;
  const [before, after] = [parts.slice(0, at), parts.slice(at + 1)].map((each) =>
    each.filter((text) => typeof text === "string").join(""),
  );
  const value = text.slice(before?.length, text.length - (after?.length ?? 0));
  if (value === part) return own;
  const start = value.indexOf(part);
  const [sign = ""] = /[^\p{L}\p{N}\s]$/u.exec(value.slice(0, Math.max(0, start))) ?? [];
  const [next = ""] = /^[^\p{L}\p{N}]/u.exec(value.slice(start + part.length)) ?? [];
  if (sign === "" || textPart(value, sign, next) !== part) return undefined;
  return { kind: "part", of: own, after: sign, before: next };
}

/** Where an answer tells what stood there. */
export function toldOf(
  text: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): Expression | undefined {
  const known = decisionFor(view, text);
  if (known) return known;
  const isSettled = ({ slots }: Candidate): boolean => slots.length === 0;
  return flowCandidates(text, view, place, site, decisionFor).find(
    (each) => isSettled(each) && isCredible(text, each),
  )?.expression;
}
