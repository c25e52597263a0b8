import ts from "typescript";
import type { CodeFinding } from "./compiled-code.ts";
import { isAuthored, codePositionAt } from "./ts-program.ts";

/** What the default export takes and gives, as far as the checker knows. */
export interface DefaultExport {
  /** Absent where the function takes nothing. */
  readonly input?: SideType;
  readonly output: SideType;
}

export interface SideType {
  readonly type: ts.Type;
  /** How the author wrote the type, where it is written. */
  readonly written: ts.TypeNode | undefined;
  /** The author's node that findings point to. */
  readonly at: ts.Node;
}

/** The function that a file exports as default, or why that is none. */
export function defaultExportOf(checker: ts.TypeChecker, file: ts.SourceFile): DefaultExport | CodeFinding {
  const exported = exportedSymbol(checker, file, "default");
  const signature = exported && checker.getTypeOfSymbol(exported).getCallSignatures().at(-1);
  if (!exported || !signature) return noDefault(exported, file);
  const name = exported.declarations?.find(isAuthored) ?? file;
  const excess = excessParameter(signature);
  if (excess) return wrongSignature(excess, file);
  const { declaration } = signature;
  const at =
    authoredIn(declaration && (ts.getNameOfDeclaration(declaration as ts.Declaration) ?? declaration)) ??
    name;
  const [parameter] = signature.getParameters();
  return {
    ...(parameter && { input: inputOf(checker, parameter, at) }),
    output: outputOf(checker, signature, at),
  };
}

/** What a file exports by a name, imports and re-exports followed. */
export function exportedSymbol(
  checker: ts.TypeChecker,
  file: ts.SourceFile,
  name: string,
): ts.Symbol | undefined {
  const module = checker.getSymbolAtLocation(file);
  const symbol = module && checker.tryGetMemberInModuleExports(name, module);
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function inputOf(checker: ts.TypeChecker, parameter: ts.Symbol, fallback: ts.Node): SideType {
  const declaration = parameter.declarations?.find(
    (each) => ts.isParameter(each) || ts.isJSDocParameterTag(each),
  );
  const written =
    declaration &&
    (ts.isParameter(declaration)
      ? (declaration.type ?? ts.getJSDocType(declaration))
      : declaration.typeExpression?.type);
  return {
    type: checker.getTypeOfSymbol(parameter),
    written,
    at: (declaration && authoredIn(declaration.name)) ?? fallback,
  };
}

function outputOf(checker: ts.TypeChecker, signature: ts.Signature, at: ts.Node): SideType {
  const returned = signature.getReturnType();
  const type = checker.getAwaitedType(returned) ?? returned;
  const declaration = signature.declaration;
  const node =
    declaration &&
    (ts.isJSDocSignature(declaration)
      ? declaration.type?.typeExpression?.type
      : (declaration.type ?? ts.getJSDocReturnType(declaration)));
  const written = node && awaitedNode(node);
  return { type, written, at: (node && authoredIn(node)) ?? at };
}

function awaitedNode(node: ts.TypeNode): ts.TypeNode {
  if (!ts.isTypeReferenceNode(node) || node.typeName.getText() !== "Promise") return node;
  return node.typeArguments?.[0] ?? node;
}

/** The first parameter that a call with one input would leave without a value. */
function excessParameter(signature: ts.Signature): ts.ParameterDeclaration | undefined {
  const declared = signature
    .getParameters()
    .flatMap((parameter) => parameter.valueDeclaration ?? [])
    .filter(ts.isParameter);
  return declared.find(
    (parameter, index) => parameter.dotDotDotToken ?? (index > 0 && !isOptional(parameter)),
  );
}

function isOptional(parameter: ts.ParameterDeclaration): boolean {
  return (
    Boolean(parameter.questionToken ?? parameter.initializer) ||
    ts
      .getJSDocParameterTags(parameter)
      .some((tag) => tag.isBracketed || ts.isJSDocOptionalType(tag.typeExpression?.type ?? tag))
  );
}

function authoredIn<Node extends ts.Node>(node: Node | undefined): Node | undefined {
  return node && isAuthored(node) ? node : undefined;
}

function noDefault(exported: ts.Symbol | undefined, file: ts.SourceFile): CodeFinding {
  const declaration = exported?.declarations?.find(isAuthored);
  return {
    code: "code-no-default",
    severity: "error",
    ...codePositionAt(declaration?.getSourceFile() ?? file, declaration?.getStart() ?? 0),
    message: exported ? "The default export is not a function" : "The code has no default export",
    fix: "Export the function that is the skill: `export default async function run(input: Input): Promise<Output> { … }`",
  };
}

function wrongSignature(parameter: ts.ParameterDeclaration, file: ts.SourceFile): CodeFinding {
  const authored = isAuthored(parameter);
  return {
    code: "code-signature",
    severity: "error",
    ...codePositionAt(authored ? parameter.getSourceFile() : file, authored ? parameter.getStart() : 0),
    message: `The default export needs more than one argument (\`${parameter.name.getText()}\`), but a skill is called with one input`,
    fix: "Take one object: `run(input: { first: string; second: number })`",
  };
}
