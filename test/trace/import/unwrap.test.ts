import { createReadStream, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import type { TraceEvent } from "../../../src/core/trace-event.ts";
import { importTraces } from "../../../src/trace/import/import-traces.ts";
import { callsOf, imported } from "./imported.ts";

/** The call that this is told to have answered, in a conversation. */
async function answered(content: Json): Promise<TraceEvent | undefined> {
  const call = { id: "c1", type: "function", function: { name: "look_up", arguments: "{}" } };
  const messages = [
    { role: "user", content: "Look it up." },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content },
  ];
  const { traces } = await imported(JSON.stringify({ messages }));
  return traces[0]?.events.find(({ eventType }) => eventType === "tool_call");
}

const ORDER = { order_id: "A-1", items: [{ sku: "mug", price: 4.5 }], note: `It's "new"\n` };
const REFUSED = "Error executing tool refund: order A-2 is not paid";

/** What the Python SDK of MCP prints for the same results, in two of its versions. */
const sdks = ["mcp-1.json", "mcp-2.json"].flatMap((name) => {
  const path = fileURLToPath(new URL(`../../fixtures/answers/${name}`, import.meta.url));
  const { mcp, dumps } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly mcp: string;
    readonly dumps: Readonly<Record<string, string>>;
  };
  return Object.entries(dumps).map(([form, text]) => ({ mcp, form, text }));
});

const OTHERS: Readonly<Record<string, Json>> = {
  structured: { result: [1, 2] },
  annot: "12",
  img: [{ type: "image", data: "aGk=", annotations: null, meta: null }, { w: 3 }],
  res: { a: 1 },
};

test.each(sdks)("mcp $mcp: $form is the value in it", async ({ form, text }) => {
  const call = await answered(text);
  if (form.startsWith("err "))
    expect(call).toMatchObject({ status: "failed", outputs: REFUSED, errorMessage: REFUSED });
  else expect(call).toMatchObject({ status: "completed", outputs: OTHERS[form] ?? ORDER });
});

test.each(["mcp-1.json", "mcp-2.json"])("values that Python prints are data (%s)", async (name) => {
  const path = fileURLToPath(new URL(`../../fixtures/answers/${name}`, import.meta.url));
  const { values } = JSON.parse(readFileSync(path, "utf8")) as { readonly values: Record<string, string> };
  expect((await answered(values["dict"] ?? ""))?.outputs).toEqual({
    ...{ id: "00000000-0000-0000-0000-000000000005", total: 12.5, none: null, ok: true },
    ...{ at: "2026-01-05T10:00:03+00:00", day: "2026-01-05", s: "open", t: "a", tags: ["x"], p: [1, 2] },
    ...{ u: "ü😀\u200b", q: "it's", b: "back\\slash" },
  });
  expect((await answered(values["rows"] ?? ""))?.outputs).toEqual([{ id: 1, t: "2026-01-05T00:00:00" }]);
});

const block = (text: string, more: object = {}): Json => ({ type: "text", text, ...more });
const result = (value: Json, more: object = {}): Json => ({
  content: [block(JSON.stringify(value))],
  ...more,
});

test.each<[string, Json, Json]>([
  ["a block alone", block('{"id":7}'), { id: 7 }],
  ["a block in a text", JSON.stringify(block('{"id":7}', { annotations: null, meta: null })), { id: 7 }],
  ["blocks, each an element", [block('{"id":7}'), block('{"id":8}')], [{ id: 7 }, { id: 8 }]],
  ["blocks of prose", [block("one"), block("two")], "one\ntwo"],
  [
    "a result with empty members",
    result({ id: 7 }, { _meta: null, isError: false, structuredContent: null }),
    { id: 7 },
  ],
  ["structured content", { content: [block("seven")], structuredContent: { id: 7 } }, { id: 7 }],
  ["structured content that wraps", result([7], { structuredContent: { result: [7] } }), [7]],
  ["an answer of JSON-RPC", JSON.stringify({ jsonrpc: "2.0", id: 3, result: result({ id: 7 }) }), { id: 7 }],
  ["results in results", result(result(result({ id: 7 }))), { id: 7 }],
  ["JSON that was encoded three times", JSON.stringify(JSON.stringify(JSON.stringify({ id: 7 }))), { id: 7 }],
  ["no content", { content: [], isError: false }, null],
  ["what Python prints in a server's text", { content: [block("[{'id': 7}]")] }, "[{'id': 7}]"],
  ["LangChain's blocks", [block('{"id":7}', { id: "lc_91d1" })], { id: 7 }],
  [
    "LangChain's message as its tracers write it",
    { type: "tool", data: { content: '{"id":7}', tool_call_id: "c", status: "success", artifact: null } },
    { id: 7 },
  ],
  [
    "LangChain's message as it is dumped",
    {
      lc: 1,
      type: "constructor",
      id: ["langchain", "schema", "messages", "ToolMessage"],
      kwargs: { content: "{'id': 7}", tool_call_id: "c" },
    },
    { id: 7 },
  ],
  ["a message of a tool, printed", "content='{\"id\":7}' name='look_up' tool_call_id='c'", { id: 7 }],
])("%s is what the tool gave", async (_, content, value) => {
  for (const dumped of [content, JSON.stringify(content)])
    expect(await answered(dumped)).toMatchObject({ status: "completed", outputs: value });
});

