import { Command } from "commander";
import { commandLine } from "../../../core/text/command-line.ts";
import { oneLine } from "../../../core/text/display-text.ts";
import type { DurableRunView } from "../../../durable/durable-runs.ts";
import { isUndecided, type JournalCall } from "../../../durable/run-journal.ts";
import { shortTime } from "../../output/amounts.ts";
import { type CommonOptions, examples, printJson, valueOrThrow, withCommonOptions } from "../../session.ts";
import { withDurableRuns } from "../../with-durable-runs.ts";

export function runsShowCommand(): Command {
  return withCommonOptions(new Command("show"))
    .description("show a durable run, its calls, and what it waits for")
    .argument("<id>", "the run's id; its beginning is enough")
    .addHelpText("after", examples("\nExample:\n  $ repertoire runs show 3fa9c1d2"))
    .action(async (id: string, options: CommonOptions) => {
      await withDurableRuns(options, async ({ durable }) => {
        const run = valueOrThrow(await durable.show(id));
        if (options.json) printJson(run);
        else console.log(runText(run, Date.now()));
      });
    });
}

function runText(
  { runId, skill, state, isOwned, startedAt, input, calls, error }: DurableRunView,
  now: number,
): string {
  const lost =
    state === "running" && !isOwned
      ? ` (its process has ended: "${commandLine(`runs resume ${runId}`)}")`
      : "";
  return [
    `${runId}  ${skill}  ${state}${error === undefined ? "" : ` (${error})`}${lost}, began ${shortTime(startedAt, now)}`,
    ...(input === null ? [] : [`input ${shown(JSON.stringify(input))}`]),
    ...calls.map((call) => callLine(call, now)),
    ...(state === "waiting" ? waysOn(runId, calls) : []),
    ...(state === "completed" || state === "failed"
      ? [`Its calls: ${commandLine(`traces show ${runId}`)}`]
      : []),
  ]
    .map(oneLine)
    .join("\n");
}

/** What a person can do with a run that waits; where all is decided, it has not gone on yet. */
function waysOn(runId: string, calls: readonly JournalCall[]): readonly string[] {
  const undecided = calls.filter(isUndecided);
  if (undecided.length === 0) return [`All is decided: "${commandLine(`runs resume ${runId}`)}" goes on`];
  return undecided.map(
    ({ callPath }) =>
      `Decide: ${commandLine(`runs approve ${runId} --call ${callPath}`)} [--skip <json> | --refuse]`,
  );
}

function callLine({ callPath, tool, input, state, at, decidedBy }: JournalCall, now: number): string {
  const by = decidedBy === undefined ? "" : ` by ${decidedBy}`;
  // Who decides about a call sees all of what it is given.
  const given = isUndecided({ state }) ? input : shown(input);
  return `  ${callPath}  ${tool} ${given}  ${STATES[state]}${by}, ${shortTime(at, now)}`;
}

const STATES: Readonly<Record<JournalCall["state"], string>> = {
  unapproved: "waits for approval",
  approved: "approved",
  begun: "begun",
  uncertain: "begun and never answered: waits for a decision",
  asked: "waits for the answer of a model, or yours (--skip)",
  answered: "answered",
};

const MAX_SHOWN = 300;

function shown(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
