import { expect, test } from "vitest";
import { type Call, callsOf, fixture, imported, total } from "./imported.ts";

// What real libraries wrote of the same piece of work: `test/fixtures/README.md` tells which.

const TASK = "Refund order A-1 for ann@example.org and write to her.";
const REFUND = { order_id: "A-1", amount: 12.5 };
const CALLS: readonly Omit<Call, "result">[] = [
  { tool: "get_order", args: { order_id: "A-1" }, failed: false },
  { tool: "get_customer", args: { email: "ann@example.org" }, failed: false },
  { tool: "refund", args: REFUND, failed: true },
  { tool: "refund", args: REFUND, failed: false },
  { tool: "send_mail", args: { to: "ann@example.org", body: "R-9 über 12,50 €" }, failed: false },
];
const RESULTS = [
  { order_id: "A-1", total: 12.5, paid: true, customer: { id: "C-7", name: "Ann Ö." }, placed: null },
  { id: "C-7", email: "ann@example.org" },
  { refund_id: "R-9", order_id: "A-1" },
  "sent M-3",
];

interface Told {
  readonly name: string;
  /** What the refund failed with. */
  readonly error?: string | undefined;
  readonly task?: string | null;
  readonly tokens?: readonly [number, number];
  readonly hasTimes?: boolean;
  readonly session?: string;
}

const NOT_SAID = "An error occurred while running the tool. Please try again.";
const SAID = "the bank did not answer";
const TOKENS = [600, 110] as const;

test.each<Told>([
  { name: "otlp.langgraph.json", error: SAID, tokens: TOKENS, hasTimes: true },
  { name: "otlp.openai-chat.json", error: `Error: ${SAID}`, tokens: TOKENS, hasTimes: true },
  { name: "otlp.openai-responses.json", error: `Error: ${SAID}`, tokens: TOKENS, hasTimes: true },
  { name: "otlp.openllmetry-langgraph.json", error: SAID, tokens: TOKENS, hasTimes: true },
  { name: "otlp.openllmetry-openai.json", error: `Error: ${SAID}`, tokens: TOKENS, hasTimes: true },
  {
    name: "otlp.pydantic-ai.json",
    error: SAID,
    tokens: TOKENS,
    hasTimes: true,
    session: "01a20468-ad33-74c5-b91a-f74d8a3ea912",
  },
  { name: "otlp.ai-sdk.json", error: SAID, tokens: TOKENS, hasTimes: true },
  { name: "otlp.langfuse.json", error: SAID, tokens: TOKENS, hasTimes: true, session: "s-42" },
  { name: "openai-agents.chat.json", error: NOT_SAID, tokens: TOKENS, hasTimes: true },
  { name: "openai-agents.responses.json", error: NOT_SAID, task: null, tokens: TOKENS, hasTimes: true },
  { name: "openai-chat.sdk.json", error: `Error: ${SAID}` },
  { name: "openai-responses.agents.json", error: NOT_SAID },
  { name: "langchain.to-dict.json", error: `Error: ${SAID}`, tokens: TOKENS },
  { name: "langchain.dumpd.json", error: `Error: ${SAID}`, tokens: TOKENS },
  { name: "langchain.model-dump.json", error: `Error: ${SAID}`, tokens: TOKENS },
  { name: "ai-sdk.messages.json", error: SAID },
  { name: "ai-sdk.steps.json", task: null, tokens: TOKENS },
])(
  "$name tells the work as it was done",
  async ({ name, error, task = TASK, tokens = [0, 0], hasTimes, session }) => {
    const { traces, skipped } = await imported(fixture(name));
    expect(skipped).toEqual({});
    expect(traces).toHaveLength(1);
    const [trace] = traces;
    if (!trace) return;
    const calls = callsOf(trace);
    expect(calls.map(({ tool, args, failed }) => ({ tool, args, failed }))).toEqual(CALLS);
    expect(calls.filter(({ failed }) => !failed).map(({ result }) => result)).toEqual(RESULTS);
    const events = trace.events.filter(({ eventType }) => eventType === "tool_call");
    expect(events[2]?.errorMessage).toBe(error);
    expect(events.map(({ eventSubtype }) => eventSubtype === "retry")).toEqual([
      false,
      false,
      false,
      true,
      false,
    ]);
    expect(events[3]?.meta?.["retryOf"]).toBe(events[2]?.id);
    expect(trace.task ?? null).toBe(task);
    expect([total(trace, "inputTokens"), total(trace, "outputTokens")]).toEqual(tokens);
    expect(events.every(({ durationMs }) => durationMs !== undefined)).toBe(hasTimes === true);
    expect(trace.sessionId).toBe(session);
  },
);
