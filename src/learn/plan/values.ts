import { wordStem } from "../../core/text/word-stem.ts";
import { compareTexts } from "../../core/text/compare-texts.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { WEIGHTS } from "../synthesis/weights.ts";

/** Object keys and list indices. */
export type Path = readonly (string | number)[];

/** Deeper than this, a value is opaque: it is compared as a whole. */
const MAX_DEPTH = 24;

/** A value's text by which equal values meet, whether they are written as number or text; nothing for what tells nothing. */
export function leafText(value: Json): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return NUMERAL.test(text) ? String(Number(text)) : text;
}

// Without leading zeros: those are written by codes such as zips, not by numbers.
const NUMERAL = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?$/;

export function isLeaf(value: Json | undefined): boolean {
  return typeof value !== "object" || value === null;
}

/** The same text for equal values, whatever the order of keys. */
export function canonicalJson(value: Json, depth = 0): string {
  if (isLeaf(value) || depth > MAX_DEPTH) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each: Json) => canonicalJson(each, depth + 1)).join(",")}]`;
  const fields = Object.entries(value as JsonObject).sort(([a], [b]) => compareTexts(a, b));
  return `{${fields.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each, depth + 1)}`).join(",")}}`;
}

export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (isLeaf(a) || isLeaf(b)) return a === b;
  return canonicalJson(a) === canonicalJson(b);
}

/** The same text for values that have the same fields, of the same types; how long lists are does not count. */
export function formOf(value: Json, depth = 0): string {
  if (isLeaf(value) || depth > MAX_DEPTH) return value === null ? "null" : typeof value;
  if (Array.isArray(value)) {
    const forms = new Set((value as readonly Json[]).map((each) => formOf(each, depth + 1)));
    return `[${[...forms].sort(compareTexts).join(",")}]`;
  }
  const fields = Object.entries(value as JsonObject).sort(([a], [b]) => compareTexts(a, b));
  return `{${fields.map(([key, each]) => `${JSON.stringify(key)}:${formOf(each, depth + 1)}`).join(",")}}`;
}

/** What stands at the path, or nothing. Looks at own properties only. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let at: Json | undefined = value;
  for (const part of path) {
    if (Array.isArray(at)) at = typeof part === "number" ? (at as readonly Json[])[part] : undefined;
    else if (isJsonObject(at)) at = Object.hasOwn(at, String(part)) ? at[String(part)] : undefined;
    else return undefined;
  }
  return at;
}

/** Every leaf with its path, in the order of the text. */
export function* jsonLeaves(value: Json, path: Path = []): Generator<readonly [Path, Json]> {
  if (isLeaf(value) || path.length > MAX_DEPTH) {
    yield [path, value];
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, each] of (value as readonly Json[]).entries())
      yield* jsonLeaves(each, [...path, index]);
    return;
  }
  for (const [key, each] of Object.entries(value as JsonObject)) yield* jsonLeaves(each, [...path, key]);
}

/**
 * Whether a field of an object says by its value which other one has the content, as in `{type: "text", text: {…}}`: that
 * the field stands there says the same.
 */
export function isTag(object: JsonObject, key: string): boolean {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (typeof value !== "string" || value === key || !Object.hasOwn(object, value)) return false;
  return !isLeaf(object[value]) || /^_?(?:type|kind)$/i.test(key);
}

/** Whether an object's keys are data (ids, dates, names) rather than the fields of a record. */
export function isMap(object: JsonObject): boolean {
  const known = maps.get(object);
  if (known !== undefined) return known;
  const found = looksLikeMap(object);
  maps.set(object, found);
  return found;
}

const maps = new WeakMap<JsonObject, boolean>();

/** An object that is a record, whatever its keys look like. */
export function recordOf(fields: Iterable<readonly [string, Json]>): JsonObject {
  const record: JsonObject = Object.fromEntries(fields);
  maps.set(record, false);
  return record;
}

function looksLikeMap(object: JsonObject): boolean {
  const entries = Object.entries(object);
  if (entries.length === 0) return false;
  if (!entries.every(([, value]) => isJsonObject(value))) return isScalarMap(entries);
  const records = entries as readonly (readonly [string, JsonObject])[];
  const hasOwnKey = records.every(([key, record]) =>
    Object.values(record).some((value) => leafText(value) === leafText(key)),
  );
  if (hasOwnKey) return true;
  if (records.every(([key]) => isDataKey(key))) return true;
  return records.length > 2 && records.some(([key]) => isDataKey(key)) && hasOneShape(records);
}

/** Ids, or names as they are written in texts, mapped to values that are all written alike: people to their ids. */
function isScalarMap(entries: readonly (readonly [string, Json])[]): boolean {
  if (entries.every(([key]) => isDataKey(key))) return entries.length > 1;
  if (entries.length < 2 || !entries.every(([key]) => /^[\p{Lu}\d]|\s/u.test(key))) return false;
  if (!entries.every(([, value]) => typeof value === "string" && /\d/.test(value))) return false;
  return new Set(entries.map(([, value]) => shapeOf(JSON.stringify(value)))).size === 1;
}

/** The form of a text: `USR001` and `USR002` have the same. */
function shapeOf(text: string): string {
  return text
    .slice(0, 200)
    .replaceAll(/\p{Lu}+/gu, "A")
    .replaceAll(/\p{Ll}+/gu, "a")
    .replaceAll(/\d/g, "9");
}

