import type { Json } from "../../../core/json/json.ts";
import { type Path, type TaskText, valueAt } from "../../plan/values.ts";

const MIN_LABELS = 3;

/**
 * Whether a value stands behind a label that is one of several things in a text (`Tuesday: 9:15 to 17:30`), and the task says
 * which: another caller says another, so that it is no label that every text has. `path`: in the answer.
 */
export function isOfSaidLabel(path: Path, answer: Json | undefined, task: TaskText): boolean {
  const at = path.lastIndexOf("fields");
  const label = at < 0 ? undefined : path[at + 1];
  if (typeof label !== "string" || !task.mentions(label)) return false;
  const text = textAround(answer, path.slice(0, at));
  const lines = [...text.matchAll(LABELLED)].map(([, sign = "", own = "", value = ""]) => ({
    sign,
    own,
    value,
  }));
  const own = lines.findIndex((line) => line.own.replaceAll(/[*_`]/g, "").trim() === label);
  const beside = lines.filter(({ sign }) => sign === lines[own]?.sign);
  if (own < 0 || beside.length < MIN_LABELS) return false;
  const isName =
    /^\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)*$/u.test(label) && task.saysInside(label) && task.says(label);
  const areAmounts = lines[own]?.sign !== "" && beside.every(({ value }) => AMOUNT.test(value));
  return isName || areAmounts;
}

/** The text in which something stands that was read of it. */
function textAround(answer: Json | undefined, path: Path): string {
  const texts = [...path, ""].map((_, nth) => valueAt(answer, [...path.slice(0, nth), "text"]));
  return texts.findLast((text) => typeof text === "string") ?? "";
}

const LABELLED = /^[ \t]*((?:[-*+•]|\d+[.)])?)[ \t]*([^:=\n]+?)[ \t]*[:=][ \t]*(.*)$/gm;
const AMOUNT = /^-?\d[\d.,]*(?:[ \t]?(?:\p{Sc}|\p{L}{1,3}|%))?[ \t]*$/u;
