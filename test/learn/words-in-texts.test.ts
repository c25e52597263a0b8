import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

describe("words of the task in texts are those that stood there as they did in the run", () => {
  const tickets = (...rows: readonly JsonObject[]): WorldTools => ({
    "desk.list": () => ({ tickets: rows.map((row, nth) => Object.assign({ id: `T-${nth + 601}` }, row)) }),
    "desk.remind": () => "ok",
  });
  const reminding = async (
    task: string,
    seen: readonly JsonObject[],
    reminded: readonly number[],
    words: string,
    rows: readonly JsonObject[],
  ) => {
    const run = recordedIn(tickets(...seen), task, (call) => {
      call("desk.list", {});
      for (const nth of reminded) call("desk.remind", { id: `T-${nth + 601}` });
    });
    const { plan } = learned([run]);
    const input = Object.fromEntries(plan.params.map(({ name }) => [name, words]));
    return (await callsIn(runner, plan, tickets(...rows), input)).slice(1);
  };
  const titles = (...texts: readonly string[]): readonly JsonObject[] => texts.map((title) => ({ title }));

  test.each<readonly [string, string, readonly string[], string, string]>([
    [
      "a code in another case",
      "mention AX-200",
      ["AX-200 hums", "Lamp", "Is AX-200 safe?"],
      "BZ-310",
      "bz-310 hums",
    ],
    [
      "a code without its sign",
      "mention AX-200",
      ["AX-200 hums", "Lamp", "Is AX-200 safe?"],
      "BZ-310",
      "BZ310 hums",
    ],
    [
      "the end of a longer address",
      "are from acme.example",
      ["bo@acme.example", "cy@x.example", "di@acme.example"],
      "zeta.example",
      "ed@mail.zeta.example",
    ],
    [
      "an address that goes on",
      "are from acme.example",
      ["bo@acme.example", "cy@x.example", "di@acme.example"],
      "zeta.example",
      "ed@zeta.example.org",
    ],
    [
      "a folder inside of another",
      "are in drafts",
      ["drafts/a.md", "notes/b.md", "drafts/c.md"],
      "plans",
      "old/plans/c.md",
    ],
    [
      "a part of a name in a list of names",
      "have the label urgent",
      ["urgent, web", "web", "mail, urgent"],
      "late",
      "very late, web",
    ],
    [
      "a word with a hyphen",
      "are about the offsite",
      ["Re: offsite plans", "Lunch", "offsite: hotel"],
      "audit",
      "pre-audit call",
    ],
  ])("%s stops", async (_, what, seen, words, text) => {
    const task = `Remind the tickets that ${what}`;
    const known = seen[0]?.replace(/AX-200|acme\.example|drafts|urgent|offsite/, words) ?? "";
    expect(await reminding(task, titles(...seen), [0, 2], words, titles(known, "Tea"))).toEqual([
      'desk.remind {"id":"T-601"}',
    ]);
    expect((await reminding(task, titles(...seen), [0, 2], words, titles(known, text))).at(-1)).toMatch(
      /^stops/,
    );
  });

  test("a longer number is another one", async () => {
    const seen = titles("AX-200 hums", "Lamp", "Is AX-200 safe?");
    const task = "Remind the tickets that mention AX-200";
    expect(await reminding(task, seen, [0, 2], "BZ-310", titles("BZ-3100 hums", "a BZ-310"))).toEqual([
      'desk.remind {"id":"T-602"}',
    ]);
  });

  test("words at another place of an element stop, unless the run had them there, too", async () => {
    const task = "Remind the tickets about the scanner";
    const seen = [
      { title: "The scanner hums", text: "It is loud" },
      { title: "Door", text: "It is stuck" },
      { title: "New scanner", text: "Please" },
    ];
    const rows = [
      { title: "toner low", text: "Please" },
      { title: "Printer", text: "Needs toner" },
    ];
    expect((await reminding(task, seen, [0, 2], "toner", rows)).at(-1)).toMatch(/^stops/);
    const tried = seen.with(1, { title: "Door", text: "Not the scanner" });
    expect(await reminding(task, tried, [0, 2], "toner", rows)).toEqual(['desk.remind {"id":"T-601"}']);
  });

  test("a number with a sign before it is another thing than one without", async () => {
    const task = "Remind the tickets that are the same as issue 4182";
    const seen = titles("Same as #4182", "Lamp", "#4182 again");
    const more = titles("See #3077", "#30771", "Tea");
    expect(await reminding(task, seen, [0, 2], "3077", more)).toEqual(['desk.remind {"id":"T-601"}']);
    const price = titles("See #3077", "It costs 3077 EUR");
    expect((await reminding(task, seen, [0, 2], "3077", price)).at(-1)).toMatch(/^stops/);
  });

  test("that all elements of the run had them does not make all meant", async () => {
    const task = "Remind the tickets that mention the inkwell";
    expect(
      await reminding(
        task,
        titles("The inkwell", "An inkwell!"),
        [0, 1],
        "easel",
        titles("Tea", "the easel"),
      ),
    ).toEqual(['desk.remind {"id":"T-602"}']);
  });

  test("words that only begin a sentence of the task, or are the whole of another field, tell nothing", () => {
    const plans = [
      ["Please remind the reported tickets", titles("Please call", "Lamp", "Now, Please")],
      [
        "Remind the ones of the first order that wait for parts",
        [
          { title: "parts for it", order: 1, waits: "parts" },
          { title: "Lamp", order: 1, waits: "nobody" },
          { title: "the parts box", order: 1, waits: "parts" },
          { title: "Tea", order: 2, waits: "parts" },
        ],
      ],
    ] as const;
    for (const [task, rows] of plans) {
      const run = recordedIn(tickets(...rows), task, (call) => {
        call("desk.list", {});
        for (const id of ["T-601", "T-603"]) call("desk.remind", { id });
      });
      expect(JSON.stringify(learned([run]).plan.steps)).not.toContain("contains");
    }
  });
});

