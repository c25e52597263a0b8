import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { isMap, jsonLeaves, type Path } from "../../plan/values.ts";
import type { FaultPosition, MadeRun } from "./fault-positions.ts";

/**
 * Where answers are to lack a field that the code reads: fields in which every answer of the runs has something. Of the
 * elements of a list the last lacks it, or all do.
 */
export function missingFields(runs: readonly MadeRun[], code: string): readonly FaultPosition[] {
  const fields = new Map<string, ReadField>();
  for (const [run, { trace, made }] of runs.entries())
    for (const call of new Set(made)) {
      const { tool = "", result = null, error, reads = [] } = trace.calls[call] ?? {};
      // What a skill reads that the code calls is that skill's affair.
      if (error !== undefined || reads.length > 0 || !code.includes(JSON.stringify(tool))) continue;
      for (const { path, record } of recordsIn(result)) {
        const site = `${tool} ${patternOf(path)}`;
        for (const name of Object.keys(record)) {
          const field = fields.get(`${site} ${name}`) ?? { name, site, places: [], isEmpty: false };
          field.places.push({ run, call, path: [...path, name] });
          field.isEmpty ||= isEmpty(record[name]);
          fields.set(`${site} ${name}`, field);
        }
      }
    }
  const records = new Map<string, number>();
  for (const { site, places } of fields.values())
    records.set(site, Math.max(records.get(site) ?? 0, places.length));
  const isRead = readIn(code);
  return [...fields.values()]
    .filter(({ name, site, places, isEmpty: mayLack }) => {
      return !mayLack && places.length === records.get(site) && isRead(name);
    })
    .flatMap(({ places }) => lackingIn(places));
}

interface Place {
  readonly run: number;
  readonly call: number;
  readonly path: Path;
}

interface ReadField {
  readonly name: string;
  /** The tool, and where in its answers the records are that have the field. */
  readonly site: string;
  readonly places: Place[];
  isEmpty: boolean;
}

/** The last place alone, and all of that answer. */
function lackingIn(places: readonly Place[]): readonly FaultPosition[] {
  const last = places.at(-1);
  if (!last) return [];
  const { run, call, path } = last;
  const all = places.filter((each) => each.run === run && each.call === call).map((each) => each.path);
  const lacking = (fields: readonly Path[]): FaultPosition => ({ run, call, outcome: "lacking", fields });
  return all.length === 1 ? [lacking(all)] : [lacking([path]), lacking(all)];
}

/** Every object in a value but those whose keys are data. */
function* recordsIn(
  value: Json,
  path: Path = [],
): Generator<{ readonly path: Path; readonly record: JsonObject }> {
  if (path.length > MAX_DEPTH) return;
  if (isJsonObject(value)) {
    if (!isMap(value)) yield { path, record: value };
    for (const [key, each] of Object.entries(value)) yield* recordsIn(each, [...path, key]);
  } else if (Array.isArray(value)) {
    for (const [index, each] of (value as readonly Json[]).entries())
      yield* recordsIn(each, [...path, index]);
  }
}

const MAX_DEPTH = 12;

/** Elements of a list have one pattern. */
function patternOf(path: Path): string {
  return JSON.stringify(path.map((part) => (typeof part === "number" ? "*" : part)));
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "";
}

/** Whether code reads fields of a name, as far as its text tells: by a point, in brackets, or taken apart. */
function readIn(code: string): (name: string) => boolean {
  const apart = [...code.matchAll(/\{([^{}]*)\}\s*(?:=(?!=)|\)\s*=>|of\b)/g)].flatMap(([, names = ""]) =>
    names.split(/[,:]/).map((each) => each.trim()),
  );
  const read = new Set([
    ...[...code.matchAll(/\.\s*([\p{L}_$][\p{L}\p{N}_$]*)/gu)].map(([, name = ""]) => name),
    ...[...code.matchAll(/\[\s*(["'])(.*?)\1\s*\]/g)].map(([, , name = ""]) => name),
    ...apart,
  ]);
  return (name) => read.has(name);
}

/** The value without some of its fields. */
export function withoutFields(value: Json, fields: readonly Path[]): Json {
  const copy = structuredClone(value);
  for (const path of fields) {
    const [name, ...above] = path.toReversed();
    const record = above.toReversed().reduce<unknown>((found, part) => {
      return typeof found === "object" && found !== null ? Reflect.get(found, part) : undefined;
    }, copy);
    if (typeof record === "object" && record !== null && name !== undefined)
      Reflect.deleteProperty(record, name);
  }
  return copy;
}

/** Whether arguments lack something that all recorded calls of their tool have, or say that there is nothing. */
export function isHollow(args: JsonObject, recorded: readonly JsonObject[]): boolean {
  const empty = new Set(
    recorded.flatMap((each) =>
      leavesOf(each)
        .filter(({ value }) => isNothing(value))
        .map(({ at }) => at),
    ),
  );
  if (leavesOf(args).some(({ at, value }) => isNothing(value) && !empty.has(at))) return true;
  const known = recorded.flatMap((each) => [...recordsIn(each)]);
  return [...recordsIn(args)].some(({ path, record }) => {
    const alike = known.filter((each) => patternOf(each.path) === patternOf(path));
    const [first, ...others] = alike.map((each) => Object.keys(each.record));
    return (first ?? []).some(
      (name) => !Object.hasOwn(record, name) && others.every((names) => names.includes(name)),
    );
  });
}

/** Whether arguments name something that no recorded call of their tool names. */
export function isAboutOther(args: JsonObject, recorded: readonly JsonObject[]): boolean {
  const known = new Set(recorded.flatMap((each) => leavesOf(each).map(({ value }) => value)));
  return leavesOf(args).some(
    ({ value }) => typeof value === "string" && /^\S+$/.test(value) && !known.has(value),
  );
}

function leavesOf(args: JsonObject): readonly { readonly at: string; readonly value: Json }[] {
  return [...jsonLeaves(args)].map(([path, value]) => ({ at: patternOf(path), value }));
}

function isNothing(value: Json): boolean {
  return isEmpty(value) || (typeof value === "string" && /\b(?:undefined|null|NaN)\b/.test(value));
}
