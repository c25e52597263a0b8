import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

interface Club {
  readonly members: readonly string[];
  readonly paid: readonly string[];
}

const LEARNED: Club = {
  members: ["Ada Lund", "Bo Falk", "Cy Ek", "Di Roos"],
  paid: ["Cy Ek", "Ada Lund", "Ole Berg"],
};
const OTHER: Club = {
  members: ["Eva Sand", "Finn Dahl", "Gro Lie", "Hal Moe", "Ida Bro"],
  paid: ["Hal Moe", "Nils Aas"],
};

const club = ({ members, paid }: Club): WorldTools => ({
  "club.members": () => ({ members: members.map((name, nth) => ({ number: `M-${nth + 401}`, name })) }),
  "bank.list_payments": () => ({ payments: paid.map((payer, nth) => ({ payer, amount: 40 + nth })) }),
  "mail.remind": () => "ok",
  "club.thank": () => "ok",
});

const numbersIn = (calls: readonly string[]): readonly string[] =>
  calls.flatMap((call) => (call.startsWith("stops") ? [call] : [...call.matchAll(/M-\d+/g)].map(String)));

describe("elements of a list are those that another list has, or has not, as the task says", () => {
  const isPaid = ({ members, paid }: Club, nth: number): boolean => paid.includes(members[nth] ?? "");
  const run = (task: string, act: string, isFor: (club: Club, nth: number) => boolean, at: Club = LEARNED) =>
    recordedIn(club(at), task, (call) => {
      call("club.members", {});
      call("bank.list_payments", {});
      for (const nth of at.members.keys()) if (isFor(at, nth)) call(act, { number: `M-${nth + 401}` });
    });

  test.each<readonly [string, string, boolean, readonly string[]]>([
    ["Remind all members who have not paid yet", "mail.remind", false, ["M-401", "M-402", "M-403", "M-405"]],
    [
      "Remind every member for whom a payment is missing",
      "mail.remind",
      false,
      ["M-401", "M-402", "M-403", "M-405"],
    ],
    ["Thank all members whose payments have come in", "club.thank", true, ["M-404"]],
  ])("%s", async (task, act, isListed, expected) => {
    const { plan } = learned([run(task, act, (at, nth) => isPaid(at, nth) === isListed)]);
    expect(plan.params).toEqual([]);
    expect(numbersIn((await callsIn(runner, plan, club(OTHER), {})).slice(2))).toEqual(expected);
    expect(plan.questions?.map(({ kind }) => kind)).toEqual(["element"]);
  });

  test.each([
    "finn dahl",
    "Dahl, Finn",
    "Finn O. Dahl",
    "F. Dahl",
    "Gro Lie & Finn Dahl",
    "Finn Dahl and Gro Lie",
    "Finn Dahl +1",
    "Finn Dahl: 40",
    "Finn Dahl (in part)",
  ])("one that is written otherwise in the other list may be meant, and stops: %s", async (payer) => {
    const task = "Remind all members who have not paid yet";
    const { plan } = learned([run(task, "mail.remind", (at, nth) => !isPaid(at, nth))]);
    const written: Club = { members: ["Eva Sand", "Finn Dahl"], paid: [payer] };
    const calls = await callsIn(runner, plan, club(written), {});
    expect(calls.at(-1)).toMatch(/^stops: "Finn Dahl" is written otherwise in a list/);
    expect(calls).toHaveLength(3);
  });

  test.each<JsonObject>([{ amount: 7 }, { payer: null, amount: 7 }, { payer: ["Eva Sand"], amount: 7 }])(
    "one of the other list that does not tell of whom it is, as all did, stops: %j",
    async (payment) => {
      const task = "Remind all members who have not paid yet";
      const { plan } = learned([run(task, "mail.remind", (at, nth) => !isPaid(at, nth))]);
      const there: WorldTools = {
        ...club({ members: ["Eva Sand", "Finn Dahl"], paid: [] }),
        "bank.list_payments": () => ({ payments: [{ payer: "Finn Dahl", amount: 9 }, payment] }),
      };
      const calls = await callsIn(runner, plan, there, {});
      expect(calls.at(-1)).toMatch(/^stops/);
      expect(calls).toHaveLength(3);
    },
  );

  test("where the task speaks of nothing that is left out, the caller says which", () => {
    const { plan } = learned([run("Remind the members", "mail.remind", (at, nth) => !isPaid(at, nth))]);
    expect(plan.params.map(({ example }) => example)).toEqual([["M-402", "M-404"]]);
  });

  test("one list of arguments", async () => {
    const at = LEARNED;
    const trace = recordedIn(club(at), "Remind all members who have not paid yet", (call) => {
      call("club.members", {});
      call("bank.list_payments", {});
      call("mail.remind", { numbers: ["M-402", "M-404"] });
    });
    const { plan } = learned([trace]);
    expect(plan.params).toEqual([]);
    expect(await callsIn(runner, plan, club(OTHER), {})).toEqual([
      "club.members {}",
      "bank.list_payments {}",
      'mail.remind {"numbers":["M-401","M-402","M-403","M-405"]}',
    ]);
  });
});

