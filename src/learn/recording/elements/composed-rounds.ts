import type { Json } from "../../../core/json/json.ts";
import { jsonLeaves, leafText, type Path, valueAt } from "../../plan/values.ts";
import { SLUG_SEPARATORS, slugOf } from "../../plan/text-part.ts";
import { partedTime, partsOfTime } from "../../synthesis/dates.ts";
import { cutsOf, textPiece } from "../../texts/text-piece.ts";
import { sharedParts } from "../../texts/shared-parts.ts";

/** Whether texts are made in each round of several values of it, in the same way. */
export function isComposed(
  values: readonly (Json | undefined)[],
  sources: readonly (readonly Json[])[],
  places: ReadonlyMap<string, readonly (readonly [number, Path])[]>,
): boolean {
  if (values.length < 2 || !values.every((value) => typeof value === "string" && value.length <= MAX_TEXT))
    return false;
  const fields = [...places.values()].flat().flatMap(([source, inside]) => {
    const texts = values.map((_, round) => {
      const told = onlyValueAt(sources[round]?.[source], inside);
      return told === undefined ? undefined : leafText(told);
    });
    return texts.every((text) => text !== undefined && text.length > 1) ? [texts as readonly string[]] : [];
  });
  const others = [...fields.flatMap(timesOf), ...fields.flatMap(piecesOf), ...fields.flatMap(slugsOf)];
  const isPiece = others.some(({ texts }) => texts.every((text, round) => text === values[round]));
  return (
    isPiece ||
    areDaysWithTimes(values as readonly string[], [...fields, ...others.map(({ texts }) => texts)]) ||
    sharedParts(values as readonly string[], [...fields.map((texts) => ({ texts })), ...others]) !== undefined
  );
}

const MAX_TEXT = 1000;

/** Whether texts are a day and a time of each round, put together. */
function areDaysWithTimes(values: readonly string[], told: readonly (readonly string[])[]): boolean {
  const parted = values.flatMap((value) => partedTime(value) ?? []);
  return (
    parted.length === values.length &&
    told.some((texts) => parted.every(({ day }, round) => texts[round] === day)) &&
    told.some((texts) => parted.every(({ times }, round) => times.includes(texts[round] ?? "")))
  );
}

/** Of days with their times, the times and the days. */
function timesOf(texts: readonly string[]): readonly { readonly texts: readonly string[] }[] {
  const parts = texts.map(partsOfTime);
  return (parts[0] ?? []).flatMap((_, nth) => {
    const all = parts.flatMap((each) => each[nth]?.text ?? []);
    return all.length === texts.length ? [{ texts: all }] : [];
  });
}

/** Texts as the names of files have them, where these are others. */
function slugsOf(texts: readonly string[]): readonly { readonly texts: readonly string[] }[] {
  return SLUG_SEPARATORS.flatMap((separator) => {
    const all = texts.flatMap((text) => slugOf(text, separator, true) ?? []);
    return all.length === texts.length && all.join() !== texts.join() ? [{ texts: all }] : [];
  });
}

/** Of texts, the pieces that are cut out of each in the same way. */
function piecesOf(texts: readonly string[]): readonly { readonly texts: readonly string[] }[] {
  return cutsOf(texts[0] ?? "").flatMap(({ after, before, is }) => {
    const all = texts.flatMap((text) => textPiece(text, after, before, is) ?? []);
    return all.length === texts.length ? [{ texts: all }] : [];
  });
}

/** What stands at a path on which every list has one element, or nothing. */
export function onlyValueAt(value: Json | undefined, path: Path): Json | undefined {
  const isOnly = path.every((part, at) => {
    const list = typeof part === "number" ? valueAt(value, path.slice(0, at)) : undefined;
    return !Array.isArray(list) || list.length === 1;
  });
  return isOnly ? valueAt(value, path) : undefined;
}

/** By text, where it stands in sources, other than in lists of several. */
export function placesIn(
  sources: readonly Json[],
): ReadonlyMap<string, readonly (readonly [number, Path])[]> {
  const places = new Map<string, (readonly [number, Path])[]>();
  for (const [index, source] of sources.entries())
    for (const [path, leaf] of jsonLeaves(source)) {
      const text = leafText(leaf);
      if (text === undefined || onlyValueAt(source, path) === undefined) continue;
      const known = places.get(text);
      if (known) known.push([index, path]);
      else places.set(text, [[index, path]]);
    }
  return places;
}
