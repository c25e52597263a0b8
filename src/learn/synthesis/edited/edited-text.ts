import type { Expression, TracePath } from "../../plan/plan.ts";
import { subexpressions } from "../../plan/expression.ts";
import { lastName } from "../../plan/parameter-slots.ts";
import { replacedText, replacedTexts } from "../../plan/text-part.ts";
import { fieldAt, labelBefore } from "../composed-text.ts";
import type { CallView, DecisionLookup, SlotValue } from "../flow-candidates.ts";
import { type ChangedText, toldOf, WIDTHS } from "./changed-text.ts";
import type { KnownText } from "../told/known-texts.ts";
import { isUnknownYet } from "./placeholders.ts";

/** From where a text is looked at that may be an earlier one with several parts changed. */
interface EditedPlace {
  readonly view: CallView;
  readonly place: TracePath;
  readonly decisionFor: DecisionLookup;
  readonly site: string;
}

const MAX_EDITS = 8;
const MAX_AFTER = 120;

/**
 * How a text is an earlier one in which several parts are what the caller says: gaps of a template (`{{name}}`), a word that
 * the task says, wherever it stands, and what stands behind a label.
 */
export function editedTexts(
  value: string,
  texts: readonly KnownText[],
  at: EditedPlace,
): readonly ChangedText[] {
  return texts.flatMap(({ text, expression }) => {
    const edits = text === value ? undefined : editsTo(value, text, text, expression, at, []);
    const isOfSeveral = edits && (edits.length > 1 || edits.some(({ count }) => count > 1));
    if (!isOfSeveral) return [];
    return [
      {
        expression: edits.reduce<Expression>(
          (of, { part, by, isEverywhere }) => ({
            kind: "replaced",
            of,
            part,
            by,
            ...(isEverywhere ? { everywhere: true } : {}),
          }),
          expression,
        ),
        isCertain: edits.every(({ isEverywhere }) => isEverywhere),
        isLikely: true as const,
        said: edits.flatMap(({ said }) => said),
        why: "it is an earlier text with what the caller says in several places",
      },
    ];
  });
}

/** A part of a text, and what is in its place. */
interface Edit {
  readonly part: Expression;
  readonly by: Expression;
  readonly isEverywhere: boolean;
  /** At how many places. */
  readonly count: number;
  readonly said: readonly SlotValue[];
}

/** The edits that make a text of another, from its begin on; undefined where one of them is not explained. */
function editsTo(
  value: string,
  current: string,
  original: string,
  of: Expression,
  at: EditedPlace,
  edits: readonly Edit[],
): readonly Edit[] | undefined {
  if (current === value) return edits;
  if (edits.length === MAX_EDITS) return undefined;
  let begin = 0;
  while (begin < current.length && current[begin] === value[begin]) begin++;
  for (const { start, before } of [...saidPhrases(current, begin, at), ...changedParts(current, begin)])
    for (const after of saidAt(value, start, at)) {
      const part = partOf(before, original, of, at, start, current, edits.length);
      const made = part && (part.isEverywhere ? replacedTexts : replacedText)(current, before, after);
      // What comes after it up to the next change is as it was.
      const isOn = made?.slice(0, start + after.length + 1) === value.slice(0, start + after.length + 1);
      if (!part || made === undefined || !isOn) continue;
      const by = saidBy(after, before, value, start, at, edits.length);
      const count = current.split(before).length - 1;
      const edit = { ...part, ...by, count, said: [...part.said, ...by.said] };
      const all = editsTo(value, made, original, of, at, [...edits, edit]);
      if (all) return all;
    }
  return undefined;
}

/** What may be changed where a text differs: a gap of a template, or what goes as far as words, names or the line do. */
function changedParts(
  text: string,
  begin: number,
): readonly { readonly start: number; readonly before: string }[] {
  const gaps = [...text.matchAll(GAPS)].flatMap(({ index, 0: before }) =>
    index <= begin && begin < index + before.length ? [{ start: index, before }] : [],
  );
  const words = WIDTHS.flatMap((width) => {
    let [start, end] = [begin, begin];
    while (start > 0 && width.test(text[start - 1] ?? "")) start--;
    while (end < text.length && width.test(text[end] ?? "")) end++;
    return end > start ? [{ start, before: text.slice(start, end) }] : [];
  });
  return [...gaps, ...words];
}

