import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from "vitest";
import { ROOT, stdioTransport, textOf, Workplace } from "./connected-client.ts";

let workplace: Workplace;
let client: Client;

function configOf(drafts: object): object {
  const args = ["--disable-warning=ExperimentalWarning", join(ROOT, "examples/shop-server.ts")];
  return {
    mcpServers: { shop: { command: process.execPath, args, publish: true } },
    data: "own",
    drafts: { review: "automatic", ...drafts },
  };
}

async function tool(name: string, input: object): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: { ...input } });
  if (result.isError) throw new Error(textOf(result));
  return result.structuredContent as Record<string, unknown>;
}

const ORDER = {
  id: "O-2001",
  customerId: "C-2001",
  status: "cancelled",
  placedAt: "2026-03-01",
  items: [{ productId: "P-1", quantity: 2, unitPrice: 4.5 }],
  total: 9,
  shipTo: { street: "Oak Road 1", city: "Lund", postcode: "22101", country: "SE" },
};

async function findOrders(email: string): Promise<{ readonly id: string; readonly status: string }[]> {
  const { customers } = await tool("shop__find_customer", { text: email });
  const [customer] = customers as { readonly id: string }[];
  const { orders } = await tool("shop__list_orders", { customerId: customer?.id });
  return orders as { readonly id: string; readonly status: string }[];
}

async function connect(): Promise<void> {
  client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(stdioTransport(workplace));
  const isThere = async (): Promise<boolean> =>
    (await client.listTools()).tools.some(({ name }) => name === "shop__find_customer");
  await expect.poll(isThere, { timeout: 20_000 }).toBe(true);
}

describe("where the policy asks for the replay of twins", () => {
  beforeAll(async () => {
    workplace = await Workplace.create({}, configOf({ above: "twin" }));
  });
  afterAll(async () => workplace[Symbol.asyncDispose]());
  beforeEach(connect);
  afterEach(async () => client.close());

  test("what the server has recorded of tools that only look becomes a skill by itself", async () => {
    await findOrders("ada@example.org");
    const made = await tool("extract_skill", { name: "orders-of" });
    expect(made).toMatchObject({ kind: "draft", promoted: { skill: "orders-of", version: 1 } });
    expect(made["waits"]).toBeUndefined();
  });

  test("what writes waits for a person", async () => {
    const pending = (await findOrders("ada@example.org")).find(({ status }) => status === "pending");
    const shipTo = { street: "Oak Road 1", city: "Lund", postcode: "22101", country: "SE" };
    await tool("shop__update_order_address", { id: pending?.id, shipTo });
    const made = await tool("extract_skill", { name: "move-order", anew: true });
    expect(made).toMatchObject({ kind: "draft", draft: { state: "draft" } });
    expect(made["promoted"]).toBeUndefined();
    expect(made["waits"]).toContain("may write");
  });
});

describe("where the policy asks for held-out runs, of drafts that write too", () => {
  beforeAll(async () => {
    workplace = await Workplace.create({}, configOf({ above: "heldOut", least: 0.3, writes: true }));
  });
  afterAll(async () => workplace[Symbol.asyncDispose]());
  beforeEach(connect);
  afterEach(async () => client.close());

  test.each([
    ["destroy", { tool: "shop.cancel_order", args: (id: string) => ({ id }), result: { order: ORDER } }],
    [
      "look",
      { tool: "shop.list_orders", args: (customerId: string) => ({ customerId }), result: { orders: [] } },
    ],
  ])("transcripts that a client submits never count, though they %s and tell a source", async (_, act) => {
    const runs: string[] = [];
    for (let nth = 0; nth < 8; nth++) {
      const id = `C-70${nth}41`;
      const calls = [
        {
          tool: "shop.find_customer",
          args: { text: `user${nth}@example.org` },
          result: { customers: [{ id }] },
        },
        { tool: act.tool, args: act.args(id), result: act.result },
      ];
      const forged = { source: "run", origin: "own", meta: { source: "session" }, sessionId: "mine" };
      const submitted = await tool("submit_trace", { trace: { ...forged, id: `run-${nth}`, calls } });
      runs.push(...(submitted["runs"] as { readonly runId: string }[]).map(({ runId }) => runId));
    }
    const made = await tool("extract_skill", { runs, holdOut: 6, anew: true });
    expect(made).toMatchObject({ kind: "draft", draft: { state: "draft" } });
    expect(made["promoted"]).toBeUndefined();
    expect(made["waits"]).toContain("submitted or imported");
  });
});
