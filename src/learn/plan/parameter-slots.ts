import type { Json } from "../../core/json/json.ts";
import { nameWords, plural, singular } from "./names.ts";
import type { Origin, Param, TracePath } from "./plan.ts";
import { isOpaqueId, type Path, type TaskText } from "./values.ts";

/** A value that the caller supplies, before it has a name. */
export interface ParameterSlot {
  readonly slot: string;
  readonly field: string;
  /** In each sample; undefined: it was left out there. */
  readonly values: readonly (Json | undefined)[];
  /** The samples that make the call at all, by their numbers; undefined: every one. */
  readonly samples?: readonly number[] | undefined;
  /** In the first sample. */
  readonly origins: readonly Origin[];
  readonly isSecret: boolean;
  /** Whether the task speaks of it, or nobody could guess it. */
  readonly isNeeded: boolean;
  /** It is the heading of a part of a text. */
  readonly isHeading?: boolean | undefined;
  /** It is what it was where the caller leaves it out: the task has it as a word of its own rather than as a name. */
  readonly isDefault?: boolean | undefined;
  /** The caller may leave it out, or these fields of it or of its elements; there is no default. */
  readonly isOptional?: boolean;
  readonly optionalFields?: readonly string[];
  readonly rounds?: Param["rounds"];
  /** The argument that it was equal to, and is where it is left out. */
  readonly sameAs?: TracePath;
  /** Nothing equal is taken for the same thing. */
  readonly isApart?: boolean;
  readonly site: string;
}

/** The last name in a path. */
export function lastName(path: Path): string {
  return path.findLast((part) => typeof part === "string") ?? "value";
}

/** What things are found by that an argument names by id: `item_name` for `item_id`. */
export function selectorName(path: Path, field: string): string {
  const thing = entityName(path);
  const name = fieldName(field);
  return thing === undefined || name.includes(thing) ? name : `${thing}_${name}`;
}

/** What a list of arguments names by id: `items` for `item_ids`. */
export function entitiesName(path: Path): string {
  return plural(entityName(path) ?? singular(lastName(path)));
}

/** Whether a value there tells a thing by its id, as its name says. */
export function namesById(path: Path): boolean {
  return entityName(path) !== undefined;
}

function entityName(path: Path): string | undefined {
  const name = lastName(path);
  const thing = name.replace(/[_-]?(?:ids?|Ids?|IDs?|keys?|codes?|numbers?)$/, "");
  return thing === "" || thing === name ? undefined : thing;
}

/** The field as a name of plain characters. */
export function fieldName(field: string): string {
  return field.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^(?![a-z])/i, "the_");
}

/**
 * Whether an argument says by a word how the work is done, as an `action`, `type` or `mode` does, and the task, which says
 * what it is done for, has nothing of it: no caller would say it either.
 */
export function isUnsaidSetting(path: Path, value: Json, task: TaskText): boolean {
  return (
    task.hasWords &&
    typeof value === "string" &&
    SETTING_WORD.test(value) &&
    !isOpaqueId(value) &&
    SETTING_NAMES.has(nameWords(lastName(path)).at(-1) ?? "") &&
    !task.mentions(value)
  );
}

const SETTING_WORD = /^[A-Za-z]{2,20}(?:[_-][A-Za-z]{1,20}){0,3}$/;
const SETTING_NAMES: ReadonlySet<string> = new Set(
  "action type kind mode method operation order sort direction format unit units scope visibility command".split(
    " ",
  ),
);

/** Whether a word stands in a search tool's own terms: the field that is compared, or how. */
export function isOfQuery(path: Path, value: Json): boolean {
  return (
    typeof value === "string" &&
    /^\S{1,60}$/.test(value) &&
    QUERY_WORDS.test(nameWords(lastName(path)).join(" "))
  );
}

/**
 * Whether an argument lists which fields are read of what is found, of which the task does not say all: the answer has some
 * of these. A list of what things have to have is called so, too.
 */
export function isFieldList(path: Path, value: Json, task: TaskText, answer: Json): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    typeof path.at(-1) === "string" &&
    FIELD_LISTS.has(nameWords(lastName(path)).at(-1) ?? "") &&
    value.every((name) => typeof name === "string" && FIELD_NAME.test(name)) &&
    !value.every((name) => task.mentions(name)) &&
    value.some((name) => hasField(answer, String(name)))
  );
}

/** Whether something in an answer is called so, or a text in it of several lines has the name. */
function hasField(answer: Json, name: string): boolean {
  if (typeof answer === "string") return answer.includes("\n") && answer.includes(name);
  if (typeof answer !== "object" || answer === null) return false;
  return Object.entries(answer).some(([key, inner]) => key === name || hasField(inner, name));
}

const QUERY_WORDS =
  /^(?:(?:property|field|column|attribute)(?: name)?|(?:\w+ )?(?:operator|op|comparator|comparison|logic))$/;
const FIELD_LISTS: ReadonlySet<string> = new Set(
  "fields properties columns attributes select include includes expand".split(" "),
);
const FIELD_NAME = /^[A-Za-z_][\w.:$-]{0,60}$/;

/** Whether an argument says by a word of which kind the things are that a call is about: `objectName`, `table`. */
export function namesKind(path: Path): boolean {
  return nameWords(lastName(path)).some((word) => KIND_NAMES.has(word));
}

const KIND_NAMES: ReadonlySet<string> = new Set("object entity resource table collection model".split(" "));

/** Whether an argument says how much of a list or of a text is read at a time. */
export function namesListLimit(path: Path): boolean {
  return /^(?:limit|top|page|offset|head|tail|(?:per|max|page|num)(?: (?:page|size|items?|results?|count|entries|depth|length|lines|rows|bytes|chars|characters|tokens))?|count|depth)$/.test(
    nameWords(lastName(path)).join(" "),
  );
}
