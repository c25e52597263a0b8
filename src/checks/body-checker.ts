import ts from "typescript";
import { literalFaults } from "./literal-arguments.ts";
import {
  isBundled,
  isLibrary,
  isOfTypedInput,
  isSandboxGlobal,
  visitUnits,
  type CodeProgram,
  type ProgramUnit,
} from "../compiler/program/ts-program.ts";
import { UNCHECKED } from "../workflow/code-helpers.ts";
import { isHostFunction } from "../compiler/program/code-calls.ts";
import type { CodeFinding, CodeUnit } from "../compiler/program/compiled-code.ts";
import { contractTypes, type CallableSkill } from "../contracts/to-types/contract-types.ts";
import { localeFindings, typeFinding } from "./type-error-findings.ts";
import { isMissingName } from "./missing-names.ts";
import { type CallableTools, toolTypes } from "../contracts/to-types/tool-types.ts";

/** What bodies call, by name. */
export interface Callables {
  readonly skills: ReadonlyMap<string, CallableSkill>;
  /** Those that are known; others take and give anything. */
  readonly tools: CallableTools;
}

export interface CheckProgress {
  /** Called before the work on one skill begins. */
  at(unit: CodeUnit): void;
  done(unit: CodeUnit, findings: readonly CodeFinding[]): void;
}

/** Checks the body of each skill, with the contracts of all that it may call given. */
export function checkBodies(given: readonly CodeUnit[], callable: Callables, progress: CheckProgress): void {
  visitUnits(given.map(withCheckedTasks), {
    calls: contractTypes(callable.skills) + toolTypes(callable.tools),
    each: (program, unit) => {
      progress.at(unit.unit);
      progress.done(unit.unit, findingsIn(program, unit, callable));
    },
    // What the compiler fails over has been reported where the contract was derived.
    failed: (unit) => progress.done(unit, []),
  });
}

/** Of what is made of a document, the code that stands in its tasks is checked for the names that it takes from nowhere. */
function withCheckedTasks(unit: CodeUnit): CodeUnit {
  const [module, ...others] = unit.files;
  if (module?.text.startsWith(UNCHECKED) !== true) return unit;
  return { ...unit, files: [{ ...module, text: module.text.replace(UNCHECKED, CHECKED) }, ...others] };
}

const CHECKED = "// @ts-check The code of a document's tasks.";

/** Whether a node stands in the code of a task, in what is made of a document; elsewhere all is the author's. */
function isOfTask(file: ts.SourceFile, node: ts.Node): boolean {
  if (!file.text.startsWith(CHECKED)) return true;
  const statement = ts.findAncestor(node, ({ parent }) => parent === file);
  return statement !== undefined && ts.isVariableStatement(statement) && !statement.modifiers;
}

const MAX_FINDINGS = 50;

function findingsIn(
  { program, checker }: CodeProgram,
  { files, unparsed }: ProgramUnit,
  callable: Callables,
): readonly CodeFinding[] {
  if (unparsed !== undefined) return [];
  const found = files.flatMap((file) => {
    if (/^\s*\/\/\s*@ts-nocheck\b/m.test(file.text) || (isBundled(file) && !callsOut(file))) return [];
    const faults = program.getSemanticDiagnostics(file).filter((each) => isReported(checker, file, each));
    const types = faults.map((each) => typeFinding(checker, file, each));
    const isAt = (node: ts.Node): boolean =>
      faults.some(({ start = 0 }) => start >= node.getStart() && start < node.getEnd());
    return [
      ...types,
      ...literalFaults(checker, file, callable.skills)
        .filter(({ node }) => !isAt(ts.isPropertyAssignment(node.parent) ? node.parent : node))
        .map(({ finding }) => finding),
      ...(isBundled(file) ? [] : localeFindings(checker, file)),
    ];
  });
  const [untold] = found.slice(MAX_FINDINGS);
  if (!untold) return found;
  const message = `${found.length - MAX_FINDINGS} more findings from here on are not told one by one; the first is: ${untold.message}`;
  return [...found.slice(0, MAX_FINDINGS), { ...untold, message }];
}

function callsOut({ text }: ts.SourceFile): boolean {
  return /\bcall_(?:skill|tool)\b/.test(text);
}

/** Parts of code without a type are no faults of how skills fit together. */
const MIN_IMPLICIT_ANY = 7_000;

const MAX_IMPLICIT_ANY = 7_999;

