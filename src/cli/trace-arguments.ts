import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { App } from "../rooms.ts";
import { failure } from "../core/error.ts";
import { fileFault } from "../core/files/file-fault.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Trace } from "../core/trace-event.ts";
import { importTraces } from "../trace/import/import-traces.ts";
import { redactedTrace } from "../trace/redact/redacted-trace.ts";
import { redactor } from "../trace/redact/redaction.ts";
import { runOrSessionOf } from "./run-or-session.ts";
import { valueOrThrow } from "./session.ts";
import { commandLine } from "../core/text/command-line.ts";

/**
 * The traces that are meant: recorded runs and sessions by the beginnings of their ids, and those in files of
 * transcripts, which are not recorded. Of a file all, or the one that `file#3` or `only` tells, counted from 1.
 */
export async function traceArguments(
  { extraction, traces: store, config }: App,
  given: readonly string[],
  only?: number,
): Promise<readonly Trace[]> {
  const redact = valueOrThrow(redactor(config.traces.redaction));
  const traces: Trace[] = [];
  for (const each of given) {
    const place = await placeOf(each);
    if (place) {
      const found = valueOrThrow(await tracesIn({ ...place, nth: place.nth ?? only }));
      for (const trace of found) traces.push(await redactedTrace(trace, redact));
    } else {
      const { id } = valueOrThrow(await runOrSessionOf(store, each));
      traces.push(valueOrThrow(await extraction.trace(id)));
    }
  }
  return traces;
}

interface TranscriptPlace {
  readonly file: string;
  readonly nth?: number | undefined;
}

/** The file that is meant; nothing where it is an id. */
async function placeOf(given: string): Promise<TranscriptPlace | undefined> {
  if (await isFile(given)) return { file: given };
  const [, file = "", number] = /^(.+)#([1-9]\d{0,6})$/.exec(given) ?? [];
  if (file !== "" && (await isFile(file))) return { file, nth: Number(number) };
  if (/[/\\]|\.\w+(?:#\d+)?$/.test(given))
    return valueOrThrow(fail(failure("PATH_NOT_FOUND", `There is no file ${given}`)));
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function tracesIn({ file, nth }: TranscriptPlace): Promise<Result<readonly Trace[]>> {
  const traces: Trace[] = [];
  const skipped: string[] = [];
  const now = Math.floor((await stat(file)).mtimeMs);
  let count = 0;
  try {
    for await (const item of importTraces(createReadStream(file), { now })) {
      if (item.kind === "skipped") skipped.push(item.message);
      else if (++count === nth) return ok([item.trace]);
      else if (nth === undefined) traces.push(item.trace);
      if (traces.length > MAX_TRACES) return fail(failure("INPUT_TOO_LARGE", tooMany(file)));
    }
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    return fail(failure("PATH_NOT_FOUND", `${file} cannot be read: ${fileFault(error)}`));
  }
  if (traces.length > 0) return ok(traces);
  if (count > 0)
    return fail(failure("INPUT_INVALID", `${file} has ${count} traces: there is no number ${nth}`));
  const why = skipped.length === 0 ? "" : `: ${skipped.join("; ")}`;
  return fail(failure("INPUT_INVALID", `${file} holds no transcript that can be used${why}`));
}

const MAX_TRACES = 1000;

function tooMany(file: string): string {
  return `${file} has more than ${MAX_TRACES} traces: take one with ${file}#1, or record all with "${commandLine("traces import")}"`;
}
