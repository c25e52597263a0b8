import { expect, test } from "vitest";
import { draftView } from "../../src/learn/review/draft-view.ts";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { offerOf } from "../../src/learn/drafts/gate.ts";
import { examples, extracted, provideFolder, ran, type Told } from "./extracted.ts";

provideFolder();

const invite = (id: string, email: string, note?: string): readonly Told[] => [
  ["crm.find_user", { email }, { id }],
  ["crm.invite", { user: id, ...(note === undefined ? {} : { note }) }, { sent: true }],
];

test.each([
  ["first", [invite("u-1001", "ada@example.org", "welcome back"), invite("u-2002", "leo@example.org")]],
  ["second", [invite("u-2002", "leo@example.org"), invite("u-1001", "ada@example.org", "welcome back")]],
])("an argument that only the %s run has may be left out", async (which, runs) => {
  const draft = await extracted(`invite-${which}`, "Invite the user with this address", runs);
  expect(draft.evidence?.rungs.filter(({ passed, of }) => passed < of || of === 0)).toEqual([]);
  expect(draft.provenance.traces).toHaveLength(2);
  expect(draft.plan.params.map(({ name, optional = false }) => [name, optional])).toEqual([
    ["email", false],
    ["note", true],
  ]);
  const { note: _, ...required } = examples(draft);
  const without = await ran(draft, required, [{ id: "u-3" }]);
  expect(without).toEqual({ called: ["crm.find_user", "crm.invite"], error: undefined });
});

/** An order that is cancelled while it waits, and returned once it is there. */
const giveBack = (order: string, status: string, city: string): readonly Told[] => [
  ["shop.get_order", { order }, { order, status, customer: { id: `c-${order}`, city } }],
  status === "pending"
    ? ["shop.cancel_order", { order, reason: "not wanted" }, { cancelled: order }]
    : ["shop.return_order", { order, to: `c-${order}` }, { label: `L-${order}` }],
  ["mail.send", { to: `c-${order}` }, { sent: true }],
];

const GIVEN_BACK = [
  giveBack("W1001", "pending", "Berlin"),
  giveBack("W2002", "delivered", "Oslo"),
  giveBack("W3003", "pending", "Oslo"),
];

test("where an answer tells the runs apart, each value of it is dealt with as it was, and another one stops", async () => {
  const draft = await extracted("give-back", "The order is not wanted any more", GIVEN_BACK);
  expect(draft.evidence?.rungs.filter(({ passed, of }) => passed < of || of === 0)).toEqual([]);
  expect(draft.provenance.traces).toHaveLength(3);
  const input = { order: "W9009", reason: "not wanted" };
  const order = (status: string) => ({ order: "W9009", status, customer: { id: "c-9", city: "Rome" } });
  expect(await ran(draft, input, [order("pending")])).toEqual({
    called: ["shop.get_order", "shop.cancel_order", "mail.send"],
    error: undefined,
  });
  expect(await ran(draft, input, [order("delivered")])).toEqual({
    called: ["shop.get_order", "shop.return_order", "mail.send"],
    error: undefined,
  });
  const lost = await ran(draft, input, [order("lost")]);
  expect(lost.called).toEqual(["shop.get_order"]);
  expect(lost.error).toContain("not one that the skill was learned from");
  const view = draftView(draft);
  expect(view.steps.map(({ tool, when }) => [tool, when])).toEqual([
    ["shop.get_order", undefined],
    ["shop.cancel_order", `order.status is "pending"`],
    ["mail.send", `order.status is "pending"`],
    ["shop.return_order", `order.status is "delivered"`],
    ["mail.send", `order.status is "delivered"`],
  ]);
});

/** An order that is dealt with in one of two ways. */
const dealtWith = (order: string, answer: JsonObject, tool: string): readonly Told[] => [
  ["shop.get_order", { order }, { order, ...answer }],
  [`shop.${tool}`, { order }, { done: true }],
];

test.each<readonly [string, readonly JsonObject[]]>([
  [
    "a number",
    [
      { total: 150, lane: "red" },
      { total: 50, lane: "blue" },
      { total: 170, lane: "red" },
    ],
  ],
  [
    "a day",
    [
      { due: "2026-10-05", lane: "red" },
      { due: "2026-12-05", lane: "blue" },
      { due: "2026-10-09", lane: "red" },
    ],
  ],
  [
    "how long a list is",
    [
      { items: ["a", "b"], lane: "red" },
      { items: ["c"], lane: "blue" },
      { items: ["d", "e", "f"], lane: "red" },
    ],
  ],
  [
    "whether something is there",
    [
      { hold: "fraud", lane: "red" },
      { hold: null, lane: "blue" },
      { hold: "fraud", lane: "red" },
    ],
  ],
])(
  "where %s would part the runs as well as a word, they are not offered as a skill",
  async (what, answers) => {
    const runs = answers.map((answer, nth) =>
      dealtWith(`W-10${nth}`, answer, answer["lane"] === "red" ? "review" : "approve"),
    );
    const draft = await extracted(`deal-${what.replaceAll(" ", "-")}`, "Deal with the order", runs);
    expect(draft.plan.steps.map(({ kind }) => kind)).not.toContain("switch");
    expect(offerOf(draft).obstacles.map(({ reason }) => reason)).toContain("another-way");
  },
);

