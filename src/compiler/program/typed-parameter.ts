import ts from "typescript";

/** A text put into a file at an offset. */
export interface Insertion {
  readonly offset: number;
  readonly text: string;
}

/** What to insert so that the first parameter of the default export has a type; nothing where the author gave one. */
export function parameterTyping(name: string, text: string, type: string): readonly Insertion[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true);
  const declared = defaultFunction(file);
  const [parameter] = declared?.parameters ?? [];
  if (!declared || !parameter || parameter.dotDotDotToken || hasType(declared, parameter)) return [];
  const end = (parameter.questionToken ?? parameter.name).getEnd();
  const isBare = !text.slice(declared.getStart(file), parameter.getStart(file)).includes("(");
  return isBare
    ? [
        { offset: parameter.getStart(file), text: "(" },
        { offset: end, text: `: ${type})` },
      ]
    : [{ offset: end, text: `: ${type}` }];
}

export function withInsertions(text: string, insertions: readonly Insertion[]): string {
  return insertions.reduceRight(
    (given, { offset, text: added }) => given.slice(0, offset) + added + given.slice(offset),
    text,
  );
}

/** The offset in the text before the insertions, which are in the order of their offsets. */
export function offsetBefore(insertions: readonly Insertion[], offset: number): number {
  let before = offset;
  for (const { offset: at, text } of insertions) before -= Math.max(0, Math.min(text.length, before - at));
  return before;
}

type WithParameters = ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction;

/** The function that the file exports as default, written there or declared by name in the same file. */
function defaultFunction(file: ts.SourceFile): WithParameters | undefined {
  for (const statement of file.statements) {
    if (ts.isFunctionDeclaration(statement) && isDefault(statement)) return statement;
    if (ts.isExportAssignment(statement) && !statement.isExportEquals)
      return functionOf(statement.expression, file);
    const named =
      ts.isExportDeclaration(statement) && !statement.moduleSpecifier && statement.exportClause
        ? statement.exportClause
        : undefined;
    const specifier =
      named && ts.isNamedExports(named)
        ? named.elements.find(({ name }) => name.text === "default")
        : undefined;
    const local = specifier?.propertyName;
    if (local && ts.isIdentifier(local)) return functionNamed(local.text, file);
  }
  return undefined;
}

function isDefault(statement: ts.FunctionDeclaration): boolean {
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) ?? false;
}

function functionOf(written: ts.Expression, file: ts.SourceFile): WithParameters | undefined {
  const expression = ts.isParenthesizedExpression(written) ? written.expression : written;
  if (ts.isArrowFunction(expression) || ts.isFunctionExpression(expression)) return expression;
  return ts.isIdentifier(expression) ? functionNamed(expression.text, file) : undefined;
}

function functionNamed(name: string, file: ts.SourceFile): WithParameters | undefined {
  for (const statement of file.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) return statement;
    if (!ts.isVariableStatement(statement)) continue;
    const variable = statement.declarationList.declarations.find((each) => each.name.getText(file) === name);
    const value = variable?.initializer;
    // A type of the variable types the parameter.
    if (!variable || !value || variable.type || ts.getJSDocType(variable)) continue;
    if (ts.isArrowFunction(value) || ts.isFunctionExpression(value)) return value;
  }
  return undefined;
}

function hasType(declared: WithParameters, parameter: ts.ParameterDeclaration): boolean {
  return Boolean(
    parameter.type ??
    ts.getJSDocType(parameter) ??
    ts.getJSDocParameterTags(parameter)[0]?.typeExpression ??
    ts.getJSDocTypeTag(declared),
  );
}
