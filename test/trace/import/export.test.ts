import fc from "fast-check";
import { expect, test } from "vitest";
import { exportTraces } from "../../../src/trace/import/export-traces.ts";
import { callsOf, fixture, imported } from "./imported.ts";

const tool = fc.stringMatching(/^[a-z][a-z_.]{0,12}$/);
// What a text may carry as JSON is read as JSON, so that no text here is one.
const text = fc
  .string({ maxLength: 20 })
  .filter((each) => !/^\s*["[{]|^\s*$|error|exception|failed|traceback/i.test(each));
const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
const value = fc.oneof(
  leaf,
  fc.dictionary(fc.string({ maxLength: 8 }), leaf),
  fc.array(fc.integer(), { maxLength: 4 }),
);
const call = fc.record({
  tool,
  args: fc.dictionary(fc.string({ maxLength: 8 }), value),
  result: value,
  error: fc.constant(false),
});
const runs = fc.array(
  fc.record({ id: fc.uuid(), task: text, calls: fc.array(call, { minLength: 1, maxLength: 6 }) }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

test.each(["jsonl", "chat", "otlp"] as const)(
  "what is exported as %s has the same calls when it is imported",
  async (format) => {
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(runs, async (records) => {
        const { traces } = await imported(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
        const again = await imported(exportTraces(traces, format));
        expect(again.traces.map(callsOf)).toEqual(traces.map((trace) => callsOf(trace).map(asText(format))));
        expect(again.traces.map(({ task }) => task)).toEqual(traces.map(({ task }) => task));
      }),
      { numRuns: 100 },
    );
  },
);

// A chat's results are texts: a number or a truth value comes back as one.
function asText(format: string) {
  return (each: ReturnType<typeof callsOf>[number]): ReturnType<typeof callsOf>[number] =>
    format === "chat" &&
    (each.result === null || typeof each.result === "number" || typeof each.result === "boolean")
      ? { ...each, result: String(each.result) }
      : each;
}

test.each(["jsonl", "chat", "otlp"] as const)(
  "failures and calls without an answer survive as %s",
  async (format) => {
    const { traces } = await imported(
      Buffer.concat([fixture("openai-chat.finetune.jsonl"), fixture("plain-calls.orders.jsonl")]),
    );
    const again = await imported(exportTraces(traces, format));
    const outcome = ({ tool: name, args, failed }: ReturnType<typeof callsOf>[number]): unknown => [
      name,
      args,
      failed,
    ];
    expect(again.traces.map((trace) => callsOf(trace).map(outcome))).toEqual(
      traces.map((trace) => callsOf(trace).map(outcome)),
    );
  },
);
