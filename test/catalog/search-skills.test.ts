import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { loadFolders } from "../../src/catalog/folders/load-folders.ts";
import { searchSkills } from "../../src/catalog/search-skills.ts";
import type { Searchable } from "../../src/catalog/word-index.ts";
import { wordStem } from "../../src/core/text/word-stem.ts";

const REAL = join(import.meta.dirname, "../../../shared/data/skillsets/valid");

function skillsOf(
  described: Readonly<Record<string, string | Partial<Searchable>>>,
): Map<string, Searchable> {
  return new Map(
    Object.entries(described).map(([name, told]) => [
      name,
      { name, description: "", ...(typeof told === "string" ? { description: told } : told) },
    ]),
  );
}

async function found(skills: ReadonlyMap<string, Searchable>, query: string, most = 10): Promise<string[]> {
  return (await searchSkills(skills, query, most)).items.map(({ name }) => name);
}

const MIXED = skillsOf({
  "add-app-clip": "Adds a clip to an iOS app with a target of its own.",
  "to-the-point": "Shortens a text that is too long.",
  "invoice-total": "Sums the amounts of invoices, with taxes.",
  "ship-parcel": {
    description: "Hands a parcel to the carrier.",
    instructions: "Weigh it first. Invoices are not needed.",
  },
  "refund-order": {
    description: "Returns what was paid.",
    matching: {
      category: "billing",
      tags: ["commerce"],
      keywords: ["chargeback"],
      examples: ["undo order 17"],
    },
  },
  "steuer-rückerstattung": "Berechnet die Rückerstattung für Schülerinnen und Schüler.",
  請求書作成: "顧客に送る請求書を作成します。",
  "天気-予報": "明日の天気を調べる",
  "캘린더-일정": "캘린더에 일정을 추가합니다.",
  "मौसम-रिपोर्ट": "कल का मौसम बताता है",
  ตรวจสอบอากาศ: "บอกสภาพอากาศของวันพรุ่งนี้",
});

test.for<[query: string, first: string]>([
  ["total of an invoice", "invoice-total"],
  ["summing amount", "invoice-total"],
  ["shipping parcels to my customer", "ship-parcel"],
  ["chargebacks", "refund-order"],
  ["undoing orders", "refund-order"],
  ["billing", "refund-order"],
  ["commerce", "refund-order"],
  ["weighing", "ship-parcel"],
  ["rueckerstattung schulerinnen", "steuer-rückerstattung"],
  ["RÜCKERSTATTUNG", "steuer-rückerstattung"],
  ["ru\u0308ckerstattung", "steuer-rückerstattung"],
  ["請求書", "請求書作成"],
  ["お客様への請求書を作りたい", "請求書作成"],
  ["天気", "天気-予報"],
  ["報", "天気-予報"],
  ["캘린더", "캘린더-일정"],
  ["일정을 추가", "캘린더-일정"],
  ["मौसम", "मौसम-रिपोर्ट"],
  ["สภาพอากาศ", "ตรวจสอบอากาศ"],
  ["ｉｎｖｏｉｃｅ", "invoice-total"],
])('"%s" finds %s first', async ([query, first]) => {
  expect((await found(MIXED, query))[0]).toBe(first);
});

test("who has more of what is asked for comes before who has a rare word of it in its name", async () => {
  const others = Array.from({ length: 20 }, (_, index) => [
    `travel-${index}`,
    `Books a travel to place ${index}${index < 8 ? " and tells how long to stay there" : ""}.`,
  ]);
  const skills = skillsOf({
    ...Object.fromEntries(others),
    passport: "Passport: logs in with a passport.",
    "entry-rules": `Tells how long one may stay with a passport. ${"It looks at treaties between states. ".repeat(2)}`,
  });
  expect((await found(skills, "how long may I stay with my passport"))[0]).toBe("entry-rules");
});

test("words that stand in any wish find nothing by themselves beside others", async () => {
  expect(await found(MIXED, "generate a full backend for me to use")).toEqual([]);
  expect((await found(MIXED, "to the"))[0]).toBe("to-the-point");
});

test("words that are common in any text count less than those that tell what is meant", async () => {
  const skills = skillsOf({
    "something-else": "Something that counts sheep.",
    "parcel-track": "Follows a parcel.",
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`parcel-${index}`, `Weighs parcel ${index} of a customer.`]),
    ),
  });
  expect((await found(skills, "something that follows"))[0]).toBe("parcel-track");
});

test("a long description counts no more than a short one that says the same", async () => {
  const rest = Array.from({ length: 150 }, (_, index) => `topic${index}`).join(" ");
  const skills = skillsOf({
    long: `Converts images. ${rest} Converts tables.`,
    short: "Converts images.",
    other: "Counts sheep.",
  });
  expect((await found(skills, "convert images"))[0]).toBe("short");
});

test.for<[word: string, stem: string]>([
  ["caresses", "caress"],
  ["ponies", "poni"],
  ["agreed", "agre"],
  ["hopping", "hop"],
  ["filing", "file"],
  ["relational", "relat"],
  ["generalizations", "gener"],
  ["happily", "happili"],
  ["controlling", "control"],
  ["replacement", "replac"],
  ["yes", "ye"],
  ["rückerstattung", "rückerstattung"],
])("the stem of %s is %s", ([word, stem]) => {
  expect(wordStem(word)).toBe(stem);
});

