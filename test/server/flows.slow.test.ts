import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Expression } from "../../src/learn/plan/plan.ts";
import { ERAS, type Era, ROOT, textOf, Workplace } from "./connected-client.ts";
import { modernCall, servedApp } from "./served-app.ts";

const READER = `export default async function run({ id }: { id: string }): Promise<{ name: string }> {
  const { name } = await call_tool("shop.find_customer", { email: id });
  return { name };
}`;
const WRITER = `export default async function run({ id, city }: { id: string; city: string }): Promise<void> {
  await call_tool("shop.update_order_address", { id, address: { street: "S 1", city, postcode: "1" } });
}`;
const PAIR = `export default async function run({ id }: { id: string }): Promise<void> {
  const { name } = await call_skill("customer-name", { id });
  await call_skill("address-set", { id: "O-1", city: name });
}`;

let workplace: Workplace;
let served: Awaited<ReturnType<typeof servedApp>>;
beforeAll(async () => {
  const args = ["--disable-warning=ExperimentalWarning", join(ROOT, "examples/shop-server.ts")];
  workplace = await Workplace.create(
    { "customer-name": READER, "address-set": WRITER, "name-as-city": PAIR },
    {
      data: "own",
      flows: { untrustedIntoWrites: "ask" },
      mcpServers: { shop: { command: process.execPath, args } },
    },
  );
  served = await servedApp(workplace);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await workplace[Symbol.asyncDispose]();
});

const input = { id: "nobody@example.org" };

/** A client behind which a person gives this verdict; without one, nobody can be asked. */
async function connected(
  era: Era,
  verdict?: string,
): Promise<{ readonly client: Client; readonly asked: string[] } & AsyncDisposable> {
  const asked: string[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
      ...(verdict === undefined ? {} : { capabilities: { elicitation: {} } }),
    },
  );
  if (verdict !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept" as const, content: { verdict } };
    });
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  return { client, asked, [Symbol.asyncDispose]: async () => client.close() };
}

describe.each(ERAS)("a run that can write what an untrusted tool answers (%s)", (era) => {
  test("begins when the person behind the client wants it, who is shown the flow", async () => {
    await using person = await connected(era, "run");
    const result = await person.client.callTool({ name: "name-as-city", arguments: input });
    expect(person.asked).toHaveLength(1);
    expect(person.asked[0]).toContain(
      "shop.find_customer -> shop.update_order_address `address`: its text goes there",
    );
    // The shop has no such customer: the run has begun.
    expect(textOf(result)).toContain("In skill");
    expect(textOf(result)).not.toContain("RUN_UNAPPROVED");
  });

  test("does not begin when the person declines", async () => {
    await using person = await connected(era, "keep");
    const result = await person.client.callTool({
      name: "run_skill",
      arguments: { name: "name-as-city", input },
    });
    expect(person.asked).toHaveLength(1);
    expect(textOf(result)).toMatch(/^RUN_UNAPPROVED: .*the person declined/);
  });

  test("does not begin where nobody can be asked", async () => {
    await using alone = await connected(era);
    const result = await alone.client.callTool({ name: "name-as-city", arguments: input });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^RUN_UNAPPROVED: .*cannot ask a person/);
  });

  test("is asked about, and each of its two skills is not", async () => {
    await using person = await connected(era, "keep");
    for (const [name, given] of [
      ["customer-name", input],
      ["address-set", { id: "O-0", city: "Ulm" }],
    ] as const)
      expect(textOf(await person.client.callTool({ name, arguments: given }))).not.toContain(
        "RUN_UNAPPROVED",
      );
    expect(person.asked).toEqual([]);
  });

  test("is described with the flow", async () => {
    await using alone = await connected(era);
    const of = async (name: string): Promise<unknown> => {
      const { structuredContent } = await alone.client.callTool({
        name: "describe_skill",
        arguments: { name },
      });
      return structuredContent;
    };
    const flow = {
      source: "shop.find_customer",
      write: "shop.update_order_address",
      argument: "address",
      kind: "value",
      through: ["customer-name", "name-as-city", "address-set"],
    };
    expect(await of("name-as-city")).toMatchObject({ flows: [flow] });
    expect(await of("customer-name")).toMatchObject({ flows: [] });
    expect(await of("address-set")).toMatchObject({ flows: [] });
  });
});

