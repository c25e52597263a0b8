import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Command, Option } from "commander";
import { failure, type Failure } from "../../../core/error.ts";
import type { Trace } from "../../../core/trace-event.ts";
import { importTraces, type ImportItem, TRACE_FORMATS } from "../../../trace/import/import-traces.ts";
import type { TraceStore } from "../../../trace/trace-store.ts";
import { writeControlSequence } from "../../output/guarded-output.ts";
import {
  type CommonOptions,
  examples,
  EXIT,
  printJson,
  withCommonOptions,
  valueOrThrow,
} from "../../session.ts";
import { bytesText, counted, numberText } from "../../output/amounts.ts";
import { withHangingIndent, oneLine } from "../../../core/text/display-text.ts";
import { withTraces } from "../../with-traces.ts";

interface ImportOptions extends CommonOptions {
  readonly format?: string;
}

export function importCommand(): Command {
  return withCommonOptions(new Command("import"))
    .description("record transcripts of other programs")
    .argument("<files...>", "JSON or JSON Lines of any size; - for stdin")
    .addOption(
      new Option("--format <format>", "the transcripts' format (default: told from their content)").choices(
        TRACE_FORMATS,
      ),
    )
    .addHelpText(
      "after",
      examples(
        "\nTo import a transcript again changes nothing. Exits with 1 when nothing could be used.\n\nExample:\n  $ repertoire traces import conversations.jsonl",
      ),
    )
    .action(async (files: string[], options: ImportOptions) => {
      await withTraces(options, async ({ store, place }) => {
        const importing = new Importing(store, options.format);
        for (const file of files) await importing.file(file);
        const { report } = importing;
        if (options.json) printJson(report);
        else tell(report, place);
        process.exitCode = exitCode(report);
      });
    });
}

interface Report {
  readonly traces: number;
  readonly events: number;
  readonly formats: Readonly<Record<string, { readonly traces: number; readonly events: number }>>;
  /** The first of them. */
  readonly runIds: readonly string[];
  readonly skipped: readonly Skipped[];
  /** Files that could not be read. */
  readonly errors: readonly Failure[];
}

type Skipped = Omit<Extract<ImportItem, { kind: "skipped" }>, "kind">;

function exitCode({ traces, skipped, errors }: Report): number {
  if (errors.length > 0) return EXIT.usage;
  return traces > 0 || skipped.length === 0 ? EXIT.ok : EXIT.failed;
}

function tell({ traces, events, formats, skipped, errors }: Report, place: string): void {
  console.log(`Imported ${counted(traces, "trace")} with ${counted(events, "event")} into ${place}`);
  for (const [format, sums] of Object.entries(formats))
    console.log(`  ${format}: ${counted(sums.traces, "trace")}, ${counted(sums.events, "event")}`);
  if (skipped.length > 0) console.log("Not used:");
  for (const { reason, message, count, places } of skipped) {
    console.log(`  ${numberText(count)} × ${reason}: ${message}`);
    for (const each of places) console.log(`      ${oneLine(each)}`);
    if (count > places.length && places.length === MAX_PLACES) console.log("      …");
  }
  for (const { code, message } of errors) console.error(`${code}: ${withHangingIndent(message)}`);
}

const MAX_PLACES = 5;
const MAX_IDS = 1000;
/** Of one write to the store; memory holds no more than this and what is being read. */
const BATCH = { traces: 50, events: 5000, bytes: 16 << 20 };

/** Reads files one after the other and records what they hold, batch by batch. */
class Importing {
  readonly #store: TraceStore;
  readonly #format: string | undefined;
  readonly #formats = new Map<string, { traces: number; events: number }>();
  readonly #skipped = new Map<string, Skipped>();
  readonly #errors: Failure[] = [];
  readonly #runIds: string[] = [];
  readonly #progress = new Progress();
  #batch: Trace[] = [];
  #batchEvents = 0;
  #batchBytes = 0;
  #traces = 0;
  #events = 0;

