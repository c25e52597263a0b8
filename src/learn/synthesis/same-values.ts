import type { Json, JsonObject } from "../../core/json/json.ts";
import { leafTexts } from "../plan/value-texts.ts";
import type { TracePath } from "../plan/plan.ts";
import type { MayWrite } from "../plan/tool-effects.ts";
import type { RecordedCall, RecordedTrace } from "../recording/recorded-trace.ts";
import { isSecretName, isSecretValue } from "../recording/secrets.ts";
import { compareTexts } from "../../core/text/compare-texts.ts";
import { toolWords } from "../../trace/record/tool-words.ts";
import { nameWords, singular } from "../plan/names.ts";
import { lastName } from "../plan/parameter-slots.ts";
import {
  canonicalJson,
  DATE_PREFIX,
  isEntityName,
  isLeaf,
  isOpaqueId,
  isSame,
  jsonLeaves,
  TaskText,
  valueAt,
} from "../plan/values.ts";
import { WEIGHTS } from "./weights.ts";

/** The earlier argument of the same call that a value is equal to: two roles, one value, and perhaps by chance. */
export function sameArgument(args: JsonObject, name: string, earlier: readonly string[]): string | undefined {
  const value = args[name];
  if (value === undefined || isSecretName(name) || !tellsThings(value)) return undefined;
  return earlier.find((other) => isSame(args[other], value));
}

/**
 * Whether a name is of what shall be instead of what another names, as `new_item_ids` is: to set a thing to what it is does
 * nothing, or harm, and nobody means it by leaving it out.
 */
export function isAnew(name: string, other: string): boolean {
  const [first = "", ...words] = nameWords(name);
  return ANEW.has(first) && words.join(" ") === nameWords(other).join(" ");
}

const ANEW: ReadonlySet<string> = new Set("new updated changed other".split(" "));

/**
 * Whether two arguments that are equal in a run could differ in another: they have the same name, in two acts, and no
 * call of the run is about the value, or the task says it, which is no id, for each; nor is the later one about what a look
 * at the value told. A payment method is given to each act
 * anew; the order that all of them are about is one thing; who wants one share sold and one bought names both, though it
 * may be the same.
 */
export function mayDiffer(
  { calls, task }: RecordedTrace,
  first: TracePath,
  later: TracePath,
  mayWrite: MayWrite,
): boolean {
  if (first.call === later.call || lastName(first.path) !== lastName(later.path)) return false;
  const [one, other] = [calls[first.call], calls[later.call]];
  if (!one || !other || !mayWrite(one.tool) || !mayWrite(other.tool)) return false;
  const value = valueAt(other.args, later.path);
  if (value === undefined || !tellsThings(value)) return false;
  const looks = calls.slice(0, later.call).filter(({ tool }) => !mayWrite(tool));
  if (looks.some((look) => isAbout(look, value) && hasOf(other, look))) return false;
  const isSubject = calls.some(({ args }) => isSame(subjectOf(args), value));
  return !isSubject || isSaidAgain(value, new TaskText(task));
}

/** Whether a call is about a value. */
function isAbout({ args }: RecordedCall, value: Json): boolean {
  return [...jsonLeaves(args)].some(([, leaf]) => isSame(leaf, value));
}

/** Whether a call has what another one answered. */
function hasOf({ args }: RecordedCall, look: RecordedCall): boolean {
  const answered = leafTexts(look.result ?? null).difference(leafTexts(look.args));
  return [...leafTexts(args)].some((text) => text.length > 1 && answered.has(text));
}

/** Whether a task says a name, and not once for all that is done; an id is said again to say that it is the same thing. */
function isSaidAgain(value: Json, task: TaskText): boolean {
  return typeof value === "string" && !isOpaqueId(value) && task.mentions(value) && !task.mentionsOnce(value);
}

