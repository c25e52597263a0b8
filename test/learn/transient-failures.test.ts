import { expect, test } from "vitest";
import { offerOf } from "../../src/learn/drafts/gate.ts";
import { failureKind } from "../../src/learn/plan/failure-kind.ts";
import { isTransientFailure } from "../../src/learn/recording/kept-calls.ts";
import { namedSteps } from "../../src/learn/plan/steps.ts";
import { draftText, draftView } from "../../src/learn/review/draft-view.ts";
import { examples, extracted, provideFolder, ran, type Told } from "./extracted.ts";

provideFolder();

const PASSING = [
  '{"error":{"name":"Error","message":"Failed to fetch the schema: HTTP status 500"}}',
  "Request failed with status code 502",
  "503 Service Unavailable",
  "HTTP 504",
  '{"status":429,"message":"Too many requests"}',
  '{"error":{"code":"rate_limited","message":"Too many requests","type":"api_error"}}',
  "read ECONNRESET",
  "connect ETIMEDOUT 10.0.0.1:443",
  "MCP error -32001: Request timed out",
  "Error: Tool call 'search' timed out after 60 seconds",
  "canceling statement due to statement timeout (SQLSTATE 57014)",
];

const MEANT = [
  "404 Not Found",
  "409 Conflict: it exists already",
  "ENOENT: no such file or directory",
  "the amount 500 exceeds the limit",
  "Maximum transfer quantity is 500",
  "invalid request timeout: it must be a number",
  "unknown option: timeout",
  '{"status":500,"code":"order_locked","message":"The order is locked"}',
  "card_declined",
];

test.each(PASSING)("%s passes by itself", (error) => {
  expect(isTransientFailure(failureKind(error, {}))).toBe(true);
});

test.each(MEANT)("%s tells of what was called", (error) => {
  expect(isTransientFailure(failureKind(error, {}))).toBe(false);
});

const TASK = "Upgrade reservation ZFA04Y to business";

/** A search that fails so before the work is done. */
function upgrade(error: string): readonly Told[] {
  return [
    ["docs.search_docs", { query: "how to upgrade" }, new Error(error)],
    ["air.get_reservation", { id: "ZFA04Y" }, { id: "ZFA04Y", seat: "seat-30817" }],
    ["air.upgrade", { seat: "seat-30817", cabin: "business" }, { done: true }],
  ];
}

const mustFail = (steps: Parameters<typeof namedSteps>[0]) =>
  namedSteps(steps).filter((step) => step.kind === "call" && step.fails !== undefined);

test("what only reads and failed for a while is no part of the work", async () => {
  const reads = ["docs.search_docs", "air.get_reservation"];
  const [error = ""] = PASSING;
  const draft = await extracted("search-down", TASK, [upgrade(error)], reads);
  expect(mustFail(draft.plan.steps)).toEqual([]);
  expect(draft.evidence?.rungs.filter(({ passed, of }) => passed < of || of === 0)).toEqual([]);
  const answers = [{ id: "ZFA04Y", seat: "seat-41200" }, { done: true }];
  expect(await ran(draft, examples(draft), answers)).toEqual({
    called: ["air.get_reservation", "air.upgrade"],
    error: undefined,
  });
  expect(draftText(draftView(draft), { columns: 500 })).toContain(
    "docs.search_docs: it failed for a while (500",
  );
  expect(offerOf(draft).obstacles.map(({ reason }) => reason)).not.toContain("transient-failure");
});

test("a search that fails for what was asked must fail so again", async () => {
  const reads = ["docs.search_docs", "air.get_reservation"];
  const draft = await extracted("search-refused", TASK, [upgrade("404: there are no such docs")], reads);
  expect(mustFail(draft.plan.steps)).toHaveLength(1);
});

test("what may have written and failed for a while is for a person to decide", async () => {
  const draft = await extracted("search-unknown", TASK, [upgrade("HTTP 503")]);
  expect(mustFail(draft.plan.steps)).toEqual([]);
  const { isOffered, obstacles } = offerOf(draft);
  expect(isOffered).toBe(false);
  expect(obstacles.find(({ reason }) => reason === "transient-failure")?.text).toContain("docs.search_docs");
  const text = draftText(draftView(draft), { columns: 500 });
  expect(text).toContain(
    "it failed for a while (503 http ?): whether the work needs it is for a person to say",
  );
});

test("an element whose reading failed for a while, as that of others did not, is for a person to decide", async () => {
  const calls: readonly Told[] = [
    [
      "shop.list_orders",
      { customer: "C-77" },
      { orders: ["O-1001", "O-1002", "O-1003"].map((id) => ({ id })) },
    ],
    ["shop.get_order", { id: "O-1001" }, { slip: "sl-40017" }],
    ["shop.get_order", { id: "O-1002" }, new Error("503 Service Unavailable")],
    ["shop.get_order", { id: "O-1003" }, { slip: "sl-40032" }],
    ["shop.print", { slips: ["sl-40017", "sl-40032"] }, { done: true }],
  ];
  const reads = ["shop.list_orders", "shop.get_order"];
  const draft = await extracted("slips", "Print the slips of all orders of C-77", [calls], reads);
  expect(mustFail(draft.plan.steps)).toEqual([]);
  expect(offerOf(draft).obstacles.map(({ reason }) => reason)).toContain("transient-failure");
});

test("a call made again in another form is the same attempt", async () => {
  const reads = ["shop.list_orders"];
  const orders = ["O-1001", "O-1002"].map((id) => ({ id }));
  const calls: readonly Told[] = [
    ["shop.list_orders", { customer: "C-77", limit: 1000 }, new Error("Request timed out")],
    ["shop.list_orders", { customer: "C-77", limit: 10 }, { orders }],
    ["shop.cancel_order", { id: "O-1001" }, { done: true }],
    ["shop.cancel_order", { id: "O-1002" }, { done: true }],
  ];
  const draft = await extracted("fewer", "Cancel all orders of C-77", [calls], reads);
  expect(mustFail(draft.plan.steps)).toEqual([]);
  expect(offerOf(draft).obstacles.map(({ reason }) => reason)).not.toContain("transient-failure");
});

test("where runs part by a failure that passes, what each did stays a branch", async () => {
  const run = (id: string, isUp: boolean): readonly Told[] => [
    ["fast.send", { id }, isUp ? { sent: id } : new Error("503 Service Unavailable")],
    ...(isUp
      ? ([["log.note", { text: "sent", id }, { noted: true }]] as const)
      : ([["slow.send", { id }, { sent: id }]] as const)),
  ];
  const draft = await extracted("send", "Send it, slowly where it is not up", [
    run("P-3001", false),
    run("P-3002", true),
  ]);
  expect(draft.plan.steps.map(({ kind }) => kind)).toContain("branch");
  expect(offerOf(draft).obstacles.map(({ reason }) => reason)).not.toContain("transient-failure");
});
