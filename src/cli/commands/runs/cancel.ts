import { Command } from "commander";
import { type CommonOptions, examples, printJson, valueOrThrow, withCommonOptions } from "../../session.ts";
import { withDurableRuns } from "../../with-durable-runs.ts";

export function cancelCommand(): Command {
  return withCommonOptions(new Command("cancel"))
    .description("end a durable run for good; what it has done stays done")
    .argument("<id>", "the run's id; its beginning is enough")
    .addHelpText("after", examples("\nExample:\n  $ repertoire runs cancel 3fa9c1d2"))
    .action(async (id: string, options: CommonOptions) => {
      await withDurableRuns(options, async ({ durable }) => {
        const { runId, skill, state } = valueOrThrow(await durable.cancel(id));
        if (options.json) printJson({ runId, skill, state });
        else console.log(`Cancelled the run ${runId} of "${skill}"`);
      });
    });
}
