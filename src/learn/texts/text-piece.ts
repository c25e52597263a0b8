/** What stands before or behind names, and is none. */
const TITLES = "Mrs?|Ms|Mx|Dr|Prof|Sir|Herr|Frau|Mme|Mlle|Family|Familie|Jr|Sr|Ltd|Inc|LLC|GmbH|AG";

export const PIECE_KINDS = ["number", "word", "code", "text", "day", "time"] as const;
/**
 * Digits; letters and digits, which are no title of a name; what has no spaces; a line from word to word, without remarks; a
 * day from its year on; hours and minutes.
 */
export type PieceKind = (typeof PIECE_KINDS)[number];

/** What pieces of a kind look like; printed code has the same. */
export const PIECE_FORMS: { readonly [Kind in PieceKind]: string } = {
  number: "(?:0|[1-9][0-9]{0,14})",
  word: String.raw`(?!(?:${TITLES})(?![\p{L}\p{N}]))[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*`,
  code: String.raw`[^ \t\r\n,;|()<>"']*[\p{L}\p{N}][^ \t\r\n,;|()<>"']*`,
  text: String.raw`[\p{L}\p{N}](?:[^\r\n()<>\[\]]*[\p{L}\p{N}])?`,
  day: "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])",
  time: "(?:[01]?[0-9]|2[0-4]):[0-5][0-9]",
};

/**
 * What stands in a text between two marks that it has once each, where it is of a kind: the first of two words, the domain of
 * an address. Behind a slash it is what stands behind the last, and a point ends it only before an ending such as `.md`.
 * Undefined where that is not so. Printed code has the same as `pieceOf`.
 */
export function textPiece(text: string, after: string, before: string, is: PieceKind): string | undefined {
  const ends = before === "" ? [text, ""] : text.split(before);
  const isEnd = before === "." ? ends.length > 1 && ENDING.test(ends.at(-1) ?? "") : ends.length === 2;
  const rest = ends.slice(0, -1).join(before);
  const begins = after === "" ? ["", rest] : rest.split(after);
  const isBegin = after === "/" ? begins.length > 1 : begins.length === 2;
  const isWhole = after === "" || text.split(after).length === begins.length;
  const piece = begins.at(-1) ?? "";
  return isEnd && isBegin && isWhole && isOfKind(piece, is) ? piece : undefined;
}

function isOfKind(piece: string, kind: PieceKind): boolean {
  return new RegExp(`^(?:${PIECE_FORMS[kind]})$`, "u").test(piece);
}

/** Of a file's name, behind the point. */
const ENDING = /^[A-Za-z][A-Za-z0-9]{0,4}$/;

/** A cut, and what it gives. */
export interface TextCut {
  readonly after: string;
  readonly before: string;
  readonly is: PieceKind;
  readonly piece: string;
}

const MAX_MARKS = 6;

/** The pieces of a short text that tell something by themselves, and how each is cut out: by one mark, or between two. */
export function cutsOf(text: string): readonly TextCut[] {
  // A sentence tells several things, and data has a form of its own.
  const isName = text.split(/\s+/).length <= MAX_WORDS && !/[.!?]$|[\n{}[\]<>"=]/.test(text);
  if (!isName || text.length > MAX_CUT) return [];
  const marks = [...text.matchAll(/(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+|[^\p{L}\p{N}]+(?=[\p{L}\p{N}])/gu)];
  const places = marks.slice(0, MAX_MARKS).map(({ 0: mark, index }) => ({ mark, index }));
  const pairs = places.flatMap((first, nth) =>
    places.slice(nth + 1).map((last): readonly [Mark, Mark] => [first, last]),
  );
  const begin: Mark = { mark: "", index: 0 };
  const end: Mark = { mark: "", index: text.length };
  const around = [
    ...places.flatMap((mark): readonly (readonly [Mark, Mark])[] => [
      [begin, mark],
      [mark, end],
    ]),
    ...pairs,
  ];
  return around.flatMap(([first, last]): readonly TextCut[] => {
    const piece = text.slice(first.index + first.mark.length, last.index);
    const [after, before] = [first.mark, last.mark];
    const is = pieceKind(piece, after + before);
    const others = [text.slice(0, first.index), text.slice(last.index + last.mark.length)];
    const isListed = /[,;|&]/.test(after + before) && others.some((other) => haveOneForm(other, piece));
    return isTelling(piece, after + before) && !isListed && textPiece(text, after, before, is) === piece
      ? [{ after, before, is, piece }]
      : [];
  });
}

interface Mark {
  readonly mark: string;
  readonly index: number;
}

const MAX_CUT = 120;
const MAX_WORDS = 6;

/** Whether a piece hardly stands somewhere else by chance: a word in small letters tells more beside signs of addresses and paths. */
function isTelling(piece: string, marks: string): boolean {
  if (/^\d+$/.test(piece)) return piece.length >= MIN_DIGITS;
  // From when to when something is: `09:00-11:00`, `2026-03-01 - 2026-03-05`.
  if (isOfKind(piece, "day") || isOfKind(piece, "time")) return true;
  const isName = /^\p{Lu}\p{Ll}|\p{Lu}.{2}|\p{L}.*\d|\d.*\p{L}/u.test(piece);
  return isName || (/\p{L}{3}/u.test(piece) && /[@/.]/.test(marks));
}

const MIN_DIGITS = 3;

/** Whether two texts are written alike, as the elements of a list are. */
function haveOneForm(one: string, other: string): boolean {
  const formOf = (text: string): string =>
    text
      .replaceAll(/\p{Lu}+/gu, "A")
      .replaceAll(/\p{Ll}+/gu, "a")
      .replaceAll(/\d+/g, "1");
  return formOf(one) === formOf(other);
}

/** What marks tell of the kind: spaces end words, signs of addresses and paths what has no spaces. */
function pieceKind(piece: string, marks: string): PieceKind {
  if (/^\d+$/.test(piece)) return "number";
  const span = (["day", "time"] as const).find((kind) => isOfKind(piece, kind));
  if (span) return span;
  if (/^\s*$/.test(marks)) return "word";
  return /^[@/.#]*$/.test(marks) ? "code" : "text";
}
