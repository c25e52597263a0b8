import { createHash } from "node:crypto";
import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import { failure } from "../../core/error.ts";
import type { Json, JsonObject } from "../../core/json/json.ts";
import { commandLine } from "../../core/text/command-line.ts";
import { visibleText } from "../../core/text/display-text.ts";
import type { CallDecision } from "../../durable/call-decision.ts";
import type { DurableEngine } from "../../durable/durable-engine.ts";
import type { DurableRunView } from "../../durable/durable-runs.ts";
import { isUndecided, type JournalCall } from "../../durable/run-journal.ts";
import { shownInput } from "../run-consent.ts";
import { anyJson } from "./portable-schema.ts";
import { clientOf, personOf, type StableTool, stableTool, type StableToolContext } from "./stable-tools.ts";
import { answer, failureAnswer } from "./tool-answer.ts";

/** Durable runs, as a client of the server reaches them. */
export interface ServedRuns {
  readonly runs: DurableEngine;
  /** Goes on with a run; the answer is that of a call of its skill. */
  readonly resume: (runId: string) => Promise<CallToolResult>;
}

const reviewInput = z.strictObject({
  run: z.uuid().describe("The run's whole id, as RUN_WAITING or WRITE_UNCERTAIN tells it"),
  action: z
    .enum(["show", "approve", "skip", "answer", "refuse", "resume", "cancel"])
    .default("show")
    .describe(
      "`approve` asks the person, and makes the call; `skip` asks, and takes `answer` in its place; `answer` gives a model's `answer` to `repertoire.ask_model`; `refuse` lets it fail",
    ),
  call: z.string().max(100).optional().describe("Which call, where several wait: its callPath"),
  answer: anyJson("answer", "What the tool is taken to have answered").optional(),
});

/** What a run waits for is shown to a model, and decided by a person. */
export const RUN_TOOLS: readonly StableTool[] = [
  stableTool({
    name: "review_run",
    title: "Review a run that waits",
    description:
      "Shows what a durable run waits for, and goes on with it. Only a person can approve a call that writes.",
    input: reviewInput,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    isUseful: ({ skills }) => skills.values().some(({ durable }) => durable !== undefined),
    call: async (input, context) => {
      if (!context.durable) return failureAnswer(failure("RUN_NOT_FOUND", "No runs are kept here"));
      const { runs, resume } = context.durable;
      const found = await runs.show(input.run);
      if (!found.ok) return failureAnswer(found.error);
      const run = found.value;
      const decide = async (decision: CallDecision, call: JournalCall, by: string) => {
        const decided = await runs.decide(run.runId, decision, { by, callPath: call.callPath });
        return decided.ok ? resume(run.runId) : failureAnswer(decided.error);
      };
      switch (input.action) {
        case "show":
          return answer(runView(run));
        case "resume":
          return resume(run.runId);
        case "cancel": {
          const cancelled = await runs.cancel(run.runId);
          return cancelled.ok
            ? answer({ run: run.runId, state: "cancelled" })
            : failureAnswer(cancelled.error);
        }
        case "refuse":
          return withCall(run, input.call, async (call) =>
            decide({ kind: "refuse" }, call, clientOf(context)),
          );
        case "answer":
          // Only what a model is asked: a call that writes takes a person.
          return withCall(
            { ...run, calls: run.calls.filter(({ state }) => state === "asked") },
            input.call,
            async (call) =>
              decide({ kind: "skip", result: (input.answer ?? null) as Json }, call, clientOf(context)),
          );
        case "approve":
          return withCall(run, input.call, async (call) =>
            withPerson({ run, call, to: "call" }, context, async (by) =>
              decide({ kind: "approve" }, call, by),
            ),
          );
        case "skip":
          return withCall(run, input.call, async (call) => {
            const result = (input.answer ?? null) as Json;
            return withPerson({ run, call, to: "answer", result }, context, async (by) =>
              decide({ kind: "skip", result }, call, by),
            );
          });
      }
    },
  }),
];

async function withCall(
  run: DurableRunView,
  callPath: string | undefined,
  work: (call: JournalCall) => Promise<CallToolResult | InputRequiredResult>,
): Promise<CallToolResult | InputRequiredResult> {
  const waiting = run.calls.filter(isUndecided);
  const call = callPath === undefined ? waiting[0] : waiting.find((each) => each.callPath === callPath);
  if (call && (callPath !== undefined || waiting.length === 1)) return work(call);
  const which = waiting.map((each) => `${each.callPath} (${each.tool})`).join(", ");
  return failureAnswer(
    failure(
      "RUN_STATE",
      `${which === "" ? "No call waits" : `These calls wait, say which: ${which}`} in the run ${run.runId}, which is ${run.state}`,
    ),
  );
}

interface CallQuestion {
  readonly run: DurableRunView;
  readonly call: JournalCall;
  readonly to: "call" | "answer";
  readonly result?: Json;
}

async function withPerson(
  { run, call, to, result = null }: CallQuestion,
  context: StableToolContext,
  act: (by: string) => Promise<CallToolResult>,
): Promise<CallToolResult | InputRequiredResult> {
  const { callPath, tool, input, state, at } = call;
  const digest = createHash("sha256")
    .update(JSON.stringify([run.runId, callPath, state, at, to, result]))
    .digest("hex");
  const what =
    to === "call"
      ? `Shall "${tool}" be called${state === "uncertain" ? " again? It was called, and nobody knows what it did" : "?"}`
      : `Shall this be taken as what "${tool}" answered, without calling it${state === "uncertain" ? " again" : ""}: ${visibleText(JSON.stringify(result), MAX_ANSWER)}?`;
  const message = `The run of "${run.skill}" waits. ${what}\nIts input:\n${shownInput(JSON.parse(input) as Json)}`;
  const asked = await context.ask({ to, name: run.skill, digest, message });
  switch (asked.kind) {
    case "asking":
      return asked.question;
    case "answered":
      return asked.choice === to ? act(personOf(context)) : unapproved(run, "the person declined");
    case "dismissed":
      return unapproved(run, "the person closed the question without an answer");
    case "nobody": {
      const command = commandLine(`runs approve ${run.runId} --call ${callPath}`);
      return unapproved(run, `this client cannot ask a person; one may run "${command}"`);
    }
  }
}

const MAX_ANSWER = 500;

function unapproved({ runId, skill }: DurableRunView, why: string): CallToolResult {
  return failureAnswer(failure("RUN_UNAPPROVED", `The run ${runId} goes on waiting: ${why}`, { skill }));
}

function runView({ runId, skill, state, isOwned, startedAt, calls }: DurableRunView): JsonObject {
  return {
    run: runId,
    skill,
    state: state === "running" && !isOwned ? "interrupted" : state,
    startedAt: new Date(startedAt).toISOString(),
    calls: calls.map(({ callPath, tool, input, state: is, at, decidedBy }) => ({
      callPath,
      tool,
      input: JSON.parse(input) as Json,
      state: is,
      at: new Date(at).toISOString(),
      ...(decidedBy === undefined ? {} : { decidedBy }),
    })),
  };
}
