import type { Json } from "../../core/json/json.ts";
import { flowsTo, type Given, isCredible, type View } from "./flow-candidates.ts";
import { isLeaf, isSpecific, type Path } from "../plan/values.ts";

/** Whether anything in an argument could come from a result. */
export function hasFlow(
  value: Json,
  view: View,
  at: { readonly site: string; readonly path: Path },
  given: Given,
): boolean {
  if (isLeaf(value)) {
    if (typeof value === "boolean" || value === null || view.sample.task.says(value)) return false;
    if (given(view, value) !== undefined && isSpecific(value)) return true;
    const place = { call: view.call, path: at.path };
    return flowsTo(value, view, place, at.site, given).some((each) => isCredible(value, each));
  }
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value as object);
  return (entries as readonly [string | number, Json][]).some(([key, each]) =>
    hasFlow(each, view, { ...at, path: [...at.path, key] }, given),
  );
}

/** Whether the task says every leaf of a value. */
export function isSaid(value: Json, view: View | undefined): boolean {
  if (!view) return false;
  if (isLeaf(value)) return value !== null && typeof value !== "boolean" && view.sample.task.says(value);
  const inner = Array.isArray(value) ? (value as readonly Json[]) : Object.values(value as object);
  return inner.length > 0 && inner.every((each) => isSaid(each as Json, view));
}
