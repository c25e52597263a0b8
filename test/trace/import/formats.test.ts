import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { TRACE_FORMATS } from "../../../src/trace/import/format.ts";
import { type Call, callsOf, FIXTURES, fixture, imported, outline, total } from "./imported.ts";

const TASK = "Look up the order W1 of Olivia Ito, zip 80218, and write a receipt.";
const ORDERS: readonly Call[] = [
  {
    tool: "find_user",
    args: { name: "Olivia Ito", zip: "80218" },
    result: { user_id: "olivia_ito_3591" },
    failed: false,
  },
  { tool: "get_order", args: { order_id: "W1" }, result: "Error: order W1 not found", failed: true },
  {
    tool: "get_order",
    args: { order_id: "#W1" },
    result: {
      order_id: "#W1",
      items: [
        { name: "Gaming Mouse", price: 137.32 },
        { name: "Hiking Boots", price: 240.87 },
      ],
    },
    failed: false,
  },
  {
    tool: "write_file",
    args: { path: "receipts/W1.md", content: "# Receipt for #W1\n" },
    result: "Saved to receipts/W1.md",
    failed: false,
  },
];

const fixtures = readdirSync(FIXTURES);
const formatOf = (name: string): string => name.split(".")[0] ?? "";

test("every format has fixtures", () => {
  expect([...new Set(fixtures.map(formatOf))].toSorted()).toEqual(TRACE_FORMATS.toSorted());
  for (const format of TRACE_FORMATS)
    expect(fixtures.filter((name) => formatOf(name) === format).length).toBeGreaterThan(1);
});

test.each(fixtures)("the format of %s is told from its content", async (name) => {
  const { formats, traces } = await imported(fixture(name));
  expect(formats).toEqual([formatOf(name)]);
  for (const trace of traces) {
    const ids = trace.events.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(trace.events.map(({ executionOrder }) => executionOrder)).toEqual(ids.map((_, index) => index));
    for (const { parentEventId } of trace.events.slice(1)) expect(ids).toContain(parentEventId);
    for (const { eventId } of trace.files) expect(ids).toContain(eventId);
  }
});

test.each(fixtures)(
  "%s says the same in whatever pieces it comes, and when its format is named",
  async (name) => {
    const bytes = fixture(name);
    const whole = await imported(bytes);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
      bytes.subarray(index * 7, index * 7 + 7),
    );
    expect(await imported(pieces)).toEqual(whole);
    expect(await imported(bytes, { format: formatOf(name) })).toEqual(whole);
  },
);

test.each(fixtures.filter((name) => name.includes(".orders.")))(
  "%s holds the same calls as the other formats",
  async (name) => {
    const { traces, skipped } = await imported(fixture(name));
    expect(skipped).toEqual({});
    expect(traces).toHaveLength(1);
    const [trace] = traces;
    if (!trace) return;
    expect(callsOf(trace)).toEqual(ORDERS);
    expect(trace.task).toBe(formatOf(name) === "mcp-log" ? undefined : TASK);
    const calls = trace.events.filter(({ eventType }) => eventType === "tool_call");
    expect(calls.map(({ eventSubtype }) => eventSubtype)).toEqual([undefined, undefined, "retry", undefined]);
    expect(calls[2]?.meta?.["retryOf"]).toBe(calls[1]?.id);
    expect(calls[1]?.errorMessage).toBe("Error: order W1 not found");
    expect(trace.files).toMatchObject([
      { path: "receipts/W1.md", foundBy: "argument", content: "# Receipt for #W1\n", size: 18 },
    ]);
    expect(trace.events.find(({ id }) => id === trace.files[0]?.eventId)).toMatchObject({
      eventType: "file_gen",
      parentEventId: calls[3]?.id,
    });
  },
);

test("the same transcript has the same ids whenever it is imported", async () => {
  const name = "openai-chat.finetune.jsonl";
  expect(await imported(fixture(name))).toEqual(await imported(fixture(name)));
  const twice = await imported(Buffer.concat([fixture(name), fixture(name)]));
  expect(new Set(twice.traces.map(({ runId }) => runId)).size).toBe(4);
});