  constructor(store: TraceStore, format: string | undefined) {
    this.#store = store;
    this.#format = format;
  }

  get report(): Report {
    return {
      traces: this.#traces,
      events: this.#events,
      formats: Object.fromEntries(this.#formats),
      runIds: this.#runIds,
      skipped: [...this.#skipped.values()],
      errors: this.#errors,
    };
  }

  async file(file: string): Promise<void> {
    try {
      const { chunks, now } = await opened(file);
      const options = { now, ...(this.#format === undefined ? {} : { format: this.#format }) };
      for await (const item of importTraces(this.#measured(chunks), options)) await this.#take(item, file);
    } catch (error) {
      if (!isFileError(error)) throw error;
      const why = FILE_ERRORS[error.code] ?? error.message;
      this.#errors.push(failure("PATH_NOT_FOUND", `${file} cannot be read: ${why}`));
    }
    // Also what was read before the file broke off.
    await this.#record();
    this.#progress.clear();
  }

  async *#measured(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of chunks) {
      this.#batchBytes += chunk.length;
      this.#progress.show(chunk.length, this.#traces);
      yield chunk;
    }
  }

  async #take(item: ImportItem, file: string): Promise<void> {
    switch (item.kind) {
      case "trace":
        return this.#add(item.trace, item.format);
      case "skipped":
        return this.#skip(item, file);
    }
  }

  async #add(trace: Trace, format: string): Promise<void> {
    const sums = this.#formats.get(format) ?? { traces: 0, events: 0 };
    this.#formats.set(format, { traces: sums.traces + 1, events: sums.events + trace.events.length });
    if (this.#runIds.length < MAX_IDS) this.#runIds.push(trace.runId);
    this.#batch.push(trace);
    this.#batchEvents += trace.events.length;
    if (
      this.#batch.length >= BATCH.traces ||
      this.#batchEvents >= BATCH.events ||
      this.#batchBytes >= BATCH.bytes
    )
      await this.#record();
  }

  #skip({ reason, message, count, places }: Skipped, file: string): void {
    const before = this.#skipped.get(reason);
    const here = places.map((place) => `${file === "-" ? "stdin" : file}, ${place}`);
    this.#skipped.set(reason, {
      reason,
      message,
      count: (before?.count ?? 0) + count,
      places: [...(before?.places ?? []), ...here].slice(0, MAX_PLACES),
    });
  }

  async #record(): Promise<void> {
    if (this.#batch.length > 0) valueOrThrow(await this.#store.record(this.#batch));
    this.#traces += this.#batch.length;
    this.#events += this.#batchEvents;
    this.#batch = [];
    this.#batchEvents = 0;
    this.#batchBytes = 0;
  }
}

/** `now` stands where a transcript tells no time: when the file was written, so that it is the same each time. */
async function opened(
  file: string,
): Promise<{ readonly chunks: AsyncIterable<Uint8Array>; readonly now: number }> {
  if (file === "-") return { chunks: process.stdin, now: Date.now() };
  const { mtimeMs } = await stat(file);
  return { chunks: createReadStream(file, { highWaterMark: 1 << 18 }), now: Math.floor(mtimeMs) };
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder; give the files in it",
  EACCES: "it may not be read",
};

function isFileError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && "syscall" in error && "code" in error;
}

/** A line on a terminal that tells how far it is. */
class Progress {
  #bytes = 0;
  #shownAt = performance.now();
  #isShown = false;

  show(bytes: number, traces: number): void {
    this.#bytes += bytes;
    if (!process.stderr.isTTY || performance.now() - this.#shownAt < 100) return;
    this.#shownAt = performance.now();
    this.#isShown = true;
    writeControlSequence(
      process.stderr,
      `\r${CLEAR}${bytesText(this.#bytes)} read, ${counted(traces, "trace")} recorded`,
    );
  }

  clear(): void {
    if (this.#isShown) writeControlSequence(process.stderr, `\r${CLEAR}`);
    this.#isShown = false;
  }
}

const CLEAR = "\u001b[K";
