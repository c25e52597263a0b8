import ts from "typescript";
import { docCommentIn, isKnownTag, type DocComment, type Tag } from "../../compiler/program/comment-tags.ts";
import { authoredText, codePositionAt } from "../../compiler/program/ts-program.ts";
import type { CodePosition } from "../../compiler/program/compiled-code.ts";

/** What an author wrote above a declaration. */
export interface Docs {
  readonly description: string;
  readonly tags: readonly DocTag[];
}

export interface DocTag extends Tag {
  readonly place: CodePosition;
}

/** The doc comment of a declaration, in TypeScript or in JSDoc. */
export function docsOf(declaration: ts.Node): Docs {
  const known = read.get(declaration);
  if (known) return known;
  const file = declaration.getSourceFile();
  const comment = commentOf(declaration, file, authoredText(file));
  const docs = {
    description: comment.description,
    tags: comment.tags.map((tag) => Object.assign({ place: codePositionAt(file, tag.offset) }, tag)),
  };
  read.set(declaration, docs);
  return docs;
}

const read = new WeakMap<ts.Node, Docs>();
const NOTHING: DocComment = { description: "", tags: [] };

function commentOf(declaration: ts.Node, file: ts.SourceFile, text: string): DocComment {
  if (ts.isJSDocPropertyTag(declaration) || ts.isJSDocParameterTag(declaration))
    return propertyTagComment(declaration, text);
  if (ts.isJSDocTypedefTag(declaration)) return typedefComment(declaration, file, text);
  const range = rangeBefore(declaration, file.text);
  return range ? docCommentIn(text, range.pos + 3, range.end - 2) : NOTHING;
}

/** The last doc comment directly before a node, on a line of its own or on the node's line. */
function rangeBefore(node: ts.Node, text: string): ts.CommentRange | undefined {
  const start = node.getStart();
  const ranges = [
    ...(ts.getTrailingCommentRanges(text, node.pos) ?? []).filter(
      ({ end }) => !text.slice(end, start).includes("\n"),
    ),
    ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
  ];
  return ranges.findLast(({ pos, end }) => text.startsWith("/**", pos) && end - pos > 4);
}

/** `@property {string} [name=1] - what it is @tags`, up to the next line that begins with another tag. */
function propertyTagComment(tag: ts.JSDocPropertyLikeTag, text: string): DocComment {
  const afterName = tag.isBracketed ? (/^[^\]]*\]/.exec(text.slice(tag.name.end))?.[0] ?? "") : "";
  const start = tag.name.end + afterName.length;
  const comment = docCommentIn(text, start, segmentEnd(text, start, tag.parent));
  const written = /^\s*=\s*(.*?)\s*\]$/.exec(afterName)?.[1];
  const tags: readonly Tag[] =
    written !== undefined && written !== ""
      ? [{ name: "default", value: written, offset: tag.name.getStart() }, ...comment.tags]
      : comment.tags;
  return { description: comment.description.replace(/^-\s*/, ""), tags };
}

function typedefComment(tag: ts.JSDocTypedefTag, file: ts.SourceFile, text: string): DocComment {
  const comment = enclosingComment(tag);
  const before = docCommentIn(text, comment.pos + 3, tag.getStart(file));
  const start = (tag.name ?? tag.tagName).end;
  const after = docCommentIn(text, start, segmentEnd(text, start, comment));
  return {
    description: before.description || after.description.replace(/^-\s*/, ""),
    tags: [...before.tags, ...after.tags],
  };
}

function enclosingComment(tag: ts.Node): ts.Node {
  let node = tag;
  while (!ts.isJSDoc(node) && node.parent) node = node.parent;
  return node;
}

function segmentEnd(text: string, start: number, within: ts.Node): number {
  const close = text.indexOf("*/", start);
  const end = close < 0 ? within.end : close;
  const lineTag = /\n[ \t]*\*?[ \t]*@([A-Za-z]+)/g;
  lineTag.lastIndex = start;
  for (let match = lineTag.exec(text); match && match.index < end; match = lineTag.exec(text)) {
    if (!isKnownTag(match[1] ?? "")) return match.index;
  }
  return end;
}