test("beginnings of words and mistyped ones count where nothing else is found", async () => {
  expect(await found(MIXED, "invoi")).toEqual(["invoice-total", "ship-parcel"]);
  expect(await found(MIXED, "invocie totel")).toEqual(["invoice-total", "ship-parcel"]);
  expect(await found(MIXED, "parc invoices")).toEqual(["invoice-total", "ship-parcel"]);
  expect(await found(MIXED, "xylophone")).toEqual([]);
});

test("what a query holds is words, never syntax", async () => {
  for (const query of [
    '"invoice" AND (x* NEAR',
    "name:invoice -total",
    "invoice\0total",
    "invoice \uD800",
    "'; --",
  ])
    expect(await found(MIXED, query)).toEqual(
      /invoice/.test(query) ? expect.arrayContaining(["invoice-total"]) : [],
    );
});

test("only the given set is searched, as it is now", async () => {
  const before = skillsOf({ "walk-dog": "Leads a dog around the lake.", "feed-cat": "Feeds a cat." });
  const after = new Map([...before, ...skillsOf({ "walk-dog": "Leads a dog through the forest." })]);
  after.delete("feed-cat");
  expect(await found(before, "lake")).toEqual(["walk-dog"]);
  expect(await Promise.all([found(after, "lake"), found(after, "forest"), found(after, "cat")])).toEqual([
    [],
    ["walk-dog"],
    [],
  ]);
  expect(await Promise.all([found(before, "forest"), found(after, "forest"), found(before, "cat")])).toEqual([
    [],
    ["walk-dog"],
    ["feed-cat"],
  ]);
  expect(await found(new Map(), "dog")).toEqual([]);
});

test("what stands under another key than its name is found", async () => {
  const tools = new Map([["shop.get_order", { name: "shop get order", description: "Reads an order." }]]);
  expect(await found(tools, "reading orders")).toEqual(["shop get order"]);
});

test("at most as many are found as are asked for, best first", async () => {
  const many = skillsOf(
    Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`n-${index}`, `Counts sheep, ${index}.`])),
  );
  expect(await found(many, "sheep", 300)).toHaveLength(300);
  expect(await found(many, "sheep 217", 3)).toHaveLength(3);
  expect((await found(many, "sheep 217", 3))[0]).toBe("n-217");
});

test("other work goes on while many are read", async () => {
  const text = Array.from({ length: 400 }, (_, index) => `word${index}`).join(" ");
  const many = skillsOf(
    Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`m-${index}`, { instructions: text }])),
  );
  let isDone = false;
  const searched = found(many, "word1").finally(() => (isDone = true));
  let turns = 0;
  for (; !isDone; turns += 1) await nextTurn();
  expect(await searched).toHaveLength(10);
  // Read in one go it were one.
  expect(turns).toBeGreaterThan(2);
});

/** In words of users, mostly not those of the names. */
const WISHES: readonly (readonly [skill: string, wish: string])[] = [
  ["open-sourcing", "get our private code ready to be published under a license"],
  ["finishing-a-development-branch", "the feature is done and green, should I merge it or open a PR"],
  ["fuzzing-dictionary", "give my parser tester a list of format keywords so it gets deeper"],
  ["yield-hunter", "automatically put idle bitcoin to work earning interest"],
  ["cairo-vulnerability-scanner", "check starknet contracts for overflow and replay bugs"],
  ["vulnerability-triage-brocards", "is this bug bounty report worth fixing or can we dismiss it"],
  ["dwarf-expert", "look at the debug symbols inside a compiled binary"],
  ["yara-rule-authoring", "write patterns that detect malware samples"],
  ["firebase-apk-scanner", "look for open databases and exposed storage in an android app"],
  ["modern-python", "move my project from poetry and black to uv and ruff"],
  ["diagramming-code", "draw a picture of which functions call each other"],
  ["gh-cli", "use authenticated access instead of curl for pull requests and issues"],
  ["fp-check", "make sure a suspected security bug is real"],
  ["nft", "send a collectible to another wallet"],
  ["executing-plans", "carry out the written steps in a fresh session with checkpoints"],
  ["destination-evaluate", "is this city good for a holiday given weather and visas"],
  ["flight-search", "cheapest plane tickets between two airports"],
  ["signing", "prove ownership of an address by a signature over text"],
  ["address-sanitizer", "find use-after-free and buffer overflow in C programs"],
  ["libfuzzer", "throw random inputs at C++ compiled with clang"],
  ["stacking", "lock coins to earn bitcoin rewards"],
  ["ruzzy", "find crashes in ruby gems with native code"],
  ["receiving-code-review", "a reviewer gave me comments that I think are wrong"],
  ["dimensional-analysis", "annotate units and decimals in calculations"],
  ["semgrep-rule-variant-creator", "port a static analysis rule to another programming language"],
  ["entry-point-analyzer", "which external functions of this solidity contract can alter state"],
  ["identity", "register an agent on chain and read its reputation"],
  ["graph-evolution", "what structural security changes happened between two commits"],
  ["fuzzing-obstacles", "checksums stop my fuzzer from getting further"],
];

test.skipIf(!existsSync(REAL))("skills of real collections are found in other words", async () => {
  const { folders } = await loadFolders([REAL]);
  const skills = new Map(folders.map((folder) => [folder.name, folder]));
  const ranks: number[] = [];
  for (const [skill, wish] of WISHES) ranks.push((await found(skills, wish, 20)).indexOf(skill) + 1);
  const mrr = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length;
  expect(mrr).toBeGreaterThan(0.85);
  expect(ranks.filter((rank) => rank === 1).length / ranks.length).toBeGreaterThanOrEqual(0.8);
});
