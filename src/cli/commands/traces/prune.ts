import { Command } from "commander";
import { failure } from "../../../core/error.ts";
import { fail } from "../../../core/result.ts";
import type { PruneResult, Retention } from "../../../trace/trace-store.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../../session.ts";
import { bytesText, counted, timeText } from "../../output/amounts.ts";
import { positiveInteger, positiveNumber } from "../../run-filter.ts";
import { withTraces } from "../../with-traces.ts";

interface PruneOptions extends CommonOptions, Retention {
  readonly dryRun?: boolean;
}

export function pruneCommand(): Command {
  return withCommonOptions(new Command("prune"))
    .description("delete whole runs, oldest first, until the limits are kept")
    .option("--max-age-days <n>", "keep what is not older", positiveNumber)
    .option("--max-runs <n>", "keep so many runs", positiveInteger)
    .option("--max-bytes <n>", "keep so much, before compression", positiveInteger)
    .option("--dry-run", "only tell what would be deleted")
    .addHelpText(
      "after",
      examples(
        "\nA limit that is not given is the configuration's (traces.retention). Runs that may still go on are kept.\n\nExample:\n  $ repertoire traces prune --max-age-days 90 --dry-run",
      ),
    )
    .action(async (options: PruneOptions) => {
      await withTraces(options, async ({ store, retention }) => {
        const limits = limitsOf(options, retention);
        const dryRun = options.dryRun ?? false;
        const pruned = valueOrThrow(await store.prune(limits, { dryRun }));
        if (options.json) printJson({ dryRun, limits, ...pruned });
        else console.log(told(pruned, limits, dryRun));
      });
    });
}

function limitsOf(options: Retention, configured: Retention): Retention {
  const { maxAgeDays, maxRuns, maxBytes } = options;
  const given = Object.entries({ maxAgeDays, maxRuns, maxBytes }).filter(([, value]) => value !== undefined);
  const limits: Retention = { ...configured, ...Object.fromEntries(given) };
  const message =
    "Nothing says what is to be kept: give --max-age-days, --max-runs or --max-bytes, or set traces.retention in the configuration";
  return valueOrThrow(
    Object.keys(limits).length > 0 ? { ok: true, value: limits } : fail(failure("INPUT_INVALID", message)),
  );
}

function told({ runs, events, bytes, upTo }: PruneResult, limits: Retention, dryRun: boolean): string {
  const { maxAgeDays, maxRuns, maxBytes } = limits;
  const kept = [
    ...(maxAgeDays === undefined ? [] : [counted(maxAgeDays, "day")]),
    ...(maxRuns === undefined ? [] : [counted(maxRuns, "run")]),
    ...(maxBytes === undefined ? [] : [bytesText(maxBytes)]),
  ].join(", ");
  const last = upTo === undefined ? "" : `, up to ${timeText(upTo)}`;
  const what = `${counted(runs, "run")} with ${counted(events, "event")} (${bytesText(bytes)}${last})`;
  if (runs === 0) return `Nothing is beyond the limits (${kept})`;
  return `${dryRun ? "Would delete" : "Deleted"} ${what} to keep at most ${kept}`;
}
