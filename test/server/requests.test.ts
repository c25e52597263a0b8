import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Workplace } from "./connected-client.ts";
import { clientOf, legacySession, modernHeaders, modernMeta, post, servedApp } from "./served-app.ts";

const CONTACT = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { name: { type: "string", "x-mcp-header": "Name" }, phone: { type: "string" } },
  allOf: [{ anyOf: [{ required: ["name"] }, { required: ["phone"] }] }],
  if: { not: { required: ["phone"] } },
  else: { required: ["name"] },
  additionalProperties: false,
};
const SKILLS = {
  loop: `export default (): void => { for (;;) {} }`,
  greet: `export default (): string => "Hello"`,
  contact: `export const inputSchema = ${JSON.stringify(CONTACT)};
export default (who: { name?: string; phone?: string }): string => who.name + " " + who.phone`,
};

let workplace: Workplace;
let served: Awaited<ReturnType<typeof servedApp>>;
beforeAll(async () => {
  workplace = await Workplace.create(SKILLS, { limits: { cpuMs: 25_000 }, traces: { visible: "all" } });
  served = await servedApp(workplace);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await workplace[Symbol.asyncDispose]();
});

/** What has become of the runs of `loop`, newest first. */
async function loops(): Promise<readonly string[]> {
  const page = await served.app.traces.runs({ name: "loop", limit: 10 });
  return page.ok ? page.value.runs.map(({ status }) => status) : [page.error.message];
}

test.each([
  ["in a session of the 2025 revisions", async () => (await legacySession(served.url)).headers, {}],
  ["where there are no sessions", async () => modernHeaders("tools/call", "loop"), { _meta: modernMeta() }],
])("a run whose client has gone is cancelled, %s", async (_, headersOf, meta) => {
  const headers = await headersOf();
  const before = await loops();
  const gone = new AbortController();
  const params = { name: "loop", arguments: {}, ...meta };
  const call = { jsonrpc: "2.0", id: 77, method: "tools/call", params };
  const answer = post(served.url, call, headers, gone.signal).catch(() => "gone");
  await expect.poll(loops, { timeout: 10_000 }).toEqual(["running", ...before]);
  gone.abort();
  expect(await answer).toBe("gone");
  await expect.poll(loops, { timeout: 10_000 }).toEqual(["cancelled", ...before]);
});

test.each([
  [
    "a notification",
    async (headers: Readonly<Record<string, string>>) => {
      const params = { requestId: 78, reason: "enough" };
      await post(served.url, { jsonrpc: "2.0", method: "notifications/cancelled", params }, headers);
    },
  ],
  [
    "the end of its session",
    async (headers: Readonly<Record<string, string>>) => {
      await fetch(served.url, { method: "DELETE", headers });
    },
  ],
])("a run is cancelled by %s, and its stream ends without an answer", async (_, cancel) => {
  const { headers } = await legacySession(served.url);
  const before = await loops();
  const params = { name: "loop", arguments: {} };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 78, method: "tools/call", params });
  const types = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const answer = fetch(served.url, { method: "POST", headers: { ...headers, ...types }, body });
  await expect.poll(loops, { timeout: 10_000 }).toEqual(["running", ...before]);
  await cancel(headers);
  expect(await (await answer).text()).toBe("");
  await expect.poll(loops, { timeout: 10_000 }).toEqual(["cancelled", ...before]);
});

test("an id that a running request has is refused, and is free when that has been answered", async () => {
  const { headers } = await legacySession(served.url);
  const gone = new AbortController();
  const call = (name: string, signal?: AbortSignal) =>
    post(
      served.url,
      { jsonrpc: "2.0", id: "one", method: "tools/call", params: { name, arguments: {} } },
      headers,
      signal,
    );
  const before = await loops();
  const first = call("loop", gone.signal).catch(() => "gone");
  await expect.poll(loops, { timeout: 10_000 }).toEqual(["running", ...before]);
  const second = await call("greet");
  expect(second).toMatchObject({ status: 400, body: { id: "one", error: { code: -32_600 } } });
  gone.abort();
  await first;
  await expect.poll(loops, { timeout: 10_000 }).toEqual(["cancelled", ...before]);
  for (const _ of [1, 2]) {
    const answered = await call("greet");
    expect(answered.body).toMatchObject({
      id: "one",
      result: { structuredContent: { result: "Hello" } },
    });
  }
});

describe("parameters that are not as they should be", () => {
  test.each<[string, object, string]>([
    ["resources/read", {}, "uri: "],
    ["resources/read", { uri: 5 }, "uri: "],
    ["resources/list", { cursor: 5 }, "cursor: "],
    ["tools/list", { cursor: 5 }, "cursor: "],
    ["tools/call", { name: 5 }, "name: "],
    ["tools/call", { name: "greet", arguments: [] }, "arguments: "],
    ["initialize", {}, "protocolVersion: "],
  ])("of %s, %j, are told in a line", async (method, params, place) => {
    const session = await legacySession(served.url);
    const { body } = await session(method, params);
    expect(body).toMatchObject({ error: { code: -32_602 } });
    const { message } = body["error"] as { message: string };
    expect(message).toMatch(/^Invalid params: [^\n[\]{}]+$/);
    expect(message).toContain(place);
    if (method === "initialize") return;
    const meta = { _meta: modernMeta() };
    const name = "name" in params ? String(params.name) : "uri" in params ? String(params.uri) : "";
    const modern = await post(
      served.url,
      { jsonrpc: "2.0", id: 1, method, params: { ...params, ...meta } },
      modernHeaders(method, name),
    );
    expect(modern.body).toMatchObject({ id: 1, error: { code: -32_602, message } });
  });

  test("open no session", async () => {
    const opened = await post(served.url, { jsonrpc: "2.0", id: 4, method: "initialize", params: {} });
    expect(opened).toMatchObject({ status: 400, body: { id: 4, error: { code: -32_602 } } });
    expect(opened.headers.get("mcp-session-id")).toBeNull();
  });
});

test("a schema is published as it stands where the revision allows, else without what narrows it; it holds in both", async () => {
  const whole = { ...CONTACT, properties: { ...CONTACT.properties, name: { type: "string" } } };
  const { allOf: _allOf, ...plain } = whole;
  for (const [era, expected] of [
    ["modern", whole],
    ["legacy", plain],
  ] as const) {
    const client = await clientOf(served.url, era);
    const { tools } = await client.listTools();
    expect(tools.find((tool) => tool.name === "contact")?.inputSchema).toEqual(expected);
    const both = { name: "Ada", phone: "1" };
    const right = await client.callTool({ name: "contact", arguments: both });
    expect(right.structuredContent).toEqual({ result: "Ada 1" });
    for (const wrong of [{}, { phone: "1" }, { ...both, fax: "2" }])
      expect(await client.callTool({ name: "contact", arguments: wrong })).toMatchObject({ isError: true });
    await client.close();
  }
});
