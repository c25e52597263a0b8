import ts from "typescript";
import type { References } from "./references.ts";
import { functionName } from "./static-names.ts";

/** Whether code may run more than once in a call of the skill: in a loop, for each member of a list, or by recursion. */
export function isRepeated(checker: ts.TypeChecker, node: ts.Node, references: References): boolean {
  return new Repetition(checker, references).isRepeated(node);
}

class Repetition {
  readonly #checker: ts.TypeChecker;
  readonly #references: References;
  /** Functions that are being looked at, outermost first. */
  readonly #open = new Set<ts.Node>();
  readonly #once = new Set<ts.Node>();

  constructor(checker: ts.TypeChecker, references: References) {
    this.#checker = checker;
    this.#references = references;
  }

  isRepeated(node: ts.Node): boolean {
    for (let child = node, { parent } = node; parent; child = parent, { parent } = parent) {
      if (isLooped(child, parent)) return true;
      if (!ts.isFunctionLike(child)) continue;
      if (isCalledForEach(child, parent)) return true;
      const name = functionName(child);
      if (name) return this.#isFunctionRepeated(child, name);
    }
    return false;
  }

  #isFunctionRepeated(owner: ts.Node, name: ts.Identifier): boolean {
    if (this.#open.has(owner)) return true;
    if (this.#once.has(owner)) return false;
    this.#open.add(owner);
    const symbol = this.#checker.getSymbolAtLocation(name);
    const uses = symbol ? this.#references.of(symbol).filter((use) => isUse(use, name)) : [];
    const repeated = uses.some((use) => isPassedToEach(use) || this.isRepeated(use));
    this.#open.delete(owner);
    this.#once.add(owner);
    return repeated;
  }
}

function isUse(use: ts.Identifier, name: ts.Identifier): boolean {
  return use !== name && !ts.isImportSpecifier(use.parent) && !ts.isExportSpecifier(use.parent);
}

function isLooped(child: ts.Node, parent: ts.Node): boolean {
  if (ts.isForOfStatement(parent) || ts.isForInStatement(parent)) return child === parent.statement;
  if (ts.isForStatement(parent)) return child !== parent.initializer;
  return ts.isWhileStatement(parent) || ts.isDoStatement(parent);
}

function isCalledForEach(callback: ts.Node, call: ts.Node): boolean {
  if (!ts.isCallExpression(call) || call.expression === callback) return false;
  const { expression } = call;
  return ts.isPropertyAccessExpression(expression) && REPEATS.has(expression.name.text);
}

function isPassedToEach(use: ts.Identifier): boolean {
  return isCalledForEach(use, use.parent);
}

const REPEATS = new Set([
  "map",
  "forEach",
  "flatMap",
  "filter",
  "some",
  "every",
  "find",
  "findIndex",
  "findLast",
  "reduce",
  "reduceRight",
  "from",
  "fromAsync",
  "sort",
  "toSorted",
  "replace",
  "replaceAll",
]);
