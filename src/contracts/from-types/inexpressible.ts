import ts from "typescript";

/** What a type is that JSON cannot carry, in words, and what to use instead. */
export function fixFor(
  checker: ts.TypeChecker,
  type: ts.Type,
): { readonly what: string; readonly fix: string } {
  const { flags } = type;
  if (flags & ts.TypeFlags.BigIntLike)
    return { what: "a bigint", fix: "Use a number, or a string of digits" };
  if (flags & ts.TypeFlags.ESSymbolLike) return { what: "a symbol", fix: "Use a string" };
  if (flags & ts.TypeFlags.Never)
    return { what: "of the type never", fix: "Remove it, or give it a type that has values" };
  if (flags & ts.TypeFlags.Void) return { what: "void", fix: "Use null where there is nothing" };
  if (flags & ts.TypeFlags.Undefined)
    return { what: "undefined", fix: "Use null, or make the property optional" };
  if (type.getConstructSignatures().length > 0)
    return { what: "a class", fix: "Only data can be passed; remove it" };
  if (type.getCallSignatures().length > 0)
    return { what: "a function", fix: "Only data can be passed; remove it" };
  const name = type.symbol?.name ?? "";
  const known = FIXES[name];
  if (known !== undefined) return { what: `a ${name}`, fix: known };
  return {
    what: `of the type ${shortType(checker, type)}`,
    fix: "Use objects, arrays, strings, numbers, booleans and null",
  };
}

const RECORD = "Use an object, with the type Record<string, …>";
const LIST = "Use an array; `@uniqueItems` says that nothing occurs twice";
const BYTES = "Use an array of numbers, or a string with base64";
const FIXES: Readonly<Record<string, string>> = {
  Date: "Use a string with `@format date-time`",
  Map: RECORD,
  ReadonlyMap: RECORD,
  WeakMap: RECORD,
  Set: LIST,
  ReadonlySet: LIST,
  WeakSet: LIST,
  Promise: "Await it, and return what it gives",
  PromiseLike: "Await it, and return what it gives",
  RegExp: "Use a string with the expression's source",
  Error: "Use an object with a message",
  ArrayBuffer: BYTES,
  SharedArrayBuffer: BYTES,
  Uint8Array: BYTES,
  String: "Use `string`, in lower case",
  Number: "Use `number`, in lower case",
  Boolean: "Use `boolean`, in lower case",
  Function: "Only data can be passed; remove it",
  Generator: "Collect what it gives into an array",
  AsyncGenerator: "Collect what it gives into an array",
};

function shortType(checker: ts.TypeChecker, type: ts.Type): string {
  const text = checker.typeToString(type);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
