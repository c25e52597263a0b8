import { isJsonObject, type Json } from "../../core/json/json.ts";
import { isList } from "../schema-keywords.ts";
import { canonicalText } from "./canonical-text.ts";

/** How a value stands to a schema: it fits where there are neither faults nor doubts. */
export interface Verdict {
  readonly faults: readonly Fault[];
  /** What could not be told, in words. */
  readonly doubts: readonly string[];
}

/** One place where a value does not fit. */
export interface Fault {
  /** As in `legs[2].from`; of what is missing, where it would be; empty for the value itself. */
  readonly path: string;
  readonly why: string;
  /** What is expected instead, where the fault is one of type. */
  readonly types?: readonly string[];
  /** Which values are expected instead, where the fault is one of value. */
  readonly choices?: readonly Json[];
  readonly value?: Json;
}

export const FITS: Verdict = { faults: [], doubts: [] };

export function fits({ faults, doubts }: Verdict): boolean {
  return faults.length === 0 && doubts.length === 0;
}

export function fault(path: string, why: string): Verdict {
  return { faults: [{ path, why }], doubts: [] };
}

export function missing(path: string, need: string): Verdict {
  return fault(path, `${valueName(path)} is missing, but ${need}`);
}

export function doubt(why: string): Verdict {
  return { faults: [], doubts: [why] };
}

export function all(verdicts: readonly Verdict[]): Verdict {
  const telling = verdicts.filter((each) => !fits(each));
  const [only] = telling;
  if (!only) return FITS;
  if (telling.length === 1) return only;
  return {
    faults: telling.flatMap(({ faults }) => faults),
    doubts: telling.flatMap(({ doubts }) => doubts),
  };
}

export function anyOf(
  value: Json,
  verdicts: readonly Verdict[],
  path: string,
  howMany: "some" | "one",
): Verdict {
  const fitting = verdicts.filter(fits).length;
  if (howMany === "some" && fitting > 0) return FITS;
  if (fitting > 1)
    return fault(path, `${valueName(path)} fits ${fitting} alternatives, but exactly one is expected`);
  const doubts = verdicts.flatMap((each) => (each.faults.length === 0 ? each.doubts : []));
  if (doubts.length > 0) return { faults: [], doubts };
  return fitting === 1 ? FITS : { faults: [nearestFault(value, verdicts, path)], doubts: [] };
}

/** The fault of the alternative that was most likely meant. */
function nearestFault(value: Json, verdicts: readonly Verdict[], path: string): Fault {
  const own = verdicts.flatMap(
    ({ faults }) => faults.find((each) => each.path === path && (each.types ?? each.choices)) ?? [],
  );
  if (own.length === verdicts.length) return expected(value, own, path);
  const meant = verdicts.filter(({ faults }) => faults.every((each) => !each.types || each.path !== path));
  const [best] = meant.toSorted((one, other) => distance(one) - distance(other));
  const [first] = best?.faults.toSorted((one, other) => weight(other) - weight(one)) ?? [];
  if (first && (!first.choices || meant.length === 1)) return first;
  const there = meant.flatMap(
    ({ faults }) => faults.find((each) => each.choices && each.path === first?.path) ?? [],
  );
  if (first && there.length === meant.length) return expected(first.value ?? null, there, first.path);
  return {
    path,
    why: `${valueName(path)} is ${shown(value)}, which fits none of ${verdicts.length} alternatives`,
  };
}

// Alternatives are told apart by listed values, so one that has the right value there was meant.
function distance({ faults }: Verdict): number {
  return faults.reduce((sum, each) => sum + weight(each), 0);
}

function weight({ choices }: Fault): number {
  return choices ? 10 : 1;
}

export function negated(verdict: Verdict, schema: Json, value: Json, path: string): Verdict {
  if (verdict.faults.length > 0) return FITS;
  if (verdict.doubts.length > 0) return verdict;
  const isEmpty = schema === true || (isJsonObject(schema) && Object.keys(schema).length === 0);
  return isEmpty
    ? fault(path, `${valueName(path)} is given, but nothing is allowed there`)
    : fault(path, `${valueName(path)} is ${shown(value)}, which is excluded`);
}

/** That a value is of the wrong type, or none of the listed ones. */
export function expected(
  value: Json,
  wanted: readonly Pick<Fault, "types" | "choices">[],
  path: string,
): Fault {
  const types = [...new Set(wanted.flatMap((each) => each.types ?? []))];
  const choices = [...new Set(wanted.flatMap((each) => each.choices?.slice(0, MAX_SHOWN + 1) ?? []))];
  const listed = choices.slice(0, MAX_SHOWN).map(shown);
  const names = [
    ...listed,
    ...(choices.length > MAX_SHOWN ? ["…"] : []),
    ...types.map((type) => NAMES[type]),
  ];
  const isPlain = choices.length === 0 && !(typeof value === "number" && types.includes("integer"));
  const oneOf = choices.length > 1 && types.length === 0 ? "one of " : "";
  const all = types.length === 0 ? names.join(", ") : names.join(" or ");
  return {
    path,
    why: `${valueName(path)} is ${isPlain ? NAMES[typeOf(value)] : shown(value)}, but ${oneOf}${all} is expected`,
    value,
    ...(types.length > 0 ? { types } : { choices }),
  };
}

export function valueName(path: string): string {
  return path === "" ? "the value" : `\`${abbreviated(path)}\``;
}

export function shown(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? JSON.stringify(abbreviated(value)) : abbreviated(canonicalText(value));
}

/** How many there should be instead. */
export function boundText(count: number, least: number, most: number): string {
  const bound = count < least ? least : most;
  return `${count < least ? "at least" : "at most"} ${bound} ${bound === 1 ? "is" : "are"}`;
}

export function abbreviated(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

export function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

export function typeOf(value: Json): string {
  if (value === null) return "null";
  return isList(value) ? "array" : typeof value;
}

const NAMES: Readonly<Record<string, string>> = {
  null: "null",
  boolean: "a boolean",
  number: "a number",
  integer: "an integer",
  string: "a string",
  array: "a list",
  object: "an object",
};

const MAX_SHOWN = 5;
