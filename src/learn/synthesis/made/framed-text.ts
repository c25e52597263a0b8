import type { Expression, TracePath } from "../../plan/plan.ts";
import { soundsReading } from "../../plan/tool-effects.ts";
import { DATE_PREFIX, isEntityName, isState, jsonLeaves, type TaskText } from "../../plan/values.ts";
import {
  fieldAt,
  holdsData,
  labelBefore,
  type ComposedPart,
  knownPart,
  partsOf,
  saidPart,
} from "../composed-text.ts";
import type { CallView, DecisionLookup, SlotValue } from "../flow-candidates.ts";

/** A text of which all is the form of the work but what the caller says. */
export interface FramedText {
  readonly parts: readonly (string | Expression)[];
  readonly said: readonly SlotValue[];
  /** Nothing stands around what is said but signs, labels and the times at which a day begins and ends. */
  readonly isBare: boolean;
}

const MAX_TEXT = 2000;
/** A line of a list or of a file, or lines, which end as lines do: what the task says is between a mark and the end. */
const SAID_LINES =
  /^(?<before>[ \t\r\n]*(?:(?:[-*+]|#{1,6}|\[[ x]\]) +)*)(?<lines>\S(?:[^]*\S)?)(?<after>[ \t\r\n]*)$/u;
/** A pattern of the names of files, of which the task says how they end. */
const FILES = /^((?:\*\*\/)?\*)(\.\p{L}[\p{L}\p{N}]{0,9})$/u;
/** More words than these around what is said are prose, which each caller words otherwise. */
const MAX_WORDS = 3;

/**
 * How a text is what the task says with a form around it, such as `from:ada@example.org`, `2026-03-04T00:00:00` or
 * `Closes #12`; undefined where what stands around could be about this run alone.
 */
export function framedText(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): FramedText | undefined {
  if (value.length > MAX_TEXT) return undefined;
  const { before, lines, after } = SAID_LINES.exec(value)?.groups ?? {};
  if (lines !== undefined && lines !== value && view.sample.task.says(lines)) {
    const part = saidPart({
      slot: `${site}~line`,
      field: fieldAt(value, (before ?? "").length, place.path),
      value: lines,
    });
    return {
      parts: [before ?? "", part.expression, after ?? ""].filter((part) => part !== ""),
      said: part.said ?? [],
      isBare: true,
    };
  }
  if (view.sample.task.says(value)) return undefined;
  const [, files = "", ending = ""] = FILES.exec(value) ?? [];
  if (ending !== "" && view.sample.task.saysEnding(ending)) {
    const slot = `${site}~ending`;
    const part = saidPart({
      slot,
      field: `${fieldAt(value, files.length, place.path)}_ending`,
      value: ending,
    });
    return { parts: [files, part.expression], said: part.said ?? [], isBare: true };
  }
  const fields = new Map<string, number>();
  const slots = new Map<string, ComposedPart>();
  let unnamed = 0;
  const partAt = (run: string, at: number): ComposedPart | undefined => {
    const before = value.slice(0, at);
    const known = isEntityName(run) ? decisionFor(view, run) : undefined;
    if (known && isApart(run, value, at)) return knownPart(known);
    const earlier = slots.get(run);
    if (earlier) return earlier;
    if (!isSaidPart(run, value, at, view)) return undefined;
    const named = fieldOf(run, before);
    if (named === undefined) unnamed++;
    const field = named ?? fieldAt(value, at, place.path);
    const nth = fields.get(field) ?? 0;
    fields.set(field, nth + 1);
    const part = saidPart({ slot: `${site}~${field}${nth === 0 ? "" : ` ${nth}`}`, field, value: run });
    slots.set(run, part);
    return part;
  };
  const parts = partsOf(value, partAt, /\p{L}+|\p{N}+/gu);
  const made = parts.filter((part) => typeof part !== "string");
  // Several parts that nothing names are prose, which another caller would word otherwise.
  if (made.length === 0 || made.length === parts.length || unnamed > 1) return undefined;
  // What stands behind a label that the task says is what the label is for.
  const isFilled = parts.some((part, nth) => {
    const [label, behind] = [parts[nth - 1], part];
    const isLabel = typeof label === "object" && label.said?.some(({ value: said }) => isLabelText(said));
    return isLabel === true && typeof behind === "string" && /[\p{L}\p{N}]/u.test(behind);
  });
  if (isFilled) return undefined;
  const { task } = view.sample;
  const around = parts.map((part, nth) =>
    typeof part === "string" ? unlabelled(part, nth > 0, nth < parts.length - 1, task) : "",
  );
  const words = around.flatMap((text) => text.match(/[\p{L}\p{N}]+/gu) ?? []);
  const isBare = words.length === 0;
  const isForm = isBare || (words.length <= MAX_WORDS && areOfForm(words, view));
  // A number is what this run told or counted, however small it is.
  if (!isForm || around.some(holdsData) || words.some((word) => /\p{N}/u.test(word))) return undefined;
  return {
    parts: parts.map((part) => (typeof part === "string" ? part : part.expression)),
    said: made.flatMap(({ said = [] }) => said),
    isBare,
  };
}

function isLabelText(said: unknown): boolean {
  return typeof said === "string" && /[:=]$/.test(said);
}

/** What stands before or after what is said, without a label (`from:`), and the times at which a day begins and ends. */
function unlabelled(text: string, isAfter: boolean, isBefore: boolean, task: TaskText): string {
  const rest = isAfter ? text.replace(DAY_ENDS, "") : text;
  const [, before = "", label = ""] = isBefore
    ? (/^([^]*?)([\p{L}_][\p{L}\p{N}_-]*)\s?[:=]\s?["']?$/u.exec(rest) ?? [])
    : [];
  return label !== "" && isLabel(label, task) && !/[\p{L}\p{N}]$/u.test(before) ? before : rest;
}

// Other days may have another offset where the time changes in summer.
const DAY_ENDS =
  /^T(?:00:00|23:59)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]00:00)?(?![\p{L}\p{N}:+-])|^T$|^Z(?![\p{L}\p{N}])/u;

/** Whether a word is what values are called by, and no name that the task says. */
function isLabel(word: string, task: TaskText): boolean {
  return !task.mentions(word) || task.says(word.toLowerCase());
}

/** Whether the task says a part by itself, as a name, a number, or a word that a label introduces. */
function isSaidPart(run: string, value: string, at: number, { sample: { task } }: CallView): boolean {
  if (!task.saysPath(run) || !isApart(run, value, at)) return false;
  const isIntroducing = /^["']?\s?[:=]/.test(value.slice(at + run.length));
  if (isIntroducing && /^\p{L}+$/u.test(run) && isLabel(run, task)) return false;
  if (/^\d+$/.test(run)) return true;
  // A short word, as the `I` of a sentence, is no name.
  if (/^\p{L}{1,2}$/u.test(run)) return false;
  const label = labelBefore(value.slice(0, at));
  if (label !== undefined && isState(run)) return true;
  const names = run.match(/[\p{L}\p{N}]*(?:\p{Lu}|\p{N})[\p{L}\p{N}]*/gu) ?? [];
  return (
    isEntityName(run) &&
    (/[@#/]/.test(run) || names.some((name) => /\p{N}/u.test(name) || task.saysInside(name)))
  );
}

/** Whether a part is no part of a longer word, number or path there. */
export function isApart(run: string, value: string, at: number): boolean {
  const [before, after] = [value.slice(0, at), value.slice(at + run.length)];
  const isDate = DATE_PREFIX.test(run) && /^T\d/.test(after);
  const isTime = /^\d{2}:\d{2}/.test(run) && /\dT$/.test(before);
  return (
    (isTime || !/[\p{L}\p{N}_/-]$|\d[.:,]$|\p{L}['’]$/u.test(before)) &&
    (isDate || !/^(?:[\p{L}\p{N}_/-]|[.:,]\d|['’]\p{L})/u.test(after))
  );
}

/** Whether words are neither what the task speaks of nor, in what may write, what an answer tells: others would have the same. */
function areOfForm(words: readonly string[], { sample, call, before }: CallView): boolean {
  const telling = words.filter((word) => word.length > 3);
  if (telling.some((word) => sample.task.mentions(word))) return false;
  if (soundsReading(sample.trace.calls[call]?.tool ?? "")) return true;
  const told = sample.steps
    .slice(0, before)
    .flatMap(({ value }) => Array.from(jsonLeaves(value), ([, leaf]) => leaf))
    .filter((leaf) => typeof leaf === "string")
    .map((text) => text.toLowerCase());
  return !telling.some((word) => told.some((text) => text.includes(word.toLowerCase())));
}

/** What a part is called by its own form. */
function fieldOf(run: string, before: string): string | undefined {
  const label = labelBefore(before);
  if (label !== undefined) return label;
  if (DATE_PREFIX.test(run)) return "date";
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(run) ? "email" : undefined;
}
