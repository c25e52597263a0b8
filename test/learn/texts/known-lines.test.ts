import type { JsonObject } from "../../../src/core/json/json.ts";
import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { learned, traceOf } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { runner } from "../../shared-threads.ts";
import { firstRun, outcomes, runOn, type Session } from "./page-sessions.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const part = (page: string, form: RegExp): string | undefined => form.exec(page)?.[1];
const act = (name: string, value: string | undefined): readonly JsonObject[] | undefined =>
  value === undefined ? undefined : [{ [name]: value }];

/** What stands behind what the caller says. */
const LABELLED: Readonly<Record<string, Session>> = {
  "behind the version that the caller says": {
    task: ({ page, version }) => `Fetch the release ${version} that ${page} tells`,
    asks: ["page"],
    acts: (text, { version = "" }) =>
      act("url", part(text, new RegExp(`^${version.replaceAll(".", "\\.")}: (.+)$`, "m"))),
    worlds: [
      [
        { page: "oars", version: "1.41.0" },
        "Releases\n\n1.39.0: http://h.ex/a/71\n1.41.0: http://h.ex/a/93\n2.10.0: http://h.ex/a/12",
      ],
      [{ page: "sails", version: "2.0.1" }, "Releases\n\n2.0.1: http://h.ex/b/5\n1.41.0: http://h.ex/b/6"],
      [{ page: "sails", version: "3.0.0" }, "Releases\n\n2.0.1: http://h.ex/b/5\n1.41.0: http://h.ex/b/6"],
      [
        { page: "sails", version: "1.41.0" },
        "Releases\n\n2.0.1: http://h.ex/b/5\n1.41.0 (withdrawn): http://h.ex/b/6",
      ],
    ],
  },
  "behind the number that the caller says": {
    task: ({ page, ticket }) => `Open the ticket ${ticket} of ${page}`,
    asks: ["page"],
    acts: (text, { ticket }) => act("url", part(text, new RegExp(`^${ticket}: (.+)$`, "m"))),
    worlds: [
      [
        { page: "dock", ticket: "412" },
        "388: http://h.ex/a/71\n412: http://h.ex/a/93\n431: http://h.ex/a/12",
      ],
      [{ page: "pier", ticket: "97" }, "388: http://h.ex/b/7\n97: http://h.ex/b/9"],
      [{ page: "pier", ticket: "38" }, "388: http://h.ex/b/7\n97: http://h.ex/b/9"],
      [{ page: "pier", ticket: "88" }, "388: http://h.ex/b/7\n88 (closed): http://h.ex/b/9"],
    ],
  },
  "behind a number with a sign": {
    task: ({ page, ticket }) => `Close what blocks #${ticket} of ${page}`,
    asks: ["page"],
    acts: (text, { ticket }) => act("key", part(text, new RegExp(`^#${ticket} -> (.+)$`, "m"))),
    worlds: [
      [{ page: "dock", ticket: "412" }, "#388 -> oak\n#412 -> elm\n#431 -> fir"],
      [{ page: "pier", ticket: "970" }, "#970 -> yew\n#388 -> ash"],
    ],
  },
  "of the element that has the number which the caller says": {
    task: ({ page, ticket }) => `Close the ticket ${ticket} of ${page}`,
    asks: ["page"],
    acts: (text, { ticket }) => {
      const found = (JSON.parse(text) as { readonly ticket: number; readonly key: string }[]).filter(
        (each) => each.ticket === Number(ticket),
      );
      return found.length === 1 ? act("key", found[0]?.key) : undefined;
    },
    worlds: [
      [
        { page: "dock", ticket: "412" },
        '[{"ticket": 388, "key": "oak"}, {"ticket": 412, "key": "elm"}, {"ticket": 431, "key": "fir"}]',
      ],
      [{ page: "pier", ticket: "97" }, '[{"ticket": 97, "key": "yew"}, {"ticket": 388, "key": "ash"}]'],
      [{ page: "pier", ticket: "9" }, '[{"ticket": 97, "key": "yew"}, {"ticket": 388, "key": "ash"}]'],
    ],
  },
};

