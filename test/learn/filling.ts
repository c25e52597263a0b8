import { isJsonObject, type Json } from "../../src/core/json/json.ts";
import type { Origin, Param, Plan } from "../../src/learn/plan/plan.ts";
import type { RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import {
  canonicalJson,
  isLeaf,
  isSame,
  isSpecific,
  leafText,
  jsonLeaves,
  type Path,
  TaskText,
  valueAt,
} from "../../src/learn/plan/values.ts";

/**
 * The input with which a draft of run A should do what run B did: each parameter has in B the value that stands where
 * it stood in A. A value by which an element was found is that of the element that B's argument is from; where there is
 * none, it is A's value if B's collection still has it, else what became of it. As a caller would, it leaves out what the
 * skill would take anyway: a default, or the value of the argument that a parameter is the same as.
 */
export function inputFor(plan: Plan, a: RecordedTrace, b: RecordedTrace): { readonly [name: string]: Json } {
  const became = pairedLeaves(a, b);
  const entries = plan.params.flatMap((param) => {
    const value = valueFor(param, a, b, became);
    const isTaken = isSame(value, param.default) || isSame(value, sameAs(param, b));
    return value === undefined || isTaken ? [] : [[param.name, value] as const];
  });
  return Object.fromEntries(entries);
}

function sameAs({ sameAs: other }: Param, b: RecordedTrace): Json | undefined {
  return other && valueAt(b.calls[other.call]?.args, other.path);
}

function valueFor(
  param: Param,
  a: RecordedTrace,
  b: RecordedTrace,
  became: ReadonlyMap<string, Json>,
): Json | undefined {
  const whole = param.origins.filter(({ within }) => within === undefined);
  if (whole.length > 0) return firstOf(whole, (origin) => valueFrom(origin, a, b, became));
  const parts = param.origins.filter(({ within }) => typeof within?.[0] === "string");
  if (parts.length > 0)
    return Object.fromEntries(
      parts.flatMap((origin) => {
        const value = valueFrom(origin, a, b, became);
        return value === undefined ? [] : [[String(origin.within?.[0]), value] as const];
      }),
    );
  const elements = new Map<number, Origin[]>();
  for (const origin of param.origins) {
    const [index] = origin.within ?? [];
    if (typeof index === "number") elements.set(index, [...(elements.get(index) ?? []), origin]);
  }
  const selects = param.origins[0]?.selects;
  const list = selects && valueAt(b.calls[selects.call]?.args, selects.path.slice(0, -1));
  const length = Array.isArray(list) ? list.length : elements.size;
  return Array.from({ length }, (_, index) =>
    elementFor(elements.get(index) ?? moved(elements.get(0) ?? [], index), a, b, became),
  );
}

function moved(origins: readonly Origin[], index: number): readonly Origin[] {
  return origins.map((origin) => ({
    ...origin,
    ...(origin.selects
      ? { selects: { ...origin.selects, path: [...origin.selects.path.slice(0, -1), index] } }
      : {}),
  }));
}

function elementFor(
  origins: readonly Origin[],
  a: RecordedTrace,
  b: RecordedTrace,
  became: ReadonlyMap<string, Json>,
): Json {
  const isRecord = origins.some(({ within }) => (within?.length ?? 0) > 1);
  if (!isRecord) return firstOf(origins, (origin) => valueFrom(origin, a, b, became)) ?? null;
  return Object.fromEntries(
    origins.map((origin) => [String(origin.within?.[1]), valueFrom(origin, a, b, became) ?? null]),
  );
}

function firstOf(origins: readonly Origin[], give: (origin: Origin) => Json | undefined): Json | undefined {
  for (const origin of origins) {
    const value = give(origin);
    if (value !== undefined) return value;
  }
  return undefined;
}

function valueFrom(
  origin: Origin,
  a: RecordedTrace,
  b: RecordedTrace,
  became: ReadonlyMap<string, Json>,
): Json | undefined {
  if (origin.at === "args") return valueAt(b.calls[origin.call]?.args, origin.path);
  const value = valueAt(a.calls[origin.call]?.result, origin.path);
  if (value === undefined) return undefined;
  return (
    ofSelected(origin, value, b) ??
    (stillThere(origin, value, b) ? value : (became.get(textOf(value)) ?? value))
  );
}

/** The property of the element in B's collection that B's argument is from. */
function ofSelected({ call, path, selects }: Origin, before: Json, b: RecordedTrace): Json | undefined {
  const wanted = selects && valueAt(b.calls[selects.call]?.args, selects.path);
  if (wanted === undefined || !isLeaf(wanted) || wanted === null) return undefined;
  const text = leafText(wanted) ?? "";
  const own = b.calls[call];
  const others = b.calls
    .slice(0, selects?.call ?? 0)
    .filter((each) => each !== own && each.tool === own?.tool);
  for (const each of own ? [own, ...others] : []) {
    const isHere = holds(each.result, text);
    const found = isHere
      ? (inElementWith(each.result, path, text) ?? inTold(each.result, path, before, b))
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** In what was chosen, the element that is acted on, or of which the task speaks; the same as in A where it may be. */
function inTold(value: Json | undefined, path: Path, before: Json, b: RecordedTrace): Json | undefined {
  const [part, ...rest] = path;
  if (part === undefined || value === undefined) return value;
  if (!Array.isArray(value)) return inTold(valueAt(value, [part]), rest, before, b);
  const given = new Set(
    b.calls.flatMap(({ args }) => [...jsonLeaves(args)].map(([, leaf]) => leafText(leaf))),
  );
  const said = new TaskText(b.task);
  const elements = (value as readonly Json[]).map((each) => ({ each, leaves: [...jsonLeaves(each)] }));
  const acted = elements.filter(({ leaves }) =>
    leaves.some(([, leaf]) => isSpecific(leaf) && given.has(leafText(leaf))),
  );
  const told = elements.filter(({ leaves }) =>
    leaves.every(([at, leaf]) => at.at(-1) !== "name" || said.mentions(leaf)),
  );
  const likely = [acted, told, elements].find((each) => each.length > 0) ?? [];
  const same = likely.find(({ each }) => isSame(valueAt(each, rest), before));
  return inTold((same ?? likely[0])?.each, rest, before, b);
}

function inElementWith(value: Json | undefined, path: Path, text: string): Json | undefined {
  if (path.length === 0) return value;
  const [part = "", ...rest] = path;
  const direct = valueAt(value, [part]);
  if (direct !== undefined && rest.length > 0 && holds(direct, text)) {
    const found = inElementWith(direct, rest, text);
    if (found !== undefined) return found;
  }
  if (Array.isArray(value)) return inSome(value as readonly Json[], rest, text);
  if (!isJsonObject(value)) return undefined;
  // A map's element is under another key in B; a record's field is not.
  if (Object.hasOwn(value, String(part)))
    return rest.length === 0 ? direct : inElementWith(direct, rest, text);
  const entries = Object.entries(value).filter(([key, each]) => leafText(key) === text || holds(each, text));
  if (rest.length === 0) return entries[0]?.[0];
  return inSome(
    entries.map(([, each]) => each),
    rest,
    text,
    true,
  );
}

function inSome(elements: readonly Json[], rest: Path, text: string, areChosen = false): Json | undefined {
  for (const element of elements) {
    if (!areChosen && !holds(element, text)) continue;
    const found = inElementWith(element, rest, text);
    if (found !== undefined) return found;
  }
  return undefined;
}

function holds(value: Json, text: string): boolean {
  if (isLeaf(value)) return leafText(value) === text;
  if (Array.isArray(value)) return (value as readonly Json[]).some((each) => holds(each, text));
  return Object.entries(value as object).some(
    ([key, each]) => leafText(key) === text || holds(each as Json, text),
  );
}

/** Whether the collection in B has an element with this value at the same place. */
function stillThere({ call, path }: Origin, value: Json, b: RecordedTrace): boolean {
  const text = canonicalJson(value);
  const field = path.findLast((part) => typeof part === "string");
  const visit = (each: Json, name: string | undefined): boolean => {
    if (name === field && canonicalJson(each) === text) return true;
    if (isLeaf(each)) return false;
    const inner: readonly (readonly [string | undefined, Json])[] = Array.isArray(each)
      ? (each as readonly Json[]).map((element) => [name, element] as const)
      : Object.entries(each as object).map(([key, element]) => [key, element as Json] as const);
    return inner.some(([key, element]) => visit(element, key));
  };
  return visit(b.calls[call]?.result ?? null, undefined);
}

/** What each leaf of A's arguments is in B, by its place. */
function pairedLeaves(a: RecordedTrace, b: RecordedTrace): ReadonlyMap<string, Json> {
  const pairs = new Map<string, Json>();
  a.calls.forEach(({ args }, index) => {
    for (const [path, leaf] of jsonLeaves(args)) {
      const other = valueAt(b.calls[index]?.args, path);
      if (other !== undefined && isLeaf(other) && !pairs.has(textOf(leaf))) pairs.set(textOf(leaf), other);
    }
  });
  return pairs;
}

function textOf(value: Json): string {
  return isLeaf(value) ? (leafText(value) ?? JSON.stringify(value)) : canonicalJson(value);
}
