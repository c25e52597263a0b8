import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { importTraces } from "../../src/trace/import/import-traces.ts";
import { ERAS, type Era, ROOT, textOf, Workplace } from "./connected-client.ts";
import { servedApp } from "./served-app.ts";

const TWICE = `export interface Input { size?: string; number?: number }
function needed(parameter: string, values: (string | number)[]): Error {
  const choice = { parameter, options: values.map((value) => ({ value })) };
  return Object.assign(new Error(parameter + " is to be chosen"), { name: "ChoiceNeeded", choice });
}
export default async function run({ size, number }: Input): Promise<{ size: string; number: number }> {
  if (size === undefined) throw needed("size", ["S", "M"]);
  if (number === undefined) throw needed("number", [7, 8]);
  return { size, number };
}`;
const ABOVE = `export default async function run(): Promise<unknown> {
  return await call_skill("twice", {});
}`;

const STREET = `export default async function run({ id }: { id: string }): Promise<{ street: string }> {
  const { order } = await call_tool("shop.get_order", { id });
  return { street: order.shipTo.street };
}`;

const AT = "2026-02-14T07:20:00Z";
const order = (id: string, status: string, total: number): Json => ({
  id,
  customerId: "C-1",
  status,
  placedAt: AT,
  total,
});
const HOME = { street: "Oak Road 1", city: "Lund", postcode: "22101", country: "SE" };

/** A conversation in which the user chooses once the orders are known. */
const CONVERSATION = [
  { role: "user", content: "I am ada@example.org. Send an order of mine to Oak Road 1, 22101 Lund, SE." },
  ...called(
    "shop.find_customer",
    { text: "ada@example.org" },
    { customers: [{ id: "C-1", name: "Ada Lind" }] },
  ),
  ...called(
    "shop.list_orders",
    { customerId: "C-1" },
    {
      orders: [
        order("O-1005", "pending", 28.5),
        order("O-1002", "paid", 53),
        order("O-1001", "delivered", 13),
      ],
    },
  ),
  { role: "assistant", content: "Which one?" },
  { role: "user", content: "O-1002, please." },
  ...called("shop.update_order_address", { id: "O-1002", shipTo: HOME }, { order: { id: "O-1002" } }),
];

function called(name: string, args: object, result: object): readonly object[] {
  const id = `call_of_${name}`;
  const made = { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
  return [
    { role: "assistant", content: null, tool_calls: [made] },
    { role: "tool", tool_call_id: id, content: JSON.stringify(result) },
  ];
}

let workplace: Workplace;
let served: Awaited<ReturnType<typeof servedApp>>;
beforeAll(async () => {
  const args = ["--disable-warning=ExperimentalWarning", join(ROOT, "examples/shop-server.ts")];
  workplace = await Workplace.create(
    { twice: TWICE, above: ABOVE, "order-street": STREET },
    { data: "own", mcpServers: { shop: { command: process.execPath, args } } },
  );
  served = await servedApp(workplace);
  const { extraction } = served.app;
  for await (const item of importTraces([Buffer.from(JSON.stringify({ messages: CONVERSATION }))])) {
    if (item.kind !== "trace") throw new Error("it was not read");
    const made = await extraction.extract([item.trace], { by: "ada", name: "send-order-elsewhere" });
    if (!made.ok || made.value.kind !== "draft") throw new Error(JSON.stringify(made));
    const { name, digest } = made.value.draft;
    const reviewed = await extraction.review(name, { verdict: "approve", by: "ada", digest });
    if (!reviewed.ok)
      throw new Error(JSON.stringify([reviewed, made.value.draft.evidence, made.value.draft.code]));
    const promoted = await extraction.promotions.promote(name, { by: "ada" });
    if (!promoted.ok) throw new Error(promoted.error.message);
    await served.app.catalog.then((catalog) => catalog.reload());
  }
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await workplace[Symbol.asyncDispose]();
});

type Answer = { readonly action: "accept" | "decline"; readonly content?: Record<string, string> };

interface Connected extends AsyncDisposable {
  readonly client: Client;
  readonly asked: { readonly message: string; readonly values: readonly string[] }[];
}

/** A client behind which a person gives these answers; without any, nobody can be asked. */
async function connected(era: Era, answers: readonly Answer[] = []): Promise<Connected> {
  const asked: { message: string; values: string[] }[] = [];
  const left = [...answers];
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
      ...(answers.length === 0 ? {} : { capabilities: { elicitation: {} } }),
    },
  );
  if (answers.length > 0)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      const { properties } = ("requestedSchema" in params ? params.requestedSchema : {}) as {
        properties: { choice: { enum: string[] } };
      };
      asked.push({ message: params.message, values: properties.choice.enum });
      return left.shift() ?? { action: "decline" as const };
    });
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  return { client, asked, [Symbol.asyncDispose]: async () => client.close() };
}

