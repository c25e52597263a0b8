import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { judgementOf } from "../../../src/trace/record/judgement.ts";
import { imported } from "./imported.ts";

const CHAT: JsonObject = {
  messages: [
    { role: "user", content: "Close the ticket K-1" },
    {
      role: "assistant",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "close", arguments: '{"ticket":"K-1"}' } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: '{"ok":true}' },
  ],
};
const ANTHROPIC: JsonObject = {
  messages: [
    { role: "user", content: "Close the ticket K-1" },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "c1", name: "close", input: { ticket: "K-1" } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "done" }] },
  ],
};
const CALLS: JsonObject = { id: "r1", calls: [{ tool: "close", args: { ticket: "K-1" }, result: "done" }] };
const RUN = {
  id: "t-1",
  trace_id: "t-1",
  start_time: "2026-01-05T10:00:00Z",
  end_time: "2026-01-05T10:00:09Z",
};
const TOOL_RUN = {
  ...RUN,
  id: "t-2",
  parent_run_id: "t-1",
  run_type: "tool",
  name: "close",
  inputs: { ticket: "K-1" },
  outputs: { output: "done" },
};
const langsmith = (more: JsonObject): Json => [
  { ...RUN, run_type: "chain", name: "agent", inputs: {}, outputs: {}, status: "success", ...more },
  TOOL_RUN,
];
const langfuse = (scores: readonly JsonObject[]): Json => ({
  id: "lf-1",
  scores: [...scores],
  observations: [
    {
      id: "o-1",
      traceId: "lf-1",
      type: "TOOL",
      name: "close",
      startTime: "2026-01-05T10:00:00Z",
      endTime: "2026-01-05T10:00:01Z",
      input: { ticket: "K-1" },
      output: "done",
    },
  ],
});
const otlp = (label: string): Json => ({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: "a".repeat(32),
              spanId: "b".repeat(16),
              name: "execute_tool close",
              startTimeUnixNano: "1767607200000000000",
              endTimeUnixNano: "1767607201000000000",
              attributes: [
                { key: "gen_ai.operation.name", value: { stringValue: "execute_tool" } },
                { key: "gen_ai.tool.name", value: { stringValue: "close" } },
                { key: "gen_ai.tool.call.arguments", value: { stringValue: '{"ticket":"K-1"}' } },
                { key: "gen_ai.tool.call.result", value: { stringValue: "done" } },
              ],
              events: [
                {
                  name: "gen_ai.evaluation.result",
                  attributes: [
                    { key: "gen_ai.evaluation.name", value: { stringValue: "TaskCompletion" } },
                    { key: "gen_ai.evaluation.score.label", value: { stringValue: label } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  ],
});

test.each<readonly [string, Json, boolean | undefined, string?]>([
  ["a reward of 0", { ...CHAT, task_id: 3, reward: 0.0 }, false, "reward 0"],
  ["a reward of 1", { ...CHAT, reward: 1 }, true, "reward 1"],
  ["a part of a reward", { ...CHAT, reward: 0.4 }, undefined],
  ["a flag", { ...CALLS, success: false }, false, "success false"],
  ["a flag in words", { ...CALLS, isResolved: "No" }, false, "isResolved No"],
  [
    "the result of a check",
    { ...ANTHROPIC, execution_result: { success: false } },
    false,
    "execution_result.success false",
  ],
  ["a reward with its breakdown", { ...CHAT, reward_info: { reward: 0, db_match: true } }, false],
  ["two that contradict each other", { ...CHAT, reward: 1, success: false }, false, "success false"],
  ["a bad rating", { ...CALLS, rating: -1 }, false],
  ["a neutral rating", { ...CALLS, rating: 0 }, undefined],
  ["stars", { ...CALLS, rating: 4 }, undefined],
  ["a score on an unknown scale", { ...CALLS, score: 37 }, undefined],
  ["a thumb", { ...CALLS, feedback: "thumbs_down" }, false],
  ["a run that merely ended", { ...CALLS, status: "completed", result: "done" }, undefined],
  ["nothing", CHAT, undefined],
  [
    "LangSmith's feedback",
    langsmith({ feedback_stats: { user_score: { n: 1, avg: 0 } } }),
    false,
    "user_score 0",
  ],
  ["LangSmith's status, which is no judgement", langsmith({}), undefined],
  ["Langfuse's scores", langfuse([{ name: "task-success", value: 0, dataType: "BOOLEAN" }]), false],
  ["a good score", langfuse([{ name: "user-feedback", value: 1 }]), true, "user-feedback 1"],
  ["a score of something else", langfuse([{ name: "toxicity", value: 0 }]), undefined],
  ["an evaluation of OpenTelemetry", otlp("fail"), false, "TaskCompletion fail"],
])("%s in a transcript tells its outcome", async (_, document, isSuccess, by) => {
  const { traces } = await imported(Buffer.from(JSON.stringify(document)));
  expect(traces).toHaveLength(1);
  const [judgement] = traces.map(judgementOf);
  expect(judgement?.isSuccess).toBe(isSuccess);
  if (by !== undefined) expect(judgement?.by).toBe(by);
});

test("each of several documents is judged by itself", async () => {
  const lines = [0, 1, undefined].map((reward, index) =>
    JSON.stringify({ ...CHAT, id: `run-${index}`, ...(reward === undefined ? {} : { reward }) }),
  );
  const { traces } = await imported(Buffer.from(lines.join("\n")));
  expect(traces.map((trace) => judgementOf(trace)?.isSuccess)).toEqual([false, true, undefined]);
});
