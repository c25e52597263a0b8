import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { UniqueNames } from "../../plan/names.ts";
import { fieldName, lastName } from "../../plan/parameter-slots.ts";
import type { Expression } from "../../plan/plan.ts";
import { isLeaf, isTag, jsonLeaves, leafText, type Path } from "../../plan/values.ts";
import { isSecretName, isSecretValue } from "../../recording/secrets.ts";

/**
 * How a value is laid out: its fields, its tags and where nothing stands; the same for values that differ in their content
 * alone. A list of elements laid out alike is, however many they are.
 */
export function layoutOf(value: Json): string {
  if (value === null) return "null";
  if (isLeaf(value)) return ".";
  if (Array.isArray(value)) {
    const elements = (value as readonly Json[]).map(layoutOf);
    return `[${(areAlike(elements) ? elements.slice(0, 1) : elements).join()}]`;
  }
  if (!isJsonObject(value)) return ".";
  const fields = Object.keys(value).toSorted();
  return `{${fields.map((key) => `${JSON.stringify(key)}:${isTag(value, key) ? JSON.stringify(value[key]) : layoutOf(value[key] ?? null)}`).join()}}`;
}

function areAlike([first, ...others]: readonly string[]): boolean {
  return others.every((other) => other === first);
}

/** Whether something in a value says by a tag what it is: then the rest of its form is the program's, too. */
export function hasTags(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasTags);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, each]) => isTag(value, key) || hasTags(each));
}

/** Elements of a list that are laid out alike. */
interface Row {
  /** Where it begins. */
  readonly at: number;
  readonly length: number;
}

/** A list in rows of as many elements as are laid out alike. */
export function rowsOf(list: readonly Json[]): readonly Row[] {
  const layouts = list.map(layoutOf);
  const begins = [...layouts.keys()].filter((index) => layouts[index] !== layouts[index - 1]);
  return begins.map((at, nth) => ({ at, length: (begins[nth + 1] ?? list.length) - at }));
}

/** What the elements of a row have besides their layout, and how to write an element with it. */
export interface RowContent {
  /** What all of them are, where they say it. */
  readonly kind: string | undefined;
  readonly fields: readonly { readonly name: string; readonly path: Path }[];
  /** One of them, of what is given for it. */
  readonly element: (given: Expression) => Expression;
}

/** The content of a row by one of its elements; undefined: it has none, or a credential. */
export function rowContent(first: Json): RowContent | undefined {
  if (!isJsonObject(first)) return undefined;
  const names = new UniqueNames();
  const leaves = contentIn(first, []);
  if (leaves.length === 0) return undefined;
  if (leaves.some(([path, leaf]) => isSecretName(lastName(path)) || isSecretValue(leaf))) return undefined;
  const fields = leaves.map(([path]) => {
    const apart = path.find(
      (part, at) =>
        typeof part === "string" && leaves.some(([other]) => other !== path && other[at] !== part),
    );
    const own = lastName(path);
    const isShared = leaves.some(([other]) => other !== path && lastName(other) === own);
    return { path, name: names.take(fieldName(isShared && apart !== undefined ? String(apart) : own)) };
  });
  const element = (given: Expression): Expression =>
    writtenOf(first, (path) => {
      const name = fields.find((field) => field.path.join("\n") === path.join("\n"))?.name;
      return fields.length === 1 || name === undefined ? given : { kind: "field", of: given, path: [name] };
    });
  const tag = Object.keys(first).find((key) => isTag(first, key));
  return { kind: leafText(first[tag ?? ""] ?? null), fields, element };
}

function contentIn(value: Json, path: Path): readonly (readonly [Path, Json])[] {
  if (value === null) return [];
  if (Array.isArray(value))
    return (value as readonly Json[]).flatMap((each, index) => contentIn(each, [...path, index]));
  if (!isJsonObject(value)) return [...jsonLeaves(value, path)];
  return Object.entries(value).flatMap(([key, each]) =>
    isTag(value, key) ? [] : contentIn(each, [...path, key]),
  );
}

function writtenOf(value: Json, content: (path: Path) => Expression, path: Path = []): Expression {
  if (value === null) return { kind: "constant", value };
  if (Array.isArray(value))
    return {
      kind: "list",
      items: (value as readonly Json[]).map((each, index) => writtenOf(each, content, [...path, index])),
    };
  if (!isJsonObject(value)) return content(path);
  return {
    kind: "object",
    fields: Object.entries(value).map(([name, each]) => ({
      name,
      value: isTag(value, name)
        ? { kind: "constant" as const, value: each }
        : writtenOf(each, content, [...path, name]),
    })),
  };
}
