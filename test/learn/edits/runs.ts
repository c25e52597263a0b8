import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import { traceOf } from "../learned.ts";

/** An item is returned whose id the user has told. */
export const RETURN: RecordedTrace = traceOf("Return item 9000012 of #W1000001", [
  [
    "shop.get_order",
    { order_id: "#W1000001" },
    {
      order_id: "#W1000001",
      items: [
        { name: "Lamp", item_id: "9000011" },
        { name: "Rain Jacket", item_id: "9000012" },
      ],
    },
  ],
  ["shop.return_item", { order_id: "#W1000001", item_id: "9000012" }, { status: "ok" }],
]);

/** Several items are returned at once. */
export function returnsOf(names: readonly string[]): RecordedTrace {
  const items = [
    { name: "Lamp", sku: "lamp/black", item_id: "9000011" },
    { name: "Rain Jacket", sku: "jacket/red", item_id: "9000012" },
    { name: "Desk", sku: "desk/oak", item_id: "9000013" },
  ];
  const ids = names.flatMap((name) => items.find((item) => item.name === name)?.item_id ?? []);
  return traceOf(`Return the ${names.join(" and the ")}`, [
    ["shop.get_order", { order_id: "#W1000001" }, { items }],
    ["shop.return_items", { item_ids: ids }, null],
  ]);
}

/** Somebody's tickets are closed one by one, each after a look at it. */
export function closing(user: string, ids: readonly string[], reason = "done"): RecordedTrace {
  const rounds = ids.flatMap((id) => [
    ["desk.get_ticket", { ticket: id }, { body: `about ${id}` }] as const,
    ["desk.close_ticket", { ticket: id, reason }, { ok: true }] as const,
  ]);
  return traceOf(
    `Close the tickets of ${user}`,
    [
      ["desk.list_tickets", { user, state: "open" }, { tickets: ids.map((id) => ({ id })) }],
      ...rounds,
      ["desk.send_mail", { to: `${user}@example.com`, template: "closed" }, { sent: true }],
    ],
    user,
  );
}

export const CLOSINGS: readonly RecordedTrace[] = [
  closing("ada", ["t-1001", "t-1002"]),
  closing("leo", ["t-2001", "t-2002", "t-2003"]),
];

/** A flight is booked at the second try, after a login. */
export const BOOKING: RecordedTrace = {
  id: "booking",
  task: "Book flight HAT123",
  calls: [
    {
      tool: "air.login",
      args: { user: "ada", password: "correct-horse-battery" },
      result: { session: "s-99881" },
    },
    { tool: "air.book", args: { flight: "HAT123" }, result: null, error: "no session", retriedBy: 2 },
    { tool: "air.book", args: { flight: "HAT123", session: "s-99881" }, result: { ref: "B-10001" } },
  ],
};
