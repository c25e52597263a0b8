import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { localeDeclarations } from "./locale-methods.ts";

/**
 * The declarations of the language as the sandbox has it, in one file: TypeScript's own without what the engine lacks,
 * and with what TypeScript does not declare yet. A test holds it against the engine, name by name.
 */
export function sandboxLibrary(): string {
  return (made ??= [NOTICE, ...libraryTexts().map(keptOf), ADDED, localeDeclarations()].join("\n"));
}

let made: string | undefined;

const NOTICE = `// The language as a skill's sandbox has it. Made from TypeScript's own library:
// Copyright (c) Microsoft Corporation, licensed under the Apache License, Version 2.0.`;

/** TypeScript's library files, of which nothing is in the engine or all speak of `Intl` alone. */
const ABSENT_FILES =
  /\.intl\.|^lib\.esnext\.(?:array|date|decorators|disposable|temporal|typedarrays)\.|\.full\./;

const ABSENT_GLOBALS = new Set(["Intl", "Atomics"]);

/** The static properties of `RegExp` that tell of the last match. */
const ABSENT_OF_REGEXP = /^(?:\$.|input|lastMatch|lastParen|leftContext|rightContext)$/;

/** Declared anew, with what becomes of a locale. */
const WITH_LOCALE = /^toLocale(?:Upper|Lower)Case$/;

const ADDED = `interface Math {
  /** The sum of the numbers, rounded once. */
  sumPrecise(numbers: Iterable<number>): number;
}
type IteratorObjectConstructor = { readonly prototype: IteratorObject<any, any, any> } & (abstract new <
  T,
  TResult = undefined,
  TNext = unknown,
>() => IteratorObject<T, TResult, TNext>);
interface IteratorConstructor {
  /** An iterator over all that the given ones yield, one after the other. */
  concat<T>(...iterables: readonly Iterable<T>[]): IteratorObject<T, undefined, unknown>;
}
`;

/** The texts of the files, in the order in which TypeScript itself refers to them. */
function libraryTexts(): readonly string[] {
  const folder = path.dirname(ts.getDefaultLibFilePath({}));
  const texts = new Map<string, string>();
  const add = (name: string): void => {
    if (texts.has(name) || ABSENT_FILES.test(name)) return;
    const text = readFileSync(path.join(folder, name), "utf8");
    texts.set(name, text);
    for (const [, lib = ""] of text.matchAll(REFERENCE)) add(`lib.${lib}.d.ts`);
  };
  add("lib.esnext.d.ts");
  return [...texts.values()].map((text) => text.replace(LICENSE, "").replaceAll(REFERENCE, ""));
}

const REFERENCE = /^\/\/\/ <reference lib="([^"]+)" \/>\s*/gm;

const LICENSE = /^\/\*![\s\S]*?\*\//;

/** What a text has that may have to be cut; most have nothing, and are not parsed. */
const SUSPECT =
  /\bIntl\b|\bAtomics\b|\bRegExpConstructor\b|\btoLocale(?:Upper|Lower)Case\b|^declare global\b/m;

function keptOf(text: string): string {
  if (!SUSPECT.test(text)) return text;
  const file = ts.createSourceFile("library.d.ts", text, ts.ScriptTarget.ESNext);
  return statementsOf(file)
    .flatMap((statement) => keptStatement(statement, file))
    .join("\n");
}

// One file is a module, so that it can have a class whose name is global as something else.
function statementsOf(file: ts.SourceFile): readonly ts.Statement[] {
  const global = file.statements.find(({ flags }) => flags & ts.NodeFlags.GlobalAugmentation);
  const body = global && ts.isModuleDeclaration(global) ? global.body : undefined;
  return body && ts.isModuleBlock(body) ? body.statements : file.statements;
}

function keptStatement(statement: ts.Statement, file: ts.SourceFile): readonly string[] {
  const text = statement.getFullText(file).replace(/^\s*var /m, "declare var ");
  if (namesOf(statement).some((name) => ABSENT_GLOBALS.has(name))) return [];
  if (!ts.isInterfaceDeclaration(statement)) return [text];
  const absent = statement.members.filter((member) => isAbsent(member, statement.name.text, file));
  if (absent.length === 0) return [text];
  if (absent.length === statement.members.length) return [];
  const [first] = statement.members;
  const head = file.text.slice(statement.getStart(file), first?.getFullStart());
  const members = statement.members.filter((member) => !absent.includes(member));
  return [`${head}${members.map((member) => member.getFullText(file)).join("")}\n}`];
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  if (ts.isInterfaceDeclaration(statement) || ts.isModuleDeclaration(statement)) return [statement.name.text];
  return [];
}

function isAbsent(member: ts.TypeElement, owner: string, file: ts.SourceFile): boolean {
  const name =
    member.name && (ts.isIdentifier(member.name) || ts.isStringLiteral(member.name)) ? member.name.text : "";
  if (owner === "RegExpConstructor" && ABSENT_OF_REGEXP.test(name)) return true;
  return WITH_LOCALE.test(name) || /\bIntl\./.test(member.getText(file));
}