describe("all that the task says of the elements is so", () => {
  const notes = (...rows: readonly JsonObject[]): WorldTools => ({
    "desk.list": () => ({ notes: rows.map((row, nth) => Object.assign({ id: `N-${nth + 701}` }, row)) }),
    "desk.remind": () => "ok",
  });
  const planOf = (task: string, seen: readonly JsonObject[], reminded: readonly string[]) =>
    learned([
      recordedIn(notes(...seen), task, (call) => {
        call("desk.list", {});
        for (const id of reminded) call("desk.remind", { id });
      }),
    ]).plan;

  test("also where one of it would have told them in the run", async () => {
    const plan = planOf(
      "Remind the open ones of Ada about the audit",
      [
        { state: "open", author: "Ada", text: "see the audit" },
        { state: "open", author: "Bo", text: "lunch" },
        { state: "open", author: "Ada", text: "audit soon" },
      ],
      ["N-701", "N-703"],
    );
    expect(plan.params.map(({ example }) => example)).toEqual(["open", "Ada", "audit"]);
    const [state = "", author = "", text = ""] = plan.params.map(({ name }) => name);
    const made = await callsIn(
      runner,
      plan,
      notes(
        { state: "open", author: "Bo", text: "the move" },
        { state: "done", author: "Bo", text: "the move" },
        { state: "open", author: "Bo", text: "tea" },
        { state: "open", author: "Cy", text: "move it" },
      ),
      { [state]: "open", [author]: "Bo", [text]: "move" },
    );
    expect(made.slice(1)).toEqual(['desk.remind {"id":"N-701"}']);
  });

  test.each<readonly [string, string, readonly JsonObject[], JsonObject, JsonObject]>([
    [
      "a number with its name",
      "Remind the notes of priority 2 about the toner",
      [
        { priority: 2, text: "toner low" },
        { priority: 3, text: "lamp" },
        { priority: 2, text: "buy toner" },
        { priority: 2, text: "tea" },
      ],
      { priority: 2, text: "no toner" },
      { priority: 3, text: "no toner" },
    ],
    [
      "a flag that all have",
      "Remind the unread notes of Ada",
      [
        { unread: true, author: "Ada" },
        { unread: true, author: "Bo" },
        { unread: true, author: "Ada" },
      ],
      { unread: true, author: "Ada" },
      { unread: false, author: "Ada" },
    ],
  ])("also %s", async (_, task, seen, one, other) => {
    const plan = planOf(task, seen, ["N-701", "N-703"]);
    const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
    const made = await callsIn(runner, plan, notes(other, one), input);
    expect(made.slice(1)).toEqual(['desk.remind {"id":"N-702"}']);
  });

  test("and all words of it stand in their texts", async () => {
    const texts = (...all: readonly string[]) => notes(...all.map((text) => ({ text })));
    const seen = ["toner of the printer", "the printer hums", "printer needs toner", "toner sale"];
    const run = recordedIn(texts(...seen), "Remind those about the toner of the printer", (call) => {
      call("desk.list", {});
      for (const id of ["N-701", "N-703"]) call("desk.remind", { id });
    });
    const { plan } = learned([run]);
    const input = Object.fromEntries(
      plan.params.map(({ name, example }) => [name, example === "toner" ? "wheel" : "cart"]),
    );
    const world = texts("wheel of the cart", "wheel of the bike", "cart sold");
    expect((await callsIn(runner, plan, world, input)).slice(1)).toEqual(['desk.remind {"id":"N-701"}']);
  });

  test("what is not so could be whatever is otherwise, which is another reading", () => {
    const seen = ["paid", "unpaid", "unpaid", "paid"].map((payment) => ({ payment }));
    const run = recordedIn(notes(...seen), "Remind everybody who has not paid", (call) => {
      call("desk.list", {});
      for (const id of ["N-702", "N-703"]) call("desk.remind", { id });
    });
    const { plan, choices } = learned([run]);
    const isUnpaid = { path: ["payment"], equals: { kind: "constant", value: "unpaid" } };
    const isNotPaid = {
      path: ["payment"],
      operator: "!=",
      equals: { kind: "constant", value: "paid" },
    };
    expect(plan.questions).toMatchObject([{ kind: "element" }]);
    const chosen = choices.find(({ question }) => question === "element");
    expect(JSON.stringify(chosen?.chosen)).toContain(JSON.stringify(isUnpaid));
    expect(JSON.stringify(chosen?.alternatives)).toContain(JSON.stringify(isNotPaid));
  });

  test("what is left out is left out where the run had none of it, and what is neither so nor not stops", async () => {
    const plan = planOf(
      "Remind the open ones except the pinned ones",
      [
        { state: "open", isPinned: false },
        { state: "done", isPinned: false },
        { state: "open", isPinned: false },
      ],
      ["N-701", "N-703"],
    );
    const input = Object.fromEntries(plan.params.map(({ name }) => [name, "open"]));
    const pinned = notes({ state: "open", isPinned: true }, { state: "open", isPinned: false });
    expect((await callsIn(runner, plan, pinned, input)).slice(1)).toEqual(['desk.remind {"id":"N-702"}']);
    const unknown = notes({ state: "open", isPinned: null });
    expect((await callsIn(runner, plan, unknown, input)).at(-1)).toMatch(/^stops/);
  });
});
