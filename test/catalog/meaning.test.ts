import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Meaning } from "../../src/catalog/meaning.ts";
import { searchSkills } from "../../src/catalog/search-skills.ts";
import type { Searchable } from "../../src/catalog/word-index.ts";
import { ok } from "../../src/core/result.ts";
import { modelSettings } from "../../src/model/model-config.ts";
import { ModelEndpoint } from "../../src/model/model-endpoint.ts";
import { EMBEDDING_MODEL, MODEL, openAiServer, type OpenAiServerOptions } from "../model/openai-server.ts";

const SKILLS: ReadonlyMap<string, Searchable> = new Map(
  [
    ["refund-order", "Gives the money of an order back to who bought it."],
    ["ship-parcel", "Hands a parcel to the carrier."],
    ["weather-report", "Tells tomorrow's weather for a place."],
    ["parcel-label", "Prints the label of a parcel."],
  ].map(([name = "", description = ""]) => [name, { name, description }]),
);

/** Three meanings: money, parcels, weather. */
const TOPICS = [/money|refund|reimburse/i, /parcel|ship|courier/i, /weather|rain/i];

async function meaningBy(options: Partial<OpenAiServerOptions>, cacheFile?: string) {
  const server = await openAiServer({
    replies: [],
    vectorOf: (text) => TOPICS.map((topic) => (topic.test(text) ? 1 : 0.01)),
    ...options,
  });
  const settings = modelSettings({ baseUrl: server.baseUrl, name: MODEL, embedding: EMBEDDING_MODEL }, ok);
  let now = 0;
  const meaning = new Meaning({
    model: () => new ModelEndpoint(settings).forWork(),
    embedding: EMBEDDING_MODEL,
    now: () => now,
    ...(cacheFile === undefined ? {} : { cacheFile }),
  });
  return { server, meaning, wait: (ms: number) => (now += ms) };
}

function names({ items }: { readonly items: readonly Searchable[] }): readonly string[] {
  return items.map(({ name }) => name);
}

test("a skill is found by its meaning where no word is the same", async () => {
  const { meaning } = await meaningBy({});
  expect(names(await searchSkills(SKILLS, "reimburse somebody", 10))).toEqual([]);
  expect(names(await searchSkills(SKILLS, "reimburse somebody", 10, meaning))).toEqual(["refund-order"]);
});

test("what fits by words and by meaning stands before what fits by one of them", async () => {
  const { meaning } = await meaningBy({});
  const found = names(await searchSkills(SKILLS, "courier label", 10, meaning));
  expect(found[0]).toBe("parcel-label");
  expect(found).toContain("ship-parcel");
  expect(found).not.toContain("weather-report");
});

test("each text is sent once, also over starts", async () => {
  const folder = await mkdtemp(join(tmpdir(), "meaning-"));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const file = join(folder, "meaning.jsonl");
  const first = await meaningBy({}, file);
  await searchSkills(SKILLS, "reimburse", 10, first.meaning);
  await searchSkills(SKILLS, "courier", 10, first.meaning);
  expect(first.server.embedded.map(({ length }) => length)).toEqual([1 + SKILLS.size, 1]);
  const second = await meaningBy({}, file);
  await searchSkills(SKILLS, "reimburse", 10, second.meaning);
  expect(second.server.embedded).toEqual([]);
});

test("an endpoint that fails is told of, left alone for a while, and words are searched all the same", async () => {
  let isDown = true;
  const { meaning, server, wait } = await meaningBy({
    vectorOf: (text) => (isDown ? undefined : TOPICS.map((topic) => (topic.test(text) ? 1 : 0))),
  });
  const found = await searchSkills(SKILLS, "parcel", 10, meaning);
  expect(names(found).toSorted()).toEqual(["parcel-label", "ship-parcel"]);
  expect(found.fault?.code).toBe("MODEL_REJECTED");
  isDown = false;
  expect((await searchSkills(SKILLS, "reimburse", 10, meaning)).fault).toBeDefined();
  expect(server.embedded).toHaveLength(1);
  wait(60_000);
  const later = await searchSkills(SKILLS, "reimburse", 10, meaning);
  expect([names(later), later.fault]).toEqual([["refund-order"], undefined]);
});

test("vectors that cannot be compared tell nothing", async () => {
  const { meaning } = await meaningBy({ vectorOf: () => [0, 0, 0] });
  expect(names(await searchSkills(SKILLS, "weather", 10, meaning))).toEqual(["weather-report"]);
});

const INTENDED: ReadonlyMap<string, Searchable> = new Map([
  ...SKILLS,
  [
    "parcel-pickup",
    {
      name: "parcel-pickup",
      description: "Has a courier fetch a parcel.",
      matching: {
        tags: [],
        keywords: [],
        examples: [],
        intents: [{ description: "Money for what was not shipped", threshold: 0.9 }],
      },
    },
  ],
]);

test("a skill whose intent a request does not fit comes last, with how near it is; by text alone its words count", async () => {
  const { meaning } = await meaningBy({});
  const found = await searchSkills(INTENDED, "parcel label by courier", 10, meaning);
  expect(names(found).at(-1)).toBe("parcel-pickup");
  expect(found.intents?.get("parcel-pickup")).toEqual({ confidence: expect.closeTo(0.71, 1), fits: false });
  const fitting = await searchSkills(INTENDED, "refund what the courier has not shipped", 10, meaning);
  expect(fitting.intents?.get("parcel-pickup")).toMatchObject({ fits: true });
  const byText = await searchSkills(INTENDED, "money", 10);
  expect(byText.intents).toBeUndefined();
  expect(names(byText)).toContain("parcel-pickup");
});