/** What the task says of the words around a place, the longest first: one word of a name alone is another's, too. */
function saidPhrases(
  text: string,
  begin: number,
  at: EditedPlace,
): readonly { readonly start: number; readonly before: string }[] {
  const from = text.lastIndexOf("\n", begin - 1) + 1;
  const starts = Array.from(
    text.slice(from, begin + 1).matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu),
    ({ index }) => from + index,
  );
  return starts.slice(-MAX_WORDS).flatMap((start) =>
    saidAt(text, start, at)
      .filter((said) => said.includes(" ") && start + said.length > begin)
      .map((before) => ({ start, before })),
  );
}

const MAX_WORDS = 4;

const GAPS =
  /\{\{[^{}\n]{1,60}\}\}|\$\{[^{}\n]{1,60}\}|<[A-Z][A-Z _-]{0,30}>|%[A-Z_]{1,30}%|__[A-Z_]{1,30}__/g;

/** What stands at a place of a text and is known or said by the task, the longest first. */
function saidAt(text: string, start: number, { view, decisionFor }: EditedPlace): readonly string[] {
  const line = /^[^\n]*/.exec(text.slice(start, start + MAX_AFTER))?.[0] ?? "";
  const ends = Array.from(line.matchAll(/[\p{L}\p{N}](?![\p{L}\p{N}])/gu), ({ index }) => index + 1);
  return ends
    .toReversed()
    .map((end) => line.slice(0, end))
    .filter((said) => /^[\p{L}\p{N}]/u.test(said))
    .filter((said) => decisionFor(view, said) !== undefined || view.sample.task.saysPath(said));
}

/** How what was there is found in another text: as it is in a template, by what the task says, or by what the text tells. */
function partOf(
  before: string,
  original: string,
  of: Expression,
  at: EditedPlace,
  start: number,
  current: string,
  nth: number,
): Pick<Edit, "part" | "isEverywhere" | "said"> | undefined {
  const { view, place, decisionFor, site } = at;
  if (new RegExp(`^(?:${GAPS.source})$`).test(before))
    return { part: { kind: "constant", value: before }, isEverywhere: true, said: [] };
  if (!original.includes(before)) return undefined;
  const known = decisionFor(view, before);
  if (known?.kind === "param") return { part: known, isEverywhere: true, said: [] };
  if (/\p{L}{2}/u.test(before) && view.sample.task.saysPath(before)) {
    const slot = `${site}~part ${nth}`;
    const field = `old_${lastName(place.path)}`;
    const said = [{ slot, field, value: before, origins: [], isOptional: false }];
    return { part: { kind: "param", name: slot }, isEverywhere: true, said };
  }
  // In place of what is not known yet, nothing that is known may be replaced.
  if (isUnknownYet(before) && !view.sample.task.asksChange) return undefined;
  // A number or name that the text has elsewhere, too, is told by its label alone.
  const told =
    labelBefore(current.slice(0, start)) === undefined
      ? undefined
      : toldOf(before, view, place, decisionFor, site);
  return told && isOfSame(told, of) ? { part: told, isEverywhere: false, said: [] } : undefined;
}

/** Whether a value is of the answer that a text is of. */
export function isOfSame(told: Expression, of: Expression): boolean {
  const names = (each: Expression): readonly string[] =>
    subexpressions(each).flatMap((part) => (part.kind === "ref" ? [part.name] : []));
  return names(told).some((name) => names(of).includes(name));
}

function saidBy(
  after: string,
  before: string,
  value: string,
  start: number,
  { view, place, decisionFor, site }: EditedPlace,
  nth: number,
): Pick<Edit, "by" | "said"> {
  const known = decisionFor(view, after);
  if (known) return { by: known, said: [] };
  const slot = `${site}~by ${nth}`;
  const [gap = ""] = /[\p{L}][\p{L}\p{N}_ -]*[\p{L}\p{N}]/u.exec(before) ?? [];
  const isGap = new RegExp(`^(?:${GAPS.source})$`).test(before);
  const field = isGap && gap !== "" ? gap : fieldAt(value, start, place.path);
  return {
    by: { kind: "param", name: slot },
    said: [{ slot, field, value: after, origins: [], isOptional: false }],
  };
}
