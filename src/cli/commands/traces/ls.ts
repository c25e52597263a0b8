import { Command } from "commander";
import { WORK_SOURCES } from "../../../core/trace-event.ts";
import type { RunSummary, SessionSummary } from "../../../trace/trace-store.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../../session.ts";
import { durationText, numberText, shortTime } from "../../output/amounts.ts";
import { type FilterOptions, positiveInteger, runFilter, withRunFilters } from "../../run-filter.ts";
import { shortIdAmong } from "../../output/short-id.ts";
import { table } from "../../output/table.ts";
import { toldStatus } from "../../output/trees/call-pieces.ts";
import { type Paint, terminal } from "../../output/terminal.ts";
import { withTraces } from "../../with-traces.ts";

interface LsOptions extends CommonOptions, FilterOptions {
  readonly limit?: number;
  readonly after?: string;
  readonly flat?: boolean;
}

export function tracesLsCommand(): Command {
  return withRunFilters(withCommonOptions(new Command("ls")))
    .description("list what was done, newest first: a line for each session, with all its runs")
    .option("--flat", "a line for each run")
    .option("--limit <n>", "the most lines (default: 50)", positiveInteger)
    .option("--after <cursor>", "go on where a list ended")
    .addHelpText("after", examples("\nExample:\n  $ repertoire traces ls --status failed --since 7d"))
    .action(async (options: LsOptions) => {
      await withTraces(options, async ({ store, place, waiting: waitingNow }) => {
        const waiting = waitingNow();
        const { limit, after, flat = false, json = false } = options;
        const filter = {
          source: WORK_SOURCES,
          ...(await runFilter(store, options)),
          ...(limit === undefined ? {} : { limit }),
          ...(after === undefined ? {} : { after }),
        };
        if (!flat && !json) {
          const { sessions, next } = valueOrThrow(await store.sessions(filter));
          const told = sessions.map((each) =>
            Object.assign(each, { status: toldStatus(each.status, waiting.has(each.id)) }),
          );
          return printPage(sessionTable, told, next, place);
        }
        const { runs, ...page } = valueOrThrow(await store.runs(filter));
        const told = runs.map((run) =>
          Object.assign(run, { status: toldStatus(run.status, waiting.has(run.runId)) }),
        );
        if (json) return printJson({ runs: told, ...page });
        printPage(runTable, told, page.next, place);
      });
    });
}

type ToldStatus = ReturnType<typeof toldStatus>;

function printPage<Line>(
  drawn: (lines: readonly Line[]) => string,
  lines: readonly Line[],
  next: string | undefined,
  place: string,
): void {
  if (lines.length === 0) return console.error(`No such runs in ${place}`);
  console.log(drawn(lines));
  if (next !== undefined) console.error(`There are more: --after ${next}`);
}

function sessionTable(
  sessions: readonly (Omit<SessionSummary, "status"> & { readonly status: ToldStatus })[],
): string {
  const { tableColumns, paint } = terminal();
  const redly = (count: number) =>
    count === 0 ? "" : { text: numberText(count), paint: (text: string): string => paint("red", text) };
  const now = Date.now();
  const shortId = shortIdAmong(sessions.map(({ id }) => id));
  const isComplete = sessions.every(({ lost }) => lost === undefined);
  // The column goes where it would say nothing else.
  const areCompleted = sessions.every(({ status }) => status === "completed");
  const rows = sessions.map((session) => {
    const { startedAt, status, calls, failures, lost = 0, durationMs, source, client } = session;
    return [
      shortId(session.id),
      shortTime(startedAt, now),
      areCompleted ? "" : { text: status, paint: (text: string) => paintedStatus(status, text, paint) },
      numberText(calls),
      redly(failures),
      ...(isComplete ? [] : [redly(lost)]),
      durationMs === 0 ? "" : durationText(durationMs),
      client ?? source,
      aboutText(session),
    ];
  });
  return table(
    [
      { title: "id" },
      { title: "when" },
      { title: "status" },
      { title: "calls", align: "right" },
      { title: "failed", align: "right" },
      ...(isComplete ? [] : [{ title: "lost", align: "right" } as const]),
      { title: "took", align: "right" },
      { title: "from", gives: true },
      { title: "task or calls", gives: true },
    ],
    rows,
    tableColumns,
    paint,
  );
}

/** What a session was about: its task, where it is known, or what was called in it. */
function aboutText({ task, names }: Pick<SessionSummary, "task" | "names">): string {
  return task ?? names.join(", ");
}

function runTable(runs: readonly (Omit<RunSummary, "status"> & { readonly status: ToldStatus })[]): string {
  const { tableColumns, paint } = terminal();
  const redly = (text: string): string => paint("red", text);
  const now = Date.now();
  const shortId = shortIdAmong(runs.map(({ runId }) => runId));
  const isComplete = runs.every(({ lost }) => lost === undefined);
  const rows = runs.map(({ runId, startedAt, task, name, events, lost, errors, durationMs, status }) => [
    shortId(runId),
    shortTime(startedAt, now),
    { text: status, paint: (text: string) => paintedStatus(status, text, paint) },
    numberText(events),
    ...(isComplete ? [] : [lost === undefined ? "" : { text: numberText(lost), paint: redly }]),
    errors === 0 ? "" : { text: numberText(errors), paint: redly },
    durationMs === undefined || durationMs === 0 ? "" : durationText(durationMs),
    task ?? name ?? "",
  ]);
  return table(
    [
      { title: "id" },
      { title: "when" },
      { title: "status" },
      { title: "events", align: "right" },
      ...(isComplete ? [] : [{ title: "lost", align: "right" } as const]),
      { title: "errors", align: "right" },
      { title: "took", align: "right" },
      { title: "task or name", gives: true },
    ],
    rows,
    tableColumns,
    paint,
  );
}

function paintedStatus(status: ToldStatus, text: string, paint: Paint): string {
  switch (status) {
    case "completed":
      return paint("green", text);
    case "failed":
      return paint("red", text);
    case "running":
    case "waiting":
    case "cancelled":
      return paint("yellow", text);
  }
}
