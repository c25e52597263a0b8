import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";
import { runner } from "../shared-threads.ts";

type Agent = Parameters<typeof recordedIn>[2];

/** The calls that may write, which a skill makes in another world, and with what it stops. */
async function written(
  task: string,
  agent: Agent,
  worlds: readonly WorldTools[],
  other: WorldTools,
): Promise<readonly string[]> {
  const traces = worlds.map((world) => recordedIn(world, task, agent));
  const { plan } = learned(traces);
  const input: JsonObject = Object.fromEntries(
    plan.params.map(({ name, example = null }) => [name, example]),
  );
  const made = await callsIn(runner, plan, other, input);
  return made.filter((call) => !/^\w+\.(?:get|list|read)_/.test(call));
}

const bucket = (answer: Json): WorldTools => ({ "logs.get_bucket": () => answer, "logs.delete": () => "ok" });
const deletes: Agent = (call) => {
  const found = call("logs.get_bucket", { bucket: "web" }) as { expires?: string };
  call("logs.delete", { bucket: "web", before: found.expires ?? "" });
};

describe("an argument that an answer does not tell is never left out of a call", () => {
  const known = bucket({ name: "web", expires: "2026-03-01T00:00:00Z" });

  test.each<readonly [string, Json]>([
    ["is missing", { name: "web" }],
    ["is null", { name: "web", expires: null }],
    ["is empty", { name: "web", expires: "" }],
    ["is in no answer", null],
  ])("where a field %s", async (_, answer) => {
    const [only, ...others] = await written("Clear the logs of web", deletes, [known], bucket(answer));
    expect(only).toMatch(/^stops: /);
    expect(others).toEqual([]);
    expect(await written("Clear the logs of web", deletes, [known], known)).toEqual([
      'logs.delete {"bucket":"web","before":"2026-03-01T00:00:00Z"}',
    ]);
  });

  const rows = (...list: readonly JsonObject[]): WorldTools => ({
    "logs.list_buckets": () => ({ buckets: list }),
    "logs.delete": () => "ok",
  });
  const clears: Agent = (call) => {
    const { buckets } = call("logs.list_buckets", {}) as { buckets: { id: string; cut: string }[] };
    for (const { id, cut } of buckets) call("logs.delete", { bucket: id, before: cut });
  };
  const full = rows({ id: "B-1001", cut: "2026-03-01" }, { id: "B-1002", cut: "2026-04-01" });

  test("in a round of a loop", async () => {
    const other = rows({ id: "B-2001", cut: "2026-05-01" }, { id: "B-2002" });
    expect(await written("Clear all logs", clears, [full], other)).toEqual([
      'logs.delete {"bucket":"B-2001","before":"2026-05-01"}',
      expect.stringContaining("stops: "),
    ]);
  });

  test("but for what the runs had empty", async () => {
    const seen = rows({ id: "B-1001", cut: "" }, { id: "B-1002", cut: "2026-04-01" });
    const other = rows({ id: "B-2001", cut: "2026-05-01" }, { id: "B-2002", cut: "" });
    expect(await written("Clear all logs", clears, [seen], other)).toEqual([
      'logs.delete {"bucket":"B-2001","before":"2026-05-01"}',
      'logs.delete {"bucket":"B-2002","before":""}',
    ]);
  });

  const order = (...lines: readonly JsonObject[]): WorldTools => ({
    "shop.get_order": () => ({ id: "W-4711", lines }),
    "shop.refund": () => "ok",
  });
  const refunds: Agent = (call) => {
    const { lines } = call("shop.get_order", { order_id: "W-4711" }) as { lines: { sku: string }[] };
    call("shop.refund", { order_id: "W-4711", lines: lines.map(({ sku }) => ({ sku })) });
  };

  test("inside a list that is projected", async () => {
    const known_ = order({ sku: "S-771", price: 2 }, { sku: "S-772", price: 3 });
    const other = order({ sku: "S-881", price: 2 }, { price: 3 });
    const made = await written("Refund the whole order W-4711", refunds, [known_], other);
    expect(made).toEqual([expect.stringContaining("stops: ")]);
  });

  const note = (answer: JsonObject): WorldTools => ({
    "crm.get_case": () => answer,
    "crm.close": () => "ok",
  });
  const closes: Agent = (call) => {
    const { number } = call("crm.get_case", { name: "leak" }) as { number: number };
    call("crm.close", { case: String(number) });
  };

  test.each<readonly [string, JsonObject]>([
    ["is missing", {}],
    ["is null", { number: null }],
  ])("where a number that is written as text %s", async (_, answer) => {
    const known_ = note({ number: 48_213 });
    expect(await written("Close the leak case", closes, [known_], note(answer))).toEqual([
      expect.stringContaining("stops: "),
    ]);
  });

  const cart = (price: Json, count: Json): WorldTools => ({
    "shop.get_line": () => ({ price, count }),
    "shop.pay": () => "ok",
  });
  const pays: Agent = (call) => {
    const { price, count } = call("shop.get_line", { line: "lamps" }) as { price: number; count: number };
    call("shop.pay", { amount: price * count });
  };

  test.each<readonly [string, Json, Json]>([
    ["missing", 12, null],
    ["a text", 12, "3"],
    ["empty", "", 3],
  ])("where what is calculated with is %s", async (_, price, count) => {
    const worlds = [cart(129, 13), cart(251, 17)];
    expect(await written("Pay the lamps", pays, worlds, cart(12, 3))).toEqual(['shop.pay {"amount":36}']);
    expect(await written("Pay the lamps", pays, worlds, cart(price, count))).toEqual([
      expect.stringContaining("stops: "),
    ]);
  });
});

