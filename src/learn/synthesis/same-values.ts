import type { Json, JsonObject } from "../../core/json/json.ts";
import type { TracePath } from "../plan/plan.ts";
import type { MayWrite } from "../plan/tool-effects.ts";
import type { RecordedCall } from "../recording/recorded-trace.ts";
import { isSecretName, isSecretValue } from "../recording/secrets.ts";
import { lastName } from "../plan/parameter-slots.ts";
import { isLeaf, isSame, isEntityName, jsonLeaves, valueAt } from "../plan/values.ts";

/** The earlier argument of the same call that a value is equal to: two roles, one value, and perhaps by chance. */
export function sameArgument(args: JsonObject, name: string, earlier: readonly string[]): string | undefined {
  const value = args[name];
  if (value === undefined || isSecretName(name) || !tellsThings(value)) return undefined;
  return earlier.find((other) => isSame(args[other], value));
}

/**
 * Whether two arguments that are equal in a run could differ in another: they have the same name, in two acts, and no
 * call of the run is about the value. A payment method is given to each act anew; the order that all of them are about
 * is one thing.
 */
export function mayDiffer(
  calls: readonly RecordedCall[],
  first: TracePath,
  later: TracePath,
  mayWrite: MayWrite,
): boolean {
  if (first.call === later.call || lastName(first.path) !== lastName(later.path)) return false;
  const [one, other] = [calls[first.call], calls[later.call]];
  if (!one || !other || !mayWrite(one.tool) || !mayWrite(other.tool)) return false;
  const value = valueAt(other.args, later.path);
  return (
    value !== undefined && tellsThings(value) && !calls.some(({ args }) => isSame(subjectOf(args), value))
  );
}

/** What a call is about: the first of its arguments that names a thing. */
function subjectOf(args: JsonObject): Json | undefined {
  return Object.values(args).find((value) => isLeaf(value) && isEntityName(value));
}

function tellsThings(value: Json): boolean {
  const leaves = [...jsonLeaves(value)].map(([, leaf]) => leaf);
  return leaves.some(isEntityName) && !leaves.some(isSecretValue);
}
