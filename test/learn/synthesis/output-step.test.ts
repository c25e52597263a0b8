import { expect, test } from "vitest";
import { learned, type Told, traceOf } from "../learned.ts";

const LOAN: Told = [
  "library.get_loan",
  { card: "LC-7712" },
  { loan: { book: "Peer Gynt", due: "2026-04-02", fine: 12.5 } },
];

test.each<readonly [string, string, readonly Told[], string]>([
  [
    "what the task asks for, not what was written down of it",
    "What is the fine on the card LC-7712? Log that I have asked.",
    [LOAN, ["desk.log_visit", { card: "LC-7712" }, { entry: "v-20071" }]],
    "loan",
  ],
  [
    "what was made, not that a mail about it was sent",
    "Reserve Peer Gynt for LC-7712 and write to them.",
    [
      ["library.reserve", { card: "LC-7712", book: "Peer Gynt" }, { place: 3, ready: "2026-05-01" }],
      ["mail.send", { to: "LC-7712", text: "It is reserved." }, { queued: true, id: "m-1" }],
    ],
    "reserveResult",
  ],
  [
    "what the last call gives, if that tells more than that it is done",
    "Renew the loan of LC-7712.",
    [LOAN, ["library.renew", { card: "LC-7712" }, { due: "2026-05-02" }]],
    "renewResult",
  ],
  [
    "no answer from before the change, though its words are the task's",
    "Waive the fine on the loan of LC-7712.",
    [LOAN, ["library.waive", { card: "LC-7712", amount: 12.5 }, { ok: true }]],
    "waiveResult",
  ],
])("a skill gives %s", (_, task, calls, step) => {
  expect(learned([traceOf(task, calls)]).plan.output.value).toEqual({ kind: "ref", name: step });
});

test("steps of one tool are called by what only they are given, what was done since, or which of them they are", () => {
  const { plan } = learned([
    traceOf("Renew the card LC-7712, and tell who has the card LC-8801.", [
      ["library.get_card", { number: "LC-7712" }, { holder: "Ida Brandt", until: "2026-01-01" }],
      ["library.renew", { number: "LC-7712" }, { until: "2027-01-01" }],
      ["library.get_card", { number: "LC-7712" }, { holder: "Ida Brandt", until: "2027-01-01" }],
      ["library.get_card", { number: "LC-8801" }, { holder: "Jon Aske", until: "2026-06-01" }],
      ["library.get_card", { holder: "Petra Holm" }, { holder: "Petra Holm", until: "2026-08-01" }],
    ]),
  ]);
  expect(plan.steps.map((step) => step.kind === "call" && step.name)).toEqual([
    "card",
    "renewResult",
    "cardAfterRenew",
    "secondCard",
    "cardByHolder",
  ]);
});

test("a leading api in a tool's name is no verb", () => {
  const { plan } = learned([
    traceOf("Show the room r-9912.", [["API-get-room", { room: "r-9912" }, { beds: 2 }]]),
  ]);
  expect(plan.steps).toMatchObject([{ name: "room" }]);
});
