import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Command, Option } from "commander";
import { failure } from "../../../core/error.ts";
import { fileFault } from "../../../core/files/file-fault.ts";
import { fail } from "../../../core/result.ts";
import {
  callsWithoutPlace,
  EXPORT_FORMATS,
  type ExportFormat,
  exportTraces,
} from "../../../trace/export/export-traces.ts";
import type { TraceStore } from "../../../trace/trace-store.ts";
import { type CommonOptions, examples, printJson, withCommonOptions, valueOrThrow } from "../../session.ts";
import { counted } from "../../output/amounts.ts";
import { allRuns, runOrSessionOf, traceOf } from "../../run-or-session.ts";
import { type FilterOptions, positiveInteger, runFilter, withRunFilters } from "../../run-filter.ts";
import { withTraces } from "../../with-traces.ts";

interface ExportOptions extends CommonOptions, FilterOptions {
  readonly all?: boolean;
  readonly limit?: number;
  readonly format: ExportFormat;
  readonly output?: string;
}

export function exportCommand(): Command {
  return withRunFilters(withCommonOptions(new Command("export")))
    .description("write runs for other programs, and for `traces import`")
    .argument("[ids...]", "runs or sessions; the beginning of an id is enough")
    .option("--all", "all runs")
    .option("--limit <n>", "the most runs, newest first", positiveInteger)
    .addOption(
      new Option(
        "--format <format>",
        "repertoire: all that is recorded; jsonl: calls as they are; chat: messages of OpenAI; otlp: spans of OpenTelemetry",
      )
        .choices(EXPORT_FORMATS)
        .default("jsonl"),
    )
    .option("-o, --output <file>", "write to a file")
    .addHelpText(
      "after",
      examples(
        "\nExample:\n  $ repertoire traces export --status completed --format chat -o conversations.jsonl",
      ),
    )
    .action(async (ids: string[], options: ExportOptions) => {
      await withTraces(options, async ({ store, place }) => {
        const runIds = await chosen(store, ids, options);
        const { output, format, json } = options;
        const written = { runs: 0, callsWithoutPlace: 0 };
        await write(lines(store, runIds, format, written), output);
        if (written.runs === 0) console.error(`No such runs in ${place}`);
        if (written.callsWithoutPlace > 0 && !json)
          console.error(
            `${counted(written.callsWithoutPlace, "call")} that skills and agents made are not in it: the format has no place for them`,
          );
        if (json && output !== undefined) printJson({ ...written, file: output });
        else if (output !== undefined) console.error(`Wrote ${counted(written.runs, "run")} to ${output}`);
      });
    });
}

/** The ids of the runs that are meant, each known to be there where it was given. */
async function chosen(
  store: TraceStore,
  given: readonly string[],
  options: ExportOptions,
): Promise<AsyncIterable<string> | Iterable<string>> {
  const { limit } = options;
  const filter = await runFilter(store, options);
  const isFiltered = Object.keys(filter).length > 0 || limit !== undefined;
  if (given.length > 0) {
    if (isFiltered || options.all) refuse("Give either ids or what runs are to be like, not both");
    const runIds = new Set<string>();
    for (const each of given) {
      const { kind, id } = valueOrThrow(await runOrSessionOf(store, each));
      if (kind === "run") runIds.add(id);
      else for await (const { runId } of allRuns(store, { sessionId: id })) runIds.add(runId);
    }
    return runIds;
  }
  if (!isFiltered && !options.all)
    refuse("Nothing says which runs: give ids, or a filter such as --since 7d, or --all");
  return idsOf(store, limit === undefined ? filter : { ...filter, limit });
}

function refuse(message: string): void {
  valueOrThrow(fail(failure("INPUT_INVALID", message)));
}

async function* idsOf(
  store: TraceStore,
  filter: Parameters<typeof allRuns>[1],
): AsyncGenerator<string, void, undefined> {
  for await (const { runId } of allRuns(store, filter)) yield runId;
}

async function* lines(
  store: TraceStore,
  runIds: AsyncIterable<string> | Iterable<string>,
  format: ExportFormat,
  written: { runs: number; callsWithoutPlace: number },
): AsyncGenerator<string, void, undefined> {
  for await (const runId of runIds) {
    const trace = await traceOf(store, runId);
    yield exportTraces([trace], format);
    written.runs++;
    written.callsWithoutPlace += callsWithoutPlace(trace, format);
  }
}

async function write(texts: AsyncGenerator<string>, output: string | undefined): Promise<void> {
  const source = Readable.from(texts);
  try {
    if (output === undefined) await pipeline(source, process.stdout, { end: false });
    else await pipeline(source, createWriteStream(output));
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    // Whoever reads has read enough.
    if (output === undefined && "code" in error && error.code === "EPIPE") return;
    const place = output ?? "the standard output";
    valueOrThrow(
      fail(failure("PATH_NOT_FOUND", `The runs cannot be written to ${place}: ${fileFault(error)}`)),
    );
  }
}