/** What a call is about: the first of its arguments that names a thing. */
function subjectOf(args: JsonObject): Json | undefined {
  return Object.values(args).find((value) => isLeaf(value) && isEntityName(value));
}

function tellsThings(value: Json): boolean {
  const leaves = [...jsonLeaves(value)].map(([, leaf]) => leaf);
  return leaves.some(isEntityName) && !leaves.some(isSecretValue);
}

/** Whose value something is: an argument's name, and the tool of its call. */
export interface ValueName {
  readonly name: string;
  readonly tool: string;
}

/**
 * Whether values, one of each run, may be equal to others by chance: days, times, small numbers and single words, where
 * every run has the same. A word that a task says once is one thing.
 */
export function mayMeetByChance(values: readonly Json[], tasks: readonly TaskText[]): boolean {
  if (new Set(values.map((value) => canonicalJson(value))).size > 1) return false;
  const leaves = values.slice(0, 1).flatMap((value) => [...jsonLeaves(value)].map(([, leaf]) => leaf));
  const isOne = (leaf: Json): boolean =>
    typeof leaf === "string" && WORD.test(leaf) && tasks.some((task) => task.mentionsOnce(leaf));
  return leaves.length <= MAX_LEAVES && leaves.every((leaf) => isCommon(leaf) && !isOne(leaf));
}

/** Lists and objects with more in them are hardly equal by chance. */
const MAX_LEAVES = 2;

const WORD = /^\p{L}[\p{L}_-]{0,19}$/u;
const DAY = /^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}\b/;
const HOUR = /^\d{1,2}(?::\d{2}(?::\d{2})?)?(?:\s?[ap]\.?m\.?)?$/i;
const AMOUNT = /^[-+]?\p{Sc}?\s?[\d.,]+\s?(?:%|\p{Sc}|\p{L}{1,3})?$/u;

/** Whether many things have such a value: a number of few digits tells less than an id of many. */
function isCommon(value: Json): boolean {
  if (typeof value !== "number" && typeof value !== "string") return true;
  const text = String(value).trim();
  if (text === "" || WORD.test(text) || DATE_PREFIX.test(text) || DAY.test(text) || HOUR.test(text))
    return true;
  const digits = text.replaceAll(/\D/g, "").replace(/^0+/, "").replace(/0+$/, "");
  return AMOUNT.test(text) && digits.length < WEIGHTS.minOpaqueDigits;
}

/** Whether names say that it is one thing: they are equal, or one is short for the other, as the `id` of `get_order` is. */
export function isOneName(one: ValueName, other: ValueName): boolean {
  const [first, second] = [nameWords(one.name), nameWords(other.name)];
  if (first.join(" ") === second.join(" ")) return true;
  return isShortFor(first, one.tool, second) || isShortFor(second, other.tool, first);
}

function isShortFor(short: readonly string[], tool: string, long: readonly string[]): boolean {
  const more = long.slice(0, Math.max(0, long.length - short.length));
  const about = new Set(toolWords(tool).map(singular));
  return (
    more.length > 0 &&
    long.slice(more.length).join(" ") === short.join(" ") &&
    more.every((word) => about.has(singular(word)))
  );
}

/**
 * What was wished in a run, as a text: its task, and the arguments that no earlier answer tells. Runs of one wish tell no more
 * than one of them about what another caller would say. Undefined: no task tells.
 */
export function wishOf({ task, calls }: RecordedTrace): string | undefined {
  if (task === undefined) return undefined;
  const answered = new Set<string>();
  const said = new Set<string>();
  for (const { args, result } of calls) {
    const parts = [...answered].filter((text) => text.length >= MIN_PART);
    for (const text of leafTexts(args))
      if (!answered.has(text) && !parts.some((part) => text.includes(part))) said.add(text);
    for (const text of leafTexts(result)) answered.add(text);
  }
  return canonicalJson([task, ...[...said].sort(compareTexts)]);
}

/** Shorter texts stand in others by chance. */
const MIN_PART = 4;
