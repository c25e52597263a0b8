import type { TracePath } from "../../plan/plan.ts";
import { hasGap, isProgram } from "../../plan/values.ts";
import {
  composedPart,
  type ComposedPart,
  type ComposedText,
  fieldAt,
  holdsData,
  isSaidByNames,
  labelBefore,
  partsOf,
  saidPart,
  templateOf,
  withOneSlotEach,
} from "../composed-text.ts";
import type { CallView, DecisionLookup } from "../flow-candidates.ts";
import { isApart } from "./framed-text.ts";

const MAX_TEXT = 2000;

/**
 * How a text is made as the task dictates it in pieces: its labels (`"To:" and the address`) and its sentences with gaps are
 * the form, with what answers tell behind and in them; lines and other words that the task says are the caller's.
 */
export function dictatedTexts(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): readonly ComposedText[] {
  const { task } = view.sample;
  if (value.length > MAX_TEXT || task.quotes.length === 0 || task.says(value) || isProgram(value)) return [];
  const slots = new Map<string, string>();
  const said = (run: string, at: number): ComposedPart => {
    const slot = slots.get(run) ?? `${site}~said ${slots.size}`;
    slots.set(run, slot);
    return saidPart({ slot, field: fieldAt(value, at, place.path), value: run });
  };
  const partAt = (run: string, at: number): ComposedPart | undefined => {
    if (isLine(run, value, at) && task.saysUnquoted(run)) return said(run, at);
    const label = labelBefore(value.slice(0, at));
    const part = composedPart(run, view, place, decisionFor, 0, { label, site: `${site}~${at}`, things: [] });
    if (part) return part;
    const isCaller = isDataOfCaller(run, value, at, view) || isWordOfCaller(run, value, at, view);
    return isCaller ? said(run, at) : undefined;
  };
  const parts = withOneSlotEach(partsOf(value, partAt));
  const made = parts.filter((part) => typeof part !== "string");
  const isTold = made.some((part) => !part.isGiven) && made.every((part) => part.isCertain);
  const words = parts.filter((part) => typeof part === "string");
  const isWorded =
    made.some((part) => part.said !== undefined && part.said.length > 0) ||
    words.some((text) => /\p{L}/u.test(text));
  if (!isTold || !isWorded || !words.every((text) => isDictated(text, made, view))) return [];
  return [
    {
      expression: templateOf(parts),
      isCertain: false,
      isLikely: true,
      said: made.flatMap((part) => part.said ?? []),
      why: "the task dictates it, with what answers tell in it",
    },
  ];
}

/** Whether a part is a whole line, and says more than a word. */
function isLine(run: string, value: string, at: number): boolean {
  return (
    /\S\s\S/.test(run) &&
    /(?:^|\n)$/.test(value.slice(0, at)) &&
    /^(?:\n|$)/.test(value.slice(at + run.length))
  );
}

/** Whether a part is a number, day, id or address that the task says, or a name that it says elsewhere than in quotes. */
function isDataOfCaller(run: string, value: string, at: number, { sample: { task } }: CallView): boolean {
  if (!isApart(run, value, at) || !task.saysPath(run)) return false;
  if (/^[\p{L}\p{N}](?:\S*[\p{L}\p{N}])?$/u.test(run) && /[\d@]/.test(run)) return true;
  const isName = /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)*$/u.test(run);
  return isName && task.saysUnquoted(run) && task.saysInside(run);
}

/** Whether a part is words that the task has in quotes, and that are neither a label nor of a sentence with gaps. */
function isWordOfCaller(run: string, value: string, at: number, { sample: { task } }: CallView): boolean {
  const isApart =
    !/[\p{L}\p{N}]$/u.test(value.slice(0, at)) && !/^[\p{L}\p{N}]/u.test(value.slice(at + run.length));
  return (
    isApart &&
    /^\p{L}[^:=]*$/u.test(run) &&
    task.quotes.some((quote) => !hasGap(quote) && !ENDS_AS_LABEL.test(quote) && withoutSigns(quote) === run)
  );
}

const ENDS_AS_LABEL = /[:=]\s*$/;
/** A name inside of a sentence: another caller may say another one. */
const NAME_INSIDE = /[\p{L}\p{N},;] \p{Lu}[\p{L}'’-]*\p{Ll}/u;

/** Whether all words between values are labels or pieces of sentences with gaps that the task has in quotes, or what a value is called. */
function isDictated(text: string, made: readonly ComposedPart[], { sample: { task } }: CallView): boolean {
  if (holdsData(text) || NAME_INSIDE.test(text)) return false;
  return text.split("\n").every((piece) => {
    const words = withoutSigns(piece);
    const isLabel = /\p{L}\s?[:=]\s*$/u.test(piece);
    return (
      words === "" ||
      (isLabel && isSaidByNames(words, made)) ||
      task.quotes.some((quote) =>
        hasGap(quote)
          ? hasPiece(quote, words)
          : isLabel && withoutSigns(quote) === words && ENDS_AS_LABEL.test(quote),
      )
    );
  });
}

/** Whether words stand in a text as whole ones. */
function hasPiece(text: string, words: string): boolean {
  const at = text.indexOf(words);
  return (
    at >= 0 &&
    !/[\p{L}\p{N}]$/u.test(text.slice(0, at)) &&
    !/^[\p{L}\p{N}]/u.test(text.slice(at + words.length))
  );
}

function withoutSigns(text: string): string {
  return text.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}