test("parallel calls, older function calls and calls without an answer are read from OpenAI's chat messages", async () => {
  const { traces } = await imported(fixture("openai-chat.finetune.jsonl"));
  expect(traces.map(callsOf)).toEqual([
    [
      { tool: "get_weather", args: { city: "Paris" }, result: { celsius: 6 }, failed: false },
      { tool: "get_weather", args: { city: "Rome" }, result: { celsius: 14 }, failed: false },
    ],
    [
      { tool: "book", args: { room: "blue" }, result: "Error: the room is taken", failed: true },
      { tool: "book", args: { room: "green" }, result: undefined, failed: false },
    ],
  ]);
  // The green room is another call than the blue one.
  expect(traces[1]?.events.at(-1)).not.toHaveProperty("eventSubtype");
  expect(traces[1]?.events.at(-1)).toMatchObject({
    status: "running",
    meta: { noResult: true, turn: 1 },
  });
  expect(traces[1]?.events[0]?.meta?.["turns"]).toEqual(["Book the blue room.", "Then the green one."]);
});

test("tools that ran at Anthropic's server and their tokens are read", async () => {
  const [trace] = (await imported(fixture("anthropic-messages.answers.jsonl"))).traces;
  if (!trace) throw new Error("no trace");
  expect(callsOf(trace)).toEqual([
    { tool: "list_tickets", args: { state: "open" }, result: [{ id: 7 }, { id: 9 }], failed: false },
    {
      tool: "web_search",
      args: { query: "ticket 7" },
      result: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
      failed: true,
    },
  ]);
  expect([total(trace, "inputTokens"), total(trace, "outputTokens")]).toEqual([2200, 503]);
  expect(trace.events.find(({ agentName }) => agentName === "list_tickets")?.meta).toEqual({
    server: "tracker",
  });
});

test.each(["values", "response", "state"])("a conversation is found in the %s of an answer", async (name) => {
  const conversation = JSON.parse(fixture("langchain.model-dump.json").toString()) as { messages: unknown };
  const whole = await imported(JSON.stringify(conversation));
  const answer = { id: "run-7", [name]: conversation, next: [], config: { tags: [] } };
  const { traces, skipped } = await imported(JSON.stringify(answer));
  expect(skipped).toEqual({});
  expect(traces.map(callsOf)).toEqual(whole.traces.map(callsOf));
  expect(traces[0]?.events[0]?.meta?.["sourceId"]).toBe("run-7");
});

test("observations of Langfuse tell what decorated functions were given, and what only models asked for", async () => {
  const at = (second: number): string => `2026-01-05T10:00:0${second}.000Z`;
  const observation = (id: number, type: string, name: string, input: unknown, output: unknown) => ({
    ...{ id: `o-${id}`, traceId: "t-1", type, name, input, output, level: "DEFAULT" },
    ...{ startTime: at(id), endTime: at(id), parentObservationId: null },
  });
  const asked = (id: string, name: string, args: unknown) => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
  });
  const user = { role: "user", content: "Move my stay to May 4." };
  const [first, second] = [
    asked("a", "find_stay", { guest: "g-7" }),
    asked("b", "move_stay", { to: "05-04" }),
  ];
  const found = { role: "tool", tool_call_id: "a", content: '{"stay": "s-1"}' };
  const moved = { role: "tool", tool_call_id: "b", content: "moved" };
  const observations = [
    observation(1, "GENERATION", "think", [user], first),
    observation(2, "TOOL", "find_stay", { args: ["g-7"], kwargs: {} }, { stay: "s-1" }),
    observation(3, "GENERATION", "think", [user, first, found], second),
    observation(4, "GENERATION", "think", { messages: [user, first, found, second, moved] }, "Done."),
  ];
  const { traces, skipped } = await imported(JSON.stringify({ data: observations }));
  expect(skipped).toEqual({});
  expect(traces.map(({ task }) => task)).toEqual(["Move my stay to May 4."]);
  expect(traces.flatMap(callsOf)).toEqual([
    { tool: "find_stay", args: { guest: "g-7" }, result: { stay: "s-1" }, failed: false },
    { tool: "move_stay", args: { to: "05-04" }, result: "moved", failed: false },
  ]);
});

test("the trajectories of tau-bench are conversations, though they use the same ids again", async () => {
  const { traces } = await imported(fixture("openai-chat.tau-bench.json"));
  expect(traces.map(callsOf)).toEqual([
    [
      { tool: "get_user", args: { user_id: "lena_ng_12" }, result: { orders: ["#W8"] }, failed: false },
      { tool: "cancel_order", args: { order_id: "W8" }, result: "Error: order not found", failed: true },
      { tool: "cancel_order", args: { order_id: "#W8" }, result: { status: "cancelled" }, failed: false },
    ],
    [{ tool: "get_order", args: { order_id: "#W9" }, result: { status: "sent" }, failed: false }],
  ]);
  expect(traces.map(({ task }) => task)).toEqual(["Please cancel my order.", "Where is #W9?"]);
  expect(traces[0]?.events.filter(({ eventSubtype }) => eventSubtype === "retry")).toHaveLength(1);
});