test("an argument that an answer may decide is asked about where only some runs have it", async () => {
  const ship = (order: string, heavy: boolean): readonly Told[] => [
    ["shop.get_order", { order }, { order, heavy }],
    ["shop.ship", heavy ? { order, carrier: "freight" } : { order }, { shipped: order }],
  ];
  const draft = await extracted("ship-it", "Ship the order", [ship("W-101", true), ship("W-102", false)]);
  expect(draft.plan.questions).toMatchObject([{ kind: "constant", path: ["carrier"] }]);
});

const book = (email: string, id: string, isTold: boolean): readonly Told[] => [
  ["crm.find_user", { email }, { id, rank: 7 }],
  ["desk.book", { user: id }, { booking: `b-${id}` }],
  ...(isTold ? ([["mail.send_receipt", { to: email, booking: `b-${id}` }, { sent: true }]] as const) : []),
];

test.each([
  ["with it first", [book("ada@example.org", "u-1001", true), book("leo@example.org", "u-2002", false)]],
  ["without it first", [book("leo@example.org", "u-2002", false), book("ada@example.org", "u-1001", true)]],
])("what only some runs do, and no answer tells when, the caller decides: %s", async (which, runs) => {
  const draft = await extracted(`book-${which.replaceAll(" ", "-")}`, "Book a desk for the user", runs);
  expect(draft.evidence?.rungs.filter(({ passed, of }) => passed < of || of === 0)).toEqual([]);
  expect(draft.plan.params.map(({ name, schema }) => [name, schema["type"]])).toEqual(
    expect.arrayContaining([["send_receipt", "boolean"]]),
  );
  const input = { email: "eve@example.net" };
  const answers = [{ id: "u-3" }, { booking: "b-3" }];
  expect(await ran(draft, { ...input, send_receipt: true }, answers)).toEqual({
    called: ["crm.find_user", "desk.book", "mail.send_receipt"],
    error: undefined,
  });
  expect(await ran(draft, { ...input, send_receipt: false }, answers)).toEqual({
    called: ["crm.find_user", "desk.book"],
    error: undefined,
  });
});

test("runs that do unlike things are not taken for one skill", async () => {
  const runs = [book("ada@example.org", "u-1001", true), invite("u-2002", "leo@example.org")];
  const draft = await extracted("book-or-invite", "Do it for the user", runs);
  expect(draft.provenance.traces).toHaveLength(1);
});

const cancelled = (orders: readonly string[], shipped: readonly string[]): readonly Told[] =>
  orders.flatMap((order): readonly Told[] =>
    shipped.includes(order)
      ? [
          ["shop.cancel", { order }, new Error(`The order ${order} is shipped, so it cannot be cancelled`)],
          ["shop.add_note", { order, text: "wanted to cancel" }, { noted: true }],
        ]
      : [["shop.cancel", { order }, { cancelled: order }]],
  );
const shippedError = (order: string) => new Error(`The order ${order} is shipped, so it cannot be cancelled`);

test.each([
  ["the last of which tells what comes after", [cancelled(["O-101", "O-102", "O-103", "O-104"], ["O-102"])]],
  ["the first of which fails", [cancelled(["O-101", "O-102", "O-103", "O-104"], ["O-101"])]],
  [
    "of another run in which none fails",
    [cancelled(["O-201", "O-202"], []), cancelled(["O-101", "O-102", "O-103", "O-104"], ["O-102"])],
  ],
  [
    "of another run that goes on after a success",
    [cancelled(["O-201", "O-202"], []), cancelled(["O-101", "O-102", "O-103"], ["O-102"])],
  ],
  [
    "of another run that tells what comes after all rounds",
    [cancelled(["O-201", "O-202", "O-203"], []), cancelled(["O-101", "O-102"], ["O-102"])],
  ],
  [
    "of another run in which the last fails",
    [cancelled(["O-201", "O-202"], ["O-202"]), cancelled(["O-101", "O-102", "O-103", "O-104"], ["O-102"])],
  ],
])("what was done where a round failed is done in each such round: rounds %s", async (which, runs) => {
  const name = `cancel-${which.replaceAll(/[^a-z]+/g, "-")}`;
  const draft = await extracted(name, "Cancel these orders, note it where one is shipped", runs);
  expect(draft.evidence?.rungs.filter(({ passed, of }) => passed < of || of === 0)).toEqual([]);
  expect(draft.provenance.traces).toHaveLength(runs.length);
  const input = { ...examples(draft), orders: ["O-7", "O-8", "O-9"] };
  expect(await ran(draft, input, [{}, {}, shippedError("O-9"), {}])).toEqual({
    called: ["shop.cancel", "shop.cancel", "shop.cancel", "shop.add_note"],
    error: undefined,
  });
  expect(await ran(draft, input, [shippedError("O-7"), {}, {}, {}])).toEqual({
    called: ["shop.cancel", "shop.add_note", "shop.cancel", "shop.cancel"],
    error: undefined,
  });
  const other = await ran(draft, input, [{}, new Error("You may not cancel")]);
  expect(other.called).toEqual(["shop.cancel", "shop.cancel"]);
  expect(other.error).toContain("failed in another way");
});

