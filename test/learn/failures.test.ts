import { expect, test } from "vitest";
import { draftText, draftView } from "../../src/learn/review/draft-view.ts";
import { examples, extracted, provideFolder, ran, type Told } from "./extracted.ts";

provideFolder();

interface Scenario {
  readonly task: string;
  readonly calls: readonly Told[];
  /** What else the failing call could have failed with in the same way. */
  readonly again: string;
  /** And in another way. */
  readonly otherwise: string;
}

const NOT_FOUND = '{"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}';

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "upgrade-or-cancel": {
    task: "Upgrade reservation ZFA04Y to business; if that cannot be done, cancel it",
    calls: [
      ["air.get_reservation", { id: "ZFA04Y" }, { id: "ZFA04Y", flights: [{ number: "HAT030" }] }],
      [
        "air.update_reservation",
        { id: "ZFA04Y", cabin: "business" },
        new Error("Error: not enough seats on flight HAT030"),
      ],
      ["air.cancel_reservation", { id: "ZFA04Y" }, { status: "cancelled" }],
    ],
    again: "Error: not enough seats on flight HAT271",
    otherwise: "Error: reservation ZFA04Y is locked",
  },
  "charge-the-other-card": {
    task: "Charge 25 to card pm_1001, else to card pm_2002",
    calls: [
      [
        "pay.charge",
        { card: "pm_1001", amount: 25 },
        new Error(
          '{"error":{"code":"card_declined","message":"Your card was declined.","type":"card_error"}}',
        ),
      ],
      ["pay.charge", { card: "pm_2002", amount: 25 }, { id: "ch_3003", paid: true }],
    ],
    again: '{"error":{"code":"card_declined","message":"Declined by the bank.","type":"card_error"}}',
    otherwise: '{"error":{"code":"rate_limited","message":"Too many requests","type":"api_error"}}',
  },
  "file-that-is-missing": {
    task: "Read /srv/notes/a.md; create it where there is none",
    calls: [
      [
        "fs.read_file",
        { path: "/srv/notes/a.md" },
        new Error("ENOENT: no such file or directory, open '/srv/notes/a.md'"),
      ],
      ["fs.write_file", { path: "/srv/notes/a.md", text: "Notes" }, { written: 5 }],
    ],
    again: "ENOENT: no such file or directory, open '/srv/notes/b.md'",
    otherwise: "EACCES: permission denied, open '/srv/notes/a.md'",
  },
  "user-that-exists": {
    task: "Create a user for ada@example.org, or take the one that there is, and invite",
    calls: [
      [
        "crm.create_user",
        { email: "ada@example.org" },
        new Error("409 Conflict: a user with the address ada@example.org already exists"),
      ],
      ["crm.find_user", { email: "ada@example.org" }, { user_id: "u-70017" }],
      ["crm.invite", { user_id: "u-70017" }, { sent: true }],
    ],
    again: "409 Conflict: a user with the address leo@example.com already exists",
    otherwise: "409 Conflict: the directory is being moved",
  },
  "branch-that-is-missing": {
    task: "Protect the branch release of acme/shop",
    calls: [
      ["github.get_branch", { repo: "acme/shop", branch: "release" }, new Error(NOT_FOUND)],
      ["github.create_branch", { repo: "acme/shop", branch: "release" }, { ref: "refs/heads/release" }],
      ["github.protect_branch", { repo: "acme/shop", branch: "release" }, { enabled: true }],
    ],
    again: NOT_FOUND.replace("rest", "rest/branches"),
    otherwise: '{"message":"Bad credentials","status":"401"}',
  },
  "label-that-exists": {
    task: "Make a label urgent in acme/shop, red if it is there already",
    calls: [
      [
        "github.create_label",
        { repo: "acme/shop", name: "urgent" },
        new Error(
          '{"message":"Validation Failed","errors":[{"resource":"Label","code":"already_exists","field":"name"}],"status":"422"}',
        ),
      ],
      ["github.update_label", { repo: "acme/shop", name: "urgent", color: "ff0000" }, { name: "urgent" }],
    ],
    again:
      '{"message":"Validation Failed","errors":[{"resource":"Label","code":"already_exists","field":"name"}],"status":"422"}',
    otherwise:
      '{"message":"Validation Failed","errors":[{"resource":"Label","code":"missing_field","field":"name"}],"status":"422"}',
  },
  "table-that-is-missing": {
    task: "Insert Ada into people",
    calls: [
      [
        "db.query",
        { sql: "insert into people values ('Ada')" },
        new Error('relation "people" does not exist'),
      ],
      ["db.migrate", { sql: "create table people (name text)" }, { rows: 0 }],
      ["db.notify", { text: "made the table" }, { sent: true }],
    ],
    again: 'relation "people" does not exist',
    otherwise: "permission denied for table people",
  },
};

