import { afterAll, expect, test } from "vitest";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import { type Told, traceOf } from "../learned.ts";
import { revisedPlan } from "../../../src/learn/edits/revised-plan.ts";
import { failing, RealDrafts, value } from "./real-drafts.ts";

const real = new RealDrafts();
afterAll(() => real.close());

/** A customer is made with all that belongs to one, and then something is sent there. */
const CALLS: readonly Told[] = [
  ["shop.create_customer", { name: "Ada Lind", email: "ada@example.org" }, { customer_id: "C-1001" }],
  ["shop.set_address", { customer_id: "C-1001", street: "Oak Road 1", city: "Lund" }, { done: 1 }],
  ["shop.set_contact", { customer_id: "C-1001", postcode: "22101", phone: "0701234" }, { done: 1 }],
  [
    "shop.create_parcel",
    { customer_id: "C-1001", item: "Desk lamp", colour: "dark green" },
    { parcel_id: "P-2002" },
  ],
  ["shop.wrap_parcel", { parcel_id: "P-2002", wrap: "red paper", note: "Happy birthday" }, { done: 1 }],
  ["shop.send_parcel", { parcel_id: "P-2002", weight: "2.5 kg", day: "2026-03-04" }, { sent: true }],
];
const TASK = JSON.stringify(CALLS.map(([, args]) => args)).replaceAll(/C-1001|P-2002/g, "");

test("a draft that asks for too much tells where it parts with the fewest values in common, and the edit that parts it", async () => {
  const draft = await real.of([traceOf(TASK, CALLS)]);
  const view = draftView(draft);
  expect(view.params).toHaveLength(12);
  const { cut } = view;
  expect(cut).toMatchObject({ after: "setContactResult", asks: [6, 7], shared: 1 });
  expect(view.attention.map(({ kind }) => kind)).toContain("too-many-decisions");
  expect(draftText(view, { columns: 5000 })).toContain(
    "too many decisions for one skill. It parts best after setContactResult",
  );
  const edits = cut ? [cut.edit] : [];
  const { parts = [] } = value(revisedPlan(draft, edits));
  const first = await real.revised(draft, edits);
  expect(draftView(first).steps.map(({ tool }) => tool)).toEqual(CALLS.slice(0, 3).map(([tool]) => tool));
  const [part] = parts;
  const made = value(
    await real.drafts.create({ plan: part?.plan ?? draft.plan, traces: part?.sources ?? [], by: "test" }),
  );
  const second = await real.verified(made.name);
  expect(draftView(second).steps.map(({ tool }) => tool)).toEqual(CALLS.slice(3).map(([tool]) => tool));
  expect(draftView(second).params).toHaveLength(7);
  for (const each of [first, second]) {
    expect(failing(each)).toEqual([]);
    expect(draftView(each).cut).toBeUndefined();
  }
});

test("a draft that asks for little, of one thing, is not parted", async () => {
  const draft = await real.of([
    traceOf("Tell Ada Lind that W-1001 is cancelled", [
      ["shop.cancel_order", { order: "W-1001" }, { done: 1 }],
      ["mail.send", { to: "Ada Lind", about: "W-1001" }, { done: 1 }],
    ]),
  ]);
  expect(draftView(draft).cut).toBeUndefined();
  expect(draftView(draft).attention.map(({ kind }) => kind)).not.toContain("too-many-decisions");
});

test("what does unrelated things parts where nothing is in common, and the first part is then offered", async () => {
  const draft = await real.verified(
    (
      await real.of([
        traceOf("Cancel the order of Ada Lind, and tell the board: The seeds have come", [
          ["shop.find_customer", { name: "Ada Lind" }, { name: "Ada Lind", order: "W-1001" }],
          ["shop.cancel_order", { order: "W-1001" }, { done: 1 }],
          ["board.write", { text: "The seeds have come" }, { done: 1 }],
        ]),
      ])
    ).name,
  );
  const view = draftView(draft);
  expect(view.offer.isOffered).toBe(false);
  expect(view.attention.map(({ kind }) => kind)).toContain("unrelated-acts");
  expect(view.proposed).toEqual({ edits: [{ kind: "split", step: "writeResult" }], isOffered: false });
  expect(draftText(view, { columns: 5000 })).toContain(`drafts revise ${draft.name} --proposed`);
  const revised = await real.revised(draft, view.proposed?.edits ?? []);
  expect(draftView(revised).steps.map(({ tool }) => tool)).toEqual([
    "shop.find_customer",
    "shop.cancel_order",
  ]);
  expect(draftView(revised).offer).toEqual({ isOffered: true, obstacles: [] });
});
