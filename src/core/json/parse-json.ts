import { type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Json } from "./json.ts";
import { fail, ok, type Result } from "../result.ts";

/** Where a text is no JSON, and what it lacks; line and column count from 1. */
export interface JsonFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export function parseJson(text: string): Result<Json, JsonFault> {
  const content = text.replace(/^\uFEFF/, "");
  try {
    return ok(JSON.parse(content) as Json);
  } catch {
    return fail(jsonFault(content));
  }
}

/** A fault with its place, as one phrase. */
export function jsonFaultText({ message, line, column }: JsonFault): string {
  return `${message} (line ${line}, column ${column})`;
}

function jsonFault(text: string): JsonFault {
  if (text.trim() === "") return { message: "there is nothing", line: 1, column: 1 };
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, { disallowComments: true });
  } catch {
    return { message: "it is nested too deeply", line: 1, column: 1 };
  }
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  const offset = first?.offset ?? 0;
  const known = first && WORDS[printParseErrorCode(first.error)];
  return {
    message: known ?? "something stands here that JSON has not",
    ...positionAt(text, offset),
  };
}

/** Line and column, counted from 1, of an offset in a text. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: "names and texts stand in double quotes, and the only other words are true, false and null",
  InvalidNumberFormat: "this is no number of JSON",
  PropertyNameExpected: "a name in double quotes is expected",
  ValueExpected: "a value is expected",
  ColonExpected: "a colon is expected",
  CommaExpected: "a comma is expected",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "there is more behind the end of the value",
  InvalidCommentToken: "JSON has no comments",
  UnexpectedEndOfComment: "JSON has no comments",
  UnexpectedEndOfString: "a closing quote is missing",
  UnexpectedEndOfNumber: "a number breaks off here",
  InvalidUnicode: "what follows \\u is no character",
  InvalidEscapeCharacter: "what follows the backslash is no escape that JSON has",
  InvalidCharacter: "this character must be written as an escape",
};
