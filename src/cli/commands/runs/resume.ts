import { Command } from "commander";
import type { App } from "../../../rooms.ts";
import { withHangingIndent } from "../../../core/text/display-text.ts";
import type { Failure } from "../../../core/error.ts";
import { fail, type Result } from "../../../core/result.ts";
import type { Run } from "../../../core/run.ts";
import { failureText } from "../../../server/tools/tool-answer.ts";
import {
  type CommonOptions,
  examples,
  EXIT,
  printJson,
  valueOrThrow,
  withCommonOptions,
} from "../../session.ts";
import { abortedAtStop } from "../../stop-signal.ts";
import { callTree } from "../../output/trees/call-tree.ts";
import { withDurableRuns } from "../../with-durable-runs.ts";

export function resumeCommand(): Command {
  return withCommonOptions(new Command("resume"))
    .description(
      "go on with a run whose process has ended, or whose calls are decided; all that were interrupted unless told",
    )
    .argument("[id]", "the run's id; its beginning is enough")
    .addHelpText("after", examples("\nExample:\n  $ repertoire runs resume 3fa9c1d2"))
    .action(async (id: string | undefined, options: CommonOptions) => {
      await withDurableRuns(options, async (app) => {
        const given = { ...options, signal: abortedAtStop() };
        await (id === undefined ? resumeInterrupted(app, given) : resumeRun(app, id, given));
      });
    });
}

/** Goes on with all runs that were interrupted; that one cannot go on keeps none of the others from it. */
async function resumeInterrupted(app: App, { json = false, signal }: ResumeOptions): Promise<void> {
  const ids = valueOrThrow(await app.durable.interrupted());
  if (ids.length === 0) console.error("No run was interrupted");
  const told: (Run | { readonly runId: string; readonly error: Failure })[] = [];
  for (const runId of ids) {
    if (signal.aborted) break;
    const resumed = await resumedRun(app, runId, signal);
    told.push(resumed.ok ? resumed.value : { runId, error: resumed.error });
    if (resumed.ok) printRun(resumed.value, !json);
    else printFailure(resumed.error);
  }
  if (json) printJson(told);
}

interface ResumeOptions {
  readonly json?: boolean;
  readonly signal: AbortSignal;
  /** Why it cannot go on, in the caller's words. */
  readonly told?: (failed: Failure) => Failure;
}

/** Goes on with a run and prints how far it came; where it cannot, tells why. */
export async function resumeRun(
  app: App,
  id: string,
  { json = false, signal, told = (failed) => failed }: ResumeOptions,
): Promise<void> {
  const went = await resumedRun(app, id, signal);
  const resumed = valueOrThrow(went.ok ? went : fail(told(went.error)));
  if (json) printJson(resumed);
  printRun(resumed, !json);
}

async function resumedRun({ durable, recorder }: App, id: string, signal: AbortSignal): Promise<Result<Run>> {
  return durable.resume(id, {
    signal,
    record: async ({ runId, skill, input }, work) => recorder.run(skill, input, {}, work, runId),
  });
}

/** Prints a run where it is to be drawn, and its failure in any case. */
function printRun(run: Run, isDrawn: boolean): void {
  const { outcome } = run.root;
  if (isDrawn) console.log(callTree(run));
  if (!outcome.ok) printFailure(outcome.error);
  else if (isDrawn) printJson(outcome.output);
}

function printFailure(error: Failure): void {
  console.error(withHangingIndent(failureText(error)));
  process.exitCode = EXIT.failed;
}
