import { describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { expressionText } from "../../../src/learn/review/expression-text.ts";
import { type Plan, PLAN } from "../../../src/learn/plan/plan.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { runner } from "../../shared-threads.ts";

interface Parcel {
  readonly code: string;
  readonly state: string;
  readonly contents: readonly { readonly label: string; readonly sku: string }[];
}

function parcel(code: string, state: string, ...labels: readonly string[]): Parcel {
  return { code, state, contents: labels.map((label) => ({ label, sku: `${code}/${label.length}` })) };
}

/** A post office with a person's parcels. */
function post(...parcels: readonly Parcel[]): WorldTools {
  const find = ({ code }: JsonObject): Json =>
    (parcels.find((each) => each.code === code) ?? null) as unknown as Json;
  return {
    "post.get_person": ({ mail }) => ({ mail: mail ?? null, parcels: parcels.map(({ code }) => code) }),
    "post.get_parcel": find,
    "post.return_parcel": ({ code }) => ({ returned: code ?? null }),
    "post.refund": () => ({ done: true }),
  };
}

const HERE = post(
  parcel("PX-101", "delivered", "Wool Scarf", "Tea Pot"),
  parcel("PX-102", "delivered", "Chess Set"),
  parcel("PX-103", "in transit", "Desk Fan"),
);

function codesIn(person: Json): readonly string[] {
  const { parcels } = isJsonObject(person) ? person : {};
  return Array.isArray(parcels) ? parcels.map(String) : [];
}

const writesOf = (calls: readonly string[]): readonly string[] =>
  calls.filter((call) => !call.startsWith("post.get_"));

describe("an element is found by what is inside it", () => {
  const trace = recordedIn(HERE, "I am ann@post.example: send back the parcel with the chess set", (call) => {
    for (const code of codesIn(call("post.get_person", { mail: "ann@post.example" })))
      call("post.get_parcel", { code });
    call("post.return_parcel", { code: "PX-102" });
  });
  const { plan } = learned([trace]);
  const label = plan.params.find(({ example }) => example === "Chess Set")?.name ?? "";

  test("where the task speaks of that", () => {
    expect(plan.params.map(({ example }) => example)).toEqual(["ann@post.example", "Chess Set"]);
  });

  test.each<readonly [string, WorldTools, readonly string[]]>([
    [
      "for another person",
      post(parcel("QA-7", "delivered", "Tea Pot"), parcel("QA-8", "delivered", "Mug", "Rain Coat")),
      ['post.return_parcel {"code":"QA-8"}'],
    ],
    [
      "unless two have it",
      post(parcel("QA-7", "delivered", "Rain Coat"), parcel("QA-8", "delivered", "Rain Coat")),
      [expect.stringContaining("stops: More than one of the")],
    ],
    [
      "unless none has it",
      post(parcel("QA-7", "delivered", "Mug")),
      [expect.stringContaining("stops: None of the")],
    ],
  ])("%s", async (_, world, expected) => {
    const input = { mail: "bob@post.example", [label]: "Rain Coat" };
    expect(writesOf(await callsIn(runner, plan, world, input))).toEqual(expected);
  });
});

test("an element that two have by one name is told by what else is known of it", async () => {
  const shop = (...lines: readonly (readonly [id: string, size: string])[]): WorldTools => ({
    "shop.list": () => lines.map(([id, size]) => ({ id, lines: [{ name: "Rain Coat", options: { size } }] })),
    "shop.close": () => ({}),
  });
  const { plan } = learned([
    recordedIn(
      shop(["B-100", "large"], ["B-200", "small"]),
      "Close the one with the small rain coat",
      (call) => {
        call("shop.list", {});
        call("shop.close", { id: "B-200" });
      },
    ),
  ]);
  const [name = "", options = ""] = plan.params.map((param) => param.name);
  const closed = async (input: JsonObject) =>
    (await callsIn(runner, plan, shop(["C-1", "small"], ["C-2", "large"]), input)).slice(1);
  expect(await closed({ [name]: "Rain Coat", [options]: { size: "large" } })).toEqual([
    'shop.close {"id":"C-2"}',
  ]);
  expect(await closed({ [name]: "Rain Coat" })).toEqual([
    expect.stringContaining("stops: More than one of the"),
  ]);
});

test("a colour of something inside is no way to find an element", () => {
  const shop: WorldTools = {
    "shop.list": () => [
      { id: "B-100", lines: [{ colour: "crimson", sku: "S-1001" }] },
      { id: "B-200", lines: [{ colour: "teal", sku: "S-1002" }] },
    ],
    "shop.close": () => ({}),
  };
  const { plan } = learned([
    recordedIn(shop, "Close the one with the crimson thing", (call) => {
      call("shop.list", {});
      call("shop.close", { id: "B-100" });
    }),
  ]);
  expect(plan.params.map(({ example }) => example)).toEqual(["B-100"]);
});

describe("files of a kind", () => {
  const folder = (...names: readonly string[]): WorldTools => ({
    "disk.list": () => ({ entries: names }),
    "disk.delete": () => ({ done: true }),
  });
  const deleting = (names: readonly string[], ...deleted: readonly string[]) =>
    recordedIn(folder(...names), "Delete all log files", (call) => {
      call("disk.list", {});
      for (const name of deleted) call("disk.delete", { path: name });
    });
  const OTHERS = folder("z.log", "thesis.txt", "log.md", "y.log");

  test.each<readonly [string, readonly string[]]>([
    ["all there were", ["app.log", "db.log"]],
    ["some of those there were", ["app.log", "notes.txt", "db.log"]],
  ])("are told by the ending of their names: %s", async (_, names) => {
    const { plan } = learned([deleting(names, "app.log", "db.log")]);
    expect(plan.questions).toMatchObject([{ kind: "element", path: [] }]);
    expect(plan.params.map(({ example }) => example)).toEqual([".log"]);
    expect(PLAN.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
    const [{ name } = { name: "" }] = plan.params;
    expect((await callsIn(runner, plan, OTHERS, { [name]: ".log" })).slice(1)).toEqual([
      'disk.delete {"path":"z.log"}',
      'disk.delete {"path":"y.log"}',
    ]);
  });

  test("are settled by two runs of which one had others", async () => {
    const { plan } = learned([
      deleting(["app.log", "db.log"], "app.log", "db.log"),
      deleting(["a.txt", "web.log"], "web.log"),
    ]);
    expect(plan.questions).toBeUndefined();
  });
});

test("an element that has what another argument is, is a question where the act writes", () => {
  const bank: WorldTools = {
    "bank.get_bills": () => [
      { bill: "INV-4410", paid_with: [{ card: "card_9001" }], note: "" },
      { bill: "INV-4420", paid_with: [{ card: "card_9002" }], note: "" },
    ],
    "bank.block": () => ({}),
    "bank.dispute": () => ({}),
  };
  const { plan } = learned([
    recordedIn(bank, "Block card_9001 and dispute the bill", (call) => {
      call("bank.get_bills", {});
      call("bank.block", { card: "card_9001" });
      call("bank.dispute", { bill: "INV-4410" });
    }),
  ]);
  expect(plan.questions).toMatchObject([{ kind: "element", step: "disputeResult", path: ["bill"] }]);
});

describe("the one with the least or the most", () => {
  const hall = (...seats: readonly (readonly [seat: string, fee: number, row: number])[]): WorldTools => ({
    "hall.list_seats": () => seats.map(([seat, fee, row]) => ({ seat, fee, row })),
    "hall.reserve": () => ({}),
  });
  const ONE = hall(["ST-810", 40, 3], ["ST-820", 25, 9], ["ST-830", 60, 1]);
  const OTHER = hall(["ST-510", 30, 2], ["ST-520", 35, 1], ["ST-530", 20, 7]);
  const reserving = (world: WorldTools, task: string, seat: string) =>
    recordedIn(world, task, (call) => {
      call("hall.list_seats", {});
      call("hall.reserve", { seat });
    });

  test("is a question with the readings that are left, where the task's words hint at it", () => {
    const { plan, choices } = learned([reserving(ONE, "Take the lowest seat", "ST-820")]);
    expect(plan.questions).toMatchObject([{ kind: "element", step: "reserveResult", path: ["seat"] }]);
    expect(plan.params.map(({ example }) => example)).toEqual(["ST-820"]);
    const readings = choices.find(({ question }) => question)?.alternatives.map(expressionText);
    expect(readings?.[0]).toBe("the one of seats with the least fee.seat");
  });

  test("is taken, and asked about, where the task names the quantity in its own words", () => {
    const { plan, choices } = learned([reserving(ONE, "Take the cheapest seat", "ST-820")]);
    expect(plan.questions).toMatchObject([{ kind: "element", step: "reserveResult", path: ["seat"] }]);
    expect(plan.params).toEqual([]);
    const asked = choices.find(({ question }) => question);
    expect(asked && expressionText(asked.chosen)).toBe("the one of seats with the least fee.seat");
  });

  test("is nothing that one run tells of itself", () => {
    const { plan } = learned([reserving(ONE, "Take a good seat", "ST-820")]);
    expect(plan.questions).toBeUndefined();
    expect(plan.params.map(({ example }) => example)).toEqual(["ST-820"]);
  });

  test("is settled by two runs whose tasks say so, and found in another hall", async () => {
    const runs = [
      reserving(ONE, "Take the cheapest seat", "ST-820"),
      reserving(OTHER, "The cheapest", "ST-530"),
    ];
    const { plan } = learned(runs);
    expect(plan.params).toEqual([]);
    expect(plan.questions).toBeUndefined();
    const there = hall(["ST-1", 9, 1], ["ST-2", 8, 9], ["ST-3", 10, 4]);
    expect((await callsIn(runner, plan, there, {})).slice(1)).toEqual(['hall.reserve {"seat":"ST-2"}']);
    const equal = hall(["ST-1", 8, 1], ["ST-2", 8, 9]);
    expect((await callsIn(runner, plan, equal, {})).slice(1)).toEqual([
      expect.stringContaining("stops: Several"),
    ]);
  });

  test("stays open where two runs leave two readings and no words tell", () => {
    const runs = [reserving(ONE, "Take one", "ST-820"), reserving(OTHER, "Take another", "ST-530")];
    expect(learned(runs).plan.questions).toMatchObject([
      { kind: "element", step: "reserveResult", path: ["seat"] },
    ]);
  });
});

test("what else a call takes of the element that it takes an id of is taken from there", () => {
  const shop: WorldTools = {
    "shop.list_bills": () => [
      { bill: "B-4410", label: "Rent", due: 1420.5 },
      { bill: "B-4420", label: "Water", due: 88.25 },
    ],
    "shop.pay": () => ({}),
  };
  const { plan } = learned([
    recordedIn(shop, "Pay the rent", (call) => {
      call("shop.list_bills", {});
      call("shop.pay", { bill: "B-4410", sum: 1420.5 });
    }),
  ]);
  expect(plan.params.map(({ example }) => example)).toEqual(["Rent"]);
});

describe("the one with the least of its kind", () => {
  type Seat = readonly [seat: string, fee: number, isFree: boolean, side: string];
  const hall = (...seats: readonly Seat[]): WorldTools => ({
    "hall.list_seats": () => ({
      seats: seats.map(([seat, fee, is_free, side]) => ({ seat, fee, is_free, side })),
    }),
    "hall.reserve": () => ({}),
  });
  const THERE = hall(["SX-1", 5, false, "left"], ["SX-2", 60, true, "right"], ["SX-3", 70, true, "left"]);
  const reserving = (task: string, seat: string, ...seats: readonly Seat[]) =>
    recordedIn(hall(...seats), task, (call) => {
      call("hall.list_seats", {});
      call("hall.reserve", { seat });
    });
  const reserved = async (runs: readonly ReturnType<typeof reserving>[], input: JsonObject) => {
    const { plan } = learned(runs);
    expect(plan.questions).toBeUndefined();
    expect(PLAN.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
    return (await callsIn(runner, plan, THERE, input)).slice(1);
  };

  test("is settled by two runs in which another kind has less", async () => {
    const runs = [
      reserving(
        "The cheapest one that is free",
        "ST-820",
        ["ST-810", 9, false, "left"],
        ["ST-820", 25, true, "right"],
        ["ST-830", 60, true, "left"],
        ["ST-840", 20, false, "right"],
      ),
      reserving(
        "Cheapest free seat",
        "ST-530",
        ["ST-510", 30, false, "right"],
        ["ST-520", 35, true, "right"],
        ["ST-530", 34, true, "left"],
        ["ST-540", 3, false, "left"],
      ),
    ];
    expect(await reserved(runs, {})).toEqual(['hall.reserve {"seat":"SX-2"}']);
  });

  test("is of the kind that the caller says", async () => {
    const runs = [
      reserving(
        "The cheapest on the left",
        "ST-830",
        ["ST-810", 70, false, "left"],
        ["ST-820", 25, true, "right"],
        ["ST-830", 60, true, "left"],
      ),
      reserving(
        "The cheapest seat right of the stage",
        "ST-530",
        ["ST-510", 30, true, "left"],
        ["ST-520", 36, true, "right"],
        ["ST-530", 35, false, "right"],
      ),
    ];
    const [{ name } = { name: "" }] = learned(runs).plan.params;
    expect(await reserved(runs, { [name]: "left" })).toEqual(['hall.reserve {"seat":"SX-1"}']);
  });

  test("is a question in one run", () => {
    const { plan } = learned([
      reserving(
        "The cheapest one that is free",
        "ST-820",
        ["ST-810", 9, false, "left"],
        ["ST-820", 25, true, "right"],
        ["ST-830", 60, true, "left"],
      ),
    ]);
    expect(plan.questions).toMatchObject([{ kind: "element", path: ["seat"] }]);
  });
});

describe("the elements for which something holds", () => {
  interface Lot {
    readonly lot: string;
    readonly state: string;
    readonly bids: number;
    readonly watchers: readonly string[];
  }
  const lot = (id: string, state: string, bids: number, ...watchers: readonly string[]): Lot => ({
    lot: id,
    state,
    bids,
    watchers,
  });
  const auction = (...lots: readonly Lot[]): WorldTools => ({
    "auction.list": () => ({ lots }) as unknown as Json,
    "auction.who": ({ name }) => ({
      mail: `${JSON.stringify(name).slice(1, -1).toLowerCase()}@auction.example`,
    }),
    "auction.close": () => ({}),
  });
  const HOUSE = auction(
    lot("LT-110", "open", 12, "ann@auction.example", "leo@auction.example"),
    lot("LT-120", "sold", 40, "leo@auction.example"),
    lot("LT-130", "open", 3, "ann@auction.example"),
    lot("LT-140", "draft", 25, "zoe@auction.example"),
  );
  const THERE = auction(
    lot("LX-1", "draft", 7, "bob@auction.example"),
    lot("LX-2", "open", 31, "ann@auction.example"),
    lot("LX-3", "sold", 9, "bob@auction.example", "zoe@auction.example"),
  );
  const closing = (
    task: string,
    lots: readonly string[],
    before: (call: (tool: string, args: JsonObject) => Json) => void = () => undefined,
  ) =>
    recordedIn(HOUSE, task, (call) => {
      before(call);
      call("auction.list", {});
      for (const id of lots) call("auction.close", { lot: id });
    });
  const closes = (...lots: readonly string[]): readonly string[] =>
    lots.map((id) => `auction.close {"lot":"${id}"}`);
  const closedThere = async (plan: Plan, input: JsonObject): Promise<readonly string[]> =>
    (await callsIn(runner, plan, THERE, input)).filter((call) => !/auction\.(?:list|who)/.test(call));

  test("are those of the state that the task says", async () => {
    const { plan } = learned([closing("Close all lots that are open", ["LT-110", "LT-130"])]);
    expect(plan.questions).toMatchObject([{ kind: "element", path: [] }]);
    expect(plan.params.map(({ example }) => example)).toEqual(["open"]);
    const [{ name } = { name: "" }] = plan.params;
    expect(await closedThere(plan, { [name]: "sold" })).toEqual(closes("LX-3"));
    expect(await closedThere(plan, { [name]: "lost" })).toEqual([]);
  });

  test.each([
    ["above", ["LX-2"]],
    ["of at least", ["LX-2", "LX-3"]],
  ])("are those %s a number that the task says", async (word, expected) => {
    const lots = ["LT-110", "LT-120", "LT-140"];
    const { plan } = learned([closing(`Close all with bids ${word} 9`, lots)]);
    const [limit] = plan.params;
    expect(plan.params.map(({ example }) => example)).toEqual([9]);
    expect(await closedThere(plan, { [limit?.name ?? ""]: 9 })).toEqual(closes(...expected));
  });

  test("are those that have what an earlier answer tells", async () => {
    const { plan } = learned([
      closing(
        "Ann is gone: close her lots",
        ["LT-110", "LT-130"],
        (call) => void call("auction.who", { name: "Ann" }),
      ),
    ]);
    expect(plan.params.map(({ example }) => example)).toEqual(["Ann"]);
    expect(await closedThere(plan, { name: "Bob" })).toEqual(closes("LX-1", "LX-3"));
  });

  test("are a list that the caller gives, where the task speaks of nothing that they have in common", () => {
    const { plan, choices } = learned([closing("Close what is left over", ["LT-110", "LT-130"])]);
    expect(plan.params.map(({ example }) => example)).toEqual([["LT-110", "LT-130"]]);
    const readings = choices.find(({ question }) => question)?.alternatives.map(expressionText);
    expect(readings).toEqual(['(element.lot for each element of all of listResult.lots[state = "open"])']);
    expect(plan.questions?.[0]?.reads).toEqual(["listResult"]);
  });

  describe("where all elements of the list fulfil it", () => {
    const OPEN = auction(lot("LO-1", "open", 12), lot("LO-2", "open", 30));
    const closingAll = (world: WorldTools, task: string, ...lots: readonly string[]) =>
      recordedIn(world, task, (call) => {
        call("auction.list", {});
        for (const id of lots) call("auction.close", { lot: id });
      });
    const all = closingAll(OPEN, "Close all lots that are open", "LO-1", "LO-2");

    test("are those that fulfil what the task says", async () => {
      const { plan } = learned([all]);
      expect(plan.questions).toMatchObject([{ kind: "element", path: [] }]);
      const [{ name } = { name: "" }] = plan.params;
      expect(await closedThere(plan, { [name]: "open" })).toEqual(closes("LX-2"));
    });

    test("are a question where no words say it, with the readings", () => {
      const { plan, choices } = learned([closingAll(OPEN, "Close the lots", "LO-1", "LO-2")]);
      expect(plan.questions).toMatchObject([{ kind: "element", path: [] }]);
      const readings = choices.find(({ question }) => question)?.alternatives.map(expressionText);
      expect(readings).toEqual(['all of listResult.lots[state = "open"]']);
    });

    test("stay a question where two lists have as many elements as they like, all of that kind", () => {
      const more = closingAll(
        auction(lot("LP-1", "open", 1), lot("LP-2", "open", 2), lot("LP-3", "open", 3)),
        "Close the lots",
        "LP-1",
        "LP-2",
        "LP-3",
      );
      const { plan } = learned([closingAll(OPEN, "Close the lots", "LO-1", "LO-2"), more]);
      expect(plan.questions).toMatchObject([{ kind: "element", path: [] }]);
    });

    test("are settled by a run in which some do not", async () => {
      const { plan } = learned([all, closingAll(THERE, "Close all lots that are open", "LX-2")]);
      expect(plan.questions).toBeUndefined();
      const [{ name } = { name: "" }] = plan.params;
      expect(await closedThere(plan, { [name]: "draft" })).toEqual(closes("LX-1"));
    });

    test("are settled by a run in which those that do not are taken, too", async () => {
      const { plan } = learned([
        closingAll(OPEN, "Close the lots", "LO-1", "LO-2"),
        closingAll(THERE, "Close the lots", "LX-1", "LX-2", "LX-3"),
      ]);
      expect(plan.questions).toBeUndefined();
      expect(await closedThere(plan, {})).toEqual(closes("LX-1", "LX-2", "LX-3"));
    });

    test("are no question where the list was asked for so", () => {
      const asked: WorldTools = {
        ...OPEN,
        "auction.find": ({ state }) => (state === "open" ? [...LOTS] : []),
      };
      const LOTS = [
        { lot: "LO-1", state: "open" },
        { lot: "LO-2", state: "open" },
      ];
      const finding = recordedIn(asked, "Close the lots that are open", (call) => {
        call("auction.find", { state: "open" });
        for (const { lot: id } of LOTS) call("auction.close", { lot: id });
      });
      expect(learned([finding]).choices.find(({ question }) => question)?.alternatives).toEqual([]);
    });
  });

  test("are settled by two runs that leave one condition", async () => {
    const other = recordedIn(THERE, "Close what is open", (call) => {
      call("auction.list", {});
      for (const id of ["LX-2"]) call("auction.close", { lot: id });
    });
    const { plan } = learned([closing("Close what is open", ["LT-110", "LT-130"]), other]);
    expect(plan.questions).toBeUndefined();
    const [{ name } = { name: "" }] = plan.params;
    expect(await closedThere(plan, { [name]: "draft" })).toEqual(closes("LX-1"));
  });
});

describe("a search for one of a list, element by element", () => {
  const mine = (...parcels: readonly Parcel[]) => post(...parcels);
  const trace = recordedIn(
    mine(
      parcel("PX-201", "delivered", "Wool Scarf"),
      parcel("PX-202", "delivered", "Tea Pot"),
      parcel("PX-203", "delivered", "Mug"),
    ),
    "I am ann@post.example, send back the parcel with the tea pot",
    (call) => {
      for (const code of codesIn(call("post.get_person", { mail: "ann@post.example" }))) {
        const found = JSON.stringify(call("post.get_parcel", { code }));
        if (!found.includes("Tea Pot")) continue;
        call("post.return_parcel", { code });
        return;
      }
    },
  );
  const { plan } = learned([trace]);

  test("ends with the first that fits", async () => {
    expect(plan.params.map(({ example }) => example)).toEqual(["ann@post.example", "Tea Pot"]);
    expect(plan.questions).toBeUndefined();
    const label = plan.params[1]?.name ?? "";
    const world = mine(
      parcel("QA-1", "lost", "Fan"),
      parcel("QA-2", "lost", "Rug"),
      parcel("QA-3", "lost", "Rain Coat"),
      parcel("QA-4", "lost", "Pen"),
    );
    const calls = await callsIn(runner, plan, world, { mail: "bob@post.example", [label]: "Rain Coat" });
    expect(calls.slice(1)).toEqual([
      ...["QA-1", "QA-2", "QA-3"].map((code) => `post.get_parcel {"code":"${code}"}`),
      'post.return_parcel {"code":"QA-3"}',
    ]);
  });

  test("stops where none fits", async () => {
    const label = plan.params[1]?.name ?? "";
    const calls = await callsIn(runner, plan, mine(parcel("QA-1", "lost", "Fan")), {
      mail: "b",
      [label]: "Pen",
    });
    expect(writesOf(calls)).toEqual([
      expect.stringContaining(
        'stops: None of the 1 in parcels has contents.label "Pen"; mend the arguments and call again',
      ),
    ]);
  });

  test("is a plan that is read back as it is", () => {
    expect(PLAN.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  test("is a question where nobody says that its tool only reads", () => {
    expect(learned([trace], { effects: [] }).plan.questions).toContainEqual(
      expect.objectContaining({ kind: "element", path: [] }),
    );
  });
});

describe("a total", () => {
  interface Line {
    readonly item: string;
    readonly stage: string;
    readonly count: number;
    readonly price: number;
  }
  const line = (item: string, stage: string, count: number, price: number): Line => ({
    item,
    stage,
    count,
    price,
  });
  const desk = (...lines: readonly Line[]): WorldTools => ({
    "desk.lines": () => ({ lines }) as unknown as Json,
    "desk.charge": () => ({}),
  });
  const charging = (task: string, sum: number, ...lines: readonly Line[]) =>
    recordedIn(desk(...lines), task, (call) => {
      call("desk.lines", {});
      call("desk.charge", { sum });
    });
  const MIXED = [
    line("IT-1", "ready", 2, 10.1),
    line("IT-2", "held", 3, 4),
    line("IT-3", "ready", 1, 0.2),
  ] as const;
  const charged = async (plan: Plan, input: JsonObject): Promise<readonly string[]> =>
    (await callsIn(runner, plan, desk(...MIXED), input)).slice(1);
  const readingsOf = (traces: Parameters<typeof learned>[0]) =>
    learned(traces)
      .choices.find(({ question }) => question === "calculation")
      ?.alternatives.map(expressionText);

  test("of products is settled by two runs", async () => {
    const { plan } = learned([
      charging("Charge them", 64.2, line("IT-1", "ready", 3, 19.9), line("IT-2", "held", 1, 4.5)),
      charging("Charge what there is", 97, line("IT-1", "held", 2, 11), line("IT-2", "ready", 5, 15)),
    ]);
    expect(plan.questions).toBeUndefined();
    expect(await charged(plan, {})).toEqual(['desk.charge {"sum":32.4}']);
    expect(PLAN.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  test("of one element is a product of each round", async () => {
    const world = desk(...MIXED);
    const { plan } = learned([
      recordedIn(world, "Charge each line", (call) => {
        call("desk.lines", {});
        for (const { item, count, price } of MIXED)
          call("desk.charge", { item, sum: Number((count * price).toFixed(2)) });
      }),
    ]);
    expect(plan.questions).toMatchObject([{ kind: "element" }, { kind: "calculation", path: ["sum"] }]);
    const there = desk(line("IT-7", "held", 3, 0.1));
    expect((await callsIn(runner, plan, there, {})).slice(1)).toEqual([
      'desk.charge {"item":"IT-7","sum":0.3}',
    ]);
  });

  test("over elements that are all of a kind may be over those of the kind", () => {
    const runs = [
      charging("Charge the prices", 24.4, line("IT-1", "ready", 3, 19.9), line("IT-2", "ready", 1, 4.5)),
      charging("Charge all prices", 26, line("IT-1", "ready", 2, 11), line("IT-2", "ready", 5, 15)),
    ];
    expect(learned(runs).plan.questions).toMatchObject([{ kind: "calculation", path: ["sum"] }]);
    expect(readingsOf(runs)).toContain(
      'the sum of (element.price for each element of all of linesResult.lines[stage = "ready"]), of which there are some',
    );
  });

  test("over those of the kind that the task says is settled by a run in which others are", async () => {
    const { plan } = learned([
      charging(
        "Charge the prices of all ready ones",
        24.4,
        line("IT-1", "ready", 3, 19.9),
        line("IT-2", "ready", 1, 4.5),
      ),
      charging(
        "Charge the ready ones' prices",
        26,
        line("IT-1", "ready", 2, 11),
        line("IT-2", "ready", 5, 15),
        line("IT-3", "held", 5, 7),
      ),
    ]);
    expect(plan.questions).toBeUndefined();
    const [{ name } = { name: "" }] = plan.params;
    expect(await charged(plan, { [name]: "ready" })).toEqual(['desk.charge {"sum":10.3}']);
  });
});
