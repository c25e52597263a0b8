import type { TracePath } from "../../plan/plan.ts";
import { SLUG_SEPARATORS, type SlugSeparator, slugOf } from "../../plan/text-part.ts";
import { type ComposedPart, type ComposedText, knownPart, saidPart } from "../composed-text.ts";
import type { CallView, DecisionLookup } from "../flow-candidates.ts";
import { MAX_NAME, slugPart } from "./slugged-part.ts";
import { toldTexts } from "../told/known-texts.ts";

/** A name with an ending, in a folder or behind a kind (`fix/…`). */
const NAME = /^((?:.*\/)?)([^/\s]*?)((?:\.[A-Za-z][A-Za-z0-9]{0,4})?)$/;

/**
 * How the name of a branch or file is made of a text that an answer told, as `417-login-fails` of `Login fails`: with what
 * the caller says, or is known, before and behind it.
 */
export function sluggedTexts(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): readonly ComposedText[] {
  const [, folder = "", name = "", ending = ""] = NAME.exec(value) ?? [];
  if (name === "" || value.length > MAX_NAME || view.sample.task.says(value)) return [];
  return SLUG_SEPARATORS.flatMap((separator): readonly ComposedText[] => {
    const found = slugIn(name, separator, view, place, decisionFor, site);
    if (!found) return [];
    const sides = [folder + name.slice(0, found.start), name.slice(found.end)].map((text, nth) =>
      partsBeside(text, view, decisionFor, `${site}~${nth}`),
    );
    const [before, behind] = sides;
    if (!before || !behind) return [];
    const parts = [...before, found.part, ...behind, ...(ending === "" ? [] : [ending])];
    const whole = parts.map((part) => (typeof part === "string" ? part : part.expression));
    return [
      {
        expression: parts.length === 1 ? found.part.expression : { kind: "template", parts: whole },
        isCertain: true,
        isLikely: true,
        said: parts.flatMap((part) => (typeof part === "string" ? [] : (part.said ?? []))),
        why: "it is a name made of what an answer told",
      },
    ];
  });
}

interface FoundSlug {
  readonly start: number;
  readonly end: number;
  readonly part: ComposedPart;
}

/** The longest part of a name, of several words, that is made of a text. */
function slugIn(
  name: string,
  separator: SlugSeparator,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): FoundSlug | undefined {
  const words = name.split(separator);
  const isLower = name === name.toLowerCase();
  const texts = new Map(
    Array.from(toldTexts(view), ({ text }) => text).flatMap((text) => {
      if (text.length > MAX_NAME) return [];
      const slug = slugOf(text, separator, isLower);
      // A word with a number may as well be the number behind the same word each time.
      const isOfWords = (slug?.match(/[A-Za-z]{2,}/g)?.length ?? 0) > 1;
      return slug === undefined || !isOfWords || slug === text ? [] : [[slug, text] as const];
    }),
  );
  for (let count = words.length; count > 1; count--)
    for (let first = 0; first + count <= words.length; first++) {
      const text = texts.get(words.slice(first, first + count).join(separator));
      if (text === undefined) continue;
      const part = slugPart(text, { separator, isLower }, view, place, decisionFor, site);
      if (!part) continue;
      const start = words.slice(0, first).reduce((length, word) => length + word.length + 1, 0);
      const end = start + words.slice(first, first + count).join(separator).length;
      return { start, end, part };
    }
  return undefined;
}

/** What stands beside it: what is known or said by the task, and signs. Nothing where there is more. */
function partsBeside(
  text: string,
  view: CallView,
  decisionFor: DecisionLookup,
  site: string,
): readonly (string | ComposedPart)[] | undefined {
  if (text === "") return [];
  const folder = text.endsWith("/") ? text.slice(0, -1) : text;
  const known = decisionFor(view, folder);
  const whole = known
    ? knownPart(known)
    : folder !== text && folder.includes("/") && view.sample.task.saysPath(folder)
      ? saidPart({ slot: `${site}~folder`, field: "folder", value: folder })
      : undefined;
  if (whole) return folder === text ? [whole] : [whole, "/"];
  const parts = text.split(/([A-Za-z0-9]+)/).map((run, nth): string | ComposedPart | undefined => {
    if (!/[A-Za-z0-9]/.test(run)) return run;
    const own = decisionFor(view, run);
    if (own) return knownPart(own);
    return view.sample.task.saysPath(run)
      ? saidPart({ slot: `${site} ${nth}`, field: /^\d+$/.test(run) ? "number" : "prefix", value: run })
      : undefined;
  });
  return parts.every((part) => part !== undefined) ? parts.filter((part) => part !== "") : undefined;
}