describe("what another list has tells less than it seems", () => {
  interface Books {
    readonly invoices: readonly { readonly id: string; readonly amount: number }[];
    readonly payments: readonly JsonObject[];
  }
  const books = ({ invoices, payments }: Books): WorldTools => ({
    "billing.list_invoices": () => ({ invoices: invoices.map((each) => ({ ...each })) }),
    "billing.list_payments": () => ({ payments }),
    "chat.post": () => "ok",
    "mail.remind": () => "ok",
  });
  const open = ({ invoices, payments }: Books) =>
    invoices.filter(({ id }) => !payments.some(({ invoice }) => invoice === id));
  const run = (at: Books, task: string, act: (call: (tool: string, args: JsonObject) => Json) => void) =>
    recordedIn(books(at), task, (call) => {
      call("billing.list_invoices", {});
      call("billing.list_payments", {});
      act(call);
    });
  const posted = (at: Books) =>
    run(at, "Post the total amount of the invoices that are not paid yet", (call) =>
      call("chat.post", { total: open(at).reduce((sum, { amount }) => sum + amount, 0) }),
    );
  const reminded = (at: Books) =>
    run(at, "Remind of all invoices that are not paid yet", (call) => {
      for (const { id } of open(at)) call("mail.remind", { id });
    });
  const listed = (at: Books) =>
    run(at, "Post a list of the invoices that are not paid yet", (call) =>
      call("chat.post", {
        text: open(at)
          .map(({ id, amount }) => `- ${id}: ${amount}`)
          .join("\n"),
      }),
    );
  const invoices = (first: number, ...amounts: readonly number[]) =>
    amounts.map((amount, nth) => ({ id: `INV-${first + nth}`, amount }));
  const one = invoices(101, 120, 75, 310, 48);
  const two = invoices(201, 1200, 17, 31, 64);
  const paidBy = (of: JsonObject): readonly Books[] => [
    {
      invoices: one,
      payments: [
        { invoice: "INV-102", ...of },
        { invoice: "INV-104", ...of },
      ],
    },
    { invoices: two, payments: [{ invoice: "INV-202", ...of }] },
  ];
  const IN_FULL: readonly Books[] = [
    {
      invoices: one,
      payments: [
        { invoice: "INV-102", paid: 75 },
        { invoice: "INV-104", paid: 48 },
      ],
    },
    { invoices: two, payments: [{ invoice: "INV-202", paid: 17 }] },
  ];

  test("that a total is of those that it lacks is asked until several runs agree", () => {
    const [first, second] = paidBy({ by: "card" }).map(posted);
    if (!first || !second) throw new Error("no runs");
    expect(learned([first]).plan.questions?.map(({ kind }) => kind)).toEqual(["calculation"]);
    expect(learned([first, second]).plan.questions ?? []).toEqual([]);
  });

  test.each([
    ["a total", posted],
    ["lines", listed],
    ["rounds", reminded],
  ])(
    "several runs are no proof where all that it has is in one state, or has the same amounts: %s",
    (_, act) => {
      for (const worlds of [paidBy({ status: "settled" }), IN_FULL])
        expect(learned(worlds.map(act)).plan.questions ?? []).toHaveLength(1);
      expect(learned(paidBy({ by: "card" }).map(act)).plan.questions ?? []).toEqual([]);
    },
  );
});