test.each(Object.entries(SCENARIOS))(
  "%s: what followed a failure follows only where the call fails so again",
  async (name, { task, calls, again, otherwise }) => {
    const draft = await extracted(name, task, [calls]);
    const failing = draft.evidence?.rungs.filter(({ passed, of }) => passed < of || of === 0);
    expect(failing).toEqual([]);
    const input = examples(draft);
    const tools = calls.map(([tool]) => tool);
    const at = calls.findIndex(([, , result]) => result instanceof Error);
    const before = calls.slice(0, at).map(([, , result]) => result);
    const after = calls.slice(at + 1).map(([, , result]) => result);
    const upTo = tools.slice(0, at + 1);

    expect(await ran(draft, input, [...before, new Error(again), ...after])).toEqual({
      called: tools,
      error: undefined,
    });
    const worked = await ran(draft, input, [...before, { ok: true }, ...after]);
    expect(worked.called).toEqual(upTo);
    expect(worked.error).toMatch(/\(.+\) has succeeded; in the recorded runs it failed with ".+", so/);
    expect(worked.error).toContain(tools[at]);
    // An answer that speaks of the failure is an answer all the same.
    const spoken = await ran(draft, input, [
      ...before,
      { ok: true, log: [again], last_error: again },
      ...after,
    ]);
    expect(spoken.called).toEqual(upTo);
    const other = await ran(draft, input, [...before, new Error(otherwise), ...after]);
    expect(other.called).toEqual(upTo);
    expect(other.error).toContain("failed in another way");
    expect(other.error).toContain(otherwise);
  },
);

test("a round that failed must fail so again for the rounds after it", async () => {
  const orders = ["O-1001", "O-1002", "O-1003"];
  const calls: readonly Told[] = [
    ["shop.list_orders", { customer: "C-77" }, { orders: orders.map((id) => ({ id })) }],
    ["shop.cancel_order", { id: "O-1001" }, { done: true }],
    ["shop.cancel_order", { id: "O-1002" }, new Error("order O-1002 is shipped already")],
    ["shop.cancel_order", { id: "O-1003" }, { done: true }],
  ];
  const draft = await extracted("cancel-all", "Cancel all orders of C-77", [calls]);
  const input = examples(draft);
  const list = { orders: orders.map((id) => ({ id })) };
  const forbidden = await ran(draft, input, [list, {}, new Error("you may not do this")]);
  expect(forbidden).toMatchObject({ called: calls.slice(0, 3).map(([tool]) => tool) });
  expect(forbidden.error).toContain("you may not do this");
  const shipped = await ran(draft, input, [list, {}, new Error("order O-1002 is shipped already"), {}]);
  expect(shipped).toEqual({ called: calls.map(([tool]) => tool), error: undefined });
});

/** A reservation that is upgraded, or cancelled where there is no seat. */
function upgrade(id: string, flight: string, hasSeats: boolean): readonly Told[] {
  return [
    ["air.get_reservation", { id }, { id, user: `user_${id}`, flight }],
    [
      "air.update_reservation",
      { id, cabin: "business" },
      hasSeats ? { receipt: `rc-${id}` } : new Error(`Error: not enough seats on flight ${flight}`),
    ],
    ...(hasSeats
      ? ([["air.send_receipt", { to: `user_${id}`, receipt: `rc-${id}` }, { sent: true }]] as const)
      : ([
          ["air.cancel_reservation", { id, reason: "no seats" }, { cancelled: id }],
          ["air.refund", { to: `user_${id}` }, { refunded: true }],
        ] as const)),
  ];
}

const FAILS = `updateReservationResult fails with "not enough seats on flight ?"`;

const TASK = "Upgrade the reservation to business; if that cannot be done, cancel it and refund";

