import { Command } from "commander";
import { evidenceFault } from "../../../learn/drafts/gate.ts";
import { recordedTrace } from "../../../learn/recording/recorded-trace.ts";
import {
  type CommonOptions,
  examples,
  EXIT,
  printJson,
  withCommonOptions,
  valueOrThrow,
} from "../../session.ts";
import { traceArguments } from "../../trace-arguments.ts";
import { draftJson, nextSteps, shownDraft } from "../../output/shown-draft.ts";
import { userName, withExtraction } from "../../with-drafts.ts";

interface VerifyOptions extends CommonOptions {
  readonly heldOut?: readonly string[];
}

export function verifyCommand(): Command {
  return withCommonOptions(new Command("verify"))
    .description("verify a draft as it is now: its types, its own runs, their twins, and other runs")
    .argument("<name>", "the draft's name")
    .option("--held-out <runs...>", "other runs of the same task: ids of runs or sessions, or transcripts")
    .addHelpText(
      "after",
      examples(
        "\nRuns are replayed against their recorded answers. Exits with 1 where the draft cannot be promoted.\n\nExample:\n  $ repertoire drafts verify cancel-order --held-out other-runs.jsonl",
      ),
    )
    .action(async (name: string, options: VerifyOptions) => {
      await withExtraction(options, async (app) => {
        const heldOut = await traceArguments(app, options.heldOut ?? []);
        const deed = { by: userName() };
        const draft = valueOrThrow(await app.extraction.verify(name, deed, heldOut.map(recordedTrace)));
        if (evidenceFault(draft)) process.exitCode = EXIT.failed;
        if (options.json) printJson(draftJson(draft));
        else console.log(`${shownDraft(draft)}\n\n${nextSteps(draft)}`);
      });
    });
}
