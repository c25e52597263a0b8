import ts from "typescript";

/** The regular expression of a template literal type or of one like `Uppercase<string>`; nothing for plain strings. */
export function templatePattern(type: ts.Type): string | undefined {
  const inner = innerPattern(type, 0);
  return inner === undefined || inner === ANY_TEXT ? undefined : `^${inner}$`;
}

const ANY_TEXT = String.raw`[\s\S]*`;
const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;

function innerPattern(type: ts.Type, depth: number): string | undefined {
  const { flags } = type;
  if (depth > 10) return ANY_TEXT;
  if (flags & ts.TypeFlags.TemplateLiteral) {
    const { texts, types } = type as ts.TemplateLiteralType;
    return texts
      .map((text, index) => {
        const part = types[index];
        return escaped(text) + (part ? (innerPattern(part, depth + 1) ?? ANY_TEXT) : "");
      })
      .join("");
  }
  if (type.isStringLiteral() || type.isNumberLiteral()) return escaped(String(type.value));
  if (type.isUnion())
    return `(?:${type.types.map((member) => innerPattern(member, depth + 1) ?? ANY_TEXT).join("|")})`;
  if (type.isIntersection())
    return innerPattern(
      type.types.find(({ flags: part }) => part & ts.TypeFlags.StringLike) ?? type,
      depth + 1,
    );
  if (flags & ts.TypeFlags.StringMapping) return mappingPattern(type as ts.StringMappingType);
  if (flags & ts.TypeFlags.String) return ANY_TEXT;
  if (flags & ts.TypeFlags.Number) return NUMBER;
  if (flags & ts.TypeFlags.BigInt) return String.raw`-?\d+`;
  return undefined;
}

function mappingPattern(type: ts.StringMappingType): string {
  switch (type.symbol.name) {
    case "Uppercase":
      return String.raw`\P{Ll}*`;
    case "Lowercase":
      return String.raw`\P{Lu}*`;
    case "Capitalize":
      return String.raw`(?:\P{Ll}[\s\S]*)?`;
    default:
      return String.raw`(?:\P{Lu}[\s\S]*)?`;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