test.each([
  ["as many", [upgrade("ZFA04Y", "HAT030", false), upgrade("KLM77Q", "HAT271", true)]],
  [
    "more that failed",
    [
      upgrade("ZFA04Y", "HAT030", false),
      upgrade("KLM77Q", "HAT271", true),
      upgrade("QQR12T", "HAT115", false),
    ],
  ],
  [
    "more that succeeded",
    [
      upgrade("ZFA04Y", "HAT030", true),
      upgrade("KLM77Q", "HAT271", true),
      upgrade("QQR12T", "HAT115", false),
    ],
  ],
])("of several runs, %s, each side of a failure is done as it was", async (what, runs) => {
  const draft = await extracted(`branch-${what.replaceAll(" ", "-")}`, TASK, runs);
  const failing = draft.evidence?.rungs.filter(({ passed, of }) => passed < of || of === 0);
  expect(failing).toEqual([]);
  expect(draft.provenance.traces).toHaveLength(runs.length);
  const input = { id: "NEW99X", cabin: "business", reason: "no seats" };
  const reservation = { id: "NEW99X", user: "user_new", flight: "HAT777" };
  const looked = ["air.get_reservation", "air.update_reservation"];
  const noSeats = new Error("Error: not enough seats on flight HAT777");
  expect(await ran(draft, input, [reservation, noSeats])).toEqual({
    called: [...looked, "air.cancel_reservation", "air.refund"],
    error: undefined,
  });
  expect(await ran(draft, input, [reservation, { receipt: "rc-1" }])).toEqual({
    called: [...looked, "air.send_receipt"],
    error: undefined,
  });
  const locked = await ran(draft, input, [reservation, new Error("Error: the reservation is locked")]);
  expect(locked.called).toEqual(looked);
  expect(locked.error).toContain("failed in another way");
  const unpaid = await ran(draft, input, [reservation, noSeats, new Error("no such reservation")]);
  expect(unpaid.called).toEqual([...looked, "air.cancel_reservation"]);
  const view = draftView(draft);
  expect(view.steps.map(({ tool, when }) => [tool, when])).toEqual([
    ["air.get_reservation", undefined],
    ["air.update_reservation", undefined],
    ["air.cancel_reservation", FAILS],
    ["air.refund", FAILS],
    ["air.send_receipt", "updateReservationResult succeeds"],
  ]);
  expect(draftText(view)).toMatch(/air\.send_receipt \([^)]*where\s/);
});

test("where nothing was done after the success, nothing is done", async () => {
  const charge = (card: string, other: string, isDeclined: boolean): readonly Told[] => {
    const declined = new Error('{"error":{"code":"card_declined","message":"Your card was declined."}}');
    const first: Told = ["pay.charge", { card, amount: 25 }, isDeclined ? declined : { id: "ch_10001" }];
    return isDeclined ? [first, ["pay.charge", { card: other, amount: 25 }, { id: "ch_20002" }]] : [first];
  };
  const runs = [charge("pm_1001", "pm_2002", true), charge("pm_3003", "pm_4004", false)];
  const draft = await extracted("charge-either", "Charge the card, else the other card", runs);
  expect(draft.evidence?.rungs.filter(({ passed, of }) => passed < of)).toEqual([]);
  const declined = new Error('{"error":{"code":"card_declined","message":"No."}}');
  const input = examples(draft);
  expect(await ran(draft, input, [declined])).toEqual({
    called: ["pay.charge", "pay.charge"],
    error: undefined,
  });
  expect(await ran(draft, input, [{ id: "ch_1" }])).toEqual({ called: ["pay.charge"], error: undefined });
  const expired = new Error('{"error":{"code":"expired_card"}}');
  expect(await ran(draft, input, [expired])).toMatchObject({ called: ["pay.charge"] });
});

test("runs that part before the call are no sides of it: the failure stays a condition", async () => {
  const other: readonly Told[] = [
    ["air.get_reservation", { id: "KLM77Q" }, { id: "KLM77Q", user: "user_KLM77Q", flight: "HAT271" }],
    ["air.add_baggage", { id: "KLM77Q" }, { bags: 1 }],
    ["air.update_reservation", { id: "KLM77Q", cabin: "business" }, { receipt: "rc-70017" }],
  ];
  const draft = await extracted("no-branch", TASK, [upgrade("ZFA04Y", "HAT030", false), other]);
  expect(draft.code).toContain("await mustFail(");
  expect(draft.provenance.traces).toHaveLength(1);
});
