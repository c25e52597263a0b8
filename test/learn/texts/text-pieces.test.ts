import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { runner } from "../../shared-threads.ts";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { firstRun, outcomes, runOn, type Session } from "./page-sessions.ts";

const real = new RealDrafts();
afterAll(() => real.close());

/** A page that tells something in a field, of which a piece is used as an argument. */
function session(argument: string, field: string, form: RegExp, ...texts: readonly string[]): Session {
  return {
    task: ({ page }) => `Do what ${page} says`,
    acts: (page) => {
      const told = (JSON.parse(page) as Record<string, string>)[field] ?? "";
      const [, piece] = form.exec(told) ?? [];
      return piece === undefined
        ? undefined
        : [{ [argument]: argument === "number" ? Number(piece) : piece }];
    },
    worlds: texts.map((text, nth) => [
      { page: `p-${nth + 1}` },
      JSON.stringify({ [field]: text, day: `2026-03-1${nth}` }),
    ]),
  };
}

const SESSIONS: Readonly<Record<string, Session>> = {
  "the first of two words": session(
    "salutation",
    "author",
    /^(?!Mr|Family)([\p{L}-]+) [\p{L}-]+$/u,
    "Ada Lind",
    "Bo-Erik Hu",
    "Cy van Ek",
    "Ek",
    "Dr. Ek",
    "Mr Ek",
    "Family Ek",
  ),
  "the last of two words": session(
    "surname",
    "author",
    /^[\p{L}-]+ (?!Jr|Ltd)([\p{L}-]+)$/u,
    "Ada Lind",
    "Ada Jr",
    "Lamps Ltd",
    "Bo Hu-Ek",
    "Cy van Ek",
  ),
  "the number behind a sign": session(
    "number",
    "change",
    /#(\d+)$/,
    "PR #412",
    "Change #97",
    "PR 88",
    "#12 and #13",
  ),
  "such a number as a text": session("ticket", "change", /#(\d+)$/, "PR #412", "Change #97", "PR #0097x"),
  "the domain of an address": session(
    "domain",
    "mail",
    /^[^@\s]+@([^@\s>]+)$/,
    "ada@harbour.example",
    "bo.hu@post.west.example",
    "Bo Hu <bo@west.example>",
    "bo@west.example, cy@east.example",
  ),
  "a file's name": session(
    "file",
    "path",
    /^.*\/([^/]+)$/,
    "notes/fern-12.md",
    "old/notes/rose.txt",
    "rose.txt",
  ),
  "a file's name without its ending": session(
    "stem",
    "file",
    /^(.+)\.[a-z]+$/,
    "fern-12.md",
    "rose.v2.txt",
    "Makefile",
  ),
  "what stands behind a comma": session(
    "town",
    "place",
    /^[^,]+, ([^,]+)$/,
    "Hall 7, Oulu",
    "Shed, New Town",
    "Hall 7",
    "Hall 7, Oulu, Finland",
  ),
  "what stands before a comma": session(
    "hall",
    "place",
    /^([^,(]+), [^,]+$/,
    "Hall 7, Oulu",
    "Shed, New Town",
    "Hall 7",
    "Hall 7 (north), Oulu",
  ),
};

describe("what is learned of a piece of a text is done with another", () => {
  test.each(Object.keys(SESSIONS))("%s", async (name) => {
    const own = SESSIONS[name];
    if (!own) throw new Error(name);
    const { made, wanted } = await outcomes(own);
    expect(made).toEqual(wanted);
    const draft = await real.of([firstRun(SESSIONS, name)]);
    expect(failing(await real.verified(draft.name))).toEqual([]);
  });
});

describe("no piece is learned", () => {
  const asked = (page: JsonObject, args: JsonObject): boolean => {
    const { plan } = learned([runOn(JSON.stringify(page), "Do what p says", [args])]);
    return plan.params.some(({ example }) => example === Object.values(args)[0]);
  };
  test("of a word in small letters among others", () => {
    expect(asked({ note: "rather high tide" }, { level: "high" })).toBe(true);
  });
  test("of a number of few digits", () => {
    expect(asked({ place: "Hall #7" }, { seats: 7 })).toBe(true);
  });
  test("where its mark stands twice", () => {
    expect(asked({ place: "Hall 7, Oulu, Finland" }, { town: "Oulu" })).toBe(true);
  });
  test("of a list", () => {
    expect(asked({ owners: "Ada Lind, Bo Hu" }, { owner: "Ada Lind" })).toBe(true);
  });
  test("of a sentence", () => {
    expect(asked({ note: "Ada Lind, who is away, wrote it." }, { owner: "Ada Lind" })).toBe(true);
    expect(asked({ note: "Ada Lind looks after all of the boats, mostly" }, { owner: "Ada Lind" })).toBe(
      true,
    );
  });
  test("inside of a longer word", () => {
    expect(asked({ place: "Ouluharbour, Finland" }, { town: "Oulu" })).toBe(true);
  });
});

describe("what may be another thing that is called so", () => {
  const made = (page: JsonObject, args: JsonObject) =>
    learned([runOn(JSON.stringify(page), "Do what p says", [args])]).plan;

  test.each<readonly [string, JsonObject, JsonObject]>([
    ["a kind", { title: "Task 412" }, { type: "Task" }],
    ["how urgent it is", { title: "High tide" }, { priority: "High" }],
    ["a form of files", { file: "report.PDF" }, { format: "PDF" }],
    ["a year", { title: "Budget 2026" }, { year: 2026 }],
    ["a limit", { title: "Top 100" }, { limit: 100 }],
  ])("is asked for: %s", (_, page, args) => {
    expect(made(page, args).params.map(({ example }) => example)).toContain(Object.values(args)[0]);
  });

  test.each<readonly [string, JsonObject, JsonObject]>([
    ["a word of a name", { author: "Ada Lind" }, { salutation: "Ada" }],
    ["letters of a key", { issue: "OAK-412" }, { project: "OAK" }],
  ])("is taken, with a question: %s", (_, page, args) => {
    expect(made(page, args).questions?.map(({ kind }) => kind)).toEqual(["text"]);
  });

  test.each<readonly [string, JsonObject, JsonObject]>([
    ["a number behind a sign", { change: "PR #412" }, { number: 412 }],
    ["the domain of an address", { mail: "ada@harbour.example" }, { domain: "harbour.example" }],
    ["a code", { file: "fern-12.md" }, { stem: "fern-12" }],
  ])("is taken without one: %s", (_, page, args) => {
    expect(made(page, args).questions ?? []).toEqual([]);
  });
});

test("of two texts that have the piece, which one is meant is asked", () => {
  const page = JSON.stringify({ author: "Ada Lind", reader: "Bo Lind" });
  const { plan } = learned([runOn(page, "Do what p says", [{ surname: "Lind" }])]);
  expect(plan.questions?.map(({ kind }) => kind)).toEqual(["text"]);
});

describe("in each round it is cut alike", () => {
  const tools: WorldTools = {
    "t.list_people": ({ team }) =>
      team === "oars"
        ? [
            { name: "Ada Lind", mail: "ada@ex.org" },
            { name: "Bo Hu", mail: "bo@ex.org" },
            { name: "Cyd Ek", mail: "cyd@ex.org" },
          ]
        : [
            { name: "Di Po", mail: "di@ex.org" },
            { name: "Edo Ro", mail: "edo@ex.org" },
          ],
    "t.invite": () => "ok",
  };
  test.each<readonly [string, (first: string) => string]>([
    ["by itself", (first) => first],
    ["in a text", (first) => `Dear ${first}, do come along!`],
  ])("%s", async (_, words) => {
    const invite = (team: string) =>
      recordedIn(tools, `Invite everybody in ${team}`, (call) => {
        const people = call("t.list_people", { team }) as readonly Record<string, string>[];
        for (const { name = "", mail = "" } of people)
          call("t.invite", { mail, words: words(name.split(" ")[0] ?? "") });
      });
    const { plan } = learned([invite("oars")]);
    const made = await callsIn(runner, plan, tools, { team: "sails" });
    const acts = [
      { mail: "di@ex.org", words: words("Di") },
      { mail: "edo@ex.org", words: words("Edo") },
    ];
    expect(made.slice(1)).toEqual(acts.map((args) => `t.invite ${JSON.stringify(args)}`));
  });
});
