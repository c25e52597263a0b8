/** The words of a text as they are compared: in small letters, without accents; writing without spaces in pairs of characters. */
export function wordsOf(text: string): readonly string[] {
  if (!OTHER_LETTERS.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return plain(text).replace(UNSPACED, withLast).match(WORD) ?? [];
}

/** What a query asks for, each word once: nothing of what stands in any wish, unless it has nothing else. */
export function soughtWords(query: string): readonly { readonly word: string; readonly weight: number }[] {
  const cut = plain(query).replace(UNSPACED, (run) => ` ${(run.length > 1 ? pairs(run) : [run]).join(" ")} `);
  const words = [...new Set(cut.match(WORD))].slice(0, MAX_WORDS);
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return (telling.length === 0 ? words : telling).map((word) => ({
    word,
    weight: COMMON_WORDS.has(word) ? COMMON_WEIGHT : 1,
  }));
}

const MAX_WORDS = 100;

/** What is more than letters of English, punctuation, arrows, frames and emoji. */
const OTHER_LETTERS = /[^\ufe0f\0-\x7f\u2010-\u2069\u2190-\u23ff\u2500-\u2bff\u{1f000}-\u{1faff}]/u;

/** Marks are parts of words: without them, those of many scripts would be cut. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** Scripts that write words without spaces, or endings as words of their own. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** In small letters, without the accents of Latin, Greek and Cyrillic ones. */
function plain(text: string): string {
  const normal = text.toWellFormed().normalize("NFKC").toLowerCase();
  return normal.normalize("NFD").replace(ACCENTED, "$1").normalize("NFC");
}

const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\u0300-\u036f]+/gu;

/** In pairs that overlap, and the last character, so that queries of one find it. */
function withLast(run: string): string {
  return ` ${[...pairs(run), Array.from(run).at(-1)].join(" ")} `;
}

function pairs(run: string): readonly string[] {
  const characters = Array.from(run);
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Words that stand in any wish. */
const STOP_WORDS = new Set(
  (
    "a about all am an and any are as at be before but by can could d did do does for from get give had has have help how i if " +
    "in into is it its just let like ll m make may me my need not of on or our over please re s should so some t than that " +
    "the their them then there these they this those through to up us use using ve want was we were what when where which " +
    "who will with without would you your"
  ).split(" "),
);

/** Words that tell little even where few texts have them. */
const COMMON_WORDS = new Set(
  (
    "able actually again ago almost already also always another anybody anyone anything around away back bad became because " +
    "become been began begin being best better between big both bring came cannot come comes coming done down each easily easy " +
    "either else enough even ever every everybody everyone everything far few find first found gave gets getting given gives go " +
    "goes going gone good got great hard he her here him his however instead itself keep kept kind know known large last later " +
    "least less little long look looking looks lot lots made makes making many maybe might more most much must near nearly never " +
    "new next nice no nobody none nothing now off often old once one ones only other others out own perhaps place possible put " +
    "quick quickly quite rather really right said same saw say says see seem seen several shall she show simply since small " +
    "somebody someone something soon still stuff such sure take taken tell tells thing things think though today together told " +
    "too took toward towards tried try trying turn two under until upon used uses usually various very way ways well went whether " +
    "while whole whose why within work works yes yet yourself"
  ).split(" "),
);

/** Beside 1 of other words. */
const COMMON_WEIGHT = 0.5;
