import ts from "typescript";
import { codePositionAt, isLibrary } from "../compiler/program/ts-program.ts";
import type { CodeFinding } from "../compiler/program/compiled-code.ts";
import { missingNameFix, isMissingName } from "./missing-names.ts";
import { argumentsBeforeLocale, ignoredLocale } from "../contracts/to-types/locale-methods.ts";

/** A fault that TypeScript finds, with what to write instead, as far as the types on both sides tell. */
export function typeFinding(checker: ts.TypeChecker, file: ts.SourceFile, fault: ts.Diagnostic): CodeFinding {
  const text = ts.flattenDiagnosticMessageText(fault.messageText, "\n");
  const lines = text.split("\n").map((line) => line.trim());
  return {
    code: "call-type",
    severity: "error",
    ...codePositionAt(file, fault.start ?? 0),
    message: `${withoutAdvice(lines.join(" ")).replace(/\.$/, "")} (TS${fault.code})`,
    fix: fixOf(checker, file, fault, text),
  };
}

/** TypeScript's text without what only its own users could follow: other libraries, options, packages. */
export function withoutAdvice(text: string): string {
  const kept = text
    .split(/(?<=[.?])\s+(?=[A-Z])/)
    .filter((sentence) => !/target library|type definitions|compiler option|npm i |'--|'lib'/.test(sentence));
  return kept.length > 0 ? kept.join(" ") : "This cannot be used in a skill's code";
}

function fixOf(
  checker: ts.TypeChecker,
  file: ts.SourceFile,
  { code, start = 0, length = 0, relatedInformation = [] }: ts.Diagnostic,
  text: string,
): string {
  const node = nodeBetween(file, start, start + length);
  if (isMissingName(code))
    return missingNameFix(ts.isStringLiteral(node) ? "require" : node.getText(file), meantBy(text));
  if (relatedInformation.some((related) => related.code === FORGOTTEN_AWAIT)) return awaitFix(node);
  const fix = FIXES.get(code)?.(checker, node, text);
  return fix ?? mismatchFix(checker, node) ?? meantFix(text) ?? GENERAL;
}

const GENERAL = "Correct the code, or the contract that it does not keep";

const FORGOTTEN_AWAIT = 2_773;

const MAX_NAMES = 8;

const MAX_CHARACTERS = 60;

type Fix = (checker: ts.TypeChecker, node: ts.Node, text: string) => string | undefined;

const POSSIBLY_EMPTY: Fix = (_, node) => {
  const shown = shownText(node);
  return `Give a value for when it is missing: \`${shown} ?? …\`, or test \`${shown}\` first`;
};

const FIXES: ReadonlyMap<number, Fix> = new Map<number, Fix>([
  ...[2_531, 2_532, 2_533, 18_047, 18_048, 18_049].map((code) => [code, POSSIBLY_EMPTY] as const),
  [2_339, propertyFix],
  [2_551, propertyFix],
  [2_353, excessFix],
  [2_561, excessFix],
  [2_554, argumentsFix],
  [2_555, argumentsFix],
  [2_367, overlapFix],
  [2_362, numberFix],
  [2_363, numberFix],
  [2_578, () => "Remove the comment: nothing is wrong behind it"],
  [18_046, (_, node) => `Find out first what it is, such as \`typeof ${shownText(node)} === "string"\``],
]);

function propertyFix(checker: ts.TypeChecker, node: ts.Node, text: string): string | undefined {
  const access = node.parent;
  if (!ts.isPropertyAccessExpression(access)) return meantFix(text);
  const type = checker.getTypeAtLocation(access.expression);
  const awaited = checker.getAwaitedType(type);
  if (awaited && awaited !== type && checker.getPropertyOfType(awaited, node.getText()))
    return awaitFix(access.expression);
  const meant = meantBy(text);
  if (meant !== undefined) return `Write \`${meant}\``;
  const names = checker.getPropertiesOfType(type).map(({ name }) => name);
  if (type.isUnion() && names.length < MAX_NAMES)
    return `Find out first which it is: all of them have ${names.length > 0 ? listed(names) : "nothing in common"}`;
  return names.length > 0 && names.length <= MAX_NAMES ? `It has ${listed(names)}` : undefined;
}

function excessFix(_: ts.TypeChecker, node: ts.Node, text: string): string {
  const meant = meantBy(text);
  return meant === undefined
    ? `Remove \`${shownText(node)}\``
    : `Write \`${meant}\` instead of \`${shownText(node)}\`, or remove it`;
}

function argumentsFix(checker: ts.TypeChecker, node: ts.Node): string | undefined {
  const call = ts.findAncestor(node, ts.isCallLikeExpression);
  const signature = call && checker.getResolvedSignature(call);
  if (!call || !signature || !ts.isCallExpression(call)) return undefined;
  const missing = signature.getParameters().slice(call.arguments.length);
  if (missing.length === 0) return "Remove the arguments that it does not take";
  const types = missing
    .map((each) => checker.getTypeOfSymbolAtLocation(each, call))
    .flatMap((type) =>
      checker.isTupleType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [type],
    );
  return `Give it what is missing: ${types.map((type) => `\`${sketchOf(checker, type)}\``).join(", ")}`;
}

function overlapFix(checker: ts.TypeChecker, node: ts.Node): string | undefined {
  if (!ts.isBinaryExpression(node)) return undefined;
  const values = literalsOf(checker, checker.getTypeAtLocation(node.left));
  return values && `Compare with ${values}`;
}

function numberFix(_: ts.TypeChecker, node: ts.Node): string {
  return `Convert it: \`Number(${shownText(node)})\``;
}

