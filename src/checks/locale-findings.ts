import ts from "typescript";
import { isLibrary, placeIn } from "../compiler/program/ts-program.ts";
import type { CodeFinding } from "../compiler/program/compiled-code.ts";
import { argumentsBeforeLocale, ignoredLocale } from "../contracts/to-types/locale-methods.ts";

/** Calls that give a locale, or options of one, to a method of the language that has none in the sandbox. */
export function localeFindings(checker: ts.TypeChecker, file: ts.SourceFile): readonly CodeFinding[] {
  if (!/\b(?:toLocale\w+|localeCompare)\b/.test(file.text)) return [];
  const findings: CodeFinding[] = [];
  const open: ts.Node[] = [file];
  for (let node = open.pop(); node; node = open.pop()) {
    const finding = ts.isCallExpression(node) ? localeFinding(checker, file, node) : undefined;
    if (finding) findings.push(finding);
    const children: ts.Node[] = [];
    ts.forEachChild(node, (child) => void children.push(child));
    open.push(...children.toReversed());
  }
  return findings;
}

function localeFinding(
  checker: ts.TypeChecker,
  file: ts.SourceFile,
  call: ts.CallExpression,
): CodeFinding | undefined {
  const { expression } = call;
  if (!ts.isPropertyAccessExpression(expression)) return undefined;
  const before = argumentsBeforeLocale(expression.name.text);
  const locale = before === undefined ? undefined : call.arguments[before];
  if (!locale) return undefined;
  const symbol = checker.getSymbolAtLocation(expression.name);
  const declarations = symbol?.declarations ?? [];
  // What the author declares is the author's. Where nothing is known of the value, the name is enough.
  if (!declarations.every(isLibrary)) return undefined;
  const owner = declarations[0]?.parent;
  const found = ignoredLocale(
    expression.name.text,
    owner && ts.isInterfaceDeclaration(owner) ? owner.name.text : undefined,
  );
  return (
    found && {
      code: "locale-ignored",
      severity: "warning",
      ...placeIn(file, locale.getStart(file)),
      ...found,
    }
  );
}
