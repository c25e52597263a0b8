import { expect, test } from "vitest";
import { exactJson } from "../../src/core/json/exact-json.ts";
import { importTraces } from "../../src/trace/import/import-traces.ts";

test("numbers that a double cannot hold are their text", () => {
  const text = '{"id":9007199254740993,"big":[12345678901234567890,-9007199254740993],"far":1e400}';
  expect(exactJson(text)).toEqual({
    id: "9007199254740993",
    big: ["12345678901234567890", "-9007199254740993"],
    far: "1e400",
  });
});

test.each([
  "9007199254740991",
  "-1",
  "0.1234567890123456789",
  "9876543210123456",
  "-9007199254740992",
  "1e21",
  "1.5e-300",
  '"12345678901234567890"',
  "[]",
])("%s is what JSON says", (text) => {
  expect(exactJson(text)).toEqual(JSON.parse(text));
});

test("what is no JSON throws", () => {
  expect(() => exactJson('{"id":9007199254740993')).toThrow(SyntaxError);
});

test("an imported call has the id that the transcript has, in arguments and answers", async () => {
  const messages = [
    {
      role: "assistant",
      tool_calls: [
        { id: "1", type: "function", function: { name: "ban", arguments: '{"id":9007199254740993}' } },
      ],
    },
    { role: "tool", tool_call_id: "1", content: '{"banned":[9007199254740993]}' },
  ];
  for await (const item of importTraces([Buffer.from(JSON.stringify({ messages }))])) {
    if (item.kind !== "trace") continue;
    const call = item.trace.events.find(({ eventType }) => eventType === "tool_call");
    expect(call).toMatchObject({
      inputs: { id: "9007199254740993" },
      outputs: { banned: ["9007199254740993"] },
    });
  }
  expect.assertions(1);
});
