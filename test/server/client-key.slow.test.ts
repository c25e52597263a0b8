import { expect, test } from "vitest";
import { KEY_SERVER } from "../upstream/key-server.ts";
import { newClient, stdioTransport, Workplace } from "./connected-client.ts";
import { servedApp } from "./served-app.ts";

test("a client's key is that of one call: the same for its attempts, another for another tool or input", async () => {
  const shop = { command: process.execPath, args: ["-e", KEY_SERVER], publish: true };
  await using workplace = await Workplace.create({}, { mcpServers: { shop } });
  const { client } = newClient("modern");
  await client.connect(stdioTransport(workplace));
  const keyOf = async (key: string | undefined, input: Record<string, unknown>): Promise<unknown> => {
    const _meta = key === undefined ? {} : { "repertoire/idempotencyKey": key };
    const { content } = await client.callTool({ name: "shop__write", arguments: input, _meta });
    return (JSON.parse((content as readonly { text: string }[])[0]?.text ?? "{}") as { key: unknown }).key;
  };
  const first = await keyOf("1", { id: "O-1" });
  expect(first).toEqual(expect.any(String));
  expect(await keyOf("1", { id: "O-1" })).toBe(first);
  expect(await keyOf("1", { id: "O-2" })).not.toBe(first);
  // However long it is, it is a key.
  const long = await keyOf("k".repeat(5000), {});
  expect(long).toEqual(expect.any(String));
  expect(await keyOf("k".repeat(5001), {})).not.toBe(long);
  expect(await keyOf(undefined, {})).toBeNull();
  await client.close();
});

test("over plain HTTP it is the header of its name", async () => {
  const shop = { command: process.execPath, args: ["-e", KEY_SERVER], publish: true };
  await using workplace = await Workplace.create({}, { mcpServers: { shop } });
  await using served = await servedApp(workplace);
  const keyOf = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
    const answer = await fetch(new URL("/tools/shop__write", served.url), {
      method: "POST",
      headers: { "content-type": "application/json", prefer: "unwrapped", ...headers },
      body: "{}",
    });
    return ((await answer.json()) as { readonly key: unknown }).key;
  };
  const first = await keyOf({ "idempotency-key": "1" });
  expect(first).toEqual(expect.any(String));
  expect(await keyOf({ "idempotency-key": "1" })).toBe(first);
  expect(await keyOf({ "idempotency-key": "2" })).not.toBe(first);
  expect(await keyOf({})).toBeNull();
});
