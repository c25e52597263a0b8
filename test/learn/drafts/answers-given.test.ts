import { describe, expect, test } from "vitest";
import { planDescription } from "../../../src/learn/drafts/plan-description.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { revisedPlan } from "../../../src/learn/edits/revised-plan.ts";
import { draftView } from "../../../src/learn/review/draft-view.ts";
import { extracted, provideFolder, type Told } from "../extracted.ts";

provideFolder();

const BOOKED: readonly Told[] = [
  ["rail.book_seat", { train: "RX-20117", seat: "14C" }, { booking_id: "bk-77104" }],
  ["rail.get_invoice", { booking_id: "bk-77104" }, { total: 48.5, vat: 7.75 }],
  ["post.send_note", { booking_id: "bk-77104", text: "I need help with my bags." }, { ok: true }],
];
const ASKED =
  'Book seat 14C in RX-20117, give me the invoice, and send a note about it: "I need help with my bags."';

const given = ({ plan: { output } }: Draft): readonly string[] =>
  output.value.kind === "object" ? output.value.fields.map(({ name }) => name) : [output.value.kind];

describe("an answer that nothing uses", () => {
  test("is given where the task asks for it, and the description says so", async () => {
    const draft = await extracted("asked", ASKED, [BOOKED]);
    expect(given(draft)).toEqual(["bookSeatResult", "invoice"]);
    expect(draft.evidence?.rungs.filter(({ passed, of }) => passed < of)).toEqual([]);
    expect(planDescription(draft.plan)).toMatch(/; gives what rail\.book_seat answers and the invoice\.$/);
    expect(draftView(draft).idle).toBeUndefined();
  });

  test("stays where its tool only reads, by somebody's word", async () => {
    const draft = await extracted("vouched", ASKED, [BOOKED], ["rail.get_invoice"]);
    expect(given(draft)).toEqual(["bookSeatResult", "invoice"]);
  });

  test.each([
    ["I'd appreciate an invoice for seat 14C in RX-20117.", ["bookSeatResult", "invoice"]],
    ["What does RX-20117 cost with seat 14C, as bk-77104?", ["bookSeatResult", "invoice"]],
    ["Could you book seat 14C in RX-20117?", ["ref"]],
  ])("is given where a sentence asks for it in other words: %s", async (wish, expected) => {
    const task = `${wish} Send a note about it: "I need help with my bags."`;
    const draft = await extracted("reworded", task, [BOOKED], ["rail.get_invoice"]);
    expect(given(draft)).toEqual(expected);
  });

  test("goes with its call, and what is left is given as before", async () => {
    const draft = await extracted("left", ASKED, [BOOKED]);
    const done = revisedPlan(draft, [{ kind: "drop", step: "invoice" }]);
    expect(done.ok && done.value.plan.output.value).toEqual({ kind: "ref", name: "bookSeatResult" });
  });

  test("is not given where the task speaks of it without asking", async () => {
    const other = 'Book seat 14C in RX-20117. Ensure that I can bring bags: "I need help with my bags."';
    const draft = await extracted("unasked", other, [BOOKED]);
    expect(given(draft)).toEqual(["ref"]);
    expect(draftView(draft).idle?.steps.map(({ name }) => name)).toEqual(["invoice"]);
  });
});

test("a short answer on the way is given where it was asked for and nothing is done", async () => {
  const task = "Determine the distance from Lund to Malmo, and tell me the fare for it.";
  const draft = await extracted("far", task, [
    [
      ["rail.get_distance", { from: "Lund", to: "Malmo" }, { distance: 18.75 }],
      ["rail.fare", { distance: 18.75 }, { fare: 6.5 }],
    ],
  ]);
  expect(given(draft)).toEqual(["distance", "fareResult"]);
});

test("what was left out for an argument of a call that goes is given instead", async () => {
  const draft = await extracted(
    "looked",
    "Book the seat 14C in RX-20117 for 2026-05-04, and bags for 12.50.",
    [
      [
        ["rail.see_fare", { train: "RX-20117", day: "2026-05-04" }, { fare: 48.5 }],
        ["rail.book_seat", { seat: "14C", train: "RX-20117", day: "2026-05-04" }, { booking_id: "bk-77104" }],
        ["rail.add_bags", { booking_id: "bk-77104", most: 12.5 }, { ok: true }],
      ],
    ],
  );
  const asked = ({ params }: Draft["plan"]) => params.filter(({ optional }) => optional !== true).length;
  expect(draft.plan.params.some(({ sameAs }) => sameAs !== undefined)).toBe(true);
  const done = revisedPlan(draft, [{ kind: "drop", step: "seeFareResult" }]);
  const left = done.ok ? done.value.plan : draft.plan;
  expect(left.params.filter(({ optional }) => optional === true)).toEqual([]);
  expect(asked(left)).toBe(left.params.length);
  expect(left.params.map(({ name }) => name).toSorted()).toEqual(["bookDay", "most", "seat", "train"]);
});