const team = (...members: readonly JsonObject[]): WorldTools => ({
  "team.list_members": () => members,
  "mail.send": () => "ok",
});

test("a text in which every element of a list stands is not made where one of them is missing", async () => {
  const invites: Agent = (call) => {
    const members = call("team.list_members", { team: "blue" }) as { mail: string }[];
    call("mail.send", { to: members.map(({ mail }) => mail).join(", ") });
  };
  const worlds = [team({ mail: "ada@example.org" }, { mail: "bob@example.org" })];
  const other = team({ mail: "cid@example.org" }, { name: "Dot" });
  expect(await written("Write to team blue", invites, worlds, other)).toEqual([
    expect.stringContaining("stops: "),
  ]);
});

describe("what is to be another than something is there", () => {
  const orders = (...list: readonly JsonObject[]): WorldTools => ({
    "shop.list_orders": () => ({ orders: list }),
    "shop.cancel": () => "ok",
  });
  const cancels: Agent = (call) => {
    const { orders: list } = call("shop.list_orders", {}) as { orders: { id: string; sent: Json }[] };
    const isDate = list.some(({ sent }) => sent === null);
    for (const { id, sent } of list) if (sent !== (isDate ? null : "shipped")) call("shop.cancel", { id });
  };
  const states = [
    orders(
      { id: "W-1001", sent: "pending" },
      { id: "W-1002", sent: "shipped" },
      { id: "W-1003", sent: "paid" },
    ),
    orders(
      { id: "W-2001", sent: "shipped" },
      { id: "W-2002", sent: "paid" },
      { id: "W-2003", sent: "pending" },
    ),
  ];

  test.each<readonly [string, JsonObject]>([
    ["is missing", {}],
    ["is null", { sent: null }],
    ["is empty", { sent: "" }],
  ])("where its field %s, nothing is done", async (_, field) => {
    const known = orders({ id: "W-3001", sent: "shipped" }, { id: "W-3002", sent: "paid" });
    const other = orders({ id: "W-3001", sent: "shipped" }, { id: "W-3002", ...field });
    const task = "Cancel the orders that have not been shipped";
    expect(await written(task, cancels, states, known)).toEqual(['shop.cancel {"id":"W-3002"}']);
    expect(await written(task, cancels, states, other)).toEqual([expect.stringContaining("stops: ")]);
  });

  test("a field that is missing is as one with nothing in it", async () => {
    const worlds = [
      orders({ id: "W-1001", sent: "pending" }, { id: "W-1002", sent: null }, { id: "W-1003", sent: "paid" }),
      orders({ id: "W-2001", sent: null }, { id: "W-2002", sent: "paid" }, { id: "W-2003", sent: "lost" }),
    ];
    const other = orders({ id: "W-3001", sent: "paid" }, { id: "W-3002" });
    expect(await written("Cancel the orders of which something is known", cancels, worlds, other)).toEqual([
      'shop.cancel {"id":"W-3001"}',
    ]);
  });
});