// --- A value that does not fit where it goes

function mismatchFix(checker: ts.TypeChecker, node: ts.Node): string | undefined {
  const value = valueAt(node);
  const target = value && checker.getContextualType(value);
  return target && fixBetween(checker, checker.getTypeAtLocation(value), target, shownText(value), 0);
}

/** The expression that a fault is about, where it points to the name that is given the value, or to the `return`. */
function valueAt(node: ts.Node): ts.Expression | undefined {
  if (ts.isReturnStatement(node)) return node.expression;
  const { parent } = node;
  if ((ts.isPropertyAssignment(parent) || ts.isVariableDeclaration(parent)) && parent.name === node)
    return parent.initializer;
  return ts.isExpression(node) ? node : undefined;
}

const MAX_DEPTH = 4;

function fixBetween(
  checker: ts.TypeChecker,
  source: ts.Type,
  target: ts.Type,
  written: string,
  depth: number,
): string | undefined {
  const fits = (type: ts.Type, into = target): boolean => checker.isTypeAssignableTo(type, into);
  const awaited = checker.getAwaitedType(source);
  if (awaited && awaited !== source && fits(awaited)) return `Await it: \`await ${written}\``;
  const given = checker.getNonNullableType(source);
  const wanted = checker.getNonNullableType(target);
  if (given !== source && fits(given)) return `Give a value for when it is missing: \`${written} ?? …\``;
  const values = literalsOf(checker, wanted);
  if (values) return `Give ${values}`;
  return (
    conversion(given, wanted, written) ??
    listFix(checker, given, wanted, written) ??
    (depth < MAX_DEPTH ? memberFix(checker, given, wanted, written, depth) : undefined)
  );
}

