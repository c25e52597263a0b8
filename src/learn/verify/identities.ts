import { isOpaqueId, leafText, isMap } from "../plan/values.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";

/**
 * What a date, a time, a decimal, a version, an address of the network, money or a measure looks like. Groups of three
 * digits between commas are cells of a row where other cells stand beside them.
 */
export const MEASURE: RegExp = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${[
    String.raw`(?:19|20)\d{2}-(?:0[1-9]|1[0-2])(?:-\d{2})?(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?`,
    String.raw`\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}:\d{2}(?::\d{2})?`,
    String.raw`\d+(?:\.\d+){1,5}|(?<!,)\d{1,3}(?:,\d{3}){1,5}(?:\.\d+)?(?!,\S)|[$€£]\d+|\d+\s?%|\d{1,4}\p{L}{1,4}`,
  ].join("|")})(?![\p{L}\p{N}])`,
  "gu",
);

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

const PERSON_FIELD =
  /^(?:first|last|full|given|family|middle|user|customer|display|contact|guest|passenger|employee|recipient|sender|author|owner|assignee|nick)_?name$|^(?:surname|username|author|owner|assignee|recipient|sender)$/i;

const ID_FIELD = /(?:^|[_-])(?:id|ids|number|no|key|zip|phone|account)$|I[dD]s?$/;

const TIME_FIELD = /time|date|year|month|day|_at$|At$|(?:^|_)ts$/i;

const PROPERTY_FIELD =
  /status|state|type|kind|category|level|priority|currency|country|reason|method|mode|role|unit|lang|class|cabin|gender|colou?r|size|format|order|sort|direction|scope|tag|label/i;

/** The texts of a trace that name one thing: ids, e-mails, persons, and what arguments take out of results. */
export function identitiesIn(leaves: readonly TraceLeaf[]): ReadonlySet<string> {
  const flows = flowsIn(leaves);
  const shared = sharedIn(leaves);
  const found = new Set<string>();
  for (const { value, field } of leaves) {
    if (typeof value !== "string" || value.length > MAX) continue;
    const text = value.trim();
    const isName = isProperName(text) && !shared.has(text);
    if (EMAIL.test(text) || isId(text)) found.add(text);
    else if (isName && PERSON_FIELD.test(field)) found.add(text);
    else if (
      flows.has(text) &&
      !PROPERTY_FIELD.test(field) &&
      (isName || /\d/.test(text) || isFileName(text))
    )
      found.add(text);
  }
  return found;
}

/** The whole numbers of a trace that are ids. */
export function idNumbersIn(leaves: readonly TraceLeaf[]): ReadonlySet<number> {
  const flows = flowsIn(leaves);
  const found = new Set<number>();
  for (const { value, field } of leaves) {
    if (typeof value !== "number" || !Number.isSafeInteger(value) || TIME_FIELD.test(field)) continue;
    const isLarge = value >= 10_000 && flows.has(String(value));
    if ((value >= 100 && ID_FIELD.test(field)) || isLarge) found.add(value);
  }
  return found;
}

export function isTimeField(field: string): boolean {
  return TIME_FIELD.test(field);
}

export function isIdField(field: string): boolean {
  return ID_FIELD.test(field);
}

const MAX = 200;

const MAX_WORDS = 5;

/** An id stands by itself; a date, a price or a measure is none. */
function isId(text: string): boolean {
  return isOpaqueId(text) && text.replaceAll(MEASURE, "").length > text.length / 2;
}

/** The name of a file, with what tells its kind. */
export function isFileName(text: string): boolean {
  return /^[\p{L}\p{N}_-]+\.\p{L}[\p{L}\p{N}]{0,4}$/u.test(text);
}

/** A name of a person, a place or a thing, as names are written. */
export function isProperName(text: string): boolean {
  const words = text.split(/\s+/);
  return (
    text.length > 3 &&
    words.length <= MAX_WORDS &&
    !text.includes("\n") &&
    words.every((word) => /^\p{Lu}[\p{Ll}'’-]/u.test(word))
  );
}

/** What arguments take out of earlier results. */
function flowsIn(leaves: readonly TraceLeaf[]): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const said = new Set<string>();
  const flows = new Set<string>();
  let pending: string[] = [];
  let call = -1;
  for (const leaf of leaves) {
    if (leaf.call !== call) {
      for (const text of pending) said.add(text);
      pending = [];
      call = leaf.call;
    }
    const text = leafText(leaf.value) ?? "";
    if (leaf.at === "result") seen.set(text, leaf.call);
    else
      for (const part of [text, ...pathParts(text)]) {
        // What the caller said before any result told it is no flow.
        if ((seen.get(part) ?? leaf.call) < leaf.call && !said.has(part)) flows.add(part);
        else if (!flows.has(part)) pending.push(part);
      }
  }
  return flows;
}

/** Of a path, what stands between its slashes. */
export function pathParts(text: string): readonly string[] {
  return text.includes("/") && text.length <= MAX ? text.split("/").filter((part) => part.length > 1) : [];
}

/** What stands more than once in the same field of one result is a property that things share, not a name. */
function sharedIn(leaves: readonly TraceLeaf[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { call, at, field, value } of leaves) {
    const place = `${call} ${at} ${field} ${value}`;
    if (at === "result" && seen.has(place)) shared.add(String(value));
    seen.add(place);
  }
  return shared;
}

/** A leaf of a trace, or a key that is data. */
interface TraceLeaf {
  readonly call: number;
  readonly at: "args" | "result";
  /** The name of the field that it stands in. */
  readonly field: string;
  readonly value: string | number;
}

export interface TraceLeaves {
  readonly leaves: readonly TraceLeaf[];
  /** Names of records' fields. */
  readonly fields: ReadonlySet<string>;
}

/** Every text and number of a trace's calls. */
export function traceLeaves({ calls }: RecordedTrace): TraceLeaves {
  const leaves: TraceLeaf[] = [];
  const fields = new Set<string>();
  const visit = (call: number, at: TraceLeaf["at"], field: string, value: Json): void => {
    if (typeof value === "string" || typeof value === "number") leaves.push({ call, at, field, value });
    else if (Array.isArray(value)) for (const each of value as readonly Json[]) visit(call, at, field, each);
    else if (isJsonObject(value)) {
      const isData = isMap(value);
      for (const [key, each] of Object.entries(value)) {
        if (isData) leaves.push({ call, at, field, value: key });
        else fields.add(key);
        visit(call, at, isData ? field : key, each);
      }
    }
  };
  calls.forEach(({ args, result }, call) => {
    for (const [key, value] of Object.entries(args)) {
      fields.add(key);
      visit(call, "args", key, value);
    }
    visit(call, "result", "", result);
  });
  return { leaves, fields };
}
