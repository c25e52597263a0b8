import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { widthOf } from "../../../src/core/text/display-text.ts";
import { isJsonObject, type Json } from "../../../src/core/json/json.ts";
import { addFeedback } from "../../../src/learn/drafts/draft-operations.ts";
import { confidenceOf } from "../../../src/learn/review/draft-confidence.ts";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import type { Attention, DraftView } from "../../../src/learn/review/view-types.ts";
import { exchangeTrace } from "../verify/shop.ts";
import { CANCEL_BY_HEART, CANCEL_PLAN, CANCEL_TRACE } from "../drafts/cancel-draft.ts";
import { learned, traceOf } from "../learned.ts";
import { RealDrafts, value } from "./real-drafts.ts";
import { BOOKING, closing, CLOSINGS, RETURN } from "./runs.ts";

const real = new RealDrafts();
afterAll(() => real.close());

function textsOf(view: DraftView, kind: Attention["kind"]): readonly string[] {
  return view.attention.filter((each) => each.kind === kind).map(({ text }) => text);
}

test("a view tells where each argument comes from, why, and what else it could come from", async () => {
  const view = draftView(await real.of([exchangeTrace()]));
  const exchange = view.steps.find(({ tool }) => tool === "shop.exchange");
  expect(exchange).toMatchObject({ name: "exchangeResult", writes: true, calls: [4] });
  const payment = exchange?.arguments.find(({ path }) => path[0] === "payment");
  expect(payment).toMatchObject({
    kind: "derived",
    from: "userById.payment_methods.*[source = input.source].id",
    why: expect.stringContaining("an earlier result"),
  });
  const note = exchange?.arguments.find(({ path }) => path[0] === "note");
  expect(note).toMatchObject({
    kind: "parameter",
    from: "input.note",
    alternatives: [{ number: 2, from: `"Exchange for " + user.user_id + " of order " + input.order_id` }],
  });
  expect(view.params.find(({ name }) => name === "source")).toEqual({
    name: "source",
    type: "string",
    isOptional: false,
    isSecret: false,
    example: "credit_card",
    origins: ["call 1, shop.get_user, in the result, at payment_methods.credit_card_9753331.source"],
  });
});

test("what tools answer is followed into calls that write, through loops and searches", async () => {
  const { untrusted } = draftView(await real.of(CLOSINGS));
  expect(untrusted).toEqual(
    [[], ["ticket"]].map((path) => ({
      from: "tickets",
      fromTool: "desk.list_tickets",
      step: "closeTicketResult",
      tool: "desk.close_ticket",
      path,
    })),
  );
  const exchange = draftView(await real.of([exchangeTrace()]));
  expect(exchange.untrusted.map(({ from, path }) => [from, path[0]])).toEqual([
    ["order", "old"],
    ["userById", "payment"],
  ]);
  const told = await real.revised(await real.of([exchangeTrace()]), [
    { kind: "effect", tool: "shop.get_product", operation: "WRITE" },
  ]);
  expect(draftView(told).untrusted.map(({ from, tool }) => [from, tool])).toContainEqual([
    "order",
    "shop.get_product",
  ]);
});

test("constants are told, first those that calls write", async () => {
  const view = draftView(await real.of(CLOSINGS));
  expect(view.constants.map(({ step, path, value, isWritten }) => [step, path[0], value, isWritten])).toEqual(
    [
      ["tickets", "state", "open", false],
      ["closeTicketResult", "reason", "done", true],
      ["sendMailResult", "template", "closed", true],
    ],
  );
  expect(textsOf(view, "constant-written")).toEqual([
    `closeTicketResult always writes "done" at reason.`,
    `sendMailResult always writes "closed" at template.`,
  ]);
});

test("a constant by which an element is found is not told as written", async () => {
  const draft = await real.revised(await real.of([exchangeTrace()]), [{ kind: "constant", param: "source" }]);
  const view = draftView(draft);
  expect(view.constants).toContainEqual(
    expect.objectContaining({ step: "exchangeResult", value: "credit_card", isWritten: false }),
  );
  expect(textsOf(view, "constant-written").join()).not.toContain("credit_card");
});

test("what says which field stands beside it is no constant that a person has to look at", async () => {
  const part = { kind: "note", note: { words: "high water at nine", ink: null } };
  const pinned = traceOf("Pin to card-7: high water at nine", [
    ["board.get_card", { name: "card-7" }, { id: "crd-90211" }],
    ["board.pin", { card: "crd-90211", part }, { ok: true }],
  ]);
  const view = draftView(await real.of([pinned]));
  expect(view.constants.map(({ path, value }) => [path, value])).toEqual([[["part", "note", "ink"], null]]);
  expect(textsOf(view, "constant-written")).toEqual([]);
});

