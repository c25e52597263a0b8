import type { Expression, TracePath } from "../../plan/plan.ts";
import { isOfValueKind } from "../../expectations/value-kind.ts";
import { lastName } from "../../plan/parameter-slots.ts";
import { jsonLeaves } from "../../plan/values.ts";
import { composedTexts } from "../composed-text.ts";
import type { CallView, DecisionLookup, SlotValue } from "../flow-candidates.ts";
import type { JoinedText } from "../joined-texts.ts";
import { framedText } from "./framed-text.ts";
import { answeredTexts, type KnownText } from "../told/known-texts.ts";
import { asCells, extendedTable } from "./table-row.ts";

/** A whole earlier text with what the caller says before or after it. */
interface ExtendedText {
  readonly expression: Expression;
  readonly isCertain: boolean;
  readonly isLikely: true;
  readonly said: readonly SlotValue[];
  readonly why: string;
}

/** How a text is the whole of an earlier one with something of the caller's added at its begin or end. */
export function extendedTexts(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
  joinedIn: (added: string) => readonly JoinedText[],
): readonly ExtendedText[] {
  const lines = editedLines(value, view, decisionFor);
  return [...lines, ...answeredTexts(view)].flatMap((known): readonly ExtendedText[] => {
    const { text, expression } = known;
    const isBegin = value.startsWith(text);
    if (text.length >= value.length || (!isBegin && !value.endsWith(text))) return [];
    const added = isBegin ? value.slice(text.length) : value.slice(0, -text.length);
    const table = isBegin ? extendedTable(added, known, view, place, decisionFor, site) : undefined;
    if (table)
      return [
        {
          expression: { kind: "template", parts: table.parts },
          isCertain: table.isCertain && !mayStandElsewhere(text, view),
          isLikely: true,
          said: table.said,
          why: "it is an earlier table with a row of what answers tell",
        },
      ];
    // The number of an item is of this run.
    if (isBegin && NUMBERED.test(added)) return [];
    const made = addedParts(added, view, place, decisionFor, site, joinedIn);
    if (!made) return [];
    const end = isBegin ? endKind(text, added) : undefined;
    const whole: Expression =
      end !== undefined && (expression.kind === "field" || expression.kind === "ref")
        ? { ...expression, as: end }
        : expression;
    const isAtEnd = !LISTED.test(added) || (end !== undefined && end !== "lines");
    const own = isRow(added, text) ? asCells(made.parts) : made.parts;
    const parts = isBegin ? [whole, ...own] : [...own, expression];
    return [
      {
        expression: { kind: "template", parts },
        isCertain: made.isBare && isAtEnd && !mayStandElsewhere(text, view),
        isLikely: true,
        said: made.said,
        why: "it is an earlier text with what the caller adds",
      },
    ];
  });
}

/** What an edit replaces by a text that has it whole: lines with their ends, which have been decided on. */
function editedLines(value: string, view: CallView, decisionFor: DecisionLookup): readonly KnownText[] {
  const { args = {} } = view.sample.trace.calls[view.call] ?? {};
  return [...jsonLeaves(args)].flatMap(([, leaf]): readonly KnownText[] => {
    const isPart = typeof leaf === "string" && /\S\n$/.test(leaf) && value !== leaf && value.startsWith(leaf);
    const expression = isPart ? decisionFor(view, leaf) : undefined;
    return typeof leaf === "string" && expression ? [{ text: leaf, expression }] : [];
  });
}

const NUMBERED = /^\s*\d+[.)]\s/;
const LISTED = /^\s*[-*+] /;

/**
 * What a text has to be so that what is added stands at its end: behind a last line without an end it would stand in it, and
 * an item of a list stands below the last of its kind.
 */
function endKind(text: string, added: string): "lines" | "dashes" | "boxes" | undefined {
  const lines = added.trimEnd().split("\n");
  const kinds = ["dashes", "boxes", "lines"] as const;
  return kinds.find(
    (kind) =>
      isOfValueKind(text, kind) &&
      (kind === "lines" || lines.every((line) => isOfValueKind(`${line}\n`, kind))),
  );
}

/** Whether the task says a heading of the text, an order of its lines, or when nothing is added: it may be the end by chance. */
function mayStandElsewhere(text: string, { sample: { task } }: CallView): boolean {
  const headings = [...text.matchAll(/^#{1,6} +(.*\S)|^(\p{L}.*):[ \t]*$/gmu)].map(([, ...said]) =>
    said.join(""),
  );
  const isBelow = headings.length > 1 && headings.some((heading) => task.mentions(heading));
  return isBelow || task.exceptions().length > 0 || task.saysOrder;
}

/** Whether a line that is added is a row, as the first line of the text is. */
function isRow(added: string, text: string): boolean {
  const countIn = (line = ""): number => (/, /.test(line) ? 0 : line.split(",").length - 1);
  const [first] = text.split("\n");
  return countIn(first) > 0 && countIn(first) === countIn(added.trim().split("\n").at(-1));
}

/** What is added, of which the caller says something. */
function addedParts(
  added: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
  joinedIn: (added: string) => readonly JoinedText[],
): ReturnType<typeof framedText> {
  const framed = framedText(added, view, place, decisionFor, site);
  if (framed) return framed;
  const composed = composedTexts(added, view, place, decisionFor, site, true).find(
    ({ isCertain, isLikely }) => isCertain || isLikely,
  );
  if (composed) return { parts: [composed.expression], said: composed.said, isBare: composed.isCertain };
  const lines = joinedIn(added).find(({ isCertain, isLikely }) => isCertain || isLikely === true);
  if (lines) return { parts: [lines.expression], said: lines.said ?? [], isBare: lines.isCertain };
  const text = added.trim();
  const known = decisionFor(view, text);
  const isSaid = text !== "" && view.sample.task.says(text);
  if (!known && !isSaid) return undefined;
  const slot = `${site}~added`;
  const at = added.indexOf(text);
  const [before, after] = [added.slice(0, at), added.slice(at + text.length)] as const;
  const part: Expression = known ?? { kind: "param", name: slot };
  return {
    parts: [before, part, after].filter((each) => each !== ""),
    said: known ? [] : [{ slot, field: lastName(place.path), value: text, origins: [], isOptional: false }],
    isBare: true,
  };
}