test("a trajectory of SWE-agent is what was done in it, without its demonstrations and its terminal", async () => {
  const [tools] = (await imported(fixture("swe-agent.tools.traj"))).traces;
  expect(tools?.task).toMatch(/^Mend the total of the cart\./);
  expect(tools && callsOf(tools)).toEqual([
    {
      tool: "find_file",
      args: { file_name: "cart.py" },
      result: 'Found 1 matches for "cart.py" in /shop:\r\n/shop/cart.py',
      failed: false,
    },
    {
      tool: "bash",
      args: { command: "python cart.py" },
      result: expect.stringMatching(/^Traceback .*NameError: name 'totl' is not defined$/s),
      failed: true,
    },
    { tool: "edit", args: { search: "totl", replace: "total" }, result: "Text replaced.", failed: false },
    { tool: "bash", args: { command: "python cart.py" }, result: "8.2", failed: false },
  ]);
  expect(tools && [total(tools, "inputTokens"), total(tools, "outputTokens"), total(tools, "cost")]).toEqual([
    9120, 214, 0.31,
  ]);
  const [actions] = (await imported(fixture("swe-agent.actions.traj"))).traces;
  expect(actions && callsOf(actions)).toEqual([
    { tool: "bash", args: { command: "ls -F" }, result: "cart.py", failed: false },
    { tool: "bash", args: { command: "submit" }, result: undefined, failed: false },
  ]);
});

test("messages of the AI SDK's user interfaces hold calls with what came of them", async () => {
  const [trace] = (await imported(fixture("ai-sdk.ui-messages.json"))).traces;
  expect(trace?.task).toBe("Is it raining in Oslo and in Bergen?");
  expect(trace && callsOf(trace)).toEqual([
    { tool: "weather", args: { city: "Oslo" }, result: { rain: false }, failed: false },
    { tool: "radar", args: { city: "Bergen" }, result: "no radar", failed: true },
    { tool: "weather", args: { city: "Bergen" }, result: undefined, failed: false },
    { tool: "weather", args: { city: "Bergen" }, result: { rain: true }, failed: false },
  ]);
});

test("a session of Gemini CLI is what its last lines say of each message", async () => {
  const { traces, skipped } = await imported(fixture("gemini-cli.session.jsonl"));
  expect(skipped).toEqual({});
  const [trace] = traces;
  if (!trace) throw new Error("no trace");
  expect(trace.task).toBe("Refund order A-1 and write a note.");
  expect(trace.sessionId).toBe("4e0ba4d4-ed56-4539-8d79-549d0bb0a485");
  expect(callsOf(trace).map(({ tool, args, failed }) => [tool, args, failed])).toEqual([
    ["list_directory", { dir_path: "." }, false],
    ["read_file", { file_path: "orders.json" }, false],
    ["read_file", { file_path: "missing.json" }, true],
    ["read_file", { file_path: "orders.json" }, false],
    ["write_file", { file_path: "refund.txt", content: "R-9 über 12,50 €\n" }, false],
    ["run_shell_command", { command: "cat refund.txt" }, false],
  ]);
  expect(callsOf(trace)[1]?.result).toEqual({ orders: [{ id: "A-1", total: 12.5 }] });
  const failed = trace.events.find(({ status }) => status === "failed");
  expect(failed).toMatchObject({ errorMessage: "File not found: /shop/missing.json", durationMs: 11 });
  expect([total(trace, "inputTokens"), total(trace, "outputTokens")]).toEqual([750, 135]);
  const rewound = `${fixture("gemini-cli.session.jsonl").toString()}${JSON.stringify({ $rewindTo: "48f6b529-0ba6-4ac3-8a76-b54996a0bf75" })}\n`;
  const earlier = await imported(rewound);
  expect(earlier.skipped).toEqual({ abandoned: 7 });
  expect(earlier.traces[0] && callsOf(earlier.traces[0]).length).toBe(3);
});

test("a document of an earlier Gemini CLI is a session, too", async () => {
  const [trace] = (await imported(fixture("gemini-cli.document.json"))).traces;
  expect(trace && outline(trace)).toEqual([
    "agent_call/transcript gemini-cli",
    "  agent_call/message gemini",
    "  tool_call list_cart",
    "  tool_call pay cancelled",
  ]);
  expect(trace?.sessionId).toBe("s-legacy");
  expect(trace && callsOf(trace)[0]?.result).toEqual({ items: ["mug"] });
});

