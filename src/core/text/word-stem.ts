/** The stem of an English word in small letters, by Porter's algorithm (1980); other words are their own stems. */
export function wordStem(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word;
  let stem = word.startsWith("y") ? `Y${word.slice(1)}` : word;
  stem = withoutInflection(stem);
  stem = stem.replace(Y_END, "$1i");
  stem = replaced(stem, SUFFIXES, LONG);
  stem = replaced(stem, MORE_SUFFIXES, LONG);
  stem = withoutLastSuffix(stem);
  return stem.toLowerCase();
}

const CONSONANT = "[^aeiou]";
const VOWEL = "[aeiouy]";
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;
/** At least one time vowels and then consonants. */
const LONG = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const LONG_ONCE = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}(?:${VOWELS})?$`);
const LONG_TWICE = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const WITH_VOWEL = new RegExp(`^(?:${CONSONANTS})?${VOWEL}`);
const SHORT_END = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);

const Y_END = new RegExp(`^(.*${VOWEL}.*)y$`);

/** Plurals, and what verbs end in. */
function withoutInflection(word: string): string {
  const singular = word.replace(/(ss|i)es$|([^s])s$/, "$1$2");
  const eed = /^(.+?)eed$/.exec(singular);
  if (eed) return LONG.test(eed[1] ?? "") ? singular.slice(0, -1) : singular;
  const [, verb] = /^(.+?)(?:ed|ing)$/.exec(singular) ?? [];
  if (verb === undefined || !WITH_VOWEL.test(verb)) return singular;
  if (/(?:at|bl|iz)$/.test(verb)) return `${verb}e`;
  if (/([^aeiouylsz])\1$/.test(verb)) return verb.slice(0, -1);
  return SHORT_END.test(verb) ? `${verb}e` : verb;
}

function replaced(word: string, suffixes: ReadonlyMap<string, string>, where: RegExp): string {
  for (const [suffix, other] of suffixes) {
    if (!word.endsWith(suffix)) continue;
    const before = word.slice(0, -suffix.length);
    return where.test(before) ? `${before}${other}` : word;
  }
  return word;
}

function withoutLastSuffix(word: string): string {
  const [, before, after = ""] = LAST_SUFFIX.exec(word) ?? /^(.+?[st])(ion)$/.exec(word) ?? [];
  let stem = before !== undefined && after !== "" && LONG_TWICE.test(before) ? before : word;
  if (stem.endsWith("e")) {
    const short = stem.slice(0, -1);
    if (LONG_TWICE.test(short) || (LONG_ONCE.test(short) && !SHORT_END.test(short))) stem = short;
  }
  return stem.endsWith("ll") && LONG_TWICE.test(stem) ? stem.slice(0, -1) : stem;
}

const LAST_SUFFIX = /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$/;

/** Those that end in others stand before them. */
const SUFFIXES = new Map(
  Object.entries({
    ational: "ate",
    tional: "tion",
    enci: "ence",
    anci: "ance",
    izer: "ize",
    bli: "ble",
    alli: "al",
    entli: "ent",
    eli: "e",
    ousli: "ous",
    ization: "ize",
    ation: "ate",
    ator: "ate",
    alism: "al",
    iveness: "ive",
    fulness: "ful",
    ousness: "ous",
    aliti: "al",
    iviti: "ive",
    biliti: "ble",
    logi: "log",
  }),
);

const MORE_SUFFIXES = new Map(
  Object.entries({ icate: "ic", ative: "", alize: "al", iciti: "ic", ical: "ic", ful: "", ness: "" }),
);
