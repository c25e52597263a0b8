import { expect, test } from "vitest";
import { draftView } from "../../src/learn/review/draft-view.ts";
import { examples, extracted, ran, type Told } from "./extracted.ts";

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