test("a session of Claude Code is the branch that it ended on, with its sub-agents within their calls", async () => {
  const { traces, skipped } = await imported(fixture("claude-code.branches.jsonl"));
  const [trace, branch, ...others] = traces;
  if (!trace) throw new Error("no trace");
  expect(trace.task).toBe("Make a report of the sales, with a plot.");
  expect(skipped).toEqual({});
  // What was called on a branch that was given up is a run of its own.
  expect(others).toEqual([]);
  expect(branch?.sessionId).toBe(trace.sessionId);
  expect(branch?.events[0]).toMatchObject({ status: "cancelled", meta: { abandoned: true } });
  expect(branch && callsOf(branch).map(({ tool }) => tool)).toEqual(["Bash"]);
  expect(outline(trace)).toEqual([
    "agent_call/transcript claude-code",
    "  agent_call/message assistant",
    "  tool_call Read",
    "  tool_call Read failed",
    "  agent_call/message assistant",
    "  code_exec/shell Bash failed",
    "  agent_call/message assistant",
    "  code_exec/retry Bash",
    "  agent_call/message assistant",
    "  agent_call/subagent Task",
    "    agent_call/message assistant",
    "    code_exec/shell Bash",
    "    agent_call/message assistant",
    "  agent_call/message assistant",
    "  tool_call Write",
    "    file_gen/created Write",
    "  agent_call/message assistant",
    "  tool_call Edit",
    "    file_gen/created Edit",
    "  error assistant failed",
    "  agent_call/message assistant",
    "  agent_call/message assistant",
    "  tool_call TodoWrite running",
  ]);
  expect(trace.files.map(({ path, foundBy }) => [path, foundBy])).toEqual([
    ["/home/dev/shop/out/report.md", "argument"],
    ["/home/dev/shop/out/report.md", "argument"],
  ]);
  expect(trace.events.find(({ eventType }) => eventType === "code_exec")?.meta).toEqual({
    language: "shell",
    imports: ["pandas", "matplotlib.pyplot", "json", "pathlib"],
    filesWritten: ["out/sales.png", "out/sales.json", "out/log.txt"],
    filesRead: ["sales.csv"],
  });
  expect(trace.events.find(({ eventSubtype }) => eventSubtype === "subagent")).toMatchObject({
    outputs: "It is a PNG.",
    meta: { totalTokens: 2400 },
  });
  expect([total(trace, "inputTokens"), total(trace, "outputTokens")]).toEqual([11_030, 200]);
});

test.each<[string, readonly string[]]>([
  [
    "claude-code.stream.jsonl",
    [
      "  agent_call/message assistant",
      "  agent_call/subagent Agent",
      "    agent_call/message assistant",
      "    code_exec/shell Bash",
      "  agent_call/message assistant",
    ],
  ],
  [
    "mcp-log.wrapped.jsonl",
    ["  tool_call add", "  tool_call ask failed", "  tool_call wait cancelled", "  tool_call now running"],
  ],
  ["mcp-log.desktop.log", ["  tool_call write_file", "    file_gen/created write_file"]],
  [
    "otlp.collector.jsonl",
    [
      "  tool_call search",
      "  tool_call secret",
      "  agent_call/subagent writer",
      "    tool_call save",
      "    agent_call/message chat gpt-5",
    ],
  ],
  ["otlp.openinference.json", ["  agent_call/message gpt-4o", "  tool_call get_weather"]],
  ["otlp.phoenix.jsonl", ["  tool_call get_weather failed"]],
  ["langsmith.nested.json", ["  tool_call divide failed", "  tool_call divide"]],
  [
    "langfuse.trace.json",
    ["  tool_call get_weather", "  tool_call get_wind running", "  error rate limit failed"],
  ],
  [
    "openai-responses.mcp.json",
    ["  tool_call roll", "  tool_call roll failed", "  code_exec/python code_interpreter"],
  ],
  [
    "openai-responses.codex.jsonl",
    [
      "  code_exec/shell shell failed",
      "  tool_call apply_patch",
      "    file_gen/created apply_patch",
      "  code_exec/retry shell",
      "  agent_call/message assistant",
    ],
  ],
  [
    "ag2.code.json",
    [
      "  agent_call/message planner",
      "  handoff engineer",
      "  agent_call/message engineer",
      "  code_exec/python executor failed",
      "  agent_call/message engineer",
      "  code_exec/python executor",
    ],
  ],
  [
    "execution-events.rows.jsonl",
    [
      "  agent_call/message engineer",
      "    code_exec/python executor",
      "      file_gen/created executor",
      "  handoff control",
      "  error control failed",
      "  tool_call plan running",
    ],
  ],
  ["plain-calls.turns.jsonl", ["  tool_call cd", "  tool_call ls failed"]],
])("%s has its events in their order", async (name, lines) => {
  const [trace] = (await imported(fixture(name))).traces;
  expect((trace ? outline(trace) : []).slice(1)).toEqual(lines);
});

