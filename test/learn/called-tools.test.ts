import { expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { withQualifiedTools } from "../../src/learn/recording/qualified-tools.ts";

const KNOWN = ["shop.get_order", "shop.list_orders", "my.mail.send", "files.get_order", "a.b__c", "a__b.c"];

function called(...tools: readonly string[]): readonly string[] {
  const calls = tools.map((tool) => ({ tool, args: {}, result: null }));
  return withQualifiedTools(
    { id: "1", calls },
    KNOWN.map((name) => ({ name })),
  ).calls.map(({ tool }) => tool);
}

test.each([
  { recorded: "shop.get_order", is: "shop.get_order" },
  { recorded: "mcp__shop__get_order", is: "shop.get_order" },
  { recorded: "shop__get_order", is: "shop.get_order" },
  { recorded: "mcp__repertoire__shop__get_order", is: "shop.get_order" },
  { recorded: "mcp__my__mail_send", is: "my.mail.send" },
  { recorded: "repertoire.shop__get_order", is: "shop.get_order" },
  { recorded: "my.mail_send", is: "my.mail.send" },
  { recorded: "list_orders", is: "shop.list_orders" },
])("$recorded is $is", ({ recorded, is }) => {
  expect(called(recorded)).toEqual([is]);
});

test.each(["get_order", "mcp__other__get_order", "mcp__a__b__c", "delete_order", "other.get_order"])(
  "%s stays, since it may be another server's",
  (tool) => {
    expect(called(tool)).toEqual([tool]);
  },
);

test("tools without a server's name are those of the only server that has all of them", () => {
  expect(called("get_order", "list_orders", "mcp__files__get_order")).toEqual([
    "shop.get_order",
    "shop.list_orders",
    "files.get_order",
  ]);
});

test("an answer has the shape that its server declares, so that a skill meets the same when it runs", () => {
  const bare = ["a.txt", "b.txt"];
  const answer = (result: Json, properties: object, error?: string) => {
    const call = { tool: "shop.get_order", args: {}, result, ...(error === undefined ? {} : { error }) };
    const outputSchema = { type: "object", properties: { ...properties } };
    const known = [{ name: "shop.get_order", outputSchema }];
    return withQualifiedTools({ id: "1", calls: [call] }, known).calls[0]?.result;
  };
  expect(answer(bare, { result: { type: "array" } })).toEqual({ result: bare });
  expect(answer({ result: bare }, { result: { type: "array" } })).toEqual({ result: bare });
  expect(answer({ id: 1 }, { result: {} })).toEqual({ result: { id: 1 } });
  expect(answer({ id: 1 }, { id: {} })).toEqual({ id: 1 });
  expect(answer(bare, { result: {}, more: {} })).toEqual(bare);
  expect(answer("no such order", { result: {} }, "no such order")).toBe("no such order");
});
