import { expect, test } from "vitest";
import { judgementOf } from "../../../src/trace/record/judgement.ts";
import { ClaudeSession, sessionWithAgents } from "./claude-session.ts";
import { callsOf, imported } from "./imported.ts";

const mainOf = (session: ClaudeSession): string => session.files.get("main") ?? "";

test.each([
  ["mcp__shop__get_order", "shop.get_order"],
  ["mcp__claude_ai_Linear__list_issues", "claude_ai_Linear.list_issues"],
  ["mcp__plugin_ops_pager__page", "plugin_ops_pager.page"],
  // The server's name ends at the first double underscore.
  ["mcp__shop__orders__get", "shop.orders__get"],
  ["mcp__my.shop eu__get", "my_shop_eu.get"],
  ["mcp__shop", "mcp__shop"],
  ["mcp__", "mcp__"],
  ["Read", "Read"],
])("the tool %s is %s", async (tool, name) => {
  const session = new ClaudeSession();
  session.user("Go.");
  session.call([{ tool, input: {} }]);
  const { traces } = await imported(mainOf(session));
  expect(traces.flatMap(callsOf).map((call) => call.tool)).toEqual([name]);
});

test("a command typed at the first line's branch does not take the work with it", async () => {
  const session = new ClaudeSession();
  const first = session.user("Fix the test.");
  const [id = ""] = session.call([{ tool: "Read", input: { file_path: "a.py" } }]);
  session.answer(id, "pass");
  session.goBackTo(first);
  session.user("<bash-input>uv run pytest</bash-input>");
  session.user("<bash-stdout>1 passed</bash-stdout><bash-stderr></bash-stderr>");
  const { traces, skipped } = await imported(mainOf(session));
  expect(traces.map((trace) => callsOf(trace).map(({ tool }) => tool))).toEqual([["Read"]]);
  expect(traces[0]?.events[0]).toMatchObject({ status: "completed" });
  expect(skipped).toEqual({});
});

test("branches that were given up are marked runs where they called something, and are told where not", async () => {
  const session = new ClaudeSession();
  const first = session.user("Count.");
  session.call([{ tool: "Bash", input: { command: "rm -r old" } }]);
  session.goBackTo(first);
  session.says("I shall count.");
  session.goBackTo(first);
  const [id = ""] = session.call([{ tool: "Bash", input: { command: "wc -l" } }]);
  session.answer(id, "3");
  const { traces, skipped } = await imported(mainOf(session));
  expect(
    traces.map((trace) => [
      trace.events[0]?.status,
      trace.events[0]?.meta?.["abandoned"],
      trace.task,
      callsOf(trace).map(({ args }) => args),
    ]),
  ).toEqual([
    ["completed", undefined, "Count.", [{ command: "wc -l" }]],
    ["cancelled", true, "Count.", [{ command: "rm -r old" }]],
  ]);
  expect(skipped).toEqual({ abandoned: 1 });
  // Whoever went back did not want it so: nothing is learned from it unless asked.
  expect(traces.map((trace) => judgementOf(trace)?.isSuccess)).toEqual([undefined, false]);
});

test("what an agent does is told once, though the session and the agent's file tell it under ids of their own", async () => {
  const session = sessionWithAgents();
  const nested = (session.files.get("a1f03c2") ?? "").trim().split("\n");
  const progress = nested.map((line, index) => {
    const { message, type, timestamp } = JSON.parse(line) as Record<string, unknown>;
    return JSON.stringify({
      type: "progress",
      sessionId: session.id,
      uuid: `p-${index}`,
      parentToolUseID: session.calls[0],
      data: {
        type: "agent_progress",
        agentId: "a1f03c2",
        message: { type, message, timestamp, uuid: `q-${index}` },
      },
    });
  });
  const { traces } = await imported(`${[...session.files.values()].join("")}${progress.join("\n")}\n`);
  expect(traces).toHaveLength(1);
  expect(traces.flatMap(callsOf).filter(({ args }) => JSON.stringify(args).includes("ls a"))).toHaveLength(1);
  expect(traces.flatMap(callsOf)).toHaveLength(session.calls.length);
});

test("results without an id answer nothing, and are told", async () => {
  const session = new ClaudeSession();
  session.user("Go.");
  session.call([{ tool: "A", input: {} }]);
  session.answer("", "of whom?");
  const { traces, skipped } = await imported(mainOf(session));
  expect(traces.flatMap(callsOf)).toMatchObject([{ tool: "A", result: undefined }]);
  expect(skipped).toEqual({ "no-call": 1 });
});