const NEW = { street: "Elm Street 9", city: "Lund", postcode: "22100", country: "SE" };
const input = { email: "ada@example.org", shipTo: NEW };
const ORDERS = ["O-1005", "O-1002", "O-1001"];

async function streetOf(client: Client, id: string): Promise<string> {
  const told = await client.callTool({
    name: "run_skill",
    arguments: { name: "order-street", input: { id } },
  });
  return textOf(told);
}

describe.each(ERAS)("a learned skill whose run was a dialogue, called by a client of the %s era", (era) => {
  test("says what there is to choose from where nobody can be asked, and goes on with the choice", async () => {
    await using own = await connected(era);
    const told = await own.client.callTool({ name: "send-order-elsewhere", arguments: input });
    expect(told.isError).toBe(true);
    expect(textOf(told)).toContain("CHOICE_NEEDED: id is to be chosen: there are 3");
    expect(textOf(told)).toMatch(/- "O-1002": .*status "paid"/);
    expect(textOf(told)).toContain('call it again with the same arguments and the choice as "id"');
    for (const id of ORDERS) expect(await streetOf(own.client, id)).not.toContain("Elm Street 9");
    const other = await own.client.callTool({
      name: "send-order-elsewhere",
      arguments: { ...input, id: "O-1003" },
    });
    expect(textOf(other)).toContain('"O-1003" is not one of the options for id');
    expect(await streetOf(own.client, "O-1003")).not.toContain("Elm Street 9");
    const done = await own.client.callTool({
      name: "send-order-elsewhere",
      arguments: { ...input, id: "O-1005" },
    });
    expect([done.isError ?? false, textOf(done)]).toEqual([false, expect.any(String)]);
    expect(await streetOf(own.client, "O-1005")).toContain("Elm Street 9");
  });

  test("has the person choose, and goes on by itself", async () => {
    await using own = await connected(era, [{ action: "accept", content: { choice: "O-1005" } }]);
    const shipTo = { ...NEW, street: `Choice Lane, ${era}` };
    const done = await own.client.callTool({ name: "send-order-elsewhere", arguments: { ...input, shipTo } });
    expect([done.isError ?? false, textOf(done)]).toEqual([false, expect.any(String)]);
    expect(own.asked).toMatchObject([{ values: expect.arrayContaining(ORDERS) }]);
    expect(own.asked[0]?.message).toMatch(/- "O-1002": .*status "paid"/);
    expect(await streetOf(own.client, "O-1005")).toContain(`Choice Lane, ${era}`);
    expect(await streetOf(own.client, "O-1002")).not.toContain("Choice Lane");
  });

  test("tells the options where the person declines, and asks no second time", async () => {
    await using own = await connected(era, [{ action: "decline" }, { action: "decline" }]);
    const told = await own.client.callTool({ name: "send-order-elsewhere", arguments: input });
    expect(textOf(told)).toContain("CHOICE_NEEDED");
    expect(own.asked).toHaveLength(1);
  });

  test.each(["twice", "run_skill"])("asks for one choice after the other, by %s", async (tool) => {
    const answers: readonly Answer[] = ["M", "8"].map((choice) => ({
      action: "accept",
      content: { choice },
    }));
    await using own = await connected(era, answers);
    const args = tool === "twice" ? {} : { name: "twice", input: {} };
    const done = await own.client.callTool({ name: tool, arguments: args });
    expect(done.structuredContent).toEqual({ size: "M", number: 8 });
    expect(own.asked.map(({ values }) => values)).toEqual([
      ["S", "M"],
      ["7", "8"],
    ]);
  });

  test("asks nobody for what a skill needs that another one calls", async () => {
    await using own = await connected(era, [{ action: "accept", content: { choice: "M" } }]);
    const told = await own.client.callTool({ name: "above", arguments: {} });
    expect(textOf(told)).toContain("CHOICE_NEEDED");
    expect(own.asked).toEqual([]);
  });
});
