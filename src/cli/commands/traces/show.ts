import { Command } from "commander";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../../session.ts";
import { runOrSessionOf, runOrSessionTrace } from "../../run-or-session.ts";
import { positiveInteger } from "../../run-filter.ts";
import { terminal } from "../../output/terminal.ts";
import { traceTree } from "../../output/trees/trace-tree.ts";
import { withTraces } from "../../with-traces.ts";

interface ShowOptions extends CommonOptions {
  readonly depth?: number;
  readonly all?: boolean;
  readonly full?: boolean;
  readonly most: number;
}

export function tracesShowCommand(): Command {
  return withCommonOptions(new Command("show"))
    .description("draw what happened in a run, or in all runs of a session, as a tree with times")
    .argument("<id>", "a run's or session's id; its beginning is enough")
    .option("--depth <n>", "draw so many levels of calls", positiveInteger)
    .option("--all", "draw equal calls one by one, and messages without words too")
    .option("--full", "draw inputs, outputs and whole errors too")
    .option("--most <characters>", "of each input, output or error with --full", positiveInteger, 2000)
    .addHelpText("after", examples("\nExample:\n  $ repertoire traces show 3fa9c1d2 --full"))
    .action(async (given: string, options: ShowOptions) => {
      await withTraces(options, async ({ store, waiting }) => {
        const trace = await runOrSessionTrace(store, valueOrThrow(await runOrSessionOf(store, given)));
        if (options.json) return printJson(trace);
        const { columns, isColoured } = terminal();
        const { depth, all = false, full, most } = options;
        console.log(
          traceTree(trace, {
            columns,
            isColoured,
            all,
            waiting: waiting(),
            ...(depth === undefined ? {} : { depth }),
            ...(full ? { full: most } : {}),
          }),
        );
      });
    });
}
