import ts from "typescript";

/** A type as its author wrote it, with what the type parameters in it stand for. */
export interface WrittenType {
  readonly node: ts.TypeNode;
  readonly environment: Environment;
}

export type Environment = ReadonlyMap<ts.Symbol, WrittenType>;
export const NO_ENVIRONMENT: Environment = new Map();

/** A written type with names followed to what they stand for, and the names' declarations, nearest first. */
export interface ResolvedNode extends WrittenType {
  readonly names: readonly ts.Declaration[];
}

export interface UnionLeaf {
  readonly type: ts.Type;
  readonly written: WrittenType | undefined;
}

/**
 * Follows names in a written type. The checker forgets the names of simple types (`type Iata = string`), and with them
 * the comments on their declarations.
 */
export function resolvedNode(checker: ts.TypeChecker, written: WrittenType): ResolvedNode {
  const names: ts.Declaration[] = [];
  let { node, environment } = written;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const inner = unwrapped(node);
    if (inner) node = inner;
    else {
      const symbol = ts.isTypeReferenceNode(node) ? symbolOf(checker, node.typeName) : undefined;
      if (!symbol || !ts.isTypeReferenceNode(node)) break;
      const meant = environment.get(symbol);
      if (meant) ({ node, environment } = meant);
      else {
        environment = extended(checker, symbol, node, environment);
        const alias = aliasDeclaration(symbol);
        const target = alias && aliasTarget(alias);
        if (!alias || !target || isLibraryAlias(alias)) {
          environment = throughUtility(checker, node, environment);
          break;
        }
        names.push(alias);
        node = target;
      }
    }
  }
  return { node, environment, names };
}

/**
 * The members of a union in the order in which they are written. The checker sorts them by the order in which it met
 * them, which depends on the other skills in its program.
 */
export function unionLeaves(
  checker: ts.TypeChecker,
  types: readonly ts.Type[],
  written: WrittenType | undefined,
): readonly UnionLeaf[] {
  const left = new Set(types);
  const leaves: UnionLeaf[] = [];
  for (const node of written ? writtenLeaves(checker, written, 0) : []) {
    const type = checker.getTypeFromTypeNode(node.node);
    const members = type.isUnion() ? [...type.types] : [type];
    const present = inStableOrder(
      checker,
      members.filter((member) => left.has(member)),
    );
    for (const member of present) {
      left.delete(member);
      leaves.push({ type: member, written: members.length === 1 ? node : undefined });
    }
    if (present.length === 0 && isSpelledApart(checker, type, types)) leaves.push({ type, written: node });
  }
  return [...leaves, ...inStableOrder(checker, [...left]).map((type) => ({ type, written: undefined }))];
}

/** The written members of a union, names followed; the type itself where it is no union. */
function writtenLeaves(checker: ts.TypeChecker, written: WrittenType, depth: number): readonly WrittenType[] {
  const resolved = resolvedNode(checker, written);
  if (!ts.isUnionTypeNode(resolved.node) || depth > MAX_STEPS) return [written];
  return resolved.node.types.flatMap((node) =>
    writtenLeaves(checker, { node, environment: resolved.environment }, depth + 1),
  );
}

const MAX_STEPS = 50;

/** A second name for a primitive that the union has already, or a literal that is lost in its primitive. */
function isSpelledApart(checker: ts.TypeChecker, type: ts.Type, types: readonly ts.Type[]): boolean {
  const primitive = ts.TypeFlags.String | ts.TypeFlags.Number;
  const base = checker.getBaseTypeOfLiteralType(type);
  return Boolean(base.flags & primitive) && types.includes(base);
}

function unwrapped(node: ts.TypeNode): ts.TypeNode | undefined {
  if (ts.isParenthesizedTypeNode(node)) return node.type;
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) return node.type;
  if (ts.isJSDocTypeExpression(node) || ts.isJSDocNonNullableType(node) || ts.isJSDocOptionalType(node))
    return node.type;
  return undefined;
}

function symbolOf(checker: ts.TypeChecker, name: ts.EntityName): ts.Symbol | undefined {
  const symbol = checker.getSymbolAtLocation(name);
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function extended(
  checker: ts.TypeChecker,
  symbol: ts.Symbol,
  reference: ts.TypeReferenceNode,
  environment: Environment,
): Environment {
  const parameters = (symbol.declarations ?? [])
    .map((declaration) =>
      "typeParameters" in declaration
        ? (declaration.typeParameters as ts.NodeArray<ts.TypeParameterDeclaration> | undefined)
        : undefined,
    )
    .find(Boolean);
  const given = reference.typeArguments;
  if (!parameters || !given) return environment;
  const wider = new Map(environment);
  parameters.forEach((parameter, index) => {
    const node = given[index];
    const name = checker.getSymbolAtLocation(parameter.name);
    if (node && name) wider.set(name, { node, environment });
  });
  return wider;
}

// The members of `Readonly<Page<Iata>>` are those of Page, whose parameter stands for Iata.
function throughUtility(
  checker: ts.TypeChecker,
  reference: ts.TypeReferenceNode,
  environment: Environment,
): Environment {
  const [argument] = reference.typeArguments ?? [];
  if (!argument || !UTILITIES.has(reference.typeName.getText())) return environment;
  return resolvedNode(checker, { node: argument, environment }).environment;
}

const UTILITIES: ReadonlySet<string> = new Set([
  "Readonly",
  "Partial",
  "Required",
  "Pick",
  "Omit",
  "NonNullable",
]);

type AliasDeclaration = ts.TypeAliasDeclaration | ts.JSDocTypedefTag;

function aliasDeclaration(symbol: ts.Symbol): AliasDeclaration | undefined {
  return symbol.declarations?.find(
    (declaration): declaration is AliasDeclaration =>
      ts.isTypeAliasDeclaration(declaration) || ts.isJSDocTypedefTag(declaration),
  );
}

function aliasTarget(alias: AliasDeclaration): ts.TypeNode | undefined {
  if (ts.isTypeAliasDeclaration(alias)) return alias.type;
  const expression = alias.typeExpression;
  return expression && ts.isJSDocTypeExpression(expression) ? expression.type : expression;
}

function isLibraryAlias(alias: AliasDeclaration): boolean {
  return alias.getSourceFile().fileName.startsWith("/library/");
}

function inStableOrder(checker: ts.TypeChecker, types: readonly ts.Type[]): readonly ts.Type[] {
  if (types.length < 2 || types.every(({ flags }) => flags & ts.TypeFlags.EnumLiteral)) return types;
  return types
    .map((type) => ({ type, rank: rankOf(checker, type) }))
    .toSorted(
      (a, b) =>
        a.rank.first - b.rank.first ||
        (a.rank.second < b.rank.second ? -1 : a.rank.second > b.rank.second ? 1 : 0),
    )
    .map(({ type }) => type);
}

function rankOf(checker: ts.TypeChecker, type: ts.Type): { readonly first: number; readonly second: string } {
  if (type.flags & ts.TypeFlags.Null) return { first: Number.MAX_VALUE, second: "" };
  if (type.isNumberLiteral()) return { first: type.value, second: "" };
  const declaration = type.flags & ts.TypeFlags.Object ? type.symbol?.declarations?.[0] : undefined;
  return { first: declaration?.pos ?? 0, second: checker.typeToString(type) };
}