test("answers in an MCP log find the requests of the other side, and wrapped results are unwrapped", async () => {
  const [trace] = (await imported(fixture("mcp-log.wrapped.jsonl"))).traces;
  expect(trace && callsOf(trace)).toEqual([
    { tool: "add", args: { a: 1, b: 2 }, result: 3, failed: false },
    { tool: "ask", args: { q: "?" }, result: "Unknown tool: ask", failed: true },
    { tool: "wait", args: { seconds: 60 }, result: undefined, failed: false },
    { tool: "now", args: {}, result: undefined, failed: false },
  ]);
  expect(trace?.events.find(({ agentName }) => agentName === "ask")).toMatchObject({
    meta: { code: -32_602 },
    durationMs: 2000,
    sessionId: "s-1",
  });
});

test("spans within spans of one call are one call, and arguments that were not recorded are not invented", async () => {
  const { traces, skipped } = await imported(fixture("otlp.collector.jsonl"));
  expect(skipped).toEqual({ "not-extractable": 1 });
  expect(traces.flatMap(callsOf)).toEqual([
    { tool: "search", args: { q: "boots" }, result: [1, 2], failed: false },
    { tool: "secret", args: undefined, result: undefined, failed: false },
    { tool: "writer", args: {}, result: undefined, failed: false },
    { tool: "save", args: { file: "a.md" }, result: "saved", failed: false },
  ]);
});

test.each([
  ["langsmith.orders.jsonl", 100, 12, 0.0005],
  ["langfuse.orders.json", 100, 12, 0.003],
  ["otlp.orders.json", 120, 30, 0],
  ["openai-responses.codex.jsonl", 900, 80, 0],
  ["claude-code.stream.jsonl", 17, 22, 0.0123],
  ["ag2.code.json", 0, 0, 0.02],
])("tokens and cost of %s are counted once", async (name, inputTokens, outputTokens, cost) => {
  const [trace] = (await imported(fixture(name))).traces;
  if (!trace) throw new Error("no trace");
  expect([total(trace, "inputTokens"), total(trace, "outputTokens"), total(trace, "cost")]).toEqual([
    inputTokens,
    outputTokens,
    cost,
  ]);
});

test("a table of execution events is imported whole: what its rows say stands in the events under their names", async () => {
  const { traces, skipped } = await imported(fixture("execution-events.workflow.json"));
  expect(skipped).toEqual({});
  const [trace] = traces;
  if (!trace) throw new Error("no trace");
  expect(trace.task).toBe("Plot the power spectrum and write the peaks to a file.");
  const of = (order: number) =>
    trace.events.find(({ timestamp }) => timestamp === Date.UTC(2026, 0, 6, 9, 0, order));
  const [root, first] = trace.events;
  expect(root?.eventSubtype).toBe("transcript");
  expect(first).toMatchObject({ agentName: "admin", meta: { role: "user", has_code: false } });
  expect(of(1)).toMatchObject({
    eventType: "agent_call",
    agentName: "engineer",
    outputs: expect.stringContaining("```python"),
    meta: {
      agent: "engineer",
      role: "assistant",
      sender: "planner",
      has_code: true,
      has_tool_calls: false,
      file_references: ["plot.py"],
      content_length: 79,
    },
  });
  const code = trace.events.filter(({ eventType }) => eventType === "code_exec");
  expect(code.map(({ status, eventSubtype }) => [status, eventSubtype])).toEqual([
    ["failed", "python"],
    ["completed", "retry"],
  ]);
  expect(code[1]).toMatchObject({
    agentName: "engineer",
    inputs: { language: "python", code: expect.stringContaining("savefig") },
    outputs: "exitcode: 0",
    nodeId: "step_1",
    meta: {
      code_hash: "4be0a1c7",
      context: "I plot it with numpy",
      files_written: ["cl.png", "peaks.csv"],
      files_read: ["cl.dat"],
      imports: ["numpy", "matplotlib"],
      has_error: false,
      retryOf: code[0]?.id,
    },
  });
  expect(of(7)).toMatchObject({
    // Code in its arguments does not make it another kind of event than the table says.
    eventType: "tool_call",
    agentName: "execute_python",
    inputs: { code: "print(22)", timeout: 30 },
    outputs: "22 and more",
    meta: {
      agent: "control",
      tool_name: "execute_python",
      args_keys: ["code", "timeout"],
      files_generated: ["summary.md", "log.txt"],
      file_count: 2,
      result_length: 11,
    },
  });
  const made = trace.events.find(({ id }) => id === trace.files[1]?.eventId);
  expect(made?.meta).toMatchObject({
    code_snippet: expect.stringContaining("import numpy"),
    generation_context: "Generated by engineer during python execution",
    source: "code_execution",
    file_type: ".png",
  });
  expect(trace.files.map(({ path, size, sha256, content }) => [path, size, sha256, content?.length])).toEqual(
    [
      ["peaks.csv", undefined, undefined, undefined],
      ["cl.png", 20_481, undefined, undefined],
      ["log.txt", undefined, undefined, undefined],
      // The beginning of a longer file.
      ["summary.md", 9000, undefined, 5000],
    ],
  );
});

