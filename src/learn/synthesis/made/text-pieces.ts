import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { toldTexts } from "../told/known-texts.ts";
import { cutsOf, type TextCut } from "../../texts/text-piece.ts";
import type { Expression, TracePath } from "../../plan/plan.ts";
import { type Path, valueAt } from "../../plan/values.ts";
import { FORM_KEYS } from "../../texts/text-form.ts";
import { type CallView, type DecisionLookup, saidFlow, type SlotValue } from "../flow-candidates.ts";

/** A value that is a piece of a short text that was told. */
export interface TextPiece {
  readonly expression: Expression;
  readonly said: readonly SlotValue[];
  /** It hardly is so by chance: a code, the domain of an address, or a number behind its sign. */
  readonly isTelling: boolean;
}

const MAX_TEXTS = 2000;
const MAX_SOURCES = 4;

/**
 * How a value is cut out of a text that an answer told: the first or last of two words, the number behind a sign, a name
 * without its folder or ending, the domain of an address, what stands before or behind a mark. The simplest cut of each text.
 */
export function textPieces(
  value: string | number,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): readonly TextPiece[] {
  const wanted = String(value);
  const pieces = [...new Set(shortTexts(view))]
    .filter((text) => text.length > wanted.length && text.includes(wanted))
    .flatMap((text) => {
      const cut = cutsOf(text).find(({ piece }) => piece === wanted);
      return cut ? [{ text, cut }] : [];
    });
  return pieces.slice(0, MAX_SOURCES).flatMap(({ text, cut }): readonly TextPiece[] => {
    const flow = saidFlow(text, view, place, site, decisionFor);
    if (!flow) return [];
    const { after, before, is } = cut;
    const piece: Expression = { kind: "part", of: flow.expression, after, before, is };
    const expression: Expression =
      typeof value === "number" ? { kind: "cast", of: piece, to: "integer" } : piece;
    return [{ expression, said: flow.slots, isTelling: isCode(cut) }];
  });
}

/** Whether a piece names one thing: a word or a bare number may be a setting or a kind that others have, too. */
function isCode({ piece, after, is }: TextCut): boolean {
  return is === "number" ? after.endsWith("#") : is === "code" && (after === "@" || /\d/.test(piece));
}

/** Whether at a path stands a text, beside what it says. */
function isReadText(value: Json, path: Path): boolean {
  const read = path.at(-1) === "text" ? valueAt(value, path.slice(0, -1)) : undefined;
  return isJsonObject(read) && READ_KEYS.some((key) => Object.hasOwn(read, key));
}

const READ_KEYS = Object.values(FORM_KEYS).flat();

/** Texts that earlier answers told, those of the round first, but for whole texts that are read. */
function* shortTexts(view: CallView): Generator<string> {
  let count = 0;
  for (const { text, value, path } of toldTexts(view)) {
    if (isReadText(value, path)) continue;
    if (++count > MAX_TEXTS) return;
    yield text;
  }
}
