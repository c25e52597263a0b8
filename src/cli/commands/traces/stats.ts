import { Command, Option } from "commander";
import type { PatternFilter, TraceStore, Usage, UsageFilter } from "../../../trace/trace-store.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../../session.ts";
import {
  costText,
  durationText,
  numberText,
  rateText,
  shortNumber,
  shortTime,
} from "../../output/amounts.ts";
import { positiveInteger, timeOf } from "../../run-filter.ts";
import { type Column, table } from "../../output/table.ts";
import { terminal } from "../../output/terminal.ts";
import { type Traces, withTraces } from "../../with-traces.ts";

interface StatsOptions extends CommonOptions, UsageFilter, PatternFilter {
  readonly patterns?: boolean;
}

export function statsCommand(): Command {
  return withCommonOptions(new Command("stats"))
    .description("show how tools and skills are used and how they fare, most used first")
    .addOption(new Option("--kind <kind>", "only these").choices(["tool", "skill"]))
    .option("--name <name>", "only this tool or skill")
    .option(
      "--since <time>",
      "only whole days (UTC) since a date (2026-01-05) or so long ago (24h, 7d)",
      timeOf,
    )
    .option("--by-version", "a line for each version of a skill")
    .option("--by-agent", "a line for each agent or skill that calls, with the size of the results")
    .option("--limit <n>", "the most lines of a table (default: 50)", positiveInteger)
    .option("--patterns", "show who hands to whom, what code imports, and which files are made")
    .option("--at-least <n>", "with --patterns: only what was so often", positiveInteger)
    .addHelpText(
      "after",
      examples(
        "\nThe success rate stands with the interval in which it lies with 95 % confidence. Calls whose input was not valid are\ncounted as invalid, not as failures.\n\nExample:\n  $ repertoire traces stats --kind tool --since 7d",
      ),
    )
    .action(async (options: StatsOptions) => {
      await withTraces(options, async (traces) =>
        options.patterns ? patterns(traces.store, options) : usage(traces, options),
      );
    });
}

async function usage({ store, place }: Traces, options: StatsOptions): Promise<void> {
  const { kind, name, since, byVersion, byAgent, limit } = options;
  const lines = valueOrThrow(await store.usage(defined({ kind, name, since, byVersion, byAgent, limit })));
  if (options.json) return printJson(lines);
  if (lines.length === 0) return console.error(`No such calls in ${place}`);
  const { tableColumns, paint } = terminal();
  const now = Date.now();
  const hasKinds = new Set(lines.map((line) => line.kind)).size > 1;
  const rows = lines.map((line) => [
    line.name,
    hasKinds ? line.kind : "",
    line.skillDigest?.slice(0, 8) ?? "",
    line.agent ?? "",
    numberText(line.calls),
    success(line),
    line.invalid === 0 ? "" : numberText(line.invalid),
    line.p50Ms === undefined ? "" : durationText(line.p50Ms),
    line.p95Ms === undefined ? "" : durationText(line.p95Ms),
    shortTime(line.lastUsed, now),
    line.inputTokens + line.outputTokens === 0 ? "" : shortNumber(line.inputTokens + line.outputTokens),
    line.cost === 0 ? "" : costText(line.cost),
    line.resultSize === undefined ? "" : shortNumber(Math.round(line.resultSize)),
  ]);
  console.log(table(USAGE_COLUMNS, rows, tableColumns, paint));
}

const USAGE_COLUMNS: readonly Column[] = [
  { title: "name", gives: true },
  { title: "kind" },
  { title: "version" },
  { title: "called by" },
  { title: "calls", align: "right" },
  { title: "success", align: "right" },
  { title: "invalid", align: "right" },
  { title: "p50", align: "right" },
  { title: "p95", align: "right" },
  { title: "last used", align: "right" },
  { title: "tokens", align: "right" },
  { title: "cost", align: "right" },
  { title: "result", align: "right" },
];

function success({ completed, failed, successRate }: Usage): string {
  return completed + failed === 0 ? "" : rateText(successRate);
}

async function patterns(store: TraceStore, options: StatsOptions): Promise<void> {
  const { atLeast, limit } = options;
  const filter = defined({ atLeast, limit });
  const [handOffs, codePatterns, fileTemplates] = [
    valueOrThrow(await store.handOffs(filter)),
    valueOrThrow(await store.codePatterns(filter)),
    valueOrThrow(await store.fileTemplates(filter)),
  ];
  if (options.json) return printJson({ handOffs, codePatterns, fileTemplates });
  const { tableColumns, paint } = terminal();
  const part = (title: string, titles: readonly Column[], rows: readonly (readonly string[])[]): string =>
    `${paint("bold", title)}\n${rows.length === 0 ? "none" : table(titles, rows, tableColumns, paint)}`;
  const times: Column = { title: "times", align: "right" };
  console.log(
    [
      part(
        "Hand-offs",
        [times, { title: "from" }, { title: "to", gives: true }],
        handOffs.map(({ from, to, count }) => [numberText(count), from, to]),
      ),
      part(
        "Code",
        [times, { title: "success", align: "right" }, { title: "imports", gives: true }, { title: "by" }],
        codePatterns.map(({ imports, agent, count, successRate }) => [
          numberText(count),
          rateText(successRate),
          imports.join(", "),
          agent,
        ]),
      ),
      part(
        "Files",
        [times, { title: "kind" }, { title: "made by" }, { title: "latest", gives: true }],
        fileTemplates.map(({ extension, madeBy, count, latest }) => [
          numberText(count),
          extension === "" ? "none" : extension,
          madeBy,
          latest?.path ?? "",
        ]),
      ),
    ].join("\n\n"),
  );
}

type Defined<Fields> = { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}
