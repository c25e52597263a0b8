import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { distance } from "fastest-levenshtein";
import type { Skill } from "../core/skill.ts";

/** What can be found: a skill, or a draft of one. */
export type Searchable = Pick<Skill, "name" | "description"> &
  Partial<Pick<Skill, "instructions" | "matching">>;

interface Row {
  readonly id: number;
  item: Searchable;
  /** The last set of items that had it. */
  seen: number;
}

/**
 * A full text index in memory of what was searched lately, by BM25 over stemmed words and by how much of the query a text
 * has. One index serves all sets: a set that
 * differs little from the one before costs what differs.
 */
export class WordIndex {
  #opened: OpenIndex | undefined;
  readonly #rows = new Map<string, Row>();
  readonly #names = new Map<number, string>();
  #nextId = 1;
  /** How many sets it has taken. */
  #sets = 0;
  #held: ReadonlyMap<string, Searchable> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** The keys of those that fit best, best first. The given set must not change. */
  async search(
    items: ReadonlyMap<string, Searchable>,
    query: string,
    most: number,
  ): Promise<readonly string[]> {
    const found = this.#last.then(async () => {
      this.#opened ??= await openIndex();
      await this.#take(items, this.#opened);
      return this.#find(items, query, most, this.#opened);
    });
    this.#last = found.catch(() => undefined);
    return found;
  }

  /** Other work of the process goes on meanwhile. */
  async #take(
    items: ReadonlyMap<string, Searchable>,
    { database, insert, remove }: OpenIndex,
  ): Promise<void> {
    if (this.#held === items) return;
    this.#sets += 1;
    const stale = (name: string, { id }: Row): void => {
      remove.run(id);
      this.#rows.delete(name);
      this.#names.delete(id);
    };
    await inTurns(items, database, ([name, item]) => {
      const row = this.#rows.get(name);
      if (row && isSameText(row.item, item)) {
        row.item = item;
        row.seen = this.#sets;
        return;
      }
      if (row) stale(name, row);
      const id = this.#nextId;
      this.#nextId += 1;
      insert.run(id, ...columnsOf(item));
      this.#rows.set(name, { id, item, seen: this.#sets });
      this.#names.set(id, name);
    });
    await inTurns([...this.#rows], database, ([name, row]) => {
      if (row.seen < this.#sets - MAX_UNUSED_SETS) stale(name, row);
    });
    this.#held = items;
  }

  #find(
    items: ReadonlyMap<string, Searchable>,
    query: string,
    most: number,
    { select, having, terms }: OpenIndex,
  ): readonly string[] {
    const matching = (expressions: readonly string[]): readonly string[] => {
      const found: { readonly name: string; readonly score: number }[] = [];
      if (expressions.length === 0) return [];
      const shares = this.#sharesIn(expressions, having);
      for (const { rowid, score } of select.iterate(expressions.join(" OR "))) {
        const name = this.#names.get(Number(rowid));
        if (name === undefined || !items.has(name)) continue;
        const share = shares.get(Number(rowid)) ?? 1;
        if (found.push({ name, score: -Number(score) * share ** SHARE_COUNTS }) >= 2 * most) break;
      }
      const ranked = found.toSorted((a, b) => b.score - a.score);
      return ranked.slice(0, most).map(({ name }) => name);
    };
    const words = queryWords(query);
    const found = matching(words.map(quoted));
    if (found.length > 0) return found;
    const near = words.flatMap((word) => nearTerms(word, terms));
    return matching([...words.map((word) => `${quoted(word)}*`), ...near.map(quoted)]);
  }

  /**
   * Which share of the query each row has, each word by how much it tells: BM25 alone puts one that has a rare word often
   * before one that has them all.
   */
  #sharesIn(expressions: readonly string[], having: StatementSync): ReadonlyMap<number, number> {
    const shares = new Map<number, number>();
    if (expressions.length === 1) return shares;
    let whole = 0;
    for (const expression of expressions) {
      const rows = having.all(expression);
      if (rows.length === 0) continue;
      const tells = Math.log(1 + (this.#rows.size - rows.length + 0.5) / (rows.length + 0.5));
      whole += tells;
      for (const { rowid } of rows) shares.set(Number(rowid), (shares.get(Number(rowid)) ?? 0) + tells);
    }
    for (const [row, tells] of shares) shares.set(row, tells / whole);
    return shares;
  }
}

/** More of it puts those back that do one of several things that are asked for. */
const SHARE_COUNTS = 0.4;

/** How many other sets may have been searched since one was, for its items to be kept. */
const MAX_UNUSED_SETS = 32;

interface OpenIndex {
  readonly database: DatabaseSync;
  readonly insert: StatementSync;
  readonly remove: StatementSync;
  readonly select: StatementSync;
  readonly having: StatementSync;
  readonly terms: StatementSync;
}

/** SQLite is loaded by who searches. Marks are parts of words: without them, those of many scripts would be cut. */
async function openIndex(): Promise<OpenIndex> {
  const sqlite = await import("node:sqlite");
  const database = new sqlite.DatabaseSync(":memory:");
  database.exec(`
    create virtual table words using fts5 (name, description, keywords, examples, tags, instructions,
      content='', contentless_delete=1, tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'");
    create virtual table terms using fts5vocab (words, 'row');
  `);
  return {
    database,
    insert: database.prepare(
      "insert into words (rowid, name, description, keywords, examples, tags, instructions) values (?, ?, ?, ?, ?, ?, ?)",
    ),
    remove: database.prepare("delete from words where rowid = ?"),
    select: database.prepare(
      `select rowid, bm25(words, ${WEIGHTS.join(", ")}) as score from words where words match ? order by score, rowid`,
    ),
    having: database.prepare("select rowid from words where words match ?"),
    terms: database.prepare("select term from terms where term >= ? and term < ?"),
  };
}

/** Of name, description, keywords, examples, tags, instructions. */
const WEIGHTS = [6, 4, 4, 3, 3, 1];

/** What a skill is for stands at their beginning. */
const MAX_INSTRUCTIONS = 1000;

function columnsOf({ name, description, instructions = "", matching }: Searchable): readonly string[] {
  const { category = "", tags = [], keywords = [], examples = [], intents = [] } = matching ?? {};
  return [
    name,
    description,
    keywords.join(" "),
    [...examples, ...intents.map((intent) => intent.description)].join(" "),
    [category, ...tags].join(" "),
    instructions.slice(0, MAX_INSTRUCTIONS),
  ].map(separated);
}

function isSameText(a: Searchable, b: Searchable): boolean {
  return (
    a === b ||
    (a.name === b.name &&
      a.description === b.description &&
      a.instructions === b.instructions &&
      isDeepStrictEqual(a.matching, b.matching))
  );
}

/** Does it to each, with a turn of the event loop between those that together take long. */
async function inTurns<Item>(
  items: Iterable<Item>,
  database: DatabaseSync,
  deed: (item: Item) => void,
): Promise<void> {
  let until = 0;
  try {
    for (const item of items) {
      if (performance.now() > until) {
        if (database.isTransaction) database.exec("commit");
        await nextTurn();
        until = performance.now() + TURN_MS;
        database.exec("begin");
      }
      deed(item);
    }
  } finally {
    if (database.isTransaction) database.exec("commit");
  }
}

const TURN_MS = 8;

/** Scripts that write words without spaces, or endings as words of their own. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** A text as it is indexed: writing without spaces is cut into pairs of characters that overlap, and its last character. */
function separated(text: string): string {
  const normal = text.toWellFormed().normalize("NFKC");
  return normal.replace(UNSPACED, (run) => ` ${[...pairs(run), Array.from(run).at(-1)].join(" ")} `);
}

function pairs(run: string): readonly string[] {
  const characters = Array.from(run);
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

function queryWords(query: string): readonly string[] {
  const normal = query.toWellFormed().normalize("NFKC").toLowerCase();
  const cut = normal.replace(UNSPACED, (run) => ` ${(run.length > 1 ? pairs(run) : [run]).join(" ")} `);
  const words = [...new Set(cut.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu))].slice(0, MAX_WORDS);
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return telling.length === 0 ? words : telling;
}

const MAX_WORDS = 100;

/** Words that stand in any wish. */
const STOP_WORDS = new Set(
  (
    "a about all am an and any are as at be before but by can could d did do does for from get give had has have help how i if " +
    "in into is it its just let like ll m make may me my need not of on or our over please re s should so some t than that " +
    "the their them then there these they this those through to up us use using ve want was we were what when where which " +
    "who will with without would you your"
  ).split(" "),
);

function quoted(word: string): string {
  return `"${word}"`;
}

/** Words of the index that a mistyped one may mean. */
function nearTerms(word: string, terms: StatementSync): readonly string[] {
  const [first = ""] = word;
  if (word.length < 4) return [];
  const most = word.length < 6 ? 1 : 2;
  const after = String.fromCodePoint((first.codePointAt(0) ?? 0) + 1);
  return terms
    .all(first, after)
    .map(({ term }) => ({ term: String(term), away: distance(word, String(term)) }))
    .filter(({ away }) => away <= most)
    .toSorted((a, b) => a.away - b.away)
    .slice(0, MAX_NEAR)
    .map(({ term }) => term);
}

const MAX_NEAR = 5;
