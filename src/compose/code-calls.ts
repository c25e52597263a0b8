import ts from "typescript";
import type { CodeCall } from "./compiled-code.ts";
import { isAuthored, placeIn } from "./code-program.ts";
import { constInitializer, withoutAssertions } from "./literal-schema.ts";

export interface CodeCalls {
  readonly calls: readonly CodeCall[];
  readonly tools: readonly string[];
  readonly dynamic: boolean;
  readonly callsTools: boolean;
}

/** What the files call through `call_skill` and `call_tool`, as far as the source text tells. */
export function callsIn(checker: ts.TypeChecker, files: readonly ts.SourceFile[]): CodeCalls {
  const calls: CodeCall[] = [];
  const tools = new Set<string>();
  let dynamic = false;
  let callsTools = false;
  for (const use of files.flatMap((file) => usesIn(checker, file))) {
    const names = calleesOf(checker, use);
    if (!names) dynamic = true;
    if (use.text === "call_tool") {
      callsTools = true;
      for (const name of names ?? []) tools.add(name.text);
    } else {
      for (const name of names ?? [])
        calls.push({ callee: name.text, ...placeIn(name.at.getSourceFile(), name.at.getStart()) });
    }
  }
  return { calls, tools: [...tools], dynamic, callsTools };
}

interface StaticName {
  readonly text: string;
  readonly at: ts.Node;
}

/** The identifiers that mean the world's own `call_skill` or `call_tool`, in the order of the text. */
function usesIn(checker: ts.TypeChecker, file: ts.SourceFile): readonly ts.Identifier[] {
  if (!/call_(?:skill|tool)/.test(file.text)) return [];
  const uses: ts.Identifier[] = [];
  const open: ts.Node[] = [file];
  for (let node = open.pop(); node; node = open.pop()) {
    if (ts.isIdentifier(node)) {
      if ((node.text === "call_skill" || node.text === "call_tool") && isWorlds(checker, node))
        uses.push(node);
    } else if (!ts.isTypeNode(node)) {
      const children: ts.Node[] = [];
      ts.forEachChild(node, (child) => void children.push(child));
      open.push(...children.toReversed());
    }
  }
  return uses;
}

function isWorlds(checker: ts.TypeChecker, identifier: ts.Identifier): boolean {
  const symbol = ts.isShorthandPropertyAssignment(identifier.parent)
    ? checker.getShorthandAssignmentValueSymbol(identifier.parent)
    : checker.getSymbolAtLocation(identifier);
  const declarations = symbol?.declarations ?? [];
  return declarations.length > 0 && !declarations.some(isAuthored);
}

/** The names that a call can have; nothing where they are known only at run time, or it is no call but passed on. */
function calleesOf(checker: ts.TypeChecker, use: ts.Identifier): readonly StaticName[] | undefined {
  const callee = ts.isPropertyAccessExpression(use.parent) && use.parent.name === use ? use.parent : use;
  const call = callee.parent;
  const [name] = ts.isCallExpression(call) && call.expression === callee ? call.arguments : [];
  return name && namesOf(checker, name);
}

function namesOf(checker: ts.TypeChecker, written: ts.Expression): readonly StaticName[] | undefined {
  const node = withoutAssertions(written);
  if (ts.isStringLiteralLike(node)) return [{ text: node.text, at: node }];
  if (ts.isConditionalExpression(node)) {
    const whenTrue = namesOf(checker, node.whenTrue);
    const whenFalse = namesOf(checker, node.whenFalse);
    return whenTrue && whenFalse && [...whenTrue, ...whenFalse];
  }
  if (!ts.isIdentifier(node)) return undefined;
  const symbol = checker.getSymbolAtLocation(node);
  const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const value = target?.valueDeclaration && constInitializer(target.valueDeclaration);
  return value && ts.isStringLiteralLike(value) ? [{ text: value.text, at: node }] : undefined;
}
