import path from "node:path";
import ts from "typescript";
import type { CodeFinding, CodeScript } from "./program/compiled-code.ts";
import { authoredText, codePositionAt } from "./program/ts-program.ts";
import { stripTypesOrThrow } from "../core/strip-types.ts";

/** The files that run, the entry first, as JavaScript; files that are imported for their types alone are left out. */
export function transpiledScripts(
  program: ts.Program,
  checker: ts.TypeChecker,
  files: readonly ts.SourceFile[],
): { readonly scripts: readonly CodeScript[]; readonly findings: readonly CodeFinding[] } {
  const scripts: CodeScript[] = [];
  const findings: CodeFinding[] = [];
  for (const file of runningFiles(program, checker, files)) {
    const made = scriptOf(checker, file);
    if ("message" in made) findings.push(made);
    else scripts.push(made);
  }
  return { scripts, findings };
}

function scriptOf(checker: ts.TypeChecker, file: ts.SourceFile): CodeScript | CodeFinding {
  const { file: name } = codePositionAt(file, 0);
  if (!/\.[cm]?ts$/.test(name)) return { file: name };
  const text = withoutTypeImports(checker, file);
  try {
    return { file: name, code: stripTypesOrThrow(text) };
  } catch (error) {
    if (isNodeError(error) && error.code === "ERR_INVALID_TYPESCRIPT_SYNTAX")
      return syntaxFinding(file, error);
    return transpiled(name, text);
  }
}

/** For what cannot be erased but only rewritten: enums, namespaces, parameter properties. */
function transpiled(name: string, text: string): CodeScript {
  const { outputText, sourceMapText } = ts.transpileModule(text, {
    fileName: name,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, sourceMap: true },
  });
  const code = outputText.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, "\n");
  return { file: name, code, ...(sourceMapText !== undefined && { map: sourceMapText }) };
}

function runningFiles(
  program: ts.Program,
  checker: ts.TypeChecker,
  files: readonly ts.SourceFile[],
): readonly ts.SourceFile[] {
  const [entry] = files;
  const running = new Set<ts.SourceFile>(entry && [entry]);
  for (const file of running) {
    for (const specifier of runningImports(checker, file)) {
      const target =
        namedTarget(program, specifier) ??
        checker.getSymbolAtLocation(specifier)?.declarations?.find(ts.isSourceFile);
      if (target && files.includes(target)) running.add(target);
    }
  }
  return files.filter((file) => running.has(file) && !file.isDeclarationFile);
}

// The checker may know it by its declarations, or not at all: bundled code, files that export nothing.
function namedTarget(program: ts.Program, specifier: ts.StringLiteralLike): ts.SourceFile | undefined {
  const from = specifier.getSourceFile().fileName;
  return program.getSourceFile(path.posix.join(path.posix.dirname(from), specifier.text));
}

function runningImports(checker: ts.TypeChecker, file: ts.SourceFile): readonly ts.StringLiteralLike[] {
  const found: ts.StringLiteralLike[] = [];
  for (const statement of file.statements) {
    const specifier =
      ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
        ? statement.moduleSpecifier
        : undefined;
    if (specifier && ts.isStringLiteralLike(specifier) && !isForTypesOnly(checker, statement))
      found.push(specifier);
  }
  if (!/\bimport\s*\(/.test(file.text)) return found;
  const open: ts.Node[] = [file];
  for (let node = open.pop(); node; node = open.pop()) {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument && ts.isStringLiteralLike(argument)) found.push(argument);
    }
    ts.forEachChild(node, (child) => void open.push(child));
  }
  return found;
}

/**
 * The text with imports and re-exports of types blanked, as TypeScript itself leaves them away, whether or not they
 * say `type`. Stripping alone would keep `import { Input } from "./types.ts"`, which then fails to link.
 */
function withoutTypeImports(checker: ts.TypeChecker, file: ts.SourceFile): string {
  let text = authoredText(file);
  for (const statement of file.statements) {
    if (isForTypesOnly(checker, statement)) text = blanked(text, statement.getStart(), statement.end);
    else
      for (const specifier of typeSpecifiers(checker, statement))
        text = blanked(text, specifier.getStart(), endWithComma(text, specifier));
  }
  return text;
}

function isForTypesOnly(checker: ts.TypeChecker, statement: ts.Statement): boolean {
  if (ts.isImportDeclaration(statement)) {
    const clause = statement.importClause;
    if (!clause) return false;
    if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
    const bindings = clause.namedBindings;
    if (bindings && ts.isNamespaceImport(bindings)) return false;
    if (clause.name && !namesOnlyType(checker, clause.name)) return false;
    return (
      Boolean(clause.name ?? bindings?.elements.length) &&
      (bindings?.elements ?? []).every((each) => isTypeSpecifier(checker, each))
    );
  }
  if (!ts.isExportDeclaration(statement)) return false;
  if (statement.isTypeOnly) return true;
  const clause = statement.exportClause;
  return Boolean(
    clause &&
    ts.isNamedExports(clause) &&
    clause.elements.length > 0 &&
    clause.elements.every((each) => isTypeSpecifier(checker, each)),
  );
}

function typeSpecifiers(checker: ts.TypeChecker, statement: ts.Statement): readonly ts.Node[] {
  if (ts.isImportDeclaration(statement)) {
    const bindings = statement.importClause?.namedBindings;
    return bindings && ts.isNamedImports(bindings)
      ? bindings.elements.filter((each) => isTypeSpecifier(checker, each))
      : [];
  }
  const clause = ts.isExportDeclaration(statement) ? statement.exportClause : undefined;
  return clause && ts.isNamedExports(clause)
    ? clause.elements.filter((each) => isTypeSpecifier(checker, each))
    : [];
}

function isTypeSpecifier(
  checker: ts.TypeChecker,
  specifier: ts.ImportSpecifier | ts.ExportSpecifier,
): boolean {
  return specifier.isTypeOnly || namesOnlyType(checker, specifier.name);
}

function namesOnlyType(checker: ts.TypeChecker, name: ts.ModuleExportName): boolean {
  const symbol = checker.getSymbolAtLocation(name);
  const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return Boolean(target && target.flags & ts.SymbolFlags.Type && !(target.flags & ts.SymbolFlags.Value));
}

function endWithComma(text: string, specifier: ts.Node): number {
  return specifier.end + (/^\s*,/.exec(text.slice(specifier.end))?.[0].length ?? 0);
}

function blanked(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replaceAll(/[^\r\n]/g, " ") + text.slice(end);
}

function isNodeError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

/** Node tells the place only in the stack: `:3`, some lines of the file, and carets under the last of them. */
function syntaxFinding(file: ts.SourceFile, error: Error): CodeFinding {
  const [, line = "1", margin = ""] = /^:(\d+)\n(?:.*\n)*?( *)\^/.exec(error.stack ?? "") ?? [];
  return {
    code: "code-syntax",
    severity: "error",
    file: codePositionAt(file, 0).file,
    line: Number(line),
    column: margin.length + 1,
    message: error.message,
    fix: "Correct the syntax",
  };
}