test("evidence is told with its bounds, and what fails with its first difference", async () => {
  const draft = value(
    await real.drafts.create({ plan: CANCEL_BY_HEART, traces: [{ trace: CANCEL_TRACE }], by: "ada" }),
  );
  expect(textsOf(draftView(draft), "unverified")).toEqual([expect.stringContaining("never verified")]);
  const view = draftView(await real.verified(draft.name));
  const twin = view.evidence?.rungs.find(({ name }) => name === "twin");
  expect(twin).toMatchObject({ passed: 0, of: 3, low: 0 });
  expect(twin?.counterexample).toMatch(
    /^its call 1, shop\.cancel_order, has "O-77001" at \/order instead of "O-/,
  );
  expect(view.attention[0]).toMatchObject({ kind: "failing", text: expect.stringContaining("0 of 3 hold") });
  expect(draftText(view)).toContain("own runs replayed: 1 of 1, at least 21 % with 95 % confidence");
});

test("twins in which nothing is another than in their run say nothing for a draft", async () => {
  const draft = await real.of([traceOf("Start it", [["lamp.turn", { on: true }, null]])]);
  const own = confidenceOf(await real.verified(draft.name));
  expect(own).toMatchObject({ value: 0, twins: { passed: 0, of: 0 } });
  const closing = confidenceOf(await real.verified((await real.of(CLOSINGS)).name));
  expect(closing?.twins.of).toBeGreaterThan(0);
  expect(closing?.value).toBeGreaterThan(0);
});

test("a draft that was tried on other runs needs less attention", async () => {
  const draft = await real.of(CLOSINGS);
  const before = draftView(await real.verified(draft.name));
  expect(textsOf(before, "no-held-out")).toHaveLength(1);
  const heldOut = ["zoe", "kim"].map((name) => ({ digest: name, trace: closing(name, ["t-9001"]) }));
  const after = draftView(await real.verified(draft.name, { heldOut }));
  expect(after.evidence?.rungs.at(-1)).toMatchObject({ name: "heldOut", passed: 2, of: 2 });
  expect(textsOf(after, "no-held-out")).toEqual([]);
});

test("ids that nobody told, what must fail, what is unused and what is not done any more are told", async () => {
  const id = traceOf("Cancel my order", [["shop.cancel_order", { order_id: "#W7766102" }, { ok: true }]]);
  expect(textsOf(draftView(await real.of([id])), "looks-like-id")).toEqual([
    `order_id looks like an id that callers cannot know, such as "#W7766102".`,
  ]);
  expect(textsOf(draftView(await real.of([RETURN])), "unused")).toEqual([
    "Nothing uses what order gives: it may be dropped.",
  ]);
  const booking = await real.of([BOOKING]);
  const kept = await real.revised(booking, [{ kind: "keep", call: 1 }]);
  expect(textsOf(draftView(kept), "must-fail")).toEqual([
    `bookResult2 failed in every run, which then went on: the skill does what follows only where it fails again with "no session".`,
  ]);
  expect(draftView(kept).guards).toEqual([`bookResult2 does not fail with "no session"`]);
  expect(draftView(booking).dropped).toEqual([
    { trace: 0, call: 1, tool: "air.book", writes: true, reason: "it failed and was tried again" },
  ]);
  const closingDraft = await real.of(CLOSINGS);
  const without = await real.revised(closingDraft, [{ kind: "drop", step: "closeTicketResult" }]);
  expect(textsOf(draftView(without), "not-written")).toEqual([
    "The run wrote with call 2, desk.close_ticket; the skill does not.",
    "The run wrote with call 4, desk.close_ticket; the skill does not.",
  ]);
});

test("a draft whose files were edited by hand, or that has bad feedback, says so", async () => {
  const { name, folder } = await real.verified((await real.of([RETURN])).name);
  await writeFile(join(folder, "skill.ts"), "export default async function run() { return 1; }\n");
  value(await addFeedback(real.drafts, name, { by: "leo", rating: -1, text: "It took the wrong item" }));
  const view = draftView(value(await real.drafts.read(name)));
  expect([view.isEdited, view.isStale]).toEqual([true, true]);
  expect(textsOf(view, "edited")).toHaveLength(1);
  expect(textsOf(view, "unverified")).toEqual([expect.stringContaining("has changed since")]);
  expect(textsOf(view, "bad-feedback")).toEqual(["leo was not content: It took the wrong item"]);
  expect(draftText(view).split("\n")[0]).toBe(
    `${name} (draft, changed since it was verified, edited by hand)`,
  );
});