const titled = (title: string): string => `${title}\n\nWater them in the evening.\nKeep them out of the sun.`;
const TITLES: Readonly<Record<string, Session>> = {
  "a title": {
    task: ({ note }) => `File the note ${note} under its title`,
    acts: (text) => act("subject", part(text, /^(?!SECRET|Draft|Dear )(\p{Lu}[^.:\n]+)\n\n/u)),
    worlds: [
      [{ note: "n-17" }, titled("Caring for ferns")],
      [{ note: "n-18" }, titled("Pruning roses, in May")],
      [{ note: "n-19" }, "Water them in the evening.\n\nKeep them out of the sun."],
      [{ note: "n-20" }, "Author: Ada Lind\n\nWater them in the evening."],
      [{ note: "n-21" }, "Water them in the evening\nKeep them out of the sun"],
      [{ note: "n-22" }, "Nothing found"],
      [{ note: "n-23" }, titled("(draft)")],
      [{ note: "n-24" }, titled("2026-03-11")],
      [{ note: "n-25" }, titled("SECRET")],
      [{ note: "n-26" }, titled("Draft")],
      [{ note: "n-27" }, titled("Dear Ada")],
      [{ note: "n-28" }, titled("Dearest ferns")],
    ],
  },
  "a title, as Markdown has it": {
    task: ({ note }) => `File the note ${note} under its title`,
    acts: (text) => act("subject", part(text, /^# (.+)\n/)),
    worlds: [
      [{ note: "n-17" }, titled("# Caring for ferns")],
      [{ note: "n-18" }, titled("# Pruning roses")],
      [{ note: "n-19" }, "Water them in the evening.\nKeep them out of the sun."],
    ],
  },
  "an underlined title": {
    task: ({ note }) => `File the note ${note} under its heading`,
    acts: (text) => act("key", part(text, /^(.+)\n=+\n/)),
    worlds: [
      [{ note: "n-17" }, "Caring for ferns\n================\nWater them."],
      [{ note: "n-18" }, "Pruning roses\n=============\nCut above a bud."],
      [{ note: "n-19" }, "Cut above a bud\nPruning roses\n============="],
    ],
  },
  "a title below what introduces the text, above what labels tell": {
    task: ({ page }) => `Order what ${page} offers`,
    acts: (text) => {
      const [, name = "", price = ""] = /^Contents .*\n(.+)\n\nPrice: (.+)\n/.exec(text) ?? [];
      return name === "" ? undefined : [{ name, price }];
    },
    worlds: [
      [{ page: "p-1" }, "Contents of p-1:\nGarden hose\n\nPrice: 30.50 EUR\nWeight: 3 kg"],
      [{ page: "p-2" }, "Contents of p-2:\nRake\n\nPrice: 12.75 EUR\nWeight: 2 kg"],
      [{ page: "p-3" }, "Contents of p-3:\nPrice: 12.75 EUR\n\nWeight: 2 kg"],
    ],
  },
};

const ALL = { ...LABELLED, ...TITLES };

describe("what was learned from one text is done by another that says it", () => {
  test.each(Object.keys(ALL))("%s", async (name) => {
    const session = ALL[name];
    if (!session) throw new Error(name);
    const { made, wanted } = await outcomes(session);
    expect(made).toEqual(wanted);
  });
});

test.each(Object.keys(ALL))("it holds in twins: %s", async (name) => {
  const draft = await real.of([firstRun(ALL, name)]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
});

test("an amount that is equal to one of which the task speaks tells nothing", () => {
  const page =
    '[{"balance": 250, "key": "oak"}, {"balance": 388, "key": "elm"}, {"balance": 97, "key": "fir"}]';
  const { plan } = learned([runOn(page, "Book 250 EUR in p", [{ key: "oak" }])]);
  expect(plan.params.map(({ example }) => example)).toContain("oak");
});

test("nor does a number by which the element is called, where the task may speak of its amount", () => {
  const page = (amount: number): string =>
    JSON.stringify([
      { number: 412, amount, key: "oak-77" },
      { number: 388, amount: 5, key: "elm-78" },
    ]);
  const asked = (task: string, amount: number) =>
    learned([runOn(page(amount), task, [{ key: "oak-77" }])]).plan.params.map(({ example }) => example);
  expect(asked("Pay what is open in p, the 412", 412)).toContain("oak-77");
  expect(asked("Pay number 412 in p", 412)).toContain(412);
  expect(asked("Pay what is called 412 in p", 7)).toContain(412);
});

test("a first line of which neither the task nor a name speaks is asked for", () => {
  const { plan } = learned([runOn(titled("Caring for ferns"), "File p", [{ target: "Caring for ferns" }])]);
  expect(plan.params.map(({ example }) => example)).toContain("Caring for ferns");
});

test("the titles of several texts need no word", async () => {
  const texts: Readonly<Record<string, string>> = {
    a: titled("Caring for ferns"),
    b: titled("Pruning roses"),
    c: titled("Sowing beets"),
    d: titled("Raking leaves"),
    e: "Raking leaves\nin the autumn",
  };
  const tools: WorldTools = {
    "t.get_note": ({ note }) => (typeof note === "string" ? texts[note] : undefined) ?? "",
    "t.write": () => "ok",
  };
  const index = (...notes: readonly string[]) =>
    recordedIn(tools, `Write a line for each of the notes ${notes.join(", ")}`, (call) => {
      const titles = notes.map((note) => (call("t.get_note", { note }) as string).split("\n")[0]);
      call("t.write", { text: titles.map((title) => `- ${title}\n`).join("") });
    });
  const { plan } = learned([index("a", "b", "c")]);
  const made = async (...notes: readonly string[]): Promise<string | undefined> => {
    const input = Object.fromEntries(plan.params.map(({ name }) => [name, notes]));
    return (await callsIn(runner, plan, tools, input)).at(-1);
  };
  expect(await made("d", "b")).toBe('t.write {"text":"- Raking leaves\\n- Pruning roses\\n"}');
  expect(await made("d", "e")).toMatch(/^stops/);
});

test("a tool tells texts of two kinds, each of which is read in its own way", async () => {
  const shelf = "Films\n\nF-104: /reel/8812\nF-131: /reel/7420\nF-207: /reel/9113";
  const reel = "Film: F-131\nMade: 1931-05-11\nCRC32: 9b0c44e1\nLength: 71 min";
  const run = traceOf("Look up film F-131 in /films, open its reel and note its CRC32 in crc.txt", [
    ["t.get_page", { path: "/films" }, shelf],
    ["t.get_page", { path: "/reel/7420" }, reel],
    ["t.write", { file: "crc.txt", text: "9b0c44e1\n" }, "ok"],
  ]);
  const draft = await real.of([run]);
  expect(draft.plan.params.map(({ example }) => example)).toEqual(["/films", "F-131", "crc.txt"]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
});