test.each<[string, Json]>([
  ["a record with a text", { type: "text", text: "Hello", author: "u1" }],
  ["a block with an id of its own", [{ type: "text", text: "Hello", id: "b7" }]],
  ["a page whose content is a list", { content: [block("Hello")], title: "Page" }],
  ["other kinds of element", { type: "paragraph", text: "Hello" }],
  ["rich text of a document", [{ type: "text", text: { content: "Hello" } }]],
  ["a message in a mailbox", { id: "m1", content: "Hello", status: "error", from: "ann" }],
  ["a tool in a catalogue", { type: "tool", name: "hammer", content: "steel" }],
  ["data of a kind", { type: "tool", data: { name: "hammer" } }],
  ["a list of texts", ["a", "b"]],
])("data that looks like a wrapper stays: %s", async (_, value) => {
  expect(await answered(JSON.stringify(value))).toMatchObject({ status: "completed", outputs: value });
});

test.each([
  ["width=10 height=20"],
  ["level='info' msg='started'"],
  ["print('hello')"],
  ["(see below)"],
  ["('a', 1)"],
  ["{not json}"],
  ["[1, 2, ...]"],
  ["{'a': <object at 0x7f>}"],
  ["{'a': [TextContent(type='text', text='cut"],
  ["12"],
  ["007"],
])("a text that is none of these stays: %s", async (text) => {
  expect(await answered(text)).toMatchObject({ status: "completed", outputs: text });
});

test.each<[string, Json, string]>([
  ["MCP", { content: [block("no such order")], isError: true }, "no such order"],
  ["MCP in MCP", result({ content: [block("no such order")], isError: true }), "no such order"],
  [
    "MCP, saying it in JSON",
    result({ error: { message: "no such order", code: 7 } }, { isError: true }),
    "no such order",
  ],
  [
    "LangChain",
    { type: "tool", data: { content: "no such order", tool_call_id: "c", status: "error" } },
    "no such order",
  ],
  ["JSON-RPC", { jsonrpc: "2.0", id: 1, error: { code: -32602, message: "no such tool" } }, "no such tool"],
  ["JSON-RPC's error alone", { code: -32602, message: "no such tool" }, "no such tool"],
  [
    "an error object",
    { error: { name: "DatabaseError", message: "no such table", code: "42P01" } },
    "no such table",
  ],
  ["an error text", { error: "not found", statusCode: 404, message: "No such page" }, "not found"],
  [
    "a marked object",
    { object: "error", status: 400, code: "invalid", message: "bad id", request_id: "r" },
    "bad id",
  ],
  ["a marked kind", { type: "error", error: { type: "not_found_error", message: "gone" } }, "gone"],
  ["a flag", { success: false, message: "out of stock" }, "out of stock"],
  ["a flag and a code", { ok: false, error: "channel_not_found" }, "channel_not_found"],
  ["JSend", { status: "error", message: "out of stock", data: null }, "out of stock"],
  [
    "problem details",
    { type: "about:blank", title: "Not Found", status: 404, detail: "No user 9" },
    "No user 9",
  ],
  ["GitHub", { message: "Not Found", documentation_url: "https://docs", status: "404" }, "Not Found"],
  [
    "GraphQL",
    { errors: [{ message: "Cannot query field x", locations: [] }], data: null },
    "Cannot query field x",
  ],
  ["AWS", { __type: "com.amazon#ResourceNotFoundException", message: "no table" }, "no table"],
])("an answer in the form of %s is a failure", async (_, content, message) => {
  expect(await answered(JSON.stringify(content))).toMatchObject({ status: "failed", errorMessage: message });
});