test("rounds over a list that an answer gives may fail, too", async () => {
  const orders = ["O-101", "O-102", "O-103", "O-104"];
  const list: Told = [
    "shop.list_orders",
    { email: "ada@example.org" },
    { orders: orders.map((id) => ({ id })) },
  ];
  const draft = await extracted("cancel-all-that-can-be", "Cancel all orders of ada@example.org", [
    [list, ...cancelled(orders, ["O-102", "O-103"])],
  ]);
  expect(draft.evidence?.rungs.filter(({ passed, of }) => passed < of || of === 0)).toEqual([]);
  const input = { email: "leo@example.org", text: "wanted to cancel" };
  const answer = { orders: [{ id: "O-7" }, { id: "O-8" }] };
  expect(await ran(draft, input, [answer, {}, shippedError("O-8"), {}])).toEqual({
    called: ["shop.list_orders", "shop.cancel", "shop.cancel", "shop.add_note"],
    error: undefined,
  });
});

test.each([
  ["the other one", ["pm-101", "pm-102"], ["pm-101"]],
  ["the third one", ["pm-101", "pm-102", "pm-103"], ["pm-101", "pm-102"]],
])(
  "what is done after a failure may be done instead: %s is not charged as well",
  async (which, cards, declined) => {
    const charge = (card: string): Told => [
      "pay.charge",
      { card, amount: 25 },
      declined.includes(card) ? new Error("card_declined: the card was declined") : { id: `ch-${card}` },
    ];
    const list: Told = ["pay.list_cards", { user: "u-7" }, { cards: cards.map((id) => ({ id })) }];
    for (const calls of [cards.map(charge), [list, ...cards.map(charge)]]) {
      const name = `charge-${which.replaceAll(" ", "-")}-${calls.length}`;
      const draft = await extracted(name, "Charge the card, else another one", [calls]);
      const paid = await ran(draft, examples(draft), [
        ...(calls[0] === list ? [list[2] as Json] : []),
        { id: "ch" },
      ]);
      expect(paid.called.filter((tool) => tool === "pay.charge")).toEqual(["pay.charge"]);
    }
  },
);

test.each<[string, readonly Told[]]>([
  [
    "queries that were written for each call",
    ["one", "two", "three", "four", "five"].map((name, nth): Told => [
      "db.execute",
      { sql: `insert into people (name, rank) values ('${name}', ${nth})` },
      nth === 2 ? new Error("duplicate key value violates unique constraint") : { rows: 1 },
    ]),
  ],
  [
    "a call that failed, and nothing was done about it",
    ["u-101", "u-102", "u-103", "u-104"].map((user): Told => [
      "crm.invite",
      { user },
      user === "u-102" ? new Error("the user is blocked") : { sent: true },
    ]),
  ],
])("one run alone does not make rounds that may fail of %s", async (_, calls) => {
  const draft = await extracted(`not-rounds-${calls.length}`, "Do it for these", [calls]);
  expect(draft.code).toContain("await mustFail(");
});

const judge = (id: string, score: number, city: string): readonly Told[] => [
  ["bank.get_applicant", { id }, { id, score, city }],
  score > 600 ? ["bank.approve", { id }, { approved: true }] : ["bank.reject", { id }, { rejected: true }],
];

test.each([
  ["one run each way", [judge("a-101", 700, "Rome"), judge("a-102", 500, "Oslo")]],
  [
    "two runs each way, and a number",
    [
      judge("a-101", 700, "Rome"),
      judge("a-102", 500, "Oslo"),
      judge("a-103", 640, "Rome"),
      judge("a-104", 420, "Oslo"),
    ],
  ],
])("a word that happens to differ decides nothing: %s", async (which, runs) => {
  const draft = await extracted(`judge-${which.length}`, "Approve where the score is above 600", runs);
  expect(draft.plan.steps.map(({ kind }) => kind)).not.toContain("switch");
});

test.each([
  ["a quote that ends the text around it", "x' OR '1'='1"],
  ["nothing", ""],
])("a part of a text is no %s", async (_, owner) => {
  const remove = (name: string): readonly Told[] => [
    ["db.execute", { sql: `DELETE FROM sessions WHERE owner = '${name}'` }, { rows: 1 }],
  ];
  const draft = await extracted("delete-sessions", 'Delete the sessions of "ada-lind"', [remove("ada-lind")]);
  const [param] = draft.plan.params;
  expect(param?.example).toBe("ada-lind");
  const done = await ran(draft, { [param?.name ?? ""]: "leo-berg" }, []);
  expect(done).toEqual({ called: ["db.execute"], error: undefined });
  const refused = await ran(draft, { [param?.name ?? ""]: owner }, []);
  expect(refused.called).toEqual([]);
});
