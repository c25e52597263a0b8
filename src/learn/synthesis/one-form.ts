import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { MayWrite } from "../plan/tool-effects.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";

/**
 * The most runs, by their numbers, that give the tools which may write their arguments in one form; of as many, those with
 * the first. Where a tool takes a title as a text and as a list of texts, runs of both have nothing in common there.
 */
export function runsOfOneForm(traces: readonly RecordedTrace[], mayWrite: MayWrite): readonly number[] {
  if (traces.length < 2) return [...traces.keys()];
  const forms = traces.map((trace) => kindsOf(trace, mayWrite));
  const groups: number[][] = [];
  for (const [number, own] of forms.entries()) {
    const group = groups.find((numbers) => numbers.every((other) => areOneForm(own, forms[other] ?? own)));
    if (group) group.push(number);
    else groups.push([number]);
  }
  return groups.reduce((most, group) => (group.length > most.length ? group : most), []);
}

type Kind = "list" | "object" | "value";

/** What stands at each place of the arguments of tools, in any of a run's calls. */
type Kinds = ReadonlyMap<string, ReadonlySet<Kind>>;

function kindsOf({ calls }: RecordedTrace, mayWrite: MayWrite): Kinds {
  const kinds = new Map<string, Set<Kind>>();
  const visit = (value: Json, place: string): void => {
    if (value === null) return;
    const known = kinds.get(place) ?? new Set();
    kinds.set(place, known);
    known.add(Array.isArray(value) ? "list" : isJsonObject(value) ? "object" : "value");
    if (Array.isArray(value)) for (const each of value as readonly Json[]) visit(each, `${place}[]`);
    else if (isJsonObject(value))
      for (const [key, each] of Object.entries(value)) visit(each, `${place}.${JSON.stringify(key)}`);
  };
  for (const { tool, args, error } of calls) if (error === undefined && mayWrite(tool)) visit(args, tool);
  return kinds;
}

function areOneForm(first: Kinds, second: Kinds): boolean {
  return [...first].every(([place, kinds]) => !(second.get(place)?.isDisjointFrom(kinds) ?? false));
}
