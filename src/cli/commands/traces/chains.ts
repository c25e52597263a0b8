import { Command } from "commander";
import type { ChainFilter } from "../../../trace/trace-store.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../../session.ts";
import { numberText, rateText } from "../../output/amounts.ts";
import { chainLength, positiveInteger } from "../../run-filter.ts";
import { table } from "../../output/table.ts";
import { terminal } from "../../output/terminal.ts";
import { withTraces } from "../../with-traces.ts";

export function chainsCommand(): Command {
  return withCommonOptions(new Command("chains"))
    .description("show sequences of calls that recur, most frequent first")
    .option("--length <n>", "only of so many calls, from 2 to 5", chainLength)
    .option("--including <name>", "only with this tool or skill")
    .option("--at-least <n>", "only what was so often", positiveInteger)
    .option("--limit <n>", "the most lines (default: 50)", positiveInteger)
    .addHelpText("after", examples("\nExample:\n  $ repertoire traces chains --length 3 --at-least 5"))
    .action(async (options: CommonOptions & ChainFilter) => {
      await withTraces(options, async ({ store, place }) => {
        const { length, including, atLeast, limit } = options;
        const chains = valueOrThrow(
          await store.chains({
            ...(length === undefined ? {} : { length }),
            ...(including === undefined ? {} : { including }),
            ...(atLeast === undefined ? {} : { atLeast }),
            ...(limit === undefined ? {} : { limit }),
          }),
        );
        if (options.json) return printJson(chains);
        if (chains.length === 0) return console.error(`No such sequences of calls in ${place}`);
        const { tableColumns, paint } = terminal();
        const titles = [
          { title: "times", align: "right" },
          { title: "success", align: "right" },
          { title: "calls", gives: true },
        ] as const;
        const rows = chains.map(({ names, count, successRate }) => [
          numberText(count),
          rateText(successRate),
          names.join(" → "),
        ]);
        console.log(table(titles, rows, tableColumns, paint));
      });
    });
}