function conversion(source: ts.Type, target: ts.Type, written: string): string | undefined {
  const is = (type: ts.Type, flags: ts.TypeFlags): boolean =>
    (type.isUnion() ? type.types : [type]).every((each) => Boolean(each.flags & flags));
  // Of a text that is written there, and is none of a number, there is nothing to convert.
  const [, , literal] = /^(["'`])([^"'`\\]*)\1$/.exec(written) ?? [];
  if (is(target, ts.TypeFlags.NumberLike) && literal !== undefined && !isNumeral(literal))
    return "Give a number";
  if (is(target, ts.TypeFlags.NumberLike) && is(source, ts.TypeFlags.StringLike | ts.TypeFlags.BigIntLike))
    return `Convert it: \`Number(${written})\``;
  if (is(target, ts.TypeFlags.BooleanLike)) return `Give true or false, such as \`Boolean(${written})\``;
  if (!is(target, ts.TypeFlags.StringLike)) return undefined;
  if (source.getSymbol()?.name === "Date") return `Convert it: \`${written}.toISOString()\``;
  return is(source, ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike | ts.TypeFlags.BigIntLike)
    ? `Convert it: \`String(${written})\``
    : undefined;
}

function isNumeral(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}

function listFix(
  checker: ts.TypeChecker,
  source: ts.Type,
  target: ts.Type,
  written: string,
): string | undefined {
  const elementOf = (type: ts.Type): ts.Type | undefined =>
    checker.isArrayType(type) ? checker.getIndexTypeOfType(type, ts.IndexKind.Number) : undefined;
  const wanted = elementOf(target);
  if (wanted && checker.isTypeAssignableTo(source, wanted)) return `Give a list: \`[${written}]\``;
  const given = elementOf(source);
  return given && checker.isTypeAssignableTo(given, target)
    ? `Give one of the list: \`${written}[0]\``
    : undefined;
}

function memberFix(
  checker: ts.TypeChecker,
  source: ts.Type,
  target: ts.Type,
  written: string,
  depth: number,
): string | undefined {
  if (!(target.flags & ts.TypeFlags.Object) || !(source.flags & ts.TypeFlags.Object)) return undefined;
  const members = checker.getPropertiesOfType(target);
  const missing = members.filter(
    (member) => !(member.flags & ts.SymbolFlags.Optional) && !checker.getPropertyOfType(source, member.name),
  );
  if (checker.isArrayType(target) || checker.isTupleType(target))
    return `Give a list: \`${shortened(checker.typeToString(target))}\``;
  if (missing.length > 0)
    return `Add ${listed(missing.slice(0, MAX_NAMES).map((member) => `${member.name}: ${typeText(checker, member)}`))}`;
  for (const member of members) {
    const own = checker.getPropertyOfType(source, member.name);
    if (!own) continue;
    const [from, to] = [checker.getTypeOfSymbol(own), checker.getTypeOfSymbol(member)];
    if (!checker.isTypeAssignableTo(from, to))
      return fixBetween(checker, from, to, `${written}.${member.name}`, depth + 1);
  }
  return undefined;
}

// --- Texts

function awaitFix(node: ts.Node): string {
  const { parent } = node;
  const promise = ts.isPropertyAccessExpression(parent) && parent.name === node ? parent.expression : node;
  return `Await it: \`(await ${shownText(promise)})\``;
}

/** What TypeScript guesses was meant. */
function meantBy(text: string): string | undefined {
  return /Did you mean (?:to write |the \w+ member )?'([^']+)'\?/.exec(text)?.[1];
}

function meantFix(text: string): string | undefined {
  const meant = meantBy(text);
  return meant === undefined ? undefined : `Write \`${meant}\``;
}

/** The values of a type that has a few only. */
function literalsOf(checker: ts.TypeChecker, type: ts.Type): string | undefined {
  const members = type.isUnion() ? type.types : [type];
  if (!members.every((each) => each.isStringLiteral() || each.isNumberLiteral())) return undefined;
  const values = members.slice(0, MAX_NAMES).map((each) => checker.typeToString(each));
  const more = members.length > MAX_NAMES ? ", …" : "";
  return values.length === 1 ? values[0] : `one of ${values.join(", ")}${more}`;
}

/** An object type as one would begin to write a value of it. */
function sketchOf(checker: ts.TypeChecker, type: ts.Type): string {
  const required = checker
    .getPropertiesOfType(type)
    .filter((member) => !(member.flags & ts.SymbolFlags.Optional));
  return type.flags & ts.TypeFlags.Object && required.length > 0 && required.length <= MAX_NAMES
    ? `{ ${required.map((member) => `${member.name}: ${typeText(checker, member)}`).join(", ")} }`
    : shortened(checker.typeToString(type));
}

function typeText(checker: ts.TypeChecker, member: ts.Symbol): string {
  return shortened(checker.typeToString(checker.getTypeOfSymbol(member)));
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/** The code as it is written, where it is short enough to be read in a sentence. */
function shownText(node: ts.Node): string {
  const text = node.getText().replaceAll(/\s+/g, " ");
  return text.length > MAX_CHARACTERS ? "…" : text;
}

function shortened(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** The outermost node that begins and ends where a fault does; else the innermost that begins there. */
function nodeBetween(file: ts.SourceFile, start: number, end: number): ts.Node {
  let at: ts.Node = file;
  for (;;) {
    const inner: ts.Node | undefined = ts.forEachChild(at, (child) =>
      child.getStart(file) <= start && start < child.getEnd() ? child : undefined,
    );
    if (!inner) return at;
    if (inner.getStart(file) === start && inner.getEnd() === end) return inner;
    at = inner;
  }
}

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
      ...codePositionAt(file, locale.getStart(file)),
      ...found,
    }
  );
}
