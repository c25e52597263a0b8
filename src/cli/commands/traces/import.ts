import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Command, Option } from "commander";
import { failure, type Failure } from "../../../core/error.ts";
import { fileFault } from "../../../core/files/file-fault.ts";
import { ImportRecorder, type RecordedSums } from "../../../trace/import/import-recorder.ts";
import { importAll, type ImportInput, type ImportItem } from "../../../trace/import/import-traces.ts";
import { TRACE_FORMATS } from "../../../trace/import/format.ts";
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
        await importing.files(files);
        const { report } = importing;
        if (options.json) printJson(report);
        else tell(report, place);
        process.exitCode = exitCode(report);
      });
    });
}

interface Report {
  /** Runs and events that are new in the store. */
  readonly traces: number;
  readonly events: number;
  readonly alreadyThere: RecordedSums["alreadyThere"];
  readonly formats: Readonly<Record<string, RecordedSums>>;
  /** The first of them. */
  readonly runIds: readonly string[];
  readonly skipped: readonly Skipped[];
  /** Files that could not be read. */
  readonly errors: readonly Failure[];
}

type Skipped = Omit<Extract<ImportItem, { kind: "skipped" }>, "kind">;

function exitCode({ traces, alreadyThere, errors }: Report): number {
  if (errors.length > 0) return EXIT.usage;
  return traces + alreadyThere.traces > 0 ? EXIT.ok : EXIT.failed;
}

function tell({ alreadyThere, formats, skipped, errors, ...sums }: Report, place: string): void {
  console.log(`Imported ${sumsText(sums, " with ")} into ${place}`);
  if (alreadyThere.traces > 0) console.log(`Already there: ${sumsText(alreadyThere)}`);
  for (const [format, each] of Object.entries(formats)) {
    const there = each.alreadyThere.traces > 0 ? `; already there: ${sumsText(each.alreadyThere)}` : "";
    console.log(`  ${format}: ${sumsText(each)}${there}`);
  }
  if (skipped.length > 0) console.log("Not used:");
  for (const { reason, message, count, places } of skipped) {
    console.log(`  ${numberText(count)} × ${reason}: ${message}`);
    for (const each of places) console.log(`      ${oneLine(each)}`);
    if (count > places.length) console.log("      …");
  }
  for (const { code, message } of errors) console.error(`${code}: ${withHangingIndent(message)}`);
}

function sumsText({ traces, events }: Pick<Report, "traces" | "events">, and = ", "): string {
  return `${counted(traces, "trace")}${and}${counted(events, "event")}`;
}

/** Reads files together, and records what they hold, batch by batch. */
class Importing {
  readonly #recorder: ImportRecorder;
  readonly #format: string | undefined;
  readonly #skipped: Skipped[] = [];
  readonly #errors: Failure[] = [];
  readonly #progress = new Progress();
  #traces = 0;
  #hasRead = false;

  constructor(store: TraceStore, format: string | undefined) {
    this.#recorder = new ImportRecorder(store);
    this.#format = format;
  }

  get report(): Report {
    const { sums, runIds } = this.#recorder;
    const total = (of: (each: RecordedSums) => number): number =>
      [...sums.values()].reduce((sum, each) => sum + of(each), 0);
    return {
      traces: total(({ traces }) => traces),
      events: total(({ events }) => events),
      alreadyThere: {
        traces: total(({ alreadyThere }) => alreadyThere.traces),
        events: total(({ alreadyThere }) => alreadyThere.events),
      },
      formats: Object.fromEntries(sums),
      runIds,
      skipped: this.#skipped,
      errors: this.#errors,
    };
  }

  async files(files: readonly string[]): Promise<void> {
    const options = this.#format === undefined ? {} : { format: this.#format };
    for await (const item of importAll(this.#inputs(files), options)) {
      // Of files that could not be read it is told why, and not that nothing is in them.
      if (!this.#hasRead && this.#errors.length > 0) continue;
      if (item.kind === "skipped") this.#skipped.push(item);
      else {
        valueOrThrow(await this.#recorder.add(item));
        this.#traces++;
      }
    }
    valueOrThrow(await this.#recorder.flush());
    this.#progress.clear();
  }

  async *#inputs(files: readonly string[]): AsyncGenerator<ImportInput, void, undefined> {
    for (const file of files) {
      const now = file === "-" ? Date.now() : await this.#changedAt(file);
      const name = file === "-" ? "stdin" : file;
      if (now !== undefined) yield { chunks: this.#chunks(file), name, now };
    }
  }

  /** Stands where a transcript tells no time: when the file was written, so that it is the same each time. */
  async #changedAt(file: string): Promise<number | undefined> {
    try {
      const found = await stat(file);
      if (!found.isDirectory()) return Math.floor(found.mtimeMs);
      this.#unreadable(file, "it is a folder; give the files in it");
    } catch (error) {
      if (!isFileError(error)) throw error;
      this.#unreadable(file, fileFault(error));
    }
    return undefined;
  }

  /** Ends where the file breaks off: what was read before is used. */
  async *#chunks(file: string): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      const chunks = file === "-" ? process.stdin : createReadStream(file, { highWaterMark: 1 << 18 });
      for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
        this.#hasRead = true;
        this.#progress.show(chunk.length, this.#traces);
        yield chunk;
      }
    } catch (error) {
      if (!isFileError(error)) throw error;
      this.#unreadable(file, fileFault(error));
    }
  }

  #unreadable(file: string, why: string): void {
    this.#errors.push(failure("PATH_NOT_FOUND", `${file} cannot be read: ${why}`));
  }
}

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
