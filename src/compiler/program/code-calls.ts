import ts from "typescript";
import type { CodeCall, OpenCall } from "./compiled-code.ts";
import { isAuthored, placeIn } from "./ts-program.ts";
import { constInitializer } from "./literal-schema.ts";
import { isRepeated } from "./repeated-code.ts";
import { References } from "./references.ts";
import { namesOf, patternsOf, type StaticName } from "./static-names.ts";

export interface CodeCalls {
  readonly calls: readonly CodeCall[];
  readonly tools: readonly CodeCall[];
  readonly openCalls: readonly OpenCall[];
  readonly dynamic: boolean;
  readonly repeated: boolean;
  readonly callsTools: boolean;
}

/** What the files call through `call_skill` and `call_tool`, as far as the source text tells. */
export function callsIn(checker: ts.TypeChecker, files: readonly ts.SourceFile[]): CodeCalls {
  const references = new References(checker, files);
  const calls: CodeCall[] = [];
  const tools: CodeCall[] = [];
  const openCalls: OpenCall[] = [];
  let repeated = false;
  let callsTools = false;
  for (const { world, at } of files.flatMap((file) => usesIn(checker, file, references))) {
    const names = calleesOf(checker, at, references);
    if (!names) openCalls.push(openCall(checker, world, at, references));
    callsTools ||= world === "call_tool";
    repeated ||= world === "call_skill" && isRepeated(checker, at, references);
    const found = world === "call_tool" ? tools : calls;
    for (const name of names ?? [])
      found.push({ callee: name.text, ...placeIn(name.at.getSourceFile(), name.at.getStart()) });
  }
  return { calls, tools, openCalls, dynamic: openCalls.length > 0, repeated, callsTools };
}

function openCall(
  checker: ts.TypeChecker,
  world: OpenCall["world"],
  at: ts.Identifier,
  references: References,
): OpenCall {
  const name = nameArgument(at);
  const patterns = name && patternsOf(checker, name, references);
  const place = placeIn(at.getSourceFile(), (name ?? at).getStart());
  return { world, ...place, ...(patterns ? { patterns, written: name?.getText() } : {}) };
}

/** Where the code uses one of the world's functions. */
export interface WorldUse {
  readonly world: "call_skill" | "call_tool";
  readonly at: ts.Identifier;
}

/** The identifiers that mean the world's own `call_skill` or `call_tool`, in the order of the text. */
export function usesIn(
  checker: ts.TypeChecker,
  file: ts.SourceFile,
  references: References,
): readonly WorldUse[] {
  if (!/call_(?:skill|tool)/.test(file.text)) return [];
  const uses: WorldUse[] = [];
  const open: ts.Node[] = [file];
  for (let node = open.pop(); node; node = open.pop()) {
    if (ts.isIdentifier(node)) {
      if (!isWorlds(checker, node) || (node.text !== "call_skill" && node.text !== "call_tool")) continue;
      const world = node.text;
      for (const at of otherNames(checker, node, references) ?? [node]) uses.push({ world, at });
    } else if (!ts.isTypeNode(node)) {
      const children: ts.Node[] = [];
      ts.forEachChild(node, (child) => void children.push(child));
      open.push(...children.toReversed());
    }
  }
  return uses;
}

/** Whether an identifier means what the world declares, not what the author does. */
export function isWorlds(checker: ts.TypeChecker, identifier: ts.Identifier): boolean {
  if (identifier.text !== "call_skill" && identifier.text !== "call_tool") return false;
  const symbol = ts.isShorthandPropertyAssignment(identifier.parent)
    ? checker.getShorthandAssignmentValueSymbol(identifier.parent)
    : checker.getSymbolAtLocation(identifier);
  const declarations = symbol?.declarations ?? [];
  return declarations.length > 0 && !declarations.some(isAuthored);
}

/** Where the function is used by the other name that a `const` gives it; nothing where none does. */
function otherNames(
  checker: ts.TypeChecker,
  use: ts.Identifier,
  references: References,
): readonly ts.Identifier[] | undefined {
  const declaration = ts.findAncestor(
    use,
    (node) => node.parent && ts.isVariableDeclaration(node.parent),
  )?.parent;
  if (!declaration || constInitializer(declaration) !== use) return undefined;
  const { name } = declaration as ts.VariableDeclaration;
  const symbol = ts.isIdentifier(name) ? checker.getSymbolAtLocation(name) : undefined;
  return symbol && references.of(symbol).filter((each) => each !== name);
}

/** The names that a call can have; nothing where they are known only at run time, or it is no call but passed on. */
export function calleesOf(
  checker: ts.TypeChecker,
  use: ts.Identifier,
  references: References,
): readonly StaticName[] | undefined {
  const name = nameArgument(use);
  return name && namesOf(checker, name, references);
}

/** What a call gives as the name; nothing where it is no call but passed on. */
function nameArgument(use: ts.Identifier): ts.Expression | undefined {
  const callee = ts.isPropertyAccessExpression(use.parent) && use.parent.name === use ? use.parent : use;
  const call = callee.parent;
  return ts.isCallExpression(call) && call.expression === callee ? call.arguments[0] : undefined;
}