test("a row is not added to a table where what it is made of would stand in several cells", async () => {
  const desk = (title: string): WorldTools => ({
    "desk.read_file": () => ({ content: "id,title,owner\nK-101,Lamp is dark,Ada Lund\n" }),
    "desk.get_ticket": () => ({ title, owner: "Bo Falk" }),
    "desk.write_file": () => "ok",
  });
  const trace = recordedIn(desk("Door squeaks"), "Log the ticket K-103 in /srv/log.csv", (call) => {
    const { content } = call("desk.read_file", { path: "/srv/log.csv" }) as { content: string };
    call("desk.get_ticket", { id: "K-103" });
    const row = "K-103,Door squeaks,Bo Falk\n";
    call("desk.write_file", { path: "/srv/log.csv", content: content + row });
  });
  const { plan } = learned([trace]);
  const input = Object.fromEntries(
    plan.params.map(({ name, example = null }): [string, Json] => [name, example]),
  );
  const written = async (title: string) => (await callsIn(runner, plan, desk(title), input)).at(-1);
  expect(await written("Roof leaks")).toContain("\\nK-103,Roof leaks,Bo Falk\\n");
  expect(await written("Roof, leaks")).toMatch(/^stops/);
});

describe("whether a line is added at the end of a text", () => {
  const run = (task: string, content: string) =>
    recordedIn({ "desk.read_file": () => ({ content }), "desk.write_file": () => "ok" }, task, (call) => {
      call("desk.read_file", { path: "/srv/list.md" });
      call("desk.write_file", { path: "/srv/list.md", content: `${content}- Milk\n` });
    });
  const list = "- Apples\n- Beans\n";

  test.each<readonly [string, string, number]>([
    ['Add "Milk" to the list in /srv/list.md', list, 0],
    ['Add "Milk" to the sorted list in /srv/list.md', list, 1],
    ['Add "Milk" to the list in /srv/list.md unless it is there', list, 1],
    ['Add "Milk" below Today in /srv/list.md', `## Later\n- Bread\n\n## Today\n${list}`, 1],
    ['Add "Milk" to /srv/list.md', `## Later\n- Bread\n\n## Today\n${list}`, 1],
  ])("is asked where the task says something else that decides: %s", (task, content, count) => {
    expect(learned([run(task, content)]).plan.questions ?? []).toHaveLength(count);
  });
});

describe("lines that are added to a text are those that another text lacks", () => {
  const files = (own: string, other: string): WorldTools => ({
    read_file: ({ path }) => ({ content: path === "/srv/own.csv" ? own : other }),
    write_file: () => "ok",
  });
  const rows = (...of: readonly string[]): string =>
    `sku,title,shelf\n${of.map((row) => `${row}\n`).join("")}`;
  const own = rows("K-101,Lamp,A", "K-102,Chair,B", "K-103,Desk,C");
  const other = rows("K-102,Stool,B", "K-104,Sofa,D", "K-105,Vase,A", "K-103,Desk,F");
  const merged = `${own}K-104,Sofa,D\nK-105,Vase,A\n`;
  const task =
    "Write one list to /srv/all.csv: /srv/own.csv as it is, and after it those of /srv/theirs.csv that are not in it, by their sku.";

  test("by what names them, whatever else is written otherwise", async () => {
    const trace = recordedIn(files(own, other), task, (call) => {
      call("read_file", { path: "/srv/own.csv" });
      call("read_file", { path: "/srv/theirs.csv" });
      call("write_file", { path: "/srv/all.csv", content: merged });
    });
    const { plan } = learned([trace]);
    const input = Object.fromEntries(
      plan.params.map(({ name, example = null }): [string, Json] => [name, example]),
    );
    expect(JSON.stringify(input)).not.toContain("K-1");
    const [mine, theirs] = [
      rows("K-7,Tray,A", "K-8,Mug,B"),
      rows("K-8,Cup,B", "K-9,Jar,C", "K-10,Pot,D", "K-7,Tray,A"),
    ];
    const [, , written = ""] = await callsIn(runner, plan, files(mine, theirs), input);
    const { content } = JSON.parse(written.replace("write_file ", "")) as JsonObject;
    expect(content).toBe(`${mine}K-9,Jar,C\nK-10,Pot,D\n`);
  });
});