test.each([
  ["Error: order W1 not found"],
  ['ERROR:  relation "orders" does not exist\nLINE 1: select * from orders\n                      ^'],
  ["Error (404): no such page"],
  ['FATAL:  password authentication failed for user "app"'],
  ["KeyError: 'order_id'"],
  ['psycopg2.errors.UndefinedTable: relation "x" does not exist'],
  ["requests.exceptions.HTTPError: 404 Client Error"],
  ["TypeError [ERR_INVALID_ARG_TYPE]: The path must be a string\n    at open (fs.js:1:2)"],
  ['Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 1'],
  ["MCP error -32602: Invalid arguments"],
  ["Error executing tool book: the room is taken"],
  ["An error occurred while running the tool. Please try again. Error: taken"],
])("a text that programs print for an error is a failure: %s", async (text) => {
  for (const content of [text, [block(text)] as Json])
    expect(await answered(content)).toMatchObject({ status: "failed", errorMessage: text });
});

test.each<[string, Json]>([
  ["data besides an empty error", { error: null, result: 3 }],
  ["data besides an error", { id: "job-1", status: "error", message: "disk full" }],
  ["partial data of GraphQL", { data: { user: { id: 1 } }, errors: [{ message: "no avatar" }] }],
  ["no error", { error: "none" }],
  ["an error rate", { error: 0.02 }],
  ["a check that says no", { success: false, missing: ["a.ts"] }],
  ["a message alone", { message: "Error: none of these were changed" }],
  ["a status that is no HTTP error", { title: "Ready", status: 200, type: "about:blank" }],
  ["a list of errors", [{ error: "typo", line: 3 }]],
  ["a search for errors", { results: [{ error: { message: "boom" } }] }],
  ["a settled error", { ok: true, error: "" }],
  ["a number", "Error: 0.02"],
  ["a metric", "MeanSquaredError: 0.113"],
  ["none", "Error: none"],
  ["a log", "ERROR: disk full\nINFO: cleaned up\nINFO: ready"],
  ["a log with times", "Error: lost connection\n2026-01-05 10:00:01 connected again"],
  ["a record", "error: timeout\nservice: billing\ncount: 3"],
  ["prose", "Errors: how to handle them"],
  ["a heading", "Error handling in Go: a guide"],
  ["a hyphen", "error-prone code was found in 3 files"],
  ["a measure", "standard_error: 0.5 mm"],
  ["a title", "Failed to boil the egg"],
  ["a word", "No errors were found."],
])("an answer that speaks of errors is no failure: %s", async (_, value) => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  expect(await answered(text)).toMatchObject({ status: "completed", outputs: value });
});

test("a value of a plain list of calls stays as it is told", async () => {
  const calls = [{ tool: "x", args: {}, result: "Error: as told", error: false }];
  const { traces } = await imported(JSON.stringify({ id: "a", calls }));
  expect(traces.flatMap(callsOf)).toEqual([{ tool: "x", args: {}, result: "Error: as told", failed: false }]);
});

const AGENTS = fileURLToPath(new URL("../../../../shared/data/agents", import.meta.url));
const conversations = existsSync(AGENTS)
  ? readdirSync(AGENTS, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith("messages.json"),
    )
  : [];

interface Item {
  readonly type?: string;
  readonly name?: string;
  readonly output?: string;
  readonly tool_calls?: readonly { readonly function: { readonly name: string } }[];
}

test("conversations as an agent had them are read call by call, with no answer left in its wrapper", async ({
  skip,
}) => {
  skip(conversations.length === 0, "../shared/data/agents is absent: no conversation is imported");
  const read = { calls: 0, failed: 0, isError: 0 };
  for (const path of conversations) {
    const items = JSON.parse(readFileSync(join(AGENTS, path), "utf8")) as readonly Item[];
    const made = items.flatMap(({ type, name, tool_calls: calls = [] }) =>
      type === "function_call" ? [name] : calls.map((call) => call.function.name),
    );
    const calls: TraceEvent[] = [];
    for await (const item of importTraces(createReadStream(join(AGENTS, path)))) {
      // A conversation that broke off before its first message.
      if (item.kind === "skipped" && item.reason === "nothing") continue;
      if (item.kind !== "trace") throw new Error(`${path}: ${item.message}`);
      calls.push(...item.trace.events.filter(({ eventType }) => eventType === "tool_call"));
    }
    expect(calls.map(({ agentName }) => agentName)).toEqual(made);
    const wrapped = calls.filter(({ outputs }) =>
      /^\{"(?:type":"text"|meta|content)/.test(JSON.stringify(outputs) ?? ""),
    );
    expect(wrapped).toEqual([]);
    read.calls += calls.length;
    read.failed += calls.filter(({ status }) => status === "failed").length;
    read.isError += items.filter(({ output }) => /\\?"isError\\?": ?true/.test(output ?? "")).length;
  }
  expect(read.failed).toBeGreaterThan(read.isError);
  expect(read.failed).toBeLessThan(read.calls / 5);
});
