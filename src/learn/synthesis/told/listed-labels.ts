import type { Json } from "../../../core/json/json.ts";
import { subexpressions } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { type Path, type TaskText, valueAt } from "../../plan/values.ts";
import type { CallView } from "../flow-candidates.ts";

/**
 * Whether a value stands behind a label that is the name of one thing in a list of several (`- Fencing: 40`), of which the
 * task says nothing: another text has other things there.
 */
export function isOfListedLabel(expression: Expression, { sample, names }: CallView): boolean {
  const { task } = sample;
  return subexpressions(expression).some((part) => {
    if (part.kind !== "field" || part.of.kind !== "ref") return false;
    const at = part.path.indexOf("fields");
    const label = at < 0 ? undefined : part.path[at + 1];
    if (label === undefined || task.mentions(label) || task.hintsAt(label)) return false;
    const answer = sample.steps[names.indexOf(part.of.name)]?.value;
    return labelledThings(textAround(answer, part.path.slice(0, at))).includes(label);
  });
}

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
  const lines = [...text.matchAll(LINE)].map(([, sign = "", own = "", value = ""]) => ({
    sign,
    own,
    value,
  }));
  const own = lines.findIndex((line) => plainLabel(line.own) === label);
  const beside = lines.filter(({ sign }) => sign === lines[own]?.sign);
  if (own < 0 || beside.length < MIN_LABELS) return false;
  const isName =
    /^\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)*$/u.test(label) && task.saysInside(label) && task.says(label);
  const areAmounts = lines[own]?.sign !== "" && beside.every(({ value }) => VALUE.test(value));
  return isName || areAmounts;
}

/** The text in which something stands that was read of it. */
function textAround(answer: Json | undefined, path: Path): string {
  const texts = [...path, ""].map((_, nth) => valueAt(answer, [...path.slice(0, nth), "text"]));
  return texts.findLast((text) => typeof text === "string") ?? "";
}

/** A label without the signs that set it off. */
function plainLabel(label: string): string {
  return label.replaceAll(/[*_`]/g, "").trim();
}

/** What stands before the values of a list in a text: of several points, or of lines that all have numbers. */
function labelledThings(text: string): readonly string[] {
  const labels = (line: RegExp): readonly string[] =>
    Array.from(text.matchAll(line), ([, label = ""]) => plainLabel(label));
  const points = labels(POINT);
  const [all, amounts] = [labels(LABELLED), labels(AMOUNT)];
  return points.length > 1 ? points : amounts.length > 2 && amounts.length === all.length ? amounts : [];
}

const POINT = /^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+([^:=\n]+?)[ \t]*[:=]/gm;
const LABELLED = /^[ \t]*([^:=\n]+?)[ \t]*[:=]/gm;
const AMOUNT = /^[ \t]*([^:=\n]+?)[ \t]*[:=][ \t]*-?\d[\d.,]*(?:[ \t]?(?:\p{Sc}|\p{Lu}{3}|%))?[ \t]*$/gmu;
const LINE = /^[ \t]*((?:[-*+•]|\d+[.)])?)[ \t]*([^:=\n]+?)[ \t]*[:=][ \t]*(.*)$/gm;
const VALUE = /^-?\d[\d.,]*(?:[ \t]?(?:\p{Sc}|\p{L}{1,3}|%))?[ \t]*$/u;