test("a table cannot say of its rows what only our own records say", async () => {
  const meta = { retryOf: "run:0", world: { seed: 1 }, reused: true, redaction: "cut", note: "kept" };
  const row = {
    id: "1",
    run_id: "r",
    event_type: "tool_call",
    execution_order: 0,
    agent_name: "a",
    status: "completed",
  };
  const bytes = Buffer.from(
    JSON.stringify([{ ...row, inputs: { tool: "t", args: {} }, outputs: { result: 1 }, meta }]),
  );
  const [trace] = (await imported(bytes)).traces;
  expect(trace?.events[1]?.meta).toEqual({ note: "kept", agent: "a" });
});

test.each([
  ["an error text", { error: "Order not found" }, true],
  ["the status `error`", { status: "error" }, true],
  [
    "LangChain's message that says so",
    { outputs: { output: { type: "tool", content: "no", status: "error" } } },
    true,
  ],
  ["an error text that is empty", { error: "", status: "success" }, false],
  ["none of these", { error: null, status: "success" }, false],
])("a run of LangSmith has failed by %s alone: %j", async (_, end, failed) => {
  const run = {
    id: "1b64098b-4ab7-43f6-afee-992300000001",
    trace_id: "1b64098b-4ab7-43f6-afee-992300000001",
    run_type: "tool",
    name: "order_get",
    inputs: { id: "W1" },
    outputs: { output: "x" },
    start_time: "2026-01-05T10:00:00.000000",
    end_time: "2026-01-05T10:00:01.000000",
    ...end,
  };
  const { traces } = await imported(`${JSON.stringify(run)}\n`);
  expect(traces.flatMap(callsOf)).toMatchObject([{ tool: "order_get", args: { id: "W1" }, failed }]);
});

test.each([
  ["a list", { arrayValue: { values: [{ intValue: "1" }, { stringValue: "a" }] } }, [1, "a"]],
  ["an empty list, as protobuf writes it", { arrayValue: {} }, []],
  ["an empty list", { arrayValue: { values: [] } }, []],
  ["a map", { kvlistValue: { values: [{ key: "a", value: { boolValue: false } }] } }, { a: false }],
  ["an empty map, as protobuf writes it", { kvlistValue: {} }, {}],
  ["a list of what has no value", { arrayValue: { values: [{}] } }, [null]],
  ["a number", { doubleValue: 0.5 }, 0.5],
])("%s in an attribute of OTLP is the value that it stands for", async (_, value, result) => {
  const attributes = [
    { key: "gen_ai.operation.name", value: { stringValue: "execute_tool" } },
    { key: "gen_ai.tool.name", value: { stringValue: "search" } },
    { key: "gen_ai.tool.call.arguments", value: { stringValue: "{}" } },
    { key: "gen_ai.tool.call.result", value },
  ];
  const span = {
    traceId: "bbbbfff798038103d269b633813fc60c",
    spanId: "0000000000000001",
    name: "execute_tool search",
    startTimeUnixNano: "1767607200000000000",
    endTimeUnixNano: "1767607209000000000",
    attributes,
  };
  const { traces } = await imported(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
  expect(traces.flatMap(callsOf)).toMatchObject([{ tool: "search", result }]);
});