describe("where all that a list names was in another, it has to be there again, once", () => {
  interface Desk {
    readonly duty: readonly string[];
    readonly people: readonly string[];
  }
  const at: Desk = { duty: ["Cy Ek", "Ada Lund"], people: ["Ada Lund", "Bo Falk", "Cy Ek", "Di Roos"] };
  const mailOf = (name: string): string => `${name.toLowerCase().replace(" ", ".")}@club.org`;
  const desk = ({ duty, people }: Desk): WorldTools => ({
    "desk.read_duty": () => `# On duty\n\n${duty.map((name) => `- ${name}\n`).join("")}`,
    "desk.read_people": () => `name,mail\n${people.map((name) => `${name},${mailOf(name)}\n`).join("")}`,
    "mail.send": () => "ok",
  });
  const run = (on: Desk) =>
    recordedIn(desk(on), "Send a mail to everybody on duty", (call) => {
      call("desk.read_duty", {});
      call("desk.read_people", {});
      for (const name of on.people) if (on.duty.includes(name)) call("mail.send", { to: mailOf(name) });
    });
  const mailed = async (runs: readonly Desk[], there: Desk) =>
    (await callsIn(runner, learned(runs.map(run)).plan, desk(there), {})).slice(2);
  const sent = (...names: readonly string[]) => names.map((name) => `mail.send {"to":"${mailOf(name)}"}`);

  test("others", async () => {
    const there: Desk = {
      duty: ["Gro Lie", "Eva Sand", "Hal Moe"],
      people: ["Eva Sand", "Gro Lie", "Hal Moe", "Ida Bro"],
    };
    expect(await mailed([at], there)).toEqual(sent("Eva Sand", "Gro Lie", "Hal Moe"));
  });

  test.each<readonly [string, Desk]>([
    ["that is not there", { duty: ["Gro Lie", "Ole Berg"], people: ["Eva Sand", "Gro Lie", "Hal Moe"] }],
    [
      "that is there twice",
      { duty: ["Gro Lie"], people: ["Eva Sand", "Gro Lie", "Hal Moe"].toSpliced(2, 1, "Hal Moe") },
    ],
    ["where there are none", { duty: ["Gro Lie"], people: [] }],
  ])("one %s", async (what, there) => {
    const two: WorldTools = {
      ...desk(there),
      "desk.read_people": () => "name,mail\nEva Sand,e@club.org\nGro Lie,g@club.org\nGro Lie,gro@club.org\n",
    };
    const tools = what.endsWith("twice") ? two : desk(there);
    const calls = await callsIn(runner, learned([run(at)]).plan, tools, {});
    expect(calls.slice(2)).toEqual([expect.stringMatching(/^stops/)]);
  });

  test("of several runs, of which one names somebody who is not there, it need not be", async () => {
    const loose: Desk = { duty: ["Ole Berg", "Hal Moe"], people: ["Eva Sand", "Gro Lie", "Hal Moe"] };
    const there: Desk = { duty: ["Finn Dahl", "Ida Bro"], people: ["Ida Bro", "Jo Vik", "Kai Ness"] };
    expect(await mailed([at, loose], there)).toEqual(sent("Ida Bro"));
    expect(await mailed([at, at], there)).toEqual([expect.stringMatching(/^stops/)]);
  });

  test("who has relations in a graph", async () => {
    const graph = (people: readonly string[], working: readonly string[]): WorldTools => ({
      "memory.read_graph": () => ({
        entities: people.map((name) => ({ name, entityType: "person", mail: mailOf(name) })),
        relations: working.map((from) => ({ from, to: "Falcon", relationType: "works on" })),
      }),
      "mail.send": () => "ok",
    });
    const trace = recordedIn(
      graph(at.people, at.duty),
      "Send a mail to all persons with relations",
      (call) => {
        call("memory.read_graph", {});
        for (const name of at.people) if (at.duty.includes(name)) call("mail.send", { to: mailOf(name) });
      },
    );
    const { plan } = learned([trace]);
    const calls = (working: readonly string[]) =>
      callsIn(runner, plan, graph(["Eva Sand", "Gro Lie", "Hal Moe"], working), {});
    expect((await calls(["Hal Moe", "Eva Sand"])).slice(1)).toEqual(sent("Eva Sand", "Hal Moe"));
    expect((await calls(["Hal Moe", "Ole Berg"])).slice(1)).toEqual([expect.stringMatching(/^stops/)]);
  });

  test("nor may any of those who are to be left out be another: it may be one of them, written otherwise", async () => {
    const trace = recordedIn(desk(at), "Send a mail to everybody who is not on duty", (call) => {
      call("desk.read_duty", {});
      call("desk.read_people", {});
      for (const name of at.people) if (!at.duty.includes(name)) call("mail.send", { to: mailOf(name) });
    });
    const there = async (duty: readonly string[]) =>
      (
        await callsIn(runner, learned([trace]).plan, desk({ duty, people: ["Eva Sand", "Gro Lie"] }), {})
      ).slice(2);
    expect(await there(["Eva Sand"])).toEqual(sent("Gro Lie"));
    expect(await there(["Eva Sand", "Groh Lie"])).toEqual([expect.stringMatching(/^stops: /)]);
  });
});
