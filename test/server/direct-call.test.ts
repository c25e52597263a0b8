import { parseJSONRPCMessage, specTypeSchemas } from "@modelcontextprotocol/server";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { callRequestIn } from "../../src/server/transport/direct-call.ts";

const SEEN = [1, 0, "a", "", -1, 1.5, null, 2 ** 60];
const json = fc.jsonValue({ maxDepth: 2 });
const meta = fc.dictionary(
  fc.constantFrom("progressToken", "io.modelcontextprotocol/related-task", "traceparent", "own/key"),
  fc.oneof(fc.constantFrom(...SEEN), json),
);
const params = fc.record(
  {
    name: fc.oneof({ weight: 5, arbitrary: fc.constant("add") }, json),
    arguments: fc.oneof({ weight: 5, arbitrary: fc.dictionary(fc.string(), json) }, json),
    _meta: fc.oneof({ weight: 5, arbitrary: meta }, json),
  },
  { requiredKeys: ["name"] },
);
const extended = fc.oneof(
  { weight: 5, arbitrary: params },
  fc
    .tuple(params, fc.constantFrom("task", "inputResponses", "requestState"), json)
    .map(([known, name, value]) => Object.assign({ [name]: value }, known)),
);
const message = fc.record(
  {
    jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "1.0"),
    id: fc.constantFrom(...SEEN),
    method: fc.constantFrom("tools/call", "tools/call", "tools/list"),
    params: fc.oneof({ weight: 9, arbitrary: extended }, json),
  },
  { requiredKeys: ["jsonrpc", "method", "id", "params"] },
);

test("what is taken for a call is what the SDK's checks would pass on as it is", () => {
  let taken = 0;
  const property = fc.property(message, (given) => {
    const read: unknown = JSON.parse(JSON.stringify(given));
    const asked = callRequestIn(read);
    if (!asked) return;
    taken++;
    const { method, params: passed, id } = parseJSONRPCMessage(read) as unknown as Record<string, unknown>;
    const checked = specTypeSchemas.CallToolRequest["~standard"].validate({ method, params: passed });
    expect(checked).toEqual({ value: { method, params: asked.params } });
    expect(id).toBe(asked.id);
  });
  fc.assert(property, { numRuns: 3000 });
  expect(taken).toBeGreaterThan(100);
});

test.each([
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add" } },
  { id: "a", jsonrpc: "2.0", method: "tools/call", params: { arguments: { a: 1 }, name: "add" } },
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add", _meta: { progressToken: 1 } } },
])("a usual call is taken: %j", (usual) => {
  expect(callRequestIn(usual)).toEqual({ id: usual.id, params: usual.params });
});