function isReported(
  checker: ts.TypeChecker,
  file: ts.SourceFile,
  { code, category, start }: ts.Diagnostic,
): boolean {
  if (category !== ts.DiagnosticCategory.Error || (code >= MIN_IMPLICIT_ANY && code <= MAX_IMPLICIT_ANY))
    return false;
  const node = nodeAt(file, start ?? 0);
  if (code === NO_MODULE || !isOfTask(file, node)) return false;
  if (isBundled(file) && !concernsCall(checker, node)) return false;
  if (isNameOfCall(checker, node) || (isMissingName(code) && isProbed(file, node))) return false;
  if (BEYOND_TYPES.has(code) && concernsCall(checker, node)) return false;
  return (
    !/\.[cm]?jsx?$/.test(file.fileName) ||
    isMissingName(code) ||
    isCallOfMissingMember(checker, file, node) ||
    concernsCall(checker, node) ||
    isOfTypedInput(checker, node)
  );
}

/** The import is of bundled code, which has no types here, or has been found to be of nothing. */
const NO_MODULE = 2_307;

/** Too deep, too complex: what a contract says beyond that is left open, as its type is then. */
const BEYOND_TYPES = new Set([2_321, 2_589, 2_590]);

/** Whether the file asks with `typeof` for the name: then it is ready not to find it. */
function isProbed(file: ts.SourceFile, node: ts.Node): boolean {
  return ts.isIdentifier(node) && probedNames(file).has(node.text);
}

/** Whether it calls what an object of the language, such as `Math`, does not have, and nothing in the file gives to it. */
function isCallOfMissingMember(checker: ts.TypeChecker, file: ts.SourceFile, node: ts.Node): boolean {
  const access = node.parent;
  if (!ts.isPropertyAccessExpression(access) || access.name !== node || !ts.isIdentifier(access.expression))
    return false;
  const { parent, expression: owner } = access;
  if (!ts.isCallExpression(parent) || parent.expression !== access || parent.questionDotToken) return false;
  const declared = checker.getSymbolAtLocation(owner)?.declarations ?? [];
  const isBuiltIn = declared.length > 0 && declared.every((each) => isLibrary(each));
  const name = checker.getTypeAtLocation(owner).getProperty(access.name.text);
  return isBuiltIn && name === undefined && !isGiven(file.text, access.name.text);
}

/** Whether a text assigns a member of this name to something, or asks whether it is there. */
function isGiven(text: string, member: string): boolean {
  const mentions = text.split(
    new RegExp(String.raw`(?<![\w$])${member.replaceAll("$", String.raw`\$`)}(?![\w$])`),
  );
  return mentions.slice(1).some((after) => !after.startsWith("("));
}

const probes = new WeakMap<ts.SourceFile, ReadonlySet<string>>();

function probedNames(file: ts.SourceFile): ReadonlySet<string> {
  const known = probes.get(file);
  if (known) return known;
  const names = new Set(
    Array.from(file.text.matchAll(/\btypeof\s*\(?\s*([\w$]+)/g), ([, name = ""]) => name),
  );
  probes.set(file, names);
  return names;
}

/** The graph of calls tells which names are unknown. */
function isNameOfCall(checker: ts.TypeChecker, node: ts.Node): boolean {
  const call = ts.findAncestor(node, ts.isCallExpression);
  const [name] = call?.arguments ?? [];
  return Boolean(
    call &&
    name &&
    isHostCall(checker, call) &&
    name.getStart() <= node.getStart() &&
    node.getEnd() <= name.getEnd(),
  );
}

/** In JavaScript types are guesses, but for those of a call and of what it gives. */
function concernsCall(checker: ts.TypeChecker, node: ts.Node): boolean {
  const isInCall = ts.findAncestor(
    node,
    (each) => ts.isCallExpression(each) && isHostCall(checker, each) && !isInBody(node, each),
  );
  if (isInCall) return true;
  const access = node.parent;
  if (!ts.isPropertyAccessExpression(access) || access.name !== node) return false;
  const type = checker.getTypeAtLocation(access.expression);
  return (type.isUnion() ? type.types : [type]).some(isSandboxType);
}

/** Whether a function inside the call's arguments holds the node: what it does is its own matter. */
function isInBody(node: ts.Node, call: ts.Node): boolean {
  for (let at = node; at !== call; at = at.parent) if (ts.isFunctionLike(at)) return true;
  return false;
}

function isSandboxType(type: ts.Type): boolean {
  const symbol = type.aliasSymbol ?? type.getSymbol();
  return symbol?.declarations?.some(isSandboxGlobal) ?? false;
}

function isHostCall(checker: ts.TypeChecker, call: ts.CallExpression): boolean {
  const { expression } = call;
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  return ts.isIdentifier(name) && isHostFunction(checker, name);
}

/** The innermost node that begins at or holds an offset. */
function nodeAt(file: ts.SourceFile, offset: number): ts.Node {
  let at: ts.Node = file;
  for (;;) {
    const inner: ts.Node | undefined = ts.forEachChild(at, (child) =>
      child.getStart() <= offset && offset < child.getEnd() ? child : undefined,
    );
    if (!inner) return at;
    at = inner;
  }
}
