import { Command } from "commander";
import type { App } from "../../../rooms.ts";
import { withHangingIndent } from "../../../core/text/display-text.ts";
import type { Failure } from "../../../core/error.ts";
import { fail } from "../../../core/result.ts";
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
        const ids = id === undefined ? valueOrThrow(await app.durable.interrupted()) : [id];
        if (ids.length === 0) console.error("No run was interrupted");
        const signal = abortedAtStop();
        for (const each of ids) if (!signal.aborted) await resumeRun(app, each, { ...options, signal });
      });
    });
}

interface ResumeOptions {
  readonly json?: boolean;
  readonly signal: AbortSignal;
  /** Why it cannot go on, in the caller's words. */
  readonly told?: (failed: Failure) => Failure;
}

/** Goes on with a run and prints how far it came; where it cannot, tells why. */
export async function resumeRun(
  { durable, recorder }: App,
  id: string,
  { json = false, signal, told = (failed) => failed }: ResumeOptions,
): Promise<void> {
  const went = await durable.resume(id, {
    signal,
    record: async ({ runId, skill, input }, work) => recorder.run(skill, input, {}, work, runId),
  });
  const resumed = valueOrThrow(went.ok ? went : fail(told(went.error)));
  const { outcome } = resumed.root;
  if (json) printJson(resumed);
  else console.log(callTree(resumed));
  if (outcome.ok) {
    if (!json) printJson(outcome.output);
    return;
  }
  console.error(withHangingIndent(failureText(outcome.error)));
  process.exitCode = EXIT.failed;
}