test("guards and the comparison of branches are told", async () => {
  const plan = {
    ...CANCEL_PLAN,
    steps: CANCEL_PLAN.steps.toSpliced(1, 0, {
      kind: "guard",
      value: { kind: "field", of: { kind: "ref", name: "order" }, path: ["status"] },
      equals: { kind: "constant", value: "open" },
    }),
  } as const;
  const comparison = {
    criteria: ["success", "calls"],
    best: "cancel-1",
    branches: [
      { id: "cancel-1", success: true, calls: 2, duration: 1500.4, cost: 0.25 },
      { id: "cancel-2", success: false, calls: 5 },
    ],
  } as const;
  const traces = [{ trace: CANCEL_TRACE }];
  const text = draftText(draftView(value(await real.drafts.create({ plan, traces, comparison, by: "ada" }))));
  expect(text).toContain(`Stops when\n  - order.status is not "open"`);
  expect(text).toContain("The best of 2 runs, by success, calls\n");
  expect(text).toContain(
    "- cancel-1 (taken): succeeded, 2 calls, 1500 ms, $0.25\n  - cancel-2: failed, 5 calls",
  );
});

test("a view is plain JSON", async () => {
  const view = draftView(await real.verified((await real.of(CLOSINGS)).name));
  expect(JSON.parse(JSON.stringify(view))).toEqual(view);
});

const HOSTILE = [
  "\u001B[2J\u001B[31mred",
  "\u202Eevil\u2066",
  "a\r\nb\tc",
  "zero\u200Bwidth\u00AD",
  "\u{E0041}\u{E0042}tags",
  "\u009B31m",
  "漢字のテキスト🙂👩‍👩‍👧",
  "\uD800 alone",
  "- [link](http://x) `code`",
  "w".repeat(300),
] as const;

test("whatever a trace says, the text is of lines that fit and that steer nothing", async () => {
  const hostile = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 20 }));
  const args = fc.dictionary(hostile, hostile, { maxKeys: 3 });
  const call = fc.tuple(
    hostile.filter((tool) => tool !== ""),
    args,
    args,
  );
  const draft = await real.verified((await real.of([RETURN])).name);
  fc.assert(
    fc.property(
      fc.array(call, { minLength: 1, maxLength: 4 }),
      hostile,
      fc.integer({ min: 40, max: 120 }),
      (calls, said, columns) => {
        const trace = traceOf(said, calls, said);
        const plan = { ...learned([trace]).plan, description: said };
        const history = [
          { kind: "feedback", by: said, at: "2026-01-01T00:00:00Z", why: said, rating: -1 },
        ] as const;
        const provenance = { ...draft.provenance, traces: [{ trace, digest: said }], history };
        const text = draftText(draftView({ ...draft, plan, provenance }), { columns });
        expect(text).not.toMatch(/[^\n\P{Cc}]|[\u2028\u2029]|\p{Cf}|\p{Cs}/u);
        for (const line of text.split("\n")) expect(widthOf(line), `in ${line}`).toBeLessThanOrEqual(columns);
        expect(text).not.toMatch(/[ \t]$/m);
      },
    ),
    { numRuns: 100 },
  );
});

test("characters that readers cannot see are told of", async () => {
  const trace = traceOf("", [["srv.send", { body: "hello \u{E0041}\u{E0042}" }, null]]);
  const view = draftView(await real.of([trace, trace]));
  expect(textsOf(view, "hidden-text")).toEqual([
    String.raw`A text in it has characters that readers cannot see: "hello \u{e0041}\u{e0042}"`,
  ]);
});

test("long values are cut in a view", async () => {
  const body = Array.from({ length: 4000 }, (_, index) => `line ${index}`).join("\n");
  const trace = traceOf("", [
    ["srv.get", {}, { body }],
    ["srv.send", { body, other: body.slice(5) }, null],
  ]);
  const view = draftView(await real.of([trace]));
  const longest = (at: Json): number => {
    if (typeof at === "string") return at.length;
    const inner = Array.isArray(at) ? (at as readonly Json[]) : isJsonObject(at) ? Object.values(at) : [];
    return Math.max(0, ...inner.map(longest));
  };
  expect(longest(JSON.parse(JSON.stringify(view)) as Json)).toBeLessThan(600);
});
