import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ERAS, type Era, ROOT, textOf, Workplace } from "./connected-client.ts";
import { servedApp } from "./served-app.ts";

const MOVE = `export default async ({ id, street }: { id: string; street: string }): Promise<{ street: string }> => {
  const { order } = await call_tool("shop.get_order", { id });
  await call_tool("shop.update_order_address", { id, shipTo: { ...order.shipTo, street } });
  return { street };
};`;
const STREET = `export default async ({ id }: { id: string }): Promise<string> =>
  (await call_tool("shop.get_order", { id })).order.shipTo.street;`;

const NAME = `export default async ({ id }: { id: string }): Promise<{ name: string }> => {
  const { order } = await call_tool("shop.get_order", { id });
  return call_tool("repertoire.ask_model", {
    prompt: "Give the order a name.", inputs: { status: order.status },
    schema: { type: "object", properties: { name: { type: "string", minLength: 3 } }, required: ["name"] },
  });
};`;

let workplace: Workplace;
let served: Awaited<ReturnType<typeof servedApp>>;
beforeAll(async () => {
  const shop = { command: process.execPath, args: [join(ROOT, "examples/shop-server.ts")] };
  workplace = await Workplace.create(
    { move: MOVE, street: STREET, "name-order": NAME },
    { data: "own", mcpServers: { shop }, traces: { visible: "all" } },
  );
  await writeFile(
    join(workplace.skills, "move/SKILL.md"),
    "---\nname: move\ndescription: Sends an order elsewhere.\ndurable: confirm\n---\n",
  );
  await writeFile(
    join(workplace.skills, "name-order/SKILL.md"),
    "---\nname: name-order\ndescription: Names an order.\ndurable: true\n---\n",
  );
  served = await servedApp(workplace);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await workplace[Symbol.asyncDispose]();
});

interface Connected extends AsyncDisposable {
  readonly client: Client;
  readonly asked: string[];
}

/** A client behind which a person says yes or no, or nobody is. */
async function connected(era: Era, verdict?: "call" | "keep"): Promise<Connected> {
  const asked: string[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
      ...(verdict === undefined ? {} : { capabilities: { elicitation: {} } }),
    },
  );
  if (verdict !== undefined)
    client.setRequestHandler("elicitation/create", ({ params: { message } }) => {
      asked.push(message);
      return { action: "accept", content: { verdict } };
    });
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  return { client, asked, [Symbol.asyncDispose]: async () => client.close() };
}

const ORDER = "O-1002";

async function streetNow({ client }: Connected): Promise<string> {
  return textOf(await client.callTool({ name: "street", arguments: { id: ORDER } }));
}

async function waitingRun({ client }: Connected, street: string): Promise<string> {
  const told = await client.callTool({ name: "move", arguments: { id: ORDER, street } });
  expect(told.isError).toBe(true);
  expect(textOf(told)).toContain("RUN_WAITING");
  return /The run ([\w-]+) waits/.exec(textOf(told))?.[1] ?? "";
}

async function reviewed({ client }: Connected, run: string, action: string, more: object = {}) {
  return client.callTool({ name: "review_run", arguments: { run, action, ...more } });
}

describe.each(ERAS)("a durable run that is called by a client of the %s era", (era) => {
  test("writes once the person behind the client has approved the call, which is shown with its input", async () => {
    await using own = await connected(era, "call");
    const street = `Elm Street ${era}`;
    const run = await waitingRun(own, street);
    expect(await streetNow(own)).not.toContain(street);
    const shown = await reviewed(own, run, "show");
    await expect
      .poll(async () => (await own.client.callTool({ name: "list_runs", arguments: {} })).structuredContent)
      .toMatchObject({
        runs: expect.arrayContaining([expect.objectContaining({ runId: run, status: "waiting" })]),
      });
    expect(shown.structuredContent).toMatchObject({
      state: "waiting",
      calls: [{ tool: "shop.get_order" }, { tool: "shop.update_order_address", state: "unapproved" }],
    });
    expect((await reviewed(own, run, "approve")).structuredContent).toEqual({ street });
    expect(own.asked).toEqual([expect.stringContaining(`shipTo.street: "${street}"`)]);
    expect(await streetNow(own)).toContain(street);
    expect(textOf(await reviewed(own, run, "approve"))).toContain("RUN_STATE");
  });

  test("goes on waiting where the person says no, or nobody can be asked; refused, it fails and has written nothing", async () => {
    await using nobody = await connected(era);
    await using own = await connected(era, "keep");
    const run = await waitingRun(nobody, "Nowhere 1");
    expect(textOf(await reviewed(nobody, run, "approve"))).toContain(`runs approve ${run}`);
    expect(textOf(await reviewed(own, run, "approve"))).toContain("the person declined");
    expect(textOf(await reviewed(own, run, "refuse"))).toContain("RUN_UNAPPROVED");
    expect(textOf(await reviewed(own, run, "resume"))).toContain("RUN_STATE");
    expect(await streetNow(own)).not.toContain("Nowhere 1");
  });

  test("a question to a model that is not there is answered by the client's own, and nobody is asked", async () => {
    await using own = await connected(era, "call");
    const told = await own.client.callTool({ name: "name-order", arguments: { id: ORDER } });
    expect(textOf(told)).toMatch(/RUN_WAITING.*asks a model[\s\S]*review_run/);
    const run = /The run ([\w-]+) waits/.exec(textOf(told))?.[1] ?? "";
    const { structuredContent } = await reviewed(own, run, "show");
    expect(structuredContent).toMatchObject({
      calls: [{}, { state: "asked", input: { prompt: "Give the order a name." } }],
    });
    expect(textOf(await reviewed(own, run, "answer", { answer: { name: "x" } }))).toContain(
      "name must NOT have fewer than 3 characters",
    );
    const answered = await reviewed(own, run, "answer", { answer: { name: "Lamps" } });
    expect(answered.structuredContent).toEqual({ name: "Lamps" });
    expect(own.asked).toEqual([]);
  });

  test("a call that writes is not answered by the client's model", async () => {
    await using own = await connected(era, "keep");
    const run = await waitingRun(own, "Model Street 1");
    expect(textOf(await reviewed(own, run, "answer", { answer: {} }))).toContain("RUN_STATE");
    expect(textOf(await reviewed(own, run, "skip", { answer: {} }))).toContain("the person declined");
    expect(await streetNow(own)).not.toContain("Model Street 1");
    await reviewed(own, run, "refuse");
  });
});