function isDataKey(key: string): boolean {
  return /^\d/.test(key) || /\d{3}/.test(key) || /[@#/:\s]/.test(key) || key.length > 40;
}

function hasOneShape(records: readonly (readonly [string, JsonObject])[]): boolean {
  return new Set(records.map(([, record]) => Object.keys(record).sort().join("\n"))).size === 1;
}

/** Whether a value identifies something rather than telling a property that many things share. */
export function isSpecific(value: Json): boolean {
  if (typeof value === "number")
    return Math.abs(value) >= WEIGHTS.minSpecificNumber || !Number.isInteger(value);
  if (typeof value !== "string") return false;
  const text = value.trim();
  return (
    (text.length >= WEIGHTS.minSpecificText && /[\d@#/]/.test(text)) ||
    text.length >= WEIGHTS.minSpecificProse
  );
}

/** Whether a value tells a state or kind of which there may be others: a single word. */
export function isState(value: Json): boolean {
  return typeof value === "string" && /^\p{L}[\p{L}_-]{1,19}$/u.test(value) && /\p{Ll}/u.test(value);
}

/** Whether equal values are likely to be the same thing wherever they stand: ids and names, not words such as `pending`. */
export function isEntityName(value: Json): boolean {
  if (!isLeaf(value)) return true;
  return (
    isSpecific(value) ||
    (typeof value === "string" && value.trim().length >= WEIGHTS.minEntityName && /\p{Lu}/u.test(value))
  );
}

/** Whether a text is written in a language of programs rather than in one of people, where abbreviations stand, too. */
export function isProgram(text: string): boolean {
  return /[={}<>;$|\\]|\w\(|:\/\/|^\s*([A-Z]{3,})\b[^]*\b(?!\1\b)[A-Z]{3,}\b/.test(text);
}

/** Whether a text is an opaque id: nobody could say it without having been told. */
export function isOpaqueId(value: Json): boolean {
  if (typeof value !== "string") return false;
  const text = value.trim();
  if (/\s/.test(text) || DATE_PREFIX.test(text) || TIME.test(text)) return false;
  const digits = text.replaceAll(/\D/g, "").length;
  return (
    digits >= WEIGHTS.minOpaqueDigits ||
    (digits >= WEIGHTS.minOpaqueFewDigits &&
      text.length >= WEIGHTS.minOpaqueText &&
      digits / text.length > WEIGHTS.minOpaqueShare) ||
    /^[0-9a-f]{8}-[0-9a-f-]{4,}$/i.test(text)
  );
}

/** Whether a value is a flag, or a word as programs have them. */
export function isSettingValue(value: Json): boolean {
  if (typeof value === "boolean") return true;
  return typeof value === "string" && /^[a-z]+(?:[_-][a-z0-9]+)*$/.test(value) && !isOpaqueId(value);
}

export const DATE_PREFIX: RegExp = /^\d{4}-\d{2}-\d{2}/;
const TIME = /^\d{1,2}:\d{2}(?::\d{2})?$/;

const LAST_OF_ELSE = String.raw`\s+(?:name|digit|\d|four|day|night|week|month|year|time|minute|hour)`;

// Where these words count something else than the elements of a list, they say no position.
const ORDINALS: readonly (readonly [RegExp, number])[] = [
  [/(?<!\bat )\b(?:first|initial)\b(?!\s*[-,]|\s+(?:name|class|of all|time))/i, 0],
  [/\bfirst two\b/i, 1],
  [/\bsecond\b(?!s|\s+(?:name|time|thought))/i, 1],
  [/\bthird\b(?!\s+(?:time|party))/i, 2],
  [/\bfourth\b/i, 3],
  [/\bfifth\b/i, 4],
  [new RegExp(String.raw`\b(?:last|final)\b(?!\s*[-,]|${LAST_OF_ELSE})`, "i"), -1],
];

const ENDS = new RegExp(
  String.raw`\b(?:latest|newest|most recent|oldest|earliest)\b|\blast\b(?!${LAST_OF_ELSE})`,
  "i",
);

/** What stands before or behind a number that the text names as a limit, and how what is meant compares to it. */
const LIMITS_BEFORE: readonly (readonly [RegExp, readonly OrderOperator[]])[] = [
  [/\b(?:at least|no (?:less|fewer) than|minimum|from)\b\W{0,3}$/i, [">="]],
  [/\b(?:at most|(?:no|not) more than|maximum|up to)\b\W{0,3}$/i, ["<="]],
  [/\b(?:above|over|exceed\w*|beyond|(?:more|greater|higher|larger|longer) than)\b\W{0,3}$/i, [">"]],
  [/\b(?:below|under|(?:less|fewer|lower|smaller|shorter|cheaper) than)\b\W{0,3}$/i, ["<"]],
  // A car that is older than 2010 is of an earlier year, one that is older than 10 has more of them.
  [/\bolder than\b\W{0,3}$/i, ["<", ">"]],
];

/** Up to three words behind those for less or more. */
const FIELD_LIMIT = new RegExp(
  String.raw`(?<!\p{L})(?:(?<less>below|under|beneath|(?:less|fewer|lower|smaller) than|unter)|above|over|exceed\p{L}*|beyond|(?:more|greater|higher|larger) than|über)` +
    String.raw`(?: (?:the|its|their|his|her|our|an?|de[mnr]|das|ihre[mnrs]?|seine[mnrs]?))?(?<words>(?: [\p{L}_-]+){1,3})`,
  "giu",
);
const FIELD_END = /^(?:and|or|in|on|to|of|for|from|with|into|at|by|as|is|are|und|an|auf|mit|von)$/;
/** How far below something is, or that it only will be so. */
const MEASURED_BEFORE =
  /(?:(?:\d|%|\bpercent|\b(?:or|and) more|\bwell|\bfar|\bmuch|\bhalf|\btwice|\btimes|\bslightly|\bjust|\balmost|\bnearly|\bdeutlich|\bweit|\bknapp)\s+(?:\p{L}+ )?|\b(?:will|would|may|might|could|going to|soon) (?:\p{L}+ )?)$/iu;
const DENIED_BEFORE = /(?:\bnot?|n['’]t|\bnever|\bnicht|\bkeine?) (?:\p{L}+ ){0,2}$/iu;

/** A number behind words that limit an amount: `a budget of $2,400`, `under 1200 EUR`, `no more than 5`. */
const BOUND = new RegExp(
  String.raw`\b(?:budget|limit|maximum|ceiling|cap(?:ped)?|at most|(?:no|not) more than|under|below|less than|cheaper than|exceed(?:ing)?)` +
    String.raw`\b(?: (?:is|of|at|to|be|for))?(?: (?:about|around|only))?\s?\p{Sc}?\s?(?<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,15}(?:\.\d+)?)(?![\p{L}\d]|[-./:]\d)`,
  "giu",
);

const LIMITS_BEHIND: readonly (readonly [RegExp, readonly OrderOperator[]])[] = [
  [/^\S{0,3}(?:\s[^\s,;.:!?]+){0,3}?\s(?:or|and) (?:more|above|over|higher)\b/i, [">="]],
  [/^\S{0,3}(?:\s[^\s,;.:!?]+){0,3}?\s(?:or|and) (?:less|under|below|lower|fewer)\b/i, ["<="]],
];

// To look whether something is so, and what holds only where it is so; in the languages in which tasks are often written.
const LOOKING =
  /(?<!\p{L})(?:verif|valid|double-check|check|confirm|ensur|make (?:sure|certain)|only (?:if|when|where)|provided|unless|as long as|(?:über)?prüf|sicher|vérifi|assure|comprob|comprueb|asegúr|verifi|controll|assicur|controleer|certifi)\p{L}*/iu;
const PROVIDING =
  /(?<!\p{L})(?:if|when|where|whether|falls|wenn|ob|sofern|si|se|als|indien|whose|that (?:is|are))(?!\p{L})/iu;

const ASKING =
  /\b(?:list|show|tell me|display|share|provide|give me|retrieve|gather|acquire|obtain|determine|calculate|compute|find out|figure out|estimate|look up|appreciate|would like|i'd like|curious|know|what|what's|which|how (?:much|many|far|long|high))\b/g;
const MAX_APART = 60;
const QUESTION =
  /(?<!\p{L})(?:what|which|how (?:much|many|far|long|high|big|old|often)|where|who)(?:'s|’s)?(?!\p{L}).*\?$/isu;

/** Whether a word stands behind one of these in a sentence, and not far from it. */
function isAfter(sentence: string, before: RegExp, word: string): boolean {
  return [...sentence.matchAll(before)].some(({ index, 0: { length } }) =>
    sentence.slice(index + length, index + length + MAX_APART).includes(word),
  );
}

/** The user's words, in which values are looked for. */
export class TaskText {
  readonly #verbatim: string;
  readonly #words: string;
  readonly #known = new Map<string, boolean>();
  readonly #sentences: readonly string[];
  #stems: readonly string[] | undefined;
  #letters: ReadonlySet<string> | undefined;

  /** Of which the text speaks: the first is 0, the last -1. */
  readonly positions: ReadonlySet<number>;

  /** The same for texts, which begin or end with what is the latest. */
  readonly positionsInTexts: ReadonlySet<number>;

  constructor(text: string | undefined) {
    this.#verbatim = text ?? "";
    this.#sentences = this.#verbatim.split(/(?<=[.!?;])\s|\n/);
    const said = ORDINALS.filter(([word]) => word.test(this.#verbatim));
    this.positions = new Set(said.map(([, position]) => position));
    const ends = ENDS.test(this.#verbatim) ? [0, -1] : [];
    this.positionsInTexts = new Set([...this.positions, ...ends]);
    this.#words = ` ${plain(this.#verbatim)} `;
  }

  /** Whether anything is said. */
  get hasWords(): boolean {
    return this.#words.trim() !== "";
  }

  /** The words of the text, in lower case and without those that have signs or digits in them. */
  plainWords(): ReadonlySet<string> {
    return new Set(this.#words.split(" ").filter((word) => /^\p{L}{2,}$/u.test(word)));
  }

  /** The numbers that the text says, and how what is meant compares to each where it names them as limits. */
  limits(): readonly { readonly value: number; readonly operators: readonly OrderOperator[] | undefined }[] {
    return [...this.#verbatim.matchAll(/(?<![\p{L}\d.,#-])\d{1,15}(?:\.\d+)?(?![\p{L}\d])/gu)].map(
      ({ 0: text, index }) => {
        const before = this.#verbatim.slice(Math.max(0, index - 30), index);
        const behind = this.#verbatim.slice(index + text.length, index + text.length + 30);
        const [, operators] =
          LIMITS_BEHIND.find(([words]) => words.test(behind)) ??
          LIMITS_BEFORE.find(([words]) => words.test(before)) ??
          [];
        return { value: Number(text), operators };
      },
    );
  }

  /** The words behind those for less or more, which may call what something is compared to: `below the minimum`, `over budget`. */
  fieldLimits(): readonly { readonly words: readonly string[]; readonly operator: OrderOperator }[] {
    return [...this.#verbatim.matchAll(FIELD_LIMIT)].flatMap(({ groups = {}, index }) => {
      const before = this.#verbatim.slice(Math.max(0, index - 30), index);
      if (DENIED_BEFORE.test(before) || MEASURED_BEFORE.test(before)) return [];
      const sign = groups["less"] === undefined ? ">" : "<";
      const words = (groups["words"]?.toLowerCase().match(/\p{L}+/gu) ?? []).map(String);
      const end = words.findIndex((word) => COMMON_WORDS.has(word) || FIELD_END.test(word));
      const operator: OrderOperator = /\b(?:at|equal to|hit|reached|met) or $/i.test(before)
        ? `${sign}=`
        : sign;
      return [{ words: end < 0 ? words : words.slice(0, end), operator }];
    });
  }

  /** The numbers that the text sets as limits of what is spent or done, with the words that do. */
  bounds(): readonly { readonly value: number; readonly words: string }[] {
    return [...this.#verbatim.matchAll(BOUND)].map(({ 0: words, groups: { number = "" } = {} }) => ({
      words,
      value: Number(number.replaceAll(",", "")),
    }));
  }

  /** Days that the text names as limits, and how something may compare to them: `before 2026-04-01`, `since …`. */
  dayLimits(): readonly { readonly value: string; readonly operators: readonly OrderOperator[] }[] {
    return [...this.#verbatim.matchAll(/(?<![\p{L}\d-])\d{4}-\d{2}-\d{2}(?![\p{L}\d-])/gu)].flatMap(
      ({ 0: value, index }) => {
        const before = this.#verbatim.slice(Math.max(0, index - 40), index);
        const [, operators] = DAY_LIMITS.find(([words]) => words.test(before)) ?? [];
        return operators ? [{ value, operators }] : [];
      },
    );
  }

  /** Times of day that the text names as limits: `by 10:30`, `after 9:00`, `13:30 at the latest`. */
  timeLimits(): readonly { readonly value: string; readonly operators: readonly OrderOperator[] }[] {
    return [...this.#verbatim.matchAll(/(?<![\p{L}\d:.-])\d{1,2}:\d{2}(?![\p{L}\d:-])/gu)].flatMap(
      ({ 0: value, index }) => {
        const before = this.#verbatim.slice(Math.max(0, index - 40), index);
        const behind = this.#verbatim.slice(index + value.length, index + value.length + 20);
        const [, operators] =
          TIME_LIMITS_BEHIND.find(([words]) => words.test(behind)) ??
          DAY_LIMITS.find(([words]) => words.test(before)) ??
          [];
        return operators ? [{ value, operators }] : [];
      },
    );
  }

  /** Whether the text asks for something that one of these words names, or to look at it. */
  asksFor(words: readonly string[]): boolean {
    return this.#sentences.some((sentence) => {
      const said = words.filter((word) => new TaskText(sentence).mentions(word));
      if (said.length === 0) return false;
      return LOOKING.test(sentence) || said.some((word) => isAfter(sentence.toLowerCase(), ASKING, word));
    });
  }

  /** Whether a question of the text says one of these values: it asks what an answer tells of it. */
  asksAbout(values: readonly string[]): boolean {
    return this.#sentences
      .filter((sentence) => QUESTION.test(sentence))
      .some((sentence) => {
        const said = new TaskText(sentence);
        return values.some((value) => said.says(value));
      });
  }

  /** Whether the text asks for something that is to be told, or to look at it. */
  get asks(): boolean {
    return this.#sentences.some(
      (sentence) =>
        sentence.endsWith("?") || LOOKING.test(sentence) || sentence.toLowerCase().search(ASKING) >= 0,
    );
  }

  /** Whether the text makes it a condition that something is what these words say. */
  provides(words: string): boolean {
    return this.#sentences.some(
      (sentence) =>
        (LOOKING.test(sentence) || PROVIDING.test(sentence)) && new TaskText(sentence).mentions(words),
    );
  }

  /** Whether the text says the value, letter for letter; `IT` is no `it`. */
  says(value: Json): boolean {
    const text = leafText(value);
    if (text === undefined || text === "") return false;
    if (text.length > 2) return this.#verbatim.includes(text);
    return this.mentions(value) && (!/^\p{Lu}{2}$/u.test(text) || this.#hasWord(text));
  }

  #hasWord(word: string): boolean {
    this.#letters ??= new Set(this.#verbatim.match(/[\p{L}\p{N}]+/gu) ?? []);
    return this.#letters.has(word);
  }

  /** The longest parts of another text that this one says as names or numbers of their own. */
  saidPartsOf(other: string): readonly string[] {
    // One word of a sentence stands in others by chance.
    const isName = (part: string): boolean =>
      /\d{3}|\p{L}\s+\S/u.test(part) || (!/\s/.test(other) && /\p{L}{3}/u.test(part));
    return this.#partsSaidOf(other).filter(isName);
  }

  /** The longest parts of another text that this one says, of which some word is no `with` or `there`. */
  saidWordsOf(other: string): readonly string[] {
    const isTelling = (word: string): boolean => !COMMON_WORDS.has(word.toLowerCase());
    return this.#partsSaidOf(other).filter(
      (part) => this.saysInside(part) && (part.match(/\p{L}{4,}|\d{3,}/gu) ?? []).some(isTelling),
    );
  }

  /** Whether the text says a word in the same letters, which is no `with` or `there` and no part of a longer name or path. */
  saysWord(word: string): boolean {
    return this.#hasWord(word) && this.#saysApart(word) && !COMMON_WORDS.has(word);
  }

  /** What the text leaves out: the words behind `except`, `but not`, `unless`, `that are not`. */
  exceptions(): readonly string[] {
    return [...this.#verbatim.matchAll(EXCEPTING)].map(({ 0: found }) => found);
  }

  /** Whether the text leaves something out, or is about what is not there: `who are not`, `missing`, `yet`. */
  get leavesOut(): boolean {
    return DENYING.test(this.#verbatim);
  }

  /** Whether the text says that there is none of what a word is for, in whatever form: `not answered`, `without a phone`. */
  denies(word: string): boolean {
    const stem = wordStem(word.toLowerCase());
    return this.#sentences.some((sentence) => {
      const words = sentence.match(/[\p{L}'’]+/gu) ?? [];
      return words.some((each, at) => {
        const isWord = stem.length > 2 && areOneStem(stem, wordStem(each.toLowerCase()));
        const [before, behind] = [
          words.slice(Math.max(0, at - DENIED), at),
          words.slice(at + 1, at + 1 + DENIED),
        ];
        return (
          isWord && (before.some((other) => NO.test(other)) || behind.some((other) => EMPTY.test(other)))
        );
      });
    });
  }

  /** Whether the text is about what two tell of the same thing: that it is another, that it is the same, or neither. */
  get compares(): "other" | "same" | undefined {
    const words = this.#verbatim.replaceAll(/\S*[/\\]\S*/g, " ").replaceAll(QUOTED, " ");
    if (DIRECTED.test(words)) return undefined;
    if (DIFFERING.test(words)) return "other";
    return AGREEING.test(words) ? "same" : undefined;
  }

  /** In which order the text says that groups stand: as the list has them, or another, such as by how many they are. */
  get groupOrder(): "listed" | "other" | undefined {
    if (BY_AMOUNT_OR_NAME.test(this.#verbatim) || BY_AMOUNT.test(this.#verbatim)) return "other";
    return AS_LISTED.test(this.#verbatim) ? "listed" : undefined;
  }

  /** Whether the text speaks of what does not work, or is not there: `cannot be opened`, `missing`, `dead`. */
  get speaksOfFailure(): boolean {
    return FAILING.test(this.#verbatim);
  }

  /** Whether the text is about all that there are of something: then a run's number of them is no other run's. */
  get speaksOfAll(): boolean {
    return ALL.test(this.#verbatim);
  }

  /** Whether the text is about all things that a word is for: `all invoices`, `every open ticket`. */
  isAboutAll(word: string): boolean {
    const stem = wordStem(word.toLowerCase());
    return [...this.#verbatim.matchAll(ALL_OF)].some(({ groups }) =>
      (groups?.["nouns"]?.match(/\p{L}+/gu) ?? []).some((noun) => wordStem(noun.toLowerCase()) === stem),
    );
  }

  /** Of these names of fields those of which the text says that something is done for each: `per person`, `each of the teams`. */
  eachOf(names: readonly string[]): readonly string[] {
    return [...this.#verbatim.matchAll(EACH)].flatMap(({ groups }) => {
      const stems = groups?.["nouns"]?.match(/\p{L}+/gu)?.map((noun) => wordStem(noun.toLowerCase())) ?? [];
      const named = stems.map((stem) =>
        names.find((name) => stem === wordStem(lastWord(name).toLowerCase())),
      );
      return named.find((name) => name !== undefined) ?? [];
    });
  }

  /** Whether the text asks that something which is there is made another. */
  get asksChange(): boolean {
    return CHANGE.test(this.#verbatim);
  }

  /** Whether the text asks for an average. */
  get asksAverage(): boolean {
    return AVERAGE.test(this.#verbatim);
  }

  /** Whether the text asks how many of a hundred something is. */
  get asksShare(): boolean {
    return SHARE.test(this.#verbatim);
  }

  /** Whether the text says how exactly a number is written. */
  get asksRounding(): boolean {
    return ROUNDING.test(this.#verbatim);
  }

  /** Whether the text speaks of an order of names: `alphabetical`, `by name`, `A to Z`. */
  get ordersByName(): boolean {
    return BY_NAME.test(this.#verbatim);
  }

  /** Whether the text speaks of an order by how many or how much: `the most frequent first`, `by number`. */
  get ordersByAmount(): boolean {
    return BY_AMOUNT.test(this.#verbatim);
  }

  /** Whether the most stands first where the text says so of what it orders by how much. */
  get isMostFirst(): boolean | undefined {
    const [order = ""] = BY_AMOUNT.exec(this.#verbatim) ?? [];
    const [first] =
      /(?<!\p{L})(?:most|highest|largest|biggest|top|least|lowest|smallest|fewest)/iu.exec(order) ?? [];
    return first === undefined ? undefined : /^(?:most|h|la|b|t)/i.test(first) !== /last$/i.test(order);
  }

  /** Whether the text speaks of an order that begins with the last: `descending`, `reverse`, `Z to A`. */
  get ordersFalling(): boolean {
    return FALLING.test(this.#verbatim);
  }

  /** Whether the text speaks of things that stand in an order: `sorted`, `alphabetical`. */
  get saysOrder(): boolean {
    return ORDERED.test(this.#verbatim);
  }

  /** Whether the text speaks of an order of words, as in a dictionary: `alphabetical`. */
  get ordersWords(): boolean {
    return /(?<!\p{L})al(?:ph|f)abet/iu.test(this.#verbatim);
  }

  /** By what the text says that things are to be sorted: `sorted by last name`. */
  get orderedBy(): string | undefined {
    return ORDERED_BY.exec(this.#verbatim)?.groups?.["name"];
  }

  /** So many of several things, and the word for which they are: `the last three lines`, `the two cheapest`. */
  takes(): readonly Taking[] {
    return [...this.#verbatim.matchAll(TAKING)].flatMap(({ groups = {} }): readonly Taking[] => {
      const { before, behind, noun = "" } = groups;
      const said = (groups["count"] ?? groups["own"] ?? "").toLowerCase();
      const count = /^\d/.test(said) ? Number(said) : COUNTS.indexOf(said) + 2;
      const word = (before ?? behind ?? "").toLowerCase();
      return count > 1 && !UNTAKEN.test(noun)
        ? [{ count, word, end: LIST_ENDS.get(word), noun: noun.toLowerCase() }]
        : [];
    });
  }

  /** Whether the text asks for numbers before things: `numbered`, `renumber`. */
  get asksNumbers(): boolean {
    return NUMBERING.test(this.#verbatim);
  }

  /** In which letters the text asks for something to be written. */
  get letters(): "upper" | "lower" | undefined {
    const [upper, lower] = [CAPITALS, SMALL].map((words) => words.test(this.#verbatim));
    return upper === lower ? undefined : upper === true ? "upper" : "lower";
  }

  /** Whether the text asks for each thing once: `each once`, `unique`, `without duplicates`. */
  get asksOnce(): boolean {
    return ONCE.test(this.#verbatim);
  }

  /** Whether the text leaves out what these words say. */
  excepts(words: string): boolean {
    return this.exceptions().some((each) => new TaskText(each).mentions(words));
  }

  #partsSaidOf(other: string): readonly string[] {
    const tokens = [...other.matchAll(/[\p{L}\p{N}]+/gu)];
    const parts: string[] = [];
    for (let first = 0; first < tokens.length; first++) {
      const start = tokens[first]?.index ?? 0;
      if (!this.#hasWord(tokens[first]?.[0] ?? "")) continue;
      const ends = tokens
        .slice(first, first + MAX_SAID_PART)
        .map(({ index, 0: word }) => index + word.length);
      const count = ends.findLastIndex((end) => this.#saysApart(other.slice(start, end))) + 1;
      const part = other.slice(start, ends[count - 1] ?? start);
      if (count === 0) continue;
      if (part.length > 2 && part !== other) parts.push(part);
      first += count - 1;
    }
    return [...new Set(parts)];
  }

  /** Whether the text says words in the same letters, and not inside of a longer name, path or date. */
  #saysApart(words: string): boolean {
    const places = this.#verbatim.split(words);
    return places.some(
      (before, nth) =>
        nth < places.length - 1 &&
        !/[\p{L}\p{N}_/-]$|\d\.$/u.test(before) &&
        !/^(?:[\p{L}\p{N}_/-]|\.[\p{L}\p{N}])/u.test(places[nth + 1] ?? ""),
    );
  }

  /** Whether the text says words with a gap between them that is left open: `Filed as ….`, `Hello <name>`. */
  saysWithGaps(words: readonly string[]): boolean {
    const source = words.map((each) => each.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join(GAP);
    return new RegExp(source, "u").test(this.#verbatim);
  }

  /** What the text has in quotes. */
  get quotes(): readonly string[] {
    return [...this.#verbatim.matchAll(QUOTED)].map(([, ...inner]) => inner.join(""));
  }

  /** Whether the text says a line as it is, and not in quotes. */
  saysUnquoted(line: string): boolean {
    return new TaskText(this.#verbatim.replaceAll(QUOTED, '""')).saysPath(line);
  }

  /** Whether the text says a path or the name of a file as a whole, and no longer one. */
  saysPath(path: string): boolean {
    return this.#saysApart(path);
  }

  /** Whether the text speaks of files that end so, as `the .env files` and `*.md` do. */
  saysEnding(ending: string): boolean {
    const places = this.#verbatim.split(ending);
    return places.some(
      (before, nth) =>
        nth < places.length - 1 &&
        !/[\p{L}\p{N}_)-]$/u.test(before) &&
        !/^[\p{L}\p{N}_/]/u.test(places[nth + 1] ?? ""),
    );
  }

  /** Whether the text says a word elsewhere than at the begin of its sentences. */
  saysInside(word: string): boolean {
    return this.#sentences.some((sentence) => sentence.indexOf(word, 1) > 0);
  }

  /** Whether the text speaks of a word at one place alone. */
  mentionsOnce(word: string): boolean {
    return this.#words.split(` ${plain(word)} `).length === 2;
  }

  /** Whether the text says a setting, by its word or by the name of a flag, as often as there are things that have it. */
  saysOfEach(name: string, setting: Json, things: number): boolean {
    const words = typeof setting === "string" ? setting : name.replaceAll("_", " ");
    return this.#words.split(` ${plain(words)} `).length > things;
  }

  /** Whether the text has another form of a single word (`destroy` of `destroyed`), or says it by a no (`nobody is assigned`). */
  hintsAt(word: string): boolean {
    const stem = wordStem(word.toLowerCase());
    const denied = NEGATED.exec(word)?.[1];
    return (
      this.#hasStem(stem) ||
      (denied !== undefined && NEGATION.test(this.#verbatim) && this.#hasStem(wordStem(denied.toLowerCase())))
    );
  }

  #hasStem(stem: string): boolean {
    this.#stems ??= (this.#verbatim.match(/\p{L}+/gu) ?? []).map((word) => wordStem(word.toLowerCase()));
    return stem.length > 2 && this.#stems.some((other) => areOneStem(stem, other));
  }

  /** Whether the text speaks of the value, in whatever case and with spaces for other characters. */
  mentions(value: Json): boolean {
    const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
    if (text === "" || text.length > 400) return false;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const words = plain(TIME.test(text) ? text.slice(0, 5) : text);
    const found = words !== "" && this.#words.includes(` ${words} `);
    this.#known.set(text, found);
    return found;
  }
}

const MAX_SAID_PART = 6;
const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    "about after again also been before both does each every from have here into just like made make more most much must " +
    "only other over same shall should some such than that their them then there these they this those under until very " +
    "want were what when where which while whose will with your please thank thanks"
  ).split(" "),
);
// What is left out, in the languages in which tasks are often written, up to the end of its clause.
const LEAVING_OUT = String.raw`except|excepting|excluding|apart from|other than|but not|(?<=(?:all|every\w*|any\w*)(?:\s\p{L}+){0,3}\s)but|unless|without|leaving out|außer|ausgenommen|ohne|sauf|sans|excepto|salvo|tranne|behalve`;
const IS_NOT = String.raw`(?<=(?:that|who|which)\s(?:\p{L}+\s)?)(?:not|never|no)|(?:are|is|have|has|were|was|do|does)n['’]t`;
// What whoever does the work should not do meanwhile.
const OF_TALK = String.raw`(?:ask|tell|bother|worry|forget|hesitat|wait|explain|apologi[sz]|stop|mind|know)(?:e|ing)?(?!\p{L})`;
const EXCEPTING = new RegExp(
  String.raw`(?<!\p{L})(?:${LEAVING_OUT}|${IS_NOT})(?!\p{L})(?!\s${OF_TALK})[^.;!?\n]{0,80}`,
  "giu",
);
const GAP = String.raw`(?:…|\.{3}|_{2,}|<[^<>\n]{1,30}>|\{[^{}\n]{1,30}\}|\[[^[\]\n]{1,30}\])`;
/** Whether a text leaves something open. */
export function hasGap(text: string): boolean {
  return new RegExp(GAP, "u").test(text);
}
/** A text with gaps that another one fills: in turn what stands around the gaps, and in them; undefined where it is no such text. */
export function filledGaps(
  text: string,
  filled: string,
): { readonly around: readonly string[]; readonly fillers: readonly string[] } | undefined {
  const around = text.split(new RegExp(GAP, "gu"));
  if (around.length < 2 || !around.some((each) => /\p{L}{2}/u.test(each))) return undefined;
  const source = around.map((each) => each.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join("(.+?)");
  const [whole, ...fillers] = new RegExp(`^${source}$`, "u").exec(filled) ?? [];
  return whole === undefined ? undefined : { around, fillers };
}

// An apostrophe stands behind a letter, and what it is of goes on behind it.
const QUOTED =
  /"([^"\n]*)"|“([^”\n]*)”|„([^“”\n]*)[“”]|«([^»\n]*)»|`([^`\n]*)`|(?<![\p{L}\p{N}])['‘](\S|\S[^\n]*?\S)['’](?![\p{L}\p{N}])/gu;
export type OrderOperator = "<" | "<=" | ">" | ">=";

const DAY = String.raw`\d{4}-\d{2}-\d{2}`;
/** What stands before a day; the first that fits says how something compares to it. */
const DAY_LIMITS: readonly (readonly [RegExp, readonly OrderOperator[]])[] = (
  [
    // What is due on the day itself is not late.
    [`(?:overdue|past due|überfällig) (?:on|by|as of|at|am|zum)`, ["<"]],
    [`on or before|(?:no|not) later than|up to and including|through|by|spätestens(?: am)?`, ["<="]],
    [`between ${DAY} and|from ${DAY} (?:to|until)|vom ${DAY} bis(?: zum)?`, ["<="]],
    [
      `on or after|since|from|between|as of|starting(?: on)?|ab(?: dem)?|seit(?: dem)?|vom|depuis(?: le)?|desde(?: el)?`,
      [">="],
    ],
    [`(?:overdue|expired|late)(?: on| by| as of)?`, ["<", "<="]],
    [`before|earlier than|older than|prior to|vor(?: dem)?|avant(?: le)?|antes del?|prima del`, ["<"]],
    [`after|later than|newer than|nach(?: dem)?|après(?: le)?|después del?|dopo il`, [">"]],
    [`until|till|up to|bis(?: zum)?|jusqu'au|hasta(?: el)?|fino al`, ["<", "<="]],
  ] as const
).map(([words, operators]) => [new RegExp(String.raw`(?<!\p{L})(?:${words})\s+$`, "iu"), operators]);
const TIME_LIMITS_BEHIND: readonly (readonly [RegExp, readonly OrderOperator[]])[] = [
  [/^,? (?:at the latest|or (?:earlier|before))(?!\p{L})/iu, ["<="]],
  [/^,? (?:at the earliest|or later)(?!\p{L})/iu, [">="]],
];
const NEGATED = /^un(\p{L}{4,})$/iu;
const DENYING =
  /(?<!\p{L})(?:not|no|never|nor|neither|\p{L}+n['’]t|except\p{L}*|excluding|without|unless|besides|other than|apart from|but for|missing|lacks?|lacking|yet|still|new|nicht|kein\p{L}*|noch|außer|ohne|fehl\p{L}*|neue?\p{L}*|pas|sauf|sans|manqu\p{L}*|nouv\p{L}*|sin|salvo|excepto|falta\p{L}*|non|tranne|senza|manca\p{L}*|niet|geen|behalve|zonder)(?!\p{L})/iu;
const DIFFERING =
  /(?<!\p{L})(?:another|differ\p{L}*|deviat\p{L}*|mismatch\p{L}*|disagree\p{L}*|discrepan\p{L}*|changed|unequal|other than|not (?:the same|equal|match\p{L}*|agree)|(?:\p{L}+n['’]t|no longer) (?:the same|equal|match|agree)|ander[esnm]\p{L}*|unterschied\p{L}*|unterscheid\p{L}*|abweich\p{L}*|geänder\p{L}*|différ\p{L}*|distint\p{L}*|diferent\p{L}*|divers[oaie]|verschil\p{L}*)(?!\p{L})/iu;
const AGREEING =
  /(?<!\p{L})(?:same|equal|match(?:es|ing)?|unchanged|identical|agrees?|gleich\p{L}*|identisch\p{L}*|identique\p{L}*|mism[oa]s?|igual\p{L}*|stess[oaie]|ugual\p{L}*|zelfde|gelijk)(?!\p{L})/iu;
// Which of the two has more, or is later: that is more than that they differ.
const DIRECTED =
  /(?<!\p{L})(?:older|newer|outdated|obsolete|behind|ahead|late[rs]?t?|earlier|early|lower|higher|fewer|less|more|greater|larger|smaller|below|above|under|over|exceed\p{L}*|cheaper|dearer|up[- ]to[- ]date|upgrad\p{L}*|needs? (?:an )?updat\p{L}*|updates? available|increas\p{L}*|decreas\p{L}*|risen|fallen|dropped|rais\p{L}*|älter\p{L}*|neuer\p{L}*|veraltet\p{L}*|höher\p{L}*|niedriger\p{L}*|mehr|weniger|plus|moins|más|menos|più|meno|meer|minder)(?!\p{L})/iu;
const BY_AMOUNT_OR_NAME =
  /(?<!\p{L})(?:sort\p{L}*|alphabet\p{L}*|rank\p{L}*|descending|ascending|order(?:ed)? by|(?:most(?! recent)|highest|largest|biggest|top|fewest|least|lowest|smallest)(?!\p{L})[^.;\n]{0,30}(?<!\p{L})first|(?:begin|start)\p{L}* with the|absteigend|aufsteigend|geordnet|trier|triez|triée?s?|orden(?:a\p{L}*)?|ordina(?:t[aeio]|re|mento)?)(?!\p{L})/iu;
const ALL =
  /(?<!\p{L})(?:(?<!(?:at|after) )all|every(?:thing|one|body)?|each|any|alle[nmrs]?|jede[nmrs]?|tou(?:te?s?|s)|chaque|tod[oa]s?|cada|tutt[iaoe]|ogni)(?!\p{L})/iu;
/** With the noun, before which another word may stand. */
const EACH =
  /(?<!\p{L})(?:(?:each|every|all) of (?:the|these|those)|each|every|per|jede[nmrs]?|pro|chaque|par|cada|ogni) (?<nouns>(?:\p{L}+ )?\p{L}+)/giu;
const ALL_OF =
  /(?<!\p{L})(?:(?<!(?:at|after) )all|every|each|alle[nmrs]?|jede[nmrs]?|tou(?:te?s?|s)|chaque|tod[oa]s?|cada|tutt[iaoe]|ogni) (?:(?:of )?(?:the|these|those|les|las|los|le|gli|i) )?(?<nouns>(?:\p{L}+ )?\p{L}+)/giu;
const CHANGE =
  /(?<!\p{L})(?:chang(?:e[sd]?|ing)|replac(?:e[sd]?|ing)|updat(?:e[sd]?|ing)|overwrit(?:e|ten|ing)|correct(?:s|ed)?|adjust(?:s|ed)?|sets?|mark|switch|turn|move[sd]?|renam(?:e|ed)|reset|edit|instead|änder[ent]*|ersetz\p{L}*|aktualisier\p{L}*|setz\p{L}*|korrigier\p{L}*|statt|chang(?:ez|er)|remplac\p{L}*|actualiz\p{L}*|cambi\p{L}*|reemplaz\p{L}*|aggiorn\p{L}*|sostitu\p{L}*)(?!\p{L})/iu;
const AVERAGE =
  /(?<!\p{L})(?:averages?|mean|avg|(?:durch)?schnitt\p{L}*|durchschnitt\p{L}*|moyenn\p{L}*|promedio|gemiddeld\p{L}*)(?!\p{L})/iu;
const SHARE = /%|(?<!\p{L})(?:percent\p{L}*|prozent\p{L}*|pour ?cent\p{L}*|porcentaje)(?!\p{L})/iu;
const ROUNDING =
  /(?<!\p{L})(?:round\p{L}*|decimals?|decimal places?|nearest|(?:auf|ab)?gerundet|nachkommastellen?|arrondi\p{L}*)(?!\p{L})/iu;
const BY_NAME =
  /(?<!\p{L})(?:alphabet\p{L}*|by (?:their |the )?(?:first |last |family )?names?|a(?: |-|–)*(?:to |-|–)(?: |-)*z)(?!\p{L})/iu;
const BY_AMOUNT =
  /(?<!\p{L})(?:(?:most|least|highest|lowest|largest|smallest|biggest|fewest|top)(?!\p{L})[^.;\n]{0,40}(?<!\p{L})(?:first|last)|(?:most|least|highest|lowest|largest|smallest|biggest|fewest) (?:\p{L}+ ){0,3}to (?:the )?(?:most|least|highest|lowest|largest|smallest|biggest|fewest)|by (?:the |their )?(?:number|count|frequency|amount|size|total|sum)s?)(?!\p{L})/iu;
const FALLING =
  /(?<!\p{L})(?:descending|falling|revers\p{L}*|backwards?|z(?: |-|–)*(?:to |-|–)(?: |-)*a|absteigend)(?!\p{L})/iu;
const AS_LISTED =
  /(?<!\p{L})(?:(?:last|latest|newest|recent(?:ly)?|oldest|earliest)(?!\p{L})[^.;\n]{0,20}(?<!\p{L})first|(?:as|in which) they (?:come|stand|appear)|order of (?:first )?appearance)(?!\p{L})/iu;
const FAILING =
  /(?<!\p{L})(?:cannot|not|no longer|none|\p{L}+n['’]t|fail\p{L}*|missing|dead|broken|gone|unavailable|unreachable|invalid|errors?|nicht|kein\p{L}*|fehl\p{L}*|defekt\p{L}*|tote?\p{L}?|pas|plus|introuvable\p{L}*|cassé\p{L}*|falt\p{L}*|rot[oa]s?|non|manca\p{L}*|niet)(?!\p{L})/iu;
const ORDERED =
  /(?<!\p{L})(?:sort\p{L}*|alphabet\p{L}*|chronological\p{L}*|in (?:\p{L}+ )?order(?=[.,;:\n]|$| by| from)|ordered by|geordnet|trier|triez|triée?s?|orden(?:a\p{L}*)?|ordina(?:t[aeio]|re|mento)?)(?!\p{L})/iu;
/** Up to what is said besides of what is sorted. */
const ORDERED_BY =
  /(?<!\p{L})(?:sort|order|rank|arrang|alphabet|geordnet|trie|orden|ordina)\p{L}*(?:\s+[^\s.,;:]+){0,4}?\s+(?:by|nach|par|por|per)\s+(?:the |their |its |der |dem |den )?(?<name>\p{L}[\p{L}\p{N}_-]*(?: (?!(?:with|and|in|into|to|from|for|of|as|then|mit|und|avec|et|con|y|e)(?!\p{L}))[\p{L}\p{N}_-]+){0,2})/iu;
const ONCE =
  /(?<!\p{L})(?:(?:each|every|all|them|it|only|just)(?:[ -]\p{L}+)? once|once each|unique|distinct|(?:without|no|remov\p{L}*|drop\p{L}*) (?:any |the )?(?:duplicates?|repetitions?)|dedup\p{L}*|(?:je|nur|jeweils) einmal|ohne (?:doppelte|dubletten|duplikate)|une (?:seule )?fois|sans doublons?|una (?:sola )?(?:vez|volta)|sin duplicados|senza (?:duplicati|ripetizioni))(?!\p{L})/iu;
/** So many things, by a word for which of them. */
interface Taking {
  readonly count: number;
  readonly word: string;
  /** The end of the list as it stands from which on they are, where the word is one for that. */
  readonly end: "first" | "last" | undefined;
  /** The word behind. */
  readonly noun: string;
}

const LIST_ENDS: ReadonlyMap<string, "first" | "last"> = new Map([
  ["first", "first"],
  ["initial", "first"],
  ["top", "first"],
  ["last", "last"],
  ["final", "last"],
  ["bottom", "last"],
]);
const COUNTS = "two three four five six seven eight nine ten eleven twelve".split(" ");
const COUNT = String.raw`${COUNTS.join("|")}|[2-9]|[1-9]\d{1,2}`;
const END = String.raw`most recent|(?:most|least)(?: \p{L}+)?|first|initial|last|final|top|bottom|best|worst|\p{L}{2,}est`;
const TAKING = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,/-])(?:(?<before>${END}) (?<count>${COUNT})|(?<own>${COUNT}) (?<behind>${END}))(?![\p{L}\p{N}.,/-]\p{N}?)(?: (?<noun>\p{L}+))?`,
  "giu",
);
// What is no element of a list.
const UNTAKEN =
  /^(?:seconds?|minutes?|hours?|days?|nights?|weeks?|weekends?|months?|quarters?|years?|times?|digits?|letters?|characters?|signs?|words?|decimals?)$/i;
const NUMBERING =
  /(?<!\p{L})(?:(?:re)?number(?:ed|ing)|renumber|number(?= (?:the|all|each|every|them|it|these|those))|running numbers?|n(?:ummer(?:iere|iert|ieren)|umérot\p{L}*|umer(?:ar|ada?s?|ado?s?)))(?!\p{L})/iu;
const CAPITALS =
  /(?<!\p{L})(?:(?:in|to|into|all) (?:all )?(?:capitals?|caps|capital letters|upper[- ]?case(?: letters)?)|upper[- ]?cased?|in (?:groß|gross)buchstaben|en (?:majuscules|mayúsculas))(?!\p{L})/iu;
const SMALL =
  /(?<!\p{L})(?:lower[- ]?cased?|small letters|in kleinbuchstaben|en (?:minuscules|minúsculas))(?!\p{L})/iu;
/** So many words are between a no and what it is for. */
const DENIED = 3;
const NO =
  /^(?:not|no|never|without|missing|lack\p{L}*|empty|blank|\p{L}+n['’]t|nicht|keine?\p{L}?|ohne|fehl\p{L}*|leer\p{L}*|pas|sans|sin|falta\p{L}*|senza|manca\p{L}*)$/iu;
const EMPTY = /^(?:missing|empty|blank|lacking|fehl\p{L}*|leer\p{L}*|manqu\p{L}*|vacío\p{L}*|vuot\p{L}*)$/iu;
const NEGATION = /\b(?:no|not|nobody|no one|none|never|without)\b/i;

function lastWord(name: string): string {
  return /\p{L}+(?=\P{L}*$)/u.exec(name)?.[0] ?? "";
}

/** Whether stems are of one word: equal, or one with an ending more, as `failur` is of `fail`. */
function areOneStem(one: string, other: string): boolean {
  const [short = "", long = ""] = [one, other].sort((a, b) => a.length - b.length);
  return one === other || (short.length > 3 && long.startsWith(short) && long.length - short.length < 3);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.#@]+/gu, " ")
    .replaceAll(/\.(?=\s|$)/g, " ")
    .replaceAll(/ +/g, " ")
    .trim();
}
