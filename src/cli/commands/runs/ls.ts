import { Command, Option } from "commander";
import { commandLine } from "../../../core/text/command-line.ts";
import { DURABLE_RUN_STATES, type DurableRunState } from "../../../durable/run-journal.ts";
import { shortTime } from "../../output/amounts.ts";
import { shortIdAmong } from "../../output/short-id.ts";
import { table } from "../../output/table.ts";
import { terminal } from "../../output/terminal.ts";
import { positiveInteger } from "../../run-filter.ts";
import { type CommonOptions, examples, printJson, valueOrThrow, withCommonOptions } from "../../session.ts";
import { withDurableRuns } from "../../with-durable-runs.ts";

interface LsOptions extends CommonOptions {
  readonly state?: DurableRunState;
  readonly limit?: number;
}

export function runsLsCommand(): Command {
  return withCommonOptions(new Command("ls"))
    .description("list durable runs, newest first")
    .addOption(new Option("--state <state>", "only those in this state").choices(DURABLE_RUN_STATES))
    .option("--limit <n>", "the most lines (default: 50)", positiveInteger)
    .addHelpText("after", examples("\nExample:\n  $ repertoire runs ls --state waiting"))
    .action(async (options: LsOptions) => {
      await withDurableRuns(options, async ({ durable }) => {
        const { json = false, state, limit } = options;
        const runs = valueOrThrow(
          await durable.list({
            ...(state === undefined ? {} : { state }),
            ...(limit === undefined ? {} : { limit }),
          }),
        );
        if (json) return printJson(runs);
        if (runs.length === 0)
          return console.error(`No such runs; "${commandLine("run <skill> --durable")}" makes one`);
        const shortId = shortIdAmong(runs.map(({ runId }) => runId));
        const now = Date.now();
        const rows = runs.map(({ runId, skill, state: is, startedAt, changedAt }) => [
          shortId(runId),
          is,
          skill,
          shortTime(startedAt, now),
          shortTime(changedAt, now),
        ]);
        const { tableColumns, paint } = terminal();
        console.log(table(COLUMNS, rows, tableColumns, paint));
      });
    });
}

const COLUMNS = ["run", "state", "skill", "began", "changed"].map((title) => ({ title }));