test("a yes to one input is none to another", async () => {
  const asking = await modernCall(served.url, "name-as-city", input);
  const { requestState } = asking.body["result"] as { requestState: string };
  const yes = {
    inputResponses: { verdict: { action: "accept", content: { verdict: "run" } } },
    requestState,
  };
  const other = await modernCall(served.url, "name-as-city", { id: "someone@else" }, yes);
  expect(other.body["result"]).toMatchObject({ resultType: "input_required" });
  const same = await modernCall(served.url, "name-as-city", input, yes);
  expect(same.body["result"]).not.toMatchObject({ resultType: "input_required" });
});

test("the person sees each value of the input by itself, and nothing in it is hidden", async () => {
  await using person = await connected("legacy", "keep");
  const given = {
    pad: "x".repeat(5000),
    list: Array.from({ length: 500 }, () => "y"),
    order: { note: "z".repeat(5000), to: "DEEP" },
    "a\u202eb.c": "left\u200b\u202eright\nline",
    id: "RECIPIENT",
  };
  await person.client.callTool({ name: "run_skill", arguments: { name: "name-as-city", input: given } });
  const [message = ""] = person.asked;
  expect(message).toMatch(/^- id: "RECIPIENT"$/m);
  expect(message).toMatch(/^- pad: "x+… \(\d+ more characters\)$/m);
  expect(message).toMatch(/^- order\.to: "DEEP"$/m);
  expect(message).toContain(String.raw`- ["a\u{202e}b.c"]: "left\u{200b}\u{202e}right\nline"`);
  expect(message).toMatch(/^- list: 480 more values, which are not shown$/m);
});

test("a yes holds no longer when a skill that is called has changed", async () => {
  const asking = await modernCall(served.url, "name-as-city", input);
  const { requestState } = asking.body["result"] as { requestState: string };
  const yes = {
    inputResponses: { verdict: { action: "accept", content: { verdict: "run" } } },
    requestState,
  };
  await workplace.write("address-set", `${WRITER}\n// another\n`);
  await served.app.catalog.then((catalog) => catalog.reload());
  const changed = await modernCall(served.url, "name-as-city", input, yes);
  expect(changed.body["result"]).toMatchObject({ resultType: "input_required" });
});

test("the review of a draft that calls skills shows the flows through them", async () => {
  const id: Expression = { kind: "param", name: "id" };
  const object = (fields: Readonly<Record<string, Expression>>): Expression => ({
    kind: "object",
    fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
  });
  const made = await served.app.extraction.drafts.create({
    plan: {
      version: 1,
      name: "city-of-customer",
      params: [
        {
          name: "id",
          schema: { type: "string" },
          example: "a@b.example",
          origins: [{ call: 0, at: "args", path: ["id"] }],
        },
      ],
      steps: [
        { kind: "call", name: "customer", tool: "customer-name", args: object({ id }), isSkill: true },
        {
          kind: "call",
          name: "done",
          tool: "address-set",
          args: object({
            id: { kind: "constant", value: "O-1" },
            city: { kind: "field", of: { kind: "ref", name: "customer" }, path: ["name"] },
          }),
          isSkill: true,
        },
      ],
      output: { value: { kind: "ref", name: "done" }, schema: {} },
    },
    traces: [
      {
        trace: {
          id: "run-1",
          calls: [
            { tool: "customer-name", args: { id: "a@b.example" }, result: { name: "Ada" } },
            { tool: "address-set", args: { id: "O-1", city: "Ada" }, result: null },
          ],
        },
      },
    ],
    by: "ada",
  });
  if (!made.ok) throw new Error(made.error.message);
  const { name } = made.value;
  await using alone = await connected("modern");
  const review = async (action: string): Promise<unknown> => {
    const given = { name: "review_draft", arguments: { name, action } };
    return (await alone.client.callTool(given)).structuredContent;
  };
  const flow = {
    source: "shop.find_customer",
    write: "shop.update_order_address",
    argument: "address",
    kind: "value",
    through: ["customer-name", name, "address-set"],
  };
  expect(await review("verify")).toMatchObject({ draft: { composed: [flow] } });
  expect(await review("show")).toMatchObject({
    draft: {
      composed: [flow],
      attention: expect.arrayContaining([
        {
          kind: "untrusted-flow",
          text: expect.stringContaining("shop.find_customer -> shop.update_order_address `address`"),
        },
      ]),
    },
  });
});
