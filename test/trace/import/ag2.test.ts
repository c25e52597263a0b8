import { expect, test } from "vitest";
import { callsOf, fixture, imported } from "./imported.ts";

const chat = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index}`,
  }));
const asks = (...ids: readonly string[]): object => ({
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => ({
    id,
    type: "function",
    function: { name: "get_order", arguments: `{"of":"${id}"}` },
  })),
});
const responses = (...ids: readonly string[]): object => ({
  role: "tool",
  content: ids.map((id) => `order ${id}`).join("\n\n"),
  tool_responses: ids.map((id) => ({ tool_call_id: id, role: "tool", content: `order ${id}` })),
});

test.each([0, 1, 100, 900, 1500])(
  "after %d ordinary chat messages, the results of AG2 are still those of their calls",
  async (count) => {
    const messages = [...chat(count), asks("a", "b"), responses("b", "a"), asks("c"), responses("c")];
    const { formats, traces, skipped } = await imported(JSON.stringify(messages));
    if (count <= 900) expect(formats).toEqual(["ag2"]);
    expect(skipped).toEqual({});
    expect(traces.flatMap(callsOf)).toEqual(
      ["a", "b", "c"].map((id) => ({
        tool: "get_order",
        args: { of: id },
        result: `order ${id}`,
        failed: false,
      })),
    );
  },
);

test.each([
  ["several calls", [asks("a", "b"), { role: "tool", content: "of which?" }], { unpaired: 1 }],
  ["one call", [asks("a"), { role: "tool", content: "of a" }], {}],
  [
    "no call",
    [asks("a"), { role: "tool", tool_call_id: "a", content: "of a" }, { role: "tool", content: "?" }],
    { "no-call": 1 },
  ],
])("a result without an id, where %s waits, is not guessed", async (_, messages, told) => {
  const { traces, skipped } = await imported(JSON.stringify([...chat(2), ...messages]));
  expect(skipped).toEqual(told);
  const [first, second] = traces.flatMap(callsOf);
  expect(first?.result).toBe("unpaired" in told ? undefined : "of a");
  expect(second?.result).toBeUndefined();
});

test("a result that names its tool is that of the only call of it that waits", async () => {
  const other = { id: "z", type: "function", function: { name: "find_user", arguments: "{}" } };
  const messages = [
    { role: "user", content: "Go." },
    {
      role: "assistant",
      content: null,
      tool_calls: [other, { ...other, id: "y", function: { ...other.function, name: "get_order" } }],
    },
    { role: "tool", name: "get_order", content: "an order" },
    { role: "tool", name: "find_user", content: "a user" },
  ];
  const { traces } = await imported(JSON.stringify({ messages }));
  expect(traces.flatMap(callsOf).map(({ tool, result }) => [tool, result])).toEqual([
    ["find_user", "a user"],
    ["get_order", "an order"],
  ]);
});

test("the history of a chat that AG2 ran has its results at their calls", async () => {
  const { formats, traces, skipped } = await imported(fixture("ag2.history.json"));
  expect(formats).toEqual(["ag2"]);
  expect(skipped).toEqual({});
  expect(traces.map(({ task }) => task)).toEqual(["Refund order A-2 if it is late, and tell Mia."]);
  expect(traces.flatMap(callsOf)).toEqual([
    { tool: "get_order", args: { order_id: "A-1" }, result: { id: "A-1", late: false }, failed: false },
    { tool: "get_order", args: { order_id: "A-2" }, result: { id: "A-2", late: true }, failed: false },
    { tool: "refund", args: { order_id: "A-2" }, result: { refunded: "A-2", amount: 12.5 }, failed: false },
    { tool: "send_mail", args: { to: "mia", text: "?" }, result: "Error: SMTP 451 try again", failed: true },
    { tool: "send_mail", args: { to: "mia", text: "Refunded." }, result: "sent id=M-9", failed: false },
  ]);
});
